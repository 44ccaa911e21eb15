"""Which settings are consistent, against the definitions and by hand."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

import comitia
from comitia import Ensemble, sizes, stability
from comitia.exceptions import ComitiaError
from tests.fixtures import planted


def pagerank(labels, i, d):
    """What a walk from object i, with restarts, does on the cliques of clusters."""
    p = d * (labels == labels[i]) / (labels == labels[i]).sum()
    p[i] += 1 - d
    return p


def element_centric(one, other, d=0.9):
    """The similarity of each object, from the vectors of its definition."""
    return np.array(
        [
            1 - abs(pagerank(one, i, d) - pagerank(other, i, d)).sum() / (2 * d)
            for i in range(len(one))
        ]
    )


def jaccard(labels, c, other):
    inside = labels == c
    return max(
        (inside & (other == d)).sum() / (inside | (other == d)).sum()
        for d in np.unique(other)
    )


@pytest.mark.parametrize("seed", range(4))
def test_it_is_its_definition(seed):
    rng = np.random.RandomState(seed)
    labels = rng.randint(3, size=(15, 6))
    labels[:, 4] = (labels[:, 1] + 1) % 3  # the same clusters under other names
    found = stability(Ensemble(labels), by=[1, 0, 1, 0, 0, 0])
    assert found.settings == [0, 1]
    for s, members in enumerate([[1, 3, 4, 5], [0, 2]]):
        each = np.mean(
            [
                element_centric(labels[:, m], labels[:, o])
                for m in members
                for o in members
            ],
            axis=0,
        )
        assert_allclose(found.object_stability[s], each, rtol=1e-9)
        assert_allclose(found.inconsistency[s], 1 / each.mean(), rtol=1e-9)
        best = max(
            np.mean([element_centric(labels[:, m], labels[:, o]) for o in members])
            for m in members
        )
        ours = found.labels[s]
        got = np.mean([element_centric(ours, labels[:, o]) for o in members])
        assert_allclose(got, best, rtol=1e-9)
        expected = [
            (sum(jaccard(ours, c, labels[:, o]) for o in members) - 1)
            / (len(members) - 1)
            for c in range(ours.max() + 1)
        ]
        assert_allclose(found.cluster_stability[s], expected, rtol=1e-9)
    assert_array_equal(found.n_distinct, [3, 2])


def test_four_objects_by_hand():
    # Objects 0, 1 and 2 have a half, object 3 has 1: S = 0.625, p'Sp = 0.8125.
    found = stability(Ensemble([[0, 0], [0, 1], [1, 1], [2, 2]]))
    assert_allclose(found.inconsistency, [1 / 0.8125], rtol=1e-12)
    assert_allclose(found.object_stability, [[0.75, 0.75, 0.75, 1.0]], rtol=1e-12)
    assert found.settings == [3]
    assert found.best is None
    assert "None of 1 setting is consistent" in str(found)


def test_missing_labels_are_compared_on_what_both_have():
    labels = np.array([[0, 0], [0, 0], [1, 1], [1, -1], [-1, -1]])
    found = stability(Ensemble(labels), by=["a", "a"])
    # Object 3 is in one clustering alone, object 4 in none.
    assert_allclose(found.inconsistency, 1.0)
    assert_allclose(found.object_stability[0, :4], 1.0)
    assert np.isnan(found.object_stability[0, 4])
    assert found.labels[0, 4] == -1


def test_neither_names_nor_orders_matter():
    labels, _ = planted(50, 4, 8, 0.2, seed=0)
    by = np.array([0.5, 1.0] * 4)
    rng = np.random.RandomState(0)
    rows, members = rng.permutation(50), rng.permutation(8)
    one = stability(Ensemble(labels), by)
    other = stability(Ensemble(3 - labels[rows][:, members]), by[members])
    assert_array_equal(one.object_stability[:, rows], other.object_stability)
    assert_allclose(one.inconsistency, other.inconsistency, rtol=1e-14)


def test_tables_that_do_not_fit_give_the_same(monkeypatch):
    labels, _ = planted(60, 5, 6, 0.3, seed=1)
    one = stability(Ensemble(labels), by=[1, 1, 1, 2, 2, 2])
    monkeypatch.setattr(sizes, "FEW_CELLS", 0)
    monkeypatch.setattr(sizes, "CELLS_PER_OBJECT", 0)
    other = stability(Ensemble(labels), by=[1, 1, 1, 2, 2, 2])
    assert_array_equal(one.object_stability, other.object_stability)
    assert_array_equal(one.inconsistency, other.inconsistency)


def test_groups_and_numbers_of_clusters_are_the_settings():
    labels = np.array([[0, 0, 0], [0, 0, 1], [1, 1, 2]])
    assert stability(Ensemble(labels)).settings == [2, 3]
    assert np.isnan(stability(Ensemble(labels)).inconsistency[1])
    grouped = Ensemble(labels, groups=["b", "a", "b"])
    assert stability(grouped).settings == ["b", "a"]


def test_the_finest_consistent_setting_is_the_best():
    coarse = np.repeat([0, 1], 6)
    fine = np.repeat([0, 1, 2], 4)
    rng = np.random.RandomState(0)
    members = [coarse] * 3 + [fine] * 3 + [rng.randint(4, size=12) for _ in range(3)]
    found = stability(Ensemble(members), by=np.repeat([0.1, 1.0, 2.0], 3))
    assert_array_equal(found.consistent, [True, True, False])
    assert found.best == 1.0
    assert_array_equal(found.labels[1], fine)
    frame = found.to_frame()
    assert list(frame.index) == [0.1, 1.0, 2.0]
    assert_array_equal(frame["n_clusters"], [2, 3, found.n_clusters[2]])
    assert "<table>" in found._repr_html_()


def test_resolutions_that_split_what_is_one_are_inconsistent():
    # Three groups of a network; a high resolution divides them by chance.
    rng = np.random.RandomState(0)
    truth = np.repeat([0, 1, 2], 50)
    chance = np.where(truth[:, None] == truth, 0.3, 0.02)
    upper = np.triu(rng.random_sample((150, 150)) < chance, 1)
    from comitia.generate import GraphGenerator

    members = GraphGenerator(15, resolution=[0.2, 1.0, 2.5], random_state=0)
    ensemble = members.generate((upper + upper.T).astype(float))
    found = stability(ensemble, by=np.resize([0.2, 1.0, 2.5], 15))
    assert found.best == 1.0
    assert comitia.agreement.adjusted_rand(found.labels[1], truth) == 1.0
    assert found.inconsistency[2] > 1.1


@pytest.mark.parametrize(
    ("by", "words"),
    [
        ([1], "one setting for each clustering; got 1 for 2"),
        ([1, 2], "no setting has two clusterings"),
        ([[1], [1]], "numbers or names"),
        ([1, None], "missing entries"),
        ([1, np.nan], "missing entries"),
    ],
)
def test_what_is_no_setting_is_refused(by, words):
    with pytest.raises(ComitiaError, match=words):
        stability(Ensemble([[0, 0], [1, 1]]), by=by)


def test_other_input_is_refused():
    with pytest.raises(ComitiaError, match="takes an Ensemble; got list"):
        stability([[0, 0], [1, 1]])
    fuzzy = Ensemble.from_memberships([[[0.5, 0.5], [1, 0]]] * 2)
    with pytest.raises(ComitiaError, match="hard clusterings; these are fuzzy"):
        stability(fuzzy)
    with pytest.raises(ComitiaError, match="threshold=1 must be"):
        stability(Ensemble([[0, 0], [1, 1]]), threshold=1)
