"""Selection as a quadratic programme."""

import warnings
from numbers import Integral, Real

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from comitia._sklearn import Interval, StrOptions
from comitia.base import EnsembleMethod
from comitia.catalogue import MethodCard
from comitia.exceptions import ComitiaWarning
from comitia.methods.selection._base import SelectionMethod
from comitia.optimize import convex_concave
from comitia.optimize._ties import lowest_run
from comitia.select import top
from comitia.weigh import mean_agreement

__all__ = ["ConvexConcavePruning"]


class ConvexConcavePruning(SelectionMethod):
    r"""Ensemble cluster pruning by convex-concave programming.

    Which clusterings to keep is one optimisation: they should be good, differ from each
    other, and be few [1]_.

    Parameters
    ----------
    n_clusters : int, default=None
        Number of clusters. ``None`` cuts the tree at its longest lifetime.

    sparsity_penalty : float, default=None
        What each clustering kept costs, :math:`\lambda`; the median row sum of Q by
        default.

    threshold : float, default=0.5
        Clusterings with a larger :math:`\beta_m` are kept.

    variant : {"binary", "relaxed"}, default="binary"
        Whether the quality counts in proportion to :math:`\beta_m` or to its square.

    agreement : str or callable, default="nmi_sqrt"
        How alike two clusterings are, :math:`\phi`.

    linkage : {"single", "complete", "average", "ward"}, default="average"
        How similar two clusters of objects are, in the tree.

    n_init : int, default=1
        Number of starts: from all clusterings, and from random points for the others.

    max_iter : int, default=100
        Most iterations of each start.

    tol : float, default=1e-9
        Stop when the objective rises by less than this share of itself.

    generator : generator, default=None
        Makes the clusterings when :meth:`fit` is given data alone.

    random_state : int, RandomState instance or None, default=None
        Seed of the generator and of the starts.

    Attributes
    ----------
    selected_ : ndarray of bool of shape (n_clusterings,)
        Which clusterings were kept.

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
        \qquad Q_{mm} = \frac{1}{M - 1} \sum_{l \ne m} \phi(C_m, C_l), \qquad
        Q_{ml} = 1 - \phi(C_m, C_l) .

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

    The review gives neither the measures nor penalty nor threshold; ours. All of Q is
    positive, so that without a penalty everything is kept; and every clustering kept
    makes the others worth more, so that a large penalty leaves nothing. In between, a
    clustering is dropped when :math:`Q_{mm} + 2 \sum_{l} Q_{ml} < \lambda` over those
    kept. With the default this is one that adds less than about half the diversity
    that the median does, and in many an ensemble there is none: raise the penalty to
    drop more, and watch for the warning that nothing is left. There may be several
    local maxima, see ``n_init``. Where nothing is left, the clustering of best
    quality is kept, with a warning.

    Where labels are missing, clusterings are added until every object is in one.

    References
    ----------
    .. [1] S. Ozogur-Akyuz, B. C. Otar and P. K. Atas, "Ensemble cluster pruning via
       convex-concave programming", Computational Intelligence 36(1), 2020.
       :doi:`10.1111/coin.12267`

    Examples
    --------
    >>> from comitia import Ensemble, method
    >>> votes = Ensemble([[0, 0, 0], [0, 0, 1], [1, 1, 1], [1, 1, 0]])
    >>> fitted = method("ozogur_2020")(n_clusters=2, sparsity_penalty=1.0).fit(votes)
    >>> fitted.objective_
    array([2., 2.])
    >>> fitted.selected_
    array([ True,  True,  True])
    """

    card = MethodCard(
        id="ozogur_2020",
        weighs="clusterings",
        approach="selection",
        needs="labels",
        scales="quadratic",
    )

    _parameter_constraints = {
        **EnsembleMethod._parameter_constraints,
        "sparsity_penalty": [Interval(Real, 0, None, closed="left"), None],
        "threshold": [Interval(Real, 0, 1, closed="left")],
        "variant": [StrOptions({"binary", "relaxed"})],
        "agreement": [str, callable],
        "linkage": [StrOptions({"single", "complete", "average", "ward"})],
        "n_init": [Interval(Integral, 1, None, closed="left")],
        "max_iter": [Interval(Integral, 1, None, closed="left")],
        "tol": [Interval(Real, 0, None, closed="left")],
    }

    def __init__(
        self,
        n_clusters=None,
        *,
        sparsity_penalty=None,
        threshold=0.5,
        variant="binary",
        agreement="nmi_sqrt",
        linkage="average",
        n_init=1,
        max_iter=100,
        tol=1e-9,
        generator=None,
        random_state=None,
    ):
        self.n_clusters = n_clusters
        self.sparsity_penalty = sparsity_penalty
        self.threshold = threshold
        self.variant = variant
        self.agreement = agreement
        self.linkage = linkage
        self.n_init = n_init
        self.max_iter = max_iter
        self.tol = tol
        self.generator = generator
        self.random_state = random_state

    def _select(self, ensemble, X, rng):
        Q = np.maximum(1.0 - ensemble.agreement(self.agreement), 0.0)
        quality = mean_agreement(ensemble, self.agreement)
        np.fill_diagonal(Q, quality)
        penalty = self.sparsity_penalty
        if penalty is None:
            penalty = np.median(Q.sum(axis=1))
        run = self._maximize(Q, penalty, rng)
        self.clustering_weights_ = run.x
        self.objective_, self.converged_ = run.objective, run.converged
        self.n_iter_ = len(run.objective) - 1
        if not run.converged:
            warnings.warn(
                f"the objective still rose after max_iter={self.max_iter} iterations; "
                "raise max_iter or tol.",
                ConvergenceWarning,
                stacklevel=2,
            )
        chosen = np.flatnonzero(run.x > self.threshold)
        if len(chosen) == 0:
            warnings.warn(
                f"sparsity_penalty={penalty:.6g} leaves no clustering; the best one is "
                "kept. Give a smaller penalty.",
                ComitiaWarning,
                stacklevel=2,
            )
            chosen = top(quality, 1)
        return chosen

    def _maximize(self, Q, penalty, rng):
        """The best of several starts."""
        M = len(Q)
        b = np.full(M, -float(penalty))
        if self.variant == "binary":
            b += Q.diagonal()
            Q = Q - np.diag(Q.diagonal())
        starts = [np.ones(M), *rng.random_sample((self.n_init - 1, M))]
        runs = [
            convex_concave(Q, b, start=start, max_iter=self.max_iter, tol=self.tol)
            for start in starts
        ]
        return lowest_run(runs, lambda run: -run.objective[-1])
