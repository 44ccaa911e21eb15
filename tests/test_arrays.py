"""NumPy, PyTorch and the reference implementation of the array API, one code."""

import importlib.util
import warnings

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.datasets import make_blobs

import comitia
from comitia import Ensemble, config
from comitia._arrays import (
    array_namespace,
    check_device,
    device_of,
    floats_on,
    put_beside,
    require_device_memory,
    to_device,
    to_numpy,
)
from comitia.exceptions import ComitiaError, MemoryBudgetError
from comitia.methods._alternating import DenseVotes, Votes
from comitia.optimize import (
    Term,
    bregman_divergence,
    bregman_elementwise,
    frobenius_loss,
    frobenius_term,
    graph_term,
    kl_loss,
    kl_term,
    multiply,
    normalize_columns,
    residual_norms,
)
from tests.fixtures import planted

# What is installed of these is used. The first refuses what is not in the standard.
DEVICES = [
    name
    for name in ("array_api_strict", "torch", "cupy")
    if importlib.util.find_spec(name)
]


@pytest.fixture(params=DEVICES)
def device(request):
    pytest.importorskip("array_api_compat")
    return request.param


@pytest.fixture(params=["float64", "float32"])
def tolerance(request):
    """The precision is set, and the agreement that the issue asks for comes back."""
    config.set_precision(request.param)
    yield {"float64": 1e-8, "float32": 1e-4}[request.param]
    config.set_precision(None)


# -- moving ------------------------------------------------------------------------


def test_numbers_go_to_a_device_and_come_back(device, tolerance):
    numbers = np.random.RandomState(0).rand(4, 3)
    numbers.flags.writeable = False
    there = floats_on(numbers, device)
    assert device_of(there) == device
    assert to_numpy(there).dtype == config.precision()
    assert_allclose(to_numpy(there), numbers, rtol=tolerance)
    beside = put_beside(np.arange(3.0), there)
    assert device_of(beside) == device
    assert beside.dtype == there.dtype
    assert_allclose(to_numpy(there @ beside), numbers @ np.arange(3.0), rtol=tolerance)


def test_numpy_stays_with_numpy():
    numbers = np.arange(3.0)
    assert check_device(None) is check_device("cpu") is None
    assert array_namespace(numbers, 1.0) is np
    assert to_device(numbers, None) is numbers
    assert to_numpy(numbers) is numbers
    assert device_of(numbers) is device_of([1, 2]) is None
    config.set_precision("float32")
    try:
        # The precision is that of devices.
        assert floats_on([1, 2], None).dtype == np.float64
    finally:
        config.set_precision(None)


def test_devices_that_cannot_be_used_are_refused():
    pytest.importorskip("torch")
    with pytest.raises(ComitiaError, match="device=3"):
        check_device(3)
    with pytest.raises(ComitiaError, match="'nowhere' is no device"):
        check_device("nowhere")
    with pytest.raises(ComitiaError, match="'cuda:99' cannot be used"):
        check_device("cuda:99")
    with pytest.raises(ComitiaError, match="precision='float16'"):
        config.set_precision("float16")
    with pytest.raises(ComitiaError, match="set_precision"):
        floats_on([1.0], "mps")
    with pytest.raises(ComitiaError, match="runs on the CPU"):
        comitia.method("eac")(2).fit(Ensemble([[0, 1], [1, 0]]), device="torch")


def test_memory_on_a_device_is_asked_for(device, monkeypatch):
    with config.limit("1 kB"), pytest.raises(MemoryBudgetError, match="the table"):
        require_device_memory(126, "the table", device)
    config.set_precision("float32")
    try:
        with config.limit("1 kB"):
            require_device_memory(126, "the table", device)
    finally:
        config.set_precision(None)
    monkeypatch.setattr("comitia._arrays._free_on", lambda device: 1000)
    require_device_memory(100, "the table", "cuda")
    with pytest.raises(MemoryBudgetError, match="leave device out, or wait"):
        require_device_memory(126, "the table", "cuda", instead="wait")


# -- parts -------------------------------------------------------------------------


def parts(X, U, V, t, s, S):
    """Results of the parts that the dense iterations are made of."""
    kl = kl_term(X, U, V, row_weights=t, column_weights=s)
    squares = frobenius_term(X, U, V, row_weights=t, column_weights=s)
    return [
        *kl,
        *squares,
        *graph_term(S, U, 0.7),
        multiply(U, kl, squares),
        multiply(U, squares, Term(0.0, U), power=0.5),
        multiply(U, kl, power=0.25),
        *normalize_columns(U, V),
        *normalize_columns(U, V, norm=1),
        residual_norms(X, U, V),
        frobenius_loss(X, U, V, row_weights=t),
        kl_loss(X, U, V, row_weights=t),
        *(bregman_elementwise(U, U * 2.0, g) for g in DIVERGENCES),
        *(bregman_elementwise(U, 0.3, g) for g in DIVERGENCES),
        *(bregman_divergence(U, U * 2.0, g) for g in [*DIVERGENCES, "norm"]),
    ]


DIVERGENCES = ["squared", "kl", "itakura_saito"]


def test_parts_give_what_they_give_with_numpy(device, tolerance):
    rng = np.random.RandomState(0)
    U, V = rng.rand(9, 3) + 0.1, rng.rand(5, 3) + 0.1
    X = rng.rand(9, 5) * (rng.rand(9, 5) < 0.6)
    S = rng.rand(9, 9)
    given = [X, U, V, rng.rand(9), rng.rand(5), S + S.T]
    expected = parts(*given)
    found = parts(*(floats_on(array, device) for array in given))
    for one, other in zip(found, expected, strict=True):
        if not isinstance(one, float):
            assert device_of(one) == device
            one = to_numpy(one)
        assert_allclose(one, other, rtol=tolerance, atol=tolerance)


@pytest.mark.parametrize("kind", ["hard", "partial", "fuzzy"])
def test_products_with_memberships_on_a_device_are_those_of_sparse_ones(
    kind, device, tolerance
):
    rng = np.random.RandomState(0)
    labels = rng.randint(0, 3, size=(25, 4))
    if kind == "partial":
        labels[rng.rand(25, 4) < 0.2] = -1
        labels[:, 0] = rng.randint(0, 3, size=25)
    ensemble = Ensemble(labels)
    if kind == "fuzzy":
        ensemble = Ensemble.from_memberships(
            [rng.dirichlet(np.ones(3), size=25) for _ in range(4)]
        )
    assert ensemble.kind == kind
    sparse, dense = Votes(ensemble, 2), DenseVotes(ensemble, 2, device)
    u = sparse.micro.n_objects
    U, table, A = rng.rand(u, 2), rng.rand(ensemble.n_clusters, 2), rng.rand(u, u)
    w = rng.dirichlet(np.ones(4))
    for found, expected in [
        (dense.membership, sparse.membership.toarray()),
        (dense.to_clusters(dense.put(U)), sparse.to_clusters(U)),
        (dense.to_objects(dense.put(table)), sparse.to_objects(table)),
        (dense.similarity(w) @ dense.put(U), sparse.similarity(w) @ U),
        (dense.coassociation(w), sparse.coassociation(w)),
        (dense.pair_sums(dense.put(A)), sparse.pair_sums(A)),
    ]:
        scale = np.abs(expected).max()
        assert_allclose(to_numpy(found), expected, atol=tolerance * scale)


# -- methods -----------------------------------------------------------------------

LABELS, _ = planted(120, 3, 7, noise=0.35, seed=2)
BLOBS, _ = make_blobs(90, n_features=4, centers=3, random_state=0)

METHODS = [
    ("wgnmf", {}),
    ("wgnmf", {"variant": "kl"}),
    ("ec_bnmf", {}),
    ("bregman_cc", {}),
    ("bregman_cc", {"metric": "kl"}),
    ("bregman_cc", {"metric": "itakura_saito"}),
    ("cmkc_lfa_mr", {}),
    ("cmkc_lfa_mr", {"kernel": "laplacian"}),
]


def fit(id, parameters, device=None, data=None):
    if data is None:
        data = BLOBS if id == "cmkc_lfa_mr" else Ensemble(LABELS)
    with warnings.catch_warnings():
        # The same updates everywhere: where rounding stalls is not the same.
        warnings.simplefilter("ignore", category=UserWarning)
        return comitia.method(id)(
            3, random_state=0, max_iter=8, tol=0.0, **parameters
        ).fit(data, device=device)


@pytest.mark.parametrize(("id", "parameters"), METHODS)
def test_methods_give_on_a_device_what_they_give_with_numpy(
    id, parameters, device, tolerance
):
    one, other = fit(id, parameters), fit(id, parameters, device)
    # A loop may end early where nothing changes at all.
    n = min(len(one.objective_), len(other.objective_))
    assert_allclose(other.objective_[:n], one.objective_[:n], rtol=tolerance)
    assert_allclose(other.membership_, one.membership_, atol=tolerance)
    assert_array_equal(other.labels_, one.labels_)
    fitted = {name: value for name, value in vars(other).items() if name[-1] == "_"}
    arrays = [value for value in fitted.values() if hasattr(value, "dtype")]
    assert len(arrays) > 2
    assert all(isinstance(value, np.ndarray) for value in arrays)
    if id != "cmkc_lfa_mr":
        # The kernels are near each other: their weights are hardly determined.
        assert_allclose(
            other.clustering_weights_, one.clustering_weights_, atol=tolerance
        )


@pytest.mark.parametrize("id", ["wgnmf", "ec_bnmf", "bregman_cc"])
def test_fuzzy_clusterings_can_go_to_a_device(id, device):
    rng = np.random.RandomState(1)
    hard = np.eye(3)[np.repeat([0, 1, 2], 8)]
    votes = Ensemble.from_memberships(
        [0.8 * hard + 0.2 * rng.dirichlet(np.ones(3), size=24) for _ in range(5)]
    )
    parameters = {"metric": "kl"} if id == "bregman_cc" else {}
    one = fit(id, parameters, data=votes)
    other = fit(id, parameters, device, data=votes)
    assert_allclose(other.objective_, one.objective_, rtol=1e-8)
    assert_array_equal(other.labels_, one.labels_)


def test_many_objects_have_their_eigenvectors_by_products_on_the_device(
    device, monkeypatch
):
    # Beyond some size a kernel is known to SciPy by its products alone.
    monkeypatch.setattr("comitia.partition._eigen._DENSE_UP_TO", 50)
    one, other = fit("cmkc_lfa_mr", {}), fit("cmkc_lfa_mr", {}, device)
    assert_allclose(other.objective_, one.objective_, rtol=1e-8)
    assert_array_equal(other.labels_, one.labels_)


def test_a_tensor_is_followed_to_its_device():
    torch = pytest.importorskip("torch")
    plain = comitia.method("cmkc_lfa_mr")(3, random_state=0).fit(BLOBS)
    fitted = comitia.method("cmkc_lfa_mr")(3, random_state=0).fit(torch.asarray(BLOBS))
    assert fitted._device == "torch"
    assert_array_equal(fitted.labels_, plain.labels_)


def test_the_catalogue_says_who_runs_on_devices():
    cards = {card.id for card in comitia.methods(on_device=True)}
    assert {method for method, _ in METHODS} <= cards


@pytest.mark.parametrize("id", ["wgnmf", "ec_bnmf", "bregman_cc", "cmkc_lfa_mr"])
def test_a_device_too_small_is_refused(id, monkeypatch):
    pytest.importorskip("array_api_strict")
    monkeypatch.setattr("comitia._arrays._free_on", lambda device: 10_000)
    with pytest.raises(MemoryBudgetError, match="leave device out"):
        fit(id, {}, "array_api_strict")
