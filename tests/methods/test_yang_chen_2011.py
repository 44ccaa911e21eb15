"""Weighted ensembles over representations of time series."""

import numpy as np
import pytest
from joblib import parallel_config
from numpy.testing import assert_allclose, assert_array_equal
from scipy.cluster.hierarchy import cophenet
from sklearn.metrics import adjusted_rand_score

from comitia import Ensemble, method
from comitia.agreement import nmi
from comitia.exceptions import ComitiaError
from comitia.generate import KMeansGenerator
from comitia.generate.series_generators import RepresentationGenerator
from comitia.methods.temporal.yang_chen_2011 import scores_by_index
from comitia.validity.pairs import dunn, modified_hubert
from tests.fixtures import E6, X6, same_partition

Method = method("yang_chen_2011")
FEW = KMeansGenerator(4, n_clusters=(2, 5))


def waves(seed=0, n_each=12):
    """Three kinds of curves, of unequal lengths and in two channels."""
    rng = np.random.RandomState(seed)
    series, truth = [], np.repeat([0, 1, 2], n_each)
    for kind in truth:
        times = np.linspace(0, 1, rng.randint(30, 60))
        curve = [np.sin(2 * np.pi * times), 2 * times - 1, np.sign(times - 0.5)][kind]
        other = curve[::-1] * (1 + kind)
        series.append(np.stack([curve, other]) + 0.15 * rng.randn(2, len(times)))
    return series, truth


def test_worked_weights_of_the_catalogue():
    scores = scores_by_index(X6, Ensemble(E6), "dunn")
    assert_allclose(scores / scores.sum(), np.array([4, 4, 0.125]) / 8.125)
    phi = 2 / 3 * np.sqrt(np.log(2) / np.log(3))
    by_nmi = scores_by_index(X6, Ensemble(E6), "nmi")
    assert_allclose(by_nmi, [(1 + phi) / 2, (1 + phi) / 2, phi])


def test_weights_are_normalized_criteria_on_all_representations_together():
    series, _ = waves()
    fitted = Method(3, generator=FEW, random_state=0).fit(series)
    Z = np.hstack(fitted.generator_.features_)
    assert_allclose(Z.mean(axis=0), 0.0, atol=1e-12)
    columns = fitted.ensemble_.labels.T
    M = len(columns)
    expected = np.array(
        [
            [dunn(Z, c) for c in columns],
            [modified_hubert(Z, c) for c in columns],
            [
                np.mean([nmi(columns[m], columns[j]) for j in range(M) if j != m])
                for m in range(M)
            ],
        ]
    )
    expected /= expected.sum(axis=1, keepdims=True)
    assert_allclose(fitted.index_weights_, expected)
    assert_allclose(fitted.clustering_weights_, expected.mean(axis=0))


@pytest.mark.parametrize("n_clusters", [None, 3])
@pytest.mark.parametrize("index", ["dunn", "silhouette"])
def test_one_criterion_is_berikov_pestunov_2017(index, n_clusters):
    series, _ = waves()
    fitted = Method(n_clusters, indices=[index], generator=FEW, random_state=0)
    fitted.fit(series)
    alone = method("berikov_pestunov_2017")(n_clusters, index=index)
    Z = np.hstack(fitted.generator_.features_)
    alone.fit(Z, ensemble=fitted.ensemble_)
    assert_allclose(fitted.clustering_weights_, alone.clustering_weights_)
    assert same_partition(fitted.labels_, alone.labels_)


def test_each_candidate_is_the_consensus_by_its_weights_and_they_are_combined():
    series, _ = waves()
    fitted = Method(3, generator=FEW, random_state=1).fit(series)
    S = np.zeros((len(series), len(series)))
    for m, weights in enumerate(fitted.index_weights_):
        given = iter(weights)
        alone = method("berikov_pestunov_2017")(
            3,
            index=lambda X, labels, given=given: next(given),
        )
        labels = alone.fit(fitted.ensemble_).labels_
        assert same_partition(labels, fitted.candidates_.labels[:, m])
        S += labels[:, None] == labels
    again = method("eac")(3).fit(fitted.candidates_)
    assert same_partition(again.labels_, fitted.labels_)
    assert_allclose(cophenet(fitted.linkage_), cophenet(again.linkage_))
    assert_array_equal(3 * fitted.candidates_.coassociation(), S)
    assert fitted.candidates_.clustering_names.tolist() == [
        "dunn",
        "modified_hubert",
        "nmi",
    ]


def test_equal_candidates_are_returned_unchanged():
    series, _ = waves()
    fitted = Method(indices=["nmi", "nmi"], generator=FEW, random_state=0).fit(series)
    one, other = fitted.candidates_.labels.T
    assert_array_equal(one, other)
    assert same_partition(fitted.labels_, one)


def test_kinds_of_curves_and_their_number_are_found():
    series, truth = waves(seed=3)
    given = Method(3, random_state=0).fit(series)
    assert adjusted_rand_score(truth, given.labels_) == 1.0
    # Ten clusterings of each representation, by name.
    names, counts = np.unique(given.ensemble_.groups, return_counts=True)
    assert names.tolist() == ["fourier", "polynomial", "statistics", "wavelets"]
    assert counts.tolist() == [10] * 4
    k = given.ensemble_.n_clusters_each
    assert k.min() >= 2
    assert k.max() <= 5
    chosen = Method(generator=KMeansGenerator(10, n_clusters=3), random_state=0)
    assert adjusted_rand_score(truth, chosen.fit(series).labels_) == 1.0


def test_own_representations_and_criteria_are_called():
    series, truth = waves()
    seen = []

    def ends(series):
        return [[one[0, 0], one[0, -1]] for one in series]

    def size(X, labels):
        seen.append(X.shape)
        return float(len(set(labels)))

    fitted = Method(3, representations=[ends], indices=[size], generator=FEW)
    fitted.set_params(random_state=0).fit(series)
    assert set(fitted.ensemble_.groups) == {"ends"}
    assert seen == [(len(truth), 2)] * 4
    k = fitted.ensemble_.n_clusters_each
    assert_allclose(fitted.clustering_weights_, k / k.sum())


def test_new_series_are_labeled_and_jobs_do_not_matter():
    series, _ = waves()
    fitted = Method(3, random_state=0).fit(series)
    new, new_truth = waves(seed=9, n_each=4)
    assert adjusted_rand_score(new_truth, fitted.predict(new)) == 1.0
    with parallel_config("threading"):
        both = Method(3, n_jobs=2, random_state=0).fit(series)
    assert_array_equal(both.index_weights_, fitted.index_weights_)


def test_representations_are_clustered_by_themselves():
    series, _ = waves()
    both = RepresentationGenerator(["fourier", "wavelets"], FEW, random_state=0)
    both.generate(series)
    alone = RepresentationGenerator(["fourier"], FEW, random_state=0)
    assert_array_equal(both.ensemble_.labels[:, :4], alone.generate(series).labels)


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"representations": []}, "representations is empty"),
        ({"indices": ()}, "indices is empty"),
        ({"representations": ["sine"]}, "representations has 'sine'"),
        ({"indices": ["dun"]}, "there is no validity index 'dun'; choose dunn"),
    ],
)
def test_bad_parameters_are_refused_in_words(parameters, message):
    with pytest.raises(ComitiaError, match=message):
        Method(2, generator=FEW, **parameters).fit(waves(n_each=3)[0])


def test_other_clusterings_are_not_taken():
    with pytest.raises(ComitiaError, match="makes its own clusterings"):
        Method(2).fit(Ensemble(E6))
