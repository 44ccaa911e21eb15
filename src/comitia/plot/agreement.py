"""How alike the clusterings are, with each other and with the consensus."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from comitia.agreement import agreement_matrix, agreement_with
from comitia.plot._consensus import Consensus, read_estimator, read_result
from comitia.plot._style import COLORS, SEQUENTIAL, color_bar, name_ticks
from comitia.plot.base import Display

__all__ = ["AgreementDisplay"]

_IN_WORDS = {
    "nmi_sqrt": "normalised mutual information",
    "nmi_max": "normalised mutual information",
    "nmi_min": "normalised mutual information",
    "nmi_arithmetic": "normalised mutual information",
    "nmi_joint": "normalised mutual information",
    "nmi_logk": "normalised mutual information",
    "rand": "Rand index",
    "adjusted_rand": "adjusted Rand index",
    "f_measure": "F-measure",
    "jaccard": "Jaccard index",
    "fowlkes_mallows": "Fowlkes–Mallows index",
    "mutual_information": "mutual information",
    "variation_of_information": "variation of information",
}


@dataclass(eq=False, repr=False)
class AgreementDisplay(Display):
    """How alike the clusterings are, with each other and with the consensus.

    The consensus stands first; the clusterings follow, those that agree with it most
    in front.

    Attributes
    ----------
    agreement : ndarray of shape (n_clusterings + 1, n_clusterings + 1)
        Agreement of each two; row and column 0 are the consensus.

    order : ndarray of shape (n_clusterings,)
        The clustering in each row from 1 on.

    names : ndarray of shape (n_clusterings + 1,)
        What each row is.

    measure : str
        The measure of agreement, in words.

    Examples
    --------
    >>> from comitia import Ensemble, method
    >>> from comitia.plot import AgreementDisplay
    >>> votes = Ensemble([[0, 0, 0], [1, 0, 0], [1, 1, 1], [1, 1, 1]])
    >>> fitted = method("eac")(n_clusters=2).fit(votes)
    >>> display = AgreementDisplay.from_estimator(fitted, measure="rand")
    >>> display.order
    array([1, 2, 0])
    >>> display.agreement[0]
    array([1. , 1. , 1. , 0.5])
    """

    agreement: NDArray[np.float64]
    order: NDArray[np.int64]
    names: NDArray[Any]
    measure: str

    @classmethod
    def from_estimator(
        cls,
        estimator: Any,
        X: Any = None,
        *,
        ax: Any = None,
        measure: str = "adjusted_rand",
    ) -> Self:
        """Compute it for a fitted method.

        Parameters
        ----------
        estimator : EnsembleMethod
            The fitted method.

        X : array-like, default=None
            Not used; there so that all Displays are called alike.

        ax : Axes, default=None
            Draw at once, on these axes; otherwise :meth:`plot` draws.

        measure : str, default="adjusted_rand"
            A measure of :mod:`comitia.agreement`.

        Returns
        -------
        display : AgreementDisplay
            The numbers.
        """
        return cls._of(read_estimator(estimator), measure)._drawn_on(ax)

    @classmethod
    def from_result(
        cls, result: Any, *, ax: Any = None, measure: str = "adjusted_rand"
    ) -> Self:
        """Compute it for a result.

        Parameters
        ----------
        result : Result
            The result.

        ax : Axes, default=None
            As for :meth:`from_estimator`.

        measure : str, default="adjusted_rand"
            As for :meth:`from_estimator`.

        Returns
        -------
        display : AgreementDisplay
            The numbers.
        """
        return cls._of(read_result(result), measure)._drawn_on(ax)

    @classmethod
    def _of(cls, consensus: Consensus, measure: str) -> Self:
        ensemble, labels = consensus.ensemble, consensus.labels
        with_consensus = agreement_with(labels, ensemble, measure)
        # Of a distance, such as the variation of information, little is much.
        sign = 1.0 if measure == "variation_of_information" else -1.0
        order = np.argsort(sign * with_consensus, kind="stable")
        M = ensemble.n_clusterings
        agreement = np.empty((M + 1, M + 1))
        agreement[0, 0] = agreement_with(labels, _alone(labels), measure)[0]
        agreement[0, 1:] = agreement[1:, 0] = with_consensus[order]
        agreement[1:, 1:] = agreement_matrix(ensemble, measure)[np.ix_(order, order)]
        given = ensemble.clustering_names
        names = np.arange(M).astype(str) if given is None else given
        return cls(
            agreement=agreement,
            order=order,
            names=np.concatenate([["consensus"], names[order]]),
            measure=_IN_WORDS.get(measure, str(measure)),
        )

    def _size(self) -> tuple[float, float]:
        return 6.4, 5.4

    def _draw(self, ax: Any) -> None:
        shown = self.agreement
        image = ax.imshow(
            shown,
            cmap=SEQUENTIAL,
            vmin=min(0.0, float(np.nanmin(shown))),
            vmax=max(1.0, float(np.nanmax(shown))),
            interpolation="nearest" if len(shown) <= 300 else "antialiased",
        )
        for line in (ax.axhline, ax.axvline):
            line(0.5, color=COLORS[1], linewidth=1.2)
        for axis in (ax.xaxis, ax.yaxis):
            # The consensus is always named; of many clusterings, some.
            most = 25
            step = max(1, -(-(len(shown) - 1) // most))
            places = [0, *range(1 if step == 1 else step, len(shown), step)]
            name_ticks(axis, self.names[places], places, most=len(places))
        ax.tick_params(axis="x", rotation=90)
        ax.set_xlabel("clustering, by agreement with the consensus")
        ax.set_ylabel("clustering, by agreement with the consensus")
        color_bar(image, ax, self.measure)

    def _table(self) -> dict[str, Any]:
        return {"data": self.agreement, "index": self.names, "columns": self.names}


def _alone(labels: NDArray[Any]) -> Any:
    from comitia.ensemble import Ensemble

    return Ensemble(np.asarray(labels)[:, None])
