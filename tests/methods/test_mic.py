"""MIC: factors of incomplete views, drawn to a consensus."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.exceptions import ConvergenceWarning
from sklearn.metrics import adjusted_rand_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from comitia.exceptions import ComitiaError
from comitia.methods import MIC, OMVC
from tests.fixtures import same_partition, settled
from tests.methods._views import confused_pair, without


def test_a_missing_object_weighs_the_share_of_those_present():
    X = np.array([[1.0, 0.0], [2.0, 0.0], [0.0, 3.0], [np.nan, np.nan]])
    fitted = MIC(2, random_state=0).fit([X, np.eye(4)])
    assert_array_equal(fitted.view_object_weights_[:, 0], [1, 1, 1, 0.75])
    assert_array_equal(fitted.view_object_weights_[:, 1], 1.0)
    assert_array_equal(fitted.object_weights_, [1, 1, 1, 0.875])
    assert fitted.view_labels_[3, 0] == -1


@pytest.mark.parametrize("share", [0.0, 0.3])
@pytest.mark.parametrize("penalties", [(0.1, 0.001), (2.0, 0.5), (0.0, 0.0)])
def test_the_objective_does_not_rise(share, penalties):
    views = without(confused_pair(junk=True)[0], share)
    with pytest.warns(ConvergenceWarning, match="max_iter=60"):
        fitted = MIC(
            3,
            view_penalty=penalties[0],
            sparsity_penalty=penalties[1],
            max_iter=60,
            tol=0.0,
            random_state=0,
        ).fit(views)
    assert (np.diff(fitted.objective_) <= 1e-10 * fitted.objective_[0]).all()
    assert fitted.n_iter_ == 60
    assert not fitted.converged_


def test_one_view_without_penalties_is_plain_nmf():
    X = settled(np.random.RandomState(0).uniform(size=(40, 6)))
    with pytest.warns(ConvergenceWarning):
        fitted = MIC(
            3,
            scale=None,
            view_penalty=0.0,
            sparsity_penalty=0.0,
            max_iter=25,
            tol=0.0,
            random_state=0,
        ).fit([X])
    # The same start: shares of the clusters of k-means, and the means they give.
    labels = MIC(3, scale=None, random_state=0)._start_shares(
        [X], 3, np.random.RandomState(0)
    )
    U, V = labels, X.T @ labels
    V = V * (X.sum(axis=1).mean() / V.sum(axis=0))
    for _ in range(25):
        V = V * (X.T @ U) / (V @ U.T @ U)
        U = U * (X @ V) / (U @ V.T @ V)
    residual = np.linalg.norm(X - U @ V.T) ** 2
    assert_allclose(fitted.objective_[-1], residual, rtol=1e-9)
    assert_allclose(fitted.consensus_ @ fitted.components_[0].T, U @ V.T, rtol=1e-7)


def test_columns_of_features_sum_to_the_mean_row():
    views = [X - X.min() for X in confused_pair()[0]]
    fitted = MIC(3, scale=None, tol=1e-4, random_state=0).fit(views)
    for X, V in zip(views, fitted.components_, strict=True):
        assert_allclose(V.sum(axis=0), X.sum(axis=1).mean())
    # In these units the rows of all factors have a mean sum of about one.
    assert 0.8 < fitted.consensus_.sum(axis=1).mean() < 1.2


def test_views_tell_together_what_none_tells_alone():
    views, truth = confused_pair()
    fitted = MIC(3, random_state=0).fit(views)
    assert adjusted_rand_score(truth, fitted.labels_) > 0.95


def test_objects_may_be_missing():
    # Two views tell one pair of clusters apart, two the other: some 2 % lack both.
    views, truth = confused_pair(60)
    views = [*views, views[0] + 1.0, views[1] ** 2]
    fitted = MIC(3, random_state=0).fit(without(views, 0.15))
    assert adjusted_rand_score(truth, fitted.labels_) > 0.85


def test_units_of_a_view_do_not_matter():
    views, _ = confused_pair(junk=True)
    one = MIC(3, random_state=0).fit(views)
    other = MIC(3, random_state=0).fit([views[0] * 1000 - 7, views[1], views[2] / 9])
    assert_allclose(other.consensus_, one.consensus_, rtol=1e-6)


def test_the_order_of_objects_and_views_does_not_matter():
    views, _ = confused_pair()
    order = np.random.RandomState(0).permutation(90)
    one = MIC(3, random_state=0).fit(views).labels_
    other = MIC(3, random_state=0).fit([views[1][order], views[0][order]]).labels_
    assert same_partition(one[order], other)


def test_one_wide_table_serves_in_a_pipeline():
    views, truth = confused_pair()
    wide = np.hstack(views)
    cut = MIC(3, views=[slice(0, 4), [4, 5, 6]], random_state=0)
    assert_allclose(
        cut.fit(wide).consensus_, MIC(3, random_state=0).fit(views).consensus_
    )
    labels = make_pipeline(StandardScaler(), cut).fit_predict(wide)
    assert adjusted_rand_score(truth, labels) > 0.95


def test_the_number_of_clusters_can_be_left_open():
    rng = np.random.RandomState(0)
    truth = np.repeat(np.arange(4), 30)
    views = [
        rng.uniform(2, 20, size=(4, p))[truth] + rng.normal(0, 0.3, size=(120, p))
        for p in (5, 6)
    ]
    found = MIC(random_state=0).fit(without(views, 0.1))
    assert found.n_clusters_ == 4
    assert adjusted_rand_score(truth, found.labels_) > 0.9


@pytest.mark.parametrize("device", ["torch", "array_api_strict"])
def test_a_device_gives_the_same_labels(device):
    pytest.importorskip(device)
    views = without(confused_pair(junk=True)[0], 0.2)
    here = MIC(3, tol=1e-3, random_state=0).fit(views)
    there = MIC(3, tol=1e-3, random_state=0).fit(views, device=device)
    assert_array_equal(there.labels_, here.labels_)
    assert_allclose(there.consensus_, here.consensus_, rtol=1e-7, atol=1e-9)
    assert isinstance(there.consensus_, np.ndarray)


def test_negative_views_and_views_of_different_lengths_are_refused():
    views, _ = confused_pair()
    with pytest.raises(ComitiaError, match=r"negative numbers.*scale"):
        MIC(3, scale=None).fit([-views[0], views[1]])
    with pytest.raises(ComitiaError, match="views have 90, 89 rows"):
        MIC(3).fit([views[0], views[1][1:]])
    partly = views[0].copy()
    partly[4, 1] = np.nan
    with pytest.raises(ComitiaError, match="a part of row 4"):
        MIC(3).fit([partly, views[1]])


@pytest.mark.parametrize("method", [MIC, OMVC])
def test_penalties_are_one_for_all_views_or_one_for_each(method):
    views, _ = confused_pair()
    same = {"max_iter": 100, "tol": 1e-3, "random_state": 0}
    one = method(3, view_penalty=0.2, sparsity_penalty=0.01, **same).fit(views)
    each = method(
        3, view_penalty=[0.2, 0.2], sparsity_penalty=np.full(2, 0.01), **same
    ).fit(views)
    assert_array_equal(one.consensus_, each.consensus_)
    drawn = method(3, view_penalty=[0.2, 50.0], **same).fit(views)
    assert not np.allclose(drawn.consensus_, one.consensus_, atol=1e-3)
    for wrong in ([0.2], [0.2, -1.0], [0.2, np.nan]):
        with pytest.raises(ComitiaError, match="view_penalty"):
            method(3, view_penalty=wrong).fit(views)
        with pytest.raises(ComitiaError, match="sparsity_penalty"):
            method(3, sparsity_penalty=wrong).fit(views)


def test_the_consensus_follows_the_view_with_the_penalty():
    views, _ = confused_pair()
    fitted = MIC(3, view_penalty=[0.0, 0.1], tol=1e-3, random_state=0).fit(views)
    # A view without one is factorised for itself, and the consensus is the other's.
    assert_array_equal(fitted.consensus_.argmax(axis=1), fitted.view_labels_[:, 1])
