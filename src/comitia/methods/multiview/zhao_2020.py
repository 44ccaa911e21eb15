"""Factorisation of views in which every cluster weighs the views for itself."""

from numbers import Real
from typing import Any

import numpy as np

from comitia._arrays import floats_on, to_numpy
from comitia._inputs import Views
from comitia._sklearn import Interval, StrOptions
from comitia.catalogue import MethodCard
from comitia.methods._loops import keep_run
from comitia.methods._memberships import fuzzy_clusters
from comitia.methods._types import Array, Rng, Seed
from comitia.methods.multiview._base import MultiViewMethod
from comitia.methods.multiview._coupled_factors import unit_columns
from comitia.methods.multiview._prepared_views import (
    balance_view,
    row_scale,
    scale_view,
)
from comitia.methods.multiview._shared import choose_from_views
from comitia.methods.multiview._zhao_2020_clusterwise import (
    ClusterwiseView,
    Strengths,
    factorize_clusterwise,
)
from comitia.optimize.ties import lowest_run
from comitia.partition import kmeans

__all__ = ["ClusterwiseViewWeights"]

# What every object has of every cluster at the start: an entry of zero would stay zero.
_OFFSET = 0.1


class ClusterwiseViewWeights(MultiViewMethod):
    r"""Multi-view clustering with clusterwise weights.

    Each view is factorised into clusters; a cluster that agrees with the consensus and
    stands well apart from the others in a view counts more there, while another cluster
    may rely on another view [1]_.

    Parameters
    ----------
    n_clusters : int, default=None
        Number of clusters. ``None`` takes the eigengap of the views' neighbour graphs.

    views : shared

    scale : {"minmax", "shift"} or None, default="minmax"
        How the views are made non-negative: each feature is brought to [0, 1], or its
        minimum is taken off, and then each view is divided by its Frobenius norm, so
        that the penalties mean the same for all data. ``None`` takes the views as they
        are.

    view_penalty : float, default=0.02
        How much the views must agree with the consensus, :math:`\lambda_1`.

    separation_penalty : float, default=None
        How much the separation of clusters counts, :math:`\lambda_2`. By default
        :math:`\tfrac32 \lambda_1 M / (k (k - 1))` for M views, see Notes.

    weight_penalty : float, default=0.02
        What keeps the weights of a cluster from gathering on one view,
        :math:`\lambda_3`; large values make all weights equal.

    n_init : int, default=5
        Number of starts; the best one is kept.

    max_iter : int, default=500
        Most sweeps of each start.

    tol : float, default=1e-3
        Stop when ten sweeps lower the objective by less than this share of the first.

    random_state : int, RandomState instance or None, default=None
        Seed of the starts.

    Attributes
    ----------
    view_weights_ : ndarray of shape (n_clusters_, n_views)
        Weight of each cluster in each view; those of a cluster sum to one.

    membership_ : ndarray of shape (n_objects, n_clusters_)
        Rows of the consensus :math:`U^*`, divided by their sums.

    components_ : list of ndarray of shape (n_features of the view, n_clusters_)
        What the clusters look like in each view, :math:`V^m`, after scaling; columns of
        length one.

    view_labels_ : ndarray of shape (n_objects, n_views)
        The largest entry of each row of :math:`U^m`.

    objective_ : ndarray of shape (n_iter_ + 1,)
        The objective at the start and after each sweep; it does not rise.

    n_iter_ : int
        Number of sweeps of the best start.

    converged_ : bool
        Whether the objective stopped falling before ``max_iter``.

    Notes
    -----
    With diagonal :math:`W^m = \mathrm{diag}(w_{m1}, \dots, w_{mk})`,
    :math:`\sum_m W^m = I`, and the separations
    :math:`\delta_{mc} = \sum_{d \ne c} \|V^m_{\cdot c} - V^m_{\cdot d}\|`,

    .. math::
        \min_{U, V, U^* \ge 0, \, W} \sum_m \|X^m - U^m V^m{}'\|_F^2
        + \lambda_1 \|U^m - U^* W^m\|_F^2
        + \lambda_2 \sum_c (1 - w_{mc}) \delta_{mc}
        + \lambda_3 \sum_c w_{mc}^2 .

    In turn, over the views for each cluster,

    .. math::
        w_{\cdot c} = P_\Delta \left( \frac{\lambda_1 \langle U^m_{\cdot c},
        U^*_{\cdot c} \rangle + \lambda_2 \delta_{mc} / 2}
        {\lambda_1 \|U^*_{\cdot c}\|^2 + \lambda_3} \right)_m, \qquad
        U^m \leftarrow U^m \circ \frac{X^m V^m + \lambda_1 U^* W^m}
        {U^m V^m{}' V^m + \lambda_1 U^m}, \qquad
        U^*_{\cdot c} = \frac{\sum_m w_{mc} U^m_{\cdot c}}{\sum_m w_{mc}^2},

    and a multiplicative step of :math:`V^m`, shortened until the objective does not
    rise. An object belongs to the largest entry of its row of :math:`U^*`.

    The review measures distances between rows of :math:`V^m`, which are features; what
    tells clusters apart are its columns. Its penalty on the weights lacks the sum over
    the views. The term of separation falls for free when V shrinks: columns of V have
    length one, U takes their scale, and the step of V knows what this costs; it is
    shortened until the objective does not rise. Distances are smoothed,
    :math:`\sqrt{d^2 + 10^{-12}}`, so that equal columns do no harm. For :math:`U^*` the
    minimum is known, and taken instead of a multiplicative step towards it. That labels
    come from :math:`U^*`, and the defaults, are our reading.

    :math:`W^m` also carries the size of :math:`U^m` in relation to the other views,
    another reason to bring all views to one size. With one view W is the identity.

    What tells a view of noise from the others is the separation: its clusters fall
    together, while its :math:`U^m`, which is not negative, is nearly as long as theirs.
    Of views of length one, :math:`\|U^*_{\cdot c}\|^2` is at most about
    :math:`M^2 / k`, and :math:`\delta_{mc}` is about :math:`k - 1` where clusters stand
    apart; the default of :math:`\lambda_2` takes up to three quarters of its share
    1/M from a view without any separation, for any number of views and clusters. With
    :math:`\lambda_1 = 1` and :math:`\lambda_2 = \lambda_3 = 0.01`, or with
    :math:`\lambda_3 = 1`, weights hardly differ; a larger :math:`\lambda_2` alone
    draws the clusters of all views together. Beside two views that both show three
    clusters, noise weighs 0.23; beside two that each confuse other clusters and are
    little separated themselves, 0.31 of three. That :math:`\lambda_1 = \lambda_3` are
    0.02, not 0.01 or 0.03, was chosen with labels in view.

    A start is k-means on all views side by side. Time is :math:`O(npk)` for a sweep,
    memory linear in n.

    References
    ----------
    .. [1] Q. Zhao, L. Zong, X. Zhang, X. Liu and H. Yu, "Multi-view clustering via
       clusterwise weights learning", Knowledge-Based Systems 193, 2020.

    Examples
    --------
    >>> from comitia import method
    >>> sweet = [[9.0, 1.0], [8.0, 0.0], [7.0, 1.0], [1.0, 6.0], [0.0, 9.0], [1.0, 7.0]]
    >>> sour = [[1.0, 8.0], [0.0, 9.0], [0.0, 8.0], [4.0, 1.0], [5.0, 1.0], [6.0, 0.0]]
    >>> fitted = method("zhao_2020")(n_clusters=2, random_state=0)
    >>> fitted.fit({"sweet": sweet, "sour": sour}).labels_
    array([0, 0, 0, 1, 1, 1], dtype=int32)
    >>> fitted.view_weights_.sum(axis=1)
    array([1., 1.])
    """

    card = MethodCard(
        id="zhao_2020",
        weighs="clusters",
        approach="variable",
        needs="views",
        scales="linear",
        on_device=True,
        quick={"n_init": 1, "tol": 3e-2},
    )

    _per_cluster = {"components_": 1, "membership_": 1, "view_weights_": 0}

    _parameter_constraints = {
        "scale": [StrOptions({"minmax", "shift"}), None],
        "view_penalty": [Interval(Real, 0, None, closed="neither")],
        "separation_penalty": [Interval(Real, 0, None, closed="left"), None],
        "weight_penalty": [Interval(Real, 0, None, closed="left")],
    }

    def __init__(
        self,
        n_clusters: int | None = None,
        *,
        views: Any = None,
        scale: str | None = "minmax",
        view_penalty: float = 0.02,
        separation_penalty: float | None = None,
        weight_penalty: float = 0.02,
        n_init: int = 5,
        max_iter: int = 500,
        tol: float = 1e-3,
        random_state: Seed = None,
    ) -> None:
        self.n_clusters = n_clusters
        self.views = views
        self.scale = scale
        self.view_penalty = view_penalty
        self.separation_penalty = separation_penalty
        self.weight_penalty = weight_penalty
        self.n_init = n_init
        self.max_iter = max_iter
        self.tol = tol
        self.random_state = random_state

    def _combine(self, ensemble: Any, views: Views, rng: Rng) -> Array:
        tables = [scale_view(X, self.scale) for X in views.arrays]
        if self.scale is not None:
            tables = [X / (row_scale(X) * np.sqrt(len(X))) for X in tables]
        k = self.n_clusters or choose_from_views(tables)
        wide = np.concatenate([balance_view(X) for X in tables], axis=1)
        starts = [kmeans(wide, k, rng, n_init=1).labels for _ in range(self.n_init)]
        runs = [self._run(tables, start, k) for start in starts]
        return self._store(lowest_run(runs, lambda run: run.objective[-1]))

    def _run(self, tables: list[Any], start: Any, n_clusters: int) -> Any:
        members = np.eye(n_clusters)[start] + _OFFSET
        shares = members / members.sum(axis=0)
        parts = []
        for X in tables:
            V, sizes = unit_columns(X.T @ shares + 1e-12)
            given = (X, members * sizes, V)
            parts.append(ClusterwiseView(*(floats_on(A, self._device) for A in given)))
        return factorize_clusterwise(
            parts,
            strengths=self._strengths(len(tables), n_clusters),
            max_iter=self.max_iter,
            tol=self.tol,
        )

    def _strengths(self, n_views: int, n_clusters: int) -> Strengths:
        separation = self.separation_penalty
        if separation is None:
            pairs = n_clusters * max(n_clusters - 1, 1)
            separation = 1.5 * self.view_penalty * n_views / pairs
        return Strengths(self.view_penalty, separation, self.weight_penalty)

    def _store(self, run: Any) -> Any:
        keep_run(self, run, "sweeps")
        labels, order, self.membership_ = fuzzy_clusters(to_numpy(run.consensus))
        self.view_weights_ = run.weights[:, order].T
        self.components_ = [to_numpy(view.V)[:, order] for view in run.views]
        self.view_labels_ = np.stack(
            [to_numpy(view.U).argmax(axis=1) for view in run.views], axis=1
        )
        return labels
