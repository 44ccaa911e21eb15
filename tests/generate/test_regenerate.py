"""The members of a generator once more, with other numbers of clusters."""

import numpy as np
import pytest
from numpy.testing import assert_array_equal
from sklearn.cluster import AgglomerativeClustering, KMeans

from comitia.exceptions import ComitiaError
from comitia.generate import (
    EstimatorGenerator,
    FeatureSubset,
    FuzzyGenerator,
    KMeansGenerator,
    Subsample,
    TreeGenerator,
    regenerate,
)

X = np.random.RandomState(0).randn(40, 4)
GENERATORS = [
    KMeansGenerator(6, objects=Subsample(0.7), random_state=1),
    EstimatorGenerator(
        [KMeans(n_init=1), AgglomerativeClustering()],
        6,
        objects=Subsample(0.7),
        features=FeatureSubset(0.5),
        random_state=1,
    ),
    FuzzyGenerator(6, objects=Subsample(0.7), random_state=1),
]


@pytest.mark.parametrize("generator", GENERATORS, ids=lambda g: type(g).__name__)
def test_the_same_numbers_make_the_same_clusterings(generator):
    ensemble = generator.generate(X)
    again = regenerate(generator, X, ensemble.n_clusters_each)
    assert_array_equal(again.labels, ensemble.labels)


@pytest.mark.parametrize("generator", GENERATORS, ids=lambda g: type(g).__name__)
def test_other_numbers_keep_the_objects_that_were_drawn(generator):
    ensemble = generator.generate(X)
    k = ensemble.n_clusters_each
    more = regenerate(generator, X, k + 1)
    assert_array_equal(more.n_clusters_each, k + 1)
    assert_array_equal(more.labels < 0, ensemble.labels < 0)


def test_what_cannot_be_repeated_is_refused():
    with pytest.raises(ComitiaError, match="TreeGenerator cannot"):
        regenerate(TreeGenerator(2), X, [2, 2])
    with pytest.raises(ComitiaError, match="random_state=None"):
        regenerate(KMeansGenerator(2), X, [2, 2])
    fitted = KMeansGenerator(2, random_state=0).fit(X)
    with pytest.raises(ComitiaError, match="2 positive numbers"):
        regenerate(fitted, X, [2, 0])
