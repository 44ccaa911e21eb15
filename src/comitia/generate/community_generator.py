"""Communities of a graph, by detectors that depend on chance."""

from __future__ import annotations

from collections.abc import Callable
from numbers import Real
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.metaestimators import available_if

from comitia._sklearn import Interval
from comitia.cluster.communities import (
    check_graph,
    label_propagation,
    louvain,
    overlapping_label_propagation,
)
from comitia.ensemble import Ensemble
from comitia.exceptions import ComitiaError
from comitia.generate.generator import Generator, Plan, draw_seeds
from comitia.generate.member import Made

__all__ = ["CommunityGenerator"]

_DETECTORS = ("louvain", "label_propagation", "overlapping_label_propagation")


def _never(generator: Any) -> bool:
    raise AttributeError("the communities of a graph cannot label new objects.")


class CommunityGenerator(Generator):
    """Communities of a graph, found several times from different seeds.

    Parameters
    ----------
    n_clusterings : shared

    detector : str or list of str, default="louvain"
        "louvain", "label_propagation" or "overlapping_label_propagation", functions of
        :mod:`comitia.cluster`; members take turns if there are several.

    resolution : float, default=1.0
        For "louvain": larger for more communities.

    threshold : float, default=0.2
        For "overlapping_label_propagation": the least share of a vertex's memory that
        makes it a member of a community.

    n_jobs, checkpoint, verbose, random_state : shared

    Attributes
    ----------
    ensemble_ : Ensemble
        The clusterings, overlapping if any of them is; ``groups`` says who found them
        if there are several detectors.

    Examples
    --------
    >>> import numpy as np
    >>> from comitia.generate import CommunityGenerator
    >>> two_pairs = np.kron(np.eye(2), [[0, 1], [1, 0]])
    >>> CommunityGenerator(3, random_state=0).generate(two_pairs)
    Ensemble(kind='hard', n_objects=4, n_clusterings=3, n_clusters_total=6)
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **Generator._parameter_constraints,
        "detector": [str, list, tuple],
        "resolution": [Interval(Real, 0, None, closed="left")],
        "threshold": [Interval(Real, 0, 1, closed="both")],
    }

    def __init__(
        self,
        n_clusterings: int = 50,
        *,
        detector: Any = "louvain",
        resolution: float = 1.0,
        threshold: float = 0.2,
        n_jobs: int | None = None,
        checkpoint: Any = None,
        verbose: Any = False,
        random_state: Any = None,
    ) -> None:
        self.n_clusterings = n_clusterings
        self.detector = detector
        self.resolution = resolution
        self.threshold = threshold
        self.n_jobs = n_jobs
        self.checkpoint = checkpoint
        self.verbose = verbose
        self.random_state = random_state

    transform = available_if(_never)(Generator.transform)

    def check_data(self, X: Any, *, reset: bool = True) -> Any:
        return check_graph(X)

    def plan(self, X: Any, rng: np.random.RandomState) -> list[Plan]:
        one = isinstance(self.detector, str)
        detectors = [self.detector] if one else list(self.detector)
        if not detectors or not set(detectors) <= set(_DETECTORS):
            words = ", ".join(f'"{name}"' for name in _DETECTORS)
            raise ComitiaError(
                f"detector={self.detector!r} must be one or several of {words}."
            )
        plans = []
        for m, seed in enumerate(draw_seeds(self.n_clusterings, rng)):
            name = detectors[m % len(detectors)]
            group = name if len(detectors) > 1 else None
            plans.append({"detector": name, "seed": seed, "group": group})
        return plans

    def fit_member(self, X: Any, plan: Plan) -> Made:
        rng = np.random.RandomState(plan["seed"])
        if plan["detector"] == "overlapping_label_propagation":
            found = overlapping_label_propagation(X, rng, threshold=self.threshold)
            labels = np.empty(X.shape[0], dtype=np.int64)
            for c in reversed(range(len(found))):
                labels[found[c]] = c
            sizes = np.array([len(one) for one in found])
            state = {"vertices": np.concatenate(found), "sizes": sizes}
            return Made(labels, state=state)
        detect: Callable[..., NDArray[np.int64]] = label_propagation
        extra = {}
        if plan["detector"] == "louvain":
            detect, extra = louvain, {"resolution": self.resolution}
        return Made(detect(X, rng, **extra))

    def assemble(self, made: list[Made], names: dict[str, Any]) -> Ensemble:
        if not any("vertices" in one.state for one in made):
            return super().assemble(made, names)
        n = len(np.asarray(made[0].labels))
        return Ensemble.from_clusters([_clusters(one) for one in made], n, **names)


def _clusters(made: Made) -> list[Any]:
    if "vertices" in made.state:
        return np.split(made.state["vertices"], np.cumsum(made.state["sizes"])[:-1])
    labels = np.asarray(made.labels)
    order = np.argsort(labels, kind="stable")
    return np.split(order, np.cumsum(np.bincount(labels))[:-1])
