"""Row blocks: the same labels from memory, from disk and from Dask's workers."""

import json
import os
import pickle
import warnings

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

import comitia
from comitia import Ensemble, sizes
from comitia._files import signed
from comitia._store import BlockWriter
from comitia.engine.compiled import LabelRows
from comitia.engine.row_blocks import LocalBlocks, join, micro_rows, pieces
from comitia.engine.storage import InBlocks
from comitia.exceptions import ComitiaError, EnsembleFileError, MemoryBudgetError
from comitia.partition import _lloyd, kmeans_rows

N, K = 700, 4

# Methods that touch objects only through their row blocks.
LINEAR = [
    "consensus",
    "dias",
    "ecpcs_mc",
    "gp_mgla",
    "kcc",
    "kmodes_consensus",
    "lwgp",
    "lwmc",
    "mcla",
    "sec",
    "voting",
    "womc",
    "zhou_tang_2006",
]

# Reads all labels first: METIS needs the whole graph.
READERS = ["hbgf"]


@pytest.fixture(autouse=True)
def few_is_many(monkeypatch):
    """Let small ensembles go the way of large ones."""
    monkeypatch.setattr(sizes, "FEW_LABELS", 0)
    monkeypatch.setattr(sizes, "FEW_OBJECTS", 0)
    monkeypatch.setattr(sizes, "MANY_ROWS", 60)
    monkeypatch.setattr(sizes, "MANY_FOR_TREES", 0)
    monkeypatch.setattr(sizes, "SAMPLE_ROWS", 100)
    monkeypatch.setattr(_lloyd, "_SHARE", 3)


def planted(noise=0.5, missing=0.0, M=8, seed=0):
    rng = np.random.RandomState(seed)
    truth = rng.randint(K, size=N)
    labels = np.where(
        rng.uniform(size=(N, M)) < noise, rng.randint(K, size=(N, M)), truth[:, None]
    )
    labels[rng.uniform(size=(N, M)) < missing] = -1
    labels[(labels == -1).all(axis=1), 0] = 0
    return labels


def on_disk(votes, tmp_path, n_blocks):
    folder = tmp_path / f"blocks-{n_blocks}"
    if not folder.exists():
        votes.save(folder, block_rows=-(-votes.n_objects // n_blocks))
    return Ensemble.open(folder)


def fitted(name, votes):
    made = comitia.method(name)(n_clusters=K, random_state=0)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # a pass more or less does not matter here
        return made.fit(votes)


@pytest.mark.parametrize(("noise", "missing"), [(0.1, 0.0), (0.6, 0.1)])
@pytest.mark.parametrize("name", LINEAR + READERS)
def test_blocks_do_not_change_the_labels(name, noise, missing, tmp_path):
    votes = Ensemble(planted(noise, missing))
    alone = fitted(name, votes)
    # What is hard is hard in one block of rows or in many.
    for n_blocks in (1, 16) if noise < 0.5 else (16,):
        opened = on_disk(votes, tmp_path, n_blocks)
        got = fitted(name, opened)
        assert_array_equal(got.labels_, alone.labels_)
        assert_array_equal(got.confidence_, alone.confidence_)
        for weights in ("clustering_weights_", "cluster_weights_", "object_weights_"):
            if hasattr(alone, weights):
                assert_array_equal(getattr(got, weights), getattr(alone, weights))


@pytest.mark.parametrize("name", LINEAR)
def test_linear_methods_never_read_all_labels(name, tmp_path, monkeypatch):
    votes = Ensemble(planted())
    opened = on_disk(votes, tmp_path, 3)

    def whole(self, ensemble):
        raise AssertionError("all labels were asked for")

    monkeypatch.setattr(InBlocks, "read", whole)
    made = fitted(name, opened)
    assert sum(len(part.labels) for part in made.result_blocks()) == N


def test_these_ensembles_have_many_different_rows():
    # Otherwise the tests above would not work on blocks at all.
    for noise in (0.1, 0.6):
        n_different = len(Ensemble(planted(noise)).distinct().counts)
        assert n_different > sizes.MANY_ROWS


def test_few_different_rows_are_brought_to_one_place(tmp_path, monkeypatch):
    monkeypatch.setattr(sizes, "MANY_ROWS", 400)
    votes = Ensemble(planted(0.05, M=4))
    rows = micro_rows(on_disk(votes, tmp_path, 5))
    assert rows.only is not None
    assert rows.only.counts.sum() == N
    expected = votes.distinct().in_content_order().ensemble.codes
    assert_array_equal(rows.only.ensemble.codes, expected)
    back = rows.spread(LocalBlocks([rows.only.ensemble.codes[2]]))
    assert_array_equal(back, votes.codes[2])
    for name in ("lwgp", "kcc", "sec"):
        assert_array_equal(
            fitted(name, on_disk(votes, tmp_path, 5)).labels_,
            fitted(name, votes).labels_,
        )


@pytest.mark.parametrize("varies", ["object_weights", "row_scale"])
def test_objects_with_equal_labels_may_differ_otherwise(varies, tmp_path):
    votes = Ensemble(planted(0.2))
    given = {varies: np.random.RandomState(3).uniform(0.5, 2.0, size=N)}
    found = [
        comitia.partition.kmeans_rows(e, K, np.random.RandomState(0), **given)
        for e in (votes, on_disk(votes, tmp_path, 4))
    ]
    assert_array_equal(found[0].labels, found[1].labels)
    assert_array_equal(found[0].objective, found[1].objective)


def test_an_opened_ensemble_is_the_saved_one(tmp_path):
    votes = Ensemble(planted(missing=0.1), clustering_names=list("abcdefgh"))
    opened = on_disk(votes, tmp_path, 3)
    assert repr(opened).endswith("n_blocks=3)")
    assert opened == votes
    assert_array_equal(opened.sizes, votes.sizes)
    assert_array_equal(opened.n_votes, votes.n_votes)
    assert_array_equal(opened.labels, votes.labels)
    assert abs(opened.contingency() - votes.contingency()).max() == 0
    assert_array_equal(opened.agreement(), votes.agreement())
    assert list(opened.clustering_names) == list("abcdefgh")
    assert Ensemble.load(tmp_path / "blocks-3") == votes


def test_reading_all_labels_is_asked_of_the_memory_budget(tmp_path):
    opened = on_disk(Ensemble(planted()), tmp_path, 3)
    with comitia.config.limit(100), pytest.raises(MemoryBudgetError, match="linear"):
        _ = opened.codes


def test_an_opened_ensemble_is_not_pickled(tmp_path):
    opened = on_disk(Ensemble(planted()), tmp_path, 3)
    with pytest.raises(ComitiaError, match="open its folder again"):
        pickle.dumps(opened)


def test_a_block_travels_as_its_path(tmp_path):
    votes = Ensemble(planted(M=8))
    (block,) = on_disk(votes, tmp_path, 1).row_blocks.values
    sent = pickle.dumps(block)
    assert len(sent) < votes.codes.nbytes / 2
    assert_array_equal(pickle.loads(sent).codes, votes.codes)


def test_result_blocks_cover_the_objects_in_order(tmp_path):
    votes = Ensemble(planted())
    opened = on_disk(votes, tmp_path, 3)
    made, alone = fitted("lwgp", opened), fitted("lwgp", votes)
    parts = list(made.result_blocks())
    assert [part.rows.start for part in parts] == [0, 234, 468]
    shares = np.concatenate([part.membership for part in parts])
    assert_array_equal(shares, alone.membership_)


# -- what is on disk ----------------------------------------------------------------


def test_a_writer_goes_on_where_another_one_stopped(tmp_path):
    votes = Ensemble(planted())
    first = BlockWriter(tmp_path / "e", votes.n_clusters_each, run="a")
    first.write(0, votes.codes[:, :400])
    with pytest.raises(EnsembleFileError, match=r"no ensemble\.json"):
        Ensemble.open(tmp_path / "e")
    second = BlockWriter(tmp_path / "e", votes.n_clusters_each, run="a")
    assert second.done(0)
    assert not second.done(1)
    second.write(1, votes.codes[:, 400:])
    second.finish([400, 300])
    assert Ensemble.open(tmp_path / "e") == votes


def test_a_writer_refuses_the_blocks_of_another_run(tmp_path):
    BlockWriter(tmp_path / "e", [3], run="a").write(0, np.zeros((1, 5), int))
    with pytest.raises(EnsembleFileError, match="another run"):
        BlockWriter(tmp_path / "e", [3], run="b")


@pytest.mark.parametrize(
    ("codes", "words"),
    [
        (np.full((1, 5), 4), r"must lie in 0\.\.3"),
        (np.full((1, 5), -1), r"must lie in 0\.\.3"),
        (np.zeros((2, 5), int), "must have 1 rows"),
        (np.zeros(5, int), "must have 1 rows"),
    ],
)
def test_a_writer_refuses_codes_that_do_not_fit(codes, words, tmp_path):
    with pytest.raises(ComitiaError, match=words):
        BlockWriter(tmp_path / "e", [3]).write(0, codes)


def test_a_full_disk_names_the_block_and_keeps_the_others(tmp_path, monkeypatch):
    writer = BlockWriter(tmp_path / "e", [3])
    writer.write(0, np.zeros((1, 5), int))

    def full(file, array):
        file.write(b"half")
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(np, "save", full)
    with pytest.raises(EnsembleFileError, match=r"block-00001\.npy .*No space left"):
        writer.write(1, np.zeros((1, 5), int))
    names = sorted(path.name for path in (tmp_path / "e").iterdir())
    assert names == ["block-00000.npy", "run.json"]


def damage(folder, how):
    block = folder / "block-00001.npy"
    if how == "gone":
        block.unlink()
    elif how == "short":
        block.write_bytes(block.read_bytes()[:-10])
    elif how == "garbage":
        block.write_bytes(b"no array at all")
    elif how == "type":
        np.save(block, np.load(block).astype(np.int64))
    elif how == "shape":
        np.save(block, np.load(block)[:, 1:])


@pytest.mark.parametrize("how", ["gone", "short", "garbage", "type", "shape"])
def test_a_damaged_block_is_named(how, tmp_path):
    Ensemble(planted()).save(tmp_path / "e", block_rows=300)
    damage(tmp_path / "e", how)
    for read in (Ensemble.open, Ensemble.load):
        with pytest.raises(EnsembleFileError, match=r"block-00001\.npy"):
            read(tmp_path / "e")


def test_labels_that_no_cluster_has_are_found_before_a_kernel_reads_them(tmp_path):
    Ensemble(planted()).save(tmp_path / "e", block_rows=300)
    block = tmp_path / "e" / "block-00001.npy"
    codes = np.load(block)
    codes[3, 5] = 99
    np.save(block, codes)
    opened = Ensemble.open(tmp_path / "e")
    with pytest.raises(EnsembleFileError, match=r"block-00001\.npy is damaged"):
        fitted("lwgp", opened)


@pytest.mark.parametrize(
    "changes",
    [{"kind": None}, {"n_rows": [300, 399]}, {"dtype": "object"}, {"dtype": "int32"}],
    ids=str,
)
def test_a_damaged_description_is_refused(changes, tmp_path):
    Ensemble(planted()).save(tmp_path / "e", block_rows=300)
    path = tmp_path / "e" / "ensemble.json"
    about = json.loads(path.read_text()) | changes
    for edited in (about, signed(about)):
        path.write_text(json.dumps(edited))
        with pytest.raises(EnsembleFileError, match="does not fit"):
            Ensemble.open(tmp_path / "e")


def flip(path, place, bit=0):
    """Damage a file by one bit."""
    content = bytearray(path.read_bytes())
    content[place] ^= 1 << bit
    path.write_bytes(content)


@pytest.mark.parametrize("read", [Ensemble.open, Ensemble.load])
def test_one_flipped_bit_is_noticed_when_the_block_is_first_read(read, tmp_path):
    Ensemble(planted()).save(tmp_path / "e", block_rows=300)
    flip(tmp_path / "e" / "block-00001.npy", 500)
    codes = np.load(tmp_path / "e" / "block-00001.npy")
    assert codes.max() < 4  # labels that there are
    with pytest.raises(EnsembleFileError, match=r"block-00001\.npy .* not those that"):
        fitted("lwgp", read(tmp_path / "e"))


def test_memberships_and_names_have_digests_too(tmp_path):
    Ensemble(planted(), object_names=range(700)).save(tmp_path / "e", block_rows=300)
    flip(tmp_path / "e" / "block-00001.npz", 10)  # the time, of which nothing depends
    with pytest.raises(EnsembleFileError, match=r"block-00001\.npz is damaged"):
        Ensemble.load(tmp_path / "e")


def test_one_flipped_bit_in_the_description_is_noticed(tmp_path):
    Ensemble(planted(M=3), groups=["kmeans", "kmeans", "ward"]).save(tmp_path / "e")
    about = tmp_path / "e" / "ensemble.json"
    flip(about, about.read_bytes().index(b"ward"))
    with pytest.raises(EnsembleFileError, match="digest"):
        Ensemble.open(tmp_path / "e")


def test_a_block_that_changes_after_it_was_read_is_looked_at_again(tmp_path):
    Ensemble(planted()).save(tmp_path / "e", block_rows=300)
    opened = Ensemble.open(tmp_path / "e")
    block = opened.row_blocks.values[1]
    assert block.codes.shape == (8, 300)
    path = tmp_path / "e" / "block-00001.npy"
    flip(path, 500)
    os.utime(path, ns=(0, 0))  # clocks of file systems are coarse
    with pytest.raises(EnsembleFileError, match="not those that were written"):
        _ = block.codes


def test_a_damaged_block_of_a_run_that_was_killed_is_made_again(tmp_path):
    votes = Ensemble(planted())
    first = BlockWriter(tmp_path / "e", votes.n_clusters_each, run="a")
    first.write(0, votes.codes[:, :400])
    first.write(1, votes.codes[:, 400:])
    flip(tmp_path / "e" / "block-00001.npy", 500)
    second = BlockWriter(tmp_path / "e", votes.n_clusters_each, run="a")
    assert [second.done(0), second.done(1)] == [True, False]
    with pytest.raises(EnsembleFileError, match="not those that were written"):
        second.finish([400, 300])
    second.write(1, votes.codes[:, 400:])
    second.finish([400, 300])
    assert Ensemble.load(tmp_path / "e") == votes
    # Those of the first run have digests in the description as well.
    flip(tmp_path / "e" / "block-00000.npy", 500)
    with pytest.raises(EnsembleFileError, match=r"block-00000\.npy"):
        Ensemble.load(tmp_path / "e")


def test_memberships_are_loaded_not_opened(tmp_path):
    fuzzy = Ensemble.from_memberships([np.full((6, 2), 0.5)])
    fuzzy.save(tmp_path / "e")
    with pytest.raises(EnsembleFileError, match=r"Ensemble\.load"):
        Ensemble.open(tmp_path / "e")
    assert Ensemble.load(tmp_path / "e") == fuzzy


# -- small parts ----------------------------------------------------------------------


def test_pieces_and_join_are_inverse():
    rows = np.arange(20).reshape(10, 2)
    parts = pieces(rows, [3, 5, 2])
    assert [len(part) for part in parts] == [3, 5, 2]
    assert_array_equal(join(LocalBlocks(parts), 10), rows)


@pytest.mark.parametrize(
    ("labels", "expected"),
    [
        ([5, 5, 2, 7, 2], [0, 0, 1, 2, 1]),
        ([0, 1, 2], [0, 1, 2]),
        ([-1, 3, -1], [0, 1, 0]),
        ([10**9, -(10**9), 10**9], [0, 1, 0]),
    ],
)
def test_labels_are_numbered_by_first_appearance(labels, expected, monkeypatch):
    from comitia import base

    for at_once in (1, 2, 100):
        monkeypatch.setattr(base, "_LABELS_AT_ONCE", at_once)
        codes, n_labels = base._by_appearance(np.array(labels))
        assert codes.tolist() == expected
        assert n_labels == len(set(labels))


def test_a_block_may_have_no_part_in_the_samples(tmp_path):
    # The last block has one object, and few of its kind are drawn.
    votes = Ensemble(planted(0.6))
    votes.save(tmp_path / "folder", block_rows=N - 1)
    opened = Ensemble.open(tmp_path / "folder")
    assert list(opened.rows_each) == [N - 1, 1]
    for name in ("lwgp", "sec", "kcc", "kmodes_consensus"):
        assert_array_equal(fitted(name, opened).labels_, fitted(name, votes).labels_)


@pytest.mark.parametrize("noise", [0.1, 0.6])  # merged rows, and rows as they are
@pytest.mark.parametrize("unit", [1e-9, 2.0**-40, 1e9])
def test_the_unit_of_object_weights_does_not_matter(unit, noise):
    votes = Ensemble(planted(noise, M=4))
    a = np.random.RandomState(1).uniform(0.5, 1.5, size=N)
    plain = kmeans_rows(votes, K, np.random.RandomState(0), object_weights=a)
    got = kmeans_rows(votes, K, np.random.RandomState(0), object_weights=unit * a)
    assert_allclose(got.objective, unit * plain.objective, rtol=1e-9)
    assert_array_equal(got.labels, plain.labels)


def test_most_passes_are_over_a_share_of_the_objects(monkeypatch):
    passed = []
    assign = LabelRows.assign

    def counted(rows, before, **given):
        if "labels" not in given:  # as they are in the starts on a sample
            passed.append(rows.n_objects)
        return assign(rows, before, **given)

    monkeypatch.setattr(LabelRows, "assign", counted)
    fitted("kcc", Ensemble(planted(0.6)))
    assert {*passed} == {N // 3, N}
    assert passed == sorted(passed)


def test_an_empty_cluster_is_found_again_in_blocks():
    # Three groups of rows and a start that sees two of them.
    points = np.repeat(np.eye(3), 5, axis=0)
    rows = [_lloyd_rows(points[lo : lo + 5]) for lo in (0, 5, 10)]
    rule = _lloyd.Squared(np.transpose)
    start = rule.centers(np.array([points[0], points[0], points[5]]), np.ones(3), 0.0)
    found = _lloyd._over_blocks(LocalBlocks(rows), rule, start, 20, 0.0)
    labels = np.concatenate(list(found.labels.gather()))
    assert len(set(labels.tolist())) == 3
    assert found.objective[-1] == pytest.approx(0.0, abs=1e-12)


def _lloyd_rows(points):
    from comitia.partition.k_means import PointRows

    return PointRows(points, np.ones(len(points)), (points**2).sum(axis=1))
