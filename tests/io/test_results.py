"""Results: what they hold, and that a folder gives back what was put into it."""

import csv
import json
import os
import sys
from dataclasses import replace

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.datasets import make_blobs

from comitia import ConsensusClustering, Ensemble, MultiViewEnsemble, method
from comitia._files import UNFINISHED
from comitia._lock import locked
from comitia.exceptions import ComitiaError, FolderInUseError
from comitia.generate import KMeansGenerator
from comitia.io import _collect, _details, csv_cells, folder_swap, result_files
from comitia.io.csv_cells import digits, escape_cell, unescape_cell
from comitia.io.result_files import FILES
from comitia.io.results import Result
from tests.fixtures import E6, X6, planted

NASTY = ["=1+1", "'quoted", "a,b", 'say "hi"', "two\nlines", "\u202eltr"]


@pytest.fixture(scope="module")
def fitted():
    X, truth = make_blobs(60, 3, centers=3, random_state=0)
    generator = KMeansGenerator(8, n_clusters=(2, 5))
    estimator = method("lwgp")(n_clusters=3, generator=generator, random_state=7)
    return estimator.fit(X), X, truth


@pytest.fixture
def full(fitted):
    estimator, X, truth = fitted
    return Result.from_estimator(
        estimator,
        X,
        feature_names=["=a", "b", "<script>"],
        object_names=[f"o{i}" for i in range(60)],
        truth=[None if t == 0 else f"class {t}" for t in truth],
        choice={"ks": [2, 3], "criteria": {"pac": np.array([0.5, np.nan])}},
        notes=["3 columns, standardised"],
        timings={"fit": 1},
        command="comitia fit data.csv -k 3",
        source="data.csv",
        raw=X * 10,
    )


def assert_same_result(one, other):
    """Every field of two results is equal."""
    for name in Result.__dataclass_fields__:
        a, b = getattr(one, name), getattr(other, name)
        if name in ("weights", "details", "members", "profile") and a is not None:
            a, b = (vars(v) if name == "profile" else dict(v) for v in (a, b))
            assert a.keys() == b.keys()
            for key in a:
                assert a[key].dtype == b[key].dtype
                assert_array_equal(a[key], b[key])
        elif name == "objective":
            assert len(a) == len(b)
            for x, y in zip(a, b, strict=True):
                assert_array_equal(x, y)
        elif isinstance(a, np.ndarray):
            assert a.dtype.kind == b.dtype.kind
            assert_array_equal(a, b)
        else:
            assert a == b, name


def test_a_folder_gives_back_what_was_saved(full, tmp_path):
    folder = full.save(tmp_path / "deep" / "result")
    in_blocks = {"labels", "ensemble"}  # of very many objects
    written = {path.name for path in folder.iterdir()}
    assert written == {*FILES} - {"report.html", "drift.csv"} - in_blocks
    assert_same_result(full, Result.load(folder))


@pytest.mark.parametrize("id", ["weac", "sec", "wcc", "eac", "abbasi_2019"])
def test_whatever_is_weighed_is_given_back(id, tmp_path):
    estimator = method(id)(n_clusters=4)
    if "random_state" in estimator.get_params():
        estimator.set_params(random_state=0)
    votes = Ensemble(planted(60, 4, 7, noise=0.2, seed=1)[0])
    result = Result.from_estimator(estimator.fit(votes))
    assert result.profile is None
    assert result.positions.shape == (60, 2)
    assert_same_result(result, Result.load(result.save(tmp_path / "result")))


def test_a_second_map_is_kept_if_it_is_asked_for(tmp_path, monkeypatch):
    monkeypatch.setattr(_details, "umap_places", lambda data, standardize: data[:, :2])
    labels, _ = planted(20, 2, 4, noise=0.2, seed=0)
    fitted = method("eac")(n_clusters=2).fit(Ensemble(labels))
    X = np.random.RandomState(0).randn(20, 3)
    assert "umap" not in Result.from_estimator(fitted, X).details
    result = Result.from_estimator(fitted, X, umap=True)
    again = Result.load(result.save(tmp_path / "result"))
    assert_array_equal(again.details["umap"], X[:, :2])
    # Nineteen objects are too few, and clusterings alone have no data.
    few = method("eac")(n_clusters=2).fit(Ensemble(labels[:19]))
    assert "umap" not in Result.from_estimator(few, X[:19], umap=True).details
    assert "umap" not in Result.from_estimator(fitted, umap=True).details


def test_fuzzy_clusterings_are_given_back(tmp_path):
    F = np.random.RandomState(0).dirichlet([1, 1], size=12)
    votes = Ensemble.from_memberships([F, F[:, ::-1]])
    result = Result.from_estimator(ConsensusClustering(2, consensus="tcut").fit(votes))
    assert_same_result(result, Result.load(result.save(tmp_path / "result")))


def test_what_is_known_of_the_result(full, fitted):
    estimator, X, _ = fitted
    assert full.method == "lwgp"
    assert full.card["name"] == "Locally weighted graph partitioning"
    assert "10.1109/TCYB.2017.2702343" in full.card["references"][0]
    assert full.seed == 7
    assert full.parameters["generator"]["class"] == "KMeansGenerator"
    assert full.parameters["generator"]["parameters"]["random_state"] is not None
    assert full.choice["criteria"]["pac"] == [0.5, None]
    assert {"python", "comitia", "numpy"} <= {*full.versions}
    assert_array_equal(full.labels, estimator.labels_)
    assert_allclose(full.membership.sum(axis=1), 1.0)
    assert_array_equal(full.confidence, estimator.confidence_)
    own = full.membership[np.arange(60), full.labels]
    assert_array_equal(own, estimator.vote_share_)
    assert full.scores["mean_vote_share"] == pytest.approx(own.mean())
    # In the original units.
    means = [10 * X[full.labels == c].mean(axis=0) for c in range(3)]
    assert_allclose(full.profile.means, means)


def test_objects_of_unknown_class_are_not_compared(fitted):
    estimator, X, _ = fitted
    # Right wherever it says something.
    said = [f"c{c}" if i % 2 else None for i, c in enumerate(estimator.labels_)]
    scores = Result.from_estimator(estimator, X, truth=said).scores
    assert scores["truth_adjusted_rand"] == 1.0
    assert "truth_adjusted_rand" not in Result.from_estimator(estimator).scores


def test_a_method_with_shares_of_other_clusters_is_asked_for_votes(fitted):
    estimator, _, _ = fitted
    votes = Result.from_estimator(estimator).membership
    odd = method("lwgp")(n_clusters=3)
    odd.__dict__.update(vars(estimator))
    odd.membership_ = np.ones((60, 5))
    assert_array_equal(Result.from_estimator(odd).membership, votes)


@pytest.mark.parametrize("text", [*NASTY, "", "-3", "''", "plain", "@x", "\tx", "+"])
def test_escaped_cells_are_no_formulas_and_come_back(text):
    cell = escape_cell(text)
    assert not cell.startswith(("=", "+", "-", "@", "\t", "\r"))
    assert unescape_cell(cell) == text


def test_names_come_through_the_files_unharmed(tmp_path):
    estimator = method("weac")(n_clusters=2).fit(
        Ensemble(E6, clustering_names=["-a", "b", "=c"])
    )
    result = Result.from_estimator(
        estimator, X6, object_names=NASTY, feature_names=["@f"], truth=NASTY
    )
    folder = result.save(tmp_path / "r")
    loaded = Result.load(folder)
    assert loaded.object_names.tolist() == NASTY
    assert loaded.truth.tolist() == NASTY
    assert loaded.feature_names == ("@f",)
    with open(folder / "labels.csv", newline="", encoding="utf-8") as file:
        first = next(csv.DictReader(file))
    assert first["object"] == "'=1+1"
    assert [*first] == [
        "object",
        "cluster",
        "confidence",
        "votes_0",
        "votes_1",
        "truth",
    ]
    weights = (folder / "weights.csv").read_text()
    assert "clustering_weights,0,,'-a," in weights
    assert "profile" in [path.stem for path in folder.iterdir()]
    # Numbers are numbers, also those that begin with a minus.
    assert "'-" not in (folder / "map.csv").read_text()


def test_a_folder_that_is_there_is_not_overwritten(full, tmp_path):
    folder = full.save(tmp_path / "r")
    before = (folder / "labels.csv").read_bytes()
    with pytest.raises(ComitiaError, match="force=True"):
        full.save(folder)
    (tmp_path / "file").write_text("x")
    with pytest.raises(ComitiaError, match="is a file"):
        full.save(tmp_path / "file", force=True)
    (tmp_path / "empty").mkdir()
    full.save(tmp_path / "empty")
    assert (folder / "labels.csv").read_bytes() == before


def test_force_replaces_the_result_and_keeps_what_is_not_of_it(full, tmp_path):
    folder = full.save(tmp_path / "r")
    (folder / "report.html").write_text("of the old result")
    (folder / "my notes.txt").write_text("mine")
    (folder / "more").mkdir()
    (folder / "more" / "a").write_text("mine too")
    votes = Ensemble(E6)
    other = Result.from_estimator(method("weac")(n_clusters=2).fit(votes))
    other.save(folder, force=True)
    assert_same_result(other, Result.load(folder))
    assert not (folder / "report.html").exists()
    assert not (folder / "profile.csv").exists()
    assert (folder / "my notes.txt").read_text() == "mine"
    assert (folder / "more" / "a").read_text() == "mine too"
    assert [path.name for path in tmp_path.iterdir()] == ["r"]


@pytest.mark.parametrize("fails", ["writing", "renaming"])
def test_the_old_result_survives_a_failure(full, tmp_path, monkeypatch, fails):
    folder = full.save(tmp_path / "r")
    (folder / "my notes.txt").write_text("mine")
    before = {path.name: path.read_bytes() for path in folder.iterdir()}

    def broken(*args, **kwargs):
        raise OSError("no space left on device")

    if fails == "writing":
        monkeypatch.setattr(Ensemble, "save", broken)
    else:
        rename = os.rename

        def break_at_the_end(one, other):
            if os.path.basename(one) == "new":
                broken()
            rename(one, other)

        monkeypatch.setattr(folder_swap.os, "rename", break_at_the_end)
    with pytest.raises(OSError, match="no space"):
        full.save(folder, force=True)
    monkeypatch.undo()
    assert {path.name: path.read_bytes() for path in folder.iterdir()} == before
    assert [path.name for path in tmp_path.iterdir()] == ["r"]


def test_an_old_result_that_cannot_be_brought_back_is_not_deleted(
    full, tmp_path, monkeypatch
):
    folder = full.save(tmp_path / "r")
    rename = os.rename

    def break_twice(one, other):
        if str(other) == str(folder):
            raise OSError("the disk is gone")
        rename(one, other)

    monkeypatch.setattr(folder_swap.os, "rename", break_twice)
    with pytest.raises(OSError, match="disk is gone"):
        full.save(folder, force=True)
    monkeypatch.undo()
    (kept,) = tmp_path.glob("*/old")
    assert_same_result(full, Result.load(kept))


@pytest.mark.parametrize("moved", [False, True])
def test_an_old_result_that_a_killed_process_had_taken_away_comes_back(
    full, tmp_path, moved
):
    """The next one to write there finds it; that of a similar name is not touched."""
    folder = full.save(tmp_path / "r")
    (folder / "my notes.txt").write_text("mine")
    room = tmp_path / f"{UNFINISHED}01234567-r"
    (room / "new").mkdir(parents=True)
    (tmp_path / f"{UNFINISHED}01234567-a-r").mkdir()
    folder.rename(room / "old")
    if moved:
        os.rename(room / "old" / "my notes.txt", room / "new" / "my notes.txt")
    with pytest.raises(ComitiaError, match="is there already"):
        full.save(folder)
    assert_same_result(full, Result.load(folder))
    assert (folder / "my notes.txt").read_text() == "mine"
    names = {path.name for path in tmp_path.iterdir()}
    assert names == {"r", f"{UNFINISHED}01234567-a-r"}


@pytest.mark.parametrize("force", [False, True])
def test_a_folder_that_somebody_else_writes_to_is_refused(full, tmp_path, force):
    folder = full.save(tmp_path / "r")
    for name in ("r", "new"):
        with locked(tmp_path / name, beside=True):
            with pytest.raises(FolderInUseError, match=f"{name} is being written by"):
                full.save(tmp_path / name, force=force)
            with pytest.raises(FolderInUseError, match=f"{name} is being written by"):
                full.ensemble.save(tmp_path / name)
    assert_same_result(full, Result.load(folder))
    assert [path.name for path in tmp_path.iterdir()] == ["r"]


def test_a_result_that_is_replaced_while_it_is_read_is_not_mixed(
    full, tmp_path, monkeypatch
):
    folder = full.save(tmp_path / "r")
    other = replace(full, labels=full.labels[::-1], notes=("the other",))
    read = result_files.read_files

    def replaced(*arguments):
        monkeypatch.undo()
        other.save(folder, force=True)
        return read(*arguments)

    monkeypatch.setattr("comitia.io.results.read_files", replaced)
    assert_same_result(other, Result.load(folder))


def test_a_new_folder_is_as_open_as_any(full, tmp_path):
    (tmp_path / "other").mkdir()
    folder = full.save(tmp_path / "r")
    assert folder.stat().st_mode == (tmp_path / "other").stat().st_mode


def edit(folder, name, change):
    path = folder / name
    path.write_text(change(path.read_text(encoding="utf-8")), encoding="utf-8")


@pytest.mark.parametrize(
    ("name", "change"),
    [
        ("result.json", lambda text: text[:-40]),
        ("result.json", lambda text: "[]"),
        ("result.json", lambda text: text.replace("comitia-result-", "other-")),
        (
            "result.json",
            lambda text: text.replace('"n_clusters": 3', '"n_clusters": 4'),
        ),
        ("result.json", lambda text: text.replace('"weights": {', '"weight": {')),
        ("labels.csv", lambda text: text.rpartition("\no")[0] + "\n"),
        ("labels.csv", lambda text: text.replace("\no1,", "\no1,x")),
        ("weights.csv", lambda text: text + "cluster_weights,0,0,,1.0\n"),
        ("profile.csv", lambda text: text.rpartition("\n2")[0] + "\n"),
        ("map.csv", lambda text: text.replace(",", ";")),
        ("ensemble.npz", lambda text: None),
    ],
)
@pytest.mark.parametrize("as_new", [True, False], ids=["damaged", "without digests"])
def test_damaged_folders_are_refused_in_words(full, tmp_path, name, change, as_new):
    folder = full.save(tmp_path / "r")
    if not as_new:
        without_digests(folder)
    if name.endswith(".npz"):
        (folder / name).unlink()
    else:
        edit(folder, name, change)
    with pytest.raises(ComitiaError):
        Result.load(folder)


def without_digests(folder):
    """Make a folder one that an older version wrote."""
    about = json.loads((folder / "result.json").read_text(encoding="utf-8"))
    del about["digest"], about["digests"]
    about["format"] = result_files.OLD_FORMAT
    (folder / "result.json").write_text(json.dumps(about, indent=1), encoding="utf-8")


@pytest.mark.parametrize(
    ("name", "values"),
    [
        ("column_names", np.array(["a", "b"])),  # of three
        ("column_names", np.array([1.0, 2.0, 3.0])),
        ("columns", np.zeros((60, 4), np.float32)),
        ("linkage", np.zeros((59, 3))),
        ("linkage", np.zeros((59, 4))),
        ("linkage", np.full((59, 4), np.nan)),
        ("silhouettes", np.zeros((60, 2))),
        ("silhouettes", np.array(["a"] * 60)),
        ("umap", np.zeros((60, 3))),
        ("series", np.zeros((3, 3, 1, 5), int)),
    ],
)
def test_details_that_do_not_fit_are_refused(name, values, full, tmp_path):
    forged = replace(full, details={**full.details, name: values})
    with pytest.raises(ComitiaError, match=r"in details\.npz"):
        Result.load(forged.save(tmp_path / "result"))


def test_a_folder_of_an_older_version_is_read(full, tmp_path):
    folder = full.save(tmp_path / "r")
    without_digests(folder)
    assert_same_result(full, Result.load(folder))


@pytest.mark.parametrize(
    ("name", "old", "new"),
    [
        ("labels.csv", "0.", "1."),
        ("weights.csv", "0.", "1."),
        ("map.csv", "0.", "1."),
        ("profile.csv", "0.", "1."),
        ("result.json", "0.", "1."),
    ],
)
def test_one_changed_digit_is_noticed(full, tmp_path, name, old, new):
    folder = full.save(tmp_path / "r")
    edit(folder, name, lambda text: text.replace(old, new, 1))
    with pytest.raises(ComitiaError, match="damaged or was edited"):
        Result.load(folder)


def test_a_folder_without_a_result_is_refused(tmp_path):
    with pytest.raises(ComitiaError, match=r"no result\.json"):
        Result.load(tmp_path)


def test_result_json_is_strict_json(full, tmp_path):
    folder = full.save(tmp_path / "r")

    def refuse(constant):
        raise AssertionError(constant)

    about = json.loads((folder / "result.json").read_text(), parse_constant=refuse)
    assert about["scores"] == full.scores


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"object_names": ["a"]}, "object_names must have one entry per object"),
        ({"truth": ["a"]}, "truth must have one entry per object"),
        ({"feature_names": ["a"]}, "feature_names must have one entry per feature"),
        ({"raw": np.zeros((5, 3))}, "one row per object"),
    ],
)
def test_names_must_fit(fitted, arguments, message):
    estimator, X, _ = fitted
    with pytest.raises(ComitiaError, match=message):
        Result.from_estimator(estimator, X, **arguments)


@pytest.mark.parametrize(
    ("apart", "has_gap"), [(0.0, False), (8.0, True)], ids=["one cloud", "two"]
)
def test_a_gap_is_seen_where_there_is_one(apart, has_gap):
    rng = np.random.RandomState(0)
    X = rng.randn(300, 2)
    X[150:, 0] += apart
    # Four slices along the first axis: each hangs together with its neighbours, so
    # that only a gap in the middle splits them.
    labels = np.argsort(np.argsort(X[:, 0])) // 75
    assert (_collect.gap_between(X, labels) > 2) == has_gap


def test_views_become_one_table_and_series_none():
    X = np.arange(12.0).reshape(6, 2)
    assert _collect.table_of([X, X], ("views",), 6).shape == (6, 4)
    names = _collect.feature_names_of(None, [X, X], np.hstack([X, X]))
    assert names[3] == "view 1, feature 1"
    gone = X.copy()
    gone[0] = np.nan
    assert _collect.table_of([X, gone], ("views",), 6) is None
    assert _collect.table_of(np.zeros((6, 1, 9)), ("series",), 6) is None


def test_what_a_selection_kept_votes_and_its_scores_do_not():
    votes = Ensemble(planted(60, 3, 8, noise=0.3, seed=1)[0])
    fitted = method("cas")(n_clusters=3, random_state=0).fit(votes)
    result = Result.from_estimator(fitted)
    kept = result.vote_weights["clustering_weights"]
    assert_allclose(kept, fitted.selected_)
    assert not np.allclose(fitted.clustering_weights_, kept)


def test_views_keep_their_names(tmp_path):
    X = np.random.RandomState(0).randn(12, 3) + 5 * np.repeat([0, 1], 6)[:, None]
    views = {"genes": X, "=cmd": X[:, :2]}
    fitted = MultiViewEnsemble(2, random_state=0).fit(views)
    result = Result.from_estimator(fitted, views)
    assert result.feature_names[3:] == ("=cmd, feature 0", "=cmd, feature 1")
    assert result.view_names == ("genes", "=cmd")
    assert_same_result(result, Result.load(result.save(tmp_path / "result")))
    written = (tmp_path / "result" / "weights.csv").read_text().splitlines()
    named = [row[3] for row in csv.reader(written) if row[0] == "view_weights"]
    assert named == ["genes", "'=cmd"]


def test_weights_of_views_in_each_cluster_are_given_back(tmp_path):
    X = np.random.RandomState(0).rand(12, 3) + np.repeat([0, 1, 2], 4)[:, None]
    fitted = method("zhao_2020")(3, random_state=0).fit([X, X[:, :2]])
    result = Result.from_estimator(fitted, [X, X[:, :2]])
    assert result.weights["view_weights"].shape == (3, 2)
    assert_same_result(result, Result.load(result.save(tmp_path / "result")))


@pytest.mark.parametrize("many", [10, 1000])
def test_equal_numbers_are_written_alike_and_exactly(many, monkeypatch):
    monkeypatch.setattr(csv_cells, "_MANY", many)
    few = np.array([0.1, -0.0, 0.0, 1 / 3, 1e-300])
    values = few[np.random.RandomState(0).randint(5, size=100)]
    assert digits(values) == [repr(value) for value in values.tolist()]
    other = np.random.RandomState(0).rand(100, 2)[:, 0]
    assert digits(other) == [repr(value) for value in other.tolist()]


NAMES = [
    "plain",
    "with, comma",
    'a "quoted" one',
    "two\nlines",
    "\r",
    "é",
    "\ud800",
    "",
]
NUMBERS = [0.0, -0.0, 1.0, 1e-5, -0.00012, 1 / 3, 1e15, 1e16, np.nan, 5e-324, 123.25]


@pytest.mark.parametrize("lines", [7, 1000])
def test_arrow_writes_the_same_bytes(lines, tmp_path, monkeypatch):
    pytest.importorskip("pyarrow")
    rng = np.random.RandomState(0)
    columns = [
        np.arange(200),
        [NAMES[i] for i in rng.randint(len(NAMES), size=200)],
        rng.randint(3, size=200).astype(np.int32),
        np.array(NUMBERS)[rng.randint(len(NUMBERS), size=200)],
        (rng.randn(200, 2) * 10.0 ** rng.randint(-8, 18, size=(200, 1)))[:, 1],
        [NAMES[i] for i in rng.randint(len(NAMES) - 2, size=200)],
    ]
    head = ["object", "a name, odd", "b", "c", "d", "e"]
    written = {}
    for many in (10, 1000):
        monkeypatch.setattr(csv_cells, "_MANY", many)
        monkeypatch.setattr(csv_cells, "_LINES", lines)
        csv_cells.write_columns(tmp_path / "table.csv", head, columns, [3])
        written[many] = (tmp_path / "table.csv").read_bytes()
    assert written[10] == written[1000]
    monkeypatch.setattr(csv_cells, "_MANY", 10)
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    csv_cells.write_columns(tmp_path / "table.csv", head, columns, [3])
    assert written[10] == (tmp_path / "table.csv").read_bytes()


@pytest.mark.parametrize("has_arrow", [True, False])
def test_shares_of_many_objects_have_six_decimals(has_arrow, tmp_path, monkeypatch):
    if has_arrow:
        pytest.importorskip("pyarrow")
    else:
        monkeypatch.setitem(sys.modules, "pyarrow", None)
    monkeypatch.setattr(csv_cells, "_MANY", 3)
    shares = np.array([[0.0, 1.0], [1 / 3, 2 / 3], [4e-7, 0.9999996], [0.25, 0.0625]])
    columns = [np.arange(4), *shares.T, [*"abcd"], shares[:, 0]]
    write = csv_cells.write_columns
    write(tmp_path / "t.csv", ["i", "p", "q", "n", "r"], columns, [1, 2])
    assert (tmp_path / "t.csv").read_text() == (
        "i,p,q,n,r\n0,0.000000,1.000000,a,0.0\n1,0.333333,0.666667,b,"
        "0.3333333333333333\n2,0.000000,1.000000,c,4e-07\n3,0.250000,0.062500,d,0.25\n"
    )
    monkeypatch.setattr(csv_cells, "_MANY", 5)
    write(tmp_path / "t.csv", ["i", "p", "q", "n", "r"], columns, [1, 2])
    assert "0.6666666666666666" in (tmp_path / "t.csv").read_text()
