"""Voting after a match of centroids, against the catalogue and a plain rewriting."""

from itertools import permutations
from types import SimpleNamespace

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.datasets import make_blobs

from comitia import Ensemble, method
from comitia.agreement import nmi
from comitia.exceptions import ComitiaError, ComitiaWarning
from comitia.generate.base import Member, NearestCenter
from comitia.represent import align
from tests.fixtures import X6, same_partition

CentroidVoting = method("zhang_2009")
X, _ = make_blobs(150, centers=3, cluster_std=2.0, random_state=3)
FAR, TRUTH = make_blobs(150, centers=4, center_box=(-50, 50), random_state=0)


def test_the_match_of_x6_is_swapped():
    one, other = np.array([[1.0], [11.0]]), np.array([[11.5], [0.5]])
    cost = {p: abs(other - one[list(p)]).sum() for p in permutations(range(2))}
    assert cost == {(0, 1): 21.0, (1, 0): 1.0}
    labels = np.array([1, 1, 1, 0, 0, 0])  # run 2 in its own names
    reference = np.array([0, 0, 0, 1, 1, 1])
    _, mapping = align(
        labels, reference, method="centroids", centers=other, reference_centers=one
    )
    assert_array_equal(mapping, [1, 0])
    assert same_partition(
        CentroidVoting(2, random_state=0).fit_predict(X6), [0, 0, 0, 1, 1, 1]
    )


def plain(fitted):
    """The vote by loops: matchings by trying all permutations."""
    labels = fitted.ensemble_.labels
    n, M = labels.shape
    k, ref = fitted.n_clusters, fitted.reference_
    centers = [one.model.centers for one in fitted.generator_.members_]
    votes, weights = np.zeros((n, k)), np.zeros(M)
    for m in range(M):
        both = (labels[:, m] >= 0) & (labels[:, ref] >= 0)
        weights[m] = nmi(labels[both, m], labels[both, ref])
        distance = np.linalg.norm(centers[m][:, None] - centers[ref][None], axis=2)
        best = min(
            permutations(range(k)), key=lambda p: distance[np.arange(k), list(p)].sum()
        )
        for i in np.flatnonzero(labels[:, m] >= 0):
            votes[i, best[labels[i, m]]] += weights[m]
    return weights, votes.argmax(axis=1)


@pytest.mark.parametrize("variant", ["extend", "abstain"])
@pytest.mark.parametrize("seed", range(3))
def test_it_is_the_method_of_the_review(variant, seed):
    fitted = CentroidVoting(3, variant=variant, random_state=seed).fit(X)
    assert (fitted.ensemble_.n_clusters_each == 3).all()
    weights, labels = plain(fitted)
    assert_allclose(fitted.clustering_weights_, weights, atol=1e-12)
    assert fitted.clustering_weights_[fitted.reference_] == 1.0
    assert same_partition(fitted.labels_, labels)


def test_abstaining_clusterings_have_their_subset_alone():
    fitted = CentroidVoting(3, variant="abstain", random_state=0).fit(X)
    covered = (fitted.ensemble_.labels >= 0).sum(axis=0)
    assert_array_equal(covered, 120)
    extended = CentroidVoting(3, random_state=0).fit(X)
    assert extended.ensemble_.kind == "hard"


def test_the_reference_is_drawn_or_given():
    drawn = {
        CentroidVoting(3, random_state=seed).fit(X).reference_ for seed in range(6)
    }
    assert len(drawn) > 1
    fitted = CentroidVoting(3, reference=7, random_state=0).fit(X)
    assert fitted.reference_ == 7
    with pytest.raises(ComitiaError, match="reference=20 is no clustering"):
        CentroidVoting(3, reference=20, random_state=0).fit(X)


def test_names_of_base_clusters_do_not_matter():
    # The same members in other names: reverse the centres of every other one.
    fitted = CentroidVoting(3, random_state=0).fit(X)

    class Renamed(CentroidVoting):
        def _generate(self, X, rng):
            ensemble = super()._generate(X, rng)
            labels = ensemble.labels.copy()
            for m in range(0, ensemble.n_clusterings, 2):
                labels[:, m] = 2 - labels[:, m]
                model = self.generator_.members_[m].model
                model.centers = model.centers[::-1]
            return Ensemble(labels)

    assert same_partition(Renamed(3, random_state=0).fit_predict(X), fitted.labels_)


def test_centroids_decide_and_not_overlaps():
    class TwoRuns(CentroidVoting):
        """Equal labels, but the centroids of the second run are swapped."""

        def _generate(self, X, rng):
            centers = [np.array([[1.0], [11.0]]), np.array([[11.5], [0.5]])]
            members = [Member(NearestCenter(c), np.arange(2)) for c in centers]
            self.generator_ = SimpleNamespace(members_=members)
            return Ensemble(np.repeat([[0], [0], [0], [1], [1], [1]], 2, axis=1))

    # Every object has one vote for each label: the lowest wins.
    with pytest.warns(ComitiaWarning, match="only 1 of n_clusters=2"):
        assert_array_equal(TwoRuns(2, reference=0).fit_predict(X6), 0)


@pytest.mark.parametrize("variant", ["extend", "abstain"])
def test_clear_blobs_are_found_with_their_number_given_or_chosen(variant):
    given = CentroidVoting(4, variant=variant, random_state=0).fit(FAR)
    assert same_partition(given.labels_, TRUTH)
    chosen = CentroidVoting(variant=variant, random_state=0).fit(FAR)
    assert (chosen.ensemble_.n_clusters_each == 4).all()
    assert same_partition(chosen.labels_, TRUTH)


def test_new_objects_are_labeled():
    fitted = CentroidVoting(3, random_state=0).fit(X)
    assert (fitted.predict(X) == fitted.labels_).mean() > 0.97


def test_a_distance_is_no_agreement():
    with pytest.raises(ComitiaError, match="is a distance"):
        CentroidVoting(2, agreement="variation_of_information").fit(X6)
