"""Clusterings, constraints and graphs from files."""

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from comitia import Ensemble
from comitia.exceptions import ComitiaError
from comitia.io import read_graph, read_labels, read_pairs, read_votes


@pytest.fixture
def file(tmp_path):
    def file(text, name="labels.csv"):
        (tmp_path / name).write_text(text)
        return tmp_path / name

    return file


def test_blank_na_and_minus_one_are_missing(file):
    got = read_labels(file("a,b,c\nx,1,p\n,-1,-1\ny,2,NA\nx,1,q\n"))
    assert got.labels.tolist() == [[0, 0, 0], [-1, -1, -1], [1, 1, -1], [0, 0, 1]]
    assert got.clustering_names.tolist() == ["a", "b", "c"]


def test_whole_numbers_with_a_point_are_labels(file):
    # As pandas writes integers beside a missing value.
    assert read_labels(file("a\n1.0\n\n0.0\n1.0\n")).labels.ravel().tolist() == [
        1,
        0,
        1,
    ]
    with pytest.raises(ComitiaError, match="not whole numbers"):
        read_labels(file("a\n1.5\n0.0\n1.5\n"))


def test_rows_are_not_joined_by_position_against_their_names(file):
    first = file("who,a\nanna,0\nbert,0\ncarl,1\n", "first.csv")
    second = file("b,who\n1,carl\n0,anna\n0,bert\n", "second.csv")
    with pytest.raises(ComitiaError, match="--id who"):
        read_labels([first, second], drop="who")
    joined = read_labels([first, second], id="who")
    assert joined.labels.tolist() == [[0, 0], [0, 0], [1, 1]]
    again = file("b,who\n0,anna\n0,bert\n1,carl\n", "again.csv")
    assert read_labels([first, again], drop="who").n_objects == 3


def test_files_without_a_common_object_are_refused(file):
    paths = [
        file("who,a\nanna,0\nbert,0\ncarl,1\n", "first.csv"),
        file("who,b\ncarl,0\ndora,0\neva,1\n", "second.csv"),
        file("who,c\ndora,0\neva,1\nfritz,1\n", "third.csv"),
    ]
    assert read_labels(paths, id="who").n_objects == 6  # a chain
    paths.append(file("who,d\nANNA,0\nBERT,1\nCARL,1\n", "fourth.csv"))
    with pytest.raises(ComitiaError, match=r"fourth\.csv has no object in common"):
        read_labels(paths, id="who")


def test_a_column_that_tells_all_objects_apart_is_refused_unless_asked_for(file):
    path = file("who,a\nanna,0\nbert,0\ncarl,1\n")
    with pytest.raises(ComitiaError, match="say --id who"):
        read_labels(path)
    assert read_labels(path, columns="who,a").n_clusterings == 2
    named = read_labels(path, id="who")
    assert named.object_names.tolist() == ["anna", "bert", "carl"]


def test_names_that_repeat_across_files_get_the_name_of_the_file(file):
    paths = [file("a\n0\n0\n1\n", "one.csv"), file("a\n0\n1\n1\n", "two.csv")]
    assert read_labels(paths).clustering_names.tolist() == ["one/a", "two/a"]


def test_files_are_joined_by_name(file):
    paths = [
        file("id,a\np,0\nq,0\nr,1\n", "one.csv"),
        file("id,b,y\ns,5,v\nr,6,v\np,5,u\n", "two.csv"),
    ]
    votes = read_votes(paths, id="id", truth="y")
    assert votes.ensemble.object_names.tolist() == [*"pqrs"]
    assert votes.ensemble.labels.tolist() == [[0, 0], [0, -1], [1, 1], [-1, 0]]
    assert votes.truth.tolist() == ["u", None, "v", "v"]
    assert [note[:12] for note in votes.notes] == ["1 object not"] * 2
    twice = file("id,b\np,5\np,6\n", "three.csv")
    with pytest.raises(ComitiaError, match="names the object 'p' twice"):
        read_labels([paths[0], twice], id="id")


def test_saved_ensembles_are_read(file, tmp_path):
    votes = Ensemble([[0, 1], [1, 1], [1, 0]], object_names=[*"pqr"])
    votes.save(tmp_path / "votes.npz")
    assert read_labels(tmp_path / "votes.npz") == votes
    more = read_labels([tmp_path / "votes.npz", file("id,c\nr,0\nq,0\np,1\n")], id="id")
    assert more.labels.tolist() == [[0, 1, 1], [1, 1, 0], [1, 0, 0]]
    with pytest.raises(ComitiaError, match="no columns to choose from"):
        read_labels(tmp_path / "votes.npz", columns="1")
    fuzzy = Ensemble.from_memberships([np.full((3, 2), 0.5)])
    fuzzy.save(tmp_path / "fuzzy.npz")
    with pytest.raises(ComitiaError, match="holds fuzzy clusterings"):
        read_labels([tmp_path / "fuzzy.npz", file("c\n0\n0\n1\n")])


def test_arrays_are_read(tmp_path):
    labels = np.array([[0, 1], [1, -1], [1, 0]])
    np.save(tmp_path / "votes.npy", labels)
    assert_array_equal(read_labels(tmp_path / "votes.npy").labels, labels)
    np.savez(tmp_path / "votes.npz", labels=labels)
    assert_array_equal(read_labels(tmp_path / "votes.npz").labels, labels)
    np.save(tmp_path / "names.npy", np.array([["a", "x"], ["b", ""], ["b", "x"]]))
    assert read_labels(tmp_path / "names.npy").labels.tolist() == [
        [0, 0],
        [1, -1],
        [1, 0],
    ]


def test_a_truth_that_is_nowhere_is_refused(file):
    with pytest.raises(ComitiaError, match="truth='y' is no column"):
        read_votes(file("a\n0\n0\n1\n"), truth="y")
    with pytest.raises(ComitiaError, match="no label file"):
        read_labels([])


# -- pairs ----------------------------------------------------------------------------


def test_pairs_are_names_or_numbers_with_or_without_a_header(file):
    names = ["anna", "bert", "carl"]
    expected = [[0, 2], [1, 0]]
    for head in ("", "one,other\n"):
        path = file(f"{head}anna,carl\nbert, anna\n")
        assert read_pairs(path, 3, names).tolist() == expected
    assert read_pairs(file("0\t2\n1\t0\n", "p.tsv"), 3).tolist() == expected


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("anna,dora\n", "line 1: there is no object 'dora'"),
        ("anna,bert\nanna\n", "line 2 has 1 cell; a pair has two"),
        ("", "is empty"),
    ],
)
def test_pairs_that_are_none_are_refused(text, words, file):
    with pytest.raises(ComitiaError, match=words):
        read_pairs(file(text), 2, ["anna", "bert"])
    with pytest.raises(ComitiaError, match="names repeat"):
        read_pairs(file("a,b\n"), 2, ["anna", "anna"])


# -- graphs ---------------------------------------------------------------------------


def test_graphs_are_read(tmp_path, file):
    from scipy.io import mmwrite
    from scipy.sparse import csr_array, save_npz

    graph = csr_array(np.array([[0, 1.5], [1.5, 0]]))
    save_npz(tmp_path / "g.npz", graph)
    mmwrite(tmp_path / "g.mtx", graph)
    for name in ("g.npz", "g.mtx"):
        assert_array_equal(read_graph(tmp_path / name).toarray(), graph.toarray())
    with pytest.raises(ComitiaError, match="is no graph"):
        read_graph(file("a,b\n0,1\n"))
    with pytest.raises(ComitiaError, match="not a sparse matrix"):
        read_graph(file("nonsense", "bad.mtx"))
