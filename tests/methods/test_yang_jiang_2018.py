"""Bi-weighted ensembles of hidden Markov clusterings."""

import numpy as np
import pytest
from joblib import parallel_config
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.metrics import adjusted_rand_score

from comitia import Ensemble, method
from comitia.cluster.hmm import log_likelihood
from comitia.cluster.sequences import Series
from comitia.exceptions import ComitiaError
from comitia.methods.temporal.yang_jiang_2018 import model_separation
from comitia.partition import ensemble_linkage
from tests.cluster.test_hmm import HMMParameters, draw
from tests.fixtures import same_partition

Method = method("yang_jiang_2018")

START = np.array([0.5, 0.5])
STAYS = HMMParameters(
    START,
    np.array([[0.9, 0.1], [0.1, 0.9]]),
    np.array([[-2.0], [2.0]]),
    np.full((2, 1), 0.25),
)
JUMPS = STAYS._replace(transitions=STAYS.transitions[::-1])


def sequences(seed=0, n_each=10):
    """Two kinds that differ in how they move, of unequal lengths."""
    rng = np.random.RandomState(seed)
    truth = np.repeat([0, 1], n_each)
    kinds = [STAYS, JUMPS]
    return [draw(kinds[c], rng.randint(25, 50), rng) for c in truth], truth


def separation_by_loops(likelihood, prior):
    """The formula, on likelihoods that do not underflow."""
    n, k = likelihood.shape
    q = np.array([sum(prior[r] * likelihood[i, r] for r in range(k)) for i in range(n)])
    q = q / q.sum()
    total = 0.0
    for r in range(k):
        p = likelihood[:, r] / likelihood[:, r].sum()
        total += prior[r] * sum(p[i] * np.log(p[i] / q[i]) for i in range(n))
    return total


def test_worked_separation_of_the_catalogue():
    logs = np.log([[0.9, 0.1], [0.1, 0.9]])
    assert_allclose(model_separation(logs), 0.9 * np.log(1.8) + 0.1 * np.log(0.2))
    # The catalogue gives six decimals.
    assert_allclose(model_separation(logs, [0.5, 0.5]), 0.368064, atol=5e-7)


def test_equal_models_have_no_separation():
    logs = np.repeat(np.random.RandomState(0).randn(7, 1), 3, axis=1)
    assert_allclose(model_separation(logs, [0.2, 0.3, 0.5]), 0.0, atol=1e-12)


@pytest.mark.parametrize("seed", range(4))
def test_separation_is_its_definition(seed):
    rng = np.random.RandomState(seed)
    likelihood, prior = rng.rand(9, 3), rng.dirichlet(np.ones(3))
    got = model_separation(np.log(likelihood), prior)
    assert_allclose(got, separation_by_loops(likelihood, prior))
    # A factor that all objects share under all models is normalised away, also where
    # the likelihoods themselves underflow.
    assert_allclose(model_separation(np.log(likelihood) - 5000.0, prior), got)


@pytest.mark.parametrize("prior", ["sizes", "uniform"])
@pytest.mark.parametrize(("variant", "sign"), [("plus", 1), ("minus", -1)])
def test_weights_follow_from_the_models(variant, sign, prior):
    series, _ = sequences()
    fitted = Method(
        3,
        n_clusterings=4,
        n_states=2,
        temperature=0.05,
        variant=variant,
        prior=prior,
        random_state=0,
    ).fit(series)
    E = fitted.ensemble_
    lengths = np.array([one.shape[1] for one in series])
    expected = []
    for m, member in enumerate(fitted.generator_.members_):
        models = member.model.models_
        by_step = np.stack(
            [log_likelihood(model, Series.read(series)) / lengths for model in models]
        )
        pi = np.bincount(E.labels[:, m]) / E.n_objects
        pi = pi if prior == "sizes" else np.full(len(models), 1 / len(models))
        expected.append(separation_by_loops(np.exp(by_step.T), pi))
    assert np.ptp(expected) > 1e-4
    assert_allclose(fitted.separation_, expected)
    raw = np.exp(sign * np.array(expected) / 0.05)
    assert_allclose(fitted.clustering_weights_, raw / raw.sum())
    assert_allclose(fitted.cluster_weights_, E.sizes / E.n_objects)


def test_the_tree_is_that_of_both_weights():
    series, _ = sequences()
    fitted = Method(2, n_clusterings=3, n_states=2, random_state=1).fit(series)
    E = fitted.ensemble_
    W = fitted.clustering_weights_[E.clustering_of] * E.sizes / E.n_objects
    B = E.membership.toarray()
    S = (B * W) @ B.T
    off = np.triu_indices(len(series), 1)
    # The first merge joins the most similar pair; diagonals do not matter.
    assert_allclose(fitted.linkage_[0, 2], 1.0 - S[off].max())
    assert_allclose(fitted.linkage_[-1, 2], 1.0 - _mean_between(S, fitted.linkage_))


def _mean_between(S, tree):
    """Mean similarity of the two clusters that merge last."""
    from scipy.cluster.hierarchy import fcluster

    halves = fcluster(tree, 2, "maxclust")
    return S[np.ix_(halves == 1, halves == 2)].mean()


def test_equal_sizes_and_weights_are_plain_evidence_accumulation():
    labels = np.array([[0, 0], [0, 1], [1, 0], [1, 1]]).repeat(2, axis=0)
    E = Ensemble(labels)
    weighted = ensemble_linkage(
        E, clustering_weights=[0.5, 0.5], cluster_weights=E.sizes / E.n_objects
    )
    plain = ensemble_linkage(E)
    assert_array_equal(weighted[:, :2], plain[:, :2])
    assert_allclose(1 - weighted[:, 2], (1 - plain[:, 2]) / 2)


def test_by_default_the_temperature_follows_the_spread():
    series, _ = sequences()
    fitted = Method(3, n_clusterings=6, n_states=2, random_state=0).fit(series)
    D, w = fitted.separation_, fitted.clustering_weights_
    assert w.std() > 0.3 * w.mean()
    raw = np.exp((D - D.max()) / D.std())
    assert_allclose(w, raw / raw.sum())


def test_equal_clusterings_weigh_the_same():
    series, _ = sequences()
    fitted = Method(1, n_clusterings=3, n_states=1, random_state=0).fit(series)
    assert_allclose(fitted.clustering_weights_, 1 / 3)


def test_high_temperature_forgets_the_separation():
    series, _ = sequences()
    fitted = Method(2, n_clusterings=3, temperature=1e9, random_state=0).fit(series)
    assert_allclose(fitted.clustering_weights_, 1 / 3, rtol=1e-6)  # e^(D / 1e9)


def test_dynamics_alone_tell_series_apart():
    series, truth = sequences(seed=2, n_each=15)
    fitted = Method(2, n_states=2, random_state=0).fit(series)
    assert adjusted_rand_score(truth, fitted.labels_) == 1.0
    new, new_truth = sequences(seed=5, n_each=5)
    assert adjusted_rand_score(new_truth, fitted.predict(new)) == 1.0


def test_the_number_of_clusters_is_chosen():
    rng = np.random.RandomState(0)
    truth = np.repeat([0, 1, 2], 12)
    series = [rng.randn(1, rng.randint(10, 20)) + 6.0 * c for c in truth]
    right = []
    for seed in range(3):
        fitted = Method(n_states=1, n_clusterings=20, random_state=seed).fit(series)
        assert set(fitted.ensemble_.n_clusters_each) <= set(range(2, 7))
        right.append(same_partition(fitted.labels_, truth))
    assert sum(right) >= 2  # one seed in eight finds two


def test_several_channels_long_series_and_jobs():
    rng = np.random.RandomState(0)
    truth = np.repeat([0, 1], 4)
    series = [rng.randn(2, 3000) * (1 + c) for c in truth]
    # Likelihoods of whole series are e^-10000: only their logarithms are numbers.
    one = Method(2, n_clusterings=3, n_states=1, random_state=0).fit(series)
    assert np.isfinite(one.separation_).all()
    assert same_partition(one.labels_, truth)
    two = Method(2, n_clusterings=3, n_states=1, n_jobs=2, random_state=0)
    with parallel_config("threading"):
        two.fit(series)
    assert_array_equal(one.separation_, two.separation_)


def test_bad_input_is_refused_in_words():
    with pytest.raises(ComitiaError, match="all series need the same channels"):
        Method(2).fit([np.zeros((1, 4)), np.zeros((2, 4))])
    with pytest.raises(ComitiaError, match="cut a series where it ends"):
        Method(2).fit([np.zeros((1, 4)), np.full((1, 3), np.nan)])
    series, _ = sequences(n_each=3)
    fitted = Method(2, n_clusterings=2, n_states=1, random_state=0).fit(series)
    with pytest.raises(ComitiaError, match="have 2 channels"):
        fitted.predict([np.zeros((2, 5))])
