"""Series from files: arrays of three dimensions, and rows of a table."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from comitia.exceptions import ComitiaError
from comitia.io import read_series, read_table, read_votes
from comitia.io.series_files import is_series_file

SERIES = np.random.RandomState(0).randn(5, 2, 7)


def write(path, *lines):
    path.write_text("\n".join(lines) + "\n")
    return path


def test_an_array_of_three_dimensions_is_objects_channels_and_times(tmp_path):
    names = np.array(list("abcde"))
    np.savez(tmp_path / "s.npz", X=SERIES, y=[0, 0, 1, 1, -1], object_names=names)
    table = read_series(tmp_path / "s.npz", truth="y")
    assert_allclose(table.series, SERIES)
    assert table.object_names == names.tolist()
    assert table.truth.tolist() == ["0", "0", "1", "1", None]
    assert table.in_words() == "5 series of 7 times, 2 channels"
    assert table.notes == ()


def test_the_end_of_a_series_is_where_nothing_follows(tmp_path):
    X = SERIES.copy()
    X[1, :, 4:] = np.nan
    X[2, 0, 6] = np.nan  # the other channel goes on
    np.save(tmp_path / "s.npy", X)
    table = read_series(tmp_path / "s.npy")
    assert [one.shape for one in table.series] == [(2, n) for n in (7, 4, 7, 7, 7)]
    assert table.series[2][0, 6] == X[2, 0, 5]
    assert table.in_words() == "5 series of 4 to 7 times, 2 channels"
    assert any("1 of 5 series is shorter" in note for note in table.notes)


def test_gaps_are_filled_on_a_line_or_refused(tmp_path):
    path = write(tmp_path / "s.csv", "t1,t2,t3,t4", "0,,,3", ",2,2,2", "5,4,3,2")
    table = read_series(path)
    assert_allclose(np.concatenate(table.series), [[0, 1, 2, 3], [2] * 4, [5, 4, 3, 2]])
    assert any("3 missing values" in note for note in table.notes)
    with pytest.raises(ComitiaError, match="series 1 lacks 2 values before its end"):
        read_series(path, impute="refuse")


def test_names_and_classes_are_no_values(tmp_path):
    path = write(tmp_path / "s.csv", "meter,kind,0h,1h", "m1,a,1,2", "m2,a,3,5")
    table = read_series(path, truth="kind")
    assert table.object_names == ["m1", "m2"]
    assert_allclose(np.concatenate(table.series), [[1, 2], [3, 5]])
    with pytest.raises(ComitiaError, match=r"'kind' of .* holds text"):
        read_series(path)
    counted = write(tmp_path / "c.csv", "n,a,b", "1,4,2", "2,9,3", "3,1,1")
    assert read_series(counted).object_names == ["1", "2", "3"]


def test_classes_in_front_are_noticed(tmp_path):
    lines = [f"{i % 2}\t{i / 7}\t{i / 9}" for i in range(6)]
    path = write(tmp_path / "archive.tsv", *lines)
    assert any("--truth 'column 1'" in note for note in read_series(path).notes)
    assert not any("--truth" in note for note in read_series(path, truth="1").notes)


def test_columns_can_be_the_series(tmp_path):
    path = write(tmp_path / "s.csv", "day,x,y", "mon,1,4", "tue,2,5", "wed,3,")
    table = read_series(path, transpose=True)
    assert table.object_names == ["x", "y"]
    assert [one.tolist() for one in table.series] == [[[1, 2, 3]], [[4, 5]]]


def test_what_is_no_series_is_refused_in_words(tmp_path):
    empty = write(tmp_path / "s.csv", "name,a,b", "u,1,2", "v,,")
    with pytest.raises(ComitiaError, match="series 'v' has no values"):
        read_series(empty)
    np.save(tmp_path / "s.npy", SERIES)
    with pytest.raises(ComitiaError, match="has no columns"):
        read_series(tmp_path / "s.npy", columns="1-3")
    with pytest.raises(ComitiaError, match="leave out transpose"):
        read_series(tmp_path / "s.npy", transpose=True)
    for read in (read_table, read_votes):
        with pytest.raises(ComitiaError, match="comitia fit reads series"):
            read(tmp_path / "s.npy")


def test_what_can_only_be_series_is_recognised(tmp_path):
    np.save(tmp_path / "s.npy", SERIES)
    np.save(tmp_path / "t.npy", SERIES[0])
    np.savez_compressed(tmp_path / "s.npz", series=SERIES, y=np.arange(5))
    np.savez(tmp_path / "t.npz", table=SERIES[:, 0], images=SERIES)
    (tmp_path / "broken.npz").write_bytes(b"PK")
    found = {path.name: is_series_file(path) for path in tmp_path.iterdir()}
    assert {name for name, is_one in found.items() if is_one} == {"s.npy", "s.npz"}
    assert is_series_file(tmp_path / "t.npz", key="images")
    assert not is_series_file(tmp_path / "absent.npy")
    assert not is_series_file("-")
