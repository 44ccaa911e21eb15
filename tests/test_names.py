"""Rows are matched by name wherever both sides have names (comitia._names)."""

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_array_equal

import comitia
from comitia import Ensemble, MultiViewEnsemble, method
from comitia._names import match_rows, names_of
from comitia.agreement import agreement, agreement_with, contingency_table
from comitia.cluster import COPKMeans, KMedoids
from comitia.exceptions import ComitiaError
from comitia.generate import KMeansGenerator, ViewsGenerator
from comitia.io import Result, read_labels
from comitia.plot import ProfileDisplay
from comitia.validity import Clustered, score_table

NAMES = np.array([f"o{i}" for i in range(12)])
TRUTH = pd.Series([0] * 4 + [1] * 4 + [2] * 4, index=NAMES)
# Three clusters far apart; the labels of a row follow from its values.
X = pd.DataFrame(
    {"a": TRUTH * 10.0 + np.arange(12) % 4, "b": TRUTH**2 * 7.0}, index=NAMES
)
SHUFFLED = np.random.RandomState(0).permutation(12)


def shuffled(table):
    return table.iloc[SHUFFLED]


def same(labels, others):
    return agreement(np.asarray(labels), np.asarray(others), "adjusted_rand") == 1.0


# -- the rule ------------------------------------------------------------------------


def test_series_are_matched_by_their_index():
    votes = Ensemble([TRUTH, shuffled(TRUTH)])
    assert votes.agreement("adjusted_rand")[0, 1] == 1.0
    assert_array_equal(votes.object_names, NAMES)
    assert_array_equal(votes.labels[:, 0], TRUTH)


def test_the_order_is_that_of_the_first_series():
    votes = Ensemble([shuffled(TRUTH), TRUTH])
    assert_array_equal(votes.object_names, NAMES[SHUFFLED])


@pytest.mark.parametrize("first", [0, 1])
def test_numbers_are_names_beside_the_same_numbers(first):
    numbered = TRUTH.reset_index(drop=True)
    both = [numbered, shuffled(numbered)]
    votes = Ensemble([both[first], both[1 - first]])
    assert votes.agreement("adjusted_rand")[0, 1] == 1.0


def test_default_numbers_are_no_names_beside_names():
    votes = Ensemble([shuffled(TRUTH).reset_index(drop=True), shuffled(TRUTH)])
    assert votes.agreement("adjusted_rand")[0, 1] == 1.0
    assert_array_equal(votes.object_names, NAMES[SHUFFLED])


def test_arrays_are_matched_by_position():
    votes = Ensemble([TRUTH.to_numpy(), shuffled(TRUTH)])
    assert_array_equal(votes.labels[:, 0], TRUTH)
    assert_array_equal(votes.labels[:, 1], shuffled(TRUTH))


def test_a_side_without_names_does_not_choose_between_two_orders():
    with pytest.raises(ComitiaError, match=r"labels\[0\] has no names, while labels"):
        Ensemble([TRUTH.to_numpy(), TRUTH, shuffled(TRUTH)])


def test_names_that_differ_are_named():
    other = TRUTH.rename({"o3": "p3", "o5": "p5"})
    with pytest.raises(
        ComitiaError, match=r"only labels\[0\] has 'o3', 'o5', only .* has 'p3', 'p5'"
    ):
        Ensemble([TRUTH, other])


def test_of_many_names_three_are_shown():
    with pytest.raises(ComitiaError, match=r"'q0', 'q1', 'q10' and 9 more"):
        Ensemble([TRUTH, TRUTH.rename(lambda name: name.replace("o", "q"))])


def test_objects_that_one_side_lacks_are_refused():
    with pytest.raises(ComitiaError, match=r"only labels\[0\] has 'o11'"):
        Ensemble([TRUTH, TRUTH.iloc[:-1]])


def test_what_is_advised_for_names_that_differ_works():
    part = TRUTH.iloc[2:]
    with pytest.raises(ComitiaError, match=r"reindex\(names\)") as told:
        Ensemble([TRUTH, part])
    assert "by position" not in str(told.value)
    assert Ensemble([TRUTH, part.reindex(TRUTH.index)]).kind == "partial"
    other = TRUTH.rename(lambda name: name.replace("o", "q"))
    with pytest.raises(ComitiaError, match="match rows by position"):
        Ensemble([TRUTH, other])
    assert Ensemble([TRUTH, other.reset_index(drop=True)]).n_objects == len(TRUTH)


def test_names_that_repeat_are_accepted_in_the_same_order_only():
    twice = TRUTH.rename({"o1": "o0"})
    assert Ensemble([twice, twice]).agreement("adjusted_rand")[0, 1] == 1.0
    with pytest.raises(ComitiaError, match="names 'o0' more than once"):
        Ensemble([twice, shuffled(twice)])


def test_names_are_compared_as_text():
    numbers = TRUTH.set_axis(np.arange(12) + 5)
    texts = TRUTH.set_axis([str(i + 5) for i in range(12)])
    assert Ensemble([numbers, shuffled(texts)]).agreement("rand")[0, 1] == 1.0
    with pytest.raises(ComitiaError, match=r"only .* has '10.0'"):
        Ensemble([numbers, TRUTH.set_axis(np.arange(12) + 5.0)])


@pytest.mark.parametrize(
    "index",
    [
        pd.MultiIndex.from_product([list("abc"), range(4)]),
        pd.date_range("2026", periods=12),
        pd.CategoricalIndex(NAMES),
        pd.Index(np.arange(12) / 2),
    ],
    ids=["multi", "dates", "categories", "floats"],
)
def test_any_index_names_rows(index):
    named = TRUTH.set_axis(index)
    assert Ensemble([named, shuffled(named)]).agreement("rand")[0, 1] == 1.0


def test_a_column_is_no_index():
    frame = pd.DataFrame({"object_names": TRUTH, "obs_names": TRUTH})
    assert_array_equal(Ensemble(frame).object_names, NAMES)


def test_what_has_no_index_has_no_names():
    pl, pa = pytest.importorskip("polars"), pytest.importorskip("pyarrow")
    for nameless in ([1], (1,), np.ones(2), "ab", None, pl.Series([1]), pa.array([1])):
        assert names_of(nameless) is None
    assert names_of(pl.DataFrame({"a": [1]})) is None
    assert names_of(pa.table({"a": [1]})) is None


def test_an_annotated_table_has_names():
    anndata = pytest.importorskip("anndata")
    table = anndata.AnnData(X.to_numpy(), obs=pd.DataFrame(index=NAMES))
    assert_array_equal(names_of(table), NAMES)
    assert names_of(anndata.AnnData(X.to_numpy())) == range(12)
    table.obs["one"], table.obs["two"] = TRUTH.to_numpy(), TRUTH.to_numpy()
    fitted = method("son_2016")(3).fit(shuffled(X), ensemble=Ensemble(table.obs))
    assert same(fitted.labels_, shuffled(TRUTH))


def test_nothing_moves_where_nobody_has_names():
    order, rows = match_rows([None, range(3), None], "abc")
    assert order is None
    assert rows == [None, None, None]


# -- every door ----------------------------------------------------------------------


def test_an_index_that_pyarrow_took_over_is_no_clustering():
    pa = pytest.importorskip("pyarrow")
    table = pa.Table.from_pandas(pd.DataFrame({"one": TRUTH, "two": TRUTH}))
    votes = Ensemble(table)
    assert_array_equal(votes.object_names, NAMES)
    assert list(votes.clustering_names) == ["one", "two"]


def test_memberships_are_matched_by_their_index():
    crisp = pd.DataFrame(np.eye(3)[TRUTH], index=NAMES)
    votes = Ensemble.from_memberships([crisp, shuffled(crisp)])
    assert_array_equal(votes.object_names, NAMES)
    assert_array_equal(votes.labels[:, 0], votes.labels[:, 1])
    with pytest.raises(ComitiaError, match=r"memberships\[1\] and memberships\[0\]"):
        Ensemble.from_memberships([crisp, crisp.rename({"o1": "p1"})])


@pytest.mark.parametrize("kind", ["hard", "fuzzy"])
def test_an_ensemble_is_matched_with_the_data(kind):
    labels = pd.DataFrame({"one": TRUTH, "two": TRUTH % 2, "three": TRUTH})
    votes = Ensemble(shuffled(labels))
    if kind == "fuzzy":
        crisp = [pd.DataFrame(np.eye(3)[labels[c]], index=NAMES) for c in labels]
        votes = Ensemble.from_memberships([shuffled(one) for one in crisp])
    fitted = method("son_2016")(3).fit(X, ensemble=votes)
    expected = method("son_2016")(3).fit(X, ensemble=Ensemble(labels))
    assert same(fitted.labels_, TRUTH)
    assert_array_equal(fitted.ensemble_.object_names, NAMES)
    assert_array_equal(fitted.ensemble_.labels, expected.ensemble_.labels)
    np.testing.assert_allclose(fitted.clustering_weights_, expected.clustering_weights_)


def test_an_ensemble_of_other_objects_is_refused():
    votes = Ensemble(pd.DataFrame({"one": TRUTH}).rename({"o1": "p1"}))
    with pytest.raises(ComitiaError, match="only X has 'o1', only ensemble has 'p1'"):
        method("son_2016")(3).fit(X, ensemble=votes)


def test_data_in_an_array_are_matched_by_position():
    votes = Ensemble(pd.DataFrame({"one": TRUTH, "two": TRUTH}))
    fitted = method("son_2016")(3).fit(X.to_numpy(), ensemble=votes)
    assert same(fitted.labels_, TRUTH)
    assert_array_equal(fitted.ensemble_.object_names, NAMES)


def test_names_of_the_data_reach_the_ensemble():
    made = KMeansGenerator(2, n_clusters=3, random_state=0).generate(X)
    assert_array_equal(made.object_names, NAMES)
    fitted = method("eac")(3, random_state=0).fit(X)
    assert_array_equal(fitted.ensemble_.object_names, NAMES)
    assert (
        method("eac")(3, random_state=0)
        .fit(X.reset_index(drop=True))
        .ensemble_.object_names
        is None
    )


def test_views_are_matched_by_their_index():
    views = [X[["a"]], shuffled(X[["b"]])]
    fitted = MultiViewEnsemble(3, random_state=0).fit(views)
    expected = MultiViewEnsemble(3, random_state=0).fit([X[["a"]], X[["b"]]])
    assert_array_equal(fitted.labels_, expected.labels_)
    assert_array_equal(fitted.ensemble_.labels, expected.ensemble_.labels)
    assert_array_equal(fitted.ensemble_.object_names, NAMES)
    assert_array_equal(fitted.predict(views), expected.labels_)
    with pytest.raises(ComitiaError, match=r"X\[1\] and X\[0\] name different"):
        MultiViewEnsemble(3).fit([X, X.rename({"o1": "p1"})])


def test_methods_for_views_match_rows_too():
    views = {"one": X, "two": shuffled(X)}
    fitted = method("mvcc")(3, random_state=0).fit(views)
    assert same(fitted.labels_, TRUTH)
    assert_array_equal(fitted.ensemble_.object_names, NAMES)


@pytest.mark.filterwarnings("ignore:X of the AnnData is clustered as it is")
@pytest.mark.parametrize("both", [True, False])
def test_views_may_be_annotated_tables(both):
    anndata = pytest.importorskip("anndata")

    def annotated(table):
        obs = pd.DataFrame(index=table.index)
        return anndata.AnnData(table.to_numpy(), obs=obs)

    views = [annotated(X), annotated(shuffled(X)) if both else shuffled(X)]
    fitted = method("mvcc")(3, random_state=0).fit(views)
    assert same(fitted.labels_, TRUTH)
    assert_array_equal(fitted.ensemble_.object_names, NAMES)
    assert_array_equal(
        fitted.labels_, method("mvcc")(3, random_state=0).fit([X, X]).labels_
    )


def test_a_generator_for_views_matches_rows():
    once = KMeansGenerator(1, n_clusters=3)
    made = ViewsGenerator(once, random_state=0).generate([X, shuffled(X)])
    assert same(made.labels[:, 0], made.labels[:, 1])
    assert_array_equal(made.object_names, NAMES)


def test_features_of_views_in_another_order_are_refused():
    fitted = MultiViewEnsemble(3, random_state=0).fit([X, X[["b"]]])
    with pytest.raises(ComitiaError, match=r"X\[0\] has the columns b, a"):
        fitted.predict([X[["b", "a"]], X[["b"]]])
    stream = method("omvc")(3, random_state=0).partial_fit([X, X[["b"]]])
    with pytest.raises(ComitiaError, match=r"X\[0\] has the columns b, a"):
        stream.partial_fit([X[["b", "a"]], X[["b"]]])


def test_features_in_another_order_are_refused():
    fitted = method("eac")(3, random_state=0).fit(X)
    with pytest.raises(ValueError, match="same order"):
        fitted.predict(X[["b", "a"]])


def test_agreement_matches_rows():
    assert agreement(TRUTH, shuffled(TRUTH), "adjusted_rand") == 1.0
    assert_array_equal(contingency_table(TRUTH, shuffled(TRUTH)), np.eye(3) * 4)
    assert agreement_with(shuffled(TRUTH), Ensemble([TRUTH]), "rand")[0] == 1.0
    with pytest.raises(ComitiaError, match="b and a name different objects"):
        agreement(TRUTH, TRUTH.rename({"o1": "p1"}))


def test_validity_matches_rows():
    expected = Clustered(X, TRUTH)
    assert_array_equal(Clustered(X, shuffled(TRUTH)).codes, expected.codes)
    scores = score_table(X, Ensemble([TRUTH]), ["sse"]).values
    assert_array_equal(
        score_table(shuffled(X), Ensemble([TRUTH]), ["sse"]).values, scores
    )


def test_known_classes_are_matched_by_their_index():
    votes = Ensemble([TRUTH, TRUTH])
    for data in ({"X": votes}, {"X": X, "ensemble": Ensemble([shuffled(TRUTH)] * 2)}):
        found = comitia.compare(
            **data,
            methods=["voting"],
            n_clusters=3,
            truth=shuffled(TRUTH),
            n_resamples=0,
            random_state=0,
        )
        assert found.rows[0].external["adjusted_rand"] == 1.0


def test_a_result_matches_data_and_known_classes():
    fitted = method("eac")(3, random_state=0).fit(X)
    expected = Result.from_estimator(fitted, X, truth=TRUTH)
    result = Result.from_estimator(fitted, shuffled(X), truth=shuffled(TRUTH))
    assert_array_equal(result.object_names, NAMES)
    assert_array_equal(result.truth, expected.truth)
    assert_array_equal(result.positions, expected.positions)
    assert_array_equal(result.profile.means, expected.profile.means)
    assert result.scores == expected.scores
    with pytest.raises(ComitiaError, match="only truth has 'p1'"):
        Result.from_estimator(fitted, X, truth=TRUTH.rename({"o1": "p1"}))


def test_a_result_of_views_matches_rows():
    fitted = MultiViewEnsemble(3, random_state=0).fit([X, X])
    result = Result.from_estimator(fitted, [shuffled(X), X])
    expected = Result.from_estimator(fitted, [X, X])
    assert_array_equal(result.profile.means, expected.profile.means)


def test_a_profile_matches_rows():
    fitted = method("eac")(3, random_state=0).fit(X)
    assert_array_equal(
        ProfileDisplay.from_estimator(fitted, shuffled(X)).differences,
        ProfileDisplay.from_estimator(fitted, X).differences,
    )


def test_weights_of_objects_are_matched_by_their_index():
    weights = pd.Series(np.arange(12.0) ** 2, index=NAMES)
    expected = KMedoids(2, random_state=0).fit(X, sample_weight=weights)
    fitted = KMedoids(2, random_state=0).fit(X, sample_weight=shuffled(weights))
    assert_array_equal(fitted.medoid_indices_, expected.medoid_indices_)
    with pytest.raises(ComitiaError, match="only sample_weight has 'p1'"):
        KMedoids(2).fit(X, sample_weight=weights.rename({"o1": "p1"}))


def test_constraints_may_be_names():
    pairs = {"must_link": [("o0", "o4")], "cannot_link": pd.DataFrame([["o8", "o9"]])}
    numbers = {"must_link": [(0, 4)], "cannot_link": [(8, 9)]}
    named = COPKMeans(3, random_state=0).fit(X, **pairs)
    assert_array_equal(
        named.labels_, COPKMeans(3, random_state=0).fit(X, **numbers).labels_
    )
    fitted = method("yu_2018")(3, random_state=0).fit(X, **pairs)
    assert fitted.constraints_.must_link.tolist() == [[0, 4]]
    assert fitted.constraints_.cannot_link.tolist() == [[8, 9]]


def test_constraints_on_unknown_objects_are_refused():
    with pytest.raises(ComitiaError, match="must_link names the object 'p'"):
        COPKMeans(3).fit(X, must_link=[("o0", "p")])
    with pytest.raises(ComitiaError, match="the data have no names"):
        COPKMeans(3).fit(X.to_numpy(), must_link=[("o0", "o1")])
    with pytest.raises(ComitiaError, match="names repeat"):
        COPKMeans(3).fit(X.rename({"o1": "o0"}), must_link=[("o0", "o2")])


def test_numbers_in_constraints_are_rows():
    numbered = shuffled(X.reset_index(drop=True))
    fitted = method("yu_2018")(3, random_state=0).fit(numbered, must_link=[(0, 4)])
    assert fitted.constraints_.must_link.tolist() == [[0, 4]]


def test_saved_clusterings_are_joined_by_name(tmp_path):
    Ensemble(TRUTH.to_frame("one")).save(tmp_path / "one.npz")
    Ensemble(shuffled(TRUTH).to_frame("two")).save(tmp_path / "two.npz")
    votes = read_labels([tmp_path / "one.npz", tmp_path / "two.npz"])
    assert_array_equal(votes.object_names, NAMES)
    assert same(*votes.labels.T)


def test_a_dask_frame_is_refused_in_words():
    dd = pytest.importorskip("dask.dataframe")
    frame = dd.from_pandas(pd.DataFrame({"one": TRUTH}), npartitions=2)
    with pytest.raises(ComitiaError, match="to_dask_array"):
        Ensemble.from_dask(frame)
