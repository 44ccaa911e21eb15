"""Score the methods on the pools, and compare their trees with SciPy's."""

from __future__ import annotations

import os
import sys
import warnings
from collections.abc import Iterator
from contextlib import AbstractContextManager, nullcontext
from dataclasses import replace
from itertools import product
from pathlib import Path
from time import monotonic
from typing import Any
from unittest.mock import patch

import numpy as np
from numpy.typing import NDArray

from benchmarks.evaluation.fidelity.clusterpack import OLD_METIS
from benchmarks.evaluation.fidelity.scores import BEST_OF, MEASURES, scores
from benchmarks.evaluation.fidelity.summary import write_summary
from benchmarks.evaluation.fidelity.survey import survey_jobs, write_beside
from benchmarks.evaluation.fidelity.trees import (
    WITHOUT_TIES,
    compare_shaken,
    compare_trees,
)
from benchmarks.evaluation.fidelity.variants import variant_jobs
from benchmarks.evaluation.pools import N_DRAWS, draw_of, load_pool, pools
from benchmarks.evaluation.store import Job, Options, read
from benchmarks.evaluation.store import run as run_jobs

__all__ = ["METHODS", "run", "score"]

#: The methods that the papers have figures of, and voting.
METHODS = (
    "lwea",
    "lwgp",
    "weac",
    "gp_mgla",
    "ecpcs_hc",
    "ecpcs_mc",
    "eac",
    "kcc",
    "sec",
    "mcla",
    "cspa",
    "hgpa",
    "hbgf",
    "voting",
)
TREES = ("lwea", "weac", "eac", "ecpcs_hc")


def run(options: Options) -> None:
    """Score the methods, and compare the trees.

    ``options.sets`` are pools.
    """
    end = None if options.stop_after is None else monotonic() + options.stop_after

    def do(
        part: str, jobs: list[Job], values: tuple[str, ...], limits: Options
    ) -> None:
        if end is not None:
            limits = replace(limits, stop_after=max(end - monotonic(), 0.0))
        if jobs:
            about = {"old_metis": OLD_METIS in os.environ}
            run_jobs(part, jobs, limits, values=values, about=about)

    # The distances of 20 000 objects are 1.6 GB, and SciPy copies them.
    large = replace(
        options,
        memory_limit=max(options.memory_limit, 8000.0),
        time_limit=max(options.time_limit, 900.0),
    )
    trees = ("equal", "k_apart", "k_tied", "height_gap")
    do("fidelity", list(_score_jobs(options)), ("k", *MEASURES), options)
    do("fidelity_linkage", list(_tree_jobs(options)), trees, large)
    do("fidelity_ties", list(_tie_jobs(options)), ("k_apart", "k_ours"), large)
    write_summary(options.results, options.data)
    # What is to be explained stands in the summary.
    do("fidelity_variants", list(variant_jobs(options)), ("k", *MEASURES), options)
    do("fidelity_survey", list(survey_jobs(options)), ("k", *MEASURES), options)
    write_beside(options.results, options.data)


def _score_jobs(options: Options) -> Iterator[Job]:
    from comitia.catalogue import DEFAULT_METHOD
    from comitia.evaluate.recommendation import measured_leagues

    names = pools(options)
    draws = range(1, 2 if options.smoke else N_DRAWS + 1)
    asked = options.methods or (METHODS[:4] if options.smoke else METHODS)
    # Methods that the papers do not have: their ranks are what `recommend` goes by.
    known = measured_leagues()["pools"]["methods"]
    others = () if options.methods or options.smoke else tuple(known)
    # The default is measured on the same pools beside its peers.
    rest = tuple(one for one in others if one not in (*METHODS, DEFAULT_METHOD))
    # A tree is cut, where the other methods are fitted 29 times: trees come first. The
    # papers have no voting, so that its best k would stand alone.
    trees = tuple(one for one in asked if one in TREES)
    fitted = tuple(one for one in asked if one not in (*TREES, "voting"))
    for criterion, methods in (
        ("true-k", (*asked, *rest)),
        ("best-k", trees),
        ("best-k", fitted),
    ):
        for draw, name, method in product(draws, names, methods):
            key = {"pool": name, "draw": draw, "method": method}
            key["criterion"] = criterion
            yield Job(key, score, {"folder": options.data})


def _tree_jobs(options: Options) -> Iterator[Job]:
    for name in pools(options):
        for draw in range(1, 2 if options.smoke else N_DRAWS + 1):
            for method in WITHOUT_TIES:
                key = {"pool": name, "draw": draw, "method": method}
                yield Job(key, compare_trees, {"folder": options.data})


def _tie_jobs(options: Options) -> Iterator[Job]:
    for row in read(options.results / "fidelity_linkage.csv"):
        if row["k_apart"]:
            key = {"pool": row["pool"], "draw": int(row["draw"])}
            key["method"] = row["method"]
            yield Job(key, compare_shaken, {"folder": options.data})


# -- the scores ------------------------------------------------------------------------


def score(
    pool: str, draw: int, method: str, criterion: str, folder: Path | None
) -> dict[str, Any]:
    """Fit a method on a draw and compare it with the classes.

    Parameters
    ----------
    pool, draw, method : str, int, str
        What is fitted on what; the draw is the seed.

    criterion : {"true-k", "best-k"}
        How many clusters.

    folder : path or None
        The data folder.

    Returns
    -------
    values : dict
        ``k``, ``nmi_sqrt``, ``nmi_max`` and ``ari``.
    """
    import comitia

    members, classes = load_pool(pool, folder)
    ensemble = comitia.Ensemble(draw_of(members, draw))
    numbers = BEST_OF if criterion == "best-k" else (len(np.unique(classes)),)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # a missed max_iter shows in the scores
        return scores(_fitted(method, ensemble, numbers, draw), numbers, classes)


def _fitted(
    method: str, ensemble: Any, numbers: tuple[int, ...], seed: int
) -> Iterator[NDArray[Any]]:
    """The labels of a method for each number of clusters; a tree is made only once."""
    import comitia
    from comitia.partition import cut

    made = comitia.method(method)(numbers[0], random_state=seed)
    with _shared(made):
        yield made.fit(ensemble).labels_
        for k in numbers[1:]:
            if hasattr(made, "linkage_"):
                yield cut(made.linkage_, k)
            else:
                yield made.set_params(n_clusters=k).fit_predict(ensemble)


def _shared(made: Any) -> AbstractContextManager[Any]:
    """The walks of ECPCS-MC do not depend on k, and take most of the time of a fit."""
    module = sys.modules[type(made).__module__]
    if not hasattr(module, "random_walk_similarity"):
        return nullcontext()
    walk = module.random_walk_similarity
    known: list[NDArray[Any]] = []

    def once(*given: Any) -> NDArray[Any]:
        if not known:
            known.append(walk(*given))
        return known[0].copy()

    return patch.object(module, "random_walk_similarity", once)
