"""Every method is where its card says, and is written the way methods are."""

import inspect
from pathlib import Path

import pytest
from numpydoc.docscrape import ClassDoc

import comitia
from comitia import catalogue
from comitia.catalogue import MethodCard, method_classes
from comitia.evaluate import panel_ids
from comitia.exceptions import ComitiaError
from tests.vocabulary import VOCABULARY

METHODS = method_classes()
each_method = pytest.mark.parametrize("cls", METHODS, ids=lambda cls: cls.card.id)

# What the first issue promises; later methods add themselves.
FIRST = {
    *("eac", "cspa", "mcla", "hgpa", "hbgf", "voting", "kmodes_consensus", "kcc"),
    *("nmf_consensus", "berikov_pestunov_2017", "weac", "gp_mgla"),
    *("lwea", "lwgp", "lwmc", "sec"),
}


def test_the_first_methods_are_there():
    assert {cls.card.id for cls in METHODS} >= FIRST


def test_the_defaults_are_methods_of_the_catalogue():
    assert comitia.method() is comitia.method(catalogue.DEFAULT_METHOD)
    assert comitia.method().card.needs == ("labels",)
    for need, default in catalogue.DEFAULT_FOR.items():
        assert need in comitia.method(default).card.needs
    assert comitia.method().card.on_device
    assert comitia.method(catalogue.DEFAULT_FOR_K).card.needs == ("labels",)


def test_python_names_the_defaults_too():
    assert comitia.ConsensusClustering is comitia.method("consensus")
    assert comitia.MultiViewEnsemble is comitia.method("multi_view")
    assert comitia.TimeSeriesEnsemble is comitia.method("time_series")


def test_panels_choose_k_and_the_readme_have_the_default_of_the_catalogue():
    assert panel_ids("quick")[0] == catalogue.DEFAULT_METHOD
    parameters = inspect.signature(comitia.choose_k).parameters
    assert parameters["method"].default == catalogue.DEFAULT_FOR_K
    readme = (Path(__file__).parent.parent / "README.md").read_text(encoding="utf-8")
    assert f"`comitia.method()` is the default, `{catalogue.DEFAULT_METHOD}`" in readme


def test_ids_and_class_names_are_unique():
    assert len({cls.card.id for cls in METHODS}) == len(METHODS)
    assert len({cls.__name__ for cls in METHODS}) == len(METHODS)


@each_method
def test_a_method_is_found_by_its_id_and_by_its_name(cls):
    assert comitia.method(cls.card.id) is cls
    assert getattr(comitia.methods, cls.__name__) is cls


@each_method
def test_a_method_stands_in_the_folder_of_its_card(cls):
    path = Path(inspect.getfile(cls))
    assert path.parent.name == cls.card.folder
    assert path.stem == cls.card.id


@each_method
def test_a_card_says_what_is_weighed(cls):
    shown = {one.name for one in ClassDoc(cls)["Attributes"]}
    taken = set(inspect.signature(cls).parameters)
    weights = {name for name in shown | taken if name.strip("_").endswith("_weights")}
    if cls.card.weighs == "nothing":
        assert not weights
    elif "views" in cls.card.needs and cls.card.weighs == "clusters":
        assert "view_weights_" in weights  # of clusters in views
    else:
        assert f"{cls.card.weighs[:-1]}_weights_" in weights or cls.card.weighs_how
    if "clustering_weights" in taken:
        assert "clustering_weights" in cls.card.weighs_how


@each_method
def test_a_card_says_what_a_missing_label_means(cls):
    assert bool(cls.card.missing) == ("labels" in cls.card.needs)


@each_method
def test_a_method_leaves_fit_to_the_base_class(cls):
    assert not {"fit", "fit_predict", "predict"} & set(vars(cls))


@each_method
def test_a_constructor_only_stores_and_uses_our_words(cls):
    parameters = inspect.signature(cls.__init__).parameters
    names = [name for name in parameters if name != "self"]
    assert set(names) <= VOCABULARY
    assert names[0] == "n_clusters"
    assert all(
        parameters[name].kind is inspect.Parameter.KEYWORD_ONLY for name in names[1:]
    )
    assert set(cls._parameter_constraints) == set(names)


@each_method
def test_a_docstring_has_formula_reference_and_example(cls):
    doc = ClassDoc(cls)
    assert cls.card.name
    assert cls.card.summary
    assert cls.card.reference
    assert doc["Notes"] or doc["Extended Summary"]
    assert doc["Examples"]
    documented = [parameter.name for parameter in doc["Parameters"]]
    assert documented == list(inspect.signature(cls).parameters)


@each_method
def test_a_method_has_its_own_test_file(cls):
    assert (Path(__file__).parent / "methods" / f"test_{cls.card.id}.py").is_file()


def test_methods_can_be_filtered():
    cards = comitia.methods(weighs="clusters", needs="labels")
    assert "lwgp" in [card.id for card in cards]
    assert {card.weighs for card in cards} == {"clusters"}
    assert "lwgp" in [card.id for card in comitia.methods(source="review")]
    several = comitia.methods(weighs=["clusters", "objects"], scales="linear")
    assert {"lwgp", "sec"} <= {card.id for card in several}


def test_an_unknown_filter_or_id_is_refused_in_words():
    with pytest.raises(ComitiaError, match="weighs='cluster' is not known"):
        comitia.methods(weighs="cluster")
    with pytest.raises(ComitiaError, match=r"'lwpg'; did you mean .*lwgp"):
        comitia.method("lwpg")


def test_a_card_with_an_unknown_word_is_refused():
    with pytest.raises(ComitiaError, match="scales='cubic' on the card of new"):
        MethodCard(id="new", weighs="clusters", approach="fixed", scales="cubic")


@pytest.mark.parametrize("id", ["celta", "gtlec"])
def test_refused_methods_say_why(id):
    with pytest.raises(ComitiaError, match="order"):
        catalogue.method(id)
