"""Any method on clusterings, over representations of time series."""

import numpy as np
import pytest
from numpy.testing import assert_array_equal

import comitia
from comitia.agreement import adjusted_rand
from comitia.exceptions import ComitiaError, DataTypeError
from comitia.generate import KMeansGenerator
from tests.methods.test_yang_chen_2011 import waves

Method = comitia.method("time_series")
FEW = KMeansGenerator(3, n_clusters=(2, 5))
SERIES, TRUTH = waves(n_each=8)


def test_it_is_the_default_for_series():
    assert comitia.catalogue.DEFAULT_FOR["series"] == Method.card.id
    assert comitia.recommend(np.zeros((9, 1, 5)))[0].id == Method.card.id


def test_kinds_of_curves_are_found_whatever_their_length():
    fitted = Method(3, random_state=0).fit(SERIES)
    assert adjusted_rand(fitted.labels_, TRUTH) == 1.0
    names, counts = np.unique(fitted.ensemble_.groups, return_counts=True)
    assert set(names) == set(Method().representations)
    assert len(set(counts)) == 1


def test_the_method_that_is_named_combines_the_clusterings():
    fitted = Method(3, method="lwea", generator=FEW, random_state=0).fit(SERIES)
    assert fitted.ensemble_.n_clusterings == 3 * 5
    alone = comitia.method("lwea")(3).fit(fitted.ensemble_)
    assert_array_equal(fitted.labels_, alone.labels_)
    assert_array_equal(fitted.linkage_, alone.linkage_)
    assert_array_equal(fitted.cluster_weights_, alone.cluster_weights_)


def test_new_series_are_labelled_like_old_ones():
    fitted = Method(3, generator=FEW, random_state=0).fit(SERIES)
    assert_array_equal(fitted.predict(SERIES), fitted.labels_)


def test_what_cannot_be_used_is_refused_before_the_work():
    with pytest.raises(ComitiaError, match="does not combine clusterings alone"):
        Method(3, method="yang_chen_2011").fit(SERIES)
    with pytest.raises(ComitiaError, match="representations is empty"):
        Method(3, representations=[]).fit(SERIES)
    with pytest.raises(ComitiaError, match="'spectra'"):
        Method(3, representations=["spectra"]).fit(SERIES)


@pytest.mark.parametrize(
    ("kind", "X"),
    [
        ("series", np.zeros((6, 1, 4))),
        ("series", SERIES),
        ("views", [np.zeros((6, 2)), np.zeros((6, 1))]),
    ],
)
def test_a_method_for_tables_names_the_default_for_what_it_is_given(kind, X):
    with pytest.raises(DataTypeError, match=comitia.catalogue.DEFAULT_FOR[kind]):
        comitia.ConsensusClustering(2).fit(X)
