"""Bad inputs: values and files, each with the words that its refusal has to say."""

import gzip
import io
import os
import pickle
import zipfile

import numpy as np
import pandas as pd
from scipy.sparse import coo_array, csr_array, eye_array

from tests.hard.methods import GRAPH, LABELS, TREES, X

n, p = X.shape


def put(value, i=3, j=1):
    """The data with one value replaced."""
    changed = X.copy()
    changed[i, j] = value
    return changed


# -- a table of data ---------------------------------------------------------------

TABLES = {
    "a NaN": (put(np.nan), "NaN"),
    "an infinite value": (put(np.inf), "infinity"),
    "a negative infinite value": (put(-np.inf), "infinity"),
    "a value whose square overflows": (put(1e200), "X has values as large as 1e"),
    "no rows": (X[:0], "0 sample"),
    "no columns": (X[:, :0], "0 feature"),
    "one dimension": (X[:, 0], "[Rr]eshape your data"),
    "four dimensions": (X[:, :, None, None], "dim|dimension"),
    "a number": (3.0, "[Rr]eshape your data|dimension|X"),
    "nothing": (None, "X|NaN|[Rr]eshape"),
    "a file name": ("data.csv", "X"),
    "bytes": (b"1,2,3", "X"),
    "text": (np.full((n, 2), "a"), "X|text|numbers"),
    "numbers as text beside words": (np.array([["1", "b"]] * n), "X|numbers"),
    # As a list of series it is well-formed, but has fewer than three.
    "a ragged list": ([[1.0, 2.0], [3.0]], "X|n_clusters=3"),
    "a list of lists of lists": ([[[[1.0]]]], "dim|dimension|X"),
    "an empty list": ([], "X|sample|[Rr]eshape|series"),
    "complex numbers": (X + 1j, "[Cc]omplex"),
    "dicts in an array": (np.array([[{}, 1.0]] * n, dtype=object), "X"),
    "None in an array": (np.array([[None, 1.0]] * n, dtype=object), "X|NaN"),
    "an integer that is no float": (np.array([[10**400, 1]] * n, object), "X"),
    "a sparse matrix": (csr_array(X), "[Ss]parse"),
    "dates": (np.full((n, 2), np.datetime64("2026-01-01")), "dates"),
    "durations": (np.full((n, 2), np.timedelta64(3, "D")), "durations"),
    "masked values": (np.ma.masked_greater(X, 4.5), "masked|NaN in a part of row"),
    "records": (np.zeros(n, dtype=[("a", float), ("b", float)]), "X"),
    "a set": ({1.0, 2.0}, "X"),
    "a function": (len, "X"),
    "an iterator": (iter([1.0, 2.0]), "X"),
    "a data frame with words": (pd.DataFrame({"a": [*"ab" * 12], "b": 1.0}), "X"),
    "a data frame with dates": (
        pd.DataFrame({"a": pd.date_range("2026", periods=n), "b": 1.0}),
        "X|dates",
    ),
    "a data frame with holes": (pd.DataFrame({"a": [None, 1.0] * 12}), "NaN|no view"),
}

# -- the parameters that every method has --------------------------------------------

PARAMETERS = {
    "no cluster": ({"n_clusters": 0}, "n_clusters"),
    "a negative number of clusters": ({"n_clusters": -3}, "n_clusters"),
    "half a cluster": ({"n_clusters": 2.5}, "n_clusters"),
    "a number of clusters as text": ({"n_clusters": "3"}, "n_clusters"),
    "NaN clusters": ({"n_clusters": float("nan")}, "n_clusters"),
    "infinitely many clusters": ({"n_clusters": float("inf")}, "n_clusters"),
    "a list of numbers of clusters": ({"n_clusters": [3]}, "n_clusters"),
    "more clusters than objects": ({"n_clusters": n + 1}, f"n_clusters.*{n + 1}"),
    "very many clusters": ({"n_clusters": 10**15}, "n_clusters.*10{15}"),
    "a seed as text": ({"random_state": "seed"}, "random_state"),
    "a negative seed": ({"random_state": -1}, "random_state|[Ss]eed"),
    "a generator that makes nothing": ({"generator": object()}, "generator"),
}

# -- labels --------------------------------------------------------------------------

LABEL_TABLES = {
    "an empty list": ([], "labels"),
    "no objects": (np.empty((0, 3), int), "labels has no rows"),
    "no clusterings": (np.empty((5, 0), int), "labels has no columns"),
    "one dimension": ([0, 1, 1], "labels must be two-dimensional"),
    "three dimensions": (np.zeros((2, 2, 2), int), "labels must be two-dimensional"),
    "a number": (3, "labels must be two-dimensional"),
    "nothing": (None, "labels must be two-dimensional"),
    "a file name": ("labels.csv", "labels must be two-dimensional"),
    "a dict": ({"a": [0, 1]}, "labels must be two-dimensional"),
    "a set": ({0, 1}, "labels must be two-dimensional"),
    "a ragged table": ([[0, 1], [0]], "labels must be a table"),
    "vectors of unequal lengths": ([np.zeros(3, int), np.zeros(4, int)], r"\[3, 4\]"),
    "data instead of labels": (X, "not whole numbers"),
    "an infinite label": ([[0.0], [np.inf]], "labels of clustering 0"),
    "floats that are no integers": ([[0.0], [1e300]], "labels of clustering 0"),
    "a label below -1": ([[0], [-2]], "contain -2"),
    "complex labels": (np.array([[1j], [2j]]), "have type complex"),
    "dates as labels": (np.full((2, 1), np.datetime64("2026-01-01")), "datetime64"),
    "lists as labels": (
        np.array([[[0], 1], [[0, 1], 2]], dtype=object),
        "contain a list",
    ),
    "a clustering of nobody": ([[0, -1], [1, -1]], "clustering 1 are all missing"),
    "a clustering of None": ([[0, None], [1, None]], "clustering 1 are all missing"),
    "a lazy frame": (pd.DataFrame, "labels"),
    "a mask over all labels": (np.ma.masked_less([[0, 5], [1, 5]], 5), "0 are all mis"),
    "vectors beside lists": ([np.zeros(2, int), [0, 1]], r"labels\[1\] is a list"),
}

ENSEMBLE_NAMES = {
    "too few groups": ({"groups": ["a"]}, "groups must have one entry per clustering"),
    "too few object names": ({"object_names": ["a"]}, "object_names must have one"),
    "too many clustering names": (
        {"clustering_names": ["a"] * 9},
        "clustering_names must have one",
    ),
    "a number for names": ({"object_names": 5}, "object_names must be a sequence"),
    "one text for all groups": ({"groups": "a" * 3}, "groups"),
}

MEMBERSHIPS = {
    "no clusterings": ([], "memberships is empty"),
    "a clustering of no objects": ([np.empty((0, 2))], r"memberships\[0\]"),
    "a clustering without clusters": ([np.empty((3, 0))], r"memberships\[0\]"),
    "rows that sum to two": ([[[1.0, 1.0]]], "row 0 sums to 2"),
    "negative memberships": ([[[1.5, -0.5]]], r"memberships\[0\] must be finite"),
    "infinite memberships": ([[[np.inf, 0.0]]], r"memberships\[0\] must be finite"),
    "a row that is partly NaN": ([[[np.nan, 1.0]]], r"memberships\[0\]"),
    "words": ([[["a", "b"]]], r"memberships\[0\] must be a table of numbers"),
    "complex numbers": ([np.array([[1j, 0j]])], r"memberships\[0\]"),
    "a ragged table": ([[[1.0], [0.5, 0.5]]], r"memberships\[0\]"),
    "one dimension": ([[1.0, 0.0]], r"memberships\[0\]"),
    "unequal numbers of objects": ([np.eye(2), np.eye(3)], r"\[2, 3\]"),
    "nobody in any cluster": ([np.zeros((3, 2))], "clusters no object"),
    "nothing": (None, "memberships"),
    "a number": (3, "memberships"),
}

CLUSTER_LISTS = {
    "no clusterings": (([], 3), "clusterings is empty"),
    "no objects": (([[[0]]], 0), "n_objects=0"),
    "a negative number of objects": (([[[0]]], -1), "n_objects=-1"),
    "a fractional number of objects": (([[[0]]], 2.5), "n_objects=2.5"),
    "a number of objects as text": (([[[0]]], "3"), "n_objects='3'"),
    "a clustering without clusters": (([[[0]], []], 3), "clustering 1 has no clusters"),
    "an empty cluster": (([[[0], []]], 3), "cluster 1 of 0"),
    "an index too large": (([[[0, 3]]], 3), "names object 3"),
    "a negative index": (([[[0, -1]]], 3), "names object -1"),
    "an object twice in a cluster": (([[[0, 0]]], 3), "names an object twice"),
    "fractional indices": (([[[0.5]]], 3), "cluster 0 of 0"),
    "words for indices": (([[["a"]]], 3), "cluster 0 of 0"),
    "a ragged cluster": (([[[0, [1]]]], 3), "cluster 0 of 0 is ragged"),
    "clusters that are numbers": (([[0, 1]], 3), "cluster 0 of 0"),
    "clusterings that are numbers": (([0, 1], 3), "clustering"),
    "nothing": ((None, 3), "clusterings"),
}

CODES = {
    "a negative code": (([[0, -1]], [1]), "codes of clustering 0"),
    "a code too large": (([[0, 3]], [2]), "codes of clustering 0"),
    "fractional codes": (([[0.0, 1.0]], [2]), "codes must be integers"),
    "one dimension": (([0, 1], [2]), "codes must be integers"),
    "no objects": ((np.empty((1, 0), int), [1]), "codes must be integers"),
    "a clustering without clusters": (([[0, 0]], [0]), "n_clusters_each"),
    "too many numbers of clusters": (([[0, 0]], [1, 1]), "n_clusters_each"),
    "words for numbers of clusters": (([[0, 0]], ["two"]), "n_clusters_each"),
    "ragged codes": (([[0, 1], [0]], [2, 1]), "codes is ragged"),
}

# -- constraints ---------------------------------------------------------------------

CONSTRAINTS = {
    "an object that is not there": ({"must_link": [(0, n)]}, "must_link .*numbered"),
    "a negative object": ({"cannot_link": [(0, -1)]}, "cannot_link .*numbered"),
    "an object and itself": ({"must_link": [(2, 2)]}, "must_link pairs object 2"),
    "a pair that must and cannot": (
        {"must_link": [(0, 1)], "cannot_link": [(1, 0)]},
        "must_link.*cannot_link|contradict|cannot",
    ),
    "a contradiction over three objects": (
        {"must_link": [(0, 1), (1, 2)], "cannot_link": [(0, 2)]},
        "must_link.*cannot_link|contradict|cannot",
    ),
    "fractional objects": ({"must_link": [(0.5, 1.0)]}, "must_link must hold"),
    "NaN objects": ({"cannot_link": [(np.nan, 1.0)]}, "cannot_link must hold"),
    "words": ({"must_link": [("a", "b")]}, "must_link names objects, but"),
    "triples": ({"must_link": [(0, 1, 2)]}, "must_link must hold pairs"),
    "one dimension": ({"cannot_link": [0, 1]}, "cannot_link must hold pairs"),
    "ragged pairs": ({"must_link": [(0, 1), (2,)]}, "must_link must hold pairs"),
    "a number": ({"must_link": 3}, "must_link must hold pairs"),
    "a very large object": ({"must_link": [(0, 2**70)]}, "must_link"),
    "truth values": ({"must_link": [(True, False)]}, "must_link must hold"),
}

# -- views, series, graphs, dendrograms ----------------------------------------------

VIEWS = {
    "no views": ([], "X"),
    "views of unequal length": ([X, X[:-1]], "24, 23 rows"),
    "a view of one dimension": ([X, X[:, 0]], r"X\[1\] has 1 dim"),
    "a view of three dimensions": ([X, X[:, :, None]], r"X\[1\] has 3 dim"),
    "a view without columns": ([X, X[:, :0]], r"0 feature.* in X\[1\]"),
    "views without rows": ([X[:0], X[:0]], r"0 sample.* in X\[0\]"),
    "a view of words": ([X, np.full((n, 2), "a")], r"X\[1\] is not an array of num"),
    "a view with an infinite value": ([X, put(np.inf)], r"X\[1\] contains infinity"),
    "a view with a hole": ([X, put(np.nan)], r"X\[1\] contains NaN"),
    "a view that nobody is in": ([X, np.full((n, 2), np.nan)], r"X\[1\]"),
    "a view that overflows": ([X, put(1e200)], r"X\[1\] has values as large"),
    "nothing for a view": ([X, None], r"X\[1\]"),
    "a sparse view": ([X, csr_array(X)], r"X\[1\] is sparse"),
    "a complex view": ([X, X + 1j], r"X\[1\] is complex"),
    "a view of dates": ([X, np.full((n, 2), np.datetime64("2026"))], r"X\[1\]"),
    "a view with a mask": ([X, np.ma.masked_greater(X, 4.5)], r"X\[1\] contains NaN"),
    "a ragged view": ([X, [[1.0], [1.0, 2.0]]], r"X\[1\]"),
    "a dict without views": ({}, "X"),
    "a dict of unequal views": ({"a": X, "b": X[:-1]}, "24, 23 rows"),
}

SERIES = {
    "no series": ([], "X has no series"),
    "unequal numbers of channels": ([X, X[:2]], r"X\[1\] has 2 channel"),
    "an empty series": ([X, X[:, :0]], r"X\[1\] has shape"),
    "a series with a hole": ([X, put(np.nan)], r"X\[1\] contains NaN"),
    "an infinite series": ([X, put(np.inf)], r"X\[1\] contains NaN or infinity"),
    "a series that overflows": ([X, put(1e200)], r"X\[1\] has values as large"),
    "a series of words": ([X, np.full((n, 2), "a")], r"X\[1\] is not an array"),
    "a series of three dimensions": ([X[:, :, None]], r"X\[0\] has shape"),
    "nothing for a series": ([X, None], r"X\[1\]"),
    "a complex series": ([X, X + 1j], r"X\[1\] is complex"),
    "a ragged series": ([[[1.0], [1.0, 2.0]]], r"X\[0\]"),
    "four dimensions": (X[:, :, None, None], "dim"),
    "a sparse series": ([X, csr_array(X)], r"X\[1\] is sparse"),
}


def weighted(i, j, value):
    """The graph with one edge changed, in both directions."""
    A = GRAPH.toarray()
    A[i, j] = A[j, i] = value
    return csr_array(A)


GRAPHS = {
    "a graph that is not square": (csr_array(X), "square"),
    "a graph without vertices": (csr_array((0, 0)), "no vertices"),
    "a graph of one dimension": (np.ones(4), "square"),
    "a graph of three dimensions": (np.ones((2, 2, 2)), "square"),
    "a sparse vector": (coo_array(np.ones(4)), "square"),
    "a number": (3.0, "square"),
    "nothing": (None, "graph must"),
    "a negative edge": (weighted(0, 1, -1.0), "none negative"),
    "a NaN edge": (weighted(0, 1, np.nan), "finite weights"),
    "an infinite edge": (weighted(0, 1, np.inf), "finite weights"),
    "an edge in one direction": (csr_array(np.triu(GRAPH.toarray())), "symmetric"),
    "complex edges": (GRAPH * 1j, "graph must be an adjacency matrix of numbers"),
    "words": (np.full((3, 3), "a"), "graph must be an adjacency matrix of numbers"),
    "a file name": ("graph.mtx", "graph must be"),
    "dates": (np.full((3, 3), np.datetime64("2026")), "graph must be"),
    "a ragged list": ([[0, 1], [1]], "graph must be"),
    "a dict of neighbours": ({0: [1], 1: [0]}, "graph must be"),
    "a graph without edges": (csr_array((n, n)), "graph has no edges"),
    "a graph of loops": (eye_array(n, format="csr"), "graph has no edges"),
}


def tree(row=0, column=2, value=np.nan):
    """A dendrogram with one number replaced."""
    changed = TREES[0].copy()
    changed[row, column] = value
    return changed


DENDROGRAMS = {
    "no trees": ([], "no dendrograms"),
    "nothing": (None, "dendrograms"),
    "a number": (3, "dendrograms"),
    "words": (["tree"], "dendrogram"),
    "trees of unequal objects": ([TREES[0], TREES[0][:2]], "dendrogram 1"),
    "three columns": ([TREES[0][:, :3]], "dendrogram 0 is not in SciPy form"),
    "a negative height": ([tree(value=-1.0)], "dendrogram 0"),
    "a NaN height": ([tree(value=np.nan)], "dendrogram 0"),
    "an infinite height": ([tree(22, 2, np.inf)], "dendrogram 0"),
    "a cluster that is not there yet": ([tree(0, 0, 40.0)], "dendrogram 0"),
    "an empty tree": ([np.empty((0, 4))], "dendrogram 0"),
    "complex numbers": ([TREES[0] * 1j], "dendrogram"),
}

# -- files ---------------------------------------------------------------------------


def npy(array):
    """The bytes of a .npy file, pickled where NumPy would pickle."""
    file = io.BytesIO()
    np.lib.format.write_array(file, np.asarray(array), allow_pickle=True)
    return file.getvalue()


def npy_that_promises(shape):
    """A .npy file whose header promises much more than it holds."""
    file = io.BytesIO()
    header = {"descr": "<f8", "fortran_order": False, "shape": shape}
    np.lib.format.write_array_header_1_0(file, header)
    return file.getvalue() + bytes(64)


def npz(**members):
    """The bytes of a .npz file of members that are arrays or bytes."""
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, member in members.items():
            content = member if isinstance(member, bytes) else npy(member)
            archive.writestr(f"{name}.npy", content)
    return file.getvalue()


def bomb(n_bytes=2**28):
    """A .npz file a thousand times smaller than the zeros that it unpacks to."""
    file = io.BytesIO()
    zeros = bytes(2**20)
    with (
        zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as archive,
        archive.open("X.npy", "w") as member,
    ):
        header = {"descr": "<f8", "fortran_order": False, "shape": (n_bytes // 8, 1)}
        np.lib.format.write_array_header_1_0(member, header)
        for _ in range(n_bytes // len(zeros)):
            member.write(zeros)
    return file.getvalue()


def parquet(frame):
    """The bytes of a .parquet file."""
    file = io.BytesIO()
    frame.to_parquet(file, index=False)
    return file.getvalue()


class Trap:
    """Leaves a file behind when it is unpickled."""

    def __reduce__(self):
        return (open, ("sprung", "w"))


WIDE = ",".join(f"c{j}" for j in range(10_000))
SMALL = pd.DataFrame(X[:4], columns=["a", "b", "c"])

# Files that no reader takes, whatever they are to hold: name, content, words.
FILES = {
    "no file": ("data.csv", None, "there is no file"),
    "an empty file": ("data.csv", b"", "is empty"),
    "blank lines": ("data.csv", b"\n \n\n", "is empty"),
    "a header without rows": ("data.csv", b"a,b\n", "no rows"),
    "a line that is too short": ("data.csv", b"a,b\n1,2\n3\n", "line 3 has 1 cell"),
    "a line that is too long": ("data.csv", b"a,b\n1,2\n3,4,5\n", "line 3 has 3 cells"),
    "a short line of 10 000": (
        "data.csv",
        f"{WIDE}\n{'1,' * 9999}1\n1,2\n".encode(),
        "line 3 has 2 cells and the first line has 10000",
    ),
    "10 000 columns called alike": (
        "data.csv",
        f"{'a,' * 9999}a\n{'1,' * 9999}1\n{'2,' * 9999}2\n".encode(),
        "'a'",
    ),
    "an open quotation mark": ("data.csv", b'a,b\n1,"2\n3,4\n', "quotation mark"),
    "a cell of megabytes": ("data.csv", b"a,b\n" + b"x" * 2**21 + b",2\n", "line 2"),
    "half of UTF-16": ("data.csv", "a,b\n1,2\n".encode("utf-16")[:-1], "UTF-16"),
    "damaged UTF-8": ("data.csv", "äöü,b\n1,2\n".encode() + b"\xe4,1\n", "not UTF-8"),
    "NUL bytes": ("data.csv", b"a,b\n1,\0\n3,4\n", "NUL"),
    "NUL bytes in a name": ("data.csv", b"a\0,b\n1,2\n3,4\n", "NUL"),
    "a picture called a table": ("data.csv", b"\x89PNG\r\n\x1a\n\0\0", "UTF-8|NUL"),
    "columns called alike": ("data.csv", b"a,a\n1,2\n3,4\n", "'a'"),
    "an unknown format": ("data.xls", b"\xd0\xcf", "does not say its format"),
    "no format": ("data", b"1,2\n", "does not say its format"),
    "a pickle in .npy": ("data.npy", npy(np.array([[Trap()]])), "not unpickled"),
    "a bare pickle": ("data.npy", pickle.dumps(Trap()), "not a .npy file"),
    "text in .npy": ("data.npy", b"1,2\n3,4\n", "not a .npy file"),
    "a truncated .npy": ("data.npy", npy(X)[:200], "too short"),
    "a .npy that promises terabytes": (
        "data.npy",
        npy_that_promises((2**37, 8)),
        "too short",
    ),
    "a .npy of four dimensions": (
        "data.npy",
        npy(X[:, :, None, None]),
        "4 dimensions",
    ),
    "a .npy of no rows": ("data.npy", npy(X[:0]), "is empty"),
    "a .npy of complex numbers": ("data.npy", npy(X * 1j), "holds complex"),
    "a .npy of records": ("data.npy", npy(np.zeros(4, [("a", "f8")])), "holds"),
    "a .npy of dates": ("data.npy", npy(np.full((4, 2), np.datetime64("2026"))), "hol"),
    "text in .npz": ("data.npz", b"1,2\n3,4\n", "not a .npz file"),
    "a truncated .npz": ("data.npz", npz(X=X)[:-40], "not a .npz file"),
    "a .npz with a damaged array": (
        "data.npz",
        npz(X=npy(X).replace(b"NUMPY", b"DUMPY")),
        "not a .npz file",
    ),
    "an empty .npz": ("data.npz", npz(), "holds nothing"),
    "a pickle in .npz": ("data.npz", npz(X=np.array([[Trap()]])), "not unpickled"),
    "a .npz that promises terabytes": (
        "data.npz",
        npz(X=npy_that_promises((2**37, 8))),
        "too short",
    ),
    "a .npz of two tables": ("data.npz", npz(A=X, B=X), "say which array"),
    "text in .parquet": ("data.parquet", b"1,2\n3,4\n", "no Parquet file"),
    "a truncated .parquet": ("data.parquet", parquet(SMALL)[:-30], "no Parquet file"),
    "a .parquet without a middle": (
        "data.parquet",
        parquet(SMALL)[:4] + parquet(SMALL)[-300:],
        "no Parquet file",
    ),
    "a .parquet without rows": ("data.parquet", parquet(SMALL[:0]), "is empty"),
    "a .parquet of lists": (
        "data.parquet",
        parquet(pd.DataFrame({"a": [[1.0], [2.0]], "b": 1.0})),
        "'a' .*holds lists",
    ),
    "text in .h5ad": ("data.h5ad", b"1,2\n3,4\n", "h5ad"),
    "text in .xlsx": ("data.xlsx", b"1,2\n3,4\n", "no .xlsx file"),
    "text in .feather": ("data.feather", b"1,2\n3,4\n", "no Feather file"),
    "text in .mat": ("data.mat", b"1,2\n3,4\n", "no .mat file"),
    "text in .json": ("data.json", b"1,2\n3,4\n", "line 1 is no JSON"),
    "a list of numbers in .json": ("data.json", b"[1, 2]", "entry 1 is no object"),
    "text in .csv.gz": ("data.csv.gz", b"1,2\n3,4\n", "no .gz file"),
    "a truncated .csv.gz": ("data.csv.gz", gzip.compress(b"a,b\n1,2\n")[:-9], "no .gz"),
    "an archive called a table": ("data.csv", npz(X=X), "is compressed"),
}

# Files that hold a table, but not one of features.
FEATURE_FILES = {
    "one row": ("data.csv", b"a,b\n1,2\n", "has one row"),
    "words": ("data.csv", b"a\nx\ny\n", "'a' is text that is different"),
    "dates": ("data.csv", b"b\n2026-01-01\n2026-01-02\n", "'b' is dates in text"),
    "empty columns": ("data.csv", b"a,b\n,\n,\n", "has a header and no rows|is empty"),
    "numbers of two meanings": ("data.csv", b"a;b\n1,234;2\n2,345;3\n", "--decimal ,"),
    "infinite values": ("data.csv", b"a,b\n1,inf\n2,3\n", "'b' has 1 infinite"),
    "values beyond float": ("data.csv", b"a,b\n1,1e999\n2,3\n", "'b' has 1 infinite"),
    "values that overflow": ("data.csv", b"a,b\n1,1e300\n2,3\n", "'b' are too large"),
    "constant columns": ("data.csv", b"a,b\n1,2\n1,2\n", "columns are constant"),
    "NaN in .npy": ("data.npy", npy(np.full((4, 2), np.nan)), "without any value"),
    "words in .npy": ("data.npy", npy(np.full((4, 2), "a")), "constant"),
}

# Files that hold a table, but not one of labels.
LABEL_FILES = {
    "data instead of labels": ("data.csv", b"a,b\n1.5,2\n2.5,2\n", "not whole numbers"),
    "a label below -1": ("data.csv", b"a,b\n-2,1\n0,1\n", "contain -2"),
    "a clustering of nobody": ("data.csv", b"a,b\n,1\n,2\n", "'?a'?.*missing"),
    "a label for everybody": ("data.csv", b"a,b\n1,0\n2,0\n3,1\n", "label of its own"),
    "infinite labels": ("data.csv", b"a,b\ninf,1\n0,1\n", "whole numbers"),
    "an empty .h5ad": ("data.h5ad", b"", "not a .h5ad file"),
}

# Saved ensembles that are none.
ENSEMBLE_FILES = {
    "no file": ("saved.npz", None, "no ensemble at"),
    "an empty file": ("saved.npz", b"", "damaged"),
    "text": ("saved.npz", b"0,1\n", "damaged"),
    "a truncated file": ("saved.npz", npz(codes=LABELS.T)[:-40], "damaged"),
    "another .npz": ("saved.npz", npz(X=X), "does not hold an ensemble"),
    "a pickle": ("saved.npz", npz(format=np.array([Trap()])), "not unpickled"),
    "terabytes": ("saved.npz", npz(codes=npy_that_promises((2**40,))), "too short"),
}


def saved(**changes):
    """A saved ensemble with some of its arrays replaced."""
    arrays = {
        "format": np.array("comitia-ensemble-1"),
        "kind": np.array("hard"),
        "codes": np.array([[0, 1, 1]], dtype=np.uint8),
        "n_clusters_each": np.array([2]),
    } | changes
    return npz(**{name: a for name, a in arrays.items() if a is not None})


_FUZZY = {
    "kind": np.array("fuzzy"),
    "data": np.ones(3),
    "indices": np.array([0, 1, 1], np.int32),
    "indptr": np.array([0, 1, 2, 3], np.int32),
}

ENSEMBLE_FILES |= {
    name: ("saved.npz", saved(**changes), "damaged|does not hold")
    for name, changes in {
        "another version": {"format": np.array("comitia-ensemble-9")},
        "an unknown kind": {"kind": np.array("vague")},
        "no labels": {"codes": None},
        "labels of one dimension": {"codes": np.zeros(3, np.uint8)},
        "labels as floats": {"codes": np.zeros((1, 3))},
        "labels beyond the last cluster": {"codes": np.full((1, 3), 9, np.uint8)},
        "no objects": {"codes": np.zeros((1, 0), np.uint8)},
        "too many numbers of clusters": {"n_clusters_each": np.array([2, 2])},
        "no number of clusters": {"n_clusters_each": np.array([0])},
        "too few names": {"object_names": np.array(["a"])},
        "names that are numbers": {"object_names": np.arange(3)},
        "a fuzzy one without memberships": {"kind": np.array("fuzzy")},
        "infinite memberships": {**_FUZZY, "data": np.full(3, np.inf)},
        "negative memberships": {**_FUZZY, "data": -np.ones(3)},
        "clusters that are not there": {**_FUZZY, "indices": np.array([0, 1, 7])},
        "pointers that run backwards": {**_FUZZY, "indptr": np.array([0, 2, 1, 3])},
        "pointers beyond the end": {**_FUZZY, "indptr": np.array([0, 1, 2, 99])},
    }.items()
}


def write(folder, name, content):
    """Write a file, unless it is one that is not there; returns its name."""
    if content is not None:
        with open(os.path.join(folder, name), "wb") as file:
            file.write(content)
    return name
