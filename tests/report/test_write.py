"""The report as a file: what it says, what it warns of, and that names stay text."""

import re
import sys
from dataclasses import replace
from html.parser import HTMLParser

import numpy as np
import pytest
from scipy.sparse import csr_array

from comitia import Ensemble, method
from comitia.cluster.community_quality import modularity
from comitia.display import result_numbers
from comitia.exceptions import ComitiaError
from comitia.generate import GraphGenerator
from comitia.io.results import Result
from comitia.report import _facts, _maps, write_report
from comitia.report._alerts import find_alerts
from comitia.report._page_text import percent
from comitia.report._sections import Sections
from tests.fixtures import planted
from tests.report.conftest import CHOICE

VOID = {"meta", "link", "br", "img", "input", "circle", "rect", "path", "image"}


class Page(HTMLParser):
    """The elements of a page, its texts, and whether every tag is closed."""

    def __init__(self, path):
        super().__init__()
        self.open, self.tags, self.texts, self.attributes = [], [], [], []
        self.feed(path.read_text(encoding="utf-8"))
        assert self.open == []

    def handle_starttag(self, tag, attributes):
        self.tags.append(tag)
        self.attributes += [(tag, *pair) for pair in attributes]
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag, attributes):
        self.tags.append(tag)
        self.attributes += [(tag, *pair) for pair in attributes]

    def handle_endtag(self, tag):
        if tag not in VOID:
            assert self.open.pop() == tag

    def handle_data(self, data):
        if not {"script", "style"} & {*self.open}:
            self.texts.append(data)

    @property
    def text(self):
        return " ".join("".join(self.texts).split())


def result_of(labels, id="weac", X=None, **parameters):
    votes = labels if isinstance(labels, Ensemble) else Ensemble(labels)
    estimator = method(id)(**parameters).fit(votes)
    return Result.from_estimator(estimator, X)


def alerts(result):
    return {alert.id: alert for alert in find_alerts(_facts.Facts(result))}


def test_every_section_is_there(iris, tmp_path):
    path = write_report(iris, tmp_path / "report.html")
    page = Page(path)
    headings = re.findall(r"<h2[^>]*>(.*?)</h2>", path.read_text(encoding="utf-8"))
    assert headings[1:] == [
        "In short",
        "Map of the objects",
        "Who is put together",
        "What counts how much",
        "How far the clusterings agree",
        "How sure each cluster is",
        "What makes each cluster different",
        "Compared with the known classes",
        "The number of clusters",
        "How it was made",
    ]
    for words in (
        "iris.csv",
        "3 clusters",
        "150 objects in clusters of 50",
        "Three clusters: both criteria say so.",
        "comitia fit iris.csv -k 3 -m lwgp",
        "Locally weighted graph partitioning",
        "150 rows, 4 columns, standardised.",
        "petal length (cm)",
        "KMeansGenerator",
        "10.1109/TCYB.2017.2702343",
        "setosa",
    ):
        assert words in page.text, words


def test_the_means_of_a_profile_are_in_original_units(iris):
    sections = Sections(iris)
    setosa = next(c for c in sections.profile if c["size"] == 50)
    assert setosa["first"][0]["name"].startswith("petal")
    # The petals of setosa are 1.46 cm long on average, those of all 3.76.
    assert "petal length (cm) (1.46 against 3.76)" in setosa["text"]


def test_nothing_in_the_page_leads_outside_but_links_to_papers(iris, nasty, tmp_path):
    for result in (iris, nasty):
        page = Page(write_report(result, tmp_path / "report.html"))
        for tag, name, value in page.attributes:
            if name in ("src", "href"):
                inside = value.startswith(("#", "data:"))
                assert inside or (tag == "a" and value.startswith("https://doi.org/"))
            assert not name.startswith("on")
            assert name != "style"


def test_names_from_files_stay_text(nasty, tmp_path):
    path = write_report(nasty, tmp_path / "report.html")
    page = Page(path)
    assert page.tags.count("script") == 2
    assert "hacked" in page.text
    source = path.read_text(encoding="utf-8")
    assert "\x00" not in source
    assert "\u202e" not in source
    assert "49" not in re.findall(r"<bdi>(.*?)</bdi>", source)
    assert "x" * 200 not in source
    assert source.count("</script>") == 2


def test_what_a_forged_file_says_or_lacks_is_no_crash(iris, tmp_path):
    scores = {"silhouette": 0.5}
    forged = replace(iris, scores=scores, command="half a pair: \ud800")
    page = write_report(forged, tmp_path / "report.html").read_text(encoding="utf-8")
    assert r"half a pair: \ud800" in page
    assert "The classes took no part" in page
    assert "normalised mutual information" not in page


@pytest.mark.parametrize("share", [np.inf, -np.inf, np.nan])
def test_a_share_that_is_no_number_is_shown(share):
    assert percent(share) in ["∞", "−∞", "–"]


def test_a_page_is_the_same_each_time(iris, tmp_path):
    one = write_report(iris, tmp_path / "a.html").read_bytes()
    assert write_report(iris, tmp_path / "b.html").read_bytes() == one


def test_a_page_made_from_the_folder_is_the_same(iris, tmp_path):
    one = write_report(iris, tmp_path / "a.html").read_bytes()
    loaded = Result.load(iris.save(tmp_path / "result"))
    assert write_report(loaded, tmp_path / "b.html").read_bytes() == one


def test_the_title_can_be_given(iris, tmp_path):
    path = write_report(iris, tmp_path / "a.html", title="Flowers & more")
    assert "<title>Flowers &amp; more</title>" in path.read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("labels", "id", "k"),
    [
        ([[0, 0], [1, 1]], "weac", 2),
        ([[0], [0], [1]], "eac", 2),
        ([[0, 0], [0, 0], [0, 1]], "eac", 1),
        ([[0, -1], [0, 0], [1, 1], [-1, 1]], "eac", 2),
        ([[i, 0] for i in range(6)], "eac", 6),
    ],
    ids=["two objects", "one clustering", "one cluster", "partial", "singletons"],
)
def test_extremes_have_a_page(labels, id, k, tmp_path):
    result = result_of(labels, id, n_clusters=k)
    page = write_report(result, tmp_path / "report.html")
    Page(page)  # well-formed
    text = page.read_text(encoding="utf-8")
    words = "1 cluster" if k == 1 else f"{k} clusters"
    assert words in text
    assert f"{len(labels)} objects" in text


@pytest.mark.parametrize("kind", ["fuzzy", "overlapping"])
def test_clusterings_of_other_kinds_have_a_page(kind, tmp_path):
    if kind == "fuzzy":
        F = np.random.RandomState(0).dirichlet([1, 1], size=12)
        votes = Ensemble.from_memberships(
            [F, F[:, ::-1], F**2 / (F**2).sum(1)[:, None]]
        )
    else:
        votes = Ensemble.from_clusters([[[0, 1, 2], [2, 3]], [[0, 1], [1, 2, 3]]], 4)
    result = result_of(votes, "lwgp", n_clusters=2, random_state=0)
    page = write_report(result, tmp_path / "report.html")
    Page(page)  # well-formed
    text = page.read_text(encoding="utf-8")
    assert "2 clusters" in text
    assert 'id="heat-agreement"' in text


@pytest.mark.parametrize(
    "id", ["sec", "abbasi_2019", "wcc", "mcas", "wlac", "ec_bnmf", "kcc"]
)
def test_whatever_is_weighed_is_shown(id, tmp_path):
    labels, truth = planted(60, 4, 8, noise=0.15, seed=2)
    cls = method(id)
    parameters = {"n_clusters": 4, "random_state": 0}
    estimator = cls()
    known = estimator.get_params()
    estimator.set_params(**{k: v for k, v in parameters.items() if k in known})
    X = np.random.RandomState(0).randn(60, 3) + 8 * truth[:, None]
    if "labels" in cls.card.needs:
        estimator.fit(X, ensemble=Ensemble(labels))
    else:
        estimator.fit(X)
    result = Result.from_estimator(estimator, X)
    page = Page(write_report(result, tmp_path / "report.html"))
    names = {"clustering_weights", "cluster_weights", "object_weights"}
    for name in names & {*result.weights}:
        assert f"Weights of the {name.partition('_')[0]}s" in page.text
    if "feature_weights" in result.weights:
        assert "Weights of the features" in page.text


def test_many_weights_are_cut_and_drawn_as_a_histogram():
    result = result_of(planted(200, 4, 80, 0.2, 0)[0], n_clusters=4)
    table = Sections(result).weights[0]
    assert (len(table["lines"]), table["cut"]) == (30, 50)
    values = [line["value"] for line in table["lines"]]
    assert values == sorted(values, reverse=True)
    assert values[0] == result.weights["clustering_weights"].max()
    assert values[-1] == result.weights["clustering_weights"].min()
    bars = table["histogram"]["bars"]
    assert sum(int(bar["words"].rpartition(" ")[2]) for bar in bars) == 80


def test_many_clusterings_are_compared_in_groups(monkeypatch):
    monkeypatch.setattr(result_numbers, "_COMPARED_CLUSTERINGS", 70)
    result = result_of(planted(50, 3, 90, 0.3, 0)[0], n_clusters=3)
    sections = Sections(result)
    found = sections.agreement
    assert (found["binned"], found["compared"], found["n_bins"]) == (True, 70, 60)
    assert len(sections.agreement_data()["name"]) == 60
    S = sections.between[np.ix_(found["order"], found["order"])]
    assert found["values"].mean() == pytest.approx(S.mean(), rel=0.05)


def test_many_objects_are_drawn_as_a_sample_with_the_least_certain(monkeypatch):
    monkeypatch.setattr(_maps, "MAP_OBJECTS", 250)
    result = result_of(planted(400, 3, 9, 0.3, 0)[0], n_clusters=3)
    sections = Sections(result)
    least = np.argsort(result.confidence, kind="stable")[:50]
    assert len(sections.drawn) == 250
    assert {*least.tolist()} <= {*sections.drawn.tolist()}
    data = sections.map_data()
    assert data["index"] == sections.drawn.tolist()
    assert len(data["x"]) == len(data["votes"]) == 250


def test_the_heat_map_of_many_objects_is_binned():
    labels = planted(1200, 3, 5, 0.1, 0)[0]
    heat = Sections(result_of(labels, n_clusters=3)).heat
    assert heat["binned"]
    assert heat["n_bins"] == 400
    S = Ensemble(labels).coassociation()
    truth = np.repeat([0, 1, 2], 400)
    within = S[truth[:, None] == truth].mean()
    # The consensus differs from the plan in a few objects.
    assert heat["within"] == pytest.approx(within, abs=0.02)


def test_five_thousand_objects_fit_into_six_megabytes(tmp_path):
    labels = planted(5000, 10, 30, 0.3, 0)[0]
    X = np.random.RandomState(0).randn(5000, 10)
    votes = Ensemble(
        labels, object_names=[f"{'long name ' * 8}{i}" for i in range(5000)]
    )
    estimator = method("lwgp")(n_clusters=10, random_state=0).fit(votes)
    path = write_report(Result.from_estimator(estimator, X), tmp_path / "report.html")
    assert path.stat().st_size < 6e6


# -- alerts -------------------------------------------------------------------------


def test_a_sound_result_has_no_alerts():
    # Every clustering differs, and none much: one object each is somewhere else.
    labels = np.repeat(np.arange(3), 30)
    votes = np.column_stack([labels] * 8)
    for m in range(8):
        votes[11 * m, m] = (votes[11 * m, m] + 1) % 3
    X = np.random.RandomState(0).randn(90, 2) + 20 * labels[:, None]
    assert [*alerts(result_of(votes, "eac", X, n_clusters=3))] == []


def test_duplicate_clusterings_are_told():
    labels = planted(40, 3, 5, 0.2, 0)[0]
    renamed = (labels[:, :1] + 1) % 3
    found = alerts(result_of(np.hstack([labels, renamed]), n_clusters=3))
    assert "1 of the 6 clusterings repeat others" in found["duplicates"].text
    assert "duplicates" not in alerts(result_of(labels, n_clusters=3))
    same = alerts(result_of(np.repeat(labels[:, :1], 4, axis=1), n_clusters=3))
    assert same["duplicates"].serious


def test_some_copies_among_members_of_its_own_are_no_alert():
    X = np.random.RandomState(0).randn(40, 2) + 9 * np.repeat([[0], [1]], 20, axis=0)
    fitted = method("consensus")(2, random_state=0).fit(X)
    result = Result.from_estimator(fitted, X)
    assert "duplicates" not in alerts(result)
    given = Result.from_estimator(method("consensus")(2).fit(fitted.ensemble_))
    assert "duplicates" in alerts(given)


def test_a_number_of_clusters_that_does_not_stand_out_is_told():
    labels = planted(40, 2, 5, 0.2, 0)[0]
    fitted = method("eac")(2).fit(labels)
    choice = {"ks": [2, 3], "n_clusters": 2, "probabilities": [0.35, 0.25, 0.4]}
    found = alerts(Result.from_estimator(fitted, choice=choice))
    assert "probability of 0.25" in found["unclear"].text
    choice["probabilities"] = [0.1, 0.8, 0.1]
    assert "unclear" not in alerts(Result.from_estimator(fitted, choice=choice))


def test_copies_of_fuzzy_clusterings_are_told():
    F = np.random.RandomState(0).dirichlet([1, 1], size=12)
    votes = Ensemble.from_memberships([F, F[:, ::-1], F**2 / (F**2).sum(1)[:, None]])
    result = result_of(votes, "lwgp", n_clusters=2, random_state=0)
    assert _facts.Facts(result).n_copies == 1


def test_a_cluster_that_no_clustering_supports_is_told(iris):
    # Clusterings of pairs; the consensus puts six objects together.
    labels = np.repeat(np.arange(6), 2)
    votes = np.column_stack([labels, np.roll(labels, 1)])
    result = result_of(votes, "eac", n_clusters=6)
    whole = replace(
        result,
        labels=np.repeat([0, 1], 6).astype(np.int32),
        membership=np.repeat(np.eye(2), 6, axis=0),
        confidence=np.ones(12),
    )
    assert "unsupported" in alerts(whole)
    assert "at best 0.33" in alerts(whole)["unsupported"].text
    assert "unsupported" not in alerts(iris)


def test_support_of_subsamples_is_measured_on_their_objects():
    labels = np.repeat([0, 1], 10)
    votes = np.column_stack([labels, labels])
    votes[::2, 0] = -1
    result = result_of(votes, "eac", n_clusters=2)
    assert (_facts.Facts(result).support == 1.0).all()


def test_one_cluster_would_do(iris):
    X = np.random.RandomState(0).rand(200, 2)
    slices = np.column_stack([X[:, 0] > 0.5, X[:, 0] > 0.52, X[:, 0] > 0.48])
    unbroken = result_of(slices.astype(int), "eac", X, n_clusters=2)
    assert "no gap" in alerts(unbroken)["one"].text
    assert "one" not in alerts(iris)
    # Clusterings without data that have nothing in common.
    votes = np.random.RandomState(0).randint(0, 3, size=(200, 10))
    assert "hardly agree" in alerts(result_of(votes, n_clusters=3))["one"].text
    chosen = replace(
        iris, choice={**CHOICE, "n_clusters": 1, "reason": "No structure."}
    )
    assert alerts(chosen)["one"].text == "No structure."


def test_another_number_of_clusters_is_told(iris):
    found = alerts(replace(iris, choice={**CHOICE, "n_clusters": 2}))
    assert "2 is recommended" in found["another"].text
    assert "another" not in alerts(iris)


@pytest.mark.parametrize(
    ("weights", "words"),
    [
        (np.full(12, 1 / 12), "All clusterings weigh the same"),
        (np.r_[1.0, np.full(11, 0.001)], "nearly all the weight"),
        (np.zeros(12), "No weight"),
        (np.linspace(1, 2, 12), None),
    ],
)
def test_degenerate_weights_are_told(iris, weights, words):
    found = alerts(replace(iris, weights={"clustering_weights": weights}))
    if words is None:
        assert "degenerate" not in found
    else:
        assert words in found["degenerate"].title


def test_a_selection_of_one_is_told(iris):
    kept = np.arange(12) == 3
    assert "degenerate" in alerts(replace(iris, weights={"selected": kept}))


def test_low_confidence_and_tiny_clusters_are_told(iris):
    unsure = np.full((150, 3), 1 / 3)
    found = alerts(replace(iris, membership=unsure, confidence=unsure[:, 0]))
    assert found["uncertain"].serious
    labels = iris.labels.copy()
    labels[labels == 2] = 1
    labels[0] = 2
    assert "2 (1)" in alerts(replace(iris, labels=labels))["tiny"].text


def test_an_optimization_that_did_not_end_is_told(iris):
    assert "unfinished" in alerts(replace(iris, converged=False))
    assert "unfinished" not in alerts(replace(iris, converged=True))


# -- refusals -----------------------------------------------------------------------


def test_without_jinja_the_extra_is_named(iris, tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "jinja2", None)
    with pytest.raises(ImportError, match=r"comitia\[report\]"):
        write_report(iris, tmp_path / "report.html")


def test_a_fitted_method_is_not_a_result(tmp_path):
    with pytest.raises(ComitiaError, match=r"Result\.from_estimator"):
        write_report(method("eac")(), tmp_path / "report.html")


def test_a_failure_leaves_the_old_page(iris, tmp_path, monkeypatch):
    path = tmp_path / "report.html"
    path.write_text("old")
    monkeypatch.setattr(Sections, "heat", property(lambda self: 1 / 0))
    with pytest.raises(ZeroDivisionError):
        write_report(iris, path)
    assert path.read_text() == "old"
    assert [*tmp_path.iterdir()] == [path]


def test_views_are_listed_by_name_when_clusters_weigh_them(tmp_path):
    X = np.random.RandomState(0).rand(12, 3) + np.repeat([0, 1, 2], 4)[:, None]
    views = {"size & shape": X, "colour": X[:, :2]}
    fitted = method("zhao_2020")(3, random_state=0).fit(views)
    page = write_report(Result.from_estimator(fitted, views), tmp_path / "report.html")
    text = page.read_text(encoding="utf-8")
    assert ">size &amp; shape<" in text
    assert ">colour<" in text
    assert ">view 2<" not in text  # three clusters weigh two views


def network(seed=0):
    """Three communities of ten, and a vertex without links."""
    rng = np.random.RandomState(seed)
    of = np.repeat(np.arange(3), 10)
    A = np.triu(rng.rand(30, 30) < np.where(of[:, None] == of, 0.8, 0.05), 1)
    A = np.pad((A | A.T).astype(float), [(0, 1), (0, 1)])
    return csr_array(A), np.append(of, 3)


@pytest.mark.parametrize("id", ["wu_2017", "yang_2016"])
def test_a_result_on_a_graph_has_a_page(id, tmp_path):
    graph, of = network()
    estimator = method(id)(n_clusters=4, random_state=0)
    if id == "wu_2017":
        estimator.set_params(generator=GraphGenerator(10, random_state=0))
    else:
        estimator.set_params(n_clusters=None, n_clusterings=10)
    result = Result.from_estimator(estimator.fit(graph), graph)
    found = modularity(graph, result.labels)
    assert result.scores["modularity"] == pytest.approx(found)
    path = write_report(result, tmp_path / "report.html")
    text = Page(path).text
    assert "Modularity" in text
    assert "Without data it is placed by the clusterings" in text
    result.save(tmp_path / "result")
    again = write_report(Result.load(tmp_path / "result"), tmp_path / "again.html")
    assert again.read_text() == path.read_text()
    # The vertex without links stands below the others, and they fill the map.
    places, others = result.positions, of < 3
    assert places[30, 1] < places[others, 1].min()
    assert np.ptp(places[others, 0]) == np.ptp(places[:, 0])


def test_objects_of_overlapping_clusters_are_not_together_more_than_always(tmp_path):
    clusters = [[0, 1, 2], [0, 1, 2, 3], [3, 4, 5]]
    votes = Ensemble.from_clusters([clusters, [[0, 1, 2], [3, 4, 5]]], 6)
    result = result_of(votes, "lwea", n_clusters=2)
    text = Page(write_report(result, tmp_path / "report.html")).text
    assert "clusters in common, on average over the clusterings" in text
    assert "1.50" in text  # two in the first clustering, one in the second
    assert "share of the clusterings that put two objects together" not in text
