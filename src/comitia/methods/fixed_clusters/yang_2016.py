"""The method of Yang et al."""

from __future__ import annotations

import warnings
from numbers import Integral, Real
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.sparse import csr_array
from sklearn.exceptions import ConvergenceWarning

from comitia._sklearn import Interval, StrOptions
from comitia._steps import check_choice
from comitia.base import EnsembleMethod
from comitia.catalogue import MethodCard
from comitia.config import require_memory
from comitia.methods._types import Array, Data, Ensemble, Rng, Seed
from comitia.optimize.ties import first_lowest
from comitia.partition import median_selection
from comitia.represent import jaccard_clusters
from comitia.represent.coassociation import seen_by
from comitia.represent.graphs import combined_weights

__all__ = ["OverlappingCommunityConsensus"]

# Pairs of objects that are looked at together.
_BLOCK_VALUES = 2**17

# What does the same for large networks, in words.
_LINEAR = "use a method that is linear in the links, such as ecg or fast_ensemble"

# The graph, and what checks that it is symmetric: as measured, and a little more.
_BYTES_PER_NEIGHBOR = 96


class OverlappingCommunityConsensus(EnsembleMethod):
    r"""Weighted consensus for overlapping community detection.

    A detector that depends on chance looks for overlapping communities several times.
    Vertices that it often puts together are linked, links inside communities that the
    runs agree on counting for more, and the detector looks again at this graph, until
    all runs find the same [1]_.

    Parameters
    ----------
    n_clusters : None, default=None
        Must be None: the detector finds the number of communities.

    n_clusterings : int, default=20
        Number of clusterings, :math:`M`: runs of the detector.

    variant : {"minimum", "product"}, default="minimum"
        The t-norm T that combines the memberships of two vertices.

    threshold : float, default=0.2
        The least share of a vertex's memory in the detector, and of the runs in the
        end, that makes it a member of a community; from above 0.5 communities do not
        overlap.

    max_iter : int, default=20
        Most times that the detector looks at a graph of its own results.

    random_state : int, RandomState instance or None, default=None
        Seed of the clusterings and of the consensus.

    Attributes
    ----------
    membership_ : ndarray of shape (n_objects, n_communities)
        Share of each vertex in each community; rows sum to 1, and a vertex of several
        communities belongs to each by an equal part. The communities are numbered as in
        ``labels_``, those that no label names last.

    cluster_weights_ : ndarray of shape (n_clusters of the ensemble,)
        Weight of each community of the first runs, in [0, 1].

    n_iter_ : int
        How often the detector looked at a graph of its own results.

    converged_ : bool
        Whether all runs found the same in the end.

    Notes
    -----
    Community c weighs

    .. math::
        w_c = 1 + \frac{1}{|E_c|} \sum_{(i, j) \in E_c}
        \bigl[ A_{ij} \log_2 A_{ij} + (1 - A_{ij}) \log_2 (1 - A_{ij}) \bigr],

    over the links of the network with at least one end in c, each counted once; 1 if
    there are none. With the share :math:`F_{ic}` that vertex i has in each of its
    communities, the next graph has the links

    .. math::
        S_{ij} = \frac{1}{M} \sum_c w_c \, T(F_{ic}, F_{jc}),

    each kept if it exceeds a random number between 0 and 1.

    The review defines A as :math:`B B' / M`, which exceeds 1 for vertices that share
    several communities of one run, where the logarithm is not defined. Here it is the
    share of the runs in which i and j have a community in common. The detector, which
    is left open, is speaker-listener label propagation. The loop need not end: after
    ``max_iter`` rounds the run closest to the others is returned, by the mean Jaccard
    similarity of each community to the most similar one of the other run.

    Rounds that go on until all runs agree give a vertex that two communities share to
    one of them: on a row of three dense communities that share two vertices each, the
    first runs find some of those, and the last rounds none. So the rounds say which
    communities there are, and the first runs who is in several, which is ours: vertex i
    is also in each community d of the result with

    .. math::
        v_{id} = \frac{1}{M} \sum_{c \to d} F_{ic} \, [F_{ic} < 1]

    of at least ``threshold``, over the communities c of the first runs to which d is
    most alike by the Jaccard similarity. So a vertex that two out of five runs find in
    the same two communities stays in both.

    A vertex is labelled by the one of its communities that it has most links to.

    References
    ----------
    .. [1] L. Yang, Z. Yu, J. Qian and S. Liu, "Overlapping community detection using
       weighted consensus clustering", Pramana - Journal of Physics 87, 2016.

    Examples
    --------
    >>> import numpy as np
    >>> from comitia import method
    >>> triangle = np.ones((3, 3)) - np.eye(3)
    >>> graph = np.kron(np.eye(2), triangle)
    >>> method("yang_2016")(random_state=0).fit_predict(graph)
    array([0, 0, 0, 1, 1, 1], dtype=int32)
    """

    card = MethodCard(
        id="yang_2016",
        weighs="clusters",
        approach="fixed",
        needs="graph",
        scales="quadratic",
        exempt={
            "asked_k": "n_clusters is None: there are as many clusters as it finds"
        },
        quick={"n_clusters": None},  # nothing else can be asked for
    )

    _parameter_constraints = {
        "n_clusters": [None],
        "n_clusterings": [Interval(Integral, 2, None, closed="left")],
        "variant": [StrOptions({"minimum", "product"})],
        "threshold": [Interval(Real, 0, 1, closed="both")],
        "max_iter": [Interval(Integral, 0, None, closed="left")],
    }

    def __init__(
        self,
        n_clusters: Any = None,
        *,
        n_clusterings: int = 20,
        variant: Any = "minimum",
        threshold: float = 0.2,
        max_iter: int = 20,
        random_state: Seed = None,
    ) -> None:
        self.n_clusters = n_clusters
        self.n_clusterings = n_clusterings
        self.variant = variant
        self.threshold = threshold
        self.max_iter = max_iter
        self.random_state = random_state

    def _default_generator(self) -> Any:
        from comitia.generate import GraphGenerator

        return GraphGenerator(
            self.n_clusterings,
            detector="overlapping_label_propagation",
            threshold=self.threshold,
        )

    def _generate(self, X: Data, rng: Rng) -> Ensemble:
        if self.max_iter > 0:
            # Before the detector has worked for minutes in vain.
            _require_pairs(X.shape[0])
        return super()._generate(X, rng)

    def _combine(self, ensemble: Ensemble, X: Data, rng: Rng) -> Array:
        first, weights = ensemble, community_certainty(ensemble, X)
        self.cluster_weights_ = weights
        self.n_iter_ = 0
        while not (coincide := all_coincide(ensemble)) and self.n_iter_ < self.max_iter:
            detector = self._default_generator()
            detector.set_params(random_state=rng.randint(np.iinfo(np.int32).max))
            S = tnorm_coassociation(
                ensemble, cluster_weights=weights, tnorm=self.variant
            )
            links = kept_at_random(S, rng)
            del S  # all that is kept of it are the links
            ensemble = detector.generate(links)
            weights = community_certainty(ensemble, X)
            self.n_iter_ += 1
        self.converged_ = coincide
        if not coincide:
            warnings.warn(
                f"the runs still differ after max_iter={self.max_iter} rounds; the one "
                "closest to the others is returned. Raise max_iter.",
                ConvergenceWarning,
                stacklevel=2,
            )
        run = ensemble.take(clusterings=[median_run(ensemble)])
        n, k = run.membership.shape
        # The memberships, the shares, the links of vertices with communities.
        require_memory(
            32 * n * k, f"memberships of {n} vertices in {k} communities", _LINEAR
        )
        B = run.membership.toarray()
        # Shares are sums of halves and thirds: nearly the threshold is enough.
        B = np.where(overlap_shares(first, B) >= self.threshold - 1e-9, 1.0, B)
        # Links decide; a vertex without links in its communities is in the first.
        labels = np.where(B > 0, X @ B, -1.0).argmax(axis=1)
        named = labels[np.sort(np.unique(labels, return_index=True)[1])]
        order = np.r_[named, np.setdiff1d(np.arange(B.shape[1]), named)]
        self.membership_ = (B / B.sum(axis=1, keepdims=True))[:, order]
        return labels


def all_coincide(ensemble: Ensemble) -> bool:
    """Whether all clusterings have the same clusters."""
    k = ensemble.n_clusters_each
    return bool((k == k[0]).all() and (matches(ensemble) == 1.0).all())


def median_run(ensemble: Ensemble) -> int:
    """The clustering whose clusters are most like those of the others.

    The lowest of equals.
    """
    means = np.add.reduceat(matches(ensemble), ensemble.offsets[:-1], axis=0)
    means /= ensemble.n_clusters_each[:, None]
    return median_selection((means + means.T) / 2)


def matches(ensemble: Ensemble) -> Array:
    """Jaccard similarity of each cluster to the most similar one of each clustering.

    1 where a clustering has the same cluster.
    """
    K = ensemble.n_clusters_total
    require_memory(8 * K * K, f"the similarity of each two of {K} communities", _LINEAR)
    J = jaccard_clusters(ensemble).toarray()
    return np.maximum.reduceat(J, ensemble.offsets[:-1], axis=1)


def overlap_shares(ensemble: Ensemble, B: Array) -> NDArray[np.float64]:
    r"""How often clusterings put an object into some clusters and into others as well.

    .. math::
        v_{id} = \frac{1}{M} \sum_{c \to d} F_{ic} \, [F_{ic} < 1]

    over the clusters c of the ensemble to which d is most alike by the Jaccard
    similarity, with the share :math:`F_{ic}` that object i has in cluster c.
    """
    F = ensemble.membership.astype(np.float64)
    member = F > 0
    shared = np.asarray(member.T.astype(np.float64) @ (B > 0))
    sizes = np.asarray(member.sum(axis=0)).reshape(-1, 1)
    jaccard = shared / (sizes + (B > 0).sum(axis=0) - shared)
    nearest = np.eye(B.shape[1])[first_lowest(-jaccard)]
    rows = np.repeat(np.arange(ensemble.n_objects), np.diff(F.indptr))
    F.data = F.data / _totals(ensemble)[rows, ensemble.clustering_of[F.indices]]
    F.data[F.data == 1.0] = 0.0
    return np.asarray(F @ nearest) / ensemble.n_clusterings


def kept_at_random(S: Array, rng: Rng) -> Any:
    """Links that exceed a random number, one for each pair."""
    # Row by row: the pairs of all objects at once are several matrices more.
    for i, row in enumerate(S):
        later = row[i + 1 :]
        later[later <= rng.random_sample(len(later))] = 0.0
        row[i] = 0.0
        S[i + 1 :, i] = later
    begin = np.cumsum([0, *map(np.count_nonzero, S)])
    require_memory(
        _BYTES_PER_NEIGHBOR * int(begin[-1]),
        f"a graph of {begin[-1] // 2} links between {len(S)} vertices",
    )
    neighbors = np.empty(begin[-1], dtype=np.int32)
    weights = np.empty(begin[-1])
    for i, row in enumerate(S):
        own = slice(begin[i], begin[i + 1])
        neighbors[own] = np.flatnonzero(row)
        weights[own] = row[neighbors[own]]
    return csr_array((weights, neighbors, begin), shape=S.shape)


def tnorm_coassociation(
    ensemble: Ensemble,
    *,
    cluster_weights: ArrayLike | None = None,
    tnorm: Literal["minimum", "product"] = "minimum",
) -> NDArray[np.float64]:
    r"""Co-association of objects that share themselves among their clusters.

    .. math::
        S_{ij} = \frac{1}{M} \sum_m \sum_{r \in C_m} w_r \, T(F_{ir}, F_{jr}),
        \qquad F_{ir} = \frac{B_{ir}}{\sum_{s \in C_m} B_{is}},

    with a t-norm T, the minimum or the product, over the clusterings that have both.
    """
    check_choice("tnorm", tnorm, ("minimum", "product"))
    n = ensemble.n_objects
    _require_pairs(n)
    weights = combined_weights(ensemble, None, cluster_weights)
    B = ensemble.membership.tocsc().astype(np.float64)
    together = np.minimum.outer if tnorm == "minimum" else np.multiply.outer
    shares = 1.0 / _totals(ensemble)
    S = np.zeros((n, n))
    for c, m in enumerate(ensemble.clustering_of):
        column = slice(B.indptr[c], B.indptr[c + 1])
        members = B.indices[column]
        F = B.data[column] * shares[members, m]
        # Some rows at a time: a cluster may hold nearly all objects.
        step = max(1, _BLOCK_VALUES // max(len(members), 1))
        for start in range(0, len(members), step):
            rows = slice(start, start + step)
            S[np.ix_(members[rows], members)] += weights[c] * together(F[rows], F)
    if ensemble.has_missing:
        seen = seen_by(ensemble).astype(np.float64)
        for i, row in enumerate(S):
            row *= len(seen) / np.maximum(seen[:, i] @ seen, 1.0)
    return S


def _require_pairs(n: int) -> None:
    require_memory(
        8 * n * n,
        f"the similarity of each two of {n} objects",
        f"give max_iter=0, or {_LINEAR}",
    )


def _totals(ensemble: Ensemble) -> NDArray[np.float64]:
    """Summed memberships of each object in each clustering, 1 where it has none."""
    B = ensemble.membership
    m = ensemble.clustering_of[B.indices]
    row = np.repeat(np.arange(ensemble.n_objects), np.diff(B.indptr))
    M = ensemble.n_clusterings
    totals = np.bincount(row * M + m, B.data, minlength=ensemble.n_objects * M)
    return np.asarray(np.where(totals > 0, totals, 1.0)).reshape(-1, M)


def community_certainty(ensemble: Ensemble, graph: Any) -> NDArray[np.float64]:
    r"""How sure the clusterings are of the links that touch a community.

    .. math::
        w_c = 1 + \frac{1}{|E_c|} \sum_{(i, j) \in E_c}
        \bigl[ A_{ij} \log_2 A_{ij} + (1 - A_{ij}) \log_2 (1 - A_{ij}) \bigr],

    over the links :math:`E_c` of the graph with at least one end in community c, where
    :math:`A_{ij}` is the share of the clusterings in which i and j have a community in
    common.
    """
    from scipy.sparse import triu

    links = triu(graph, k=1).tocoo()
    B = ensemble.membership
    one, other = B[links.row], B[links.col]
    A = np.zeros(len(links.row))
    for first, last in zip(ensemble.offsets, ensemble.offsets[1:], strict=False):
        both = one[:, first:last].multiply(other[:, first:last])
        A += np.asarray(both.sum(axis=1)).ravel() > 0
    A /= ensemble.n_clusterings
    inner = (A > 0) & (A < 1)
    bits = np.zeros_like(A)
    p = A[inner]
    bits[inner] = p * np.log2(p) + (1 - p) * np.log2(1 - p)
    touched = (one + other) > 0
    n_links = np.asarray(touched.sum(axis=0)).ravel()
    sums = np.asarray(touched.T.astype(np.float64) @ bits).ravel()
    return 1.0 + sums / np.maximum(n_links, 1)
