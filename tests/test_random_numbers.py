"""``random_state`` may be a Generator of NumPy wherever there is one."""

import inspect

import numpy as np
import pytest
from numpy.random import MT19937, Generator, RandomState
from numpy.testing import assert_array_equal

import comitia
from comitia import cluster, generate
from comitia._sklearn import validate_parameters
from comitia.generate import KMeansGenerator

X = RandomState(0).normal(size=(30, 2)) + np.repeat([[0.0], [3.0], [6.0]], 10, axis=0)


def seeded():
    """Every class of ours that has a ``random_state``."""
    classes = {card.id: comitia.method(card.id) for card in comitia.methods()}
    for package in (generate, cluster):
        classes |= {name: getattr(package, name) for name in package.__all__}
    return {
        name: cls
        for name, cls in classes.items()
        if inspect.isclass(cls) and "random_state" in inspect.signature(cls).parameters
    }


def test_every_class_with_a_random_state_takes_a_generator():
    classes = seeded()
    assert len(classes) > 100
    for cls in classes.values():
        needed = [
            name
            for name, given in inspect.signature(cls).parameters.items()
            if given.default is given.empty
        ]
        if not needed:
            validate_parameters(cls(random_state=Generator(MT19937(0))))


@pytest.mark.parametrize(
    "labels",
    [
        lambda rng: comitia.method("lwgp")(3, random_state=rng).fit(X).ensemble_.labels,
        lambda rng: comitia.ConsensusClustering(3, random_state=rng).fit(X).labels_,
        lambda rng: KMeansGenerator(6, random_state=rng).generate(X).labels,
        lambda rng: cluster.KMedoids(3, random_state=rng).fit(X).labels_,
    ],
)
def test_a_generator_gives_what_a_random_state_with_its_numbers_gives(labels):
    assert_array_equal(labels(Generator(MT19937(5))), labels(RandomState(MT19937(5))))


def test_a_generator_goes_on_from_call_to_call():
    rng = np.random.default_rng(0)
    generator = KMeansGenerator(6, random_state=rng)
    first, second = generator.generate(X).labels, generator.generate(X).labels
    assert (first != second).any()
    assert_array_equal(
        KMeansGenerator(6, random_state=np.random.default_rng(0)).generate(X).labels,
        first,
    )


def test_two_steps_with_a_generator_are_one_fit():
    fitted = comitia.method("lwgp")(3, random_state=np.random.default_rng(1)).fit(X)
    steps = comitia.method("lwgp")(3, random_state=np.random.default_rng(1))
    made = steps.generate(X)
    assert_array_equal(made.labels, fitted.ensemble_.labels)
    assert_array_equal(steps.combine(made).labels_, fitted.labels_)
