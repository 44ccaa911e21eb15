"""How many clusters: planted numbers, none at all, and the rule on made values."""

import json

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from comitia import Ensemble, choose_k, method
from comitia.evaluate import KChoice, eigengaps, lifetimes, mean_pairwise_agreement
from comitia.evaluate.criteria import CRITERIA, Plan, measure
from comitia.evaluate.verdict import recommend_k
from comitia.exceptions import ComitiaError
from comitia.generate import EstimatorGenerator, KMeansGenerator
from comitia.partition import ensemble_linkage
from comitia.partition.linkage import lifetime
from tests.fixtures import planted

KS = range(2, 7)


def quickly(X, ks=KS, **options):
    """choose_k with as little work as shows what it does."""
    if not isinstance(X, Ensemble):
        small = KMeansGenerator(10, solver="landmark", n_clusters=(2, 9))
        options = {"generator": small, **options}
    few = {"n_resamples": 5, "n_references": 19, "random_state": 0}
    return choose_k(X, ks, **{**few, **options})


def blobs(sizes, centers, seed=0, spread=1.0):
    rng = np.random.RandomState(seed)
    return np.concatenate(
        [
            np.asarray(center) + spread * rng.randn(size, len(center))
            for size, center in zip(sizes, centers, strict=True)
        ]
    )


def strips():
    """Two clusters that are three times as long as they are wide."""
    rng = np.random.RandomState(0)
    X = rng.randn(80, 2) * [1.5, 0.5]
    X[40:, 1] += 5
    return X


CASES = {
    "two": (blobs([35, 35], [[0, 0], [7, 0]]), 2),
    "three": (blobs([25, 25, 25], [[0, 0], [7, 0], [3.5, 6]]), 3),
    "unequal": (blobs([60, 20, 12], [[0, 0], [8, 0], [4, 7]]), 3),
    "five": (blobs([18] * 5, [[0, 0], [8, 0], [0, 8], [8, 8], [4, 16]]), 5),
    "strips": (strips(), 2),
    "uniform": (np.random.RandomState(3).rand(80, 2), 1),
    "uniform in six dimensions": (np.random.RandomState(0).rand(80, 6), 1),
    "gaussian": (np.random.RandomState(1).randn(80, 2), 1),
}


@pytest.mark.parametrize("name", CASES)
def test_planted_clusters_are_counted(name):
    X, k = CASES[name]
    choice = quickly(X)
    assert choice.n_clusters == k, choice.reason
    assert choice.reason.startswith(f"{k} cluster")


def test_labels_alone_are_enough():
    labels, _ = planted(60, 3, 12, 0.3, seed=0)
    assert quickly(Ensemble(labels)).n_clusters == 3


def test_labels_that_have_nothing_in_common_are_one_cluster():
    labels = np.random.RandomState(0).randint(3, size=(60, 12))
    choice = quickly(Ensemble(labels))
    assert choice.n_clusters == 1
    assert "shuffled clusterings" in choice.reason


def test_bent_clusters_are_counted_with_a_generator_that_sees_them():
    from sklearn.cluster import AgglomerativeClustering
    from sklearn.datasets import make_circles

    X, _ = make_circles(120, factor=0.3, noise=0.03, random_state=0)
    chains = EstimatorGenerator(
        AgglomerativeClustering(linkage="single"), 8, n_clusters=(2, 4)
    )
    shapeless = ["stability", "pac", "cophenetic", "eigengap"]
    choice = quickly(X, range(2, 5), generator=chains, criteria=shapeless)
    assert choice.n_clusters == 2, choice.reason
    assert set(choice.best) == set(shapeless)


@pytest.fixture(scope="module")
def three():
    return quickly(CASES["three"][0], n_references=3)


def test_the_table_has_every_criterion_for_every_k(three):
    assert list(three.criteria) == list(CRITERIA)
    assert three.frame().shape == (len(KS), len(CRITERIA))
    assert three.frame().index.tolist() == list(KS)
    assert set(three.better) == set(CRITERIA)
    assert three.cdf.shape == (len(KS), len(three.cdf_at))
    assert (np.diff(three.cdf, axis=1) >= 0).all()
    assert_allclose(three.cdf[:, -1], 1.0)


def test_pac_and_area_are_those_of_the_cdf(three):
    at = three.cdf_at
    steps = three.cdf[:, np.isclose(at, 0.9)] - three.cdf[:, np.isclose(at, 0.1)]
    assert_allclose(three.criteria["pac"], steps[:, 0], atol=1e-12)
    area = three.cdf[:, :-1].mean(axis=1)
    # The CDF is a staircase, of which the sum takes the lower corners.
    assert_allclose(three.criteria["area"], area, atol=0.011)


def test_inconsistency_votes_only_where_it_is_named(three):
    # Three clusters of these data come again whatever is drawn: a coefficient of 1.
    assert_allclose(three.criteria["inconsistency"][KS.index(3)], 1.0)
    assert (three.criteria["inconsistency"] >= 1.0 - 1e-12).all()
    assert "inconsistency" not in three.best
    named = quickly(CASES["three"][0], criteria="inconsistency", n_references=3)
    assert named.best == {"inconsistency": 3}


def test_the_choice_survives_json(three):
    again = KChoice.from_dict(json.loads(json.dumps(three.to_dict())))
    assert again.n_clusters == three.n_clusters
    assert again.votes == three.votes
    assert_allclose(again.cdf, three.cdf)
    assert_array_equal(again.frame(), three.frame())


def test_what_is_no_choice_is_refused():
    with pytest.raises(ComitiaError, match="is missing"):
        KChoice.from_dict({"n_clusters": 3})


def test_one_seed_is_one_result_whatever_n_jobs(three):
    again = quickly(CASES["three"][0], n_references=3, n_jobs=2)
    for name, values in three.criteria.items():
        assert_array_equal(values, again.criteria[name])
    assert again.p_values == three.p_values


def test_neither_place_nor_scale_of_the_data_matters():
    X = CASES["two"][0]
    one = quickly(X, n_references=0)
    other = quickly(4 * X + 16, n_references=0)
    for name in one.criteria:
        # The generator rounds to single precision.
        assert_allclose(one.criteria[name], other.criteria[name], rtol=1e-4)


def test_without_references_one_cluster_is_no_answer():
    choice = quickly(CASES["uniform"][0], n_references=0)
    assert choice.n_clusters > 1
    assert choice.p_value is None
    assert "No references" in choice.reason


def test_many_objects_are_sampled_and_it_says_so():
    choice = quickly(CASES["two"][0], max_objects=40, n_references=3)
    assert choice.n_objects == 70
    assert "40 of the 70 objects" in choice.reason
    assert choice.n_clusters == 2


def test_progress_counts_to_the_end():
    seen = []
    quickly(
        CASES["two"][0],
        range(2, 4),
        n_references=2,
        on_progress=lambda *told: seen.append(told),
    )
    assert seen == [("choose", done, 3) for done in range(4)]


@pytest.mark.parametrize("name", ["sec", "lwgp", "voting"])
def test_methods_without_a_tree_are_fitted_for_each_k(name):
    choice = quickly(CASES["three"][0], range(2, 5), method=name, n_references=0)
    assert choice.method == name
    assert np.isfinite(choice.criteria["stability"]).all()


def test_a_method_that_judges_on_the_data_gets_them():
    method_of_both = method("vega_pons_2008")()
    choice = quickly(
        CASES["two"][0], range(2, 4), method=method_of_both, n_references=0
    )
    assert choice.n_clusters == 2


def test_a_tree_is_cut_instead_of_grown_again(monkeypatch):
    lwea = method("lwea")
    fits = []
    grow = lwea._combine
    monkeypatch.setattr(
        lwea, "_combine", lambda self, *given: fits.append(1) or grow(self, *given)
    )
    X = CASES["two"][0]
    plan = Plan((2, 3, 4, 5), lwea(), KMeansGenerator(5), 3, 0.8, (0.0, 1.0))
    cuts = measure(plan, X, 0).criteria
    assert len(fits) == 2 + 3  # both ends on all objects, once on each resample
    monkeypatch.setattr(lwea, "_keep", without_its_tree(lwea._keep))
    fitted = measure(plan, X, 0).criteria
    assert len(fits) == 5 + 4 * 4
    for name, values in cuts.items():
        assert_array_equal(values, fitted[name])


def without_its_tree(keep):
    def keep_all_but_the_tree(self, ensemble, labels):
        del self.linkage_
        keep(self, ensemble, labels)

    return keep_all_but_the_tree


# -- parts --------------------------------------------------------------------------


def test_the_longest_lifetime_is_the_one_that_lifetime_finds():
    labels, _ = planted(40, 4, 9, 0.4, seed=1)
    tree = ensemble_linkage(Ensemble(labels))
    all_of_them = lifetimes(tree, range(2, 40))
    assert 2 + int(np.argmax(all_of_them)) == lifetime(tree)
    heights = tree[:, 2]
    for k in (2, 3, 7):
        assert_allclose(lifetimes(tree, [k]), heights[40 - k] - heights[39 - k])


def test_eigengaps_are_those_of_the_graph_laplacian():
    labels, _ = planted(25, 3, 5, 0.3, seed=0)
    B = Ensemble(labels).membership.toarray()
    # The walk from cluster to object to cluster, made symmetric.
    objects, clusters = B.sum(axis=1), B.sum(axis=0)
    N = (B / objects[:, None]).T @ B / np.sqrt(np.outer(clusters, clusters))
    mu = np.sort(np.linalg.eigvalsh(N))[::-1]
    got = eigengaps(Ensemble(labels), [2, 3, 4])
    assert_allclose(got, [mu[k - 1] ** 2 - mu[k] ** 2 for k in (2, 3, 4)], atol=1e-9)


def test_eigengaps_end_with_the_eigenvalues():
    assert_allclose(eigengaps(Ensemble([[0], [1], [1]]), [2, 3, 9]), [1, 0, 0])


def test_mean_agreement_is_a_mean_over_pairs():
    from sklearn.metrics import adjusted_rand_score

    labels = np.random.RandomState(0).randint(3, size=(30, 3))
    pairs = [(0, 1), (0, 2), (1, 2)]
    expected = np.mean([adjusted_rand_score(*labels[:, pair].T) for pair in pairs])
    assert_allclose(mean_pairwise_agreement(Ensemble(labels)), expected, atol=1e-12)


# -- the rule -----------------------------------------------------------------------


def made(stability, pac, *, n_references=19, noise=0.02, seed=0):
    """Values of two criteria for the data, and references around 0.5."""
    rng = np.random.RandomState(seed)
    n_ks = len(stability)
    references = [
        {
            "stability": 0.5 + noise * rng.randn(n_ks),
            "pac": 0.5 + noise * rng.randn(n_ks),
        }
        for _ in range(n_references)
    ]
    return [{"stability": np.array(stability), "pac": np.array(pac)}, *references]


BOTH = ["stability", "pac"]


def test_the_rule_takes_what_stands_out_against_the_references():
    verdict = recommend_k(made([0.5, 0.9, 0.6], [0.5, 0.1, 0.4]), (2, 3, 4), BOTH)
    assert verdict.n_clusters == 3
    assert verdict.votes == {"stability": 3, "pac": 3}
    assert verdict.p_value == 0.05
    assert_allclose(verdict.excess["pac"][1], 0.4, atol=0.02)  # noise of a mean


def test_the_rule_says_one_when_nothing_stands_out():
    verdict = recommend_k(made([0.5, 0.51, 0.5], [0.5, 0.5, 0.51]), (2, 3, 4), BOTH)
    assert verdict.n_clusters == 1
    assert verdict.p_value > 0.05


def test_worse_than_the_references_is_no_evidence():
    verdict = recommend_k(made([0.1, 0.2, 0.1], [0.9, 0.9, 0.9]), (2, 3, 4), BOTH)
    assert verdict.n_clusters == 1
    assert verdict.votes == {}


def test_equal_support_goes_to_the_smaller_number():
    sets = made([0.9, 0.5, 0.9], [0.1, 0.5, 0.1], noise=0.0)
    assert recommend_k(sets, (2, 3, 4), BOTH).n_clusters == 2


def test_a_good_second_for_all_wins_over_the_best_for_one():
    sets = made([0.9, 0.89, 0.5], [0.5, 0.13, 0.1], noise=0.0)
    verdict = recommend_k(sets, (2, 3, 4), BOTH)
    assert verdict.votes == {"stability": 2, "pac": 4}
    assert verdict.n_clusters == 3


def test_values_that_are_missing_do_not_spoil_the_rule():
    sets = made([0.5, 0.9, np.nan], [0.5, 0.1, 0.4])
    assert recommend_k(sets, (2, 3, 4), BOTH).n_clusters == 3
    sets[0]["pac"] = np.full(3, np.nan)
    assert recommend_k(sets, (2, 3, 4), BOTH).n_clusters == 3


def test_data_like_the_references_are_one_cluster_19_times_in_20():
    rng = np.random.RandomState(0)
    many = 0
    for _ in range(200):
        sets = [{name: rng.randn(5) for name in BOTH} for _ in range(20)]
        many += recommend_k(sets, (2, 3, 4, 5, 6), BOTH).n_clusters > 1
    # 5 % of 200, and three standard deviations.
    assert many <= 10 + 3 * 3.1


# -- refusals -----------------------------------------------------------------------


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"ks": []}, "ks is empty"),
        ({"ks": [2.5]}, "whole numbers"),
        ({"ks": [0, 2]}, "between 2 and 55"),
        ({"ks": [2, 60]}, "a resample has 56 objects; got 60"),
        ({"n_resamples": 1}, "n_resamples=1"),
        ({"n_references": -1}, "n_references=-1"),
        ({"object_fraction": 0.0}, "object_fraction=0.0"),
        ({"method": "okabe_yamada_2013"}, "needs data and constraints"),
        ({"method": 3}, "method is a int"),
        ({"generator": 3}, "generator is a int"),
        ({"criteria": ["beauty"]}, "must name some of"),
        ({"criteria": []}, "must name some of"),
    ],
)
def test_bad_arguments_are_refused_in_words(options, words):
    with pytest.raises(ComitiaError, match=words):
        choose_k(CASES["two"][0], **options)


def test_an_ensemble_is_not_enough_for_a_method_that_needs_data():
    with pytest.raises(ComitiaError, match="was given an Ensemble"):
        choose_k(Ensemble(planted(30, 2, 5, 0.1, 0)[0]), method="vega_pons_2008")


def test_criteria_of_data_alone_do_not_fit_an_ensemble():
    votes = Ensemble(planted(30, 2, 5, 0.1, 0)[0])
    with pytest.raises(ComitiaError, match="none of the criteria"):
        choose_k(votes, [2, 3], n_resamples=2, n_references=0, criteria=["silhouette"])


def test_data_with_gaps_are_refused():
    with pytest.raises(ValueError, match="NaN"):
        choose_k([[0.0], [np.nan], [1.0], [2.0]])
