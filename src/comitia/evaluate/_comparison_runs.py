"""The runs of a comparison: methods in processes, on all objects and on resamples."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from comitia._steps import OnProgress, Progress
from comitia.ensemble import Ensemble
from comitia.evaluate._common import fit_on
from comitia.evaluate.panels import panel_ids
from comitia.exceptions import ComitiaError

__all__ = [
    "Outcome",
    "Resample",
    "Task",
    "chosen_estimators",
    "count_workers",
    "draw_resample",
    "estimator_to_send",
    "fitted_labels",
    "make_ensemble",
    "run_all",
]

Floats = NDArray[np.float64]

_FIT = "comitia.evaluate._comparison_runs:fitted_labels"
_EVERY_FIT_NEEDS = ("scipy.sparse", "comitia.base", "comitia._kernels.linkage")


@dataclass(frozen=True)
class Task:
    """A method to run."""

    id: str
    estimator: Any
    name: str


@dataclass(frozen=True)
class Resample:
    """What a resample sees."""

    objects: NDArray[np.int64]
    clusterings: NDArray[np.int64] | None


@dataclass(frozen=True)
class Outcome:
    """What the process of a method answered: on all objects, then on resamples."""

    whole: dict[str, Any]
    parts: list[dict[str, Any]]


def run_all(
    tasks: Sequence[Task],
    inputs: dict[str, Any],
    memory_limit: int,
    resamples: Sequence[Resample],
    time_limit: float,
    n_workers: int,
    on_progress: OnProgress | None,
) -> list[Outcome]:
    """Fit every method, each in a process, on all objects and then on resamples."""
    import queue

    from comitia.workers import Worker

    workers = [
        Worker(memory_limit, shared=inputs, preload=_EVERY_FIT_NEEDS)
        for _ in range(n_workers)
    ]
    idle: queue.Queue[Worker] = queue.Queue()
    for worker in workers:
        idle.put(worker)

    def run(task: Task) -> Outcome:
        worker = idle.get()
        try:
            arguments = {"estimator": task.estimator}
            whole = worker.call(_FIT, arguments, time_limit)
            parts = []
            for part in resamples if whole["status"] == "ok" else ():
                answer = worker.call(_FIT, arguments | vars(part), time_limit)
                parts.append(answer)
                if answer["status"] != "ok":
                    break  # a method is ranked on all resamples or on none
            return Outcome(whole, parts)
        finally:
            idle.put(worker)

    outcomes: list[Outcome | None] = [None] * len(tasks)
    progress = Progress(on_progress)
    pool = ThreadPoolExecutor(n_workers)
    try:
        futures = {pool.submit(run, task): at for at, task in enumerate(tasks)}
        progress.report("compare", 0, len(tasks))
        for done, future in enumerate(as_completed(futures), start=1):
            outcomes[futures[future]] = future.result()
            progress.report("compare", done, len(tasks))
    finally:
        # Also after Ctrl-C: what waits is dropped, what runs is stopped.
        pool.shutdown(wait=False, cancel_futures=True)
        for worker in workers:
            worker.close()
        pool.shutdown(wait=True)
    return [outcome for outcome in outcomes if outcome is not None]


def fitted_labels(
    X: Any,
    ensemble: Ensemble | None,
    estimator: Any,
    objects: Any = None,
    clusterings: Any = None,
) -> NDArray[np.int32]:
    """Fit a method on everything or on a resample; called in a worker."""
    if clusterings is not None and ensemble is not None:
        ensemble = ensemble.take(clusterings=clusterings)
    if objects is not None:
        X = None if X is None else X[objects]
        ensemble = None if ensemble is None else ensemble.take(objects=objects)
    return fit_on(estimator, X, ensemble).labels_


def count_workers(n_jobs: int | None, n_tasks: int) -> int:
    from joblib import effective_n_jobs  # type: ignore[import-untyped]

    if n_jobs == 0:
        raise ComitiaError("n_jobs=0 does no work; give 1 or more, or -1 for all.")
    return max(1, min(effective_n_jobs(n_jobs), n_tasks))


def make_ensemble(generator: Any, X: Any, seed: int) -> Ensemble:
    from sklearn.base import clone

    from comitia.generate import KMeansGenerator

    made = KMeansGenerator() if generator is None else clone(generator, safe=False)
    if getattr(made, "random_state", 0) is None:
        made.set_params(random_state=seed)
    return made.generate(X)


def draw_resample(
    n: int, ensemble: Ensemble | None, fraction: float, rng: np.random.RandomState
) -> Resample:
    objects = np.sort(rng.choice(n, size=max(round(fraction * n), 2), replace=False))
    if ensemble is None:
        return Resample(objects, None)
    M = ensemble.n_clusterings
    which = np.sort(rng.choice(M, size=max(round(fraction * M), 1), replace=False))
    covered = ensemble.take(clusterings=which).n_votes[objects] > 0
    return Resample(objects[covered], which)


def chosen_estimators(
    methods: Iterable[Any] | None, panel: str | None, has_data: bool
) -> dict[str, Any]:
    from comitia.base import EnsembleMethod
    from comitia.catalogue import method as method_of_id

    if methods is not None and panel is not None:
        raise ComitiaError("methods and panel were both given; give one of them.")
    if methods is None:
        methods = panel_ids(panel or "quick", has_data=has_data)
    elif isinstance(methods, str):
        methods = [methods]
    allowed = {"labels", "data"} if has_data else {"labels"}
    found: dict[str, Any] = {}
    for given in methods:
        estimator = method_of_id(given)() if isinstance(given, str) else given
        if not isinstance(estimator, EnsembleMethod):
            raise ComitiaError(
                f"methods has a {type(given).__name__} in it; give catalogue ids such "
                "as 'lwea', or estimators of comitia.methods."
            )
        card = estimator.card
        if set(card.needs) - allowed:
            what = "data" if has_data else "an Ensemble"
            raise ComitiaError(
                f"method {card.id!r} needs {' and '.join(card.needs)}, and compare was "
                f"given {what}; leave it out."
            )
        called, number = card.id, 2
        while called in found:
            called, number = f"{card.id}-{number}", number + 1
        found[called] = estimator
    if not found:
        raise ComitiaError("methods is empty; name at least one method.")
    return found


def estimator_to_send(estimator: Any, n_clusters: int | None, seed: int) -> Any:
    """A clone with its number of clusters and seed that any process can unpickle."""
    from joblib import wrap_non_picklable_objects
    from sklearn.base import clone

    ready = clone(estimator)
    if ready.n_clusters is None:
        ready.set_params(n_clusters=n_clusters)
    if ready.get_params(deep=False).get("random_state", 0) is None:
        ready.set_params(random_state=seed)
    # By value where the class is part of a script, which the process does not import.
    return wrap_non_picklable_objects(ready, keep_wrapper=False)
