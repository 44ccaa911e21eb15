"""Any scikit-learn clusterer, or several, on samples of objects and features."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence, Sized
from math import isqrt
from numbers import Integral
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import has_fit_parameter

from comitia import sizes
from comitia._scales import far_shift, untied, untied_weights
from comitia._sklearn import HasMethods
from comitia.config import require_memory
from comitia.exceptions import ComitiaError
from comitia.generate._checkpoint import check_state
from comitia.generate.generator import Generator, Plan, draw_seeds
from comitia.generate.member import Made
from comitia.generate.nearest_models import NearestCenter
from comitia.generate.sampling import (
    FeatureMap,
    FeatureSubset,
    LittleBootstraps,
    RandomProjection,
)

__all__ = [
    "EstimatorGenerator",
    "distance_bytes",
    "median_distance",
    "n_clusters_range",
]

# More clusters than this in a base clustering are rarely wanted and always dear.
_MOST_CLUSTERS = 50

# Clusterers of which it is known that, with these settings, they compare objects by
# their differences alone: where zero is does not matter to them.
_COMPARE_OBJECTS = ("sklearn.cluster", "sklearn.mixture", "comitia.cluster")
_DIFFERENCES = frozenset(
    {
        *("euclidean", "l2", "sqeuclidean", "manhattan", "l1", "cityblock"),
        *("chebyshev", "minkowski", "rbf", "laplacian", "nearest_neighbors"),
        # Not these two, but far from zero they see nothing else.
        *("poly", "sigmoid"),
    }
)


def _label_new(generator: EstimatorGenerator) -> bool:
    models = generator.estimators()
    if not generator.extend and not all(hasattr(one, "predict") for one in models):
        raise AttributeError(
            "a clusterer without predict labels no new objects; set extend=True."
        )
    return True


class EstimatorGenerator(Generator):
    r"""Clusterings by one or several clusterers, each on its own sample.

    The members take turns with the clusterers; each draws its parameters, its objects
    and its features. A kind of clusterings of one's own says which clusterers it has
    (:meth:`estimators`) and what else a plan does to one of them (:meth:`plan_more`,
    :meth:`tune`).

    Parameters
    ----------
    estimator : clusterer or list of clusterers, default=None
        Any scikit-learn clusterer or mixture; k-means by default. Members carry the
        name of their clusterer in ``ensemble.groups`` when there are several.

    n_clusterings : shared

    n_clusters : int or (int, int), default=None
        Number of clusters of each clustering, or the range it is drawn from. ``None``
        draws from 2 to :math:`\sqrt{n}`, at most 50. Ignored by clusterers without a
        parameter ``n_clusters`` or ``n_components``.

    parameters : dict, or list of dicts, default=None
        For each parameter the values to draw from; one dict per clusterer.

    objects : sampler, default=None
        :class:`Subsample`, :class:`Bootstrap`, :class:`WeightedSample`,
        :class:`HybridSample` or :class:`LittleBootstraps`; all objects by default.

    features : sampler, default=None
        :class:`FeatureSubset` or :class:`RandomProjection`; all features by default.

    extend : bool, default=False
        Whether objects that a member did not draw are labelled too, by the clusterer
        itself or, if it has no ``predict``, by the nearest cluster mean; they stay
        missing otherwise.

    n_jobs, checkpoint, verbose, random_state : shared

    Attributes
    ----------
    ensemble_, members_ : shared

    Examples
    --------
    >>> from sklearn.cluster import AgglomerativeClustering, KMeans
    >>> from comitia.generate import EstimatorGenerator
    >>> X = [[0.0], [0.1], [5.0], [5.1]]
    >>> two = [KMeans(n_init=1), AgglomerativeClustering()]
    >>> ensemble = EstimatorGenerator(
    ...     two, n_clusterings=4, n_clusters=2, random_state=0
    ... ).generate(X)
    >>> ensemble.groups.tolist()
    ['KMeans', 'AgglomerativeClustering', 'KMeans', 'AgglomerativeClustering']
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "estimator": [HasMethods(["fit"]), list, tuple, None],
        "parameters": [dict, list, None],
        "objects": [HasMethods(["draw"]), None],
        "features": [HasMethods(["draw"]), None],
        "extend": ["boolean"],
    }

    # Kinds of clusterings that bring their own clusterers have neither parameter.
    estimator: Any = None
    parameters: Any = None

    def __init__(
        self,
        estimator: Any = None,
        n_clusterings: int | str = 50,
        *,
        n_clusters: Any = None,
        parameters: Any = None,
        objects: Any = None,
        features: Any = None,
        extend: bool = False,
        n_jobs: int | None = None,
        checkpoint: Any = None,
        verbose: Any = False,
        random_state: Any = None,
    ) -> None:
        self.estimator = estimator
        self.n_clusterings = n_clusterings
        self.n_clusters = n_clusters
        self.parameters = parameters
        self.objects = objects
        self.features = features
        self.extend = extend
        self.n_jobs = n_jobs
        self.checkpoint = checkpoint
        self.verbose = verbose
        self.random_state = random_state

    transform = available_if(_label_new)(Generator.transform)

    # -- what a kind of clusterings writes --------------------------------------

    def estimators(self) -> list[Any]:
        """List the clusterers; members take turns with them.

        Returns
        -------
        estimators : list of clusterers
            They are cloned before they are fitted.
        """
        if self.estimator is None:
            from sklearn.cluster import KMeans

            return [KMeans(n_init=1)]
        if isinstance(self.estimator, Sequence):
            if not self.estimator:
                raise ComitiaError("estimator is an empty list; give one clusterer.")
            return list(self.estimator)
        return [self.estimator]

    def group_of(self, model: Any) -> str:
        """Say how the clusterings of a clusterer are called in ``ensemble.groups``.

        Parameters
        ----------
        model : clusterer
            One of :meth:`estimators`.

        Returns
        -------
        group : str
            The name of its class.
        """
        return type(model).__name__

    def plan_more(self, rng: np.random.RandomState) -> Plan:
        """Draw what a member needs besides.

        Parameters
        ----------
        rng : RandomState
            Source of randomness.

        Returns
        -------
        more : dict
            Entries of its plan.
        """
        return {}

    def tune(self, model: Any, plan: Plan, seen: NDArray[Any]) -> Any:
        """Set what hangs on the data that a member sees.

        Parameters
        ----------
        model : clusterer
            With its number of clusters and its seed.

        plan : dict
            What the member is to do.

        seen : ndarray of shape (n_seen, n_features_seen)
            The data it is fitted on next.

        Returns
        -------
        model : clusterer
            The same.
        """
        return model

    def extension(self, seen: NDArray[Any], labels: NDArray[Any], counts: Any) -> Any:
        """Make what labels new objects after a clusterer that cannot.

        Parameters
        ----------
        seen : ndarray of shape (n_seen, n_features_seen)
            The data the clusterer was fitted on.

        labels : ndarray of shape (n_seen,)
            Their labels, 0..k-1.

        counts : ndarray of shape (n_seen,) or None
            How often each object was drawn.

        Returns
        -------
        model : object
            Has ``predict``.
        """
        return NearestCenter.of_labels(seen, labels, counts)

    # -- how plans are made and carried out -------------------------------------

    def shift_of(self, X: NDArray[Any]) -> NDArray[np.float64] | None:
        models = self.estimators()
        # Another map of the features may have been made of these very data.
        linear = isinstance(self.features, FeatureSubset | RandomProjection | None)
        if not linear or not all(
            map(_may_be_shifted, models, self._grids(len(models)))
        ):
            return None
        return far_shift(X)

    def plan(self, X: Sized, rng: np.random.RandomState) -> list[Plan]:
        models = self.estimators()
        grids = self._grids(len(models))
        few, most = n_clusters_range(self.n_clusters, len(X))
        M = self.n_clusterings
        k = rng.randint(few, most + 1, size=M)
        seeds, object_seeds, feature_seeds = (draw_seeds(M, rng) for _ in range(3))
        plans = []
        for m in range(M):
            which = m % len(models)
            plan = {
                "which": which,
                "n_clusters": int(k[m]),
                "seed": seeds[m],
                "choices": {
                    name: int(rng.randint(len(values)))
                    for name, values in sorted(grids[which].items())
                },
                "object_seed": object_seeds[m],
                "feature_seed": feature_seeds[m],
                **self.plan_more(rng),
            }
            if isinstance(self.objects, LittleBootstraps):
                first = m - m % self.objects.n_resamples
                plan["subset_seed"] = object_seeds[first]
            if len(models) > 1:
                plan["group"] = self.group_of(models[which])
            plans.append(plan)
        return plans

    def fit_member(self, X: NDArray[Any], plan: Plan) -> Made:
        from sklearn.cluster import KMeans, MiniBatchKMeans

        rows, counts, features = self.draw(len(X), plan)
        seen = (X if features is None else features(X))[rows]
        model = self._model(plan, seen)
        _require_distances(model, len(seen))
        if isinstance(model, KMeans | MiniBatchKMeans):
            seen = untied(seen)
        weights = None if counts is None else counts.astype(np.float64)
        if isinstance(model, KMeans):
            weights = untied_weights(seen) * (1.0 if weights is None else weights)
        if weights is not None and has_fit_parameter(model, "sample_weight"):
            model.fit(seen, sample_weight=weights)
        else:
            model.fit(seen)
        found = _labels_of(model, seen)
        labels = np.full(len(X), -1, dtype=np.int64)
        labels[rows] = found
        if isinstance(model, KMeans | MiniBatchKMeans):
            # All that is left of them is their centres, which a checkpoint can hold.
            model = NearestCenter(model.cluster_centers_, features)
        elif self.extend and not hasattr(model, "predict"):
            # Renumbered without gaps, so that every label has a mean.
            _, found = np.unique(found, return_inverse=True)
            labels[rows] = found
            model = self.extension(seen, found, counts)
            model.features = features
        elif features is not None and hasattr(model, "predict"):
            model = _OnFeatures(model, features)
        if self.extend and counts is not None:
            left = np.setdiff1d(np.arange(len(X)), rows, assume_unique=True)
            if len(left):
                labels[left] = model.predict(X[left])
        state = {"centers": model.centers} if isinstance(model, NearestCenter) else {}
        return Made(labels, model=model, state=state)

    def restore(self, plan: Plan, state: dict[str, NDArray[Any]]) -> Any:
        if "centers" not in state:
            return None
        features = self.draw_features(plan)
        check_state(state, {"centers": "k p"}, p=self._n_seen(features))
        return NearestCenter(state["centers"], features)

    def _n_seen(self, features: Any) -> int:
        """How many features a member sees."""
        p = int(self.n_features_in_)
        return p if features is None else int(features(np.zeros((1, p))).shape[1])

    def draw(
        self, n: int, plan: Plan
    ) -> tuple[Any, NDArray[np.int64] | None, FeatureMap | None]:
        """Draw what the member of a plan sees.

        Parameters
        ----------
        n : int
            Number of objects.

        plan : dict
            What the member is to do.

        Returns
        -------
        rows : ndarray of int, or slice
            The distinct objects, in order.

        counts : ndarray of int or None
            How often each was drawn; None if all objects are seen.

        features : FeatureMap or None
            What makes its features; None if all features are seen.
        """
        features = self.draw_features(plan)
        if self.objects is None:
            return slice(None), None, features
        rng = np.random.RandomState(plan["object_seed"])
        if "subset_seed" in plan:
            subset_rng = np.random.RandomState(plan["subset_seed"])
            sample = self.objects.draw(n, rng, subset_rng)
        else:
            sample = self.objects.draw(n, rng)
        return sample.rows, sample.counts, features

    def draw_features(self, plan: Plan) -> FeatureMap | None:
        """Draw the features that the member of a plan sees.

        Parameters
        ----------
        plan : dict
            What the member is to do.

        Returns
        -------
        features : FeatureMap or None
            What makes its features; None if all features are seen.
        """
        if self.features is None:
            return None
        rng = np.random.RandomState(plan["feature_seed"])
        return self.features.draw(self.n_features_in_, rng)

    def _model(self, plan: Plan, seen: NDArray[Any]) -> Any:
        models = self.estimators()
        model = clone(models[plan["which"]])
        grid = self._grids(len(models))[plan["which"]]
        values = {name: grid[name][choice] for name, choice in plan["choices"].items()}
        available = model.get_params()
        # Those of comitia.cluster take one object, and are asked for more than labels.
        ours = type(model).__module__.startswith("comitia.cluster")
        counted = {"n_clusters", "n_components"}
        if len(seen) == 1 and not ours and available.keys() & counted:
            from sklearn.cluster import KMeans

            # One object is one cluster, which most others refuse to find.
            return KMeans(1, n_init=1, random_state=plan["seed"])
        for name in ("n_clusters", "n_components"):
            # "n_clusters" of a clusterer that also takes a distance threshold is None.
            if (
                name in available
                and name not in values
                and not (
                    name == "n_clusters"
                    and available.get("distance_threshold") is not None
                )
            ):
                values[name] = min(plan["n_clusters"], len(seen))
                break
        if "random_state" in available:
            values["random_state"] = plan["seed"]
        return self.tune(model.set_params(**values), plan, seen)

    def _grids(self, n_models: int) -> list[dict[str, list[Any]]]:
        given = self.parameters
        if given is None:
            return [{} for _ in range(n_models)]
        grids = [given] if isinstance(given, Mapping) else list(given)
        if len(grids) != n_models:
            raise ComitiaError(
                f"parameters has {len(grids)} dict(s) for {n_models} clusterer(s); "
                "give one for each."
            )
        return [
            {name: _as_list(name, values) for name, values in grid.items()}
            for grid in grids
        ]


def n_clusters_range(n_clusters: Any, n: int) -> tuple[int, int]:
    """The range that the number of clusters is drawn from.

    Parameters
    ----------
    n_clusters : int, (int, int), (int, None) or None
        One number, a range, or None for 2 to the square root of n, at most 50. A range
        without an end, ``(k, None)``, is for a consensus of k clusters: it ends at the
        larger of 2 k and that root.

    n : int
        Number of objects.

    Returns
    -------
    fewest, most : int, int
        The range, both ends included.
    """
    # Of two or three objects the root is one, and one cluster tells nothing.
    usual = min(n, max(2, min(isqrt(n), _MOST_CLUSTERS)))
    if n_clusters is None:
        return min(2, usual), usual
    if isinstance(n_clusters, Integral):
        fewest = most = int(n_clusters)
    else:
        try:
            fewest, most = n_clusters
            fewest = int(fewest)
            # More than there are objects are refused below, in words that say so.
            end = max(usual, fewest, min(2 * fewest, n)) if fewest > 0 else 0
            most = end if most is None else int(most)
        except (TypeError, ValueError):
            fewest = most = 0
    if not 1 <= fewest <= most:
        raise ComitiaError(
            f"n_clusters={n_clusters!r} must be one number or a pair (fewest, most) "
            "with 1 <= fewest <= most, or (fewest, None)."
        )
    if most > n:
        raise ComitiaError(
            f"n_clusters={n_clusters!r} asks for more clusters than there are objects; "
            f"give at most {n}, got n_samples={n}."
        )
    return fewest, most


def _sized_plans(
    n_clusterings: int,
    fewest: int,
    most: int,
    rng: np.random.RandomState,
    seeds: Sequence[str] = ("seed",),
) -> list[Plan]:
    """Plans with a number of clusters from a range, and with seeds of these names."""
    k = rng.randint(fewest, most + 1, size=n_clusterings).tolist()
    drawn = [draw_seeds(n_clusterings, rng) for _ in seeds]
    return [
        dict(zip(("n_clusters", *seeds), one, strict=True))
        for one in zip(k, *drawn, strict=True)
    ]


def median_distance(
    X: NDArray[Any], rng: np.random.RandomState, metric: Any = "euclidean"
) -> float:
    """Median distance of the objects, by a few hundred of them.

    Parameters
    ----------
    X : ndarray of shape (n, p)
        The objects.

    rng : RandomState
        Source of randomness.

    metric : str, default="euclidean"
        A metric of ``scipy.spatial.distance.pdist``.

    Returns
    -------
    distance : float
        The median of the distances that are not zero; one if all are.
    """
    from scipy.spatial.distance import pdist

    if len(X) > sizes.MEDIAN_DISTANCE_SAMPLE:
        size = sizes.MEDIAN_DISTANCE_SAMPLE
        X = X[np.sort(rng.choice(len(X), size=size, replace=False))]
    distances = pdist(X, metric)
    apart = distances[distances > 0]
    return float(np.median(apart)) if len(apart) else 1.0


class _OnFeatures:
    """A model that sees some features only."""

    def __init__(self, model: Any, features: Any) -> None:
        self.model = model
        self.features = features

    def predict(self, X: NDArray[Any]) -> NDArray[Any]:
        return self.model.predict(self.features(X))


def _may_be_shifted(model: Any, grid: Mapping[str, list[Any]]) -> bool:
    """Whether a clusterer finds the same clusters wherever the data lie.

    That of others, and first centres that were given, stand where the data stand.
    """
    if not type(model).__module__.startswith(_COMPARE_OBJECTS):
        return False
    settings = {name: [value] for name, value in model.get_params(deep=False).items()}
    settings |= grid
    return all(
        value is None or (isinstance(value, str) and value in _DIFFERENCES)
        for name in ("metric", "affinity", "kernel")
        for value in settings.get(name, [])
    ) and all(
        value is None or isinstance(value, str)
        for name in ("init", "means_init")
        for value in settings.get(name, [])
    )


def distance_bytes(model: Any, n: int) -> int:
    """What the scikit-learn clusterers that compare all objects allocate at the peak.

    Parameters
    ----------
    model : clusterer
        Any; those that do not compare all objects allocate nothing of that order.

    n : int
        Number of objects.

    Returns
    -------
    n_bytes : int
        For each pair as many as were measured with scikit-learn 1.9.
    """
    from sklearn.cluster import (
        AffinityPropagation,
        AgglomerativeClustering,
        SpectralClustering,
    )

    if isinstance(model, AffinityPropagation):
        # Similarities, responsibilities, availabilities, and those of the next round.
        return 48 * n**2
    if isinstance(model, SpectralClustering):
        # Similarities, their Laplacian, and its shifted copy that is factorised.
        return 0 if "neighbors" in str(model.affinity) else 32 * n**2
    if (
        isinstance(model, AgglomerativeClustering)
        and model.connectivity is None
        and model.linkage != "single"
    ):
        return 8 * n**2  # half a matrix in double precision, and a copy of it
    return 0


def _require_distances(model: Any, n: int) -> None:
    require_memory(
        distance_bytes(model, n),
        f"{type(model).__name__} of {n} objects",
        "draw fewer objects with objects=Subsample(…)",
    )


def _labels_of(model: Any, X: NDArray[Any]) -> NDArray[Any]:
    return model.labels_ if hasattr(model, "labels_") else model.predict(X)


def _as_list(name: str, values: Any) -> list[Any]:
    if isinstance(values, str) or not isinstance(values, Iterable):
        raise ComitiaError(
            f"parameters[{name!r}]={values!r} must be a list of values to draw from."
        )
    values = list(values)
    if not values:
        raise ComitiaError(f"parameters[{name!r}] is empty; give values to draw from.")
    return values
