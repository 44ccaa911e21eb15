"""The data sets: those of a folder, or what can be had without one.

A folder holds ``single/<name>.npz`` (``X``, ``y``), ``multiview/<name>.npz`` (``X0``,
``X1``, …, ``y``), ``temporal/<name>.npz`` (``X`` of shape (n, channels, length), ``y``,
and ``lengths`` where they differ) and ``graphs/<name>.npz`` (``n``, ``edges``, maybe
``weights``, ``y``). Without one there are four sets of scikit-learn, the same with
their columns in groups as views, and planted series and networks.

``y`` is -1 for an object that belongs to no class: it is clustered like the others, and
left out of the scores. Networks whose known groups overlap have no ``y``;
``benchmarks.networks`` compares sets with sets, and they are not used here.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

__all__ = [
    "KINDS",
    "DataSet",
    "Source",
    "adjacency",
    "constraints",
    "halves",
    "load",
    "one_length",
    "read_series",
    "read_views",
    "some_rows",
    "sources",
    "standardized",
]

#: What a data set can be, and the folder in which sets of that kind lie.
KINDS = {
    "single": "single",
    "views": "multiview",
    "series": "temporal",
    "graph": "graphs",
}

Floats = NDArray[np.float64]
Labels = NDArray[np.int64]


class Source(NamedTuple):
    """A data set that has not been read yet.

    Attributes
    ----------
    kind, name : str
        A kind of :data:`KINDS`, and the name of the set.

    n_objects : int
        How many objects it will have, after it is cut.

    size : int
        How many numbers: what is small comes first.
    """

    kind: str
    name: str
    n_objects: int
    size: int


@dataclass(frozen=True)
class DataSet:
    """Objects and the classes they are known to belong to.

    Parameters
    ----------
    kind, name : str
        As for :class:`Source`.

    X : ndarray, list of ndarray or sparse array
        What ``fit`` takes: a table with standardised columns; views as they are, which
        every method scales in its own way; series as they are, a list of arrays of
        shape (channels, length); or an adjacency matrix.

    y : ndarray of shape (n_objects,)
        The classes; -1 for objects of none.
    """

    kind: str
    name: str
    X: Any
    y: Labels

    @property
    def n_clusters(self) -> int:
        """Number of classes."""
        return len(np.unique(self.y[self.y >= 0]))

    @property
    def table(self) -> Floats:
        """One table with standardised columns: views side by side, series flattened."""
        if self.kind == "single":
            return self.X
        if self.kind == "views":
            return np.hstack([standardized(X) for X in self.X])
        if self.kind == "series":
            return standardized(one_length(self.X).reshape(len(self.X), -1))
        raise ValueError(f"{self.name} is a network, which is no table.")


# -- finding and reading ---------------------------------------------------------------


def sources(
    folder: Path | None,
    *,
    max_objects: int | None = None,
    kinds: Sequence[str] = tuple(KINDS),
) -> list[Source]:
    """The data sets that there are, small ones first.

    Parameters
    ----------
    folder : path or None
        Where to look; None for what needs no folder.

    max_objects : int, default=None
        To how many objects larger sets are cut. Networks are never cut: a random part
        of one has hardly any edges.

    kinds : sequence of str, default=all
        The kinds that are wanted.

    Returns
    -------
    sources : list of Source
        Names for :func:`load`.
    """
    found = list(_built_in() if folder is None else _in_folder(folder))
    if max_objects is not None:
        found = [_cut(source, max_objects) for source in found]
    wanted = [source for source in found if source.kind in kinds]
    return sorted(wanted, key=lambda one: (one.size, one.kind, one.name))


@lru_cache(maxsize=2)
def load(
    kind: str, name: str, folder: Path | None, max_objects: int | None = None
) -> DataSet:
    """Read a data set, or make it.

    Parameters
    ----------
    kind, name : str
        As :func:`sources` tells them.

    folder : path or None
        Where it is; None for what needs no folder.

    max_objects : int, default=None
        A larger set is cut to so many objects, always the same ones.

    Returns
    -------
    data : DataSet
        Nothing may be written to it: the last ones are kept.
    """
    X, y = BUILT_IN[kind][name]() if folder is None else _READERS[kind](folder, name)
    y = y.astype(np.int64)
    if kind != "graph" and max_objects is not None:
        rows = some_rows(len(y), max_objects)
        y = y[rows]
        X = X[rows] if kind == "single" else _rows_of(X, rows, kind)
    if kind == "single":
        X = standardized(X)
    return DataSet(kind, name, X, y)


def halves(names: Sequence[str]) -> dict[str, str]:
    """Which data sets are there to choose, and which to confirm.

    Parameters
    ----------
    names : sequence of str
        Names of the data sets.

    Returns
    -------
    halves : dict of str to str
        "choose" or "confirm" for each, always the same for the same names.
    """
    names = sorted(names)
    order = np.random.RandomState(0).permutation(len(names))
    chosen = {names[i] for i in order[: len(names) // 2]}
    return {name: "choose" if name in chosen else "confirm" for name in names}


def _in_folder(folder: Path) -> Iterator[Source]:
    for kind, sub in KINDS.items():
        for path in sorted((folder / sub).glob("*.npz")):
            with np.load(path, allow_pickle=False) as file:
                if "y" not in file.files:
                    continue
                names = [name for name in file.files if name[0] == "X"] or ["edges"]
                if kind == "graph":
                    names = ["edges"]
                size = sum(file[name].size for name in names)
                yield Source(kind, path.stem, len(file["y"]), size)


def _built_in() -> Iterator[Source]:
    for kind, sets in BUILT_IN.items():
        for name, make in sets.items():
            X, y = make()
            size = sum(one.size for one in X) if isinstance(X, list) else X.size
            yield Source(kind, name, len(y), size)


def _cut(source: Source, most: int) -> Source:
    if source.kind == "graph" or source.n_objects <= most:
        return source
    size = source.size * most // source.n_objects
    return source._replace(n_objects=most, size=size)


def _rows_of(parts: list[Floats], rows: NDArray[np.intp], kind: str) -> list[Floats]:
    if kind == "views":
        return [X[rows] for X in parts]
    return [parts[i] for i in rows]


def _read_single(folder: Path, name: str) -> tuple[Floats, Labels]:
    with np.load(folder / "single" / f"{name}.npz", allow_pickle=False) as file:
        return file["X"].astype(np.float64), file["y"]


def read_views(folder: Path, name: str) -> tuple[list[Floats], Labels]:
    """The views of a set as they are, and the classes.

    Parameters
    ----------
    folder : path
        The folder of the data.

    name : str
        Name of the set.

    Returns
    -------
    views : list of ndarray of shape (n_objects, n_features)
        The views.

    y : ndarray of shape (n_objects,)
        The classes.
    """
    with np.load(folder / "multiview" / f"{name}.npz", allow_pickle=False) as file:
        names = [one for one in file.files if one[0] == "X"]
        names.sort(key=lambda one: int(one[1:]))
        return [file[one].astype(np.float64) for one in names], file["y"]


def read_series(folder: Path, name: str) -> tuple[list[Floats], Labels]:
    """The series of a set, cut where they end, and the classes.

    Parameters
    ----------
    folder : path
        The folder of the data.

    name : str
        Name of the set.

    Returns
    -------
    series : list of ndarray of shape (n_channels, length)
        The series.

    y : ndarray of shape (n_objects,)
        The classes.
    """
    with np.load(folder / "temporal" / f"{name}.npz", allow_pickle=False) as file:
        X, y = file["X"].astype(np.float64), file["y"]
        whole = np.full(len(X), X.shape[2])
        ends = file["lengths"] if "lengths" in file.files else whole
    return [one[:, :end] for one, end in zip(X, ends, strict=True)], y


def _read_graph(folder: Path, name: str) -> tuple[Any, Labels]:
    with np.load(folder / "graphs" / f"{name}.npz", allow_pickle=False) as file:
        edges, y = file["edges"], file["y"]
        weights = file["weights"] if "weights" in file.files else np.ones(len(edges))
        return adjacency(edges, weights, int(file["n"])), y


_READERS: dict[str, Callable[[Path, str], tuple[Any, Labels]]] = {
    "single": _read_single,
    "views": read_views,
    "series": read_series,
    "graph": _read_graph,
}


# -- what needs no folder --------------------------------------------------------------


def _bunch(name: str) -> tuple[Floats, Labels]:
    from sklearn import datasets

    return getattr(datasets, f"load_{name}")(return_X_y=True)


def _grouped(name: str, groups: Sequence[Sequence[int]]) -> tuple[list[Floats], Labels]:
    X, y = _bunch(name)
    return [X[:, list(group)] for group in groups], y


def _waves(unequal: bool) -> tuple[list[Floats], Labels]:
    """Three classes of noisy waves with a random phase; maybe of unequal length."""
    rng = np.random.RandomState(0)
    y = np.arange(90) % 3
    series = []
    for c in y:
        length = rng.randint(40, 61) if unequal else 50
        t = np.arange(length) / 10.0 + rng.rand()
        clean = np.array([np.sin((c + 1) * t), np.cos((c + 1) * t)])
        series.append(clean[: 2 if unequal else 1] + 0.3 * rng.randn(length))
    return series, y


def _blocks(n: int, within: float, between: float) -> tuple[Any, Labels]:
    """Three communities of unequal size with denser edges inside."""
    rng = np.random.RandomState(0)
    y = np.repeat(np.arange(3), [n // 2, n // 3, n - n // 2 - n // 3])
    chance = np.where(y[:, None] == y, within, between)
    edges = np.argwhere(np.triu(rng.rand(n, n) < chance, 1))
    return adjacency(edges, np.ones(len(edges)), n), y


#: Of each kind, what makes the sets that need no folder.
BUILT_IN: dict[str, dict[str, Callable[[], tuple[Any, Labels]]]] = {
    "single": {
        name: lambda name=name: _bunch(name)  # type: ignore[misc]
        for name in ("iris", "wine", "breast_cancer", "digits")
    },
    "views": {
        # Sepals and petals; mean, error and worst of each; upper and lower half.
        "iris_views": lambda: _grouped("iris", [range(2), range(2, 4)]),
        "breast_cancer_views": lambda: _grouped(
            "breast_cancer", [range(10), range(10, 20), range(20, 30)]
        ),
        "digits_views": lambda: _grouped("digits", [range(32), range(32, 64)]),
    },
    "series": {
        "waves": lambda: _waves(unequal=False),
        "unequal_waves": lambda: _waves(unequal=True),
    },
    "graph": {
        "clear_blocks": lambda: _blocks(120, 0.25, 0.02),
        "faint_blocks": lambda: _blocks(120, 0.20, 0.05),
    },
}


# -- parts -----------------------------------------------------------------------------


def standardized(X: Floats) -> Floats:
    """Columns with mean zero and variance one; constant columns are dropped.

    Parameters
    ----------
    X : ndarray of shape (n_objects, n_features)
        A table.

    Returns
    -------
    Z : ndarray of shape (n_objects, n_varying)
        The table.
    """
    scale = X.std(axis=0)
    kept = scale > 1e-12 * np.abs(X).max(axis=0)
    return (X[:, kept] - X[:, kept].mean(axis=0)) / scale[kept]


def some_rows(n: int, most: int | None) -> NDArray[np.intp]:
    """Which of n objects are used: all, or so many, always the same.

    Parameters
    ----------
    n : int
        Number of objects.

    most : int or None
        How many may be used.

    Returns
    -------
    rows : ndarray of int
        In ascending order.
    """
    if most is None or n <= most:
        return np.arange(n)
    return np.sort(np.random.RandomState(0).choice(n, most, replace=False))


def one_length(series: Sequence[Floats]) -> Floats:
    """Series of the length of the longest, to which the others are interpolated.

    Parameters
    ----------
    series : sequence of ndarray of shape (n_channels, length)
        The series.

    Returns
    -------
    X : ndarray of shape (n_objects, n_channels, n_times)
        The series.
    """
    at = np.linspace(0, 1, max(one.shape[1] for one in series))
    return np.array(
        [
            [np.interp(at, np.linspace(0, 1, len(channel)), channel) for channel in one]
            for one in series
        ]
    )


def constraints(
    y: Labels, n_pairs: int, seed: int
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Pairs of objects that belong together, and that do not, as the classes say.

    Parameters
    ----------
    y : ndarray of shape (n_objects,)
        The classes; objects with -1 are in no pair.

    n_pairs : int
        Number of different pairs, drawn uniformly; fewer where there are no more.

    seed : int
        Of the draw.

    Returns
    -------
    must_link, cannot_link : ndarray of shape (n, 2)
        The pairs.
    """
    rng = np.random.default_rng(seed)
    known = np.flatnonzero(y >= 0)
    n = len(known)
    chosen = rng.choice(n * (n - 1) // 2, min(n_pairs, n * (n - 1) // 2), replace=False)
    # The pairs i < j in the order of j: j(j-1)/2 of them have a smaller j.
    j = np.floor((1 + np.sqrt(1 + 8 * chosen)) / 2).astype(np.int64)
    i = chosen - j * (j - 1) // 2
    pairs = known[np.column_stack([i, j])]
    same = y[pairs[:, 0]] == y[pairs[:, 1]]
    return pairs[same], pairs[~same]


def adjacency(edges: NDArray[Any], weights: NDArray[Any], n: int) -> Any:
    """The matrix of a network.

    Parameters
    ----------
    edges : ndarray of shape (n_links, 2)
        The ends of each link, which is there once.

    weights : ndarray of shape (n_links,)
        Weights of the links.

    n : int
        Number of vertices.

    Returns
    -------
    graph : csr_array of shape (n, n)
        Symmetric.
    """
    from scipy.sparse import csr_array

    both = np.vstack([edges, edges[:, ::-1]])
    values = np.tile(weights.astype(np.float64), 2)
    return csr_array((values, (both[:, 0], both[:, 1])), shape=(n, n))
