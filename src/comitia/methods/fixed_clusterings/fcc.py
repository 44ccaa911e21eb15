"""FCC."""

from typing import Any

from comitia._sklearn import StrOptions
from comitia.base import EnsembleMethod
from comitia.catalogue import MethodCard
from comitia.methods._loops import keep_run
from comitia.methods._memberships import fuzzy_clusters
from comitia.methods._types import Array, Data, Ensemble, Maker, Rng, Seed
from comitia.methods.fixed_clusterings._fcc_fuzzy_rows import fuzzy_rows
from comitia.weigh.clusterings import given_weights

__all__ = ["FCC"]


class FCC(EnsembleMethod):
    r"""Fuzzy consensus clustering.

    Fuzzy c-means on the memberships that the clusterings give to each object, which is
    the consensus of largest weighted utility [1]_.

    Parameters
    ----------
    n_clusters : shared

    clustering_weights : array-like of shape (n_clusterings,), default=None
        Weight of each clustering, :math:`w_m`; equal by default. The method does not
        determine them.

    utility : {"squared", "entropy", "norm"}, default="squared"
        The convex function g of the utility: squared norm, negative entropy or norm,
        whose divergences are the squared Euclidean distance, the Kullback-Leibler
        divergence and a cosine distance.

    fuzziness : float, default=1.2
        The exponent :math:`\alpha > 1` of the memberships; near 1 they are crisp.

    n_init : int, default=10
        Number of starts; the best one is kept.

    max_iter : int, default=300
        Most iterations of each start.

    tol : float, default=1e-5
        Stop when no membership changes by more.

    generator, random_state : shared

    Attributes
    ----------
    clustering_weights_ : shared

    membership_ : ndarray of shape (n_objects, n_clusters_)
        The fuzzy consensus; rows sum to one.

    objective_ : ndarray of shape (n_iter_ + 1,)
        What is minimised, at the start and after each iteration.

    n_iter_ : int
        Number of iterations of the best start.

    converged_ : bool
        Whether the memberships stopped changing before ``max_iter``.

    Notes
    -----
    The utility of a fuzzy consensus F and clustering m,

    .. math::
        \phi(F, F^m) = \sum_r \lVert F_{\cdot r}^\alpha \rVert_1 \, g(p_r^m)
        - \sum_i \lVert F_{i \cdot}^\alpha \rVert_1 \, g(F^m_i), \qquad
        p_r^m = \frac{\sum_i F_{ir}^\alpha F^m_i}{\sum_i F_{ir}^\alpha},

    is minus the objective of fuzzy c-means with the Bregman divergence of g, so that
    memberships and prototypes are updated in turn to minimise

    .. math::
        \sum_i \sum_r F_{ir}^\alpha \sum_m w_m D_g(F^m_i, p_r^m).

    The utility is 0 at most, and no similarity in [0, 1] as the review says; that does
    not matter to the maximum. Neither half step raises the objective, and each costs as
    much as the memberships have entries.

    The review gives no exponent. The customary 2 makes prototypes of many clusterings
    coincide, as fuzzy c-means does in many dimensions: on pools of ten k-means
    clusterings of real data it left two or three of 4 to 10 clusters, where 1.2 left
    all of them.

    An object that lies on a prototype belongs to it altogether, in equal parts if there
    are several. Starts are rows of objects drawn by k-means++, averaged with a
    millionth of the mean row, because a Kullback-Leibler divergence from a zero is
    infinite; later prototypes are means and have no such zeros. Clusterings in which an
    object has no label are left out of its distance and of the prototypes.

    References
    ----------
    .. [1] J. Wu, Z. Wu, J. Cao, H. Liu, G. Chen and Y. Zhang, "Fuzzy consensus
       clustering with applications on big data", IEEE Trans. Fuzzy Systems 25(6), 2017.

    Examples
    --------
    >>> from comitia import Ensemble, method
    >>> votes = Ensemble([[0, 0, 0], [0, 0, 0], [1, 1, 0], [1, 1, 1]])
    >>> fitted = method("fcc")(n_clusters=2, random_state=0).fit(votes)
    >>> fitted.labels_
    array([0, 0, 1, 1], dtype=int32)
    >>> fitted.membership_.shape
    (4, 2)
    """

    card = MethodCard(
        id="fcc",
        weighs="clusterings",
        weighs_how="by clustering_weights; all the same by default",
        approach="fixed",
        needs="labels",
        missing="votes",
        scales="linear",
        exempt={
            "weights_differ": "weights are given by the user and equal by default; "
            "the method determines none",
            "weights_follow_quality": "weights are given by the user; the method "
            "determines none",
        },
    )

    _parameter_constraints = {
        "utility": [StrOptions({"squared", "entropy", "norm"})],
    }

    def __init__(
        self,
        n_clusters: int | None = None,
        *,
        clustering_weights: Any = None,
        utility: str = "squared",
        fuzziness: float = 1.2,
        n_init: int = 10,
        max_iter: int = 300,
        tol: float = 1e-5,
        generator: Maker = None,
        random_state: Seed = None,
    ) -> None:
        self.n_clusters = n_clusters
        self.clustering_weights = clustering_weights
        self.utility = utility
        self.fuzziness = fuzziness
        self.n_init = n_init
        self.max_iter = max_iter
        self.tol = tol
        self.generator = generator
        self.random_state = random_state

    def _combine(self, ensemble: Ensemble, X: Data, rng: Rng) -> Array:
        w = given_weights(self.clustering_weights, ensemble.n_clusterings)
        self.clustering_weights_ = w
        run = fuzzy_rows(
            ensemble,
            self._resolve_n_clusters(ensemble, clustering_weights=w),
            rng,
            clustering_weights=w,
            divergence="kl" if self.utility == "entropy" else self.utility,
            fuzziness=self.fuzziness,
            n_init=self.n_init,
            max_iter=self.max_iter,
            tol=self.tol,
        )
        keep_run(self, run, "iterations")
        labels, _, self.membership_ = fuzzy_clusters(run.membership)
        return labels
