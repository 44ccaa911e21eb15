"""Ensemble of hidden Markov clusterings, weighted by clusters and by separation."""

from numbers import Integral, Real

import numpy as np
from scipy.special import log_softmax, logsumexp

from comitia._sklearn import Interval, StrOptions
from comitia.base import EnsembleMethod
from comitia.catalogue import MethodCard
from comitia.generate.series import HMMGenerator
from comitia.partition import cut, ensemble_linkage
from comitia.weigh import normalize_weights

__all__ = ["BiWeightedHMMEnsemble", "model_separation"]


class BiWeightedHMMEnsemble(EnsembleMethod):
    r"""Bi-weighted ensemble via HMM-based approaches.

    Time series are clustered several times with a hidden Markov model for each cluster;
    large clusters count more, and so do clusterings whose models describe different
    series [1]_.

    Parameters
    ----------
    n_clusters : int, default=None
        Number of clusters, also of each clustering. ``None`` draws a number for each
        clustering from 2 to :math:`\sqrt{n}`, and cuts the dendrogram at its longest
        lifetime.

    n_clusterings : int, default=10
        Number of clusterings, :math:`M`.

    n_states : int, default=3
        Hidden states of each model.

    temperature : float, default=1.0
        How slowly, :math:`\alpha`, the weight of a clustering rises with the separation
        of its models.

    variant : {"plus", "minus"}, default="plus"
        The sign in the exponent: ``"plus"`` for clusterings with models that differ,
        ``"minus"`` for those with models that are alike.

    prior : {"sizes", "uniform"}, default="sizes"
        Shares :math:`\pi_r` of the models in their mixture: those of the clusters in
        the objects, or all alike.

    linkage : {"average", "single", "complete", "ward"}, default="average"
        How the dendrogram is built.

    max_iter : int, default=50
        Most rounds of assigning series and fitting models in each clustering.

    n_jobs : int, default=None
        Number of parallel jobs.

    random_state : int, RandomState instance or None, default=None
        Seed of the clusterings.

    Attributes
    ----------
    cluster_weights_ : ndarray of shape (n_clusters of the ensemble,)
        Share of the objects that each cluster has.

    clustering_weights_ : ndarray of shape (n_clusterings,)
        Weight of each clustering; they sum to one.

    separation_ : ndarray of shape (n_clusterings,)
        How different the models of each clustering are, :math:`D_m`.

    linkage_ : ndarray of shape (n_objects - 1, 4)
        The dendrogram, in SciPy form.

    n_iter_ : int
        The most rounds that a clustering took.

    Notes
    -----
    With the likelihoods of a series under the models :math:`r` of clustering m and
    under their mixture, both normalised over the objects,

    .. math::
        p_r(i) \propto \Pr(x_i \mid \mathrm{HMM}_r), \qquad
        q(i) \propto \sum_r \pi_r \Pr(x_i \mid \mathrm{HMM}_r), \qquad
        D_m = \sum_r \pi_r \, \mathrm{KL}(p_r \,\|\, q),

    .. math::
        w_m \propto e^{\pm D_m / \alpha}, \qquad w_m^r = |C_m^r| / n, \qquad
        S = B \, \mathrm{diag}(w_m w_m^r) \, B',

    and the dendrogram is built on :math:`\max_i S_{ii} - S_{ij}` or, since no
    :math:`S_{ii}` exceeds 1, on :math:`1 - S_{ij}`.

    :math:`D_m` is, up to the two normalisations, a Jensen-Shannon divergence: 0 when
    all models are the same, and large when they describe different series. A clustering
    with a large value is the better separated one, hence the sign. The likelihood of a
    whole series underflows and falls with its length; here it is that by time step,
    :math:`\Pr(x_i \mid \mathrm{HMM}_r)^{1 / T_i}`, and sums are taken in logarithms.
    :math:`\alpha`, the prior and the number of states the review does not give.

    References
    ----------
    .. [1] Y. Yang and J. Jiang, "Bi-weighted ensemble via HMM-based approaches for
       temporal data clustering", Pattern Recognition 76, 2018.
       :doi:`10.1016/j.patcog.2017.11.022`

    Examples
    --------
    >>> from comitia import method
    >>> low, high = [0.0, 0.1, 0.0, 0.1], [5.0, 5.1, 5.0, 5.1]
    >>> series = [[low], [low[1:]], [high], [high[1:]]]
    >>> fitted = method("yang_jiang_2018")(2, n_states=1, random_state=0).fit(series)
    >>> fitted.labels_
    array([0, 0, 1, 1], dtype=int32)
    """

    card = MethodCard(
        id="yang_jiang_2018",
        weighs="clusters",
        approach="fixed",
        needs="series",
        scales="quadratic",
    )

    _parameter_constraints = {
        "n_clusters": EnsembleMethod._parameter_constraints["n_clusters"],
        "n_clusterings": [Interval(Integral, 1, None, closed="left")],
        "n_states": [Interval(Integral, 1, None, closed="left")],
        "temperature": [Interval(Real, 0, None, closed="neither")],
        "variant": [StrOptions({"plus", "minus"})],
        "prior": [StrOptions({"sizes", "uniform"})],
        "linkage": [StrOptions({"average", "single", "complete", "ward"})],
        "max_iter": [Interval(Integral, 1, None, closed="left")],
        "n_jobs": [Integral, None],
        "random_state": ["random_state"],
    }

    def __init__(
        self,
        n_clusters=None,
        *,
        n_clusterings=10,
        n_states=3,
        temperature=1.0,
        variant="plus",
        prior="sizes",
        linkage="average",
        max_iter=50,
        n_jobs=None,
        random_state=None,
    ):
        self.n_clusters = n_clusters
        self.n_clusterings = n_clusterings
        self.n_states = n_states
        self.temperature = temperature
        self.variant = variant
        self.prior = prior
        self.linkage = linkage
        self.max_iter = max_iter
        self.n_jobs = n_jobs
        self.random_state = random_state

    def _default_generator(self):
        return HMMGenerator(
            self.n_clusterings,
            n_clusters=self.n_clusters,
            n_states=self.n_states,
            max_iter=self.max_iter,
            n_jobs=self.n_jobs,
        )

    def _combine(self, ensemble, X, rng):
        self.cluster_weights_ = ensemble.sizes / ensemble.n_objects
        models = [member.model for member in self.generator_.members_]
        self.n_iter_ = max(model.n_iter_ for model in models)
        priors = [None] * len(models)
        if self.prior == "sizes":
            priors = np.split(self.cluster_weights_, ensemble.offsets[1:-1])
        self.separation_ = np.array(
            [
                model_separation(model.log_likelihood_, prior)
                for model, prior in zip(models, priors, strict=True)
            ]
        )
        sign = 1.0 if self.variant == "plus" else -1.0
        exponents = sign * self.separation_ / self.temperature
        # The largest becomes 1 before anything is raised: no overflow.
        self.clustering_weights_ = normalize_weights(
            np.exp(exponents - exponents.max())
        )
        self.linkage_ = ensemble_linkage(
            ensemble,
            clustering_weights=self.clustering_weights_,
            cluster_weights=self.cluster_weights_,
            linkage=self.linkage,
        )
        return cut(self.linkage_, self.n_clusters)


def model_separation(log_likelihood, prior=None):
    r"""How differently the models of a clustering spread over the objects.

    .. math::
        D = \sum_r \pi_r \sum_i p_r(i) \ln \frac{p_r(i)}{q(i)}

    Parameters
    ----------
    log_likelihood : array-like of shape (n_objects, n_models)
        Logarithms of the likelihoods, by time step; normalised here over the objects.

    prior : array-like of shape (n_models,), default=None
        Shares :math:`\pi_r` of the models in the mixture; all alike by default.

    Returns
    -------
    separation : float
        0 when all models are the same.

    Examples
    --------
    >>> round(model_separation(np.log([[0.9, 0.1], [0.1, 0.9]])), 6)
    0.368064
    """
    logs = np.asarray(log_likelihood, dtype=np.float64)
    k = logs.shape[1]
    pi = np.full(k, 1.0 / k) if prior is None else np.asarray(prior, dtype=np.float64)
    log_p = log_softmax(logs, axis=0)
    log_q = log_softmax(logsumexp(logs, axis=1, b=pi))
    return float(pi @ (np.exp(log_p) * (log_p - log_q[:, None])).sum(axis=0))
