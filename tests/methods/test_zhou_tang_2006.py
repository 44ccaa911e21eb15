"""Clusterer ensemble against the catalogue's numbers and a plain rewriting."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from comitia import Ensemble, method
from comitia.agreement import nmi
from comitia.exceptions import ComitiaError, ComitiaWarning
from comitia.methods.fixed_clusterings.zhou_tang_2006 import (
    above_uniform,
    inverse_agreement,
)
from comitia.weigh import (
    mean_agreement,
)
from tests.fixtures import E6, planted, same_partition

ClustererEnsemble = method("zhou_tang_2006")
VARIANTS = ["voting", "weighted", "selective", "selective_weighted"]


def plain(labels, variant, reference):
    """The paper's procedure for clusterings with equal k, by loops."""
    n, M = labels.shape
    k = labels.max() + 1
    beta = [
        np.mean([nmi(labels[:, m], labels[:, j]) for j in range(M) if j != m])
        for m in range(M)
    ]
    w = (1 / np.array(beta)) / (1 / np.array(beta)).sum()
    kept = w >= 1 / M - 1e-10 if variant.startswith("selective") else np.ones(M, bool)
    votes = np.zeros((n, k))
    for m in np.flatnonzero(kept):
        table = np.array(
            [
                [
                    ((labels[:, m] == c) & (labels[:, reference] == r)).sum()
                    for r in range(k)
                ]
                for c in range(k)
            ],
            dtype=float,
        )
        sizes = np.bincount(labels[:, m], minlength=k)
        name = {}
        while len(name) < k:
            best = np.argwhere(table == table.max())
            c, r = min(best.tolist(), key=lambda cell: (sizes[cell[0]], *cell))
            name[c] = r
            table[c, :] = table[:, r] = -1
        for i in range(n):
            votes[i, name[labels[i, m]]] += w[m] if "weighted" in variant else 1
    return (votes.round(9)).argmax(axis=1)


def test_weights_of_e6_are_those_of_the_catalogue():
    fitted = ClustererEnsemble(variant="weighted").fit(Ensemble(E6))
    expected = [0.290342, 0.290342, 0.419316]
    assert_allclose(fitted.clustering_weights_, expected, atol=5e-7)  # six decimals
    assert fitted.selected_.all()


@pytest.mark.parametrize("reference", [0, 1, 2])
def test_only_the_third_of_e6_passes_and_is_the_result(reference):
    fitted = ClustererEnsemble(reference=reference).fit(Ensemble(E6))
    assert_array_equal(fitted.selected_, [False, False, True])
    assert_array_equal(fitted.clustering_weights_, [0, 0, 1])
    assert same_partition(fitted.labels_, E6[:, 2])


@pytest.mark.parametrize("variant", VARIANTS)
@pytest.mark.parametrize("seed", range(3))
def test_it_is_the_paper_s_procedure(variant, seed):
    labels, _ = planted(60, 3, 7, noise=0.4, seed=seed)
    for reference in (0, 5):
        fitted = ClustererEnsemble(3, variant=variant, reference=reference)
        got = fitted.fit_predict(Ensemble(labels))
        assert same_partition(got, plain(labels, variant, reference))


def test_equal_clusterings_are_all_kept():
    same = Ensemble(np.repeat(E6[:, 2:], 7, axis=1))
    fitted = ClustererEnsemble(random_state=0).fit(same)
    assert fitted.selected_.all()
    assert_allclose(fitted.clustering_weights_, 1 / 7)
    assert same_partition(fitted.labels_, E6[:, 2])


def test_the_paper_s_similarity_is_mutual_information_over_log_k():
    labels, _ = planted(50, 3, 2, noise=0.3, seed=0)
    n, k = 50, 3
    printed = 0.0
    for r in range(k):
        for s in range(k):
            n_rs = ((labels[:, 0] == r) & (labels[:, 1] == s)).sum()
            n_r, n_s = (labels[:, 0] == r).sum(), (labels[:, 1] == s).sum()
            if n_rs:
                printed += n_rs * np.log(n * n_rs / (n_r * n_s)) / np.log(k**2)
    assert_allclose(nmi(labels[:, 0], labels[:, 1], "logk"), 2 / n * printed)
    two = ClustererEnsemble(agreement="nmi_logk", variant="weighted", random_state=0)
    assert_allclose(two.fit(Ensemble(labels)).clustering_weights_, 0.5)


def test_clusters_that_match_none_keep_labels_of_their_own():
    # Of the second clustering one cluster is left over; it outvotes the first.
    votes = Ensemble([[0, 0, 0], [0, 0, 0], [0, 1, 1], [1, 2, 2], [1, 2, 2]])
    fresh = ClustererEnsemble(variant="voting", reference=0).fit_predict(votes)
    assert same_partition(fresh, [0, 0, 1, 2, 2])
    merged = ClustererEnsemble(2, variant="voting", reference=0).fit_predict(votes)
    assert same_partition(merged, [0, 0, 0, 1, 1])


def test_clusters_are_matched_greedily():
    # Overlaps 5 4 / 4 0: the largest first leaves 0, although 4 and 4 are more.
    reference = [0] * 5 + [1] * 4 + [0] * 4
    other = [0] * 9 + [1] * 4
    fitted = ClustererEnsemble(2, variant="voting", reference=0)
    with pytest.warns(ComitiaWarning, match="only 1 of n_clusters=2"):
        labels = fitted.fit_predict(Ensemble(np.column_stack([reference, other])))
    # Every object has a vote for the first label, which wins the ties.
    assert_array_equal(labels, 0)


def test_a_reference_is_made_where_no_clustering_has_so_many_clusters():
    labels, _ = planted(90, 3, 9, noise=0.05, seed=0)
    split = 2 * labels + (np.arange(90) % 2)[:, None]  # each cluster in two halves
    fitted = ClustererEnsemble(3, variant="voting", random_state=0)
    assert fitted.fit(Ensemble(split)).n_clusters_ == 3


def test_objects_that_only_dropped_clusterings_have_get_a_label():
    labels = E6.copy()
    labels[0, 2] = -1
    fitted = ClustererEnsemble(reference=0).fit(Ensemble(labels))
    assert_array_equal(fitted.selected_, [False, False, True])
    assert same_partition(fitted.labels_, [0, 0, 1, 1, 2, 2])


def test_the_reference_is_drawn_from_the_seed_or_given():
    labels, _ = planted(40, 4, 8, noise=0.6, seed=2)
    E = Ensemble(labels)
    drawn = {
        ClustererEnsemble(4, random_state=s).fit_predict(E).tobytes() for s in range(20)
    }
    given = {
        ClustererEnsemble(4, reference=m).fit_predict(E).tobytes() for m in range(8)
    }
    assert 1 < len(drawn) <= len(given)
    assert drawn <= given


def test_a_reference_that_cannot_be_is_refused():
    with pytest.raises(ComitiaError, match="reference=3 is no clustering"):
        ClustererEnsemble(reference=3).fit(Ensemble(E6))
    with pytest.raises(ComitiaError, match="has 3 clusters, not n_clusters=2"):
        ClustererEnsemble(2, reference=2).fit(Ensemble(E6))


def test_fuzzy_clusterings_vote_with_their_memberships():
    rng = np.random.RandomState(0)
    truth = np.repeat([0, 1, 2], 20)
    members = [np.eye(3)[truth] * 2 + rng.rand(60, 3) for _ in range(5)]
    fuzzy = Ensemble.from_memberships([F / F.sum(1, keepdims=True) for F in members])
    found = ClustererEnsemble(3, random_state=0).fit_predict(fuzzy)
    assert same_partition(found, truth)


@pytest.mark.parametrize("variant", VARIANTS)
def test_a_planted_partition_is_found(variant):
    labels, truth = planted(200, 4, 25, noise=0.2, seed=1)
    fitted = ClustererEnsemble(4, variant=variant, random_state=0)
    assert same_partition(fitted.fit_predict(Ensemble(labels)), truth)


def test_means_and_inverse_weights_of_e6_are_those_of_the_catalogue():
    beta = mean_agreement(Ensemble(E6))
    assert_allclose(beta, [0.764770, 0.764770, 0.529541], atol=5e-7)  # six decimals
    w = inverse_agreement(Ensemble(E6))
    assert_allclose(w, [0.290342, 0.290342, 0.419316], atol=5e-7)
    assert_allclose(w * beta, (w * beta)[0])


def test_a_clustering_without_any_agreement_does_not_weigh_infinitely():
    crossed = Ensemble([[0, 0], [0, 1], [1, 0], [1, 1]])
    assert_allclose(mean_agreement(crossed), 0, atol=1e-15)
    assert_allclose(inverse_agreement(crossed), 0.5)
    assert_array_equal(inverse_agreement(crossed.take([0])), [1.0])


def test_equal_weights_all_reach_the_uniform_one():
    w = np.full(7, 1 / 7) - 1e-13
    assert above_uniform(w).all()
    assert_array_equal(above_uniform([0.3, 0.3, 0.4]), [False, False, True])
