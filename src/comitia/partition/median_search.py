r"""The partition most like an ensemble, found by moving one object at a time.

The objective :math:`\sum_m w_m \phi(C, C_m)` is that of the median partition. Whatever
:math:`\phi` is, a measure of agreement or a kernel between partitions, a move changes
two cells of each of the M contingency tables, and trying it costs O(M).
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from comitia.config import require_memory
from comitia.ensemble import Ensemble
from comitia.exceptions import ComitiaError
from comitia.optimize.ties import is_lower
from comitia.partition.k_means import kmeans_rows
from comitia.partition.partition_kernel import PartitionKernel

if TYPE_CHECKING:
    from comitia._kernels.moves import Form, State

__all__ = ["AGREEMENTS", "MedianSearch", "MovesRun", "set_partitions"]

Labels = NDArray[np.int64]

#: Measures of agreement that can be searched; a distance counts as its negative.
AGREEMENTS = (
    *("rand", "adjusted_rand", "f_measure", "jaccard", "fowlkes_mallows"),
    *("nmi_sqrt", "nmi_max", "nmi_min", "nmi_arithmetic", "nmi_joint"),
    *("mutual_information", "variation_of_information"),
)

# With so few objects (877 partitions of seven) all partitions are tried.
_FEW_OBJECTS = 7

# Most clusters of a consensus whose number of clusters is free, unless a clustering
# has half as many itself: room to open clusters in, and a bound on the memory.
_MOST_CLUSTERS = 1000

# Share of the objects that a restart throws elsewhere.
_KICK = 0.1


class MovesRun(NamedTuple):
    """Result of a search over partitions.

    Attributes
    ----------
    labels : ndarray of shape (n_objects,)
        The best partition found.

    objective : ndarray of shape (n_rounds + 1,)
        The largest objective so far: of the best start, and after each round.

    converged : bool
        Whether no single move improves the partition.
    """

    labels: Labels
    objective: NDArray[np.float64]
    converged: bool


class MedianSearch:
    r"""Maximise :math:`\sum_m w_m \phi(C, C_m)` over partitions C by single moves.

    Clusterings are compared with C on the objects that they cover; fuzzy ones are
    hardened to their largest memberships.

    Parameters
    ----------
    ensemble : Ensemble
        The clusterings :math:`C_m`.

    likeness : str or PartitionKernel
        What :math:`\phi` is: one of :data:`AGREEMENTS`, or a kernel, which is
        normalised to :math:`\phi(C, C) = 1`.

    rng : RandomState
        Source of randomness.

    clustering_weights : array-like of shape (n_clusterings,), default=None
        The weights :math:`w`; equal with sum 1 by default.

    n_clusters : int, default=None
        Number of clusters of C; free by default, and then at most 1000 or twice those
        of the largest clustering.

    Examples
    --------
    >>> import numpy as np
    >>> from comitia import Ensemble
    >>> votes = Ensemble(
    ...     [[0, 0], [0, 0], [0, 0], [1, 1], [1, 1], [1, 0], [1, 1], [1, 1]]
    ... )
    >>> search = MedianSearch(votes, "rand", np.random.RandomState(0))
    >>> search.greedy().labels
    array([0, 0, 0, 1, 1, 1, 1, 1])
    """

    def __init__(
        self,
        ensemble: Ensemble,
        likeness: str | PartitionKernel,
        rng: np.random.RandomState,
        *,
        clustering_weights: ArrayLike | None = None,
        n_clusters: int | None = None,
    ) -> None:
        if ensemble.kind == "overlapping":
            raise ComitiaError(
                "a median partition of overlapping clusterings is not defined; give "
                "hard, partial or fuzzy ones."
            )
        M = ensemble.n_clusterings
        weights = (
            np.full(M, 1.0 / M)
            if clustering_weights is None
            else np.asarray(clustering_weights, dtype=np.float64)
        )
        if weights.shape != (M,) or not np.isfinite(weights).all() or weights.min() < 0:
            raise ComitiaError(
                f"clustering_weights must be {M} finite numbers, none negative."
            )
        self.ensemble, self.rng, self.n_clusters = ensemble, rng, n_clusters
        codes, k = ensemble.codes, ensemble.n_clusters_each
        missing = codes == k[:, None]
        columns = codes.astype(np.int32) + ensemble.offsets[:-1, None].astype(np.int32)
        self._columns = np.ascontiguousarray(np.where(missing, -1, columns).T)
        self._offsets = np.asarray(ensemble.offsets, dtype=np.int64)
        sizes = np.bincount(
            self._columns[self._columns >= 0], minlength=ensemble.n_clusters_total
        )
        self._form = _form(likeness, sizes, ensemble, weights)
        self._state = self._empty_state(len(self._form.inner))

    # -- searches ---------------------------------------------------------------

    def greedy(self, *, n_init: int = 10, max_iter: int = 100) -> MovesRun:
        """Move objects as long as it helps, from several starts.

        The first start is the best base clustering, the next ones are further base
        clusterings, and half of them the best partition so far with a tenth of its
        objects thrown elsewhere. Up to seven objects all partitions are tried instead.

        Parameters
        ----------
        n_init : int, default=10
            Number of starts.

        max_iter : int, default=100
            Most sweeps over the objects in each.

        Returns
        -------
        run : MovesRun
            The best partition, which is never worse than the best start.
        """
        if self.ensemble.n_objects <= _FEW_OBJECTS:
            return self._exhaustive()
        starts = self._starts(1 + n_init // 2)
        best, highest, converged = starts[0], self.score(starts[0]), True
        objective = [highest]
        for j in range(n_init):
            start = starts[j] if j < len(starts) else self._kicked(best)
            labels, score, settled = self._climb(start, max_iter)
            if is_lower(highest, score) or j == 0:
                best, highest, converged = labels, max(score, highest), settled
            objective.append(highest)
        return MovesRun(best, np.array(objective), converged)

    def annealing(
        self,
        *,
        temperature: float = 1.0,
        cooling: float = 0.95,
        max_iter: int = 200,
    ) -> MovesRun:
        r"""Simulated annealing from the best base clustering.

        At each temperature n moves of a random object to another or a new cluster are
        tried; one that changes the objective by :math:`\Delta < 0` is accepted with
        probability :math:`e^{\Delta / T}`. The search ends when it has frozen, and the
        best partition seen is improved by single moves. Up to seven objects all
        partitions are tried instead.

        Parameters
        ----------
        temperature : float, default=1.0
            The first temperature, as a multiple of the mean change that a move from the
            start makes.

        cooling : float, default=0.95
            What a temperature is multiplied by to get the next, in (0, 1).

        max_iter : int, default=200
            Most temperatures.

        Returns
        -------
        run : MovesRun
            The best partition, which is never worse than the best start.
        """
        from comitia._kernels import moves

        if self.ensemble.n_objects <= _FEW_OBJECTS:
            return self._exhaustive()
        n, free = self.ensemble.n_objects, self.n_clusters is None
        # What greedy moves reach is where the search starts, not where it ends.
        best, highest, converged = self._climb(self._starts(1)[0], 100)
        objective = [highest]
        T = temperature * self._typical_change(best)
        frozen = 1e-3 * T
        self._state.labels[:] = best
        for _ in range(max_iter):
            if frozen >= T:
                break
            # Counted anew, so that rounding does not pile up over the rounds.
            self._count()
            draws = self.rng.random_sample((n, 3))
            highest = moves.anneal(*self._parts(float(T), draws, free, best, highest))
            objective.append(highest)
            T *= cooling
        labels, score, settled = self._climb(best, 100)
        if score >= highest:
            best, highest, converged = labels, score, settled
        return MovesRun(best, np.array([*objective, highest]), converged)

    def score(self, labels: ArrayLike) -> float:
        """The objective of a partition.

        Parameters
        ----------
        labels : array-like of shape (n_objects,)
            Clusters 0, 1, …, fewer than the most that there can be.

        Returns
        -------
        objective : float
            The weighted sum of the likenesses.
        """
        from comitia._kernels import moves

        self._count(labels)
        return float(moves.total(self._form, self._state))

    def likenesses(self, labels: ArrayLike) -> NDArray[np.float64]:
        """How alike a partition is to each clustering.

        Parameters
        ----------
        labels : array-like of shape (n_objects,)
            As for :meth:`score`.

        Returns
        -------
        likenesses : ndarray of shape (n_clusterings,)
            The values of :math:`\\phi`.
        """
        from comitia._kernels import moves

        self._count(labels)
        return np.asarray(moves.likenesses(self._form, self._state))

    # -- steps ------------------------------------------------------------------

    def _parts(self, *more: Any) -> tuple[Any, ...]:
        """The arguments of a kernel."""
        return self._form, self._state, self._columns, self._offsets, *more

    def _count(self, labels: ArrayLike | None = None) -> None:
        """Count the overlaps anew, of other labels if they are given."""
        from comitia._kernels import moves

        if labels is not None:
            self._state.labels[:] = labels
        moves.fill(*self._parts())

    def _climb(self, start: Labels, max_iter: int) -> tuple[Labels, float, bool]:
        """A local optimum from a start, its objective, and whether it is one."""
        from comitia._kernels import moves

        self._state.labels[:] = start
        n_moved = 1
        for _ in range(max_iter):
            self._count()
            order = self.rng.permutation(len(start))
            free = self.n_clusters is None
            n_moved = moves.sweep(*self._parts(order, free))
            if n_moved == 0:
                break
        labels = self._state.labels.copy()
        return labels, self.score(labels), n_moved == 0

    def _exhaustive(self) -> MovesRun:
        from comitia._kernels import moves

        candidates = set_partitions(self.ensemble.n_objects, self.n_clusters)
        best, highest = moves.best_labels_of(*self._parts(candidates))
        return MovesRun(candidates[best].copy(), np.array([highest]), True)

    def _typical_change(self, labels: Labels) -> float:
        """Mean change of the objective by a random move."""
        here, changes = self.score(labels), []
        present = np.unique(labels)
        for _ in range(100):
            moved = labels.copy()
            moved[self.rng.randint(len(labels))] = self.rng.choice(present)
            change = abs(self.score(moved) - here)
            if change > 0:
                changes.append(change)
        return float(np.mean(changes)) if changes else 0.0

    # -- starts -----------------------------------------------------------------

    def _starts(self, n_starts: int) -> list[Labels]:
        """Good partitions to start from, the best first."""
        k, made = self.ensemble.n_clusters_each, []
        for m in range(self.ensemble.n_clusterings):
            if self.n_clusters in (None, k[m]):
                labels = self.ensemble.labels[:, m].astype(np.int64)
                if (labels < 0).any():
                    labels = self._completed(labels)
                made.append(labels)
        if self.n_clusters is not None:
            made.append(self._with_k_clusters(self.n_clusters))
        scores = [self.score(labels) for labels in made]
        order = np.argsort(-np.asarray(scores), kind="stable")
        return [made[j] for j in order[:n_starts]]

    def _completed(self, labels: Labels) -> Labels:
        """Labels of a clustering with each object it leaves out put where it fits."""
        from comitia._kernels import moves

        self._count(labels)
        moves.sweep(*self._parts(np.flatnonzero(labels < 0), False))
        return self._state.labels.copy()

    def _with_k_clusters(self, k: int) -> Labels:
        """Clusters of k-means on the label rows, and exactly k of them."""
        weights = self._form.weights if self._form.weights.any() else None
        with warnings.catch_warnings():
            # Whether k-means is satisfied does not matter to a start.
            warnings.simplefilter("ignore")
            found = kmeans_rows(self.ensemble, k, self.rng, clustering_weights=weights)[
                0
            ]
        labels = np.asarray(found, dtype=np.int64)
        sizes = np.bincount(labels, minlength=k)
        for r in np.flatnonzero(sizes == 0):
            # Objects with equal labels can leave k-means with fewer clusters.
            i = np.flatnonzero(labels == sizes.argmax())[-1]
            sizes[labels[i]] -= 1
            labels[i], sizes[r] = r, 1
        return labels

    def _kicked(self, labels: Labels) -> Labels:
        """A partition with some of its objects thrown into other clusters."""
        labels = labels.copy()
        sizes = np.bincount(labels)
        present = np.flatnonzero(sizes)
        n_kicked = max(2, round(_KICK * len(labels)))
        for i in self.rng.choice(len(labels), n_kicked, replace=False):
            if sizes[labels[i]] > 1:
                target = self.rng.choice(present)
                sizes[labels[i]] -= 1
                sizes[target] += 1
                labels[i] = target
        return labels

    def _empty_state(self, n_terms: int) -> State:
        from comitia._kernels.moves import State

        n, M, K = (
            self.ensemble.n_objects,
            self.ensemble.n_clusterings,
            self.ensemble.n_clusters_total,
        )
        slots = self.n_clusters
        if slots is None:
            slots = max(_MOST_CLUSTERS, 2 * int(self.ensemble.n_clusters_each.max()))
        slots = min(slots, n)
        require_memory(
            slots * (4 * K + 4 * M + 8 * M * n_terms),
            "the tables of a search over partitions",
            instead="ask for fewer clusters with n_clusters",
        )
        return State(
            labels=np.full(n, -1, dtype=np.int64),
            sizes=np.zeros(slots, dtype=np.int64),
            cells=np.zeros((slots, K), dtype=np.int32),
            rows=np.zeros((slots, M), dtype=np.int32),
            parts=np.zeros((slots, M, n_terms)),
            sums=np.zeros((2, M)),
            scales=np.zeros((2, M), dtype=np.int64),
            at=np.zeros((2, M)),
            factor=np.ones(M),
        )


def set_partitions(n_objects: int, n_clusters: int | None = None) -> Labels:
    """All partitions of a few objects.

    Parameters
    ----------
    n_objects : int
        Number of objects.

    n_clusters : int, default=None
        Keep those with so many clusters.

    Returns
    -------
    partitions : ndarray of shape (n_partitions, n_objects)
        Labels, numbered by first appearance, in lexicographic order.

    Examples
    --------
    >>> set_partitions(3)
    array([[0, 0, 0],
           [0, 0, 1],
           [0, 1, 0],
           [0, 1, 1],
           [0, 1, 2]])
    """

    def grow(labels: list[int], k: int) -> Iterator[list[int]]:
        if len(labels) == n_objects:
            if n_clusters in (None, k):
                yield labels
            return
        for label in range(k + 1):
            yield from grow([*labels, label], max(k, label + 1))

    return np.array(list(grow([], 0)), dtype=np.int64).reshape(-1, n_objects)


def _form(
    likeness: str | PartitionKernel,
    sizes: NDArray[Any],
    ensemble: Ensemble,
    weights: NDArray[np.float64],
) -> Form:
    """The tables of a likeness between a partition and each clustering."""
    from comitia._kernels.moves import KINDS, Form

    n, M, owner = ensemble.n_objects, ensemble.n_clusterings, ensemble.clustering_of
    n_common = np.bincount(owner, sizes, minlength=M).astype(np.int64)
    zeros = np.zeros(n + 1, dtype=np.int64)
    unit = 1.0
    if isinstance(likeness, PartitionKernel):
        kind, kernel = 0, likeness
        scaled = bool(kernel.exponents.any())
        other = np.array(
            [
                kernel.log2_self(sizes[owner == m]) if n_common[m] else 0.0
                for m in range(M)
            ]
        )
    else:
        if likeness not in AGREEMENTS:
            raise ComitiaError(
                f"agreement={likeness!r} cannot be searched; use one of "
                f"{', '.join(AGREEMENTS)}."
            )
        kind, scaled = KINDS.index(likeness), False
        counts = np.arange(n + 1, dtype=np.float64)
        if kind <= KINDS.index("fowlkes_mallows"):
            own = counts**2
        else:
            # Integers in float64: sums are exact, and so are their differences.
            unit = 2.0 ** (51 - np.ceil(np.log2(n * np.log(max(n, 2)) + 1.0)))
            own = np.rint(counts * np.log(np.maximum(counts, 1.0)) * unit)
        ones = np.ones((1, n + 1))
        kernel = PartitionKernel(own[None], zeros, ones, own, zeros)
        other = np.bincount(owner, own[sizes], minlength=M)
    return Form(
        kind=kind,
        scaled=scaled,
        inner=np.ascontiguousarray(kernel.inner),
        exponents=kernel.exponents,
        row=np.ascontiguousarray(kernel.factor),
        column=np.ascontiguousarray(kernel.factor[:, sizes]),
        own=kernel.own,
        own_exponents=kernel.own_exponents,
        other=other,
        n_common=n_common.astype(np.float64),
        whole=kernel.own[n_common],
        unit=float(unit),
        weights=weights,
    )
