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


def near_copies(labels, copies):
    """Each clustering several times, with another label of an object each time."""
    labels = np.repeat(labels, copies, axis=1)
    at = np.arange(labels.shape[1])
    labels[at, at] = (labels[at, at] + 1) % (labels.max() + 1)
    return labels


@pytest.mark.parametrize("copies", [1, 3])
def test_posterior_is_its_formula(copies):
    labels, truth = planted(60, 3, 4, 0.4, seed=copies)
    labels = near_copies(labels, copies)
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
    renamed = (labels + 1) % 3
    often = Ensemble(np.hstack([labels, renamed, labels[:, ::-1]]))
    found = vote_model(often, truth)
    assert_allclose(found.design_effect, once.design_effect)
    assert_allclose(found.evidence[:6], once.evidence / 3)
    posteriors = (consensus_posterior(E, truth) for E in (Ensemble(labels), often))
    assert_allclose(*posteriors, atol=1e-9)


def test_a_copy_but_for_an_object_is_another_clustering():
    labels, truth = planted(40, 3, 3, 0.4, seed=0)
    found = vote_model(Ensemble(near_copies(labels, 2)), truth)
    alone = vote_model(Ensemble(near_copies(labels, 2)[:, :1]), truth)
    assert_allclose(found.evidence[0], alone.evidence[0], rtol=0.2)


def test_copies_in_row_blocks_count_once(tmp_path, monkeypatch):
    monkeypatch.setattr(sizes, "FEW_LABELS", 0)  # small ensembles go the way of large
    monkeypatch.setattr(sizes, "FEW_OBJECTS", 0)
    labels, truth = planted(300, 3, 4, 0.4, seed=0)
    often = Ensemble(np.repeat(labels, 2, axis=1))
    often.save(tmp_path / "blocks", block_rows=70)
    stored = Ensemble.open(tmp_path / "blocks")
    assert len(stored.row_blocks) > 1
    expected = consensus_posterior(Ensemble(labels), truth)
    assert_allclose(consensus_posterior(stored, truth), expected, atol=1e-9)


def test_near_copies_have_a_design_effect_and_make_nobody_surer():
    labels, truth = planted(1500, 3, 8, 0.4, seed=0)
    copies = Ensemble(near_copies(labels, 4))
    assert 3 < vote_model(copies, truth).design_effect < 5
    once, often = (consensus_posterior(E, truth) for E in (Ensemble(labels), copies))
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
