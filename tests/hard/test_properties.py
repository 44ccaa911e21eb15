"""Any ensemble at all: every label-only method takes it, or says why it does not.

An ensemble is drawn as a table of memberships for each clustering, whatever its kind,
so that everything that is done to it can be done to every kind.
"""

import re
import warnings
from dataclasses import dataclass, replace
from functools import cache

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose
from scipy.optimize import linear_sum_assignment
from sklearn.exceptions import ConvergenceWarning
from sklearn.metrics.cluster import contingency_matrix

from comitia import Ensemble
from comitia.exceptions import ComitiaError, ComitiaWarning
from tests.hard.methods import METHODS, make
from tests.hard.profiles import share_of

LABEL_ONLY = [cls for cls in METHODS if cls.card.needs == ("labels",)]
WEIGHTS = ("clustering_weights_", "cluster_weights_", "object_weights_")

# Those that take ten times as long as the others, most of them by factorisation.
SLOW = {"ec_bnmf", "iwnmf", "jia_2011", "lourenco_2013", "wcc", "wgnmf"}

# Whose weights are not a function of the clusterings alone.
DRAWN = {
    "gkwea": "weights are read off a consensus that ties may decide",
    "rouba_2017": "of equally good clusterings the first is the one to be like",
}
# Whose clusters hang on ties even where they are clear.
TIED = {
    "nazari_2017": "of clusters that are equally reliable the first is retained",
    "wsnng": "METIS balances its parts, and of equally near neighbours the first count",
}

# How many of clear clusterings a method may give no weight.
LEFT_OUT = {"rouba_2017": 1}  # one that is alone in its group

# The weights of other methods follow a consensus or a selection that ties decide.
WITH_WEIGHTS = [
    cls
    for cls in LABEL_ONLY
    if cls.card.approach == "fixed" and cls.card.id not in DRAWN
]
# Whose clear clusters may fall apart. With two or four neighbours in place of eight the
# walks do the same, and where a clustering keeps all objects apart they find them.
FALL_APART = {
    "ceam": "the eigenvector that it takes in place of the first splits a clear "
    "cluster; with the first, all are found",
    "pta": "a clear cluster is one label row; from there walks only go to objects that "
    "some misplace, and back, so that the two are never at the same place",
    "ptgp": "walks as for pta",
    "cumulative_voting": "a clustering that keeps all objects apart has the largest "
    "entropy, which makes it the reference",
}
# The rest says in its card why it need not find them, or is a selection: of
# clusterings that are equally good it keeps some.
WITH_CLEAR_CLUSTERS = [
    cls
    for cls in LABEL_ONLY
    if not {"recovery", "object_order", "clustering_order"} & {*cls.card.exempt}
    and cls.card.approach != "selection"
    and cls.card.id not in {*TIED, *FALL_APART}
]


def each(classes):
    return pytest.mark.parametrize("cls", classes, ids=lambda cls: cls.card.id)


def examples(cls):
    """The share of one property in the examples that a method is tried on."""
    n = 2 + (cls in WITH_WEIGHTS) + (cls in WITH_CLEAR_CLUSTERS)
    return share_of(n, slow=cls.card.id in SLOW)


# -- ensembles -----------------------------------------------------------------------


@dataclass(frozen=True)
class Votes:
    """Clusterings as tables of memberships, each of shape (n, k)."""

    kind: str
    tables: tuple[np.ndarray, ...]

    @property
    def n_objects(self):
        return len(self.tables[0])

    def ensemble(self):
        if self.kind == "fuzzy":
            return Ensemble.from_memberships(self.tables)
        if self.kind == "overlapping":
            lists = [[np.flatnonzero(c) for c in B.T if c.any()] for B in self.tables]
            return Ensemble.from_clusters(lists, self.n_objects)
        return Ensemble(self.labels())

    def labels(self):
        return np.column_stack(
            [np.where(B.any(axis=1), B.argmax(axis=1), -1) for B in self.tables]
        )


@st.composite
def digits(draw, shape, base):
    """A table of whole numbers below ``base``; bytes are quick to draw."""
    size = int(np.prod(shape))
    drawn = draw(st.binary(min_size=size, max_size=size))
    return np.frombuffer(drawn, dtype=np.uint8).reshape(shape) % base


@st.composite
def votes(draw):
    """Up to 30 objects in up to 6 clusterings of up to 8 clusters, of every kind.

    The first clustering has an object and the first object a clustering, wherever
    others have none.
    """
    kind = draw(st.sampled_from(["hard", "partial", "fuzzy", "overlapping"]))
    n = draw(st.integers(1, 30))
    tables = []
    for _ in range(draw(st.integers(1, 6))):
        k = draw(st.integers(1, 8 if kind in ("hard", "partial") else 5))
        if kind in ("hard", "partial"):
            codes = draw(digits(n, k + (kind == "partial"))).astype(int)
            B = (codes[:, None] == np.arange(k)).astype(float)
        elif kind == "fuzzy":
            B = draw(digits((n, k), 11)).astype(float)  # in tenths, or in none
        else:
            B = draw(digits((n, k), 2)).astype(float)
        if not B[0].any():
            B[0, 0] = 1.0
        tables.append(B)
    nowhere = ~np.any([B.any(axis=1) for B in tables], axis=0)
    tables[0][nowhere, 0] = 1.0
    if kind == "fuzzy":
        total = [B.sum(axis=1, keepdims=True) for B in tables]
        tables = [B / np.maximum(t, 1.0) for B, t in zip(tables, total, strict=True)]
    return Votes(kind, tuple(tables))


@st.composite
def clear(draw, n_left_out=0):
    """Two to four clusters of at least five; each clustering misplaces one object.

    It is another one each time, so that no object has as many votes here as there. At
    least four clusterings count: of three, two may misplace objects of two clusters so
    that these are as near to each other as each is to its own.
    """
    k = draw(st.integers(2, 4))
    truth = np.repeat(np.arange(k), draw(st.integers(5, 7)))
    M = draw(st.integers(4 + n_left_out, 6 + n_left_out))
    objects = st.integers(0, len(truth) - 1)
    tables = []
    for i in draw(st.lists(objects, min_size=M, max_size=M, unique=True)):
        column = truth.copy()
        column[i] = draw(st.integers(0, k - 1))
        tables.append(np.eye(k)[column])
    return Votes("hard", tuple(tables)), k


# -- what is done to them ------------------------------------------------------------


def duplicated(votes, rng):
    """One of the clusterings twice."""
    again = votes.tables[rng.randint(len(votes.tables))]
    return replace(votes, tables=(*votes.tables, again))


def with_a_constant(votes, rng):
    """A clustering that puts everybody together besides."""
    return replace(votes, tables=(*votes.tables, np.ones((votes.n_objects, 1))))


def with_singletons(votes, rng):
    """A clustering that leaves everybody alone besides."""
    return replace(votes, tables=(*votes.tables, np.eye(votes.n_objects)))


MORE = [duplicated, with_a_constant, with_singletons]


def renamed(votes, rng):
    """Other names for the clusters of each clustering, where each object is in one.

    Elsewhere names break ties: the label of an object is the first of the clusters that
    it is in most.
    """
    if votes.kind in ("fuzzy", "overlapping"):
        return votes
    tables = [B[:, rng.permutation(B.shape[1])] for B in votes.tables]
    return replace(votes, tables=tuple(tables))


def taken(votes, objects, clusterings):
    """Objects and clusterings in these orders."""
    tables = [votes.tables[m][objects] for m in clusterings]
    return replace(votes, tables=tuple(tables))


# -- how a method is fitted ----------------------------------------------------------

# More of them take time, and do nothing that the first did not do.
FEW_ROUNDS = {"max_iter": 20, "n_init": 2}
# Those which a test of clear clusters gives something else, with the reason.
OWN_ROUNDS = {
    "fcc": ({}, "one start in forty puts two clear clusters into one"),
    "mixture_consensus": ({}, "two starts in fifty put two clear clusters into one"),
    "wcc": ({}, "two starts in a hundred put two clear clusters into one"),
    "ecpcs_hc": (
        {"n_steps": 10},
        "walks of twenty steps, as in the paper, forget where they began",
    ),
}


def fit(cls, votes, n_clusters, rounds=FEW_ROUNDS):
    """Fit without a warning that is not meant for users; None where it is refused.

    What one of the hard clusterings can do, the consensus can: no refusal there.
    """
    ensemble = votes.ensemble()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ComitiaWarning)
        warnings.simplefilter("ignore", ConvergenceWarning)
        try:
            return make(cls, n_clusters=n_clusters, **rounds).fit(ensemble)
        except ComitiaError:
            possible = n_clusters is None or n_clusters <= max(ensemble.n_clusters_each)
            if ensemble.is_hard and possible:
                raise
            return None


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


@cache
def says_they_sum_to_one(cls, name):
    """Whether the description of the attribute promises it."""
    found = re.search(rf"^    {name} : .+?(?=\n\n|\Z)", cls.__doc__, re.M | re.S)
    return found is not None and "sum to one" in " ".join(found[0].split())


def sorted_in_each(fitted):
    """The weights of clusters, which have no order, by the clusterings they are of."""
    m, weights = fitted.ensemble_.clustering_of, fitted.cluster_weights_
    return [np.sort(weights[m == one]) for one in range(fitted.ensemble_.n_clusterings)]


def n_moved(one, other):
    """How many objects are elsewhere, when clusters are matched as well as can be."""
    shared = contingency_matrix(one, other)
    return len(one) - shared[linear_sum_assignment(-shared)].sum()


# -- the properties ------------------------------------------------------------------


@each(LABEL_ONLY)
def test_any_ensemble_is_combined_or_refused_in_words(cls):
    @examples(cls)
    @given(votes(), st.one_of(st.none(), st.integers(1, 30)))
    def check(given_votes, n_clusters):
        if n_clusters is not None:
            n_clusters = min(n_clusters, given_votes.n_objects)
        fitted = fit(cls, given_votes, n_clusters)
        if fitted is not None:
            check_result(fitted, n_clusters)

    check()


@each(LABEL_ONLY)
def test_another_clustering_more_does_no_harm(cls):
    @examples(cls)
    @given(votes(), st.sampled_from(MORE), st.integers(0, 99))
    def check(given_votes, change, seed):
        fitted = fit(cls, change(given_votes, np.random.RandomState(seed)), None)
        if fitted is not None:
            check_result(fitted, None)

    check()


@each(WITH_WEIGHTS)
def test_names_and_orders_do_not_change_the_weights(cls):
    @examples(cls)
    @given(votes(), st.integers(0, 99))
    def check(given_votes, seed):
        rng = np.random.RandomState(seed)
        objects = rng.permutation(given_votes.n_objects)
        order = rng.permutation(len(given_votes.tables))
        k = int(given_votes.ensemble().n_clusters_each.max())
        one = fit(cls, given_votes, k)
        other = fit(cls, taken(renamed(given_votes, rng), objects, order), k)
        assert (one is None) == (other is None)
        if hasattr(one, "clustering_weights_"):
            expected = one.clustering_weights_[order]
            assert_allclose(other.clustering_weights_, expected, atol=1e-9)
        if hasattr(one, "object_weights_"):
            expected = one.object_weights_[objects]
            assert_allclose(other.object_weights_, expected, atol=1e-9)
        if hasattr(one, "cluster_weights_"):
            expected = sorted_in_each(one)
            for m, got in zip(order, sorted_in_each(other), strict=True):
                assert_allclose(got, expected[m], atol=1e-9)

    check()


@each(WITH_CLEAR_CLUSTERS)
def test_nothing_of_the_kind_changes_clear_clusters(cls):
    @examples(cls)
    @given(
        clear(LEFT_OUT.get(cls.card.id, 0)),
        st.sampled_from([renamed, taken, *MORE]),
        st.integers(0, 99),
    )
    def check(planted, change, seed):
        given_votes, k = planted
        rng = np.random.RandomState(seed)
        objects = np.arange(given_votes.n_objects)
        if change is taken:
            objects = rng.permutation(objects)
            order = rng.permutation(len(given_votes.tables))
            changed = taken(given_votes, objects, order)
        else:
            changed = change(given_votes, rng)
        rounds, _ = OWN_ROUNDS.get(cls.card.id, (FEW_ROUNDS, ""))
        found = fit(cls, given_votes, k, rounds).labels_[objects]
        again = fit(cls, changed, k, rounds).labels_
        # Ties apart: an object that some misplace may follow one more vote.
        assert n_moved(found, again) <= 1

    check()
