"""Average linkage on a weighted co-association matrix."""

from typing import Any

from comitia._sklearn import StrOptions
from comitia.base import EnsembleMethod
from comitia.catalogue import MethodCard
from comitia.methods._types import Array, Data, Ensemble, Linkage, Maker, Rng, Seed
from comitia.partition import cut, ensemble_linkage
from comitia.validity import INDICES
from comitia.weigh import index_scores, normalize_weights

__all__ = ["ValidityWeightedCoassociation"]


class ValidityWeightedCoassociation(EnsembleMethod):
    r"""Average linkage on a co-association matrix weighted by validity.

    Two objects are alike when good clusterings put them together, and a clustering is
    good when a validity index says so on the data [1]_.

    Parameters
    ----------
    n_clusters : shared

    index : str or callable, default="silhouette"
        What a clustering is judged by, :math:`\gamma`: an index of
        :mod:`comitia.validity`, or a function ``index(X, labels)`` that returns a
        number, 0 or more and larger for a better clustering. Its labels are -1 for
        objects that a clustering leaves out. X is None when :meth:`fit` is given an
        ensemble alone, which only works with a function.

    linkage, generator : shared

    random_state : int, RandomState instance or None, default=None
        Seed of the generator.

    Attributes
    ----------
    clustering_weights_, linkage_ : shared

    Notes
    -----
    The weights and the similarity of objects are

    .. math::
        w_m = \frac{\gamma(C_m)}{\sum_l \gamma(C_l)}, \qquad S = B W B',

    and the dendrogram is built on :math:`1 - S`. Which function :math:`\gamma` is, the
    paper leaves to the user. Indices in [-1, 1] such as the silhouette are shifted to
    [0, 1], and an index v that is better when small counts as 1 / (1 + v). A clustering
    for which an index is not defined, mostly one with a single cluster, weighs nothing.

    References
    ----------
    .. [1] V. Berikov and I. Pestunov, "Ensemble clustering based on weighted
       co-association matrices: error bound and convergence properties", Pattern
       Recognition 63, 2017. :doi:`10.1016/j.patcog.2016.10.017`

    Examples
    --------
    >>> from comitia import Ensemble, method
    >>> X = [[0.0], [1.0], [2.0], [10.0], [11.0], [12.0]]
    >>> votes = Ensemble([[0, 0], [0, 0], [0, 1], [1, 1], [1, 2], [1, 2]])
    >>> judge = method("berikov_pestunov_2017")(n_clusters=2, index="dunn")
    >>> judge.fit_predict(X, ensemble=votes)
    array([0, 0, 0, 1, 1, 1], dtype=int32)
    >>> judge.clustering_weights_.round(3)
    array([0.97, 0.03])
    """

    card = MethodCard(
        id="berikov_pestunov_2017",
        weighs="clusterings",
        approach="fixed",
        needs=("labels", "data"),
        missing="pairs",
        scales="quadratic",
        exempt={
            "weights_differ": "the silhouette is much the same for all k-means "
            'clusterings of one table; index="calinski_harabasz" tells them apart',
        },
    )

    _parameter_constraints = {
        "index": [StrOptions(set(INDICES)), callable],
    }

    def __init__(
        self,
        n_clusters: int | None = None,
        *,
        index: Any = "silhouette",
        linkage: Linkage = "average",
        generator: Maker = None,
        random_state: Seed = None,
    ) -> None:
        self.n_clusters = n_clusters
        self.index = index
        self.linkage = linkage
        self.generator = generator
        self.random_state = random_state

    def _check_given(self, data: Any, ensemble: Ensemble | None) -> None:
        # A function of the labels can judge clusterings without their data.
        if not (callable(self.index) and data is None):
            super()._check_given(data, ensemble)

    def _combine(self, ensemble: Ensemble, X: Data, rng: Rng) -> Array:
        self.clustering_weights_ = normalize_weights(
            index_scores(X, ensemble, self.index)
        )
        self.linkage_ = ensemble_linkage(
            ensemble,
            clustering_weights=self.clustering_weights_,
            linkage=self.linkage,
        )
        return cut(self.linkage_, self._resolve_n_clusters(ensemble))
