"""Text as people have it: encodings, separators, decimal commas, headers."""

import io
import sys

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from comitia.exceptions import ComitiaError
from comitia.io import read_labels, read_table
from comitia.io._file_columns import Reading, object_names_from, read_columns


@pytest.fixture
def table(tmp_path):
    """Write text into a file and read its columns."""

    def table(text, name="table.csv", header=None, id=None, **form):
        path = tmp_path / name
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        return read_columns(path, Reading(header=header, id=id, **form))

    return table


def numbers(found):
    assert all(column.dtype == np.float64 for column in found.values)
    return np.column_stack(found.values)


# -- encodings ------------------------------------------------------------------------

GROSS = "größe,gewicht\n1,2\n3,5\n"


@pytest.mark.parametrize(
    ("encoding", "words"),
    [
        ("utf-8", None),
        ("utf-8-sig", None),
        ("cp1252", "read as Windows-1252"),
        ("latin-1", "read as Windows-1252"),
        ("utf-16", "UTF-16"),
        ("utf-16-le", "UTF-16-LE"),
        ("utf-16-be", "UTF-16-BE"),
        ("utf-32", "UTF-32"),
    ],
)
def test_encodings_are_seen_and_said(encoding, words, table):
    got = table(GROSS.encode(encoding))
    assert got.names == ["größe", "gewicht"]
    assert_array_equal(numbers(got), [[1, 2], [3, 5]])
    assert not got.notes if words is None else words in got.notes[0]


def test_an_encoding_that_was_said_is_used(table):
    got = table("žena,a\n1,2\n3,5\n".encode("cp1250"), encoding="cp1250")
    assert got.names[0] == "žena"
    assert not got.notes
    with pytest.raises(ComitiaError, match=r"is not ASCII \(byte 0xc3 in line 1\)"):
        table(GROSS, encoding="ascii")
    with pytest.raises(ComitiaError, match="encoding='klingon' is not known"):
        table(GROSS, encoding="klingon")


@pytest.mark.parametrize(
    ("content", "words"),
    [
        # Text in UTF-8 of which one byte is wrong is damaged, not Latin-1.
        ("größe,ähre,öl\n1,2,3\n".encode() + b"\xe9,1,2\n", "is not UTF-8"),
        (b"\x89PNG\r\n\x1a\n\x01\x02", "is not UTF-8"),
        (b"a,b\n1,\0\n3,4\n", "NUL bytes, the first in line 2"),
        (b"\x1f\x8b\x08\0rest", r"is compressed, not text; .*\.gz"),
        (b"PK\3\4rest", "is compressed, not text; unpack it"),
    ],
)
def test_what_is_no_text_is_refused(content, words, table):
    with pytest.raises(ComitiaError, match=words):
        table(content)


# -- separators -----------------------------------------------------------------------


@pytest.mark.parametrize(
    ("separator", "words"),
    [(";", "semicolons"), ("\t", "tabs"), ("|", "bars"), ("   ", "blanks")],
)
def test_separators_are_seen_and_said(separator, words, table):
    text = "a,b,c\n1,5,2\n2,7,9\n4,7,1\n".replace(",", separator)
    got = table(text)
    assert_array_equal(numbers(got), [[1, 5, 2], [2, 7, 9], [4, 7, 1]])
    assert got.notes == [f"columns are separated by {words}."]
    assert table(text, "table.txt").names == ["a", "b", "c"]
    if separator != "   ":
        assert not table(text, sep=separator).notes


def test_a_separator_that_was_said_is_used(table):
    assert_array_equal(numbers(table("a:b\n1:2\n3:5\n", sep=":")), [[1, 2], [3, 5]])
    with pytest.raises(ComitiaError, match="sep='::' must be one character"):
        table("a::b\n1::2\n", sep="::")
    with pytest.raises(ComitiaError, match=r"go with text, not with \.npy"):
        table(b"", "table.npy", sep=";")


@pytest.mark.parametrize("line", ["sep=;", '"sep=;"', "SEP=;\r"])
def test_a_first_line_that_says_the_separator_is_obeyed(line, table):
    # Bars would do as well.
    got = table(f"{line}\na|b;c\n1,5;2\n2,5;7\n")
    assert got.names == ["a|b", "c"]
    assert_array_equal(numbers(got), [[1.5, 2], [2.5, 7]])
    with pytest.raises(ComitiaError, match="line 3 has 4 cells"):
        table(f"{line}\na;b\n1;2;3;4\n")
    assert table(f"{line}\na|b\n1|2\n", sep="|").names == ["a", "b"]


@pytest.mark.parametrize(
    "text",
    [
        "A title\na,b\n1,2\n",
        "A title\na,b\nx,u\n",
        "Report\na,b\nx,2\n",
        "Report\na,b,c\n1,2,3\n",
        "a,b\n1,2\n* a remark\n",
    ],
)
def test_remarks_are_refused_wherever_they_stand(text, table):
    with pytest.raises(ComitiaError, match=r"remarks above the names .* below the row"):
        table(text)


def test_tables_of_r_have_row_names(table):
    got = table('"a" "b"\n"first one" 1 2.5\n"second" 3 NA\n')
    assert got.object_names == ["first one", "second"]
    assert got.names == ["a", "b"]
    assert_array_equal(numbers(got), [[1, 2.5], [3, np.nan]])
    one = table('"a"\n"x" 1\n"y" 3\n')
    assert one.object_names == ["x", "y"]
    bare = table("a\nx\t1\ny\t3\n", "table.tsv")
    assert bare.object_names == ["x", "y"]
    assert bare.names == ["a"]


def test_blanks_in_names_separate_nothing(tmp_path):
    path = tmp_path / "labels.csv"
    path.write_text("cell type\nT cell\nB cell\nT cell\n")
    votes = read_labels(path)
    assert votes.clustering_names.tolist() == ["cell type"]
    assert votes.labels[0] == votes.labels[2] != votes.labels[1]
    path.write_text("celltype\ncluster 1\ncluster 2\ncluster 1\n")
    assert read_labels(path).clustering_names.tolist() == ["celltype"]


# -- numbers --------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "expected", "words"),
    [
        ("a;b\n1,5;2\n2,5;7\n", [[1.5, 2], [2.5, 7]], "decimal commas"),
        # A point means thousands where a comma beside it is decimal.
        (
            "a;b\n35.573,56;12.345\n1,5;7\n",
            [[35573.56, 12345], [1.5, 7]],
            "decimal commas and points between thousands",
        ),
        (
            "a;b\n1 234,5;2\n-2,5;1\u00a0000\n",
            [[1234.5, 2], [-2.5, 1000]],
            "decimal commas and blanks between thousands",
        ),
        (
            'a,b\n"1,234.5",2\n"7",3\n',
            [[1234.5, 2], [7, 3]],
            "decimal points and commas between thousands",
        ),
        # Quoted between commas, grouped by commas.
        ('a,b\n"1,234",2\n"999",3\n', [[1234, 2], [999, 3]], "between thousands"),
        ("a;b\n1,234,567;2\n12;3\n", [[1234567, 2], [12, 3]], "between thousands"),
        ("a;b\n1'234.5;2\n12;3\n", [[1234.5, 2], [12, 3]], "apostrophes"),
        # Nobody groups 1,234 and not 1234, nor 0,123.
        ("a;b\n1,234;2\n1234;3\n", [[1.234, 2], [1234, 3]], "decimal commas"),
        ("a;b\n0,123;2\n1,234;3\n", [[0.123, 2], [1.234, 3]], "decimal commas"),
        # Another column decides.
        ("a;b\n1,234;2,5\n2,345;3\n", [[1.234, 2.5], [2.345, 3]], "decimal commas"),
        (
            "a;b\n1,234;2.5\n2,345;3\n",
            [[1234, 2.5], [2345, 3]],
            "commas between thousands",
        ),
        ("1,5;2,5\n3,5;4,5\n", [[1.5, 2.5], [3.5, 4.5]], "decimal commas"),
        # Nobody groups digits before a power of ten.
        ("a;b\n1,234E+02;2\n-2,345E-01;3\n", [[123.4, 2], [-0.2345, 3]], "commas"),
    ],
)
def test_numbers_are_read_as_they_are_meant(text, expected, words, table):
    got = table(text)
    assert_array_equal(numbers(got), expected)
    assert any(words in note for note in got.notes)


@pytest.mark.parametrize(
    ("cells", "expected", "unit"),
    [
        (["$1,200.50", "-$3.00", "$-2.5"], [1200.5, -3, -2.5], "$"),
        (["12 %", "3.5%"], [12, 3.5], "%"),
        (["70.5 kg", "", "81kg"], [70.5, np.nan, 81], "kg"),
        (["1 day", "12 days"], [1, 12], "day"),
        (["EUR 5", "EUR 17.5"], [5, 17.5], "EUR"),
        (["5 km/h", "0.5 km/h"], [5, 0.5], "km/h"),
    ],
)
def test_a_unit_that_all_cells_have_is_left_out_and_said(cells, expected, unit, table):
    rows = [f'"{cell}",{i}' for i, cell in enumerate(cells)]
    got = table("\n".join(["a,b", *rows]))
    assert_array_equal(numbers(got)[:, 0], expected)
    assert f"read as numbers, without the unit: 'a' ({unit})." in got.notes


def test_units_take_the_form_of_the_other_numbers(table):
    got = table("a;b\n1.200,50 €;1,5\n3,00 €;2\n")
    assert_array_equal(numbers(got), [[1200.5, 1.5], [3, 2]])


@pytest.mark.parametrize(
    "cells",
    [
        ["5 kg", "300 g"],  # two units
        ["5 kg", "7"],
        ["5 kg", "heavy"],
        ["0012 A", "0013 A"],  # codes
        ["C1", "C2"],
        ["$5 kg", "$6 kg"],
        ["+-5 kg", "3 kg"],
        ["1.2.3 a", "1.2.4 a"],  # a unit, and no numbers
    ],
)
def test_what_is_no_number_with_one_unit_stays_text(cells, table):
    got = table("\n".join(["a,b", *(f"{cell},{i}" for i, cell in enumerate(cells))]))
    assert got.values[0].tolist() == cells
    assert not any("unit" in note for note in got.notes)


@pytest.mark.parametrize(
    ("cells", "expected", "example"),
    [
        (["(1,234.50)", "17.25", "-3"], [-1234.5, 17.25, -3], "(1,234.50)"),
        (["$(5)", "$7", "($2.5)"], [-5, 7, -2.5], "$(5)"),
        (["1,234.50-", "17.25", "n.a."], [-1234.5, 17.25, np.nan], "1,234.50-"),
        (["3.5- kg", "17 kg", ""], [-3.5, 17, np.nan], "3.5- kg"),
        (["\u22121.5", "\u20132", "4"], [-1.5, -2, 4], "\u22121.5"),
        (["\u22121.5", "\u22122"], [-1.5, -2], "\u22121.5"),
    ],
)
def test_signs_are_read_wherever_they_stand(cells, expected, example, table):
    rows = [f'"{cell}",{i}' for i, cell in enumerate(cells)]
    got = table("\n".join(["a,b", *rows]))
    assert_array_equal(numbers(got)[:, 0], expected)
    assert f"read as negative numbers: 'a' ({example})." in got.notes


@pytest.mark.parametrize(
    "cells",
    [
        ["(1)", "(2)", "(3)"],  # all of them: no signs
        ["1-", "2", "2-"],  # grades
        ["1.5-", "2+", "2"],
        ["10\u201320", "20\u201330"],  # from and to
        ["a (2)", "3.5"],
        ["(2", "3.5"],
    ],
)
def test_what_is_no_sign_stays_text(cells, table):
    got = table("\n".join(["a,b", *(f"{cell},{i}" for i, cell in enumerate(cells))]))
    assert got.values[0].tolist() == cells
    assert not any("negative" in note for note in got.notes)


def test_a_column_of_another_form_keeps_its_signs(table):
    got = table('a,b\n"(1,5)",2.5\n"2,5",-3.5\n"1,25",1.75\n')
    assert got.values[0].tolist() == ["(1,5)", "2,5", "1,25"]
    assert not any("negative" in note for note in got.notes)


def test_what_can_be_two_numbers_is_refused(table):
    text = "a;b\n1,234;2\n2,345;3\n"
    with pytest.raises(ComitiaError, match=r"'1,234', which can be 1.234 or 1234; say"):
        table(text)
    assert_array_equal(numbers(table(text, decimal=",")), [[1.234, 2], [2.345, 3]])
    assert_array_equal(numbers(table(text, thousands=",")), [[1234, 2], [2345, 3]])


def test_plain_numbers_stay_plain(table):
    got = table("a;b\n35.573;2\n1.5;3\n")
    assert_array_equal(numbers(got), [[35.573, 2], [1.5, 3]])
    got = table("a;b\n35.573;2\n12.345;3\n", thousands=".")
    assert_array_equal(numbers(got), [[35573, 2], [12345, 3]])
    assert_array_equal(numbers(table("a,b\n1e5,-.5\n+2,3.\n")), [[1e5, -0.5], [2, 3]])


def test_two_ways_to_write_numbers_in_one_file_are_noted(table):
    text = "a;b\n1,5;2.5\n2,5;3.5\n3,5;1.5\n2,5;1.5\n"
    got = table(text)
    assert "'1,5' and column 'b' holds '2.5'" in got.notes[1]
    assert got.values[0].tolist() == ["1,5", "2,5", "3,5", "2,5"]
    assert got.values[1].tolist() == [2.5, 3.5, 1.5, 1.5]
    said = table(text, decimal=",")
    assert said.values[0].tolist() == [1.5, 2.5, 3.5, 2.5]
    assert said.values[1].tolist() == ["2.5", "3.5", "1.5", "1.5"]


@pytest.mark.parametrize(
    ("how", "words"),
    [
        ({"decimal": ";"}, "decimal=';' must be"),
        ({"thousands": "_"}, "thousands='_' must be"),
        ({"thousands": ",", "decimal": ","}, "must not be the same"),
    ],
)
def test_marks_that_no_number_has_are_refused(how, words, table):
    with pytest.raises(ComitiaError, match=words):
        table("a,b\n1,2\n3,4\n", **how)


def test_missing_values_and_words_among_decimal_commas(table):
    got = table("a;b;c\n1,5;NA;x\n;2,5;y\n")
    assert_array_equal(np.column_stack(got.values[:2]), [[1.5, np.nan], [np.nan, 2.5]])
    assert got.values[2].tolist() == ["x", "y"]
    named = table("who;a\n007;1,5\n012;2,5\n", id="who")
    assert object_names_from(named, "who") == ["007", "012"]


# -- headers --------------------------------------------------------------------------


def test_a_line_that_counts_the_columns_is_a_header(table):
    counted = ",".join(map(str, range(20)))
    rows = np.random.RandomState(0).randint(9, size=(3, 20))
    body = "\n".join(",".join(map(str, row)) for row in rows)
    got = table(f"{counted}\n{body}\n")
    assert got.names == counted.split(",")
    assert_array_equal(numbers(got), rows)
    assert "counts the columns" in got.notes[0]
    assert table("1,2,3\n0.5,1,2\n1.5,0,7\n").names == ["1", "2", "3"]
    # Lines that go on counting are data, and so are a few whole numbers.
    assert len(table("0,1,2\n3,4,9\n6,7,8\n").values[0]) == 3
    assert len(table(f"{counted}\n{counted}\n{body}\n", header=False).values[0]) == 5


def test_a_first_line_with_values_of_its_columns_is_data(table):
    got = table("5.1,3.5,setosa\n4.9,3.0,setosa\n6.1,2.8,virginica\n")
    assert got.names == ["column 1", "column 2", "column 3"]
    assert len(got.values[0]) == 3
    assert "was read as data" in got.notes[0]
    # Resolutions are names, whatever the labels below them are.
    assert table("id,0.5,1.0\na,0,1\nb,1,1\n").names == ["id", "0.5", "1.0"]


def test_one_column_of_decimal_commas(table):
    got = table("a\n1,5\n2,25\n")
    assert got.names == ["a"]
    assert_array_equal(numbers(got), [[1.5], [2.25]])


def test_fractions_that_may_be_thousands_are_noted(table):
    got = table("a;b\n1.234;x\n2.345;y\n12;z\n")
    assert got.values[0].tolist() == [1.234, 2.345, 12]
    assert "column 'a' holds 1.234, which was read as a fraction" in got.notes[1]
    assert len(table("a;b\n1.234;x\n0.5;y\n").notes) == 1


def test_standard_input_has_a_form_too(monkeypatch):
    content = io.BytesIO(b"a;b\n1,5;2\n2,5;7\n")
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(content))
    assert_array_equal(read_table("-", format="csv", scale="none").X[:, 0], [1.5, 2.5])
