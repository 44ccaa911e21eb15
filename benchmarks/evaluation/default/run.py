"""Score every mix of generator, weighting and consensus."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from itertools import product
from pathlib import Path
from time import monotonic
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks.evaluation import data as data_sets
from benchmarks.evaluation.data import halves
from benchmarks.evaluation.default import rivals
from benchmarks.evaluation.store import Job, Options
from benchmarks.evaluation.store import run as run_jobs

__all__ = [
    "GENERATORS",
    "MIXES",
    "REFERENCE",
    "combine",
    "halves",
    "make_generator",
    "run",
    "score_junk",
    "score_mixes",
]

#: What one would do without an ensemble.
REFERENCE = "k-means"
#: To how many objects larger sets are cut, unless the command line says it.
MAX_OBJECTS, SMOKE_OBJECTS = 1000, 60
#: What makes the clusterings: k-means with 2 to the root of n clusters, with as many as
#: there are classes, with twice as many, on half of the features or of the objects.
GENERATORS = ("sqrt", "k", "2k", "features", "objects")
#: Sizes of ensembles; the second and third are tried with the first generator only.
N_CLUSTERINGS = (50, 20, 100)
WEIGHTINGS = ("none", "crowd", "crowd_ari", "entropy")
#: "average+" and "tcut+" are the two starts of "reassign", which takes the likelier.
CONSENSUS = ("average", "ward", "tcut", "kmeans", "average+", "tcut+", "reassign")
#: Weighting and consensus. K-means on indicator rows takes no weights of clusters.
MIXES = tuple(
    f"{weighting}/{consensus}"
    for weighting in WEIGHTINGS
    for consensus in CONSENSUS
    if (weighting, consensus) != ("entropy", "kmeans")
)
#: What ``--sets`` calls the ensembles with junk.
PLANTED = "planted"
#: Planted: sizes of the clusters, objects, clusterings, noise of good ones and of junk.
SIZES = {"equal": (1, 1, 1, 1, 1), "unequal": (16, 8, 4, 2, 1)}
N_PLANTED, M_PLANTED, GOOD_NOISE, JUNK_NOISE = 1000, 20, (0.3, 0.5), 0.9
JUNK_SHARES = (0.0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7)


def run(options: Options) -> None:
    """Score all mixes on everything that has no row yet.

    The sets "planted" are those with junk.
    """
    start = monotonic()
    if not options.sets or PLANTED not in options.sets:
        rivals.run(options, halves)
    if not options.sets or PLANTED in options.sets:
        run_jobs("default_junk", _junk_jobs(options), options, values=MIXES)
    if options.sets == (PLANTED,):
        return
    if options.stop_after is not None:
        left = max(options.stop_after - (monotonic() - start), 0.0)
        options = replace(options, stop_after=left)
    run_jobs("default", _jobs(options), options, values=(REFERENCE, *MIXES))


def _jobs(options: Options) -> Iterator[Job]:
    most = SMOKE_OBJECTS if options.smoke else options.max_objects or MAX_OBJECTS
    found = data_sets.sources(options.data, max_objects=most, kinds=("single",))
    half = halves([one.name for one in found])
    if options.sets:
        found = [one for one in found if one.name in options.sets]
    sizes = [(name, N_CLUSTERINGS[0]) for name in GENERATORS]
    sizes += [(GENERATORS[0], size) for size in N_CLUSTERINGS[1:]]
    if options.smoke:
        found, sizes = found[:2], [(name, 5) for name in GENERATORS]
    arguments = {"folder": options.data, "max_objects": most}
    seeds = options.seeds[:1] if options.smoke else options.seeds
    # A run that is stopped has compared the mixes, and lacks generators.
    for some in (sizes[:1], sizes[1:]):
        for seed, source, (name, n_clusterings) in product(seeds, found, some):
            key = {
                "data": source.name,
                "half": half[source.name],
                "n_objects": source.n_objects,
                "generator": name,
                "n_clusterings": n_clusterings,
                "seed": seed,
            }
            yield Job(key, score_mixes, arguments)


def _junk_jobs(options: Options) -> Iterator[Job]:
    shares = JUNK_SHARES[::6] if options.smoke else JUNK_SHARES
    n_objects = SMOKE_OBJECTS if options.smoke else N_PLANTED
    for seed in options.seeds[:1] if options.smoke else options.seeds:
        for sizes in SIZES:
            for noise in GOOD_NOISE[:1] if options.smoke else GOOD_NOISE:
                for share in shares:
                    key = {"sizes": sizes, "noise": noise, "junk": share, "seed": seed}
                    yield Job(key, score_junk, {"n_objects": n_objects})


def score_mixes(
    data: str,
    half: str,
    n_objects: int,
    generator: str,
    n_clusterings: int,
    seed: int,
    folder: Path | None,
    max_objects: int,
) -> dict[str, float]:
    """Make clusterings of a data set and combine them with every mix.

    Parameters
    ----------
    data : str
        Name of the data set.

    half, n_objects : str, int
        What it is for, and its size; only tell rows apart.

    generator : str
        Of :data:`GENERATORS`.

    n_clusterings, seed : int
        How many clusterings, and the seed of all.

    folder : path or None
        Where the data are.

    max_objects : int
        To how many objects large sets are cut.

    Returns
    -------
    scores : dict of str to float
        Adjusted Rand index of each mix, and of k-means alone.
    """
    found = data_sets.load("single", data, folder, max_objects)
    k, known = found.n_clusters, found.y >= 0
    members = make_generator(generator, k, n_clusterings, seed).generate(found.X)
    labels = combine(members, k, seed)
    if generator == GENERATORS[0]:
        from sklearn.cluster import KMeans

        alone = KMeans(k, n_init=10, random_state=seed)
        labels[REFERENCE] = alone.fit_predict(found.X)
    return {name: _ari(one[known], found.y[known]) for name, one in labels.items()}


def score_junk(
    sizes: str, noise: float, junk: float, seed: int, n_objects: int
) -> dict[str, float]:
    """Plant clusterings, some of them junk, and combine them with every mix.

    Parameters
    ----------
    sizes : str
        Of :data:`SIZES`.

    noise : float
        The share of random labels in a good clustering.

    junk : float
        The share of clusterings that are junk.

    seed : int
        Of the clusterings and the mixes.

    n_objects : int
        Number of objects.

    Returns
    -------
    scores : dict of str to float
        Adjusted Rand index of each mix.
    """
    from benchmarks.ensembles import planted_labels
    from comitia import Ensemble

    each = np.full(M_PLANTED, noise)
    each[: round(junk * M_PLANTED)] = JUNK_NOISE
    shares = np.array(SIZES[sizes], dtype=np.float64)
    k = len(shares)
    labels, truth = planted_labels(
        n_objects, k, M_PLANTED, each, sizes=shares, seed=seed
    )
    found = combine(Ensemble(labels), k, seed)
    return {name: _ari(one, truth) for name, one in found.items()}


def make_generator(name: str, k: int, n_clusterings: int, seed: int) -> Any:
    """A generator of :data:`GENERATORS`.

    Parameters
    ----------
    name : str
        Its name.

    k : int
        Number of classes.

    n_clusterings, seed : int
        Size of the ensemble, and the seed.

    Returns
    -------
    generator : KMeansGenerator
        It has ``generate``.
    """
    from comitia.generate import FeatureSubset, KMeansGenerator, Subsample

    settings: dict[str, dict[str, Any]] = {
        "sqrt": {},
        "k": {"n_clusters": k},
        "2k": {"n_clusters": 2 * k},
        "features": {"features": FeatureSubset(0.5)},
        "objects": {"objects": Subsample(0.5), "extend": True},
    }
    return KMeansGenerator(n_clusterings, random_state=seed, **settings[name])


def combine(ensemble: Any, k: int, seed: int) -> dict[str, NDArray[Any]]:
    """Combine clusterings with every mix.

    Parameters
    ----------
    ensemble : Ensemble
        The clusterings.

    k, seed : int
        Number of clusters, and the seed of the consensus.

    Returns
    -------
    labels : dict of str to ndarray of shape (n_objects,)
        By the names of :data:`MIXES`.
    """
    from comitia import ConsensusClustering

    weightings = {
        "none": None,
        "crowd": "crowd_agreement",
        "crowd_ari": _crowd_ari,
        "entropy": "entropy_certainty",
    }
    found: dict[str, NDArray[Any]] = {}
    for name, weighting in weightings.items():
        model = ConsensusClustering(
            k,
            weighting=weighting,
            consensus=partial(_every_consensus, found, name),
            random_state=seed,
        )
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # fewer clusters show in the score
            model.fit(ensemble)
    return {mix: found[mix] for mix in MIXES}


def _every_consensus(
    found: dict[str, NDArray[Any]],
    weighting: str,
    ensemble: Any,
    n_clusters: int,
    rng: np.random.RandomState,
    **weights: Any,
) -> NDArray[Any]:
    """Put the labels of every consensus into ``found``; the starts are made once."""
    from comitia.methods.composite.consensus import CONSENSUS
    from comitia.partition.reassign import reassign, voters_of

    state = rng.get_state()
    for name in ("average", "ward", "tcut", "kmeans"):
        if (mix := f"{weighting}/{name}") in MIXES:
            rng.set_state(state)  # as if each were alone
            found[mix] = CONSENSUS[name](ensemble, n_clusters, rng, **weights)
    voters = voters_of(ensemble, **weights)
    moved = []
    for name in ("average", "tcut"):
        moved.append(reassign(voters, found[f"{weighting}/{name}"]))
        found[f"{weighting}/{name}+"] = moved[-1].labels
    # A graph in pieces may have fewer parts than were asked for, and is no start.
    n_parts = [len(np.unique(one.labels)) for one in moved]
    if n_parts[1] < n_parts[0]:
        del moved[1]
    likelier = max(moved, key=lambda one: one.log_likelihood)
    found[f"{weighting}/reassign"] = likelier.labels
    return likelier.labels


def _crowd_ari(ensemble: Any, X: Any) -> NDArray[np.float64]:
    """Agreement with the crowd, corrected for chance: junk weighs next to nothing."""
    from comitia.weigh import crowd_agreement

    return crowd_agreement(ensemble, "adjusted_rand", weight_power=1.0)


def _ari(labels: NDArray[Any], classes: NDArray[Any]) -> float:
    from comitia.agreement import agreement

    return float(agreement(labels, classes, "adjusted_rand"))
