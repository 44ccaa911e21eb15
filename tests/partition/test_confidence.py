"""The probability of the own cluster: its formula, its limits, its calibration."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from comitia import ConsensusClustering, Ensemble, method, sizes
from comitia.partition import consensus_posterior
from comitia.partition.confidence import vote_model
from comitia.partition.reassign import _believed, _scores
from comitia.represent.votes import vote_shares
from tests.fixtures import E6, planted


def posterior_by_loops(labels, consensus):
    """The formula, object by object."""
    (n, M), k = labels.shape, consensus.max() + 1
    R = np.eye(k)[consensus]
    for _ in range(2):
        score, residual, together, alone = [], [], 0.0, 0.0
        for m in range(M):
            table = np.array(
                [
                    R[labels[:, m] == c].sum(axis=0)
                    for c in range(labels[:, m].max() + 1)
                ]
            )
            q = _scores(table, _believed(table))
            p = table.sum(axis=1) / table.sum()
            evidence = q - np.log(p)[:, None]
            mean = (table * evidence).sum(axis=0) / table.sum(axis=0)
            score.append(q)
            residual.append(evidence - mean)
        for i in range(n):
            for r in range(k):
                z = [residual[m][labels[i, m], r] for m in range(M)]
                together += R[i, r] * sum(z) ** 2
                alone += R[i, r] * sum(np.square(z))
        d = min(max(together / alone, 1.0), M)
        L = np.array(
            [
                np.log(R.mean(axis=0))
                + sum(score[m][labels[i, m]] for m in range(M)) / d
                for i in range(n)
            ]
        )
        R = np.exp(L) / np.exp(L).sum(axis=1, keepdims=True)
    return R / d + (1 - 1 / d) * vote_shares(Ensemble(labels), consensus), d


@pytest.mark.parametrize("copies", [1, 3])
def test_posterior_is_its_formula(copies):
    labels, truth = planted(60, 3, 4, 0.4, seed=copies)
    labels = np.repeat(labels, copies, axis=1)
    expected, d = posterior_by_loops(labels, truth)
    assert_allclose(consensus_posterior(Ensemble(labels), truth), expected, atol=1e-9)
    assert_allclose(vote_model(Ensemble(labels), truth).design_effect, d)
    assert (d > 1.5) == (copies > 1)


def calibration_error(confidence, right, n_bins=10):
    bins = np.array_split(np.argsort(confidence, kind="stable"), n_bins)
    gaps = [abs(confidence[b].mean() - right[b].mean()) * len(b) for b in bins]
    return sum(gaps) / len(right)


def right_ones(labels, truth, k):
    from scipy.optimize import linear_sum_assignment

    table = np.zeros((k, k))
    np.add.at(table, (labels, truth), 1)
    return linear_sum_assignment(-table)[1][labels] == truth


@pytest.mark.parametrize(
    ("k", "M", "noise", "sizes"),
    [
        (3, 20, 0.6, None),
        (5, 10, 0.5, None),
        (4, 5, 0.4, None),
        (3, 20, 0.5, [4, 2, 1]),
    ],
)
def test_it_is_calibrated_on_planted_ensembles(k, M, noise, sizes):
    labels, truth = planted(1500, k, M, noise, seed=0, sizes=sizes)
    fitted = ConsensusClustering(n_clusters=k, random_state=0).fit(Ensemble(labels))
    right = right_ones(fitted.labels_, truth, k)
    assert calibration_error(fitted.confidence_, right) < 0.05
    assert calibration_error(fitted.vote_share_, right) > 0.15


def test_copies_count_once():
    labels, truth = planted(400, 3, 6, 0.4, seed=0)
    once = vote_model(Ensemble(labels), truth)
    often = vote_model(Ensemble(np.repeat(labels, 5, axis=1)), truth)
    assert once.design_effect < 1.5
    assert 4 < often.design_effect < 7


def test_copies_make_nobody_surer():
    labels, truth = planted(1500, 3, 8, 0.4, seed=0)
    once = consensus_posterior(Ensemble(labels), truth)
    often = consensus_posterior(Ensemble(np.repeat(labels, 4, axis=1)), truth)
    own = np.arange(1500), truth
    assert often[own].mean() < once[own].mean()


def test_one_clustering_gives_its_vote_shares_and_copies_nearly():
    for M in (1, 40):
        votes = Ensemble(np.repeat(E6[:, [2]], M, axis=1))
        fitted = method("eac")(n_clusters=2).fit(votes)
        tolerance = 1e-9 if M == 1 else 1 / M
        assert_allclose(fitted.confidence_, fitted.vote_share_, atol=tolerance)


def test_a_single_cluster_is_certain():
    assert_allclose(consensus_posterior(Ensemble(E6), np.zeros(6, dtype=int)), 1.0)


def test_order_and_names_do_not_matter():
    labels, truth = planted(200, 3, 8, 0.4, seed=0)
    P = consensus_posterior(Ensemble(labels), truth)
    rng = np.random.RandomState(0)
    rows, columns, names = rng.permutation(200), rng.permutation(8), rng.permutation(3)
    changed = consensus_posterior(
        Ensemble(names[labels[np.ix_(rows, columns)]]), names[truth[rows]]
    )
    assert_allclose(changed[:, names], P[rows], atol=1e-10)


def test_blocks_give_what_memory_gives(tmp_path, monkeypatch):
    monkeypatch.setattr(sizes, "FEW_LABELS", 0)  # small ensembles go the way of large
    monkeypatch.setattr(sizes, "FEW_OBJECTS", 0)
    labels, _ = planted(500, 4, 6, 0.4, seed=0)
    votes = Ensemble(labels)
    votes.save(tmp_path / "votes", block_rows=120)
    fits = [
        method("lwgp")(n_clusters=4, random_state=0).fit(E)
        for E in (votes, Ensemble.open(tmp_path / "votes"))
    ]
    assert len(fits[1].ensemble_.row_blocks) > 1
    assert_array_equal(fits[0].confidence_, fits[1].confidence_)
    assert_array_equal(fits[0].vote_share_, fits[1].vote_share_)


def test_clusterings_without_weight_do_not_speak():
    labels, truth = planted(200, 3, 8, 0.3, seed=0)
    junk, _ = planted(200, 3, 2, 1.0, seed=1)
    votes = Ensemble(np.hstack([labels, junk]))
    P = consensus_posterior(votes, truth, clustering_weights=[1.0] * 8 + [0.0] * 2)
    assert_allclose(P, consensus_posterior(Ensemble(labels), truth), atol=1e-12)


def test_missing_labels_say_nothing():
    labels, truth = planted(300, 3, 8, 0.3, seed=0)
    holes = labels.copy()
    holes[:50, 2:] = -1
    full, some = (consensus_posterior(Ensemble(L), truth) for L in (labels, holes))
    own = np.arange(50), truth[:50]
    assert some[own].mean() < full[own].mean() - 0.02
    assert_allclose(some.sum(axis=1), 1.0)


def test_families_that_contradict_each_other_lower_it():
    rng = np.random.RandomState(0)
    one = rng.randint(3, size=600)
    other = np.where(np.arange(600) < 400, one, rng.randint(3, size=600))

    def blurred(labels):
        return np.where(rng.rand(600) < 0.1, rng.randint(3, size=600), labels)

    alike = Ensemble(np.transpose([blurred(one) for _ in range(20)]))
    families = [one] * 10 + [other] * 10
    apart = Ensemble(np.transpose([blurred(labels) for labels in families]))
    disputed = np.flatnonzero(one != other)
    sure, unsure = (
        consensus_posterior(E, one)[disputed, one[disputed]] for E in (alike, apart)
    )
    assert sure.mean() > 0.99
    assert unsure.mean() < 0.92
