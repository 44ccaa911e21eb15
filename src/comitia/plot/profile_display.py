"""What makes each cluster different."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from comitia.display.cluster_profiles import Profile, cluster_profile
from comitia.display.consensus_view import check_fitted
from comitia.display.feature_table import check_features, name_features
from comitia.exceptions import ComitiaError
from comitia.plot._style import color_bar, name_ticks, short_name
from comitia.plot.display_base import Display
from comitia.plot.palette import DIVERGING

__all__ = ["ProfileDisplay"]

# Up to this many cells, their numbers are written in them.
_CELLS_WITH_NUMBERS = 200


@dataclass(eq=False, repr=False)
class ProfileDisplay(Display):
    """What makes each cluster different, feature by feature.

    The mean of each feature in each cluster, as a difference from the mean of all
    objects in standard deviations. The features that tell the clusters apart best stand
    at the top.

    Attributes
    ----------
    differences : ndarray of shape (n_clusters, n_shown)
        The standardised differences of the features shown.

    order : ndarray of shape (n_shown,)
        Which features are shown, from the top.

    names : ndarray of shape (n_shown,)
        Their names.

    profile : Profile
        All features: means, differences, effects and the share explained.

    Examples
    --------
    >>> from comitia import Ensemble, method
    >>> from comitia.plot import ProfileDisplay
    >>> votes = Ensemble([[0, 0], [0, 0], [1, 1], [1, 1]])
    >>> X = [[1.0, 0.0], [1.0, 0.2], [1.5, 4.0], [1.0, 4.2]]
    >>> fitted = method("eac")(n_clusters=2).fit(votes)
    >>> display = ProfileDisplay.from_estimator(fitted, X)
    >>> display.order
    array([1, 0])
    >>> display.differences.round(2)
    array([[-1.  , -0.58],
           [ 1.  ,  0.58]])
    """

    differences: NDArray[np.float64]
    order: NDArray[np.int64]
    names: NDArray[Any]
    profile: Profile

    @classmethod
    def from_estimator(
        cls,
        estimator: Any,
        X: Any = None,
        *,
        ax: Any = None,
        feature_names: Sequence[Any] | None = None,
        max_features: int = 30,
    ) -> Self:
        """Compute it for a fitted method and the data.

        Parameters
        ----------
        estimator : EnsembleMethod
            The fitted method.

        X : array-like of shape (n_objects, n_features)
            The data, in any units.

        ax : Axes, default=None
            Draw at once, on these axes; otherwise :meth:`plot` draws.

        feature_names : sequence of shape (n_features,), default=None
            Names of the features; the columns of a DataFrame by default.

        max_features : int, default=30
            How many features to show at most: those of whose variance the clusters
            explain most.

        Returns
        -------
        display : ProfileDisplay
            The numbers.
        """
        check_fitted(estimator)
        if X is None:
            raise ComitiaError(
                "X is not given; the profile of the clusters is one of their data."
            )
        data = check_features(X, len(estimator.labels_), estimator.ensemble_)
        profile = cluster_profile(data, estimator.labels_)
        names = name_features(feature_names, X, profile.means.shape[1])
        return cls._from_profile(profile, names, max_features)._plot_if(ax)

    @classmethod
    def from_result(
        cls, result: Any, *, ax: Any = None, max_features: int = 30
    ) -> Self:
        """Take it from a result.

        Parameters
        ----------
        result : Result
            The result, of a fit to data.

        ax, max_features : shared
            As for :meth:`from_estimator`.

        Returns
        -------
        display : ProfileDisplay
            The numbers.
        """
        if result.profile is None:
            raise ComitiaError(
                "the result was made without data, so that it has no profile; make "
                "it with Result.from_estimator(estimator, X)."
            )
        n_features = result.profile.means.shape[1]
        names = name_features(result.feature_names or None, None, n_features)
        return cls._from_profile(result.profile, names, max_features)._plot_if(ax)

    @classmethod
    def _from_profile(
        cls, profile: Profile, names: NDArray[Any], max_features: int
    ) -> Self:
        if max_features < 1:
            raise ComitiaError(f"max_features={max_features} must be at least 1.")
        order = np.argsort(-profile.explained, kind="stable")[:max_features]
        return cls(profile.differences[:, order], order, names[order], profile)

    def _size(self) -> tuple[float, float]:
        k, p = self.differences.shape
        longest = max(len(short_name(name)) for name in self.names)
        width = 2.0 + 0.07 * longest + 0.75 * max(k, 3)
        return min(width, 12.0), 1.8 + 0.26 * max(p, 6)

    def _draw(self, ax: Any) -> None:
        shown = self.differences.T
        bound = float(np.nanmax(np.abs(shown))) or 1.0
        image = ax.imshow(
            shown,
            cmap=DIVERGING,
            vmin=-bound,
            vmax=bound,
            aspect="auto",
            interpolation="nearest",
        )
        p, k = shown.shape
        name_ticks(ax.yaxis, self.names, range(p), most=60)
        clusters = [
            f"{c}\n{size}" if k <= 20 else str(c)
            for c, size in enumerate(self.profile.sizes)
        ]
        step = max(1, -(-k // 25))
        ax.set_xticks(range(0, k, step), labels=clusters[::step])
        ax.tick_params(axis="x", length=0)
        ax.set_xlabel("cluster and number of objects" if k <= 20 else "cluster")
        ax.set_ylabel(
            "feature"
            if len(self.order) == self.profile.means.shape[1]
            else (f"feature, {p} of {self.profile.means.shape[1]}")
        )
        if shown.size <= _CELLS_WITH_NUMBERS:
            for j, c in np.ndindex(p, k):
                # Dark cells need light digits.
                strong = abs(shown[j, c]) > 0.6 * bound
                ax.text(
                    c,
                    j,
                    _digits(float(shown[j, c])),
                    ha="center",
                    va="center",
                    fontsize="small",
                    color="white" if strong else "black",
                )
        ax.spines[:].set_visible(False)
        color_bar(image, ax, "difference from the mean\n(standard deviations)")

    def _table(self) -> dict[str, Any]:
        k = len(self.differences)
        return {
            "data": self.differences.T,
            "index": self.names,
            "columns": [f"cluster {c}" for c in range(k)],
        }


def _digits(value: float) -> str:
    """One decimal with a sign; zero has none."""
    text = f"{value:+.1f}"
    return "0.0" if text in ("+0.0", "-0.0") else text
