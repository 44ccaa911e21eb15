"""Labels are checked at every door, before a kernel indexes a table by them."""

import json
import pickle

import numpy as np
import pytest
from numpy.testing import assert_array_equal
from scipy.sparse import csr_array, csr_matrix

import comitia
from comitia import Ensemble, config
from comitia._files import write_arrays
from comitia.cluster import leiden
from comitia.cluster.constraints import ConstraintSet
from comitia.cluster.e2cp import adjust_similarity, propagate_constraints
from comitia.engine.compiled import CompiledEngine
from comitia.engine.storage import InMemory, OnDevice
from comitia.exceptions import ComitiaError, EnsembleFileError, MemoryBudgetError
from comitia.partition import metis_partition, ncut
from comitia.prepare import TablePreparer
from comitia.represent import (
    bipartite_graph,
    laplacian,
    random_walk_similarity,
)
from comitia.validity.clustered import Clustered
from tests.fixtures import E6

K = np.array([2, 3])
CODES = np.array([[0, 0, 0, 1, 1, 1], [0, 1, 1, 1, 2, 2]], dtype=np.uint8)


def through_npz(folder, codes, k, kind):
    path = folder / "votes.npz"
    about = {"format": np.array("comitia-ensemble-1"), "kind": np.array(kind)}
    write_arrays(path, {**about, "codes": codes, "n_clusters_each": k})
    return Ensemble.load(path)


def folder_of(folder, codes, k, kind):
    """A folder as it was written before blocks had digests."""
    (folder / "votes").mkdir()
    np.save(folder / "votes" / "block-00000.npy", codes)
    about = {
        "format": "comitia-ensemble-2",
        "kind": kind,
        "n_clusters_each": np.asarray(k).tolist(),
        "dtype": codes.dtype.name,
        "groups": None,
        "clustering_names": None,
        "run": "",
        "n_objects": codes.shape[1],
        "n_rows": [codes.shape[1]],
    }
    (folder / "votes" / "ensemble.json").write_text(json.dumps(about))
    return folder / "votes"


def through_folder(folder, codes, k, kind):
    return Ensemble.load(folder_of(folder, codes, k, kind))


def through_open(folder, codes, k, kind):
    opened = Ensemble.open(folder_of(folder, codes, k, kind))
    (block,) = opened.row_blocks.gather()
    assert block.codes.shape == codes.shape
    return opened


def edited(storage, k, kind):
    """The pickle of an ensemble, with other labels in it."""
    state = {**Ensemble(E6).__getstate__(), "storage": storage, "n_clusters_each": k}
    made = Ensemble.__new__(Ensemble)
    made.__setstate__({**state, "kind": kind})
    return made


def through_pickle(folder, codes, k, kind):
    return edited(InMemory(codes.copy()), k, kind)


def through_pickled_rows(folder, codes, k, kind):
    return edited(InMemory(codes.copy(), compiled=True), k, kind)


def through_device(folder, codes, k, kind):
    torch = pytest.importorskip("torch")
    return Ensemble.assemble(OnDevice(torch.from_numpy(np.array(codes))), k, None, kind)


DOORS = [
    through_npz,
    through_folder,
    through_open,
    through_pickle,
    through_pickled_rows,
    through_device,
]


def with_code(code, dtype=np.uint8):
    codes = CODES.astype(dtype)
    codes[1, 4] = code
    return codes


@pytest.mark.parametrize("door", DOORS)
def test_labels_that_fit_come_through(door, tmp_path):
    assert_array_equal(door(tmp_path, CODES, K, "hard").codes, CODES)


@pytest.mark.parametrize("door", DOORS)
def test_missing_labels_come_through(door, tmp_path):
    codes = with_code(3)
    made = door(tmp_path, codes, K, "partial")
    assert made.kind == "partial"
    assert_array_equal(made.codes, codes)


@pytest.mark.parametrize("door", DOORS)
@pytest.mark.parametrize(
    ("codes", "k", "kind"),
    [
        pytest.param(with_code(3), K, "hard", id="missing labels said to be none"),
        pytest.param(with_code(4), K, "partial", id="a label behind the last"),
        pytest.param(with_code(255), K, "hard", id="a label far behind the last"),
        pytest.param(with_code(-1, np.int32), K, "hard", id="a negative label"),
        pytest.param(CODES, K[:1], "hard", id="a number of clusters less"),
        pytest.param(CODES, np.array([2, 0]), "hard", id="no clusters"),
        pytest.param(CODES, np.array([2, 2**32]), "hard", id="too many clusters"),
        pytest.param(CODES, K, "fuzzy", id="another kind"),
    ],
)
def test_what_does_not_fit_is_refused_at_every_door(door, codes, k, kind, tmp_path):
    with pytest.raises(ComitiaError):
        door(tmp_path, codes, k, kind)


def test_negative_labels_of_an_old_folder_are_refused(tmp_path):
    k = np.array([2, 70_000])  # int32 is the type of so many clusters
    codes = with_code(-5, np.int32)
    opened = Ensemble.open(folder_of(tmp_path, codes, k, "hard"))
    with pytest.raises(EnsembleFileError, match=r"block-00000\.npy is damaged"):
        comitia.method("lwgp")(2).fit(opened)


def test_a_pickled_method_checks_the_labels_it_carries():
    fitted = comitia.method("lwgp")(2).fit(Ensemble(E6))
    wrong = InMemory(np.full_like(fitted.ensemble_.codes, 77))
    fitted.ensemble_.__dict__["storage"] = wrong
    with pytest.raises(ComitiaError, match="codes of clustering 0"):
        pickle.loads(pickle.dumps(fitted))


@pytest.mark.parametrize(
    "state", [{}, {"storage": CODES}, {"storage": None, "n_clusters_each": K}]
)
def test_a_pickle_of_something_else_is_refused(state):
    with pytest.raises(ComitiaError):
        Ensemble.__new__(Ensemble).__setstate__(state)


# -- memberships ----------------------------------------------------------------------

FUZZY = Ensemble.from_memberships([[[0.8, 0.2], [0.5, 0.5], [0, 0]]])
OVERLAPPING = Ensemble.from_clusters([[[0, 1], [1, 2]]], 3)


def membership_of(ensemble, **changes):
    B = ensemble.membership
    parts = {name: getattr(B, name).copy() for name in ("data", "indices", "indptr")}
    parts |= changes
    made = csr_array(B.shape)
    made.data, made.indices, made.indptr = parts.values()
    return made


@pytest.mark.parametrize("ensemble", [FUZZY, OVERLAPPING], ids=["fuzzy", "overlapping"])
@pytest.mark.parametrize(
    "changes",
    [
        {"indices": np.array([0, 9, 0, 1], np.int32)},
        {"indices": np.array([0, -1, 0, 1], np.int32)},
        {"indices": np.array([0, 0, 0, 1], np.int32)},
        {"indptr": np.array([0, 9, 9, 9], np.int32)},
        {"indptr": np.array([0, 4], np.int32)},
        {"indptr": np.array([0, 4, 2, -2], np.int32)},  # SciPy looks at none of them
        {"data": np.array([0.8, np.nan, 0.5, 0.5])},
        {"data": np.array([0.8, 0.9, 0.5, 0.5])},
        {"data": np.array([0.2, 0.8, 0.5, 0.5])},
        {"data": np.array([1.8, -0.8, 0.5, 0.5])},
    ],
    ids=str,
)
def test_memberships_that_do_not_fit_are_refused(ensemble, changes):
    state = ensemble.__getstate__()
    state["membership"] = membership_of(ensemble, **changes)
    with pytest.raises(ComitiaError):
        Ensemble.__new__(Ensemble).__setstate__(state)


@pytest.mark.parametrize("ensemble", [FUZZY, OVERLAPPING], ids=["fuzzy", "overlapping"])
def test_memberships_and_labels_belong_together(ensemble):
    state = ensemble.__getstate__()
    Ensemble.__new__(Ensemble).__setstate__(state)
    with pytest.raises(ComitiaError, match="label that is not its cluster"):
        Ensemble.__new__(Ensemble).__setstate__(
            {**state, "storage": InMemory(ensemble.codes[:, ::-1].copy())}
        )
    other = {"fuzzy": "overlapping", "overlapping": "fuzzy"}[ensemble.kind]
    with pytest.raises(ComitiaError, match="memberships do not fit"):
        Ensemble.__new__(Ensemble).__setstate__({**state, "kind": other})


# -- what callers give ----------------------------------------------------------------


def test_more_clusters_than_labels_can_name_are_refused():
    with pytest.raises(ComitiaError, match="at most 2147483647 clusters"):
        Ensemble.from_codes(np.array([[0, 1]]), [2**32])


@pytest.mark.parametrize("k", [[np.nan], [np.inf], [2.5], [0], [2**70], [True], 2])
def test_numbers_of_clusters_are_whole_and_positive(k):
    with pytest.raises(ComitiaError, match="n_clusters_each"):
        Ensemble.from_codes(np.array([[0, 1]]), k)


def test_a_table_of_all_clusters_must_fit_the_memory():
    with config.limit("1 GB"), pytest.raises(MemoryBudgetError, match="2000000000 clu"):
        Ensemble.from_codes(np.array([[0, 1]]), [2_000_000_000])


def test_a_table_of_every_two_clusters_must_fit_the_memory():
    many = Ensemble.from_codes(CODES, [2, 10**6])
    with config.limit("1 GB"), pytest.raises(MemoryBudgetError, match="1000002 clust"):
        CompiledEngine(many).weighted_tables(np.ones(6), None, 1.0)


@pytest.mark.parametrize("codes", [[0, 1, 9], [0, 1, -1]])
def test_codes_beside_data_are_checked_too(codes):
    with pytest.raises(ComitiaError, match=r"must lie in 0\.\.2"):
        Clustered.from_codes(np.eye(3), np.array(codes), 2)


@pytest.mark.parametrize("dtype", ["u1", "<i4", ">i4", "<i8", ">u2"])
@pytest.mark.parametrize("order", ["C", "F"])
def test_codes_of_any_integers_in_any_order_are_taken(dtype, order):
    codes = np.array(CODES, dtype=dtype, order=order)
    made = Ensemble.from_codes(codes, K)
    assert made == Ensemble.from_codes(CODES, K)
    assert made.codes.dtype == np.uint8
    assert Ensemble.from_codes(np.repeat(codes, 2, axis=1)[:, ::2], K) == made


def test_an_ensemble_does_not_share_the_array_it_was_made_of():
    base = CODES.copy()
    made = Ensemble.from_codes(base[:], K)
    whole = Ensemble.from_codes(base, K)
    base[:] = 1
    assert_array_equal(made.codes, CODES)
    assert_array_equal(whole.codes, CODES)


def test_an_ensemble_does_not_share_the_tensor_it_was_made_of():
    torch = pytest.importorskip("torch")
    tensor = torch.from_numpy(CODES.copy())
    made = Ensemble.from_codes(tensor, K)
    tensor[:] = 1
    assert_array_equal(made.storage.codes, CODES)


def test_an_ensemble_does_not_change_with_the_file_its_codes_were_mapped_from(tmp_path):
    np.save(tmp_path / "codes.npy", CODES)
    mapped = np.load(tmp_path / "codes.npy", mmap_mode="r+")
    made = Ensemble.from_codes(mapped, K)
    mapped[:] = 77
    mapped.flush()
    assert_array_equal(made.codes, CODES)


def test_more_objects_than_memory_are_refused():
    with pytest.raises(MemoryBudgetError, match="10000000000000 objects"):
        Ensemble.from_clusters([[[0, 1], [1, 2]]], 10**13)


@pytest.mark.parametrize("form", [csr_array, csr_matrix])
def test_a_sparse_matrix_is_told_what_to_give(form):
    sparse = form(np.eye(3))
    with pytest.raises(ComitiaError, match=r"labels is a sparse .* labels\.toarray"):
        Ensemble(sparse)
    with pytest.raises(ComitiaError, match=r"memberships\[0\] is a sparse"):
        Ensemble.from_memberships([sparse])
    for make in (
        lambda: Ensemble.from_memberships(sparse),
        lambda: Ensemble.from_codes(sparse, [1, 1, 1]),
        lambda: Ensemble.from_codes(CODES, sparse),
        lambda: Ensemble.from_clusters(sparse, 3),
    ):
        with pytest.raises(ComitiaError, match="is a sparse matrix"):
            make()


def test_names_that_are_no_text_are_refused(tmp_path):
    Ensemble(E6, groups="abc").save(tmp_path / "votes.npz")
    with np.load(tmp_path / "votes.npz") as file:
        arrays = {name: file[name] for name in file.files}
    arrays["groups"] = np.full(3, 0x7FFFFFFF, np.uint32).view("<U1")
    write_arrays(tmp_path / "votes.npz", arrays)
    with pytest.raises(EnsembleFileError, match="characters"):
        Ensemble.load(tmp_path / "votes.npz")


def test_an_array_that_is_shorter_than_its_place_in_the_file_is_refused(tmp_path):
    # The checksum of a part of an archive is compared when its end is read.
    Ensemble(np.tile(E6, (2000, 1))).save(tmp_path / "votes.npz")
    with np.load(tmp_path / "votes.npz") as file:
        arrays = {name: file[name] for name in file.files}
    write_arrays(tmp_path / "votes.npz", arrays)
    content = (tmp_path / "votes.npz").read_bytes()
    assert b"(3, 12000)" in content
    shorter = content.replace(b"(3, 12000)", b"(3, 10000)")
    (tmp_path / "votes.npz").write_bytes(shorter)
    with pytest.raises(EnsembleFileError):
        Ensemble.load(tmp_path / "votes.npz")


# -- sparse matrices ------------------------------------------------------------------

VOTES = Ensemble([[0], [0], [1]])  # two clusters of one clustering
COUNTED = TablePreparer(form="counts").fit(csr_array([[1, 2], [3, 0], [0, 5]]))
PAIR = ConstraintSet(2, must_link=[(0, 1)])
SPARSE_DOORS = {
    "methods of graphs": lambda A: comitia.method("ecg")().fit(A),
    "leiden": lambda A: leiden(A, np.random.RandomState(0)),
    "metis": lambda A: metis_partition(A, 2),
    "ncut": lambda A: ncut(A, 2, np.random.RandomState(0)),
    "laplacian": laplacian,
    "random walks": random_walk_similarity,
    "edges of clusters": lambda A: bipartite_graph(VOTES, cluster_edges=A).matrix(),
    "tables": lambda A: TablePreparer().fit_transform(A),
    "counts": lambda A: TablePreparer(form="counts").fit_transform(A),
    "named counts": lambda A: TablePreparer(form="counts").fit_counts(A, "ab"),
    "new counts": lambda A: COUNTED.transform_counts(A),
    "constraints": lambda A: propagate_constraints(A, PAIR),
    "similarities": lambda A: adjust_similarity(A, np.zeros((2, 2))),
}


def damaged(form, name, values):
    """A ring of objects, or two of them, with another array in it."""
    made = csr_array(np.array([[0.0, 1.0], [1.0, 0.0]])).asformat(form)
    setattr(made, name, values)
    return made


@pytest.mark.parametrize("door", SPARSE_DOORS.values(), ids=list(SPARSE_DOORS))
@pytest.mark.parametrize(
    ("form", "name", "values"),
    [
        ("csr", "indices", np.array([10**6, 0], np.int32)),
        ("csr", "indices", np.array([1, -5], np.int32)),
        ("csr", "indptr", np.array([0, 1, 10**6], np.int32)),
        ("csr", "indptr", np.array([0, 1, -2], np.int32)),
        ("csc", "indices", np.array([10**6, 0], np.int32)),
        ("coo", "coords", (np.array([0, 10**6]), np.array([1, 0]))),
        ("coo", "coords", (np.array([0, 1]), np.array([1]))),
        ("lil", "rows", np.array([[10**6], [0]], object)),
        ("lil", "rows", np.array([[1], []], object)),
    ],
)
def test_a_sparse_matrix_with_entries_outside_is_refused(door, form, name, values):
    with pytest.raises(ComitiaError, match="damaged sparse matrix"):
        door(damaged(form, name, values))


@pytest.mark.parametrize("form", ["bsr", "coo", "csc", "csr", "dia", "dok", "lil"])
def test_sparse_matrices_of_all_forms_are_taken(form):
    A = np.array([[0.0, 1, 0, 0], [1, 0, 0, 0], [0, 0, 0, 1], [0, 0, 1, 0]])
    given = csr_array(A).asformat(form)
    assert_array_equal(laplacian(given).toarray(), laplacian(A))
    assert_array_equal(metis_partition(given, 2), metis_partition(A, 2))
    assert_array_equal(random_walk_similarity(given), random_walk_similarity(A))


# -- Dask -----------------------------------------------------------------------------


def test_blocks_of_a_dask_array_that_are_not_what_it_says_are_refused():
    da = pytest.importorskip("dask.array")
    said = da.zeros((6, 2), dtype=int, chunks=(3, 2))
    for wrong in (np.zeros((3, 3), int), np.zeros((3, 2)), np.zeros(3, int)):
        lying = said.map_blocks(lambda block, wrong=wrong: wrong, dtype=int)
        with pytest.raises(ComitiaError, match="labels has a block of"):
            Ensemble.from_dask(lying)


def test_a_dask_block_that_is_not_the_same_twice_is_refused():
    from comitia.distributed.arrays import _encoded

    each = [np.array([3, 5]), np.array([0, 1])]
    how = {"each": each, "n_clusters_each": np.array([2, 2]), "kind": "partial"}
    table = np.array([[3, 0], [5, 1], [-1, 0]])
    assert_array_equal(_encoded(table, 3, **how).codes, [[0, 1, 2], [0, 1, 0]])
    for changed in (table + 1, table[:2], table[:, :1]):
        with pytest.raises(ComitiaError, match="labels changes from one computation"):
            _encoded(changed, 3, **how)
