"""K-means with a fixed or a random number of clusters."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from comitia._sklearn import StrOptions
from comitia.generate.base import MANY_OBJECTS, Generator, Made
from comitia.generate.estimators import EstimatorGenerator
from comitia.generate.large import (
    Columns,
    ColumnsCentres,
    Frame,
    landmark_centres,
    minibatch_centres,
    nearest_of_columns,
)

__all__ = ["KMeansGenerator"]


class KMeansGenerator(EstimatorGenerator):
    r"""K-means clusterings with random starts and a random number of clusters.

    Parameters
    ----------
    n_clusterings : int, default=50
        Size of the ensemble, :math:`M`.

    n_clusters : int or (int, int), default=None
        Number of clusters of each clustering, or the range it is drawn from. ``None``
        draws from 2 to :math:`\sqrt{n}`, at most 50.

    init : {"k-means++", "random"}, default="k-means++"
        How the centres start.

    solver : {"auto", "lloyd", "landmark", "minibatch"}, default="auto"
        "lloyd" is scikit-learn's k-means. "landmark" is k-means on a subsample of
        some 20 000 objects, and "minibatch" follows the means of small batches of a
        larger one; all objects then go to the nearest centre, in single precision.
        They cost a hundredth, for an inertia that is a per cent higher. "auto" takes
        "lloyd" below 50 000 objects and "landmark" from there.

    objects : sampler, default=None
        Which objects a member sees, as for :class:`EstimatorGenerator`.

    features : sampler, default=None
        Which features a member sees, as for :class:`EstimatorGenerator`.

    extend : bool, default=False
        Whether objects that a member did not draw go to the nearest centre; they stay
        missing otherwise.

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
        The centres, which label new objects.

    Examples
    --------
    >>> from comitia.generate import KMeansGenerator
    >>> X = [[0.0], [0.1], [5.0], [5.1]]
    >>> KMeansGenerator(n_clusterings=3, n_clusters=2, random_state=0).generate(X)
    Ensemble(kind='hard', n_objects=4, n_clusterings=3, n_clusters=6)
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **Generator._parameter_constraints,
        **{
            name: EstimatorGenerator._parameter_constraints[name]
            for name in ("n_clusters", "objects", "features", "extend")
        },
        "init": [StrOptions({"k-means++", "random"})],
        "solver": [StrOptions({"auto", "lloyd", "landmark", "minibatch"})],
    }

    # What the parent class would ask for, and k-means does not need.
    estimator = None
    parameters = None

    def __init__(
        self,
        n_clusterings: int = 50,
        *,
        n_clusters: Any = None,
        init: str = "k-means++",
        solver: str = "auto",
        objects: Any = None,
        features: Any = None,
        extend: bool = False,
        n_jobs: int | None = None,
        checkpoint: Any = None,
        verbose: Any = False,
        random_state: Any = None,
    ) -> None:
        self.n_clusterings = n_clusterings
        self.n_clusters = n_clusters
        self.init = init
        self.solver = solver
        self.objects = objects
        self.features = features
        self.extend = extend
        self.n_jobs = n_jobs
        self.checkpoint = checkpoint
        self.verbose = verbose
        self.random_state = random_state

    def _estimators(self) -> list[Any]:
        from sklearn.cluster import KMeans

        return [KMeans(init=self.init, n_init=1)]

    def _prepare(self, X: NDArray[Any]) -> Any:
        if self.solver == "lloyd" or (self.solver == "auto" and len(X) < MANY_OBJECTS):
            return X
        return Columns.of(X)

    def _make(self, X: Any, plan: dict[str, Any]) -> Made:
        if not isinstance(X, Columns):
            return super()._make(X, plan)
        centres_of = (
            minibatch_centres if self.solver == "minibatch" else landmark_centres
        )
        rows, counts, features = self._draw(X, plan)
        columns = X.values if features is None else features.on_columns(X.values)
        seen = columns if counts is None else np.ascontiguousarray(columns[:, rows])
        centres = centres_of(
            seen,
            min(plan["n_clusters"], seen.shape[1]),
            np.random.RandomState(plan["seed"]),
            weights=None if counts is None else counts.astype(np.float64),
            init=self.init,
        )
        if counts is None or self.extend:
            labels = nearest_of_columns(columns, centres)[0]
        else:
            labels = np.full(len(X), -1, dtype=np.int32)
            labels[rows] = nearest_of_columns(seen, centres)[0]
        model = ColumnsCentres(centres, X.frame, features)
        shift, scale = X.frame.shift, np.asarray(X.frame.scale)
        state: dict[str, NDArray[Any]] = {"shift": shift, "scale": scale}
        return Made(labels, model=model, state=state | {"centres": centres})

    def _restore(self, plan: dict[str, Any], state: dict[str, NDArray[Any]]) -> Any:
        if "scale" not in state:
            return super()._restore(plan, state)
        frame = Frame(state["shift"], float(state["scale"]))
        return ColumnsCentres(state["centres"], frame, self._draw_features(plan))
