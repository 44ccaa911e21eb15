"""The base classes: what fit takes, what it keeps, and how a loop ends."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.exceptions import NotFittedError

from comitia import Ensemble, method
from comitia.base import EnsembleMethod
from comitia.catalogue import MethodCard
from comitia.exceptions import ComitiaError, ComitiaWarning
from comitia.generate import KMeansGenerator
from comitia.partition import consensus_posterior
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


def test_vote_share_is_that_of_the_own_cluster():
    fitted = FirstColumn().fit(Ensemble(E6))
    # Object 2 sits with {0, 1} twice, and in d = {2, 3} half of which is the other.
    assert_allclose(fitted.membership_[2], [(1 + 1 + 0.5) / 3, 0.5 / 3])
    assert_allclose(fitted.vote_share_[[0, 2]], [1.0, 2.5 / 3])
    posterior = consensus_posterior(fitted.ensemble_, fitted.labels_)
    assert_allclose(fitted.confidence_[[0, 2]], posterior[[0, 2], 0])


def test_a_method_must_say_how_it_combines():
    class Silent(FirstColumn):
        _combine = EnsembleMethod._combine

    with pytest.raises(TypeError, match="Silent does not say how it combines"):
        Silent().fit(Ensemble(E6))


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
