"""comitia fit: a table in, a result folder out."""

import io
import json
import os
import signal
import subprocess
import sys
import time
import warnings
from itertools import groupby

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from comitia import Ensemble, method
from comitia.agreement import adjusted_rand
from comitia.catalogue import DEFAULT_FOR, DEFAULT_METHOD
from comitia.cli import _fitting, _meter
from comitia.cli._options import MethodOptions
from comitia.exceptions import ComitiaWarning, MemoryBudgetError
from comitia.generate import FuzzyGenerator, KMeansGenerator
from comitia.io import Result
from tests.cli.conftest import read, write

FILES = [
    "details.npz",
    "ensemble.npz",
    "labels.csv",
    "map.csv",
    "members.npz",
    "profile.csv",
    "result.json",
]
QUICK = ["--id", "name", "--truth", "class", "--n-clusterings", "5", "--no-report"]


def labels_of(folder):
    return [int(row["cluster"]) for row in read(folder / "labels.csv")]


def test_the_summary_says_what_was_done(run, blobs):
    code, out, err = run("fit", blobs, "-k", "3", *QUICK, "-o", "found")
    assert code == 0
    assert not err
    lines = [line.split(maxsplit=1) for line in out.splitlines()]
    assert [word for word, _ in lines] == [
        "data",
        "ensemble",
        "weights",
        "result",
        "families",
        "truth",
    ]
    said = dict(lines)
    assert said["data"] == f"{blobs}, 60 objects, 3 columns, standardised"
    assert said["ensemble"].startswith("5 clusterings of 60 objects")
    assert said["weights"].startswith("clusters, 0.")
    assert said["result"].startswith("3 clusters of 20, 20 and 20, mean confidence ")
    assert said["result"].endswith("found")
    assert said["truth"] == "ARI 1.000, NMI 1.000 to class"


def test_the_folder_holds_the_result(run, blobs, tmp_path):
    # A value may stand right behind its letter, with the oldest cyclopts too.
    run("fit", blobs, "-k3", *QUICK, "-ofound", "--seed", "7")
    found = tmp_path / "found"
    assert sorted(p.name for p in found.iterdir()) == sorted([*FILES, "weights.csv"])
    rows = read(found / "labels.csv")
    assert [row["object"] for row in rows] == [f"o{i}" for i in range(60)]
    assert adjusted_rand(labels_of(found), [row["truth"] for row in rows]) == 1.0
    result = Result.load(found)
    assert result.seed == 7
    assert result.command.startswith("comitia fit ")
    assert result.notes[0] == "3 columns, standardised."
    assert not (tmp_path / "found.partial").exists()


def test_the_labels_are_those_of_the_library(run, blobs, tmp_path):
    run("fit", blobs, "-k", "3", *QUICK, "-m", "lwea", "--param", "theta=0.2")
    X = np.array([[float(row[c]) for c in "abc"] for row in read(blobs)])
    X = (X - X.mean(axis=0)) / X.std(axis=0)
    fitted = method("lwea")(
        3, theta=0.2, generator=KMeansGenerator(5), random_state=0
    ).fit(X)
    assert labels_of(tmp_path / "result") == fitted.labels_.tolist()
    result = Result.load(tmp_path / "result")
    assert_allclose(result.weights["cluster_weights"], fitted.cluster_weights_)
    # Where the clusterings were kept on the way is nobody's business afterwards.
    assert result.parameters["generator"]["parameters"]["checkpoint"] is None


def test_scaling_is_said_and_done(run, blobs, tmp_path):
    for scale, word in (("robust", "robustly scaled"), ("none", "not scaled")):
        _, out, _ = run("fit", blobs, "-k", "3", *QUICK, "--scale", scale, "--force")
        assert f"3 columns, {word}" in out


def test_a_known_column_is_scored_and_never_used(run, blobs, tmp_path):
    run("fit", blobs, "-k", "3", *QUICK, "-o", "one")
    rows = read(blobs)
    for row in rows:
        row["class"] = "same"
    write(blobs, rows[0], (row.values() for row in rows))
    run("fit", blobs, "-k", "3", *QUICK, "-o", "two")
    assert labels_of(tmp_path / "one") == labels_of(tmp_path / "two")


def test_the_method_chooses_without_k(run, blobs):
    code, out, _ = run("fit", blobs, *QUICK)
    assert code == 0
    assert "  result    3 clusters" in out


def test_json_is_all_there_is_on_stdout(run, blobs):
    code, out, err = run("fit", blobs, "-k", "3", *QUICK, "--json")
    assert code == 0
    assert not err
    found = json.loads(out)
    assert found["n_clusters"] == 3
    assert found["sizes"] == [20, 20, 20]
    assert found["scores"]["truth_adjusted_rand"] == 1.0
    assert found["folder"] == "result"
    assert found["report"] is None
    assert {"ensemble", "consensus"} <= {*found["timings"]}


def test_quiet_says_nothing(run, blobs):
    assert run("fit", blobs, "-k", "3", *QUICK, "--quiet") == (0, "", "")


@pytest.mark.parametrize("format", ["csv", "tsv"])
def test_standard_input_is_read(format, run, blobs, monkeypatch, tmp_path):
    run("fit", blobs, "-k", "3", *QUICK, "-o", "file")
    content = blobs.read_bytes()
    if format == "tsv":
        content = content.replace(b",", b"\t")
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(content)))
    code, out, _ = run("fit", "-", "--format", format, "-k", "3", *QUICK)
    assert code == 0
    assert "standard input, 60 objects" in out
    assert labels_of(tmp_path / "result") == labels_of(tmp_path / "file")


def test_standard_input_needs_a_format(run):
    code, _, err = run("fit", "-")
    assert code == 1
    assert "the format of standard input is not known" in err


def test_a_generator_is_chosen_by_name(run, blobs, tmp_path):
    options = ["--generator", "fuzzy", "--param", "generator__n_clusters=4"]
    code, *_ = run("fit", blobs, "-k", "3", *QUICK, *options)
    assert code == 0
    result = Result.load(tmp_path / "result")
    assert result.parameters["generator"]["class"] == FuzzyGenerator.__name__
    assert_array_equal(result.ensemble.n_clusters_each, 4)
    assert result.ensemble.kind == "fuzzy"


def test_clusterings_of_several_kinds_are_chosen_by_name(run, blobs, tmp_path):
    code, *_ = run("fit", blobs, "-k", "3", *QUICK, "--generator", "mixed")
    assert code == 0
    groups = Result.load(tmp_path / "result").ensemble.groups.tolist()
    assert groups == ["spectral"] * 3 + ["genie"] * 2


def test_n_clusterings_reaches_methods_that_make_their_own(run, blobs, tmp_path):
    run("fit", blobs, "-k", "3", *QUICK, "-m", "wlac")
    assert Ensemble.load(tmp_path / "result" / "ensemble.npz").n_clusterings == 5
    run("fit", blobs, "-k", "3", *QUICK, "-m", "boost_clustering", "-o", "rounds")
    assert Ensemble.load(tmp_path / "rounds" / "ensemble.npz").n_clusterings <= 5


def test_jobs_change_nothing(run, blobs, tmp_path):
    assert run("fit", blobs, "-k", "3", *QUICK, "-o", "one")[0] == 0
    jobs = ["--n-jobs", "2"]
    # Starting workers takes long where there is much else to do; progress is told then.
    assert run("fit", blobs, "-k", "3", *QUICK, "-o", "two", *jobs)[0] == 0
    one, two = (
        (tmp_path / name / "labels.csv").read_bytes() for name in ("one", "two")
    )
    assert one == two


# -- constraints --------------------------------------------------------------------


def test_constraints_are_read_by_name(run, blobs, tmp_path):
    (tmp_path / "together.csv").write_text("one,other\no0,o20\n")
    (tmp_path / "apart.csv").write_text("o0,o1\n")
    code, *_ = run(
        *("fit", blobs, "-k", "3", "-m", "okabe_yamada_2013", "--id", "name"),
        *("--drop", "class", "--no-report"),
        *("--must-link", "together.csv", "--cannot-link", "apart.csv"),
    )
    assert code == 0
    labels = labels_of(tmp_path / "result")
    assert labels[0] == labels[20]
    assert labels[0] != labels[1]


def test_who_names_no_method_gets_the_default(run, blobs):
    code, out, _ = run("fit", blobs, "-k", "3", *QUICK, "--json")
    assert code == 0
    assert json.loads(out)["method"] == DEFAULT_METHOD
    words = " ".join(run("fit", "--help")[1].replace("│", " ").split())
    assert f"{DEFAULT_METHOD} by default, {DEFAULT_FOR['graph']} for a graph" in words
    assert MethodOptions(device="cuda").method_or_default() == DEFAULT_METHOD
    assert MethodOptions(method="eac").method_or_default() == "eac"


def test_constraints_for_a_method_that_takes_none_are_refused(run, blobs, tmp_path):
    (tmp_path / "pairs.csv").write_text("o0,o1\n")
    code, _, err = run("fit", blobs, "-k", "3", *QUICK, "--must-link", "pairs.csv")
    assert code == 2
    assert f"{DEFAULT_METHOD} takes no constraints; these do:" in err
    assert "okabe_yamada_2013" in err


# -- what is refused leaves nothing ---------------------------------------------------


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (["--columns", "name"], "'name' is text that is different in every row"),
        (["--kinds", "a=color"], "choose from numeric, counts"),
        ([*QUICK, "-k", "61"], "-k 61 is larger than the number of objects"),
        ([*QUICK, "-m", "lwgp", "--param", "theta=-1"], "'theta' parameter of LWGP"),
        ([*QUICK, "--columns", "d"], "columns='d' is no column"),
        (["--write-obs", "x"], "DATA is none"),
    ],
)
def test_bad_input_leaves_nothing_behind(options, words, run, blobs, tmp_path):
    code, out, err = run("fit", blobs, *options)
    assert code == 1
    assert words in err
    assert not out
    assert [*tmp_path.iterdir()] == [blobs]


def test_a_folder_that_is_there_is_refused_before_anything_is_read(run, tmp_path):
    (tmp_path / "result").mkdir()
    (tmp_path / "result" / "mine.txt").write_text("mine")
    (tmp_path / "empty.csv").touch()
    code, _, err = run("fit", "empty.csv")
    assert code == 1
    assert "the folder result is there already" in err
    (tmp_path / "taken").write_text("")
    assert "taken is a file" in run("fit", "empty.csv", "-o", "taken")[2]


def test_force_replaces_the_result_and_nothing_else(run, blobs, tmp_path):
    run("fit", blobs, "-k", "2", *QUICK)
    (tmp_path / "result" / "mine.txt").write_text("mine")
    assert run("fit", blobs, "-k", "3", *QUICK)[0] == 1
    assert len({*labels_of(tmp_path / "result")}) == 2
    assert run("fit", blobs, "-k", "3", *QUICK, "--force")[0] == 0
    assert len({*labels_of(tmp_path / "result")}) == 3
    assert (tmp_path / "result" / "mine.txt").read_text() == "mine"


def test_a_result_that_cannot_be_written_leaves_the_old_one(run, blobs, tmp_path):
    run("fit", blobs, "-k", "2", *QUICK)
    before = (tmp_path / "result" / "labels.csv").read_bytes()

    def full(self, path):
        raise OSError(28, "No space left on device")

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Ensemble, "save", full)
        code, _, err = run("fit", blobs, "-k", "3", *QUICK, "--force")
    assert code == 1
    assert "No space left on device" in err
    assert (tmp_path / "result" / "labels.csv").read_bytes() == before
    # The clusterings were worth keeping.
    assert (tmp_path / "result.partial").is_dir()


def test_what_a_method_warns_of_is_a_note(run, blobs, tmp_path):
    options = ["-m", "wgnmf", "--param", "max_iter=1", *QUICK]
    code, out, err = run("fit", blobs, "-k", "3", *options)
    assert code == 0
    assert "note" in out
    assert "did not converge in max_iter=1" in out
    assert not err
    assert any("max_iter=1" in note for note in Result.load("result").notes)


# -- other formats --------------------------------------------------------------------


def test_a_graph_gets_the_default_for_graphs(run, tmp_path):
    from scipy.sparse import block_diag, csr_array, save_npz

    clique = np.ones((6, 6)) - np.eye(6)
    save_npz(tmp_path / "graph.npz", csr_array(block_diag([clique, clique])))
    code, out, _ = run("fit", "graph.npz", "--no-report", "--json")
    assert code == 0
    assert json.loads(out)["method"] == DEFAULT_FOR["graph"]
    code, _, err = run("fit", "graph.npz", "-k", "2", "-o", "again")
    assert code == 2
    assert "leave out -k, or name a method" in err
    code, out, _ = run("recommend", "graph.npz", "--json")
    assert json.loads(out)["recommended"][0]["id"] == DEFAULT_FOR["graph"]


def test_a_graph_is_read_for_methods_on_graphs(run, tmp_path):
    from scipy.sparse import block_diag, csr_array, save_npz

    clique = np.ones((6, 6)) - np.eye(6)
    graph = csr_array(block_diag([clique, clique]))
    save_npz(tmp_path / "graph.npz", graph)
    code, out, err = run("fit", "graph.npz", "-m", "wu_2017", "-k", "2", "--no-report")
    assert (code, err) == (0, "")
    assert "graph of 12 objects" in out
    assert labels_of(tmp_path / "result") == [0] * 6 + [1] * 6


def test_labels_are_written_into_obs(run, tmp_path):
    anndata = pytest.importorskip("anndata")
    rng = np.random.RandomState(0)
    X = (rng.randn(40, 2) + 9 * np.repeat([[0], [1]], 20, axis=0)).astype(np.float32)
    data = anndata.AnnData(X)
    data.obs_names = [f"cell{i}" for i in range(40)]
    data.uns["kept"] = "as it is"
    data.write_h5ad(tmp_path / "cells.h5ad")
    options = ["--n-clusterings", "5", "--no-report", "--write-obs", "group"]
    code, out, _ = run("fit", "cells.h5ad", "-k", "2", *options)
    assert code == 0
    assert "written   .obs['group'] of cells.h5ad" in out
    again = anndata.read_h5ad(tmp_path / "cells.h5ad")
    assert [*map(int, again.obs["group"])] == labels_of(tmp_path / "result")
    assert again.obs["group_confidence"].between(0, 1).all()
    assert again.uns["kept"] == "as it is"
    assert_array_equal(again.X, X)
    # A second time it would be overwritten.
    code, _, err = run("fit", "cells.h5ad", "-k", "2", *options, "-o", "second")
    assert code == 1
    assert "has a column 'group' already" in err
    assert not (tmp_path / "second").exists()
    assert sorted(p.name for p in tmp_path.iterdir()) == ["cells.h5ad", "result"]


# -- resuming -------------------------------------------------------------------------


class Interrupted:
    """Interrupts a generator after some members."""

    def __init__(self, monkeypatch, after, error):
        self.left = after
        make = KMeansGenerator.fit_member

        def stop(generator, X, plan):
            if self.left == 0:
                raise error
            self.left -= 1
            return make(generator, X, plan)

        monkeypatch.setattr(KMeansGenerator, "fit_member", stop)


@pytest.mark.parametrize("method_id", ["lwgp", "zhang_2009"])
def test_an_interrupted_run_goes_on_with_the_same_result(
    method_id, run, blobs, tmp_path, monkeypatch
):
    options = [blobs, "-k", "3", *QUICK, "-m", method_id]
    run("fit", *options, "-o", "whole")
    with pytest.MonkeyPatch.context() as patch:
        Interrupted(patch, 3, KeyboardInterrupt())
        code, out, err = run("fit", *options)
    assert code == 130
    assert not out
    assert "3 clusterings are kept in result.partial; go on with --resume" in err
    assert not (tmp_path / "result").exists()

    code, _, err = run("fit", *options)
    assert code == 1
    assert "go on with --resume, or start again with --force" in err

    made = Interrupted(monkeypatch, 2, AssertionError("made again"))
    code, _, err = run("fit", *options, "--resume")
    assert (code, err) == (0, "")
    assert made.left == 0
    whole, resumed = (tmp_path / n / "labels.csv" for n in ("whole", "result"))
    assert whole.read_bytes() == resumed.read_bytes()
    assert not (tmp_path / "result.partial").exists()


def test_a_process_that_is_killed_leaves_what_it_takes_to_go_on(run, tmp_path):
    X = np.random.RandomState(0).randn(3000, 20)
    np.save(tmp_path / "data.npy", X)
    options = ["fit", "data.npy", "-k", "3", "--n-clusterings", "40", "--no-report"]
    options += ["--quiet"]  # no line of progress, however long it takes
    started = subprocess.Popen(
        [sys.executable, "-m", "comitia", *options],
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, "NUMBA_NUM_THREADS": "1"},
    )
    members = tmp_path / "result.partial" / "clusterings"
    while not [*members.glob("member-*")] and started.poll() is None:
        time.sleep(0.01)
    started.send_signal(signal.SIGTERM)
    _, err = started.communicate()
    assert started.returncode == 143
    assert "are kept in result.partial; go on with --resume." in err
    assert err.count("\n") == 1
    assert not (tmp_path / "result").exists()
    assert run(*options, "--resume")[0] == 0
    assert run(*options, "-o", "whole")[0] == 0
    one, two = (tmp_path / name / "labels.csv" for name in ("result", "whole"))
    assert one.read_bytes() == two.read_bytes()


def test_another_run_is_not_gone_on_with(run, blobs, tmp_path):
    options = [blobs, "-k", "3", *QUICK, "-m", "lwgp"]
    with pytest.MonkeyPatch.context() as patch:
        Interrupted(patch, 3, KeyboardInterrupt())
        run("fit", *options)
    for _ in range(2):
        code, _, err = run("fit", *options, "--seed", "9", "--resume")
        assert code == 1
        assert "belongs to a run with other data or options" in err
        assert "--seed 9" not in err
    code, *_ = run("fit", *options, "--seed", "9", "--force")
    assert code == 0
    assert not (tmp_path / "result.partial").exists()


def test_a_lack_of_memory_keeps_the_clusterings(run, blobs, tmp_path, monkeypatch):
    options = [blobs, "-k", "3", *QUICK]

    def small(*_):
        raise MemoryBudgetError("the step needs more than there is.")

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(method(), "_combine", small)
        code, _, err = run("fit", *options)
    assert code == 1
    assert "needs more than there is. " in err
    assert " 5 clusterings are kept" in err
    Interrupted(monkeypatch, 0, AssertionError("made again"))
    assert run("fit", *options, "--resume")[0] == 0


def test_the_memory_budget_is_kept(run, blobs):
    options = ["-k", "3", *QUICK, "-m", "wsnng", "--memory", "1 kB"]
    code, _, err = run("fit", blobs, *options)
    assert code == 1
    assert "the budget is 1 kB" in err


def test_progress_tells_each_clustering_and_each_stage(run, blobs, monkeypatch):
    monkeypatch.setattr(_meter, "_SECONDS_BETWEEN_LINES", 0.0)
    code, _, err = run("fit", blobs, "-k", "3", *QUICK)
    assert code == 0
    for done in range(6):
        assert f"  ensemble  {done} of 5" in err
    words = [line.split()[0] for line in err.splitlines()]
    stages = ["reading", "ensemble", "consensus", "weights", "consensus"]
    stages += ["confidence", "result"]
    assert [word for word, _ in groupby(words)] == stages


def test_resuming_nothing_starts(run, blobs):
    assert run("fit", blobs, "-k", "3", *QUICK, "--resume")[0] == 0


def test_collecting_keeps_our_warnings_once_each():
    with _fitting.collected_warnings() as found:
        for _ in range(2):
            warnings.warn("for you", ComitiaWarning, stacklevel=1)
            warnings.warn("for developers", FutureWarning, stacklevel=1)
    assert found == ["for you"]
