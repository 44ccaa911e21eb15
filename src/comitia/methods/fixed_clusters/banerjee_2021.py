"""The method of Banerjee et al."""

from numbers import Real

import numpy as np
from numpy.typing import NDArray

from comitia._sklearn import Interval, StrOptions
from comitia.base import EnsembleMethod
from comitia.catalogue import MethodCard
from comitia.exceptions import ComitiaError
from comitia.methods._types import Array, Data, Ensemble, Linkage, Maker, Rng, Seed
from comitia.partition import cut, ensemble_linkage
from comitia.weigh import normalize_weights

__all__ = ["ConditionalEntropyEnsemble"]


class ConditionalEntropyEnsemble(EnsembleMethod):
    r"""Weighted ensemble by conditional cluster entropy.

    A cluster counts for less the more it cuts through the clusters of the other
    clusterings; average linkage cuts the weighted co-association [1]_.

    Parameters
    ----------
    n_clusters : shared

    variant : {"entropy", "printed", "meeting"}, default="entropy"
        The exponent of the weight: a conditional entropy; as the review prints it; or
        as printed, over the clusters that share objects with the one weighed.

    threshold : float, default=1e-3
        Smallest share under the logarithm, for ``variant="printed"``; from 0 to 1.

    linkage : {"single", "complete", "average", "ward"}, default="average"
        Distance of two clusters in the tree. The paper has ``"average"``.

    generator : shared

    random_state : int, RandomState instance or None, default=None
        Seed of the generator.

    Attributes
    ----------
    cluster_weights_ : ndarray of shape (n_clusters of the ensemble,)
        Weight of each cluster, in [0, 1].

    linkage_ : shared

    Notes
    -----
    With the share :math:`p_d = |c \cap d| / |d|` of another cluster d that lies in
    cluster c of clustering :math:`m(c)`, the cluster weighs

    .. math::
        w_c = \exp \Bigl( \frac{1}{M} \sum_{m \ne m(c)} \sum_{d \in C_m}
        \frac{|d|}{n} \, p_d \ln p_d \Bigr),

    which is 1 exactly when every other cluster lies inside c or outside it. The
    similarity of objects i and j is :math:`M^{-1}` times the weight of the clusters
    that hold both. A missing label says nothing: clusterings are compared on the
    objects that both have, objects over the clusterings that have both.

    The review prints the exponent without the factor :math:`p_d`. A single cluster that
    is disjoint from c then makes it minus infinity, so that nearly all weights vanish:
    of six objects in the clusterings 000111, 000111 and 001122, only the cluster that
    the other two tear apart keeps a weight. With ``variant="meeting"`` the printed sum
    runs over the clusters d that meet c alone; large clusters that c takes little of
    then count most against it. With ``variant="printed"`` shares below
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
        missing="pairs",
        scales="quadratic",
        exempt={
            "weights_differ": "the exponent is a mean entropy, much the same for all "
            'clusters of an ordinary ensemble; variant="meeting" tells them apart',
        },
    )

    _parameter_constraints = {
        "variant": [StrOptions({"entropy", "printed", "meeting"})],
        "threshold": [Interval(Real, 0, 1, closed="both")],
    }

    def __init__(
        self,
        n_clusters: int | None = None,
        *,
        variant: str = "entropy",
        threshold: float = 1e-3,
        linkage: Linkage = "average",
        generator: Maker = None,
        random_state: Seed = None,
    ) -> None:
        self.n_clusters = n_clusters
        self.variant = variant
        self.threshold = threshold
        self.linkage = linkage
        self.generator = generator
        self.random_state = random_state

    def _combine(self, ensemble: Ensemble, X: Data, rng: Rng) -> Array:
        weights = cluster_containment(ensemble, self.variant, floor=self.threshold)
        if not weights.any():
            weights = normalize_weights(weights) * len(weights)
        self.cluster_weights_ = weights
        self.linkage_ = ensemble_linkage(
            ensemble, cluster_weights=weights, linkage=self.linkage
        )
        return cut(self.linkage_, self._resolve_n_clusters(ensemble))


def cluster_containment(
    ensemble: Ensemble, variant: str = "entropy", *, floor: float = 1e-3
) -> NDArray[np.float64]:
    r"""How well the clusters of the other clusterings lie inside or outside a cluster.

    .. math::
        w_c = \exp \Bigl( \frac{1}{M} \sum_{m \ne m(c)} \sum_{d \in C_m}
        \frac{|d|}{n} \, p_d \ln p_d \Bigr),
        \qquad p_d = \frac{|c \cap d|}{|d|} .

    "printed" leaves out the factor :math:`p_d`, as the review prints it, and takes no
    :math:`p_d` below ``floor`` for the logarithm; "meeting" leaves it out too, and sums
    over the clusters that share objects with c. Of d and n, only the objects count that
    the clustering of c has.
    """
    if not 0 <= floor <= 1:
        raise ComitiaError(f"floor={floor} must lie between 0 and 1.")
    of, M = ensemble.clustering_of, ensemble.n_clusterings
    K = len(of)
    table = ensemble.contingency().tocoo()
    c, d, count = table.row, table.col, table.data.astype(np.float64)
    # Objects of each cluster that each clustering has, and of each two clusterings.
    size = np.bincount(d.astype(np.int64) * M + of[c], count, K * M).reshape(K, M)
    n = np.add.reduceat(size, ensemble.offsets[:-1], axis=0)
    if variant == "printed":
        shared_objects, sizes = table.toarray(), size.T[of]
        p = np.divide(shared_objects, sizes, out=np.ones((K, K)), where=sizes > 0)
        other = of[:, None] != of
        with np.errstate(divide="ignore"):  # no weight is left, if nothing is shared
            logarithm = np.log(np.where(other, np.maximum(p, floor), 1.0))
        terms = np.where(sizes > 0, sizes / np.maximum(n[of][:, of], 1.0), 0.0)
        return np.exp(np.where(terms > 0, terms * logarithm, 0.0).sum(axis=1) / M)
    other = of[c] != of[d]
    c, d, count = c[other], d[other], count[other]
    sizes = size[d, of[c]]
    factor = sizes if variant == "meeting" else count
    terms = factor / n[of[d], of[c]] * np.log(count / sizes)
    return np.exp(np.bincount(c, terms, minlength=K) / M)
