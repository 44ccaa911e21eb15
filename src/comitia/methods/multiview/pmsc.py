"""Subspace clustering of several views that agree on a partition."""

from numbers import Real
from typing import Any

import numpy as np

from comitia._arrays import floats_on, require_device_memory, to_numpy
from comitia._inputs import Views
from comitia._scales import unit_rows
from comitia._sklearn import Interval, StrOptions
from comitia.catalogue import MethodCard
from comitia.methods._loops import keep_run
from comitia.methods._types import Array, Rng, Seed
from comitia.methods.multiview._base import MultiViewMethod
from comitia.methods.multiview._pmsc_subspace import subspace_partitions
from comitia.methods.multiview._shared import (
    choose_from_views,
    standardized,
)
from comitia.optimize.ties import lowest_run
from comitia.partition import kmeans

__all__ = ["PMSC"]


class PMSC(MultiViewMethod):
    r"""Partition-level multi-view subspace clustering (PMSC).

    In each view every object is put together from the others, which makes a graph and
    its partition; the partitions are drawn to a consensus, the nearer ones more
    [1]_.

    Parameters
    ----------
    n_clusters : int, default=None
        Number of clusters. ``None`` takes the eigengap of the views' neighbour graphs.

    views : shared

    scale : {"standard", "unit"} or None, default="standard"
        Give every feature mean zero and variance one, and then every object length
        one; give every object length one, for counts of words; or take the views as
        they are, as the authors' code does.

    coefficient_penalty : float, default=10.0
        Holds down how much objects give to each other, :math:`\lambda_1 > 0`.

    graph_penalty : float, default=0.001
        How much partition and graph of a view must suit each other,
        :math:`\lambda_2`.

    view_penalty : float, default=1e-5
        How much the partitions must suit the consensus, :math:`\lambda_3`.

    n_init : int, default=5
        Number of starts; the best one is kept.

    max_iter : int, default=200
        Most sweeps over the views.

    tol : float, default=1e-3
        Stop when the consensus moves by less than this share of its length.

    random_state : int, RandomState instance or None, default=None
        Seed of the starts.

    Attributes
    ----------
    view_weights_ : ndarray of shape (n_views,)
        Weight of each view, not normalised: that of the partitions and of the
        consensus from which the labels come.

    view_labels_ : ndarray of shape (n_objects, n_views)
        Clusters of each view's own partition.

    objective_ : ndarray of shape (n_iter_,)
        The objective after each sweep of the best start.

    n_iter_ : int
        Number of sweeps of the best start.

    converged_ : bool
        Whether the consensus stopped changing before ``max_iter``.

    Notes
    -----
    With orthonormal :math:`F^m` and :math:`F^*` of k columns,

    .. math::
        \min \sum_m \|X^{m\prime} - X^{m\prime} Z^m\|_F^2 + \lambda_1 \|Z^m\|_F^2
        + \lambda_2 \, \mathrm{tr}(F^{m\prime} L(Z^m) F^m)
        + \lambda_3 \|F^* F^{*\prime} - F^m F^{m\prime}\|_F, \qquad Z^m \ge 0 .

    A sweep takes the views in turn,

    .. math::
        w_m = \frac{1}{2 \|F^* F^{*\prime} - F^m F^{m\prime}\|_F}, \qquad
        Z^m_j = (X^m X^{m\prime} + \lambda_1 I)^{-1} \Bigl( X^m x^m_j
        - \tfrac{\lambda_2}{4} \bigl[ \|F^m_i - F^m_j\|^2 \bigr]_i \Bigr),

    sets what is negative in :math:`Z^m` to zero and makes it symmetric, and takes for
    :math:`F^m` the k smallest eigenvectors of
    :math:`\lambda_2 L(Z^m) - 2 \lambda_3 w_m F^* F^{*\prime}`; then :math:`F^*` are the
    k largest of :math:`\sum_m w_m F^m F^{m\prime}`, and k-means on the rows of
    :math:`F^*` gives the labels. The starts are random. What a view is explained by
    hardly depends on them: whole objectives differ by one part in a thousand million,
    and the best start is the one with the lowest :math:`\sum_m \lambda_2 \,
    \mathrm{tr}(F^{m\prime} L(Z^m) F^m) + \lambda_3 \|F^* F^{*\prime} - F^m
    F^{m\prime}\|_F`, which is what the partitions add. The authors' code has one start.

    Setting negative numbers to zero is not an exact step, so the objective need not
    fall; the last sweep is the result, as in the authors' code. The lowest objective is
    often that of the first sweep, whose Z belongs to the random start. A distance below
    1e-8 counts as that in the weights. Identity matrices that the authors' code adds to
    both eigenproblems change no eigenvector and are left out. Their code takes
    :math:`w_m` from the partition of the view before; here it is the view's own, as
    printed. It stops when the columns of :math:`F^*` stay, which depends on signs; here
    :math:`F^* F^{*\prime}` has to. The diagonal of :math:`Z` is not forced to zero;
    with :math:`\lambda_1 > 0` the identity is not its best value, and L does not see
    it.

    The strengths are those of the authors' demonstration, which has word counts. They
    go with data of a certain length; objects of length one keep them meaningful for
    other data, hence ``scale``.

    Neither Z nor the distances between the rows of F are solved for column by column:
    with :math:`P = (XX' + \lambda_1 I)^{-1}`, :math:`P XX' = I - \lambda_1 P`, and the
    distances are a product of matrices with k + 2 columns. Time is :math:`O(M n^3)`,
    memory :math:`O(M n^2)`.

    References
    ----------
    .. [1] Z. Kang, X. Zhao, C. Peng, H. Zhu, J. T. Zhou, X. Peng, W. Chen and Z. Xu,
       "Partition level multiview subspace clustering", Neural Networks 122, 2020.

    Examples
    --------
    >>> from comitia import method
    >>> shape = [[0.0, 1.0], [0.0, 2.0], [5.0, 0.0], [7.0, 1.0]]
    >>> color = [[1.0, 1.0], [2.0, 2.0], [1.0, 9.0], [0.0, 9.0]]
    >>> fitted = method("pmsc")(n_clusters=2, random_state=0)
    >>> fitted.fit({"shape": shape, "color": color}).labels_
    array([0, 0, 1, 1], dtype=int32)
    """

    card = MethodCard(
        id="pmsc",
        weighs="views",
        approach="variable",
        needs="views",
        scales="quadratic",
        on_device=True,
        quick={"n_init": 1},
    )

    _parameter_constraints = {
        "scale": [StrOptions({"standard", "unit"}), None],
        "coefficient_penalty": [Interval(Real, 0, None, closed="neither")],
        "graph_penalty": [Interval(Real, 0, None, closed="neither")],
    }

    def __init__(
        self,
        n_clusters: int | None = None,
        *,
        views: Any = None,
        scale: str | None = "standard",
        coefficient_penalty: float = 10.0,
        graph_penalty: float = 0.001,
        view_penalty: float = 1e-5,
        n_init: int = 5,
        max_iter: int = 200,
        tol: float = 1e-3,
        random_state: Seed = None,
    ) -> None:
        self.n_clusters = n_clusters
        self.views = views
        self.scale = scale
        self.coefficient_penalty = coefficient_penalty
        self.graph_penalty = graph_penalty
        self.view_penalty = view_penalty
        self.n_init = n_init
        self.max_iter = max_iter
        self.tol = tol
        self.random_state = random_state

    def _combine(self, ensemble: Any, views: Views, rng: Rng) -> Array:
        n, n_views = views.n_objects, views.n_views
        # An inverse for each view, and four matrices at work.
        require_device_memory(
            (n_views + 4) * n**2,
            f"the representation of {n} objects by each other in {n_views} view(s)",
            self._device,
            "use minimax_fcm or mvcc, which are linear in n",
        )
        tables = list(views.arrays)
        if self.scale == "standard":
            tables = [standardized(X) for X in tables]
        if self.scale is not None:
            tables = [unit_rows(X) for X in tables]
        k = self.n_clusters or choose_from_views(tables)
        X = [floats_on(table, self._device) for table in tables]
        runs = (self._run(X, n, k, rng) for _ in range(self.n_init))
        run = lowest_run(runs, lambda run: run.partition_cost)
        keep_run(self, run, "sweeps")
        self.n_iter_ = len(run.objective)  # the start is random and has no objective
        self.view_weights_ = run.weights
        parts = [self._clusters(F, rng) for F in (run.consensus, *run.partitions)]
        self.view_labels_ = np.stack(parts[1:], axis=1)
        return parts[0]

    def _run(self, X: list[Any], n: int, k: int, rng: Rng) -> Any:
        starts = [np.linalg.qr(rng.randn(n, k))[0] for _ in range(len(X) + 1)]
        first, *others = [floats_on(start, self._device) for start in starts]
        return subspace_partitions(
            X,
            first,
            others,
            coefficient_penalty=self.coefficient_penalty,
            graph_penalty=self.graph_penalty,
            view_penalty=self.view_penalty,
            max_iter=self.max_iter,
            tol=self.tol,
        )

    def _clusters(self, F: Any, rng: Rng) -> Any:
        return kmeans(to_numpy(F), F.shape[1], rng).labels
