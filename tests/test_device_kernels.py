"""Sums on a device against the compiled kernels, to the last bit.

Tensors on the CPU go the way that those on a GPU go without CuPy; where there is a GPU,
it is asked too, through PyTorch and, where CuPy is installed, through kernels of CUDA.
"""

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from comitia import Ensemble
from comitia._kernels.sums import fixed_point

torch = pytest.importorskip("torch", reason="PyTorch is not installed")

from comitia._kernels import device as kernels  # noqa: E402

# Fewer clusters than one byte names, and more.
FEW, MANY = [3, 20, 1, 7, 5, 9, 30], [300, 4, 17]

on_cuda = pytest.param(
    "cuda",
    marks=pytest.mark.skipif(
        not torch.cuda.is_available(), reason="there is no CUDA device here"
    ),
)


compiled = pytest.param("cuda, compiled", marks=on_cuda.marks)


@pytest.fixture(params=["cpu", on_cuda, compiled])
def device(request, monkeypatch):
    name, _, how = request.param.partition(", ")
    if how:
        pytest.importorskip("cupy")
    else:
        monkeypatch.setattr(kernels.cuda, "runs_on", lambda codes: False)
    return name


@pytest.fixture(
    params=[(7, FEW), (3000, FEW), (70_000, FEW), (3000, MANY)],
    ids=["seven", "some", "more", "int16"],
)
def votes(request):
    """Labels of which some are missing."""
    n, k = request.param
    rng = np.random.RandomState(n)
    return Ensemble.from_codes(np.stack([rng.randint(0, c + 1, size=n) for c in k]), k)


@pytest.fixture
def codes(votes, device):
    # PyTorch computes with few unsigned types.
    dtype = np.uint8 if votes.codes.dtype == np.uint8 else np.int16
    return torch.tensor(votes.codes.astype(dtype), device=device)


@pytest.fixture
def rng():
    return np.random.RandomState(0)


def starts(votes):
    return votes.offsets[:-1] + np.arange(votes.n_clusterings)


def padded(votes, table):
    return np.insert(table, votes.offsets[1:], 0.0, axis=0)


def test_shared_objects_are_counted(votes, codes):
    B = votes.membership
    got = kernels.count_pairs(codes, votes.n_clusters_each)
    assert_array_equal(got, (B.T @ B).toarray())


def test_slices_and_limbs_change_nothing(votes, codes, rng, monkeypatch):
    weights = torch.tensor(rng.randint(-(2**40), 2**50, size=votes.n_objects))
    given = codes, votes.n_clusters_each, weights.to(codes.device)
    whole = kernels.weighted_contingency(*given)
    counted = kernels.count_pairs(*given[:2])
    monkeypatch.setattr("comitia._kernels.device._slices._ROWS", 2048)
    monkeypatch.setattr("comitia._kernels.device.tables._DOUBLE_BITS", 24)
    assert_array_equal(kernels.weighted_contingency(*given), whole)
    assert_array_equal(kernels.count_pairs(*given[:2]), counted)


@pytest.mark.parametrize("sign", [1, -1])
def test_weighted_tables_are_those_of_the_kernel(votes, codes, rng, sign):
    from comitia._kernels.contingency import weighted_contingency

    integers, _ = fixed_point(sign * rng.random_sample(votes.n_objects), 10**5)
    expected = np.zeros(2 * (votes.n_clusters_total,), dtype=np.int64)
    each = votes.n_clusters_each
    weighted_contingency(
        votes.codes, each, votes.offsets, integers, expected, 0, len(each)
    )
    given = torch.tensor(integers, device=codes.device)
    assert_array_equal(kernels.weighted_contingency(codes, each, given), expected)


def test_overlaps_with_labels_are_counted(votes, codes, rng):
    labels = rng.randint(-1, 6, size=votes.n_objects)
    known = (labels[:, None] == np.arange(6)).astype(float)
    got = kernels.count_with(
        torch.tensor(labels, device=codes.device), 6, codes, votes.n_clusters_each
    )
    assert_array_equal(got, (votes.membership.T @ known).T)


def test_row_totals_are_those_of_the_kernel(votes, codes, rng):
    from comitia._kernels.label_rows import row_totals

    values = padded(votes, rng.standard_normal(votes.n_clusters_total))
    expected = np.empty(votes.n_objects)
    row_totals(votes.codes, starts(votes), values, expected)
    got = kernels.row_totals(codes, starts(votes), values)
    assert_array_equal(got.cpu().numpy(), expected)


@pytest.mark.parametrize("k", [1, 6, 33])
def test_row_norms_are_those_of_the_kernel(votes, codes, rng, k):
    from comitia._kernels.label_rows import unit_scales

    table = padded(votes, rng.standard_normal((votes.n_clusters_total, k)))
    scale, squares, degrees = np.zeros((3, votes.n_objects))
    unit_scales(votes.row_codes, starts(votes), table, degrees, 0.0, scale, squares)
    got = kernels.row_norms(codes, starts(votes), table)
    assert_array_equal(1.0 / got.cpu().numpy(), scale)


def test_scores_are_those_of_the_kernel(votes, codes, rng):
    from comitia._kernels.label_rows import score_rows

    table = padded(votes, rng.standard_normal((votes.n_clusters_total, 6)))
    scale = rng.random_sample(votes.n_objects)
    expected = np.empty((votes.n_objects, 6))
    score_rows(votes.row_codes, starts(votes), table, scale, expected)
    there = torch.tensor(scale, device=codes.device)
    got = kernels.score_rows(codes, starts(votes), table, there)
    assert_array_equal(got.cpu().numpy(), expected)


@pytest.mark.parametrize("with_absent", [True, False])
def test_nearest_centers_are_those_of_the_kernel(votes, codes, rng, with_absent):
    from comitia._kernels.label_rows import nearest_rows

    table = padded(votes, rng.standard_normal((votes.n_clusters_total, 6)))
    table[:, 4] = table[:, 2]  # ties, of which the first counts
    scale, penalty = 0.1 + rng.random_sample(votes.n_objects), rng.random_sample(6)
    penalty[[4, 5]] = penalty[2], np.inf
    absent = rng.random_sample((votes.n_clusterings, 6)) if with_absent else None
    labels = np.empty(votes.n_objects, dtype=np.int32)
    best = np.empty(votes.n_objects)
    each = votes.n_clusters_each
    nearest_rows(
        votes.row_codes,
        starts(votes),
        each,
        table,
        scale,
        penalty,
        np.empty((0, 6)) if absent is None else absent,
        labels,
        best,
    )
    there = torch.tensor(scale, device=codes.device)
    got, scores = kernels.nearest_rows(
        codes, starts(votes), each, table, there, penalty, absent
    )
    assert_array_equal(got.cpu().numpy(), labels)
    assert_array_equal(scores.cpu().numpy(), best)


def test_sums_of_clusters_are_those_of_the_kernel(votes, codes, rng):
    from comitia._kernels.label_rows import sum_labels, sum_rows

    n, each = votes.n_objects, votes.n_clusters_each
    labels = rng.randint(6, size=n).astype(np.int32)
    integers, _ = fixed_point(rng.random_sample(n), n)
    sums = np.zeros((6, votes.n_clusters_total + votes.n_clusterings), dtype=np.int64)
    sum_rows(votes.row_codes, starts(votes), labels, integers, sums)
    mass = np.zeros(6, dtype=np.int64)
    sum_labels(labels, integers, mass)
    found, weights = (torch.tensor(a, device=codes.device) for a in (labels, integers))
    got = kernels.sum_rows(codes, each, found, weights, 6)
    assert_array_equal(got, np.delete(sums, starts(votes) + each, axis=1))
    assert_array_equal(kernels.sum_labels(found, weights, 6), mass)


def test_votes_are_counted_as_by_the_kernel(votes, codes, rng):
    # Few different weights, for ties; some clusters vote for nobody.
    given = {
        "targets": rng.randint(-1, 5, size=votes.n_clusters_total),
        "n_labels": 5,
        "weights": rng.randint(3, size=votes.n_clusters_total) / 3.0,
    }
    expected = votes.engine.winners(**given)
    there = Ensemble.from_codes(codes, votes.n_clusters_each)
    got = there.engine.winners(**given)
    assert_array_equal(got.cpu().numpy(), expected)
    assert votes.n_objects < 10 or {0, 4} <= set(expected)


def test_mean_rows_are_those_of_the_kernel(votes, codes, rng):
    from comitia._kernels.label_rows import mean_rows

    table = padded(votes, rng.random_sample((votes.n_clusters_total, 4)))
    weights = padded(votes, rng.randint(2, size=votes.n_clusters_total) / 3.0)
    expected = np.empty((votes.n_objects, 4))
    places = starts(votes).astype(np.uint64)
    mean_rows(votes.codes, places, table, weights, expected, 0, votes.n_objects)
    got = kernels.mean_rows(codes, places, table, weights)
    assert_array_equal(got, expected)


@pytest.mark.parametrize("p", [1, 4, 10])
def test_nearest_points_are_those_of_the_kernel(device, rng, p):
    from comitia._kernels.assign import nearest_centers

    columns = rng.standard_normal((p, 5000)).astype(np.float32)
    centers = rng.standard_normal((50, p)).astype(np.float32)
    centers[30] = centers[2]
    penalty = ((centers.astype(float) ** 2).sum(axis=1) / 2).astype(np.float32)
    labels, best = np.empty(5000, dtype=np.int32), np.empty(5000, dtype=np.float32)
    nearest_centers(columns, centers, penalty, 0, 5000, labels, best)
    there = torch.tensor(columns, device=device)
    got = kernels.nearest_centers(there, centers, penalty)
    assert got.dtype == torch.uint8
    assert_array_equal(got.cpu().numpy(), labels)


@pytest.mark.parametrize("n_clusterings", [3, 30])  # 30: a key does not hold all labels
def test_different_rows_are_those_of_the_ensemble(device, rng, n_clusterings):
    some = rng.randint(6, size=(n_clusterings, 500))
    votes = Ensemble.from_codes(
        some[:, rng.randint(500, size=20_000)], np.full(n_clusterings, 5)
    )
    given = torch.tensor(votes.codes, device=device), votes.n_clusters_each
    micro = votes.distinct()
    most = len(micro.counts)
    first, inverse, counts = kernels.distinct_rows(*given, most, 1000)
    assert_array_equal(votes.codes[:, first.cpu()], micro.ensemble.codes)
    assert_array_equal(inverse.cpu().numpy(), micro.inverse)
    assert_array_equal(counts.cpu().numpy(), micro.counts)
    assert kernels.distinct_rows(*given, most - 1, 1000) is None
    assert kernels.distinct_rows(*given, 10, 1000) is None


def test_labels_are_numbered_as_they_appear(device):
    labels = torch.tensor([5, 5, 1, 2, 1, 5], device=device)
    got, n_found = kernels.in_order(labels)
    assert_array_equal(got, [0, 0, 1, 2, 1, 0])
    assert got.dtype == np.int32
    assert n_found == 3
