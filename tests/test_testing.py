"""The checks for methods see what is wrong with one."""

import numpy as np
import pytest

from comitia.base import EnsembleMethod
from comitia.catalogue import PROMISES, MethodCard, method, method_classes
from comitia.testing import check_method, method_checks, quick_method
from tests.test_package import modules_after


class Faulty(method("lwea")):
    """LWEA with a fault."""

    card = MethodCard(
        id="faulty",
        weighs="clusters",
        approach="fixed",
        scales="quadratic",
        exempt={"chooses_k": "an example", "check_fit1d": "another"},
    )


class Restless(Faulty):
    """Another answer each time."""

    def _combine(self, ensemble, X, rng):
        rng = np.random.RandomState()
        return rng.randint(3, size=ensemble.n_objects)


class Forgetful(Faulty):
    """All objects together, whatever was asked for."""

    def _combine(self, ensemble, X, rng):
        return np.zeros(ensemble.n_objects, dtype=int)


class Loud(Faulty):
    """A weight for one clustering too many."""

    def _combine(self, ensemble, X, rng):
        labels = super()._combine(ensemble, X, rng)
        self.clustering_weights_ = np.ones(ensemble.n_clusterings + 1)
        return labels


class Lenient(Faulty):
    """Takes whatever it is given."""

    def _check_ensemble(self, ensemble):
        pass

    def _keep_constraints(self, must_link, cannot_link, X, names):
        pass


@pytest.mark.parametrize(
    ("cls", "broken"),
    [
        (Restless, {"recovery", "deterministic", "label_names", "unanimous"}),
        (Forgetful, {"recovery", "missing_labels", "single_clustering", "data_alone"}),
        (Loud, {"fitted_attributes", "data_alone"}),
        (Lenient, {"uncovered", "constraints"}),
    ],
)
def test_a_fault_breaks_the_promises_that_it_touches(cls, broken):
    checks = dict(method_checks(cls))
    for name in broken:
        with pytest.raises(AssertionError):
            checks[name](cls)
    assert not [*broken - checks.keys()]


def test_the_first_promise_that_is_broken_is_named():
    with pytest.raises(AssertionError) as caught:
        check_method(Forgetful)
    assert caught.value.__notes__ == ["This was the check 'recovery' of Forgetful."]


def test_a_method_that_keeps_its_promises_passes():
    assert check_method(method("voting")) is None


def test_what_a_card_exempts_is_left_out():
    names = [name for name, _ in method_checks(Faulty)]
    assert "recovery" in names
    assert "check_fit2d_1sample" in names
    assert not {"chooses_k", "check_fit1d"} & {*names}


def test_every_check_of_ours_can_be_told_on_a_page():
    ours = {
        name
        for cls in method_classes()
        for name, _ in method_checks(cls)
        if not name.startswith("check_")
    }
    assert ours <= {*PROMISES}


def test_a_quick_method_gets_what_it_knows():
    made = quick_method(method("lwea"), theta=0.2, nonsense=1)
    assert isinstance(made, EnsembleMethod)
    assert (made.n_clusters, made.theta, made.random_state) == (3, 0.2, 0)


def test_the_checks_are_there_without_pytest_and_scikit_learn():
    code = "from comitia.testing import parametrize_with_checks"
    assert not {"pytest", "sklearn", "scipy", "pandas"} & modules_after(code)
