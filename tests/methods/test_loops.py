"""Tests of the loop of the variable-weight methods."""

from numbers import Integral
from typing import ClassVar, NamedTuple

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.exceptions import ConvergenceWarning

import comitia
from comitia import Ensemble, method
from comitia._sklearn import Interval
from comitia.catalogue import MethodCard
from comitia.methods._loops import VariableWeightMethod, keep_run
from comitia.optimize import project_simplex
from tests.fixtures import E6


class Means(VariableWeightMethod):
    """Weighted mean of the co-associations; weights fall with the distance to it."""

    card = MethodCard(
        id="means", weighs="clusterings", approach="variable", scales="quadratic"
    )
    _parameter_constraints: ClassVar = {
        **VariableWeightMethod._parameter_constraints,
        "n_rounds": [Interval(Integral, 0, None, closed="left")],
    }

    def __init__(
        self,
        n_clusters=None,
        *,
        n_rounds=0,
        max_iter=100,
        tol=1e-12,
        generator=None,
        random_state=None,
    ):
        self.n_clusters = n_clusters
        self.n_rounds = n_rounds
        self.max_iter = max_iter
        self.tol = tol
        self.generator = generator
        self.random_state = random_state

    def _start(self, ensemble, rng):
        together = ensemble.labels.T[:, :, None] == ensemble.labels.T[:, None, :]
        self._together = together.astype(float)
        weights = np.full(ensemble.n_clusterings, 1 / ensemble.n_clusterings)
        return weights, self._update_consensus(ensemble, weights, None)

    def _distances(self, consensus):
        return ((self._together - consensus) ** 2).sum(axis=(1, 2))

    # min sum_m w_m d_m + 5 |w|^2: the weights are a projection onto the simplex.
    def _update_weights(self, ensemble, consensus):
        return project_simplex(-self._distances(consensus) / 10)

    def _update_consensus(self, ensemble, weights, consensus):
        return np.tensordot(weights, self._together, axes=1)

    def _objective(self, ensemble, weights, consensus):
        return weights @ self._distances(consensus) + 5 * weights @ weights

    def _result(self, ensemble, weights, consensus, rng):
        self.clustering_weights_ = weights
        return (consensus[0] < 0.5).astype(int)


def test_a_variable_weight_method_goes_down_until_it_stops():
    fitted = Means().fit(Ensemble(E6))
    assert fitted.converged_
    assert fitted.n_iter_ == len(fitted.objective_) - 1 >= 2
    assert (np.diff(fitted.objective_) <= 1e-12).all()
    assert fitted.objective_[-1] < fitted.objective_[0]
    assert_allclose(fitted.clustering_weights_.sum(), 1.0)
    # The clustering that disagrees with its two equal fellows weighs least.
    assert fitted.clustering_weights_.argmin() == 2
    assert_array_equal(fitted.labels_, [0, 0, 0, 1, 1, 1])


def test_a_loop_that_is_cut_short_warns():
    with pytest.warns(ConvergenceWarning, match="Means did not converge in max_iter=1"):
        fitted = Means(max_iter=1, tol=0.0).fit(Ensemble(E6))
    assert not fitted.converged_
    assert fitted.n_iter_ == 1


class Bounces(Means):
    """An objective that rises after its first iteration."""

    def _objective(self, ensemble, weights, consensus):
        self._calls = getattr(self, "_calls", -1) + 1
        return [5.0, 1.0, 3.0, 3.0][self._calls]

    def _update_consensus(self, ensemble, weights, consensus):
        self._updates = getattr(self, "_updates", -1) + 1
        return np.full((6, 6), float(self._updates))

    def _result(self, ensemble, weights, consensus, rng):
        self.kept_ = consensus[0, 0]
        return np.arange(6)


def test_the_best_iterate_is_kept():
    fitted = Bounces().fit(Ensemble(E6))
    assert_array_equal(fitted.objective_, [5.0, 1.0, 3.0, 3.0])
    assert fitted.kept_ == 1.0  # the consensus of the first iteration


class Wavers(Bounces):
    """An objective that cannot tell its iterates apart."""

    def _objective(self, ensemble, weights, consensus):
        self._calls = getattr(self, "_calls", -1) + 1
        return [5.0, 1.0, 1.0 + 1e-8, 1.0 + 1e-8][self._calls]


def test_the_last_iterate_is_kept_where_the_objective_cannot_tell():
    assert Wavers().fit(Ensemble(E6)).kept_ == 3.0


class Breaks(Bounces):
    """Its first two iterates break a constraint."""

    def _feasible(self, ensemble, weights, consensus):
        return consensus[0, 0] > 1


def test_an_iterate_that_breaks_a_constraint_is_not_kept():
    assert Breaks().fit(Ensemble(E6)).kept_ == 3.0


class Remembers(Means):
    """Keeps the consensus that each update starts from."""

    def _update_consensus(self, ensemble, weights, consensus):
        self.starts_ = [*getattr(self, "starts_", []), consensus]
        return super()._update_consensus(ensemble, weights, consensus)


def test_each_update_starts_from_the_last_consensus():
    fitted = Remembers().fit(Ensemble(E6))
    first, second = fitted.starts_[1:3]
    assert fitted.starts_[0] is None
    assert first.shape == second.shape == (6, 6)
    assert not np.array_equal(first, second)


@pytest.mark.parametrize(
    "step", ["_start", "_update_weights", "_update_consensus", "_objective", "_result"]
)
def test_a_step_that_is_not_written_is_named(step):
    silent = type("Silent", (Means,), {step: getattr(VariableWeightMethod, step)})
    with pytest.raises(TypeError, match="Silent does not say"):
        silent().fit(Ensemble(E6))


def test_no_method_brings_a_loop_of_its_own_to_the_protocol():
    classes = [method(card.id) for card in comitia.methods()]
    loops = [cls for cls in classes if issubclass(cls, VariableWeightMethod)]
    assert len(loops) >= 10
    assert all(cls._combine is VariableWeightMethod._combine for cls in loops)


class Run(NamedTuple):
    objective: list[float]
    converged: bool


def test_a_run_that_stopped_early_is_kept_with_a_warning():
    method = Means(max_iter=2)
    with pytest.warns(ConvergenceWarning, match="in max_iter=2 sweeps; raise tol"):
        keep_run(method, Run([3.0, 2.0, 1.0], False), "sweeps", "tol")
    assert_array_equal(method.objective_, [3.0, 2.0, 1.0])
    assert (method.n_iter_, method.converged_) == (2, False)


def test_a_run_that_converged_is_kept_in_silence():
    method = Means()
    keep_run(method, Run([3.0], True), "sweeps")
    assert (method.n_iter_, method.converged_) == (0, True)
