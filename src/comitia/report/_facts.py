"""What is known of a result: numbers and sentences, before any page is made."""

from __future__ import annotations

import math
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from comitia.agreement import agreement_matrix, agreement_with
from comitia.ensemble import Ensemble
from comitia.exceptions import ComitiaWarning
from comitia.report._text import capital, count, listed, number, percent, shown
from comitia.represent import overlaps

if TYPE_CHECKING:
    from comitia.io.results import Result

__all__ = ["SUPPORT", "WEIGHED", "Facts"]

Floats = NDArray[np.float64]

# A cluster of the consensus is supported by a clustering with a cluster like it.
SUPPORT = 0.5

# Clusterings that are compared with each other; of more, a sample is.
COMPARED_CLUSTERINGS = 400

WEIGHED = {
    "clustering_weights": "clusterings",
    "cluster_weights": "clusters",
    "object_weights": "objects",
    "feature_weights": "features",
    "view_weights": "views",
    "selected": "clusterings",
}


class Facts:
    """What a result tells, computed when asked for."""

    def __init__(self, result: Result) -> None:
        self.result = result
        self.n = result.n_objects
        self.k = result.n_clusters
        self.ensemble = result.ensemble
        self.M = result.ensemble.n_clusterings

    # -- names --------------------------------------------------------------------

    def object_name(self, i: int) -> str:
        names = self.result.object_names
        return f"object {i}" if names is None else shown(names[i])

    def clustering_name(self, m: int) -> str:
        names = self.ensemble.clustering_names
        return f"clustering {m}" if names is None else shown(names[m])

    def item(self, name: str, i: int) -> str:
        """What stands behind the i-th weight."""
        if name == "object_weights":
            return self.object_name(i)
        if name == "view_weights":
            names = self.result.view_names
            return shown(names[i % len(names)]) if names else f"view {i}"
        if name == "feature_weights":
            names = self.result.feature_names
            return shown(names[i % len(names)]) if names else f"feature {i}"
        if name == "cluster_weights" or len(self.result.weights[name]) != self.M:
            m = int(self.ensemble.clustering_of[i])
            within = i - int(self.ensemble.offsets[m])
            return f"{self.clustering_name(m)}, cluster {within}"
        return self.clustering_name(i)

    @cached_property
    def method_name(self) -> str:
        return str(self.result.card.get("name") or self.result.method)

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
        return others.argmax(axis=1)

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
        with _quiet():
            return agreement_with(self.result.labels, self.hard, "adjusted_rand")

    @cached_property
    def compared(self) -> NDArray[np.int64]:
        """The clusterings that are compared with each other: all, or a sample."""
        if self.M <= COMPARED_CLUSTERINGS:
            return np.arange(self.M)
        return np.linspace(0, self.M - 1, COMPARED_CLUSTERINGS).astype(np.int64)

    @cached_property
    def between(self) -> Floats:
        """Agreement of the compared clusterings with each other."""
        with _quiet():
            return agreement_matrix(
                self.hard
                if len(self.compared) == self.M
                else self.hard.take(clusterings=self.compared),
                "adjusted_rand",
            )

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
        # Of a subsample only the objects in it count.
        known = np.add.reduceat(shared, begin, axis=0)[self.ensemble.clustering_of]
        if self.ensemble.kind == "overlapping":
            known = np.minimum(known, self.result.sizes)
        union = self.ensemble.sizes[:, None] + known - shared
        jaccard = np.divide(shared, union, out=np.zeros_like(shared), where=union > 0)
        return np.maximum.reduceat(jaccard, begin, axis=0)

    @cached_property
    def n_copies(self) -> int:
        """Clusterings that are equal to an earlier one, up to names."""
        seen: set[Any] = set()
        if not self.ensemble.is_hard:
            B = self.ensemble.membership.tocsc()
            for m in range(self.M):
                part = B[:, self.ensemble.offsets[m] : self.ensemble.offsets[m + 1]]
                seen.add(
                    frozenset(
                        (column.indices.tobytes(), column.data.tobytes())
                        for c in range(part.shape[1])
                        for column in (part[:, [c]],)
                    )
                )
            return self.M - len(seen)
        for codes, k in zip(
            self.ensemble.codes, self.ensemble.n_clusters_each, strict=True
        ):
            _, first, inverse = np.unique(codes, return_index=True, return_inverse=True)
            order = np.argsort(np.argsort(first)).astype(np.int32)
            named = order[inverse]
            named[codes == k] = -1
            seen.add(named.tobytes())
        return self.M - len(seen)

    # -- the three things worth knowing -------------------------------------------

    @cached_property
    def headlines(self) -> list[dict[str, str]]:
        return [self._how_many(), self._how_sure(), self._what_disagrees()]

    def _how_many(self) -> dict[str, str]:
        sizes = self.result.sizes
        if self.k == 1:
            text = f"{count(self.n, 'object')} in one cluster."
        elif self.k <= 8:
            each = [f"{size:,}".replace(",", "\u202f") for size in sizes.tolist()]
            text = f"{count(self.n, 'object')} in clusters of {listed(each)}."
        else:
            text = (
                f"{count(self.n, 'object')} in clusters of {number(sizes.min())} to "
                f"{number(sizes.max())}, half of them of {number(np.median(sizes))} or "
                "fewer."
            )
        choice = self.result.choice
        if choice is not None and choice.get("n_clusters"):
            best = int(choice["n_clusters"])
            text += (
                " That is the number that the criteria recommend."
                if best == self.k
                else f" The criteria recommend {best}."
            )
        elif self.result.parameters.get("n_clusters") is None:
            text += " The method chose the number of clusters itself."
        else:
            text += " The number of clusters was given."
        return {
            "label": "How many",
            "value": count(self.k, "cluster"),
            "text": text,
        }

    def _how_sure(self) -> dict[str, str]:
        unsure = int((~self.sure).sum())
        text = (
            f"On average an object gives {percent(self.mean_confidence)} of its votes "
            "to the cluster it is in. "
        )
        if self.k == 1:
            text = "With one cluster there is nothing to be unsure of. "
        elif unsure:
            text += (
                f"{count(unsure, 'object is', 'objects are')} nearer to a guess than "
                f"to certainty ({percent(unsure / self.n)})"
            )
            least = int(self.cluster_confidence.argmin())
            text += (
                f"; cluster {least} is the least certain "
                f"({number(self.cluster_confidence[least], 2)})."
            )
        else:
            text += "No object is nearer to a guess than to certainty."
        value = f"{self.mean_confidence:.2f} confidence"
        return {"label": "How sure", "value": value, "text": text.strip()}

    def _what_disagrees(self) -> dict[str, str]:
        if self.M == 1:
            return {
                "label": "What disagrees",
                "value": "1 clustering",
                "text": "There is a single clustering, so nothing can disagree.",
            }
        worst = int(self.with_consensus.argmin())
        text = (
            f"The {self.M} clusterings agree {number(self.mean_between, 2)} with one "
            f"another and {number(float(self.with_consensus.mean()), 2)} with the "
            "result (adjusted Rand index: 0 is chance, 1 is equal)."
        )
        if self.with_consensus[worst] < 1:
            text += (
                f" {capital(self.clustering_name(worst))} disagrees most "
                f"({number(self.with_consensus[worst], 2)})."
            )
        if self.mixed is not None and self.mixed[2] >= 0.01:
            a, b, share = self.mixed
            text += (
                f" Clusters {a} and {b} are most often mixed up "
                f"({percent(share)} of their votes)."
            )
        return {
            "label": "What disagrees",
            "value": f"{self.mean_between:.2f} agreement".replace("-", "−"),
            "text": text,
        }


@contextmanager
def _quiet() -> Iterator[None]:
    """Clusterings without a common object count as not alike; the page says so."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ComitiaWarning)
        yield
