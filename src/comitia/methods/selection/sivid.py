"""SIVID."""

from typing import Any

from comitia._sklearn import StrOptions
from comitia.catalogue import MethodCard
from comitia.methods._types import Array, Data, Ensemble, Linkage, Maker, Rng, Seed
from comitia.methods.selection._base import SelectionMethod
from comitia.methods.selection._sivid_categorical import (
    CATEGORICAL,
    categorical_scores,
)
from comitia.select import greedy_diverse
from comitia.validity import INDICES, score_table, unify
from comitia.validity.unification import finite_scores

__all__ = ["SIVID"]


class SIVID(SelectionMethod):
    r"""Sum of internal validity indices with diversity.

    Good clusterings that differ from each other are kept: first the best one, then
    always the one whose quality and whose difference to those kept have the largest
    product [1]_.

    Parameters
    ----------
    n_clusters : shared

    n_select : int, default=None
        How many clusterings are kept; half of them by default.

    indices : list of str or "categorical", default=("silhouette", \
            "calinski_harabasz", "davies_bouldin", "dunn", "index_i")
        Validity indices of :mod:`comitia.validity` whose sum is the quality.
        ``"categorical"`` takes five for data whose numbers are codes of categories.

    unification : {"minmax", "range", "prob", "rank"}, default="minmax"
        How the indices are put on one scale, as in :func:`comitia.validity.unify`.

    agreement, linkage, generator : shared

    random_state : int, RandomState instance or None, default=None
        Seed of the generator.

    Attributes
    ----------
    selected_ : shared

    clustering_weights_ : ndarray of shape (n_clusterings,)
        The quality :math:`q_m` of each clustering.

    linkage_ : ndarray of shape (n_objects - 1, 4)
        The dendrogram of the objects, from the clusterings kept, in SciPy form.

    Notes
    -----
    With the unified indices :math:`V_{mj}`, larger for the better,

    .. math::
        q_m = \sum_j V_{mj}

    and after the clustering of largest quality the next one is, with the set P of those
    kept,

    .. math::
        \arg\max_m \; q_m \Bigl( 1 - \frac{1}{|P|} \sum_{l \in P} \phi(C_m, C_l)
        \Bigr).

    The paper is about categorical data and takes five indices for these, which the
    review does not name; a summary of the paper lists category utility, CDCS and a
    Davies–Bouldin index among them. ``indices="categorical"`` takes category utility,
    the Condorcet criterion, the expected entropy, the cost of k-modes, and a
    Davies–Bouldin index of modes and mismatches:

    .. math::
        \frac1k \sum_c \frac{|c|}{n} \sum_{jv} (p_{cjv}^2 - p_{jv}^2), \quad
        \sum_{i, l \text{ together}} (p - 2 d_{il}) +
        \sum_{i, l \text{ apart}} d_{il}, \quad
        -\sum_c \frac{|c|}{n} \sum_{jv} p_{cjv} \ln p_{cjv}, \quad
        \sum_{i} d(x_i, z_{c(i)}), \quad
        \frac1k \sum_c \max_{b \ne c} \frac{s_c + s_b}{d(z_c, z_b)},

    with the share :math:`p_{cjv}` of the objects of cluster c that have the value v of
    feature j, the number d of features, of all p, in which two objects differ, the
    mode :math:`z_c` of a cluster and the mean distance :math:`s_c` from it. For data
    that are numbers the default is five for these.

    ``unification="range"`` gives the poorest clustering the quality 0, with which it is
    never kept for its difference alone; ``"minmax"`` keeps proportions. Number kept,
    diversity towards a set and consensus are ours too; for another consensus use
    ``ConsensusClustering(selection=SIVID())``.

    Where labels are missing, clusterings are added until every object is in one.

    References
    ----------
    .. [1] X. Zhao, J. Liang and C. Dang, "Clustering ensemble selection for categorical
       data based on internal validity indices", Pattern Recognition 69, 2017.
       :doi:`10.1016/j.patcog.2017.04.019`

    Examples
    --------
    >>> from comitia import Ensemble, method
    >>> X = [[0.0], [1.0], [2.0], [10.0], [11.0], [12.0]]
    >>> C, D = [0, 0, 0, 1, 1, 1], [0, 0, 1, 1, 2, 2]
    >>> votes = Ensemble(list(zip(C, C, D)))
    >>> fitted = method("sivid")(n_clusters=2, n_select=2).fit(X, ensemble=votes)
    >>> fitted.selected_
    array([ True, False,  True])
    """

    card = MethodCard(
        id="sivid",
        weighs="clusterings",
        approach="selection",
        needs=("labels", "data"),
        missing="pairs",
        scales="quadratic",
    )

    _parameter_constraints = {
        "indices": [list, tuple, StrOptions({*INDICES, "categorical"})],
    }

    def __init__(
        self,
        n_clusters: int | None = None,
        *,
        n_select: int | None = None,
        indices: Any = (
            "silhouette",
            "calinski_harabasz",
            "davies_bouldin",
            "dunn",
            "index_i",
        ),
        unification: str = "minmax",
        agreement: Any = "nmi_sqrt",
        linkage: Linkage = "average",
        generator: Maker = None,
        random_state: Seed = None,
    ) -> None:
        self.n_clusters = n_clusters
        self.n_select = n_select
        self.indices = indices
        self.unification = unification
        self.agreement = agreement
        self.linkage = linkage
        self.generator = generator
        self.random_state = random_state

    def _select(self, ensemble: Ensemble, X: Data, rng: Rng) -> Array:
        n_select = self._n_select(ensemble)
        if isinstance(self.indices, str) and self.indices == "categorical":
            values = finite_scores(categorical_scores(X, ensemble))
            V = unify(values, list(CATEGORICAL.values()), self.unification)
        else:
            V = score_table(X, ensemble, self.indices).unified(self.unification)
        self.clustering_weights_ = V.sum(axis=1)
        return greedy_diverse(
            ensemble.agreement(self.agreement),
            n_select,
            quality=self.clustering_weights_,
        )
