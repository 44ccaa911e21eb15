"""Geometry of the figures: numbers in, places on the page out.

The templates draw what is computed here. Distances are in pixels of a figure of its
natural size.
"""

from __future__ import annotations

import base64
import math
import struct
import zlib
from collections.abc import Sequence
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from comitia.report._page_text import number

__all__ = [
    "CODE_PALETTE",
    "COLORS",
    "MARKS",
    "N_SHAPES",
    "PALETTE",
    "TRACK_PALETTE",
    "histogram",
    "image",
    "line_chart",
    "map_figure",
    "map_places",
    "mark_path",
    "ticks",
]

Floats = NDArray[np.float64]

# Colours that people with any kind of colour vision tell apart, each at least 3 : 1
# against white. Seven shapes and eight colours repeat together after 56 clusters only.
COLORS = (
    "#0072b2",
    "#c74e00",
    "#00835f",
    "#a23b91",
    "#8f6400",
    "#2e86bb",
    "#7a1f45",
    "#4d4d4d",
)
N_SHAPES = 7

_WIDTH = 900.0
_PAD = 34.0
_GOLDEN = math.pi * (3 - math.sqrt(5))

# White to dark blue; it darkens steadily, so that it reads without colour.
_STOPS = ((255, 255, 255), (186, 212, 237), (107, 158, 204), (33, 82, 148), (8, 25, 66))


def _palette() -> NDArray[np.uint8]:
    at = np.linspace(0, len(_STOPS) - 1, 256)
    stops = np.array(_STOPS, dtype=np.float64)
    channels = [np.interp(at, np.arange(len(_STOPS)), stops[:, c]) for c in range(3)]
    return np.column_stack(channels).round().astype(np.uint8)


PALETTE = _palette()

# Colours of classes, and of numbers that have to be seen on white, as the script has
# them; the last is for what is missing.
CODE_PALETTE = np.zeros_like(PALETTE)
CODE_PALETTE[: len(COLORS)] = [list(bytes.fromhex(color[1:])) for color in COLORS]
TRACK_PALETTE = PALETTE[np.linspace(70, 255, 256).round().astype(np.int64)]
TRACK_PALETTE[-1] = (0xC9, 0xCE, 0xD6)


def image(
    values: NDArray[Any], largest: float = 1.0, palette: NDArray[np.uint8] = PALETTE
) -> str:
    """A matrix as a picture in a ``data:`` address; 0 is white, ``largest`` dark."""
    levels = np.rint(255 * np.clip(values / (largest or 1.0), 0, 1)).astype(np.uint8)
    height, width = levels.shape
    # PNG: each row is preceded by the number of its filter, here none.
    rows = np.hstack([np.zeros((height, 1), np.uint8), levels])
    chunks = [
        (b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 3, 0, 0, 0)),
        (b"PLTE", palette.tobytes()),
        (b"IDAT", zlib.compress(rows.tobytes(), 9)),
        (b"IEND", b""),
    ]
    png = b"\x89PNG\r\n\x1a\n" + b"".join(
        struct.pack(">I", len(body))
        + kind
        + body
        + struct.pack(">I", zlib.crc32(kind + body))
        for kind, body in chunks
    )
    return "data:image/png;base64," + base64.b64encode(png).decode()


def mark_path(shape: int, x: float, y: float, r: float) -> str:
    """The path of one mark: circle, square, triangles, diamond, plus and cross."""
    shape %= N_SHAPES
    if shape == 0:
        d = _coord(2 * r)
        a = f"a{_coord(r)} {_coord(r)} 0 1 0"
        return f"M{_coord(x - r)} {_coord(y)}{a} {d} 0{a} -{d} 0z"
    return (
        "M"
        + "L".join(
            f"{_coord(x + r * dx)} {_coord(y + r * dy)}" for dx, dy in _OUTLINES[shape]
        )
        + "z"
    )


def _plus_outline(turn: float) -> list[tuple[float, float]]:
    a, b = 0.38, 1.2
    corners = [(a, a), (b, a), (b, -a), (a, -a), (a, -b), (-a, -b)]
    corners += [(-x, -y) for x, y in corners]
    c, s = math.cos(turn), math.sin(turn)
    return [(c * x - s * y, s * x + c * y) for x, y in corners]


_OUTLINES: dict[int, Sequence[tuple[float, float]]] = {
    1: [(-0.9, -0.9), (0.9, -0.9), (0.9, 0.9), (-0.9, 0.9)],
    2: [(0, -1.25), (1.15, 0.85), (-1.15, 0.85)],
    3: [(0, -1.35), (1.1, 0), (0, 1.35), (-1.1, 0)],
    4: _plus_outline(0.0),
    5: [(0, 1.25), (1.15, -0.85), (-1.15, -0.85)],
    6: _plus_outline(math.pi / 4),
}


# For the script, which draws marks again; without corners it is a circle.
MARKS = [
    [[round(v, 3) for v in corner] for corner in _OUTLINES.get(shape, ())]
    for shape in range(N_SHAPES)
]


def _coord(value: float) -> str:
    text = f"{value:.1f}".removesuffix(".0")
    return "0" if text == "-0" else text


def map_figure(
    positions: Floats, labels: NDArray[Any], sure: NDArray[Any], k: int
) -> Any:
    """Marks of the objects, filled where the method is sure, and names of clusters."""
    places, height = map_places(positions)
    n = len(labels)
    r = 4.6 if n <= 250 else 3.4 if n <= 1500 else 2.5
    groups = []
    for c in range(k):
        mine = labels == c
        if not mine.any():
            continue
        paths = {
            name: "".join(mark_path(c, x, y, r) for x, y in places[mine & which])
            for name, which in (("sure", sure), ("unsure", ~sure))
        }
        x, y = np.median(places[mine], axis=0)
        # The name stands in the middle of a cluster, above one of up to 3 objects.
        y -= 16.0 if mine.sum() <= 3 else 0.0
        groups.append({"cluster": c, **paths, "x": _coord(x), "y": _coord(y)})
    return {
        "width": _WIDTH,
        "height": height,
        "radius": r,
        "groups": groups,
        "x": [round(x, 1) for x in places[:, 0].tolist()],
        "y": [round(y, 1) for y in places[:, 1].tolist()],
    }


def map_places(positions: Floats, height: float = 0.0) -> tuple[Floats, float]:
    """Places in a figure, of a height that suits them or is given.

    There is one scale for both axes, unless one would be a line.
    """
    low, spans = positions.min(axis=0), np.ptp(positions, axis=0)
    wide = spans[0] or 1.0
    height = height or float(np.clip(_WIDTH * spans[1] / wide, 300.0, 620.0))
    inside = np.array([_WIDTH - 2 * _PAD, height - 2 * _PAD])
    with np.errstate(divide="ignore"):
        scale = float(np.min(np.where(spans > 0, inside / spans, np.inf)))
    scale = scale if np.isfinite(scale) else 1.0
    margin = _PAD + (inside - scale * spans) / 2
    places = margin + scale * (positions - low)
    places[:, 1] = height - places[:, 1]
    return _spread_overlaps(places), round(height, 1)


def _spread_overlaps(places: Floats) -> Floats:
    """Spread objects at one place around it in a sunflower spiral."""
    _, place, counts = np.unique(
        places.round(1), axis=0, return_inverse=True, return_counts=True
    )
    place = place.ravel()
    order = np.argsort(place, kind="stable")
    first = np.r_[0, np.cumsum(counts)[:-1]]
    rank = np.empty(len(places))
    rank[order] = np.arange(len(places)) - first[place[order]]
    step = np.minimum(4.0, 26.0 / np.sqrt(counts))[place]
    angle = _GOLDEN * rank
    around = np.column_stack([np.cos(angle), np.sin(angle)])
    return places + (step * np.sqrt(rank))[:, None] * around


def ticks(low: float, high: float, n: int = 5) -> list[float]:
    """Round numbers between two values."""
    if not high > low:
        return [low]
    raw = (high - low) / n
    power = 10.0 ** math.floor(math.log10(raw))
    step = next(m * power for m in (1, 2, 2.5, 5, 10) if m * power >= raw * 0.999)
    start = math.ceil(low / step - 1e-9)
    return [i * step for i in range(start, math.floor(high / step + 1e-9) + 1)]


def _tick(value: float) -> str:
    return f"{value:.6g}".replace("-", "−")


def histogram(values: Floats, high: float | None = None) -> Any:
    """Bars of a histogram, with round numbers below."""
    values = values[np.isfinite(values)]
    low = float(values.min())
    high = float(values.max()) if high is None else high
    if not high > low:
        low, high = low - 0.5, high + 0.5
    counts, edges = np.histogram(values, bins=20, range=(low, high))
    width, height, top = 420.0, 110.0, max(int(counts.max()), 1)
    step = width / len(counts)
    return {
        "width": width,
        "height": height,
        "bars": [
            {
                "x": _coord(i * step + 0.5),
                "width": _coord(step - 1),
                "y": _coord(height * (1 - c / top)),
                "height": _coord(height * c / top),
                "words": f"{number(a)} to {number(b)}: {c}",
            }
            for i, (c, (a, b)) in enumerate(
                zip(counts.tolist(), pairwise(edges.tolist()), strict=True)
            )
        ],
        "ticks": [
            {"x": _coord(width * (t - low) / (high - low)), "text": _tick(t)}
            for t in ticks(low, high)
        ],
    }


_DASHES = ("", "7 3", "2 3", "9 3 2 3", "5 2", "1 2")


def line_chart(
    x: Sequence[float],
    curves: Sequence[tuple[str, Sequence[float | None]]],
    *,
    width: float = 260.0,
    height: float = 130.0,
    at: float | None = None,
    dots: bool = True,
    whole: bool = True,
    limits: tuple[float, float] | None = None,
) -> Any:
    """Lines over a common axis, with a mark at one of its values."""
    known = [v for _, ys in curves for v in ys if v is not None and math.isfinite(v)]
    if not known or not len(x):
        return None
    low, high = (min(known), max(known)) if limits is None else limits
    margin = 0.06 * (high - low) or abs(high) * 0.1 or 0.5
    low, high = low - margin, high + margin
    left, right = min(x), max(x)

    def across(v: float) -> float:
        return width * ((v - left) / (right - left) if right > left else 0.5)

    def down(v: float) -> float:
        return height * (high - v) / (high - low)

    lines = []
    for i, (name, ys) in enumerate(curves):
        points = [
            (across(a), down(b))
            for a, b in zip(x, ys, strict=True)
            if b is not None and math.isfinite(b)
        ]
        if not points:
            continue
        lines.append(
            {
                "name": name,
                "path": "M" + "L".join(f"{_coord(a)} {_coord(b)}" for a, b in points),
                "dots": [(_coord(a), _coord(b)) for a, b in points] if dots else [],
                "color": COLORS[i % len(COLORS)],
                "dash": _DASHES[i % len(_DASHES)],
                "end": [_coord(v) for v in points[-1]],
            }
        )
    below = [t for t in ticks(left, right, 6) if not whole or float(t).is_integer()]
    return {
        "width": width,
        "height": height,
        "lines": lines,
        "at": None if at is None or not left <= at <= right else _coord(across(at)),
        "x_ticks": [{"at": _coord(across(t)), "text": _tick(t)} for t in below],
        "y_ticks": [
            {"at": _coord(down(t)), "text": _tick(t)} for t in ticks(low, high, 3)
        ],
    }
