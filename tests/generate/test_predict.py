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

X, _ = make_blobs(160, centers=4, n_features=6, random_state=3)

KMEANS = {
    "plain": {},
    "landmark": {"solver": "landmark"},
    "features": {"features": FeatureSubset(0.5)},
    "subsamples": {"objects": Subsample(0.6)},
}
OTHERS = {
    "minibatch": KMeansGenerator(12, solver="minibatch"),
    "projections": KMeansGenerator(12, features=RandomProjection(3)),
    "bootstraps": KMeansGenerator(12, objects=Bootstrap(), extend=True),
    "little bootstraps": KMeansGenerator(12, objects=LittleBootstraps(), extend=True),
    "both": KMeansGenerator(
        12, objects=Subsample(0.6), features=FeatureSubset(0.5), solver="landmark"
    ),
    "fuzzy": FuzzyGenerator(6, n_clusters=(3, 6)),
    "mixtures": MixtureGenerator(6, n_clusters=(3, 6)),
    "trees": TreeGenerator(12, feature_fraction=0.4),
}


def check(id, generator):
    method = comitia.method(id)(n_clusters=4, generator=generator, random_state=0)
    labels = method.fit(X).predict(X)
    assert np.mean(labels == method.labels_) >= 0.95
    assert np.mean(method.membership_.argmax(axis=1) == method.labels_) >= 0.95
    # An object by itself is labelled as in company.
    assert np.array_equal(method.predict(X[:7]), labels[:7])


@pytest.mark.parametrize("id", ["lwgp", "lwea", "kcc", "weac"])
@pytest.mark.parametrize("name", KMEANS)
def test_old_objects_are_labeled_as_they_were(id, name):
    check(id, KMeansGenerator(12, **KMEANS[name]))


@pytest.mark.parametrize("name", OTHERS)
def test_old_objects_are_labeled_as_they_were_by_members_of_any_kind(name):
    check("lwgp", OTHERS[name])
