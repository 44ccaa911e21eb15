"""Objects cluster by cluster, in each cluster the alike next to each other."""

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from comitia import Ensemble
from comitia.display.seriation import seriated_order
from tests.display.ensembles import correspondence_by_svd, random_labels, soft


@pytest.mark.parametrize("ensemble", [Ensemble(random_labels(9)), soft(9)])
def test_seriation_follows_the_first_coordinate_of_each_cluster_by_itself(ensemble):
    n = ensemble.n_objects
    labels = np.random.RandomState(3).randint(-1, 3, size=n)
    order = seriated_order(ensemble, labels)
    place = np.argsort(order)
    for c in range(3):
        inside = np.flatnonzero(labels == c)
        B = ensemble.membership.toarray()[inside]
        along = correspondence_by_svd(B[:, B.any(axis=0)])[:, 0]
        expected = inside[np.argsort(along)]
        got = inside[np.argsort(place[inside])]
        assert got.tolist() in (expected.tolist(), expected[::-1].tolist())
    assert_array_equal(np.where(labels < 0, 3, labels)[order], np.sort(labels % 4))


def test_seriation_puts_what_is_kept_together_next_to_each_other():
    # Two kinds of objects in one cluster, mixed in the order of the data.
    kinds = np.array([0, 1, 1, 0, 1, 0, 0, 1])
    ensemble = Ensemble(np.c_[kinds, kinds, np.zeros(8, int)])
    along = kinds[seriated_order(ensemble, np.zeros(8, int))]
    assert np.abs(np.diff(along)).sum() == 1


def test_seriation_of_equal_objects_keeps_their_order():
    ensemble = Ensemble(np.zeros((5, 2), int))
    assert_array_equal(seriated_order(ensemble, [1, 0, 1, 0, -1]), [1, 3, 0, 2, 4])
