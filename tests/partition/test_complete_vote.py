"""A vote that leaves no object out."""

import numpy as np
from numpy.testing import assert_array_equal

from comitia import Ensemble
from comitia.partition import complete_vote
from comitia.partition.vote_winners import cluster_vote


def test_where_all_have_weight_it_is_the_weighted_vote():
    rng = np.random.RandomState(0)
    ensemble = Ensemble(rng.randint(3, size=(50, 5)))
    w = rng.rand(5)
    targets = np.tile(np.arange(3), 5)
    expected = cluster_vote(ensemble, targets, 3, cluster_weights=np.repeat(w, 3))
    assert_array_equal(complete_vote(ensemble, targets, 3, w), expected)


def test_clusterings_without_weight_decide_where_nobody_else_can():
    votes = Ensemble([[0, 0, 0], [1, 0, 0], [-1, 1, 1], [-1, 0, -1]])
    targets = [0, 1, 0, 1, 0, 1]
    assert_array_equal(complete_vote(votes, targets, 2, [1, 0, 0]), [0, 1, 1, 0])
