"""Consensus on networks: protein complexes and overlapping circles of friends.

``python -m benchmarks.networks --data FOLDER [--out FILE]``

FOLDER holds ``graphs/<name>.npz``. On a protein network ``wu_2017`` combines
communities that were found at several resolutions, and is compared with the gold
complexes; on a network of friends ``yang_2016`` combines overlapping communities, and
is compared with the circles that people drew themselves.
"""

from __future__ import annotations

import argparse
import csv
import itertools
import os
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

RESULTS = Path(__file__).parent / "results"
PROTEINS = (("ppi_collins2007", "gold_cyc2008"), ("ppi_collins2007", "gold_sgd"))
FRIENDS = ("ego_facebook_686", "ego_facebook_1684")
# Two sets of proteins match when they overlap so much; the usual bound of the field.
MATCH = 0.2
SMALLEST = 3
# Complexes are small, communities at resolution one are not.
RESOLUTIONS = (5.0, 10.0, 20.0, 40.0)

Sets = list[NDArray[Any]]


def main(arguments: list[str] | None = None) -> int:
    """Run both comparisons."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.networks", description=__doc__
    )
    parser.add_argument("--data", type=Path, default=os.environ.get("COMITIA_DATA"))
    parser.add_argument("--out", type=Path, default=RESULTS / "networks.csv")
    asked = parser.parse_args(arguments)
    if asked.data is None:
        parser.error("say where the graphs are: --data FOLDER, or COMITIA_DATA")
    rows = [row for name, gold in PROTEINS for row in complexes(asked.data, name, gold)]
    rows += [row for name in FRIENDS for row in circles(asked.data, name)]
    asked.out.parent.mkdir(parents=True, exist_ok=True)
    with asked.out.open("w", newline="") as file:
        writer = csv.DictWriter(file, list(rows[0]))
        writer.writeheader()
        writer.writerows(rows)
    for row in rows:
        print("  ".join(f"{value!s:<22}" for value in row.values()))
    return 0


def load(data: Path, name: str, gold: str) -> tuple[csr_array, Sets]:
    """A network and its known groups of three or more."""
    with np.load(data / "graphs" / f"{name}.npz", allow_pickle=False) as file:
        n = int(file["n"])
        edges = file["edges"]
        weights = file["weights"] if "weights" in file.files else np.ones(len(edges))
        ends = file[f"{gold}_indptr"]
        members = file[f"{gold}_indices"]
    both = np.vstack([edges, edges[:, ::-1]])
    graph = csr_array(
        (np.tile(weights.astype(float), 2), (both[:, 0], both[:, 1])), shape=(n, n)
    )
    groups = [members[lo:hi] for lo, hi in itertools.pairwise(ends)]
    return graph, [group for group in groups if len(group) >= SMALLEST]


def complexes(data: Path, name: str, gold: str) -> list[dict[str, Any]]:
    """Protein complexes by wu_2017, beside the members of its ensemble."""
    import comitia
    from comitia.generate import GraphGenerator

    graph, known = load(data, name, gold)
    ensemble = comitia.Ensemble(
        [
            labels
            for resolution in RESOLUTIONS
            for labels in GraphGenerator(
                5, detector="louvain", resolution=resolution, random_state=0
            )
            .generate(graph)
            .labels.T
        ]
    )
    alone = [f_measure(_groups(labels), known) for labels in ensemble.labels.T]
    scale = graph.data.max()
    start = time.process_time()
    fitted = comitia.method("wu_2017")(threshold=0.5).fit(
        graph / scale, ensemble=ensemble
    )
    seconds = time.process_time() - start
    found = _groups(fitted.labels_)
    return [
        _row(name, gold, "members, mean", len(alone), float(np.mean(alone)), None),
        _row(name, gold, "members, best", len(alone), max(alone), None),
        _row(name, gold, "wu_2017", len(found), f_measure(found, known), seconds),
    ]


def circles(data: Path, name: str) -> list[dict[str, Any]]:
    """Overlapping circles by yang_2016, beside the members of its ensemble."""
    import comitia

    graph, known = load(data, name, "comm")
    rows = []
    # Iterating until all runs agree takes the overlaps away; no iteration keeps them.
    for label, parameters in (
        ("yang_2016", {}),
        ("yang_2016, max_iter=0", {"max_iter": 0}),
    ):
        start = time.process_time()
        fitted = comitia.method("yang_2016")(random_state=0, **parameters).fit(graph)
        seconds = time.process_time() - start
        found = [np.flatnonzero(column > 0) for column in fitted.membership_.T]
        score = best_match_f1(found, known)
        rows.append(_row(name, "circles", label, len(found), score, seconds))
    ensemble = fitted.ensemble_
    B = ensemble.membership.tocsc()
    alone = []
    for m in range(ensemble.n_clusterings):
        clusters = range(ensemble.offsets[m], ensemble.offsets[m + 1])
        alone.append(best_match_f1([B[:, [c]].indices for c in clusters], known))
    mean = float(np.mean(alone))
    return [
        _row(name, "circles", "members, mean", len(alone), mean, None),
        _row(name, "circles", "members, best", len(alone), max(alone), None),
        *rows,
    ]


def f_measure(found: Sets, known: Sets) -> float:
    """Harmonic mean of the shares of found and of known sets that have a match."""
    if not found:
        return 0.0
    overlap = _shared(found, known) ** 2 / _products(found, known)
    precision = (overlap.max(axis=1) >= MATCH).mean()
    recall = (overlap.max(axis=0) >= MATCH).mean()
    return float(2 * precision * recall / max(precision + recall, 1e-12))


def best_match_f1(found: Sets, known: Sets) -> float:
    """Mean F1 of the best match, over the found and over the known sets."""
    sizes = np.add.outer([len(one) for one in found], [len(one) for one in known])
    f1 = 2 * _shared(found, known) / sizes
    return float((f1.max(axis=1).mean() + f1.max(axis=0).mean()) / 2)


def _shared(one: Sets, other: Sets) -> NDArray[np.float64]:
    n = 1 + max(int(group.max()) for group in (*one, *other))

    def indicator(groups: Sets) -> csr_array:
        rows = np.repeat(np.arange(len(groups)), [len(group) for group in groups])
        shape = (len(groups), n)
        return csr_array(
            (np.ones(len(rows)), (rows, np.concatenate(groups))), shape=shape
        )

    return (indicator(one) @ indicator(other).T).toarray()


def _products(one: Sets, other: Sets) -> NDArray[np.float64]:
    sizes = [len(group) for group in one], [len(group) for group in other]
    return np.multiply.outer(*sizes).astype(float)


def _groups(labels: NDArray[Any]) -> Sets:
    groups = [np.flatnonzero(labels == c) for c in range(labels.max() + 1)]
    return [group for group in groups if len(group) >= SMALLEST]


def _row(
    name: str, gold: str, what: str, n: int, score: float, seconds: float | None
) -> dict[str, Any]:
    return {
        "network": name,
        "gold": gold,
        "method": what,
        "n": n,
        "score": round(score, 3),
        "cpu_s": "" if seconds is None else round(seconds, 2),
    }


if __name__ == "__main__":
    sys.exit(main())
