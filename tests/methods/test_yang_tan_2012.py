"""Constrained k-means, certainty, and a map that obeys the constraints."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.datasets import make_blobs
from sklearn.metrics import adjusted_rand_score

from comitia import Ensemble
from comitia.agreement import agreement_matrix
from comitia.cluster import ConstraintSet, random_constraints
from comitia.exceptions import ComitiaError
from comitia.methods import ConstrainedSOMEnsemble
from comitia.methods.fixed_clusterings.yang_tan_2012 import certainty
from comitia.weigh import normalize_weights
from tests.fixtures import E6, X6, planted, same_partition, settled


def mean_phi(ensemble):
    return normalize_weights(agreement_matrix(ensemble, "nmi_sqrt").mean(axis=1))


def certainty_by_loops(labels, w):
    n = len(labels)
    sure = np.zeros(n)
    for i in range(n):
        for j in range(n):
            if i != j:
                together = w[labels[i] == labels[j]].sum()
                sure[i] += abs(1 - 2 * together) / (n - 1)
    return sure


def test_weights_and_certainty_are_those_worked_out():
    w = mean_phi(Ensemble(E6))
    assert_allclose(w, [0.355364, 0.355364, 0.289271], atol=1e-6)  # printed so
    sure = certainty(Ensemble(E6), w)
    printed = [0.884291, 0.884291, 0.652874, 0.652874, 0.884291, 0.884291]
    assert_allclose(sure, printed, atol=1e-6)
    order = np.argsort(-sure.round(12), kind="stable")
    assert order.tolist() == [0, 1, 4, 5, 2, 3]


@pytest.mark.parametrize("seed", range(4))
def test_certainty_is_its_definition(seed):
    labels, _ = planted(25, 3, 5, noise=0.4, seed=seed)
    w = np.random.RandomState(seed).dirichlet(np.ones(5))
    got = certainty(Ensemble(labels), w)
    assert_allclose(got, certainty_by_loops(labels, w))
    assert ((got >= 0) & (got <= 1)).all()


def test_unanimous_clusterings_are_certain_of_everything():
    same = Ensemble(np.repeat(E6[:, :1], 4, axis=1))
    assert_allclose(certainty(same, np.full(4, 0.25)), 1.0)
    assert_allclose(certainty(Ensemble([[0, 0]]), np.full(2, 0.5)), 0.0)  # no partner


class Blobs:
    """Three overlapping clusters, and constraints that they obey."""

    X, truth = settled(
        *make_blobs(
            60, centers=[[0, 0], [0, 4], [4, 0]], cluster_std=1.5, random_state=0
        )
    )
    pairs = random_constraints(truth, 60, np.random.RandomState(1))
    links = {"must_link": pairs.must_link, "cannot_link": pairs.cannot_link}


def fit(n_clusters=3, **parameters):
    parameters = {"n_clusterings": 6, "random_state": 0, "n_rounds": 30} | parameters
    return ConstrainedSOMEnsemble(n_clusters, **parameters)


@pytest.mark.filterwarnings("ignore:only .* of n_clusters")
def test_weights_are_mean_agreements_of_the_first_clusterings():
    fitted = fit(n_clusters=5).fit(Blobs.X, **Blobs.links)
    phi = agreement_matrix(fitted.ensemble_, "nmi_sqrt")
    assert np.ptp(phi.sum(axis=0)) > 0.01
    assert_allclose(fitted.clustering_weights_, phi.sum(axis=0) / phi.sum())
    wanted = certainty_by_loops(fitted.ensemble_.labels, fitted.clustering_weights_)
    assert_allclose(fitted.certainty_, wanted)


@pytest.mark.parametrize("seed", range(4))
def test_feasible_constraints_are_all_met(seed):
    pairs = random_constraints(Blobs.truth, 40, np.random.RandomState(seed))
    fitted = fit(random_state=seed)
    fitted.fit(Blobs.X, must_link=pairs.must_link, cannot_link=pairs.cannot_link)
    assert pairs.n_violated(fitted.labels_) == 0
    for labels in fitted.reordered_.labels.T:
        assert pairs.n_violated(labels) == 0


def test_constraints_improve_the_consensus():
    pairs = random_constraints(Blobs.truth, 250, np.random.RandomState(0))
    links = {"must_link": pairs.must_link, "cannot_link": pairs.cannot_link}
    plain = fit().fit(Blobs.X).labels_
    bound = fit().fit(Blobs.X, **links).labels_
    before, after = (adjusted_rand_score(Blobs.truth, x) for x in (plain, bound))
    assert before < 0.8
    assert after > 0.9


def test_the_second_clusterings_place_objects_by_certainty():
    fitted = fit().fit(Blobs.X, **Blobs.links)
    certain_first = np.argsort(-fitted.certainty_.round(12), kind="stable")
    rng = np.random.RandomState(0)  # the second seed that the method draws
    seed = rng.randint(np.iinfo(np.int32).max, size=2)[1]
    certain, unsure = (
        fitted._boosting(Blobs.X, 3, order).set_params(random_state=seed)
        for order in (certain_first, certain_first[::-1])
    )
    assert fitted.reordered_ == certain.generate(Blobs.X)
    assert fitted.reordered_ != unsure.generate(Blobs.X)


def test_without_constraints_the_order_does_not_matter():
    fitted = fit().fit(Blobs.X)
    runs = [
        fitted._boosting(Blobs.X, 3, order).set_params(random_state=0).generate(Blobs.X)
        for order in (None, np.arange(60)[::-1])
    ]
    assert runs[0] == runs[1]


def test_the_map_of_unanimous_rows_is_their_partition():
    fitted = fit(n_clusters=2).fit(X6)
    assert same_partition(fitted.labels_, [0, 0, 0, 1, 1, 1])
    same = Ensemble(np.repeat(E6[:, 2:], 5, axis=1))
    labels = fitted._map(same, 3, np.random.RandomState(0))
    assert same_partition(labels, E6[:, 2])


def test_partners_that_are_in_the_way_move_out():
    # Object 2 must be with 3, and 3 not with 4: 4 and 5 are a cluster of their own.
    fitted = fit(n_clusters=2).fit(X6, must_link=[(2, 3)], cannot_link=[(3, 4), (0, 4)])
    labels = fitted.labels_
    assert labels[2] == labels[3] != labels[4] != labels[0]


def test_what_cannot_be_met_is_violated_as_little_as_the_cap_allows():
    # Three mutual rivals in two clusters: one pair has to be violated, and moving
    # rivals out would go on forever.
    rivals = ConstraintSet(6, None, [(0, 1), (1, 2), (0, 2)])
    for cap in (None, 0, 3):
        fitted = fit(n_clusters=2, max_displacements=cap)
        fitted.fit(X6, cannot_link=rivals.cannot_link)
        assert 1 <= rivals.n_violated(fitted.labels_) <= 3


def test_contradictory_constraints_are_refused():
    with pytest.raises(ComitiaError, match="by way of 0 - 1 - 2"):
        fit().fit(Blobs.X, must_link=[(0, 1), (1, 2)], cannot_link=[(0, 2)])


def test_the_number_of_clusters_can_be_chosen():
    X, truth = make_blobs(60, centers=9 * np.eye(3), cluster_std=0.5, random_state=0)
    fitted = fit(n_clusters=None).fit(X)
    assert adjusted_rand_score(truth, fitted.labels_) == 1.0


def test_the_same_seed_gives_the_same_second_clusterings():
    one, other = (fit().fit(Blobs.X, **Blobs.links) for _ in range(2))
    assert one.reordered_ == other.reordered_
    assert_array_equal(one.labels_, other.labels_)


def test_the_agreement_can_be_chosen():
    X, _ = make_blobs(60, centers=3, cluster_std=3.0, random_state=0)
    by = {
        phi: ConstrainedSOMEnsemble(
            3, n_clusterings=6, n_rounds=5, agreement=phi, random_state=0
        ).fit(X)
        for phi in ("nmi_sqrt", "rand")
    }
    for phi, fitted in by.items():
        expected = agreement_matrix(fitted.ensemble_, phi).mean(axis=1)
        assert_allclose(fitted.clustering_weights_, expected / expected.sum())
    assert np.ptp(by["rand"].clustering_weights_) > 0
