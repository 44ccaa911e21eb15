"""K-means ensembles of data on a device, against those of the same data in memory."""

import numpy as np
import pytest
from numpy.testing import assert_array_equal

import comitia
from comitia.exceptions import ComitiaError
from comitia.generate import (
    Bootstrap,
    FeatureSubset,
    KMeansGenerator,
    RandomProjection,
)

torch = pytest.importorskip("torch", reason="PyTorch is not installed")

on_cuda = pytest.param(
    "cuda",
    marks=pytest.mark.skipif(
        not torch.cuda.is_available(), reason="there is no CUDA device here"
    ),
)


def blobs(n, p=4):
    rng = np.random.RandomState(0)
    # Far from the origin, where single precision would be lost without a frame.
    centers = 5.0 * rng.standard_normal((6, p)) + 1000.0
    return centers[rng.randint(6, size=n)] + rng.standard_normal((n, p))


@pytest.fixture(scope="module")
def many():
    """So many objects that "auto" takes landmarks."""
    return blobs(51_000)


def generator(**parameters):
    return KMeansGenerator(2, n_clusters=7, random_state=0, **parameters)


@pytest.mark.parametrize("device", ["cpu", on_cuda])
@pytest.mark.parametrize(
    "parameters",
    [
        {},
        {"solver": "minibatch"},
        {"features": FeatureSubset(0.5)},
        {"features": RandomProjection(2)},
    ],
    ids=["landmarks", "minibatch", "features", "projection"],
)
def test_labels_are_those_of_data_in_memory(many, parameters, device):
    here, there = generator(**parameters), generator(**parameters)
    expected = here.generate(many)
    got = there.generate(torch.tensor(many, device=device))
    assert got.device in ("torch", "cuda:0")
    assert_array_equal(got.n_clusters_each, expected.n_clusters_each)
    assert_array_equal(got.codes, expected.codes)
    new = many[:50] + 0.1
    assert_array_equal(there.transform(new), here.transform(new))


def test_single_precision_is_read_as_it_is(many):
    rounded = many.astype(np.float32)
    got = generator().generate(torch.tensor(rounded))
    assert got == generator().generate(rounded)


@pytest.mark.parametrize(
    "parameters", [{}, {"solver": "lloyd"}, {"objects": Bootstrap()}]
)
def test_members_that_need_all_objects_get_them(parameters):
    X = blobs(400)
    got = generator(**parameters).generate(torch.tensor(X))
    assert got.device == "torch"
    assert got == generator(**parameters).generate(X)


def test_a_method_makes_its_clusterings_on_the_device(many):
    here = comitia.method("lwgp")(4, generator=generator(), random_state=0)
    there = comitia.method("lwgp")(4, generator=generator(), random_state=0)
    there.fit(many, device="torch")
    assert there.ensemble_.device == "torch"
    assert_array_equal(there.labels_, here.fit(many).labels_)
    assert_array_equal(there.predict(many[:100]), here.predict(many[:100]))


@pytest.mark.parametrize(
    ("X", "message"),
    [([1.0, 2.0], "one row per object"), ([[1.0], [float("nan")]], "NaN or infinity")],
)
def test_bad_data_are_refused_in_words(X, message):
    with pytest.raises(ComitiaError, match=message):
        generator().generate(torch.tensor(X))
