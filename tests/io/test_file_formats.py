"""Formats: what is in them, no more read than asked for, and damage told in words."""

import bz2
import gzip
import json
import lzma
import sys
import warnings

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from comitia import config
from comitia.exceptions import ComitiaError, MemoryBudgetError
from comitia.io import read_labels, read_table, read_votes
from comitia.io._file_columns import Reading, read_columns
from comitia.io._lazy_columns import MatrixColumns

X = np.array([[1, 5, 2], [2, 7, 9], [4, 7, 1], [0, 1, 3]], dtype=float)
THREE = b"a,b,c\n1,5,2\n2,7,9\n4,7,1\n0,1,3\n"


def columns(path, key=None, **how):
    return read_columns(path, Reading(key=key, **how))


def numbers(found):
    return np.column_stack(list(found.values))


def zstd(content):
    return pytest.importorskip("zstandard").compress(content)


# -- compressed text ------------------------------------------------------------------

PACKERS = {"gz": gzip.compress, "bz2": bz2.compress, "xz": lzma.compress, "zst": zstd}


@pytest.mark.parametrize("suffix", PACKERS)
def test_packed_text_is_read(suffix, tmp_path):
    path = tmp_path / f"table.csv.{suffix}"
    path.write_bytes(PACKERS[suffix](THREE))
    found = columns(path)
    assert found.names == ["a", "b", "c"]
    assert_array_equal(numbers(found), X)
    tabs = tmp_path / f"table.tsv.{suffix}"
    tabs.write_bytes(PACKERS[suffix](THREE.replace(b",", b"\t")))
    assert_array_equal(numbers(columns(tabs)), X)


@pytest.mark.parametrize("suffix", PACKERS)
def test_damaged_and_swollen_files_are_refused(suffix, tmp_path):
    whole = PACKERS[suffix](THREE * 50)
    for content in (b"nonsense", whole[: len(whole) // 2]):
        path = tmp_path / f"table.csv.{suffix}"
        path.write_bytes(content)
        with pytest.raises(ComitiaError, match=rf"table\.csv\.{suffix}"):
            columns(path)
    path.write_bytes(PACKERS[suffix](b"a,b\n" + b"0" * 9_000_000))
    assert path.stat().st_size < 10_000
    with config.limit("9 MB"), pytest.raises(MemoryBudgetError, match="is packed in"):
        columns(path)


def test_only_text_is_unpacked(tmp_path):
    with pytest.raises(ComitiaError, match="of compressed files comitia reads text"):
        columns(tmp_path / "table.npy.gz")


# -- URLs and files that are not there ------------------------------------------------


def test_a_url_is_refused():
    for read in (read_table, read_labels):
        with pytest.raises(ComitiaError, match="is a URL, and comitia reads files"):
            read("https://example.org/t.csv")


# -- JSON -----------------------------------------------------------------------------

RECORDS = [
    {"a": 1, "b": 0.5, "who": "x", "on": True},
    {"a": 2, "who": "y", "on": False},
    {"a": None, "b": 2, "who": "z", "on": True},
]


@pytest.mark.parametrize("name", ["t.json", "t.jsonl", "t.ndjson", "list.json"])
def test_objects_of_json_are_rows(name, tmp_path):
    text = "\n".join(map(json.dumps, RECORDS)) + "\n\n"
    if name == "list.json":
        text = json.dumps(RECORDS, indent=1)
    (tmp_path / name).write_text(text)
    found = columns(tmp_path / name)
    assert found.names == ["a", "b", "who", "on"]
    assert_array_equal(found.values[0], [1, 2, np.nan])
    assert_array_equal(found.values[1], [0.5, np.nan, 2])
    assert found.values[2].tolist() == ["x", "y", "z"]
    assert_array_equal(found.values[3], [1, 0, 1])


def test_names_in_json_keep_their_digits(tmp_path):
    lines = [f'{{"id": {10**18 + i}, "a": {i}}}' for i in range(3)]
    (tmp_path / "t.json").write_text("\n".join(lines))
    named = read_table(tmp_path / "t.json", id="id").object_names
    assert named == [str(10**18 + i) for i in range(3)]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "is empty"),
        ("{}\n{}\n", "are empty"),
        ('{"a": 1}\n{"a": 2\n', r"t\.json line 2 is no JSON"),
        ('{"a": 1}\n[1, 2]\n', "line 2 is no object"),
        ("[1, 2]", "entry 1 is no object"),
        ('{"a": 1}\n{"a": [1]}\n', "'a' of object 2 .* holds a list"),
    ],
)
def test_bad_json_is_refused(text, words, tmp_path):
    (tmp_path / "t.json").write_text(text)
    with pytest.raises(ComitiaError, match=words):
        columns(tmp_path / "t.json")


# -- spreadsheets ---------------------------------------------------------------------


@pytest.fixture
def book(tmp_path):
    import datetime

    openpyxl = pytest.importorskip("openpyxl")
    made = openpyxl.Workbook()
    first = made.active
    first.title = "measured"
    day = datetime.datetime(2024, 5, 1)
    for row in [
        ["who", "a", "b", "day", None],
        ["x", 1, 0.5, day, None],
        [None] * 5,
        ["y", 2, None, day, None],
        ["z", 4, "7", day, None],
    ]:
        first.append(row)
    more = made.create_sheet("more")
    for row in [[1, 2], [3, 4]]:
        more.append(row)
    made.create_sheet("empty")
    made.save(tmp_path / "book.xlsx")
    return tmp_path / "book.xlsx"


def test_sheets_are_read(book):
    found = columns(book)
    assert found.names == ["who", "a", "b", "day"]
    assert found.values[0].tolist() == ["x", "y", "z"]
    assert_array_equal(found.values[1], [1, 2, 4])
    assert_array_equal(found.values[2], [0.5, np.nan, 7])  # 7 is typed as text
    assert found.values[3].tolist() == ["2024-05-01"] * 3
    assert "the sheet 'measured' was read; key chooses another" in found.notes[0]
    more = columns(book, "more")
    assert more.names == ["column 1", "column 2"]
    assert_array_equal(numbers(more), [[1, 2], [3, 4]])
    with pytest.raises(ComitiaError, match=r"key='most' is no sheet .* measured, more"):
        columns(book, "most")
    with pytest.raises(ComitiaError, match=r"the sheet 'empty' .* is empty"):
        columns(book, "empty")


@pytest.mark.parametrize("notes", [[], [["how we measured"]]])
def test_a_first_sheet_without_a_table_names_the_others(notes, tmp_path):
    made = pytest.importorskip("openpyxl").Workbook()
    for row in notes:
        made.active.append(row)
    for name in ("data", "more"):
        made.create_sheet(name)
    made.save(tmp_path / "book.xlsx")
    with pytest.raises(ComitiaError, match="key chooses another sheet: data, more"):
        columns(tmp_path / "book.xlsx")


WRITTEN = {"a": ["1,5", "2,25", "-"], "b": ["70,5 kg", "", "81 kg"]}
WRITTEN |= {"c": ["(3,5)", "2", "1"], "d": [1.5, 2.5, 4], "who": ["1,5 a", "2", "x"]}


def written_as(kind, folder, columns):
    """A file of a kind whose cells have types, with these columns."""
    rows = [
        dict(zip(columns, row, strict=True))
        for row in zip(*columns.values(), strict=True)
    ]
    path = folder / f"written.{kind}"
    if kind == "json":
        path.write_text(json.dumps(rows))
        return path
    made = pytest.importorskip("openpyxl").Workbook()
    for row in [[*columns], *(row.values() for row in rows)]:
        made.active.append([*row])
    made.save(path)
    return path


@pytest.mark.parametrize("kind", ["xlsx", "json"])
def test_numbers_in_cells_of_text_are_read_as_in_text_files(kind, tmp_path):
    found = columns(written_as(kind, tmp_path, WRITTEN))
    expected = [[1.5, 70.5, -3.5, 1.5], [2.25, np.nan, 2, 2.5], [np.nan, 81, 1, 4]]
    assert_array_equal(np.column_stack(found.values[:4]), expected)
    assert found.values[4].tolist() == WRITTEN["who"]
    assert "read as numbers, without the unit: 'b' (kg)." in found.notes


@pytest.mark.parametrize("kind", ["xlsx", "json"])
def test_cells_of_text_that_can_be_two_numbers_are_refused(kind, tmp_path):
    path = written_as(kind, tmp_path, {"a": ["1,234", "2,345"], "b": [1.5, 2.5]})
    with pytest.raises(ComitiaError, match=r"'1,234', which can be .* say --decimal ,"):
        columns(path)
    assert_array_equal(columns(path, decimal=",").values[0], [1.234, 2.345])
    assert_array_equal(columns(path, thousands=",").values[0], [1234, 2345])
    assert_array_equal(columns(path, decimal=",").values[1], [1.5, 2.5])


# -- Feather --------------------------------------------------------------------------


@pytest.mark.parametrize("compression", ["lz4", "zstd", "uncompressed"])
def test_feather_is_read(compression, tmp_path):
    pa = pytest.importorskip("pyarrow")
    from pyarrow import feather

    table = pa.table({"a": X[:, 0], "b": [*"uvuw"], "c": pa.array([1, None, 3, 4])})
    path = tmp_path / "t.feather"
    feather.write_feather(table, path, compression=compression, chunksize=3)
    found = columns(path)
    assert found.names == ["a", "b", "c"]
    assert_array_equal(found.values[0], X[:, 0])
    assert found.values[1].tolist() == [*"uvuw"]
    assert_array_equal(found.values[2], [1, np.nan, 3, 4])
    stream = tmp_path / "t.arrow"
    with (
        pa.OSFile(str(stream), "wb") as file,
        pa.ipc.new_stream(file, table.schema) as writer,
    ):
        writer.write_table(table)
    assert_array_equal(columns(stream).values[0], X[:, 0])


def test_zeros_in_feather_ask_for_the_memory_that_they_take(tmp_path):
    pa = pytest.importorskip("pyarrow")
    from pyarrow import feather

    zeros = pa.table({"a": np.zeros(2_000_000)})
    feather.write_feather(zeros, tmp_path / "t.feather", compression="zstd")
    with config.limit("10 MB"), pytest.raises(MemoryBudgetError, match="2000000 × 1"):
        columns(tmp_path / "t.feather")


# -- MATLAB ---------------------------------------------------------------------------


def test_matlab_files_are_read(tmp_path):
    from scipy.io import savemat
    from scipy.sparse import csc_matrix

    names = np.array(["p", "q", "r"], dtype=object)
    savemat(
        tmp_path / "t.mat",
        {"X": X, "y": np.array([1, 2, 1, 2]), "feature_names": names},
        do_compression=True,
    )
    found = columns(tmp_path / "t.mat")
    assert found.names == ["p", "q", "r"]
    assert_array_equal(numbers(found), X)
    assert_array_equal(found.aside["y"], [1, 2, 1, 2])
    savemat(tmp_path / "s.mat", {"counts": csc_matrix(X), "n": 4})
    sparse = columns(tmp_path / "s.mat")
    assert isinstance(sparse.values, MatrixColumns)
    assert sparse.values.is_sparse
    assert_array_equal(numbers(sparse), X)
    with pytest.raises(ComitiaError, match="key='Z' is no array"):
        columns(tmp_path / "t.mat", "Z")


def test_matlab_files_of_version_7_3_are_read(tmp_path):
    h5py = pytest.importorskip("h5py")
    path = tmp_path / "t.mat"
    with h5py.File(path, "w", userblock_size=512) as file:
        for name, array in {"fea": X, "gnd": np.array([[1], [2], [1], [2]])}.items():
            file[name] = array.T
            file[name].attrs["MATLAB_class"] = np.bytes_("double")
        file["title"] = np.array([[104], [105]], dtype=np.uint16)
        file["title"].attrs["MATLAB_class"] = np.bytes_("char")
    with path.open("r+b") as file:
        file.write(b"MATLAB 7.3 MAT-file".ljust(128))
    found = columns(path)
    assert_array_equal(numbers(found), X)
    assert_array_equal(found.aside["gnd"], [1, 2, 1, 2])


# -- Zarr and AnnData -----------------------------------------------------------------


def test_zarr_arrays_are_read(tmp_path):
    zarr = pytest.importorskip("zarr")
    zarr.save_array(str(tmp_path / "one.zarr"), X)
    assert_array_equal(numbers(columns(tmp_path / "one.zarr")), X)
    group = zarr.open_group(str(tmp_path / "two.zarr"), mode="w")
    for name, array in {"fit": X, "more": X[:, :2], "y": np.arange(4)}.items():
        group.create_array(name, data=array)
    with pytest.raises(ComitiaError, match="holds fit, more, y; say which"):
        columns(tmp_path / "two.zarr")
    found = columns(tmp_path / "two.zarr", "fit")
    assert_array_equal(numbers(found), X)
    assert_array_equal(found.aside["y"], np.arange(4))
    (tmp_path / "bad.zarr").mkdir()
    with pytest.raises(ComitiaError, match=r"bad\.zarr"):
        columns(tmp_path / "bad.zarr")


@pytest.fixture(scope="module")
def cells(tmp_path_factory):
    """A folder with the same AnnData in HDF5 and in Zarr."""
    tmp_path = tmp_path_factory.mktemp("cells")
    anndata = pytest.importorskip("anndata")
    pytest.importorskip("zarr")
    import pandas
    from scipy.sparse import csr_matrix

    data = anndata.AnnData(
        csr_matrix(X),
        obs=pandas.DataFrame(
            {
                "leiden_0.5": pandas.Categorical(["0", "0", "1", "1"]),
                "leiden_1.0": pandas.Categorical(["0", "1", "2", None]),
                "n_counts": X.sum(axis=1),
            },
            index=[*"wxyz"],
        ),
        var=pandas.DataFrame(index=["g1", "g2", "g3"]),
    )
    data.obsm["X_pca"] = X[:, :2]
    data.write_h5ad(tmp_path / "cells.h5ad")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # which version of the format is written
        data.write_zarr(tmp_path / "cells.zarr")
    return tmp_path


@pytest.mark.parametrize("name", ["cells.h5ad", "cells.zarr"])
def test_anndata_stay_sparse_and_are_read_when_asked_for(name, cells, monkeypatch):
    import anndata

    asked = []
    read = anndata.io.read_elem

    def noting(element):
        asked.append(element.name.strip("/"))
        return read(element)

    monkeypatch.setattr(anndata.io, "read_elem", noting)
    found = columns(cells / name)
    assert found.names == ["g1", "g2", "g3"]
    assert found.object_names == [*"wxyz"]
    assert [*found.aside] == ["leiden_0.5", "leiden_1.0", "n_counts"]
    assert {*asked} == {"obs/_index", "var/_index"}
    assert [*found.embeddings] == ["X_pca"]
    assert found.embeddings.shapes == {"X_pca": (4, 2)}
    assert_array_equal(found.embeddings["X_pca"], X[:, :2])
    assert "X" not in asked
    assert found.values.is_sparse
    assert_array_equal(found.values.matrix.toarray(), X)
    assert_array_equal(numbers(found), X)
    assert asked.count("X") == 1
    assert_array_equal(found.aside["n_counts"], X.sum(axis=1))


@pytest.mark.parametrize("name", ["cells.h5ad", "cells.zarr"])
def test_columns_of_obs_are_clusterings(name, cells):
    votes = read_votes(cells / name, columns="leiden_0.5,leiden_1.0")
    assert votes.ensemble.clustering_names.tolist() == ["leiden_0.5", "leiden_1.0"]
    assert votes.ensemble.labels.tolist() == [[0, 0], [0, 1], [1, 2], [1, -1]]
    assert votes.ensemble.object_names.tolist() == [*"wxyz"]
    known = read_votes(cells / name, columns="leiden_1.0", truth="leiden_0.5")
    assert known.truth.tolist() == ["0", "0", "1", "1"]
    with pytest.raises(ComitiaError, match=r"--columns which columns of \.obs .* leid"):
        read_votes(cells / name)
    with pytest.raises(ComitiaError, match="columns='leiden' is no column"):
        read_votes(cells / name, columns="leiden")


def test_anndata_are_not_turned_round(cells):
    with pytest.raises(ComitiaError, match="leave out transpose"):
        read_table(cells / "cells.h5ad", transpose=True)


# -- rows and columns changed ---------------------------------------------------------

GENES = "gene,s1,s2,s3,s4\nENSG00000001,1,5,2,4\nENSG00000002,2,7,9,1\n"


def test_genes_by_samples_are_turned_round(tmp_path):
    path = tmp_path / "genes.csv"
    path.write_text(GENES)
    got = read_table(path, transpose=True, scale="none")
    assert got.object_names == ["s1", "s2", "s3", "s4"]
    assert got.feature_names == ["ENSG00000001", "ENSG00000002"]
    assert_array_equal(got.X, [[1, 2], [5, 7], [2, 9], [4, 1]])
    path.write_text(GENES.replace("gene", "") + "kind,u,v,u,v\n")
    mixed = read_table(path, transpose=True, scale="none", truth="kind")
    assert_array_equal(mixed.X, got.X)
    assert mixed.truth.tolist() == [*"uvuv"]
    np.save(tmp_path / "x.npy", X)
    turned = read_table(tmp_path / "x.npy", transpose=True, scale="none")
    assert_array_equal(turned.X, X.T)
    assert turned.feature_names[0] == "row 1"


def test_features_in_rows_are_noted(tmp_path):
    rng = np.random.RandomState(0)
    rows = [
        f"ENSG{i:011d}," + ",".join(f"{v:.3f}" for v in rng.rand(6) + i)
        for i in range(40)
    ]
    path = tmp_path / "genes.csv"
    path.write_text(
        ",".join(["", *(f"s{j}" for j in range(6))]) + "\n" + "\n".join(rows)
    )
    assert any("say --transpose" in note for note in read_table(path).notes)
    notes = read_table(path, transpose=True).notes
    assert not any("--transpose" in note for note in notes)
    plain = path.read_text().replace("ENSG", "sample")
    path.write_text(plain)
    assert not any("--transpose" in note for note in read_table(path).notes)


def test_many_clusterings_of_few_objects_are_noted(tmp_path):
    labels = np.random.RandomState(0).randint(3, size=(7, 60))
    np.save(tmp_path / "labels.npy", labels)
    votes = read_votes(tmp_path / "labels.npy")
    assert "60 clusterings of 7 objects" in votes.notes[0]
    turned = read_votes(tmp_path / "labels.npy", transpose=True)
    assert turned.ensemble.n_clusterings == 7
    assert not turned.notes


# -- what is not installed, and damage ------------------------------------------------


@pytest.mark.parametrize(
    ("name", "package", "extra"),
    [
        ("t.feather", "pyarrow", "io"),
        ("t.xlsx", "openpyxl", "io"),
        ("t.csv.zst", "zstandard", "io"),
        ("t.zarr", "zarr", "zarr"),
    ],
)
def test_what_is_not_installed_is_named(name, package, extra, tmp_path, monkeypatch):
    (tmp_path / name).write_text("")
    monkeypatch.setitem(sys.modules, package, None)
    with pytest.raises(ImportError, match=rf"pip install 'comitia\[{extra}\]'"):
        columns(tmp_path / name)


def written(kind, cells):
    """The bytes of a small file of a format."""
    path = cells / f"sound.{kind}"
    if kind == "h5ad":
        return (cells / "cells.h5ad").read_bytes()
    if kind == "feather":
        from pyarrow import feather, table

        feather.write_feather(table({"a": X[:, 0], "b": [*"uvuw"]}), path)
    elif kind == "mat":
        from scipy.io import savemat

        savemat(path, {"X": X, "y": [1, 2, 1, 2]}, do_compression=True)
    elif kind == "xlsx":
        import openpyxl

        book = openpyxl.Workbook()
        for row in [["a", "b"], [1, 2], [3, 5]]:
            book.active.append(row)
        book.save(path)
    else:
        path.write_text('{"a": 1, "b": "x"}\n{"a": 2, "b": "y"}\n')
    return path.read_bytes()


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("kind", ["feather", "mat", "xlsx", "h5ad", "json"])
def test_damage_is_told_in_words(kind, cells):
    pytest.importorskip("openpyxl")
    whole = written(kind, cells)
    rng = np.random.RandomState(0)
    path = cells / f"damaged.{kind}"
    refused = 0
    for case in range(60):
        content = bytearray(whole)
        if case % 3 == 0:
            del content[rng.randint(len(content)) :]
        else:
            for _ in range(rng.choice([1, 5, 50])):
                content[rng.randint(len(content))] ^= 1 << rng.randint(8)
        path.write_bytes(content)
        try:
            with config.limit("200 MB"):
                found = columns(path)
                _ = list(found.values), {**found.aside}, {**found.embeddings}
        except ComitiaError:
            refused += 1
    assert refused > 10
