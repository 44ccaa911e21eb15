"""FCC."""

import warnings
from numbers import Integral, Real

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from comitia._sklearn import Interval, StrOptions
from comitia.base import EnsembleMethod
from comitia.catalogue import MethodCard
from comitia.partition import fuzzy_rows
from comitia.weigh import normalize_weights

__all__ = ["FCC"]


class FCC(EnsembleMethod):
    r"""Fuzzy consensus clustering.

    Fuzzy c-means on the memberships that the clusterings give to each object, which is
    the consensus of largest weighted utility [1]_.

    Parameters
    ----------
    n_clusters : int, default=None
        Number of clusters; the eigengap of the ensemble's graph when None.

    clustering_weights : array-like of shape (n_clusterings,), default=None
        Weights :math:`w` of the clusterings; equal by default. The method does not
        determine them.

    utility : {"squared", "entropy", "norm"}, default="squared"
        The convex function g of the utility: squared norm, negative entropy or norm,
        whose divergences are the squared Euclidean distance, the Kullback-Leibler
        divergence and a cosine distance.

    fuzziness : float, default=1.2
        The exponent :math:`\alpha > 1` of the memberships; near 1 they are crisp.

    n_init : int, default=10
        Number of starts; the best objective wins.

    max_iter : int, default=300
        Most iterations of a start.

    tol : float, default=1e-5
        Stop when no membership changes by more.

    generator : generator, default=None
        Makes the clusterings when :meth:`fit` is given data alone.

    random_state : int, RandomState instance or None, default=None
        Seed of the generator and of the starts.

    Attributes
    ----------
    clustering_weights_ : ndarray of shape (n_clusterings,)
        Weight of each clustering; they sum to one.

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
        approach="fixed",
        needs="labels",
        scales="linear",
    )

    _parameter_constraints = {
        **EnsembleMethod._parameter_constraints,
        "clustering_weights": ["array-like", None],
        "utility": [StrOptions({"squared", "entropy", "norm"})],
        "fuzziness": [Interval(Real, 1, None, closed="neither")],
        "n_init": [Interval(Integral, 1, None, closed="left")],
        "max_iter": [Interval(Integral, 1, None, closed="left")],
        "tol": [Interval(Real, 0, None, closed="left")],
    }

    def __init__(
        self,
        n_clusters=None,
        *,
        clustering_weights=None,
        utility="squared",
        fuzziness=1.2,
        n_init=10,
        max_iter=300,
        tol=1e-5,
        generator=None,
        random_state=None,
    ):
        self.n_clusters = n_clusters
        self.clustering_weights = clustering_weights
        self.utility = utility
        self.fuzziness = fuzziness
        self.n_init = n_init
        self.max_iter = max_iter
        self.tol = tol
        self.generator = generator
        self.random_state = random_state

    def _combine(self, ensemble, X, rng):
        w = self.clustering_weights
        w = normalize_weights(np.ones(ensemble.n_clusterings) if w is None else w)
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
        if not run.converged:
            warnings.warn(
                f"FCC did not converge in max_iter={self.max_iter} iterations; raise "
                "max_iter or tol.",
                ConvergenceWarning,
                stacklevel=2,
            )
        self.objective_, self.converged_ = run.objective, run.converged
        self.n_iter_ = len(run.objective) - 1
        labels = run.membership.argmax(axis=1)
        # Columns in the order of the labels; a cluster that nobody prefers is none.
        names, first = np.unique(labels, return_index=True)
        kept = run.membership[:, names[np.argsort(first)]]
        self.membership_ = kept / kept.sum(axis=1, keepdims=True)
        return labels
