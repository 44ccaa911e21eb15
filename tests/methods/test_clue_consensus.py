from itertools import permutations

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.optimize import linprog, minimize
from scipy.special import expit

from comitia import Ensemble, config, method
from comitia.exceptions import ComitiaError, MemoryBudgetError
from comitia.methods.baselines._clue_steps import allocate, weighted_rows
from tests.fixtures import E6, planted, same_partition

ClueConsensus = method("clue_consensus")
VARIANTS = ["SE", "HE", "SM", "HM", "GV1", "GV3", "DWH"]


def soft_cost(labels, Q):
    """The mean squared distance, each clustering in its best order."""
    total = 0.0
    for column in labels.T:
        B = np.eye(Q.shape[1])[column]
        orders = permutations(range(Q.shape[1]))
        total += min(((Q - B[:, list(order)]) ** 2).sum() for order in orders)
    return total / labels.shape[1]


@pytest.mark.parametrize(
    ("variant", "k", "value"),
    [
        ("HE", 2, 4 / 3),
        ("SE", 2, 11 / 9),
        ("SE", 3, 8 / 9),
        ("GV3", 2, 0.587465),
        ("GV3", 3, 0.476354),
    ],
)
@pytest.mark.filterwarnings("ignore:only 2 of")
def test_values_of_e6_are_those_of_the_catalogue(variant, k, value):
    fitted = ClueConsensus(k, variant=variant, max_iter=500, random_state=0)
    fitted.fit(Ensemble(E6))
    assert fitted.objective_[-1] == pytest.approx(value, abs=1e-6)  # six decimals
    assert same_partition(fitted.labels_, E6[:, 0])


def test_memberships_of_e6_are_those_of_the_catalogue():
    fitted = ClueConsensus(2, random_state=0).fit(Ensemble(E6))
    assert_allclose(fitted.membership_[2], [5 / 6, 1 / 6])


@pytest.mark.parametrize("seed", range(3))
def test_the_soft_objective_is_that_of_the_best_orders(seed):
    labels, _ = planted(15, 3, 4, noise=0.3, seed=seed)
    labels[:3] = [[0] * 4, [1] * 4, [2] * 4]
    fitted = ClueConsensus(3, random_state=0).fit(Ensemble(labels))
    assert fitted.n_clusters_ == 3
    value = soft_cost(labels, fitted.membership_)
    assert fitted.objective_[-1] == pytest.approx(value)


def test_co_memberships_are_fitted_as_by_a_general_optimizer():
    labels, _ = planted(12, 2, 4, noise=0.3, seed=0)
    fitted = ClueConsensus(2, variant="GV3", max_iter=1000, tol=1e-14, random_state=0)
    fitted.fit(Ensemble(labels))
    A = np.mean([column[:, None] == column for column in labels.T], axis=0)

    def cost(x):
        Q = np.stack([expit(x), expit(-x)], axis=1)
        return ((A - Q @ Q.T) ** 2).sum()

    rng = np.random.RandomState(0)
    best = min(minimize(cost, 3 * rng.randn(12)).fun for _ in range(10))
    Q = fitted.membership_
    assert ((A - Q @ Q.T) ** 2).sum() == pytest.approx(fitted.objective_[-1])
    assert fitted.objective_[-1] <= best + 1e-5


@pytest.mark.parametrize("seed", range(3))
def test_rows_nearest_by_absolute_differences_are_those_of_a_linear_program(seed):
    rng = np.random.RandomState(seed)
    values, w = rng.dirichlet(np.ones(4), size=(1, 5)), rng.rand(1, 5)
    values = np.moveaxis(values, 1, 2)  # one row, four columns, five clusterings
    got = allocate(values, w)[0]
    # min sum w |q - b|: variables q (4) and a bound for each difference (20).
    cost = np.concatenate([np.zeros(4), np.repeat(w[0], 4)])
    A, b = [], []
    for m in range(5):
        for j in range(4):
            for sign in (1, -1):
                row = np.zeros(24)
                row[j], row[4 + 4 * m + j] = sign, -1
                A.append(row)
                b.append(sign * values[0, j, m])
    total = np.concatenate([np.ones(4), np.zeros(20)])[None]
    best = linprog(cost, A_ub=A, b_ub=b, A_eq=total, b_eq=[1.0])
    mine = (w[0] * np.abs(got[:, None] - values[0]).sum(axis=0)).sum()
    assert got.sum() == pytest.approx(1.0)
    assert mine == pytest.approx(best.fun)


def test_rows_nearest_by_weighted_columns_meet_the_conditions_of_optimality():
    rng = np.random.RandomState(0)
    V, w = rng.randn(6, 4), rng.rand(4) + 0.1
    Q = weighted_rows(V, w)
    assert_allclose(Q.sum(axis=1), 1.0)
    for row, v in zip(Q, V, strict=True):
        slopes = w * (row - v)
        inside = row > 0
        assert_allclose(slopes[inside], slopes[inside][0], atol=1e-12)
        assert (slopes[~inside] >= slopes[inside][0] - 1e-12).all()


@pytest.mark.parametrize("variant", VARIANTS)
def test_a_planted_partition_is_found(variant):
    labels, truth = planted(120, 3, 12, noise=0.2, seed=1)
    fitted = ClueConsensus(3, variant=variant, random_state=0).fit(Ensemble(labels))
    assert same_partition(fitted.labels_, truth)


@pytest.mark.parametrize("variant", ["SE", "HE", "SM", "HM", "GV1", "GV3"])
def test_the_objective_does_not_rise(variant):
    labels, _ = planted(60, 4, 6, noise=0.5, seed=0)
    fitted = ClueConsensus(3, variant=variant, n_init=3, random_state=0)
    fitted.fit(Ensemble(labels))
    assert (np.diff(fitted.objective_) <= 1e-9).all()


def test_fuzzy_clusterings_keep_their_memberships():
    soft = np.array([[0.9, 0.1], [0.8, 0.2], [0.3, 0.7], [0.1, 0.9]])
    votes = Ensemble.from_memberships([soft, soft[:, ::-1]])
    fitted = ClueConsensus(2, random_state=0).fit(votes)
    assert_allclose(fitted.membership_, soft)
    assert fitted.objective_[-1] == pytest.approx(0.0, abs=1e-12)


def test_weights_choose_the_clustering():
    labels = np.column_stack([[0, 0, 0, 1, 1, 1], [0, 1, 0, 1, 0, 1]])
    for heavy in (0, 1):
        w = np.where(np.arange(2) == heavy, 0.9, 0.1)
        fitted = ClueConsensus(2, clustering_weights=w, random_state=0)
        assert same_partition(fitted.fit_predict(Ensemble(labels)), labels[:, heavy])


@pytest.mark.parametrize("variant", ["SM", "GV1"])
def test_all_memberships_at_once_are_asked_for_first(variant):
    labels = np.random.RandomState(0).randint(4, size=(300, 40))
    fit = ClueConsensus(4, variant=variant).fit
    with config.limit("300 kB"), pytest.raises(MemoryBudgetError, match="memberships"):
        fit(Ensemble(labels))


def test_hard_clusterings_of_more_classes_have_a_hard_median():
    labels, _ = planted(30, 5, 6, noise=0.3, seed=1)
    soft, hard = (
        ClueConsensus(3, variant=variant, n_init=12, random_state=0)
        .fit(Ensemble(labels))
        .objective_[-1]
        for variant in ("SM", "HM")
    )
    assert soft == pytest.approx(hard)


def test_a_wrong_number_of_weights_is_refused():
    with pytest.raises(ComitiaError, match="one entry per clustering, 3"):
        ClueConsensus(2, clustering_weights=[1, 2]).fit(Ensemble(E6))
