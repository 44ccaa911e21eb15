"""KCC."""

from numbers import Real
from typing import Any

from comitia._sklearn import Interval, StrOptions
from comitia.base import EnsembleMethod
from comitia.catalogue import MethodCard
from comitia.methods._types import Array, Data, Ensemble, Maker, Rng, Seed
from comitia.partition import kmeans_rows
from comitia.weigh.clusterings import given_weights

__all__ = ["KCC"]


class KCC(EnsembleMethod):
    r"""K-means-based consensus clustering.

    K-means on the label rows, each label written as a block of zeros with a single one.
    The partition that k-means finds is the one most useful for guessing the labels of
    the clusterings [1]_.

    Parameters
    ----------
    n_clusters : shared

    utility : str, default="squared"
        What usefulness means: ``"squared"`` is the category utility :math:`U_c`,
        ``"entropy"`` the mutual information :math:`U_H`, ``"cosine"`` and ``"lp"`` the
        length of the label shares; ``"squared_normalized"``, ``"entropy_normalized"``,
        ``"cosine_normalized"`` and ``"lp_normalized"`` divide by what each clustering
        could reach at most. With ``"squared"`` and equal weights it is the consensus by
        quadratic mutual information, QMI [2]_.

    norm_power : float, default=5.0
        The power p of the norm, for ``utility="lp"``.

    clustering_weights : array-like of shape (n_clusterings,), default=None
        Weight of each clustering, :math:`w_m`; equal by default.

    n_init : int, default=10
        Number of starts; the best one is kept.

    max_iter : int, default=100
        Most iterations of each start.

    tol : float, default=1e-5
        Stop when the objective falls by less than this share of itself.

    generator, random_state : shared

    Attributes
    ----------
    clustering_weights_ : shared

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
        - \sum_m w_m \log_2 c_{rm,l} \quad (U_H), \qquad
        \sum_m w_m \bigl(1 - (c_{rm,l} / \lVert c_{rm} \rVert_p)^{p-1}\bigr)
        \quad (U_{L_p}),

    with p = 2 for the cosine.
    Clusterings in which an object has no label are left out of its cost and of the
    shares. The authors start from random objects; here the starts are drawn by
    k-means++. With plain k-means this is the baseline that every weighted method has to
    face: it is hard to beat on noisy ensembles.

    References
    ----------
    .. [1] J. Wu, H. Liu, H. Xiong, J. Cao and J. Chen, "K-means-based consensus
       clustering: a unified view", IEEE TKDE 27(1), 2015.
       :doi:`10.1109/TKDE.2014.2316512`
    .. [2] A. Topchy, A. K. Jain and W. Punch, "Clustering ensembles: models of
       consensus and weak partitions", IEEE TPAMI 27(12), 2005.
       :doi:`10.1109/TPAMI.2005.237`

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
        weighs_how="by clustering_weights; all the same by default",
        approach="baseline",
        needs="labels",
        missing="votes",
        scales="linear",
        on_device=True,
    )

    _labels_on_device = True

    _parameter_constraints = {
        "utility": [
            StrOptions(
                {
                    f"{utility}{normalized}"
                    for utility in ("squared", "entropy", "cosine", "lp")
                    for normalized in ("", "_normalized")
                }
            )
        ],
        "norm_power": [Interval(Real, 1, None, closed="neither")],
    }

    def __init__(
        self,
        n_clusters: int | None = None,
        *,
        utility: str = "squared",
        norm_power: float = 5.0,
        clustering_weights: Any = None,
        n_init: int = 10,
        max_iter: int = 100,
        tol: float = 1e-5,
        generator: Maker = None,
        random_state: Seed = None,
    ) -> None:
        self.n_clusters = n_clusters
        self.utility = utility
        self.norm_power = norm_power
        self.clustering_weights = clustering_weights
        self.n_init = n_init
        self.max_iter = max_iter
        self.tol = tol
        self.generator = generator
        self.random_state = random_state

    def _combine(self, ensemble: Ensemble, X: Data, rng: Rng) -> Array:
        self.clustering_weights_ = given_weights(
            self.clustering_weights, ensemble.n_clusterings
        )
        weights = {"clustering_weights": self.clustering_weights_}
        utility: Any
        utility, _, normalized = self.utility.partition("_")
        labels, self.objective_ = kmeans_rows(
            ensemble,
            self._resolve_n_clusters(ensemble, **weights),
            rng,
            **weights,
            utility=utility,
            norm_power=self.norm_power,
            normalized=bool(normalized),
            n_init=self.n_init,
            max_iter=self.max_iter,
            tol=self.tol,
        )
        self.n_iter_ = len(self.objective_)
        self.converged_ = self.n_iter_ < self.max_iter
        return labels
