"""Spectral clusterings for very many objects, by landmarks."""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass
from math import isqrt
from numbers import Integral
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from comitia import sizes
from comitia._sklearn import Interval
from comitia.generate._kmeans_on_samples import sample_rows
from comitia.generate._landmark_graph import LandmarkClusters, cut_landmark_graph
from comitia.generate.columns import Columns
from comitia.generate.estimators import _sized_plans, n_clusters_range
from comitia.generate.generator import Generator, Plan

__all__ = ["LandmarkSpectralGenerator"]

# The range of the paper for the number of clusters of a member.
_FEWEST, _MOST = 20, 60


@dataclass(eq=False, repr=False)
class LandmarkSpectralGenerator(Generator):
    r"""Spectral clusterings of any number of objects, each by landmarks of its own.

    Clusters may have any shape, as for :class:`SpectralGenerator`, at a cost that
    grows only linearly with the number of objects: the base clusterings of U-SENC [1]_.
    A member draws a number of clusters and chooses landmarks: centres of k-means among
    random candidates. Each object is linked to its :math:`K` nearest landmarks, which
    are looked for from coarse to fine, with the affinities

    .. math::
        B_{ij} = \exp\left(-\frac{\|x_i - r_j\|^2}{2 \sigma^2}\right) ,

    where :math:`\sigma` is the mean distance over all links. The transfer cut of this
    graph of objects and landmarks asks for the eigenvectors of a matrix of the
    landmarks alone, and k-means cuts the points of the objects.

    Parameters
    ----------
    n_clusterings : int, default=20
        Size of the ensemble, :math:`M`.

    n_clusters : int or (int, int), default=None
        Number of clusters of each clustering, or the range it is drawn from. ``None``
        draws from 20 to 60; for less than 3600 objects from a third of
        :math:`\sqrt{n}` to :math:`\sqrt{n}`.

    n_landmarks : int, default=1000
        Number of landmarks, :math:`p`; all objects are landmarks if there are fewer.

    n_neighbors : int, default=5
        How many landmarks an object is linked to, :math:`K`.

    n_jobs, checkpoint, verbose, random_state : shared

    Attributes
    ----------
    ensemble_ : Ensemble
        The clusterings.

    members_ : list
        The landmarks and what is known of them, which label new objects.

    Notes
    -----
    From a hundred thousand objects on (fifty for each landmark, if that is more), a
    member finds its landmarks, :math:`\sigma`, the cut and the centres with a sample
    of that size, where [1]_ takes all objects; all of them are then labelled by their
    own landmarks, affinities and nearest centre. So an object has one label whatever
    else is in its block, and the objects are passed through once. The points are
    scaled to unit length, as in the code of the authors.

    References
    ----------
    .. [1] D. Huang, C.-D. Wang, J.-S. Wu, J.-H. Lai and C.-K. Kwoh, "Ultra-scalable
       spectral clustering and ensemble clustering", IEEE Trans. Knowledge and Data
       Engineering 32(6), 2020. :doi:`10.1109/TKDE.2019.2903410`

    Examples
    --------
    >>> from comitia.generate import LandmarkSpectralGenerator
    >>> X = [[0.0], [0.1], [0.2], [5.0], [5.1], [5.2]]
    >>> LandmarkSpectralGenerator(
    ...     3, n_clusters=2, n_neighbors=2, random_state=0
    ... ).generate(X)
    Ensemble(kind='hard', n_objects=6, n_clusterings=3, n_clusters_total=6)
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "n_landmarks": [Interval(Integral, 1, None, closed="left")],
        "n_neighbors": [Interval(Integral, 1, None, closed="left")],
    }

    n_clusterings: int = 20
    _: KW_ONLY
    n_clusters: Any = None
    n_landmarks: int = 1000
    n_neighbors: int = 5
    n_jobs: int | None = None
    checkpoint: Any = None
    verbose: Any = False
    random_state: Any = None

    def plan(self, X: Any, rng: np.random.RandomState) -> list[Plan]:
        few, most = self._range(len(X))
        return _sized_plans(self.n_clusterings, few, most, rng, ("seed", "object_seed"))

    def _range(self, n: int) -> tuple[int, int]:
        if self.n_clusters is not None:
            return n_clusters_range(self.n_clusters, n)
        most = min(n, max(2, min(_MOST, isqrt(n))))
        return min(most, max(2, most * _FEWEST // _MOST)), most

    def prepare(self, X: NDArray[Any]) -> Columns:
        return Columns.of(X)

    def restore(self, plan: Plan, state: dict[str, NDArray[Any]]) -> Any:
        return LandmarkClusters.restored(state, self.n_features_in_)

    def needs_memory(self, n: int | None = None) -> str:
        return ""

    def sample_rows(self, n: int, plan: Plan) -> NDArray[np.int64]:
        each = sizes.LANDMARK_GRAPH_SAMPLE_EACH
        size = max(sizes.LANDMARK_GRAPH_SAMPLE, each * self.n_landmarks)
        return sample_rows(n, size, np.random.RandomState(plan["object_seed"]))

    def fit_sample(self, sample: Columns, plan: Plan) -> LandmarkClusters:
        return cut_landmark_graph(
            sample,
            plan["n_clusters"],
            self.n_landmarks,
            self.n_neighbors,
            np.random.RandomState(plan["seed"]),
        )
