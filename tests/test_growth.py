"""Ensembles that grow: in memory and on disk, by clusterings and by objects."""

import json
import os

import numpy as np
import pytest
from numpy.testing import assert_array_equal

import comitia
from comitia import Ensemble, _block_folder, sizes
from comitia.engine import tables
from comitia.engine.compiled import CompiledEngine
from comitia.exceptions import ComitiaError, EnsembleFileError

RNG = np.random.RandomState(0)
TRUTH = np.arange(60) % 4
LABELS = np.where(RNG.uniform(size=(60, 5)) < 0.15, 0, TRUTH[:, None])
LABELS[:4] = np.arange(4)[:, None]  # all labels are known from the beginning
MORE = RNG.randint(6, size=60)
GAPS = np.where(RNG.uniform(size=LABELS.shape) < 0.2, -1, LABELS)


@pytest.fixture
def many(monkeypatch):
    """Let small ensembles go the way of large ones."""
    monkeypatch.setattr(sizes, "FEW_LABELS", 0)
    monkeypatch.setattr(sizes, "FEW_OBJECTS", 0)


def same(one, other):
    """Whether two ensembles say the same, wherever their labels are."""
    names = ("groups", "object_names", "clustering_names", "cluster_names")
    return one.whole == other.whole and all(
        np.array_equal(getattr(one, name), getattr(other, name)) for name in names
    )


# -- in memory -------------------------------------------------------------------------


@pytest.mark.parametrize("labels", [LABELS, GAPS])
def test_appended_clusterings_are_those_of_one_ensemble(labels):
    grown = Ensemble(labels[:, :2]).append(labels[:, 2:]).append(MORE)
    assert same(grown, Ensemble(np.column_stack([labels, MORE])))


@pytest.mark.parametrize("labels", [LABELS, GAPS])
def test_appended_objects_are_those_of_one_ensemble(labels):
    grown = Ensemble(labels[:40]).append(labels[40:50], axis="objects")
    grown = grown.append(labels[50:], axis="objects")
    assert same(grown, Ensemble(labels))


def test_appended_clusterings_share_the_labels_that_are_there():
    grown = Ensemble(LABELS).append(MORE)
    further = grown.append(MORE[::-1])
    assert np.shares_memory(grown.codes, further.codes)
    # Of two that grow out of one, the second makes room of its own.
    other = grown.append(MORE + 1)
    assert_array_equal(further.labels[:, -1], MORE[::-1])
    assert_array_equal(other.labels[:, -1], MORE)
    assert_array_equal(grown.labels[:, -1], MORE)


def test_appended_objects_share_the_labels_that_are_there():
    votes = Ensemble(LABELS)
    grown = votes.append(LABELS[:7], axis="objects")
    first, second = grown.storage.kept.values
    assert np.shares_memory(first.codes, votes.codes)
    further = grown.append(LABELS[:3], axis="objects")
    assert further.storage.kept.values[0].codes is first.codes
    assert further.storage.kept.values[1].codes is second.codes


def test_new_objects_find_their_clusters_by_label_and_bring_new_ones():
    votes = Ensemble([["b", 7], ["c", 9], ["c", None]])
    grown = votes.append([["c", 8], ["a", 7], [None, 9]], axis="objects")
    assert grown.labels.tolist() == [[0, 0], [1, 1], [1, -1], [1, 2], [2, 0], [-1, 1]]
    assert grown.cluster_names.tolist() == ["b", "c", "a", "7", "9", "8"]
    assert grown.kind == "partial"


def test_names_go_with_what_is_new():
    pd = pytest.importorskip("pandas")
    frame = pd.DataFrame({"x": [1, 1, 2], "y": [3, 4, 4]}, index=["p", "q", "r"])
    votes = Ensemble(frame)
    run = pd.Series([0, 1, 1], index=["r", "q", "p"], name="z")
    grown = votes.append(run)
    assert grown.clustering_names.tolist() == ["x", "y", "z"]
    assert grown.labels[:, 2].tolist() == [1, 1, 0]
    rows = pd.DataFrame({"z": [0], "y": [3], "x": [2]}, index=["s"])
    grown = grown.append(rows, axis="objects")
    assert grown.object_names.tolist() == ["p", "q", "r", "s"]
    assert grown.labels[3].tolist() == [1, 0, 0]
    with pytest.raises(ComitiaError, match="has 'y' already"):
        votes.append(run.rename("y"))


@pytest.mark.parametrize(
    ("given", "axis", "words"),
    [
        ([0, 1], "clusterings", "the same objects"),
        ([[0, 1]], "objects", "each of the 5 clusterings"),
        (LABELS, "rows", 'must be "clusterings" or "objects"'),
    ],
)
def test_what_does_not_fit_is_refused(given, axis, words):
    with pytest.raises(ComitiaError, match=words):
        Ensemble(LABELS).append(given, axis=axis)


def test_objects_are_not_added_twice():
    votes = Ensemble(LABELS[:2], object_names=["a", "b"])
    with pytest.raises(ComitiaError, match="has 'b' already"):
        votes.append(LABELS[:1], axis="objects", object_names=["b"])
    with pytest.raises(ComitiaError, match="no names"):
        votes.append(LABELS[:1], axis="objects")


def test_drop_leaves_out_by_number_and_by_name():
    votes = Ensemble(LABELS, clustering_names=list("abcde"))
    assert votes.drop(["b", "e"]) == votes.take([0, 2, 3])
    assert votes.drop([1, 4]) == votes.take([0, 2, 3])
    assert np.shares_memory(votes.drop(0).codes, votes.codes)
    with pytest.raises(ComitiaError, match="no clustering 'z'"):
        votes.drop("z")


def test_clusterings_are_taken_from_blocks_where_they_are():
    grown = Ensemble(LABELS).append(LABELS[:7], axis="objects").drop([0])
    assert len(grown.storage.kept) == 2
    assert_array_equal(grown.labels, np.vstack([LABELS, LABELS[:7]])[:, 1:])


@pytest.mark.parametrize("make", ["fuzzy", "overlapping"])
def test_soft_clusterings_stand_side_by_side(make):
    if make == "fuzzy":
        one = Ensemble.from_memberships([[[0.5, 0.5], [1, 0], [0, 1]]])
    else:
        one = Ensemble.from_clusters([[[0, 1], [1, 2]]], 3)
    both = Ensemble.concat([one, one])
    assert both.kind == one.kind
    assert_array_equal(
        both.membership.toarray(), np.hstack([one.membership.toarray()] * 2)
    )
    with pytest.raises(ComitiaError, match="do not go together"):
        one.append([0, 1, 1])


# -- tables ----------------------------------------------------------------------------


@pytest.mark.parametrize("labels", [LABELS, GAPS])
def test_kept_tables_are_those_that_counting_gives(labels, many):
    votes = Ensemble(labels[:40, :3]).append(labels[40:50, :3], axis="objects")
    votes.dense_contingency  # noqa: B018
    wider = votes.append(labels[:50, 3:])
    longer = wider.append(np.vstack([labels[50:], [9] * 5]), axis="objects")
    for grown in (wider, longer):
        assert "_earlier" in grown.__dict__
        fresh = Ensemble(grown.labels)
        assert_array_equal(grown.dense_contingency, fresh.dense_contingency)
        assert_array_equal(grown.contingency().toarray(), fresh.contingency().toarray())
        assert_array_equal(
            tables.cluster_entropies(grown), tables.cluster_entropies(fresh)
        )


def test_tables_that_are_too_large_to_keep_are_counted_again(many, monkeypatch):
    votes = Ensemble(LABELS).append(LABELS[:9], axis="objects")
    expected = tables.cluster_entropies(votes)
    monkeypatch.setattr(sizes, "KEPT_TABLE_BYTES", 0)
    again = Ensemble(LABELS).append(LABELS[:9], axis="objects")
    assert_array_equal(tables.cluster_entropies(again), expected)


def test_what_was_counted_is_not_counted_again(many, monkeypatch):
    votes = Ensemble(LABELS).append(LABELS[:9], axis="objects")
    votes.dense_contingency  # noqa: B018
    counted = []
    count = CompiledEngine.dense_contingency

    def counting(engine):
        counted.append(engine.block.n_objects)
        return count(engine)

    monkeypatch.setattr(CompiledEngine, "dense_contingency", counting)
    grown = votes.append(LABELS[:5], axis="objects")
    grown.agreement("nmi_sqrt")
    grown.append(np.zeros(74, int)).agreement("nmi_sqrt")
    assert counted == [5]


# -- on disk ---------------------------------------------------------------------------


@pytest.mark.parametrize("labels", [LABELS, GAPS])
def test_a_folder_grows_to_what_memory_grows_to(labels, tmp_path, many):
    folder = tmp_path / "votes"
    Ensemble(labels[:40, :3]).save(folder, block_rows=16)
    before = {path: path.read_bytes() for path in folder.glob("*.npy")}
    Ensemble.grow(folder, labels[:40, 3:])
    rows = np.vstack([labels[40:], [8] * 5])  # with a cluster that nobody knew
    grown = Ensemble.grow(folder, rows, axis="objects")
    grown = Ensemble.grow(folder, np.r_[MORE, 300], clustering_names=None)
    expected = Ensemble(labels[:40]).append(rows, axis="objects")
    expected = expected.append(np.r_[MORE, 300])
    assert same(grown, expected)
    assert same(Ensemble.load(folder), expected)
    assert {path: path.read_bytes() for path in before} == before
    fit = comitia.method("lwgp")(4, random_state=0).fit
    assert_array_equal(fit(grown).labels_.copy(), fit(expected.whole).labels_)


@pytest.mark.parametrize("axis", ["objects", "clusterings"])
@pytest.mark.parametrize("n_written", [0, 1, 2])
def test_a_crash_while_a_folder_grows_loses_nothing(
    axis, n_written, tmp_path, monkeypatch
):
    folder = tmp_path / "votes"
    Ensemble(LABELS).save(folder, block_rows=40)
    before = Ensemble.load(folder)
    new = LABELS[:9] if axis == "objects" else MORE
    write, written = _block_folder.atomic_write, []

    def dies(path, *about):
        if about or len(written) == n_written:
            raise KeyboardInterrupt
        written.append(path)
        return write(path)

    with monkeypatch.context() as patch:
        patch.setattr(_block_folder, "atomic_write", dies)
        patch.setattr(_block_folder, "write_json", dies)
        with pytest.raises(KeyboardInterrupt):
            Ensemble.grow(folder, new, axis=axis)
    assert same(Ensemble.load(folder), before)
    grown = Ensemble.grow(folder, new, axis=axis)
    assert same(grown, before.append(new, axis=axis))


def test_a_damaged_file_of_a_grown_folder_is_noticed(tmp_path):
    folder = tmp_path / "votes"
    Ensemble(LABELS).save(folder)
    Ensemble.grow(folder, MORE)
    late = folder / "block-00000-01.npy"
    content = bytearray(late.read_bytes())
    content[-3] = (content[-3] + 1) % 5
    late.write_bytes(content)
    with pytest.raises(EnsembleFileError, match="not those that were written"):
        Ensemble.load(folder)


def test_the_files_of_a_grown_folder_are_its_own(tmp_path):
    folder = tmp_path / "votes"
    Ensemble(LABELS).save(folder)
    Ensemble.grow(folder, MORE)
    about = json.loads((folder / "ensemble.json").read_text())
    about["parts"][0][1]["file"] = os.path.join("..", "elsewhere.npy")
    _block_folder.write_json(folder / "ensemble.json", about)
    with pytest.raises(EnsembleFileError, match="does not fit"):
        Ensemble.open(folder)


def test_objects_with_names_do_not_go_into_blocks(tmp_path):
    folder = tmp_path / "votes"
    Ensemble(LABELS).save(folder)
    with pytest.raises(ComitiaError, match="no names"):
        Ensemble.grow(folder, Ensemble(MORE[:, None], object_names=range(5, 65)))


# -- fitting again ---------------------------------------------------------------------

LINEAR = ["lwgp", "lwmc", "kcc", "sec", "voting", "mcla"]


def fresh(name, votes):
    return comitia.method(name)(4, random_state=0).fit(votes)


@pytest.mark.parametrize("name", LINEAR)
def test_an_update_ends_where_a_fit_from_scratch_ends(name, many):
    updated = fresh(name, Ensemble(LABELS[:50, :4]))
    updated.partial_update(new_members=LABELS[:50, 4])
    updated.partial_update(new_rows=LABELS[50:])
    again = fresh(name, Ensemble(LABELS))
    assert_array_equal(updated.labels_, again.labels_)
    for weights, others in zip(
        updated.vote_weights().values(), again.vote_weights().values(), strict=True
    ):
        assert_array_equal(weights, others)


def test_an_update_by_rows_can_still_predict():
    X = np.repeat([[0.0, 0], [9, 0], [0, 9]], 20, axis=0) + RNG.uniform(size=(60, 2))
    fitted = comitia.method("lwgp")(3, random_state=0).fit(X[:50])
    new = fitted.generator_.transform(X[50:])
    fitted.partial_update(new_rows=new)
    assert_array_equal(fitted.predict(X), fitted.labels_)


def test_an_update_says_what_it_needs():
    fitted = fresh("lwgp", Ensemble(LABELS))
    with pytest.raises(ComitiaError, match="one of the two"):
        fitted.partial_update()
    before = fitted.labels_
    with pytest.raises(ComitiaError, match="each of the 5"):
        fitted.partial_update(new_rows=[[0, 1]])
    assert fitted.labels_ is before


# -- numbers that stay -----------------------------------------------------------------


def test_clusters_keep_their_numbers_whatever_comes_first():
    before = fresh("lwgp", Ensemble(LABELS, object_names=range(100, 160)))
    order = RNG.permutation(60)
    votes = Ensemble(LABELS[order], object_names=100 + order)
    after = comitia.method("lwgp")(4, random_state=0).fit(votes, align_to=before)
    assert_array_equal(after.labels_, before.labels_[order])
    assert after.drift_.n_moved == 0


def test_labels_stay_contiguous_when_a_cluster_vanishes():
    previous = np.array([3, 4, 0, 1, 2] * 12)
    votes = Ensemble(np.repeat((previous % 4)[:, None], 3, axis=1))
    fitted = comitia.method("voting")(4).fit(votes, align_to=previous)
    # 4 and 0 are one now, and 3 clusters have their numbers still.
    assert_array_equal(fitted.labels_, previous % 4)
    assert [row.what for row in fitted.drift_.rows()] == [
        "merged from 0 and 4",
        "kept",
        "kept",
        "kept",
        "vanished, into 0",
    ]


def test_what_a_method_says_of_its_clusters_goes_with_their_numbers():
    made = comitia.method("cumulative_voting")(4)
    plain = made.fit(Ensemble(LABELS))
    membership, labels = plain.membership_.copy(), plain.labels_.copy()
    swapped = np.array([3, 2, 1, 0])
    aligned = made.fit(Ensemble(LABELS), align_to=swapped[labels])
    assert_array_equal(aligned.labels_, swapped[labels])
    assert_array_equal(aligned.membership_, membership[:, swapped])


def test_drift_counts_what_came_and_went():
    names = [f"o{i}" for i in range(8)]
    pd = pytest.importorskip("pandas")
    before = pd.Series([0, 0, 0, 1, 1, 1], index=names[:6])
    now = pd.Series([1, 1, 0, 0, 2], index=[names[i] for i in (1, 2, 3, 4, 7)])
    found = comitia.drift(before, now)
    assert (found.n_moved, found.n_new, found.n_gone) == (0, 1, 2)
    rows = {row.cluster: row for row in found.rows()}
    assert (rows[1].was, rows[1].gone, rows[0].was, rows[0].gone) == (0, 1, 1, 1)
    assert (rows[2].what, rows[2].new) == ("appeared", 1)
    assert "appeared" in str(found)
    assert "<td>appeared</td>" in found._repr_html_()


def test_drift_reads_a_result_folder(tmp_path):
    fitted = fresh("lwgp", Ensemble(LABELS))
    folder = comitia.Result.from_estimator(fitted).save(tmp_path / "result")
    assert comitia.drift(folder, fitted).n_moved == 0
    again = comitia.method("lwgp")(4, random_state=0).fit(
        Ensemble(LABELS[::-1]), align_to=str(folder)
    )
    assert set(again.labels_) == {0, 1, 2, 3}
