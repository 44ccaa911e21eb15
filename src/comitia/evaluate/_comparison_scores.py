"""Scores of the results of a comparison, larger being better."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from comitia.ensemble import Ensemble
from comitia.evaluate._comparison_runs import Outcome, Resample
from comitia.evaluate.method_ranks import row_ranks

__all__ = ["Scorer", "merits_of"]

Floats = NDArray[np.float64]

# Silhouettes of more objects than this are taken on a sample of them.
_MANY = 5000
_SAMPLE = 2000

_INTERNAL = {
    "silhouette": 1.0,
    "calinski_harabasz": 1.0,
    "davies_bouldin": -1.0,
}
_EXTERNAL = ("adjusted_rand", "nmi_sqrt")


class Scorer:
    """Scores results, on all objects or on a resample, larger being better."""

    def __init__(
        self,
        X: Any,
        ensemble: Ensemble | None,
        truth: NDArray[Any] | None,
        resamples: Sequence[Resample],
    ) -> None:
        self.X = X
        self.ensemble = ensemble
        self.truth = truth
        self.resamples = resamples

    @property
    def judged_by(self) -> list[str]:
        if self.truth is not None:
            return ["adjusted_rand"]
        internal = [] if self.X is None else list(_INTERNAL)
        return ["stability", *(["anmi"] if self.ensemble else []), *internal]

    def internal(
        self, labels: NDArray[Any], part: Resample | None = None
    ) -> dict[str, float]:
        from comitia.agreement import agreement_with
        from comitia.validity import score_table

        scores = {}
        rows = None if part is None else part.objects
        ensemble = self.ensemble
        if ensemble is not None and ensemble.kind != "overlapping":
            if part is not None:
                ensemble = ensemble.take(part.clusterings, part.objects)
            scores["anmi"] = float(agreement_with(labels, ensemble).mean())
        if self.X is not None:
            X = self.X if rows is None else self.X[rows]
            options = {}
            if len(X) > _MANY:
                options["silhouette"] = {"sample_size": _SAMPLE, "random_state": 0}
            table = score_table(X, Ensemble([labels]), list(_INTERNAL), options=options)
            scores |= dict(zip(_INTERNAL, table.values[0].tolist(), strict=True))
        return scores

    def external(
        self, labels: NDArray[Any], part: Resample | None = None
    ) -> dict[str, float]:
        from comitia.agreement import agreement

        if self.truth is None:
            return {}
        truth = self.truth if part is None else self.truth[part.objects]
        return {name: agreement(truth, labels, name) for name in _EXTERNAL}

    def on_resamples(self, outcome: Outcome) -> dict[str, Floats]:
        """Every score that counts, on every resample; empty if one has no result."""
        from comitia.agreement import adjusted_rand

        if len(outcome.parts) < len(self.resamples) or not self.resamples:
            return {}
        if outcome.parts[-1]["status"] != "ok":
            return {}
        scored = []
        for answer, part in zip(outcome.parts, self.resamples, strict=True):
            labels, whole = answer["value"], outcome.whole["value"][part.objects]
            scores = {"stability": adjusted_rand(labels, whole)}
            if self.truth is None:
                scores |= self.internal(labels, part)
            else:
                scores |= self.external(labels, part)
            scored.append(scores)
        return {name: np.array([one[name] for one in scored]) for name in scored[0]}


def merits_of(scores: Sequence[dict[str, Floats]], names: Sequence[str]) -> Floats:
    """One number for each resample and method, larger being better."""
    tables = [
        np.array([one[name] for one in scores]).T * _INTERNAL.get(name, 1.0)
        for name in names
    ]
    if len(tables) == 1:
        return tables[0]
    return -np.mean([row_ranks(table) for table in tables], axis=0)
