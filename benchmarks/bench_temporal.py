"""Clustering time series: hidden Markov models, and representations.

Ten clusterings of 500 series of length 200 by models of three states are to take two
minutes on two cores. hmmlearn, our reference, has no clustering: beside it stand ten
iterations of expectation maximisation on the same series.
"""

import importlib
import warnings
from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.exceptions import ConvergenceWarning
from sklearn.metrics import adjusted_rand_score

import comitia
from benchmarks.harness import Row, cpu, peak_mb, two_thread_wall
from comitia.cluster.hmm import GaussianHMM

N_CLUSTERS, N_STATES, N_CLUSTERINGS = 4, 3, 10
N_ITERATIONS = 10


@cache
def series_of_models(
    n_objects: int, n_times: int
) -> tuple[NDArray[np.float64], NDArray[np.intp]]:
    """Series of one channel from four random models that overlap, and the models."""
    rng = np.random.RandomState(0)
    truth = np.arange(n_objects) % N_CLUSTERS
    moves = rng.dirichlet(np.ones(N_STATES), size=(N_CLUSTERS, N_STATES)).cumsum(axis=2)
    means = rng.randn(N_CLUSTERS, N_STATES)
    states = rng.randint(N_STATES, size=n_objects)
    X = np.empty((n_objects, n_times))
    for t in range(n_times):
        X[:, t] = means[truth, states] + rng.randn(n_objects)
        drawn = rng.rand(n_objects, 1)
        states = (drawn > moves[truth, states]).sum(axis=1).clip(max=N_STATES - 1)
    return X[:, None], truth


def run(scale: str) -> list[Row]:
    """One row for each method, and one beside hmmlearn."""
    smoke = scale == "smoke"
    n, T = (30, 15) if smoke else (500, 200)
    return [
        _row("yang_jiang_2018", n, T, smoke=smoke),
        _row("yang_chen_2011", n, T, smoke=smoke),
        _models(n, T),
    ]


def fit_case(id: str, n_objects: int, n_times: int, n_jobs: int = 1) -> Any:
    """A method with its defaults, on series that are made before."""
    X, _ = series_of_models(n_objects, n_times)
    method = comitia.method(id)(N_CLUSTERS, n_jobs=n_jobs, random_state=0)
    return lambda: method.fit(X)


def _row(id: str, n_objects: int, n_times: int, *, smoke: bool) -> Row:
    fit_case(id, 30, 15)()  # warm enough: it loads the kernels
    case, found = fit_case(id, n_objects, n_times), []
    ours_s = cpu(lambda: found.append(case()), 1, warm_up=False)
    fitted = found[0]
    _, truth = series_of_models(n_objects, n_times)
    hidden = id == "yang_jiang_2018"
    wall = None
    if not smoke:
        wall = two_thread_wall(fit_case, id, n_objects, n_times, 2, repeats=1)
    return Row(
        id,
        f"n={n_objects} T={n_times} M={fitted.ensemble_.n_clusterings}"
        + (f" states={N_STATES}" if hidden else ""),
        ours_s,
        target=None if smoke or not hidden else "wall on 2 cores <= 120 s",
        passed=None if wall is None or not hidden else wall <= 120.0,
        wall2_s=wall,
        peak_mb=None
        if smoke
        else peak_mb(fit_case, id, n_objects, n_times, warm_up=(id, 30, 15)),
        note=f"ARI {adjusted_rand_score(truth, fitted.labels_):.3f}",
    )


def _models(n_objects: int, n_times: int) -> Row:
    """Ten iterations of one model on all series, beside hmmlearn's."""
    X, _ = series_of_models(n_objects, n_times)
    # A tolerance of zero, and hmmlearn's of minus infinity, let no iteration out.
    ours = GaussianHMM(N_STATES, max_iter=N_ITERATIONS, tol=0.0, random_state=0)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        ours_s = cpu(lambda: ours.fit(X), 3)
    try:
        theirs = _hmmlearn(X)
    except ImportError:
        return Row("EM of one model", f"n={n_objects} T={n_times}", ours_s)
    return Row(
        "EM of one model",
        f"n={n_objects} T={n_times} states={N_STATES} {N_ITERATIONS} iterations",
        ours_s,
        peer="hmmlearn",
        peer_s=cpu(theirs, 3),
    )


def _hmmlearn(X: NDArray[np.float64]) -> Callable[[], Any]:
    peer = importlib.import_module("hmmlearn.hmm").GaussianHMM
    steps = X.reshape(-1, 1)
    lengths = [X.shape[2]] * len(X)
    # Made anew each time: a fitted one complains that it starts again.
    return lambda: peer(N_STATES, n_iter=N_ITERATIONS, tol=-np.inf, random_state=0).fit(
        steps, lengths
    )
