"""Consensus by non-negative matrix factorisation."""

from typing import Any

import numpy as np

from comitia._sklearn import StrOptions
from comitia.base import EnsembleMethod
from comitia.catalogue import MethodCard
from comitia.methods._loops import keep_run
from comitia.methods._types import Array, Data, Ensemble, Maker, Rng, Seed
from comitia.optimize import indicator_start, orthogonal_nmf
from comitia.optimize.ties import lowest_run
from comitia.partition import kmeans_rows
from comitia.represent import ImplicitCoassociation

__all__ = ["NMFConsensus"]


class NMFConsensus(EnsembleMethod):
    r"""Consensus by orthogonal non-negative matrix tri-factorisation.

    The partition whose own co-association is nearest to that of the ensemble, with the
    partition relaxed to non-negative factors [1]_.

    Parameters
    ----------
    n_clusters : shared

    variant : {"diagonal", "symmetric"}, default="diagonal"
        What D may be. A diagonal D is that of a partition; a symmetric one also fits
        how much the clusters are mixed up, which helps when clusters of equal size are
        buried in noise and harms when sizes differ.

    max_iter : int, default=500
        Most sweeps of each start.

    tol : float, default=1e-6
        Stop when ten sweeps leave the partition as it is, or change the objective of
        the factors by less than this share of :math:`\|A\|_F^2`, and when thirty find
        no better partition.

    n_init : int, default=10
        Number of starts; the best one is kept. Each is k-means on the rows of B, and
        starts from the same partition are run once.

    generator, random_state : shared

    Attributes
    ----------
    objective_ : ndarray of shape (n_iter_ + 1,)
        The objective of the best start at its partition, at the beginning and after
        each sweep. The least of all starts is that of the result.

    n_iter_ : int
        Sweeps of the best start.

    converged_ : bool
        Whether the best start ended before ``max_iter``.

    Notes
    -----
    With :math:`A = BB'/M` the co-association,

    .. math::
        \min_{Q, D \ge 0} \|A - Q D Q'\|_F^2 \quad \text{s. t.} \quad Q'Q = I, \\
        Q \leftarrow Q \circ \sqrt{\frac{A Q D}{Q Q' A Q D}}, \qquad
        D \leftarrow D \circ \sqrt{\frac{Q'AQ}{Q'Q \, D \, Q'Q}},

    and the label of object i is :math:`\arg\max_r Q_{ir}`. A start is the indicator
    matrix of a k-means partition plus 0.2, because entries that are zero stay zero.

    A is never formed: :math:`AQ = B(B'Q)/M`, and the objective follows from traces of
    small matrices, so time and memory are linear in the number of objects. Objects with
    equal labels are factorised once, with their count; the result is that of the full
    problem.

    No sweep meets :math:`Q'Q = I`: on 40 ensembles :math:`\|Q'Q - I\|_F` was 0.03 to
    0.65 after 300 of them. Columns that overlap a little fit the noise that all
    clusters share, so that an objective of the factors themselves is least at one of
    the first sweeps. Sweeps and starts are therefore compared where they are feasible,
    at their partitions: with the labels above as U, :math:`Q = U (U'U)^{-1/2}` and
    :math:`D = Q'AQ` (its diagonal), and the least objective

    .. math::
        \|A - Q D Q'\|_F^2 = \|A\|_F^2 - \sum_r \Bigl( \frac{1}{n_r}
        \sum_{i, j \in r} A_{ij} \Bigr)^2

    wins. On 125 ensembles (planted ones of equal and unequal sizes, k-means clusterings
    of tables, published pools) the mean adjusted Rand index is 0.614; comparing the
    factors themselves, as before, has 0.586, and lost small clusters (0.56 instead of
    0.66 for sizes 1:9). In 29 of them a sweep is better than all starts, in 12 of the
    15 pools; otherwise the labels are those of the best start. The last sweeps are
    worse than either (0.52 on the half that was kept to confirm this, where the rule
    above has 0.60): a sum of squares gains more by cutting a large cluster in two than
    by keeping a small one.

    Sweeps can go on for hundreds without a better partition. To end them after thirty
    halves the time of 40 fits to parts of 14 pools, whose mean adjusted Rand index is
    0.374 with and without, and so is 0.954 on 36 planted ensembles.

    References
    ----------
    .. [1] T. Li, C. Ding and M. I. Jordan, "Solving consensus and semi-supervised
       clustering problems using nonnegative matrix factorization", IEEE ICDM 2007.
       :doi:`10.1109/ICDM.2007.98`

    Examples
    --------
    >>> from comitia import Ensemble, method
    >>> votes = Ensemble([[0, 0, 0], [0, 0, 1], [1, 1, 1], [1, 1, 0]])
    >>> method("nmf_consensus")(n_clusters=2, random_state=0).fit_predict(votes)
    array([0, 0, 1, 1], dtype=int32)
    """

    card = MethodCard(
        id="nmf_consensus",
        weighs="nothing",
        approach="baseline",
        needs="labels",
        missing="sums",
        scales="linear",
    )

    _parameter_constraints = {
        "variant": [StrOptions({"diagonal", "symmetric"})],
    }

    def __init__(
        self,
        n_clusters: int | None = None,
        *,
        variant: str = "diagonal",
        max_iter: int = 500,
        tol: float = 1e-6,
        n_init: int = 10,
        generator: Maker = None,
        random_state: Seed = None,
    ) -> None:
        self.n_clusters = n_clusters
        self.variant = variant
        self.max_iter = max_iter
        self.tol = tol
        self.n_init = n_init
        self.generator = generator
        self.random_state = random_state

    def _combine(self, ensemble: Ensemble, X: Data, rng: Rng) -> Array:
        # Starts are drawn by place: in an order that the labels alone determine.
        micro, counts, inverse = ensemble.distinct().in_content_order()
        # Objects that no clustering tells apart stay together.
        n_clusters = min(self._resolve_n_clusters(ensemble), micro.n_objects)
        A = ImplicitCoassociation(micro, counts=counts)
        squared_norm = ImplicitCoassociation(ensemble).squared_norm()
        best = lowest_run(
            (
                orthogonal_nmf(
                    A,
                    indicator_start(labels, n_clusters, weights=counts),
                    diagonal=self.variant == "diagonal",
                    weights=counts,
                    squared_norm=squared_norm,
                    max_iter=self.max_iter,
                    tol=self.tol,
                )
                for labels in self._starts(micro, counts, n_clusters, rng)
            ),
            lambda factors: factors.objective.min(),
        )
        keep_run(self, best, "sweeps")
        return best.Q.argmax(axis=1)[inverse]

    def _starts(self, micro: Ensemble, counts: Array, n_clusters: int, rng: Rng) -> Any:
        """The different partitions among those that k-means finds."""
        found: dict[bytes, Any] = {}
        for _ in range(self.n_init):
            labels, _ = kmeans_rows(
                micro, n_clusters, rng, object_weights=counts, n_init=1
            )
            _, first, codes = np.unique(labels, return_index=True, return_inverse=True)
            found.setdefault(first[codes].tobytes(), labels)
        return found.values()
