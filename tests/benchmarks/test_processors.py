"""Methods are compared between processors, and differences are told."""

import numpy as np

from benchmarks import processors


def test_the_same_results_differ_in_nothing():
    own = dict(processors.results(["mvfcmddv", "voting"]))
    assert {key.split()[0] for key in own} == {"mvfcmddv", "voting"}
    assert {key.split()[1] for key in own} == set(processors.KINDS)
    assert [*processors.differences(own, own)] == []
    assert processors.summary(own, own).startswith("labels of 6 of 6 fits are equal")


def test_what_differs_by_more_than_rounding_is_told():
    own = {
        "eac clear labels_": np.array([0, 0, 1]),
        "eac clear clustering_weights_": np.array([0.5, 0.5]),
        "eac ties refusal": np.array("ComitiaError: no"),
    }
    noise = own | {"eac clear clustering_weights_": np.array([0.5, 0.5 + 1e-12])}
    assert [*processors.differences(own, noise)] == []
    other = {
        "eac clear labels_": np.array([0, 1, 1]),
        "eac clear clustering_weights_": np.array([0.5, 0.5001]),
        "eac mixed labels_": np.array([0]),
        "eac ties refusal": np.array("ComitiaError: yes"),
    }
    told = [*processors.differences(own, other)]
    assert told == [
        "eac clear clustering_weights_ is off by 2.0e-04",
        "eac clear labels_ is off by 1.0e+00",
        "eac mixed labels_ is there once only",
        "eac ties refusal is off by 1.0e+00",
    ]
    assert processors.summary(own, other).startswith("labels of 0 of 1 fits")


def test_a_method_is_the_same_on_an_old_processor(capsys):
    assert processors.main(["--methods", "mvfcmddv"]) == 0
    assert "labels of 3 of 3 fits are equal" in capsys.readouterr().out


def test_members_are_compared_up_to_names():
    labels = np.array([[2, -1], [0, 1], [2, 0], [1, 1]])
    found = processors.in_order(labels)
    assert found.tolist() == [[0, 0], [1, 1], [0, 2], [2, 1]]


def test_the_default_is_fitted_on_ordinary_data():
    key, members = next(processors.default_results())
    assert key == "table iris k=3 members"
    assert members.shape == (150, 50)


def test_each_processor_is_another_one():
    each = processors.each_processor()
    assert {"NUMBA_CPU_NAME": "generic"} in each
    cores = [one["OPENBLAS_CORETYPE"] for one in each if "OPENBLAS_CORETYPE" in one]
    assert len(set(cores)) == len(cores)
    assert not set(cores) & processors.own_cores()
