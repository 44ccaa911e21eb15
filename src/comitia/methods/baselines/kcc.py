"""KCC."""

from numbers import Integral, Real

import numpy as np

from comitia._sklearn import Interval, StrOptions
from comitia.base import EnsembleMethod
from comitia.catalogue import MethodCard
from comitia.partition import kmeans_rows
from comitia.weigh import normalize_weights

__all__ = ["KCC"]


class KCC(EnsembleMethod):
    r"""K-means-based consensus clustering.

    K-means on the label rows, each label written as a block of zeros with a single one.
    The partition that k-means finds is the one most useful for guessing the labels of
    the clusterings [1]_.

    Parameters
    ----------
    n_clusters : int, default=None
        Number of clusters; chosen by the eigengap when None.

    utility : str, default="squared"
        What usefulness means: ``"squared"`` is the category utility :math:`U_c`,
        ``"entropy"`` the mutual information :math:`U_H`; ``"squared_normalized"`` and
        ``"entropy_normalized"`` divide by what each clustering could reach at most.

    clustering_weights : array-like of shape (n_clusterings,), default=None
        Weight :math:`w_m` of each clustering; equal by default.

    n_init : int, default=10
        Number of starts; the best one is kept.

    max_iter : int, default=100
        Most iterations of each start.

    tol : float, default=1e-5
        Stop when the objective falls by less than this share of itself.

    generator : generator, default=None
        Makes the clusterings when :meth:`fit` is given data alone.

    random_state : int, RandomState instance or None, default=None
        Seed of the generator and of the starts.

    Attributes
    ----------
    clustering_weights_ : ndarray of shape (n_clusterings,)
        The weights used; they sum to 1.

    objective_ : ndarray of shape (n_iter_,)
        The objective after each iteration.

    n_iter_ : int
        Number of iterations.

    converged_ : bool
        Whether k-means stopped before ``max_iter``.

    Notes
    -----
    With :math:`c_{rm}` the shares of the labels of clustering m in cluster r, object i
    with label l in clustering m costs

    .. math::
        \sum_m w_m (1 - 2 c_{rm,l} + \lVert c_{rm} \rVert^2)
        \quad (U_c), \qquad
        - \sum_m w_m \log_2 c_{rm,l} \quad (U_H) .

    Clusterings in which an object has no label are left out of its cost and of the
    shares. The authors start from random objects; here the starts are drawn by
    k-means++. With plain k-means this is the baseline that every weighted method has to
    face: it is hard to beat on noisy ensembles.

    References
    ----------
    .. [1] J. Wu, H. Liu, H. Xiong, J. Cao and J. Chen, "K-means-based consensus
       clustering: a unified view", IEEE TKDE 27(1), 2015.
       :doi:`10.1109/TKDE.2014.2316512`

    Examples
    --------
    >>> from comitia import Ensemble, method
    >>> votes = Ensemble([[0, 0, 0], [0, 0, 0], [1, 1, 0], [1, 1, 1]])
    >>> method("kcc")(n_clusters=2, random_state=0).fit_predict(votes)
    array([0, 0, 1, 1], dtype=int32)
    """

    card = MethodCard(
        id="kcc",
        weighs="clusterings",
        approach="baseline",
        needs="labels",
        scales="linear",
        on_device=True,
    )

    _labels_on_device = True

    _parameter_constraints = {
        **EnsembleMethod._parameter_constraints,
        "utility": [
            StrOptions(
                {"squared", "entropy", "squared_normalized", "entropy_normalized"}
            )
        ],
        "clustering_weights": ["array-like", None],
        "n_init": [Interval(Integral, 1, None, closed="left")],
        "max_iter": [Interval(Integral, 1, None, closed="left")],
        "tol": [Interval(Real, 0, None, closed="left")],
    }

    def __init__(
        self,
        n_clusters=None,
        *,
        utility="squared",
        clustering_weights=None,
        n_init=10,
        max_iter=100,
        tol=1e-5,
        generator=None,
        random_state=None,
    ):
        self.n_clusters = n_clusters
        self.utility = utility
        self.clustering_weights = clustering_weights
        self.n_init = n_init
        self.max_iter = max_iter
        self.tol = tol
        self.generator = generator
        self.random_state = random_state

    def _combine(self, ensemble, X, rng):
        w = self.clustering_weights
        self.clustering_weights_ = normalize_weights(
            np.ones(ensemble.n_clusterings) if w is None else w
        )
        weights = {"clustering_weights": self.clustering_weights_}
        utility, _, normalized = self.utility.partition("_")
        labels, self.objective_ = kmeans_rows(
            ensemble,
            self._resolve_n_clusters(ensemble, **weights),
            rng,
            **weights,
            utility=utility,
            normalized=bool(normalized),
            n_init=self.n_init,
            max_iter=self.max_iter,
            tol=self.tol,
        )
        self.n_iter_ = len(self.objective_)
        self.converged_ = self.n_iter_ < self.max_iter
        return labels
