"""What every method promises, whatever it computes: one suite over all of them."""

import inspect
import pickle

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.base import clone
from sklearn.datasets import make_blobs
from sklearn.metrics import adjusted_rand_score
from sklearn.utils.estimator_checks import parametrize_with_checks

from comitia import ConsensusClustering, Ensemble, MultiViewEnsemble
from comitia.catalogue import method_classes
from comitia.exceptions import ComitiaError
from comitia.generate import KMeansGenerator
from tests.fixtures import E6, planted, same_partition

METHODS = [*method_classes(), ConsensusClustering, MultiViewEnsemble]
# A few members are enough to see that nothing breaks.
FEW = KMeansGenerator(n_clusterings=6)


def make(cls, **parameters):
    """A method that is quick to fit: three clusters, few members, few rounds."""
    known = inspect.signature(cls).parameters
    quick = {"n_clusters": 3, "generator": FEW, "n_clusterings": 6, "n_rounds": 6}
    quick |= {"random_state": 0} | cls.card.quick | parameters
    return cls(**{name: value for name, value in quick.items() if name in known})


def takes(cls, need):
    return need in cls.card.needs


def on_tables(cls):
    """Whether X can be a table of numbers, as scikit-learn's checks assume.

    A table is one view of several, and series of one channel.
    """
    return not {"graph", "dendrograms"} & set(cls.card.needs)


# There may be fewer clusters than were asked for; who asked is told.
fewer = pytest.mark.filterwarnings("ignore:only .* of n_clusters:UserWarning")


@fewer
@parametrize_with_checks(
    [make(cls) for cls in METHODS if on_tables(cls)],
    expected_failed_checks=lambda method: dict(method.card.exempt),
)
def test_scikit_learns_estimator_checks(estimator, check):
    check(estimator)


class Easy:
    """Four clear clusters, ten clusterings that get 15 % of the objects wrong."""

    labels, truth = planted(120, 4, 10, noise=0.15, seed=3)
    ensemble = Ensemble(labels)
    X, _ = make_blobs(
        np.bincount(truth),
        centers=np.array([[0, 0], [0, 9], [9, 0], [9, 9]]),
        shuffle=False,
        random_state=3,
    )


def fit(cls, ensemble, X=None, **parameters):
    """Fit on data and clusterings; methods that need labels alone ignore the data."""
    data = Easy.X[: ensemble.n_objects] if X is None else X
    return make(cls, **parameters).fit(data, ensemble=ensemble)


def each_method(name, applies=lambda cls: True):
    """Parametrise over the methods, less those whose card says why not."""
    return pytest.mark.parametrize(
        "cls",
        [cls for cls in METHODS if applies(cls) and name not in cls.card.exempt],
        ids=lambda cls: cls.card.id,
    )


def each_combiner(name):
    """Parametrise over the methods that combine given clusterings."""
    return each_method(name, lambda cls: takes(cls, "labels") and on_tables(cls))


@each_combiner("recovery")
def test_easy_clusters_are_found(cls):
    found = fit(cls, Easy.ensemble, n_clusters=4).labels_
    assert adjusted_rand_score(Easy.truth, found) > 0.95


@each_combiner("chooses_k")
def test_the_number_of_easy_clusters_is_found(cls):
    assert fit(cls, Easy.ensemble, n_clusters=None).n_clusters_ == 4


@fewer
@each_combiner("deterministic")
def test_the_same_seed_gives_the_same_labels(cls):
    one = fit(cls, Easy.ensemble, n_clusters=5).labels_
    other = fit(cls, Easy.ensemble, n_clusters=5).labels_
    assert_array_equal(one, other)


@each_combiner("label_names")
def test_names_of_labels_do_not_matter(cls):
    renamed = np.array(["d", "b", "a", "c"])[Easy.labels]
    one = fit(cls, Easy.ensemble, n_clusters=4).labels_
    assert same_partition(one, fit(cls, Ensemble(renamed), n_clusters=4).labels_)


@each_combiner("object_order")
def test_the_order_of_objects_does_not_matter(cls):
    order = np.random.RandomState(0).permutation(len(Easy.truth))
    one = fit(cls, Easy.ensemble, n_clusters=4).labels_
    shuffled = fit(cls, Ensemble(Easy.labels[order]), Easy.X[order], n_clusters=4)
    # Up to ties: an object in the middle may go either way.
    assert adjusted_rand_score(one[order], shuffled.labels_) > 0.95


@each_combiner("clustering_order")
def test_the_order_of_clusterings_does_not_matter(cls):
    one = fit(cls, Easy.ensemble, n_clusters=4).labels_
    other = fit(cls, Ensemble(Easy.labels[:, ::-1]), n_clusters=4).labels_
    assert adjusted_rand_score(one, other) > 0.95


@each_combiner("unanimous")
def test_a_unanimous_ensemble_is_its_own_consensus(cls):
    same = Ensemble(np.repeat(Easy.truth[:, None], 5, axis=1))
    assert same_partition(fit(cls, same, n_clusters=4).labels_, Easy.truth)


@each_combiner("single_clustering")
def test_a_single_clustering_is_its_own_consensus(cls):
    alone = Ensemble(Easy.truth[:, None])
    assert same_partition(fit(cls, alone, n_clusters=4).labels_, Easy.truth)


@each_combiner("missing_labels")
def test_missing_labels_do_not_hide_easy_clusters(cls):
    partial = Easy.labels.copy()
    partial[np.random.RandomState(1).rand(*partial.shape) < 0.2] = -1
    found = fit(cls, Ensemble(partial), n_clusters=4).labels_
    assert adjusted_rand_score(Easy.truth, found) > 0.9


@each_combiner("one_cluster")
def test_one_cluster_can_be_asked_for(cls):
    assert fit(cls, Easy.ensemble, n_clusters=1).n_clusters_ == 1


@each_combiner("fitted_attributes")
def test_fitted_attributes_have_their_shapes(cls):
    check_attributes(fit(cls, Easy.ensemble, n_clusters=4))


def check_attributes(fitted):
    E = fitted.ensemble_
    shapes = {
        "labels_": (E.n_objects,),
        "clustering_weights_": (E.n_clusterings,),
        "cluster_weights_": (E.n_clusters,),
        "object_weights_": (E.n_objects,),
        "linkage_": (E.n_objects - 1, 4),
        "membership_": (E.n_objects, fitted.n_clusters_),
        "confidence_": (E.n_objects,),
    }
    for name, shape in shapes.items():
        if hasattr(fitted, name):
            values = getattr(fitted, name)
            assert values.shape == shape, name
            assert np.isfinite(values).all(), name
            assert (values >= 0).all(), name
    assert set(fitted.labels_) == set(range(fitted.n_clusters_))
    assert_allclose(fitted.membership_.sum(axis=1), 1.0)


@each_combiner("labels_only")
def test_label_only_methods_take_an_ensemble_alone(cls):
    if takes(cls, "data"):
        with pytest.raises(ComitiaError, match="ensemble=E"):
            make(cls).fit(Easy.ensemble)
    else:
        alone = make(cls, n_clusters=4).fit(Easy.ensemble).labels_
        assert_array_equal(alone, fit(cls, Easy.ensemble, n_clusters=4).labels_)


@each_method("own_ensemble", lambda cls: not takes(cls, "labels"))
def test_methods_with_their_own_ensemble_take_no_other(cls):
    with pytest.raises(ComitiaError, match="makes its own clusterings"):
        make(cls).fit(Easy.ensemble)


@each_method("data_alone", on_tables)
def test_data_alone_make_their_own_ensemble(cls):
    fitted = make(cls, n_clusters=4).fit(Easy.X)
    assert adjusted_rand_score(Easy.truth, fitted.labels_) > 0.8
    check_attributes(fitted)
    assert_array_equal(fitted.labels_, make(cls, n_clusters=4).fit(Easy.X).labels_)


@each_method("predict", lambda cls: on_tables(cls) and hasattr(make(cls), "predict"))
def test_old_objects_are_labelled_as_they_were(cls):
    fitted = make(cls, n_clusters=4).fit(Easy.X)
    assert (fitted.predict(Easy.X) == fitted.labels_).mean() >= 0.95


@each_method("pickle", on_tables)
def test_a_fitted_method_can_be_pickled_and_cloned(cls):
    fitted = make(cls).fit(Easy.X)
    again = pickle.loads(pickle.dumps(fitted))
    assert_array_equal(again.labels_, fitted.labels_)
    assert not hasattr(clone(fitted), "labels_")


@each_combiner("data_frames")
def test_data_frames_carry_their_names(cls):
    names = [f"object {i}" for i in range(len(Easy.truth))]
    X = pd.DataFrame(Easy.X, index=names, columns=["height", "width"])
    E = Ensemble(pd.DataFrame(Easy.labels, index=names).add_prefix("run "))
    fitted = make(cls).fit(X, ensemble=E)
    assert fitted.ensemble_.object_names[2] == "object 2"
    assert fitted.ensemble_.clustering_names[1] == "run 1"
    assert fitted.feature_names_in_.tolist() == ["height", "width"]


@each_combiner("too_many_clusters")
def test_more_clusters_than_objects_are_refused(cls):
    with pytest.raises(ComitiaError, match=r"n_clusters=7 is larger .* at most 6"):
        fit(cls, Ensemble(E6), n_clusters=7)


@each_combiner("uncovered")
def test_an_object_in_no_clustering_is_refused(cls):
    labels = E6.copy()
    labels[2] = -1
    with pytest.raises(ComitiaError, match="object 2; leave them out"):
        fit(cls, Ensemble(labels))


@each_combiner("all_or_nothing")
def test_a_failed_fit_leaves_the_method_as_it_was(cls):
    fitted = fit(cls, Easy.ensemble)
    before = dict(vars(fitted))
    with pytest.raises(ComitiaError):
        fitted.set_params(n_clusters=7).fit(Easy.X[:6], ensemble=Ensemble(E6))
    assert vars(fitted) == before | {"n_clusters": 7}


@each_method("constraints", lambda cls: not takes(cls, "constraints"))
def test_constraints_are_refused_where_they_are_not_used(cls):
    if on_tables(cls):
        with pytest.raises(ComitiaError, match="takes no constraints"):
            make(cls).fit(Easy.X, must_link=[(0, 1)])
