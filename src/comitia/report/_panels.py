"""Panels: how clear the pairs are, and silhouettes and series of the clusters."""

from __future__ import annotations

from functools import cached_property
from typing import Any

import numpy as np

from comitia.display.silhouette_order import sorted_silhouettes
from comitia.report._figures import COLORS, line_chart, ticks
from comitia.report._map_choices import MapChoices

__all__ = ["Panels"]

# Pairs of objects whose votes are counted; of more, a sample.
_PAIRS = 200_000

# Pairs that more than the first and less than the second share of the clusterings puts
# together are ambiguous.
_AMBIGUOUS = (0.1, 0.9)


# Channels of series that are drawn.
_CHANNELS = 6


class Panels(MapChoices):
    """Votes on pairs, silhouettes and series of the clusters, when asked for."""

    @cached_property
    def pairs(self) -> dict[str, Any] | None:
        """The consensus distribution of these clusterings; None for soft ones."""
        if self.M < 2 or self.n < 3 or not self.ensemble.is_hard:
            return None
        from comitia.evaluate import consensus_cdf, pac, pair_shares

        rng = np.random.RandomState(0)
        shares = pair_shares(self.ensemble, max_pairs=_PAIRS, rng=rng)
        if not shares.counts.sum():
            return None
        at = np.linspace(0.0, 1.0, 101)
        cdf = consensus_cdf(shares, at)
        chart = line_chart(
            at.tolist(),
            [("pairs", cdf.tolist())],
            width=560,
            height=200,
            dots=False,
            whole=False,
        )
        return {
            "chart": chart,
            "pac": pac(shares, *_AMBIGUOUS),
            "never": float(cdf[0]),
            "always": float(shares.counts[shares.values >= 1].sum())
            / float(shares.counts.sum()),
            "exact": shares.exact,
        }

    @cached_property
    def series(self) -> dict[str, Any] | None:
        """Quartiles of the series of each cluster over time; None without series."""
        values = self.result.details.get("series")
        if values is None or len(values) != self.k or not np.isfinite(values).all():
            return None
        n_channels = values.shape[2]
        shown = min(n_channels, _CHANNELS)
        at = np.linspace(0, 100, values.shape[3]).tolist()
        lows, highs = values.min(axis=(0, 1, 3)), values.max(axis=(0, 1, 3))
        charts = []
        for c, quartiles in enumerate(values.astype(np.float64)):
            size = int((self.result.labels == c).sum())
            for h in range(shown):
                first, median, third = quartiles[:, h].tolist()
                chart = line_chart(
                    at,
                    [("median", median), ("upper", third), ("lower", first)],
                    dots=False,
                    whole=False,
                    limits=(float(lows[h]), float(highs[h])),
                )
                for line, dash in zip(chart["lines"], ("", "3 3", "3 3"), strict=True):
                    line |= {"color": COLORS[c % len(COLORS)], "dash": dash}
                one = {"cluster": c, "channel": h + 1, "size": size, "chart": chart}
                charts.append(one)
        return {"charts": charts, "n_channels": n_channels, "shown": shown}

    @cached_property
    def silhouettes(self) -> dict[str, Any] | None:
        """Bars of the silhouettes, cluster by cluster; None without data."""
        values = self.result.details.get("silhouettes")
        if values is None or not np.isfinite(values).any():
            return None
        rows = sorted_silhouettes(values, self.result.labels)
        known = np.isfinite(values)
        n, gap = sum(map(len, rows.values())), 6.0
        height = float(min(max(3 * n, 140), 420))
        step, width = height / n, 560.0
        low = min(0.0, min(float(row.min()) for row in rows.values()))

        def across(value: float) -> float:
            return width * (value - low) / (1.0 - low)

        bands, top = [], 0.0
        for c, row in rows.items():
            places = "".join(f"H{across(v):.1f}v{step:.2f}" for v in row.tolist())
            mine = known & (self.result.labels == c)
            bands.append(
                {
                    "cluster": c,
                    "path": f"M{across(0.0):.1f} {top:.1f}{places}H{across(0.0):.1f}z",
                    "at": round(top + step * len(row) / 2, 1),
                    "mean": float(values[mine].mean()),
                    "below": int((values[mine] < 0).sum()),
                    "n": int(mine.sum()),
                }
            )
            top += step * len(row) + gap
        mean = float(values[known].mean())
        return {
            "bands": bands,
            "width": width,
            "height": round(top - gap, 1),
            "zero": round(across(0.0), 1),
            "at": round(across(mean), 1),
            "mean": mean,
            "below": int((values[known] < 0).sum()),
            "n": int(known.sum()),
            "ticks": [
                {"at": round(across(t), 1), "text": f"{t:.6g}".replace("-", "−")}
                for t in ticks(low, 1.0)
            ],
        }
