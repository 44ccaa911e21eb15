"""What a result tells in numbers: how sure it is, and how far clusterings agree."""

from __future__ import annotations

import math
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cached_property
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from comitia.agreement import agreement_matrix, agreement_with
from comitia.ensemble import Ensemble
from comitia.exceptions import ComitiaWarning
from comitia.represent import overlaps

if TYPE_CHECKING:
    from comitia.io.results import Result

__all__ = ["SUPPORT", "ResultNumbers"]

Floats = NDArray[np.float64]

# Jaccard index from which a cluster of a clustering supports one of the consensus.
SUPPORT = 0.5

# Of more clusterings than this, a sample is compared with each other.
_COMPARED_CLUSTERINGS = 400


class ResultNumbers:
    """Numbers of a result, each computed when it is first asked for."""

    def __init__(self, result: Result) -> None:
        self.result = result
        self.n = result.n_objects
        self.k = result.n_clusters
        self.ensemble = result.ensemble
        self.M = result.ensemble.n_clusterings

    # -- how sure -----------------------------------------------------------------

    @cached_property
    def guess(self) -> float:
        """Confidence halfway between a guess, 1 / k, and certainty."""
        return (1 + 1 / self.k) / 2

    @cached_property
    def sure(self) -> NDArray[np.bool_]:
        return np.asarray(self.result.confidence >= self.guess - 1e-12)

    @cached_property
    def mean_confidence(self) -> float:
        return float(self.result.confidence.mean())

    @cached_property
    def cluster_confidence(self) -> Floats:
        sums = np.bincount(self.result.labels, self.result.confidence, minlength=self.k)
        return sums / np.maximum(self.result.sizes, 1)

    @cached_property
    def runner_up(self) -> NDArray[np.int64]:
        """The other cluster that each object gives most votes to."""
        others = self.result.membership.copy()
        others[np.arange(self.n), self.result.labels] = -1.0
        return np.asarray(others.argmax(axis=1))

    @cached_property
    def mixed(self) -> tuple[int, int, float] | None:
        """The two clusters whose objects vote most for each other."""
        if self.k < 2:
            return None
        sums = np.zeros((self.k, self.k))
        np.add.at(sums, self.result.labels, self.result.membership)
        shares = sums / np.maximum(self.result.sizes, 1)[:, None]
        both = (shares + shares.T) / 2
        np.fill_diagonal(both, -1.0)
        a, b = divmod(int(both.argmax()), self.k)
        return min(a, b), max(a, b), float(both[a, b])

    # -- the clusterings ----------------------------------------------------------

    @cached_property
    def hard(self) -> Ensemble:
        """The ensemble, with overlapping clusters cut to the first of each object."""
        if self.ensemble.kind != "overlapping":
            return self.ensemble
        return Ensemble.from_codes(
            self.ensemble.codes,
            self.ensemble.n_clusters_each,
            clustering_names=self.ensemble.clustering_names,
        )

    @cached_property
    def with_consensus(self) -> Floats:
        with _without_warnings():
            return agreement_with(self.result.labels, self.hard, "adjusted_rand")

    @cached_property
    def compared(self) -> NDArray[np.int64]:
        """The clusterings that are compared with each other: all, or a sample."""
        if self.M <= _COMPARED_CLUSTERINGS:
            return np.arange(self.M)
        return np.linspace(0, self.M - 1, _COMPARED_CLUSTERINGS).astype(np.int64)

    @cached_property
    def between(self) -> Floats:
        """Agreement of the compared clusterings with each other."""
        some = self.hard.take(clusterings=self.compared)
        with _without_warnings():
            return agreement_matrix(some, "adjusted_rand")

    @cached_property
    def mean_between(self) -> float:
        m = len(self.between)
        if m < 2:
            return math.nan
        return float((self.between.sum() - np.trace(self.between)) / (m * (m - 1)))

    @cached_property
    def support(self) -> Floats:
        """How alike the best cluster of each clustering is to each cluster, (M, k)."""
        shared = overlaps(self.ensemble, self.result.labels, self.k)
        begin = self.ensemble.offsets[:-1]
        # Objects that a clustering has not sampled do not count.
        known = np.add.reduceat(shared, begin, axis=0)[self.ensemble.clustering_of]
        if self.ensemble.kind == "overlapping":
            known = np.minimum(known, self.result.sizes)
        union = self.ensemble.sizes[:, None] + known - shared
        jaccard = np.divide(shared, union, out=np.zeros_like(shared), where=union > 0)
        return np.maximum.reduceat(jaccard, begin, axis=0)

    @cached_property
    def n_copies(self) -> int:
        """Number of clusterings that are equal to an earlier one, up to names."""
        B = self.ensemble.membership.tocsc()
        clusters = [
            (B.indices[start:end].tobytes(), B.data[start:end].tobytes())
            for start, end in pairwise(B.indptr.tolist())
        ]
        clusterings = {
            frozenset(clusters[start:end]) - {(b"", b"")}
            for start, end in pairwise(self.ensemble.offsets.tolist())
        }
        return self.M - len(clusterings)


@contextmanager
def _without_warnings() -> Iterator[None]:
    """Ignore that clusterings without a common object count as not alike."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ComitiaWarning)
        yield
