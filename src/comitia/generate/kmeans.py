"""K-means with a fixed or a random number of clusters."""

from __future__ import annotations

import warnings
from dataclasses import KW_ONLY, dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from comitia import sizes
from comitia._sklearn import StrOptions
from comitia.generate._checkpoint import check_state
from comitia.generate._kmeans_on_samples import (
    ColumnsCenters,
    landmark_centers,
    landmark_count,
    minibatch_centers,
    minibatch_count,
    sample_rows,
)
from comitia.generate.columns import Columns, Frame
from comitia.generate.estimators import EstimatorGenerator
from comitia.generate.generator import Generator, Plan
from comitia.generate.member import Made

__all__ = ["KMeansGenerator"]


@dataclass(eq=False, repr=False)
class KMeansGenerator(EstimatorGenerator):
    r"""K-means clusterings with random starts and a random number of clusters.

    Parameters
    ----------
    n_clusterings, n_clusters : shared

    init : {"k-means++", "random"}, default="k-means++"
        How the centres start.

    solver : {"auto", "lloyd", "landmark", "minibatch"}, default="auto"
        "lloyd" is scikit-learn's k-means. "landmark" is k-means on a subsample of
        some 20 000 objects, and "minibatch" follows the means of small batches of a
        larger one; all objects then go to the nearest centre, in single precision.
        They cost a hundredth, for an inertia that is a per cent higher. "auto" takes
        "lloyd" below 50 000 objects and "landmark" from there.

    objects, features, extend : shared

    n_jobs, checkpoint, verbose, random_state : shared

    Attributes
    ----------
    ensemble_ : Ensemble
        The clusterings.

    members_ : list
        The centres, which label new objects.

    Notes
    -----
    Values go to scikit-learn's k-means moved by up to 1e-9 of their range, by amounts
    that hang on the values alone. Of whole numbers many are halfway between two
    centres, and the rounding of the processor would decide where they go: of 800
    clusterings of such data, 481 differed between a processor with and one without
    fused multiplication. Now none does.

    Examples
    --------
    >>> from comitia.generate import KMeansGenerator
    >>> X = [[0.0], [0.1], [5.0], [5.1]]
    >>> KMeansGenerator(n_clusterings=3, n_clusters=2, random_state=0).generate(X)
    Ensemble(kind='hard', n_objects=4, n_clusterings=3, n_clusters_total=6)
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "init": [StrOptions({"k-means++", "random"})],
        "solver": [StrOptions({"auto", "lloyd", "landmark", "minibatch"})],
    }

    takes_tensors = True

    n_clusterings: int | str = 50
    _: KW_ONLY
    n_clusters: Any = None
    init: str = "k-means++"
    solver: str = "auto"
    objects: Any = None
    features: Any = None
    extend: bool = False
    n_jobs: int | None = None
    checkpoint: Any = None
    verbose: Any = False
    random_state: Any = None

    def estimators(self) -> list[Any]:
        from sklearn.cluster import KMeans

        return [KMeans(init=self.init, n_init=1)]

    def shift_of(self, X: Any) -> None:
        return None  # scikit-learn and the columns subtract the mean themselves

    def prepare(self, X: NDArray[Any]) -> Any:
        return X if self._is_lloyd(len(X)) else Columns.of(X)

    def fit_member(self, X: Any, plan: Plan) -> Made:
        if not isinstance(X, Columns):
            with warnings.catch_warnings():
                # A member may have fewer clusters, where objects are equal.
                warnings.filterwarnings("ignore", "Number of distinct clusters")
                return super().fit_member(X, plan)
        if self.objects is None:
            return Generator.fit_member(self, X, plan)
        rows, counts, _ = self.draw(len(X), plan)
        sample = X.take(rows)
        model = self._centers(sample, plan, counts)
        if self.extend:
            labels = model.label_columns(X.values)
        else:
            labels = np.full(len(X), -1, dtype=np.int32)
            labels[rows] = model.label_columns(sample.values)
        return Made(labels, model=model)

    def restore(self, plan: Plan, state: dict[str, NDArray[Any]]) -> Any:
        if "scale" not in state:
            return super().restore(plan, state)
        features = self.draw_features(plan)
        shapes = {"centers": "k seen", "shift": "p", "scale": ""}
        seen, p = self._n_seen(features), self.n_features_in_
        check_state(state, shapes, seen=seen, p=p)
        frame = Frame(state["shift"], float(state["scale"]))
        return ColumnsCenters(state["centers"], frame, features)

    def needs_memory(self, n: int | None = None) -> str:
        if self.objects is not None:
            return (
                f"objects={self.objects!r} needs all objects in memory; leave it out."
            )
        if self._is_lloyd(n):
            return (
                'solver="lloyd" needs all objects in memory; use "landmark" or '
                '"minibatch".'
            )
        return ""

    def _is_lloyd(self, n: int | None) -> bool:
        few = n is not None and n < sizes.SAMPLED_KMEANS_OBJECTS
        return self.solver == "lloyd" or (self.solver == "auto" and few)

    def sample_rows(self, n: int, plan: Plan) -> NDArray[np.int64]:
        count = minibatch_count if self.solver == "minibatch" else landmark_count
        rng = np.random.RandomState(plan["object_seed"])
        return sample_rows(n, count(plan["n_clusters"]), rng)

    def fit_sample(self, sample: Columns, plan: Plan) -> ColumnsCenters:
        model = self._centers(sample, plan)
        used = np.unique(model.label_columns(sample.values))
        return ColumnsCenters(model.values[used], model.frame, model.features)

    def _centers(
        self, sample: Columns, plan: Plan, counts: Any = None
    ) -> ColumnsCenters:
        centers_of = (
            minibatch_centers if self.solver == "minibatch" else landmark_centers
        )
        features = self.draw_features(plan)
        columns = sample.values
        centers = centers_of(
            columns if features is None else features.on_columns(columns),
            min(plan["n_clusters"], len(sample)),
            np.random.RandomState(plan["seed"]),
            weights=None if counts is None else counts.astype(np.float64),
            init=self.init,
        )
        return ColumnsCenters(centers, sample.frame, features)
