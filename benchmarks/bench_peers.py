"""MCLA, HBGF, NMF and CSPA against ``ensembleclustering`` 1.0.2, at equal quality.

The peer needs an old SciPy and has an environment of its own, which ``make bench`` sets
up. Both sides get the same label matrices, and our time includes making the Ensemble of
them. The seeds differ in the planted partition and the noise.
"""

import json
import os
import subprocess
import tempfile
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.metrics import normalized_mutual_info_score

import comitia
from benchmarks.ensembles import planted_labels
from benchmarks.harness import ONE_THREAD, ROOT, Row, cpu

PEER_PYTHON = ROOT / ".venv-peers" / "bin" / "python"
PEER_SCRIPT = Path(__file__).parent / "peers" / "run_ensembleclustering.py"

# Our id, theirs, number of objects, noise, target, seeds, runs of the peer on each.
# METIS takes nine tenths of our HBGF, and longer the noisier the clusterings are; the
# target is held at both levels.
CASES = (
    ("mcla", "mcla", 5000, 0.6, 300, 5, 1),
    ("hbgf", "hbgf", 5000, 0.3, 20, 5, 3),
    ("hbgf", "hbgf", 5000, 0.6, 20, 5, 3),
    ("nmf_consensus", "nmf", 5000, 0.6, 40, 3, 1),
    ("cspa", "cspa", 2000, 0.6, 5, 5, 2),
)
N_CLUSTERS, N_CLUSTERINGS = 10, 20

# Two means over a few noisy ensembles differ by this much by chance.
NMI_TOLERANCE = 0.005


def run(scale: str) -> list[Row]:
    """The four comparisons; without the peer in a smoke run that has none."""
    if scale == "full" and not PEER_PYTHON.exists():
        raise RuntimeError(f"{PEER_PYTHON} is not there; make bench sets it up.")
    return [_compare(scale, *case) for case in CASES]


def _compare(
    scale: str,
    ours: str,
    theirs: str,
    n_objects: int,
    noise: float,
    target: float | None,
    n_seeds: int,
    repeats: int,
) -> Row:
    if scale == "smoke":
        n_objects, n_seeds, repeats = 200, 1, 1
    method = comitia.method(ours)
    with tempfile.TemporaryDirectory() as folder:
        truths, seconds, quality = [], [], []
        for seed in range(n_seeds):
            labels, truth = planted_labels(
                n_objects, N_CLUSTERS, N_CLUSTERINGS, noise, seed=seed
            )
            np.save(Path(folder) / f"labels-{seed}.npy", labels)
            truths.append(truth)
            made = method(n_clusters=N_CLUSTERS, random_state=seed)
            seconds.append(cpu(partial(_fit, made, labels)))
            quality.append(normalized_mutual_info_score(truth, made.labels_))
        size = f"n={n_objects} M={N_CLUSTERINGS} k={N_CLUSTERS} noise={noise}"
        if not PEER_PYTHON.exists():
            note = f"NMI {np.mean(quality):.3f}; peer not installed"
            return Row(ours, size, min(seconds), note=note)
        peer_s = _peer(folder, theirs, repeats)
        theirs_quality = [
            normalized_mutual_info_score(
                truth, np.load(Path(folder) / f"peer-{seed}.npy")
            )
            for seed, truth in enumerate(truths)
        ]
    mean, peer_mean = float(np.mean(quality)), float(np.mean(theirs_quality))
    ratio = peer_s / min(seconds)
    return Row(
        ours,
        size,
        min(seconds),
        f"ensembleclustering {theirs}",
        peer_s,
        None if target is None else f">= {target} x, NMI no worse",
        ratio=ratio,
        passed=None
        if target is None
        else ratio >= target and mean >= peer_mean - NMI_TOLERANCE,
        note=f"mean NMI of {n_seeds} seeds {mean:.3f} vs {peer_mean:.3f}; "
        f"peer best of {n_seeds * repeats}",
    )


def _fit(method: Any, labels: NDArray[np.int32]) -> None:
    method.fit(comitia.Ensemble(labels))


def _peer(folder: str, method: str, repeats: int) -> float:
    """Best CPU seconds of the peer on the ensembles of a folder."""
    done = subprocess.run(
        [PEER_PYTHON, PEER_SCRIPT, folder, method, str(N_CLUSTERS), str(repeats)],
        env={**os.environ, **ONE_THREAD, "PYTHONPATH": ""},
        stdout=subprocess.PIPE,
        text=True,
        check=True,
    )
    return float(json.loads(done.stdout.strip().splitlines()[-1]))
