"""Geometry of the figures."""

import base64
import struct
import zlib

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from comitia import Ensemble
from comitia.display.heat_maps import heat_map
from comitia.report import _figures
from comitia.report._annotated_heat import Column
from comitia.report._figures import (
    COLORS,
    N_SHAPES,
    PALETTE,
    histogram,
    image,
    line_chart,
    map_figure,
    mark_path,
    ticks,
)


def read_png(address):
    """Width, height and levels of a picture that image() made, by the book."""
    png = base64.b64decode(address.removeprefix("data:image/png;base64,"))
    assert png[:8] == b"\x89PNG\r\n\x1a\n"
    chunks, place = {}, 8
    while place < len(png):
        (length,) = struct.unpack(">I", png[place : place + 4])
        kind = png[place + 4 : place + 8]
        body = png[place + 8 : place + 8 + length]
        (check,) = struct.unpack(">I", png[place + 8 + length : place + 12 + length])
        assert check == zlib.crc32(kind + body)
        chunks[kind] = body
        place += 12 + length
    width, height = struct.unpack(">II", chunks[b"IHDR"][:8])
    rows = np.frombuffer(zlib.decompress(chunks[b"IDAT"]), np.uint8)
    return rows.reshape(height, width + 1)[:, 1:]


def test_a_picture_holds_the_values():
    values = np.random.RandomState(0).rand(5, 5)
    assert_allclose(read_png(image(values)) / 255, values, atol=0.5 / 255)
    assert_allclose(read_png(image(2 * values, 2.0)) / 255, values, atol=0.5 / 255)


def test_missing_values_of_a_bar_have_a_colour_of_their_own():
    rows = heat_map(Ensemble([[0, 0], [0, 0], [0, 1], [1, 1]]), [0, 0, 0, 1])
    values = np.array([1.0, 3.0, np.nan, 2.0])[np.argsort(rows.order)]
    picture = read_png(Column("x", values).track(rows)["image"])
    assert_array_equal(picture, [[0, 254, 255, 127]])


def test_the_palette_is_read_backwards_without_doubt_and_gets_darker():
    assert len({tuple(color) for color in PALETTE.tolist()}) == 256
    gray = PALETTE @ [0.299, 0.587, 0.114]
    assert (np.diff(gray) < 0).all()


def luminance(color):
    parts = np.array([int(color[i : i + 2], 16) for i in (1, 3, 5)]) / 255
    linear = np.where(parts <= 0.03928, parts / 12.92, ((parts + 0.055) / 1.055) ** 2.4)
    return linear @ [0.2126, 0.7152, 0.0722]


@pytest.mark.parametrize("color", COLORS)
def test_colors_stand_out_from_paper(color):
    assert 1.05 / (luminance(color) + 0.05) >= 3.0


def test_clusters_differ_in_shape_or_color_for_long():
    kinds = {(c % N_SHAPES, c % len(COLORS)) for c in range(56)}
    assert len(kinds) == 56
    assert len({mark_path(c, 0, 0, 5) for c in range(N_SHAPES)}) == N_SHAPES


def test_objects_stay_inside_the_map_and_keep_their_places():
    positions = np.random.RandomState(0).randn(50, 2) * [3, 1]
    figure = map_figure(positions, np.zeros(50, int), np.ones(50, bool), 1)
    x, y = np.array(figure["x"]), np.array(figure["y"])
    assert (x > 0).all()
    assert (x < figure["width"]).all()
    assert (y > 0).all()
    assert (y < figure["height"]).all()
    # One scale for both axes; up is up. The places are rounded to tenths.
    scale = np.polyfit(positions[:, 0], x, 1)[0]
    assert_allclose(np.polyfit(positions[:, 1], y, 1)[0], -scale, rtol=1e-3)


def test_objects_at_one_place_are_all_seen():
    figure = map_figure(np.zeros((30, 2)), np.zeros(30, int), np.ones(30, bool), 1)
    places = {*zip(figure["x"], figure["y"], strict=True)}
    assert len(places) == 30


def test_sure_and_unsure_objects_are_drawn_apart():
    sure = np.array([True, False, True])
    figure = map_figure(np.eye(3)[:, :2], np.zeros(3, int), sure, 1)
    (group,) = figure["groups"]
    assert group["sure"].count("M") == 2
    assert group["unsure"].count("M") == 1


@pytest.mark.parametrize(
    ("low", "high"), [(0, 1), (-3, 17), (0.001, 0.0023), (5, 5), (1e6, 3e6)]
)
def test_ticks_are_round_and_inside(low, high):
    found = ticks(low, high)
    assert 1 <= len(found) <= 8
    assert all(low - 1e-9 <= t <= high + 1e-9 for t in found)
    steps = np.diff(found)
    assert_allclose(steps, steps[:1].repeat(len(steps)))


def test_histograms_count_everything():
    values = np.r_[np.random.RandomState(0).rand(100), np.nan]
    bars = histogram(values)["bars"]
    assert sum(int(bar["words"].rpartition(" ")[2]) for bar in bars) == 100
    assert len(histogram(np.ones(4))["bars"]) == 20


def test_lines_leave_out_what_is_missing():
    chart = line_chart([2, 3, 4], [("a", [1.0, None, 3.0]), ("b", [None] * 3)], at=3)
    (line,) = chart["lines"]
    assert line["path"].count("L") == 1
    assert chart["at"] == "130"
    assert line_chart([1, 2], [("a", [None, float("nan")])]) is None
    assert line_chart([], []) is None


def test_numbers_of_paths_are_short():
    assert_array_equal(
        [_figures._coord(v) for v in (1.0, -0.04, 12.345, -1.25)],
        ["1", "0", "12.3", "-1.2"],
    )
