"""The trees of a million objects, on three hundred."""

import csv
import json

from benchmarks import million_linkage
from benchmarks.scale_page import trees


def test_lines_are_kept_and_replaced(tmp_path):
    out = ["--out", str(tmp_path)]
    runs = ["single:drawn:3:300", "average:equal:10:300"]
    assert million_linkage.main([*runs, runs[0], *out]) == 0
    with (tmp_path / "million_linkage.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    assert [row["linkage"] for row in rows] == ["average", "single"]
    for row in rows:
        assert 1 < int(row["u"]) <= int(row["n"]) == 300
        heights = [float(row[name]) for name in million_linkage.SHARES]
        assert heights == sorted(heights)
        assert 0 <= heights[0] < heights[-1] <= 1
    assert set(json.loads((tmp_path / "million_linkage.json").read_text())) == {*runs}
    assert trees(tmp_path).count("- 300\n") == 2
    assert trees(tmp_path / "nothing") == "*Not measured yet.*\n"
