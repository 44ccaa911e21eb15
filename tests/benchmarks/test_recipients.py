"""Do weights help? The twins are twins, and the page counts right."""

import math

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

import comitia
from benchmarks.evaluation.recipients import findings
from benchmarks.evaluation.recipients import run as recipients
from benchmarks.evaluation.recipients.twins import RECIPIENTS, TWINS

WEIGHTS = {
    "clusterings": "clustering_weights_",
    "clusters": "cluster_weights_",
    "objects": "object_weights_",
    "features": "feature_weights_",
    "views": "view_weights_",
}
# Weights are there after a few rounds.
QUICK = {"n_rounds": 12, "n_init": 1, "max_iter": 20}


@pytest.fixture
def small(monkeypatch):
    monkeypatch.setattr(recipients, "N_OBJECTS", 60)
    monkeypatch.setattr(recipients, "N_CLUSTERINGS", 8)


def test_every_recipient_has_methods_that_weigh_it():
    assert {twin.recipient for twin in TWINS} == set(RECIPIENTS)
    for twin in TWINS:
        weighs = comitia.method(twin.method).card.weighs
        # Views that are weighed in each cluster are weights of both.
        assert weighs == twin.recipient or twin.method == "zhao_2020"


# Few objects in small samples do not all meet, and some loops end at their limit.
@pytest.mark.filterwarnings("ignore:.*are in no clustering together")
@pytest.mark.filterwarnings("ignore:.*did not converge")
@pytest.mark.parametrize("twin", TWINS, ids=lambda twin: twin.method)
@pytest.mark.filterwarnings("ignore:only .* of n_clusters:UserWarning")
def test_a_twin_has_equal_weights_and_the_method_has_not(twin, small):
    X, given, _ = recipients._planted(twin, 0.5, seed=0)
    spreads = []
    for weighted in (True, False):
        estimator = twin.estimator(weighted, 5, 0)
        quick = {name: QUICK[name] for name in estimator.get_params() if name in QUICK}
        fitted = estimator.set_params(**quick).fit(X, **given)
        weights = getattr(fitted, WEIGHTS[twin.recipient], None)
        # A plain method, and a vote in which all count alike, define none.
        weights = np.ones(2) if weights is None else np.asarray(weights, dtype=float)
        spreads.append(np.ptp(weights, axis=-1).max() / weights.max())
    # Penalties of 1e9 leave weights that are equal to four digits or more.
    assert spreads[1] < 1e-4
    assert spreads[0] > 1e-3


@pytest.mark.parametrize("method", ["lwea", "wosp", "topchy_2004", "wspa", "mvcc"])
def test_junk_is_the_share_it_is_said_to_be(method):
    twin = next(one for one in TWINS if one.method == method)
    clean, given, _ = recipients._planted(twin, 0.0, seed=3)
    X, with_junk, y = recipients._planted(twin, 0.3, seed=3)
    if twin.needs == "labels":
        assert_array_equal(_changed(clean.labels, X.labels), _first(6, 20))
    elif twin.needs == "data and labels":
        assert_array_equal(clean, X)
        before, after = given["ensemble"].labels, with_junk["ensemble"].labels
        assert_array_equal(_changed(before, after), _first(6, 20))
    elif twin.recipient == "features":
        assert_array_equal(_changed(clean, X), _first(3, 10))
    elif twin.recipient == "views":
        changed = [_changed(a, b).any() for a, b in zip(clean, X, strict=True)]
        assert_array_equal(changed, _first(3, 10))
    else:
        assert_array_equal(y < 0, _first(90, 300))
        assert_array_equal(_changed(clean.T, X.T), y < 0)


def _changed(before, after):
    return (before != after).any(axis=0)


def _first(n, of):
    return np.arange(of) < n


def test_junk_of_a_pool_keeps_its_sizes(tmp_path):
    rng = np.random.RandomState(0)
    (tmp_path / "pools").mkdir()
    gt = np.arange(50) % 3
    np.savez(tmp_path / "pools/p.npz", members=rng.randint(1, 5, (50, 30)), gt=gt)
    clean, _, y = recipients._from_pool(tmp_path, "p", 0.0, 1)
    votes, _, _ = recipients._from_pool(tmp_path, "p", 0.4, 1)
    assert_array_equal(y, gt)
    assert votes.n_clusterings == recipients.N_CLUSTERINGS
    assert_array_equal(_changed(clean.labels, votes.labels), _first(8, 20))
    assert_array_equal(
        np.sort(np.split(clean.sizes, clean.offsets[1:-1])[0]),
        np.sort(np.split(votes.sizes, votes.offsets[1:-1])[0]),
    )


def _row(source, seed, weighted, uniform):
    return {
        "method": "lwea",
        "recipient": "clusters",
        "source": source,
        "junk": "0.6",
        "seed": str(seed),
        "weighted": str(weighted),
        "uniform": str(uniform),
    }


def test_a_gain_counts_seeds_where_planted_and_pools_elsewhere():
    rows = [
        _row("planted", 0, 0.9, 0.8),
        _row("planted", 1, 0.8, 0.5),
        _row("VS", 0, 0.3, 0.1),
        _row("VS", 1, 0.2, 0.2),
        _row("IS", 0, 0.5, 0.4),
    ]
    planted = findings.gain(rows, "lwea", 0.6, planted=True)
    assert_allclose([planted.mean, planted.error, planted.n], [0.2, 0.1, 2])
    pools = findings.gain(rows, "lwea", 0.6, planted=False)
    assert_allclose([pools.mean, pools.error, pools.n], [0.1, 0.0, 2], atol=1e-12)
    assert pools.is_clear
    none = findings.gain(rows, "lwea", 0.5, planted=True)
    assert (none.n, str(none)) == (0, "–")
    assert math.isnan(none.mean)


def test_clear_gains_are_bold():
    assert str(findings.Gain(0.2, 0.01, 5)) == "**+0.200 ± 0.010**"
    assert str(findings.Gain(-0.2, 0.15, 5)) == "-0.200 ± 0.150"
    assert str(findings.Gain(0.2, float("nan"), 1)) == "+0.200"
