"""ABC."""

from numbers import Real
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from comitia._sklearn import Interval, StrOptions
from comitia.base import EnsembleMethod
from comitia.catalogue import MethodCard
from comitia.exceptions import ComitiaError
from comitia.methods._types import Array, Data, Ensemble, Linkage, Rng, Seed
from comitia.partition import cut, hac
from comitia.represent import coassociation

__all__ = ["ABC"]


class ABC(EnsembleMethod):
    r"""Aggregating bundles of clusters.

    Many small clusters of bootstrapped objects on few features, drawn with a preference
    for those that vary much; objects that are often in one bundle belong together. Made
    for samples with thousands of genes [1]_.

    Parameters
    ----------
    n_clusters : shared

    n_clusterings : int, default=1000
        Number of clusterings, :math:`M`.

    feature_fraction : float or "sqrt", default="sqrt"
        The share of the features that a run draws, or the square root of their number.

    top_fraction : float, default=0.01
        Share of the features, by variance, that hold ``top_probability`` together.

    top_probability : float, default=0.2
        Their probability.

    linkage : {"ward", "average"}, default="ward"
        Distance of two clusters in the tree of the result.

    n_jobs : shared

    random_state : int, RandomState instance or None, default=None
        Seed of the clusterings.

    Attributes
    ----------
    feature_weights_ : ndarray of shape (n_features,)
        Probability of each feature in a draw; they sum to 1.

    linkage_ : shared

    Notes
    -----
    A run draws :math:`\sqrt p` features without replacement with probabilities

    .. math::
        w_r \propto \frac{1}{\mathrm{rank}_r + \alpha}, \qquad
        \text{rank 1 the largest variance},

    bootstraps the n objects, drops repeats, and cuts Ward's tree of what is left into
    :math:`\sqrt n` clusters. The similarity of two objects is the share of runs with
    both in one cluster among the runs that drew both; it is 0 if none did. A tree on
    :math:`1 - S` is the result.

    :math:`\alpha` makes the top hundredth of the features have probability 0.2
    together: 4.92 for 1000 features, 53.81 for 10 000. Up to five features there is no
    such number, and the weights are equal. The review says that a feature of high
    variance gets a low weight; that contradicts this calibration.

    References
    ----------
    .. [1] D. Amaratunga, J. Cabrera and V. Kovtun, "Microarray learning with ABC",
       Biostatistics 9(1), 2008. :doi:`10.1093/biostatistics/kxm017`

    Examples
    --------
    >>> from comitia import method
    >>> X = [[0.0], [0.1], [0.2], [0.3], [5.0], [5.1], [5.2], [5.3]]
    >>> abc = method("abc")(n_clusters=2, n_clusterings=100, random_state=0)
    >>> abc.fit_predict(X)
    array([0, 0, 0, 0, 1, 1, 1, 1], dtype=int32)
    """

    card = MethodCard(
        id="abc",
        weighs="features",
        approach="fixed",
        needs="data",
        scales="quadratic",
        exempt={
            "weights_differ": "weights go by the rank of the variances, and up to "
            "five features have equal ones; see the Notes",
            "weights_follow_quality": "a feature weighs by its variance, which is the "
            "same for all where they are standardised",
        },
        quick={"n_clusterings": 60, "feature_fraction": 1.0},
    )

    _parameter_constraints = {
        "feature_fraction": [
            Interval(Real, 0, 1, closed="right"),
            StrOptions({"sqrt"}),
        ],
        "top_fraction": [Interval(Real, 0, 1, closed="neither")],
        "top_probability": [Interval(Real, 0, 1, closed="neither")],
        "linkage": [StrOptions({"ward", "average"})],
    }

    def __init__(
        self,
        n_clusters: int | None = None,
        *,
        n_clusterings: int = 1000,
        feature_fraction: float | str = "sqrt",
        top_fraction: float = 0.01,
        top_probability: float = 0.2,
        linkage: Linkage = "ward",
        n_jobs: int | None = None,
        random_state: Seed = None,
    ) -> None:
        self.n_clusters = n_clusters
        self.n_clusterings = n_clusterings
        self.feature_fraction = feature_fraction
        self.top_fraction = top_fraction
        self.top_probability = top_probability
        self.linkage = linkage
        self.n_jobs = n_jobs
        self.random_state = random_state

    def _bundles(
        self, n_clusters: int | None = None, weights: Array | None = None
    ) -> Any:
        from sklearn.cluster import AgglomerativeClustering

        from comitia.generate import Bootstrap, EstimatorGenerator, FeatureSubset

        # Ward's trees have no use for repeats: a sample is its different objects.
        return EstimatorGenerator(
            AgglomerativeClustering(linkage="ward"),
            self.n_clusterings,
            n_clusters=n_clusters,
            objects=Bootstrap(),
            features=FeatureSubset(self.feature_fraction, weights),
            n_jobs=self.n_jobs,
        )

    def _default_generator(self) -> Any:
        # Asked before there are data whether members can label new objects.
        return self._bundles()

    def _generate(self, X: Data, rng: Rng) -> Ensemble:
        self.feature_weights_ = variance_rank_weights(
            X, self.top_fraction, self.top_probability
        )
        generator = self._bundles(round(len(X) ** 0.5), self.feature_weights_)
        seed = rng.randint(np.iinfo(np.int32).max)
        return self._run_generator(generator.set_params(random_state=seed), X)

    def _combine(self, ensemble: Ensemble, X: Data, rng: Rng) -> Array:
        S = coassociation(ensemble)
        self.linkage_ = hac(np.subtract(1.0, S, out=S), self.linkage)
        return cut(self.linkage_, self._resolve_n_clusters(ensemble))


def variance_rank_weights(
    X: ArrayLike, top_fraction: float = 0.01, top_probability: float = 0.2
) -> NDArray[np.float64]:
    r"""Weights that fall with the rank of a feature's variance.

    .. math::
        w_r \propto \frac{1}{\mathrm{rank}_r + \alpha},

    where rank 1 is the largest variance and :math:`\alpha > -1` is chosen so that the
    top features hold a given share of the weight.
    """
    from scipy.optimize import brentq

    for name, share in (
        ("top_fraction", top_fraction),
        ("top_probability", top_probability),
    ):
        if not 0 < share < 1:
            raise ComitiaError(f"{name}={share} must be between 0 and 1.")
    variances = np.var(np.asarray(X, dtype=np.float64), axis=0)
    p = len(variances)
    n_top = max(1, round(top_fraction * p))
    if n_top / p >= top_probability:
        return np.full(p, 1.0 / p)
    ranks = np.arange(1.0, p + 1.0)

    def excess(log_shift: float) -> float:
        w = 1.0 / (ranks - 1.0 + np.exp(log_shift))
        return float(w[:n_top].sum() / w.sum() - top_probability)

    # With alpha = exp(s) - 1 the share falls from 1 to n_top / p as s goes to infinity.
    s = brentq(excess, -700.0, 700.0, xtol=1e-12, rtol=1e-14)
    by_rank = 1.0 / (ranks - 1.0 + np.exp(s))
    weights = np.empty(p)
    weights[np.argsort(-variances, kind="stable")] = by_rank / by_rank.sum()
    return weights
