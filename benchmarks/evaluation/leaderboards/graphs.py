"""Networks: the public ones beside the figures of their README, and networkx.

The README has Louvain of networkx with one seed where groups are known, and Markov
clustering with inflation 2 on networks of proteins. Known groups are classes (ARI and
NMI), circles of friends (mean F1 of best matches, over the found and over the known
groups) or protein complexes, for which groups of less than three are left out (F: share
of groups with a match of overlap .25; geometric accuracy; maximum matching ratio).
"""

from __future__ import annotations

import importlib.metadata
import importlib.util
import itertools
import re
from collections.abc import Callable, Iterator
from functools import lru_cache, partial
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from benchmarks.evaluation import data as data_sets
from benchmarks.evaluation.leaderboards import standings
from benchmarks.evaluation.leaderboards.paired import source
from benchmarks.evaluation.leaderboards.readme_figures import readme_table
from benchmarks.evaluation.pages import NOT_MEASURED, section
from benchmarks.evaluation.store import Job, Options, Row, read
from benchmarks.evaluation.store import run as run_jobs
from benchmarks.networks import RESOLUTIONS, best_match_f1

__all__ = ["KEY", "METHODS", "Network", "answer", "complexes", "fit", "page", "run"]

KEY = ("data", "method", "seed")
TABLE = "leaderboard_graphs"
DEFAULT = "fast_ensemble"
#: What is known of a network: the score that counts, and how the README calls it.
KINDS = {"classes": ("ari", "ARI"), "circles": ("f1", "F1"), "complexes": ("f", "F")}
MATCH, SMALLEST = 0.25, 3
README = "README"
NETWORKX = "networkx Louvain"
VALUES = (
    *("half", "kind", "n_objects", "n_links", *standings.SCORES),
    *("f1", "f", "accuracy", "mmr", "modularity"),
)

Labels = NDArray[Any]
Groups = list[Labels]


class Network(NamedTuple):
    """A network and its known groups.

    Attributes
    ----------
    graph : csr_array
        Its adjacency matrix.

    kind : str
        One of :data:`KINDS`.

    y : ndarray or None
        The classes, -1 for none.

    groups : list of ndarray or None
        Groups that may overlap.
    """

    graph: Any
    kind: str
    y: Labels | None
    groups: Groups | None


# -- the methods -----------------------------------------------------------------------


def _ours(graph: Any, seed: int, id: str) -> Labels:
    import comitia

    return comitia.method(id)(random_state=seed).fit_predict(graph)


def _single(graph: Any, seed: int, name: str) -> Labels:
    from comitia import cluster

    return getattr(cluster, name)(graph, np.random.RandomState(seed))


def _networkx(graph: Any, seed: int) -> Labels:
    import networkx

    links = networkx.from_scipy_sparse_array(graph)
    labels = np.empty(graph.shape[0], dtype=np.int64)
    for c, group in enumerate(networkx.community.louvain_communities(links, seed=seed)):
        labels[list(group)] = c
    return labels


def _complexes(graph: Any, seed: int) -> Labels:
    """Communities at several resolutions, combined by wu_2017."""
    import comitia
    from comitia.generate import GraphGenerator

    members = [
        labels
        for resolution in RESOLUTIONS
        for labels in GraphGenerator(
            5, detector="louvain", resolution=resolution, random_state=seed
        )
        .generate(graph)
        .labels.T
    ]
    made = comitia.method("wu_2017")(threshold=0.5)
    scaled = graph / graph.data.max()
    return made.fit(scaled, ensemble=comitia.Ensemble(members)).labels_


def _circles(graph: Any, seed: int) -> Groups:
    """Overlapping communities by yang_2016, whose iteration would end the overlaps."""
    import comitia

    fitted = comitia.method("yang_2016")(max_iter=0, random_state=seed).fit(graph)
    return [np.flatnonzero(column > 0) for column in fitted.membership_.T]


#: Called with a network and a seed; labels, or groups that may overlap.
METHODS: dict[str, Callable[[Any, int], Labels | Groups]] = {
    DEFAULT: partial(_ours, id=DEFAULT),
    "ecg": partial(_ours, id="ecg"),
    "lf_consensus": partial(_ours, id="lf_consensus"),
    "leiden": partial(_single, name="leiden"),
    "louvain": partial(_single, name="louvain"),
    NETWORKX: _networkx,
    "wu_2017, four resolutions": _complexes,
    "yang_2016, max_iter=0": _circles,
}
#: Those that are for one kind of known groups.
_FOR = {"wu_2017, four resolutions": "complexes", "yang_2016, max_iter=0": "circles"}


# -- the run ---------------------------------------------------------------------------


def run(options: Options) -> None:
    """Score the methods on every network that has no row yet."""
    here = importlib.util.find_spec("networkx") is not None
    version = importlib.metadata.version("networkx") if here else "not installed"
    run_jobs(
        TABLE,
        _jobs(options, here),
        options,
        values=VALUES,
        after_timeout=lambda job: (job.key["data"], job.key["method"]),
        about={"peers": {"networkx": version}},
    )


def _jobs(options: Options, with_networkx: bool) -> Iterator[Job]:
    found = _networks(options.data)
    methods = [one for one in METHODS if with_networkx or one != NETWORKX]
    if options.smoke:
        found, methods = dict([*found.items()][:1]), [DEFAULT, "leiden"]
    for name in found:
        if _readme_scores(name, options.data):
            key = {"data": name, "method": README, "seed": 0}
            also = {"half": found[name][1], "folder": options.data}
            yield Job(key, told_in_readme, also)
    for seed in options.seeds[: 1 if options.smoke else None]:
        for name, (kind, half) in found.items():
            for method in methods:
                if _FOR.get(method, kind) != kind:
                    continue
                key = {"data": name, "method": method, "seed": seed}
                yield Job(key, fit, {"half": half, "folder": options.data})


def _networks(folder: Path | None) -> dict[str, tuple[str, str]]:
    """Kind and half of each network; one with two sets of groups is there twice."""
    if folder is None:
        return dict.fromkeys(data_sets.BUILT_IN["graph"], ("classes", ""))
    arrays = {}
    for path in sorted((folder / "graphs").glob("*.npz")):
        with np.load(path, allow_pickle=False) as file:
            arrays[path.stem] = file.files
    # As they were halved when the default was chosen: those with classes apart.
    half_of = {
        name: half
        for has_y in (True, False)
        for name, half in data_sets.halves(
            [one for one, names in arrays.items() if ("y" in names) == has_y]
        ).items()
    }
    found: dict[str, tuple[str, str]] = {}
    for name, names in arrays.items():
        gold = [one.split("_")[1] for one in names if re.match("gold_.*_size", one)]
        if gold:
            found |= {f"{name}/{one}": ("complexes", half_of[name]) for one in gold}
        else:
            kind = "classes" if "y" in names else "circles"
            found[name] = (kind, half_of[name])
    return found


@lru_cache(maxsize=2)
def _load(name: str, folder: Path | None) -> Network:
    if folder is None:
        built_in = data_sets.load("graph", name, None)
        return Network(built_in.X, "classes", built_in.y, None)
    stem, _, gold = name.partition("/")
    with np.load(folder / "graphs" / f"{stem}.npz", allow_pickle=False) as file:
        n, edges = int(file["n"]), file["edges"]
        weights = file["weights"] if "weights" in file.files else np.ones(len(edges))
        graph = data_sets.adjacency(edges, weights, n)
        if "y" in file.files:
            return Network(graph, "classes", file["y"].astype(np.int64), None)
        named = f"gold_{gold}" if gold else "comm"
        members, ends = file[f"{named}_indices"], file[f"{named}_indptr"]
    groups = [members[low:high] for low, high in itertools.pairwise(ends)]
    return Network(graph, "complexes" if gold else "circles", None, groups)


def _readme_scores(name: str, folder: Path | None) -> dict[str, float]:
    """What the README says of a network."""
    stem, _, gold = name.partition("/")
    for title in (
        "Graphs with communities",
        "Graphs with overlapping circles",
        "Protein interaction networks with reference complexes",
    ):
        line = readme_table(folder, title).get(stem)
        if line is not None:
            break
    else:
        return {}
    told = next(
        (one for one in line["baseline"].split(";") if one.strip().startswith(gold)), ""
    )
    names = {"ARI": "ari", "NMI": "nmi", "F1": "f1", "F": "f"}
    names |= {"Acc": "accuracy", "MMR": "mmr"}
    return {
        names[score]: float(value)
        for score, value in re.findall(r"\b(ARI|NMI|F1|F|Acc|MMR) (-?\d\.\d+)", told)
    }


def told_in_readme(
    data: str, method: str, seed: int, half: str, folder: Path
) -> dict[str, Any]:
    """What the README of the data says of a network."""
    network = _load(data, folder)
    found = _readme_scores(data, folder)
    return {"half": half, "kind": network.kind, **found, "seconds": "", "peak_mb": ""}


def fit(
    data: str, method: str, seed: int, half: str, folder: Path | None
) -> dict[str, Any]:
    """Score one method on one network, its vertices in an order that the seed draws."""
    from comitia.cluster.community_quality import modularity

    network = _load(data, folder)
    n = network.graph.shape[0]
    order = np.random.RandomState(seed).permutation(n)
    shuffled = network.graph[order][:, order]
    found, seconds = standings.timed(lambda: METHODS[method](shuffled, seed))
    values: dict[str, Any] = {
        "half": half,
        "kind": network.kind,
        "n_objects": n,
        "n_links": network.graph.nnz // 2,
        "seconds": seconds,
    }
    if isinstance(found, list):
        groups = [order[group] for group in found]
    else:
        labels = np.empty(n, dtype=np.int64)
        labels[order] = found
        groups = _groups(labels)
        values["modularity"] = float(modularity(network.graph, labels))
        if network.y is not None:
            values |= standings.scores(labels, network.y)
    values["n_clusters"] = len(groups)
    if network.groups is not None:
        values |= (
            {"f1": best_match_f1(groups, network.groups)}
            if network.kind == "circles"
            else complexes(groups, network.groups)
        )
    return values


def _groups(labels: Labels) -> Groups:
    order = np.argsort(labels, kind="stable")
    ends = np.cumsum(np.unique(labels, return_counts=True)[1])
    return np.split(order, ends[:-1])


def complexes(found: Groups, known: Groups) -> dict[str, float]:
    """How well groups agree with known complexes; those of less than three are ignored.

    Parameters
    ----------
    found, known : list of ndarray
        Members of the groups.

    Returns
    -------
    scores : dict
        ``f``, the harmonic mean of the shares of found and of known groups with a match
        of overlap .25 or more; ``accuracy``, the geometric mean of sensitivity and
        positive predictive value; ``mmr``, the maximum matching ratio.
    """
    from scipy.optimize import linear_sum_assignment
    from scipy.sparse import csr_array

    found, known = (
        [one for one in groups if len(one) >= SMALLEST] for groups in (found, known)
    )
    if not found:
        return {"f": 0.0, "accuracy": 0.0, "mmr": 0.0}
    n = 1 + max(int(one.max()) for one in (*found, *known))
    indicators = []
    for groups in (known, found):
        rows = np.repeat(np.arange(len(groups)), [len(one) for one in groups])
        columns = (rows, np.concatenate(groups))
        shape = (len(groups), n)
        indicators.append(csr_array((np.ones(len(rows)), columns), shape=shape))
    shared = (indicators[0] @ indicators[1].T).toarray()
    sizes = [np.array([len(one) for one in groups]) for groups in (known, found)]
    overlap = shared**2 / np.multiply.outer(*sizes)
    recall = (overlap.max(axis=1) >= MATCH).mean()
    precision = (overlap.max(axis=0) >= MATCH).mean()
    sensitivity = shared.max(axis=1).sum() / sizes[0].sum()
    predictive = shared.max(axis=0).sum() / max(shared.sum(), 1.0)
    matched = linear_sum_assignment(overlap, maximize=True)
    return {
        "f": float(2 * precision * recall / max(precision + recall, 1e-12)),
        "accuracy": float(np.sqrt(sensitivity * predictive)),
        "mmr": float(overlap[matched].sum() / len(known)),
    }


# -- what is said of it ----------------------------------------------------------------


def _of_kind(rows: list[Row], kind: str) -> list[Row]:
    """Rows on networks of a kind; a row without a result does not say its kind."""
    names = {row["data"] for row in rows if row["kind"] == kind}
    return [row for row in rows if row["data"] in names]


def _once(rows: list[Row]) -> list[Row]:
    """Rows that have a modularity, of each network once."""
    lists = {row["data"].split("/")[0]: row["data"] for row in rows}
    kept = {*lists.values()}
    return [
        row
        for row in rows
        if row["data"] in kept and (row["modularity"] or row["status"] != "ok")
    ]


def answer(results: Path) -> str:
    """Who is better on networks, and by how much."""
    rows = read(results / f"{TABLE}.csv")
    if not rows:
        return NOT_MEASURED
    told = []
    for kind, ours in (
        ("classes", DEFAULT),
        ("circles", DEFAULT),
        ("complexes", "wu_2017, four resolutions"),
    ):
        score, name = KINDS[kind]
        some = _of_kind(rows, kind)
        theirs = standings.best_of(some, (README, NETWORKX), score)
        both = standings.compared(some, ours, theirs, score)
        if both is not None:
            told.append(
                f"On {both.n_sets} networks with known {kind} the {name} of ``{ours}`` "
                f"less that of {_NAMES[theirs, kind]} is {both.told()}."
            )
    both = standings.compared(_once(rows), DEFAULT, NETWORKX, "modularity")
    if both is not None:
        told.append(
            f"The modularity of ``{DEFAULT}`` less that of {NETWORKX} is {both.told()}."
        )
    return " ".join(told) or NOT_MEASURED


_NAMES = {
    **{(NETWORKX, kind): NETWORKX for kind in KINDS},
    **{(README, kind): "the Louvain run of the README" for kind in KINDS},
    (README, "complexes"): "the Markov clustering of the README",
}


def page(results: Path, figures: Path) -> str:
    """What the documentation says of the board."""
    rows = read(results / f"{TABLE}.csv")
    if not rows:
        return NOT_MEASURED
    texts = [answer(results), "", _TOLD]
    for kind, (score, _) in KINDS.items():
        some = _of_kind(rows, kind)
        if some:
            texts += [*section(f"Networks with {kind}"), _KIND[kind]]
            texts += [standings.table(some, DEFAULT, score), ""]
            if kind == "complexes":
                texts += [_other_scores(some), ""]
    texts += [*section("Modularity"), _MODULARITY]
    texts += [standings.table(_once(rows), DEFAULT, "modularity"), ""]
    texts += [standings.packages(results, "graphs"), source(results, "graphs")]
    return "\n".join(texts)


_TOLD = """\
The number of groups is not given. Vertices are in an order that the seed draws.
``README`` is the figure that came with the data, one run: Louvain of networkx where
there are classes or circles (in the order of the file and with seed 0 it gives the same
figures again), and Markov clustering with inflation 2 for proteins. *default better by*
is the mean of the default less the line's score on the line's networks, with Wilcoxon's
signed rank test and the rank-biserial effect size; a tie is within .01. *to confirm* is
the mean on the networks that our default was not chosen on. Seconds are of CPU time,
medians.
"""
_KIND = {
    "classes": "Citations, friends of dolphins, texts and schools: one class each.\n",
    "circles": """\
Circles that people drew of their friends, which overlap; mean F1 of the best matches.
``yang_2016`` finds groups that overlap, the others do not.
""",
    "complexes": """\
Protein complexes are small, and modularity has large communities: what knows nothing of
this is no method for them. ``wu_2017`` combines communities at four resolutions, which
were set for one of these networks before (``benchmarks/networks.py``). A network with
two lists of complexes counts twice.
""",
}
_MODULARITY = """\
The README has no modularity. Leiden of leidenalg is compared with ours in
``benchmarks/results/leiden_quality.csv``, on the same networks.
"""


def _other_scores(rows: list[Row]) -> str:
    """Mean accuracy and matching ratio of each method."""
    found = {name: standings.means(rows, name) for name in ("accuracy", "mmr")}
    told = [
        f"{method} {np.mean([*sets.values()]):.3f} and "
        f"{np.mean([*found['mmr'][method].values()]):.3f}"
        for method, sets in found["accuracy"].items()
    ]
    return f"Geometric accuracy and maximum matching ratio: {'; '.join(told)}."
