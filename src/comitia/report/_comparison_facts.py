"""What the report says of a comparison of methods."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Any

import numpy as np

from comitia.report._annotated_heat import NAME_ROOM
from comitia.report._figures import image, ticks
from comitia.report._page_text import (
    capital,
    count,
    listed,
    number,
    printable,
    sentences,
)

__all__ = ["ComparisonFacts"]

_SCORES = {
    "adjusted_rand": "ARI with the classes",
    "nmi_sqrt": "NMI with the classes",
    "anmi": "NMI with the clusterings",
    "silhouette": "silhouette",
    "calinski_harabasz": "Caliński–Harabasz",
    "davies_bouldin": "Davies–Bouldin",
    "stability": "stability",
}

# The agreement of so many methods is a table with their names and the values.
_MOST_NAMED = 20

# Width of the figure of the ranks, and height of one line of it.
_WIDTH, _ROW = 420.0, 26.0


class ComparisonFacts:
    """Everything that the page of a comparison shows.

    Parameters
    ----------
    plain : dict
        What ``Comparison.to_dict`` gives.
    """

    def __init__(self, plain: Mapping[str, Any]) -> None:
        self.plain = plain
        self.rows: list[Mapping[str, Any]] = list(plain["rows"])
        self.good = [row for row in self.rows if row["status"] == "ok"]
        self.bad = [row for row in self.rows if row["status"] != "ok"]
        self.ranked = [row for row in self.good if row.get("rank") is not None]

    @cached_property
    def reason(self) -> str:
        """The result in sentences, for a page without ranks."""
        return "" if self.ranked else sentences(self.plain.get("reason"))

    @cached_property
    def headlines(self) -> list[dict[str, str]]:
        return [self._best(), self._noise(), self._alike()]

    def _best(self) -> dict[str, str]:
        if not self.ranked:
            return {
                "label": "Which is best",
                "value": "not ranked",
                "text": "Without resamples there are no ranks; the scores in the table "
                "are of single runs.",
            }
        first = self.ranked[0]
        judged = [_SCORES.get(name, name) for name in self.plain.get("judged_by") or []]
        spread = first.get("rank_sd")
        about = "" if spread is None else f" ± {number(spread, 2)}"
        text = (
            f"{first['name']} has the best mean rank, {number(first['rank'])}{about} "
            f"of {len(self.ranked)}, over {self.plain.get('n_resamples')} resamples, "
            f"judged by {listed(judged) if judged else 'the scores'}"
        )
        value = str(first["id"])
        if len(self.like_the_first) == len(self.ranked) - 1 and self.like_the_first:
            value = "no winner"
            text += ", but the test tells no method apart from any other"
        elif self.like_the_first:
            value = f"{len(self.like_the_first) + 1} lead"
        return {"label": "Which is best", "value": value, "text": f"{text}."}

    @cached_property
    def like_the_first(self) -> list[str]:
        """The methods that are not told apart from the first."""
        first = {*str(self.ranked[0]["group"])} if self.ranked else set()
        return [
            str(row["id"]) for row in self.ranked[1:] if {*str(row["group"])} & first
        ]

    def _noise(self) -> dict[str, str]:
        if len(self.ranked) < 2:
            return {
                "label": "What is noise",
                "value": "not tested",
                "text": "At least two ranked methods are needed.",
            }
        like = self.like_the_first
        if like:
            some = like[:6] + ([f"{len(like) - 6} more"] if len(like) > 6 else [])
            verb = "is" if len(like) == 1 else "are"
            text = f"{listed(some)} {verb} not told apart from the best."
        else:
            text = "The best is told apart from all others."
        difference = self.plain.get("critical_difference")
        if difference is not None:
            text += (
                f" Mean ranks that differ by less than {number(difference, 2)} are "
                "noise (Nemenyi’s test)."
            )
        return {
            "label": "What is noise",
            "value": f"{count(len(like), 'other')} as good" if like else "clear",
            "text": text,
        }

    def _alike(self) -> dict[str, str]:
        A = self._known_agreement()
        m = len(A)
        if m < 2:
            text, value = "There are not two results to compare.", "–"
        else:
            off = A[~np.eye(m, dtype=bool)]
            value = f"{off.mean():.2f} agreement".replace("-", "−")
            alone = int((A.sum(axis=1) - np.diag(A)).argmin())
            text = (
                f"The {m} results agree {number(float(off.mean()), 2)} with one "
                "another on average (adjusted Rand index); "
                f"{self.good[alone]['id']} stands most apart."
            )
        if self.bad:
            text += f" {count(len(self.bad), 'method')} gave no result."
        return {"label": "How far they agree", "value": value, "text": text}

    @cached_property
    def columns(self) -> list[tuple[str, str]]:
        """Scores that at least one method has: ("external" or "internal", name)."""
        found = []
        for part in ("external", "internal"):
            names = {name: None for row in self.good for name in row.get(part) or {}}
            found += [(part, name) for name in names]
        return found

    def column_name(self, name: str) -> str:
        """The head of the column of a score."""
        words = capital(_SCORES.get(name) or name.replace("_", " "))
        # Long names may break behind the dash.
        return words.replace("–", "–\u200b")

    @cached_property
    def chart(self) -> dict[str, Any] | None:
        """Mean ranks with their spread, and the rank in each resample as a dot."""
        if not self.ranked:
            return None
        most = float(len(self.ranked))

        def across(rank: float) -> float:
            return _WIDTH * (rank - 1) / max(most - 1, 1)

        ranks = self.plain.get("ranks") or {}
        lines = []
        for i, row in enumerate(self.ranked):
            sd = row.get("rank_sd") or 0.0
            low, high = max(row["rank"] - sd, 1.0), min(row["rank"] + sd, most)
            each = [v for v in ranks.get(row["id"]) or [] if v is not None]
            places, counts = np.unique(each, return_counts=True)
            lines.append(
                {
                    "id": row["id"],
                    "group": row["group"],
                    "y": _ROW * (i + 0.5),
                    "at": f"{across(row['rank']):.1f}",
                    "from": f"{across(low):.1f}",
                    "to": f"{across(high):.1f}",
                    "dots": [
                        (f"{across(p):.1f}", f"{1.6 + 1.1 * math.sqrt(c):.1f}")
                        for p, c in zip(places.tolist(), counts.tolist(), strict=True)
                    ],
                    "words": f"{row['id']}: mean rank {number(row['rank'])}, "
                    f"standard deviation {number(sd, 2)}",
                }
            )
        difference = self.plain.get("critical_difference")
        limit = math.inf if difference is None else self.ranked[0]["rank"] + difference
        return {
            "lines": lines,
            "width": _WIDTH,
            "height": _ROW * len(lines),
            "ticks": [
                {"x": f"{across(t):.1f}", "text": number(t)}
                for t in ticks(1.0, most, min(int(most), 8))
                if float(t).is_integer()
            ],
            "limit": f"{across(limit):.1f}" if limit <= most else None,
        }

    @cached_property
    def agreement(self) -> dict[str, Any] | None:
        A = self._known_agreement()
        if len(A) < 2:
            return None
        return {"image": image(np.maximum(A, 0.0)), "n_bins": len(A)}

    @cached_property
    def matrix(self) -> list[tuple[str, list[tuple[str, int]]]] | None:
        """The agreement of a few methods: a name, then each value and its tenth."""
        A = self._known_agreement()
        if not 2 <= len(A) <= _MOST_NAMED:
            return None
        return [
            (
                str(row["id"]),
                [
                    (f"{v:.2f}".replace("-", "−"), round(10 * min(max(v, 0.0), 1.0)))
                    for v in values
                ],
            )
            for row, values in zip(self.good, A.tolist(), strict=True)
        ]

    @cached_property
    def agreement_names(self) -> list[dict[str, Any]]:
        """Numbers at the edges of the agreement map, while there is room for them."""
        step = 100 / len(self.good)
        return [
            {
                "cluster": i + 1,
                "at": (i + 0.5) * step,
                "named": step >= NAME_ROOM,
            }
            for i in range(len(self.good))
        ]

    def agreement_data(self) -> dict[str, Any] | None:
        """Which methods stand in the rows of the agreement map."""
        if self.agreement is None:
            return None
        return {"largest": 1.0, "name": [printable(row["id"]) for row in self.good]}

    def _known_agreement(self) -> Any:
        """Agreement of the methods that have a result."""
        values: Sequence[Any] = self.plain.get("agreement") or []
        A = np.array(
            [[math.nan if v is None else v for v in row] for row in values],
            dtype=np.float64,
        )
        kept = [i for i, row in enumerate(self.rows) if row["status"] == "ok"]
        return np.nan_to_num(A[np.ix_(kept, kept)]) if len(A) else np.zeros((0, 0))
