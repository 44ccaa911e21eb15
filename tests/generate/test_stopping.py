"""When enough members are made: they have settled, or the time is up."""

import time

import numpy as np
import pytest
from joblib import parallel_config
from numpy.testing import assert_array_equal

import comitia
from comitia import Ensemble
from comitia.agreement import adjusted_rand
from comitia.exceptions import ComitiaError, ComitiaWarning
from comitia.generate import Generator, KMeansGenerator, MixedGenerator
from comitia.generate.member import Made
from comitia.generate.stopping import MOST, Reliability

N, K = 120, 4
TRUTH = np.arange(N) % K


class Noisy(Generator):
    """Members that know the truth, up to a share of noise; the data are not read."""

    def __init__(self, n_clusterings="auto", *, noise=0.3, random_state=None):
        self.n_clusterings = n_clusterings
        self.noise = noise
        self.random_state = random_state

    def plan(self, X, rng):
        return [{"seed": int(s)} for s in rng.randint(1 << 30, size=self.n_clusterings)]

    def fit_member(self, X, plan):
        rng = np.random.RandomState(plan["seed"])
        return Made(
            np.where(rng.uniform(size=N) < self.noise, rng.randint(K, size=N), TRUTH)
        )


def made(noise, seed=0, n_clusterings="auto"):
    generator = Noisy(n_clusterings, noise=noise, random_state=seed)
    return generator.generate(np.zeros((N, 1)))


def off_diagonal(votes):
    return votes.coassociation(dtype=float)[np.triu_indices(N, k=1)]


@pytest.mark.parametrize("noise", [0.2, 0.4, 0.6])
@pytest.mark.parametrize("M", [20, 60])
def test_the_reliability_of_members_is_what_as_many_others_measure(noise, M):
    one, other = made(noise, 1, M), made(noise, 2, M)
    look = Reliability(N)
    for labels in one.labels.T:
        look.add(labels)
    measured = np.corrcoef(off_diagonal(one), off_diagonal(other))[0, 1]
    # Pairs that share an object hang together: 120 objects are few.
    assert abs(look.value - measured) < 0.05


def test_a_sample_of_pairs_says_what_all_of_them_say(monkeypatch):
    votes = made(0.5, n_clusterings=20)
    values = []
    for pairs in (20_000, 4_000):
        monkeypatch.setattr("comitia.sizes.SETTLED_PAIRS", pairs)
        look = Reliability(N)
        for labels in votes.labels.T:
            look.add(labels)
        values.append(look.value)
    assert abs(values[0] - values[1]) < 0.02  # 4000 pairs


def test_clear_members_settle_sooner_than_noisy_ones():
    n_made = [made(noise).n_clusterings for noise in (0.0, 0.3, 0.45)]
    assert n_made[0] == 20
    assert 20 < n_made[1] < n_made[2] < MOST


@pytest.mark.parametrize("noise", [0.3, 0.45])
def test_labels_have_settled_when_members_have(noise):
    few, many = made(noise), made(noise, 1, MOST)
    fitted = [comitia.method("lwgp")(K, random_state=0).fit(E) for E in (few, many)]
    assert adjusted_rand(fitted[0].labels_, fitted[1].labels_) > 0.97


def test_members_that_never_settle_are_said_not_to():
    with pytest.warns(ComitiaWarning, match="of 200 clusterings has a reliability"):
        assert made(1.0).n_clusterings == MOST


def test_auto_members_are_the_first_of_those_that_could_be_made():
    votes = made(0.4)
    all_of_them = made(0.4, n_clusterings=MOST)
    n_made = votes.n_clusterings
    assert_array_equal(votes.labels, all_of_them.labels[:, :n_made])


def test_auto_does_not_depend_on_jobs():
    X = np.random.RandomState(0).randn(60, 2)
    one = KMeansGenerator("auto", random_state=0).generate(X)
    with parallel_config("threading"):
        two = KMeansGenerator("auto", n_jobs=2, random_state=0).generate(X)
    assert one == two


# -- time ------------------------------------------------------------------------------


@pytest.fixture
def passing(monkeypatch):
    """A clock that goes on by a second at each look."""
    ticks = iter(range(10_000))
    monkeypatch.setattr(time, "monotonic", lambda: float(next(ticks)))


def test_a_limit_of_time_stops_the_generator_and_says_so(passing):
    X = np.zeros((N, 1))
    with pytest.warns(ComitiaWarning, match=r"time_limit=7: 6 of 50 clusterings were"):
        votes = Noisy(50, random_state=0).generate(X, time_limit=7)
    assert_array_equal(
        votes.labels, Noisy(50, random_state=0).generate(X).labels[:, :6]
    )


def test_two_members_are_made_in_any_time(passing):
    with pytest.warns(ComitiaWarning, match="2 of 50"):
        Noisy(50).generate(np.zeros((N, 1)), time_limit=0.1)


def test_families_are_made_in_turn_when_time_is_short(passing):
    X = np.random.RandomState(0).randn(40, 2)
    families = {"one": KMeansGenerator(20), "two": KMeansGenerator(10, n_clusters=2)}
    mixed = MixedGenerator(families, random_state=0)
    with pytest.warns(ComitiaWarning, match="6 of 30"):
        votes = mixed.generate(X, time_limit=7)
    assert votes.groups.tolist() == ["one"] * 4 + ["two"] * 2


def test_a_method_hands_its_limit_on_and_keeps_its_members(passing):
    X = np.random.RandomState(0).randn(60, 2)
    fitted = comitia.method("lwgp")(3, random_state=0)
    with pytest.warns(ComitiaWarning, match="time_limit=5"):
        fitted.fit(X, time_limit=5)
    assert fitted.ensemble_.n_clusterings == 4
    assert len(fitted.predict(X)) == 60


def test_a_limit_that_nothing_keeps_to_is_refused():
    X = np.random.RandomState(0).randn(60, 2)
    with pytest.raises(ComitiaError, match="there already"):
        comitia.method("lwgp")(3).fit(Ensemble(X.argsort(axis=0) % 3), time_limit=5)
    with pytest.raises(ComitiaError, match="in its own way"):
        comitia.method("boost_clustering")(3).fit(X, time_limit=5)
    with pytest.raises(ComitiaError, match="above 0"):
        comitia.method("lwgp")(3).fit(X, time_limit=0)
