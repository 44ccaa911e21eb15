"""How alike the clusterings are, with each other and with the consensus."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from comitia.agreement import agreement_matrix, agreement_with
from comitia.display.consensus_view import Consensus, read_estimator, read_result
from comitia.ensemble import Ensemble
from comitia.plot._style import color_bar, ink_on, name_ticks
from comitia.plot.display_base import Display
from comitia.plot.palette import COLORS, SEQUENTIAL

__all__ = ["AgreementDisplay"]

_IN_WORDS = {
    "nmi": "normalised mutual information",
    "rand": "Rand index",
    "adjusted_rand": "adjusted Rand index",
    "f_measure": "F-measure",
    "jaccard": "Jaccard index",
    "fowlkes_mallows": "Fowlkes–Mallows index",
    "mutual_information": "mutual information",
    "variation_of_information": "variation of information",
}


# The cells of so many rows are large enough for their values.
_VALUES_SHOWN = 13


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
            Not used; all Displays are called alike.

        ax : Axes, default=None
            Draw at once, on these axes; otherwise :meth:`plot` draws.

        measure : str, default="adjusted_rand"
            A measure of :mod:`comitia.agreement`.

        Returns
        -------
        display : AgreementDisplay
            The numbers.
        """
        return cls._from_consensus(read_estimator(estimator), measure)._plot_if(ax)

    @classmethod
    def from_result(
        cls, result: Any, *, ax: Any = None, measure: str = "adjusted_rand"
    ) -> Self:
        """Compute it for a result.

        Parameters
        ----------
        result : Result
            The result.

        ax, measure : shared
            As for :meth:`from_estimator`.

        Returns
        -------
        display : AgreementDisplay
            The numbers.
        """
        return cls._from_consensus(read_result(result), measure)._plot_if(ax)

    @classmethod
    def _from_consensus(cls, consensus: Consensus, measure: str) -> Self:
        ensemble, labels = consensus.ensemble, consensus.labels
        with_consensus = agreement_with(labels, ensemble, measure)
        # Clusterings that agree have a small distance, and a large similarity.
        sign = 1.0 if measure == "variation_of_information" else -1.0
        order = np.argsort(sign * with_consensus, kind="stable")
        M = ensemble.n_clusterings
        agreement = np.empty((M + 1, M + 1))
        alone = Ensemble(np.asarray(labels)[:, None])
        agreement[0, 0] = agreement_with(labels, alone, measure)[0]
        agreement[0, 1:] = agreement[1:, 0] = with_consensus[order]
        agreement[1:, 1:] = agreement_matrix(ensemble, measure)[np.ix_(order, order)]
        kind = "nmi" if str(measure).startswith("nmi_") else str(measure)
        given = ensemble.clustering_names
        names = np.arange(M).astype(str) if given is None else given
        return cls(
            agreement=agreement,
            order=order,
            names=np.concatenate([["consensus"], names[order]]),
            measure=_IN_WORDS.get(kind, kind),
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
        if len(shown) <= _VALUES_SHOWN:
            for i, row in enumerate(shown):
                for j, value in enumerate(row):
                    ax.text(
                        j,
                        i,
                        f"{value:.2f}",
                        ha="center",
                        va="center",
                        fontsize="small",
                        color=ink_on(image.to_rgba(value)[:3]),
                    )
        ax.tick_params(axis="x", rotation=90)
        ax.set_xlabel("clustering, by agreement with the consensus")
        ax.set_ylabel("clustering, by agreement with the consensus")
        color_bar(image, ax, self.measure)

    def _table(self) -> dict[str, Any]:
        return {"data": self.agreement, "index": self.names, "columns": self.names}
