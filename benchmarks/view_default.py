"""Which clusterings of views and of series to combine when nobody says.

``python -m benchmarks.view_default views|series --data FOLDER --half choose
[--cache FOLDER]``

FOLDER holds ``multiview/*.npz`` and ``temporal/*.npz``. The sets are halved by name,
with a seed and before anything was run (:func:`halves`): one half is there to choose,
the other is looked at once. Each representation of a set, a view in one scaling or a
transform of the series, is clustered by each family; a candidate is some of these
clusterings and a consensus, so that all candidates share their members. k is the number
of classes; scores are adjusted Rand indices. Sets are cut to 400 objects with views, or
300 series at no more than 300 times.
"""

from __future__ import annotations

import argparse
import csv
import datetime
import os
import sys
import time
import warnings
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from benchmarks.evaluation.data import KINDS, load, one_length, standardized
from benchmarks.series_forms import at_most_long, k_shape, tables_of_series

__all__ = ["candidates", "halves", "main"]

RESULTS = Path(__file__).parent / "results"
MAX_OBJECTS = {"views": 400, "series": 300}
N_MEMBERS = 10

#: Sets that have objects in common with another go where that one goes.
KIN = {"msrc_v1_6view": "msrc_v1_5view", "snf_dataL": "mfeat"}

Floats = NDArray[np.float64]
Labels = NDArray[Any]


class Members(NamedTuple):
    """The clusterings of a set.

    Attributes
    ----------
    labels : ndarray of shape (n_objects, n_clusterings)
        The clusterings.

    form, part, family : ndarray of shape (n_clusterings,)
        How the table was made, of which view (or ``"joint"``), and what clustered it.
    """

    labels: Labels
    form: Labels
    part: Labels
    family: Labels


def halves(names: list[str], seed: int = 22) -> dict[str, str]:
    """The half that each set belongs to.

    Parameters
    ----------
    names : list of str
        All sets.

    seed : int, default=22
        Seed of the draw.

    Returns
    -------
    half_of : dict of str to str
        ``"choose"`` or ``"confirm"``.
    """
    free = sorted(name for name in names if KIN.get(name) not in names)
    drawn = np.random.RandomState(seed).permutation(len(free))
    half_of = {
        free[at]: "choose" if place < len(free) // 2 else "confirm"
        for place, at in enumerate(drawn)
    }
    return half_of | {n: half_of[KIN[n]] for n in names if n not in half_of}


# -- what is clustered -----------------------------------------------------------------


def _unit(X: Floats) -> Floats:
    lengths = np.sqrt((X**2).sum(axis=1, keepdims=True))
    return X / np.where(lengths == 0.0, 1.0, lengths)


def _is_counts(X: Floats) -> bool:
    """Whether a table looks like counts: nothing negative, and mostly zeros."""
    return bool(X.min() >= 0.0 and np.mean(X == 0.0) > 0.5)


def _turned(X: Floats) -> Floats:
    """The same distances in no more columns than objects."""
    X = X - X.mean(axis=0)
    if X.shape[1] <= len(X):
        return X
    U, s, _ = np.linalg.svd(X, full_matrices=False)
    return U * s


def _side_by_side(tables: list[Floats]) -> Floats:
    """Tables with the same total variance each, side by side."""
    return np.hstack([X / np.sqrt(max(X.var(axis=0).sum(), 1e-12)) for X in tables])


def tables_of_views(views: list[Floats]) -> Iterator[tuple[str, str, Floats]]:
    """The tables to cluster: each view in each scaling, and all side by side."""
    forms: dict[str, Callable[[Floats], Floats]] = {
        "standard": standardized,
        "unit": _unit,
        "auto": lambda X: _unit(X) if _is_counts(X) else standardized(X),
    }
    for form, scale in forms.items():
        scaled = [scale(X) for X in views]
        yield form, "joint", _side_by_side(scaled)
        for v, X in enumerate(scaled):
            # The third is always one of the first two.
            if form != "auto":
                yield form, f"view {v}", X


def _made(X: Floats, k: int, seed: int) -> Iterator[tuple[str, Labels]]:
    from comitia.generate import (
        GenieGenerator,
        KMeansGenerator,
        NeighborSpectralGenerator,
    )
    from comitia.generate.sampling import Subsample

    both: dict[str, Any] = {"random_state": seed}
    wide = both | {"n_clusters": (k, None)}
    families = {
        "means": KMeansGenerator(N_MEMBERS, **wide),
        "spectral": NeighborSpectralGenerator(N_MEMBERS, **wide),
        "genie": GenieGenerator(N_MEMBERS, **wide),
        "samples": KMeansGenerator(
            N_MEMBERS, n_clusters=k, objects=Subsample(0.8), extend=True, **both
        ),
    }
    for name, one in families.items():
        yield name, one.generate(X).labels


def _single(X: Floats, k: int, seed: int) -> Iterator[tuple[str, Labels]]:
    from sklearn.cluster import KMeans, SpectralClustering

    yield "KMeans", KMeans(k, n_init=10, random_state=seed).fit_predict(X)[:, None]
    spectral = SpectralClustering(
        k, affinity="nearest_neighbors", assign_labels="kmeans", random_state=seed
    )
    yield "Spectral", spectral.fit_predict(X)[:, None]


def members_of(kind: str, X: Any, k: int, seed: int) -> Members:
    """Cluster every representation of a set by every family."""
    blocks: list[Labels] = []
    told: list[tuple[str, str, str]] = []
    for form, part, table in (
        tables_of_views(X) if kind == "views" else tables_of_series(X)
    ):
        turned = _turned(table)
        made = [*_made(turned, k, seed)]
        if part == "joint":
            made += _single(turned, k, seed)
        for family, labels in made:
            blocks.append(labels)
            told += [(form, part, family)] * labels.shape[1]
    form, part, family = np.array(told).T
    return Members(np.hstack(blocks), form, part, family)


# -- candidates ------------------------------------------------------------------------


class Candidate(NamedTuple):
    """Some members and a consensus.

    Attributes
    ----------
    forms, parts, families : tuple of str
        What members are taken; a part ``"each"`` is all but ``"joint"``.

    consensus : str
        ``"reassign"``, ``"lwgp"``, ``"believed"`` (reassigned again, each part and
        family weighed by its agreement with a first consensus) or ``"one"``.
    """

    forms: tuple[str, ...]
    parts: tuple[str, ...]
    families: tuple[str, ...]
    consensus: str


_SG = ("spectral", "genie")
_KS = ("means", "spectral")
_KSG = ("means", "spectral", "genie")


def candidates(kind: str) -> dict[str, Candidate]:
    """The candidates and what they are compared with.

    Parameters
    ----------
    kind : {"views", "series"}
        What is clustered.

    Returns
    -------
    candidates : dict of str to Candidate
        By name.
    """
    found = {}
    if kind == "views":
        for form in ("standard", "unit", "auto"):
            for one in ("KMeans", "Spectral"):
                found[f"{one} joint {form}"] = Candidate(
                    (form,), ("joint",), (one,), "one"
                )
            for where, parts in {
                "each": ("each",),
                "joint": ("joint",),
                "both": ("each", "joint"),
            }.items():
                for short, families in {
                    "k": ("means",),
                    "s": ("spectral",),
                    "sg": _SG,
                    "ks": _KS,
                    "ksg": _KSG,
                    "m": ("samples",),
                }.items():
                    for how in ("reassign", "lwgp", "believed"):
                        if how == "believed" and parts == ("joint",):
                            continue
                        found[f"{where} {short} {form} {how}"] = Candidate(
                            (form,), parts, families, how
                        )
        return found
    for form in ("raw", "z", "shape", "dtw"):
        for one in ("KMeans", "Spectral"):
            found[f"{one} {form}"] = Candidate((form,), ("joint",), (one,), "one")
    for what, forms in {
        "features": ("features",),
        "raw": ("raw",),
        "z": ("z",),
        "shape": ("shape",),
        "dtw": ("dtw",),
        "raw+features": ("raw", "features"),
        "raw+z": ("raw", "z"),
        "raw+shape": ("raw", "shape"),
        "z+slope": ("z", "slope"),
        "z+lags": ("z", "lags"),
        "z+slope+lags": ("z", "slope", "lags"),
        "z+dtw": ("z", "dtw"),
        "raw+dtw": ("raw", "dtw"),
        "raw+z+dtw": ("raw", "z", "dtw"),
        "raw+z+lags": ("raw", "z", "lags"),
        "raw+z+lags+features": ("raw", "z", "lags", "features"),
        "raw+shape+features": ("raw", "shape", "features"),
        "z+shape+dtw": ("z", "shape", "dtw"),
        "z+dtw+features": ("z", "dtw", "features"),
        "z+shape": ("z", "shape"),
        "z+features": ("z", "features"),
        "shape+features": ("shape", "features"),
        "z+shape+features": ("z", "shape", "features"),
        "z+slope+lags+shape": ("z", "slope", "lags", "shape"),
        "all": ("raw", "z", "slope", "lags", "shape", "dtw", "features"),
    }.items():
        for short, families in {
            "k": ("means",),
            "s": ("spectral",),
            "sg": _SG,
            "ks": _KS,
            "ksg": _KSG,
        }.items():
            found[f"{what} {short} reassign"] = Candidate(
                forms, ("each", "joint"), families, "reassign"
            )
    return found


def _fitted(id: str, **parameters: Any) -> Callable[..., Labels]:
    def fit(X: Any, k: int, seed: int) -> Labels:
        import comitia

        made = comitia.method(id)(n_clusters=k, random_state=seed, **parameters)
        return made.fit_predict(X)

    return fit


def _before(X: Any, k: int, seed: int) -> Labels:
    from comitia.generate import KMeansGenerator

    return _fitted(
        "multi_view", method="lwgp", generators=KMeansGenerator(20), scale="standard"
    )(X, k, seed)


def _flat(X: Any, k: int, seed: int) -> Labels:
    from sklearn.cluster import KMeans

    table = np.hstack([standardized(view) for view in X])
    return KMeans(k, n_init=10, random_state=seed).fit_predict(table)


def _together(family: str, form: str) -> Callable[..., Labels]:
    def fit(X: Any, k: int, seed: int) -> Labels:
        for found, part, table in tables_of_views(X):
            if (found, part) == (form, "joint"):
                return dict(_single(_turned(table), k, seed))[family][:, 0]
        raise ValueError(f"there is no scaling {form}")

    return fit


def _of_values(X: Any, k: int, seed: int) -> Labels:
    from sklearn.cluster import KMeans

    table = one_length(X).reshape(len(X), -1)
    return KMeans(k, n_init=10, random_state=seed).fit_predict(table)


def _of_series(short: str, **settings: Any) -> Callable[..., Labels]:
    """The default for series with ten members of each of some families."""

    def fit(X: Any, k: int, seed: int) -> Labels:
        from comitia.generate import (
            GenieGenerator,
            KMeansGenerator,
            MixedGenerator,
            NeighborSpectralGenerator,
        )

        makers = {
            "k": KMeansGenerator,
            "s": NeighborSpectralGenerator,
            "g": GenieGenerator,
        }
        families = [makers[letter](N_MEMBERS) for letter in short]
        mixed = MixedGenerator(families, n_clusters=(k, None))
        return _fitted("time_series", generator=mixed, **settings)(X, k, seed)

    return fit


#: What is fitted to the data themselves, for comparison.
FITS: dict[str, dict[str, Callable[..., Labels]]] = {
    "views": {
        "the default": _fitted("multi_view"),
        "the default before": _before,
        "mic": _fitted("mic"),
        "mvcc": _fitted("mvcc"),
        "KMeans on all columns": _flat,
        "KMeans side by side": _together("KMeans", "standard"),
        "KMeans side by side, auto": _together("KMeans", "auto"),
        "Spectral side by side, auto": _together("Spectral", "auto"),
    },
    "series": {
        "the default": _fitted("time_series"),
        **{
            f"values and features, {short}": _of_series(short)
            for short in ("k", "ks", "sg", "ksg")
        },
        "KMeans on values": _of_values,
        "k-shape": lambda X, k, seed: k_shape(one_length(X), k, seed),
        "yang_chen_2011": _fitted("yang_chen_2011"),
        "yang_jiang_2018": _fitted("yang_jiang_2018"),
    },
}


def taken(members: Members, one: Candidate, is_counts: Labels) -> NDArray[np.bool_]:
    """Which members a candidate combines."""
    joint = members.part == "joint"
    part = (joint & ("joint" in one.parts)) | (~joint & ("each" in one.parts))
    form = np.isin(members.form, one.forms)
    if one.forms == ("auto",):
        of_view = np.array(
            [is_counts[int(p[5:])] if p[:4] == "view" else False for p in members.part]
        )
        right = np.where(of_view, "unit", "standard")
        form = np.where(joint, form, members.form == right)
    return part & form & np.isin(members.family, one.families)


def labels_of(
    members: Members, mask: NDArray[np.bool_], how: str, k: int, seed: int
) -> Labels:
    """The consensus of some members."""
    import comitia
    from comitia.agreement import agreement_with

    labels = members.labels[:, mask]
    if how == "one":
        return labels[:, 0]
    names = np.char.add(np.char.add(members.form, members.part), members.family)
    ensemble = comitia.Ensemble(labels, groups=names[mask].tolist())
    if how == "lwgp":
        return comitia.method("lwgp")(k, random_state=seed).fit_predict(ensemble)
    first = comitia.ConsensusClustering(k, random_state=seed).fit_predict(ensemble)
    if how == "reassign":
        return first
    agrees = agreement_with(first, ensemble, "nmi_sqrt")
    at = np.unique(names[mask], return_inverse=True)[1]
    mean = np.bincount(at, agrees) / np.bincount(at)
    weights = (mean / mean.max())[at]
    again = comitia.ConsensusClustering(
        k, weighting=lambda ensemble, X: weights, random_state=seed
    )
    return again.fit_predict(ensemble)


# -- the run ---------------------------------------------------------------------------


def kept_members(
    kind: str, name: str, X: Any, k: int, cache: Path | None, seed: int
) -> Members:
    """The members of a set, made once if there is a folder to keep them in."""
    if cache is None:
        return members_of(kind, X, k, seed)
    kept = cache / f"{kind}_{name}_{seed}.npz"
    if not kept.exists():
        kept.parent.mkdir(parents=True, exist_ok=True)
        np.savez_compressed(kept, **members_of(kind, X, k, seed)._asdict())
    with np.load(kept, allow_pickle=False) as file:
        return Members(*(file[field] for field in Members._fields))


def score_set(
    kind: str, name: str, data: Path, cache: Path | None, asked: list[str], seed: int
) -> Iterator[dict[str, Any]]:
    """A row for each candidate on one set."""
    from sklearn.metrics import adjusted_rand_score

    found = load(kind, name, data, MAX_OBJECTS[kind])
    k, known = found.n_clusters, found.y >= 0
    if kind == "series":
        found = replace(found, X=[at_most_long(one) for one in found.X])
    is_counts = (
        np.array([_is_counts(X) for X in found.X]) if kind == "views" else np.array([])
    )
    every = candidates(kind)
    wanted = asked or [*every, *FITS[kind]]
    members = None
    if not set(wanted) <= set(FITS[kind]):
        members = kept_members(kind, name, found.X, k, cache, seed)
    for each in wanted:
        start = time.process_time()
        if each in FITS[kind]:
            labels = FITS[kind][each](found.X, k, seed)
        else:
            assert members is not None
            mask = taken(members, every[each], is_counts)
            labels = labels_of(members, mask, every[each].consensus, k, seed)
        ari = adjusted_rand_score(found.y[known], labels[known])
        yield {
            "kind": kind,
            "set": name,
            "n": len(labels),
            "k": k,
            "candidate": each,
            "seed": seed,
            "ari": round(float(ari), 4),
            "cpu_s": round(time.process_time() - start, 2),
        }


def main(arguments: list[str] | None = None) -> int:
    """Run what the command line asks for."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.view_default")
    parser.add_argument("kind", choices=("views", "series"))
    parser.add_argument("--data", type=Path, default=os.environ.get("COMITIA_DATA"))
    parser.add_argument("--half", choices=("choose", "confirm"), required=True)
    parser.add_argument(
        "--candidates", help="names, separated by semicolons; default all"
    )
    parser.add_argument("--cache", type=Path, help="where members are kept")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--out", type=Path, default=RESULTS / "view_default.csv")
    asked = parser.parse_args(arguments)
    if asked.data is None:
        parser.error("say where the data are: --data FOLDER, or COMITIA_DATA")
    folder = Path(asked.data) / KINDS[asked.kind]
    half_of = halves([path.stem for path in folder.glob("*.npz")])
    names = sorted(name for name, half in half_of.items() if half == asked.half)
    names.sort(key=lambda name: (folder / f"{name}.npz").stat().st_size)
    wanted = asked.candidates.split(";") if asked.candidates else []
    rows: list[dict[str, Any]] = []
    about = {"half": asked.half, "date": datetime.date.today().isoformat()}
    for name in names:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            scored = score_set(
                asked.kind, name, Path(asked.data), asked.cache, wanted, asked.seed
            )
            rows += [about | row for row in scored]
        print(name, file=sys.stderr, flush=True)
        write(rows, asked.out)
    print(summary(rows))
    return 0


def write(rows: list[dict[str, Any]], target: Path) -> None:
    """Put rows where there were none or others of the same fits."""

    def key(row: Mapping[str, Any]) -> tuple[str, ...]:
        return tuple(str(row[c]) for c in ("kind", "set", "candidate", "seed"))

    old: list[dict[str, Any]] = []
    if target.exists():
        with target.open(newline="") as file:
            old = [*csv.DictReader(file)]
    new = {key(row) for row in rows}
    kept = [row for row in old if key(row) not in new]
    target.parent.mkdir(parents=True, exist_ok=True)
    with target.open("w", newline="") as file:
        writer = csv.DictWriter(file, [*rows[0]], lineterminator="\n")
        writer.writeheader()
        writer.writerows(sorted([*kept, *rows], key=key))


def summary(rows: list[dict[str, Any]]) -> str:
    """Mean index of each candidate, the best first."""
    of: dict[str, list[float]] = {}
    for row in rows:
        of.setdefault(row["candidate"], []).append(float(row["ari"]))
    best = sorted(of, key=lambda name: -np.mean(of[name]))
    return "\n".join(f"{np.mean(of[n]):.3f}  {len(of[n]):2d} sets  {n}" for n in best)


if __name__ == "__main__":
    sys.exit(main())
