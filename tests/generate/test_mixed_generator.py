"""Several kinds of members in one ensemble."""

import numpy as np
import pytest
from numpy.testing import assert_array_equal
from sklearn.base import clone
from sklearn.datasets import make_blobs
from sklearn.metrics import adjusted_rand_score

from comitia import ConsensusClustering, sizes
from comitia.exceptions import ComitiaError
from comitia.generate import (
    FuzzyGenerator,
    Generator,
    GenieGenerator,
    HierarchicalGenerator,
    HMMGenerator,
    KMeansGenerator,
    MixedGenerator,
    NeighborSpectralGenerator,
    TreeGenerator,
)
from comitia.generate.estimators import n_clusters_range

X, _ = make_blobs(90, centers=3, random_state=0)


def test_members_are_those_of_the_families():
    families = [
        KMeansGenerator(2, n_clusters=4, random_state=1),
        GenieGenerator(3, n_clusters=5, random_state=2),
    ]
    mixed = MixedGenerator(families, random_state=0).fit(X)
    alone = [clone(one).fit(X) for one in families]
    assert mixed.n_members == 5
    assert_array_equal(
        mixed.ensemble_.labels, np.hstack([one.ensemble_.labels for one in alone])
    )
    new = X + 0.3
    assert_array_equal(
        mixed.transform(new), np.hstack([one.transform(new) for one in alone])
    )
    assert mixed.ensemble_.groups.tolist() == ["KMeans"] * 2 + ["Genie"] * 3


def test_families_of_one_kind_are_numbered():
    mixed = MixedGenerator([KMeansGenerator(1), KMeansGenerator(1, init="random")])
    assert mixed.generate(X).groups.tolist() == ["KMeans 1", "KMeans 2"]


def test_by_default_there_are_graphs_and_linkages():
    ensemble = MixedGenerator(random_state=0).generate(X)
    assert ensemble.groups.tolist() == ["spectral"] * 25 + ["genie"] * 25


def test_two_values_in_a_feature_leave_the_table_to_k_means_on_samples():
    coin = np.random.RandomState(0).randint(2, size=(90, 1))
    mixed = MixedGenerator(n_clusters=(3, None), random_state=0)
    ensemble = clone(mixed).generate(np.hstack([X, coin]))
    assert ensemble.groups.tolist() == ["samples"] * 50
    assert set(ensemble.n_clusters_each) == {3}
    assert clone(mixed).generate(np.hstack([X, coin * X])).groups[0] == "spectral"
    # Eight objects have no room for many values.
    assert clone(mixed).generate(coin[:8]).groups[0] == "spectral"


def families_for(X):
    made = MixedGenerator(n_clusterings=2, n_clusters=2, random_state=0).generate(X)
    return sorted(set(made.groups.tolist()))


def test_few_values_matter_where_their_steps_cut_the_table():
    rng = np.random.RandomState(0)
    others, coin = rng.randn(200, 40), rng.randint(2, size=(200, 1)) * 2.0
    ratings = np.clip(np.rint(3 + rng.randn(200, 4)), 1, 5)
    rare = (np.arange(200) < 4)[:, None] * 7.0
    assert families_for(np.hstack([others[:, :5], coin])) == ["samples"]
    assert families_for(np.hstack([others, coin])) == ["genie", "spectral"]
    assert families_for(ratings) == ["samples"]
    assert families_for(ratings[rng.permutation(200)] * 1e6) == ["samples"]
    assert families_for(np.hstack([others[:, :5], rare])) == ["genie", "spectral"]
    assert families_for(np.rint(40 * others[:, :3])) == ["genie", "spectral"]


def answers(seed, n=300, n_questions=80, n_groups=3):
    """Yes or no to many questions, of which a third tell groups of people apart."""
    rng = np.random.RandomState(seed)
    truth = rng.randint(n_groups, size=n)
    yes = np.repeat(rng.uniform(0.2, 0.8, (1, n_questions)), n_groups, axis=0)
    told = slice(None, n_questions // 3)
    yes[:, told] = rng.uniform(0.1, 0.9, yes[:, told].shape)
    return (rng.random_sample((n, n_questions)) < yes[truth]).astype(float), truth


@pytest.mark.parametrize("seed", range(3))
def test_tables_of_yes_and_no_are_left_to_k_means(seed):
    X, truth = answers(seed)
    found = ConsensusClustering(3, random_state=0).fit(X)
    assert set(found.ensemble_.groups) == {"samples"}
    # Without that rule neighbours are often those of chance.
    usual = {"spectral": NeighborSpectralGenerator(25), "genie": GenieGenerator(25)}
    mixed = MixedGenerator(usual, n_clusters=(3, None))
    other = ConsensusClustering(3, generator=mixed, random_state=0).fit(X)
    ours, theirs = (adjusted_rand_score(truth, one.labels_) for one in (found, other))
    assert ours > max(theirs, 0.6)


def test_a_few_columns_of_yes_and_no_among_measurements_change_nothing():
    rng = np.random.RandomState(0)
    X = np.hstack([rng.randn(300, 20), rng.randint(2, size=(300, 15))])
    found = MixedGenerator(n_clusterings=4, n_clusters=3, random_state=0).generate(X)
    assert set(found.groups) == {"spectral", "genie"}


def test_very_many_objects_are_left_to_k_means(monkeypatch):
    monkeypatch.setattr(sizes, "SAMPLED_KMEANS_OBJECTS", len(X))
    ensemble = MixedGenerator(random_state=0).generate(X)
    assert ensemble.groups.tolist() == ["means"] * 50


def test_an_open_range_begins_at_the_number_wanted():
    assert n_clusters_range((12, None), 90) == (12, 24)
    assert n_clusters_range((3, None), 90) == (3, 9)
    assert n_clusters_range((60, None), 90) == (60, 90)
    with pytest.raises(ComitiaError, match=r"give at most 1, got n_samples=1"):
        n_clusters_range((2, None), 1)
    with pytest.raises(ComitiaError, match=r"or \(fewest, None\)"):
        n_clusters_range((0, None), 90)


def test_the_number_of_clusters_is_for_families_that_do_not_say():
    mixed = MixedGenerator(
        [KMeansGenerator(2, n_clusters=4), GenieGenerator(2)],
        n_clusters=6,
        random_state=0,
    )
    assert mixed.generate(X).n_clusters_each.tolist() == [4, 4, 6, 6]


@pytest.mark.parametrize(
    ("n_clusterings", "shares"),
    [(None, [3, 6, 1]), (20, [6, 12, 2]), (5, [2, 3, 0]), (1, [1, 0, 0])],
)
def test_the_size_of_the_ensemble_is_divided(n_clusterings, shares):
    families = [KMeansGenerator(3), GenieGenerator(6), FuzzyGenerator(1)]
    mixed = MixedGenerator(families, n_clusterings, n_clusters=2, random_state=0)
    assert mixed.n_members == sum(shares)
    groups = mixed.generate(X).groups.tolist()
    assert [groups.count(name) for name in ("KMeans", "Genie", "Fuzzy")] == shares


class Three(GenieGenerator):
    """Three members, whatever one would like."""

    def __init__(self, n_clusters=None):
        super().__init__(3, n_clusters=n_clusters)

    @classmethod
    def _get_param_names(cls):
        return ["n_clusters"]


def test_families_of_fixed_size_are_not_divided():
    families = [Three(), GenieGenerator(2)]
    assert MixedGenerator(families, n_clusters=2).generate(X).n_clusterings == 5
    with pytest.raises(ComitiaError, match="leave out n_clusterings"):
        MixedGenerator(families, 10, n_clusters=2).fit(X)


def test_trees_are_a_family():
    mixed = MixedGenerator([TreeGenerator(2), GenieGenerator(1)], random_state=0).fit(X)
    assert_array_equal(mixed.transform(X), mixed.ensemble_.labels)


def test_one_family_does_not_move_another():
    def genie(n):
        families = [KMeansGenerator(n), GenieGenerator(2)]
        return MixedGenerator(families, random_state=0).generate(X).labels[:, n:]

    assert_array_equal(genie(1), genie(4))


def test_data_far_from_zero_are_moved_for_those_who_want_it(tmp_path):
    families = [HierarchicalGenerator(2, extend=True), GenieGenerator(1)]
    mixed = MixedGenerator(families, n_clusters=3, random_state=0)
    far = clone(mixed).set_params(checkpoint=tmp_path).fit(X + 1e9)
    assert_array_equal(far.ensemble_.labels, clone(mixed).generate(X).labels)
    assert_array_equal(far.transform(X + 1e9), far.ensemble_.labels)
    again = clone(mixed).set_params(checkpoint=tmp_path).fit(X + 1e9)
    assert_array_equal(again.transform(X + 1e9), far.ensemble_.labels)


def test_fuzzy_and_hard_members_make_a_fuzzy_ensemble():
    families = [GenieGenerator(1), FuzzyGenerator(1)]
    mixed = MixedGenerator(families, n_clusters=3, random_state=0).generate(X)
    assert mixed.kind == "fuzzy"
    hard = mixed.membership[:, :3].toarray()
    assert_array_equal(np.sort(hard, axis=1), np.tile([0.0, 0.0, 1.0], (90, 1)))


def test_new_objects_are_labeled_if_all_families_can():
    assert hasattr(MixedGenerator(), "transform")
    assert not hasattr(MixedGenerator([HierarchicalGenerator()]), "transform")


def test_blocks_need_families_on_samples():
    on_samples = MixedGenerator([GenieGenerator(), NeighborSpectralGenerator()])
    assert on_samples.needs_memory() == ""
    assert "Hierarchical" in MixedGenerator([HierarchicalGenerator()]).needs_memory()


@pytest.mark.parametrize(
    "families",
    [[], {}, [3], {"a": "b"}, [MixedGenerator()], [HMMGenerator()]],
)
def test_what_is_no_generator_is_refused(families):
    with pytest.raises(ComitiaError, match="one or several generators"):
        MixedGenerator(families).fit(X)


class Fewer(KMeansGenerator):
    """Stops before its last member."""

    def fit_members(self, X, plans, keep):
        return Generator.fit_members(self, X, plans[:-1], keep)


def test_families_that_end_early_are_refused():
    with pytest.raises(ComitiaError, match="made 1 of 2"):
        MixedGenerator([Fewer(2), GenieGenerator(2)]).fit(X)
