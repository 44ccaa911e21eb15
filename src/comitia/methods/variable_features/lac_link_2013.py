"""Locally adaptive clusterings, refined by the links between their clusters."""

from numbers import Real
from typing import Any

from comitia._sklearn import Interval
from comitia.catalogue import MethodCard
from comitia.methods._types import Array, Data, Ensemble, Rng, Seed
from comitia.methods.variable_features._lac_link_2013_links import (
    link_similarity,
    refine_by_links,
)
from comitia.methods.variable_features._sweep import LACEnsembleMethod
from comitia.partition import ncut
from comitia.represent import profile_similarity

__all__ = ["LinkRefinedLAC"]


class LinkRefinedLAC(LACEnsembleMethod):
    r"""Locally adaptive clustering ensemble refined by link analysis.

    As WSPA, runs of locally adaptive clustering say how probable their clusters are for
    each object. Here two clusters of a run are alike when they overlap the same
    clusters of other runs, and an object that belongs to one belongs a little to those
    like it. Spectral clustering cuts the similarity of objects [1]_.

    Parameters
    ----------
    n_clusters : int, default=None
        Number of clusters, of each clustering and of the result. ``None`` draws it for
        each clustering, from 2 to :math:`\sqrt n`, and takes the eigengap of the
        ensemble's graph for the result.

    n_clusterings : int, default=10
        Number of clusterings, :math:`M`.

    weight_penalty : float or (float, float), default=(0.1, 10.0)
        Smallest and largest :math:`\lambda` of the clusterings, which are on a
        logarithmic grid; or one for all. Large values make the weights of features
        alike.

    decay : float, default=0.8
        How alike two clusters of one clustering can be at most, :math:`\delta`: from 0,
        which leaves the plain co-association, to 1.

    n_init : int, default=3
        Number of starts of each clustering.

    n_jobs : shared

    random_state : int, RandomState instance or None, default=None
        Seed of the clusterings and of the consensus.

    Attributes
    ----------
    feature_weights_ : ndarray of shape (n_clusters of the ensemble, n_features)
        Weight of each feature in each cluster; rows sum to one.

    link_similarity_ : ndarray of shape (K, K), K the number of clusters of the ensemble
        How alike two clusters of one clustering are; zero between clusterings.

    objective_ : list of ndarray
        For each clustering its objective after each iteration.

    n_iter_ : int
        Most iterations of a clustering.

    converged_ : bool
        Whether the labels of all clusterings stopped changing.

    Notes
    -----
    With the probabilities :math:`P_{iv}` of WSPA, clusters of different clusterings are
    as alike as

    .. math::
        s(C, C') = \frac{\sum_i \min(P_{iC}, P_{iC'})}{\sum_i \max(P_{iC}, P_{iC'})},

    and those of one clustering, with :math:`N(C)` the clusters of other clusterings
    that share an object with C, as

    .. math::
        s(C^r, C^v) = \frac{\delta}{s_{\max}} \sum_{T \in N(C^r) \cap N(C^v)}
        \frac{s(T, C^r) + s(T, C^v)}{\sum_{U \in N(T)} s(T, U)} .

    If :math:`i^*` is the most probable cluster of object i, then
    :math:`P_{ir} \leftarrow P_{i i^*} s(C^{i^*}, C^r)` for :math:`r = 1, \dots, k_m`
    (the review prints k). The similarity of two objects is the mean over the
    clusterings of the cosine of these vectors.

    The "normalised value" of the similarity within a clustering is not defined; it is
    divided by its maximum :math:`s_{\max}` over the ensemble here, and :math:`s(C, C) =
    1`, so that the most probable cluster keeps its probability. Divided so, the two
    clusters that are most alike would be one and the same, and their objects nowhere
    told apart in that clustering: hence the decay factor :math:`\delta` below 1, which
    similarities by links have had from the start [2]_, mostly 0.8 or 0.9; without it,
    ``decay=1``, is what the review prints. Refined vectors do not sum to one,
    which the cosine does not mind. It does not see the factor :math:`P_{i i^*}` either:
    in each clustering objects with the same most probable cluster become the same. When
    no two clusters of a clustering have a common neighbour, the similarity is the plain
    co-association.

    The objective of a clustering may rise now and then (see
    :class:`comitia.cluster.LAC`); each keeps its best iterate. Time and memory grow
    with the square of the number of objects.

    References
    ----------
    .. [1] L.-J. Wang, Z.-F. Hao, R.-C. Cai and W. Wen, "An improved local adaptive
       clustering ensemble based on link analysis", ICMLC 2013.
       :doi:`10.1109/ICMLC.2013.6890436`

    .. [2] N. Iam-On, T. Boongoen, S. Garrett and C. Price, "A link-based approach to
       the cluster ensemble problem", IEEE TPAMI 33(12), 2011.
       :doi:`10.1109/TPAMI.2011.84`

    Examples
    --------
    >>> from comitia import method
    >>> X = [[0.0, 4.0], [0.1, 0.0], [0.2, 2.0], [5.0, 4.1], [5.1, 0.1], [5.2, 2.1]]
    >>> method("lac_link_2013")(n_clusters=2, random_state=0).fit_predict(X)
    array([0, 0, 0, 1, 1, 1], dtype=int32)
    """

    card = MethodCard(
        id="lac_link_2013",
        weighs="features",
        approach="variable",
        needs="data",
        scales="quadratic",
    )

    _parameter_constraints = {
        "decay": [Interval(Real, 0, 1, closed="both")],
    }

    def __init__(
        self,
        n_clusters: int | None = None,
        *,
        n_clusterings: int = 10,
        weight_penalty: Any = (0.1, 10.0),
        decay: float = 0.8,
        n_init: int = 3,
        n_jobs: int | None = None,
        random_state: Seed = None,
    ) -> None:
        self.n_clusters = n_clusters
        self.n_clusterings = n_clusterings
        self.weight_penalty = weight_penalty
        self.decay = decay
        self.n_init = n_init
        self.n_jobs = n_jobs
        self.random_state = random_state

    def _combine(self, ensemble: Ensemble, X: Data, rng: Rng) -> Array:
        P = self._probabilities(X)
        self.link_similarity_ = link_similarity(P, ensemble, self.decay)
        refined = refine_by_links(P, ensemble, self.link_similarity_)
        # Links blur the gap between the eigenvalues of the similarity: that of the
        # clusterings themselves tells how many clusters there are.
        n_clusters = self._resolve_n_clusters(ensemble)
        return ncut(profile_similarity(refined, ensemble), n_clusters, rng)
