"""Dense iterations with NumPy and with PyTorch on a GPU: how much faster, how alike.

``python -m benchmarks.gpu [--device cuda] [--out FOLDER] [--smoke]``

Each method is fitted on the same input with NumPy (which keeps memberships sparse and
counts contingency tables) and on the device, in double and in single precision; the
tolerance is zero, so that all of them make the same number of updates. ``fit_s`` is the
time of the whole fit, from the labels or the data to the result, with the transfers and
with the parts that stay on the CPU (k-means at the start, linkage at the end);
``updates_s`` is that of the updates alone. ``objective``, ``weights`` and ``labels``
say how far a result is from that of NumPy.

It needs comitia with what it depends on (numpy, scipy, scikit-learn, numba), torch and
array-api-compat; nothing else of the benchmarks. ``--smoke`` runs tiny sizes through
PyTorch on the CPU, and shows only that it runs.
"""

from __future__ import annotations

import argparse
import csv
import json
import sys
import time
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

RESULTS = Path(__file__).parent / "results"
N_CLUSTERINGS, N_CLUSTERS, NOISE = 20, 20, 0.5

Result = dict[str, Any]


class Case(NamedTuple):
    """A method on an input of some size.

    Attributes
    ----------
    method : str
        Its id.

    n_objects : int
        Size of the input.

    parameters : dict
        Of the method, besides the number of clusters and the seed.
    """

    method: str
    n_objects: int
    parameters: dict[str, Any]

    @property
    def name(self) -> str:
        """The method, and the variant where there is more than one."""
        variant = self.parameters.get("variant", self.parameters.get("metric"))
        return self.method if variant is None else f"{self.method} {variant}"


def cases(scale: str) -> list[Case]:
    """What is measured: the linear method at two sizes, the others as they allow.

    ``bregman_cc`` and ``ec_bnmf`` hold similarities of all pairs, ``cmkc_lfa_mr``
    kernels, and with NumPy these have to fit into the memory of the computer.
    """
    smoke = scale == "smoke"
    linear_sizes = [100] if smoke else [20_000, 200_000]
    # Pairs of objects: quadratic memory.
    paired_sizes = [100] if smoke else [5_000, 10_000]
    updates = 3 if smoke else 100
    few = max(updates // 5, 2)
    linear = {"max_iter": updates, "n_init": 1}
    # Of the Kullback-Leibler form NumPy needs minutes for a hundred updates.
    divergent = {"variant": "kl", "max_iter": few, "n_init": 1}
    return [
        *(Case("wgnmf", n, linear) for n in linear_sizes),
        Case("wgnmf", linear_sizes[0], divergent),
        *(
            Case("bregman_cc", n, {"metric": "kl", "max_iter": few})
            for n in paired_sizes
        ),
        *(
            Case("ec_bnmf", n, {"max_iter": few // 2, "n_init": 1})
            for n in paired_sizes
        ),
        *(Case("cmkc_lfa_mr", n, {"max_iter": few, "n_init": 1}) for n in paired_sizes),
    ]


def main(arguments: list[str] | None = None) -> int:
    """Run what the command line asks for."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.gpu", description=__doc__
    )
    parser.add_argument(
        "--device", help='"cuda" by default, "torch" for --smoke; or "cupy"'
    )
    parser.add_argument("--out", type=Path, default=RESULTS)
    parser.add_argument("--methods", help="ids, separated by commas; default all")
    parser.add_argument("--largest", type=int, help="leave larger inputs out")
    parser.add_argument("--smoke", action="store_true", help="tiny sizes")
    asked = parser.parse_args(arguments)
    device = asked.device or ("torch" if asked.smoke else "cuda")
    chosen = [
        case
        for case in cases("smoke" if asked.smoke else "full")
        if (not asked.methods or case.method in asked.methods.split(","))
        and (not asked.largest or case.n_objects <= asked.largest)
    ]
    asked.out.mkdir(parents=True, exist_ok=True)
    results: list[Result] = []
    for case in chosen:
        for row in measure(case, device):
            results.append(row)
            print(line(row), flush=True)
            # After every row: what is finished stays, whatever happens to the rest.
            write(asked.out, results, device)
    return 0


def measure(case: Case, device: str) -> Iterator[Result]:
    """NumPy first, and then the device in both precisions."""
    from comitia import config

    data = make_input(case)
    warm_up(case, device)
    reference, whole, updates = fit(case, data, None)
    yield row_of(case, "numpy", "float64", reference, whole, updates)
    for precision in ("float64", "float32"):
        config.set_precision(precision)
        try:
            fitted, *seconds = fit(case, data, device)
        finally:
            config.set_precision(None)
        yield {
            **row_of(case, device, precision, fitted, *seconds),
            "ratio_fit": whole / seconds[0],
            "ratio_updates": updates / seconds[1],
            **distance(fitted, reference),
        }


def make_input(case: Case) -> Any:
    """Noisy clusterings of planted clusters, or blobs for the method of kernels."""
    from comitia import Ensemble

    rng = np.random.RandomState(0)
    truth = rng.randint(N_CLUSTERS, size=case.n_objects)
    if case.method == "cmkc_lfa_mr":
        centers = 3.0 * rng.standard_normal((N_CLUSTERS, 16))
        return centers[truth] + rng.standard_normal((case.n_objects, 16))
    columns: list[NDArray[Any]] = []
    for _ in range(N_CLUSTERINGS):
        drawn = rng.randint(N_CLUSTERS, size=case.n_objects)
        noisy = rng.random_sample(case.n_objects) < NOISE
        columns.append(np.where(noisy, drawn, truth))
    return Ensemble(np.stack(columns, axis=1))


def warm_up(case: Case, device: str) -> None:
    """Compile kernels and wake the device up, on an input of no size."""
    small = case._replace(n_objects=100)
    data = make_input(small)
    for where in (None, device):
        fit(small, data, where)


def fit(case: Case, data: Any, device: str | None) -> tuple[Any, float, float]:
    """The fitted method, the seconds of the fit, and those of its updates."""
    from sklearn.exceptions import ConvergenceWarning

    import comitia

    method = comitia.method(case.method)(
        n_clusters=N_CLUSTERS, tol=0.0, random_state=0, **case.parameters
    )
    start, result, stamps = method._start, method._result, []

    def stamp() -> None:
        wait_for(device)
        stamps.append(time.perf_counter())

    def watched_start(*given: Any) -> Any:
        found = start(*given)
        stamp()
        return found

    def watched_result(*given: Any) -> Any:
        stamp()
        return result(*given)

    method._start, method._result = watched_start, watched_result
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        stamp()
        method.fit(data, device=device)
        stamp()
    return method, stamps[3] - stamps[0], stamps[2] - stamps[1]


def wait_for(device: str | None) -> None:
    """Let a GPU finish what it was given."""
    if device == "cupy":
        import cupy

        cupy.cuda.Device().synchronize()
    elif device is not None and device.startswith("cuda"):
        import torch

        torch.cuda.synchronize(device)


def row_of(
    case: Case,
    device: str,
    precision: str,
    fitted: Any,
    seconds: float,
    seconds_updates: float,
) -> Result:
    """What is the same for every row."""
    return {
        "method": case.name,
        "n_objects": case.n_objects,
        "device": device,
        "precision": precision,
        "updates": fitted.n_iter_,
        "fit_s": seconds,
        "updates_s": seconds_updates,
        "ratio_fit": None,
        "ratio_updates": None,
        "objective": None,
        "weights": None,
        "labels": None,
    }


def distance(fitted: Any, reference: Any) -> Result:
    """How far a result is from another: relative, absolute, and the share of labels."""
    # One may reach a fixed point before the other.
    n = min(len(fitted.objective_), len(reference.objective_))
    expected = reference.objective_[:n]
    values = np.abs(fitted.objective_[:n] - expected)
    weights = np.abs(fitted.clustering_weights_ - reference.clustering_weights_)
    return {
        "objective": float(np.max(values / np.abs(expected))),
        "weights": float(weights.max()),
        "labels": float(np.mean(fitted.labels_ == reference.labels_)),
    }


def line(row: Result) -> str:
    """One row in words and numbers."""
    text = (
        f"{row['method']:<18} n={row['n_objects']:<7} {row['device']:<6} "
        f"{row['precision']} {row['updates']:>4} updates  fit {row['fit_s']:8.3f} s  "
        f"updates {row['updates_s']:8.3f} s"
    )
    if row["ratio_fit"] is None:
        return text
    return (
        f"{text}  ratio {row['ratio_fit']:.2f}, {row['ratio_updates']:.2f}  "
        f"objective {row['objective']:.1e}  weights {row['weights']:.1e}  "
        f"labels {row['labels']:.4f}"
    )


def write(folder: Path, results: list[Result], device: str) -> None:
    """Keep the rows as CSV, and on what they were measured as JSON."""
    from benchmarks.__main__ import machine

    with (folder / "gpu.csv").open("w", newline="") as file:
        writer = csv.DictWriter(file, list(results[0]), lineterminator="\n")
        writer.writeheader()
        for row in results:
            writer.writerow(
                {
                    name: float(f"{value:.4g}") if isinstance(value, float) else value
                    for name, value in row.items()
                }
            )
    note = {"topic": "gpu", **about(device), **machine()}
    (folder / "gpu.json").write_text(json.dumps(note, indent=2) + "\n")


def about(device: str) -> dict[str, Any]:
    """The device, in words, and the library that serves it."""
    if device == "cupy":
        import cupy

        properties = cupy.cuda.runtime.getDeviceProperties(0)
        return {"device": properties["name"].decode(), "cupy": cupy.__version__}
    import torch

    name = torch.cuda.get_device_name(device) if device.startswith("cuda") else "CPU"
    return {"device": name, "torch": torch.__version__, "cuda": torch.version.cuda}


if __name__ == "__main__":
    sys.exit(main())
