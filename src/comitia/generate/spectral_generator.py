"""Spectral clusterings over kernel widths."""

from __future__ import annotations

import warnings
from dataclasses import KW_ONLY, dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from comitia._sklearn import StrOptions
from comitia.config import require_memory
from comitia.generate.estimators import EstimatorGenerator, median_distance
from comitia.generate.generator import Plan
from comitia.generate.kernels import _check_range, _log_uniform, gamma_of
from comitia.generate.member import Made
from comitia.generate.nearest_models import NearestObject

__all__ = ["SpectralGenerator"]


@dataclass(eq=False, repr=False)
class SpectralGenerator(EstimatorGenerator):
    r"""Spectral clusterings, each with a kernel width of its own.

    The width of a member is a multiple, drawn on a logarithmic scale, of the median
    distance of its objects; or it has a number of nearest neighbours.

    Parameters
    ----------
    n_clusterings, n_clusters : shared

    affinity : {"rbf", "nearest_neighbors"}, default="rbf"
        Gaussian similarities, or links to the nearest neighbours.

    widths : (float, float), default=(0.1, 1.0)
        Range of the kernel width, as a multiple of the median distance.

    n_neighbors : (int, int), default=(5, 20)
        Range of the number of neighbours.

    objects, features : shared

    extend : bool, default=False
        Whether objects that a member did not draw, and new ones, are labelled like
        their nearest neighbour.

    n_jobs, checkpoint, verbose, random_state : shared

    Attributes
    ----------
    ensemble_, members_ : shared

    Examples
    --------
    >>> from comitia.generate import SpectralGenerator
    >>> X = [[0.0], [0.1], [0.2], [5.0], [5.1], [5.2]]
    >>> SpectralGenerator(3, n_clusters=2, random_state=0).generate(X)
    Ensemble(kind='hard', n_objects=6, n_clusterings=3, n_clusters_total=6)
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "affinity": [StrOptions({"rbf", "nearest_neighbors"})],
        "widths": [tuple, list],
        "n_neighbors": [tuple, list],
    }

    n_clusterings: int | str = 50
    _: KW_ONLY
    n_clusters: Any = None
    affinity: str = "rbf"
    widths: tuple[float, float] = (0.1, 1.0)
    n_neighbors: tuple[int, int] = (5, 20)
    objects: Any = None
    features: Any = None
    extend: bool = False
    n_jobs: int | None = None
    checkpoint: Any = None
    verbose: Any = False
    random_state: Any = None

    def estimators(self) -> list[Any]:
        from sklearn.cluster import SpectralClustering

        return [SpectralClustering(affinity=self.affinity, n_init=3)]

    def plan_more(self, rng: np.random.RandomState) -> Plan:
        if self.affinity == "rbf":
            return {"width": _log_uniform("widths", self.widths, rng)}
        fewest, most = _check_range("n_neighbors", self.n_neighbors)
        return {"n_neighbors": int(rng.randint(int(fewest), int(most) + 1))}

    def prepare(self, X: NDArray[Any]) -> NDArray[Any]:
        if self.affinity == "rbf" and self.objects is None:
            require_memory(
                8 * len(X) ** 2,
                f"the similarities of {len(X)} objects",
                'use objects=Subsample(…) with extend=True, or "nearest_neighbors"',
            )
        return X

    def tune(self, model: Any, plan: Plan, seen: NDArray[Any]) -> Any:
        if self.affinity != "rbf":
            return model.set_params(n_neighbors=min(plan["n_neighbors"], len(seen)))
        rng = np.random.RandomState(plan["seed"])
        return model.set_params(
            gamma=gamma_of("rbf", plan["width"] * median_distance(seen, rng))
        )

    def fit_member(self, X: NDArray[Any], plan: Plan) -> Made:
        with warnings.catch_warnings():
            # Clusters far apart have no common neighbours: that is no trouble here.
            warnings.filterwarnings("ignore", message="Graph is not fully connected")
            return super().fit_member(X, plan)

    def extension(
        self, seen: NDArray[Any], labels: NDArray[Any], counts: Any
    ) -> NearestObject:
        return NearestObject(seen, labels)
