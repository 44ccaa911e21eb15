"""DCSS."""

from numbers import Integral

import numpy as np
from scipy.sparse import csr_array, hstack

from comitia._sklearn import Interval, StrOptions
from comitia.base import EnsembleMethod
from comitia.catalogue import MethodCard
from comitia.cluster import bhattacharyya, gaussian_log_density, merge_gaussians
from comitia.exceptions import ComitiaError
from comitia.methods.selection._base import SelectionMethod
from comitia.partition import hypergraph_ncut
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
        Number of clusters, and of components of each mixture; chosen by the eigengap of
        k-means clusterings when None.

    n_clusterings : int, default=20
        Number of mixtures, :math:`M`.

    n_select : int, default=None
        How many mixtures are kept; half of them by default.

    n_neighbors : int, default=3
        How many neighbours a component shares a hyperedge with.

    variant : {"raw", "centered"}, default="raw"
        Whether mixtures have a distance from themselves, or this is subtracted.

    random_state : int, RandomState instance or None, default=None
        Seed of the samples, of the mixtures and of the cut.

    Attributes
    ----------
    selected_ : ndarray of bool of shape (n_clusterings,)
        Which mixtures were kept.

    clustering_weights_ : ndarray of shape (n_clusterings,)
        The score of each mixture, positive.

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
    With the Bhattacharyya distance D of two Gaussians,

    .. math::
        \operatorname{dist}(\Phi, \Phi') = \sum_{ab} \pi_a \rho_b D_{ab}, \qquad
        \operatorname{score}_m = \exp \Bigl( -\frac{1}{M - 1} \sum_{t \ne m}
        \operatorname{dist}(\Phi_m, \Phi_t) \Bigr),

    and the mixtures of highest score are kept. Each of their components makes a
    hyperedge with its nearest neighbours, as heavy as the mean of :math:`e^{-D}` over
    all pairs in it. The normalised cut of this hypergraph makes k groups of components,
    each group becomes one Gaussian with the same moments, and an object belongs to the
    cluster of largest posterior probability.

    The review names neither the distance of distributions nor a readable weight of
    hyperedges, nor M, number kept and number of neighbours; these are ours. A mixture
    has in general a distance above 0 from itself, which favours mixtures of one heavy
    component; ``variant="centered"`` takes
    :math:`\operatorname{dist}(\Phi, \Phi') - \frac12 \operatorname{dist}(\Phi, \Phi)
    - \frac12 \operatorname{dist}(\Phi', \Phi')`, which is 0 for equal mixtures, but
    may be negative for others: D is no metric.

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

    _parameter_constraints = {
        "n_clusters": EnsembleMethod._parameter_constraints["n_clusters"],
        "n_clusterings": [Interval(Integral, 1, None, closed="left")],
        "n_select": [Interval(Integral, 1, None, closed="left"), None],
        "n_neighbors": [Interval(Integral, 1, None, closed="left")],
        "variant": [StrOptions({"raw", "centered"})],
        "random_state": ["random_state"],
    }

    def __init__(
        self,
        n_clusters=None,
        *,
        n_clusterings=20,
        n_select=None,
        n_neighbors=3,
        variant="raw",
        random_state=None,
    ):
        self.n_clusters = n_clusters
        self.n_clusterings = n_clusterings
        self.n_select = n_select
        self.n_neighbors = n_neighbors
        self.variant = variant
        self.random_state = random_state

    def _default_generator(self):
        from comitia.cluster import WeightedGaussianMixture
        from comitia.generate import Bootstrap, EstimatorGenerator

        return EstimatorGenerator(
            WeightedGaussianMixture(max_iter=1000),
            self.n_clusterings,
            n_clusters=self.n_clusters,
            objects=Bootstrap(),
            extend=True,
        )

    def _generate(self, X, rng):
        from comitia.generate import KMeansGenerator

        seeds = rng.randint(np.iinfo(np.int32).max, size=2)
        k = self.n_clusters
        if k is None:
            trial = KMeansGenerator(random_state=seeds[0]).generate(X)
            k = self._resolve_n_clusters(trial)
        n, p = X.shape
        self.generator_ = self._default_generator().set_params(
            n_clusters=k,
            estimator__covariance_type="diag" if n < 10 * p else "full",
            estimator__reg_covar=1e-6 * (X.var(axis=0).mean() or 1.0),
            random_state=seeds[1],
        )
        return self.generator_.generate(X)

    def _select(self, ensemble, X, rng):
        raise ComitiaError(
            "DCSS selects among the mixtures that it fits itself; call fit(X)."
        )

    def _combine(self, ensemble, X, rng):
        mixtures = [member.model for member in self.generator_.members_]
        weights, means, covariances, of = _stacked(mixtures)
        D = bhattacharyya(means, covariances)
        distance = mixture_distances(
            D, weights, of, centered=self.variant == "centered"
        )
        M = len(mixtures)
        mean = (distance.sum(axis=1) - distance.diagonal()) / max(M - 1, 1)
        self.clustering_weights_ = np.exp(-mean)
        chosen = top(-mean, self._n_select(ensemble))
        self.selected_ = np.zeros(M, dtype=bool)
        self.selected_[chosen] = True

        kept = self.selected_[of]
        H, edge_weights = neighbor_hyperedges(D[np.ix_(kept, kept)], self.n_neighbors)
        k = int(np.bincount(of).max())
        groups = hypergraph_ncut(H, k, rng, weights=edge_weights)
        _, groups = np.unique(groups, return_inverse=True)
        merged = merge_gaussians(weights[kept], means[kept], covariances[kept], groups)
        shift = self.generator_.members_[0].shift
        if shift is None:
            return self._posterior(X, *merged)
        labels = self._posterior(X - shift, *merged)
        self.cluster_centers_ = self.cluster_centers_ + shift
        return labels

    def _posterior(self, X, proportions, means, covariances):
        """Store the clusters that have objects, the first one first; label these."""
        log_joint = gaussian_log_density(X, means, covariances) + np.log(proportions)
        labels = log_joint.argmax(axis=1)
        found, first = np.unique(labels, return_index=True)
        order = found[np.argsort(first)]
        joint = np.exp(log_joint[:, order] - log_joint.max(axis=1, keepdims=True))
        self.membership_ = joint / joint.sum(axis=1, keepdims=True)
        self.proportions_ = proportions[order] / proportions[order].sum()
        self.cluster_centers_, self.covariances_ = means[order], covariances[order]
        return labels


def _stacked(mixtures):
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


def mixture_distances(D, weights, of, *, centered=False):
    """Mean distance of the components of each two mixtures, by their shares."""
    shares = np.zeros((of.max() + 1, len(of)))
    shares[of, np.arange(len(of))] = weights
    distance = shares @ D @ shares.T
    if centered:
        own = distance.diagonal() / 2.0
        distance = distance - own - own[:, None]
    return distance


def neighbor_hyperedges(D, n_neighbors):
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
