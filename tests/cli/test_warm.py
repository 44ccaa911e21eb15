"""comitia warm: every kernel compiled once."""

import json
from functools import partial

from comitia.cli import warm


def test_warm_says_what_it_compiled_and_where_it_is_kept(run, monkeypatch):
    # One method alone; benchmarks.compile_kernels calls everything.
    little = partial(warm.call_everything, smoke=True)
    monkeypatch.setattr(warm, "call_everything", little)
    code, out, err = run("warm", "--json")
    assert (code, err) == (0, "")
    about = json.loads(out)
    assert about["compiled"] + about["read"] > 0
    assert about["folder"]
    code, out, _ = run("warm")
    assert code == 0
    assert "compiled" in out
    assert about["folder"] in out


def test_kernels_have_the_names_of_their_modules():
    found = warm.kernels()
    assert "label_rows.distinct_rows" in found
    assert len(found) > 100
