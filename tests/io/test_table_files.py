"""Tables of features: what is read, what is refused, and what is said of it."""

import io
import sys

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from comitia import sizes
from comitia.exceptions import ComitiaError
from comitia.io import examine_table, read_prepared, read_table
from comitia.io._delimited_text import _BLOCK_ROWS, read_text


@pytest.fixture
def table(tmp_path):
    """Write text into a file and read it as a table."""

    def table(text, name="table.csv", **how):
        path = tmp_path / name
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        return read_table(path, **how)

    return table


THREE = "a,b,c\n1,5,2\n2,7,9\n4,7,1\n"


# -- what is read ---------------------------------------------------------------------


def test_numbers_are_read_to_the_last_digit(table):
    values = np.random.RandomState(0).standard_cauchy((200, 4)) * 10.0 ** np.arange(4)
    rows = "\n".join(",".join(map(repr, row)) for row in values.tolist())
    got = table(f"a,b,c,d\n{rows}\n", scale="none")
    assert_array_equal(got.X, values)
    assert got.feature_names == ["a", "b", "c", "d"]
    assert (got.object_names, got.truth, got.notes) == (None, None, ())


@pytest.mark.parametrize(
    "change",
    [
        lambda text: text.replace("\n", "\r\n"),
        lambda text: text.replace("\n", "\r"),
        lambda text: "\ufeff" + text,
        lambda text: text.replace("5", '"5"'),
        lambda text: text.replace(",", " , "),
        lambda text: text.replace("\n", "\n\n"),
        lambda text: text.rstrip("\n"),
        lambda text: text.replace("\n", ",\n"),
        lambda text: text.replace(",", ";"),
        lambda text: text.replace(",", "\t"),
        lambda text: text.replace("5", "5e0"),
    ],
)
def test_ways_of_writing_a_table_do_not_matter(change, table):
    got = table(change(THREE), scale="none")
    assert got.feature_names == ["a", "b", "c"]
    assert_array_equal(got.X, [[1, 5, 2], [2, 7, 9], [4, 7, 1]])


def test_the_quick_and_the_careful_reader_agree(table):
    pandas = pytest.importorskip("pandas")
    values = np.random.RandomState(1).randn(300, 3).tolist()
    rows = [",".join(map(repr, row)) for row in values]
    quick = table("a,b,c\n" + "\n".join(rows), scale="none").X
    # A blank line with a space in it is more than the quick reader can take.
    careful = table("a,b,c\n" + "\n".join(rows) + "\n \n", scale="none").X
    assert_array_equal(quick, careful)
    text = io.StringIO("a,b,c\n" + "\n".join(rows))
    frame = pandas.read_csv(text, float_precision="round_trip")
    assert_array_equal(quick, frame.to_numpy())


@pytest.mark.parametrize("where", [0, _BLOCK_ROWS - 1, _BLOCK_ROWS, _BLOCK_ROWS + 7])
def test_text_is_found_however_late_it_comes(where):
    cells = [str(i) for i in range(_BLOCK_ROWS + 10)]
    cells[where] = "late"
    content = "a,b\n" + "".join(f"{cell},1\n" for cell in cells)
    names, values, _, _ = read_text(content.encode(), "csv", "file", None)
    assert names == ["a", "b"]
    assert values[0].tolist() == cells
    assert values[1].dtype == np.float64


def test_a_file_without_a_header_is_read_and_said_so(table):
    got = table("1,2\n3,5\n")
    assert got.feature_names == ["column 1", "column 2"]
    assert len(got.X) == 2
    assert "read as data" in got.notes[0]
    assert table("1,2\n3,5\n4,6\n", header=True).feature_names == ["1", "2"]
    assert len(table("x,y\n3,5\n4,6\n", header=True).X) == 2
    with pytest.raises(ComitiaError, match="'column 1' is text that is different"):
        table("x,y\n3,5\n4,6\n", header=False)


@pytest.mark.parametrize("text", [",a,b\nx,1,2\ny,3,5\n", "a,b\nx,1,2\ny,3,5\n"])
def test_a_first_column_without_a_name_names_the_objects(text, table):
    # As pandas and R write tables.
    got = table(text)
    assert got.object_names == ["x", "y"]
    assert got.feature_names == ["a", "b"]


def test_identifiers_keep_their_digits(table):
    got = table("id,a\n007,1\n12345678901234567891,2\n", id="id")
    assert got.object_names == ["007", "12345678901234567891"]
    assert got.feature_names == ["a"]


def test_known_labels_stand_apart(table):
    got = table("a,y\n1,u\n2,\n4,NA\n5,-1\n", truth="y")
    assert got.truth.tolist() == ["u", None, None, None]
    assert got.feature_names == ["a"]
    assert table("a,y\n1,1\n2,2\n", truth="y").truth.tolist() == ["1", "2"]


@pytest.mark.parametrize(
    ("columns", "expected"),
    [
        ("a", "a"),
        ("c,a", "ca"),
        ("2", "b"),
        ("2-4", "bcd"),
        ("b:d", "bcd"),
        ("1:2", "ab"),
        ("a,3-4,a", "acd"),
        (["a", "d"], "ad"),
    ],
)
def test_columns_are_chosen_by_name_position_and_range(columns, expected, table):
    text = "a,b,c,d\n1,2,5,4\n3,4,6,0\n"
    assert table(text, columns=columns).feature_names == [*expected]
    left = [name for name in "abcd" if name not in expected]
    if left:
        assert table(text, drop=columns).feature_names == left


def test_a_name_comes_before_what_it_could_mean(table):
    text = '"2","x-y","u,v"\n1,2,5\n3,4,0\n'
    assert table(text, header=True, columns="2").feature_names == ["2"]
    assert table(text, header=True, columns="x-y").feature_names == ["x-y"]
    assert table(text, header=True, columns=["u,v"]).feature_names == ["u,v"]


def test_standard_input_is_read(monkeypatch):
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(THREE.encode())))
    got = read_table("-", format="csv")
    assert got.source == "standard input"
    assert got.X.shape == (3, 3)


# -- scaling --------------------------------------------------------------------------


def test_scaling_is_what_it_says(table):
    raw = np.array([[1, 5, 2], [2, 7, 9], [4, 7, 1]], dtype=float)
    standard = table(THREE)
    assert standard.scaling == "standardised"
    assert_allclose(standard.X.mean(axis=0), 0, atol=1e-15)
    assert_allclose(standard.X.std(axis=0), 1)
    assert_array_equal(standard.raw, raw)
    robust = table(THREE, scale="robust")
    low, middle, high = np.percentile(raw, [25, 50, 75], axis=0)
    assert_allclose(robust.X, (raw - middle) / (high - low))
    assert_array_equal(table(THREE, scale="none").X, raw)


def test_a_constant_column_is_left_out_and_noted(table):
    got = table("a,b\n0.1,1\n0.1,2\n0.1,5\n")
    assert got.feature_names == ["b"]
    assert "left out: 'a' (constant)" in got.notes[0]


def test_values_too_large_to_scale_are_refused(table):
    with pytest.raises(ComitiaError, match="column 'a' are too large to be scaled"):
        table("a,b\n1e308,1\n-1e308,2\n1e308,5\n")


# -- missing values and text ----------------------------------------------------------


@pytest.mark.parametrize("blank", ["", "NA", "NaN", "null", "?", " "])
def test_missing_values_are_filled_or_refused_with_column_and_row(blank, table):
    text = f"id,a,b\nx,1,2\ny,3,{blank}\nz,{blank},1\n"
    with pytest.raises(ComitiaError) as error:
        table(text, id="id", impute="refuse")
    # All problems of all columns in one answer.
    assert "column 'a' has 1 missing value, the first in row 3" in str(error.value)
    assert "column 'b' has 1 missing value, the first in row 2" in str(error.value)
    assert "--impute median" in str(error.value)
    got = table(text, id="id", scale="none")
    assert_array_equal(got.X, [[1, 2], [3, 2], [1, 1]])
    got = table(text, id="id", scale="none", impute="median")
    assert_array_equal(got.X, [[1, 2], [3, 1.5], [2, 1]])
    assert "2 missing values filled in" in got.notes[0]


def test_a_column_without_any_value_is_left_out(table):
    got = table("a,b\n1,\n2,\n")
    assert got.feature_names == ["a"]
    assert "left out: 'b' (empty)" in got.notes[0]


def test_infinite_values_are_refused(table):
    for cell in ("inf", "-Infinity", "1e999"):
        with pytest.raises(
            ComitiaError, match="column 'b' has 1 infinite value, the f"
        ):
            table(f"a,b\n1,2\n2,{cell}\n")


def test_text_that_names_the_rows_is_no_feature(table):
    got = table("a,who\n1,anna\n2,bert\n")
    assert (got.feature_names, got.object_names) == (["a"], ["anna", "bert"])
    assert "left out: 'who' (id, names the rows)" in got.notes[0]
    many = "a,b\n" + "".join(f"{i * i},n{i % 299}\n" for i in range(300))
    got = table(many)
    assert (got.feature_names, got.object_names) == (["a"], None)
    assert "'b' (text with 299 values, too many for a category)" in got.notes[0]
    with pytest.raises(ComitiaError, match="no column is left to cluster"):
        table("who\nanna\nbert\n")


def test_a_category_has_half_of_a_numbers_variance_for_each_dimension(table):
    colors = ["red", "blue", "green", "red", "blue", "red"]
    rows = "".join(f"{i**2},{color}\n" for i, color in enumerate(colors))
    got = table(f"a,color\n{rows}")
    assert got.feature_names == ["a", "color=blue", "color=green", "color=red"]
    assert_array_equal(got.raw[:3, 1:], [[0, 0, 1], [1, 0, 0], [0, 1, 0]])
    assert_allclose(got.X[:, 1:].var(axis=0).sum(), 1.0)  # two dimensions
    assert got.scaling == "standardised, discrete ones as 0 and 1"
    assert got.notes == ("1 number, 1 category (comitia check says more).",)
    plain = table(f"a,color\n{rows}", scale="none")
    assert_array_equal(plain.X[:, 1:], got.raw[:, 1:])
    # A number to Python alone is a word here.
    words = table("a,b\n1,1_000\n2,2_000\n4,1_000\n")
    assert words.feature_names == ["a", "b=2_000"]


def test_numbers_that_begin_again_in_each_group_name_no_row(table):
    rows = [f"{i % 20 + 1},B{i:02d},{i**2}\n" for i in range(40)]
    got = table(f"Sample Number,bird,weight\n{''.join(rows)}")
    assert got.feature_names == ["weight"]
    assert got.object_names[:2] == ["B00", "B01"]
    assert "'Sample Number' (id), 'bird' (id, names the rows)" in got.notes[0]
    alone = table("No,weight\n" + "".join(f"{i % 20 + 1},{i**2}\n" for i in range(40)))
    assert alone.object_names is None


def test_true_and_false_are_numbers(table):
    got = table("a,b\n1,TRUE\n2,false\n4,true\n", scale="none")
    assert_array_equal(got.X[:, 1], [1, 0, 1])


def test_what_looks_like_an_identifier_names_the_rows(table):
    counted = table("n,a\n5,1\n6,3\n7,2\n")
    assert counted.feature_names == ["a"]
    assert counted.object_names == ["5", "6", "7"]
    assert "left out: 'n' (id, names the rows)" in counted.notes[0]
    long = table("n,a\n90071992547409931,1\n90071992547409950,3\n9,2\n")
    assert long.feature_names == ["a"]
    named = table("customer_id,a\n17,1\n4,3\n9,2\n")
    assert named.object_names == ["17", "4", "9"]
    kept = table("n,a\n5,1\n6,3\n7,2\n", keep_ids=True)
    assert kept.feature_names == ["n", "a"]
    # Where nothing else is there, a count is data.
    assert table("n\n5\n6\n7\n").feature_names == ["n"]


# -- files that are not tables --------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "is empty"),
        ("\n \n", "is empty"),
        ("a,b\n", "has a header and no rows"),
        ("a,b\n1,2\n", "has one row"),
        ("a,b\n1,2\n3\n", "line 3 has 1 cell and the first line has 2"),
        ("a,b\n1,2\n3,4,5\n", "line 3 has 3 cells and the first line has 2"),
        ("a,a\n1,2\n3,4\n", "two columns called 'a', the 1st and the 2nd"),
        ('a,b\n1,"2\n3,4\n5,6\n', "quotation mark left open"),
        ("a,b\n1,1\n1,1\n", "all columns are constant"),
        (b"a,b\n1,\xe9\x01\n", r"is not UTF-8 \(byte 0xe9 in line 2\)"),
    ],
)
def test_a_bad_file_is_refused_in_words(text, words, table):
    with pytest.raises(ComitiaError, match=words):
        table(text)


def test_files_that_are_not_there_or_of_another_kind(tmp_path):
    with pytest.raises(ComitiaError, match="there is no file"):
        read_table(tmp_path / "nowhere.csv")
    (tmp_path / "folder.csv").mkdir()
    with pytest.raises(ComitiaError, match="is a folder"):
        read_table(tmp_path / "folder.csv")
    with pytest.raises(ComitiaError, match="does not say its format"):
        read_table(tmp_path / "table.ods")
    with pytest.raises(ComitiaError, match="format='ods' is none of"):
        read_table(tmp_path / "table.ods", format="ods")
    with pytest.raises(ComitiaError, match="scale='wrong' is none of"):
        read_table(tmp_path / "table.csv", scale="wrong")
    for name in ("table.npy", "table.npz", "table.parquet", "table.h5ad"):
        (tmp_path / name).write_text("nonsense")
        with pytest.raises(ComitiaError, match=name):
            read_table(tmp_path / name)


@pytest.mark.parametrize(
    ("how", "words"),
    [
        ({"columns": "d"}, "columns='d' is no column; there are a, b, c"),
        ({"columns": "3-1"}, "runs backwards"),
        ({"drop": "1-3"}, "no columns are left"),
        ({"id": "aa"}, "id='aa' is no column.* place such as 1 holds for every file"),
        ({"truth": "9"}, "truth='9' is no column"),
        ({"key": "X"}, "key='X' goes with .npz"),
    ],
)
def test_columns_that_are_not_there_are_refused(how, words, table):
    with pytest.raises(ComitiaError, match=words):
        table(THREE, **how)


# -- arrays, Parquet, AnnData ---------------------------------------------------------


def test_arrays_are_read(tmp_path):
    X = np.random.RandomState(0).randint(0, 9, size=(6, 2))
    np.save(tmp_path / "x.npy", X)
    assert_array_equal(read_table(tmp_path / "x.npy", scale="none").X, X)
    np.save(tmp_path / "one.npy", X[:, 0])
    assert read_table(tmp_path / "one.npy").X.shape == (6, 1)
    np.savez(
        tmp_path / "x.npz",
        X=X,
        y=np.arange(6) % 2,
        Z=X[:, :1],
        feature_names=["p", "q"],
        object_names=[*"uvwxyz"],
    )
    got = read_table(tmp_path / "x.npz", truth="y", scale="none")
    assert_array_equal(got.X, X)
    assert got.feature_names == ["p", "q"]
    assert got.object_names == [*"uvwxyz"]
    assert got.truth.tolist() == [*"010101"]
    assert read_table(tmp_path / "x.npz", key="Z").X.shape == (6, 1)
    with pytest.raises(ComitiaError, match="key='W' is no array"):
        read_table(tmp_path / "x.npz", key="W")


def test_arrays_that_are_no_tables_are_refused(tmp_path):
    np.save(tmp_path / "three.npy", np.zeros((2, 3, 4)))
    with pytest.raises(ComitiaError, match="has 3 dimensions"):
        read_table(tmp_path / "three.npy")
    np.save(tmp_path / "none.npy", np.zeros((0, 3)))
    with pytest.raises(ComitiaError, match="is empty"):
        read_table(tmp_path / "none.npy")
    np.save(tmp_path / "complex.npy", np.zeros((2, 3), dtype=complex))
    with pytest.raises(ComitiaError, match="complex128; give numbers"):
        read_table(tmp_path / "complex.npy")
    np.savez(tmp_path / "two.npz", A=np.eye(2), B=np.eye(2))
    with pytest.raises(ComitiaError, match="holds A, B; say which"):
        read_table(tmp_path / "two.npz")
    np.save(tmp_path / "pickle.npy", np.array([{}], dtype=object), allow_pickle=True)
    with pytest.raises(ComitiaError, match="npy file that can be read"):
        read_table(tmp_path / "pickle.npy")


def test_an_ensemble_is_not_a_table(tmp_path):
    from comitia import Ensemble

    Ensemble([[0, 1], [1, 1]]).save(tmp_path / "votes.npz")
    with pytest.raises(ComitiaError, match="use comitia combine"):
        read_table(tmp_path / "votes.npz")


def test_parquet_is_read(tmp_path):
    pandas = pytest.importorskip("pandas")
    pytest.importorskip("pyarrow")
    frame = pandas.DataFrame(
        {
            "a": [1, 2, 4],
            "b": [0.5, None, 1.5],
            "c": [*"xyx"],
            "d": [True, False, True],
        },
        index=["r", "s", "t"],
    )
    frame.to_parquet(tmp_path / "t.parquet")
    got = read_table(tmp_path / "t.parquet", scale="none", truth="c")
    assert got.feature_names == ["a", "b", "d"]
    assert got.object_names == ["r", "s", "t"]
    assert got.truth.tolist() == [*"xyx"]
    assert_array_equal(got.X, [[1, 0.5, 1], [2, 1.0, 0], [4, 1.5, 1]])
    names = read_table(tmp_path / "t.parquet").feature_names
    assert names == ["a", "b", "c=y", "d"]


def test_anndata_are_read(tmp_path):
    anndata = pytest.importorskip("anndata")
    from scipy.sparse import csr_matrix

    X = np.random.RandomState(0).rand(5, 3).astype(np.float32)
    data = anndata.AnnData(csr_matrix(X))
    data.obs_names, data.var_names = [*"abcde"], ["g1", "g2", "g3"]
    data.obs["type"] = ["u", "v", "u", None, "v"]
    data.obsm["X_pca"] = X[:, :2]
    data.layers["double"] = 2 * X
    data.write_h5ad(tmp_path / "cells.h5ad")
    got = read_table(
        tmp_path / "cells.h5ad", truth="type", scale="none", columns="g2:g3"
    )
    assert_array_equal(got.X, X[:, 1:])
    assert got.object_names == [*"abcde"]
    assert got.truth.tolist() == ["u", "v", "u", None, "v"]
    pca = read_table(tmp_path / "cells.h5ad", key="X_pca")
    assert pca.feature_names == ["X_pca 1", "X_pca 2"]
    double = read_table(tmp_path / "cells.h5ad", key="double", scale="none")
    assert_array_equal(double.X, 2 * X)
    with pytest.raises(ComitiaError, match="it has X, double, X_pca"):
        read_table(tmp_path / "cells.h5ad", key="umap")


def test_counts_of_cells_are_normalized_without_being_written_out(tmp_path):
    anndata = pytest.importorskip("anndata")
    from scipy.sparse import csr_matrix

    rng = np.random.RandomState(0)
    X = rng.poisson(np.exp(rng.randn(80) - 0.5), size=(40, 80)).astype(np.float32)
    data = anndata.AnnData(csr_matrix(X))
    data.obs_names = [f"cell {i}" for i in range(40)]
    data.write_h5ad(tmp_path / "cells.h5ad")
    got = read_table(tmp_path / "cells.h5ad")
    assert got.scaling == "counts, normalised"
    assert got.X.shape == (40, 39)
    totals = X.sum(axis=1, keepdims=True, dtype=np.float64)
    assert_allclose(got.raw, np.log1p(X / totals * np.median(totals)), rtol=1e-6)
    some = read_table(tmp_path / "cells.h5ad", columns="1-60")
    assert some.preparer.n_features_in_ == 60
    # Coordinates that were made for comparing cells come first, as they are.
    data.obsm["X_pca"] = rng.randn(40, 3) * [9, 3, 1]
    data.write_h5ad(tmp_path / "more.h5ad")
    got = read_table(tmp_path / "more.h5ad")
    assert_array_equal(got.X, data.obsm["X_pca"])
    assert "3 columns of X_pca in the file are used" in got.notes[0]
    assert read_table(tmp_path / "more.h5ad", key="X").raw.shape == (40, 80)
    check = examine_table(tmp_path / "cells.h5ad")
    assert check.decisions.form == "counts"
    assert check.n_objects == 40


@pytest.mark.parametrize(
    ("name", "package"), [("t.parquet", "pyarrow"), ("t.h5ad", "anndata")]
)
def test_what_is_not_installed_is_named(name, package, tmp_path, monkeypatch):
    (tmp_path / name).write_text("")
    monkeypatch.setitem(sys.modules, package, None)
    with pytest.raises(ImportError, match=r"pip install 'comitia\[io\]'"):
        read_table(tmp_path / name)


def test_text_needs_neither_pandas_nor_pyarrow(tmp_path, monkeypatch):
    (tmp_path / "table.csv").write_text(THREE)
    for package in ("pandas", "pyarrow", "polars"):
        monkeypatch.setitem(sys.modules, package, None)
    assert len(examine_table(tmp_path / "table.csv").decisions.columns) == 3


@pytest.mark.parametrize("word", ["n.a.", "-", ".", "missing", "NONE", "#DIV/0!"])
@pytest.mark.parametrize("form", ["{}", "{} kg", "{:,}"])
def test_words_for_no_number_are_missing_among_numbers(word, form, table):
    values = 1000 + np.random.RandomState(0).randint(1, 10**6, (40, 2)) / 4
    gaps = np.random.RandomState(1).rand(40, 2) < 0.3

    def written(blank):
        lines = [
            ";".join(
                blank if gap else form.format(value)
                for value, gap in zip(*row, strict=True)
            )
            for row in zip(values.tolist(), gaps.tolist(), strict=True)
        ]
        return table("\n".join(["a;b", *lines, ""]))

    assert_array_equal(written(word).X, written("").X)


def test_words_for_no_number_are_values_among_words(table):
    got = table("a,b\n" + "1.5,x\n2.5,none\n3.0,y\n7,none\n9,x\n8,y\n")
    assert got.feature_names == ["a", "b=none", "b=x", "b=y"]


@pytest.mark.parametrize("end", [",,\n", ",,\n,,\n\n , ,\n", ",,\r\n,,"])
def test_lines_of_bare_separators_at_the_end_are_no_objects(end, table):
    got = table(THREE + end)
    assert_array_equal(got.X, table(THREE).X)
    assert "at the end left out" in got.notes[0]


def test_a_line_of_bare_separators_in_the_middle_keeps_its_place(table):
    assert len(table(THREE + ",,\n" + "5,5,3\n").X) == 5


def test_rows_that_say_nothing_are_told(table, tmp_path):
    got = table("a,b,c\n1,5,x\n,,\n3,,y\n4,2,x\n,,\n1,1,y\n")
    (note,) = [each for each in got.notes if "no value in any column" in each]
    assert note.startswith("2 rows, the first of them row 2,")
    path = tmp_path / "new.csv"
    path.write_text("b,a,c\n2,,\n,,\n1,2,x\n")
    new = read_prepared(path, got.preparer)
    assert any(each.startswith("1 row, the first of them row 2,") for each in new.notes)
    path.write_text("b,a,c\n2,,\n1,2,x\n")
    new = read_prepared(path, got.preparer)
    assert not any("no value" in each for each in new.notes)


def test_levels_that_differ_in_case_alone_are_told(table):
    rows = [f"{a},{b},{i}.5" for i in range(4) for a, b in ("yu", "Yv", "nW")]
    notes = table("\n".join(["a,b,c", *rows])).notes
    (note,) = [each for each in notes if "levels count as different" in each]
    assert note.startswith("in 'a' levels")
    assert "'Y' and 'y' differ in nothing but the case" in note


def test_rows_of_words_among_numbers_say_nothing_either(table):
    rows = [f"p{i},{i}.5,{i * i % 17}.25" for i in range(20)]
    got = table("\n".join(["who,a,b", ",[cm],[kg]", *rows]))
    assert any(each.startswith("the first row has no value") for each in got.notes)
    rows[3] = rows[7] = "p,-999,n/v"
    got = table("\n".join(["who,a,b", *rows]))
    (note,) = [each for each in got.notes if "no value in any column" in each]
    assert note.startswith("2 rows, the first of them row 4,")


def test_odd_numbers_are_told_with_the_way_back(table):
    rows = [f"{i},{i * i % 17},{(i * 7) % 11}" for i in range(20)]
    rows[3], rows[5], rows[9] = "-999,1,1", "-999,2,-1", "4,1e9,-1"
    got = table("a,b,c\n" + "\n".join(rows) + "\n")
    assert any(n.startswith("in 'c' one negative number") for n in got.notes)
    assert any("-999 was read as missing in 'a'" in note for note in got.notes)
    assert any("scale of 'b'" in n and "b=numeric" in n for n in got.notes)


def test_long_tails_name_the_kind_that_takes_logarithms(table):
    amounts = np.exp(2 * np.random.RandomState(0).randn(80, 2)) * 100
    rows = "\n".join(",".join(map(repr, row)) for row in amounts.tolist())
    got = table(f"a,b\n{rows}\n")
    assert any("--kinds a=counts --kinds b=counts" in note for note in got.notes)
    again = table(f"a,b\n{rows}\n", kinds={"a": "counts", "b": "counts"})
    assert not any("logarithms" in note for note in again.notes)


def test_many_missing_values_name_a_better_way_to_fill_them(tmp_path, monkeypatch):
    rng = np.random.RandomState(0)
    X = rng.randn(40, 3)
    X[rng.rand(40, 3) < 0.2] = np.nan
    np.savetxt(tmp_path / "gaps.csv", X, delimiter=",", header="a,b,c", comments="")
    near = read_table(tmp_path / "gaps.csv")
    assert not any("--impute" in one for one in near.notes)
    for many in ({"impute": "median"}, {}):
        assert any(
            "--impute knn" in one
            for one in read_table(tmp_path / "gaps.csv", **many).notes
        )
        monkeypatch.setattr(sizes, "FILLED_OBJECTS", 39)


def test_large_whole_numbers_that_run_into_each_other_are_no_feature(tmp_path):
    rng = np.random.RandomState(0)
    lines = [f"{10**17 + i},{x:.3f}" for i, x in enumerate(rng.randn(40))]
    (tmp_path / "t.csv").write_text("\n".join(["nr,a", *lines]))
    assert read_table(tmp_path / "t.csv").feature_names == ["a"]
