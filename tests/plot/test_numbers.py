"""The ink of each Display carries its numbers, and the numbers are right."""

from types import SimpleNamespace

import matplotlib as mpl
import numpy as np
import pandas as pd
import pytest
from matplotlib.collections import LineCollection
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle
from numpy.testing import assert_allclose, assert_array_equal
from scipy.cluster.hierarchy import cophenet, dendrogram
from sklearn.metrics import adjusted_rand_score

from comitia import Ensemble, method
from comitia.exceptions import ComitiaError
from comitia.plot import (
    AgreementDisplay,
    CoassociationDisplay,
    ComparisonDisplay,
    ConsensusCDFDisplay,
    DendrogramDisplay,
    MapDisplay,
    ObjectiveDisplay,
    ProfileDisplay,
    WeightsDisplay,
)
from tests.fixtures import E6, planted

mpl.use("Agg")

LABELS, TRUTH = planted(60, 3, 12, 0.2, seed=1)
X = np.random.RandomState(1).randn(60, 4) + 4 * np.eye(3, 4)[TRUTH]


@pytest.fixture
def ax():
    return Figure().add_subplot()


@pytest.fixture(scope="module")
def fitted():
    return method("lwea")(n_clusters=3).fit(Ensemble(LABELS))


def texts(labels):
    return [label.get_text() for label in labels]


# -- co-association ---------------------------------------------------------------


def test_coassociation_image_is_the_weighted_matrix_cluster_by_cluster(fitted, ax):
    display = CoassociationDisplay.from_estimator(fitted).plot(ax)
    S = Ensemble(LABELS).coassociation(
        cluster_weights=fitted.cluster_weights_, dtype=np.float64
    )
    order = display.order
    assert_allclose(ax.images[0].get_array(), S[np.ix_(order, order)], atol=1e-12)
    assert_array_equal(np.sort(order), np.arange(60))
    assert (np.diff(fitted.labels_[order]) >= 0).all()
    assert ax.figure.axes[1].get_ylabel() == "weight that puts two objects together"


def test_coassociation_squares_are_the_clusters(fitted, ax):
    CoassociationDisplay.from_estimator(fitted).plot(ax)
    squares = [p for p in ax.patches if isinstance(p, Rectangle)]
    sizes = np.bincount(fitted.labels_)
    assert_array_equal([p.get_width() for p in squares], sizes)
    assert_array_equal([p.get_x() for p in squares], np.cumsum(sizes) - sizes)
    assert texts(ax.get_xticklabels()) == ["0", "1", "2"]


def test_coassociation_of_many_objects_is_binned():
    labels, _ = planted(1300, 2, 5, 0.1, seed=0)
    fitted = method("hbgf")(n_clusters=2, random_state=0).fit(Ensemble(labels))
    display = CoassociationDisplay.from_estimator(fitted)
    assert display.coassociation.shape == (400, 400)
    assert display.edges[[0, -1]].tolist() == [0, 1300]
    S = Ensemble(labels).coassociation(dtype=np.float64)
    p, q = (display.order[display.edges[b] : display.edges[b + 1]] for b in (7, 302))
    assert_allclose(display.coassociation[7, 302], S[np.ix_(p, q)].mean())
    assert display.frame().index[0] == "places 0 to 2"


def test_coassociation_of_subsamples_counts_what_was_sampled_together():
    labels = LABELS.copy()
    labels[np.random.RandomState(0).rand(*labels.shape) < 0.3] = -1
    fitted = method("eac")(n_clusters=3).fit(Ensemble(labels))
    display = CoassociationDisplay.from_estimator(fitted)
    i, j = display.order[[3, 50]]
    both = (labels[i] >= 0) & (labels[j] >= 0)
    expected = (labels[i] == labels[j])[both].mean()
    assert_allclose(display.coassociation[3, 50], expected)


def test_coassociation_of_a_selection_shows_what_is_kept():
    fitted = method("cas")(n_clusters=3, random_state=0).fit(Ensemble(LABELS))
    assert not fitted.selected_.all()
    kept = Ensemble(LABELS[:, fitted.selected_])
    display = CoassociationDisplay.from_estimator(fitted)
    S = kept.coassociation(dtype=np.float64)
    order = display.order
    assert_allclose(display.coassociation, S[np.ix_(order, order)], atol=1e-12)


def test_coassociation_names_clusters_only_where_there_is_room(ax):
    labels = np.r_[np.zeros(200, int), np.arange(1, 6)]
    fitted = method("eac")(n_clusters=6).fit(Ensemble(np.c_[labels, labels]))
    CoassociationDisplay.from_estimator(fitted).plot(ax)
    assert texts(ax.get_xticklabels()) == ["0", "1"]


# -- weights ----------------------------------------------------------------------


def test_bars_are_the_weights_from_the_heaviest_to_the_lightest(ax):
    fitted = method("weac")(n_clusters=3).fit(Ensemble(LABELS))
    display = WeightsDisplay.from_estimator(fitted).plot(ax)
    w = fitted.clustering_weights_
    assert_array_equal([bar.get_width() for bar in ax.patches], -np.sort(-w))
    assert texts(ax.get_yticklabels()) == list(map(str, np.argsort(-w, kind="stable")))
    assert_array_equal(display.frame()["weight"], w[display.order])


def test_many_weights_are_a_falling_curve(ax):
    labels = np.random.RandomState(0).randint(0, 5, size=(40, 10))
    fitted = method("lwea")(n_clusters=3).fit(Ensemble(labels))
    WeightsDisplay.from_estimator(fitted).plot(ax)
    drawn = ax.patches[-1].get_data().values
    assert_array_equal(drawn, -np.sort(-fitted.cluster_weights_))
    assert ax.get_ylabel() == "weight"
    assert "clusters" in ax.get_xlabel()


def test_clusters_are_named_by_their_clustering(fitted):
    display = WeightsDisplay.from_estimator(fitted)
    m, c = display.names[0].split(", ")
    place = fitted.ensemble_.offsets[int(m)] + int(c)
    assert fitted.cluster_weights_[place] == display.weights[0]
    assert display.order[0] == place


def test_what_a_selection_drops_is_hollow(ax):
    fitted = method("cas")(n_clusters=3, random_state=0).fit(Ensemble(LABELS))
    display = WeightsDisplay.from_estimator(fitted).plot(ax)
    hollow = [bar.get_facecolor()[:3] == (1, 1, 1) for bar in ax.patches]
    assert_array_equal(hollow, ~fitted.selected_[display.order])
    assert ax.get_xlabel() == "score"
    assert_array_equal(display.frame()["selected"], display.selected)


def test_feature_weights_of_clusters_are_a_table_of_named_features(ax):
    fitted = method("wlac")(n_clusters=3, random_state=0).fit(X)
    display = WeightsDisplay.from_estimator(
        fitted, of="features", feature_names=list("abcd")
    ).plot(ax)
    order = np.argsort(-fitted.feature_weights_.mean(axis=0), kind="stable")
    assert_array_equal(ax.images[0].get_array().T, fitted.feature_weights_[:, order])
    assert texts(ax.get_yticklabels()) == [list("abcd")[j] for j in order]
    assert list(display.frame().columns) == [list("abcd")[j] for j in order]


def test_which_weights_are_drawn_can_be_chosen(fitted):
    boosted = method("boost_clustering")(3, n_rounds=3, random_state=0).fit(X)
    assert WeightsDisplay.from_estimator(boosted).of == "clusterings"
    objects = WeightsDisplay.from_estimator(boosted, of="objects")
    assert_array_equal(objects.weights, -np.sort(-boosted.object_weights_))
    with pytest.raises(ComitiaError, match=r"no weights of objects .* weighs clusters"):
        WeightsDisplay.from_estimator(fitted, of="objects")
    with pytest.raises(ComitiaError, match='is none of "clusterings'):
        WeightsDisplay.from_estimator(fitted, of="trees")
    lac = method("wlac")(n_clusters=3, random_state=0).fit(X)
    with pytest.raises(ComitiaError, match="one entry per feature; got 2 for 4"):
        WeightsDisplay.from_estimator(lac, of="features", feature_names=["a", "b"])


# -- agreement --------------------------------------------------------------------


def test_agreement_is_that_of_each_two_with_the_consensus_first(fitted, ax):
    display = AgreementDisplay.from_estimator(fitted).plot(ax)
    columns = [fitted.labels_, *LABELS[:, display.order].T]
    expected = [[adjusted_rand_score(a, b) for b in columns] for a in columns]
    assert_allclose(ax.images[0].get_array(), expected, atol=1e-12)
    assert (np.diff(display.agreement[0, 1:]) <= 0).all()
    assert texts(ax.get_xticklabels())[0] == "consensus"
    assert ax.figure.axes[1].get_ylabel() == "adjusted Rand index"


def test_agreement_puts_a_small_distance_first(fitted):
    display = AgreementDisplay.from_estimator(
        fitted, measure="variation_of_information"
    )
    assert (np.diff(display.agreement[0]) >= 0).all()


def test_agreement_of_many_clusterings_names_some_and_the_consensus(ax):
    labels, _ = planted(30, 3, 100, 0.2, seed=0)
    fitted = method("eac")(n_clusters=3).fit(Ensemble(labels))
    display = AgreementDisplay.from_estimator(fitted).plot(ax)
    names = texts(ax.get_yticklabels())
    assert names[0] == "consensus"
    assert len(names) <= 26
    places = ax.get_yticks()
    assert names[1:] == [display.names[int(i)] for i in places[1:]]


# -- objective --------------------------------------------------------------------


def test_the_curve_is_the_objective_from_the_start_on(ax):
    fitted = method("wcc")(n_clusters=3, random_state=0).fit(Ensemble(LABELS))
    ObjectiveDisplay.from_estimator(fitted).plot(ax)
    x, y = ax.lines[0].get_data()
    assert_array_equal(x, np.arange(fitted.n_iter_ + 1))
    assert_array_equal(y, fitted.objective_)
    assert texts(ax.get_legend().get_texts()) == ["converged"]


def test_an_objective_that_begins_after_the_first_iteration_begins_at_one(ax):
    fitted = method("sec")(n_clusters=3, random_state=0).fit(Ensemble(LABELS))
    ObjectiveDisplay.from_estimator(fitted).plot(ax)
    assert_array_equal(ax.lines[0].get_xdata(), np.arange(1, fitted.n_iter_ + 1))


def test_curves_of_several_clusterings_fall_from_one_to_zero(ax):
    fitted = method("fwlac")(n_clusters=3, random_state=0).fit(X)
    display = ObjectiveDisplay.from_estimator(fitted).plot(ax)
    assert len(ax.lines) == len(fitted.objective_) == len(display.curves)
    for line, curve in zip(ax.lines, fitted.objective_, strict=True):
        expected = (curve - curve[-1]) / ((curve[0] - curve[-1]) or 1)
        assert_allclose(line.get_ydata(), expected)
    table = display.frame()
    assert_array_equal(table["objective"][table["curve"] == 2], fitted.objective_[2])


def test_one_of_two_objectives_is_chosen():
    two = [np.array([[3.0, 9.0], [2.0, 8.0]]), np.array([[5.0, 7.0], [5.0, 6.0]])]
    fitted = SimpleNamespace(labels_=0, ensemble_=0, objective_=two, n_iter_=1)
    first = ObjectiveDisplay.from_estimator(fitted)
    second = ObjectiveDisplay.from_estimator(fitted, component=1)
    assert [curve.tolist() for curve in first.curves] == [[3, 2], [5, 5]]
    assert [curve.tolist() for curve in second.curves] == [[9, 8], [7, 6]]
    assert first.first == 0
    with pytest.raises(ComitiaError, match=r"component=2 must lie in 0\.\.1"):
        ObjectiveDisplay.from_estimator(fitted, component=2)


def test_a_loop_that_was_stopped_ends_hollow(ax):
    ObjectiveDisplay((np.array([3.0, 2.0]),), 0, False).plot(ax)
    assert ax.lines[-1].get_markerfacecolor() == "white"
    assert texts(ax.get_legend().get_texts()) == ["stopped before it converged"]


# -- choice of k ------------------------------------------------------------------


def consensus_matrix(labels):
    shares = np.full((len(labels), len(labels)), np.nan)
    for i, a in enumerate(labels):
        for j, b in enumerate(labels):
            both = (a >= 0) & (b >= 0)
            if both.any():
                shares[i, j] = (a == b)[both].mean()
    return shares[np.triu_indices(len(labels), 1)]


def test_the_curves_over_k_are_those_of_the_consensus_matrices():
    rng = np.random.RandomState(0)
    ensembles = {k: rng.randint(-1, k, size=(25, 20)) for k in (4, 2, 3)}
    display = ConsensusCDFDisplay.from_ensembles(
        {k: Ensemble(labels) for k, labels in ensembles.items()}
    )
    assert display.ks.tolist() == [2, 3, 4]
    axes = [Figure().add_subplot() for _ in range(3)]
    display.plot(axes)
    for number, k in enumerate((2, 3, 4)):
        pairs = consensus_matrix(ensembles[k])
        cdf = [(pairs <= c + 1e-9).mean() for c in display.cdf_at]
        assert_allclose(axes[0].lines[number].get_ydata(), cdf, atol=1e-12)
        pac = ((pairs > 0.1 + 1e-9) & (pairs <= 0.9 + 1e-9)).mean()
        assert_allclose(axes[1].lines[0].get_ydata()[number], pac, atol=1e-12)
        assert_allclose(display.area[number], 1 - pairs.mean(), atol=1e-7)
    grown = (display.area[1:] - display.area[:-1]) / display.area[:-1]
    assert_allclose(axes[2].lines[0].get_ydata()[1:], grown)
    assert display.curves().shape == (101, 3)
    assert list(display.frame().columns) == ["pac", "area", "area_change"]


def choice(n_clusters):
    return SimpleNamespace(
        ks=[2, 3],
        cdf=[[0.4, 0.5, 1.0], [0.6, 0.7, 1.0]],
        cdf_at=[0.0, 0.5, 1.0],
        criteria={"pac": [0.1, 0.2], "area": [0.6, 0.7], "delta_area": [0.6, 0.16]},
        n_clusters=n_clusters,
    )


def test_the_recommended_k_stands_out():
    display = ConsensusCDFDisplay.from_choice(choice(3))
    axes = [Figure().add_subplot() for _ in range(3)]
    display.plot(axes)
    assert texts(axes[0].get_legend().get_texts()) == ["2", "3 (recommended)"]
    widths = [line.get_linewidth() for line in axes[0].lines]
    assert widths[1] > widths[0]
    assert_array_equal(axes[1].lines[1].get_xydata(), [[3, 0.2]])
    assert display.axes_ == dict(zip(("cdf", "pac", "area"), axes, strict=True))


def test_one_cluster_marks_no_k(ax):
    ConsensusCDFDisplay.from_choice(choice(1)).plot(ax, of="pac")
    assert len(ax.lines) == 1


def test_a_panel_can_be_chosen(ax):
    display = ConsensusCDFDisplay.from_choice(choice(2))
    assert display.plot(ax, of="pac").ax_.get_ylabel().startswith("share of ambiguous")
    assert list(display.axes_) == ["pac"]
    assert list(display.plot(Figure().add_subplot()).axes_) == ["cdf"]
    with pytest.raises(ComitiaError, match='is none of "cdf'):
        display.plot(ax, of="elbow")
    with pytest.raises(ComitiaError, match="ax holds 2 axes; give 3"):
        display.plot([ax, ax])


def test_ensembles_without_their_ks_are_refused():
    votes = Ensemble(LABELS)
    with pytest.raises(ComitiaError, match="a different number for each ensemble"):
        ConsensusCDFDisplay.from_ensembles([votes, votes])
    with pytest.raises(ComitiaError, match="ensembles is empty"):
        ConsensusCDFDisplay.from_ensembles([])
    assert ConsensusCDFDisplay.from_ensembles([votes]).ks.tolist() == [3]


# -- dendrogram -------------------------------------------------------------------


def segments(ax):
    [lines] = [c for c in ax.collections if isinstance(c, LineCollection)]
    return lines.get_segments()


def test_the_tree_of_few_objects_is_whole(ax):
    fitted = method("eac")(n_clusters=2).fit(Ensemble(E6))
    display = DendrogramDisplay.from_estimator(fitted).plot(ax)
    assert_array_equal(display.merges, fitted.linkage_)
    bars = [s for s in segments(ax) if s[0, 1] == s[1, 1] and s[0, 0] != s[1, 0]]
    assert_allclose(sorted(s[0, 1] for s in bars), fitted.linkage_[:, 2])
    scipys = dendrogram(fitted.linkage_, no_plot=True)
    assert sorted(texts(ax.get_xticklabels())) == sorted(scipys["ivl"])


def test_the_top_of_a_tree_has_the_heights_of_the_tree():
    labels = np.random.RandomState(0).randint(0, 3, size=(50, 20))
    fitted = method("eac")(n_clusters=4).fit(Ensemble(labels))
    display = DendrogramDisplay.from_estimator(fitted, max_leaves=10)
    assert display.merges.shape == (9, 4)
    assert_array_equal(display.merges[:, 2:], fitted.linkage_[-9:, 2:])
    assert display.leaf_sizes.sum() == 50
    # Where leaves meet is where any of their objects meet.
    expected = np.unique(cophenet(fitted.linkage_).round(9))[-3:]
    leaves = display.merges.copy()
    leaves[:, 3] = cluster_sizes(leaves)
    assert_allclose(np.unique(cophenet(leaves).round(9))[-3:], expected)


def cluster_sizes(merges):
    p = len(merges) + 1
    sizes = np.ones(2 * p - 1)
    for i, (a, b) in enumerate(merges[:, :2].astype(int)):
        sizes[p + i] = sizes[a] + sizes[b]
    return sizes[p:]


def test_leaves_stand_in_an_order_in_which_no_lines_cross():
    labels = np.random.RandomState(1).randint(0, 3, size=(30, 9))
    fitted = method("eac")(n_clusters=3).fit(Ensemble(labels))
    display = DendrogramDisplay.from_estimator(fitted)
    below = {v: {v} for v in range(30)}
    place = np.argsort(display.order)
    for i, (a, b) in enumerate(display.merges[:, :2].astype(int)):
        below[30 + i] = below[a] | below[b]
        places = sorted(place[list(below[30 + i])])
        assert places == list(range(places[0], places[-1] + 1))
        middle = (display.positions[a] + display.positions[b]) / 2
        assert display.positions[30 + i] == middle


def test_the_cut_leaves_the_clusters_of_the_consensus(fitted, ax):
    display = DendrogramDisplay.from_estimator(fitted, max_leaves=12).plot(ax)
    heights = fitted.linkage_[:, 2]
    assert heights[-3] < display.cut < heights[-2]
    assert ax.lines[0].get_ydata()[0] == display.cut
    assert sorted(texts(ax.texts)) == ["0", "1", "2"]
    sizes = np.zeros(3, dtype=int)
    np.add.at(sizes, display.leaf_labels, display.leaf_sizes)
    assert_array_equal(sizes, np.bincount(fitted.labels_))
    table = display.frame()
    assert (table["cluster"] == -1).sum() == 2


def test_one_cluster_is_cut_above_the_tree():
    fitted = method("eac")(n_clusters=1).fit(Ensemble(E6))
    display = DendrogramDisplay.from_estimator(fitted)
    assert display.cut > fitted.linkage_[-1, 2]


def test_a_chain_of_a_thousand_merges_is_drawn(ax):
    # A tree that is all depth breaks what walks down it by recursion.
    n = 1500
    chain = np.column_stack(
        [
            np.r_[0, n + np.arange(n - 2)],
            np.r_[1, 2 + np.arange(n - 2)],
            np.arange(1.0, n),
            np.arange(2, n + 1),
        ]
    )
    fitted = SimpleNamespace(
        labels_=np.r_[np.zeros(n - 1, int), 1],
        n_clusters_=2,
        ensemble_=SimpleNamespace(object_names=None),
        linkage_=chain,
    )
    whole = DendrogramDisplay.from_estimator(fitted, max_leaves=n)
    assert_array_equal(whole.order, np.arange(n))
    top = DendrogramDisplay.from_estimator(fitted, max_leaves=5).plot(ax)
    assert texts(ax.get_xticklabels()) == ["(1496)", "1496", "1497", "1498", "1499"]
    assert top.leaf_labels[top.order].tolist() == [0, 0, 0, 0, 1]


def test_a_tree_needs_two_leaves(fitted):
    with pytest.raises(ComitiaError, match="max_leaves=1 must be at least 2"):
        DendrogramDisplay.from_estimator(fitted, max_leaves=1)


# -- map --------------------------------------------------------------------------


def test_points_are_the_objects_of_each_cluster(fitted, ax):
    display = MapDisplay.from_estimator(fitted, X).plot(ax)
    Z = (X - X.mean(axis=0)) / X.std(axis=0)
    U, s, _ = np.linalg.svd(Z, full_matrices=False)
    assert_allclose(np.abs(display.positions), np.abs((U * s)[:, :2]), atol=1e-9)
    for c, points in enumerate(ax.collections):
        inside = np.flatnonzero(fitted.labels_ == c)
        inside = inside[np.argsort(fitted.confidence_[inside], kind="stable")]
        assert_array_equal(points.get_offsets(), display.positions[inside])
        # Surer is larger and more solid.
        sure = fitted.confidence_[inside]
        assert_allclose(np.corrcoef(points.get_sizes(), sure)[0, 1], 1)
        assert_allclose(np.corrcoef(points.get_alpha(), sure)[0, 1], 1)
    share = s[0] ** 2 / (s**2).sum()
    assert ax.get_xlabel() == f"first principal component, {share:.0%} of the variance"


def test_clusters_differ_in_shape_as_well_as_in_color(fitted, ax):
    MapDisplay.from_estimator(fitted).plot(ax)
    shapes = {points.get_paths()[0].vertices.tobytes() for points in ax.collections}
    colors = {tuple(points.get_facecolor()[0, :3]) for points in ax.collections}
    assert len(shapes) == len(colors) == 3
    assert ax.get_xlabel() == "first coordinate of the clusterings"


def test_the_legend_has_the_clusters_with_their_sizes(fitted, ax):
    MapDisplay.from_estimator(fitted).plot(ax)
    sizes = np.bincount(fitted.labels_)
    expected = [f"{c}  ({size})" for c, size in enumerate(sizes)]
    assert texts(ax.get_legend().get_texts()) == [*expected, "sure", "doubtful"]


# -- profile ----------------------------------------------------------------------


def test_cells_are_the_standardized_differences(fitted, ax):
    display = ProfileDisplay.from_estimator(fitted, X, feature_names=list("abcd")).plot(
        ax
    )
    z = (X - X.mean(axis=0)) / X.std(axis=0)
    means = np.array([z[fitted.labels_ == c].mean(axis=0) for c in range(3)])
    shown = ax.images[0].get_array()
    assert_allclose(shown, means.T[display.order], atol=1e-12)
    assert ax.images[0].get_clim()[0] == -ax.images[0].get_clim()[1]
    # The feature that is noise tells the clusters apart least.
    assert texts(ax.get_yticklabels())[-1] == "d"
    assert texts(ax.texts)[0] == f"{shown[0, 0]:+.1f}"


def test_only_the_features_that_tell_most_are_shown(fitted, ax):
    display = ProfileDisplay.from_estimator(fitted, X, max_features=2).plot(ax)
    assert display.differences.shape == (3, 2)
    assert display.profile.differences.shape == (3, 4)
    assert 3 not in display.order
    assert ax.get_ylabel() == "feature, 2 of 4"
    with pytest.raises(ComitiaError, match="max_features=0 must be at least 1"):
        ProfileDisplay.from_estimator(fitted, X, max_features=0)


def test_names_come_from_the_columns(fitted):
    table = pd.DataFrame(X, columns=list("wxyz"))
    display = ProfileDisplay.from_estimator(fitted, table)
    assert set(display.frame().index) == set("wxyz")


# -- comparison -------------------------------------------------------------------


def row(id, rank, spread=0.5, status="ok"):
    return SimpleNamespace(id=id, rank=rank, rank_sd=spread, status=status)


def test_methods_stand_by_mean_rank_with_their_spread(ax):
    comparison = SimpleNamespace(
        rows=[row("b", 2.0, 0.25), row("a", 1.0, 0.5), row("c", 3.0, 0.75)],
        groups=[["a", "b"], ["c"]],
    )
    display = ComparisonDisplay.from_comparison(comparison).plot(ax)
    assert display.names.tolist() == ["a", "b", "c"]
    points, bars = ax.containers[0].lines[0], ax.containers[0].lines[2][0]
    assert_array_equal(points.get_xdata(), [1, 2, 3])
    ends = np.array([segment[:, 0] for segment in bars.get_segments()])
    assert_allclose(ends, [[0.5, 1.5], [1.75, 2.25], [2.25, 3.75]])
    # One bar of noise: over a and b, at places 0 and 1; c stands alone.
    noise = [line for line in ax.lines if line.get_linewidth() == 3.0]
    assert_allclose(noise[0].get_ydata(), [-0.2, 1.2])
    assert len(noise) == 1


def test_methods_without_a_rank_say_why(ax):
    comparison = SimpleNamespace(
        rows=[
            row("a", 1.0),
            row("slow", np.nan, np.nan, "timed out"),
            row("shy", np.nan, np.nan, "ok"),
        ],
        groups=[["a"]],
    )
    display = ComparisonDisplay.from_comparison(comparison).plot(ax)
    assert texts(ax.get_yticklabels()) == ["a", "slow", "shy"]
    assert texts(ax.texts) == [
        "not ranked: timed out",
        "not ranked: no result in some resample",
    ]
    assert display.frame()["status"].tolist()[1] == "timed out"


def test_a_comparison_without_resamples_has_nothing_to_draw():
    with pytest.raises(ComitiaError, match="no method has a rank"):
        ComparisonDisplay.from_comparison(
            SimpleNamespace(rows=[row("a", np.nan)], groups=[])
        )
