"""Bag of little bootstraps clustering."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.cluster import KMeans
from sklearn.datasets import make_blobs

from comitia import method
from tests.fixtures import same_partition

BLBC = method("blbc")
ClustererEnsemble = method("zhou_tang_2006")
X, _ = make_blobs(300, centers=3, cluster_std=1.5, random_state=3)


def test_bootstraps_are_as_large_as_the_data_and_of_few_objects():
    fitted = BLBC(3, n_clusterings=12, n_resamples=4, random_state=0).fit(X)
    b = round(300**0.6)
    generator = fitted.generator_
    samples = [
        generator._draw(X, plan)
        for plan in generator._plan(X, np.random.RandomState(generator.random_state))
    ]
    assert len(samples) == 12
    for first in range(0, 12, 4):
        # A subset of b objects in which the four samples lie.
        together = set().union(*[rows for rows, _, _ in samples[first : first + 4]])
        assert len(together) <= b
        assert all(counts.sum() == 300 for _, counts, _ in samples[first : first + 4])
    assert len(set().union(*[rows for rows, _, _ in samples])) > b


def test_counts_weigh_as_repeated_objects_do():
    rng = np.random.RandomState(0)
    counts = rng.multinomial(300, np.full(30, 1 / 30))
    few = X[:30]
    centers = few[[0, 10, 20]]
    weighted = KMeans(3, init=centers, n_init=1).fit(few, sample_weight=counts)
    repeated = KMeans(3, init=centers, n_init=1).fit(np.repeat(few, counts, axis=0))
    one = weighted.cluster_centers_
    # Sums of the same numbers in another order.
    assert_allclose(one, repeated.cluster_centers_, rtol=1e-6)


def test_every_object_goes_to_the_nearest_center_of_every_member():
    fitted = BLBC(3, n_clusterings=5, random_state=0).fit(X)
    for m, member in enumerate(fitted.generator_.members_):
        distance = np.linalg.norm(X[:, None] - member.model.centers[None], axis=2)
        assert_array_equal(fitted.ensemble_.labels[:, m], distance.argmin(axis=1))


@pytest.mark.parametrize("variant", ["voting", "weighted", "selective_weighted"])
def test_the_vote_is_that_of_a_clusterer_ensemble(variant):
    fitted = BLBC(3, n_clusterings=20, reference=4, variant=variant, random_state=0)
    labels = fitted.fit_predict(X)
    again = ClustererEnsemble(3, reference=4, variant=variant).fit(fitted.ensemble_)
    assert same_partition(labels, again.labels_)
    assert_array_equal(fitted.clustering_weights_, again.clustering_weights_)
    assert_array_equal(fitted.selected_, again.selected_)


def test_blobs_are_found_with_the_number_given_or_chosen():
    far, truth = make_blobs(300, centers=4, center_box=(-50, 50), random_state=0)
    given = BLBC(4, n_clusterings=40, random_state=0).fit(far)
    assert same_partition(given.labels_, truth)
    chosen = BLBC(n_clusterings=40, random_state=0).fit(far)
    assert same_partition(chosen.labels_, truth)


def test_all_objects_in_every_subset_is_a_bootstrap():
    fitted = BLBC(3, n_clusterings=3, subset_power=1.0, random_state=0).fit(X)
    drawn = fitted.generator_._draw(
        X, {"object_seed": 1, "subset_seed": 2, "feature_seed": 3}
    )
    assert drawn[1].sum() == 300
    assert 150 < len(drawn[0]) < 230  # 1 - 1/e of 300 is 190
