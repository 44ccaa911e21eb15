"""Every generator tells how far it is."""

import numpy as np
import pytest
from sklearn.cluster import KMeans

from comitia.cluster import LAC
from comitia.generate import (
    EstimatorGenerator,
    FuzzyGenerator,
    GenieGenerator,
    GraphGenerator,
    HierarchicalGenerator,
    HMMGenerator,
    KernelGenerator,
    KMeansGenerator,
    LandmarkSpectralGenerator,
    MixedGenerator,
    MixtureGenerator,
    NeighborSpectralGenerator,
    RepresentationGenerator,
    SpectralGenerator,
    TreeGenerator,
    ViewsGenerator,
    generate_blocks,
)
from comitia.generate.boosting import BoostingGenerator
from comitia.generate.boosting_rounds import kmeans_round
from comitia.generate.sweep import ParameterSweep

X = np.repeat(np.eye(4, 3), 10, axis=0) + 0.1 * np.random.RandomState(0).rand(40, 3)
LINKS = np.kron(np.eye(4), 1 - np.eye(10))
SWEEP = [{"concentration_penalty": value} for value in (0.5, 1.0, 5.0)]


def two_means(X, drawn, weights, rng):
    return kmeans_round(X, drawn, weights, rng, n_clusters=2)


@pytest.mark.parametrize(
    ("generator", "data"),
    [
        (EstimatorGenerator(KMeans(n_init=1), 3), X),
        (KMeansGenerator(3), X),
        (KMeansGenerator(3, n_jobs=2), X),
        (KMeansGenerator(3, solver="landmark"), X),
        (FuzzyGenerator(3, n_clusters=2), X),
        (HierarchicalGenerator(3), X),
        (KernelGenerator(3), X),
        (LandmarkSpectralGenerator(3), X),
        (GenieGenerator(3), X),
        (NeighborSpectralGenerator(3), X),
        (MixedGenerator([KMeansGenerator(1), GenieGenerator(2)]), X),
        (MixedGenerator([KMeansGenerator(1), GenieGenerator(2)], n_jobs=2), X),
        (MixtureGenerator(3), X),
        (SpectralGenerator(3), X),
        (TreeGenerator(3), X),
        (GraphGenerator(3), LINKS),
        (HMMGenerator(3, n_states=1), X),
        (ParameterSweep(LAC(), SWEEP), X),
        (BoostingGenerator(3, cluster=two_means), X),
        (ViewsGenerator([KMeansGenerator(1), KMeansGenerator(2)]), [X, X]),
        (RepresentationGenerator(["statistics"], KMeansGenerator(3)), X),
    ],
    ids=lambda value: type(value).__name__,
)
def test_each_member_is_told_of_once(generator, data):
    heard = []
    generator.generate(data, on_progress=lambda *told: heard.append(told))
    assert heard == [("generate", done, 3) for done in range(4)]


def test_members_of_an_earlier_run_are_told_of_too(tmp_path):
    generator = KMeansGenerator(3, checkpoint=tmp_path, random_state=0)
    generator.fit(X)
    heard = []
    generator.fit(X, on_progress=lambda *told: heard.append(told))
    assert heard == [("generate", done, 3) for done in range(4)]


def test_blocks_are_told_of(tmp_path):
    heard = []
    generate_blocks(
        KMeansGenerator(2, solver="landmark", random_state=0),
        X,
        tmp_path,
        block_rows=15,
        on_progress=lambda *told: heard.append(told),
    )
    assert heard == [("generate", done, 3) for done in range(4)]


def test_data_on_a_device_are_told_of():
    torch = pytest.importorskip("torch", reason="PyTorch is not installed")
    heard = []
    generator = KMeansGenerator(3, solver="landmark", random_state=0)
    generator.generate(torch.asarray(X), on_progress=lambda *told: heard.append(told))
    assert heard == [("generate", done, 3) for done in range(4)]
