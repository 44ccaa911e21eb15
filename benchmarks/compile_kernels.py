"""Compile the kernels and say how long each takes.

``python -m benchmarks.compile_kernels`` calls what calls kernels, on tiny input, and
listens to numba. Run it with an empty ``NUMBA_CACHE_DIR``. Prints JSON: the longest
compilation of each kernel in CPU seconds, callees included, because that is what the
first caller waits for; and the names of the kernels that nothing called.
"""

import importlib
import inspect
import json
import pkgutil
import sys
import time
import warnings
from typing import Any

import numpy as np
from numba.core.dispatcher import Dispatcher
from numba.core.event import Event, Listener, install_listener

import comitia
import comitia._kernels
from benchmarks.ensembles import voronoi_ensemble
from comitia.agreement import agreement_matrix
from comitia.catalogue import find_methods
from comitia.ensemble import Ensemble

PACKAGE = "comitia._kernels."


class Clock(Listener):
    """Keeps the longest CPU time of the compilations of each function."""

    def __init__(self) -> None:
        self.seconds: dict[str, float] = {}
        self._starts: list[float] = []

    def on_start(self, event: Event) -> None:
        """Note when a compilation begins; those of callees nest."""
        self._starts.append(time.process_time())

    def on_end(self, event: Event) -> None:
        """Note how long it took."""
        spent = time.process_time() - self._starts.pop()
        function = event.data["dispatcher"].py_func
        # What numba compiles for itself is in the time of the kernel that needs it.
        if function.__module__.startswith(PACKAGE):
            module = function.__module__.removeprefix(PACKAGE)
            name = f"{module}.{function.__qualname__}"
            self.seconds[name] = max(spent, self.seconds.get(name, 0.0))


def kernels() -> set[str]:
    """Names of all kernels, as ``module.function``."""
    names = set()
    for module in pkgutil.iter_modules(comitia._kernels.__path__):
        found = importlib.import_module(f"{PACKAGE}{module.name}")
        names |= {
            f"{module.name}.{value.py_func.__qualname__}"
            for value in vars(found).values()
            if isinstance(value, Dispatcher)
            and value.py_func.__module__ == found.__name__
        }
    return names


def call_everything(smoke: bool = False) -> None:
    """Call each public function that has a kernel behind it."""
    rng = np.random.RandomState(0)
    X = rng.rand(60, 3)
    labels = rng.randint(0, 4, size=(60, 6))
    hard = Ensemble(labels)
    comitia.method("lwgp")(n_clusters=3, random_state=0).fit(hard)
    if smoke:
        return
    partial = Ensemble(np.where(rng.rand(60, 6) < 0.2, -1, labels))
    for ensemble in (hard, partial):
        _fit_every_method(ensemble, X)
        _call_parts(ensemble, X)
    # Small ensembles are counted by NumPy; these kernels want a larger one.
    large = voronoi_ensemble(5000, 20, (2, 12))
    gaps = np.where(rng.rand(5000, 20) < 0.2, -1, large.labels)
    for ensemble in (large, Ensemble(gaps)):
        ensemble.distinct()
        ensemble.contingency()
        agreement_matrix(ensemble, "nmi_sqrt")
        for name in ("lwgp", "voting", "mcla"):
            comitia.method(name)(n_clusters=3, random_state=0).fit(ensemble)


def _fit_every_method(ensemble: Ensemble, X: Any) -> None:
    # Graphs, views and dendrograms are no tables; their kernels stay idle.
    for card in find_methods(needs=("labels", "data", "constraints", "series")):
        cls: Any = comitia.method(card.id)
        known = inspect.signature(cls).parameters
        made = cls(n_clusters=3, random_state=0)
        quick = {"n_rounds": 3, "n_clusterings": 4, **card.quick}
        made.set_params(**{name: quick[name] for name in quick if name in known})
        if "labels" not in card.needs:
            made.fit(X)
        elif "data" in card.needs:
            made.fit(X, ensemble=ensemble)
        else:
            made.fit(ensemble)


def _call_parts(ensemble: Ensemble, X: Any) -> None:
    from comitia.agreement import agreement_with
    from comitia.generate import GenieGenerator, LandmarkSpectralGenerator
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


def main() -> None:
    """Compile, then report."""
    clock = Clock()
    with warnings.catch_warnings():
        # What the methods make of random labels is of no interest here.
        warnings.simplefilter("ignore")
        with install_listener("numba:compile", clock):
            call_everything(smoke="--smoke" in sys.argv)
    idle = sorted(kernels() - clock.seconds.keys())
    print(json.dumps({"seconds": clock.seconds, "not compiled": idle}))


if __name__ == "__main__":
    main()
