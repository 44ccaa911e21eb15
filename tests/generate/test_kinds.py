"""Every kind of generator finds easy clusters and keeps the common promises."""

import pickle

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.base import clone
from sklearn.datasets import make_blobs, make_circles
from sklearn.metrics import adjusted_rand_score

from comitia import config
from comitia.exceptions import ComitiaError, MemoryBudgetError
from comitia.generate import (
    FeatureSubset,
    FuzzyGenerator,
    GenieGenerator,
    GraphGenerator,
    HierarchicalGenerator,
    KernelGenerator,
    LandmarkSpectralGenerator,
    MixedGenerator,
    MixtureGenerator,
    NeighborSpectralGenerator,
    SpectralGenerator,
    Subsample,
    TreeGenerator,
)
from comitia.generate.estimators import median_distance
from tests.cluster.test_communities import planted
from tests.fixtures import X6, same_partition

X, TRUTH = make_blobs(
    120, centers=[[0, 0, 0], [9, 0, 0], [0, 9, 9]], n_features=3, random_state=0
)
GRAPH, COMMUNITIES = planted([30, 30, 30], 0.5, 0.02)

ON_SAMPLES = [
    FuzzyGenerator(4, n_clusters=3, random_state=0),
    HierarchicalGenerator(4, n_clusters=3, random_state=0),
    KernelGenerator(4, n_clusters=3, widths=(0.3, 1.0), random_state=0),
    MixtureGenerator(4, n_clusters=3, random_state=0),
    SpectralGenerator(4, n_clusters=3, random_state=0),
]
TREES = TreeGenerator(4, n_clusters=(3, 6), feature_fraction=0.7, random_state=0)
LANDMARKS = LandmarkSpectralGenerator(
    4, n_clusters=3, n_landmarks=40, n_neighbors=3, random_state=0
)
SHAPES = [
    GenieGenerator(4, n_clusters=3, random_state=0),
    NeighborSpectralGenerator(4, n_clusters=3, n_neighbors=(4, 6), random_state=0),
    MixedGenerator(
        [GenieGenerator(2), MixtureGenerator(1), NeighborSpectralGenerator(1)],
        n_clusters=3,
        random_state=0,
    ),
]
NETS = GraphGenerator(4, detector=["louvain", "label_propagation"], random_state=0)
OVERLAPS = GraphGenerator(3, detector="overlapping_label_propagation", random_state=0)
ALL = [
    *((generator, X) for generator in [*ON_SAMPLES, TREES, LANDMARKS, *SHAPES]),
    (NETS, GRAPH),
    (OVERLAPS, GRAPH),
]


def name_of(value):
    return type(value).__name__ if hasattr(value, "fit") else ""


@pytest.mark.parametrize("generator", [*ON_SAMPLES, LANDMARKS, *SHAPES], ids=name_of)
def test_easy_clusters_are_found(generator):
    ensemble = clone(generator).generate(X)
    scores = [adjusted_rand_score(TRUTH, labels) for labels in ensemble.labels.T]
    # One member in four may fall into a poor optimum.
    assert np.median(scores) > 0.95


@pytest.mark.parametrize(("generator", "data"), ALL, ids=name_of)
def test_jobs_and_checkpoints_do_not_change_the_result(generator, data, tmp_path):
    plain = clone(generator).fit(data)
    kept = clone(generator).set_params(checkpoint=tmp_path, n_jobs=2).fit(data)
    assert kept.ensemble_ == plain.ensemble_
    (tmp_path / "member-00001.npz").unlink()
    again = clone(generator).set_params(checkpoint=tmp_path).fit(data)
    assert again.ensemble_ == plain.ensemble_
    assert pickle.loads(pickle.dumps(again)).ensemble_ == plain.ensemble_
    if hasattr(plain, "transform"):
        assert_array_equal(again.transform(data), plain.transform(data))


@pytest.mark.parametrize(
    "generator", [*ON_SAMPLES, TREES, LANDMARKS, *SHAPES], ids=name_of
)
def test_members_label_their_own_objects_as_they_did(generator):
    generator = clone(generator)
    if isinstance(generator, HierarchicalGenerator | SpectralGenerator):
        assert not hasattr(generator, "transform")
        generator.set_params(extend=True)
    generator.fit(X)
    assert_array_equal(generator.transform(X), generator.ensemble_.labels)


@pytest.mark.parametrize("generator", ON_SAMPLES, ids=name_of)
def test_samples_of_objects_and_features(generator):
    generator = clone(generator).set_params(
        objects=Subsample(0.6), features=FeatureSubset(0.7)
    )
    assert_array_equal((generator.generate(X).labels >= 0).sum(axis=0), 72)
    whole = generator.set_params(extend=True).fit(X)
    assert (whole.ensemble_.labels >= 0).all()
    assert_array_equal(whole.transform(X), whole.ensemble_.labels)


@pytest.mark.parametrize(
    ("generator", "groups"),
    [
        (HierarchicalGenerator(5), ["average", "complete", "single", "ward"]),
        (KernelGenerator(4), ["rbf", "laplacian", "poly"]),
        (MixtureGenerator(3), ["full", "diag"]),
    ],
    ids=name_of,
)
def test_groups_say_what_made_a_clustering(generator, groups):
    found = generator.set_params(n_clusters=3, random_state=0).generate(X).groups
    assert found.tolist() == [groups[m % len(groups)] for m in range(len(found))]


# -- one by one -----------------------------------------------------------------------


@pytest.mark.parametrize("affinity", ["rbf", "nearest_neighbors"])
def test_spectral_clusters_may_have_any_shape(affinity):
    rings, truth = make_circles(200, factor=0.3, noise=0.03, random_state=0)
    generator = SpectralGenerator(
        5,
        n_clusters=2,
        affinity=affinity,
        widths=(0.05, 0.12),
        extend=True,
        random_state=0,
    ).fit(rings)
    for labels in generator.ensemble_.labels.T:
        assert adjusted_rand_score(truth, labels) == 1.0
    # New objects go with their neighbours, not with the nearest mean.
    new = make_circles(50, factor=0.3, random_state=1)
    for labels in generator.transform(new[0]).T:
        assert adjusted_rand_score(new[1], labels) == 1.0


def test_kernel_widths_follow_the_scale_of_the_data():
    for make in (SpectralGenerator, KernelGenerator):
        generator = make(3, n_clusters=3, random_state=0)
        near, far = generator.generate(X), generator.generate(1000.0 * X)
        for one, other in zip(near.labels.T, far.labels.T, strict=True):
            assert same_partition(one, other)


def test_the_median_distance_is_that_of_all_pairs():
    rng = np.random.RandomState(0)
    assert median_distance(np.array([[0.0], [1.0], [10.0]]), rng) == 9.0
    assert median_distance(np.zeros((5, 2)), rng) == 1.0
    many = rng.randn(4000, 2)
    # The median distance of Gaussian pairs is 2 sqrt(ln 2); 500 of them know it to 5 %.
    assert_allclose(median_distance(many, rng), 2 * np.sqrt(np.log(2)), rtol=0.05)


@pytest.mark.parametrize(
    "widths", [(0.0, 1.0), (2.0, 1.0), (1.0,), ("a", 2), (1, np.inf)]
)
def test_a_range_of_widths_that_is_none_is_refused(widths):
    with pytest.raises(ComitiaError, match="widths="):
        KernelGenerator(widths=widths).fit(X)


@pytest.mark.parametrize(
    "generator", [HierarchicalGenerator(1), SpectralGenerator(1)], ids=name_of
)
def test_quadratic_members_ask_for_memory_first(generator):
    with config.limit("50 kB"), pytest.raises(MemoryBudgetError, match="Subsample"):
        generator.fit(X)


def test_fuzzy_members_keep_their_memberships():
    generator = FuzzyGenerator(3, n_clusters=3, fuzziness=2.5, random_state=0).fit(X)
    ensemble = generator.ensemble_
    assert ensemble.kind == "fuzzy"
    B = ensemble.membership.toarray()
    for m, member in enumerate(generator.members_):
        F = B[:, 3 * m : 3 * m + 3]
        assert_allclose(F.sum(axis=1), 1.0)
        assert_allclose(member.model.predict_membership(X), F, atol=1e-9)
    crisp = FuzzyGenerator(1, n_clusters=3, fuzziness=1.01, random_state=0).generate(X)
    assert (crisp.membership.toarray().max(axis=1) > 0.999).all()


def test_fuzzy_members_have_the_fuzziness_of_their_dimension():
    wide, _ = make_blobs(60, 30, centers=3, random_state=0)
    few = FuzzyGenerator(4, n_clusters=3, features=FeatureSubset(0.2), random_state=0)
    whole = FuzzyGenerator(1, n_clusters=3, random_state=0).fit(wide).members_[0].model
    for member in few.fit(wide).members_:
        assert 1.0 < whole.fuzziness < member.model.fuzziness <= 2.0


def test_fuzzy_members_stop_at_the_tolerance():
    def centers(tol):
        made = FuzzyGenerator(1, n_clusters=3, tol=tol, random_state=0).fit(X)
        return made.members_[0].model.centers

    exact = centers(1e-12)
    errors = [np.abs(centers(tol) - exact).max() for tol in (0.3, 1e-3, 1e-8)]
    assert errors[0] > 10 * errors[1] > 100 * errors[2]


def test_a_stump_on_six_points_splits_in_the_middle():
    trees = TreeGenerator(3, n_clusters=2, min_samples_leaf=1, random_state=0).fit(X6)
    for labels in trees.ensemble_.labels.T:
        assert same_partition(labels, [0, 0, 0, 1, 1, 1])
    predictions = trees.predict_responses(X6)
    means = np.repeat([X6[:3].mean(), X6[3:].mean()], 3) - X6.mean()
    assert_allclose(predictions, np.tile(means[None, :, None], (3, 1, 1)))


def test_leaves_are_clusters_of_their_size():
    trees = TreeGenerator(5, min_samples_leaf=7, random_state=0).fit(X)
    assert trees.ensemble_.sizes.min() >= 7
    assert_allclose(trees.responses_, X - X.mean(axis=0))
    # 5 % of three features is one feature.
    assert {len(member.model.features.how) for member in trees.members_} == {1}
    for labels, T in zip(
        trees.ensemble_.labels.T, trees.predict_responses(X), strict=True
    ):
        for leaf in range(labels.max() + 1):
            mine = labels == leaf
            mean = trees.responses_[mine].mean(axis=0)
            assert_allclose(T[mine], np.tile(mean, (mine.sum(), 1)), atol=1e-9)


def test_many_features_can_be_predicted_by_their_components():
    trees = TreeGenerator(2, n_components=2, random_state=0).fit(X)
    assert trees.responses_.shape == (120, 2)
    assert trees.predict_responses(X[:5]).shape == (2, 5, 2)
    one = TreeGenerator(2, n_clusters=1, random_state=0).generate(X)
    assert_array_equal(one.n_clusters_each, 1)


def test_factors_leave_out_what_one_feature_has_for_itself():
    # Two features follow the clusters; the third is noise that varies more than both.
    rng = np.random.RandomState(0)
    truth = np.repeat([0.0, 1.0], 30)
    data = np.column_stack([truth, truth, np.zeros(60)]) + 0.1 * rng.randn(60, 3)
    data[:, 2] += 3 * rng.randn(60)
    common = [
        TreeGenerator(1, n_components=1, reduction=reduction, random_state=0)
        .fit(data)
        .responses_[:, 0]
        for reduction in ("pca", "factor_analysis")
    ]
    pca, factor = (abs(np.corrcoef(truth, scores)[0, 1]) for scores in common)
    assert pca < 0.5
    assert factor > 0.9


def test_communities_are_found_by_several_detectors():
    ensemble = clone(NETS).generate(GRAPH)
    assert ensemble.groups.tolist() == ["louvain", "label_propagation"] * 2
    for labels in ensemble.labels.T:
        assert adjusted_rand_score(COMMUNITIES, labels) > 0.95
    assert not hasattr(NETS, "transform")


def test_overlapping_communities_make_an_overlapping_ensemble():
    bridge = np.zeros((15, 15))
    bridge[:8, :8] = bridge[7:, 7:] = 1.0
    mixed = GraphGenerator(
        6, detector=["overlapping_label_propagation", "louvain"], random_state=0
    ).generate(bridge)
    assert mixed.kind == "overlapping"
    memberships = np.asarray(mixed.membership.sum(axis=1)).ravel()
    assert memberships[7] > 6
    assert_array_equal(memberships[[0, 14]], 6)


@pytest.mark.parametrize("detector", ["walktrap", [], ["louvain", "x"]])
def test_an_unknown_detector_is_refused(detector):
    with pytest.raises(ComitiaError, match="detector="):
        GraphGenerator(detector=detector).fit(GRAPH)


def test_other_graphs_and_parameters_have_other_checkpoints(tmp_path):
    clone(NETS).set_params(checkpoint=tmp_path).fit(GRAPH)
    with pytest.raises(ComitiaError, match="another run"):
        clone(NETS).set_params(checkpoint=tmp_path).fit(2.0 * GRAPH)
    with pytest.raises(ComitiaError, match="another run"):
        clone(NETS).set_params(checkpoint=tmp_path, resolution=2.0).fit(GRAPH)


@pytest.mark.parametrize("k", [1, 6])
def test_one_cluster_and_as_many_as_objects(k):
    for make in (
        FuzzyGenerator,
        GenieGenerator,
        HierarchicalGenerator,
        KernelGenerator,
        NeighborSpectralGenerator,
    ):
        ensemble = make(2, n_clusters=k, random_state=0).generate(X6)
        assert_array_equal(ensemble.n_clusters_each, k)


@pytest.mark.parametrize("generator", [*ON_SAMPLES, *SHAPES], ids=name_of)
def test_one_object_is_one_cluster(generator):
    one = clone(generator).set_params(n_clusters=1).generate(X[:1])
    assert_array_equal(one.labels, np.zeros((1, 4)))


def test_neighbors_of_one_object_are_not_asked_for():
    nearest = SpectralGenerator(2, n_clusters=1, affinity="nearest_neighbors")
    assert_array_equal(nearest.generate(X[:1]).labels, np.zeros((1, 2)))
