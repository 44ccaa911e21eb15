"""Bad input at every door: refused in words, at once, with nothing written.

Each entry point names the table of bad inputs that it can be given; one test walks over
all pairs. What comes back is a sentence of comitia or of scikit-learn's validation,
never an exception that escaped from NumPy or SciPy.
"""

import csv
import inspect
import os
import re
import signal
import traceback
import tracemalloc
from collections.abc import Callable
from contextlib import contextmanager
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
import pytest

import comitia
from comitia import Ensemble, config, generate
from comitia.cli import main
from comitia.exceptions import ComitiaError, MemoryBudgetError
from comitia.io import Result, read_graph, read_labels, read_pairs, read_table
from tests.hard import inputs
from tests.hard.inputs import bomb, write
from tests.hard.methods import (
    ENSEMBLE,
    GRAPH,
    LABELS,
    METHODS,
    X,
    given,
    is_on_tables,
    make,
    methods_that,
)

# A refusal comes before the work; this is only so that the suite cannot hang.
_SECONDS = 60


class Case(NamedTuple):
    """A bad input at an entry point."""

    door: str
    name: str
    call: Callable[[], Any]
    says: str
    # Files that are there before: name and content.
    files: tuple = ()

    def __str__(self):
        return f"{self.door}: {self.name}".replace(" ", "_")


def cases(door, table, call):
    """An entry point and each of the bad inputs of a table."""
    return [
        Case(door, name, lambda value=value: call(value), says)
        for name, (value, says) in table.items()
    ]


def file_cases(door, table, call):
    """The same for bad files; ``call`` is given the name."""
    return [
        Case(door, name, lambda file=file: call(file), says, ((file, content),))
        for name, (file, content, says) in table.items()
    ]


# -- Ensemble ------------------------------------------------------------------------


def ensemble_cases():
    yield from cases("Ensemble", inputs.LABEL_TABLES, Ensemble)
    yield from cases(
        "Ensemble", inputs.ENSEMBLE_NAMES, lambda names: Ensemble(LABELS, **names)
    )
    yield from cases("from_memberships", inputs.MEMBERSHIPS, Ensemble.from_memberships)
    yield from cases(
        "from_clusters",
        inputs.CLUSTER_LISTS,
        lambda args: Ensemble.from_clusters(*args),
    )
    yield from cases(
        "from_codes", inputs.CODES, lambda args: Ensemble.from_codes(*args)
    )
    yield from file_cases("load", inputs.ENSEMBLE_FILES, Ensemble.load)
    yield from cases(
        "take",
        {
            "no clustering": ({"clusterings": []}, "clusterings keeps nothing"),
            "a clustering too far": ({"clusterings": [9]}, "clusterings must lie"),
            "a mask too short": ({"objects": [True]}, "objects as a mask"),
            "fractions": ({"objects": [0.5]}, "objects must be indices"),
            "words": ({"objects": ["a"]}, "objects must be indices"),
            "a ragged list": ({"objects": [[0], [0, 1]]}, "objects is ragged"),
        },
        lambda which: ENSEMBLE.take(**which),
    )
    yield from cases(
        "coassociation",
        {
            "too few weights": ({"clustering_weights": [1.0]}, "clustering_weights"),
            "NaN weights": ({"clustering_weights": [np.nan] * 4}, "clustering_weights"),
            "words": ({"clustering_weights": ["a"] * 4}, "clustering_weights"),
        },
        lambda weights: ENSEMBLE.coassociation(**weights),
    )
    yield from cases(
        "agreement",
        {
            "a word that is none": ("nmi_cubed", "nmi_cubed"),
            "a number": (3, "measure"),
        },
        ENSEMBLE.agreement,
    )
    yield from cases(
        "save",
        {
            "no rows in a block": ({"path": "e", "block_rows": -1}, "block_rows=-1"),
            "a folder that is there": ({"path": "."}, "exists already"),
            "a folder that is not there": ({"path": "no/e.npz"}, "no/e.npz"),
        },
        lambda how: ENSEMBLE.save(**how),
    )


# -- fit -----------------------------------------------------------------------------


def fit_cases():
    for cls in METHODS:
        door = f"{cls.card.id}.fit"
        if is_on_tables(cls):
            yield from cases(door, inputs.TABLES, make(cls).fit)
        yield from cases(
            door,
            {
                name: case
                for name, case in inputs.PARAMETERS.items()
                if {*case[0]} <= {*inspect.signature(cls).parameters}
            },
            lambda parameters, cls=cls: fit(cls, parameters),
        )
        yield Case(door, "parameters", lambda cls=cls: refused_parameters(cls), "all")
    for cls in methods_that("labels"):
        door = f"{cls.card.id}.fit(ensemble)"
        data = GRAPH if "graph" in cls.card.needs else X
        yield from cases(door, _BESIDE_DATA, lambda E, c=cls, d=data: beside(c, d, E))
    for cls in methods_that("labels", but=("data", "graph")):
        yield from cases(f"{cls.card.id}.fit", _ENSEMBLES, make(cls).fit)
    for cls in methods_that("constraints"):
        yield from cases(
            f"{cls.card.id}.fit(constraints)",
            inputs.CONSTRAINTS,
            lambda pairs, cls=cls: make(cls).fit(X, **pairs),
        )
    for cls in methods_that("views"):
        yield from cases(f"{cls.card.id}.fit(views)", inputs.VIEWS, make(cls).fit)
    for cls in methods_that("series"):
        yield from cases(f"{cls.card.id}.fit(series)", inputs.SERIES, make(cls).fit)
    for cls in methods_that("graph"):
        yield from cases(f"{cls.card.id}.fit(graph)", inputs.GRAPHS, make(cls).fit)
    for cls in methods_that("dendrograms"):
        yield from cases(f"{cls.card.id}.fit(trees)", inputs.DENDROGRAMS, make(cls).fit)
    for cls in (comitia.method("lwea"), comitia.method("wosp")):
        for name, (device, says) in {
            "a device that is none": ("warp", "device='warp'"),
            "a number": (3, "device=3"),
        }.items():
            yield Case(
                f"{cls.card.id}.fit(device)",
                name,
                lambda cls=cls, device=device: make(cls).fit(X, device=device),
                says,
            )


_UNCOVERED = LABELS.astype(int)
_UNCOVERED[5] = -1

# An ensemble that is none, or not of these objects.
_BESIDE_DATA = {
    "labels that are no ensemble": (LABELS, "ensemble is a ndarray"),
    "a file name": ("ensemble.npz", "ensemble is a str"),
    "other objects": (Ensemble(LABELS[:-1]), "24 rows and ensemble has 23"),
    "an object in no clustering": (Ensemble(_UNCOVERED), "the first is object 5"),
}

_ENSEMBLES = {
    "an object in no clustering": (Ensemble(_UNCOVERED), "the first is object 5"),
    "fewer objects than clusters": (Ensemble(LABELS[:2]), "n_clusters=3 is larger"),
}


def beside(cls, data, ensemble):
    """Fit on data and an ensemble."""
    return make(cls).fit(data, ensemble=ensemble)


def fit(cls, parameters):
    """Fit on good data with bad parameters."""
    args, kwargs = given(cls)
    return make(cls, **parameters).fit(*args, **kwargs)


def refused_parameters(cls):
    """Give each parameter something that it cannot be, and see it named."""
    for name in inspect.signature(cls).parameters:
        args, kwargs = given(cls)
        with pytest.raises(ValueError, match=name) as caught:
            make(cls, **{name: object()}).fit(*args, **kwargs)
        assert_in_words(caught.value)
    raise ComitiaError("all of them were named.")


def generator_cases():
    for cls in (
        generate.FuzzyGenerator,
        generate.GenieGenerator,
        generate.HierarchicalGenerator,
        generate.KMeansGenerator,
        generate.KernelGenerator,
        generate.LandmarkSpectralGenerator,
        generate.MixedGenerator,
        generate.MixtureGenerator,
        generate.NeighborSpectralGenerator,
        generate.SpectralGenerator,
        generate.TreeGenerator,
    ):
        yield from cases(cls.__name__, inputs.TABLES, cls().generate)


# -- advice --------------------------------------------------------------------------


def advice_cases():
    yield from cases(
        "choose_k", inputs.TABLES, lambda data: comitia.choose_k(data, [2, 3])
    )
    yield from cases(
        "compare",
        inputs.TABLES,
        lambda data: comitia.compare(data, ["voting"], n_clusters=3),
    )
    yield from cases(
        "choose_k",
        {
            "no k": ({"ks": []}, "ks"),
            "k = 0": ({"ks": [0, 2]}, "ks"),
            "k beyond the objects": ({"ks": [2, 30]}, "ks|30"),
            "words for k": ({"ks": ["a"]}, "ks"),
            "one number for k": ({"ks": 3}, "ks"),
            "fractional k": ({"ks": [2.5]}, "ks"),
            "an unknown method": ({"method": "lwwea"}, "lwea"),
            "a method that is none": ({"method": 3}, "method is a int"),
            "a method for views": ({"method": "mvcc"}, "needs views"),
            "an unknown criterion": ({"criteria": ["beauty"]}, "beauty"),
            "no criterion": ({"criteria": []}, "criteria"),
            "no resamples": ({"n_resamples": 0}, "n_resamples=0"),
            "fractional resamples": ({"n_resamples": 2.5}, "n_resamples=2.5"),
            "negative references": ({"n_references": -1}, "n_references=-1"),
            "no share of the objects": ({"object_fraction": 0.0}, "object_fraction=0"),
            "more than all objects": ({"object_fraction": 2.0}, "object_fraction=2"),
            "a share that is no number": (
                {"object_fraction": float("nan")},
                "object_fraction=nan",
            ),
            "a share as text": ({"object_fraction": "all"}, "object_fraction='all'"),
            "too few objects": ({"max_objects": 1}, "max_objects=1"),
            "a generator that is none": ({"generator": 3}, "generator"),
            "a seed as text": ({"random_state": "seed"}, "seed|random_state"),
        },
        lambda how: comitia.choose_k(X, **{"ks": [2, 3], **how}),
    )
    yield from cases(
        "compare",
        {
            "no methods": ({"methods": []}, "methods"),
            "an unknown method": ({"methods": ["lwwea"]}, "lwea"),
            "a method that is none": ({"methods": [3]}, "methods|method"),
            "an unknown panel": ({"methods": None, "panel": "jury"}, "panel='jury'"),
            "methods and a panel": ({"panel": "quick"}, "panel"),
            "no clusters": ({"n_clusters": 0}, "n_clusters"),
            "clusters as text": ({"n_clusters": "3"}, "n_clusters"),
            "more clusters than objects": ({"n_clusters": 25}, "n_clusters"),
            "too few true labels": ({"truth": [0, 1]}, "truth"),
            "a table of true labels": ({"truth": LABELS}, "truth"),
            "no time": ({"time_limit": 0}, "time_limit=0"),
            "time as text": ({"time_limit": "long"}, "time_limit='long'"),
            "NaN seconds": ({"time_limit": float("nan")}, "time_limit=nan"),
            "memory in words": ({"memory_limit": "lots"}, "lots"),
            "negative resamples": ({"n_resamples": -1}, "n_resamples=-1"),
            "an ensemble of other objects": (
                {"ensemble": Ensemble(LABELS[:-1])},
                "24 rows and ensemble has 23",
            ),
            "an ensemble that is none": ({"ensemble": LABELS}, "ensemble"),
            "a share as text": ({"object_fraction": "all"}, "object_fraction='all'"),
            "no jobs": ({"n_jobs": 0}, "n_jobs"),
        },
        lambda how: comitia.compare(
            X, **{"methods": ["voting"], "n_clusters": 3, **how}
        ),
    )
    yield from cases(
        "recommend",
        {
            "an unknown need": ({"needs": "luck"}, "luck"),
            "an unknown weight": ({"weighs": "gold"}, "gold"),
            "a negative number of objects": ({"n_objects": -1}, "n_objects=-1"),
            "objects as text": ({"n_objects": "many"}, "n_objects='many'"),
            "no recommendations": ({"n_best": 0}, "n_best=0"),
            "a file name": ({"X": "data.csv"}, "X"),
            "a number": ({"X": 3.0}, "X"),
        },
        lambda how: comitia.recommend(**how),
    )
    yield Case("method", "an unknown id", lambda: comitia.method("lwwea"), "lwea")
    yield Case("method", "no id", lambda: comitia.method(None), "no method")
    yield Case(
        "methods", "an unknown word", lambda: comitia.methods(weighs="gold"), "gold"
    )


# -- files ---------------------------------------------------------------------------


def reader_cases():
    yield from file_cases("read_table", inputs.FILES, read_table)
    yield from file_cases("read_table", inputs.FEATURE_FILES, read_table)
    yield from file_cases("read_labels", inputs.FILES, read_labels)
    yield from file_cases("read_labels", inputs.LABEL_FILES, read_labels)
    table = (("data.csv", b"a,b,name\n1,2,x\n3,4,y\n"),)
    for name, (how, says) in {
        "an unknown column": ({"columns": "z"}, "columns='z'"),
        "a range that runs backwards": ({"columns": "b:a"}, "runs backwards"),
        "a column beyond the last": ({"columns": "9"}, "columns='9'"),
        "everything left out": ({"drop": "a:name"}, "no columns are left"),
        "an unknown id": ({"id": "z"}, "id='z'"),
        "an unknown truth": ({"truth": "z"}, "truth='z'"),
        "an unknown scale": ({"scale": "log"}, "scale='log'"),
        "an unknown filling": ({"impute": "mean"}, "impute='mean'"),
        "an unknown kind": ({"kinds": {"a": "color"}}, "choose from numeric"),
        "a kind of no column": ({"kinds": {"z": "id"}}, "'z', which is no column"),
        "words as numbers": ({"kinds": {"name": "numeric"}}, "holds 'x'"),
        "an unknown form": ({"form": "wide"}, "form='wide'"),
        "counts with words": (
            {"form": "counts", "keep_ids": True},
            "'name' holds text",
        ),
        "an unknown format": ({"format": "xls"}, "format='xls'"),
        "a key of a .csv": ({"key": "X"}, "key='X'"),
    }.items():
        yield Case(
            "read_table",
            name,
            lambda how=how: read_table("data.csv", **how),
            says,
            table,
        )
    yield Case("read_labels", "no files", lambda: read_labels([]), "no label file")
    yield Case(
        "read_labels",
        "files of unequal length",
        lambda: read_labels(["one.csv", "two.csv"]),
        "one.csv has 2 rows and two.csv has 3",
        (("one.csv", b"a\n1\n1\n"), ("two.csv", b"b\n1\n1\n2\n")),
    )
    yield Case(
        "read_labels",
        "an object named twice",
        lambda: read_labels(["one.csv", "two.csv"], id="n"),
        "one.csv names the object 'x' twice",
        (("one.csv", b"n,a\nx,1\nx,1\n"), ("two.csv", b"n,b\nx,1\ny,2\n")),
    )
    yield from file_cases(
        "read_graph",
        {
            "no file": ("g.npz", None, "there is no file"),
            "another .npz": ("g.npz", inputs.npz(X=X), "not a sparse matrix"),
            "text": ("g.npz", b"0 1\n", "not a sparse matrix"),
            "text in .mtx": ("g.mtx", b"0 1\n", "not a sparse matrix"),
            "a truncated .mtx": (
                "g.mtx",
                b"%%MatrixMarket matrix coordinate real general\n9 9 5\n1 2 1.0\n",
                "not a sparse matrix",
            ),
            "a .csv": ("g.csv", b"0,1\n1,0\n", "is no graph"),
            "a pickle": (
                "g.npz",
                inputs.npz(format=np.array([inputs.Trap()])),
                "not a sparse matrix",
            ),
            "terabytes": (
                "g.npz",
                inputs.npz(data=inputs.npy_that_promises((2**40,))),
                "not a sparse matrix",
            ),
        },
        read_graph,
    )
    yield from file_cases(
        "read_pairs",
        {
            "no file": ("p.csv", None, "there is no file"),
            "an empty file": ("p.csv", b"", "is empty"),
            "an unknown object": ("p.csv", b"0,9\n", "no object '9'"),
            "triples": ("p.csv", b"0,1,2\n", "a pair has two"),
            "no text": ("p.csv", b"\xe9\1,1\n", "not UTF-8"),
            "another format": ("p.npy", inputs.npy(X), "read from .csv"),
        },
        lambda file: read_pairs(file, 3),
    )
    good = b'{"format": "comitia-result-1"}'
    for name, (files, says) in {
        "no folder": ((), "no result.json"),
        "no result.json": ((("r/labels.csv", b""),), "no result.json"),
        "an empty result.json": ((("r/result.json", b""),), "damaged"),
        "a list in result.json": ((("r/result.json", b"[]"),), "not of the format"),
        "another version": ((("r/result.json", b'{"format": "9"}'),), "not of the for"),
        "no ensemble": ((("r/result.json", good),), "no ensemble at"),
        "a deep result.json": ((("r/result.json", b"[" * 10**5),), "damaged"),
        "a Latin-1 result.json": ((("r/result.json", b'{"a": "\xe9"}'),), "damaged"),
        "nothing but the ensemble": (
            (("r/result.json", good), ("r/ensemble.npz", inputs.saved())),
            "damaged",
        ),
    }.items():
        yield Case("Result.load", name, lambda: Result.load("r"), says, files)
        if files:
            yield cli_case(f"report, {name}", ["report", "r"], says, files)


# -- the command line ----------------------------------------------------------------


def command(arguments):
    """Run a command; a refusal that is as it should be comes back as an error."""
    code = main(arguments)
    assert code in (1, 2), f"the command ended with {code}"
    raise CommandRefused(code)


class CommandRefused(ComitiaError):
    """A command ended with the exit code of a refusal."""


def cli_case(name, arguments, says, files=()):
    return Case("comitia", name, lambda: command(arguments), says, tuple(files))


_BLOBS = ("blobs.csv", b"a,b\n" + b"".join(b"%f,%f\n" % (x[0], x[1]) for x in X))
_VOTES = ("votes.csv", b"p,q\n" + b"".join(b"%d,%d\n" % (*v[1:3],) for v in LABELS))


def cli_cases():
    for name, (file, content, says) in (inputs.FILES | inputs.FEATURE_FILES).items():
        there = ((file, content),)
        for words in (
            ["fit", file, "-k", "2", "-o", "out"],
            ["compare", file, "-k", "2", "-o", "out"],
            ["choose-k", file, "-k", "2-2"],
        ):
            yield cli_case(f"{words[0]}, {name}", words, says, there)
    for name, (file, content, says) in (inputs.FILES | inputs.LABEL_FILES).items():
        there = ((file, content),)
        words = ["combine", file, "-k", "2", "-o", "out"]
        yield cli_case(f"combine, {name}", words, says, there)
    for name, words, says in [
        ("an unknown command", ["cluster"], "'cluster' is not a command"),
        ("an unknown option", ["fit", "blobs.csv", "--fast"], "--fast"),
        ("no file", ["fit"], "data|DATA"),
        ("no clusters", ["fit", "blobs.csv", "-k", "0"], "-k 0"),
        ("a word for k", ["fit", "blobs.csv", "-k", "few"], "-k few"),
        ("a range backwards", ["fit", "blobs.csv", "-k", "5-2"], "-k 5-2"),
        ("too many clusters", ["fit", "blobs.csv", "-k", "25"], "-k 25 is larger"),
        ("very many clusters", ["fit", "blobs.csv", "-k", "9" * 30], "-k 9+ is larger"),
        ("an unknown method", ["fit", "blobs.csv", "-m", "lwwea"], "lwea"),
        ("a method for views", ["fit", "blobs.csv", "-m", "mvcc"], "several views"),
        ("a method for series", ["fit", "blobs.csv", "-m", "yang_chen_2011"], "series"),
        ("a method for trees", ["fit", "blobs.csv", "-m", "zheng_2014"], "zheng_2014"),
        ("a method for graphs", ["fit", "blobs.csv", "-m", "yang_2016"], "graph"),
        (
            "a parameter without value",
            ["fit", "blobs.csv", "--param", "theta"],
            "theta",
        ),
        ("an unknown parameter", ["fit", "blobs.csv", "--param", "tau=1"], "tau"),
        ("a bad parameter", ["fit", "blobs.csv", "--param", "theta=-1"], "theta"),
        ("a seed in words", ["fit", "blobs.csv", "--seed", "x"], "[Ss]eed"),
        ("a negative seed", ["fit", "blobs.csv", "--seed", "-1"], "random_state"),
        ("memory in words", ["fit", "blobs.csv", "--memory", "lots"], "--memory"),
        (
            "no clusterings",
            ["fit", "blobs.csv", "--n-clusterings", "0"],
            "n.clusterings",
        ),
        ("an unknown generator", ["fit", "blobs.csv", "--generator", "x"], "generator"),
        ("an unknown column", ["fit", "blobs.csv", "--columns", "z"], "columns='z'"),
        ("an unknown id", ["fit", "blobs.csv", "--id", "z"], "id='z'"),
        ("an unknown scale", ["fit", "blobs.csv", "--scale", "log"], "scale"),
        (
            "constraints of no use",
            ["fit", "blobs.csv", "--must-link", "p.csv"],
            "no con",
        ),
        (
            "no pairs",
            ["fit", "blobs.csv", "-m", "woce", "--must-link", "p.csv"],
            "p.csv",
        ),
        ("the input as output", ["fit", "blobs.csv", "-o", "blobs.csv"], "is a file"),
        (
            "output below a file",
            ["fit", "blobs.csv", "-o", "blobs.csv/out"],
            "blobs.csv",
        ),
        ("no output name", ["fit", "blobs.csv", "-o", ""], "-o"),
        ("the root as output", ["fit", "blobs.csv", "-o", "/"], "-o"),
        ("NUL in the output", ["fit", "blobs.csv", "-o", "a\0b"], "NUL|null"),
        ("NUL in the input", ["fit", "a\0b.csv"], "no file"),
        ("a long output name", ["fit", "blobs.csv", "-o", "x" * 300], "too long"),
        ("labels of no file", ["combine"], "LABELS|labels"),
        ("an unknown vote", ["combine", "votes.csv", "--columns", "z"], "columns='z'"),
        (
            "a method on data",
            ["combine", "votes.csv", "-m", "topchy_2004"],
            "comitia fit",
        ),
        ("too many votes", ["combine", "votes.csv", "-k", "25"], "-k 25 is larger"),
        ("a k for choose-k", ["choose-k", "blobs.csv", "-k", "3"], "one number"),
        ("k = 1 to choose", ["choose-k", "blobs.csv", "-k", "1-3"], "-k 1-3"),
        (
            "no resamples",
            ["choose-k", "blobs.csv", "--n-resamples", "0"],
            "n_resamples",
        ),
        ("an unknown panel", ["compare", "blobs.csv", "--panel", "jury"], "panel|jury"),
        ("an unknown rival", ["compare", "blobs.csv", "-k", "2", "-m", "x,y"], "'x'"),
        ("nothing to report", ["report", "nowhere"], "nowhere"),
        ("a file to report", ["report", "blobs.csv"], "blobs.csv"),
        ("an unknown card", ["methods", "show", "lwwea"], "lwea"),
        ("an unknown weight", ["methods", "--weighs", "gold"], "weighs|gold"),
        ("a demo in a file", ["demo", "-o", "blobs.csv"], "blobs.csv"),
        ("a demo with a word", ["demo", "please"], "please"),
    ]:
        yield cli_case(name, words, says, (_BLOBS, _VOTES))


# -- the one test --------------------------------------------------------------------

CASES = [
    *ensemble_cases(),
    *fit_cases(),
    *generator_cases(),
    *advice_cases(),
    *reader_cases(),
    *cli_cases(),
]


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """An empty folder to be in."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


def by_door(cases):
    """The cases of a door together; those with files, each in a folder of its own."""
    doors = {}
    for case in cases:
        doors.setdefault(str(case) if case.files else case.door, []).append(case)
    return [pytest.param(some, id=name) for name, some in doors.items()]


@pytest.mark.parametrize("cases", by_door(CASES))
def test_bad_input_is_refused_in_words_and_writes_nothing(cases, folder, capsys):
    for case in cases:
        try:
            assert_refused(case, folder, capsys)
        except BaseException as error:
            error.add_note(f"It was {case}.")
            raise


def assert_refused(case, folder, capsys):
    for name, content in case.files:
        (folder / name).parent.mkdir(exist_ok=True)
        write(folder, name, content)
    before = contents(folder)
    with pytest.raises(ValueError) as caught, no_longer_than(_SECONDS):
        case.call()
    message = str(caught.value)
    if isinstance(caught.value, CommandRefused):
        said = capsys.readouterr().err
        assert said.startswith("comitia"), said
        assert said.count("\n") == 1, said
        assert "should not happen" not in said, said
        message = said
    assert_in_words(caught.value)
    assert re.search(case.says, message), message
    assert contents(folder) == before


def assert_in_words(error):
    """The error was raised on purpose, by comitia or by scikit-learn's validation."""
    if not isinstance(error, ComitiaError):
        raised_in = traceback.extract_tb(error.__traceback__)[-1].filename
        assert os.path.join("sklearn", "utils") in raised_in, repr(error)


def contents(folder):
    """Every file in a folder, and what is in it."""
    return {
        path.relative_to(folder): path.read_bytes() if path.is_file() else None
        for path in folder.rglob("*")
    }


@contextmanager
def no_longer_than(seconds):
    """Fail rather than hang."""

    def stop(number, frame):
        raise AssertionError(f"no refusal within {seconds} s")

    before = signal.signal(signal.SIGALRM, stop)
    signal.alarm(seconds)
    try:
        yield
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, before)


def test_the_table_is_long_enough():
    tables = [
        table
        for name, table in vars(inputs).items()
        if name.isupper() and isinstance(table, dict) and not name.startswith("_")
    ]
    assert sum(map(len, tables)) >= 120
    assert len({case.door for case in CASES}) > len(METHODS)


# -- files that are larger than they look, and names that look like paths ------------


@pytest.fixture(scope="module")
def bombs():
    """Small files of 128 MB of equal numbers, by name."""
    frame = pd.DataFrame({"a": np.zeros(2**22), "b": 1.0})
    return {"bomb.npz": bomb(2**27), "bomb.parquet": inputs.parquet(frame)}


@pytest.mark.parametrize(
    ("read", "name"),
    [
        (read_table, "bomb.npz"),
        (read_labels, "bomb.npz"),
        (read_graph, "bomb.npz"),
        (Ensemble.load, "bomb.npz"),
        (read_table, "bomb.parquet"),
        (read_labels, "bomb.parquet"),
    ],
)
def test_a_file_that_unpacks_to_too_much_is_not_unpacked(read, name, bombs, folder):
    assert len(bombs[name]) < 2**20
    write(folder, name, bombs[name])
    tracemalloc.start()
    try:
        with config.limit("32 MB"), pytest.raises(MemoryBudgetError):
            read(name)
        assert tracemalloc.get_traced_memory()[1] < 2**24
    finally:
        tracemalloc.stop()


def test_ten_thousand_columns_are_read(folder):
    rows = "\n".join(",".join([str(i)] * 10_000) for i in range(3))
    write(folder, "wide.csv", f"{inputs.WIDE}\n{rows}\n".encode())
    assert read_table("wide.csv", scale="none").raw.shape == (3, 10_000)


def test_names_that_look_like_paths_or_quotes_stay_names(folder, capsys):
    names = ["../up", "/root", "a/b", 'say "x"', "it's", "<b>", "=1+1", "ü\tü"]
    (folder / "inside").mkdir()
    with open("data.csv", "w", encoding="utf-8", newline="") as file:
        table = csv.writer(file)
        table.writerow(["na/me", "../x", 'y"z'])
        table.writerows([name, i % 2, i] for i, name in enumerate(names))
    before = contents(folder)
    code = main(
        ["fit", "data.csv", "-k", "2", "--id", "na/me", "-o", "inside/out"]
        + ["--n-clusterings", "4", "--quiet"]
    )
    assert code == 0, capsys.readouterr().err
    new = {*contents(folder)} - {*before}
    assert all(path.parts[:2] == ("inside", "out") for path in new)
    assert Result.load("inside/out").object_names.tolist() == names


@pytest.mark.parametrize("force", [[], ["--force"]])
def test_nothing_is_lost_behind_a_symlink(force, folder, capsys):
    (folder / "theirs").mkdir()
    write(folder, "theirs/diary.txt", b"dear diary")
    write(folder, *_BLOBS)
    (folder / "out").symlink_to("theirs")
    code = main(
        ["fit", "blobs.csv", "-k", "2", "--n-clusterings", "4", "-o", "out", *force]
    )
    assert code == (0 if force else 1)
    assert (folder / "theirs" / "diary.txt").read_bytes() == b"dear diary"
    if not force:
        assert "is there already" in capsys.readouterr().err
        assert [path.name for path in (folder / "theirs").iterdir()] == ["diary.txt"]


def test_an_output_that_points_nowhere_is_refused(folder, capsys):
    write(folder, *_BLOBS)
    (folder / "out").symlink_to("nowhere")
    assert main(["fit", "blobs.csv", "-k", "2", "-o", "out"]) == 1
    assert "out" in capsys.readouterr().err
    assert (folder / "out").is_symlink()
    assert not (folder / "nowhere").exists()
    assert {path.name for path in folder.iterdir()} == {"blobs.csv", "out"}
