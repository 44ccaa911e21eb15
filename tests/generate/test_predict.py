"""Methods label the objects they were fitted on as they did, whatever made them."""

import numpy as np
import pytest
from sklearn.datasets import make_blobs

import comitia
from comitia.generate import (
    Bootstrap,
    FeatureSubset,
    FuzzyGenerator,
    KMeansGenerator,
    LittleBootstraps,
    MixtureGenerator,
    RandomProjection,
    Subsample,
    TreeGenerator,
)

X, _ = make_blobs(300, centers=4, n_features=6, cluster_std=1.0, random_state=3)

GENERATORS = {
    "plain": KMeansGenerator(20),
    "landmark": KMeansGenerator(20, solver="landmark"),
    "minibatch": KMeansGenerator(20, solver="minibatch"),
    "features": KMeansGenerator(20, features=FeatureSubset(0.5)),
    "projections": KMeansGenerator(20, features=RandomProjection(3)),
    "subsamples": KMeansGenerator(20, objects=Subsample(0.6)),
    "bootstraps": KMeansGenerator(20, objects=Bootstrap(), extend=True),
    "little bootstraps": KMeansGenerator(20, objects=LittleBootstraps(), extend=True),
    "both": KMeansGenerator(
        20, objects=Subsample(0.6), features=FeatureSubset(0.5), solver="landmark"
    ),
    "fuzzy": FuzzyGenerator(10, n_clusters=(3, 6)),
    "mixtures": MixtureGenerator(10, n_clusters=(3, 6)),
    "trees": TreeGenerator(20, feature_fraction=0.4),
}


@pytest.mark.parametrize("id", ["lwgp", "lwea", "kcc", "weac"])
@pytest.mark.parametrize("name", GENERATORS)
def test_old_objects_are_labelled_as_they_were(id, name):
    method = comitia.method(id)(
        n_clusters=4, generator=GENERATORS[name], random_state=0
    ).fit(X)
    labels = method.predict(X)
    assert np.mean(labels == method.labels_) >= 0.95
    assert np.mean(method.membership_.argmax(axis=1) == method.labels_) >= 0.95
    # An object by itself is labelled as in company.
    assert np.array_equal(method.predict(X[:7]), labels[:7])
