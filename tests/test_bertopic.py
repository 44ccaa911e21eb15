"""What BERTopic asks of its ``hdbscan_model``: fit with y, labels_, and predict."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.base import clone

import comitia
from comitia.bertopic import ConsensusTopics

TRUTH = np.repeat([0, 1, 2], 20)
DOCUMENTS = np.random.RandomState(0).randn(60, 5) + 8 * np.eye(3, 5)[TRUTH]
BETWEEN = (8 * np.eye(3, 5)[[0]] + 8 * np.eye(3, 5)[[1]]) / 2


@pytest.mark.parametrize("make", [comitia.method("lwgp"), comitia.ConsensusClustering])
def test_any_method_can_be_the_model(make):
    hdbscan_model = make(3, random_state=0)
    hdbscan_model.fit(DOCUMENTS.astype(np.float32), y=None)
    topics = hdbscan_model.labels_
    assert [topics.tolist().count(t) for t in range(3)] == [20, 20, 20]
    assert not hasattr(hdbscan_model, "probabilities_")
    assert_array_equal(hdbscan_model.predict(DOCUMENTS[::20] + 0.1), topics[::20])


def test_documents_that_are_not_sure_are_outliers():
    model = ConsensusTopics(comitia.method("lwgp")(3), threshold=0.6, random_state=0)
    hdbscan_model = clone(model).fit(np.vstack([DOCUMENTS, BETWEEN]), y=None)
    sure = hdbscan_model.method_.confidence_
    out = sure < 0.6
    assert_array_equal(hdbscan_model.labels_ == -1, out)
    assert_array_equal(hdbscan_model.labels_[~out], hdbscan_model.method_.labels_[~out])
    assert_allclose(hdbscan_model.probabilities_, np.where(out, 0.0, sure))
    assert len(set(hdbscan_model.labels_[:60:20])) == 3
    assert_array_equal(
        hdbscan_model.predict(DOCUMENTS[::20]), hdbscan_model.method_.labels_[:60:20]
    )
    strict = clone(model).set_params(threshold=1.0).fit(DOCUMENTS)
    assert (strict.labels_ == -1).sum() == (strict.method_.confidence_ < 1.0).sum()


def test_the_seed_is_the_one_of_the_model():
    one, other = (ConsensusTopics(random_state=4).fit(DOCUMENTS) for _ in range(2))
    assert_array_equal(one.labels_, other.labels_)
    assert one.method_.random_state == 4
    own = ConsensusTopics(comitia.method("lwgp")(3, random_state=7), random_state=4)
    assert own.fit(DOCUMENTS).method_.random_state == 7


def test_what_is_no_method_is_refused():
    with pytest.raises(ValueError, match="method"):
        ConsensusTopics("lwgp").fit(DOCUMENTS)
    with pytest.raises(ValueError, match="threshold"):
        ConsensusTopics(threshold=2.0).fit(DOCUMENTS)
