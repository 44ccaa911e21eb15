"""Agreement of clusterings, against scikit-learn, brute force and the catalogue."""

import itertools
import math

import numpy as np
import pytest
import sklearn.metrics as peer
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

from comitia import Ensemble, sizes
from comitia import agreement as ag
from comitia._kernels.sums import fixed_point, xlogx, xlogx_scale
from comitia.agreement._sums import _sums_of_totals
from comitia.engine.tables import _is_counted
from comitia.exceptions import ComitiaError, ComitiaWarning
from tests.fixtures import E6, planted

C1, C3 = E6[:, 0], E6[:, 2]
SYMMETRIC = [name for name in ag.MEASURES if name != "nmi_logk"]


def brute_force(a, b):
    """Every measure from its definition: probabilities and all pairs of objects."""
    keep = [i for i in range(len(a)) if a[i] != -1 and b[i] != -1]
    a, b = [a[i] for i in keep], [b[i] for i in keep]
    n = len(a)

    def p(values):
        return {v: values.count(v) / n for v in values}

    pa, pb, pab = p(a), p(b), p(list(zip(a, b, strict=True)))
    h, h_, joint = (
        -sum(q * math.log(q) for q in shares.values()) for shares in (pa, pb, pab)
    )
    info = sum(q * math.log(q / (pa[r] * pb[s])) for (r, s), q in pab.items())
    pairs = list(itertools.combinations(range(n), 2))
    in_a = [a[i] == a[j] for i, j in pairs]
    in_b = [b[i] == b[j] for i, j in pairs]
    n11 = sum(x and y for x, y in zip(in_a, in_b, strict=True))
    n10, n01 = sum(in_a) - n11, sum(in_b) - n11
    n00 = len(pairs) - n11 - n10 - n01
    expected = sum(in_a) * sum(in_b) / len(pairs)
    most = (sum(in_a) + sum(in_b)) / 2
    return {
        "mutual_information": info,
        "variation_of_information": h + h_ - 2 * info,
        "nmi_sqrt": info / math.sqrt(h * h_),
        "nmi_max": info / max(h, h_),
        "nmi_min": info / min(h, h_),
        "nmi_arithmetic": 2 * info / (h + h_),
        "nmi_joint": info / joint,
        "rand": (n11 + n00) / len(pairs),
        "adjusted_rand": (n11 - expected) / (most - expected),
        "f_measure": 2 * n11 / (2 * n11 + n10 + n01),
        "jaccard": n11 / (n11 + n10 + n01),
        "fowlkes_mallows": n11 / math.sqrt((n11 + n10) * (n11 + n01)),
    }


def random_labels(seed, n=60, n_clusterings=5, missing=0.0, k=6):
    rng = np.random.RandomState(seed)
    truth = rng.randint(k, size=n)
    labels = np.where(
        rng.rand(n, n_clusterings) < 0.5, truth[:, None], rng.randint(k, size=(n, 1))
    )
    labels = np.where(
        rng.rand(n, n_clusterings) < 0.3, rng.randint(k, size=labels.shape), labels
    )
    labels[rng.rand(n, n_clusterings) < missing] = -1
    return labels


@pytest.fixture(params=["sparse", "compiled"])
def either_way(request, monkeypatch):
    """Count small ensembles the way large ones are counted, too."""
    if request.param == "compiled":
        monkeypatch.setattr(sizes, "FEW_INCREMENTS", 0)
    return request.param


# The catalogue's numbers


@pytest.mark.parametrize(
    ("measure", "value"),
    [
        ("nmi_sqrt", 2 / 3 * math.sqrt(math.log(2) / math.log(3))),
        ("nmi_sqrt", 0.529541),
        ("nmi_max", 2 / 3 * math.log(2) / math.log(3)),
        ("nmi_max", 0.420620),
        ("mutual_information", 2 / 3 * math.log(2)),
        ("mutual_information", 0.462098),
        ("rand", 2 / 3),
        ("adjusted_rand", 8 / 33),
    ],
)
def test_e6_has_the_numbers_of_the_catalogue(measure, value, either_way):
    atol = 5e-7 if value == round(value, 6) else 1e-15  # printed to six decimals
    assert_allclose(ag.agreement(C1, C3, measure), value, atol=atol)
    whole = Ensemble(E6).agreement(measure)
    assert_allclose(whole[0, 2], value, atol=atol)
    assert_allclose(whole[2, 1], value, atol=atol)
    assert_allclose(ag.agreement_with(C1, Ensemble(E6), measure)[2], value, atol=atol)


def test_nmi_logk_needs_equal_numbers_of_clusters(either_way):
    for call in (
        lambda: ag.nmi(C1, C3, average="logk"),
        lambda: ag.agreement_matrix(Ensemble(E6), "nmi_logk"),
        lambda: ag.agreement_with(C1, Ensemble(E6), "nmi_logk"),
    ):
        with pytest.raises(
            ComitiaError, match="equal numbers of clusters; got 2 and 3"
        ):
            call()


def test_nmi_logk_is_the_formula_of_zhou_and_tang():
    a, b = random_labels(0, n_clusterings=2, k=4).T
    table, n, k = ag.contingency_table(a, b), len(a), 4
    rows, columns = table.sum(axis=1), table.sum(axis=0)
    printed = sum(
        2 / n * table[r, s] * math.log(n * table[r, s] / (rows[r] * columns[s]), k**2)
        for r in range(k)
        for s in range(k)
        if table[r, s]
    )
    assert_allclose(ag.nmi(a, b, average="logk"), printed, rtol=1e-13)


# Against other people's code and brute force


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("missing", [0.0, 0.3])
def test_every_measure_is_its_definition(seed, missing, either_way):
    labels = random_labels(seed, missing=missing)
    votes = Ensemble(labels)
    values = ag.agreement_matrices(votes, SYMMETRIC)
    against = {name: ag.agreement_with(labels[:, 0], votes, name) for name in SYMMETRIC}
    for m, j in itertools.combinations(range(votes.n_clusterings), 2):
        expected = brute_force(labels[:, m].tolist(), labels[:, j].tolist())
        for name in SYMMETRIC:
            got = [values[name][m, j], values[name][j, m]]
            got.append(ag.agreement(labels[:, m], labels[:, j], name))
            if m == 0:
                got.append(against[name][j])
            assert_allclose(got, expected[name], atol=1e-12, err_msg=name)


@pytest.mark.parametrize("seed", range(3))
def test_values_are_those_of_scikit_learn(seed):
    a, b = random_labels(seed, n=500, n_clusterings=2, k=[3, 12, 60][seed]).T
    for average in ("min", "max", "arithmetic"):
        expected = peer.normalized_mutual_info_score(a, b, average_method=average)
        assert_allclose(ag.nmi(a, b, average=average), expected, atol=1e-12)
    expected = peer.normalized_mutual_info_score(a, b, average_method="geometric")
    assert_allclose(ag.nmi(a, b), expected, atol=1e-12)
    for measure, theirs in [
        ("mutual_information", peer.mutual_info_score),
        ("rand", peer.rand_score),
        ("adjusted_rand", peer.adjusted_rand_score),
        ("fowlkes_mallows", peer.fowlkes_mallows_score),
    ]:
        assert_allclose(ag.agreement(a, b, measure), theirs(a, b), atol=1e-12)
    assert_array_equal(
        ag.contingency_table(a, b), peer.cluster.contingency_matrix(a, b)
    )
    (n00, n01), (n10, n11) = peer.pair_confusion_matrix(a, b)
    jaccard, f_measure = n11 / (n11 + n10 + n01), 2 * n11 / (2 * n11 + n10 + n01)
    assert_allclose(ag.agreement(a, b, "jaccard"), jaccard, atol=1e-12)
    assert_allclose(ag.agreement(a, b, "f_measure"), f_measure, atol=1e-12)
    assert n00 > 0


DEGENERATE = [
    ([0], [0]),
    ([0, 0, 0], [0, 0, 0]),
    ([0, 1, 2], [0, 1, 2]),
    ([0, 0, 0], [0, 1, 2]),
    ([0, 1, 2], [0, 0, 0]),
    ([0, 0, 1], [0, 0, 0]),
    ([0, 0], [0, 1]),
]


@pytest.mark.parametrize(("a", "b"), DEGENERATE)
def test_degenerate_rand_indices_are_those_of_scikit_learn(a, b, either_way):
    both = Ensemble(np.c_[a, b])
    for name, theirs in [
        ("rand", peer.rand_score),
        ("adjusted_rand", peer.adjusted_rand_score),
    ]:
        assert ag.agreement(a, b, name) == theirs(a, b)
        assert both.agreement(name)[0, 1] == theirs(a, b)


@pytest.mark.parametrize("name", [m for m in ag.MEASURES if m.startswith("nmi")])
def test_phi_is_1_for_two_single_clusters_and_0_for_one(name, either_way):
    one, two = np.zeros(4, int), np.array([0, 0, 1, 1])
    assert ag.agreement(one, one, name) == 1.0
    assert_array_equal(Ensemble(np.c_[one, one]).agreement(name), np.ones((2, 2)))
    if name != "nmi_logk":  # which has no value when k differs
        assert ag.agreement(one, two, name) == 0.0
        assert_array_equal(Ensemble(np.c_[one, two]).agreement(name), np.eye(2))


def test_clusterings_without_pairs_are_equal():
    apart = [0, 1, 2]
    for name in ("jaccard", "f_measure", "fowlkes_mallows"):
        assert ag.agreement(apart, apart, name) == 1.0
        assert ag.agreement(apart, [0, 0, 0], name) == 0.0


# What must not matter


@given(seed=st.integers(0, 10**6), missing=st.sampled_from([0.0, 0.4]))
@settings(deadline=None, max_examples=40)
def test_names_and_order_do_not_matter_at_all(seed, missing):
    labels = random_labels(seed, n=25, n_clusterings=4, missing=missing)
    labels[0] = 0
    rng = np.random.RandomState(seed)
    # a permutation of the names 0..5, of the objects and of the clusterings
    renamed = np.where(labels < 0, -1, rng.permutation(6)[labels])
    objects, order = rng.permutation(len(labels)), rng.permutation(4)
    other = Ensemble(renamed[objects][:, order])
    votes = Ensemble(labels)
    for name in SYMMETRIC:
        # exactly: sums are integers, whatever their order
        assert_array_equal(
            other.agreement(name), votes.agreement(name)[order][:, order]
        )


@given(seed=st.integers(0, 10**6))
@settings(deadline=None, max_examples=25)
def test_measures_are_symmetric_and_in_range(seed):
    votes = Ensemble(random_labels(seed, n=12, n_clusterings=4, k=3))
    for name, values in ag.agreement_matrices(votes, SYMMETRIC).items():
        measure = ag.MEASURES[name]
        assert_array_equal(values, values.T)
        assert (values >= measure.lowest).all()
        assert (values <= measure.highest).all()


@pytest.mark.parametrize("seed", range(3))
def test_a_clustering_agrees_with_itself_exactly(seed, either_way):
    a = random_labels(seed, n_clusterings=1).ravel()
    renamed = np.array([3, 5, 0, 1, 4, 2])[a]
    both = Ensemble(np.c_[a, renamed])
    for name in SYMMETRIC:
        if name == "mutual_information":
            continue
        best = 1.0 if ag.MEASURES[name].larger_is_alike else 0.0
        assert_array_equal(both.agreement(name), np.full((2, 2), best))


def test_more_alike_is_larger_or_smaller_as_the_registry_says():
    labels, truth = planted(400, 4, 1, 0.1, seed=0)
    noise = np.random.RandomState(0).randint(4, size=400)
    for name, measure in ag.MEASURES.items():
        near, far = (ag.agreement(truth, x, name) for x in (labels[:, 0], noise))
        assert (near > far) == measure.larger_is_alike, name


# Missing labels


def test_marginals_are_those_of_the_common_objects(either_way):
    a = np.array([0, 0, 1, 1, 2, 2, 2, -1])
    b = np.array([0, 0, 1, 1, -1, -1, -1, 0])
    votes = Ensemble(np.c_[a, b])
    assert votes.agreement("nmi_sqrt")[0, 1] == 1.0
    assert votes.agreement("rand")[0, 1] == 1.0
    assert_array_equal(ag.contingency_table(a, b), [[2, 0], [0, 2], [0, 0]])


def test_clusterings_without_common_objects_are_not_alike(either_way):
    a, b = np.array([0, 1, -1, -1]), np.array([-1, -1, 0, 1])
    for name, measure in ag.MEASURES.items():
        with pytest.warns(ComitiaWarning, match="no object in common"):
            value = Ensemble(np.c_[a, b]).agreement(name)[0, 1]
        assert value == (0.0 if measure.larger_is_alike else math.log(4))
    with pytest.warns(ComitiaWarning, match="no object in common"):
        assert ag.adjusted_rand(a, b) == 0.0


# Fuzzy and overlapping


def one_hot(labels):
    return [np.eye(column.max() + 1)[column] for column in labels.T]


@pytest.mark.parametrize("seed", range(3))
def test_crisp_memberships_agree_like_hard_labels(seed):
    labels = random_labels(seed)
    fuzzy, hard = Ensemble.from_memberships(one_hot(labels)), Ensemble(labels)
    for name in SYMMETRIC:
        assert_allclose(fuzzy.agreement(name), hard.agreement(name), atol=1e-12)
        assert_allclose(
            ag.agreement_with(labels[:, 0], fuzzy, name),
            ag.agreement_with(labels[:, 0], hard, name),
            atol=1e-12,
        )


def fuzzy_example(seed, n=7):
    rng = np.random.RandomState(seed)
    return [rng.dirichlet(np.ones(k), size=n) for k in (2, 3)]


@pytest.mark.parametrize("seed", range(3))
def test_fuzzy_pairs_are_expected_pairs(seed):
    F, G = fuzzy_example(seed)
    F[2] = 0.0  # an object that one of them leaves out
    i, j = np.triu_indices(len(F), 1)
    common = (i != 2) & (j != 2)
    in_f, in_g = ((H @ H.T)[i, j][common] for H in (F, G))
    n11, n10, n01 = (
        (x * y).sum() for x, y in ((in_f, in_g), (in_f, 1 - in_g), (1 - in_f, in_g))
    )
    votes = Ensemble.from_memberships([F, G])
    pairs = common.sum()
    assert_allclose(votes.agreement("rand")[0, 1], 1 - (n10 + n01) / pairs)
    assert_allclose(votes.agreement("jaccard")[0, 1], n11 / (n11 + n10 + n01))
    assert_allclose(votes.agreement("f_measure")[0, 1], 2 * n11 / (2 * n11 + n10 + n01))


def test_fuzzy_information_is_that_of_the_expected_table():
    F, G = fuzzy_example(0)
    table = F.T @ G / len(F)
    independent = np.outer(table.sum(axis=1), table.sum(axis=0))
    info = (table * np.log(table / independent)).sum()
    votes = Ensemble.from_memberships([F, G])
    assert_allclose(votes.agreement("mutual_information")[0, 1], info)
    assert_allclose(
        votes.agreement("nmi_joint")[0, 1], info / ag.entropy(table.ravel())
    )
    assert votes.agreement("nmi_sqrt")[0, 0] < 1.0


@pytest.mark.parametrize("seed", range(5))
def test_memberships_that_tell_nothing_share_no_information(seed):
    """Sums of memberships end in other digits; what is zero on paper is zero."""
    rng = np.random.RandomState(seed)
    n = 23
    alike = np.tile(rng.dirichlet(np.ones(3)), (n, 1))  # no object is told apart
    tables = [alike, rng.dirichlet(np.ones(4), size=n), np.ones((n, 1))]
    order = rng.permutation(n)
    votes = Ensemble.from_memberships(tables)
    moved = Ensemble.from_memberships([table[order] for table in tables])
    for name in SYMMETRIC:
        values = votes.agreement(name)
        assert_allclose(values, values.T, rtol=0, atol=1e-14, err_msg=name)
        assert_allclose(values, moved.agreement(name), atol=1e-12, err_msg=name)
    off = ~np.eye(3, dtype=bool)
    # A clustering with one cluster has no information, and neither has one that says
    # the same of all objects.
    for name in ("mutual_information", "nmi_sqrt", "nmi_max", "nmi_joint"):
        assert (votes.agreement(name)[off] == 0.0).all(), name


def test_overlapping_clusterings_are_refused_in_words():
    votes = Ensemble.from_clusters([[[0, 1], [1, 2]], [[0, 1, 2]]], 3)
    for call in (votes.agreement, lambda: ag.agreement_with([0, 1, 1], votes)):
        with pytest.raises(ComitiaError, match="not defined for overlapping"):
            call()


# Large numbers


def test_pair_counts_of_ten_million_objects_do_not_overflow():
    """Two independent clusterings into 4 and 10 equal clusters."""
    n = 10**7
    parts = {
        "both": np.full(40, n // 40),
        "one": np.full(4, n // 4),
        "other": np.full(10, n // 10),
    }
    scale = xlogx_scale(n)
    squares = [(counts**2).sum() for counts in parts.values()]
    logs = [xlogx(counts, scale).sum() for counts in parts.values()]
    sums = _sums_of_totals(np.array([n, *squares, *logs]), scale)
    assert sums.pairs == math.comb(n, 2)
    for name, counts in parts.items():
        exact = sum(math.comb(int(count), 2) for count in counts)
        assert getattr(sums, name) == exact
    assert_allclose(sums.h_one, math.log(4), rtol=1e-14)
    assert_allclose(sums.h_other, math.log(10), rtol=1e-14)
    assert_allclose(sums.h_both, math.log(40), rtol=1e-14)


def test_counts_beyond_the_table_of_logarithms_are_computed(monkeypatch):
    from comitia._kernels import contingency as kernels

    labels = random_labels(0, n=3000, k=3)
    expected = Ensemble(labels).agreement("mutual_information")
    monkeypatch.setattr(sizes, "FEW_INCREMENTS", 0)
    monkeypatch.setattr(kernels, "_TABULATED", 10)
    got = Ensemble(labels).agreement("mutual_information")
    # the logarithms of numba and NumPy may differ in the last bit
    assert_allclose(got, expected, atol=1e-14)


def test_clusterings_with_as_many_clusters_as_objects_stay_small(monkeypatch):
    monkeypatch.setattr(sizes, "FEW_INCREMENTS", 0)
    labels = np.c_[np.arange(2000), np.arange(2000) // 2, np.arange(2000) % 3]
    votes = Ensemble(labels)
    assert not _is_counted(votes)
    for m, j in itertools.combinations(range(3), 2):
        expected = peer.normalized_mutual_info_score(
            labels[:, m], labels[:, j], average_method="geometric"
        )
        assert_allclose(votes.agreement()[m, j], expected, atol=1e-12)
        assert_allclose(ag.nmi(labels[:, m], labels[:, j]), expected, atol=1e-12)


# The kernels against their twins


def dense_table(a, b, k_a, k_b):
    table = np.zeros((k_a + 1, k_b + 1), int)
    np.add.at(table, (a, b), 1)
    return table[:k_a, :k_b]


@given(seed=st.integers(0, 10**6), n_codes=st.sampled_from([1, 6, 30, 256]))
@settings(deadline=None, max_examples=40)
def test_tables_are_the_histogram_of_the_pair(seed, n_codes):
    from comitia._kernels import contingency as kernels

    rng = np.random.RandomState(seed)
    n, M = rng.randint(1, 200), rng.randint(1, 7)
    k = rng.randint(1, rng.choice([3, 8, 40]), size=M)
    codes = np.stack([rng.randint(0, c + rng.randint(2), size=n) for c in k])
    dtype = [np.uint8, np.uint16, np.int32][seed % 3]
    codes = codes.astype(dtype)
    seen = set()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(kernels, "most_codes", lambda n: n_codes)
        for tables in kernels.all_tables(codes, k, batch_cells=50):
            for t, (m, j) in enumerate(zip(tables.first, tables.second, strict=True)):
                got = tables.counts[tables.begin[t] : tables.begin[t + 1]]
                expected = dense_table(codes[m], codes[j], k[m], k[j])
                assert_array_equal(got.reshape(k[m], k[j]), expected)
                seen.add(frozenset((int(m), int(j))))
    assert len(seen) == M * (M - 1) // 2


def test_fusing_packs_small_clusterings_together():
    from comitia._kernels.contingency import fuse

    codes = np.zeros((6, 10), dtype=np.uint8)
    k = np.array([16, 16, 200, 2, 2, 2])
    columns = fuse(codes, k, 256)
    assert columns.n_codes.tolist() == [200, 256, 8]
    assert sorted(columns.member.tolist()) == list(range(6))


@pytest.mark.parametrize("missing", [0.0, 0.2])
def test_threads_do_not_change_anything(missing, monkeypatch):
    from comitia._kernels import sums as kernels

    monkeypatch.setattr(sizes, "FEW_INCREMENTS", 0)
    labels = random_labels(1, n=500, n_clusterings=9, missing=missing)
    results = []
    for n_threads in (1, 2, 5):
        monkeypatch.setattr(kernels, "thread_count", lambda n=n_threads: n)
        votes = Ensemble(labels)
        results.append(
            (votes.agreement(), votes.agreement("rand"), votes.contingency().toarray())
        )
    for other in results[1:]:
        for one, two in zip(results[0], other, strict=True):
            assert_array_equal(one, two)


# Arguments


def test_functions_and_names_say_the_same():
    assert ag.nmi(C1, C3) == ag.agreement(C1, C3)
    assert ag.nmi(C1, C3, "max") == ag.agreement(C1, C3, "nmi_max")
    assert ag.adjusted_rand(C1, C3) == ag.agreement(C1, C3, "adjusted_rand")


@pytest.mark.parametrize("missing", [0.0, 0.3])
def test_a_function_may_be_the_measure(missing):
    labels = random_labels(0, missing=missing)
    votes = Ensemble(labels)
    expected = votes.agreement("adjusted_rand")
    assert_allclose(votes.agreement(peer.adjusted_rand_score), expected, atol=1e-12)
    got = ag.agreement_with(labels[:, 0], votes, peer.adjusted_rand_score)
    assert_allclose(got, expected[0], atol=1e-12)
    got = ag.agreement(labels[:, 0], labels[:, 1], peer.adjusted_rand_score)
    assert_allclose(got, expected[0, 1], atol=1e-12)


def test_labels_may_be_names():
    assert ag.nmi(["a", "a", "b", None], ["x", "x", "y", "y"]) == 1.0
    assert_array_equal(ag.contingency_table(["a", "b"], [1.0, 1.0]), [[1], [1]])


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (
            lambda: ag.nmi([0, 1], [0]),
            "a and b must label the same objects; got 2 and 1",
        ),
        (lambda: ag.nmi([], []), "a is empty"),
        (lambda: ag.nmi([0], [-1]), "b are all missing"),
        (lambda: ag.nmi([[0]], [[0]]), "a must be one-dimensional"),
        (lambda: ag.nmi([0], [0], average="mean"), 'mean\' is none of "sqrt"'),
        (lambda: ag.agreement([0], [0], "nmi"), "measure='nmi' is none of"),
        (lambda: Ensemble(E6).agreement("ari"), 'is none of "nmi_sqrt"'),
        (lambda: ag.agreement_with([0, 1], Ensemble(E6)), "got 2 for 6"),
        (lambda: ag.agreement_matrices(Ensemble(E6), "rand"), "list of names"),
    ],
)
def test_bad_arguments_are_refused_in_words(call, words):
    with pytest.raises(ComitiaError, match=words):
        call()


def test_entropy_is_its_definition():
    assert ag.entropy([1, 1, 1, 1], base=2) == 2.0
    assert_allclose(ag.entropy([0.5, 0.25, 0.25]), 1.5 * math.log(2))
    assert_allclose(ag.entropy([[1, 1], [3, 0], [0, 0]], base=2), [1.0, 0.0, 0.0])
    assert math.copysign(1.0, ag.entropy([3])) == 1.0


@pytest.mark.parametrize("counts", [[-1, 2], [np.nan, 1], [np.inf, 1]])
def test_entropy_refuses_what_is_no_count(counts):
    with pytest.raises(ComitiaError, match="finite and not negative"):
        ag.entropy(counts)


@pytest.mark.parametrize("base", [0, 1, -2])
def test_entropy_refuses_what_is_no_base(base):
    with pytest.raises(ComitiaError, match=f"base={base}"):
        ag.entropy([1, 1], base=base)


# Fixed point


@given(
    st.lists(st.floats(-1e300, 1e300), min_size=1, max_size=20), st.integers(1, 2**40)
)
def test_fixed_point_sums_fit_and_are_close(weights, n_terms):
    integers, scale = fixed_point(weights, n_terms)
    largest = max(abs(w) for w in weights)
    assert math.frexp(scale)[0] == 0.5  # a power of two
    assert n_terms * int(np.abs(integers).max()) < 2**63
    # Half a unit of the scale each, which n_terms bounds.
    tolerance = max(n_terms * 2.0**-60 * largest, 2.0**-1023)
    assert np.abs(integers / scale - np.array(weights)).max() <= tolerance


def test_fixed_point_sums_do_not_depend_on_order():
    weights = np.random.RandomState(0).rand(1000) ** 8
    integers, scale = fixed_point(weights, 1000)
    assert integers.sum() == integers[::-1].sum() == np.sort(integers).sum()
    assert_allclose(integers.sum() / scale, math.fsum(weights), rtol=1e-15)


def test_fixed_point_keeps_whole_and_dyadic_weights():
    integers, scale = fixed_point([3.0, 0.5, -0.25, 0.0], 10)
    assert_array_equal(integers / scale, [3.0, 0.5, -0.25, 0.0])


def test_fixed_point_of_nothing_and_of_nonsense():
    integers, scale = fixed_point([], 5)
    assert len(integers) == 0
    assert scale == 1.0
    assert_array_equal(fixed_point([0.0, 0.0], 5)[0], [0, 0])
    for weights in ([np.nan], [np.inf, 1.0]):
        with pytest.raises(ComitiaError, match="finite"):
            fixed_point(weights, 5)
