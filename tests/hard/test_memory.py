"""In a process that may have 2 GB, a method finishes or refuses; nothing blows up."""

import contextlib
import csv
import os
import signal
import subprocess
import sys
import tracemalloc

import numpy as np
import pytest
from sklearn.cluster import (
    AffinityPropagation,
    AgglomerativeClustering,
    SpectralClustering,
)

import comitia
from benchmarks import memory
from comitia import Ensemble
from comitia.catalogue import method_classes
from comitia.exceptions import MemoryBudgetError
from comitia.generate import EstimatorGenerator
from comitia.generate.boosting import BoostingGenerator
from comitia.generate.estimators import distance_bytes
from comitia.methods.fixed_clusters.yang_2016 import kept_at_random, tnorm_coassociation
from comitia.partition import ncut
from comitia.validity import score_table

ON_LABELS = [cls for cls in method_classes() if cls.card.needs == ("labels",)]


@pytest.fixture(scope="module")
def rows(tmp_path_factory):
    """What came of each method; see benchmarks/memory.py for the limits and sizes."""
    out = tmp_path_factory.mktemp("memory") / "memory.csv"
    # A process of its own: what the tests have imported is not in the 2 GB. The time
    # is for machines that have more to do; a fit takes a second or two.
    run = [sys.executable, "-m", "benchmarks.memory", "--smoke", "--seconds", "300"]
    done = subprocess.run([*run, "--out", out], capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    with out.open(newline="") as file:
        return {row["method"]: row for row in csv.DictReader(file)}


def test_every_method_on_labels_was_tried(rows):
    assert rows.keys() == {cls.card.id for cls in ON_LABELS}


@pytest.mark.parametrize(
    "id",
    [
        cls.card.id
        for cls in ON_LABELS
        if cls.card.scales == "linear" or cls.card.id in memory.MATRIX_FREE
    ],
)
def test_what_needs_no_matrix_finishes(id, rows):
    if rows[id]["status"] == "not installed":
        pytest.skip(rows[id]["message"])
    assert (rows[id]["status"], rows[id]["message"]) == ("finished", "")


@pytest.mark.parametrize(
    "id",
    [
        cls.card.id
        for cls in ON_LABELS
        if cls.card.scales == "quadratic" and cls.card.id not in memory.MATRIX_FREE
    ],
)
def test_a_matrix_of_200_000_objects_is_refused_before_it_is_made(id, rows):
    assert rows[id]["status"] == "refused"
    assert rows[id]["message"].startswith("MemoryBudgetError")
    assert "set_memory_budget" in rows[id]["message"]
    # The labels, the libraries, and nothing of the order of the limit.
    assert float(rows[id]["peak_mb"]) < 1000


@pytest.mark.parametrize(
    "clusterer",
    [AgglomerativeClustering(), AffinityPropagation()],
    ids=lambda clusterer: type(clusterer).__name__,
)
def test_base_clusterers_that_compare_all_objects_ask_first(clusterer):
    X = np.random.RandomState(0).rand(500, 2)
    generator = EstimatorGenerator(clusterer, 3, random_state=0)
    # Half a matrix of distances takes 1 MB, and SciPy's linkage works on a copy.
    with comitia.config.limit(1_500_000), pytest.raises(MemoryBudgetError, match="500"):
        generator.fit(X)


def peak_of(work):
    """Most bytes that NumPy had at a time."""
    tracemalloc.start()
    try:
        work()
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


@pytest.mark.filterwarnings("ignore")  # random data: nothing converges
@pytest.mark.parametrize(
    "clusterer",
    [AffinityPropagation(max_iter=3), SpectralClustering(2, n_init=1)],
    ids=lambda clusterer: type(clusterer).__name__,
)
def test_base_clusterers_take_what_they_ask_for(clusterer):
    X = np.random.RandomState(0).rand(500, 2)
    asked = distance_bytes(clusterer, 500)
    clusterer.fit(X[:50])  # what is imported or compiled on the way
    assert 0.8 * asked < peak_of(lambda: clusterer.fit(X)) < 1.1 * asked


def unit_square(n, dtype):
    x = np.random.RandomState(0).rand(n)
    return np.minimum.outer(x, x).astype(dtype)


AFTER = [cls for cls in ON_LABELS if cls.card.source == "after"]
FEW_ROUNDS = {"max_iter": 2, "n_init": 1, "n_rounds": 1, "random_state": 0}


def quickly(cls):
    """The method with few rounds, and with what it compiles on the way compiled."""
    made = cls(3)
    known = made.get_params()
    made.set_params(**{name: FEW_ROUNDS[name] for name in FEW_ROUNDS if name in known})
    labels = np.random.RandomState(0).randint(3, size=(30, 4))
    return made.fit(Ensemble(labels))


# Objects, clusterings and clusters in each: a table of all clusters is 150 MB or more.
MANY = {"clusterings": (20, 500, 10), "clusters": (200, 30, 400)}


@pytest.mark.filterwarnings("ignore")  # random labels: nothing converges
@pytest.mark.parametrize("many", MANY)
@pytest.mark.parametrize("cls", AFTER, ids=lambda cls: cls.card.id)
def test_many_clusterings_or_clusters_fit_the_budget_or_are_refused(cls, many):
    n, M, k = MANY[many]
    ensemble = Ensemble(np.random.RandomState(0).randint(k, size=(n, M)))
    made = quickly(cls)

    def fit():
        with comitia.config.limit(64_000_000), contextlib.suppress(MemoryBudgetError):
            made.fit(ensemble)

    # Tables of some clusterings at a time take up to 60 MB that are always there.
    assert peak_of(fit) < 128_000_000


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(
    "cls",
    [cls for cls in AFTER if cls.card.scales == "quadratic"],
    ids=lambda cls: cls.card.id,
)
def test_a_fit_takes_hardly_more_than_it_asks_for(cls):
    made = quickly(cls)
    ensemble = Ensemble(np.random.RandomState(0).randint(4, size=(300, 10)))
    budget, peak = 500_000, None
    while peak is None:
        budget = int(1.2 * budget)
        with comitia.config.limit(budget), contextlib.suppress(MemoryBudgetError):
            peak = peak_of(lambda: made.fit(ensemble))
    # A matrix of all objects is 0.7 MB, and there is more than matrices.
    assert peak < 1.1 * budget + 1_000_000


# Matrices of double precision that a part may have at a time, its result included.
PARTS = {
    "tnorm_coassociation": (1, lambda n: tnorm_coassociation(one_cluster(n))),
    "kept_at_random": (
        1,
        lambda n: kept_at_random(np.eye(n), np.random.RandomState(0)),
    ),
    # The data, their columns, and distances that all clusterings share.
    "score_table": (
        3,
        lambda n: score_table(unit_square(n, float), halves(n), ["dunn", "silhouette"]),
    ),
    # Single precision is given, and scaled in double precision.
    "ncut": (
        2,
        lambda n: ncut(unit_square(n, np.float32), 2, np.random.RandomState(0)),
    ),
}


def one_cluster(n):
    return Ensemble(np.zeros((n, 1), dtype=int))


def halves(n):
    return Ensemble(np.arange(n)[:, None] % 2)


@pytest.mark.parametrize("part", PARTS)
def test_parts_make_no_more_matrices_than_they_need(part):
    n_matrices, work = PARTS[part]
    n = 2100  # from 2048 on ncut looks for a few eigenvectors alone
    work(20)
    assert peak_of(lambda: work(n)) < (n_matrices + 0.4) * 8 * n**2


@pytest.mark.parametrize("groups", [None, ["one", "other"] * 2])
@pytest.mark.filterwarnings("ignore:the ensemble has no groups")
def test_fuzzy_hellinger_asks_for_its_peak(groups):
    n, rng = 1500, np.random.RandomState(0)
    labels = rng.randint(0, 5, size=(n, 4))
    # With all labels there is a tree without a matrix.
    labels[np.arange(n), rng.randint(0, 4, size=n)] = -1
    votes = Ensemble(labels, groups=groups)
    method = comitia.method("berikov_2018")(2)
    method.fit(votes.take(objects=np.arange(50)))
    asked = 4 * n * n * (3 if groups is None else 4)
    with comitia.config.limit(int(0.95 * asked)), pytest.raises(MemoryBudgetError):
        method.fit(votes)
    assert peak_of(lambda: method.fit(votes)) < 1.2 * asked


class Greedy:
    """A method that does what methods must not do."""

    card = comitia.method("eac").card

    def __init__(self, n_clusters=2, **_):
        pass

    def fit(self, ensemble):
        np.ones((ensemble.n_objects, ensemble.n_objects))


class Dead(Greedy):
    """A method that the system ends when there is no memory left."""

    def fit(self, ensemble):
        if ensemble.n_objects > 60:
            os.kill(os.getpid(), signal.SIGKILL)


class Lacking(Greedy):
    """A method that needs an extra that is not there."""

    def fit(self, ensemble):
        raise ImportError("pip install 'comitia[extra]'")


class Slow(Greedy):
    """A method that does not come to an end."""

    def fit(self, ensemble):
        while ensemble.n_objects > 60:
            pass


# Python 3.12 and newer warn of forks beside threads; these forks wait for nothing.
forks = pytest.mark.filterwarnings("ignore:.*multi-threaded:DeprecationWarning")


@forks
@pytest.mark.parametrize(
    ("cls", "status", "seconds"),
    [
        (Greedy, "out of memory", 60),
        (Dead, "crashed", 60),
        (Lacking, "not installed", 60),
        (Slow, "too slow", 1),
    ],
)
def test_what_comes_of_a_fit_is_told(cls, status, seconds, monkeypatch):
    monkeypatch.setattr(memory, "quick", lambda cls, n=0: cls())
    # What the tests have imported counts as address space too.
    row = memory.attempt(cls, 20_000, memory._mapped() + 10**9, seconds)
    assert row["status"] == status
    assert row["peak_mb"] > 50  # also of those that were stopped or died


@forks
def test_rows_that_are_done_are_not_done_again(tmp_path, monkeypatch):
    fits = [(comitia.method("lwgp"), 100)]
    first = memory.run(fits, tmp_path / "memory.csv", memory._mapped() + 10**9, 60)
    monkeypatch.setattr(memory, "attempt", lambda *_: pytest.fail("done already"))
    again = memory.run(fits, tmp_path / "memory.csv", 0, 0)
    assert first[0]["status"] == again[0]["status"] == "finished"


def test_a_fit_that_was_stopped_is_done_again_with_more_seconds(tmp_path, monkeypatch):
    given_seconds = []

    def attempt(cls, n, limit, seconds):
        given_seconds.append(seconds)
        kept = dict.fromkeys(memory.COLUMNS, "")
        said = {"method": cls.card.id, "n_objects": n, "status": "too slow"}
        return kept | said | {"cpu_s": seconds}

    monkeypatch.setattr(memory, "attempt", attempt)
    fits = [(comitia.method("lwgp"), 100), (comitia.method("lwgp"), 200)]
    for seconds in (10, 10, 60):
        rows = memory.run(fits, tmp_path / "memory.csv", 0, seconds)
    assert given_seconds == [10, 10, 60, 60]
    with (tmp_path / "memory.csv").open(newline="") as file:
        kept = [*csv.DictReader(file)]
    assert [(row["n_objects"], row["cpu_s"]) for row in kept] == [
        ("100", "60"),
        ("200", "60"),
    ]
    assert [row["n_objects"] for row in rows] == [100, 200]


ROWS = """method,n_objects,status,peak_mb,message
cspa,2000,finished,328,
cspa,20000,refused,240,the co-association needs 4.00 GB of memory; the budget is 1 GB.
cspa,200000,refused,294,the co-association needs 400 GB of memory; the budget is 1 GB.
lwgp,2000,too slow,230,
lwgp,20000,out of memory,900,no
"""


def test_what_was_refused_is_tried_where_the_budget_just_holds(tmp_path):
    (tmp_path / "memory.csv").write_text(ROWS)
    found = [*memory.critical_fits(tmp_path / "memory.csv")]
    assert found == [(comitia.method("cspa"), 9600)]  # a little less than 20 000 / 2
    assert [*memory.critical_fits(tmp_path / "memory.csv", ["eac"])] == []


def test_the_tables_count_and_show_what_came_of_each():
    rows = [*csv.DictReader(ROWS.splitlines())]
    space = "\N{NO-BREAK SPACE}"
    assert [line[1:] for line in memory.totals(rows)[1:]] == [
        ["1", "0", "1", "0", "328"],
        ["0", "1", "0", "1", "900"],
        ["0", "1", "0", "0", "294"],
    ]
    assert memory.table(rows) == [
        ["method", f"2{space}000", f"20{space}000", f"200{space}000"],
        ["cspa", "finished, 328 MB", "refused, 240 MB", "refused, 294 MB"],
        ["lwgp", "stopped, 230 MB", "out of memory, 900 MB", ""],
    ]


@pytest.mark.parametrize(
    "id", ["bob_hic", "parvin_objects_2013", "topchy_2004", "zhai_2007"]
)
def test_rounds_that_end_in_a_matrix_are_refused_before_they_begin(id, monkeypatch):
    begun = lambda *_: pytest.fail("the rounds have begun")  # noqa: E731
    monkeypatch.setattr(BoostingGenerator, "generate", begun)
    X = np.random.RandomState(0).rand(500, 2)
    with comitia.config.limit(900_000), pytest.raises(MemoryBudgetError, match="500"):
        comitia.method(id)(n_clusters=3).fit(X)


@pytest.mark.parametrize(
    "id", ["cross_assoc_2011", "son_2016", "unlu_xanthopoulos_2017"]
)
def test_what_does_not_fit_is_refused_before_the_clusterings_are_judged(
    id, monkeypatch
):
    cls = comitia.method(id)
    module = sys.modules[cls.__module__]
    for judge in {"index_scores", "score_table"} & {*vars(module)}:
        monkeypatch.setattr(module, judge, lambda *_: pytest.fail("judged already"))
    rng = np.random.RandomState(0)
    X, labels = rng.rand(500, 2), rng.randint(0, 9, size=(500, 12))
    with (
        comitia.config.limit(900_000),
        pytest.raises(MemoryBudgetError, match="of 500"),
    ):
        cls(n_clusters=3).fit(X, ensemble=Ensemble(labels))


@pytest.mark.parametrize(
    "cls", method_classes(), ids=[cls.card.id for cls in method_classes()]
)
def test_every_kind_of_method_is_given_what_it_is_fitted_on(cls):
    arguments, keywords = memory.given(cls, 50)
    X = arguments[0]
    sizes = {
        getattr(each, "n_objects", None) or getattr(each, "shape", (0,))[0]
        for each in ([*X] if isinstance(X, list) else [X])
    }
    assert sizes <= {50, 49}  # a tree of 50 objects has 49 rows
    assert isinstance(keywords.get("ensemble", Ensemble([[0], [1]])), Ensemble)
