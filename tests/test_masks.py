"""What is masked is missing: no door forgets a mask (or a null)."""

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_array_equal

import comitia
from comitia import Ensemble, MultiViewEnsemble, method
from comitia.agreement import agreement, agreement_with, contingency_table
from comitia.cluster import ConstraintSet, KMedoids
from comitia.cluster.community_quality import modularity
from comitia.exceptions import ComitiaError, ComitiaWarning
from comitia.generate import KMeansGenerator
from comitia.io import Result
from comitia.validity import Clustered
from comitia.weigh import normalize_weights

MASK = np.array([False, False, True, False, False, False])
LABELS = np.array([0, 0, 0, 1, 1, 1])
MASKED = np.ma.array(LABELS, mask=MASK)
MARKED = np.where(MASK, -1, LABELS)
X = np.array([[0.0], [0.1], [0.2], [5.0], [5.1], [5.2]])
MASKED_X = np.ma.array(X, mask=MASK[:, None])

TYPES = [np.int8, np.int64, np.uint8, np.uint64, bool, np.float32, str, object]


@pytest.mark.parametrize("dtype", TYPES)
def test_a_masked_label_is_missing(dtype):
    given = np.ma.array(LABELS.astype(dtype), mask=MASK)
    for labels in ([given, LABELS], np.ma.stack([given, given], axis=1), (given,)):
        votes = Ensemble(labels)
        assert votes.kind == "partial"
        assert_array_equal(votes.labels[:, 0], MARKED)


def test_the_array_that_was_given_keeps_its_values():
    given = MASKED.copy()
    Ensemble([given])
    assert_array_equal(given.data, LABELS)
    assert_array_equal(given.mask, MASK)


def test_a_mask_without_entries_masks_nothing():
    assert Ensemble([np.ma.array(LABELS)]).kind == "hard"


def test_a_masked_cell_in_lists_is_missing():
    table = [["a", "x"], [np.ma.masked, "y"], ["b", "y"]]
    assert_array_equal(Ensemble(table).labels, [[0, 0], [-1, 1], [1, 1]])


def test_nulls_are_missing():
    pl, pa = pytest.importorskip("polars"), pytest.importorskip("pyarrow")
    values = [0, 0, None, 1, 1, 1]
    for vector in (
        pl.Series(values),
        pa.array(values),
        pa.chunked_array([values[:2], values[2:]]),
        pd.Series(values, dtype="Int64"),
        pd.Series(values, dtype="int64[pyarrow]"),
        pd.array(values, dtype="Int64"),
    ):
        votes = Ensemble([vector, vector])
        assert_array_equal(votes.labels, np.stack([MARKED, MARKED], axis=1))
        assert agreement(vector, MARKED) == 1.0
    for table in (pl.DataFrame({"a": values}), pa.table({"a": values})):
        assert_array_equal(Ensemble(table).labels[:, 0], MARKED)


def test_a_list_of_arrow_vectors_is_a_list_of_clusterings():
    pa = pytest.importorskip("pyarrow")
    votes = Ensemble([pa.array([0, 0, 1]), pa.array(["a", "b", "b"])])
    assert (votes.n_objects, votes.n_clusterings) == (3, 2)


def test_vectors_and_lists_are_not_mixed():
    with pytest.raises(ComitiaError, match=r"labels\[1\] is a list"):
        Ensemble([MASKED, [0, 0, 0, 1, 1, 1]])


def test_a_masked_row_of_memberships_is_missing():
    F = np.eye(2)[LABELS]
    votes = Ensemble.from_memberships([np.ma.array(F, mask=np.c_[MASK, MASK])])
    assert_array_equal(votes.labels[:, 0], MARKED)
    with pytest.raises(ComitiaError, match=r"memberships\[0\] must be finite"):
        Ensemble.from_memberships([np.ma.array(F, mask=np.c_[MASK, ~MASK])])


def test_masked_codes_and_indices_are_refused():
    with pytest.raises(ComitiaError, match="codes has masked entries"):
        Ensemble.from_codes(MASKED[None], [2])
    with pytest.raises(ComitiaError, match="objects has masked entries"):
        Ensemble([LABELS]).take(objects=MASKED)
    with pytest.raises(ComitiaError, match="cluster 0 of 0 has masked entries"):
        Ensemble.from_clusters([[np.ma.array([0, 1], mask=[0, 1]), [2]]], 3)


def test_masked_labels_of_a_dask_array_are_missing():
    da = pytest.importorskip("dask.array")
    table = np.ma.stack([MASKED, MASKED], axis=1)
    votes = Ensemble.from_dask(da.from_array(table, chunks=(3, 2), asarray=False))
    assert_array_equal(votes.labels[:, 0], MARKED)


def test_agreement_leaves_masked_objects_out():
    other = np.array([0, 0, 1, 1, 1, 1])
    assert agreement(MASKED, other) == 1.0
    assert contingency_table(MASKED, other).sum() == 5
    assert agreement_with(MASKED, Ensemble([other]))[0] == 1.0


def test_validity_leaves_masked_objects_out():
    assert_array_equal(Clustered(X, MASKED).X, X[~MASK])
    with pytest.raises(ComitiaError, match="X has masked values"):
        Clustered(MASKED_X, LABELS)


def test_masked_classes_are_unknown():
    votes = Ensemble([LABELS, LABELS])
    wrong = np.ma.array([0, 0, 1, 1, 1, 1], mask=MASK)
    found = comitia.compare(
        votes, ["voting"], n_clusters=2, truth=wrong, n_resamples=0, random_state=0
    )
    assert found.rows[0].external["adjusted_rand"] == 1.0
    fitted = method("voting")(2).fit(votes)
    for truth in (wrong, pd.Series(wrong.data).where(~MASK).astype("Int64")):
        result = Result.from_estimator(fitted, truth=truth)
        assert result.truth[2] == ""
        assert result.scores["truth_adjusted_rand"] == 1.0


def test_masked_pairs_are_refused():
    pairs = np.ma.array([[0, 1], [2, 3]], mask=[[0, 0], [0, 1]])
    with pytest.raises(ComitiaError, match="must_link has masked entries"):
        ConstraintSet(6, pairs)


def test_a_pair_with_a_masked_label_is_not_violated():
    pairs = ConstraintSet(6, must_link=[(2, 3), (1, 3)])
    assert pairs.violated(MASKED).tolist() == [False, True]


@pytest.mark.parametrize("given", [MASKED_X, list(MASKED_X)], ids=["table", "rows"])
def test_masked_data_are_refused(given):
    for fit in (
        method("eac")(2).fit,
        KMeansGenerator(2).generate,
        KMedoids(2).fit,
        lambda data: comitia.choose_k(data, [2]),
    ):
        with pytest.raises(ComitiaError, match="X has masked values"):
            fit(given)


def test_an_object_that_is_masked_in_a_view_is_missing_there():
    with_nan = np.where(MASK[:, None], np.nan, X)
    fitted = MultiViewEnsemble(2, random_state=0).fit([X, MASKED_X])
    expected = MultiViewEnsemble(2, random_state=0).fit([X, with_nan])
    assert_array_equal(fitted.ensemble_.labels, expected.ensemble_.labels)
    assert (fitted.ensemble_.labels[2] == -1).any()


def test_a_masked_edge_is_refused():
    graph = np.ma.array(np.ones((6, 6)), mask=np.eye(6, k=1) + np.eye(6, k=-1))
    with pytest.raises(ComitiaError, match="graph must have finite weights"):
        modularity(graph, LABELS)


def test_a_masked_step_of_a_series_is_refused():
    series = [X.T, np.ma.array(X.T, mask=MASK[None])]
    with pytest.raises(ComitiaError, match=r"X\[1\] contains NaN"):
        method("yang_chen_2011")(2).fit(series)


def test_masked_weights_are_not_read():
    votes, weights = Ensemble([LABELS, LABELS]), np.ma.array([1.0, 9.0], mask=[0, 1])
    with pytest.raises(ComitiaError, match="clustering_weights must be finite"):
        votes.coassociation(clustering_weights=weights)
    with pytest.warns(ComitiaWarning, match="1 raw weight"):
        assert_array_equal(normalize_weights(weights), [1.0, 0.0])


def test_a_masked_weight_is_refused():
    with pytest.raises(ComitiaError, match="sample_weight must be finite"):
        KMedoids(2).fit(X, sample_weight=np.ma.array(np.ones(6), mask=MASK))
