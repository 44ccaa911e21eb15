"""DCSS."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.sparse import csr_array, diags_array, hstack

from comitia._sklearn import StrOptions
from comitia.catalogue import MethodCard
from comitia.cluster.mixture import gaussian_log_density
from comitia.exceptions import ComitiaError
from comitia.methods._memberships import order_of_appearance
from comitia.methods._types import Array, Data, Ensemble, Rng, Seed
from comitia.methods.selection._base import SelectionMethod, mask_of
from comitia.methods.selection._dcss_gaussians import bhattacharyya, merge_gaussians
from comitia.partition import ncut
from comitia.select import top

__all__ = ["DCSS"]

# Weight of the faint edges between all components, and least weight of a hyperedge.
_TRACE = 1e-6


class DCSS(SelectionMethod):
    r"""Distribution-based cluster structure selection.

    Gaussian mixtures are fitted to bootstrap samples, those that resemble the others
    are kept, and groups of their components become the clusters [1]_.

    Parameters
    ----------
    n_clusters : int, default=None
        Number of clusters, of each clustering and of the result. ``None`` takes the
        eigengap of plain k-means clusterings.

    n_clusterings : int, default=20
        Number of clusterings, :math:`M`, each by a mixture.

    n_select : int, default=None
        How many mixtures are kept; half of them by default.

    n_neighbors : int, default=3
        How many neighbours a component shares a hyperedge with.

    variant : {"matched", "raw", "centered"}, default="matched"
        The distance of two mixtures: from each component to the nearest of the other
        mixture; between all components; or the same less the distances inside.

    random_state : int, RandomState instance or None, default=None
        Seed of the clusterings and of the consensus.

    Attributes
    ----------
    selected_ : ndarray of bool of shape (n_clusterings,)
        Which mixtures were kept.

    clustering_weights_ : ndarray of shape (n_clusterings,)
        The score of each mixture, positive; 1 for the best.

    membership_ : ndarray of shape (n_objects, n_clusters)
        Posterior probability of each cluster for each object; rows sum to 1.

    proportions_ : ndarray of shape (n_clusters,)
        Share of each cluster in the mixture that they make.

    cluster_centers_ : ndarray of shape (n_clusters, n_features)
        Mean of each cluster.

    covariances_ : ndarray of shape (n_clusters, n_features, n_features)
        Covariance of each cluster; (n_clusters, n_features) if diagonal.

    Notes
    -----
    With the Bhattacharyya distance D of two Gaussians, and shares :math:`\pi` and
    :math:`\rho` of the components of two mixtures,

    .. math::
        \operatorname{dist}(\Phi, \Phi') = \tfrac12 \sum_a \pi_a \min_b D_{ab} +
        \tfrac12 \sum_b \rho_b \min_a D_{ab}, \qquad
        \operatorname{score}_m \propto \exp \Bigl( -\frac{1}{M - 1} \sum_{t \ne m}
        \operatorname{dist}(\Phi_m, \Phi_t) \Bigr),

    and the mixtures of highest score are kept. Each of their components makes a
    hyperedge with its nearest neighbours, as heavy as the mean of :math:`e^{-D}` over
    all pairs in it. The normalised cut of this hypergraph makes k groups of components,
    each group becomes one Gaussian with the same moments, and an object belongs to the
    cluster of largest posterior probability.

    The review names neither the distance of distributions nor a readable weight of
    hyperedges, nor M, number kept and number of neighbours; these are ours. The
    distance between all components, :math:`\sum_{ab} \pi_a \rho_b D_{ab}`
    (``variant="raw"``), measures above all how far apart a mixture's own components
    lie: a mixture that lays them all on one place is nearer to the others than these
    are to each other, and is kept first. ``variant="centered"`` takes
    :math:`\operatorname{dist}(\Phi, \Phi') - \frac12 \operatorname{dist}(\Phi, \Phi)
    - \frac12 \operatorname{dist}(\Phi', \Phi')`, which is 0 for equal mixtures, but
    may be negative for others: D is no metric. Scores are divided by the largest, for
    distances in many features are so large that no :math:`e^{-\operatorname{dist}}`
    is a positive number; at the least they are :math:`e^{-700}`.

    The neighbourhoods of one cluster may fall into pieces, and nothing would say which
    belong together. So each two components are joined by a faint edge as well, a
    millionth of :math:`e^{-D}`; that is also the least weight of a hyperedge, relative
    to the heaviest.

    Mixtures start from k-means on the sample. Covariances are diagonal if there are
    fewer than ten objects for each feature; a millionth of the mean variance of the
    features is added to their diagonals. There may be fewer clusters than asked for,
    where no object prefers one of them. :meth:`predict` lets the mixtures kept vote.

    References
    ----------
    .. [1] Z. Yu, X. Zhu, H.-S. Wong, J. You, J. Zhang and G. Han, "Distribution-based
       cluster structure selection", IEEE Trans. Cybernetics 47(11), 2017.

    Examples
    --------
    >>> from comitia import method
    >>> X = [[0.0], [0.2], [0.4], [0.6], [5.0], [5.2], [5.4], [5.6]]
    >>> fitted = method("dcss")(n_clusters=2, random_state=0).fit(X)
    >>> fitted.labels_
    array([0, 0, 0, 0, 1, 1, 1, 1], dtype=int32)
    >>> fitted.membership_.round(3)[0]
    array([1., 0.])
    """

    card = MethodCard(
        id="dcss",
        weighs="clusterings",
        approach="selection",
        needs="data",
        scales="linear",
    )

    _per_cluster = {
        "cluster_centers_": 0,
        "covariances_": 0,
        "membership_": 1,
        "proportions_": 0,
    }

    _parameter_constraints = {
        "variant": [StrOptions({"matched", "raw", "centered"})],
    }

    def __init__(
        self,
        n_clusters: int | None = None,
        *,
        n_clusterings: int = 20,
        n_select: int | None = None,
        n_neighbors: int = 3,
        variant: str = "matched",
        random_state: Seed = None,
    ) -> None:
        self.n_clusters = n_clusters
        self.n_clusterings = n_clusterings
        self.n_select = n_select
        self.n_neighbors = n_neighbors
        self.variant = variant
        self.random_state = random_state

    def _default_generator(self) -> Any:
        from comitia.cluster import WeightedGaussianMixture
        from comitia.generate import Bootstrap, EstimatorGenerator

        return EstimatorGenerator(
            WeightedGaussianMixture(max_iter=1000),
            self.n_clusterings,
            n_clusters=self.n_clusters,
            objects=Bootstrap(),
            extend=True,
        )

    def _generate(self, X: Data, rng: Rng) -> Ensemble:
        from comitia.generate import KMeansGenerator

        seeds = rng.randint(np.iinfo(np.int32).max, size=2)
        k = self.n_clusters
        if k is None:
            trial = KMeansGenerator(random_state=seeds[0]).generate(X)
            k = self._resolve_n_clusters(trial)
        n, p = X.shape
        generator = self._default_generator().set_params(
            n_clusters=k,
            estimator__covariance_type="diag" if n < 10 * p else "full",
            estimator__reg_covar=1e-6 * (X.var(axis=0).mean() or 1.0),
            random_state=seeds[1],
        )
        return self._run_generator(generator, X)

    def _select(self, ensemble: Ensemble, X: Data, rng: Rng) -> Array:
        raise ComitiaError(
            "DCSS selects among the mixtures that it fits itself; call fit(X)."
        )

    def _combine(self, ensemble: Ensemble, X: Data, rng: Rng) -> Array:
        mixtures = [member.model for member in self.generator_.members_]
        weights, means, covariances, of = _stacked(mixtures)
        D = bhattacharyya(means, covariances)
        distance = mixture_distances(D, weights, of, self.variant)
        M = len(mixtures)
        mean = (distance.sum(axis=1) - distance.diagonal()) / max(M - 1, 1)
        # The largest exponent is 0 and none is so small that its power is.
        self.clustering_weights_ = np.exp(-np.minimum(mean - mean.min(), 700.0))
        chosen = top(-mean, self._n_select(ensemble))
        self.selected_ = mask_of(chosen, M)

        kept = self.selected_[of]
        H, edge_weights = neighbor_hyperedges(D[np.ix_(kept, kept)], self.n_neighbors)
        k = int(np.bincount(of).max())
        cut = hypergraph_ncut(H, k, rng, weights=edge_weights)
        _, groups = np.unique(cut, return_inverse=True)
        merged = merge_gaussians(weights[kept], means[kept], covariances[kept], groups)
        shift = self.generator_.members_[0].shift
        if shift is None:
            return self._posterior(X, *merged)
        labels = self._posterior(X - shift, *merged)
        self.cluster_centers_ += shift
        return labels

    def _posterior(
        self, X: Data, proportions: Array, means: Array, covariances: Array
    ) -> Array:
        """Store the clusters that have objects, the first one first; label these."""
        log_joint = gaussian_log_density(X, means, covariances) + np.log(proportions)
        labels = log_joint.argmax(axis=1)
        order = order_of_appearance(labels)
        joint = np.exp(log_joint[:, order] - log_joint.max(axis=1, keepdims=True))
        self.membership_ = joint / joint.sum(axis=1, keepdims=True)
        self.proportions_ = proportions[order] / proportions[order].sum()
        self.cluster_centers_, self.covariances_ = means[order], covariances[order]
        return labels


def _stacked(mixtures: list[Any]) -> tuple[Any, ...]:
    """Weights, means and covariances of all components, and whose they are."""
    return (
        np.concatenate([mixture.proportions_ for mixture in mixtures]),
        np.concatenate([mixture.cluster_centers_ for mixture in mixtures]),
        np.concatenate([mixture.covariances_ for mixture in mixtures]),
        np.repeat(
            np.arange(len(mixtures)),
            [len(mixture.proportions_) for mixture in mixtures],
        ),
    )


def mixture_distances(
    D: Array, weights: Array, of: Array, variant: str = "matched"
) -> Array:
    """Distance of each two mixtures, from those of their components and their shares.

    Matched: the mean distance of a component to the nearest one of the other mixture,
    from both sides. Raw: the mean distance of the components, one of each. Centered:
    less half the raw distance of each mixture from itself.
    """
    M = of.max() + 1
    shares = np.zeros((M, len(of)))
    shares[of, np.arange(len(of))] = weights
    if variant == "matched":
        nearest = np.stack([D[:, of == m].min(axis=1) for m in range(M)], axis=1)
        one_way = shares @ nearest
        return np.asarray((one_way + one_way.T) / 2.0)
    distance = shares @ D @ shares.T
    if variant == "centered":
        own = distance.diagonal() / 2.0
        distance = distance - own - own[:, None]
    return np.asarray(distance)


def neighbor_hyperedges(D: Array, n_neighbors: int) -> tuple[Any, ...]:
    """A hyperedge of each component with its neighbours, and faint edges of all."""
    n = len(D)
    similarity = np.exp(-D)
    others = D + np.diag(np.full(n, np.inf))
    nearest = np.argsort(others, axis=1, kind="stable")[:, : min(n_neighbors, n - 1)]
    H = np.eye(n)
    H[nearest.T, np.arange(n)] = 1.0
    pairs = H.sum(axis=0) * (H.sum(axis=0) - 1)
    # Both orders of each pair inside a hyperedge, without the diagonal of ones.
    inside = ((similarity @ H) * H).sum(axis=0) - H.sum(axis=0)
    weights = inside / np.maximum(pairs, 1)
    i, j = np.triu_indices(n, 1)
    # n components have n(n - 1)/2 faint edges with two ends each: never a dense table.
    ends, edges = np.r_[i, j], np.tile(np.arange(len(i)), 2)
    faint = csr_array((np.ones(len(ends)), (ends, edges)), shape=(n, len(i)))
    weights = np.maximum(weights, _TRACE * max(weights.max(), _TRACE))
    H = hstack([csr_array(H), faint], format="csr")
    return H, np.r_[weights, _TRACE * similarity[i, j]]


def hypergraph_ncut(
    H: Any,
    n_clusters: int,
    rng: np.random.RandomState,
    *,
    weights: ArrayLike | None = None,
    n_init: int = 10,
) -> NDArray[np.int32]:
    r"""Normalised cut of a hypergraph.

    The vertices are placed by the leading eigenvectors of

    .. math::
        D_v^{-1/2} H W D_e^{-1} H' D_v^{-1/2},

    where :math:`D_e` has the sizes of the hyperedges and :math:`D_v` the weight of the
    hyperedges at each vertex, and k-means cuts them (Zhou et al., 2006).

    The rows of :math:`H W D_e^{-1} H'` sum to :math:`D_v`: the cut is the normalised
    cut of the graph in which each hyperedge shares out its weight among all pairs of
    its vertices.
    """
    H = csr_array(H).astype(np.float64)
    n_edges = H.shape[1]
    w = np.ones(n_edges) if weights is None else np.asarray(weights, dtype=np.float64)
    if w.shape != (n_edges,) or not np.isfinite(w).all() or (w < 0).any():
        raise ComitiaError(
            f"weights must be {n_edges} finite numbers, one for each hyperedge, none "
            "negative."
        )
    sizes = np.asarray(H.sum(axis=0)).ravel()
    S = H @ diags_array(w / np.maximum(sizes, 1.0)) @ H.T
    return ncut(csr_array(S).toarray(), n_clusters, rng, n_init=n_init)
