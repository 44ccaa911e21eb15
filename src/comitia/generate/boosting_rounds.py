"""What a round of boosting draws, and how it clusters that."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from comitia._scales import untied
from comitia.generate.member import Made
from comitia.generate.nearest_models import NearestCenter
from comitia.generate.sampling import (
    FeatureMap,
    FeatureSubset,
    HybridSample,
    Sample,
    WeightedSample,
)

__all__ = [
    "draw_features",
    "draw_heaviest",
    "draw_hybrid",
    "draw_objects",
    "fuzzy_round",
    "kmeans_round",
    "mixture_round",
]

Array = NDArray[np.float64]


def draw_objects(
    weights: ArrayLike,
    rng: np.random.RandomState,
    *,
    object_fraction: float = 1.0,
    replace: bool = True,
) -> Sample:
    """Draw objects in proportion to their weights.

    Parameters
    ----------
    weights : array-like of shape (n_objects,)
        The weights.

    rng : RandomState
        Source of randomness.

    object_fraction : float, default=1.0
        Number of draws, as a share of the number of objects.

    replace : bool, default=True
        Whether an object can be drawn twice.

    Returns
    -------
    sample : Sample
        The objects and how often each was drawn.
    """
    return WeightedSample(weights, object_fraction, replace).draw(np.size(weights), rng)


def draw_hybrid(
    weights: ArrayLike, rng: np.random.RandomState, *, object_fraction: float = 1.0
) -> Sample:
    """Draw objects in proportion to their weights, among a bootstrap of them.

    Parameters
    ----------
    weights : array-like of shape (n_objects,)
        The weights.

    rng : RandomState
        Source of randomness.

    object_fraction : float, default=1.0
        Number of draws in the second step, as a share of the number of objects.

    Returns
    -------
    sample : Sample
        The objects and how often each was drawn.
    """
    return HybridSample(weights, object_fraction).draw(np.size(weights), rng)


def draw_features(
    weights: ArrayLike,
    rng: np.random.RandomState,
    *,
    feature_fraction: float | str = "sqrt",
) -> FeatureMap:
    """Draw features in proportion to their weights, none of them twice.

    Parameters
    ----------
    weights : array-like of shape (n_features,)
        The weights.

    rng : RandomState
        Source of randomness.

    feature_fraction : float or "sqrt", default="sqrt"
        The share of the features that is drawn, or the square root of their number.

    Returns
    -------
    features : FeatureMap
        Keeps the features that were drawn.
    """
    return FeatureSubset(feature_fraction, weights).draw(np.size(weights), rng)


def draw_heaviest(
    weights: ArrayLike, rng: np.random.RandomState | None = None, *, at_least: int = 1
) -> Sample:
    r"""Take the objects of largest weight, as many as the weights are spread over.

    .. math::
        \mathrm{round}\Bigl( \exp\Bigl( -\sum_i w_i \ln w_i \Bigr) \Bigr)

    objects, the perplexity of the weights: all of them if the weights are equal.

    Parameters
    ----------
    weights : array-like of shape (n_objects,)
        The weights :math:`w`; they need not sum to one.

    rng : RandomState, default=None
        Not used: nothing is drawn.

    at_least : int, default=1
        Fewest objects to take, if there are so many.

    Returns
    -------
    sample : Sample
        The objects, once each; of equal weights at the cut the lowest index.

    Examples
    --------
    >>> draw_heaviest([0.5, 0.3, 0.1, 0.05, 0.03, 0.02]).rows
    array([0, 1, 2, 3])
    """
    w = np.asarray(weights, dtype=np.float64)
    w = w / w.sum()
    logs = np.log(w, out=np.zeros_like(w), where=w > 0)
    size = min(len(w), max(round(float(np.exp(-(w * logs).sum()))), at_least))
    rows = np.sort(np.argsort(-w, kind="stable")[:size])
    return Sample(rows, np.ones(size, dtype=np.int64))


def kmeans_round(
    X: Array,
    drawn: Any,
    weights: Array,
    rng: np.random.RandomState,
    *,
    n_clusters: int,
    soft: bool = False,
    repeats: bool = True,
) -> Made:
    """K-means on what was drawn; on everything, with weights, if nothing was.

    Parameters
    ----------
    X : ndarray of shape (n_objects, n_features)
        The data.

    drawn : Sample, FeatureMap or None
        The objects, or the features, to cluster by.

    weights : ndarray
        The weights of the round; they are the weights of the objects when nothing was
        drawn, and not used otherwise.

    rng : RandomState
        Source of randomness.

    n_clusters : int
        Number of clusters; as many as there are objects drawn, if these are fewer.

    soft : bool, default=False
        Whether to return memberships of all objects, the shares of their inverse
        distances to the centres, instead of labels of those that were drawn.

    repeats : bool, default=True
        Whether an object that was drawn twice counts twice.

    Returns
    -------
    made : Made
        The clustering, with its centres.
    """
    from sklearn.cluster import KMeans

    features = drawn if isinstance(drawn, FeatureMap) else None
    seen = X if features is None else features(X)
    counts: Any = None
    rows: Any = slice(None)
    if isinstance(drawn, Sample):
        rows, counts = drawn.rows, drawn.counts if repeats else None
    elif features is None and len(weights) == len(X):
        counts = weights
    data = untied(seen[rows])
    model = KMeans(min(n_clusters, len(data)), n_init=1, random_state=rng)
    model.fit(data, sample_weight=counts)
    centers = NearestCenter(model.cluster_centers_, features)
    if soft:
        return Made(membership=centers.predict_membership(X), model=centers)
    everyone = centers.predict(X)
    labels = np.full(len(X), -1)
    labels[rows] = everyone[rows] = model.labels_
    return Made(labels, model=centers, state={"everyone": everyone})


def fuzzy_round(
    X: Array,
    drawn: Any,
    weights: Array,
    rng: np.random.RandomState,
    *,
    n_clusters: int,
    fuzziness: float | str = "auto",
    inverse: bool = False,
) -> Made:
    """Fuzzy c-means on the objects drawn; on everything, with weights, if none were.

    Parameters
    ----------
    X : ndarray of shape (n_objects, n_features)
        The data.

    drawn : Sample or None
        The objects to cluster by.

    weights : ndarray of shape (n_objects,)
        The weights of the objects when nothing was drawn; not used otherwise.

    rng : RandomState
        Source of randomness.

    n_clusters : int
        Number of clusters; as many as there are objects drawn, if these are fewer.

    fuzziness : float or "auto", default="auto"
        The exponent of the memberships; "auto" takes 2 in few dimensions and less in
        many.

    inverse : bool, default=False
        Whether the memberships that are returned are the shares of the inverse
        distances to the centres, as those of :func:`kmeans_round`, instead of those
        that fuzzy c-means minimises with.

    Returns
    -------
    made : Made
        The memberships of all objects, with the centres.
    """
    from comitia.cluster.fuzzy import fuzzy_cmeans

    rows, counts = (slice(None), weights) if drawn is None else drawn
    data = X[rows]
    run = fuzzy_cmeans(
        data,
        min(n_clusters, len(data)),
        rng,
        fuzziness=fuzziness,
        sample_weight=counts,
        n_init=1,
    )
    own = {} if inverse else {"fuzziness": run.fuzziness}
    model = NearestCenter(run.centers, **own)
    return Made(membership=model.predict_membership(X), model=model)


def mixture_round(
    X: Array, drawn: Any, weights: Array, rng: np.random.RandomState, *, n_clusters: int
) -> Made:
    """Gaussian mixture of the objects drawn; of all, with weights, if none were.

    Parameters
    ----------
    X : ndarray of shape (n_objects, n_features)
        The data.

    drawn : Sample or None
        The objects to fit the mixture to.

    weights : ndarray of shape (n_objects,)
        The weights of the objects when nothing was drawn; not used otherwise.

    rng : RandomState
        Source of randomness.

    n_clusters : int
        Number of components; as many as there are objects drawn, if these are fewer.

    Returns
    -------
    made : Made
        The posterior probabilities of all objects, with the mixture. Covariances are
        full, and diagonal if there are less than p + 1 objects for each component; a
        millionth of the mean variance of the features is added to their diagonals.
    """
    from sklearn.exceptions import ConvergenceWarning

    from comitia.cluster import WeightedGaussianMixture

    rows, counts = (slice(None), weights) if drawn is None else drawn
    data = X[rows]
    k = min(n_clusters, len(data))
    enough = len(data) >= k * (X.shape[1] + 1)
    model = WeightedGaussianMixture(
        k,
        covariance_type="full" if enough else "diag",
        reg_covar=1e-6 * (float(X.var(axis=0).mean()) or 1.0),
        random_state=rng,
    )
    with warnings.catch_warnings():
        # A mixture that is not quite at its best is a member like any other.
        warnings.simplefilter("ignore", ConvergenceWarning)
        model.fit(data, sample_weight=counts)
    return Made(membership=model.predict_membership(X), model=model)
