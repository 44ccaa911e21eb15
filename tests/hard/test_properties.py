"""Any ensemble at all: every label-only method takes it, or says why it does not."""

import re
import warnings

import numpy as np
import pytest
from hypothesis import given, note
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from numpy.testing import assert_allclose
from sklearn.exceptions import ConvergenceWarning
from sklearn.metrics import adjusted_rand_score

from comitia import Ensemble
from comitia.exceptions import ComitiaError, ComitiaWarning
from tests.hard.methods import METHODS, make
from tests.hard.profiles import share_of

LABEL_ONLY = [cls for cls in METHODS if cls.card.needs == ("labels",)]
WEIGHTS = ("clustering_weights_", "cluster_weights_", "object_weights_")

# Whose weights are not a function of the clusterings alone.
DRAWN = {
    "gkwea": "weights are read off a consensus that ties may decide",
    "rouba_2017": "of equally good clusterings the first is the one to be like",
}
# Whose clusters hang on ties even where they are clear.
TIED = {"nazari_2017": "of clusters that are equally reliable the first is retained"}

each_method = pytest.mark.parametrize("cls", LABEL_ONLY, ids=lambda cls: cls.card.id)


# -- ensembles -----------------------------------------------------------------------

sizes = st.tuples(st.integers(1, 30), st.integers(1, 6))


@st.composite
def label_tables(draw, missing=False):
    """Labels of up to 30 objects in up to 6 clusterings; each object somewhere."""
    n, M = draw(sizes)
    k = draw(st.integers(1, 8))
    labels = draw(arrays(np.int8, (n, M), elements=st.integers(-missing, k - 1)))
    labels[(labels == -1).all(axis=1), 0] = 0
    labels[0, (labels == -1).all(axis=0)] = 0
    return labels


hard = label_tables().map(Ensemble)
partial = label_tables(missing=True).map(Ensemble)


@st.composite
def fuzzy(draw):
    """Memberships in tenths, with an object here and there that belongs nowhere."""
    n, M = draw(sizes)
    tables = []
    for _ in range(M):
        k = draw(st.integers(1, 5))
        F = draw(arrays(np.float64, (n, k), elements=st.integers(0, 10))) * 1.0
        F[0, 0] += 1
        total = F.sum(axis=1, keepdims=True)
        tables.append(F / np.where(total > 0, total, 1.0))
    tables[0][tables[0].sum(axis=1) == 0, 0] = 1.0
    return Ensemble.from_memberships(tables)


@st.composite
def overlapping(draw):
    """Clusters that share objects."""
    n, M = draw(sizes)
    clusterings = []
    for _ in range(M):
        belongs = draw(arrays(bool, (n, draw(st.integers(1, 4)))))
        belongs[0, 0] = True
        clusterings.append([np.flatnonzero(c) for c in belongs.T if c.any()])
    clusterings[0].append(np.arange(n))
    return Ensemble.from_clusters(clusterings, n)


@st.composite
def clear(draw):
    """Two to four clusters of at least five; each clustering misplaces one object.

    It is another one each time, so that no object has as many votes here as there.
    """
    k = draw(st.integers(2, 4))
    truth = np.repeat(np.arange(k), draw(st.integers(5, 7)))
    M = draw(st.integers(4, 6))
    objects = st.integers(0, len(truth) - 1)
    columns = []
    for i in draw(st.lists(objects, min_size=M, max_size=M, unique=True)):
        column = truth.copy()
        column[i] = draw(st.integers(0, k - 1))
        columns.append(column)
    return np.column_stack(columns), k


ensembles = st.one_of(hard, partial, fuzzy(), overlapping())

# -- what is done to them ------------------------------------------------------------


def duplicated(labels, rng):
    """One of the clusterings twice."""
    return np.column_stack([labels, labels[:, rng.randint(labels.shape[1])]])


def with_a_constant(labels, rng):
    """A clustering that puts everybody together besides."""
    return np.column_stack([labels, np.zeros(len(labels), labels.dtype)])


def with_singletons(labels, rng):
    """A clustering that leaves everybody alone besides."""
    return np.column_stack([labels, np.arange(len(labels))])


def renamed(labels, rng):
    """Other names for the clusters of each clustering."""
    codes = Ensemble(labels).labels
    names = [rng.permutation(column.max() + 1) for column in codes.T]
    columns = [
        np.where(column < 0, -1, name[column])
        for column, name in zip(codes.T, names, strict=True)
    ]
    return np.column_stack(columns)


# -- how a method is fitted ----------------------------------------------------------


def fit(cls, ensemble, n_clusters):
    """Fit without a warning that is not meant for users."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ComitiaWarning)
        warnings.simplefilter("ignore", ConvergenceWarning)
        return make(cls, n_clusters=n_clusters).fit(ensemble)


def check_result(fitted, n_clusters):
    """Labels in range, weights finite, not negative and on their simplex."""
    E = fitted.ensemble_
    assert fitted.labels_.shape == (E.n_objects,)
    assert {*fitted.labels_.tolist()} == {*range(fitted.n_clusters_)}
    assert n_clusters is None or fitted.n_clusters_ <= n_clusters
    for name in (*WEIGHTS, "confidence_", "membership_"):
        if hasattr(fitted, name):
            values = getattr(fitted, name)
            assert np.isfinite(values).all(), name
            # Those of a selection are scores, such as an adjusted Rand index.
            scores = name in WEIGHTS and fitted.card.approach == "selection"
            assert scores or (values >= 0).all(), name
    for name in WEIGHTS:
        if hasattr(fitted, name) and says_they_sum_to_one(type(fitted), name):
            assert_allclose(getattr(fitted, name).sum(), 1.0, rtol=1e-9)
    assert_allclose(fitted.membership_.sum(axis=1), 1.0, rtol=1e-9)


def says_they_sum_to_one(cls, name):
    """Whether the description of the attribute promises it."""
    found = re.search(rf"^    {name} : .+?(?=\n\n|\Z)", cls.__doc__, re.M | re.S)
    return found is not None and "sum to one" in " ".join(found[0].split())


# -- the properties ------------------------------------------------------------------


@each_method
def test_any_ensemble_is_combined_or_refused_in_words(cls):
    @share_of(len(LABEL_ONLY))
    @given(ensembles, st.one_of(st.none(), st.integers(1, 30)))
    def check(ensemble, n_clusters):
        if n_clusters is not None:
            n_clusters = min(n_clusters, ensemble.n_objects)
        note(f"{ensemble!r}\n{ensemble.membership.toarray()}")
        try:
            fitted = fit(cls, ensemble, n_clusters)
        except ComitiaError:
            # What one of the hard clusterings can do, the consensus can.
            if ensemble.is_hard and (
                n_clusters is None or n_clusters <= max(ensemble.n_clusters_each)
            ):
                raise
            return
        check_result(fitted, n_clusters)

    check()


@each_method
def test_another_clustering_more_does_no_harm(cls):
    @share_of(len(LABEL_ONLY))
    @given(
        label_tables(missing=True),
        st.sampled_from([duplicated, with_a_constant, with_singletons]),
        st.integers(0, 99),
    )
    def check(labels, change, seed):
        changed = change(labels, np.random.RandomState(seed))
        note(changed)
        check_result(fit(cls, Ensemble(changed), None), None)

    check()


@each_method
def test_names_and_orders_do_not_change_the_weights(cls):
    if cls.card.approach != "fixed":
        pytest.skip("its weights follow a consensus or a selection that ties decide")
    if cls.card.id in DRAWN:
        pytest.skip(DRAWN[cls.card.id])

    @share_of(len(LABEL_ONLY))
    @given(label_tables(missing=True), st.integers(0, 99))
    def check(labels, seed):
        note(labels)
        rng = np.random.RandomState(seed)
        k = int(Ensemble(labels).n_clusters_each.max())
        one = fit(cls, Ensemble(labels), k)
        order = rng.permutation(labels.shape[1])
        objects = rng.permutation(len(labels))
        other = fit(cls, Ensemble(labels[objects][:, order]), k)
        named = fit(cls, Ensemble(renamed(labels, rng)), k)
        if hasattr(one, "clustering_weights_"):
            expected = one.clustering_weights_
            assert_allclose(other.clustering_weights_, expected[order], atol=1e-9)
            assert_allclose(named.clustering_weights_, expected, atol=1e-9)
        if hasattr(one, "object_weights_"):
            expected = one.object_weights_
            assert_allclose(other.object_weights_, expected[objects], atol=1e-9)
            assert_allclose(named.object_weights_, expected, atol=1e-9)

    check()


@each_method
def test_names_and_orders_do_not_change_clear_clusters(cls):
    if {"recovery", "object_order", "clustering_order"} & {*cls.card.exempt}:
        pytest.skip("as its card says")
    if cls.card.approach == "selection":
        pytest.skip("of clusterings that are equally good it keeps some")
    if cls.card.id in TIED:
        pytest.skip(TIED[cls.card.id])

    @share_of(len(LABEL_ONLY))
    @given(clear(), st.integers(0, 99))
    def check(planted, seed):
        labels, k = planted
        note(labels)
        rng = np.random.RandomState(seed)
        order = rng.permutation(labels.shape[1])
        objects = rng.permutation(len(labels))
        found = fit(cls, Ensemble(labels), k).labels_
        moved = fit(cls, Ensemble(labels[objects][:, order]), k).labels_
        named = fit(cls, Ensemble(renamed(labels, rng)), k).labels_
        assert adjusted_rand_score(found[objects], moved) > 0.8
        assert adjusted_rand_score(found, named) > 0.8

    check()
