"""Several methods side by side: scores, limits, and processes that end."""

import json
import os
import time
from pathlib import Path

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from comitia import Ensemble, compare, method, methods
from comitia.agreement import adjusted_rand, nmi
from comitia.evaluate import panel_ids
from comitia.exceptions import ComitiaError
from comitia.validity.pairs import silhouette
from tests.evaluate import misbehaving
from tests.fixtures import planted

LABELS, TRUTH = planted(50, 3, 15, 0.35, seed=0)
VOTES = Ensemble(LABELS)
X = np.random.RandomState(0).randn(50, 2) + 6.0 * np.eye(3)[TRUTH][:, :2]


@pytest.fixture(scope="module")
def found():
    """Good methods and a guess, scored against the truth."""
    four = ["eac", "voting", method("lwgp")(random_state=0), misbehaving.Random(3)]
    return compare(
        VOTES, four, n_clusters=3, truth=TRUTH, n_resamples=8, random_state=0
    )


def test_every_method_is_a_row_and_the_best_is_first(found):
    assert {row.id for row in found.rows} == {"eac", "voting", "lwgp", "random"}
    assert all(row.status == "ok" for row in found.rows)
    assert found.rows[-1].id == "random"
    ranks = [row.rank for row in found.rows]
    assert ranks == sorted(ranks)
    assert_allclose(np.mean(ranks), 2.5)


def test_labels_are_those_of_the_method_itself(found):
    here = method("eac")(3).fit(VOTES)
    assert_array_equal(found.labels["eac"], here.labels_)


def test_scores_are_those_of_the_labels(found):
    for row in found.rows:
        labels = found.labels[row.id]
        expected = adjusted_rand(TRUTH, labels)
        assert_allclose(row.external["adjusted_rand"], expected)
        anmi = np.mean([nmi(column, labels) for column in LABELS.T])
        assert_allclose(row.internal["anmi"], anmi)
        assert row.n_clusters == 3
        assert row.seconds > 0


def test_a_guess_is_told_apart_and_good_methods_are_noise(found):
    by_id = {row.id: row for row in found.rows}
    assert not set(by_id["random"].group) & set(found.rows[0].group)
    assert by_id["random"].stability < 0.2 < by_id["eac"].stability
    assert found.judged_by == ["adjusted_rand"]
    assert found.p_value < 0.05
    assert "are noise" in found.reason
    assert found.groups[0][0] == found.rows[0].id


def test_agreement_stands_in_the_order_of_the_rows(found):
    ids = [row.id for row in found.rows]
    assert_allclose(np.diag(found.agreement), 1.0)
    expected = adjusted_rand(found.labels[ids[0]], found.labels[ids[-1]])
    assert_allclose(found.agreement[0, -1], expected)


def test_the_leaderboard_is_a_table_and_json(found):
    frame = found.frame()
    assert frame.index.tolist() == [row.id for row in found.rows]
    assert {"rank", "group", "stability", "anmi", "adjusted_rand"} <= set(frame.columns)
    assert json.loads(json.dumps(found.to_dict()))["rows"][0]["id"] == found.rows[0].id


def test_what_fails_is_a_row_and_the_others_go_on():
    wrong = [
        misbehaving.Raising(),
        misbehaving.Crashing(),
        misbehaving.Greedy(),
        misbehaving.Picky(),
        "voting",
    ]
    seen = []
    found = compare(
        VOTES,
        wrong,
        n_clusters=3,
        n_resamples=1,
        memory_limit="300 MB",
        random_state=0,
        on_progress=lambda *told: seen.append(told),
    )
    rows = {row.id: row for row in found.rows}
    assert rows["raising"].status == "failed"
    assert "KeyError" in rows["raising"].message
    assert rows["crashing"].status == "failed"
    assert "signal 6" in rows["crashing"].message
    assert rows["greedy"].status == "out of memory"
    assert rows["picky"].status == "ok"
    assert "not ranked: failed on a resample" in rows["picky"].message
    assert np.isnan(rows["picky"].rank)
    assert rows["voting"].rank == 1.0
    assert found.rows[0].id == "voting"
    assert "greedy (out of memory)" in found.reason
    assert np.isnan(found.agreement[-1]).all()
    assert seen == [("compare", done, 5) for done in range(6)]


def test_a_method_that_hangs_is_stopped_with_what_it_started(tmp_path):
    note = tmp_path / "processes"
    hanging = misbehaving.Hanging(path=str(note))
    # A busy machine may need longer to get as far as to hang.
    for seconds in (3, 60):
        found = compare(VOTES, [hanging], n_resamples=3, time_limit=float(seconds))
        assert found.rows[0].status == "timed out"
        assert f"{seconds} s" in found.rows[0].message
        assert found.labels == {}
        if note.exists() and note.read_text():
            break
    for pid in map(int, note.read_text().split()):
        assert_ended(pid)


def test_an_interrupt_leaves_nothing_behind(tmp_path):
    note = tmp_path / "processes"
    hanging = misbehaving.Hanging(path=str(note))

    def interrupt(stage, done, total):
        wait_for(note)
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        compare(
            VOTES,
            [hanging, misbehaving.Raising()],
            n_resamples=0,
            n_jobs=2,
            on_progress=interrupt,
        )
    for pid in map(int, note.read_text().split()):
        assert_ended(pid)


def wait_for(note):
    for _ in range(600):
        if note.exists() and note.read_text():
            return
        time.sleep(0.1)


def assert_ended(pid):
    """A killed process is gone, or waits as a zombie for whoever started it."""
    for _ in range(100):
        try:
            state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
        except FileNotFoundError:
            return
        if state == "Z":
            return
        time.sleep(0.1)
    os.kill(pid, 9)
    raise AssertionError(f"process {pid} is still there")


@pytest.mark.skipif(not Path("/proc").exists(), reason="looks into /proc")
def test_the_process_ends_with_its_parent(tmp_path):
    import subprocess
    import sys

    note = tmp_path / "processes"
    script = (
        "from tests.evaluate.test_comparison import *\n"
        f"compare(VOTES, [misbehaving.Hanging(path={str(note)!r})], n_resamples=0)"
    )
    parent = subprocess.Popen([sys.executable, "-c", script])
    try:
        wait_for(note)
    finally:
        parent.kill()
        parent.wait()
    for pid in map(int, note.read_text().split()):
        assert_ended(pid)


def test_data_give_internal_scores_and_n_jobs_changes_nothing():
    two = ["voting", "hbgf"]
    options = {"n_clusters": 3, "n_resamples": 2, "random_state": 1}
    found = compare(X, two, **options)
    again = compare(X, two, n_jobs=2, **options)
    assert found.judged_by == [
        "stability",
        "anmi",
        "silhouette",
        "calinski_harabasz",
        "davies_bouldin",
    ]
    for row, other in zip(found.rows, again.rows, strict=True):
        assert row.id == other.id
        assert row.rank == other.rank
        assert_array_equal(found.labels[row.id], again.labels[row.id])
        expected = silhouette(X, found.labels[row.id])
        assert_allclose(row.internal["silhouette"], expected)


def test_a_method_there_twice_gets_a_number_and_its_own_k():
    found = compare(VOTES, ["voting", method("voting")(2)], n_clusters=3, n_resamples=0)
    sizes = {row.id: row.n_clusters for row in found.rows}
    assert sizes == {"voting": 3, "voting-2": 2}
    assert found.groups == []
    assert "No ranks" in found.reason


@pytest.mark.parametrize("panel", ["quick", "classic", "linear", "weighs", "all"])
def test_panels_name_methods_that_can_be_applied(panel):
    cards = {card.id: card for card in methods()}
    for has_data, allowed in ((True, {"labels", "data"}), (False, {"labels"})):
        ids = panel_ids(panel, has_data=has_data)
        assert ids
        assert all(set(cards[one].needs) <= allowed for one in ids)
    if panel == "linear":
        assert all(cards[one].scales == "linear" for one in ids)
    if panel == "weighs":
        kinds = [cards[one].weighs for one in panel_ids(panel)]
        assert len(set(kinds)) == len(kinds) == 5


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"methods": []}, "methods is empty"),
        ({"methods": [3]}, "methods has a int"),
        ({"methods": ["eac"], "panel": "quick"}, "both given"),
        ({"panel": "slow"}, "panel='slow'"),
        ({"methods": ["vega_pons_2008"]}, "given an Ensemble"),
        ({"truth": [0, 1]}, "got 2 for 50"),
        ({"time_limit": 0}, "time_limit=0"),
        ({"n_resamples": -1}, "n_resamples=-1"),
        ({"object_fraction": 1.5}, r"object_fraction=1\.5"),
        ({"ensemble": VOTES}, "have no place"),
    ],
)
def test_bad_arguments_are_refused_in_words(given, words):
    with pytest.raises(ComitiaError, match=words):
        compare(VOTES, **given)


def test_clusterings_of_other_objects_are_refused():
    with pytest.raises(ComitiaError, match="X has 20 rows"):
        compare(X[:20], ["eac"], ensemble=VOTES)
