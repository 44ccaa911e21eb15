"""Does ``clue_hierarchies`` reach the objectives of R's clue?

``python -m benchmarks.clue_trees``

Needs ``Rscript`` with the package clue (Debian: ``r-cran-clue``). Both are given the
same trees and weights, and both objectives are written to ``results/clue_trees.csv``;
of ``majority`` the number of classes with two objects or more, which have to be the
same. ``gap`` is ours less clue's, as a share of clue's; below 0 ours is lower. Both
search from several starts, so that either may find the better one.
"""

from __future__ import annotations

import argparse
import csv
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

__all__ = ["Case", "cases", "clue_says", "our_classes", "our_value", "run"]

RESULTS = Path(__file__).parent / "results" / "clue_trees.csv"
SCRIPT = Path(__file__).parent / "peers" / "clue_trees.R"
OBJECTIVES = ("euclidean", "manhattan")
COLUMNS = ("trees", "n_objects", "variant", "ours", "clue", "gap")
N_STARTS = 5

Floats = NDArray[np.float64]
Classes = set[frozenset[int]]


class Case(NamedTuple):
    """Trees in SciPy form, and their weights."""

    name: str
    trees: list[Floats]
    weights: Floats


def cases() -> Iterator[Case]:
    """Trees that agree more and less, with and without weights.

    No trees have exactly half of the weight, where clue's rounding decides.

    Yields
    ------
    case : Case
        What both are given.
    """
    from scipy.cluster.hierarchy import linkage

    rng = np.random.default_rng(0)
    settings: tuple[tuple[int, int, float, Any], ...] = (
        (8, 5, 1.0, "average"),
        (15, 7, 1.0, "complete"),
        (20, 7, 2.0, "average"),
        (30, 9, 1.5, "average"),
    )
    for n, n_trees, noise, how in settings:
        X = rng.normal(size=(n, 3)) + 3.0 * rng.integers(0, 3, size=(n, 1))
        seen = [X + noise * rng.normal(size=X.shape) for _ in range(n_trees)]
        trees = [linkage(one, how) for one in seen]
        yield Case(f"noise {noise:g}", trees, np.ones(n_trees))
        weights = np.sqrt(np.arange(1.0, n_trees + 1))
        yield Case(f"noise {noise:g}, weighted", trees, weights)


def _fitted(case: Case, variant: str) -> Any:
    import comitia

    made = comitia.method("clue_hierarchies")(
        2,
        variant=variant,
        clustering_weights=case.weights,
        n_init=N_STARTS,
        random_state=0,
    )
    return made.fit(case.trees)


def our_value(case: Case, variant: str) -> float:
    """The objective of ``clue_hierarchies``.

    Parameters
    ----------
    case : Case
        The trees.

    variant : str
        "euclidean" or "manhattan".

    Returns
    -------
    value : float
        At the end of the best start.
    """
    return float(_fitted(case, variant).objective_[-1])


def our_classes(case: Case) -> Classes:
    """The classes of two objects or more that most trees have.

    Parameters
    ----------
    case : Case
        The trees.

    Returns
    -------
    classes : set of frozenset of int
        Objects are numbered from 0.
    """
    fitted = _fitted(case, "majority")
    linkage, n = fitted.linkage_, len(fitted.labels_)
    own = [frozenset([i]) for i in range(n)]
    for a, b in linkage[:, :2].astype(int):
        own.append(own[a] | own[b])
    kept = fitted.supports_ > 0.5
    return {one for one, keep in zip(own[n:], kept, strict=True) if keep}


def clue_says(case: Case, variant: str) -> list[str]:
    """What the script for R's clue prints.

    Parameters
    ----------
    case : Case
        The trees.

    variant : str
        Of clue's methods.

    Returns
    -------
    lines : list of str
        The objective, or the classes.
    """
    from scipy.cluster.hierarchy import cophenet
    from scipy.spatial.distance import squareform

    with tempfile.TemporaryDirectory() as folder:
        for m, tree in enumerate(case.trees, start=1):
            heights = squareform(cophenet(tree))
            np.savetxt(f"{folder}/members-{m}.csv", heights, "%.17g", delimiter=",")
        np.savetxt(f"{folder}/weights.csv", case.weights)
        command = ["Rscript", "--vanilla", str(SCRIPT), folder, variant, "1"]
        command.append(str(N_STARTS))
        done = subprocess.run(command, capture_output=True, text=True, check=True)
    return done.stdout.splitlines()


def run(results: Path) -> list[dict[str, str]]:
    """Fit all variants on all cases with both, and write the table.

    Parameters
    ----------
    results : path
        The table.

    Returns
    -------
    rows : list of dict
        What is in it.
    """
    rows = []
    for case in cases():
        about = (case.name, str(len(case.trees[0]) + 1))
        for variant in OBJECTIVES:
            ours, clue = our_value(case, variant), float(clue_says(case, variant)[-1])
            cells = (f"{ours:.10g}", f"{clue:.10g}", f"{(ours - clue) / clue:.1e}")
            rows.append((*about, variant, *cells))
        lines = clue_says(case, "majority")
        theirs = {frozenset(int(i) - 1 for i in line.split()) for line in lines}
        apart = len(our_classes(case) ^ theirs) / len(theirs)
        counts = (str(len(our_classes(case))), str(len(theirs)), f"{apart:.1e}")
        rows.append((*about, "majority", *counts))
        for row in rows[-3:]:
            print(*row, flush=True)
    table = [dict(zip(COLUMNS, row, strict=True)) for row in rows]
    with results.open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, COLUMNS, lineterminator="\n")
        writer.writeheader()
        writer.writerows(table)
    return table


def main(arguments: list[str] | None = None) -> int:
    """Run; 1 if an objective is above clue's by more than a millionth."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--results", type=Path, default=RESULTS)
    rows = run(parser.parse_args(arguments).results)
    return int(any(float(row["gap"]) > 1e-6 for row in rows))


if __name__ == "__main__":
    raise SystemExit(main())
