"""The tools that are compared: ours, those of other packages, and how each is called.

A tool gets what a case offers (labels of members, a table, views or series), the number
of clusters and a seed, and gives labels. Tools in this process are timed after a call
on a small input, which imports modules and compiles kernels. The others run in a
process of their own, which tells its own time and memory.
"""

from __future__ import annotations

import contextlib
import ctypes
import gc
import importlib.metadata
import importlib.util
import json
import os
import shutil
import signal
import subprocess
import tempfile
import threading
import time
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import lru_cache, partial
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks.harness import (
    ONE_THREAD,
    ROOT,
    _high_water,
    _restart_high_water,
)

__all__ = ["DEFAULT", "TOOLS", "Tool", "absent", "combine", "versions"]

#: What ``ConsensusClustering(n_clusters)`` does.
DEFAULT = "the default"
#: Seconds of CPU time that a call may take.
CPU_LIMIT = 15.0
PEERS = ROOT / "benchmarks" / "peers"
PEER_PYTHON = ROOT / ".venv-peers" / "bin" / "python"

Labels = NDArray[Any]


@dataclass(frozen=True)
class Tool:
    """Something that clusters.

    Parameters
    ----------
    package : str
        Whose it is.

    takes : {"labels", "table", "views", "series"}
        What it starts from.

    call : callable
        ``call(given, n_clusters, seed)`` returns labels, or labels and a dict with
        ``seconds`` and ``peak_mb``.
    """

    package: str
    takes: str
    call: Callable[[Any, int, int], Any]

    def measured(
        self, given: Any, small: Any, n_clusters: int, seed: int
    ) -> tuple[Labels, dict[str, float]]:
        """Labels, and what they cost.

        Parameters
        ----------
        given : object
            The input.

        small : object
            A small input for the call that is not counted.

        n_clusters, seed : int
            Number of clusters, and the seed.

        Returns
        -------
        labels : ndarray of shape (n_objects,)
            The result.

        costs : dict
            ``seconds`` of CPU time, and ``peak_mb``: the most memory above that before.
        """
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            if self.package in _IN_OWN_PROCESS:
                return self.call(given, n_clusters, seed)
            with _limited_cpu():
                self.call(small, 2, seed)
            before = _fresh_peak()
            start = time.process_time()
            with _limited_cpu():
                labels = self.call(given, n_clusters, seed)
            seconds = time.process_time() - start
            peak = max(_high_water() - before, 0) / 1e6
            return labels, {"seconds": seconds, "peak_mb": peak}


@contextlib.contextmanager
def _limited_cpu() -> Iterator[None]:
    """End what takes more CPU time than it may; wall time would be that of others."""
    # There is no such signal on Windows, and none outside of the first thread.
    main = threading.current_thread() is threading.main_thread()
    if not (main and hasattr(signal, "SIGPROF")):
        yield
        return

    def end(*_: object) -> None:
        raise TimeoutError(f"more than {CPU_LIMIT:g} s of CPU time")

    before = signal.signal(signal.SIGPROF, end)
    signal.setitimer(signal.ITIMER_PROF, CPU_LIMIT)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0.0)
        signal.signal(signal.SIGPROF, before)


def _fresh_peak() -> int:
    """Give back what earlier calls have left, and let the peak begin anew."""
    gc.collect()
    trim = getattr(ctypes.CDLL(None), "malloc_trim", None)
    if trim is not None:  # of glibc; elsewhere earlier calls hide some of the memory
        trim(0)
    return _restart_high_water()


# -- which packages are installed ------------------------------------------------------

#: Packages that run in a process of their own.
_IN_OWN_PROCESS = (
    "ensembleclustering",
    "clue",
    "ConsensusClusterPlus",
    "tsml-eval",
    "PCE",
)
#: Names the interpreter that runs tsml-eval and PCE, and the folder of PCE.
LABEL_PYTHON, PCE_FOLDER = "COMITIA_LABEL_PEERS", "COMITIA_PCE"


@lru_cache(maxsize=1)
def absent() -> dict[str, str]:
    """The packages that are not here, and why.

    Returns
    -------
    absent : dict
        Package to reason.
    """
    found = {}
    if not PEER_PYTHON.exists():
        found["ensembleclustering"] = (
            "no environment .venv-peers; make bench sets it up"
        )
    for package in ("clue", "ConsensusClusterPlus"):
        if _r_version(package) is None:
            why = (
                "R has no such package" if shutil.which("Rscript") else "there is no R"
            )
            found[package] = why
    for package, module in (
        ("snfpy", "snf"),
        ("tslearn", "tslearn"),
        ("kmodes", "kmodes"),
        ("OpenEnsembles", "openensembles"),
        ("pyckmeans", "pyckmeans"),
    ):
        if importlib.util.find_spec(module) is None:
            found[package] = f"{package} is not installed"
    for package, needed in (
        ("tsml-eval", (LABEL_PYTHON,)),
        ("PCE", (LABEL_PYTHON, PCE_FOLDER)),
    ):
        if not all(name in os.environ for name in needed):
            found[package] = f"no {' and '.join(needed)}; see benchmarks/peers"
    return found


#: Versions in environments that are not this one: benchmarks/peers/*.txt.
_PINNED = {"ensembleclustering": "1.0.2", "tsml-eval": "0.6.0", "PCE": "1.0.0"}


def versions() -> dict[str, str]:
    """Versions of the packages that are here.

    Returns
    -------
    versions : dict
        Package to version.
    """
    here = {tool.package for tool in TOOLS.values()} - set(absent()) - {"comitia"}
    found = {}
    for package in sorted(here):
        if package in ("clue", "ConsensusClusterPlus"):
            found[package] = _r_version(package) or ""
        elif package in _PINNED:
            found[package] = _PINNED[package]
        else:
            found[package] = importlib.metadata.version(package)
    return found


@lru_cache(maxsize=2)
def _r_version(package: str) -> str | None:
    if shutil.which("Rscript") is None:
        return None
    asked = f'cat(as.character(packageVersion("{package}")))'
    done = subprocess.run(
        ["Rscript", "--vanilla", "-e", asked],
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )
    return done.stdout.strip() if done.returncode == 0 else None


# -- in this process -------------------------------------------------------------------


def combine(ensemble: Any, method: str, n_clusters: int, seed: int) -> Labels:
    """Labels of a method, with the second look that a star asks for.

    Parameters
    ----------
    ensemble : Ensemble
        The clusterings.

    method : str
        An id of the catalogue, maybe with a star at its end, or :data:`DEFAULT`.

    n_clusters, seed : int
        Number of clusters, and the seed.

    Returns
    -------
    labels : ndarray of shape (n_objects,)
        The consensus.
    """
    import comitia
    from comitia.partition import reassign

    if method == DEFAULT:
        made = comitia.ConsensusClustering(n_clusters, random_state=seed)
        return made.fit_predict(ensemble)
    make: Callable[..., Any] = comitia.method(method.removesuffix("*"))
    labels = make(n_clusters, random_state=seed).fit_predict(ensemble)
    return reassign(ensemble, labels).labels if method.endswith("*") else labels


def _ours(id: str, labels: Labels, n_clusters: int, seed: int) -> Labels:
    import comitia

    return combine(comitia.Ensemble(labels), id, n_clusters, seed)


def _our_default(given: Any, n_clusters: int, seed: int) -> Labels:
    from comitia.catalogue import DEFAULT_FOR, DEFAULT_METHOD, method

    cls: Any = method(
        DEFAULT_FOR["views"] if isinstance(given, list) else DEFAULT_METHOD
    )
    return cls(n_clusters, random_state=seed).fit_predict(given)


def _our_method(id: str, given: Any, n_clusters: int, seed: int) -> Labels:
    import comitia

    return comitia.method(id)(n_clusters, random_state=seed).fit_predict(given)


def _one_hot(labels: Labels) -> NDArray[np.float64]:
    return (
        np.hstack([column[:, None] == np.unique(column) for column in labels.T]) * 1.0
    )


def _rows_kmeans(labels: Labels, n_clusters: int, seed: int) -> Labels:
    from sklearn.cluster import KMeans

    made = KMeans(n_clusters, n_init=10, random_state=seed)
    return made.fit_predict(_one_hot(labels))


def _coassociation(labels: Labels) -> NDArray[np.float64]:
    B = _one_hot(labels)
    return B @ B.T / labels.shape[1]


def _matrix_linkage(labels: Labels, n_clusters: int, seed: int) -> Labels:
    from sklearn.cluster import AgglomerativeClustering

    made = AgglomerativeClustering(n_clusters, metric="precomputed", linkage="average")
    return made.fit_predict(1.0 - _coassociation(labels))


def _matrix_spectral(labels: Labels, n_clusters: int, seed: int) -> Labels:
    from sklearn.cluster import SpectralClustering

    made = SpectralClustering(n_clusters, affinity="precomputed", random_state=seed)
    return made.fit_predict(_coassociation(labels))


def _scikit_learn(name: str, X: Any, n_clusters: int, seed: int) -> Labels:
    from sklearn import cluster, mixture

    if name == "GaussianMixture":
        made: Any = mixture.GaussianMixture(
            n_clusters, covariance_type="diag", random_state=seed
        )
    elif name == "KMeans":
        made = cluster.KMeans(n_clusters, n_init=10, random_state=seed)
    elif name == "SpectralClustering":
        made = cluster.SpectralClustering(n_clusters, random_state=seed)
    else:
        made = getattr(cluster, name)(n_clusters)
    return made.fit_predict(X)


def _kmodes(labels: Labels, n_clusters: int, seed: int) -> Labels:
    from kmodes.kmodes import KModes

    return KModes(n_clusters, random_state=seed).fit_predict(labels)


def _open_ensembles(finish: str, labels: Labels, n_clusters: int, seed: int) -> Labels:
    import openensembles
    import pandas

    np.random.seed(seed)  # noqa: NPY002 (it has no seed of its own)
    rows = pandas.DataFrame({"object": np.arange(len(labels), dtype=float)})
    members = openensembles.cluster(openensembles.data(rows, [1]))
    for m, column in enumerate(labels.T):
        members.labels[m], members.params[m] = column, {}
    if finish == "mixture model":
        return members.mixture_model(n_clusters).labels["mixture_model"]
    # These two cut where half of the members agree, and take no number of clusters.
    if finish == "linkage":
        return members.finish_co_occ_linkage(0.5).labels["co_occ_linkage"]
    return members.finish_majority_vote(0.5).labels["majority_vote"]


def _pyckmeans(X: Any, n_clusters: int, seed: int) -> Labels:
    from pyckmeans import CKmeans

    # As many clusterings as the other tools make.
    made = CKmeans(n_clusters, n_rep=50, random_state=seed)
    made.fit(X)
    return made.predict(X).cl


def _snf(views: list[Any], n_clusters: int, seed: int) -> Labels:
    from benchmarks.views import fused

    return fused(views, n_clusters, seed)


def _tslearn(metric: str, series: Any, n_clusters: int, seed: int) -> Labels:
    from tslearn.clustering import TimeSeriesKMeans
    from tslearn.preprocessing import TimeSeriesScalerMeanVariance

    # tslearn wants time before channels.
    X = TimeSeriesScalerMeanVariance().fit_transform(np.transpose(series, (0, 2, 1)))
    made = TimeSeriesKMeans(n_clusters, metric=metric, max_iter=10, random_state=seed)
    return made.fit_predict(X)


# -- in a process of their own ---------------------------------------------------------


def _r(script: str, method: str, given: Any, n_clusters: int, seed: int) -> Any:
    with tempfile.TemporaryDirectory() as folder:
        np.savetxt(Path(folder) / "input.csv", given, delimiter=",", fmt="%.12g")
        asked = (folder, method, str(n_clusters), str(seed))
        told = _printed_lines(
            ["Rscript", "--vanilla", str(PEERS / script), *asked], folder
        )
        labels = np.loadtxt(Path(folder) / "labels.csv", dtype=np.int64)
    return labels, json.loads(told[-1])


def _ensembleclustering(method: str, labels: Labels, n_clusters: int, seed: int) -> Any:
    script = str(PEERS / "run_ensembleclustering.py")
    with tempfile.TemporaryDirectory() as folder:
        np.save(Path(folder) / "labels-0.npy", labels)
        asked = (folder, method, str(n_clusters), "1")
        peak, seconds = _printed_lines([str(PEER_PYTHON), script, *asked], folder)[-2:]
        found = np.load(Path(folder) / "peer-0.npy")
    return found, {"seconds": json.loads(seconds), "peak_mb": json.loads(peak)}


def _label_peer(
    package: str, method: str, labels: Labels, n_clusters: int, seed: int
) -> Any:
    """One of many functions of a package that all run in the same process."""
    given = np.ascontiguousarray(labels, dtype=np.int64)
    found = _label_peers(package, given.tobytes(), given.shape, n_clusters, seed)
    result = found[method]
    if isinstance(result, str):
        raise RuntimeError(result)
    return result


@lru_cache(maxsize=2)
def _label_peers(
    package: str, content: bytes, shape: tuple[int, ...], n_clusters: int, seed: int
) -> dict[str, Any]:
    script = str(PEERS / "run_label_peers.py")
    methods = LABEL_PEERS[package]
    found: dict[str, Any] = {}
    with tempfile.TemporaryDirectory() as folder:
        labels = np.frombuffer(content, dtype=np.int64).reshape(shape)
        np.save(Path(folder) / "labels.npy", labels)
        asked = (package, folder, str(n_clusters), str(seed), str(CPU_LIMIT))
        command = [os.environ[LABEL_PYTHON], script, *asked, *methods]
        for line in _printed_lines(command, folder):
            told = json.loads(line)
            method = told.pop("method")
            found[method] = told.get("error") or (
                np.load(Path(folder) / f"{method}.npy"),
                told,
            )
    return found


def _printed_lines(command: list[str], folder: str) -> list[str]:
    """Lines that a command prints; RuntimeError with its last words if it fails."""
    done = subprocess.run(
        command,
        cwd=folder,
        env={**os.environ, **ONE_THREAD, "PYTHONPATH": ""},
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode:
        raise RuntimeError(done.stderr.strip()[-200:] or f"code {done.returncode}")
    return done.stdout.strip().splitlines()


# -- the list --------------------------------------------------------------------------

#: Functions that combine labels, of packages that have many; all in one process.
LABEL_PEERS = {
    "tsml-eval": ("SimpleVote", "IterativeVotingClustering"),
    "PCE": (
        *("cspa", "mcla", "hgpa", "lwea", "lwgp", "ptaal", "ptgp", "kcc_uc", "kcc_uh"),
        *("usenc", "ecpcs_hc", "ecpcs_mc", "mdechc", "mdecbg", "drec", "cdkm", "eccms"),
        *("ceam", "trce", "spce"),
    ),
}

_OUR_IDS = (
    DEFAULT,
    "eac",
    "lwea",
    "lwea*",
    "lwgp",
    "lwgp*",
    "weac",
    "kcc",
    "sec",
    "mcla",
    "cspa",
    "hbgf",
    "nmf_consensus",
    "voting",
)

#: By name; the first word is the package where it is not ours.
TOOLS: dict[str, Tool] = {
    **{one: Tool("comitia", "labels", partial(_ours, one)) for one in _OUR_IDS},
    **{
        f"ensembleclustering {one}": Tool(
            "ensembleclustering", "labels", partial(_ensembleclustering, one)
        )
        for one in ("mcla", "cspa", "hbgf", "nmf")
    },
    **{
        f"clue {one}": Tool("clue", "labels", partial(_r, "clue.R", one))
        for one in ("SE", "HE", "DWH")
    },
    "scikit-learn k-means of rows": Tool("scikit-learn", "labels", _rows_kmeans),
    "scikit-learn average linkage": Tool("scikit-learn", "labels", _matrix_linkage),
    "scikit-learn spectral": Tool("scikit-learn", "labels", _matrix_spectral),
    "kmodes": Tool("kmodes", "labels", _kmodes),
    **{
        f"OpenEnsembles {one}": Tool(
            "OpenEnsembles", "labels", partial(_open_ensembles, one)
        )
        for one in ("linkage", "majority vote", "mixture model")
    },
    **{
        f"{package} {one}": Tool(package, "labels", partial(_label_peer, package, one))
        for package, methods in LABEL_PEERS.items()
        for one in methods
    },
    "ConsensusClustering": Tool("comitia", "table", _our_default),
    **{
        f"scikit-learn {name}": Tool(
            "scikit-learn", "table", partial(_scikit_learn, name)
        )
        for name in (
            "KMeans",
            "AgglomerativeClustering",
            "SpectralClustering",
            "GaussianMixture",
        )
    },
    **{
        f"ConsensusClusterPlus {algorithm}": Tool(
            "ConsensusClusterPlus",
            "table",
            partial(_r, "consensus_cluster_plus.R", algorithm),
        )
        for algorithm in ("km", "hc")
    },
    "pyckmeans": Tool("pyckmeans", "table", _pyckmeans),
    "MultiViewEnsemble": Tool("comitia", "views", _our_default),
    "mvcc": Tool("comitia", "views", partial(_our_method, "mvcc")),
    "pmsc": Tool("comitia", "views", partial(_our_method, "pmsc")),
    "snfpy": Tool("snfpy", "views", _snf),
    "yang_chen_2011": Tool("comitia", "series", partial(_our_method, "yang_chen_2011")),
    "yang_jiang_2018": Tool(
        "comitia", "series", partial(_our_method, "yang_jiang_2018")
    ),
    **{
        f"tslearn {metric}": Tool("tslearn", "series", partial(_tslearn, metric))
        for metric in ("euclidean", "dtw")
    },
}
