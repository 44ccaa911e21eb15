"""The methods after the review beside evidence accumulation, LWEA and LWGP.

``python -m benchmarks.after_review run --data FOLDER [--seconds 600]``
``python -m benchmarks.after_review table``
``python -m benchmarks.after_review against [--methods nwca weights_of_trce]``

``FOLDER`` has pools of clusterings, ``<name>.npz`` with ``members`` (n, n_members) and
``gt`` (n,). Of each pool a draw takes at most 400 rows, in random order, and 20
members; all methods meet the same draw, with as many clusters as classes and their
defaults otherwise. ``run`` appends to ``results/after_review.csv`` what is not there
yet, and stops after so many seconds; ``table`` prints mean scores of the two halves of
the pools. What is chosen is chosen on the first, and looked at once on the second.
``against`` compares methods with LWGP pool by pool, by Wilcoxon's test.

``weights_of_...`` are the weights of a method in the cut of LWGP, by
``ConsensusClustering(weighting=..., consensus="tcut")``; those of LWGP itself are LWGP.
"""

from __future__ import annotations

import argparse
import csv
import platform
import warnings
from collections.abc import Iterator, Mapping, Sequence
from datetime import date
from pathlib import Path
from time import monotonic, process_time
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from sklearn.metrics import adjusted_rand_score, normalized_mutual_info_score

import comitia

__all__ = ["METHODS", "Draw", "draw", "halves", "run", "table"]

RESULTS = Path(__file__).parent / "results" / "after_review.csv"
MAX_OBJECTS, N_MEMBERS, N_DRAWS = 400, 20, 3
# Which half a pool is in is drawn with this seed.
HALVES_SEED = 25

#: What is fitted, by the name in the table.
METHODS: dict[str, tuple[str, Mapping[str, Any]]] = {
    "eac": ("eac", {}),
    "lwea": ("lwea", {}),
    "lwgp": ("lwgp", {}),
    "nwca": ("lwea", {"normalized": True, "theta": 0.09}),
    "nwca_gp": ("lwgp", {"normalized": True, "theta": 0.09}),
    "lce": ("lce", {}),
    "lce_rm": ("lce", {"variant": "rm"}),
    "pta": ("pta", {}),
    "ptgp": ("ptgp", {}),
    "u_senc": ("u_senc", {}),
    "ivc": ("ivc", {}),
    "cumulative_voting": ("cumulative_voting", {}),
    "mixture_consensus": ("mixture_consensus", {}),
    "clue_consensus": ("clue_consensus", {}),
    "drec": ("drec", {}),
    "sdgca": ("sdgca", {}),
    "ec_cms": ("ec_cms", {}),
    "trce": ("trce", {}),
    "spce": ("spce", {}),
    "sccabg": ("sccabg", {}),
    "ceam": ("ceam", {}),
    "awec": ("awec", {}),
    "weights_of_mdec": ("consensus", {"weighting": "mdec"}),
    "weights_of_trce": ("consensus", {"weighting": "trce"}),
    "weights_of_spce": ("consensus", {"weighting": "spce"}),
}
COLUMNS = [
    *("data", "half", "draw", "method", "n_objects", "n_clusters"),
    *("nmi", "ari", "cpu_seconds", "date", "comitia", "numpy", "python"),
]


class Draw(NamedTuple):
    """Rows and members of a pool, and the classes of the rows."""

    labels: NDArray[Any]
    truth: NDArray[Any]


def draw(pool: Mapping[str, NDArray[Any]], seed: int) -> Draw:
    """Shuffled rows and drawn members of a pool.

    Parameters
    ----------
    pool : mapping
        With ``members`` and ``gt``.

    seed : int
        The number of the draw.

    Returns
    -------
    drawn : Draw
        What the methods meet.
    """
    rng = np.random.RandomState(seed)
    members, truth = pool["members"], pool["gt"]
    rows = rng.permutation(len(truth))[:MAX_OBJECTS]
    columns = rng.permutation(members.shape[1])[:N_MEMBERS]
    return Draw(members[np.ix_(rows, columns)], truth[rows])


def halves(names: Sequence[str]) -> dict[str, str]:
    """Whether each pool is there to explore or to confirm.

    Parameters
    ----------
    names : sequence of str
        All pools.

    Returns
    -------
    half : dict of str to str
        ``"explore"`` or ``"confirm"``, by name.
    """
    ordered = sorted(names)
    drawn = np.random.RandomState(HALVES_SEED).permutation(len(ordered))
    explore = {ordered[i] for i in drawn[: (len(ordered) + 1) // 2]}
    return {name: "explore" if name in explore else "confirm" for name in ordered}


def run(
    folder: Path, results: Path, seconds: float, methods: Sequence[str] = (*METHODS,)
) -> Iterator[dict[str, Any]]:
    """Fit what has no row yet, and append the rows.

    Parameters
    ----------
    folder : Path
        The pools.

    results : Path
        The table.

    seconds : float
        No fit begins later than this.

    methods : sequence of str, default=all
        What is fitted.

    Yields
    ------
    row : dict
        A row of the table.
    """
    known = {
        tuple(row[c] for c in ("data", "draw", "method")) for row in _read(results)
    }
    half = halves([path.stem for path in folder.glob("*.npz")])
    started = monotonic()
    for seed in range(N_DRAWS):
        for name in half:
            with np.load(folder / f"{name}.npz") as pool:
                drawn = draw(pool, seed)
            for method in methods:
                if (name, str(seed), method) in known:
                    continue
                if monotonic() - started > seconds:
                    return
                key = {"data": name, "half": half[name], "draw": seed, "method": method}
                row = key | _fit(drawn, method)
                _append(results, row)
                yield row


def table(rows: Sequence[Mapping[str, Any]]) -> str:
    """Means over the pools of each half, of methods that have all of their fits.

    Parameters
    ----------
    rows : sequence of mapping
        What :func:`run` wrote.

    Returns
    -------
    text : str
        One line for each method, the best of the first half first.
    """
    lines = ["method              explore nmi   ari  confirm nmi   ari  CPU s"]
    fits = {}
    for method in METHODS:
        own = [row for row in rows if row["method"] == method]
        fits[method] = own
    most = max((len(own) for own in fits.values()), default=0)
    scored = []
    for method, own in fits.items():
        if not own or len(own) < most:
            continue
        means = [
            np.mean([float(row[score]) for row in own if row["half"] == half])
            for half in ("explore", "confirm")
            for score in ("nmi", "ari")
        ]
        scored.append((means, method, np.mean([float(r["cpu_seconds"]) for r in own])))
    for means, method, cpu in sorted(scored, reverse=True):
        a, b, c, d = (f"{mean:.3f}" for mean in means)
        lines.append(f"{method:<19} {a:>11} {b:>5} {c:>12} {d:>5} {cpu:>6.2f}")
    return "\n".join(lines)


def against(
    rows: Sequence[Mapping[str, Any]], methods: Sequence[str], score: str = "nmi"
) -> str:
    """Differences to LWGP, of means over the draws of each pool.

    Parameters
    ----------
    rows : sequence of mapping
        What :func:`run` wrote.

    methods : sequence of str
        What is compared.

    score : {"nmi", "ari"}, default="nmi"
        By what.

    Returns
    -------
    text : str
        One line for each method and half: pools, mean difference, pools won and lost,
        the p-value of Wilcoxon's signed ranks, and as effect size the share of ranks
        that are won less the share that are lost.
    """
    from scipy.stats import rankdata, wilcoxon

    means: dict[tuple[str, str, str], list[float]] = {}
    by_draw = {(r["method"], r["data"], str(r["draw"])): r for r in rows}
    for (method, data, draw), row in by_draw.items():
        if ("lwgp", data, draw) in by_draw:
            gap = float(row[score]) - float(by_draw["lwgp", data, draw][score])
            means.setdefault((method, row["half"], data), []).append(gap)
    lines = [f"{score}: method      half     pools  mean gap  won lost      p  effect"]
    for method in methods:
        for half in ("explore", "confirm"):
            own = [
                np.mean(v) for (m, h, _), v in means.items() if (m, h) == (method, half)
            ]
            gaps = np.array([gap for gap in own if gap != 0.0])
            if not len(gaps):
                continue
            ranks = rankdata(np.abs(gaps))
            effect = float(np.sign(gaps) @ ranks / ranks.sum())
            p = float(wilcoxon(gaps).pvalue)
            lines.append(
                f"{method:<17} {half:<8} {len(own):>5} {np.mean(own):>+9.3f} "
                f"{(gaps > 0).sum():>4} {(gaps < 0).sum():>4} {p:>6.2f} {effect:>+7.2f}"
            )
    return "\n".join(lines)


def _fit(drawn: Draw, method: str) -> dict[str, Any]:
    name, given = METHODS[method]
    k = len(np.unique(drawn.truth))
    parameters = dict(given)
    if "weighting" in parameters:
        parameters["weighting"] = comitia.method(parameters["weighting"])(k)
        parameters["consensus"] = "tcut"
    model = comitia.method(name)(n_clusters=k, **parameters)
    if "random_state" in model.get_params():
        model.set_params(random_state=0)
    started = process_time()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        labels = model.fit(comitia.Ensemble(drawn.labels)).labels_
    cpu = process_time() - started
    nmi = normalized_mutual_info_score(drawn.truth, labels, average_method="geometric")
    return {
        "n_objects": len(labels),
        "n_clusters": k,
        "nmi": round(nmi, 4),
        "ari": round(adjusted_rand_score(drawn.truth, labels), 4),
        "cpu_seconds": round(cpu, 3),
        "date": date.today().isoformat(),
        "comitia": comitia.__version__,
        "numpy": np.__version__,
        "python": platform.python_version(),
    }


def _read(results: Path) -> list[dict[str, str]]:
    if not results.exists():
        return []
    with results.open(newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def _append(results: Path, row: Mapping[str, Any]) -> None:
    fresh = not results.exists()
    with results.open("a", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, COLUMNS, lineterminator="\n")
        if fresh:
            writer.writeheader()
        writer.writerow(row)


def main(arguments: Sequence[str] | None = None) -> None:
    """Run, or print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    commands = parser.add_subparsers(dest="command", required=True)
    running = commands.add_parser("run")
    running.add_argument("--data", type=Path, required=True)
    running.add_argument("--seconds", type=float, default=600.0)
    running.add_argument("--methods", nargs="+", choices=METHODS, default=[*METHODS])
    commands.add_parser("table")
    comparing = commands.add_parser("against")
    comparing.add_argument("--methods", nargs="+", choices=METHODS, default=[*METHODS])
    for command in commands.choices.values():
        command.add_argument("--results", type=Path, default=RESULTS)
    asked = parser.parse_args(arguments)
    if asked.command == "run":
        for row in run(asked.data, asked.results, asked.seconds, asked.methods):
            print(*(row[c] for c in ("data", "draw", "method", "nmi", "cpu_seconds")))
    if asked.command == "against":
        for score in ("nmi", "ari"):
            print(against(_read(asked.results), asked.methods, score))
    else:
        print(table(_read(asked.results)))


if __name__ == "__main__":
    main()
