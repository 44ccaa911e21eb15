"""Are labels the same on every processor? Every method, with the code of two of them.

``python -m benchmarks.processors [--methods lwea,eac] [--each] [--defaults]``

OpenBLAS, NumPy and numba choose their code by the processor, and sums are rounded
otherwise. Every method is fitted on small data in a process with this processor's own
code and in one with the code of an old one: a core type of OpenBLAS that is not its
own, nothing of NumPy that a baseline processor lacks, numba's generic processor.
``--each`` changes them one at a time, with every core type that can run here. Labels
have to be equal, weights and memberships up to ``TOLERANCE`` of the largest; what is
not is told, and the exit code is 1.

The data are of three kinds. Clear clusters; clusters that run into each other; and
whole numbers with copies, of which many distances and votes are equal, so that rounding
decides whatever leaves a tie to it.

``--defaults`` compares what the default finds on ordinary data instead: tables that
come with scikit-learn, the same in views, series and networks, and six objects in one
column.
"""

from __future__ import annotations

import argparse
import inspect
import os
import subprocess
import sys
import tempfile
import warnings
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tools.test_portable import (
    ASKED_FOR,
    features,
    foreign_setting,
    of_core,
    own_cores,
    without_features,
)

KINDS = ("clear", "mixed", "ties")
N_OBJECTS, N_CLUSTERS, N_CLUSTERINGS = 90, 3, 8
# Some indices of validity take distances in single precision.
TOLERANCE = 1e-7

# What is compared exactly, and what up to rounding.
EXACT = ("members", "labels_", "selected_")
CLOSE = (
    "clustering_weights_",
    "cluster_weights_",
    "object_weights_",
    "feature_weights_",
    "view_weights_",
    "membership_",
)

Arrays = Mapping[str, NDArray[Any]]
Variables = dict[str, str]


def main(arguments: Sequence[str] | None = None) -> int:
    """Run what the command line asks for; 1 if a processor makes a difference."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.processors", description=__doc__
    )
    parser.add_argument("--methods", help="ids, separated by commas; default all")
    parser.add_argument("--each", action="store_true", help="one library at a time")
    parser.add_argument("--defaults", action="store_true", help="on ordinary data")
    parser.add_argument("--fit", type=Path, help="fit here and write the results")
    asked = parser.parse_args(arguments)
    ids = asked.methods.split(",") if asked.methods else None
    if asked.fit is not None:
        found = default_results() if asked.defaults else results(ids)
        np.savez(asked.fit, allow_pickle=False, **dict(found))
        return 0
    what = ["--defaults"] if asked.defaults else []
    what += ["--methods", asked.methods] if asked.methods else []
    own, differing = fitted({}, what), 0
    for variables in each_processor() if asked.each else [an_old_processor()]:
        other = fitted(variables, what)
        told = [*differences(own, other)]
        differing += len(told)
        print(" ".join(f"{name}={value!r}" for name, value in variables.items()))
        print(*(f"  {line}" for line in told), sep="\n", end="\n" if told else "")
        print(f"  {summary(own, other)}", flush=True)
    return 1 if differing else 0


def old_processors() -> list[Variables]:
    """Settings that take the place of one library's own choice each."""
    settings = [foreign_setting(), without_features()]
    return [
        *(setting.variables for setting in settings if not setting.skipped),
        {"NUMBA_CPU_NAME": "generic"},
    ]


def each_processor() -> list[Variables]:
    """The same, with every core type of OpenBLAS that this processor can run."""
    can, own = features(), own_cores()
    cores = [of_core(core, can) for core in ASKED_FOR if core not in own]
    known = [core.variables for core in cores if not core.skipped]
    return known + [one for one in old_processors() if one not in known]


def an_old_processor() -> Variables:
    """All of these settings at once."""
    return {name: value for each in old_processors() for name, value in each.items()}


def fitted(variables: Variables, what: Sequence[str]) -> Arrays:
    """What is found in a process with these variables."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "results.npz")
        command = [sys.executable, "-m", "benchmarks.processors", "--fit", str(path)]
        command += what
        root = Path(__file__).parent.parent
        subprocess.run(command, env=os.environ | variables, cwd=root, check=True)
        with np.load(path) as file:
            return dict(file)


def differences(own: Arrays, other: Arrays) -> Iterator[str]:
    """One line for each result that is not the same."""
    for key in sorted(own.keys() | other.keys()):
        if key not in own or key not in other:
            yield f"{key} is there once only"
        elif own[key].shape != other[key].shape:
            yield f"{key} has shapes {own[key].shape} and {other[key].shape}"
        elif (off := deviation(own[key], other[key])) > tolerance(key):
            yield f"{key} is off by {off:.1e}"


def tolerance(key: str) -> float:
    """How far two results may be apart, as a share of the largest value."""
    return TOLERANCE if key.endswith(CLOSE) else 0.0


def deviation(one: NDArray[Any], other: NDArray[Any]) -> float:
    """The largest difference, as a share of the largest value; of words 0 or 1."""
    if one.dtype.kind == "U" or not one.size:
        return float((one != other).any())
    one, other = one.astype(np.float64), other.astype(np.float64)
    return float(np.abs(one - other).max() / (np.abs(one).max() or 1.0))


def summary(own: Arrays, other: Arrays) -> str:
    """How many fits were compared, how many labels are equal, how far weights are."""
    labels = [key for key in own if key.endswith("labels_")]
    equal = sum(np.array_equal(own[key], other.get(key, ())) for key in labels)
    close = [key for key in own.keys() & other.keys() if key.endswith(CLOSE)]
    same = [key for key in close if own[key].shape == other[key].shape]
    off = max((deviation(own[key], other[key]) for key in same), default=0.0)
    return (
        f"labels of {equal} of {len(labels)} fits are equal; weights and memberships "
        f"differ by {off:.1e} at most"
    )


def results(ids: Sequence[str] | None) -> Iterator[tuple[str, NDArray[Any]]]:
    """Everything that the methods find on data of all kinds, by method, kind, name."""
    from comitia.catalogue import method_classes
    from comitia.exceptions import ComitiaError

    warnings.simplefilter("ignore")  # few rounds do not converge
    for cls in method_classes():
        if ids is not None and cls.card.id not in ids:
            continue
        for kind in KINDS:
            arguments, keywords = given(cls, kind)
            key = f"{cls.card.id} {kind}"
            try:
                done = quick(cls).fit(*arguments, **keywords)
            except (ComitiaError, ImportError) as error:
                yield f"{key} refusal", np.array(f"{type(error).__name__}: {error}")
                continue
            yield from found_by(done, key)


def found_by(done: Any, key: str) -> Iterator[tuple[str, NDArray[Any]]]:
    """Members, labels and weights of a fitted method."""
    yield f"{key} members", in_order(done.ensemble_.labels)
    for name in (*EXACT, *CLOSE):
        if hasattr(done, name):
            yield f"{key} {name}", np.asarray(getattr(done, name))


def default_results() -> Iterator[tuple[str, NDArray[Any]]]:
    """What the default finds in tables, views, series and networks."""
    from sklearn.datasets import load_breast_cancer, load_digits, load_iris, load_wine
    from sklearn.preprocessing import scale

    from comitia import ConsensusClustering, MultiViewEnsemble
    from comitia.generate import GraphGenerator, HMMGenerator
    from comitia.represent.graphs import knn_graph

    warnings.simplefilter("ignore")
    tables = {
        "iris": (load_iris().data, 3),
        "wine": (load_wine().data, 3),
        "breast_cancer": (load_breast_cancer().data, 2),
        "digits": (load_digits().data[:400], 10),
        "six": (np.array([[0.0], [0.1], [0.2], [5.0], [5.1], [5.2]]), 2),
    }
    for name, (X, k) in tables.items():
        for n_clusters in (k, None) if name in ("iris", "wine") else (k,):
            table = ConsensusClustering(n_clusters, random_state=0).fit(scale(X))
            yield from found_by(table, f"table {name} k={n_clusters}")
        views = [X] if X.shape[1] == 1 else np.array_split(X, 2, axis=1)
        together = MultiViewEnsemble(k, random_state=0).fit([*views, X[:, :1]])
        yield from found_by(together, f"views {name}")
    # Few series: hidden Markov models are slow.
    series = load_digits(n_class=3).data[:60].reshape(60, 8, 8)
    graph = knn_graph(scale(load_wine().data), 8)
    for key, made in (
        (
            "series digits",
            HMMGenerator(5, n_clusters=3, random_state=0).generate(series),
        ),
        ("network wine", GraphGenerator(random_state=0).generate(graph)),
    ):
        yield from found_by(ConsensusClustering(3, random_state=0).fit(made), key)


def in_order(labels: NDArray[Any]) -> NDArray[Any]:
    """Clusters numbered by their first objects; how a member calls them is its own."""
    columns = []
    for column in labels.T:
        _, first, codes = np.unique(column, return_index=True, return_inverse=True)
        columns.append(first.argsort().argsort()[codes])
    return np.stack(columns, axis=1)


def quick(cls: Any) -> Any:
    """A method with few members and rounds."""
    from comitia.generate import KMeansGenerator

    known = inspect.signature(cls).parameters
    settings = {
        "n_clusters": N_CLUSTERS,
        "generator": KMeansGenerator(n_clusterings=N_CLUSTERINGS),
        "n_clusterings": N_CLUSTERINGS,
        "n_rounds": 6,
        "random_state": 0,
        **cls.card.quick,
    }
    return cls(**{name: settings[name] for name in settings if name in known})


def given(cls: Any, kind: str) -> tuple[tuple[Any, ...], dict[str, Any]]:
    """What a method is fitted on: arguments and keywords of ``fit``."""
    from scipy.cluster.hierarchy import linkage
    from scipy.sparse import csr_array
    from scipy.spatial.distance import cdist

    from comitia.ensemble import Ensemble

    needs, rng = cls.card.needs, np.random.RandomState(0)
    truth = np.arange(N_OBJECTS) % N_CLUSTERS
    apart, wrong = {"clear": (6.0, 0.05), "mixed": (1.5, 0.4), "ties": (3.0, 0.3)}[kind]
    X = rng.randn(N_OBJECTS, 4) + apart * np.eye(N_CLUSTERS, 4)[truth]
    series = rng.randn(N_OBJECTS, 1, 24).cumsum(axis=2) + apart * truth[:, None, None]
    labels = np.repeat(truth[:, None], N_CLUSTERINGS, axis=1)
    drawn = rng.rand(*labels.shape) < wrong
    labels[drawn] = rng.randint(0, N_CLUSTERS + 1, size=drawn.sum())
    if kind == "ties":
        # Whole numbers, each object twice, few clusterings: sums that are equal.
        X, series = np.abs(X).round(), series.round()
        labels[:, N_CLUSTERINGS // 2 :] = labels[:, : N_CLUSTERINGS // 2][:, ::-1]
        half = np.arange(N_OBJECTS) // 2
        X, series, labels, truth = X[half], series[half], labels[half], truth[half]
    keywords: dict[str, Any] = {}
    if "constraints" in needs:
        apart_from_0 = int(np.flatnonzero(truth != truth[0])[0])
        keywords = {"must_link": [(0, 1)], "cannot_link": [(0, apart_from_0)]}
        if truth[0] != truth[1]:
            keywords["must_link"] = [(0, 3)]
    if "labels" in needs:
        if needs == ("labels",):
            return (Ensemble(labels),), keywords
        keywords["ensemble"] = Ensemble(labels)
    if "graph" in needs:
        near = cdist(X, X) < np.quantile(cdist(X, X), 0.2)
        return (csr_array((near & ~np.eye(N_OBJECTS, dtype=bool)) * 1.0),), keywords
    if "dendrograms" in needs:
        return ([linkage(X, "average"), linkage(X, "complete")],), keywords
    if "views" in needs:
        return ([np.abs(X[:, :2]), np.abs(X[:, 2:])],), keywords
    return (series if "series" in needs else X,), keywords


if __name__ == "__main__":
    sys.exit(main())
