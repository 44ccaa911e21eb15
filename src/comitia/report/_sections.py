"""The sections of the report: what its figures and tables show."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from comitia.display.consensus_view import WEIGHED, remaining_way
from comitia.display.result_numbers import SUPPORT
from comitia.explanation import Explanation
from comitia.prepare.column_decisions import ColumnDecision, grouped_decisions
from comitia.report._alerts import Alert, find_alerts
from comitia.report._figures import histogram, image, line_chart
from comitia.report._page_markup import rst
from comitia.report._page_text import capital, listed, number, printable, sentences
from comitia.report._panels import Panels

__all__ = ["Sections"]

Floats = NDArray[np.float64]

# Clusterings whose agreement is shown one by one.
SHOWN_CLUSTERINGS = 60

# Tables with more rows show the first and the last TABLE_ENDS.
TABLE_ROWS = 60
TABLE_ENDS = 15

# Means this many standard deviations from that of all objects are told in words.
DIFFERENT = 0.5

_APPROACHES = {
    "fixed": "weights are computed once, before the consensus",
    "variable": "weights and consensus are optimised together",
    "selection": "weights are used to select what is combined",
    "baseline": "a method that others are compared with",
}

_SCORES = {
    "mean_confidence": (
        "Mean confidence",
        "probability that an object is in the right cluster, unless all err alike",
    ),
    "mean_vote_share": (
        "Mean vote share",
        "share of its votes that an object gives to its own cluster",
    ),
    "mean_ari_with_clusterings": (
        "Agreement with the clusterings",
        "adjusted Rand index, mean over the clusterings; 0 is chance, 1 is equal",
    ),
    "silhouette": (
        "Silhouette",
        "how much nearer the own cluster is than the next; −1 to 1, larger is better",
    ),
    "calinski_harabasz": (
        "Caliński–Harabasz",
        "spread between the clusters over spread inside them; larger is better",
    ),
    "davies_bouldin": (
        "Davies–Bouldin",
        "spread of the clusters over their distances; smaller is better",
    ),
    "gap_between_clusters": (
        "Gap between clusters",
        "how empty the space between the clusters is, in standard errors; 2 is a gap",
    ),
    "modularity": (
        "Modularity",
        "share of the links inside clusters beyond that of chance; larger is better",
    ),
    "truth_adjusted_rand": (
        "Agreement with the known classes",
        "adjusted Rand index; 0 is chance, 1 is equal",
    ),
    "truth_nmi_sqrt": (
        "Information shared with the known classes",
        "normalised mutual information; 0 is none, 1 is all",
    ),
}

_CRITERIA = {
    "pac": "PAC, share of ambiguous pairs",
    "area": "Area under the consensus CDF",
    "delta_area": "Gain in that area",
    "cophenetic": "Cophenetic correlation",
    "stability": "Stability under resampling",
    "inconsistency": "Inconsistency of resamples",
    "calinski_harabasz": "Caliński–Harabasz",
    "davies_bouldin": "Davies–Bouldin",
}


class Sections(Panels):
    """Everything that the template shows, computed from a result when asked for."""

    @cached_property
    def alerts(self) -> list[Alert]:
        return find_alerts(self)

    # -- weights ------------------------------------------------------------------

    @cached_property
    def weights(self) -> list[dict[str, Any]]:
        kept = self.result.weights.get("selected")
        tables = []
        for name, values in self.result.weights.items():
            if name == "selected":
                continue
            mine = kept is not None and kept.shape == values.shape
            tables.append(self._weight_table(name, values, kept if mine else None))
        if kept is not None and not any(
            kept.shape == values.shape
            for name, values in self.result.weights.items()
            if name != "selected"
        ):
            tables.append(self._weight_table("selected", kept.astype(np.float64), kept))
        return tables

    def _weight_table(
        self, name: str, values: Floats, kept: NDArray[np.bool_] | None
    ) -> dict[str, Any]:
        if name == "selected":
            what = "clusterings" if len(values) == self.M else "clusters"
        else:
            what = WEIGHED[name]
        matrix = values.ndim == 2
        rows = values.mean(axis=0) if matrix else values
        largest = float(np.abs(rows).max()) or 1.0
        picked, cut = _first_and_last(rows)
        extra = self._weight_columns(name, rows)
        lines = [
            {
                "name": self.item(name, int(i)),
                "more": [column[i] for _, column in extra],
                "value": float(rows[i]),
                "bar": 100 * abs(float(rows[i])) / largest,
                "kept": None if kept is None else bool(kept[i]),
                "low": float(values[:, i].min()) if matrix else None,
                "high": float(values[:, i].max()) if matrix else None,
            }
            for i in picked
        ]
        return {
            "id": name.replace("_", "-"),
            "what": what,
            "columns": [title for title, _ in extra],
            "matrix": len(values) if matrix else None,
            "lines": lines,
            "cut": cut,
            "n": len(rows),
            "kept": None if kept is None else int(kept.sum()),
            "histogram": histogram(rows) if len(rows) > TABLE_ROWS else None,
            "text": self._weights_in_words(what, rows, kept, matrix),
            "scored": name != "selected",
        }

    def _weights_in_words(
        self, what: str, rows: Floats, kept: NDArray[np.bool_] | None, matrix: bool
    ) -> str:
        text = ""
        if kept is not None:
            text = f"{int(kept.sum())} of {len(kept)} {what} were kept. "
        low, middle, high = (
            number(float(v)) for v in (rows.min(), np.median(rows), rows.max())
        )
        text += (
            f"{'Mean weights' if matrix else 'Weights'} run from {low} to {high}, half "
            f"of them are {middle} or less."
        )
        total = np.abs(rows).sum()
        if total > 0 and len(rows) > 1:
            effective = total**2 / (rows**2).sum()
            text += (
                f" Together the {len(rows)} {what} count as much as "
                f"{number(effective)} with equal weights."
            )
        return text

    def _weight_columns(
        self, name: str, rows: Floats
    ) -> list[tuple[str, Sequence[Any]]]:
        if name in ("clustering_weights", "selected") and len(rows) == self.M:
            agree = [number(v, 2) for v in self.with_consensus.tolist()]
            clusters = self.ensemble.n_clusters_each.tolist()
            return [("clusters", clusters), ("agreement with the result", agree)]
        if name in ("cluster_weights", "selected"):
            return [("objects", [number(v) for v in self.ensemble.sizes.tolist()])]
        if name == "object_weights" and len(rows) == self.n:
            return [
                ("cluster", self.result.labels.tolist()),
                ("confidence", [f"{v:.2f}" for v in self.result.confidence.tolist()]),
            ]
        return []

    # -- agreement ----------------------------------------------------------------

    @cached_property
    def agreement(self) -> dict[str, Any] | None:
        if self.M < 2:
            return None
        order = _leaf_order(self.between)
        S = self.between[np.ix_(order, order)]
        m = len(S)
        binned = m > SHOWN_CLUSTERINGS
        if binned:
            edges = np.arange(SHOWN_CLUSTERINGS + 1) * m // SHOWN_CLUSTERINGS
            sums = np.add.reduceat(np.add.reduceat(S, edges[:-1], 0), edges[:-1], 1)
            S = sums / np.outer(np.diff(edges), np.diff(edges))
        picked, cut = _first_and_last(self.with_consensus)
        with_others = self._with_others()
        groups = self.ensemble.groups
        return {
            "image": image(np.maximum(S, 0.0)),
            "n_bins": len(S),
            "binned": binned,
            "compared": m,
            "order": order,
            "values": S,
            "cut": cut,
            "groups": groups is not None,
            "histogram": histogram(self.with_consensus, high=1.0)
            if self.M > TABLE_ROWS
            else None,
            "lines": [
                {
                    "name": self.clustering_name(int(i)),
                    "group": "" if groups is None else printable(groups[i]),
                    "clusters": int(self.ensemble.n_clusters_each[i]),
                    "value": float(self.with_consensus[i]),
                    "bar": 100 * max(float(self.with_consensus[i]), 0.0),
                    "others": with_others.get(int(i)),
                }
                for i in picked
            ],
        }

    def agreement_data(self) -> dict[str, Any] | None:
        """Which clusterings stand in the rows of the agreement map."""
        found = self.agreement
        if found is None:
            return None
        if found["binned"]:
            edges = (
                np.arange(found["n_bins"] + 1) * found["compared"] // found["n_bins"]
            )
            names = [f"{b - a} clusterings" for a, b in pairwise(edges.tolist())]
        else:
            names = [
                self.clustering_name(int(self.compared[i])) for i in found["order"]
            ]
        return {"largest": 1.0, "name": names}

    def _with_others(self) -> dict[int, float]:
        m = len(self.between)
        means = (self.between.sum(axis=1) - np.diag(self.between)) / (m - 1)
        return dict(zip(self.compared.tolist(), means.tolist(), strict=True))

    # -- what it rests on ---------------------------------------------------------

    @cached_property
    def explained(self) -> Explanation | None:
        """The explanation of the method, if there is something in it."""
        said = self.result.explanation
        return said if said is not None and (said.families or said.rivals) else None

    # -- confidence ---------------------------------------------------------------

    @cached_property
    def clusters(self) -> list[dict[str, Any]]:
        rows = []
        share = (self.support >= SUPPORT).mean(axis=0)
        for c in range(self.k):
            mine = np.flatnonzero(self.result.labels == c)
            if not len(mine):
                continue
            confidence = self.result.confidence[mine]
            least = mine[np.argsort(confidence, kind="stable")[:8]]
            others = np.bincount(self.runner_up[mine], minlength=self.k)
            rows.append(
                {
                    "cluster": c,
                    "size": len(mine),
                    "mean": float(confidence.mean()),
                    "low": float(np.quantile(confidence, 0.1)),
                    "unsure": int((~self.sure[mine]).sum()),
                    "next": int(others.argmax()) if self.k > 1 else None,
                    "support": float(share[c]),
                    "bars": _small_histogram(confidence),
                    "least": [self._uncertain_object(int(i)) for i in least],
                }
            )
        return rows

    @cached_property
    def least_certain(self) -> list[dict[str, Any]]:
        order = np.argsort(self.result.confidence, kind="stable")[:20]
        return [
            self._uncertain_object(int(i))
            for i in order
            if self.result.confidence[i] < 1
        ]

    def _uncertain_object(self, i: int) -> dict[str, Any]:
        other = int(self.runner_up[i])
        return {
            "name": self.object_name(i),
            "cluster": int(self.result.labels[i]),
            "confidence": float(self.result.confidence[i]),
            "next": other if self.k > 1 else None,
            "share": float(self.result.membership[i, other]) if self.k > 1 else 0.0,
        }

    # -- profile ------------------------------------------------------------------

    @cached_property
    def profile(self) -> list[dict[str, Any]] | None:
        profile = self.result.profile
        if profile is None:
            return None
        sizes = np.maximum(profile.sizes, 0)[:, None]
        overall = np.nansum(sizes * profile.means, axis=0) / max(sizes.sum(), 1)
        largest = float(np.nanmax(np.abs(profile.differences), initial=0.0)) or 1.0
        blocks = []
        for c in range(self.k):
            differences = profile.differences[c]
            if not profile.sizes[c]:
                continue
            order = np.argsort(-np.abs(np.nan_to_num(differences)), kind="stable")
            lines = [
                {
                    "name": printable(self.result.feature_names[j]),
                    "mean": float(profile.means[c, j]),
                    "overall": float(overall[j]),
                    "difference": float(differences[j]),
                    "effect": float(profile.effects[c, j]),
                    "bar": 50 * min(abs(float(differences[j])) / largest, 1.0),
                }
                for j in order[:TABLE_ROWS].tolist()
            ]
            blocks.append(
                {
                    "cluster": c,
                    "size": int(profile.sizes[c]),
                    "text": _profile_in_words(lines),
                    "first": lines[:8],
                    "more": lines[8:],
                    "n_features": len(order),
                }
            )
        return blocks

    @cached_property
    def telling(self) -> list[dict[str, Any]]:
        """The features that tell the clusters apart, all clusters together."""
        profile = self.result.profile
        if profile is None or self.k < 2:
            return []
        order = np.argsort(-profile.explained, kind="stable")[:10]
        return [
            {
                "name": printable(self.result.feature_names[j]),
                "share": float(profile.explained[j]),
                "bar": 100 * float(profile.explained[j]),
            }
            for j in order.tolist()
            if profile.explained[j] > 0
        ]

    # -- the number of clusters ---------------------------------------------------

    @cached_property
    def choice(self) -> dict[str, Any] | None:
        given = self.result.choice
        if given is None or not given.get("ks"):
            return None
        ks = [int(k) for k in given["ks"]]
        criteria = given.get("criteria") or {}
        better = given.get("better") or {}
        best = given.get("best") or {}
        votes = given.get("votes") or {}
        best_k = given.get("n_clusters")
        columns = [
            {
                "name": _CRITERIA.get(name) or _title_of(name),
                "better": better.get(name, ""),
                "best": best.get(name),
                "vote": votes.get(name),
                "chart": line_chart(ks, [(name, values)], at=best_k),
                "values": values,
            }
            for name, values in criteria.items()
        ]
        odds = given.get("probabilities") or []
        cdf = given.get("cdf") or []
        curves = [(f"k = {k}", row) for k, row in zip(ks, cdf, strict=False)]
        return {
            "ks": ks,
            "n_clusters": best_k,
            "reason": sentences(given.get("reason")),
            "odds": line_chart([1, *ks], [("probability", odds)], at=best_k)
            if len(odds) == len(ks) + 1
            else None,
            "columns": columns,
            "notes": [str(note) for note in given.get("notes") or []],
            "cdf": line_chart(
                given.get("cdf_at") or [],
                curves,
                width=560,
                height=260,
                dots=False,
                whole=False,
            )
            if curves
            else None,
        }

    # -- known classes ------------------------------------------------------------

    @cached_property
    def classes(self) -> dict[str, Any] | None:
        truth = self.result.truth
        if truth is None:
            return None
        names, codes = np.unique(truth, return_inverse=True)
        if len(names) > 60:
            return {"names": [], "rows": [], "n": len(names)}
        table = np.zeros((self.k, len(names)), dtype=np.int64)
        np.add.at(table, (self.result.labels, codes), 1)
        return {
            "names": [printable(name) or "unknown" for name in names],
            "n": len(names),
            "rows": [
                {"cluster": c, "counts": row.tolist(), "largest": int(row.max())}
                for c, row in enumerate(table)
            ],
        }

    # -- how it was made ----------------------------------------------------------

    @cached_property
    def prepared(self) -> list[dict[str, str]]:
        """What was done with each column of the table."""
        preparation = self.result.preparation
        if not preparation:
            return []
        columns = preparation["columns"]
        rows = zip(*columns.values(), strict=True)
        return grouped_decisions(
            [ColumnDecision(**dict(zip(columns, row, strict=True))) for row in rows]
        )

    @cached_property
    def card(self) -> dict[str, Any]:
        card = self.result.card
        description = str(card.get("description") or card.get("summary") or "")
        notes = str(card.get("notes") or "")
        return {
            "name": self.method_name,
            "description": rst(description),
            "notes": rst(notes) if notes else None,
            # The notes are open if the description has no formula.
            "open": ".. math::" not in description,
            "references": [rst(str(entry)) for entry in card.get("references") or []],
            "weighs": card.get("weighs", ""),
            "approach": _APPROACHES.get(str(card.get("approach")), ""),
            "scales": card.get("scales", ""),
        }

    @cached_property
    def parameters(self) -> list[tuple[str, str]]:
        return [*_parameter_lines(self.result.parameters)]

    @cached_property
    def scores(self) -> list[dict[str, str]]:
        return [
            {
                "name": _SCORES.get(name, (_title_of(name), ""))[0],
                "value": number(value),
                "means": _SCORES.get(name, ("", ""))[1],
            }
            for name, value in self.result.scores.items()
        ]

    @cached_property
    def objective(self) -> Any:
        curves = [curve for curve in self.result.objective if np.isfinite(curve).any()]
        if not curves or max(map(len, curves)) < 2:
            return None
        longest = max(map(len, curves))
        several = len(curves) > 1
        lines = []
        for i, curve in enumerate(curves[:12]):
            # Runs of different sizes are comparable by how far they have come.
            values = (remaining_way(curve) if several else curve).tolist()
            padded = [v if math.isfinite(v) else None for v in values]
            lines.append((f"run {i}", padded + [None] * (longest - len(curve))))
        return {
            "chart": line_chart(
                range(longest), lines, width=560, height=200, dots=longest <= 40
            ),
            "several": several,
            "n": len(curves),
        }


def _title_of(name: str) -> str:
    return capital(name.replace("_", " "))


def _first_and_last(values: Floats) -> tuple[list[int], int]:
    """Falling order; of many, the first and last 15, and how many are left out."""
    order = np.argsort(-values, kind="stable").tolist()
    if len(order) <= TABLE_ROWS:
        return order, 0
    return order[:TABLE_ENDS] + order[-TABLE_ENDS:], len(order) - 2 * TABLE_ENDS


def _small_histogram(confidence: Floats) -> list[dict[str, str]]:
    counts, _ = np.histogram(confidence, bins=20, range=(0, 1))
    top = max(int(counts.max()), 1)
    return [
        {
            "x": str(6 * i),
            "y": f"{28 - 28 * c / top:.1f}",
            "height": f"{28 * c / top:.1f}",
        }
        for i, c in enumerate(counts.tolist())
        if c
    ]


def _leaf_order(S: Floats) -> list[int]:
    """An order in which clusterings that agree stand side by side."""
    from scipy.cluster.hierarchy import leaves_list, linkage
    from scipy.spatial.distance import squareform

    if len(S) < 3:
        return [*range(len(S))]
    distance = np.maximum(1.0 - (S + S.T) / 2, 0.0)
    np.fill_diagonal(distance, 0.0)
    tree = linkage(squareform(distance, checks=False), "average")
    return [int(i) for i in leaves_list(tree)]


def _profile_in_words(lines: Sequence[Mapping[str, Any]]) -> str:
    sentences = []
    for word, sign in (("Higher", 1), ("Lower", -1)):
        some = [
            f"{line['name']} ({number(line['mean'])} against {number(line['overall'])})"
            for line in lines
            if sign * line["difference"] >= DIFFERENT
        ][:3]
        if some:
            sentences.append(f"{word}: {listed(some)}.")
    return " ".join(sentences) or (
        "No feature is half a standard deviation or more from the mean of all objects."
    )


def _parameter_lines(
    parameters: Mapping[str, Any], before: str = ""
) -> Iterable[tuple[str, str]]:
    """Names and values of parameters, those of a part after it."""
    for name, value in parameters.items():
        if isinstance(value, Mapping) and "class" in value:
            yield f"{before}{name}", printable(value["class"])
            yield from _parameter_lines(
                value.get("parameters") or {}, f"{before}{name}."
            )
        else:
            yield f"{before}{name}", printable(value)
