"""Score single runs and consensus methods on networks.

Packages of others, with what ``benchmarks/peers/graphs.txt`` names, are compared where
the environment variable ``COMITIA_GRAPH_PEERS`` names their interpreter.
"""

from __future__ import annotations

import json
import os
import subprocess
import tempfile
import warnings
from collections.abc import Callable, Iterator
from functools import lru_cache, partial
from itertools import combinations
from pathlib import Path
from time import process_time
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import triu

from benchmarks.evaluation import data as data_sets
from benchmarks.evaluation.networks import cells
from benchmarks.evaluation.networks.lfr import lfr_network
from benchmarks.evaluation.store import Job, Options
from benchmarks.evaluation.store import run as run_jobs
from benchmarks.networks import best_match_f1
from benchmarks.networks import load as load_with_groups

__all__ = ["RIVALS", "Network", "load", "networks", "run", "score"]

#: Sizes and shares of links to other communities of the artificial networks; of each
#: pair one is drawn to choose by and one to confirm.
LFR_SIZES, MIXINGS = (1000, 3000), (0.1, 0.2, 0.3, 0.4, 0.5, 0.6)
SMOKE_SIZE, SMOKE_RIVALS = 120, ("leiden", "fast_ensemble", "lwgp")
#: Runs of Leiden that the consensus methods combine.
N_MEMBERS = 20
#: Names the interpreter that runs the script.
PEERS = "COMITIA_GRAPH_PEERS"
PEER_SCRIPT = Path(__file__).parents[2] / "peers" / "run_graph_consensus.py"
#: What a row says of a rival: means over the seeds.
VALUES = (
    *("n_objects", "n_links", "n_classes", "n_clusters"),
    *("ari", "nmi", "f1", "modularity", "stability", "cpu_s"),
)

Labels = NDArray[Any]


class Network(NamedTuple):
    """A network and what is known of it.

    Attributes
    ----------
    graph : csr_array
        Its adjacency matrix.

    classes : ndarray or None
        The class of each vertex, -1 for none; None where groups overlap.

    groups : list of ndarray or None
        Known groups of vertices that may overlap.
    """

    graph: Any
    classes: Labels | None
    groups: list[Labels] | None


def _single(network: Any, members: Any, seed: int, name: str) -> Labels:
    from comitia import cluster

    return getattr(cluster, name)(network, np.random.RandomState(seed))


def _best_member(graph: Any, members: Any, seed: int) -> Labels:
    """Of all members the one of the largest modularity."""
    from comitia.cluster.community_quality import modularity

    found = [modularity(graph, labels) for labels in members.labels.T]
    return members.labels[:, int(np.argmax(found))]


def _own(graph: Any, members: Any, seed: int, name: str) -> Labels:
    """A method for networks with members of its own."""
    import comitia

    return comitia.method(name)(random_state=seed).fit_predict(graph)


def _on_links(graph: Any, members: Any, seed: int, name: str, **how: Any) -> Labels:
    """A method for networks on the common members."""
    import comitia

    return (
        comitia.method(name)(random_state=seed, **how)
        .fit(graph, ensemble=members)
        .labels_
    )


def _iterated(graph: Any, members: Any, seed: int) -> Labels:
    from comitia.generate import GraphGenerator

    generator = GraphGenerator(N_MEMBERS)
    return _on_links(graph, members, seed, "lf_consensus", generator=generator)


def _on_labels(graph: Any, members: Any, seed: int, name: str) -> Labels:
    """A method that does not look at the network, with as many clusters as members."""
    import comitia

    k = int(np.median(members.n_clusters_each))
    return comitia.method(name)(k, random_state=seed).fit_predict(members)


def _peer(graph: Any, members: Any, seed: int, name: str) -> Labels:
    """What a package of others finds, in its own environment."""
    links = triu(graph, k=1).tocoo()
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "graph.npz"
        edges = np.column_stack([links.row, links.col])
        np.savez(path, n=graph.shape[0], edges=edges, weights=links.data)
        done = subprocess.run(
            [os.environ[PEERS], PEER_SCRIPT, path, name, str(seed)],
            capture_output=True,
            text=True,
            check=True,
            env={**os.environ, "PYTHONPATH": ""},
        )
    return np.array(json.loads(done.stdout))


#: What is compared: called with a network, members that were found for it, and a seed.
RIVALS: dict[str, Callable[[Any, Any, int], Labels]] = {
    "leiden": partial(_single, name="leiden"),
    "louvain": partial(_single, name="louvain"),
    "best of 20 leiden": _best_member,
    "ecg": partial(_own, name="ecg"),
    "ecg, leiden": partial(_on_links, name="ecg", detector="leiden"),
    "fast_ensemble": partial(_on_links, name="fast_ensemble"),
    "lf_consensus": _iterated,
    "lwgp": partial(_on_labels, name="lwgp"),
    "lwea": partial(_on_labels, name="lwea"),
    "consensus": partial(_on_labels, name="consensus"),
}
#: Packages of others; the seconds of their processes are not counted.
PEER_RIVALS = {
    name: partial(_peer, name=name) for name in ("leidenalg", "partition_igraph")
}
RIVALS |= PEER_RIVALS
#: Those that combine the common members, whose time is theirs too.
_COMBINE = set(RIVALS) - {"leiden", "louvain", "ecg", *PEER_RIVALS}


def run(options: Options) -> None:
    """Score the rivals on every network that has no row yet, and then the cells.

    ``options.sets`` are networks and ``options.methods`` rivals.
    """
    if not options.sets or {*options.sets} - {cells.NAME}:
        run_jobs("networks", _jobs(options), options, values=VALUES)
    if not options.sets or cells.NAME in options.sets:
        cells.run(options)


def _jobs(options: Options) -> Iterator[Job]:
    found = networks(options.data)
    if options.smoke:
        found = {_lfr_name(SMOKE_SIZE, 0.2, 0): "choose"}
    n_seeds = 2 if options.smoke else len(options.seeds)
    for name, half in found.items():
        if options.sets and name not in options.sets:
            continue
        for rival in SMOKE_RIVALS if options.smoke else options.methods or RIVALS:
            if rival in PEER_RIVALS and PEERS not in os.environ:
                continue
            key = {"data": name, "half": half, "rival": rival}
            yield Job(key, score, {"n_seeds": n_seeds, "folder": options.data})


def networks(folder: Path | None) -> dict[str, str]:
    """The networks that there are, and for each whether it is to choose or to confirm.

    Parameters
    ----------
    folder : path or None
        Holds ``graphs/<name>.npz``; without it there are artificial ones alone.

    Returns
    -------
    networks : dict of str to str
        "choose" or "confirm" by name; networks with classes and those with overlapping
        groups are halved apart.
    """
    files = [] if folder is None else sorted((folder / "graphs").glob("*.npz"))
    kinds: dict[bool, list[str]] = {True: [], False: []}
    for path in files:
        with np.load(path, allow_pickle=False) as file:
            kinds["y" in file.files].append(path.stem)
    found = {
        name: half
        for names in kinds.values()
        for name, half in data_sets.halves(names).items()
    }
    for n in LFR_SIZES:
        for mixing in MIXINGS:
            for draw, half in enumerate(("choose", "confirm")):
                found[_lfr_name(n, mixing, draw)] = half
    return found


def _lfr_name(n: int, mixing: float, draw: int) -> str:
    return f"lfr_{n}_{mixing}_{draw}"


@lru_cache(maxsize=2)
def load(name: str, folder: Path | None) -> Network:
    """Read a network, or draw it.

    Parameters
    ----------
    name : str
        As :func:`networks` tells it.

    folder : path or None
        Where it is.

    Returns
    -------
    network : Network
        The network.
    """
    if name.startswith("lfr_"):
        n, mixing, draw = name.split("_")[1:]
        return Network(*lfr_network(int(n), float(mixing), int(draw)), None)
    assert folder is not None
    with np.load(folder / "graphs" / f"{name}.npz", allow_pickle=False) as file:
        ends = sorted(one for one in file.files if one.endswith("_indptr"))
        has_classes = "y" in file.files
    if has_classes:
        found = data_sets.load("graph", name, folder)
        return Network(found.X, found.y, None)
    graph, groups = load_with_groups(folder, name, ends[0].removesuffix("_indptr"))
    return Network(graph, None, groups)


@lru_cache(maxsize=16)
def _members(name: str, folder: Path | None, seed: int) -> tuple[Any, float]:
    """Runs of Leiden that all rivals share, and the seconds they took."""
    from comitia.generate import GraphGenerator

    start = process_time()
    generator = GraphGenerator(N_MEMBERS, random_state=seed)
    made = generator.generate(load(name, folder).graph)
    return made, process_time() - start


def score(
    data: str, half: str, rival: str, n_seeds: int, folder: Path | None
) -> dict[str, Any]:
    """Score one rival on one network.

    Parameters
    ----------
    data, half : str
        The network, and what it is for.

    rival : str
        One of :data:`RIVALS`.

    n_seeds : int
        How often it is run.

    folder : path or None
        Where the networks are.

    Returns
    -------
    scores : dict
        :data:`VALUES`. ``f1`` is that of the best matches of known groups, and
        ``stability`` the mean adjusted Rand index of two seeds.
    """
    from comitia.agreement import agreement
    from comitia.cluster.community_quality import modularity

    network = load(data, folder)
    RIVALS[rival](network.graph, _members(data, folder, 0)[0], 0)  # compiles
    found, seconds = [], []
    for seed in range(n_seeds):
        members, spent = _members(data, folder, seed)
        start = process_time()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # a missed max_iter shows in the score
            found.append(RIVALS[rival](network.graph, members, seed))
        spent = spent if rival in _COMBINE else 0.0
        seconds.append(process_time() - start + spent)
    scores: dict[str, Any] = {
        "n_objects": network.graph.shape[0],
        "n_links": network.graph.nnz // 2,
        "n_clusters": np.mean([len(np.unique(labels)) for labels in found]),
        "modularity": np.mean([modularity(network.graph, one) for one in found]),
    }
    if rival not in PEER_RIVALS:
        scores["cpu_s"] = np.mean(seconds)
    if len(found) > 1:
        pairs = [agreement(*two, "adjusted_rand") for two in combinations(found, 2)]
        scores["stability"] = np.mean(pairs)
    if network.classes is not None:
        y = network.classes
        known = y >= 0
        scores["n_classes"] = len(np.unique(y[known]))
        for name, measure in (("ari", "adjusted_rand"), ("nmi", "nmi_sqrt")):
            scores[name] = np.mean(
                [agreement(one[known], y[known], measure) for one in found]
            )
    else:
        assert network.groups is not None
        scores["n_classes"] = len(network.groups)
        scores["f1"] = np.mean(
            [best_match_f1(_clusters(one), network.groups) for one in found]
        )
    return {name: _plain(value) for name, value in scores.items()}


def _clusters(labels: Labels) -> list[Labels]:
    order = np.argsort(labels, kind="stable")
    return np.split(order, np.cumsum(np.bincount(labels))[:-1])


def _plain(value: Any) -> Any:
    return value if isinstance(value, int) else float(value)
