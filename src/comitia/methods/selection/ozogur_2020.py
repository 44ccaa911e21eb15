"""Selection as a quadratic programme."""

import warnings
from numbers import Real
from typing import Any

import numpy as np

from comitia._sklearn import Interval, StrOptions
from comitia.catalogue import MethodCard
from comitia.exceptions import ComitiaWarning
from comitia.methods._exemptions import HALF_KEPT
from comitia.methods._loops import keep_run
from comitia.methods._types import Array, Data, Ensemble, Linkage, Maker, Rng, Seed
from comitia.methods.selection._base import SelectionMethod
from comitia.methods.selection._ozogur_2020_difference_of_convex import convex_concave
from comitia.optimize import project_simplex
from comitia.optimize.ties import lowest_run
from comitia.select import top
from comitia.weigh import mean_agreement

__all__ = ["ConvexConcavePruning"]


class ConvexConcavePruning(SelectionMethod):
    r"""Ensemble cluster pruning by convex-concave programming.

    Which clusterings to keep is one optimisation: they should be good, differ from each
    other, and be few [1]_.

    Parameters
    ----------
    n_clusters : shared

    sparsity_penalty : float, default=None
        What each clustering kept costs, :math:`\lambda`; the mean quality by default.

    n_select : int, default=None
        How many clusterings are kept, whatever they cost; as many as are worth their
        cost by default.

    threshold : float, default=0.5
        Clusterings with a larger :math:`\beta_m` are kept, unless ``n_select`` says how
        many.

    variant : {"binary", "relaxed"}, default="binary"
        Whether the quality counts in proportion to :math:`\beta_m` or to its square.

    agreement, linkage : shared

    n_init : int, default=10
        Number of starts; the best one is kept. The first is from all clusterings, the
        others from random points.

    max_iter : int, default=100
        Most iterations of each start.

    tol : float, default=1e-6
        Stop when the objective rises by less than this share of itself.

    generator, random_state : shared

    Attributes
    ----------
    selected_ : shared

    clustering_weights_ : ndarray of shape (n_clusterings,)
        The :math:`\beta_m`, from 0 to 1.

    objective_ : ndarray of shape (n_iter_ + 1,)
        What is maximised, at the start and after each iteration; it does not fall.

    n_iter_ : int
        Number of iterations of the best start.

    converged_ : bool
        Whether the objective stopped rising.

    linkage_ : ndarray of shape (n_objects - 1, 4)
        The dendrogram of the objects, from the clusterings kept, in SciPy form.

    Notes
    -----
    With the quality of each clustering on the diagonal, its mean agreement with the
    others, and the diversity of each two beside it,

    .. math::
        \max_{\beta \in \{0, 1\}^M} \beta' Q \beta - \lambda \lVert \beta \rVert_1,
        \qquad Q_{mm} = q_m = \frac{1}{M - 1} \sum_{l \ne m} \phi(C_m, C_l), \qquad
        Q_{ml} = \frac{q_m + q_l - \bar q - \phi(C_m, C_l)}{M - 1},

    where :math:`\bar q` is the mean quality. With ``n_select`` the :math:`\beta_m` have
    this sum, and those with the largest are kept.

    Relaxed to the box and with the eigenvalues of Q split, :math:`Q = Q_+ - Q_-`, each
    iteration solves the convex programme

    .. math::
        \beta \leftarrow \arg\min_{0 \le \beta \le 1} \beta' Q_- \beta +
        (\lambda \mathbf 1 - 2 Q_+ \beta_{old})' \beta .

    For 0 and 1 the square of :math:`\beta_m` is :math:`\beta_m`, so that the diagonal
    of Q may as well be part of the linear term; it is, unless ``variant="relaxed"``.
    The relaxation that squares it keeps, from :math:`\beta = 1`, every clustering of a
    diagonal Q with a quality above :math:`\lambda / 2`, although only those above
    :math:`\lambda` are worth their cost.

    The review gives neither the measures nor penalty nor threshold; ours. Two
    clusterings are diverse when they agree less than their qualities lead to expect.
    The diversities of one clustering with the others sum to about zero, so that they
    choose among clusterings of the same quality and cannot reward the poor ones.
    A plain :math:`1 - \phi` is positive for all, so that every clustering kept makes
    the others worth more, and largest for random ones: of fifty clusterings it keeps
    fifty, the random ones among them. Less its mean, :math:`\bar q - \phi`, it still
    prefers the random ones.

    Random clusterings are dropped first as long as they are the minority; of many
    copies of one clustering some are dropped. There may be several local maxima, see
    ``n_init``. Where a large penalty leaves nothing, the clustering of best quality is
    kept, with a warning.

    Where labels are missing, clusterings are added until every object is in one.

    References
    ----------
    .. [1] S. Ozogur-Akyuz, B. C. Otar and P. K. Atas, "Ensemble cluster pruning via
       convex-concave programming", Computational Intelligence 36(1), 2020.
       :doi:`10.1111/coin.12267`

    Examples
    --------
    >>> from comitia import Ensemble, method
    >>> votes = Ensemble(
    ...     [[0, 0, 0, 0], [0, 0, 0, 1], [0, 0, 1, 0], [1, 1, 1, 1], [1, 1, 1, 0]]
    ... )
    >>> fitted = method("ozogur_2020")(n_clusters=2, n_select=3).fit(votes)
    >>> fitted.selected_
    array([ True,  True,  True, False])
    """

    card = MethodCard(
        id="ozogur_2020",
        weighs="clusterings",
        approach="selection",
        needs="labels",
        missing="pairs",
        scales="quadratic",
        exempt={
            "equal_clusterings": "copies of a clustering add no diversity: one may be "
            "kept and another not",
            "missing_labels": "it keeps about half of the clusterings, so that a fifth "
            "of the labels missing can cost a tenth of the adjusted Rand index",
            "helps": HALF_KEPT,
        },
    )

    _parameter_constraints = {
        "sparsity_penalty": [Interval(Real, 0, None, closed="left"), None],
        "threshold": [Interval(Real, 0, 1, closed="left")],
        "variant": [StrOptions({"binary", "relaxed"})],
    }

    def __init__(
        self,
        n_clusters: int | None = None,
        *,
        sparsity_penalty: float | None = None,
        n_select: int | None = None,
        threshold: float = 0.5,
        variant: str = "binary",
        agreement: Any = "nmi_sqrt",
        linkage: Linkage = "average",
        n_init: int = 10,
        max_iter: int = 100,
        tol: float = 1e-6,
        generator: Maker = None,
        random_state: Seed = None,
    ) -> None:
        self.n_clusters = n_clusters
        self.sparsity_penalty = sparsity_penalty
        self.n_select = n_select
        self.threshold = threshold
        self.variant = variant
        self.agreement = agreement
        self.linkage = linkage
        self.n_init = n_init
        self.max_iter = max_iter
        self.tol = tol
        self.generator = generator
        self.random_state = random_state

    def _select(self, ensemble: Ensemble, X: Data, rng: Rng) -> Array:
        Q = quality_and_diversity(ensemble, self.agreement)
        quality = Q.diagonal()
        penalty = self.sparsity_penalty
        if penalty is None:
            penalty = float(quality.mean())
        total = None if self.n_select is None else self._n_select(ensemble)
        run = self._maximize(Q, penalty, rng, total)
        self.clustering_weights_ = run.x
        keep_run(self, run, "iterations")
        if total is not None:
            return top(run.x, total)
        chosen = np.flatnonzero(run.x > self.threshold)
        if len(chosen) == 0:
            warnings.warn(
                f"sparsity_penalty={penalty:.6g} leaves no clustering; the best one is "
                "kept. Give a smaller penalty, or n_select.",
                ComitiaWarning,
                stacklevel=2,
            )
            chosen = top(quality, 1)
        return chosen

    def _maximize(
        self, Q: Array, penalty: float, rng: Rng, total: int | None = None
    ) -> Any:
        """The best of several starts."""
        M = len(Q)
        b = np.full(M, -float(penalty))
        if self.variant == "binary":
            b += Q.diagonal()
            Q = Q - np.diag(Q.diagonal())
        starts = np.vstack([np.ones(M), rng.random_sample((self.n_init - 1, M))])
        if total is not None:
            # Moved to the same sum without leaving the box.
            starts = project_simplex(starts, total=total, cap=1.0)
        runs = [
            convex_concave(
                Q, b, start=start, total=total, max_iter=self.max_iter, tol=self.tol
            )
            for start in starts
        ]
        return lowest_run(runs, lambda run: -run.objective[-1])


def quality_and_diversity(ensemble: Ensemble, agreement: Any = "nmi_sqrt") -> Array:
    """The table Q: mean agreement on the diagonal, centred disagreement beside it."""
    phi = ensemble.agreement(agreement)
    q = mean_agreement(ensemble, agreement)
    Q = (q[:, None] + q - q.mean() - phi) / max(len(q) - 1, 1)
    np.fill_diagonal(Q, q)
    return Q
