"""The consensus partitions of R's clue."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import linear_sum_assignment

from comitia._sklearn import StrOptions
from comitia.base import EnsembleMethod
from comitia.catalogue import MethodCard
from comitia.engine.content_keys import clusterings_by_content
from comitia.methods._constraints import shared
from comitia.methods._memberships import fuzzy_clusters
from comitia.methods._types import Array, Data, Ensemble, Maker, Rng, Seed
from comitia.methods.baselines._clue_steps import (
    Classes,
    allocate,
    even_rows,
    weighted_rows,
)
from comitia.optimize import project_simplex
from comitia.optimize.ties import first_lowest, lowest_run
from comitia.weigh.clusterings import given_weights

__all__ = ["ClueConsensus"]

Floats = NDArray[np.float64]

# The longest step of the projected gradient of GV3.
_LARGEST_STEP = 1e3


class ClueConsensus(EnsembleMethod):
    r"""Optimisation-based consensus partitions of the R package clue.

    The soft or hard partition with the smallest weighted mean distance to all
    clusterings, after their classes are matched with its own [1]_.

    Parameters
    ----------
    n_clusters : int, default=None
        Number of clusters. ``None`` takes the eigengap of the ensemble's graph.

    variant : {"SE", "HE", "SM", "HM", "GV1", "GV3", "DWH"}, default="SE"
        ``"SE"`` and ``"SM"`` minimise squared (Euclidean) and absolute (Manhattan)
        differences of memberships, ``"HE"`` and ``"HM"`` the same among hard
        partitions. In ``"GV1"`` classes without a counterpart cost nothing, ``"GV3"``
        compares co-memberships, and ``"DWH"`` goes once through the clusterings.

    clustering_weights : array-like of shape (n_clusterings,), default=None
        Weight of each clustering, :math:`w_m`; equal by default.

    n_init : int, default=10
        Number of starts; the best one is kept. Clusterings are starts before random
        memberships are.

    max_iter : int, default=100
        Most iterations of each start.

    tol : float, default=1e-8
        Stop when the objective falls by at most this share of itself.

    generator : generator, default=None
        Makes the clusterings when :meth:`fit` is given data alone.

    random_state : int, RandomState instance or None, default=None
        Seed of the generator and of the consensus.

    Attributes
    ----------
    clustering_weights_ : ndarray of shape (n_clusterings,)
        Weight of each clustering; they sum to 1.

    membership_ : ndarray of shape (n_objects, n_clusters_)
        Memberships, 0 or 1 where the partition is hard.

    objective_ : ndarray of shape (n_iter_ + 1,)
        The objective at the start and after each iteration.

    n_iter_ : int
        Number of iterations.

    converged_ : bool
        Whether the objective stopped falling before ``max_iter``.

    Notes
    -----
    With membership matrices :math:`B_m`, padded with empty classes to the same number,
    and permutations :math:`\Pi_m` of their classes,

    .. math::
        \min_{Q, \Pi} \sum_m w_m \lVert Q - B_m \Pi_m \rVert_F^2 \quad (SE), \qquad
        \min_Q \Bigl\lVert \sum_m w_m B_m B_m' - Q Q' \Bigr\rVert_F^2 \quad (GV3),

    where the rows of Q are on the simplex. Matching by the Hungarian method and
    averaging take turns. Objects with equal labels are one with a count, and GV3 needs
    no n × n matrix: its objective and gradient are products with B. The weights are
    those of the sum; clue divides the value by nothing else.

    For hard clusterings the best rows of SM are hard, so that SM and HM agree, and the
    soft symmetric difference is the hard one, which
    ``median_partition(agreement="rand")`` minimises. DWH depends on the order of the
    clusterings by design: they come by falling weight, then by content.

    The code of clue was read, and its formulas written anew.

    References
    ----------
    .. [1] K. Hornik, "A CLUE for CLUster Ensembles", J. Stat. Software 14(12), 2005.
       :doi:`10.18637/jss.v014.i12`

    Examples
    --------
    >>> from comitia import Ensemble, method
    >>> votes = Ensemble([[0, 0, 0], [0, 0, 0], [1, 1, 0], [1, 1, 1]])
    >>> fitted = method("clue_consensus")(n_clusters=2, random_state=0).fit(votes)
    >>> fitted.membership_.round(2).tolist()
    [[1.0, 0.0], [1.0, 0.0], [0.33, 0.67], [0.0, 1.0]]
    """

    card = MethodCard(
        id="clue_consensus",
        source="after",
        weighs="clusterings",
        weighs_how="by clustering_weights; all the same by default",
        approach="baseline",
        needs="labels",
        missing="votes",
        scales="linear",
        exempt={
            "data_alone": "of clusterings of 2 to 8 clusters, classes beyond those "
            "asked for have no counterpart and are spread evenly: the partition with "
            "the lowest objective is not that of the clear clusters",
        },
    )

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **EnsembleMethod._parameter_constraints,
        **shared("clustering_weights", "n_init", "max_iter", "tol"),
        "variant": [StrOptions({"SE", "HE", "SM", "HM", "GV1", "GV3", "DWH"})],
    }

    def __init__(
        self,
        n_clusters: int | None = None,
        *,
        variant: str = "SE",
        clustering_weights: Any = None,
        n_init: int = 10,
        max_iter: int = 100,
        tol: float = 1e-8,
        generator: Maker = None,
        random_state: Seed = None,
    ) -> None:
        self.n_clusters = n_clusters
        self.variant = variant
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
        k = self._resolve_n_clusters(
            ensemble, clustering_weights=self.clustering_weights_
        )
        micro, counts, inverse = ensemble.distinct().in_content_order()
        classes = Classes.of(micro, counts, self.clustering_weights_)
        order = clusterings_by_content(ensemble)
        order = order[np.argsort(-self.clustering_weights_[order], kind="stable")]
        if self.variant == "DWH":
            best = _in_one_pass(classes, order, k)
        else:
            step = {
                "GV1": _matched_only,
                "GV3": _comemberships,
            }.get(self.variant, self._differences)
            starts = self._starts(classes, order, k, rng)
            runs = [self._run(classes, step, Q, k) for Q in starts]
            best = lowest_run(runs, lambda run: run.objective[-1])
        self.objective_, self.converged_ = np.asarray(best.objective), best.converged
        self.n_iter_ = len(best.objective) - 1
        labels, _, self.membership_ = fuzzy_clusters(best.Q[inverse])
        return labels

    def _starts(
        self, classes: Classes, order: NDArray[Any], k: int, rng: Rng
    ) -> list[Floats]:
        """Clusterings, the heaviest first, and then random memberships."""
        u = len(classes.counts)
        given = []
        for m in order[: self.n_init]:
            block = classes.matrix(m)
            Q = np.zeros((u, max(k, block.shape[1])))
            by_size = np.argsort(-(classes.counts @ block), kind="stable")
            Q[:, : block.shape[1]] = block[:, by_size]
            given.append(_softened(even_rows(Q, k)))
        drawn = [
            rng.dirichlet(np.ones(k), size=u) for _ in range(self.n_init - len(given))
        ]
        return given + drawn

    def _run(
        self, classes: Classes, step: Callable[..., Any], Q: Floats, k: int
    ) -> _Run:
        objective: list[float] = []
        state: Any = None
        for _ in range(self.max_iter + 1):
            new, value, state = step(classes, Q, k, state)
            if objective and value >= objective[-1] * (1.0 - self.tol):
                return _Run(Q, objective, True)
            Q = new
            objective.append(value)
        return _Run(Q, objective, False)

    def _differences(
        self, classes: Classes, Q: Floats, k: int, state: Any
    ) -> tuple[Floats, float, Any]:
        """One turn of SE, HE, SM or HM: match, then average."""
        width = max(k, classes.n_columns)
        padded = np.pad(Q, ((0, 0), (0, width - k)))
        columns = classes.matched(padded)
        power = 2 if self.variant.endswith("E") else 1
        if self.variant == "SM":
            Q = even_rows(_medians(classes, columns, width), k)
        else:
            Q = even_rows(classes.mean(columns, width), k)
        if self.variant.startswith("H"):
            Q = np.eye(k)[first_lowest(-Q)]
        padded = np.pad(Q, ((0, 0), (0, width - k)))
        return Q, classes.cost(padded, columns, power), None


class _Run(NamedTuple):
    Q: Floats
    objective: list[float]
    converged: bool


def _softened(Q: Floats) -> Floats:
    """Rows without zeros, from which a gradient can go anywhere."""
    return 0.9 * Q + 0.1 / Q.shape[1]


def _medians(classes: Classes, columns: NDArray[Any], width: int) -> Floats:
    values = np.zeros((len(classes.counts), width, len(classes.weights)))
    at = classes.rows, columns[classes.clusters], classes.clusterings
    values[at] = classes.values
    return allocate(values, classes.weights * classes.seen)


def _matched_only(
    classes: Classes, Q: Floats, k: int, state: Any
) -> tuple[Floats, float, Any]:
    """One turn of GV1; the state is the memberships of each clustering."""
    if state is None:
        state = [classes.matrix(m) for m in range(len(classes.weights))]
    sums, alpha = np.zeros_like(Q), np.zeros(k)
    pairs = []
    for m, overlap in enumerate(classes.overlaps(Q)):
        n = classes.counts * classes.seen[:, m]
        squares = classes.counts @ state[m] ** 2
        rows, columns = linear_sum_assignment(
            squares[:, None] + n @ Q**2 - 2.0 * overlap
        )
        pairs.append((rows, columns))
        w = classes.weights[m]
        sums[:, columns] += w * state[m][:, rows]
        alpha[columns] += w
    means = np.divide(sums, alpha, out=np.zeros_like(sums), where=alpha > 0)
    Q = weighted_rows(means, alpha)
    value = 0.0
    for m, (rows, columns) in enumerate(pairs):
        apart = Q[:, columns] - state[m][:, rows]
        n = classes.counts * classes.seen[:, m]
        value += classes.weights[m] * float(n @ (apart**2).sum(axis=1))
    return Q, value, state


def _comemberships(
    classes: Classes, Q: Floats, k: int, state: Any
) -> tuple[Floats, float, Any]:
    """One step of the projected gradient of GV3; the state has the step's length."""
    mean, length = (
        (_MeanComembership.of(classes), 1.0 / float(classes.counts.sum()))
        if state is None
        else state
    )
    value, gradient = mean.distance(Q)
    for _ in range(60):
        new = project_simplex(Q - length * gradient)
        changed, _ = mean.distance(new)
        moved = float(classes.counts @ ((new - Q) ** 2).sum(axis=1))
        if changed <= value - 1e-4 * moved / max(length, 1e-300) or moved == 0.0:
            return new, changed, (mean, min(2.0 * length, _LARGEST_STEP))
        length /= 2.0
    return Q, value, (mean, length)


class _MeanComembership(NamedTuple):
    """The weighted mean of the co-memberships, as the memberships that make it."""

    B: Any
    weights: Floats
    counts: Floats
    norm: float

    @classmethod
    def of(cls, classes: Classes) -> _MeanComembership:
        B = classes.membership()
        weights = np.repeat(classes.weights, np.diff(classes.offsets))
        shared = (B.T @ B.multiply(classes.counts[:, None])).tocoo()
        norm = weights[shared.row] * weights[shared.col] @ shared.data**2
        return cls(B, weights, classes.counts, float(norm))

    def distance(self, Q: Floats) -> tuple[float, Floats]:
        """Squared distance to Q Q' over all pairs of objects; gradient by object."""
        inner = Q.T @ (self.counts[:, None] * Q)
        overlap = np.asarray(self.B.T @ (self.counts[:, None] * Q))
        common = self.weights @ (overlap**2).sum(axis=1)
        value = float((inner**2).sum() + self.norm - 2.0 * common)
        return value, 4.0 * (Q @ inner - self.B @ (self.weights[:, None] * overlap))


def _in_one_pass(classes: Classes, order: NDArray[Any], k: int) -> _Run:
    """DWH: each clustering in turn is matched with the mean of those before it."""
    width = max(k, classes.n_columns)
    first = classes.matrix(order[0])
    by_size = np.argsort(-(classes.counts @ first), kind="stable")
    Q = np.zeros((len(first), width))
    Q[:, : first.shape[1]] = first[:, by_size]
    total = classes.weights[order[0]] * classes.seen[:, order[0]]
    for m in order[1:]:
        block = classes.matrix(m)
        columns = linear_sum_assignment(-(block.T @ (classes.counts[:, None] * Q)))[1]
        placed = np.zeros_like(Q)
        placed[:, columns] = block
        w = classes.weights[m] * classes.seen[:, m]
        total = total + w
        share = np.divide(w, total, out=np.zeros_like(w), where=total > 0)[:, None]
        Q = (1.0 - share) * Q + share * placed
    heavy = np.argsort(-(classes.counts @ Q), kind="stable")
    Q = even_rows(Q[:, heavy], k)
    padded = np.pad(Q, ((0, 0), (0, width - k)))
    value = classes.cost(padded, classes.matched(padded), 2)
    return _Run(Q, [value], True)
