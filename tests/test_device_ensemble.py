"""Ensembles whose labels live on a device: the same labels as in memory, without them.

Tensors on the CPU go the way that those on a GPU go; where there is a GPU, it is asked
too.
"""

import pickle
from importlib.util import find_spec

import numpy as np
import pytest
from numpy.testing import assert_array_equal

import comitia
from comitia import Ensemble, sizes
from comitia.exceptions import ComitiaError, MemoryBudgetError

torch = pytest.importorskip("torch", reason="PyTorch is not installed")

from comitia.engine.device import DeviceRows  # noqa: E402
from comitia.engine.storage import OnDevice  # noqa: E402

on_cuda = pytest.param(
    "cuda",
    marks=pytest.mark.skipif(
        not torch.cuda.is_available(), reason="there is no CUDA device here"
    ),
)

# From 50 000 objects on the work is done on the device.
N = 52_000
METHODS = ["lwgp", "sec", "kcc", "voting", "gp_mgla", "mcla", "consensus"]


def noisy(n, n_clusterings, n_clusters, noise, missing=0.0):
    rng = np.random.RandomState(0)
    truth = rng.randint(n_clusters, size=(n, 1))
    drawn = rng.randint(n_clusters, size=(n, n_clusterings))
    labels = np.where(rng.random_sample(drawn.shape) < noise, drawn, truth)
    labels[:, 1:][rng.random_sample((n, n_clusterings - 1)) < missing] = -1
    return labels


@pytest.fixture(scope="module")
def different():
    """Labels with so many different rows that they are not merged."""
    return noisy(N, 9, 6, 0.8)


@pytest.fixture(scope="module")
def alike():
    """Labels with a few thousand different rows."""
    return noisy(N, 6, 4, 0.3)


@pytest.fixture(scope="module")
def partial():
    return noisy(N, 9, 6, 0.8, missing=0.1)


@pytest.fixture
def no_copies(monkeypatch):
    """An ensemble of many objects that is copied into memory is an error."""

    def refuse(self, ensemble):
        raise AssertionError("the labels were copied into memory")

    monkeypatch.setattr(OnDevice, "read", refuse)


def fitted(name, given, **fit_params):
    method = comitia.method(name)
    few = {"n_init": 2} if "n_init" in method().get_params() else {}
    return method(n_clusters=4, random_state=0, **few).fit(given, **fit_params)


def assert_same(one, other):
    assert_array_equal(one.labels_, other.labels_)
    assert one.labels_.dtype == other.labels_.dtype
    for name, value in vars(one).items():
        if name.endswith("weights_") or name in ("objective_", "n_iter_"):
            assert_array_equal(value, getattr(other, name), err_msg=name)


@pytest.mark.parametrize("device", ["torch", on_cuda])
@pytest.mark.parametrize("name", METHODS)
def test_a_consensus_is_the_same_to_the_bit(name, different, device, no_copies):
    if name == "mcla":
        pytest.importorskip("pymetis")
    there = Ensemble.on_device(torch.tensor(different), device)
    assert_same(fitted(name, there), fitted(name, Ensemble(different)))


@pytest.mark.parametrize("device", ["torch", on_cuda])
@pytest.mark.parametrize("name", ["eac", "lwea"])
def test_landmarks_speak_for_objects_that_stay_there(name, partial, device, no_copies):
    there = Ensemble.on_device(torch.tensor(partial), device)
    here = fitted(name, Ensemble(partial), approximate="landmarks")
    assert_same(fitted(name, there, approximate="landmarks"), here)


@pytest.mark.parametrize("kind", ["alike", "partial"])
@pytest.mark.parametrize("name", ["lwgp", "sec", "consensus"])
def test_equal_rows_and_missing_labels_change_nothing(name, kind, request, no_copies):
    labels = request.getfixturevalue(kind)
    there = Ensemble.on_device(torch.tensor(labels))
    assert_same(fitted(name, there), fitted(name, Ensemble(labels)))


def test_the_confidence_is_that_of_labels_in_memory(alike):
    there = Ensemble.on_device(torch.tensor(alike))
    expected = fitted("lwgp", Ensemble(alike)).confidence_
    assert_array_equal(fitted("lwgp", there).confidence_, expected)


@pytest.mark.parametrize("name", ["lwgp", "sec", "kcc"])
def test_passes_over_a_share_of_the_objects_stay_there(
    name, different, monkeypatch, no_copies
):
    monkeypatch.setattr(sizes, "SAMPLE_ROWS", 2000)
    passed = []
    assign = DeviceRows.assign

    def counted(rows, before, **given):
        passed.append(len(rows.squares))
        return assign(rows, before, **given)

    monkeypatch.setattr(DeviceRows, "assign", counted)
    there = Ensemble.on_device(torch.tensor(different))
    assert_same(fitted(name, there), fitted(name, Ensemble(different)))
    assert {*passed} == {N // 8, N}


def test_fit_puts_labels_on_a_device(different, monkeypatch):
    from comitia._kernels import device as kernels

    called = []
    count = kernels.count_with
    monkeypatch.setattr(
        kernels, "count_with", lambda *given: called.append(1) or count(*given)
    )
    votes = Ensemble(different)
    got = fitted("kcc", votes, device="torch")
    assert called
    assert got.ensemble_ is votes
    called.clear()
    assert_same(got, fitted("kcc", votes))
    assert not called


@pytest.mark.filterwarnings("ignore:only .* clusters were found")
def test_few_objects_are_worked_on_in_memory():
    labels = noisy(300, 5, 3, 0.3)
    there = Ensemble.on_device(torch.tensor(labels))
    for name in METHODS:
        if name != "mcla" or find_spec("pymetis"):
            assert_same(fitted(name, there), fitted(name, Ensemble(labels)))


def test_a_method_that_knows_no_devices_gets_a_copy():
    labels = noisy(300, 5, 3, 0.3)
    votes = Ensemble.on_device(torch.tensor(labels))
    got, here = (
        comitia.method("lwea")(3).fit(each) for each in (votes, Ensemble(labels))
    )
    assert got.ensemble_ is votes
    assert_array_equal(got.labels_, here.labels_)
    assert_array_equal(got.membership_, here.membership_)


def test_an_empty_cluster_is_found_again(no_copies):
    # Two kinds of rows are many, so that a sample of them leaves the others out.
    rng = np.random.RandomState(1)
    labels = np.repeat([[0] * 8, [1] * 8], N // 2, axis=0)
    labels[::2] = rng.randint(2, 9, size=labels[::2].shape)
    kcc = comitia.method("kcc")(n_clusters=12, n_init=1, random_state=0)
    here = kcc.fit(Ensemble(labels)).labels_
    there = Ensemble.on_device(torch.tensor(labels))
    assert_array_equal(kcc.fit(there).labels_, here)


# -- what the labels are read as ------------------------------------------------------


@pytest.mark.parametrize("dtype", ["int8", "uint8", "int32", "int64"])
@pytest.mark.parametrize(
    "labels",
    [[[3, 0], [3, 1], [7, 1]], [[0, 5], [-1, 5], [2, -1]], [[0, 0], [0, 0], [0, 0]]],
)
def test_labels_are_coded_as_in_memory(labels, dtype):
    table = np.array(labels)
    if dtype == "uint8" and table.min() < 0:
        pytest.skip("unsigned labels are never missing")
    got = Ensemble.on_device(torch.tensor(table.astype(dtype)))
    expected = Ensemble(table)
    assert got.kind == expected.kind
    assert_array_equal(got.codes, expected.codes)
    assert_array_equal(got.n_clusters_each, expected.n_clusters_each)
    assert got == expected


@pytest.mark.parametrize("largest", [300, 40_000, 10**12])
def test_labels_may_be_many_and_large(largest):
    table = np.random.RandomState(0).randint(largest, size=(50_000, 2))
    table[0] = -1
    got, expected = Ensemble.on_device(torch.tensor(table)), Ensemble(table)
    assert_array_equal(got.codes, expected.codes)
    assert_array_equal(got.sizes, expected.sizes)


def test_codes_are_taken_as_they_are():
    codes = torch.tensor([[0, 1, 2], [1, 0, 0]], dtype=torch.uint8)
    votes = Ensemble.from_codes(codes, [2, 3], groups=["a", "b"])
    # A copy: whoever has the tensor may write to it.
    assert votes.storage.codes.data_ptr() != codes.data_ptr()
    assert votes.kind == "partial"
    assert votes.offsets.tolist() == [0, 2, 5]
    assert_array_equal(votes.labels, [[0, 1], [1, 0], [-1, 0]])
    assert_array_equal(votes.n_votes, [2, 2, 1])
    assert votes.groups.tolist() == ["a", "b"]


def test_it_counts_what_an_ensemble_in_memory_counts(partial):
    here, there = Ensemble(partial), Ensemble.on_device(torch.tensor(partial))
    assert_array_equal(there.sizes, here.sizes)
    assert_array_equal(there.n_votes, here.n_votes)
    assert_array_equal(there.contingency().toarray(), here.contingency().toarray())
    assert_array_equal(there.agreement(), here.agreement())


def test_objects_in_no_clustering_are_refused():
    labels = noisy(N, 3, 3, 0.5)
    labels[17] = -1
    with pytest.raises(ComitiaError, match="the first is object 17"):
        fitted("lwgp", Ensemble.on_device(torch.tensor(labels)))


# -- what it is otherwise -------------------------------------------------------------


def test_a_pickle_is_an_ensemble_in_memory(alike):
    there = Ensemble.on_device(torch.tensor(alike), clustering_names=list("abcdef"))
    again = pickle.loads(pickle.dumps(there))
    assert type(again) is Ensemble
    assert again == Ensemble(alike, clustering_names=list("abcdef"))


def test_some_of_the_clusterings_stay_on_the_device(alike):
    there = Ensemble.on_device(torch.tensor(alike), clustering_names=list("abcdef"))
    here = Ensemble(alike, clustering_names=list("abcdef"))
    for which in ([4, 1], [True, False, True, False, False, False], [-1]):
        assert there.take(clusterings=which).device == "torch"
        assert there.take(clusterings=which) == here.take(clusterings=which)
    with pytest.raises(ComitiaError, match=r"must lie in 0\.\.5"):
        there.take(clusterings=[6])
    some = there.take(objects=[3, 5, 8])
    assert some.device is None
    assert some == here.take(objects=[3, 5, 8])


def test_it_says_where_it_is():
    votes = Ensemble.on_device(torch.tensor([[0, 1], [1, 0]]))
    assert repr(votes) == (
        "Ensemble(kind='hard', n_objects=2, n_clusterings=2, n_clusters_total=4, "
        "device='torch')"
    )
    assert Ensemble([[0, 1], [1, 0]]).device is None


def test_moving_to_where_it_is_keeps_what_was_counted():
    votes = Ensemble.on_device([[0, 1], [1, 0]], "torch")
    assert Ensemble.on_device(votes) is votes
    assert Ensemble.on_device(votes, "torch") is votes


def test_a_copy_in_memory_is_asked_of_the_budget():
    votes = Ensemble.on_device(torch.tensor(noisy(N, 3, 3, 0.5)))
    with comitia.config.limit(1000), pytest.raises(MemoryBudgetError, match="device"):
        _ = votes.codes


# -- what is refused ------------------------------------------------------------------


@pytest.mark.parametrize(
    ("labels", "message"),
    [
        ([[0, 1], [-2, 0]], "clustering 0 contain -2"),
        ([[0, -1], [1, -1]], "clustering 1 are all missing"),
        ([0, 1, 0], "two dimensions"),
        ([[0.5, 1.0]], "must be integers"),
    ],
)
def test_bad_labels_are_refused_in_words(labels, message):
    with pytest.raises(ComitiaError, match=message):
        Ensemble.on_device(torch.tensor(labels))


@pytest.mark.parametrize(
    ("codes", "k", "message"),
    [
        ([[0, 3]], [2], "must lie in 0..2"),
        ([[0, 1]], [2, 2], "one positive entry"),
        ([[0, 1]], [0], "one positive entry"),
    ],
)
def test_bad_codes_are_refused_in_words(codes, k, message):
    with pytest.raises(ComitiaError, match=message):
        Ensemble.from_codes(torch.tensor(codes), k)


def test_devices_that_cannot_do_it_are_refused():
    with pytest.raises(ComitiaError, match="name one"):
        Ensemble.on_device([[0, 1], [1, 0]])
    pytest.importorskip("array_api_strict")
    with pytest.raises(ComitiaError, match="cannot add up labels"):
        Ensemble.on_device([[0, 1], [1, 0]], "array_api_strict")


def test_an_ensemble_in_memory_says_how_labels_stay_where_they_are():
    somewhere = type("ndarray", (), {"__module__": "cupy", "shape": (2, 2)})
    with pytest.raises(ComitiaError, match=r"Ensemble.on_device\(labels\)"):
        Ensemble(somewhere())


def test_memberships_are_refused():
    fuzzy = Ensemble.from_memberships([[[0.5, 0.5], [1.0, 0.0]]])
    with pytest.raises(ComitiaError, match="only hard and partial"):
        Ensemble.on_device(fuzzy, "torch")
