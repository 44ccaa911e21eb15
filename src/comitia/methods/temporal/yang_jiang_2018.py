"""Ensemble of hidden Markov clusterings, weighted by clusters and by separation."""

from numbers import Integral
from typing import Any

import numpy as np
from scipy.special import log_softmax, logsumexp

from comitia._parameter_rules import SHARED
from comitia._sklearn import Interval, StrOptions
from comitia.base import EnsembleMethod
from comitia.catalogue import MethodCard
from comitia.generate.series_generators import HMMGenerator
from comitia.methods._types import Array, Data, Ensemble, Linkage, Rng, Seed
from comitia.partition import cut, ensemble_linkage
from comitia.weigh import normalize_weights

__all__ = ["BiWeightedHMMEnsemble"]


# Separations that differ by less than this share are equal.
_ROUNDING = 1e-9


class BiWeightedHMMEnsemble(EnsembleMethod):
    r"""Bi-weighted ensemble via HMM-based approaches.

    Time series are clustered several times with a hidden Markov model for each cluster;
    large clusters count more, and so do clusterings whose models describe different
    series [1]_.

    Parameters
    ----------
    n_clusters : int, default=None
        Number of clusters, of each clustering and of the result. ``None`` draws it for
        each clustering, from 2 to :math:`\sqrt n`, and takes the eigengap of the
        ensemble's graph.

    n_clusterings : int, default=10
        Number of clusterings, :math:`M`.

    n_states : int, default=3
        Hidden states of each model.

    temperature : float, default=None
        How slowly, :math:`\alpha`, the weight of a clustering rises with the separation
        of its models. ``None`` takes the standard deviation of the separations.

    variant : {"plus", "minus"}, default="plus"
        The sign in the exponent: ``"plus"`` for clusterings with models that differ,
        ``"minus"`` for those with models that are alike.

    prior : {"sizes", "uniform"}, default="sizes"
        Shares :math:`\pi_r` of the models in their mixture: those of the clusters in
        the objects, or all alike.

    linkage : shared

    max_iter : int, default=50
        Most rounds of assigning series and fitting models in each clustering.

    n_jobs : shared

    random_state : int, RandomState instance or None, default=None
        Seed of the clusterings.

    Attributes
    ----------
    cluster_weights_ : ndarray of shape (n_clusters of the ensemble,)
        Share of the objects that each cluster has.

    clustering_weights_ : shared

    separation_ : ndarray of shape (n_clusterings,)
        How different the models of each clustering are, :math:`D_m`.

    linkage_ : shared

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
    :math:`\alpha`, the prior and the number of states the review does not give. By time
    step, separations of the clusterings of one set of series differ by hundredths, and
    with :math:`\alpha = 1` all clusterings weigh nearly the same; the default follows
    their spread, so that a clustering one standard deviation better separated than
    another weighs *e* times as much. Separations that are equal but for rounding give
    equal weights.

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
        "temperature": [*SHARED["temperature"], None],
        "n_states": [Interval(Integral, 1, None, closed="left")],
        "variant": [StrOptions({"plus", "minus"})],
        "prior": [StrOptions({"sizes", "uniform"})],
    }

    def __init__(
        self,
        n_clusters: int | None = None,
        *,
        n_clusterings: int = 10,
        n_states: int = 3,
        temperature: float | None = None,
        variant: str = "plus",
        prior: str = "sizes",
        linkage: Linkage = "average",
        max_iter: int = 50,
        n_jobs: int | None = None,
        random_state: Seed = None,
    ) -> None:
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

    def _default_generator(self) -> Any:
        return HMMGenerator(
            self.n_clusterings,
            n_clusters=self.n_clusters,
            n_states=self.n_states,
            max_iter=self.max_iter,
            n_jobs=self.n_jobs,
        )

    def _combine(self, ensemble: Ensemble, X: Data, rng: Rng) -> Array:
        self.cluster_weights_ = ensemble.sizes / ensemble.n_objects
        models = [member.model for member in self.generator_.members_]
        self.n_iter_ = max(model.n_iter_ for model in models)
        priors: list[Any] = [None] * len(models)
        if self.prior == "sizes":
            priors = np.split(self.cluster_weights_, ensemble.offsets[1:-1])
        self.separation_ = np.array(
            [
                model_separation(model.log_likelihood_, prior)
                for model, prior in zip(models, priors, strict=True)
            ]
        )
        sign = 1.0 if self.variant == "plus" else -1.0
        exponents = sign * self.separation_ / self._alpha()
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
        return cut(self.linkage_, self._resolve_n_clusters(ensemble))

    def _alpha(self) -> float:
        """The temperature that was asked for, or the spread of the separations."""
        if self.temperature is not None:
            return float(self.temperature)
        spread = float(self.separation_.std())
        same = spread <= _ROUNDING * float(np.abs(self.separation_).max())
        return 1.0 if same else spread


def model_separation(log_likelihood: Array, prior: Array | None = None) -> float:
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
