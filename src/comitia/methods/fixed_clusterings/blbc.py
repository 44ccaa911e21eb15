"""BLBC."""

from numbers import Integral, Real
from typing import Any

from comitia._sklearn import Interval
from comitia.catalogue import MethodCard
from comitia.methods._types import Seed
from comitia.methods.fixed_clusterings._same_number import SameNumberOfClusters
from comitia.methods.fixed_clusterings.zhou_tang_2006 import ClustererEnsemble

__all__ = ["BLBC"]


class BLBC(SameNumberOfClusters, ClustererEnsemble):
    r"""Bag of little bootstraps clustering.

    Bootstrap samples as large as the data, but of few different objects, are clustered
    at the cost of the few; the clusterings then vote as in a clusterer ensemble [1]_.

    Parameters
    ----------
    n_clusters : int, default=None
        Number of clusters, of each clustering and of the result. ``None`` takes the
        eigengap of a first ensemble with random numbers of clusters.

    n_clusterings : int, default=100
        Number of clusterings, :math:`M = s r`: bootstrap samples in all.

    n_resamples : int, default=10
        Number of bootstrap samples of each subset, :math:`r`.

    subset_power : float, default=0.6
        The exponent :math:`\gamma`: a subset has :math:`b = n^\gamma` objects.

    variant : {"voting", "weighted", "selective", "selective_weighted"}, \
            default="selective_weighted"
        Whether clusterings are dropped and whether the others have weights.

    agreement : shared

    reference : int, default=None
        Index of the clustering that the others are aligned to; a random one by default.

    n_jobs : shared

    random_state : int, RandomState instance or None, default=None
        Seed of the clusterings and of the consensus.

    Attributes
    ----------
    clustering_weights_ : ndarray of shape (n_clusterings,)
        Weight of the vote of each clustering; 0 for those that were dropped, with
        sum 1.

    selected_ : ndarray of shape (n_clusterings,)
        Whether each clustering was kept.

    See Also
    --------
    ClustererEnsemble : The same vote on any clusterings.

    Notes
    -----
    From each of s subsets of b different objects, r samples of nominal size n are drawn
    with replacement and stored as counts

    .. math::
        (c_1, \dots, c_b) \sim \mathrm{Multinomial}(n;\ 1/b, \dots, 1/b),

    the weights of the objects in k-means. All n objects then go to the nearest of its
    centres, so that agreement and votes are defined on all of them. The weight of a
    clustering is the inverse of its mean agreement with the others, of all subsets,

    .. math::
        w_m = \frac{1 / \beta_m}{\sum_l 1 / \beta_l}, \qquad
        \beta_m = \frac{1}{M - 1} \sum_{l \ne m} \phi(C_m, C_l),

    and those below :math:`1 / M` are dropped. Sizes and numbers of subsets are not
    given in the review; :math:`\gamma` is that of the literature on the bag of little
    bootstraps.

    References
    ----------
    .. [1] H. Wang, F. Zhuang, X. Ao, Q. He and Z. Shi, "Scalable bootstrap clustering
       for massive data", IEEE/ACIS SNPD 2014. :doi:`10.1109/SNPD.2014.6888693`

    Examples
    --------
    >>> import numpy as np
    >>> from comitia import method
    >>> X = np.r_[0:20, 100:120].reshape(-1, 1)
    >>> labels = method("blbc")(n_clusters=2, random_state=0).fit_predict(X)
    >>> labels[[0, 19, 20, 39]]
    array([0, 0, 1, 1], dtype=int32)
    """

    card = MethodCard(
        id="blbc",
        weighs="clusterings",
        approach="fixed",
        needs="data",
        scales="linear",
    )

    _parameter_constraints = {
        "n_resamples": [Interval(Integral, 1, None, closed="left")],
        "subset_power": [Interval(Real, 0, 1, closed="right")],
    }

    def __init__(
        self,
        n_clusters: int | None = None,
        *,
        n_clusterings: int = 100,
        n_resamples: int = 10,
        subset_power: float = 0.6,
        variant: Any = "selective_weighted",
        agreement: Any = "nmi_sqrt",
        reference: int | None = None,
        n_jobs: int | None = None,
        random_state: Seed = None,
    ) -> None:
        self.n_clusters = n_clusters
        self.n_clusterings = n_clusterings
        self.n_resamples = n_resamples
        self.subset_power = subset_power
        self.variant = variant
        self.agreement = agreement
        self.reference = reference
        self.n_jobs = n_jobs
        self.random_state = random_state

    def _default_generator(self) -> Any:
        from comitia.generate import KMeansGenerator, LittleBootstraps

        return KMeansGenerator(
            self.n_clusterings,
            n_clusters=self.n_clusters,
            objects=LittleBootstraps(self.subset_power, self.n_resamples),
            extend=True,
            n_jobs=self.n_jobs,
        )
