"""What every clusterer promises, whatever it computes."""

import pickle

import numpy as np
import pytest
from numpy.testing import assert_array_equal
from sklearn.base import clone
from sklearn.datasets import make_blobs
from sklearn.metrics import adjusted_rand_score
from sklearn.utils.estimator_checks import parametrize_with_checks

import comitia.cluster
from comitia.cluster import (
    E2CP,
    LAC,
    COPKMeans,
    FuzzyCMeans,
    GaussianHMM,
    Genie,
    GustafsonKessel,
    HMMKModels,
    KernelKMeans,
    KMedoids,
    MinkowskiKMeans,
    WeightedGaussianMixture,
)
from comitia.exceptions import ComitiaError

# Few objects and few iterations are enough to see that nothing breaks.
pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")

CLUSTERERS = [
    COPKMeans(3, random_state=0),
    E2CP(3, random_state=0),
    FuzzyCMeans(3, random_state=0),
    Genie(3),
    GustafsonKessel(3, random_state=0),
    KernelKMeans(3, kernel="linear", random_state=0),
    KMedoids(3, random_state=0),
    LAC(3, random_state=0),
    MinkowskiKMeans(3, p=1.5, random_state=0),
    WeightedGaussianMixture(3, random_state=0),
]
SEQUENCE_MODELS = [
    GaussianHMM(2, max_iter=3, random_state=0),
    HMMKModels(3, n_states=1, n_init=10, max_iter=10, max_iter_model=3, random_state=0),
]

_STARTS = (
    "the starts are random and not equivalent to those of removed or repeated "
    "objects, as with scikit-learn's KMeans, so that it is chance whether clusters are "
    "numbered alike; tested for a given start instead"
)
_SWAPS = (
    "swaps are tried in the order of the objects, and lead to another local optimum "
    "when objects are shuffled; tested for the global optimum instead"
)
_LENGTHS = "a sequence of another length than those fitted is legitimate"


def failing(clusterer):
    """Checks that fail, and why."""
    if isinstance(clusterer, (GaussianHMM, HMMKModels)):
        return {
            "check_n_features_in_after_fitting": _LENGTHS,
            "check_dataframe_column_names_consistency": _LENGTHS,
        }
    return {}


def decided_by_chance(clusterer):
    """Checks that may pass or fail, and why."""
    if isinstance(clusterer, KMedoids):
        return {"check_sample_weight_equivalence_on_dense_data": _SWAPS}
    drawn = (FuzzyCMeans, GustafsonKessel, KernelKMeans, WeightedGaussianMixture)
    if isinstance(clusterer, drawn):
        return {"check_sample_weight_equivalence_on_dense_data": _STARTS}
    return {}


@parametrize_with_checks(CLUSTERERS + SEQUENCE_MODELS, expected_failed_checks=failing)
def test_scikit_learns_estimator_checks(estimator, check, request):
    reason = decided_by_chance(estimator).get(check.func.__name__)
    if reason is not None:
        request.applymarker(pytest.mark.xfail(reason=reason, strict=False))
    check(estimator)


each_clusterer = pytest.mark.parametrize(
    "clusterer", CLUSTERERS, ids=lambda clusterer: type(clusterer).__name__
)

BLOBS, TRUTH = make_blobs(90, centers=3, cluster_std=0.5, random_state=4)


@each_clusterer
def test_blobs_are_found(clusterer):
    found = clone(clusterer).fit(BLOBS)
    assert adjusted_rand_score(TRUTH, found.labels_) > 0.95


@each_clusterer
def test_the_same_seed_gives_the_same_labels(clusterer):
    one, other = clone(clusterer).fit(BLOBS), clone(clusterer).fit(BLOBS)
    assert_array_equal(one.labels_, other.labels_)


@each_clusterer
def test_one_cluster_holds_everything(clusterer):
    fitted = clone(clusterer).set_params(n_clusters=1).fit(BLOBS)
    assert_array_equal(fitted.labels_, 0)


@each_clusterer
def test_as_many_clusters_as_objects_can_be_had(clusterer):
    X = BLOBS[:5]
    fitted = clone(clusterer).set_params(n_clusters=5).fit(X)
    assert len(set(fitted.labels_)) == 5


@each_clusterer
def test_more_clusters_than_objects_are_refused(clusterer):
    with pytest.raises(ComitiaError, match=r"n_clusters=6 is larger .* at most 5"):
        clone(clusterer).set_params(n_clusters=6).fit(BLOBS[:5])


@each_clusterer
def test_copies_of_one_object_are_no_obstacle(clusterer):
    fitted = clone(clusterer).fit(np.ones((8, 2)))
    assert fitted.labels_.shape == (8,)
    assert set(fitted.labels_) <= {0, 1, 2}


@each_clusterer
def test_a_constant_feature_does_not_matter(clusterer):
    if isinstance(clusterer, (LAC, MinkowskiKMeans)):
        pytest.skip("a constant feature is the tightest, and gets the weight")
    X = np.column_stack([BLOBS, np.ones(len(BLOBS))])
    assert adjusted_rand_score(TRUTH, clone(clusterer).fit(X).labels_) > 0.95


@each_clusterer
def test_the_objects_fitted_are_predicted_as_they_are_labeled(clusterer):
    if not hasattr(clusterer, "predict"):
        pytest.skip("cannot label new objects")
    fitted = clone(clusterer).fit(BLOBS)
    assert_array_equal(fitted.predict(BLOBS), fitted.labels_)
    restored = pickle.loads(pickle.dumps(fitted))
    assert_array_equal(restored.predict(BLOBS[:9]), fitted.labels_[:9])


@pytest.mark.parametrize("clusterer", [FuzzyCMeans(2), KMedoids(2), KernelKMeans(2)])
def test_bad_weights_are_refused_in_words(clusterer):
    with pytest.raises(ComitiaError, match="sample_weight must be finite and not neg"):
        clusterer.fit(BLOBS, sample_weight=-np.ones(90))
    with pytest.raises(
        ComitiaError, match=r"one entry per object, 90; got shape \(3,\)"
    ):
        clusterer.fit(BLOBS, sample_weight=[1, 2, 3])


def test_all_names_are_there():
    for name in comitia.cluster.__all__:
        assert getattr(comitia.cluster, name).__name__ == name
