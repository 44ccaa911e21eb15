"""Spectral clusterings over kernel widths."""

from __future__ import annotations

import warnings
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from comitia._sklearn import StrOptions
from comitia.config import require_memory
from comitia.generate.base import Made
from comitia.generate.estimators import (
    EstimatorGenerator,
    NearestObject,
    median_distance,
)
from comitia.generate.kernels import check_range, gamma_of, log_uniform

__all__ = ["SpectralGenerator"]


class SpectralGenerator(EstimatorGenerator):
    r"""Spectral clusterings, each with a kernel width of its own.

    The width of a member is a multiple, drawn on a logarithmic scale, of the median
    distance of its objects; or it has a number of nearest neighbours.

    Parameters
    ----------
    n_clusterings : int, default=50
        Size of the ensemble, :math:`M`.

    n_clusters : int or (int, int), default=None
        Number of clusters of each clustering, or the range it is drawn from. ``None``
        draws from 2 to :math:`\sqrt{n}`, at most 50.

    affinity : {"rbf", "nearest_neighbors"}, default="rbf"
        Gaussian similarities, or links to the nearest neighbours.

    widths : (float, float), default=(0.1, 1.0)
        Range of the kernel width, as a multiple of the median distance.

    n_neighbors : (int, int), default=(5, 20)
        Range of the number of neighbours.

    objects : sampler, default=None
        Which objects a member sees, as for :class:`EstimatorGenerator`.

    features : sampler, default=None
        Which features a member sees, as for :class:`EstimatorGenerator`.

    extend : bool, default=False
        Whether objects that a member did not draw, and new ones, are labelled like
        their nearest neighbour.

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
        What labels new objects.

    Examples
    --------
    >>> from comitia.generate import SpectralGenerator
    >>> X = [[0.0], [0.1], [0.2], [5.0], [5.1], [5.2]]
    >>> SpectralGenerator(3, n_clusters=2, random_state=0).generate(X)
    Ensemble(kind='hard', n_objects=6, n_clusterings=3, n_clusters_total=6)
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **EstimatorGenerator._parameter_constraints,
        "affinity": [StrOptions({"rbf", "nearest_neighbors"})],
        "widths": [tuple, list],
        "n_neighbors": [tuple, list],
    }

    def __init__(
        self,
        n_clusterings: int = 50,
        *,
        n_clusters: Any = None,
        affinity: str = "rbf",
        widths: tuple[float, float] = (0.1, 1.0),
        n_neighbors: tuple[int, int] = (5, 20),
        objects: Any = None,
        features: Any = None,
        extend: bool = False,
        n_jobs: int | None = None,
        checkpoint: Any = None,
        verbose: Any = False,
        random_state: Any = None,
    ) -> None:
        super().__init__(
            None,
            n_clusterings,
            n_clusters=n_clusters,
            objects=objects,
            features=features,
            extend=extend,
            n_jobs=n_jobs,
            checkpoint=checkpoint,
            verbose=verbose,
            random_state=random_state,
        )
        self.affinity = affinity
        self.widths = widths
        self.n_neighbors = n_neighbors

    def _estimators(self) -> list[Any]:
        from sklearn.cluster import SpectralClustering

        return [SpectralClustering(affinity=self.affinity, n_init=3)]

    def _plan_more(self, rng: np.random.RandomState) -> dict[str, Any]:
        if self.affinity == "rbf":
            return {"width": log_uniform("widths", self.widths, rng)}
        fewest, most = check_range("n_neighbors", self.n_neighbors)
        return {"n_neighbors": int(rng.randint(int(fewest), int(most) + 1))}

    def _prepare(self, X: NDArray[Any]) -> NDArray[Any]:
        if self.affinity == "rbf" and self.objects is None:
            require_memory(
                8 * len(X) ** 2,
                f"the similarities of {len(X)} objects",
                'use objects=Subsample(…) with extend=True, or "nearest_neighbors"',
            )
        return X

    def _model(self, plan: dict[str, Any], seen: NDArray[Any]) -> Any:
        model = super()._model(plan, seen)
        if self.affinity != "rbf":
            return model.set_params(n_neighbors=min(plan["n_neighbors"], len(seen)))
        rng = np.random.RandomState(plan["seed"])
        return model.set_params(
            gamma=gamma_of("rbf", plan["width"] * median_distance(seen, rng))
        )

    def _make(self, X: NDArray[Any], plan: dict[str, Any]) -> Made:
        with warnings.catch_warnings():
            # Clusters far apart have no common neighbours: that is no trouble here.
            warnings.filterwarnings("ignore", message="Graph is not fully connected")
            return super()._make(X, plan)

    def _extension(
        self, seen: NDArray[Any], labels: NDArray[Any], counts: Any
    ) -> NearestObject:
        return NearestObject(seen, labels)
