"""Spectral clusterings for very many objects, by landmarks."""

from __future__ import annotations

from math import isqrt
from numbers import Integral
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from comitia._sklearn import Interval
from comitia.generate._landmarks import LandmarkClusters, cut_landmark_graph
from comitia.generate.base import Generator, Made, draw_seeds
from comitia.generate.columns import Columns
from comitia.generate.estimators import n_clusters_range
from comitia.generate.large import made_of_sample, sample_rows

__all__ = ["LandmarkSpectralGenerator"]

# The graph is made of so many objects, and of so many for each landmark.
_SAMPLE = 100_000
_SAMPLE_EACH = 50

# The range of the paper for the number of clusters of a member.
_FEWEST, _MOST = 20, 60


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

    n_jobs : int, default=None
        Number of parallel jobs.

    checkpoint : path-like, default=None
        A folder for finished members. A run that was killed goes on from there.

    verbose : bool, default=False
        Whether to draw a progress bar.

    random_state : int, RandomState instance or None, default=None
        Seed.

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
        **Generator._parameter_constraints,
        "n_clusters": [Integral, tuple, list, None],
        "n_landmarks": [Interval(Integral, 1, None, closed="left")],
        "n_neighbors": [Interval(Integral, 1, None, closed="left")],
    }

    def __init__(
        self,
        n_clusterings: int = 20,
        *,
        n_clusters: Any = None,
        n_landmarks: int = 1000,
        n_neighbors: int = 5,
        n_jobs: int | None = None,
        checkpoint: Any = None,
        verbose: Any = False,
        random_state: Any = None,
    ) -> None:
        self.n_clusterings = n_clusterings
        self.n_clusters = n_clusters
        self.n_landmarks = n_landmarks
        self.n_neighbors = n_neighbors
        self.n_jobs = n_jobs
        self.checkpoint = checkpoint
        self.verbose = verbose
        self.random_state = random_state

    def _plan(self, X: Any, rng: np.random.RandomState) -> list[dict[str, Any]]:
        few, most = self._range(len(X))
        M = self.n_clusterings
        sizes = rng.randint(few, most + 1, size=M)
        seeds, object_seeds = draw_seeds(M, rng), draw_seeds(M, rng)
        return [
            {
                "n_clusters": int(sizes[m]),
                "seed": seeds[m],
                "object_seed": object_seeds[m],
            }
            for m in range(M)
        ]

    def _range(self, n: int) -> tuple[int, int]:
        if self.n_clusters is not None:
            return n_clusters_range(self.n_clusters, n)
        most = min(n, max(2, min(_MOST, isqrt(n))))
        return min(most, max(2, most * _FEWEST // _MOST)), most

    def _prepare(self, X: NDArray[Any]) -> Columns:
        return Columns.of(X)

    def _make(self, X: Columns, plan: dict[str, Any]) -> Made:
        return made_of_sample(self, X, plan)

    def _restore(self, plan: dict[str, Any], state: dict[str, NDArray[Any]]) -> Any:
        return LandmarkClusters.restored(state, self.n_features_in_)

    # -- what blocks are made with ----------------------------------------------

    def _sample_rows(self, n: int, plan: dict[str, Any]) -> NDArray[np.int64]:
        size = max(_SAMPLE, _SAMPLE_EACH * self.n_landmarks)
        return sample_rows(n, size, np.random.RandomState(plan["object_seed"]))

    def _fit_sample(self, sample: Columns, plan: dict[str, Any]) -> LandmarkClusters:
        return cut_landmark_graph(
            sample,
            plan["n_clusters"],
            self.n_landmarks,
            self.n_neighbors,
            np.random.RandomState(plan["seed"]),
        )
