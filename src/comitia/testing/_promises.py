"""What every method promises: what :mod:`comitia.testing` tries, promise by promise."""

from __future__ import annotations

import functools
import pickle
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import SimpleNamespace
from typing import Any, NamedTuple

import numpy as np
from numpy.testing import assert_allclose, assert_array_equal
from numpy.typing import ArrayLike

from comitia.ensemble import Ensemble
from comitia.exceptions import ComitiaError
from comitia.testing.easy_inputs import planted, quick_method, same_partition

__all__ = ["PROMISES", "Promise", "on_tables"]


class Promise(NamedTuple):
    """A promise: what it is called on cards, how it is tried, and who makes it."""

    name: str
    run: Callable[[Any], None]
    applies: Callable[[Any], bool]


PROMISES: list[Promise] = []

# Six objects in three clusterings, two of them identical.
_E6 = np.array([[0, 0, 0], [0, 0, 0], [0, 0, 1], [1, 1, 1], [1, 1, 2], [1, 1, 2]])


@functools.cache
def _easy() -> Any:
    """Four clear clusters, ten clusterings that get 15 % of the objects wrong."""
    from sklearn.datasets import make_blobs

    labels, truth = planted(120, 4, 10, noise=0.15, seed=3)
    X, _ = make_blobs(
        np.bincount(truth),
        centers=np.array([[0, 0], [0, 9], [9, 0], [9, 9]]),
        shuffle=False,
        random_state=3,
    )
    return SimpleNamespace(labels=labels, truth=truth, X=X, ensemble=Ensemble(labels))


def _fit(cls: Any, ensemble: Ensemble, X: Any = None, **parameters: Any) -> Any:
    """Fit on data and clusterings; methods that need labels alone ignore the data."""
    data = _easy().X[: ensemble.n_objects] if X is None else X
    return quick_method(cls, **parameters).fit(data, ensemble=ensemble)


def _takes(cls: Any, need: str) -> bool:
    return need in cls.card.needs


def on_tables(cls: Any) -> bool:
    """Whether X can be a table of numbers, as scikit-learn's checks assume.

    A table is one view of several, and series of one channel.
    """
    return not {"graph", "dendrograms"} & set(cls.card.needs)


def _is_combiner(cls: Any) -> bool:
    """Whether given clusterings can be combined."""
    return _takes(cls, "labels") and on_tables(cls)


def _has_predict(cls: Any) -> bool:
    return on_tables(cls) and hasattr(quick_method(cls), "predict")


def _check(
    name: str, applies: Callable[[Any], bool] = _is_combiner
) -> Callable[[Callable[[Any], None]], Callable[[Any], None]]:
    """Put a function among the checks."""

    def keep(run: Callable[[Any], None]) -> Callable[[Any], None]:
        PROMISES.append(Promise(name, run, applies))
        return run

    return keep


@contextmanager
def _refused(pattern: str) -> Iterator[None]:
    """Expect a ComitiaError whose message has the pattern in it."""
    try:
        yield
    except ComitiaError as error:
        if not re.search(pattern, str(error)):
            raise AssertionError(f"{error!r} does not say {pattern!r}") from error
    else:
        raise AssertionError(f"nothing was refused; expected {pattern!r}.")


def _alike(one: ArrayLike, other: ArrayLike, more_than: float) -> None:
    """Require an adjusted Rand index."""
    from sklearn.metrics import adjusted_rand_score

    found = adjusted_rand_score(one, other)
    assert found > more_than, f"adjusted Rand index {found:.3f}, not above {more_than}"


# -- the checks; their names are those of ``exempt`` --------------------------------


@_check("recovery")
def _easy_clusters_are_found(cls: Any) -> None:
    _alike(_easy().truth, _fit(cls, _easy().ensemble, n_clusters=4).labels_, 0.95)


@_check("chooses_k")
def _the_number_of_easy_clusters_is_found(cls: Any) -> None:
    found = _fit(cls, _easy().ensemble, n_clusters=None).n_clusters_
    assert found == 4, f"four clear clusters, {found} found"


@_check("deterministic")
def _the_same_seed_gives_the_same_labels(cls: Any) -> None:
    one = _fit(cls, _easy().ensemble, n_clusters=5).labels_
    other = _fit(cls, _easy().ensemble, n_clusters=5).labels_
    assert_array_equal(one, other)


@_check("label_names")
def _names_of_labels_do_not_matter(cls: Any) -> None:
    renamed = np.array(["d", "b", "a", "c"])[_easy().labels]
    one = _fit(cls, _easy().ensemble, n_clusters=4).labels_
    other = _fit(cls, Ensemble(renamed), n_clusters=4).labels_
    assert same_partition(one, other), "other names, other clusters"


@_check("object_order")
def _the_order_of_objects_does_not_matter(cls: Any) -> None:
    easy = _easy()
    order = np.random.RandomState(0).permutation(len(easy.truth))
    one = _fit(cls, easy.ensemble, n_clusters=4).labels_
    shuffled = _fit(cls, Ensemble(easy.labels[order]), easy.X[order], n_clusters=4)
    # Up to ties: an object in the middle may go either way.
    _alike(one[order], shuffled.labels_, 0.95)


@_check("clustering_order")
def _the_order_of_clusterings_does_not_matter(cls: Any) -> None:
    one = _fit(cls, _easy().ensemble, n_clusters=4).labels_
    other = _fit(cls, Ensemble(_easy().labels[:, ::-1]), n_clusters=4).labels_
    _alike(one, other, 0.95)


@_check("unanimous")
def _a_unanimous_ensemble_is_its_own_consensus(cls: Any) -> None:
    truth = _easy().truth
    same = Ensemble(np.repeat(truth[:, None], 5, axis=1))
    found = _fit(cls, same, n_clusters=4).labels_
    assert same_partition(found, truth), "all five agree, the consensus does not"


@_check("equal_clusterings")
def _equal_clusterings_weigh_the_same(cls: Any) -> None:
    rng = np.random.RandomState(5)
    # Uneven clusters, under names that put them in another order each time.
    truth = np.repeat(np.arange(4), [15, 25, 35, 45])
    names = [rng.permutation(9)[:4] for _ in range(8)]
    same = np.column_stack([some[truth] for some in names])
    mixed = np.column_stack([same[:, :4], _easy().labels[:, :5], same[:, 4:]])
    for labels, equal in ((same, np.arange(8)), (mixed, np.r_[0:4, 9:13])):
        fitted = _fit(cls, Ensemble(labels), n_clusters=4)
        weights = getattr(fitted, "clustering_weights_", None)
        if weights is not None:
            spread = np.ptp(weights[equal])
            assert spread <= 1e-9 * weights.max(), f"their weights differ by {spread}"


@_check("single_clustering")
def _a_single_clustering_is_its_own_consensus(cls: Any) -> None:
    truth = _easy().truth
    found = _fit(cls, Ensemble(truth[:, None]), n_clusters=4).labels_
    assert same_partition(found, truth), "one clustering, and another consensus"


@_check("missing_labels")
def _missing_labels_do_not_hide_easy_clusters(cls: Any) -> None:
    partial = _easy().labels.copy()
    partial[np.random.RandomState(1).rand(*partial.shape) < 0.2] = -1
    _alike(_easy().truth, _fit(cls, Ensemble(partial), n_clusters=4).labels_, 0.9)


@_check("few_labels", lambda cls: _is_combiner(cls) and bool(cls.card.missing))
def _a_missing_label_means_what_the_card_says(cls: Any) -> None:
    # All clusterings agree; three objects are in two of them only.
    labels, truth = planted(60, 3, 20, noise=0.0, seed=1)
    labels[[5, 30, 50], 2:] = -1
    X = 9.0 * np.eye(3)[truth] + np.random.RandomState(1).randn(60, 3)
    fitted = _fit(cls, Ensemble(labels), X)
    assert same_partition(fitted.labels_, truth), "few labels, another cluster"
    same = np.ptp(getattr(fitted, "cluster_weights_", 1.0)) < 1e-9
    if cls.card.missing == "pairs" and same and hasattr(fitted, "linkage_"):
        # Nothing separates objects that are together wherever both are, but for weights
        # that are divided by the number of clusterings: a few hundredths.
        heights = fitted.linkage_[:, 2]
        inside = heights[: 60 - 3].max() / heights.max()
        assert inside < 0.05, f"objects that are always together are {inside:.3g} apart"


@_check("one_cluster")
def _one_cluster_can_be_asked_for(cls: Any) -> None:
    found = _fit(cls, _easy().ensemble, n_clusters=1).n_clusters_
    assert found == 1, f"n_clusters=1 gave {found} clusters"


@_check("fitted_attributes")
def _fitted_attributes_have_their_shapes(cls: Any) -> None:
    _check_attributes(_fit(cls, _easy().ensemble, n_clusters=4))


def _check_attributes(fitted: Any) -> None:
    E = fitted.ensemble_
    shapes = {
        "labels_": (E.n_objects,),
        "clustering_weights_": (E.n_clusterings,),
        "cluster_weights_": (E.n_clusters_total,),
        "object_weights_": (E.n_objects,),
        "linkage_": (E.n_objects - 1, 4),
        "membership_": (E.n_objects, fitted.n_clusters_),
        "confidence_": (E.n_objects,),
        "vote_share_": (E.n_objects,),
    }
    for name, shape in shapes.items():
        if hasattr(fitted, name):
            values = getattr(fitted, name)
            assert values.shape == shape, (
                f"{name} has shape {values.shape}, not {shape}"
            )
            assert np.isfinite(values).all(), f"{name} is not finite"
            assert (values >= 0).all(), f"{name} is negative"
    assert_array_equal(np.unique(fitted.labels_), np.arange(fitted.n_clusters_))
    assert_allclose(fitted.membership_.sum(axis=1), 1.0)


@_check("labels_only")
def _label_only_methods_take_an_ensemble_alone(cls: Any) -> None:
    if _takes(cls, "data"):
        with _refused("ensemble=E"):
            quick_method(cls).fit(_easy().ensemble)
    else:
        alone = quick_method(cls, n_clusters=4).fit(_easy().ensemble).labels_
        both = _fit(cls, _easy().ensemble, n_clusters=4).labels_
        assert_array_equal(alone, both)


@_check("own_ensemble", lambda cls: not _takes(cls, "labels"))
def _methods_with_their_own_ensemble_take_no_other(cls: Any) -> None:
    with _refused("makes its own clusterings"):
        quick_method(cls).fit(_easy().ensemble)


@_check("data_alone", on_tables)
def _data_alone_make_their_own_ensemble(cls: Any) -> None:
    fitted = quick_method(cls, n_clusters=4).fit(_easy().X)
    _alike(_easy().truth, fitted.labels_, 0.8)
    _check_attributes(fitted)
    again = quick_method(cls, n_clusters=4).fit(_easy().X)
    assert_array_equal(fitted.labels_, again.labels_)


@_check("data_order", on_tables)
def _the_order_of_data_does_not_matter(cls: Any) -> None:
    # Clusters that overlap: other draws of members or starts would give others.
    rng = np.random.RandomState(0)
    n = 61
    X = np.repeat([[0.0, 0.0], [3.0, 0.0], [0.0, 3.0]], 21, axis=0)[:n]
    X += rng.randn(n, 2)
    order = rng.permutation(n)
    one = quick_method(cls, n_clusters=3).fit(X)
    other = quick_method(cls, n_clusters=3).fit(X[order])
    assert same_partition(one.labels_[order], other.labels_), "other clusters"
    for name, values in vars(one).items():
        if isinstance(values, np.ndarray) and values.shape[:1] == (n,):
            if name == "labels_" or values.dtype.kind not in "biuf":
                continue
            moved, there = values[order], getattr(other, name)
            if values.ndim == 2:  # clusters are numbered as they appear
                moved, there = np.sort(moved, axis=1), np.sort(there, axis=1)
            assert_allclose(moved, there, rtol=1e-6, atol=1e-9, err_msg=name)


@_check("predict", _has_predict)
def _old_objects_are_labeled_as_they_were(cls: Any) -> None:
    fitted = quick_method(cls, n_clusters=4).fit(_easy().X)
    same = (fitted.predict(_easy().X) == fitted.labels_).mean()
    assert same >= 0.95, f"only {same:.0%} of the old objects get their label again"


@_check("pickle", on_tables)
def _a_fitted_method_can_be_pickled_and_cloned(cls: Any) -> None:
    from sklearn.base import clone

    fitted = quick_method(cls).fit(_easy().X)
    again = pickle.loads(pickle.dumps(fitted))  # noqa: S301  our own
    assert_array_equal(again.labels_, fitted.labels_)
    assert not hasattr(clone(fitted), "labels_"), "a clone is not fitted"


@_check("data_frames")
def _data_frames_carry_their_names(cls: Any) -> None:
    try:
        import pandas as pd
    except ImportError:
        from unittest import SkipTest

        raise SkipTest("pandas is not installed") from None
    names = [f"object {i}" for i in range(len(_easy().truth))]
    X = pd.DataFrame(_easy().X, index=names, columns=["height", "width"])
    labels = pd.DataFrame(_easy().labels, index=names).add_prefix("run ")
    # In another order: rows are matched by name.
    fitted = quick_method(cls).fit(X, ensemble=Ensemble(labels[::-1]))
    assert fitted.ensemble_ == Ensemble(labels)
    assert fitted.ensemble_.object_names[2] == "object 2"
    assert fitted.ensemble_.clustering_names[1] == "run 1"
    assert fitted.feature_names_in_.tolist() == ["height", "width"]


@_check("too_many_clusters")
def _more_clusters_than_objects_are_refused(cls: Any) -> None:
    with _refused(r"n_clusters=7 is larger .* at most 6"):
        _fit(cls, Ensemble(_E6), n_clusters=7)


@_check("uncovered")
def _an_object_in_no_clustering_is_refused(cls: Any) -> None:
    labels = _E6.copy()
    labels[2] = -1
    with _refused("object 2; leave them out"):
        _fit(cls, Ensemble(labels))


@_check("all_or_nothing")
def _a_failed_fit_leaves_the_method_as_it_was(cls: Any) -> None:
    fitted = _fit(cls, _easy().ensemble)
    before = dict(vars(fitted))
    with _refused(""):
        fitted.set_params(n_clusters=7).fit(_easy().X[:6], ensemble=Ensemble(_E6))
    after = {**vars(fitted), "n_clusters": before["n_clusters"]}
    kept = [name for name in before if name in after and after[name] is before[name]]
    changed = {*before, *after} - {*kept}
    assert not changed, f"the failed fit changed {changed}"


@_check("two_steps", on_tables)
def _fit_is_generate_and_combine(cls: Any) -> None:
    X = _easy().X[::3]
    at_once, steps = quick_method(cls).fit(X), quick_method(cls)
    made = steps.generate(X)
    for _ in range(2):  # what was generated can be combined again
        steps.combine(made, X)
        assert_array_equal(steps.labels_, at_once.labels_)
    for name in ("clustering", "cluster", "object", "view"):
        one, other = (getattr(e, f"{name}_weights_", None) for e in (at_once, steps))
        assert_array_equal(one, other, f"other weights of {name}s in two steps")
    assert {"generate", "combine"} <= {*steps.timings_}, "timings_ lacks a step"


@_check("constraints", lambda cls: on_tables(cls) and not _takes(cls, "constraints"))
def _constraints_are_refused_where_they_are_not_used(cls: Any) -> None:
    with _refused("takes no constraints"):
        quick_method(cls).fit(_easy().X, must_link=[(0, 1)])
