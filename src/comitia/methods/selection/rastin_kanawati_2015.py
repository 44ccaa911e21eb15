"""Selection on a network with one layer for each measure of agreement."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from comitia._sklearn import StrOptions
from comitia.agreement import agreement_matrix
from comitia.catalogue import MethodCard
from comitia.engine.content_keys import clusterings_by_content
from comitia.exceptions import ComitiaError
from comitia.methods._types import Array, Data, Ensemble, Maker, Rng, Seed
from comitia.methods.selection._base import SelectionMethod, by_cspa
from comitia.optimize.ties import merged_ties
from comitia.select import (
    best_of_groups,
    borda_points,
    multilayer_communities,
    relative_neighborhood,
    robust_rank,
)
from comitia.select.neighborhood import seed_communities
from comitia.select.rank_aggregation import mid_ranks
from comitia.weigh import index_scores

__all__ = ["MultiplexSelection"]

# Larger for the better, like the scores that go in.
_AGGREGATIONS = {
    "borda": borda_points,
    "mean": lambda scores: len(scores) - mean_rank(scores),
    "robust": lambda scores: 1.0 - robust_rank(scores),
}

_TOO_FEW_KEPT = (
    "of ten clusterings that are alike a few are kept, one for each community, which "
    "is too few to outvote what each of them gets wrong"
)


class MultiplexSelection(SelectionMethod):
    r"""Selection on a multiplex network of clusterings.

    Each measure of agreement is one layer of a network of the clusterings, and each
    community of the network sends the clustering that several validity indices
    together rank first [1]_.

    Parameters
    ----------
    n_clusters : shared

    agreement : str, callable or list of these, \
            default=("nmi_sqrt", "adjusted_rand", "rand")
        How alike two clusterings are; one layer for each measure.

    indices : str, callable or list of these, \
            default=("silhouette", "calinski_harabasz", "davies_bouldin")
        Validity indices that rank the clusterings of a community. A callable
        ``index(X, labels)`` is 0 or more, and larger for the better.

    aggregation : {"borda", "mean", "robust"}, default="borda"
        How the rankings become one: Borda's points, the mean rank, or robust rank
        aggregation.

    variant : {"seeds", "modularity"}, default="seeds"
        Communities around the clusterings with most neighbours, or communities of large
        modularity on the sum of all layers.

    generator, random_state : shared

    Attributes
    ----------
    selected_ : shared

    clustering_weights_ : ndarray of shape (n_clusterings,)
        What each clustering gets from the rankings of its community, large for the
        better; of use inside a community alone.

    groups_ : ndarray of shape (n_clusterings,)
        The community of each clustering.

    layers_ : ndarray of bool of shape (n_layers, n_clusterings, n_clusterings)
        Which clusterings are neighbours, in each layer.

    Notes
    -----
    In a layer, with the distances :math:`d_{lm} = 1 - s(C_l, C_m)` of one measure s,
    the clusterings l and m are joined unless some t has

    .. math::
        \max(d_{lt}, d_{mt}) < d_{lm} .

    In each community of the network the indices rank the clusterings, and with the
    ranks :math:`r_{mv}` among the :math:`|G|` clusterings of the community G that with
    the largest

    .. math::
        b_m = \sum_v (|G| - r_{mv}),

    Borda's points, is kept; of equals, as among leaders, the one that agrees most with
    all others. CSPA combines those kept.

    The review only names the seed-centric detection of communities of the paper. Here
    a clustering leads if no neighbour has more neighbours over all layers, and the
    others follow the vote of their neighbours; with ``variant="modularity"`` the
    Louvain method runs on the sum of the layers. Measures, indices and aggregation are
    ours.

    With one layer, one index and ``variant="modularity"`` this is
    :class:`~comitia.methods.selection.kanawati_2015.NeighborhoodSelection` with the
    index for its quality. Where labels are missing, clusterings are added until every
    object is in one.

    References
    ----------
    .. [1] P. Rastin and R. Kanawati, "A multiplex-network based approach for clustering
       ensemble selection", IEEE/ACM ASONAM 2015.

    Examples
    --------
    >>> from comitia import Ensemble, method
    >>> X = [[0.0], [1.0], [2.0], [10.0], [11.0], [12.0]]
    >>> votes = Ensemble([[0, 0], [0, 1], [0, 0], [1, 1], [1, 0], [1, 1]])
    >>> judge = method("rastin_kanawati_2015")(n_clusters=2, random_state=0)
    >>> judge.fit(X, ensemble=votes).selected_
    array([ True, False])
    """

    card = MethodCard(
        id="rastin_kanawati_2015",
        weighs="clusterings",
        approach="selection",
        needs=("labels", "data"),
        missing="pairs",
        scales="quadratic",
        exempt={
            **dict.fromkeys(("recovery", "missing_labels", "helps"), _TOO_FEW_KEPT),
            "drops_junk": "every community keeps its best clustering, and junk, which "
            "is like no other, is in communities of its own",
        },
    )

    _parameter_constraints = {
        "agreement": [str, callable, list, tuple],
        "indices": [str, callable, list, tuple],
        "aggregation": [StrOptions(set(_AGGREGATIONS))],
        "variant": [StrOptions({"seeds", "modularity"})],
    }

    def __init__(
        self,
        n_clusters: int | None = None,
        *,
        agreement: Any = ("nmi_sqrt", "adjusted_rand", "rand"),
        indices: Any = ("silhouette", "calinski_harabasz", "davies_bouldin"),
        aggregation: str = "borda",
        variant: str = "seeds",
        generator: Maker = None,
        random_state: Seed = None,
    ) -> None:
        self.n_clusters = n_clusters
        self.agreement = agreement
        self.indices = indices
        self.aggregation = aggregation
        self.variant = variant
        self.generator = generator
        self.random_state = random_state

    def _select(self, ensemble: Ensemble, X: Data, rng: Rng) -> Array:
        measures = _listed(self.agreement, "agreement")
        alike = np.array([agreement_matrix(ensemble, one) for one in measures])
        self.layers_ = np.array([relative_neighborhood(1.0 - s) for s in alike])
        typical = merged_ties(alike.mean(axis=(0, 1)))
        if self.variant == "seeds":
            self.groups_ = seed_communities(
                self.layers_.sum(axis=0, dtype=np.float64), priority=typical
            )
        else:
            # Louvain visits the clusterings in an order that is drawn by place.
            order = clusterings_by_content(ensemble)
            sorted_layers = [layer[np.ix_(order, order)] for layer in self.layers_]
            self.groups_ = np.empty(len(order), dtype=np.int64)
            self.groups_[order] = multilayer_communities(sorted_layers, rng)
        indices = _listed(self.indices, "indices")
        scores = np.column_stack([index_scores(X, ensemble, i) for i in indices])
        points = np.empty(len(scores))
        for group in np.unique(self.groups_):
            inside = self.groups_ == group
            points[inside] = _AGGREGATIONS[self.aggregation](scores[inside])
        self.clustering_weights_ = points
        # Points are often equal: then the more typical one goes, wherever it stands.
        pairs = np.column_stack([merged_ties(points), typical])
        order = np.unique(pairs, axis=0, return_inverse=True)[1].ravel()
        return best_of_groups(order, self.groups_)

    _agree = by_cspa


def _listed(value: tuple[Any, ...], name: str) -> list[Any]:
    """One measure, or several, as a list."""
    if isinstance(value, str) or callable(value):
        return [value]
    if len(value) == 0:
        raise ComitiaError(f"{name} is empty; name one at least.")
    return list(value)


def mean_rank(scores: ArrayLike) -> NDArray[np.float64]:
    """Mean rank of each item over several rankings."""
    return np.asarray(mid_ranks(scores).mean(axis=1))
