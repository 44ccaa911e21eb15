"""Compile kernels ahead of use, so that nobody waits for the first result."""

from __future__ import annotations

import importlib
import inspect
import pkgutil
import warnings
from collections.abc import Callable
from functools import partial
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

from comitia.cli._meter import Meter, clock
from comitia.cli._options import Flag
from comitia.cli._summary import print_json
from comitia.ensemble import Ensemble

__all__ = ["call_everything", "kernels", "warm"]

# Objects of the ensembles: few, and so many that labels are not counted by NumPy.
_FEW, _MANY = 60, 5000


def warm(*, json: Flag = False, quiet: Flag = False) -> None:
    """Compile the kernels now, so that the first result need not wait for them.

    Those of methods on labels, tables and series, for few and for many objects.
    They are kept beside the package, or in the cache of the user where that cannot be
    written to. Done once after an installation; a second time they are only read.

    Parameters
    ----------
    json : bool
        Print JSON and nothing else on standard output.
    quiet : bool
        Say nothing but errors.
    """
    from time import perf_counter

    begin = perf_counter()
    with Meter(quiet) as meter, warnings.catch_warnings():
        # What the methods make of random labels is of no interest here.
        warnings.simplefilter("ignore")
        call_everything(on_progress=meter.on_progress)
    stats = {name: kernel.stats for name, kernel in kernels().items()}
    compiled = sum(sum(each.cache_misses.values()) for each in stats.values())
    read = sum(sum(each.cache_hits.values()) for each in stats.values())
    about = {
        "compiled": compiled,
        "read": read,
        "seconds": round(perf_counter() - begin, 1),
        "folder": next(iter(stats.values())).cache_path,
    }
    if json:
        print_json(about)
    elif not quiet:
        seconds = clock(about["seconds"])
        print(f"  kernels   {compiled} compiled, {read} read {'':<21}{seconds}")
        print(f"  kept in   {about['folder'] or 'no place: each process compiles'}")


def kernels() -> dict[str, Any]:
    """All kernels.

    Returns
    -------
    kernels : dict of str to dispatcher
        By their names, ``module.function``.
    """
    package = importlib.import_module("comitia._kernels")
    found: dict[str, Any] = {}
    for module in pkgutil.iter_modules(package.__path__):
        part = importlib.import_module(f"{package.__name__}.{module.name}")
        found |= {
            f"{module.name}.{value.py_func.__qualname__}": value
            for value in vars(part).values()
            if hasattr(value, "py_func") and value.py_func.__module__ == part.__name__
        }
    return found


def call_everything(
    smoke: bool = False, on_progress: Callable[[str, int, int], None] | None = None
) -> None:
    """Call each public function that has a kernel behind it, on tiny input.

    Parameters
    ----------
    smoke : bool, default=False
        Call one function alone.

    on_progress : callable, default=None
        Called as ``on_progress("compile", done, total)``.
    """
    rng = np.random.RandomState(0)
    X = rng.rand(_FEW, 3)
    labels = rng.randint(0, 4, size=(_FEW, 6))
    hard = Ensemble(labels)
    gaps = Ensemble(np.where(rng.rand(_FEW, 6) < 0.2, -1, labels))
    many = _many(rng)
    calls: list[Callable[[], Any]] = [many[0].distinct]
    if not smoke:
        calls += _calls_of_methods((hard, gaps), X)
        calls += [partial(_call_parts, votes, X) for votes in (hard, gaps)]
        calls += [partial(_call_on_many, votes) for votes in many]
        calls.append(partial(_fill_gaps, X))
    for done, call in enumerate(calls):
        if on_progress is not None:
            on_progress("compile", done, len(calls))
        call()


def _fill_gaps(X: Any) -> None:
    from comitia.prepare import TablePreparer

    TablePreparer().fit_transform(np.where(X < 0.2, np.nan, X))


def _method(name: str) -> Any:
    from comitia.catalogue import method

    return method(name)(n_clusters=3, random_state=0)


def _calls_of_methods(ensembles: Any, X: Any) -> list[Callable[[], Any]]:
    from comitia.catalogue import find_methods

    # Graphs, views and dendrograms are no tables; their kernels stay idle.
    cards = find_methods(needs=("labels", "data", "constraints", "series"))
    return [
        partial(_fit, card, ensemble, X) for ensemble in ensembles for card in cards
    ]


def _fit(card: Any, ensemble: Ensemble, X: Any) -> None:
    made = _method(card.id)
    known = inspect.signature(type(made)).parameters
    quick = {"n_rounds": 3, "n_clusterings": 4, **card.quick}
    made.set_params(**{name: quick[name] for name in quick if name in known})
    if "labels" not in card.needs:
        made.fit(X)
    elif "data" in card.needs:
        made.fit(X, ensemble=ensemble)
    else:
        made.fit(ensemble)


def _many(rng: np.random.RandomState) -> list[Ensemble]:
    """Larger ensembles, hard and with gaps: small ones are counted by NumPy."""
    truth = rng.randint(0, 8, size=(_MANY, 1))
    noise = rng.rand(_MANY, 20) < 0.3
    labels = np.where(noise, rng.randint(0, 8, size=(_MANY, 20)), truth)
    gaps = np.where(rng.rand(_MANY, 20) < 0.2, -1, labels)
    return [Ensemble(labels), Ensemble(gaps)]


def _call_on_many(ensemble: Ensemble) -> None:
    from comitia.agreement import agreement_matrix

    ensemble.distinct()
    ensemble.contingency()
    agreement_matrix(ensemble, "nmi_sqrt")
    for name in ("lwgp", "voting", "mcla"):
        _method(name).fit(ensemble)


def _call_parts(ensemble: Ensemble, X: Any) -> None:
    from comitia.agreement import agreement_matrix, agreement_with
    from comitia.generate import (
        GenieGenerator,
        LandmarkSpectralGenerator,
        generate_blocks,
    )
    from comitia.partition.linkage import ensemble_linkage
    from comitia.represent.coassociation import coassociation, condensed_coassociation
    from comitia.validity.table import score_table

    for measure in ("nmi_sqrt", "adjusted_rand"):
        agreement_matrix(ensemble, measure)
        agreement_with(ensemble.labels[:, 0], ensemble, measure)
    coassociation(ensemble)
    condensed_coassociation(ensemble)
    for linkage in ("single", "average", "complete", "ward"):
        ensemble_linkage(ensemble, linkage=linkage)
    ensemble.distinct()
    score_table(X, ensemble)
    LandmarkSpectralGenerator(2, random_state=0).generate(X)
    GenieGenerator(2, random_state=0).generate(X)
    with TemporaryDirectory() as folder:
        generate_blocks(GenieGenerator(2, random_state=0), X, folder)
