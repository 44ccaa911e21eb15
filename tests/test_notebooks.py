"""What notebooks show: small tables, in which everything is text."""

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import make_blobs
from sklearn.model_selection import GridSearchCV

import comitia
from comitia import Ensemble, method, methods
from comitia._html import html_table
from comitia.evaluate import Comparison, MethodRow
from comitia.evaluate.k_choice import KChoice
from comitia.exceptions import ComitiaError
from comitia.generate import KMeansGenerator

EVIL = "<script>alert(1)</script>\u202e"


@pytest.fixture(scope="module")
def data():
    return make_blobs(60, centers=3, cluster_std=0.6, random_state=0)[0]


@pytest.fixture(scope="module")
def fitted(data):
    generator = KMeansGenerator(6, n_clusters=(2, 5))
    return method("lwgp")(3, generator=generator, random_state=0).fit(data)


def test_cells_are_text_or_numbers():
    page = html_table([EVIL], [[EVIL], [1.23456], [7], [float("nan")], [True]], EVIL)
    assert "<script" not in page
    assert "\u202e" not in page
    assert page.count("&lt;script&gt;") == 3
    assert ">1.235<" in page
    assert ">7<" in page
    assert ">–<" in page
    assert ">True<" in page
    assert "and 50 more" in html_table(["a"], [[i] for i in range(250)])


def test_the_catalogue_is_a_list_and_a_table():
    cards = methods(weighs="objects")
    assert isinstance(cards, list)
    frame = cards.to_frame()
    assert isinstance(frame, pd.DataFrame)
    assert frame.index.tolist() == [card.id for card in cards]
    assert (frame["weighs"] == "objects").all()
    assert f"<caption>{len(cards)} methods</caption>" in cards._repr_html_()
    assert methods(weighs="views", needs="graph").to_frame().empty


@pytest.mark.parametrize("written", ["LWGP", "Lwgp", "lwpg"])
def test_a_method_that_is_misspelt_is_suggested(written):
    with pytest.raises(ComitiaError, match=r"did you mean .*lwgp"):
        method(written)


def test_dir_shows_public_names_only():
    shown = dir(comitia)
    assert {"Ensemble", "method", "evaluate", "__version__"} <= {*shown}
    assert not [
        name for name in shown if name.startswith("_") and name != "__version__"
    ]
    assert {"importlib", "TYPE_CHECKING", "Any"}.isdisjoint(shown)


def test_an_ensemble_shows_its_clusterings():
    names = [EVIL, "b"]
    page = Ensemble([[0, 0], [0, 1], [1, 2]], clustering_names=names)._repr_html_()
    assert "<script" not in page
    assert "<th>smallest</th>" in page
    assert page.count("<tr>") == 3


def test_a_fitted_method_shows_its_clusters(fitted):
    for page in (fitted._repr_mimebundle_()["text/html"], fitted._repr_html_()):
        assert "3 clusters of 60 objects, from 6 clusterings; cluster weights" in page
        assert page.endswith("</table>")
    before = method("lwgp")()._repr_mimebundle_()["text/html"]
    assert "<th>objects</th>" not in before


def test_choices_and_comparisons_are_tables():
    choice = KChoice(
        ks=[2, 3],
        criteria={"pac": np.array([0.5, np.nan])},
        better={"pac": "lower"},
        cdf=np.zeros((2, 1)),
        cdf_at=np.zeros(1),
        n_clusters=2,
        reason=EVIL,
        votes={},
        best={},
    )
    page = choice._repr_html_()
    assert "<script" not in page
    assert ">0.500<" in page
    row = MethodRow(EVIL, "name", "failed", internal={"anmi": 0.25})
    nothing = dict.fromkeys(
        ["agreement", "labels", "ranks", "groups", "judged_by", "critical_difference"]
    )
    found = Comparison(
        rows=[row], **nothing, p_value=1, n_clusters=3, n_resamples=0, reason="Why."
    )
    page = found._repr_html_()
    assert "<script" not in page
    assert "<caption>Why.</caption>" in page
    assert "<td>failed</td>" in page


def test_shares_of_new_objects_are_those_of_the_old(fitted, data):
    shares = fitted.predict_proba(data)
    np.testing.assert_allclose(shares, fitted.membership_, atol=1e-12)
    np.testing.assert_array_equal(shares.argmax(axis=1), fitted.predict(data))
    np.testing.assert_array_equal(shares, fitted.transform(data))
    assert [*fitted.get_feature_names_out()] == ["lwgp0", "lwgp1", "lwgp2"]
    again = method("lwgp")(3, generator=fitted.generator, random_state=0)
    np.testing.assert_array_equal(again.fit_transform(data), shares)


def test_a_search_needs_no_scorer(fitted, data):
    from sklearn.metrics import silhouette_score

    labels = fitted.predict(data)
    expected = silhouette_score(data, labels)
    # Distances are taken from expanded squares.
    assert fitted.score(data) == pytest.approx(expected, abs=1e-7)
    assert fitted.score(data[:1]) == 0.0
    search = GridSearchCV(
        method("lwgp")(generator=fitted.generator, random_state=0),
        {"n_clusters": [2, 3, 4]},
        cv=2,
    )
    assert search.fit(data).best_params_ == {"n_clusters": 3}


def test_what_cannot_label_new_objects_has_no_shares_and_no_score():
    for able in ("predict_proba", "transform", "score", "fit_transform"):
        assert not hasattr(method("wu_2017")(), able)
    assert not hasattr(method("multi_view")(), "score")
    with pytest.raises(ComitiaError, match="given clusterings"):
        method("eac")(2).fit(Ensemble([[0], [1]])).transform([[0.0], [1.0]])


class Cells:
    """What is read of an AnnData."""

    def __init__(self, X, **obsm):
        self.X, self.obsm = X, obsm
        self.obs_names = pd.Index([f"cell {i}" for i in range(len(self.X))])


def test_an_anndata_is_read_by_its_pca(fitted, data):
    from comitia.exceptions import ComitiaWarning

    cells = Cells(np.full((60, 2), 7.0), X_pca=data)
    twin = method("lwgp")(3, generator=fitted.generator, random_state=0).fit(cells)
    np.testing.assert_array_equal(twin.labels_, fitted.labels_)
    assert twin.ensemble_.object_names[1] == "cell 1"
    np.testing.assert_array_equal(twin.predict(cells), fitted.predict(data))
    with pytest.warns(ComitiaWarning, match='obsm has no "X_pca"') as warned:
        twin.fit(Cells(data))
    assert "raw counts" not in str(warned[0].message)
    np.testing.assert_array_equal(twin.labels_, fitted.labels_)


def test_raw_counts_of_an_anndata_are_warned_of():
    from scipy.sparse import csr_array

    from comitia._inputs import table_or_anndata
    from comitia.exceptions import ComitiaWarning

    counts = np.random.RandomState(0).poisson(1.0, size=(20, 4))
    cells = Cells(counts)
    cells.X = csr_array(counts)
    with pytest.warns(ComitiaWarning, match="looks like raw counts"):
        table = table_or_anndata(cells)
    np.testing.assert_array_equal(table, counts)


def test_fit_warns_of_columns_that_look_like_labels(fitted):
    from comitia.exceptions import ComitiaWarning

    quick = method("eac")(2, generator=KMeansGenerator(3, n_clusters=2))
    with pytest.warns(ComitiaWarning, match=r"fit\(comitia.Ensemble\(X\)\)"):
        quick.fit(fitted.ensemble_.labels)
