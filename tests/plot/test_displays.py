"""What all Displays have in common."""

import sys
from types import SimpleNamespace

import matplotlib as mpl
import numpy as np
import pytest
from matplotlib.figure import Figure

from comitia import Ensemble, method, plot, stability
from comitia.exceptions import ComitiaError
from comitia.io import Result
from comitia.plot import _style, palette
from tests.fixtures import planted

mpl.use("Agg")

LABELS, TRUTH = planted(60, 3, 12, 0.15, seed=0)
NOISE = np.random.RandomState(0).randn(60, 4)
X = NOISE + 6 * np.eye(3, 4)[TRUTH]


@pytest.fixture(scope="module")
def fitted():
    return method("lwea")(n_clusters=3).fit(Ensemble(LABELS))


@pytest.fixture(scope="module")
def optimized():
    return method("wcc")(n_clusters=3, random_state=0).fit(Ensemble(LABELS))


@pytest.fixture(scope="module")
def displays(fitted, optimized):
    comparison = SimpleNamespace(
        rows=[
            SimpleNamespace(id="a", rank=1.5, rank_sd=0.5, status="ok"),
            SimpleNamespace(id="b", rank=2.5, rank_sd=0.5, status="ok"),
        ],
        groups=[["a", "b"]],
    )
    return {
        "agreement": plot.AgreementDisplay.from_estimator(fitted),
        "cdf": plot.ConsensusCDFDisplay.from_ensembles(
            {2: Ensemble(LABELS % 2), 3: Ensemble(LABELS)}
        ),
        "coassociation": plot.CoassociationDisplay.from_estimator(fitted),
        "comparison": plot.ComparisonDisplay.from_comparison(comparison),
        "dendrogram": plot.DendrogramDisplay.from_estimator(fitted),
        "map": plot.MapDisplay.from_estimator(fitted, X),
        "objective": plot.ObjectiveDisplay.from_estimator(optimized),
        "profile": plot.ProfileDisplay.from_estimator(fitted, X),
        "stability": plot.StabilityDisplay.from_stability(
            stability(Ensemble(LABELS), by=[1.0, 0.5] * 6)
        ),
        "weights": plot.WeightsDisplay.from_estimator(fitted),
    }


NAMES = [
    "agreement",
    "cdf",
    "coassociation",
    "comparison",
    "dendrogram",
    "map",
    "objective",
    "profile",
    "stability",
    "weights",
]


def test_every_display_is_tested_here(displays):
    there = {type(display).__name__ for display in displays.values()}
    assert there | {"Display"} == set(plot.__all__)
    assert sorted(displays) == NAMES


@pytest.mark.parametrize("name", NAMES)
def test_a_display_draws_on_the_axes_it_is_given_and_nowhere_else(displays, name):
    from matplotlib import pyplot as plt

    before, settings = plt.get_fignums(), dict(mpl.rcParams)
    figure = Figure(layout="constrained")
    ax = figure.add_subplot()
    display = displays[name].plot(ax)
    assert display is displays[name]
    assert display.ax_ is ax
    assert display.figure_ is figure
    figure.canvas.draw()
    assert plt.get_fignums() == before
    assert dict(mpl.rcParams) == settings


@pytest.mark.parametrize("name", NAMES)
def test_a_display_makes_a_figure_of_its_own_and_labels_it_in_words(displays, name):
    from matplotlib import pyplot as plt

    display = displays[name].plot()
    display.figure_.canvas.draw()
    assert display.figure_.number in plt.get_fignums()
    labels = [display.ax_.get_xlabel(), display.ax_.get_ylabel()]
    assert all(label and label[0].islower() for label in labels)
    assert "_" not in "".join(labels)
    assert display.ax_.get_title() == ""
    plt.close(display.figure_)


@pytest.mark.parametrize("name", NAMES)
def test_a_display_gives_its_numbers_as_a_table(displays, name):
    table = displays[name].frame()
    assert len(table) > 0
    assert len(table.columns) > 0


@pytest.mark.parametrize("package", ["matplotlib", "pandas"])
def test_a_missing_package_is_named_with_its_extra(displays, monkeypatch, package):
    monkeypatch.setitem(sys.modules, package, None)
    display = displays["coassociation"]
    if package == "pandas":
        with pytest.raises(ImportError, match=r"comitia\[io\]"):
            display.frame()
    else:
        with pytest.raises(ImportError, match=r"comitia\[plot\]"):
            display.plot()


def test_numbers_need_no_matplotlib(fitted, monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    display = plot.CoassociationDisplay.from_estimator(fitted)
    assert display.frame().shape == (60, 60)


@pytest.mark.parametrize(
    "display",
    [
        plot.AgreementDisplay,
        plot.CoassociationDisplay,
        plot.DendrogramDisplay,
        plot.MapDisplay,
        plot.ObjectiveDisplay,
        plot.ProfileDisplay,
        plot.WeightsDisplay,
    ],
)
def test_what_is_not_a_fitted_method_is_refused_in_words(display):
    from sklearn.cluster import KMeans
    from sklearn.pipeline import make_pipeline

    lwea = method("lwea")
    with pytest.raises(
        ComitiaError, match=r"this LWEA has no labels_ .* after its fit"
    ):
        display.from_estimator(lwea(n_clusters=2))
    with pytest.raises(ComitiaError, match="the class LWEA; give a fitted instance"):
        display.from_estimator(lwea)
    with pytest.raises(ComitiaError, match="this KMeans has no labels_ and ensemble_"):
        display.from_estimator(KMeans(2, n_init=1).fit(X))
    with pytest.raises(ComitiaError, match=r"a pipeline; give its last step"):
        display.from_estimator(make_pipeline(lwea(2)))


def test_a_method_that_lacks_what_is_drawn_is_refused_in_words(fitted):
    with pytest.raises(ComitiaError, match="this LWEA has no objective_"):
        plot.ObjectiveDisplay.from_estimator(fitted)
    with pytest.raises(ComitiaError, match="X is not given"):
        plot.ProfileDisplay.from_estimator(fitted)
    voted = method("mcla")(n_clusters=3, random_state=0).fit(Ensemble(LABELS))
    with pytest.raises(ComitiaError, match="has no linkage_"):
        plot.DendrogramDisplay.from_estimator(voted)
    with pytest.raises(ComitiaError, match="has no weights to draw"):
        plot.WeightsDisplay.from_estimator(voted)


def test_from_estimator_draws_at_once_on_axes(fitted):
    ax = Figure().add_subplot()
    display = plot.MapDisplay.from_estimator(fitted, X, ax=ax)
    assert display.ax_ is ax
    assert not hasattr(plot.MapDisplay.from_estimator(fitted, X), "ax_")


ODD = {
    "one cluster": (np.zeros((6, 3), dtype=int), 1),
    "two objects": (np.array([[0, 0], [1, 1]]), 2),
    "one clustering": (np.array([[0], [0], [1], [1]]), 2),
    "as many clusters as objects": (np.arange(5)[:, None].repeat(2, axis=1), 5),
}


@pytest.mark.parametrize("name", ODD)
@pytest.mark.parametrize(
    "display",
    [
        plot.AgreementDisplay,
        plot.CoassociationDisplay,
        plot.DendrogramDisplay,
        plot.MapDisplay,
        plot.ProfileDisplay,
        plot.WeightsDisplay,
    ],
)
def test_the_smallest_cases_are_drawn(display, name):
    labels, k = ODD[name]
    data = np.c_[np.arange(len(labels)), np.ones(len(labels))]
    names = [f"${i}_$ <b>" for i in range(len(labels))]  # no mathematics
    votes = Ensemble(labels, object_names=names)
    figure = Figure()
    ax = figure.add_subplot()
    display.from_estimator(method("weac")(k).fit(votes), data, ax=ax)
    figure.canvas.draw()
    assert ax.has_data()


def test_a_result_gives_the_same_numbers_as_its_method(fitted, optimized):
    result = Result.from_estimator(fitted, X)
    for display in (plot.CoassociationDisplay, plot.AgreementDisplay):
        one, other = display.from_estimator(fitted), display.from_result(result)
        assert one.frame().equals(other.frame())
    one = plot.ProfileDisplay.from_estimator(fitted, X)
    assert one.frame().equals(plot.ProfileDisplay.from_result(result).frame())
    one = plot.WeightsDisplay.from_estimator(fitted)
    assert one.frame().equals(plot.WeightsDisplay.from_result(result).frame())
    one, other = (
        plot.MapDisplay.from_estimator(fitted, X),
        plot.MapDisplay.from_result(result),
    )
    assert one.frame().equals(other.frame())
    result = Result.from_estimator(optimized)
    curve = plot.ObjectiveDisplay.from_result(result).curves[0]
    assert curve.tolist() == optimized.objective_.tolist()


def test_a_result_of_a_selection_votes_as_its_method_does():
    kept = method("cas")(n_clusters=3, random_state=0).fit(Ensemble(LABELS))
    assert not kept.selected_.all()
    one = plot.CoassociationDisplay.from_estimator(kept)
    other = plot.CoassociationDisplay.from_result(Result.from_estimator(kept))
    assert one.frame().equals(other.frame())


def test_a_display_says_what_to_do_with_it(displays):
    assert repr(displays["map"]) == "<MapDisplay: plot() draws it, frame() tables it>"


def test_a_result_without_what_is_drawn_is_refused_in_words(fitted):
    result = Result.from_estimator(fitted)
    with pytest.raises(ComitiaError, match="made without data"):
        plot.ProfileDisplay.from_result(result)
    with pytest.raises(ComitiaError, match="the method lwea has no objective"):
        plot.ObjectiveDisplay.from_result(result)
    with pytest.raises(ComitiaError, match="was given, not chosen"):
        plot.ConsensusCDFDisplay.from_result(result)


# -- style ------------------------------------------------------------------------


def luminance(color):
    from matplotlib.colors import to_rgb

    linear = [
        c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4
        for c in to_rgb(color)
    ]
    return np.dot(linear, [0.2126, 0.7152, 0.0722])


def test_colors_stand_out_from_the_paper():
    # 2 : 1 is what the palest of Okabe and Ito's colours without yellow reaches.
    for color in palette.COLORS:
        assert 1.05 / (luminance(color) + 0.05) > 2


def test_the_first_56_clusters_have_their_own_pair_of_color_and_shape():
    pairs = {(_style.cluster_color(c), _style.cluster_marker(c)) for c in range(56)}
    assert len(pairs) == 56


def test_names_of_users_are_one_short_line_and_no_mathematics():
    from matplotlib.text import Text

    name = _style.short_name("price in $\nand weight in $, both as they were in May")
    assert "\n" not in name
    assert len(name.replace("\\", "")) == 28
    assert Text(text=name)._preprocess_math(name)[1] is False


def test_every_name_is_there_or_every_second():
    ax = Figure().add_subplot()
    _style.name_ticks(ax.xaxis, list("abcde"), range(5), most=5)
    assert [t.get_text() for t in ax.get_xticklabels()] == list("abcde")
    _style.name_ticks(ax.xaxis, list("abcde"), range(5), most=4)
    assert [t.get_text() for t in ax.get_xticklabels()] == ["a", "c", "e"]
    assert ax.get_xticks().tolist() == [0, 2, 4]
