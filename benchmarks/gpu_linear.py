"""The linear methods on labels that live on a GPU: seconds, memory, equal labels.

``python -m benchmarks.gpu_linear [--device cuda] [--out FOLDER] [--smoke | --huge]``

Labels are planted clusters of which a half is drawn anew in each clustering, made where
they are used. What is timed begins with labels on the device and ends with labels in
memory; nothing that an earlier run has counted is used again. ``host_s`` is the time of
the same work on the CPU of the same machine, with all of its cores, and ``same`` the
share of labels that are equal: one is meant. The largest inputs are not given to the
CPU. ``target_s`` is the limit that was set.

It needs comitia with what it depends on (numpy, scipy, scikit-learn, numba) and torch;
with CuPy the sums are kernels of CUDA.
``--smoke`` runs small sizes through PyTorch on the CPU, and shows only that it runs;
``--huge`` runs a thousand million objects, which take a card of 100 GB or more, and
writes ``gpu_huge.csv``.
"""

from __future__ import annotations

import argparse
import csv
import json
import sys
import time
import warnings
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

RESULTS = Path(__file__).parent / "results"
N_CLUSTERS, NOISE, SEED = 20, 0.5, 0

Result = dict[str, Any]


class Size(NamedTuple):
    """An input.

    Attributes
    ----------
    n_objects, n_clusterings : int
        Its size.

    with_host : bool
        Whether the CPU does the same work.
    """

    n_objects: int
    n_clusterings: int
    with_host: bool


SIZES = {
    "smoke": [Size(60_000, 6, True)],
    "full": [Size(100_000_000, 10, False), Size(10_000_000, 20, True)],
    "huge": [Size(1_000_000_000, 10, False)],
}
# Objects, features, clusters and clusterings of the k-means ensemble.
DATA = {"smoke": (60_000, 4, 10, 3), "full": (10_000_000, 10, 50, 20)}
# What has room beside so many objects.
HUGE = ("contingency", "lwgp", "voting")
TARGETS = {("lwgp", 100_000_000): 1.0, ("lwgp", 10_000_000): 0.25}
PARAMETERS = {"sec": {"n_init": 3}, "kcc": {"n_init": 3}}
LINEAR = ("lwgp", "sec", "voting", "gp_mgla", "kcc", "consensus")


def main(arguments: list[str] | None = None) -> int:
    """Run what the command line asks for."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.gpu_linear", description=__doc__
    )
    parser.add_argument("--device", help='"cuda" by default, "torch" for --smoke')
    parser.add_argument("--out", type=Path, default=RESULTS)
    parser.add_argument("--only", help="names of rows, separated by commas")
    parser.add_argument("--largest", type=int, help="leave larger inputs out")
    parser.add_argument("--no-host", action="store_true", help="leave the CPU out")
    parser.add_argument("--smoke", action="store_true", help="small sizes")
    parser.add_argument("--huge", action="store_true", help="a thousand million")
    asked = parser.parse_args(arguments)
    scale = "smoke" if asked.smoke else "huge" if asked.huge else "full"
    device = asked.device or ("torch" if asked.smoke else "cuda")
    asked.out.mkdir(parents=True, exist_ok=True)
    results: list[Result] = []
    for row in _rows(scale, device, asked):
        results.append(row)
        print(line(row), flush=True)
        # After every row: what is finished stays, whatever happens to the rest.
        write(asked.out, "gpu_huge" if asked.huge else "gpu_linear", results, device)
    return 0


def _rows(scale: str, device: str, asked: argparse.Namespace) -> Iterator[Result]:
    warm_up(device)
    wanted = asked.only.split(",") if asked.only else HUGE if asked.huge else None
    for size in SIZES[scale]:
        if asked.largest and size.n_objects > asked.largest:
            continue
        if asked.no_host:
            size = size._replace(with_host=False)
        yield from measured(size, device, wanted)
    if wanted is None or (scale in DATA and "kmeans generation" in wanted):
        yield generation(*DATA[scale], device, not asked.no_host)


def make_codes(n: int, n_clusterings: int, device: str) -> Any:
    """Noisy clusterings of planted clusters, on the device."""
    import torch

    where = torch.device("cpu" if device == "torch" else device)
    generator = torch.Generator(where).manual_seed(SEED)

    def drawn(high: int) -> Any:
        return torch.randint(
            high, (n,), dtype=torch.uint8, device=where, generator=generator
        )

    truth = drawn(N_CLUSTERS)
    codes = torch.empty((n_clusterings, n), dtype=torch.uint8, device=where)
    for row in codes:
        torch.where(drawn(256) < round(256 * NOISE), drawn(N_CLUSTERS), truth, out=row)
    return codes


def warm_up(device: str) -> None:
    """Compile kernels and wake the device up, on an input of little size."""
    import comitia
    from comitia import Ensemble

    codes = make_codes(60_000, 4, device)
    k = np.full(4, N_CLUSTERS)
    for votes in (
        Ensemble.from_codes(codes, k),
        Ensemble.from_codes(codes.cpu().numpy(), k),
    ):
        for name in LINEAR:
            fit(comitia.method(name), {}, votes)


def measured(size: Size, device: str, wanted: Sequence[str] | None) -> Iterator[Result]:
    """The parts, then the methods, on labels of one size."""
    from comitia import Ensemble

    codes = make_codes(size.n_objects, size.n_clusterings, device)
    k = np.full(size.n_clusterings, N_CLUSTERS)
    host = None
    if size.with_host:
        host = Ensemble.from_codes(codes.cpu().numpy(), k)
    for name, work in {**parts(), **methods()}.items():
        if wanted is not None and name not in wanted:
            continue
        peak = Peak(device)
        # The first run of a size allocates memory; the better of two is meant.
        runs = [clocked(work, Ensemble.from_codes(codes, k), device) for _ in range(2)]
        seconds, found = min(runs, key=lambda run: run[0])
        row: Result = {
            "name": name,
            "n_objects": size.n_objects,
            "n_clusterings": size.n_clusterings,
            "n_clusters": N_CLUSTERS,
            "device_s": seconds,
            "target_s": TARGETS.get((name, size.n_objects)),
            "peak_gb": peak.read(),
            "host_s": None,
            "ratio": None,
            "same": None,
        }
        if host is not None:
            # A fresh copy has counted nothing yet.
            fresh = Ensemble.from_codes(host.codes, k)
            row["host_s"], expected = clocked(work, fresh, None)
            row["ratio"] = row["host_s"] / seconds
            row["same"] = float(np.mean(np.asarray(found) == np.asarray(expected)))
        yield row


def parts() -> dict[str, Callable[[Any], Any]]:
    """What the methods are made of; each returns what can be compared."""
    return {"contingency": contingency, "lloyd pass": lloyd_pass}


def contingency(votes: Any) -> Any:
    """Every contingency table."""
    return votes.contingency().toarray()


def lloyd_pass(votes: Any) -> Any:
    """The nearest of twenty centres for each object, and the sums of their clusters."""
    from comitia.engine.protocol import Centers
    from comitia.engine.row_blocks import rows_as_they_are
    from comitia.represent.cluster_sums import row_sums

    rng = np.random.RandomState(SEED)
    table = rng.standard_normal((votes.n_clusters_total, N_CLUSTERS))
    centers = Centers(table, np.zeros(N_CLUSTERS), None, 0.0)

    squares = votes.split(row_sums(votes, np.ones(votes.n_clusters_total)))
    rows = rows_as_they_are(votes).lloyd_rows(squares)
    passed = rows.map("assign", rows.repeat(None), centers=centers)
    return np.asarray(next(iter(passed.gather())).counted.sums)


def methods() -> dict[str, Callable[[Any], Any]]:
    """The methods, from labels to labels."""
    import comitia

    def from_labels(name: str) -> Callable[[Any], Any]:
        method, parameters = comitia.method(name), PARAMETERS.get(name, {})
        return lambda votes: fit(method, parameters, votes)

    found = {name: from_labels(name) for name in LINEAR}
    # A tree of a sample, whose clusters vote for the others.
    found["eac, landmarks"] = lambda votes: fit(
        comitia.method("eac"), {}, votes, approximate="landmarks"
    )
    return found


def fit(method: Any, parameters: dict[str, Any], votes: Any, **options: Any) -> Any:
    """The labels of a consensus."""
    from sklearn.exceptions import ConvergenceWarning

    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        fitted = method(N_CLUSTERS, random_state=SEED, **parameters)
        return fitted.fit(votes, **options).labels_


def generation(
    n: int, p: int, n_clusters: int, n_clusterings: int, device: str, with_host: bool
) -> Result:
    """A k-means ensemble of blobs, whose labels stay on the device."""
    import torch

    from comitia.generate import KMeansGenerator

    where = torch.device("cpu" if device == "torch" else device)
    random = torch.Generator(where).manual_seed(SEED)
    centers = 3.0 * torch.randn((n_clusters, p), device=where, generator=random)
    which = torch.randint(n_clusters, (n,), device=where, generator=random)
    X = torch.randn((n, p), device=where, generator=random) + centers[which]
    generator = KMeansGenerator(n_clusterings, n_clusters=n_clusters, random_state=SEED)
    peak = Peak(device)
    runs = [clocked(generator.generate, X, device) for _ in range(2)]
    seconds, found = min(runs, key=lambda run: run[0])
    row: Result = {
        "name": "kmeans generation",
        "n_objects": n,
        "n_clusterings": n_clusterings,
        "n_clusters": n_clusters,
        "device_s": seconds,
        "target_s": None,
        "peak_gb": peak.read(),
        "host_s": None,
        "ratio": None,
        "same": None,
    }
    if with_host:
        data = X.cpu().numpy().astype(np.float64)
        row["host_s"], expected = clocked(generator.generate, data, None)
        row["ratio"] = row["host_s"] / seconds
        row["same"] = float(np.mean(found.codes == expected.codes))
    return row


class Peak:
    """The most memory of a device that is taken from now on.

    Parameters
    ----------
    device : str
        The device.
    """

    def __init__(self, device: str) -> None:
        self.device = device if device.startswith("cuda") else None
        if self.device is not None:
            import torch

            torch.cuda.reset_peak_memory_stats(self.device)

    def read(self) -> float | None:
        """In gigabytes; None where there is no such device."""
        if self.device is None:
            return None
        import torch

        return torch.cuda.max_memory_allocated(self.device) / 1e9


def clocked(
    work: Callable[[Any], Any], given: Any, device: str | None
) -> tuple[float, Any]:
    """Seconds, and what came out."""
    wait_for(device)
    begin = time.perf_counter()
    found = work(given)
    wait_for(device)
    return time.perf_counter() - begin, found


def wait_for(device: str | None) -> None:
    """Let a GPU finish what it was given."""
    if device is not None and device.startswith("cuda"):
        import torch

        torch.cuda.synchronize(device)


def line(row: Result) -> str:
    """One row in words and numbers."""
    text = (
        f"{row['name']:<18} n={row['n_objects']:<10} M={row['n_clusterings']:<3} "
        f"k={row['n_clusters']:<3} device {row['device_s']:8.3f} s"
    )
    if row["target_s"] is not None:
        text += f" (target {row['target_s']:g} s)"
    if row["peak_gb"] is not None:
        text += f"  {row['peak_gb']:.1f} GB"
    if row["host_s"] is not None:
        text += f"  host {row['host_s']:8.2f} s  ratio {row['ratio']:.1f}"
        text += f"  same {row['same']:.6f}"
    return text


def write(folder: Path, topic: str, results: list[Result], device: str) -> None:
    """Keep the rows as CSV, and on what they were measured as JSON."""
    from benchmarks.__main__ import machine
    from benchmarks.gpu import about

    on = {**about(device), **machine()}
    same = {"device": on["device"], "torch": on.get("torch"), "cores": on["cores"]}
    same |= {"seed": SEED, "date": on["date"]}
    with (folder / f"{topic}.csv").open("w", newline="") as file:
        writer = csv.DictWriter(file, [*results[0], *same], lineterminator="\n")
        writer.writeheader()
        for row in results:
            rounded = {
                name: float(f"{value:.4g}")
                if isinstance(value, float) and name != "same"
                else value
                for name, value in row.items()
            }
            writer.writerow(rounded | same)
    note = {"topic": topic, **on}
    (folder / f"{topic}.json").write_text(json.dumps(note, indent=2) + "\n")


if __name__ == "__main__":
    sys.exit(main())
