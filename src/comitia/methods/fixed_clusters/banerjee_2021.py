"""The method of Banerjee et al."""

from numbers import Real

from comitia._sklearn import Interval, StrOptions
from comitia.base import EnsembleMethod
from comitia.catalogue import MethodCard
from comitia.partition import cut, ensemble_linkage
from comitia.weigh import cluster_containment, normalize_weights

__all__ = ["ConditionalEntropyEnsemble"]


class ConditionalEntropyEnsemble(EnsembleMethod):
    r"""Weighted ensemble by conditional cluster entropy.

    A cluster counts for less the more it cuts through the clusters of the other
    clusterings; average linkage cuts the weighted co-association [1]_.

    Parameters
    ----------
    n_clusters : int, default=None
        Number of clusters. ``None`` cuts the tree at its longest lifetime.

    variant : {"entropy", "printed"}, default="entropy"
        The exponent of the weight: a conditional entropy, or as the review prints it.

    threshold : float, default=1e-3
        Smallest share under the logarithm, for ``variant="printed"``; from 0 to 1.

    linkage : {"average", "single", "complete", "ward"}, default="average"
        Distance of two clusters of objects; the paper has average linkage.

    generator : generator, default=None
        Makes the clusterings when :meth:`fit` is given data alone.

    random_state : int, RandomState instance or None, default=None
        Seed of the generator.

    Attributes
    ----------
    cluster_weights_ : ndarray of shape (n_clusters of the ensemble,)
        Weight of each cluster, in [0, 1].

    linkage_ : ndarray of shape (n_objects - 1, 4)
        The dendrogram, in SciPy form.

    Notes
    -----
    With the share :math:`p_d = |c \cap d| / |d|` of another cluster d that lies in
    cluster c of clustering :math:`m(c)`, the cluster weighs

    .. math::
        w_c = \exp \Bigl( \frac{1}{M} \sum_{m \ne m(c)} \sum_{d \in C_m}
        \frac{|d|}{n} \, p_d \ln p_d \Bigr),

    which is 1 exactly when every other cluster lies inside c or outside it. The
    similarity of objects i and j is :math:`M^{-1}` times the weight of the clusters
    that hold both.

    The review prints the exponent without the factor :math:`p_d`. A single cluster that
    is disjoint from c then makes it minus infinity, so that nearly all weights vanish:
    of six objects in the clusterings 000111, 000111 and 001122, only the cluster that
    the other two tear apart keeps a weight. With ``variant="printed"`` shares below
    ``threshold`` are raised to it; should all weights vanish for ``threshold=0``, equal
    ones are used, with a warning. The sum runs over M - 1 clusterings but is divided by
    M, as printed. The selection of clusterings that the review mentions is not
    described there.

    References
    ----------
    .. [1] A. Banerjee, A. K. Pujari, C. R. Panigrahi, B. Pati, S. C. Nayak and T.-H.
       Weng, "A new method for weighted ensemble clustering and coupled ensemble
       selection", Connection Science 33(3), 2021.
       :doi:`10.1080/09540091.2020.1866496`

    Examples
    --------
    >>> from comitia import Ensemble, method
    >>> votes = Ensemble([[0, 0, 0], [0, 0, 1], [1, 1, 1], [1, 1, 0]])
    >>> method("banerjee_2021")(n_clusters=2).fit_predict(votes)
    array([0, 0, 1, 1], dtype=int32)
    """

    card = MethodCard(
        id="banerjee_2021",
        weighs="clusters",
        approach="fixed",
        needs="labels",
        scales="quadratic",
    )

    _parameter_constraints = {
        **EnsembleMethod._parameter_constraints,
        "variant": [StrOptions({"entropy", "printed"})],
        "threshold": [Interval(Real, 0, 1, closed="both")],
        "linkage": [StrOptions({"average", "single", "complete", "ward"})],
    }

    def __init__(
        self,
        n_clusters=None,
        *,
        variant="entropy",
        threshold=1e-3,
        linkage="average",
        generator=None,
        random_state=None,
    ):
        self.n_clusters = n_clusters
        self.variant = variant
        self.threshold = threshold
        self.linkage = linkage
        self.generator = generator
        self.random_state = random_state

    def _combine(self, ensemble, X, rng):
        weights = cluster_containment(
            ensemble, printed=self.variant == "printed", floor=self.threshold
        )
        if not weights.any():
            weights = normalize_weights(weights) * len(weights)
        self.cluster_weights_ = weights
        self.linkage_ = ensemble_linkage(
            ensemble, cluster_weights=weights, linkage=self.linkage
        )
        return cut(self.linkage_, self.n_clusters)
