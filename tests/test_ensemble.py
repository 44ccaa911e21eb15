"""The Ensemble: what goes in, what it keeps, what it refuses."""

import copy
import pickle
import zipfile

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from numpy.testing import assert_allclose, assert_array_equal

from comitia import Ensemble, sizes
from comitia._files import file_digest, read_json, write_json
from comitia._store import FOLDER_FORMAT
from comitia.engine.tables import _is_counted
from comitia.exceptions import ComitiaError, EnsembleFileError
from tests.fixtures import E6, U6, same_partition

FUZZY = [
    np.array([[0.9, 0.1], [0.9, 0.1], [0.2, 0.8], [0.0, 1.0]]),
    np.array([[1.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.3, 0.3, 0.4], [0.0, 0.0, 1.0]]),
]
OVERLAPPING = [[[0, 1, 2], [2, 3]], [[0, 1], [2, 3]]]


def every_kind():
    return [
        Ensemble(E6),
        Ensemble([[0, -1], [0, 1], [1, 1], [1, 0]]),
        Ensemble.from_memberships(FUZZY),
        Ensemble.from_clusters(OVERLAPPING, 4),
    ]


@st.composite
def label_tables(draw, most_objects=25, most_clusterings=5, missing=True):
    """Tables of integer labels in which every clustering clusters somebody."""
    shape = (
        draw(st.integers(1, most_objects)),
        draw(st.integers(1, most_clusterings)),
    )
    values = st.integers(-1 if missing else 0, draw(st.sampled_from([1, 3, 300])))
    table = draw(hnp.arrays(np.int64, shape, elements=values))
    table[0] = np.maximum(table[0], 0)
    return table


# What goes in


@pytest.mark.parametrize(
    "dtype", [np.int8, np.uint8, np.int64, np.float32, object, str]
)
def test_the_type_of_the_labels_does_not_matter(dtype):
    assert Ensemble(E6.astype(dtype)) == Ensemble(E6)


def test_a_list_of_vectors_is_a_list_of_clusterings():
    assert Ensemble(list(E6.T)) == Ensemble(E6)
    assert Ensemble([pd.Series(column) for column in E6.T]) == Ensemble(E6)
    assert Ensemble([pl.Series(column) for column in E6.T]) == Ensemble(E6)


def test_nested_lists_are_rows():
    assert Ensemble(E6.tolist()) == Ensemble(E6)


def test_series_give_their_names():
    series = [pd.Series(E6[:, 0], name="a"), pd.Series(E6[:, 2], name="b")]
    assert Ensemble(series).clustering_names.tolist() == ["a", "b"]


@pytest.mark.parametrize("nothing", [-1, -1.0, np.nan, None, pd.NA, pd.NaT])
def test_missing_labels_have_many_names(nothing):
    labels = np.array([["x", 3], ["y", nothing], ["x", 4]], dtype=object)
    votes = Ensemble(labels)
    assert votes.kind == "partial"
    assert_array_equal(votes.labels, [[0, 0], [1, -1], [0, 1]])


def test_none_beside_strings_is_missing():
    assert_array_equal(Ensemble([["a", "x"], ["b", None]]).labels, [[0, 0], [1, -1]])
    assert_array_equal(Ensemble([["a", "x"], ["b", np.nan]]).labels, [[0, 0], [1, -1]])


def test_any_hashable_is_a_label():
    labels = np.empty((3, 1), dtype=object)
    labels[:, 0] = [("a", 1), frozenset({2}), ("a", 1)]
    assert_array_equal(Ensemble(labels).labels.ravel(), [0, 1, 0])


def test_codes_do_not_depend_on_the_order_of_objects():
    names = np.array([["b"], ["a"], ["c"], ["a"]])
    order = [3, 1, 0, 2]
    assert_array_equal(Ensemble(names).labels[order], Ensemble(names[order]).labels)


def test_booleans_are_two_clusters():
    assert_array_equal(Ensemble([[True], [False]]).labels, [[1], [0]])


def test_narrow_integers_do_not_wrap_around():
    column = np.array([[-1], [127], [0]], dtype=np.int8)
    assert_array_equal(Ensemble(column).labels, [[-1], [1], [0]])


def test_labels_may_be_far_apart():
    column = np.array([[-1], [2**62], [7], [2**62]])
    assert_array_equal(Ensemble(column).labels, [[-1], [1], [0], [1]])
    huge = np.array([[2**64 - 1], [7]], dtype=np.uint64)
    assert_array_equal(Ensemble(huge).labels, [[1], [0]])


@pytest.mark.parametrize(
    ("k", "dtype"), [(255, np.uint8), (256, np.uint16), (65536, np.int32)]
)
def test_codes_are_narrow_but_hold_the_missing_one(k, dtype):
    votes = Ensemble(np.r_[np.arange(k), -1][:, None])
    assert votes.codes.dtype == dtype
    assert votes.codes[0, -1] == k
    assert votes.labels[-1, 0] == -1


# Data frames


FRAME = {"kmeans": [0, 0, 1, 1], "ward": ["x", "y", "y", None]}


@pytest.mark.parametrize("frame", [pd.DataFrame(FRAME), pl.DataFrame(FRAME)])
def test_frames_give_labels_and_names(frame):
    votes = Ensemble(frame)
    assert votes.clustering_names.tolist() == ["kmeans", "ward"]
    assert votes.object_names is None
    assert_array_equal(votes.labels, [[0, 0], [0, 1], [1, 1], [1, -1]])


def test_an_index_names_the_objects():
    frame = pd.DataFrame({"a": [0, 1], "b": [1, 1]}, index=["anna", "bert"])
    assert Ensemble(frame).object_names.tolist() == ["anna", "bert"]
    named = Ensemble(frame, object_names=["x", "y"], clustering_names=["p", "q"])
    assert named.object_names.tolist() == ["x", "y"]
    assert named.clustering_names.tolist() == ["p", "q"]


@pytest.mark.parametrize(
    "column",
    [
        pd.Series([2, 5, None, 5], dtype="Int64"),
        pd.Series([2.0, 5.0, np.nan, 5.0]),
        pd.Series(["a", "b", None, "b"], dtype="category"),
        pd.Series([False, True, None, True], dtype="boolean"),
        pl.Series([2, 5, None, 5]),
        pl.Series([2.0, 5.0, float("nan"), 5.0]),
        pl.Series(["a", "b", None, "b"], dtype=pl.Categorical),
    ],
    ids=lambda column: f"{type(column).__module__.split('.')[0]}-{column.dtype}",
)
def test_columns_of_any_type_are_read(column):
    frame = column.to_frame("c")
    assert_array_equal(Ensemble(frame).labels.ravel(), [0, 1, -1, 1])


# What it keeps


def test_the_attributes_of_e6():
    votes = Ensemble(E6)
    assert (votes.n_objects, votes.n_clusterings, votes.n_clusters_total) == (6, 3, 7)
    assert votes.kind == "hard"
    assert votes.is_hard
    assert_array_equal(votes.offsets, [0, 2, 4, 7])
    assert_array_equal(votes.sizes, [3, 3, 3, 3, 2, 2, 2])
    assert_array_equal(votes.clustering_of, [0, 0, 1, 1, 2, 2, 2])
    assert_array_equal(votes.n_votes, [3] * 6)
    assert_array_equal(votes.row_codes, E6)


def test_coassociation_of_u6_has_the_row_sums_of_the_catalogue():
    B = Ensemble(U6).membership
    assert_array_equal((B @ B.T).sum(axis=1), [12, 12, 12, 12, 10, 6])


@given(label_tables())
@settings(deadline=None)
def test_labels_survive_up_to_names(table):
    votes = Ensemble(table)
    assert_array_equal(votes.labels == -1, table == -1)
    for given_labels, kept in zip(table.T, votes.labels.T, strict=True):
        assert same_partition(given_labels, kept)
    assert Ensemble(votes.labels) == votes


@given(label_tables())
@settings(deadline=None)
def test_the_parts_fit_together(table):
    votes = Ensemble(table)
    B = votes.membership.toarray()
    one_hot = [
        (votes.labels[:, [m]] == np.arange(k))
        for m, k in enumerate(votes.n_clusters_each)
    ]
    assert_array_equal(B, np.hstack(one_hot))
    assert_array_equal(votes.sizes, B.sum(axis=0))
    assert_array_equal(votes.n_votes, B.sum(axis=1))
    assert_array_equal(votes.contingency().toarray(), B.T @ B)
    assert votes.kind == ("partial" if (table == -1).any() else "hard")
    assert (votes.sizes > 0).all()


def test_fuzzy_memberships_are_kept():
    votes = Ensemble.from_memberships(FUZZY)
    assert votes.kind == "fuzzy"
    assert not votes.is_hard
    assert_array_equal(votes.membership.toarray(), np.hstack(FUZZY))
    assert_array_equal(votes.labels, [[0, 0], [0, 0], [1, 2], [1, 2]])
    assert_allclose(votes.sizes, np.hstack(FUZZY).sum(axis=0))
    assert_allclose(
        votes.contingency().toarray(), np.hstack(FUZZY).T @ np.hstack(FUZZY)
    )


def test_fuzzy_objects_may_be_missing_and_empty_clusters_go():
    F = np.array([[0.5, 0.0, 0.5], [np.nan] * 3, [0.0, 0.0, 0.0], [0.0, 0.0, 1.0]])
    votes = Ensemble.from_memberships([F])
    assert votes.n_clusters_total == 2
    assert_array_equal(votes.n_votes, [1, 0, 0, 1])
    assert_array_equal(votes.labels.ravel(), [0, -1, -1, 1])


def test_what_is_missing_is_seen_in_every_kind():
    assert not Ensemble([[0, 0], [0, 1]]).has_missing
    assert Ensemble([[0, 0], [0, -1]]).has_missing
    # Rows of a partial ensemble stay partial where no label is missing among them.
    (whole, _), (torn, _) = (
        (block, rows) for rows, block in Ensemble([[0, 0], [0, -1]]).blocks(1)
    )
    assert not whole.has_missing
    assert torn.has_missing
    assert not Ensemble.from_memberships(FUZZY).has_missing
    gap = [np.vstack([F[:1] * 0, F[1:]]) for F in FUZZY]
    assert Ensemble.from_memberships(gap).has_missing


def test_overlapping_clusters_are_kept():
    votes = Ensemble.from_clusters(OVERLAPPING, 4)
    assert votes.kind == "overlapping"
    expected = [[1, 0, 1, 0], [1, 0, 1, 0], [1, 1, 0, 1], [0, 1, 0, 1]]
    assert_array_equal(votes.membership.toarray(), expected)
    assert_array_equal(votes.labels[2], [0, 1])  # the first of its clusters


def test_clusters_that_do_not_overlap_are_hard_or_partial():
    hard = Ensemble.from_clusters([[[0, 1], [2]]], 3)
    assert hard.kind == "hard"
    assert hard == Ensemble([[0], [0], [1]])
    assert Ensemble.from_clusters([[[0], [2]]], 3).kind == "partial"


def test_from_codes_takes_labels_as_kernels_see_them():
    votes = Ensemble.from_codes(np.array([[0, 2, 1], [0, 0, 3]]), [2, 3])
    assert votes.codes.dtype == np.uint8
    assert_array_equal(votes.labels, [[0, 0], [-1, 0], [1, -1]])
    assert_array_equal(votes.sizes, [1, 1, 2, 0, 0])


def test_names_are_carried():
    votes = Ensemble(
        E6, groups=["a", "a", "b"], object_names=range(6), clustering_names="xyz"
    )
    part = votes.take(clusterings=[2, 0], objects=[5, 0])
    assert part.groups.tolist() == ["b", "a"]
    assert part.clustering_names.tolist() == ["z", "x"]
    assert part.object_names.tolist() == ["5", "0"]
    micro = votes.distinct().ensemble
    assert micro.groups.tolist() == ["a", "a", "b"]
    assert micro.object_names is None


# What it does not allow


@pytest.mark.parametrize("votes", every_kind(), ids=lambda votes: votes.kind)
def test_an_ensemble_does_not_change(votes):
    with pytest.raises(AttributeError, match="does not change"):
        votes.kind = "other"
    with pytest.raises(AttributeError, match="does not change"):
        del votes.codes
    micro = votes.distinct()
    arrays = [
        votes.codes,
        votes.labels,
        votes.row_codes,
        votes.sizes,
        votes.offsets,
        votes.n_clusters_each,
        votes.clustering_of,
        votes.n_votes,
        votes.membership.data,
        votes.membership.indices,
        votes.contingency().data,
        micro.counts,
        micro.inverse,
        micro.ensemble.codes,
    ]
    for array in arrays:
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 0


def test_the_labels_of_the_caller_stay_his_own():
    labels = E6.copy()
    votes = Ensemble(labels)
    labels[0] = 1
    assert votes == Ensemble(E6)


@pytest.mark.parametrize("votes", every_kind(), ids=lambda votes: votes.kind)
@pytest.mark.parametrize("clone", [copy.copy, copy.deepcopy, None])
def test_copies_are_equal_and_frozen(votes, clone):
    votes.contingency()
    twin = clone(votes) if clone else pickle.loads(pickle.dumps(votes))
    assert twin == votes
    assert not twin.codes.flags.writeable
    assert not twin.membership.data.flags.writeable
    with pytest.raises(TypeError):
        hash(twin)


def test_ensembles_differ_when_anything_does():
    votes = Ensemble(E6)
    assert votes != Ensemble(U6)
    assert votes != Ensemble(E6, groups=["a", "a", "b"])
    assert votes != "votes"
    other = [FUZZY[0][:, ::-1], FUZZY[1]]
    assert Ensemble.from_memberships(FUZZY) != Ensemble.from_memberships(other)


@pytest.mark.parametrize(
    ("labels", "words"),
    [
        (np.empty((0, 3), int), "no rows"),
        (np.empty((3, 0), int), "no columns"),
        ([], "two-dimensional"),
        ([0, 1, 1], "two-dimensional"),
        (np.zeros((2, 2, 2), int), "two-dimensional"),
        (None, "two-dimensional"),
        ("abc", "two-dimensional"),
        ([[0, 1], [0]], "differ in length"),
        ([np.zeros(3, int), np.zeros(2, int)], r"one length; got lengths \[2, 3\]"),
        ([[0, -1], [1, -1]], "clustering 1 are all missing"),
        ([[0.5], [1.0]], "not whole numbers"),
        ([[np.inf], [1.0]], "not whole numbers"),
        ([[1e300], [1.0]], "not whole numbers"),
        ([[0], [-2]], "contain -2"),
        (np.array([[None], [-2], [1]], dtype=object), "contain -2"),
        (np.array([[None], [0.5], [1]], dtype=object), "not whole numbers"),
        (np.array([["a"], [0.5]], dtype=object), "not whole numbers"),
        (np.array([[1j], [0]]), "have type complex128"),
        (pd.DataFrame(), "no columns"),
        (pd.DataFrame({"a": [0.5, 1.5]}), "clustering a are not whole numbers"),
        (pl.DataFrame({"a": [None, None]}), "clustering a are all missing"),
    ],
)
def test_bad_labels_are_refused_in_words(labels, words):
    with pytest.raises(ComitiaError, match=words):
        Ensemble(labels)


def test_labels_that_cannot_be_hashed_are_refused():
    labels = np.empty((2, 1), dtype=object)
    labels[:, 0] = [[1], {}]
    with pytest.raises(ComitiaError, match="contain a list, which cannot be a label"):
        Ensemble(labels)


@pytest.mark.parametrize(
    ("names", "words"),
    [
        ({"groups": ["a"]}, "groups must have one entry per clustering; got 1 for 3"),
        ({"clustering_names": ["a"]}, "clustering_names must have one entry"),
        ({"object_names": "ab"}, "object_names must have one entry per object"),
        ({"object_names": 7}, "must be a sequence of names; got 7"),
    ],
)
def test_names_that_do_not_fit_are_refused(names, words):
    with pytest.raises(ComitiaError, match=words):
        Ensemble(E6, **names)


@pytest.mark.parametrize(
    ("memberships", "words"),
    [
        ([], "memberships is empty"),
        ([np.ones((2, 1)), np.ones((3, 1))], r"row counts \[2, 3\]"),
        ([np.ones(3)], "one row per object"),
        ([np.ones((0, 2))], "one row per object"),
        ([[[0.5, 0.4]]], "row 0 sums to 0.9"),
        ([[[1.5, -0.5]]], "finite and not negative"),
        ([[[np.nan, 1.0]]], "finite and not negative"),
        ([[[np.inf, 0.0]]], "finite and not negative"),
        ([[[0.0, 0.0]]], "clusters no object"),
        ([[["a", "b"]]], "table of numbers"),
    ],
)
def test_bad_memberships_are_refused_in_words(memberships, words):
    with pytest.raises(ComitiaError, match=words):
        Ensemble.from_memberships(memberships)


@pytest.mark.parametrize(
    ("clusterings", "n_objects", "words"),
    [
        ([], 3, "clusterings is empty"),
        ([[[0]]], 0, "n_objects=0"),
        ([[[0]], []], 2, "clustering 1 has no clusters"),
        ([[[0], []]], 2, "cluster 1 of 0 must be a list of object indices"),
        ([[[0, 5]]], 3, "names object 5; indices are 0..2"),
        ([[[-1, 1]]], 3, "names object -1"),
        ([[[0, 0]]], 3, "names an object twice"),
        ([[[0.5]]], 3, "list of object indices"),
    ],
)
def test_bad_clusters_are_refused_in_words(clusterings, n_objects, words):
    with pytest.raises(ComitiaError, match=words):
        Ensemble.from_clusters(clusterings, n_objects)


@pytest.mark.parametrize(
    ("codes", "k", "words"),
    [
        (np.array([0, 1]), [2], "codes must be integers of shape"),
        (np.array([[0.0, 1.0]]), [2], "codes must be integers of shape"),
        (np.array([[0, 3]]), [2], "codes of clustering 0 must lie in 0..2"),
        (np.array([[0, -1]]), [2], "codes of clustering 0 must lie in 0..2"),
        (np.array([[0, 1]]), [2, 2], "one positive entry per clustering"),
        (np.array([[0, 0]]), [0], "one positive entry per clustering"),
    ],
)
def test_bad_codes_are_refused_in_words(codes, k, words):
    with pytest.raises(ComitiaError, match=words):
        Ensemble.from_codes(codes, k)


# take, blocks, distinct


@given(label_tables(), st.data())
@settings(deadline=None)
def test_take_is_indexing(table, data):
    votes = Ensemble(table)
    which = data.draw(st.lists(st.integers(0, votes.n_clusterings - 1), min_size=1))
    part = votes.take(clusterings=which)
    assert_array_equal(part.labels, votes.labels[:, which])
    objects = [0, *data.draw(st.lists(st.integers(0, votes.n_objects - 1)))]
    assert votes.take(objects=objects) == Ensemble(table[objects])


@pytest.mark.parametrize("votes", every_kind(), ids=lambda votes: votes.kind)
def test_taking_everything_changes_nothing(votes):
    assert votes.take() == votes
    mask = np.ones(votes.n_objects, bool)
    assert votes.take(np.ones(votes.n_clusterings, bool), mask) == votes


def test_take_of_fuzzy_and_overlapping_objects_drops_empty_clusters():
    fuzzy = Ensemble.from_memberships(FUZZY).take(clusterings=[1], objects=[3, 0])
    assert_array_equal(fuzzy.membership.toarray(), [[0, 1], [1, 0]])
    overlapping = Ensemble.from_clusters(OVERLAPPING, 4).take(objects=[2])
    assert_array_equal(overlapping.membership.toarray(), [[1, 1, 1]])


@pytest.mark.parametrize(
    ("which", "words"),
    [
        ([], "keeps nothing|indices or a mask"),
        ([3], "must lie in 0..2; got 3"),
        ([-4], "must lie in 0..2; got -4"),
        ([True], "mask must have 3 entries"),
        ([0.5], "indices or a mask"),
        ("a", "indices or a mask"),
        ([False] * 3, "keeps nothing"),
    ],
)
def test_bad_indices_are_refused_in_words(which, words):
    with pytest.raises(ComitiaError, match=words):
        Ensemble(E6).take(clusterings=which)


def test_objects_that_a_clustering_leaves_out_altogether_are_refused():
    with pytest.raises(ComitiaError, match="all missing"):
        Ensemble([[0, -1], [0, 1]]).take(objects=[0])


@pytest.mark.parametrize("votes", every_kind(), ids=lambda votes: votes.kind)
@pytest.mark.parametrize("n_rows", [1, 3, 100])
def test_blocks_add_up(votes, n_rows):
    blocks = list(votes.blocks(n_rows))
    assert [rows.start for rows, _ in blocks] == list(range(0, votes.n_objects, n_rows))
    assert_allclose(sum(block.sizes for _, block in blocks), votes.sizes)
    shared = sum(block.contingency().toarray() for _, block in blocks)
    assert_allclose(shared, votes.contingency().toarray())
    for rows, block in blocks:
        assert_array_equal(block.codes, votes.codes[:, rows])
        assert_array_equal(block.offsets, votes.offsets)


@pytest.mark.parametrize("n_rows", [0, -1])
def test_blocks_need_rows(n_rows):
    with pytest.raises(ComitiaError, match=f"n_rows={n_rows}"):
        next(Ensemble(E6).blocks(n_rows))


def check_distinct(votes):
    micro, counts, inverse = votes.distinct()
    rows, B = votes.row_codes, votes.membership.toarray()
    assert_array_equal(micro.row_codes[inverse], rows)
    assert_array_equal(micro.membership.toarray()[inverse], B)
    assert micro.n_objects == len(np.unique(np.hstack([rows, B]), axis=0))
    assert_array_equal(counts, np.bincount(inverse))
    first = np.unique(inverse, return_index=True)[1]
    assert (np.diff(first) > 0).all()  # numbered in the order of first appearance
    assert_array_equal(micro.offsets, votes.offsets)
    assert micro.kind == votes.kind


@pytest.mark.parametrize("votes", every_kind(), ids=lambda votes: votes.kind)
def test_distinct_merges_equal_rows(votes):
    check_distinct(votes)


@given(table=label_tables(), compiled=st.booleans())
@settings(deadline=None)
def test_distinct_is_np_unique(table, compiled):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sizes, "FEW_LABELS", 0 if compiled else 10**9)
        check_distinct(Ensemble(table))


@pytest.mark.parametrize("n_labels", [2, 200, 60_000, 100_000])
def test_distinct_compares_rows_whose_hashes_are_equal(n_labels, monkeypatch):
    """With no bits left of the hash every row collides with every other."""
    from comitia._kernels import label_rows

    rng = np.random.RandomState(0)
    rows = rng.randint(n_labels, size=(40, 5))[rng.randint(40, size=300)]
    monkeypatch.setattr(sizes, "FEW_LABELS", 0)
    check_distinct(Ensemble(rows))
    monkeypatch.setattr(
        label_rows, "_hash_rows", lambda codes: np.zeros(codes.shape[1], np.uint64)
    )
    votes = Ensemble(rows)
    plain = getattr(label_rows.distinct_rows, "py_func", label_rows.distinct_rows)
    first, inverse = plain(votes.codes, votes.row_codes)
    assert_array_equal(first, np.unique(inverse, return_index=True)[1])
    assert_array_equal(inverse, votes.distinct().inverse)


# Files


@pytest.mark.parametrize("votes", every_kind(), ids=lambda votes: votes.kind)
@pytest.mark.parametrize("name", ["votes.npz", "votes"])
def test_what_is_saved_is_loaded(votes, name, tmp_path):
    votes.save(tmp_path / name, block_rows=3)
    assert Ensemble.load(tmp_path / name) == votes
    assert [path.name for path in tmp_path.iterdir()] == [name]


@pytest.mark.parametrize("name", ["votes.npz", "votes"])
def test_names_are_saved(name, tmp_path):
    votes = Ensemble(
        E6, groups="aab", object_names=list("αβγδεζ"), clustering_names=["x", "y", "zz"]
    )
    votes.save(tmp_path / name, block_rows=4)
    assert Ensemble.load(tmp_path / name) == votes


def test_a_file_is_replaced_and_a_folder_is_not(tmp_path):
    Ensemble(E6).save(tmp_path / "votes.npz")
    Ensemble(U6).save(tmp_path / "votes.npz")
    assert Ensemble.load(tmp_path / "votes.npz") == Ensemble(U6)
    Ensemble(E6).save(tmp_path / "votes")
    with pytest.raises(EnsembleFileError, match="exists already"):
        Ensemble(U6).save(tmp_path / "votes")
    assert Ensemble.load(tmp_path / "votes") == Ensemble(E6)


def test_a_write_that_fails_leaves_nothing_behind(tmp_path, monkeypatch):
    Ensemble(E6).save(tmp_path / "votes.npz")

    def full(*args, **kwargs):
        raise OSError("the disk is full")

    monkeypatch.setattr("comitia._files.npy.write_array", full)
    monkeypatch.setattr(np, "save", full)
    for name in ("votes.npz", "folder"):
        with pytest.raises((OSError, EnsembleFileError), match="disk is full"):
            Ensemble(U6).save(tmp_path / name)
    assert [path.name for path in tmp_path.iterdir()] == ["votes.npz"]
    assert Ensemble.load(tmp_path / "votes.npz") == Ensemble(E6)


def test_there_must_be_a_file(tmp_path):
    with pytest.raises(EnsembleFileError, match="there is no ensemble at"):
        Ensemble.load(tmp_path / "nowhere.npz")
    with pytest.raises(EnsembleFileError, match=r"no ensemble\.json"):
        Ensemble.load(tmp_path)


def damaged(tmp_path, **changes):
    """A file of a fuzzy ensemble in which some arrays are other ones."""
    path = tmp_path / "votes.npz"
    Ensemble.from_memberships(FUZZY, groups="ab").save(path)
    with np.load(path) as file:
        arrays = {name: file[name] for name in file.files}
    arrays |= changes
    kept = {name: value for name, value in arrays.items() if value is not None}
    np.savez(path, **kept)
    return path


@pytest.mark.parametrize(
    "changes",
    [
        {"format": None},
        {"format": np.array("comitia-ensemble-2")},
        {"kind": np.array("other")},
        {"codes": None},
        {"codes": np.zeros((2, 4))},
        {"codes": np.full((2, 4), 9, np.uint8)},
        {"codes": np.full((2, 4), -1, np.int32)},
        {"codes": np.zeros((2, 0), np.uint8)},
        {"n_clusters_each": np.array([2])},
        {"n_clusters_each": np.array([2, 2**60])},
        {"n_clusters_each": np.array([2.0, 3.0])},
        {"data": None},
        {"data": np.full(14, np.nan)},
        {"indices": np.full(14, 99)},
        {"indptr": np.array([0, 1])},
        {"groups": np.array("ab")},
        {"groups": np.array(["a", "b", "c"])},
    ],
    ids=str,
)
def test_a_file_whose_parts_do_not_fit_is_refused(changes, tmp_path):
    with pytest.raises(EnsembleFileError):
        Ensemble.load(damaged(tmp_path, **changes))


def test_a_pickle_is_not_opened(tmp_path):
    class Trap:
        def __reduce__(self):
            return (pytest.fail, ("a pickle was opened",))

    trap = np.array([Trap()], dtype=object)
    with open(tmp_path / "pickle.npz", "wb") as file:
        pickle.dump(Trap(), file)
    np.savez(tmp_path / "inside.npz", codes=trap, allow_pickle=True)
    np.save(tmp_path / "array.npy", np.zeros(3))
    for name in ("pickle.npz", "inside.npz", "array.npy"):
        with pytest.raises(EnsembleFileError, match="comitia wrote"):
            Ensemble.load(tmp_path / name)


def test_every_flipped_byte_is_noticed_or_harmless(tmp_path):
    path = tmp_path / "votes.npz"
    Ensemble(E6).save(path)
    good = path.read_bytes()
    for place in range(0, len(good), 7):
        bad = bytearray(good)
        bad[place] ^= 0xFF
        path.write_bytes(bytes(bad))
        try:
            loaded = Ensemble.load(path)
        except EnsembleFileError:
            continue
        assert_array_equal(loaded.labels, E6)  # a time stamp or the like


def test_a_file_that_was_cut_off_is_refused(tmp_path):
    path = tmp_path / "votes.npz"
    Ensemble(E6).save(path)
    good = path.read_bytes()
    for length in (0, 3, len(good) // 2, len(good) - 5):
        path.write_bytes(good[:length])
        with pytest.raises(EnsembleFileError):
            Ensemble.load(path)
    with zipfile.ZipFile(path, "w"):
        pass
    with pytest.raises(EnsembleFileError):
        Ensemble.load(path)


def test_a_folder_with_a_block_less_is_refused(tmp_path):
    Ensemble(E6).save(tmp_path / "votes", block_rows=2)
    (tmp_path / "votes" / "block-00002.npy").unlink()
    with pytest.raises(EnsembleFileError):
        Ensemble.load(tmp_path / "votes")


def test_a_folder_with_blocks_of_two_ensembles_is_refused(tmp_path):
    Ensemble(E6, object_names="abcdef").save(tmp_path / "one", block_rows=2)
    Ensemble(U6, object_names="abcdef").save(tmp_path / "two", block_rows=2)
    block = "block-00001.npz"
    (tmp_path / "one" / block).write_bytes((tmp_path / "two" / block).read_bytes())
    with pytest.raises(EnsembleFileError, match="is not what was written"):
        Ensemble.load(tmp_path / "one")
    about = read_json(tmp_path / "one" / "ensemble.json", FOLDER_FORMAT)
    about["digests"][1] = file_digest(tmp_path / "one" / block)
    write_json(tmp_path / "one" / "ensemble.json", about)
    with pytest.raises(EnsembleFileError, match="do not fit together"):
        Ensemble.load(tmp_path / "one")


@pytest.mark.parametrize("about", ["", "[]", "{}", '{"n_blocks": "many"}'])
def test_a_folder_with_a_damaged_description_is_refused(about, tmp_path):
    Ensemble(E6).save(tmp_path / "votes")
    (tmp_path / "votes" / "ensemble.json").write_text(about)
    with pytest.raises(EnsembleFileError):
        Ensemble.load(tmp_path / "votes")


def test_block_rows_must_be_positive(tmp_path):
    with pytest.raises(ComitiaError, match="block_rows=-1"):
        Ensemble(E6).save(tmp_path / "votes", block_rows=-1)


# Counting, compiled and not


@given(label_tables(most_objects=60), st.sampled_from([2, 16, 256]))
@settings(deadline=None)
def test_compiled_contingency_is_the_sparse_product(table, n_codes):
    from comitia._kernels import contingency

    B = Ensemble(table).membership
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sizes, "FEW_INCREMENTS", 0)
        patch.setattr(contingency, "most_codes", lambda n: n_codes)
        votes = Ensemble(table)
        assert _is_counted(votes)
        shared = votes.contingency()
    assert_array_equal(shared.toarray(), (B.T @ B).toarray())
    assert shared.nnz == (B.T @ B).nnz
    assert shared.has_canonical_format


def test_wide_ensembles_are_counted_sparsely(monkeypatch):
    monkeypatch.setattr(sizes, "FEW_INCREMENTS", 0)
    labels = np.c_[np.arange(1000), np.arange(1000)[::-1] // 2]
    votes = Ensemble(labels)
    assert not _is_counted(votes)  # 1000 x 500 cells for 1000 objects
    assert_array_equal(votes.contingency().diagonal(), votes.sizes)


@pytest.mark.parametrize("dtype", [np.int8, np.int64, np.uint8, np.uint64])
def test_the_type_of_a_table_of_labels_does_not_matter(dtype):
    labels = np.random.RandomState(0).randint(0, 100, size=(3000, 4))
    expected = Ensemble(labels)
    got = Ensemble(np.asarray(labels, dtype=dtype))
    assert_array_equal(got.labels, expected.labels)
    assert got.codes.dtype == expected.codes.dtype == np.uint8
    if np.issubdtype(dtype, np.signedinteger):
        labels[labels == 7] = -1
        got = Ensemble(labels.astype(dtype))
        assert_array_equal(got.labels == -1, labels == -1)
        # Labels above the one that is gone move up by one.
        assert_array_equal(got.labels, np.where(labels > 7, labels - 1, labels))


def test_labels_far_apart_are_names():
    far = np.array([[2**63, 0], [5, 1], [2**63, 1]], dtype=np.uint64)
    assert_array_equal(Ensemble(far).labels, [[1, 0], [0, 1], [1, 1]])


def test_many_different_rows_are_seen_at_a_glance(monkeypatch):
    monkeypatch.setattr(sizes, "GLANCE_ROWS", 50)
    rng = np.random.RandomState(0)
    different = np.c_[np.arange(60), np.arange(60)]
    equal = rng.randint(2, size=(200, 2))
    # Equal rows that come late are not looked for, equal rows that come early are.
    late = Ensemble(np.r_[different, equal])
    assert late.distinct_if(0.8) is None
    assert "_distinct" not in vars(late)
    early = Ensemble(np.r_[equal, different])
    assert len(early.distinct_if(0.8).counts) == len(late.distinct().counts)
