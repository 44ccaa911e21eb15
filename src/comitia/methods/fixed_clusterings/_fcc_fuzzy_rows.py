"""Fuzzy c-means on the memberships that an ensemble gives to its objects."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from comitia.cluster import fuzzy_memberships
from comitia.ensemble import Ensemble
from comitia.exceptions import ComitiaError
from comitia.optimize import get_bregman
from comitia.optimize.ties import lowest_run

__all__ = ["FuzzyRows", "fuzzy_rows"]

Floats = NDArray[np.float64]

# How much of the mean row a first prototype gets: no label may be impossible there.
_SMOOTHING = 1e-6

# Distances of a prototype to itself come out as some units in the last place.
_ROUNDING = 1e-14


class FuzzyRows(NamedTuple):
    """Result of fuzzy c-means on rows."""

    membership: Floats  # (n_objects, n_clusters), memberships; rows sum to one
    # (n_clusters, n_clusters of the ensemble), mean memberships in the base clusters
    prototypes: Floats
    # (n_iter + 1,), the objective at the start and after each iteration
    objective: Floats
    converged: bool  # whether the memberships stopped changing


def fuzzy_rows(
    ensemble: Ensemble,
    n_clusters: int,
    rng: np.random.RandomState,
    *,
    clustering_weights: ArrayLike | None = None,
    divergence: str = "squared",
    fuzziness: float = 2.0,
    n_init: int = 10,
    max_iter: int = 300,
    tol: float = 1e-5,
) -> FuzzyRows:
    r"""Fuzzy c-means on the rows of the membership matrix, which stays sparse.

    .. math::
        \min \sum_i \sum_r F_{ir}^\alpha \sum_{m=1}^{M} w_m \, D_g(F^m_i, p_r^m)

    over memberships F and prototypes :math:`p_r^m`, with :math:`F^m_i` the block of
    clustering m in row i and :math:`D_g` a Bregman divergence
    (:class:`comitia.optimize.bregman.Bregman`). Where an object has no label, it
    enters neither the prototype nor the distance. Objects with equal rows are one.
    """
    if ensemble.kind == "overlapping":
        raise ComitiaError(
            "memberships of overlapping clusterings do not sum to one; give hard, "
            "partial or fuzzy clusterings."
        )
    micro = ensemble.distinct().in_content_order()
    rows = _Rows(micro.ensemble, micro.counts, clustering_weights, divergence)
    best = lowest_run(
        (rows.run(n_clusters, rng, fuzziness, max_iter, tol) for _ in range(n_init)),
        lambda run: run.objective[-1],
    )
    return best._replace(membership=best.membership[micro.inverse])


class _Rows:
    """Distinct rows with their counts, and distances of prototypes to them."""

    def __init__(
        self,
        ensemble: Ensemble,
        counts: NDArray[Any],
        clustering_weights: ArrayLike | None,
        divergence: str,
    ) -> None:
        from scipy.sparse import csr_array

        M, K = ensemble.n_clusterings, ensemble.n_clusters_total
        self.g = get_bregman(divergence)
        if np.isfinite(self.g.lowest) and divergence != "kl":
            raise ComitiaError(
                f"divergence={divergence!r} is infinite on labels, which are zeros and "
                "ones; use squared, kl or norm."
            )
        self.B: Any = ensemble.membership.astype(np.float64)
        self.B.eliminate_zeros()
        self.counts = np.asarray(counts, dtype=np.float64)
        self.owner = ensemble.clustering_of
        w = clustering_weights
        self.w = np.full(M, 1.0 / M) if w is None else np.asarray(w, dtype=np.float64)
        self.blocks = csr_array((np.ones(K), (np.arange(K), self.owner)), shape=(K, M))
        self.present = (self.B @ self.blocks > 0).toarray().astype(np.float64)
        self.own = self._values_of_rows() @ self.w
        mass = self.counts @ self.present
        total = self.counts @ self.B
        self.mean = total / np.maximum(mass, 1e-300)[self.owner]

    def _values_of_rows(self) -> Floats:
        """The value of g on each block of each row, 0 where it is missing."""
        if self.g.terms is None:
            return np.asarray(
                np.sqrt((self.B.multiply(self.B) @ self.blocks).toarray())
            )
        terms = self.B.copy()
        # Elements that are zero add g(0) = 0 for each g that is allowed here.
        terms.data = self.g.terms(terms.data)
        return np.asarray((terms @ self.blocks).toarray())

    def distances(self, P: Floats) -> Floats:
        r"""The :math:`\sum_m w_m D_g(F^m_i, p_r^m)`, shape (n_rows, n_clusters)."""
        if self.g.terms is None:
            norm = np.sqrt(np.square(P) @ self.blocks)
            slopes = P / np.where(norm > 0, norm, 1.0)[:, self.owner]
            rest = np.zeros_like(norm)
        else:
            slopes = self.g.gradient(P)
            inner = np.where(P > 0, P * np.where(P > 0, slopes, 0.0), 0.0)
            rest = (inner - self.g.terms(P)) @ self.blocks
        weighted = slopes * self.w[self.owner]
        # A clustering without weight has no say, even where its slope is infinite.
        weighted[:, self.w[self.owner] == 0] = 0.0
        d = self.own[:, None] + self.present @ (rest * self.w).T - self.B @ weighted.T
        return np.where(d > _ROUNDING * self.w.sum(), d, 0.0)

    def prototypes(self, powered: Floats, before: Floats) -> Floats:
        """Means of the rows; blocks without any label stay as they were."""
        mass = (powered.T @ self.present)[:, self.owner]
        sums = np.asarray((self.B.T @ powered).T)
        return np.where(mass > 0, sums / np.where(mass > 0, mass, 1.0), before)

    def start(self, k: int, rng: np.random.RandomState) -> Floats:
        """Means of the cells of rows drawn by k-means++, smoothed."""
        chosen = [rng.choice(len(self.counts), p=self.counts / self.counts.sum())]
        nearest = np.full(len(self.counts), np.inf)
        for _ in range(1, k):
            nearest = np.minimum(nearest, self.distances(self._rows(chosen[-1:]))[:, 0])
            chances = self.counts * nearest
            total = chances.sum()
            # Fewer rows that differ than clusters: some start at the same place.
            chances = chances / total if total > 0 else self.counts / self.counts.sum()
            chosen.append(rng.choice(len(self.counts), p=chances))
        P = self._rows(chosen)
        cells = np.eye(k)[self.distances(P).argmin(axis=1)] * self.counts[:, None]
        return self._smooth(self.prototypes(cells, P))

    def _rows(self, which: list[Any]) -> Floats:
        missing = self.present[which][:, self.owner] == 0
        return self._smooth(np.where(missing, self.mean, self.B[which].toarray()))

    def _smooth(self, P: Floats) -> Floats:
        return (1.0 - _SMOOTHING) * P + _SMOOTHING * self.mean

    def run(
        self,
        k: int,
        rng: np.random.RandomState,
        fuzziness: float,
        max_iter: int,
        tol: float,
    ) -> FuzzyRows:
        P = self.start(k, rng)
        d = self.distances(P)
        F = fuzzy_memberships(d, fuzziness)
        objective, converged = [self._objective(F, d, fuzziness)], False
        for _ in range(max_iter):
            P = self.prototypes(self.counts[:, None] * F**fuzziness, P)
            d = self.distances(P)
            before, F = F, fuzzy_memberships(d, fuzziness)
            objective.append(self._objective(F, d, fuzziness))
            if np.abs(F - before).max() <= tol:
                converged = True
                break
        return FuzzyRows(F, P, np.array(objective), converged)

    def _objective(self, F: Floats, d: Floats, fuzziness: float) -> float:
        # Nobody belongs to a prototype at infinite distance.
        reached = np.where(F > 0, d, 0.0)
        return float(self.counts @ (F**fuzziness * reached).sum(axis=1))
