"""OMVC: views whose objects come in chunks."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.exceptions import ConvergenceWarning
from sklearn.metrics import adjusted_rand_score

from comitia.exceptions import ComitiaError
from comitia.methods import MIC, OMVC
from tests.fixtures import settled
from tests.methods._views import confused_pair, without


def chunks(views, size):
    n = len(views[0])
    return [[X[i : i + size] for X in views] for i in range(0, n, size)]


def size_in_memory(value):
    """Bytes of all arrays in nested lists, tuples and objects."""
    if isinstance(value, np.ndarray):
        return value.nbytes
    if isinstance(value, list | tuple):
        return sum(map(size_in_memory, value))
    if hasattr(value, "__dict__"):
        return sum(map(size_in_memory, vars(value).values()))
    return 8


@pytest.fixture
def shuffled():
    views, truth = confused_pair(100, seed=3)
    order = np.random.RandomState(0).permutation(300)
    return [X[order] for X in views], truth[order]


@pytest.mark.parametrize("share", [0.0, 0.3])
def test_a_single_chunk_gives_the_factors_of_mic(share):
    views = settled(without(confused_pair(junk=True)[0], share))
    same = {"max_iter": 40, "tol": 0.0, "random_state": 0}
    one = OMVC(3, chunk_size=90, n_rounds=1, **same).fit(views)
    with pytest.warns(ConvergenceWarning):
        all_at_once = MIC(3, **same).fit(views)
    assert_allclose(one.consensus_, all_at_once.consensus_, rtol=1e-9)
    for V, expected in zip(one.components_, all_at_once.components_, strict=True):
        assert_allclose(V, expected, rtol=1e-9)
    assert_array_equal(one.labels_, all_at_once.labels_)
    assert_array_equal(one.view_labels_, all_at_once.view_labels_)
    assert_allclose(one.object_weights_, all_at_once.object_weights_)
    streamed = OMVC(3, **same).partial_fit(views)
    assert_allclose(streamed.consensus_, all_at_once.consensus_, rtol=1e-9)


def test_memory_does_not_grow_with_the_number_of_chunks(shuffled):
    views, _ = shuffled
    stream = OMVC(3, random_state=0)
    sizes = []
    for chunk in chunks(views, 30):
        stream.partial_fit(chunk)
        # Everything that is kept, the results of the last chunk included.
        kept = {k: v for k, v in vars(stream).items() if k != "objective_"}
        sizes.append(size_in_memory(list(kept.values())))
    assert len(set(sizes)) == 1
    assert stream.n_objects_seen_ == 300
    assert len(stream.labels_) == 30


def test_chunks_are_labeled_with_the_same_numbers(shuffled):
    views, truth = shuffled
    stream = OMVC(3, random_state=0)
    found = [stream.partial_fit(chunk).labels_ for chunk in chunks(views, 30)]
    assert adjusted_rand_score(truth, np.concatenate(found)) > 0.95


def test_chunks_in_random_order_find_the_clusters_of_sorted_objects():
    views, truth = confused_pair(100, seed=3)
    fitted = OMVC(3, random_state=0).fit(views)
    assert adjusted_rand_score(truth, fitted.labels_) > 0.95
    assert fitted.n_objects_seen_ == 600  # twice each
    assert fitted.consensus_.shape == (300, 3)
    assert len(fitted.objective_) == 12


def test_missing_objects_follow_the_shares_seen_so_far():
    full = np.abs(np.random.RandomState(0).normal(size=(8, 3)))
    first, second = full[:4].copy(), full[4:].copy()
    first[3], second[:2] = np.nan, np.nan
    stream = OMVC(2, random_state=0).partial_fit([first, full[:4]])
    assert_allclose(stream.view_object_weights_[3], [0.75, 1.0])
    stream.partial_fit([second, full[4:]])
    # Five of eight by now.
    assert_allclose(stream.view_object_weights_[:, 0], [0.625, 0.625, 1, 1])
    assert (stream.view_labels_[:2, 0] == -1).all()


def test_sums_are_those_over_all_chunks(shuffled):
    views, _ = shuffled
    parts = chunks(views, 150)
    stream = OMVC(3, max_iter=1, random_state=0)
    first = stream.partial_fit(parts[0])._stream.past[0].gram
    second = stream.partial_fit(parts[1])._stream.past[0].gram
    # Half of the objects each, so about twice as much.
    assert_allclose(np.trace(second) / np.trace(first), 2.0, atol=0.3)


def test_a_view_may_be_silent_for_a_while(shuffled):
    views, truth = shuffled
    parts = chunks(views, 60)
    stream = OMVC(3, random_state=0)
    stream.partial_fit(parts[0])
    silent = [parts[1][0], np.full_like(parts[1][1], np.nan)]
    stream.partial_fit(silent)
    assert stream.ensemble_.n_clusterings == 1
    labels = stream.partial_fit(parts[2]).labels_
    assert adjusted_rand_score(truth[120:180], labels) > 0.9
    with pytest.raises(ComitiaError, match="no object at all"):
        OMVC(3).partial_fit(silent)


def test_partial_fit_goes_on_after_fit(shuffled):
    views, truth = shuffled
    stream = OMVC(3, random_state=0).fit([X[:200] for X in views])
    before = stream.labels_
    after = stream.partial_fit([X[200:] for X in views]).labels_
    assert adjusted_rand_score(truth, np.concatenate([before, after])) > 0.95
    # fit starts again.
    again = stream.fit([X[:200] for X in views])
    assert_array_equal(again.labels_, before)


def test_a_chunk_that_does_not_fit_leaves_the_stream_as_it_was(shuffled):
    views, _ = shuffled
    parts = chunks(views, 60)
    stream = OMVC(3, random_state=0).partial_fit(parts[0])
    before = dict(vars(stream))
    with pytest.raises(ComitiaError, match="views have 4, 2, those of the first"):
        stream.partial_fit([parts[1][0], parts[1][1][:, :2]])
    with pytest.raises(ComitiaError, match="views have 60, 59 rows"):
        stream.partial_fit([parts[1][0], parts[1][1][1:]])
    assert vars(stream) == before
    clean, late = OMVC(3, random_state=0), OMVC(3, random_state=0)
    clean.partial_fit(parts[0]).partial_fit(parts[1])
    late.partial_fit(parts[0]).partial_fit(parts[1])
    assert_array_equal(clean.labels_, late.labels_)


def test_what_is_below_the_first_chunk_counts_as_its_minimum():
    stream = OMVC(2, random_state=0).partial_fit(
        np.array([[0.0, 4.0], [4.0, 0.0], [4.0, 1.0]])
    )
    low = stream.partial_fit(np.array([[-9.0, 4.0], [4.0, -1.0]])).consensus_
    assert np.isfinite(low).all()
    with pytest.raises(ComitiaError, match="negative numbers"):
        OMVC(2, scale=None).partial_fit(np.eye(3)).partial_fit(-np.eye(3))


def test_a_first_chunk_smaller_than_the_number_of_clusters_is_refused():
    with pytest.raises(ComitiaError, match="n_clusters=3 is larger"):
        OMVC(3).partial_fit(np.eye(2))


@pytest.mark.parametrize("device", ["torch", "array_api_strict"])
def test_a_device_gives_the_same_labels(device, shuffled):
    pytest.importorskip(device)
    views = [X[:120] for X in without(shuffled[0], 0.2)]
    few = {"max_iter": 10, "random_state": 0}
    here = OMVC(3, **few).fit(views)
    there = OMVC(3, **few).fit(views, device=device)
    assert_array_equal(there.labels_, here.labels_)
    stream, away = OMVC(3, **few), OMVC(3, **few)
    for chunk in chunks(views, 60):
        stream.partial_fit(chunk)
        away.partial_fit(chunk, device=device)
        assert_array_equal(away.labels_, stream.labels_)
