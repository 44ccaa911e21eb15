"""Fuzzy c-means on several views that heeds the view it fits worst."""

from collections.abc import Callable
from numbers import Real
from typing import Any, Literal

import numpy as np

from comitia._arrays import floats_on, to_numpy
from comitia._inputs import Views
from comitia._parameter_rules import SHARED
from comitia._sklearn import Interval, StrOptions
from comitia.catalogue import MethodCard
from comitia.cluster.clusterer import initial_centers
from comitia.cluster.fuzzy import warn_coincident
from comitia.cluster.fuzzy_geometry import distances_to_centers
from comitia.methods._loops import keep_run
from comitia.methods._memberships import fuzzy_clusters
from comitia.methods._types import Array, Data, Rng, Seed
from comitia.methods.multiview._base import MultiViewMethod
from comitia.methods.multiview._minimax_fcm_cmeans import minimax_cmeans
from comitia.methods.multiview._shared import (
    choose_from_views,
    standardized,
)
from comitia.optimize.ties import lowest_run

__all__ = ["MinimaxFCM"]

# What the fuzziness has above 1, and how often that is halved for clusters' sake.
_EXCESS = 0.2
_HALVINGS = 5


class MinimaxFCM(MultiViewMethod):
    r"""Multi-view fuzzy clustering with minimax optimisation (MinimaxFCM).

    Fuzzy c-means with centres in every view, whose memberships do as little harm as
    possible in the view that they suit worst: the worse a view is fitted, the more it
    counts [1]_.

    Parameters
    ----------
    n_clusters : int, default=None
        Number of clusters. ``None`` takes the eigengap of the views' neighbour graphs.

    views : shared

    scale : {"standard"} or None, default="standard"
        Give every feature mean zero and variance one and divide a view by the square
        root of its number of features; otherwise the view with the largest numbers, or
        with most features, has the largest error and with it the weight. ``None`` takes
        the views as they are.

    weight_power : float, default=0.5
        The power of the weights, :math:`0 < a < 1`. Towards 1 the worst view has all
        the weight; towards 0 weights are proportional to the errors.

    fuzziness : float or "auto", default="auto"
        The exponent :math:`\alpha > 1` of the memberships; near 1 they are crisp.
        "auto" takes 1.2, and less where clusters would be lost.

    n_init : int, default=10
        Number of starts; the best one is kept.

    max_iter : int, default=300
        Most iterations of each start.

    tol : float, default=1e-5
        Stop when no membership changes by more.

    random_state : int, RandomState instance or None, default=None
        Seed of the starts.

    Attributes
    ----------
    view_weights_ : ndarray of shape (n_views,)
        Weight of each view; they sum to one.

    membership_ : ndarray of shape (n_objects, n_clusters_)
        How much each object belongs to each cluster; rows sum to one.

    view_labels_ : ndarray of shape (n_objects, n_views)
        The nearest centre in each view.

    objective_ : ndarray of shape (n_iter_ + 1,)
        The objective under its worst weights, at the start and after each iteration.

    n_iter_ : int
        Number of iterations of the best start.

    converged_ : bool
        Whether the memberships stopped changing before ``max_iter``.

    fuzziness_ : float
        The exponent that was used.

    Notes
    -----
    .. math::
        \min_{F, c} \, \max_{w \in \Delta} \sum_m w_m^{a} E_m, \qquad
        E_m = \sum_{r} \sum_i F_{ir}^{\alpha} \|x^m_i - c_{mr}\|^2 .

    In turn, with :math:`F^\alpha`-weighted means as centres,

    .. math::
        w_m = \frac{E_m^{1/(1-a)}}{\sum_l E_l^{1/(1-a)}}, \qquad
        F_{ir} \propto \Bigl( \sum_m w_m^{a} \|x^m_i - c_{mr}\|^2
        \Bigr)^{-1/(\alpha - 1)} .

    The review does not say what :math:`a` may be; the inner problem is concave for
    :math:`0 < a < 1` only. Note the direction: other methods for views give the worst
    view the least weight, this one the most. A view of pure noise therefore does harm
    here; leave it out.

    Steps of a minimax problem need not lower it. The objective reported is the outer
    one, the inner maximum :math:`(\sum_m E_m^{1/(1-a)})^{1-a}` of the memberships and
    centres at hand; iterations stop when the memberships do. The result is the last
    one, or the lowest that was met where that is lower by a millionth. With one view
    the method is fuzzy c-means.

    The default of the fuzziness is ours. With 1.5 or 2, centres in views of hundreds of
    features fall together in the mean of all objects, and clusters are lost; in views
    of thousands of features, such as counts of words, with 1.2, too. "auto" halves what
    the fuzziness has above 1 until every cluster is the first choice of some object,
    five times at most. A fuzziness that is given is kept, and a warning tells of
    centres that coincide.

    Time and memory grow with n as those of fuzzy c-means do, :math:`O(n p k)` for an
    iteration.

    References
    ----------
    .. [1] Y. Wang and L. Chen, "Multi-view fuzzy clustering with minimax optimization
       for effective clustering of data from multiple sources", Expert Systems with
       Applications 72, 2017.

    Examples
    --------
    >>> from comitia import method
    >>> height = [[0.0], [1.0], [8.0], [9.0]]
    >>> width = [[2.0], [2.0], [5.0], [6.0]]
    >>> fitted = method("minimax_fcm")(n_clusters=2, random_state=0)
    >>> fitted.fit({"height": height, "width": width}).labels_
    array([0, 0, 1, 1], dtype=int32)
    >>> fitted.membership_.round(2)[1]
    array([1., 0.])
    """

    card = MethodCard(
        id="minimax_fcm",
        weighs="views",
        approach="variable",
        needs="views",
        scales="linear",
        exempt={
            "weights_follow_quality": "the largest cost of a view is made small: the "
            "view that fits worst weighs most, as published",
        },
        on_device=True,
        quick={"n_init": 3},
    )

    _parameter_constraints = {
        "fuzziness": [*SHARED["fuzziness"], StrOptions({"auto"})],
        "scale": [StrOptions({"standard"}), None],
        "weight_power": [Interval(Real, 0, 1, closed="neither")],
    }

    def __init__(
        self,
        n_clusters: int | None = None,
        *,
        views: Any = None,
        scale: str | None = "standard",
        weight_power: float = 0.5,
        fuzziness: float | Literal["auto"] = "auto",
        n_init: int = 10,
        max_iter: int = 300,
        tol: float = 1e-5,
        random_state: Seed = None,
    ) -> None:
        self.n_clusters = n_clusters
        self.views = views
        self.scale = scale
        self.weight_power = weight_power
        self.fuzziness = fuzziness
        self.n_init = n_init
        self.max_iter = max_iter
        self.tol = tol
        self.random_state = random_state

    def _combine(self, ensemble: Any, views: Views, rng: Rng) -> Array:
        tables = list(views.arrays)
        if self.scale == "standard":
            tables = [standardized(X) for X in tables]
        k = self.n_clusters or choose_from_views(tables)
        wide = np.concatenate(tables, axis=1)
        starts = [self._start(wide, k, rng) for _ in range(self.n_init)]
        X = [floats_on(table, self._device) for table in tables]

        def best_with(fuzziness: float) -> Any:
            runs = (self._run(X, start, k, fuzziness) for start in starts)
            return lowest_run(runs, lambda run: run.objective[run.best])

        if isinstance(self.fuzziness, str):
            run = with_all_clusters(best_with, min(k, len(np.unique(wide, axis=0))))
        else:
            run = best_with(self.fuzziness)
            warn_coincident(wide, run.membership, run.fuzziness, "MinimaxFCM")
        return self._store(X, run)

    def _run(self, X: list[Any], start: Any, k: int, fuzziness: float) -> Any:
        run = minimax_cmeans(
            X,
            start,
            k,
            weight_power=self.weight_power,
            fuzziness=fuzziness,
            max_iter=self.max_iter,
            tol=self.tol,
        )
        return run._replace(membership=to_numpy(run.membership))

    def _start(self, wide: Any, n_clusters: int, rng: Rng) -> Array:
        centers = initial_centers(wide, n_clusters, "k-means++", rng)
        return distances_to_centers(wide, centers).argmin(axis=1)

    def _store(self, X: Data, run: Any) -> Any:
        keep_run(self, run, "iterations")
        self.view_weights_ = run.weights
        near = [distances_to_centers(x, c) for x, c in zip(X, run.centers, strict=True)]
        self.view_labels_ = np.stack([to_numpy(d).argmin(axis=1) for d in near], axis=1)
        labels, _, self.membership_ = fuzzy_clusters(run.membership)
        self.fuzziness_ = run.fuzziness
        return labels


def with_all_clusters(cluster: Callable[[float], Any], n_clusters: int) -> Any:
    """The fuzziest run in which every cluster is the first choice of some object."""
    for halvings in range(_HALVINGS + 1):
        run = cluster(1.0 + _EXCESS / 2.0**halvings)
        if len(np.unique(run.membership.argmax(axis=1))) >= n_clusters:
            break
    return run
