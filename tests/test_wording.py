"""Shared parameters are described in the same words in every class."""

import inspect

import pytest

import comitia
import comitia.cluster
import comitia.generate
from comitia._shared_docs import written_out
from tests.wording import CLUSTERERS, GENERATORS, METHODS, OWN, deviations

IDS = [card.id for card in comitia.methods()]


def classes(module):
    public = (getattr(module, name) for name in module.__all__)
    return [
        cls for cls in public if inspect.isclass(cls) and hasattr(cls, "get_params")
    ]


@pytest.mark.parametrize("id", IDS)
def test_a_method_describes_shared_parameters_in_shared_words(id):
    assert deviations(comitia.method(id), METHODS, id) == []


@pytest.mark.parametrize("cls", classes(comitia.generate), ids=lambda cls: cls.__name__)
def test_a_generator_describes_shared_parameters_in_shared_words(cls):
    assert deviations(cls, GENERATORS, cls.__name__) == []


@pytest.mark.parametrize("cls", classes(comitia.cluster), ids=lambda cls: cls.__name__)
def test_a_clusterer_describes_shared_parameters_in_shared_words(cls):
    assert deviations(cls, CLUSTERERS, cls.__name__) == []


@pytest.mark.parametrize("id", IDS)
def test_shared_descriptions_of_a_method_are_written_out(id):
    assert ": shared" not in comitia.method(id).__doc__


@pytest.mark.parametrize("clean", [str, inspect.cleandoc])
def test_shared_descriptions_of_one_line_follow_each_other(clean):
    docstring = """What it does.

    first, second : shared

    third, first : shared
    """
    expected = """What it does.

    first : int
        One.

    second : int
        Two.

    third, first : shared
    """
    texts = {"first": "int\n    One.", "second": "int\n    Two."}
    assert written_out(clean(docstring), texts) == clean(expected)


def test_other_words_are_found():
    class Odd:
        """Odd.

        Parameters
        ----------
        n_clusters : int, default=None
            How many clusters one would like to have.

        generator : object, default=None
            Makes the clusterings when :meth:`fit` is given data alone.
        """

    assert len(deviations(Odd, METHODS, "odd")) == 2


@pytest.mark.parametrize("parameter", OWN)
def test_no_method_is_excused_without_need(parameter):
    for name in OWN[parameter] & set(IDS):
        cls = comitia.method(name)
        found = deviations(cls, METHODS, "excused from nothing")
        assert any(f".{parameter}: " in one for one in found), name
