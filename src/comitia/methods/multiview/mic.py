"""Factors of views in which objects are missing, drawn to a consensus."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from comitia._arrays import to_numpy
from comitia._inputs import Views
from comitia.catalogue import MethodCard
from comitia.methods._loops import warn_stopped_early
from comitia.methods._types import Array, Rng, Seed
from comitia.methods.multiview._coupled_factors import consensus_factor
from comitia.methods.multiview._incomplete import IncompleteViewMethod, ViewUnits
from comitia.methods.multiview._prepared_views import impute_views, presence_weights
from comitia.partition import kmeans

__all__ = ["MIC"]


class MIC(IncompleteViewMethod):
    r"""Multi-incomplete-view clustering (MIC).

    Every view is factorised, objects that a view does not have are filled in and count
    less there, and the factors of the views are drawn to a consensus, which is
    clustered [1]_.

    Parameters
    ----------
    n_clusters : int, default=None
        Number of clusters. ``None`` takes the eigengap of the views' neighbour graphs,
        over the objects that all views have.

    views : shared

    scale : {"minmax", "shift"} or None, default="minmax"
        How views become non-negative: each feature to [0, 1], or its minimum to 0;
        then a view is divided by the root mean square length of its rows, so that all
        views count alike. ``None`` takes the views as they are and refuses negative
        numbers.

    view_penalty : float or array-like of shape (n_views,), default=0.1
        How strongly the views are to agree, :math:`\alpha`; one for all views, or one
        for each.

    sparsity_penalty : float or array-like of shape (n_views,), default=0.001
        How strongly objects are drawn towards zero, :math:`\beta`; likewise.

    n_init : int, default=10
        Number of starts of k-means, from which the factors start and which clusters the
        consensus.

    max_iter : int, default=500
        Most sweeps over the factors.

    tol : float, default=1e-5
        Stop when a sweep lowers the objective by less than this share of its value at
        the start.

    random_state : int, RandomState instance or None, default=None
        Seed of the starts.

    Attributes
    ----------
    object_weights_ : ndarray of shape (n_objects,)
        Mean weight of each object over the views.

    view_object_weights_ : ndarray of shape (n_objects, n_views)
        Weight of each object in each view, :math:`W^m_i`.

    consensus_ : ndarray of shape (n_objects, n_clusters)
        The consensus :math:`U^*`, whose rows are clustered.

    components_ : list of ndarray of shape (n_features of the view, n_clusters)
        The factors :math:`V^m` of the features.

    view_labels_ : ndarray of shape (n_objects, n_views)
        Where the row of :math:`U^m` is largest; -1 for an object that the view does
        not have.

    objective_ : ndarray of shape (n_iter_ + 1,)
        The objective at the start and after each sweep; it does not rise.

    n_iter_ : int
        Number of sweeps.

    converged_ : bool
        Whether the objective stopped falling before ``max_iter``.

    Notes
    -----
    Missing rows are filled with the means of the view's columns. With
    :math:`W^m = \mathrm{diag}` of 1 for the objects that view m has and of their share
    :math:`n_m / n` for the others,

    .. math::
        \min_{U, V, U^* \ge 0} \; \sum_m \|W^m(X^m - U^m V^m{}')\|_F^2
        + \alpha_m \|W^m(U^m - U^*)\|_F^2 + \beta_m \|U^m\|_{2,1} .

    The weights stand inside of squared norms: what acts is :math:`T = (W^m)^2`. In
    turn, with the penalties of the view,

    .. math::
        U \leftarrow U \circ \frac{TXV + \alpha T U^*}
        {TUV'V + \alpha TU + \tfrac{\beta}{2} G U}, \quad G_{ii} = \frac{1}{\|U_i\|},
        \qquad U^*_i = \frac{\sum_m \alpha_m T^m_i U^m_i}
        {\sum_m \alpha_m T^m_i},

    and with columns of V that sum to r

    .. math::
        V \leftarrow V \circ \frac{X'TU + \frac{\alpha}{r} 1 a'}
        {V U'TU + \frac{\alpha}{r} 1 b' + \frac{\beta}{2r} 1 g'}, \qquad
        a_c = \sum_i T_i U_{ic} U^*_{ic}, \quad b_c = \sum_i T_i U_{ic}^2, \quad
        g_c = \sum_i \frac{U_{ic}^2}{\|U_i\|}.

    Factors of different views can be
    compared only in common units: after each update the columns of :math:`V^m` are
    scaled to one sum, and :math:`U^m` inversely. The paper has the sum 1, for views
    whose rows have a common sum; here it is the mean sum of a row of the view, which
    gives all :math:`U^m` rows of mean sum one whatever the units. The update of V
    contains what this scaling costs in the other two terms, as that of multi-view NMF
    does; with the plain :math:`V \circ X'TU / (VU'TU)` the scaling can undo what the
    update gained, and the objective rise. The authors' code takes the square root of
    all ratios, a shorter step to the same fixed points, and adds up norms of columns of
    U in its objective where its update has those of rows.

    The paper's penalties are per view and found by trial. By default one of each serves
    all views, because all have the same units: without a fit, the loss of a view is the
    number of its objects. Where no view has a penalty, all make the consensus alike.
    The weights are fixed by what is missing; views as such are not weighed. Time is
    :math:`O(nk \sum_m p_m)` for a sweep.

    References
    ----------
    .. [1] W. Shao, L. He and P. S. Yu, "Multiple incomplete views clustering via
       weighted nonnegative matrix factorization with L2,1 regularization", ECML PKDD,
       LNCS 9284, 2015. :doi:`10.1007/978-3-319-23528-8_20`

    Examples
    --------
    >>> from comitia import method
    >>> nan = float("nan")
    >>> lengths = [[1.0, 9.0], [2.0, 8.0], [9.0, 1.0], [nan, nan]]
    >>> colors = [[0.0, 5.0], [1.0, 5.0], [5.0, 1.0], [5.0, 0.0]]
    >>> fitted = method("mic")(n_clusters=2, random_state=0)
    >>> fitted.fit({"length": lengths, "color": colors}).labels_
    array([0, 0, 1, 1], dtype=int32)
    >>> fitted.view_object_weights_
    array([[1.  , 1.  ],
           [1.  , 1.  ],
           [1.  , 1.  ],
           [0.75, 1.  ]])
    """

    card = MethodCard(
        id="mic",
        weighs="objects",
        approach="fixed",
        needs="views",
        scales="linear",
        exempt={
            "weights_differ": "an object weighs less in the views that lack it; where "
            "none is missing all weigh 1",
        },
        on_device=True,
    )

    def __init__(
        self,
        n_clusters: int | None = None,
        *,
        views: Any = None,
        scale: str | None = "minmax",
        view_penalty: float | Sequence[float] = 0.1,
        sparsity_penalty: float | Sequence[float] = 0.001,
        n_init: int = 10,
        max_iter: int = 500,
        tol: float = 1e-5,
        random_state: Seed = None,
    ) -> None:
        self.n_clusters = n_clusters
        self.views = views
        self.scale = scale
        self.view_penalty = view_penalty
        self.sparsity_penalty = sparsity_penalty
        self.n_init = n_init
        self.max_iter = max_iter
        self.tol = tol
        self.random_state = random_state

    def _combine(self, ensemble: Any, views: Views, rng: Rng) -> Array:
        units = [ViewUnits(X, self.scale) for X in views.arrays]
        arrays = impute_views(
            [unit.apply(X) for unit, X in zip(units, views.arrays, strict=True)]
        )
        penalties = self._penalties(views.n_views)
        weights = presence_weights(views.present)
        k = self._number_of_clusters(views.present, arrays)
        shares = self._start_shares(arrays, k, rng)
        placed = self._place(arrays, units, weights, shares)
        placed, consensus, objective, self.converged_ = self._sweep(
            placed, consensus_factor(placed, penalties[0])
        )
        if not self.converged_:
            warn_stopped_early(self, "sweeps")
        self.objective_, self.n_iter_ = np.asarray(objective), len(objective) - 1
        self._keep_weights(weights)
        self._keep_views(placed, views.present)
        self.consensus_ = to_numpy(consensus)
        self.components_ = [to_numpy(view.V) for view in placed]
        return kmeans(self.consensus_, k, rng, n_init=self.n_init).labels
