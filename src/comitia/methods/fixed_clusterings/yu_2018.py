"""Constraint-projected clusterings of random subspaces, with weights that evolve."""

from functools import partial
from numbers import Integral, Real
from typing import Any

import numpy as np

from comitia._sklearn import Interval, StrOptions
from comitia.catalogue import MethodCard
from comitia.cluster import E2CP
from comitia.generate.boosting import BoostingGenerator
from comitia.generate.boosting_rounds import draw_features
from comitia.generate.member import Made
from comitia.generate.nearest_models import NearestCenter, NearestObject
from comitia.methods._boosted import BoostedMethod
from comitia.methods._loops import warn_stopped_early
from comitia.methods._types import Array, Data, Ensemble, Rng, Seed
from comitia.methods.fixed_clusterings._constraint_projection import (
    LinearProjection,
    constraint_directions,
)
from comitia.methods.fixed_clusterings._yu_2018_evolution import evolve
from comitia.methods.fixed_clusterings._yu_2018_ncut import ncut_points
from comitia.partition import kmeans
from comitia.validity.scatter import sse

__all__ = ["DCECP"]


class DCECP(BoostedMethod):
    r"""Double-weighting semi-supervised ensemble by selected constraint projection.

    Each clustering sees some of the features and the constraints that matter most
    there, and the weights of the clusterings evolve until their consensus is compact
    and obeys the constraints [1]_.

    Parameters
    ----------
    n_clusters : int, default=None
        Number of clusters, of each clustering and of the result. ``None`` takes the
        eigengap of plain k-means clusterings, and that of the ensemble's graph for the
        result.

    n_clusterings : int, default=20
        Number of clusterings, :math:`M`.

    feature_fraction : float, default=0.5
        The share of the features that a clustering sees.

    constraint_fraction : float, default=0.5
        The share of the must-links, and of the cannot-links, that it obeys.

    variant : {"projection", "e2cp"}, default="projection"
        What clusters a subspace: k-means on the directions that the constraints ask
        for, or constraint propagation, which takes :math:`O(n^2)` memory.

    patience : int, default=5
        Generations without a better consensus after which the search ends.

    max_iter : int, default=50
        Most generations.

    random_state : int, RandomState instance or None, default=None
        Seed of the clusterings and of the consensus.

    Attributes
    ----------
    clustering_weights_ : shared

    objective_ : ndarray of shape (n_iter_ + 1,)
        The least cost of a consensus so far, at the start and after each generation.

    n_iter_ : int
        Number of generations.

    converged_ : bool
        Whether the search ended before ``max_iter``.

    constraints_ : ConstraintSet
        The constraints.

    Notes
    -----
    In the subspace of a clustering the longest must-links and the shortest cannot-links
    say most and are kept; which constraints are important the review does not say. The
    paper calls the method DCECP and projects on the directions that the kept
    constraints ask for: the leading eigenvectors of the mean scatter of the
    cannot-links less that of the must-links.

    A population of 2M weight vectors starts with uniform entries, divided by their sum.
    The consensus of w is the normalised cut of :math:`B W B'`, and its cost is

    .. math::
        \frac{\sum_r \sum_{i \in r} \lVert x_i - c_r \rVert^2}
             {\sum_i \lVert x_i - \bar x \rVert^2}
        + \frac{\text{number of violated constraints}}{\text{number of constraints}} ;

    the review adds variance and violations without dividing, though they have different
    units. In each generation the vectors are paired and swap each entry with
    probability one half. There is no mutation: each entry has the values that it
    started with. The best vector ever seen is kept aside and returned.

    Though the weights are searched, the review counts the method among those of fixed
    weights.

    The normalised cut of :math:`B W B'` needs no n × n matrix: a random walk on it is
    two steps of one on the graph of objects and clusters whose edges weigh
    :math:`w_m |c|`, and its eigenvectors come from the small side, that of the clusters
    unless the objects are fewer. It is linear in n.

    References
    ----------
    .. [1] Z. Yu, P. Luo, J. Liu, H.-S. Wong, J. You, G. Han and J. Zhang,
       "Semi-supervised ensemble clustering based on selected constraint projection",
       IEEE Trans. Knowledge and Data Engineering 30(12), 2018.
       :doi:`10.1109/TKDE.2018.2818729`

    Examples
    --------
    >>> from comitia import method
    >>> X = [[0.0, 5.0], [1.0, 3.0], [2.0, 4.0], [10.0, 5.0], [11.0, 3.0], [12.0, 4.0]]
    >>> evolved = method("yu_2018")(n_clusters=2, random_state=0)
    >>> evolved.fit_predict(X, must_link=[(0, 2), (3, 4)], cannot_link=[(2, 5)])
    array([0, 0, 0, 1, 1, 1], dtype=int32)
    """

    card = MethodCard(
        id="yu_2018",
        weighs="clusterings",
        approach="fixed",
        needs=("data", "constraints"),
        scales="linear",
        # Of two features, none can be left out.
        quick={"patience": 2, "feature_fraction": 1.0},
    )

    _parameter_constraints = {
        "constraint_fraction": [Interval(Real, 0, 1, closed="right")],
        "variant": [StrOptions({"projection", "e2cp"})],
        "patience": [Interval(Integral, 1, None, closed="left")],
    }

    def __init__(
        self,
        n_clusters: int | None = None,
        *,
        n_clusterings: int = 20,
        feature_fraction: float = 0.5,
        constraint_fraction: float = 0.5,
        variant: str = "projection",
        patience: int = 5,
        max_iter: int = 50,
        random_state: Seed = None,
    ) -> None:
        self.n_clusters = n_clusters
        self.n_clusterings = n_clusterings
        self.feature_fraction = feature_fraction
        self.constraint_fraction = constraint_fraction
        self.variant = variant
        self.patience = patience
        self.max_iter = max_iter
        self.random_state = random_state

    def _boosting(self, X: Data, n_clusters: int) -> BoostingGenerator:
        return subspace_rounds(self, n_clusters, self.constraint_fraction, self.variant)

    def _combine(self, ensemble: Ensemble, X: Data, rng: Rng) -> Array:
        # All candidates are cut with the same seed: their costs can be compared.
        cut = partial(
            weighted_ncut,
            ensemble.distinct(),
            sizes=ensemble.sizes,
            n_clusters=self._resolve_n_clusters(ensemble),
            seed=rng.randint(np.iinfo(np.int32).max),
        )
        M = ensemble.n_clusterings
        population = rng.uniform(size=(2 * M, M))
        search = evolve(
            population / population.sum(axis=1, keepdims=True),
            lambda w: consensus_cost(X, cut(w), self.constraints_),
            rng,
            patience=self.patience,
            max_iter=self.max_iter,
        )
        if not search.converged:
            warn_stopped_early(self, "generations", "max_iter or lower patience")
        self.clustering_weights_ = search.best / search.best.sum()
        self.objective_, self.n_iter_ = search.cost, search.n_iter
        self.converged_ = search.converged
        return cut(search.best)


def subspace_rounds(
    method: Any, n_clusters: int, constraint_fraction: float, variant: str
) -> BoostingGenerator:
    """As many clusterings of drawn features as a method asks for."""
    return BoostingGenerator(
        method.n_clusterings,
        draw=partial(draw_features, feature_fraction=method.feature_fraction),
        cluster=partial(
            subspace_round,
            n_clusters=n_clusters,
            constraints=method.constraints_,
            constraint_fraction=constraint_fraction,
            variant=variant,
        ),
        weights="features",
    )


def subspace_round(
    X: Data,
    drawn: Any,
    weights: Array,
    rng: Rng,
    *,
    n_clusters: int,
    constraints: Any,
    constraint_fraction: float,
    variant: str,
) -> Any:
    """Cluster the features drawn, with the constraints that matter there."""
    Y = drawn(X)
    kept = informative_constraints(Y, constraints, constraint_fraction)
    if variant == "e2cp":
        clusterer = E2CP(n_clusters, random_state=rng)
        clusterer.fit(Y, must_link=kept.must_link, cannot_link=kept.cannot_link)
        return Made(clusterer.labels_, model=NearestObject(Y, clusterer.labels_, drawn))
    features = drawn
    if len(kept):
        # All in one map of the features, so that new objects can be labelled.
        chosen = constraint_directions(Y, kept)
        directions = np.zeros((X.shape[1], chosen.shape[1]))
        directions[drawn.how] = chosen
        features = LinearProjection(np.zeros(X.shape[1]), directions)
    found = kmeans(features(X), n_clusters, rng, n_init=3)
    return Made(found.labels, model=NearestCenter(found.centers, features))


def informative_constraints(Y: Array, constraints: Any, share: float) -> Any:
    """The longest must-links and the shortest cannot-links, a share of each."""
    lengths = np.linalg.norm(np.subtract(*Y[constraints.pairs.T]), axis=1)
    kept = []
    for sign in (1, -1):
        own = np.flatnonzero(constraints.signs == sign)
        order = np.argsort(-sign * lengths[own], kind="stable")
        kept.append(own[order[: int(np.ceil(share * len(own)))]])
    return constraints.take(np.concatenate(kept))


def weighted_ncut(
    distinct: Any,
    clustering_weights: Array,
    *,
    sizes: Array,
    n_clusters: int,
    seed: int,
) -> Array:
    """Normalised cut of B W B'."""
    micro, counts, inverse = distinct
    points = ncut_points(micro, counts, clustering_weights, sizes, n_clusters)
    k = min(n_clusters, len(points))
    rng = np.random.RandomState(seed)
    return kmeans(points, k, rng, sample_weight=counts, n_init=3).labels[inverse]


def consensus_cost(X: Data, labels: Array, constraints: Any) -> float:
    """Share of the variance inside the clusters, and of constraints violated."""
    total = sse(X, np.zeros(len(X), dtype=int))
    within = sse(X, labels) / total if total > 0 else 0.0
    return within + constraints.n_violated(labels) / max(len(constraints), 1)
