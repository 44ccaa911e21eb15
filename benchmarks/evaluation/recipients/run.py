"""Score weighted methods and their twins on input of which a share is junk."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks.ensembles import planted_labels
from benchmarks.evaluation.data import some_rows
from benchmarks.evaluation.pools import load_pool
from benchmarks.evaluation.recipients.twins import TWINS, Twin
from benchmarks.evaluation.store import Job, Options
from benchmarks.evaluation.store import run as run_jobs

__all__ = ["compare", "run"]

SHARES = (0.0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6)
POOL_SHARES = SHARES[::2]
#: Pools differ more than their draws do.
POOL_SEEDS = 3
POOL_OBJECTS = 1000
PLANTED = "planted"

SIZES = np.array([3.0, 2.0, 2.0, 1.0, 1.0])
N_OBJECTS, N_CLUSTERINGS, N_FEATURES, N_VIEWS, N_VIEW_FEATURES = 300, 20, 10, 10, 2
#: Shares of random labels.
GOOD_NOISE, JUNK_NOISE = 0.5, 0.9
#: Standard deviations: of the centres, within a cluster, and of features without any.
#: Features that matter vary more over all objects and less within a cluster.
APART, WITHIN, NOWHERE = 1.0, 0.7, 1.0

Data = tuple[Any, dict[str, Any], NDArray[np.int64]]


def run(options: Options) -> None:
    """Compare everything that has no row yet."""
    values = ("weighted", "uniform")
    run_jobs("recipients", _jobs(options), options, values=values)


def _jobs(options: Options) -> Iterator[Job]:
    shares = SHARES[-1:] if options.smoke else SHARES
    seeds = options.seeds[:1] if options.smoke else options.seeds
    twins = _one_of_each_kind() if options.smoke else list(TWINS)
    if options.methods:
        twins = [one for one in TWINS if one.method in options.methods]
    pools = [] if options.data is None else sorted(options.data.glob("pools/*.npz"))
    arguments = {"folder": options.data}
    for seed in seeds:
        for twin in twins:
            for share in shares:
                yield Job(_key(twin, PLANTED, share, seed), compare, arguments)
            if twin.needs == "labels" and seed < POOL_SEEDS:
                for pool in pools:
                    for share in POOL_SHARES:
                        yield Job(
                            _key(twin, pool.stem, share, seed), compare, arguments
                        )


def _key(twin: Twin, source: str, junk: float, seed: int) -> dict[str, Any]:
    return {
        "recipient": twin.recipient,
        "method": twin.method,
        "source": source,
        "junk": junk,
        "seed": seed,
    }


def compare(
    recipient: str,
    method: str,
    source: str,
    junk: float,
    seed: int,
    folder: Path | None,
) -> dict[str, float]:
    """Fit a method and its twin on the same, some of which is junk.

    Parameters
    ----------
    recipient, method : str
        Of one of :data:`~benchmarks.evaluation.recipients.twins.TWINS`.

    source : str
        "planted", or the name of a pool.

    junk : float
        The share of it that is junk.

    seed : int
        Of all that is random.

    folder : path or None
        Where the pools are.

    Returns
    -------
    scores : dict of str to float
        Adjusted Rand index, "weighted" and "uniform", over what is no junk.
    """
    from comitia.agreement import agreement

    twin = next(one for one in TWINS if one.method == method)
    if source == PLANTED:
        X, given, y = _planted(twin, junk, seed)
    else:
        X, given, y = _from_pool(folder, source, junk, seed)
    known = np.flatnonzero(y >= 0)
    k = len(np.unique(y[known]))
    scores = {}
    for name in ("weighted", "uniform"):
        estimator = twin.estimator(name == "weighted", k, seed)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # a missed max_iter shows in the score
            labels = estimator.fit(X, **given).labels_
        scores[name] = float(agreement(labels[known], y[known], "adjusted_rand"))
    return scores


# -- what they are given ---------------------------------------------------------------


def _planted(twin: Twin, junk: float, seed: int) -> Data:
    """What a method takes, arguments of ``fit``, and the classes; -1 is a junk object.

    Parameters
    ----------
    twin : Twin
        Says what is needed, and what can be junk.

    junk : float
        The share of junk.

    seed : int
        Of all that is random.

    Returns
    -------
    X, given, y : object, dict, ndarray of shape (n_objects,)
        ``fit(X, **given)``.
    """
    from comitia import Ensemble

    noise = np.full(N_CLUSTERINGS, GOOD_NOISE)
    noise[: round(junk * N_CLUSTERINGS)] = JUNK_NOISE
    labels, truth = planted_labels(
        N_OBJECTS, len(SIZES), N_CLUSTERINGS, noise, sizes=SIZES, seed=seed
    )
    y = truth.astype(np.int64)
    if twin.needs == "labels":
        return Ensemble(labels), {}, y
    rng = np.random.default_rng([seed, 1])
    if twin.needs == "views":
        views = [_blobs(y, N_VIEW_FEATURES, rng) for _ in range(N_VIEWS)]
        for v in range(round(junk * N_VIEWS)):
            views[v] = NOWHERE * rng.standard_normal(views[v].shape)
        return views, {}, y
    X = _blobs(y, N_FEATURES, rng)
    if twin.needs == "data and labels":
        return X, {"ensemble": Ensemble(labels)}, y
    if twin.recipient == "features":
        n_junk = round(junk * N_FEATURES)
        X[:, :n_junk] = NOWHERE * rng.standard_normal((N_OBJECTS, n_junk))
        return X, {}, y
    n_junk = round(junk * N_OBJECTS)
    X[:n_junk] = rng.uniform(X.min(axis=0), X.max(axis=0), (n_junk, N_FEATURES))
    y[:n_junk] = -1
    return X, {}, y


def _blobs(
    y: NDArray[np.int64], n_features: int, rng: np.random.Generator
) -> NDArray[np.float64]:
    centers = APART * rng.standard_normal((len(SIZES), n_features))
    return centers[y] + WITHIN * rng.standard_normal((len(y), n_features))


def _from_pool(folder: Path | None, pool: str, junk: float, seed: int) -> Data:
    """Some clusterings of a pool, the first of them shuffled."""
    from comitia import Ensemble

    members, classes = load_pool(pool, folder)
    rows = some_rows(len(classes), POOL_OBJECTS)
    y = classes[rows].astype(np.int64)
    rng = np.random.default_rng(seed)
    chosen = rng.choice(members.shape[1], N_CLUSTERINGS, replace=False)
    labels = members[np.ix_(rows, chosen)]
    for m in range(round(junk * N_CLUSTERINGS)):
        labels[:, m] = rng.permutation(labels[:, m])
    return Ensemble(labels), {}, y


def _one_of_each_kind() -> list[Twin]:
    kinds = {(one.recipient, one.needs): one for one in reversed(TWINS)}
    return list(kinds.values())
