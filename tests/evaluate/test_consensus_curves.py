"""The consensus matrix as a distribution, against the full matrix by loops."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.cluster.hierarchy import cophenet, linkage

from comitia import Ensemble, config
from comitia.evaluate import (
    area_changes,
    cdf_area,
    consensus_cdf,
    cophenetic_correlation,
    pac,
    pair_shares,
)
from comitia.exceptions import ComitiaError, MemoryBudgetError
from tests.fixtures import E6


def labels_with_gaps(seed, n=30, M=7, k=3, share=0.75):
    rng = np.random.RandomState(seed)
    labels = rng.randint(k, size=(n, M))
    labels[rng.rand(n, M) > share] = -1
    labels[:2] = 0  # so that every clustering has a pair
    return labels


def consensus_by_loops(labels):
    """Entries above the diagonal, NaN where no clustering has both objects."""
    n, M = labels.shape
    entries = []
    for i in range(n):
        for j in range(i + 1, n):
            both = [m for m in range(M) if labels[i, m] >= 0 and labels[j, m] >= 0]
            same = [m for m in both if labels[i, m] == labels[j, m]]
            entries.append(len(same) / len(both) if both else np.nan)
    return np.array(entries)


@pytest.mark.parametrize("seed", range(4))
def test_cdf_is_that_of_the_full_matrix(seed):
    labels = labels_with_gaps(seed)
    entries = consensus_by_loops(labels)
    known = entries[~np.isnan(entries)]
    at = np.array([0.0, 0.1, 1 / 3, 0.5, 0.75, 1.0])
    shares = pair_shares(Ensemble(labels))
    assert shares.exact
    expected = [(known <= c + 1e-12).mean() for c in at]
    assert_allclose(consensus_cdf(shares, at), expected, atol=1e-12)
    assert_allclose(cdf_area(shares), 1 - known.mean(), atol=1e-7)  # float32 counts
    ambiguous = ((known > 0.1 + 1e-12) & (known <= 0.9 + 1e-12)).mean()
    assert_allclose(pac(shares), ambiguous, atol=1e-12)


def test_pairs_that_are_never_together_in_a_clustering_are_left_out():
    shares = pair_shares(Ensemble([[0, -1], [0, 0], [-1, 0]]))
    assert_allclose(np.sort(shares.values), [1.0, 1.0])


def test_the_area_is_the_integral_of_the_cdf():
    shares = pair_shares(Ensemble(labels_with_gaps(0)))
    at = np.linspace(0, 1, 200_001)
    integral = consensus_cdf(shares, at[1:]).mean()
    assert_allclose(cdf_area(shares), integral, atol=1e-4)  # steps of the sum


def test_equal_objects_count_as_often_as_they_are():
    repeated = np.repeat(E6, [3, 1, 2, 1, 4, 1], axis=0)
    shares = pair_shares(Ensemble(repeated))
    assert len(shares.values) < 12 * 11 // 2  # merged
    assert shares.counts.sum() == 12 * 11 // 2
    entries = consensus_by_loops(repeated)
    for c in (0.0, 0.4, 0.7, 1.0):
        expected = (entries <= c + 1e-12).mean()
        assert_allclose(consensus_cdf(shares, [c]), expected, atol=1e-12)


def test_points_need_no_order():
    shares = pair_shares(Ensemble(labels_with_gaps(1)))
    forth, back = consensus_cdf(shares, [0.2, 0.8]), consensus_cdf(shares, [0.8, 0.2])
    assert_allclose(forth, back[::-1])


def test_a_sample_of_pairs_comes_near_and_makes_no_matrix():
    labels = labels_with_gaps(2, n=300)
    at = np.linspace(0, 1, 11)
    exact = consensus_cdf(pair_shares(Ensemble(labels)), at)
    with config.limit(1000):
        sampled = pair_shares(
            Ensemble(labels), max_pairs=20_000, rng=np.random.RandomState(0)
        )
    assert not sampled.exact
    # Three standard errors of a share of 20 000 draws.
    assert_allclose(consensus_cdf(sampled, at), exact, atol=3 * 0.5 / 20_000**0.5)


def test_the_matrix_asks_the_memory_budget():
    ensemble = Ensemble(labels_with_gaps(2, n=300))
    with config.limit(1000), pytest.raises(MemoryBudgetError, match="distinct objects"):
        pair_shares(ensemble)
    with config.limit(1000), pytest.raises(MemoryBudgetError, match="distinct objects"):
        cophenetic_correlation(ensemble)


def test_a_sample_without_a_generator_is_refused():
    with pytest.raises(ComitiaError, match="rng"):
        pair_shares(Ensemble(labels_with_gaps(0)), max_pairs=5)


def test_pac_is_zero_when_all_clusterings_are_equal():
    same = Ensemble(np.repeat([[0], [0], [1], [1], [2]], 4, axis=1))
    assert pac(pair_shares(same)) == 0.0
    assert cophenetic_correlation(same) == 1.0


def test_bounds_out_of_order_are_refused():
    with pytest.raises(ComitiaError, match=r"lower=0\.9"):
        pac(pair_shares(Ensemble(E6)), lower=0.9, upper=0.1)


@pytest.mark.parametrize("seed", range(4))
def test_cophenetic_correlation_is_that_of_scipy(seed):
    # A full rank of votes: no two distances are equal, so that there is one tree.
    labels = np.random.RandomState(seed).randint(3, size=(14, 401))
    distances = 1 - consensus_by_loops(labels)
    tree = linkage(distances, "average")
    expected = np.corrcoef(distances, cophenet(tree))[0, 1]
    assert_allclose(cophenetic_correlation(Ensemble(labels)), expected, atol=1e-6)


def test_cophenetic_correlation_counts_equal_objects():
    few = np.random.RandomState(0).randint(3, size=(8, 401))
    labels = np.repeat(few, [1, 3, 1, 2, 1, 1, 5, 1], axis=0)
    distances = 1 - consensus_by_loops(labels)
    expected = np.corrcoef(distances, cophenet(linkage(distances, "average")))[0, 1]
    assert_allclose(cophenetic_correlation(Ensemble(labels)), expected, atol=1e-6)


def test_nothing_depends_on_order_or_names():
    labels = labels_with_gaps(5)
    order = np.random.RandomState(0).permutation(len(labels))
    renamed = np.where(labels[order] >= 0, 2 - labels[order], -1)
    one, other = Ensemble(labels), Ensemble(renamed[:, ::-1])
    assert_allclose(pac(pair_shares(one)), pac(pair_shares(other)), atol=1e-12)
    assert_allclose(cdf_area(pair_shares(one)), cdf_area(pair_shares(other)))


def test_area_changes_are_those_worked_out_by_hand():
    assert_allclose(area_changes([0.4, 0.5, 0.45, 0.6]), [0.4, 0.25, -0.1, 0.2])


def test_soft_clusterings_are_refused_in_words():
    fuzzy = Ensemble.from_memberships([[[0.5, 0.5], [1, 0]]])
    with pytest.raises(ComitiaError, match="hard clusterings"):
        pair_shares(fuzzy)
