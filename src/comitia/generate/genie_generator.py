"""Genie on samples, with bounds of its own for each member."""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass
from numbers import Integral, Real
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from comitia._sklearn import Interval
from comitia.cluster.genie import SpanningTree
from comitia.exceptions import ComitiaError
from comitia.generate._nearest_in_sample import ShapesGenerator
from comitia.generate.estimators import _sized_plans, n_clusters_range
from comitia.generate.generator import Plan

__all__ = ["GenieGenerator"]


@dataclass(eq=False, repr=False)
class GenieGenerator(ShapesGenerator):
    r"""Clusterings by Genie, each on a sample and with a threshold of its own.

    :class:`~comitia.cluster.Genie` is single linkage in which the smallest cluster must
    merge while the Gini index of the sizes is above a threshold. A member draws its
    objects, its number of clusters and its threshold; objects that it did not draw, and
    new ones, are labelled like their nearest neighbour.

    Parameters
    ----------
    n_clusterings, n_clusters : shared

    gini_thresholds : float or (float, float), default=(0.2, 0.5)
        The threshold of each clustering, or the range it is drawn from.

    object_fraction : float, default=0.8
        The share of the objects that a member draws; of many objects it draws 4000, or
        16 for each cluster if that is more.

    n_neighbors : int, default=None
        With it, distances are those of mutual reachability, as for
        :class:`~comitia.cluster.Genie`.

    n_jobs, checkpoint, verbose, random_state : shared

    Attributes
    ----------
    ensemble_ : Ensemble
        The clusterings.

    members_ : list
        The samples and their labels, which label new objects.

    Notes
    -----
    From 20 000 objects on, and in :func:`generate_blocks`, the data are in single
    precision, and the nearest object is looked for in the nearer parts of the sample.

    Examples
    --------
    >>> from comitia.generate import GenieGenerator
    >>> X = [[0.0], [0.1], [0.2], [5.0], [5.1], [5.2]]
    >>> GenieGenerator(3, n_clusters=2, random_state=0).generate(X)
    Ensemble(kind='hard', n_objects=6, n_clusterings=3, n_clusters_total=6)
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "gini_thresholds": [Interval(Real, 0, 1, closed="both"), tuple, list],
        "object_fraction": [Interval(Real, 0, 1, closed="right")],
        "n_neighbors": [Interval(Integral, 1, None, closed="left"), None],
    }

    n_clusterings: int | str = 50
    _: KW_ONLY
    n_clusters: Any = None
    gini_thresholds: Any = (0.2, 0.5)
    object_fraction: float = 0.8
    n_neighbors: int | None = None
    n_jobs: int | None = None
    checkpoint: Any = None
    verbose: Any = False
    random_state: Any = None

    def plan(self, X: Any, rng: np.random.RandomState) -> list[Plan]:
        ends = n_clusters_range(self.n_clusters, len(X))
        M = int(self.n_clusterings)
        plans = _sized_plans(M, *ends, rng, ("object_seed",))
        thresholds = rng.uniform(*self._thresholds(), size=M)
        return [
            {**plan, "gini_threshold": float(threshold)}
            for plan, threshold in zip(plans, thresholds, strict=True)
        ]

    def _thresholds(self) -> tuple[float, float]:
        given = self.gini_thresholds
        try:
            pair = (given, given) if isinstance(given, Real) else given
            lowest, highest = (float(end) for end in pair)
        except (TypeError, ValueError):
            lowest = highest = -1.0
        if not 0 <= lowest <= highest <= 1:
            raise ComitiaError(
                f"gini_thresholds={given!r} must be one number or a pair (lowest, "
                "highest) with 0 <= lowest <= highest <= 1."
            )
        return lowest, highest

    def label_sample(self, X: NDArray[np.float64], plan: Plan) -> NDArray[Any]:
        near = self.n_neighbors
        if near is not None:
            near = min(near, len(X) - 1) or None
        n_clusters = min(plan["n_clusters"], len(X))
        return SpanningTree.of(X, near).labels(n_clusters, plan["gini_threshold"])
