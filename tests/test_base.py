"""The base classes: what fit takes, what it keeps, and how a loop ends."""

from numbers import Integral
from typing import ClassVar

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.exceptions import ConvergenceWarning, NotFittedError

from comitia import Ensemble, method
from comitia._sklearn import Interval
from comitia.base import EnsembleMethod, VariableWeightMethod
from comitia.catalogue import MethodCard
from comitia.exceptions import ComitiaError, ComitiaWarning
from comitia.generate import KMeansGenerator
from comitia.optimize import project_simplex
from tests.fixtures import E6, X6

CARD = MethodCard(
    id="first_column", weighs="nothing", approach="baseline", scales="linear"
)


class FirstColumn(EnsembleMethod):
    """First column.

    The consensus is the first clustering.

    References
    ----------
    .. [1] Nobody, "Nothing",
       Nowhere, 2026.
    """

    card = CARD

    def __init__(self, n_clusters=None, *, generator=None, random_state=None):
        self.n_clusters = n_clusters
        self.generator = generator
        self.random_state = random_state

    def _combine(self, ensemble, X, rng):
        self.draw_ = rng.rand()
        return 9 - ensemble.labels[:, 0]


def test_a_card_reads_its_texts_from_the_docstring():
    assert FirstColumn.card.name == "First column"
    assert FirstColumn.card.summary == "The consensus is the first clustering."
    assert FirstColumn.card.reference == 'Nobody, "Nothing", Nowhere, 2026.'
    assert CARD.name == ""


def test_labels_are_numbered_in_the_order_of_appearance():
    fitted = FirstColumn().fit(Ensemble([[3], [3], [0], [7], [0]]))
    assert_array_equal(fitted.labels_, [0, 0, 1, 2, 1])
    assert fitted.n_clusters_ == 3


def test_data_and_ensemble_must_be_the_same_objects():
    with pytest.raises(ComitiaError, match="X has 5 rows and ensemble has 6 objects"):
        FirstColumn().fit(X6[:5], ensemble=Ensemble(E6))
    with pytest.raises(ComitiaError, match="two ensembles"):
        FirstColumn().fit(Ensemble(E6), ensemble=Ensemble(E6))
    with pytest.raises(ComitiaError, match="ensemble is a ndarray"):
        FirstColumn().fit(X6, ensemble=E6)


def test_the_seed_of_the_method_governs_a_generator_without_one():
    X = np.random.RandomState(0).rand(60, 2)
    free = KMeansGenerator(5)
    one = FirstColumn(generator=free, random_state=1).fit(X).ensemble_
    assert one == FirstColumn(generator=free, random_state=1).fit(X).ensemble_
    assert one != FirstColumn(generator=free, random_state=2).fit(X).ensemble_
    seeded = KMeansGenerator(5, random_state=3)
    other = FirstColumn(generator=seeded, random_state=1).fit(X).ensemble_
    assert other == FirstColumn(generator=seeded, random_state=2).fit(X).ensemble_
    assert free.random_state is None


def test_predict_needs_members_that_label_new_objects():
    with pytest.raises(NotFittedError):
        FirstColumn().predict(X6)
    given = FirstColumn().fit(X6, ensemble=Ensemble(E6))
    with pytest.raises(ComitiaError, match="fitted on given clusterings"):
        given.predict(X6)
    made = FirstColumn(generator=KMeansGenerator(5, n_clusters=2), random_state=0)
    assert_array_equal(made.fit(X6).predict(X6 + 0.1), made.labels_)


class NoTransform:
    def generate(self, X):
        return Ensemble(E6)


def test_predict_is_absent_when_members_cannot_label():
    assert not hasattr(FirstColumn(generator=NoTransform()), "predict")


def test_confidence_is_the_share_of_votes_for_the_own_cluster():
    fitted = FirstColumn().fit(Ensemble(E6))
    # Object 2 sits with {0, 1} twice, and in d = {2, 3} half of which is the other.
    assert_allclose(fitted.membership_[2], [(1 + 1 + 0.5) / 3, 0.5 / 3])
    assert_allclose(fitted.confidence_[[0, 2]], [1.0, 2.5 / 3])


def test_a_method_must_say_how_it_combines():
    class Silent(FirstColumn):
        _combine = EnsembleMethod._combine

    with pytest.raises(TypeError, match="Silent does not say how it combines"):
        Silent().fit(Ensemble(E6))


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

    def _start(self, ensemble, X, rng):
        together = ensemble.labels.T[:, :, None] == ensemble.labels.T[:, None, :]
        self._together = together.astype(float)
        weights = np.full(ensemble.n_clusterings, 1 / ensemble.n_clusterings)
        return weights, self._update_consensus(ensemble, weights)

    def _distances(self, consensus):
        return ((self._together - consensus) ** 2).sum(axis=(1, 2))

    # min sum_m w_m d_m + 5 |w|^2: the weights are a projection onto the simplex.
    def _update_weights(self, ensemble, consensus):
        return project_simplex(-self._distances(consensus) / 10)

    def _update_consensus(self, ensemble, weights):
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

    def _update_consensus(self, ensemble, weights):
        self._updates = getattr(self, "_updates", -1) + 1
        return np.full((6, 6), float(self._updates))

    def _result(self, ensemble, weights, consensus, rng):
        self.kept_ = consensus[0, 0]
        return np.arange(6)


def test_the_best_iterate_is_kept():
    fitted = Bounces().fit(Ensemble(E6))
    assert_array_equal(fitted.objective_, [5.0, 1.0, 3.0, 3.0])
    assert fitted.kept_ == 1.0  # the consensus of the first iteration


@pytest.mark.parametrize("labels", [[[0, 0], [0, 0], [1, 1], [1, 1]], [[0], [0], [1]]])
def test_fewer_clusters_than_were_asked_for_are_said_with_the_reason(labels):
    with pytest.warns(ComitiaWarning, match="only 2 of n_clusters=3.*2 different row"):
        assert method("kcc")(3, random_state=0).fit(Ensemble(labels)).n_clusters_ == 2


def test_clusters_that_no_object_went_to_are_said():
    votes = Ensemble([[0, 0], [0, 1], [1, 1]])
    with pytest.warns(ComitiaWarning, match="only 2 of n_clusters=3.*without objects"):
        FirstColumn(3).fit(votes)
    FirstColumn(2).fit(votes)
    FirstColumn().fit(votes)


@pytest.mark.parametrize("name", ["lwgp", "hbgf", "kcc", "cspa", "lwea", "sec"])
def test_two_objects_that_differ_are_two_clusters_if_two_are_asked_for(name):
    fitted = method(name)(2, random_state=0).fit([[0.0, 1.0], [5.0, 2.0]])
    assert fitted.labels_.tolist() == [0, 1]
    fitted = method(name)(2, random_state=0).fit([[0.0, 1.0], [5.0, 2.0], [0.1, 1.0]])
    assert fitted.labels_.tolist() == [0, 1, 0]
