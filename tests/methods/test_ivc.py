import numpy as np
import pytest

from comitia import Ensemble, method
from tests.fixtures import E6, planted, same_partition

IVC = method("ivc")


def ipvc_by_loops(labels, start, n_clusters):
    """Objects move to the cluster that has most of their labels, all at once."""
    found = start.copy()
    for _ in range(50):
        costs = np.zeros((len(labels), n_clusters))
        for r in range(n_clusters):
            members = labels[found == r]
            costs[:, r] = (labels[:, None] != members).mean(axis=(1, 2))
        new = costs.argmin(axis=1)
        if (new == found).all():
            return found
        found = new
    return found


@pytest.mark.parametrize("variant", ["ipvc", "ivc"])
def test_two_clusters_of_e6_are_its_first_clustering(variant):
    fitted = IVC(2, variant=variant, random_state=0).fit(Ensemble(E6))
    assert same_partition(fitted.labels_, E6[:, 0])
    # Objects 2 and 3 differ in one label of three from their cluster (IVC); in shares
    # the four others differ by a third of a label and these two by two thirds.
    total = {"ivc": 2 / 3, "ipvc": (4 * 1 / 3 + 2 * 2 / 3) / 3}[variant]
    assert fitted.objective_[-1] == pytest.approx(total)


@pytest.mark.parametrize("seed", range(4))
def test_the_result_is_where_nothing_moves(seed):
    labels, _ = planted(80, 3, 6, noise=0.3, seed=seed)
    found = IVC(3, random_state=0).fit(Ensemble(labels)).labels_
    assert same_partition(ipvc_by_loops(labels, found, 3), found)


def test_modes_are_those_of_kmodes():
    labels, _ = planted(100, 3, 6, noise=0.4, seed=0)
    E = Ensemble(labels)
    one = IVC(3, variant="ivc", random_state=0).fit(E)
    other = method("kmodes_consensus")(3, random_state=0).fit(E)
    assert same_partition(one.labels_, other.labels_)


@pytest.mark.parametrize("n", [200, 45_000])
def test_the_cost_does_not_rise_for_few_or_many_objects(n):
    labels, _ = planted(n, 3, 6, noise=0.5, seed=0)
    fitted = IVC(3, n_init=2, random_state=0).fit(Ensemble(labels))
    assert (np.diff(fitted.objective_) <= 1e-9).all()
