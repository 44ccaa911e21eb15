"""Does ``clue_consensus`` reach the objectives of R's clue?

``python -m benchmarks.clue_values``

Needs ``Rscript`` with the packages clue and lpSolve (Debian: ``r-cran-clue`` and
``r-cran-lpsolve``). Hard and fuzzy ensembles, with and without weights, with as many
classes as asked for and with more: both are given the same memberships, and both
objectives are written to ``results/clue_values.csv``. ``gap`` is ours less clue's, as a
share of clue's; below 0 ours is lower. Both search from several starts, so that either
may find the better one.
"""

from __future__ import annotations

import argparse
import csv
import subprocess
import tempfile
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from benchmarks.ensembles import planted_labels

__all__ = ["Case", "cases", "clue_value", "our_value", "run"]

RESULTS = Path(__file__).parent / "results" / "clue_values.csv"
SCRIPT = Path(__file__).parent / "peers" / "clue_values.R"
VARIANTS = ("SE", "HE", "SM", "HM", "GV1", "GV3")
COLUMNS = ("ensemble", "variant", "n_clusters", "ours", "clue", "gap")
N_STARTS = 20

Floats = NDArray[np.float64]


class Case(NamedTuple):
    """Memberships of each clustering, their weights, and a number of clusters."""

    name: str
    members: list[Floats]
    weights: Floats
    n_clusters: int


def cases() -> Iterator[Case]:
    """Small ensembles of each kind.

    Yields
    ------
    case : Case
        What both are given.
    """
    e6 = np.array([[0, 0, 0], [0, 0, 0], [0, 0, 1], [1, 1, 1], [1, 1, 2], [1, 1, 2]])
    hard, _ = planted_labels(40, 3, 8, 0.35)
    rising = np.arange(1.0, 9.0)
    fine, _ = planted_labels(40, 5, 8, 0.3, seed=1)
    rng = np.random.default_rng(0)
    fuzzy = [0.6 * B + 0.4 * rng.dirichlet(np.ones(3), 40) for B in _indicators(hard)]
    yield Case("e6", _indicators(e6), np.ones(3), 2)
    yield Case("hard", _indicators(hard), np.ones(8), 3)
    yield Case("hard, weighted", _indicators(hard), rising, 3)
    yield Case("fuzzy", fuzzy, np.ones(8), 3)
    yield Case("fuzzy, weighted", fuzzy, rising, 3)
    yield Case("five classes in three", _indicators(fine), np.ones(8), 3)


def _indicators(labels: NDArray[np.integer]) -> list[Floats]:
    return [np.eye(column.max() + 1)[column] for column in labels.T]


def our_value(case: Case, variant: str) -> float:
    """The objective of ``clue_consensus``.

    Parameters
    ----------
    case : Case
        The ensemble.

    variant : str
        Of clue's methods.

    Returns
    -------
    value : float
        At the end of the best start.
    """
    import comitia

    made = comitia.method("clue_consensus")(
        case.n_clusters,
        variant=variant,
        clustering_weights=case.weights,
        n_init=N_STARTS,
        max_iter=5000,
        tol=1e-13,
        random_state=0,
    )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # a cluster that stays empty
        made.fit(comitia.Ensemble.from_memberships(case.members))
    return float(made.objective_[-1])


def clue_value(case: Case, variant: str) -> float:
    """The objective of R's clue.

    Parameters
    ----------
    case : Case
        The ensemble.

    variant : str
        Of clue's methods.

    Returns
    -------
    value : float
        At the end of the best start.
    """
    with tempfile.TemporaryDirectory() as folder:
        for m, B in enumerate(case.members, start=1):
            np.savetxt(f"{folder}/members-{m}.csv", B, delimiter=",", fmt="%.17g")
        np.savetxt(f"{folder}/weights.csv", case.weights)
        asked = (folder, variant, str(case.n_clusters), "1", str(N_STARTS))
        command = ["Rscript", "--vanilla", str(SCRIPT), *asked]
        done = subprocess.run(command, capture_output=True, text=True, check=True)
    return float(done.stdout.split()[-1])


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
        for variant in VARIANTS:
            ours, clue = our_value(case, variant), clue_value(case, variant)
            cells = (f"{ours:.10g}", f"{clue:.10g}", f"{(ours - clue) / clue:.1e}")
            values = (case.name, variant, str(case.n_clusters), *cells)
            rows.append(dict(zip(COLUMNS, values, strict=True)))
            print(*values, flush=True)
    with results.open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, COLUMNS, lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)
    return rows


def main(arguments: list[str] | None = None) -> int:
    """Run; 1 if an objective of ours is above clue's by more than a millionth."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--results", type=Path, default=RESULTS)
    rows = run(parser.parse_args(arguments).results)
    return int(any(float(row["gap"]) > 1e-6 for row in rows))


if __name__ == "__main__":
    raise SystemExit(main())
