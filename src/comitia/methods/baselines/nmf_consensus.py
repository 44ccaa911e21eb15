"""Consensus by non-negative matrix factorisation."""

import warnings
from numbers import Integral, Real

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from comitia._sklearn import Interval, StrOptions
from comitia.base import EnsembleMethod
from comitia.catalogue import MethodCard
from comitia.optimize import indicator_start, orthogonal_nmf
from comitia.optimize._ties import lowest_run
from comitia.partition import kmeans_rows
from comitia.represent import ImplicitCoassociation

__all__ = ["NMFConsensus"]


class NMFConsensus(EnsembleMethod):
    r"""Consensus by orthogonal non-negative matrix tri-factorisation.

    The partition whose own co-association is nearest to that of the ensemble, with the
    partition relaxed to non-negative factors [1]_.

    Parameters
    ----------
    n_clusters : int, default=None
        Number of clusters. ``None`` takes the eigengap of the ensemble's graph.

    variant : {"diagonal", "symmetric"}, default="diagonal"
        What D may be. A diagonal D is that of a partition; a symmetric one also fits
        how much the clusters are mixed up, which helps when clusters of equal size are
        buried in noise and harms when sizes differ.

    max_iter : int, default=500
        The most sweeps of each start.

    tol : float, default=1e-6
        A start ends when ten sweeps together lowered its best objective by less than
        this share of :math:`\|A\|_F^2`.

    n_init : int, default=10
        Number of starts, each from k-means on the rows of B; the best one is kept.
        Starts from the same partition are run once.

    generator : generator, default=None
        Makes the clusterings when :meth:`fit` is given data alone.

    random_state : int, RandomState instance or None, default=None
        Seed of the starts, and of the generator.

    Attributes
    ----------
    objective_ : ndarray of shape (n_iter_ + 1,)
        The objective of the best start, at its beginning and after each sweep.

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

    The sweeps are not monotone, since they also make Q orthonormal, and the best
    iterate of each start is kept. With a diagonal D it is often one of the first, whose
    columns still overlap a little: the overlap fits the noise that all clusters share.
    On planted ensembles these iterates were nearer to the truth than the last ones,
    except for clusters of equal size in heavy noise.

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
        scales="linear",
    )

    _parameter_constraints = {
        **EnsembleMethod._parameter_constraints,
        "variant": [StrOptions({"diagonal", "symmetric"})],
        "max_iter": [Interval(Integral, 1, None, closed="left")],
        "tol": [Interval(Real, 0, None, closed="left")],
        "n_init": [Interval(Integral, 1, None, closed="left")],
    }

    def __init__(
        self,
        n_clusters=None,
        *,
        variant="diagonal",
        max_iter=500,
        tol=1e-6,
        n_init=10,
        generator=None,
        random_state=None,
    ):
        self.n_clusters = n_clusters
        self.variant = variant
        self.max_iter = max_iter
        self.tol = tol
        self.n_init = n_init
        self.generator = generator
        self.random_state = random_state

    def _combine(self, ensemble, X, rng):
        micro, counts, inverse = ensemble.distinct()
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
        if not best.converged:
            warnings.warn(
                f"NMFConsensus did not converge in max_iter={self.max_iter} sweeps; "
                "raise max_iter or tol.",
                ConvergenceWarning,
                stacklevel=2,
            )
        self.objective_ = best.objective
        self.n_iter_ = best.n_iter
        self.converged_ = best.converged
        return best.Q.argmax(axis=1)[inverse]

    def _starts(self, micro, counts, n_clusters, rng):
        """The different partitions among those that k-means finds."""
        found = {}
        for _ in range(self.n_init):
            labels, _ = kmeans_rows(
                micro, n_clusters, rng, object_weights=counts, n_init=1
            )
            _, first, codes = np.unique(labels, return_index=True, return_inverse=True)
            found.setdefault(first[codes].tobytes(), labels)
        return found.values()
