"""SEC."""

from comitia._arrays import to_numpy
from comitia._sklearn import StrOptions
from comitia.base import EnsembleMethod
from comitia.catalogue import MethodCard
from comitia.methods._types import Array, Data, Ensemble, Maker, Rng, Seed
from comitia.partition import kmeans_rows
from comitia.represent.cluster_sums import row_sums

__all__ = ["SEC"]


class SEC(EnsembleMethod):
    r"""Spectral ensemble clustering.

    The normalised cut of the co-association graph, without the graph: it equals a
    weighted k-means on the rows of the indicator matrix, in which objects with many
    companions weigh more [1]_.

    Parameters
    ----------
    n_clusters : shared

    variant : {"paper", "review"}, default="paper"
        Points :math:`B_i / d_i` with weights :math:`d_i`, which is the normalised cut;
        or points :math:`B_i` with weights :math:`1 / d_i`, as the review prints it.

    n_init : int, default=10
        Number of starts; the best one is kept.

    max_iter : int, default=100
        Most iterations of each start.

    tol : float, default=1e-5
        Stop when the objective falls by less than this share of itself.

    generator, random_state : shared

    Attributes
    ----------
    object_weights_ : ndarray of shape (n_objects,)
        Weight of each object, :math:`d_i` or :math:`1 / d_i`.

    objective_ : ndarray of shape (n_iter_,)
        The objective after each iteration.

    n_iter_ : int
        Number of iterations.

    converged_ : bool
        Whether k-means stopped before ``max_iter``.

    Notes
    -----
    With the degrees :math:`d_i = \sum_j [B B']_{ij}`, the sum of the sizes of the
    clusters that object i is in,

    .. math::
        \min \sum_r \sum_{i \in r} d_i \,
        \lVert B_{i \cdot} / d_i - c_r \rVert^2
        = \sum_i \frac{M}{d_i}
        - \sum_r \frac{\sum_{i, j \in r} [B B']_{ij}}{\sum_{i \in r} d_i} ,

    whose second term is the normalised association that the cut maximises. The review
    prints the points :math:`B_i` and the weights :math:`1 / d_i`; for them the equality
    does not hold, as enumerating the partitions of six objects shows. Where an object
    has no label, that clustering enters neither its degree nor its distances.

    References
    ----------
    .. [1] H. Liu, T. Liu, J. Wu, D. Tao and Y. Fu, "Spectral ensemble clustering", ACM
       KDD, 2015. :doi:`10.1145/2783258.2783287`

    Examples
    --------
    >>> from comitia import Ensemble, method
    >>> votes = Ensemble([[0, 0, 0], [0, 0, 0], [1, 1, 0], [1, 1, 1]])
    >>> method("sec")(n_clusters=2, random_state=0).fit_predict(votes)
    array([0, 0, 1, 1], dtype=int32)
    """

    card = MethodCard(
        id="sec",
        weighs="objects",
        approach="fixed",
        needs="labels",
        missing="votes",
        scales="linear",
        on_device=True,
    )

    _labels_on_device = True

    _parameter_constraints = {
        "variant": [StrOptions({"paper", "review"})],
    }

    def __init__(
        self,
        n_clusters: int | None = None,
        *,
        variant: str = "paper",
        n_init: int = 10,
        max_iter: int = 100,
        tol: float = 1e-5,
        generator: Maker = None,
        random_state: Seed = None,
    ) -> None:
        self.n_clusters = n_clusters
        self.variant = variant
        self.n_init = n_init
        self.max_iter = max_iter
        self.tol = tol
        self.generator = generator
        self.random_state = random_state

    def _combine(self, ensemble: Ensemble, X: Data, rng: Rng) -> Array:
        d = row_sums(ensemble, ensemble.sizes)
        paper = self.variant == "paper"
        weights = d if paper else 1.0 / d
        labels, self.objective_ = kmeans_rows(
            ensemble,
            self._resolve_n_clusters(ensemble),
            rng,
            object_weights=weights,
            row_scale=1.0 / d if paper else None,
            n_init=self.n_init,
            max_iter=self.max_iter,
            tol=self.tol,
        )
        self.object_weights_ = to_numpy(weights)
        self.n_iter_ = len(self.objective_)
        self.converged_ = self.n_iter_ < self.max_iter
        return labels
