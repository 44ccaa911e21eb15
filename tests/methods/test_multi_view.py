"""Any method on clusterings, over several views."""

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.cluster import KMeans
from sklearn.datasets import make_blobs
from sklearn.metrics import adjusted_rand_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer

import comitia
from comitia import MultiViewEnsemble
from comitia.agreement import nmi
from comitia.exceptions import ComitiaError
from comitia.generate import FuzzyGenerator, KMeansGenerator
from comitia.generate.views_generator import Standardizer, ViewsGenerator
from comitia.partition import choose_n_clusters
from tests.fixtures import same_partition

# The first view tells 0 from the others, the second 1, the third nothing.
TRUTH = np.repeat([0, 1, 2], 30)
RNG = np.random.RandomState(0)
X0 = 8.0 * (TRUTH == 0)[:, None] + RNG.randn(90, 3)
X1 = 8.0 * (TRUTH == 1)[:, None] + RNG.randn(90, 2)
NOISE = RNG.randn(90, 4)
FEW = KMeansGenerator(6, n_clusters=(2, 4))
HALVES = KMeansGenerator(5, n_clusters=2)
# All three kinds are far apart in both of these.
FAR = [10.0 * np.eye(3)[TRUTH] + RNG.randn(90, 3) for _ in range(2)]


def without(X, rows):
    X = X.copy()
    X[rows] = np.nan
    return X


def test_views_tell_together_what_none_tells_alone():
    fitted = MultiViewEnsemble(3, generators=HALVES, random_state=0).fit([X0, X1])
    assert adjusted_rand_score(TRUTH, fitted.labels_) == 1.0
    for X in (X0, X1):
        alone = KMeans(3, n_init=10, random_state=0).fit_predict(X)
        assert adjusted_rand_score(TRUTH, alone) < 0.9


# Clusterings that are all alike make some methods warn that they do not vary.
@pytest.mark.filterwarnings("ignore::comitia.exceptions.ComitiaWarning")
@pytest.mark.parametrize("id", [card.id for card in comitia.methods(needs="labels")])
def test_every_method_on_clusterings_combines_views(id):
    generator = KMeansGenerator(4, n_clusters=3)
    fitted = MultiViewEnsemble(3, method=id, generators=generator, random_state=0)
    fitted.fit(FAR)
    assert adjusted_rand_score(TRUTH, fitted.labels_) > 0.95
    assert fitted.view_weights_.shape == (2,)
    assert_allclose(fitted.view_weights_.sum(), 1.0)
    assert (fitted.view_weights_ >= 0).all()


def test_the_method_sees_the_clusterings_of_all_views():
    fitted = MultiViewEnsemble(3, method="lwea", generators=FEW, random_state=0)
    fitted.fit({"size": X0, "color": X1})
    E = fitted.ensemble_
    assert E.groups.tolist() == ["size"] * 6 + ["color"] * 6
    assert_array_equal(fitted.view_of_, np.repeat([0, 1], 6))
    alone = comitia.method("lwea")(3).fit(E)
    assert_array_equal(fitted.labels_, alone.labels_)
    assert_array_equal(fitted.cluster_weights_, alone.cluster_weights_)
    assert_array_equal(fitted.linkage_, alone.linkage_)
    assert_array_equal(fitted.membership_, alone.membership_)


def test_clusterings_of_a_view_are_those_of_its_generator():
    generators = [KMeansGenerator(3, n_clusters=2, random_state=5), FEW]
    fitted = MultiViewEnsemble(2, generators=generators, random_state=0).fit([X0, X1])
    alone = KMeansGenerator(3, n_clusters=2, random_state=5)
    alone = alone.generate((X0 - X0.mean(axis=0)) / X0.std(axis=0))
    assert_array_equal(fitted.ensemble_.labels[:, :3], alone.labels)
    assert_array_equal(np.bincount(fitted.view_of_), [3, 6])


def test_missing_objects_have_no_label_in_their_view():
    views = [without(FAR[0], slice(0, 20)), without(FAR[1], slice(30, 90, 3))]
    fitted = MultiViewEnsemble(3, random_state=0).fit(views)
    missing = fitted.ensemble_.labels == -1
    for v, X in enumerate(views):
        absent = np.isnan(X[:, 0])[:, None]
        assert (missing[:, fitted.view_of_ == v] == absent).all()
    assert adjusted_rand_score(TRUTH, fitted.labels_) > 0.9


def test_views_weigh_what_their_clusterings_weigh():
    fitted = MultiViewEnsemble(3, method="weac", generators=FEW, random_state=0)
    fitted.fit([X0, NOISE, X1])
    w = fitted.clustering_weights_
    expected = np.array([w[:6].sum(), w[6:12].sum(), w[12:].sum()]) / w.sum()
    assert_allclose(fitted.view_weights_, expected)
    assert fitted.view_weights_.argmin() == 1


def test_views_weigh_what_their_clusters_weigh_by_size():
    views = [without(X0, slice(0, 9)), X1]
    fitted = MultiViewEnsemble(3, generators=FEW, random_state=0).fit(views)
    E, mass = fitted.ensemble_, np.zeros(2)
    for c in range(E.n_clusters_total):
        view = 0 if E.clustering_of[c] < 6 else 1
        mass[view] += fitted.cluster_weights_[c] * E.sizes[c]
    assert_allclose(fitted.view_weights_, mass / mass.sum())


def test_a_method_without_weights_counts_clusterings():
    generators = [KMeansGenerator(3, n_clusters=3), KMeansGenerator(9, n_clusters=3)]
    fitted = MultiViewEnsemble(3, method="eac", generators=generators, random_state=0)
    assert_allclose(fitted.fit([X0, X1]).view_weights_, [0.25, 0.75])


def test_a_selection_weighs_what_it_kept():
    fitted = MultiViewEnsemble(3, method="cas", generators=FEW, random_state=0)
    fitted.fit([X0, NOISE, X1])
    kept = np.bincount(fitted.view_of_, fitted.selected_)
    assert_allclose(fitted.view_weights_, kept / kept.sum())


def test_agreement_is_the_mean_over_the_clusterings_of_a_view():
    views = [without(X0, [3, 50]), NOISE]
    fitted = MultiViewEnsemble(3, generators=FEW, random_state=0).fit(views)
    for v in range(2):
        columns = fitted.ensemble_.labels[:, fitted.view_of_ == v].T
        mean = np.mean(
            [nmi(c[c >= 0], fitted.labels_[c >= 0], average="sqrt") for c in columns]
        )
        assert_allclose(fitted.view_agreement_[v], mean)
    assert fitted.view_agreement_[0] > fitted.view_agreement_[1]


def test_the_method_keeps_its_parameters_and_its_number_of_clusters():
    lwea = comitia.method("lwea")(n_clusters=2, theta=0.7)
    fitted = MultiViewEnsemble(method=lwea, generators=FEW, random_state=0)
    fitted.fit([X0, X1])
    assert fitted.n_clusters_ == 2
    assert fitted.method_.theta == 0.7
    assert not hasattr(lwea, "labels_")
    assert fitted.set_params(n_clusters=3).fit([X0, X1]).n_clusters_ == 3
    chosen = MultiViewEnsemble(method="eac", generators=HALVES, random_state=0)
    chosen.fit([X0, X1])
    assert chosen.n_clusters_ == choose_n_clusters(chosen.ensemble_)


@pytest.mark.parametrize(
    ("scale", "expected"),
    [
        ("unit", [[0.6, 0.8], [0.0, 0.0], [0.6, 0.8]]),
        ("standard", [[0.0, 0.0], [-(1.5**0.5), -(1.5**0.5)], [1.5**0.5, 1.5**0.5]]),
        (None, [[3.0, 4.0], [0.0, 0.0], [6.0, 8.0]]),
    ],
)
def test_scales_are_what_they_say(scale, expected):
    seen = []

    class Spy(KMeansGenerator):
        def generate(self, X):
            seen.append(X)
            return super().generate(X)

    X = np.array([[3.0, 4.0], [0.0, 0.0], [np.nan, np.nan], [6.0, 8.0]])
    model = MultiViewEnsemble(2, scale=scale, generators=Spy(2, n_clusters=2))
    model.set_params(random_state=0).fit([X, np.arange(4.0)[:, None]])
    assert_allclose(seen[0], expected, atol=1e-12)


def test_one_table_is_cut_into_views_and_serves_in_a_pipeline():
    wide = np.hstack([X0, X1])
    model = MultiViewEnsemble(3, views=[slice(0, 3), [3, 4]], random_state=0)
    several = MultiViewEnsemble(3, random_state=0).fit([X0, X1])
    assert_array_equal(model.fit(wide).labels_, several.labels_)
    pipeline = make_pipeline(FunctionTransformer(), model)
    assert_array_equal(pipeline.fit_predict(wide), several.labels_)
    frames = [pd.DataFrame(X0), pd.DataFrame(X1)]
    again = MultiViewEnsemble(3, random_state=0).fit(frames)
    assert_array_equal(again.labels_, several.labels_)


def test_new_objects_are_labeled_also_where_views_are_missing():
    views = {"a": X0, "b": X1}
    fitted = MultiViewEnsemble(3, random_state=0).fit(views)
    new = {"b": X1[::4], "a": without(X0[::4], slice(9, 12))}
    labels = fitted.predict(new)
    # Rows 36 to 44 are of the kind that the second view tells by itself.
    assert (labels == fitted.labels_[::4]).mean() > 0.95
    with pytest.raises(ComitiaError, match=r"\[3, 4\] features; .* to \[3, 2\]"):
        fitted.predict([X0, NOISE])


def test_fuzzy_clusterings_keep_their_memberships():
    generator = FuzzyGenerator(3, n_clusters=3)
    made = ViewsGenerator(generator, random_state=0)
    ensemble = made.generate([without(X0, [4]), X1])
    assert ensemble.kind == "fuzzy"
    alone = made.generators_[1].ensemble_.membership.toarray()
    assert_allclose(ensemble.membership.toarray()[:, -alone.shape[1] :], alone)
    assert ensemble.labels[4, :3].tolist() == [-1] * 3
    mixed = ViewsGenerator([generator, FEW], random_state=0).generate([X0, X1])
    assert mixed.n_clusterings == 9


def test_one_view_does_not_move_the_clusterings_of_another():
    one = ViewsGenerator(FEW, random_state=3).generate([X0, X1]).labels
    other = ViewsGenerator(FEW, random_state=3).generate([NOISE, X1]).labels
    assert_array_equal(one[:, 6:], other[:, 6:])


def test_standardized_columns_have_unit_variance_and_flat_ones_stay_flat():
    X = np.column_stack([X0[:, 0], np.full(90, 1e6), 5.0 + 1e-3 * X0[:, 1]])
    X = without(X, [7])
    Z = Standardizer.of(X)(X)
    assert_allclose(np.nanmean(Z, axis=0), 0.0, atol=1e-9)
    assert_allclose(np.nanstd(Z, axis=0), [1.0, 0.0, 1.0])


@pytest.mark.parametrize(
    ("parameters", "X", "message"),
    [
        ({"method": "lwgq"}, [X0, X1], "no method with the id 'lwgq'"),
        ({"method": "berikov_pestunov_2017"}, [X0, X1], "combine clusterings alone"),
        ({"method": KMeans(2)}, [X0, X1], "method='KMeans' does not combine"),
        ({"generators": [FEW]}, [X0, X1], "1 generators for 2 views"),
        ({}, [X0, X1[:50]], "90, 50 rows"),
        ({}, [without(X0, [1]), without(X1, [1])], "1 object.* are in no view"),
        ({"views": [slice(0, 2)]}, [X0, X1], "list of views already"),
    ],
)
def test_bad_input_is_refused_in_words(parameters, X, message):
    with pytest.raises(ComitiaError, match=message):
        MultiViewEnsemble(2, **parameters).fit(X)


def test_blobs_in_one_view_are_a_plain_ensemble():
    X, _ = make_blobs(60, centers=3, random_state=1)
    seeded = KMeansGenerator(6, random_state=2)
    fitted = MultiViewEnsemble(3, method="eac", generators=seeded, scale=None).fit([X])
    alone = comitia.method("eac")(3).fit(seeded.generate(X))
    assert same_partition(fitted.labels_, alone.labels_)


def test_by_default_views_are_clustered_alone_and_side_by_side():
    fitted = MultiViewEnsemble(3, random_state=0).fit({"size": X0, "color": X1})
    assert fitted.method_.card.id == comitia.catalogue.DEFAULT_METHOD
    assert np.unique(fitted.view_of_, return_counts=True)[1].tolist() == [20, 20, 20]
    assert (fitted.ensemble_.groups[fitted.view_of_ == -1] == "all views").all()
    assert adjusted_rand_score(TRUTH, fitted.labels_) == 1.0
    assert fitted.view_weights_.shape == fitted.view_agreement_.shape == (2,)
    assert_allclose(fitted.view_weights_.sum(), 1.0)


def test_side_by_side_a_view_does_not_count_for_its_columns():
    fitted = MultiViewEnsemble(3, random_state=0).fit([X0, X1])
    wide = MultiViewEnsemble(3, random_state=0).fit([X0, np.hstack([X1] * 8)])
    of_all = fitted.view_of_ == -1
    for one, other in zip(
        fitted.ensemble_.labels.T[of_all], wide.ensemble_.labels.T[of_all], strict=True
    ):
        assert same_partition(one, other)


@pytest.mark.parametrize(
    ("n_absent", "n_groups"), [(0, 3), (20, 3), (60, 2)], ids=["none", "few", "most"]
)
def test_views_are_side_by_side_where_half_of_the_objects_have_all(n_absent, n_groups):
    views = [FAR[0], without(FAR[1], slice(0, n_absent))]
    fitted = MultiViewEnsemble(3, random_state=0).fit(views)
    assert len(np.unique(fitted.view_of_)) == n_groups
    together = fitted.ensemble_.labels[:, fitted.view_of_ == -1]
    assert ((together == -1) == (np.arange(90) < n_absent)[:, None]).all()
    assert_array_equal(fitted.predict(views), fitted.labels_)


def test_one_view_is_not_put_beside_itself():
    fitted = MultiViewEnsemble(3, random_state=0).fit([FAR[0]])
    assert (fitted.view_of_ == 0).all()


def test_counts_of_words_are_told_by_their_zeros():
    rng = np.random.RandomState(0)
    # Long and short texts on three subjects: what they share is direction.
    rates = np.kron(np.eye(3), np.ones((1, 20))) + 0.05
    lengths = np.where(rng.rand(90) < 0.5, 0.2, 4.0)
    words = rng.poisson(rates[TRUTH] * lengths[:, None]).astype(float)
    words[words.sum(axis=1) == 0.0, 0] = 1.0
    lying = np.abs(FAR[0])
    words[0] = np.nan
    fitted = MultiViewEnsemble(3, random_state=0).fit([words, lying, -words])
    told = [isinstance(one, Standardizer) for one in fitted.scalers_]
    assert told == [False, True, True]
    found = {
        scale: MultiViewEnsemble(3, scale=scale, random_state=0).fit_predict(
            [words[1:]]
        )
        for scale in ("auto", "unit", "standard")
    }
    assert_array_equal(found["auto"], found["unit"])
    assert adjusted_rand_score(TRUTH[1:], found["unit"]) > 0.85
    assert adjusted_rand_score(TRUTH[1:], found["standard"]) < 0.7
