import numpy as np
import pytest
from numpy.testing import assert_allclose

from comitia import Ensemble, method
from comitia.methods.variable_objects.drec import dense_representation
from tests.fixtures import E6, planted, same_partition

DREC = method("drec")


def representation_by_solving(B, penalty, n_steps):
    """One linear system for each column, as the paper has it."""
    X = B.T
    d = np.ones(len(B))
    for _ in range(n_steps):
        Z = np.stack(
            [
                np.linalg.solve(
                    X.T @ X + penalty / d[j] * np.eye(len(B)), X.T @ X[:, j]
                )
                for j in range(len(B))
            ],
            axis=1,
        )
        d = 1 / (2 * np.sqrt(((X @ Z - X) ** 2).sum(axis=0) + 1e-10))
    return Z, d


@pytest.mark.parametrize(
    ("penalty", "n_steps", "row"),
    [(1, 1, [0.65625, 0.1875, -0.0625, 0.03125]), (1, 5, [0.716919, 0.169254])],
)
def test_combinations_of_e6_are_those_of_the_catalogue(penalty, n_steps, row):
    B = Ensemble(E6).distinct().ensemble.membership.toarray()
    V, G, _, _ = dense_representation(B, penalty, n_steps)
    assert_allclose((V @ G)[0, : len(row)], row, atol=5e-7)  # six decimals


@pytest.mark.parametrize("penalty", [0.1, 100.0])
def test_the_closed_form_solves_each_system(penalty):
    labels, _ = planted(30, 3, 4, noise=0.4, seed=0)
    B = Ensemble(labels).distinct().ensemble.membership.toarray()
    V, G, d, _ = dense_representation(B, penalty, 4)
    Z, expected = representation_by_solving(B, penalty, 4)
    assert_allclose(V @ G, Z, atol=1e-8)  # systems that are nearly singular
    assert_allclose(d, expected, rtol=1e-6)


def test_the_objective_does_not_rise():
    labels, _ = planted(80, 3, 6, noise=0.4, seed=1)
    fitted = DREC(3, coefficient_penalty=1.0, n_steps=10, random_state=0).fit(
        Ensemble(labels)
    )
    assert (np.diff(fitted.objective_) <= 1e-9).all()


def test_equal_objects_weigh_what_their_label_row_does():
    labels, _ = planted(60, 3, 4, noise=0.4, seed=0)
    fitted = DREC(3, coefficient_penalty=1.0, random_state=0).fit(Ensemble(labels))
    micro, _, inverse = Ensemble(labels).distinct()
    _, d = representation_by_solving(micro.membership.toarray(), 1.0, 5)
    assert_allclose(fitted.object_weights_, d[inverse] / d[inverse].sum(), rtol=1e-6)


def test_a_planted_partition_is_found():
    labels, truth = planted(150, 4, 12, noise=0.3, seed=0)
    fitted = DREC(4, n_init=10, random_state=0).fit(Ensemble(labels))
    assert same_partition(fitted.labels_, truth)
