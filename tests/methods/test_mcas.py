"""MCAS: the best of every group, by several ways of grouping."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from comitia import ConsensusClustering, Ensemble, method
from comitia.agreement import nmi
from comitia.exceptions import ComitiaError
from tests.fixtures import E6, planted, same_partition
from tests.methods._planted import families
from tests.outcomes import planted_problem

MCAS = method("mcas")
GROUPERS = ["spectral", "average", "kmedoids"]


def test_quality_of_e6_is_that_of_the_catalogue():
    fitted = MCAS(2, n_groups=2, random_state=0).fit(Ensemble(E6))
    expected = [0.843180, 0.843180, 0.686360]
    assert_allclose(fitted.clustering_weights_, expected, atol=5e-7)  # six decimals


@pytest.mark.parametrize("groupers", [[name] for name in GROUPERS] + [GROUPERS])
def test_of_e6_c1_and_c3_are_kept_by_every_grouper(groupers):
    mcas = MCAS(2, n_groups=2, groupers=groupers, random_state=0)
    fitted = mcas.fit(Ensemble(E6))
    assert_array_equal(fitted.selected_, [True, False, True])
    assert fitted.groups_.shape == (len(groupers), 3)
    for groups in fitted.groups_:
        assert same_partition(groups, [0, 0, 1])


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("grouper", GROUPERS)
def test_every_grouper_finds_families_and_names_their_best(grouper, seed):
    labels = families(seed)
    mcas = MCAS(3, n_groups=3, groupers=[grouper], random_state=0)
    fitted = mcas.fit(Ensemble(labels))
    assert same_partition(fitted.groups_[0], np.repeat([0, 1, 2], [5, 4, 3]))
    quality = [np.mean([nmi(a, b) for b in labels.T]) for a in labels.T]
    assert_allclose(fitted.clustering_weights_, quality, atol=1e-12)
    best = [lo + int(np.argmax(quality[lo:hi])) for lo, hi in [(0, 5), (5, 9), (9, 12)]]
    assert np.flatnonzero(fitted.selected_).tolist() == best


def test_the_union_of_what_groupers_name_is_kept():
    ensemble = Ensemble(planted(80, 4, 16, noise=0.4, seed=2)[0])
    together = MCAS(4, n_groups=4, random_state=0).select(ensemble)
    alone = [
        MCAS(4, n_groups=4, groupers=[name], random_state=0).select(ensemble)
        for name in GROUPERS
    ]
    assert_array_equal(together, np.unique(np.concatenate(alone)))
    assert len({tuple(kept) for kept in alone}) > 1


def test_a_group_for_each_clustering_keeps_all():
    ensemble = Ensemble(families())
    fitted = MCAS(3, n_groups=12, random_state=0).fit(ensemble)
    assert fitted.selected_.all()


def test_a_quarter_of_the_clusterings_are_groups_by_default():
    ensemble = Ensemble(planted(80, 4, 16, noise=0.4, seed=2)[0])
    fitted = MCAS(4, groupers=["average"], random_state=0).fit(ensemble)
    assert len(np.unique(fitted.groups_)) == 4
    assert fitted.selected_.sum() == 4


def test_easy_clusters_are_cut_from_those_kept():
    labels, truth = planted(90, 3, 12, noise=0.1, seed=5)
    mcas = MCAS(3, n_groups=6, random_state=0).fit(Ensemble(labels))
    assert same_partition(mcas.labels_, truth)
    assert mcas.selected_.sum() < 12


def test_data_alone_are_clustered_by_two_algorithms():
    rng = np.random.RandomState(0)
    X = np.vstack([rng.randn(20, 2), rng.randn(20, 2) + 12])
    fitted = MCAS(2, random_state=0).fit(X)
    groups = fitted.ensemble_.groups
    assert (groups == "kmeans").sum() == (groups == "spectral").sum() == 25
    assert same_partition(fitted.labels_, np.repeat([0, 1], 20))
    assert_array_equal(fitted.predict(X), fitted.labels_)


def test_the_selection_stands_in_front_of_another_consensus():
    ensemble = Ensemble(families(1))
    mcas = MCAS(n_groups=3, random_state=0)
    fitted = ConsensusClustering(3, selection=mcas).fit(ensemble)
    assert_array_equal(np.flatnonzero(fitted.selected_), mcas.select(ensemble))


@pytest.mark.parametrize("groupers", [["dbscan"], []])
def test_an_unknown_grouper_is_refused(groupers):
    with pytest.raises(ComitiaError, match="must name one or more of spectral"):
        MCAS(2, groupers=groupers).fit(Ensemble(E6))


def test_the_order_of_the_clusterings_chooses_no_start():
    labels = planted_problem(200, 8, 0.35, 50).labels
    order = np.random.RandomState(50).permutation(8)
    one, other = (
        MCAS(4, n_groups=5, random_state=0).fit(Ensemble(columns))
        for columns in (labels, labels[:, order])
    )
    assert_array_equal(one.selected_[order], other.selected_)
