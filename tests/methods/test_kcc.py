from itertools import product

import numpy as np
import pytest
from numpy.testing import assert_allclose

from comitia import Ensemble, method
from comitia.agreement import agreement
from comitia.methods.baselines.kcc import KCC
from tests.fixtures import E6, planted, same_partition

TWO_PARTS = [np.array((0, *rest)) for rest in product((0, 1), repeat=7) if any(rest)]


def category_utility(partition, column):
    """U_c: expected sum of squared label shares inside clusters, less that outside."""
    shares = np.bincount(column) / len(column)
    inside = sum(
        (partition == r).mean()
        * ((np.bincount(column[partition == r]) / (partition == r).sum()) ** 2).sum()
        for r in np.unique(partition)
    )
    return inside - (shares**2).sum()


def fit(utility, labels, **options):
    return KCC(2, utility=utility, n_init=40, random_state=0, **options).fit(
        Ensemble(labels)
    )


@pytest.mark.parametrize("seed", range(3))
def test_the_utility_is_the_largest_of_all_two_partitions(seed):
    rng = np.random.RandomState(seed)
    labels = rng.randint(0, 3, size=(8, 4))
    w = rng.uniform(0.5, 2.0, 4)

    def total(partition, utility):
        return sum(w[m] * utility(partition, labels[:, m]) for m in range(4))

    for name, utility in (
        ("squared", category_utility),
        ("entropy", lambda a, b: agreement(a, b, "mutual_information")),
    ):
        got = fit(name, labels, clustering_weights=w).labels_
        largest = max(total(partition, utility) for partition in TWO_PARTS)
        assert_allclose(total(got, utility), largest, atol=1e-9)


@pytest.mark.parametrize("utility", ["squared", "entropy"])
def test_normalized_utilities_divide_by_what_can_be_reached(utility):
    fitted = fit(f"{utility}_normalized", E6)
    if utility == "squared":
        reached = np.array([1 / 2, 1 / 2, 1 / 3])
        part = 6 * (1 - 5 / 9)  # C3 in {0,1,2},{3,4,5}; the others cost nothing
    else:
        reached = np.array([1.0, 1.0, np.log2(3)])
        part = 6 * (np.log2(3) - 2 / 3)
    assert same_partition(fitted.labels_, E6[:, 0])
    assert_allclose(fitted.objective_[-1], part / reached[2] / 3)


def test_weights_choose_the_clustering():
    labels = np.column_stack([[0, 0, 0, 1, 1, 1], [0, 1, 0, 1, 0, 1]])
    for heavy in (0, 1):
        w = np.where(np.arange(2) == heavy, 0.9, 0.1)
        fitted = fit("squared", labels, clustering_weights=w)
        assert same_partition(fitted.labels_, labels[:, heavy])
        assert_allclose(fitted.clustering_weights_, w)


@pytest.mark.parametrize("utility", ["squared", "entropy", "cosine", "lp"])
def test_a_doubled_clustering_is_a_doubled_weight(utility):
    labels = np.random.RandomState(0).randint(0, 3, size=(8, 3))
    doubled = fit(utility, np.column_stack([labels, labels[:, 0]]))
    weighted = fit(utility, labels, clustering_weights=[2, 1, 1])
    assert_allclose(doubled.objective_[-1], weighted.objective_[-1])


@pytest.mark.parametrize("utility", ["squared", "entropy", "cosine", "lp"])
def test_the_objective_never_rises(utility):
    labels, _ = planted(500, 5, 8, noise=0.75, seed=0)
    fitted = KCC(5, utility=utility, n_init=1, tol=0.0, random_state=0).fit(
        Ensemble(labels)
    )
    assert fitted.n_iter_ == len(fitted.objective_) > 2
    assert (np.diff(fitted.objective_) <= 1e-9).all()


@pytest.mark.parametrize("utility", ["squared", "entropy", "cosine", "lp"])
def test_planted_clusters_are_found_and_counted(utility):
    labels, truth = planted(600, 4, 15, noise=0.4, seed=1)
    fitted = KCC(utility=utility, random_state=0).fit(Ensemble(labels))
    assert fitted.n_clusters_ == 4
    right = sum(np.bincount(truth[fitted.labels_ == r]).max() for r in range(4))
    assert right > 0.98 * 600


@pytest.mark.parametrize(
    ("utility", "gained"),
    [
        ("squared", [0.5, 0.5, 0.222222]),
        ("entropy", [1, 1, 0.666667]),
        ("cosine", [0.292893, 0.292893, 0.168006]),
        ("lp", [0.425651, 0.425651, 0.255539]),
    ],
)
def test_utilities_of_e6_are_those_of_the_catalogue(utility, gained):
    # What k-means costs is what each clustering could reach, less what is gained.
    fitted = KCC(2, utility=utility, random_state=0).fit(Ensemble(E6))
    shares = [np.bincount(column) / 6 for column in E6.T]
    p = 2.0 if utility == "cosine" else 5.0
    itself = {
        "squared": lambda q: 1 - (q**2).sum(),
        "entropy": lambda q: -(q * np.log2(q)).sum(),
    }.get(utility, lambda q: 1 - (q**p).sum() ** (1 / p))
    expected = 6 * np.mean([itself(q) - u for q, u in zip(shares, gained, strict=True)])
    assert_allclose(fitted.objective_[-1], expected, atol=5e-6)  # six decimals


def test_qmi_is_another_name():
    assert method("qmi") is KCC
