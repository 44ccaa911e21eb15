"""What several multi-view methods keep to, each in the same test."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.exceptions import ConvergenceWarning

from comitia import method
from tests.fixtures import same_partition
from tests.multiview import complementary_views

CENTERS = ["minimax_fcm", "mvcc", "mvfcmddv", "zhao_2020"]


@pytest.mark.parametrize("id", [*CENTERS, "pmsc"])
def test_the_number_of_clusters_is_found_in_the_views_together(id):
    rng = np.random.RandomState(0)
    truth = np.repeat(np.arange(3), 30)
    views = [9.0 * np.eye(3)[truth] + rng.randn(90, 3) for _ in range(2)]
    assert same_partition(method(id)(random_state=0).fit(views).labels_, truth)


@pytest.mark.parametrize(
    ("id", "settings"),
    [
        ("cgmv_ufs", {}),
        ("mv_l21_nmf", {}),
        ("liu_2010", {"variant": "ensemble"}),
        ("liu_2010", {"variant": "kernel"}),
    ],
)
def test_the_number_of_clusters_can_be_left_open(id, settings):
    rng = np.random.RandomState(0)
    truth = np.repeat(np.arange(4), 25)
    views = [
        rng.uniform(2, 20, size=(4, p))[truth] + rng.normal(0, 0.3, size=(100, p))
        for p in (4, 5, 6)
    ]
    assert method(id)(**settings, random_state=0).fit(views).n_clusters_ == 4


@pytest.mark.parametrize("id", CENTERS)
def test_an_early_end_is_said(id):
    views, _ = complementary_views()
    cls = method(id)
    with pytest.warns(ConvergenceWarning, match=f"{cls.__name__} did not converge"):
        fitted = cls(4, max_iter=1, random_state=0).fit(views)
    assert not fitted.converged_
    assert np.max(fitted.n_iter_) == 1


@pytest.mark.parametrize("id", ["mvcc", "mvfcmddv", "zhao_2020"])
def test_a_device_changes_no_label(id):
    pytest.importorskip("torch")
    views, _ = complementary_views(seed=3)
    here = method(id)(4, random_state=0).fit(views)
    there = method(id)(4, random_state=0).fit(views, device="torch")
    assert_array_equal(there.labels_, here.labels_)
    assert_allclose(there.view_weights_, here.view_weights_, atol=1e-8)
