"""Kernel-based multi-objective clustering; the parts are in tests/cluster."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.metrics import adjusted_rand_score

from comitia import method
from comitia.exceptions import ComitiaError
from comitia.generate import Subsample
from comitia.methods.variable_features._zhou_zhu_2017_clustering import (
    kernel_distances,
    pareto_search,
)
from comitia.methods.variable_features._zhou_zhu_2017_pareto import knee
from tests.fixtures import same_partition, settled
from tests.methods._subspaces import noisy

KernelMultiobjectiveEnsemble = method("zhou_zhu_2017")
FEW = {"n_clusterings": 4, "n_individuals": 8, "max_iter": 8, "random_state": 0}


def test_fronts_are_those_of_the_search_on_samples():
    X = settled(noisy()[0])
    fitted = KernelMultiobjectiveEnsemble(3, **FEW).fit(X)
    Z = (X - X.mean(axis=0)) / X.std(axis=0)
    plans = fitted.generator_.plan(
        X, np.random.RandomState(fitted.generator_.random_state)
    )
    for m, front in enumerate(fitted.fronts_):
        sample = Subsample(0.8).draw(90, np.random.RandomState(plans[m]["object_seed"]))
        assert len(sample.rows) == 72
        run = pareto_search(
            Z[sample.rows],
            3,
            np.random.RandomState(plans[m]["seed"]),
            n_individuals=8,
            max_iter=8,
        )
        assert_allclose(front.costs, run.front.costs)
        assert_allclose(fitted.objective_[m], run.objective)
        assert fitted.chosen_[m] == knee(front.costs)


def test_no_returned_solution_is_dominated():
    X, _ = noisy(seed=1)
    fitted = KernelMultiobjectiveEnsemble(4, **FEW).fit(X)
    assert max(len(front.costs) for front in fitted.fronts_) > 1
    for costs, _, weights in fitted.fronts_:
        for a in costs:
            for b in costs:
                assert not ((b <= a).all() and (b < a).any())
        assert_allclose(weights.sum(axis=2), 1.0)
    for history in fitted.objective_:
        assert history.shape == (9, 2)
        assert np.diff(history, axis=0).max() <= 0
    assert fitted.n_iter_ == 8


def test_objects_outside_a_sample_go_to_the_nearest_center():
    X, _ = noisy()
    fitted = KernelMultiobjectiveEnsemble(3, **FEW).fit(X)
    Z = (X - X.mean(axis=0)) / X.std(axis=0)
    for m, member in enumerate(fitted.generator_.members_):
        model, front = member.model, fitted.fronts_[m]
        C, w = front.centers[fitted.chosen_[m]], front.weights[fitted.chosen_[m]]
        d = kernel_distances(Z, C, model.widths_)
        nearest = np.stack([w[v] ** 3.0 @ d[v] for v in range(3)]).argmin(axis=0)
        assert same_partition(fitted.ensemble_.labels[:, m], nearest)


@pytest.mark.parametrize("selection", ["compactness", "separation"])
def test_the_choice_from_the_front_can_be_overridden(selection):
    X, _ = noisy(seed=1)
    default = KernelMultiobjectiveEnsemble(4, **FEW).fit(X)
    other = KernelMultiobjectiveEnsemble(4, selection=selection, **FEW).fit(X)
    column = ["compactness", "separation"].index(selection)
    for one, two, chosen in zip(
        default.fronts_, other.fronts_, other.chosen_, strict=True
    ):
        assert_allclose(one.costs, two.costs)
        assert chosen == two.costs[:, column].argmin()
    assert default.chosen_ != other.chosen_


@pytest.mark.parametrize("consensus", ["cspa", "eac"])
def test_clusters_among_noise_are_found(consensus):
    X, truth = noisy()
    fitted = KernelMultiobjectiveEnsemble(
        3, n_clusterings=5, max_iter=20, consensus=consensus, random_state=0
    ).fit(X)
    assert adjusted_rand_score(truth, fitted.labels_) > 0.9
    assert_allclose(fitted.feature_weights_.sum(axis=1), 1.0)
    # Noise weighs less than what the clusters differ in.
    weights = fitted.feature_weights_.mean(axis=0)
    assert weights[:2].min() > weights[2:].max()


def test_the_printed_weights_are_on_single_features():
    X, _ = noisy()
    fitted = KernelMultiobjectiveEnsemble(3, weight_power=1.0, **FEW).fit(X)
    assert_array_equal(fitted.feature_weights_.max(axis=1), 1.0)


def test_a_large_power_makes_all_features_alike():
    X, _ = noisy()
    fitted = KernelMultiobjectiveEnsemble(3, weight_power=50.0, **FEW).fit(X)
    # They differ as the 49th root of the dispersions does.
    assert_allclose(fitted.feature_weights_, 0.25, rtol=0.1)


def test_all_objects_can_be_sampled_and_jobs_do_not_matter():
    X, _ = noisy(n=15)
    one = KernelMultiobjectiveEnsemble(3, object_fraction=1.0, **FEW).fit(X)
    two = KernelMultiobjectiveEnsemble(3, object_fraction=1.0, n_jobs=2, **FEW).fit(X)
    assert one.ensemble_ == two.ensemble_
    assert_array_equal(one.labels_, two.labels_)


def test_a_consensus_that_needs_data_is_refused():
    with pytest.raises(ComitiaError, match="needs more than labels"):
        KernelMultiobjectiveEnsemble(3, consensus="wosp", **FEW).fit(noisy(n=8)[0])
