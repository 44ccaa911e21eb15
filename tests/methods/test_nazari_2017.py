import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.spatial.distance import squareform
from sklearn.datasets import make_blobs

from comitia import Ensemble, method
from comitia.exceptions import ComitiaError
from comitia.generate import KMeansGenerator
from comitia.methods.fixed_clusters.nazari_2017 import (
    best_of_the_rest,
    cluster_cohesion,
    mean_weights,
)
from comitia.represent import coassociation
from tests.fixtures import E6, planted, same_partition

Nazari = method("nazari_2017")
VARIANTS = ("bipartite", "hac")


def test_reliabilities_of_e6_are_those_of_the_catalogue():
    fitted = Nazari(2, variant="hac").fit(Ensemble(E6))
    assert_allclose(fitted.cluster_weights_, [7 / 9] * 4 + [1, 1 / 3, 1])
    # Above the median, 7/9, are c and e alone.
    assert_array_equal(fitted.selected_, [0, 0, 0, 0, 1, 0, 1])


def test_similarities_of_e6_are_those_of_the_catalogue():
    E = Ensemble(E6)
    fitted = Nazari(2, variant="hac").fit(E)
    S = squareform(mean_weights(E, fitted.cluster_weights_, fitted.selected_))
    expected = np.zeros((6, 6))
    expected[0, 1] = expected[1, 0] = expected[4, 5] = expected[5, 4] = 1.0
    assert_allclose(S, expected)
    # Objects 2 and 3 are in no retained cluster: they merge last.
    assert_allclose(fitted.linkage_[:, 2], [0, 0, 1, 1, 1])


def test_the_bipartite_form_retains_a_cluster_for_every_object():
    fitted = Nazari(2, random_state=0).fit(Ensemble(E6))
    # Objects 2 and 3 bring in a and b, the first of their most reliable clusters.
    assert_array_equal(fitted.selected_, [1, 1, 0, 0, 1, 0, 1])
    assert same_partition(fitted.labels_, E6[:, 0])


def test_similarity_is_the_mean_over_shared_retained_clusters():
    labels, _ = planted(25, 3, 5, noise=0.4, seed=0)
    labels[np.random.RandomState(0).rand(25, 5) < 0.2] = -1
    E = Ensemble(labels)
    rng = np.random.RandomState(1)
    weights, selected = rng.rand(E.n_clusters_total), rng.rand(E.n_clusters_total) < 0.5
    S = squareform(mean_weights(E, weights, selected))
    B = E.membership.toarray() > 0
    for i in range(25):
        for j in range(i):
            both = B[i] & B[j] & selected
            expected = weights[both].mean() if both.any() else 0.0
            assert_allclose(S[i, j], expected, atol=1e-12)


def test_uncovered_objects_bring_their_heaviest_cluster():
    E = Ensemble([[0, 0], [0, 1], [1, -1]])
    weights = np.array([0.2, 0.1, 0.9, 0.2])
    none = np.zeros(4, dtype=bool)
    # Object 0 has 0.2 and 0.9, object 1 0.2 twice, object 2 one cluster only.
    assert_array_equal(best_of_the_rest(E, weights, none), [1, 1, 1, 0])
    some = np.array([True, False, False, False])
    assert_array_equal(best_of_the_rest(E, weights, some), [0, 1, 0, 0])


@pytest.mark.parametrize("variant", VARIANTS)
def test_identical_clusterings_keep_all_clusters(variant):
    truth = np.repeat([0, 1, 2], [4, 6, 8])
    same = Ensemble(np.repeat(truth[:, None], 3, axis=1))
    fitted = Nazari(3, variant=variant, random_state=0).fit(same)
    assert fitted.selected_.all()
    assert same_partition(fitted.labels_, truth)


@pytest.mark.parametrize("variant", VARIANTS)
def test_a_threshold_of_zero_keeps_all_but_single_objects(variant):
    labels, _ = planted(60, 3, 6, noise=0.3, seed=0)
    labels[0, 0] = 7
    fitted = Nazari(3, variant=variant, threshold=0.0, random_state=0)
    fitted.fit(Ensemble(labels))
    assert_array_equal(fitted.selected_, fitted.cluster_weights_ > 0)
    assert (~fitted.selected_).sum() == 1


def test_a_threshold_that_retains_nothing_is_refused():
    crossed = Ensemble([[0, 0], [0, 1], [1, 0], [1, 1]])
    with pytest.raises(ComitiaError, match=r"threshold=0\.9 retains no .* has 0\.5"):
        Nazari(2, threshold=0.9).fit(crossed)


def test_planted_clusters_are_found():
    labels, truth = planted(150, 3, 15, noise=0.2, seed=0)
    fitted = Nazari(3, random_state=0).fit(Ensemble(labels))
    assert same_partition(fitted.labels_, truth)


def test_linkage_finds_clusters_that_are_nearly_clear():
    labels, truth = planted(150, 3, 15, noise=0.05, seed=0)
    found = Nazari(3, variant="hac").fit_predict(Ensemble(labels))
    right = sum(np.bincount(truth[found == r]).max() for r in range(3))
    # One shared cluster counts as much as many, so that a stray label can mislead.
    assert right > 0.9 * 150


def test_data_alone_make_their_own_ensemble():
    X, truth = make_blobs(150, centers=[[0, 0], [9, 0], [0, 9]], random_state=0)
    fitted = Nazari(3, generator=KMeansGenerator(20), random_state=0).fit(X)
    assert same_partition(fitted.labels_, truth)
    assert (fitted.predict(X) == fitted.labels_).mean() > 0.95


def test_fuzzy_clusterings_are_refused():
    fuzzy = Ensemble.from_memberships([[[0.5, 0.5], [1.0, 0.0]]])
    with pytest.raises(ComitiaError, match="ensemble is fuzzy"):
        Nazari(2).fit(fuzzy)


def some(missing, seed=0):
    labels, _ = planted(30, 4, 5, noise=0.5, seed=seed)
    labels[np.random.RandomState(seed).rand(30, 5) < missing] = -1
    labels[0] = [9, -1, 9, 9, 0]  # clusters of one object
    return Ensemble(labels)


def test_cohesions_of_e6_are_those_of_the_catalogue():
    expected = [7 / 9] * 4 + [1, 1 / 3, 1]
    assert_allclose(cluster_cohesion(Ensemble(E6)), expected)


@pytest.mark.parametrize("missing", [0.0, 0.3])
def test_cohesion_is_the_mean_over_the_pairs(missing):
    E = some(missing)
    together = coassociation(E, co_sampled=False, dtype=np.float64)
    seen = (E.labels >= 0).astype(float)
    both = seen @ seen.T / E.n_clusterings
    expected = []
    for member in E.membership.toarray().T > 0:
        pairs = np.ix_(member, member)
        others = ~np.eye(member.sum(), dtype=bool)
        n_seen = both[pairs][others].sum()
        expected.append(together[pairs][others].sum() / n_seen if n_seen else 0.0)
    assert 0.0 in expected
    assert_allclose(cluster_cohesion(E), expected, atol=1e-14)


def test_cohesion_of_fuzzy_clusters_is_refused():
    fuzzy = Ensemble.from_memberships([[[0.5, 0.5], [1.0, 0.0]]])
    with pytest.raises(ComitiaError, match="ensemble is fuzzy"):
        cluster_cohesion(fuzzy)
