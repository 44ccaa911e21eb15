"""A large network of cells from end to end, each step timed."""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from pathlib import Path
from time import process_time
from typing import Any

from benchmarks.bench_communities import neighbor_network
from benchmarks.evaluation.store import Job, Options
from benchmarks.evaluation.store import run as run_jobs

__all__ = ["NAME", "STEPS", "measure", "run"]

NAME = "cells"
N_OBJECTS, SMOKE_OBJECTS, N_MEMBERS = (100_000, 1_000_000), (1000,), 20
#: The steps, in the order in which they are done.
STEPS = ("members", "consensus", "stability", "report")
VALUES = ("n_links", "n_clusters", "ari", *(f"{step}_s" for step in STEPS))


def run(options: Options) -> None:
    """Measure the steps on networks that have no row yet.

    A million cells want ``--time-limit 3600 --memory-limit 8000``.
    """
    jobs = [
        Job({"n_objects": n, "n_members": N_MEMBERS}, measure)
        for n in (SMOKE_OBJECTS if options.smoke else N_OBJECTS)
    ]
    run_jobs("networks_cells", jobs, options, values=VALUES)


def measure(n_objects: int, n_members: int) -> dict[str, Any]:
    """Find members, their consensus and its stability, and write the report.

    Parameters
    ----------
    n_objects, n_members : int
        Number of cells, and of runs of Leiden.

    Returns
    -------
    values : dict
        Links, clusters and the adjusted Rand index with what was planted; seconds of
        CPU of each step.
    """
    import comitia
    from comitia.agreement import agreement
    from comitia.generate import GraphGenerator
    from comitia.report import write_report

    graph, truth = neighbor_network(n_objects)
    seconds: dict[str, float] = {}

    def timed(step: str, call: Callable[[], Any]) -> Any:
        start = process_time()
        value = call()
        seconds[f"{step}_s"] = process_time() - start
        return value

    generator = GraphGenerator(n_members, random_state=0)
    ensemble = timed("members", lambda: generator.generate(graph))
    consensus = comitia.method("fast_ensemble")(random_state=0)
    fitted = timed("consensus", lambda: consensus.fit(graph, ensemble=ensemble))
    timed("stability", lambda: comitia.stability(ensemble, by=[1.0] * n_members))
    with tempfile.TemporaryDirectory() as folder:
        timed(
            "report",
            lambda: write_report(
                comitia.Result.from_estimator(fitted), Path(folder) / "report.html"
            ),
        )
    return {
        "n_links": graph.nnz // 2,
        "n_clusters": fitted.n_clusters_,
        "ari": float(agreement(fitted.labels_, truth, "adjusted_rand")),
        **seconds,
    }
