"""What a method costs beyond the parts it stands on: its weights should be cheap."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

import comitia
from benchmarks.ensembles import voronoi_ensemble
from benchmarks.harness import Row, cpu
from comitia.agreement import agreement_matrix
from comitia.ensemble import Ensemble
from comitia.partition import cut, ensemble_linkage, hac, tcut
from comitia.represent import bipartite_graph, condensed_coassociation

N_CLUSTERS = 10
# A method may cost this much more than its parts.
MOST = 1.5


def linkage(name: Any) -> Callable[[Ensemble], Any]:
    """A tree on the co-association, and its cut."""
    return lambda ensemble: cut(ensemble_linkage(ensemble, linkage=name), N_CLUSTERS)


def dense_linkage(ensemble: Ensemble) -> Any:
    """A tree on a function of the co-association, which needs the matrix."""
    together = condensed_coassociation(ensemble, dtype=np.float64)
    return cut(hac(np.maximum(1.0 - together, 0.0)), N_CLUSTERS)


def transfer_cut(ensemble: Ensemble) -> Any:
    """A cut of the bipartite graph."""
    rng = np.random.RandomState(0)
    return tcut(bipartite_graph(ensemble), N_CLUSTERS, rng)


def tables(ensemble: Ensemble) -> Any:
    """Every contingency table."""
    return ensemble.contingency()


def pairs(measure: str) -> Callable[[Ensemble], Any]:
    """How alike each two clusterings are."""
    return lambda ensemble: agreement_matrix(ensemble, measure)


# Label-only methods and the parts that their entries in the catalogue name.
PARTS: dict[str, tuple[Callable[[Ensemble], Any], ...]] = {
    "eac": (linkage("average"),),
    "weac": (pairs("nmi_max"), linkage("average")),
    "lwea": (tables, linkage("average")),
    "berikov_2014": (pairs("rand"), linkage("average")),
    "wea": (linkage("average"),),
    "rouba_2017": (pairs("adjusted_rand"), linkage("average")),
    "gullo_2009": (pairs("nmi_sqrt"), dense_linkage),
    "lwgp": (tables, transfer_cut),
}


def run(scale: str) -> list[Row]:
    """One row for each method; the parts are the peer."""
    n, M, repeats = (300, 6, 1) if scale == "smoke" else (10_000, 20, 3)
    codes = voronoi_ensemble(n, M).codes
    each = voronoi_ensemble(n, M).n_clusters_each

    def fresh() -> Ensemble:
        # An ensemble keeps what was computed of it; every run starts without.
        return Ensemble.from_codes(codes.copy(), each)

    rows = []
    for name, parts in PARTS.items():
        method = comitia.method(name)(N_CLUSTERS, random_state=0)

        def whole(method: Any = method) -> None:
            method.fit(fresh())

        ours = cpu(whole, repeats=repeats)

        def together(parts: Any = parts) -> None:
            ensemble = fresh()
            for part in parts:
                part(ensemble)

        theirs = cpu(together, repeats=repeats)
        rows.append(
            Row(
                name,
                f"n={n} M={M}",
                ours,
                "its parts",
                theirs,
                f"<= {MOST} x the parts",
                passed=None if scale == "smoke" else ours <= MOST * theirs,
            )
        )
    return rows
