"""A survey of 2026: 71 variants on 86 sets, of which 15 are pools that we have.

It draws 20 of the 100 clusterings of a pool, ten times, and takes as many clusters as
there are classes. Our rows of its methods are those of ``fidelity_survey.csv``; the
rows here are of the default, on the same draws. Rows of the pools are shuffled. Of the
sets that we share beside the pools the clusterings are not public: we make our own.
"""

from __future__ import annotations

import warnings
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from benchmarks.evaluation.leaderboards.gagolewski import references
from benchmarks.evaluation.leaderboards.paired import Paired, paired, source
from benchmarks.evaluation.pages import (
    NOT_MEASURED,
    enumerated,
    list_table,
    number,
    section,
)
from benchmarks.evaluation.pools import (
    Labels,
    load_pool,
    make_members,
    pools,
    random_draw,
)
from benchmarks.evaluation.store import Job, Options, Row, read, write
from benchmarks.evaluation.store import run as run_jobs

__all__ = ["KEY", "Entry", "answer", "entries", "page", "run", "score"]

KEY = ("pool", "draw", "method")
TABLE, PUBLISHED = "leaderboard_survey", "leaderboard_survey_published"
OURS = "default"
#: The default, given the table and not the clusterings.
ON_TABLE = "default, on the table"
#: Members of an ensemble.
N_MEMBERS = 20
#: Sets of the survey that are no pools, and what they are called there. Left out are
#: those whose data are a pool, and a second copy of wdbc.
SETS = {
    "leukemia_golub72": "ALLAML",
    "prostate_ge": "Prostate_GE",
    "yale32": "Yale",
    "tox171": "TOX_171",
    "warppie10p": "warpPIE10P",
    "wdbc": "wdbc",
    "breast_wisconsin": "breast-cancer-wisconsin",
    "sipu_aggregation": "Aggregation",
    "yeast": "yeast",
    "pcmac": "PCMAC",
}
#: Our methods on these sets, and their names there: these tell whether the clusterings
#: are alike.
ON_SETS = {
    "eac": "Combining multiple clusterings using evidence accumulation_1",
    "lwea": "LWEA_LWGP_TCYB18_1",
    "lwgp": "LWEA_LWGP_TCYB18_2",
}
#: Lines of the table of the survey that are shown.
N_SHOWN = 15
#: Variants of the survey whose result hangs on the order of the rows.
READ_THE_ORDER = ("CELTA_", "GTLEC_", "AWEC-")
#: Variants that are known to keep, for each set, what is best by the classes.
TUNED_THERE = (
    *("AWEC-", "ECCMS_", "SCCABG_", "SDGCA_", "TRCE_", "Self-Paced Clustering"),
    "Ensemble clustering based on dense representation",
)


def run(options: Options) -> None:
    """Fit the default on every draw that has no row yet.

    ``options.seeds`` are the draws, from 1 on.
    """
    draws = options.seeds[:1] if options.smoke else options.seeds
    sets = [one for one in SETS if not options.sets or one in options.sets]
    keys = [(pool, seed + 1, OURS) for seed in draws for pool in pools(options)]
    if options.data is not None:
        # Set by set: each process keeps the clusterings that it made last.
        keys += [
            (name, seed + 1, method)
            for name in sets
            for seed in draws
            for method in (OURS, ON_TABLE, *ON_SETS)
        ]
    jobs = [
        Job(dict(zip(KEY, key, strict=True)), score, {"folder": options.data})
        for key in keys
    ]
    if not jobs:
        return  # none of its pools was asked for
    run_jobs(TABLE, jobs, options, values=("nmi_sqrt", "ari"))
    if options.data is not None:
        _write_published(options.data, options.results)


def score(pool: str, draw: int, method: str, folder: Path | None) -> dict[str, float]:
    """Combine drawn clusterings of shuffled rows, and compare with the classes.

    Parameters
    ----------
    pool, draw, method : str, int, str
        What is combined, the seed, and by what.

    folder : path or None
        The data folder.

    Returns
    -------
    values : dict
        ``nmi_sqrt`` and ``ari``.
    """
    import comitia
    from comitia.agreement import agreement
    from comitia.prepare import TablePreparer

    given: Any
    if pool in SETS:
        X, members, classes = _made(pool, folder)
    else:
        members, classes = load_pool(pool, folder)
    if method == ON_TABLE:
        rows = np.random.RandomState(draw).permutation(len(classes))
        given, y = TablePreparer().fit_transform(X[rows]), classes[rows]
    else:
        drawn, y = random_draw(members, classes, draw, N_MEMBERS)
        given = comitia.Ensemble(drawn)
    cls = comitia.method("consensus" if method in (OURS, ON_TABLE) else method)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # fewer clusters show in the score
        labels = cls(len(np.unique(y)), random_state=draw).fit_predict(given)
    return {
        "nmi_sqrt": float(agreement(labels, y, "nmi_sqrt")),
        "ari": float(agreement(labels, y, "adjusted_rand")),
    }


@lru_cache(maxsize=1)
def _made(name: str, folder: Path | None) -> tuple[Any, Labels, Labels]:
    """A table as it is, a hundred clusterings of it, and its classes."""
    X, (classes, *_) = references(name, folder)
    return X, make_members(X), classes.astype(np.int32)


def _write_published(data: Path, results: Path) -> None:
    """Keep what the survey has of pools and sets: a line for each variant and pool."""
    known = {path.stem: path.stem for path in (data / "pools").glob("*.npz")}
    known |= {there: here for here, there in SETS.items()}
    lines: dict[tuple[str, str], dict[str, str]] = defaultdict(dict)
    for measure in ("nmi", "ari"):
        for row in read(data / "published" / f"survey_2026_{measure}.csv"):
            pool = row.pop("data")
            for variant, value in row.items():
                if pool in known:
                    # What has no figure did not end there.
                    lines[variant, known[pool]][measure] = f"{float(value or 0):.4g}"
    columns = ("variant", "pool", "nmi", "ari")
    rows = (
        {"variant": variant, "pool": pool, **own}
        for (variant, pool), own in lines.items()
    )
    write(results / f"{PUBLISHED}.csv", columns, rows)


# -- the page --------------------------------------------------------------------------


class Entry(NamedTuple):
    """A line of the table.

    Attributes
    ----------
    name : str
        Of a variant of the survey, or of a method of ours.

    is_ours : bool
        Whether it was run here.

    nmi, ari : dict of str to float
        By pool; a figure that is missing is 0.
    """

    name: str
    is_ours: bool
    nmi: Mapping[str, float]
    ari: Mapping[str, float]

    def mean(self, measure: str, names: Sequence[str]) -> float:
        """The mean over some pools.

        Parameters
        ----------
        measure : {"nmi", "ari"}
            What is averaged.

        names : sequence of str
            The pools.

        Returns
        -------
        mean : float
            Figures that are missing count as 0.
        """
        values = getattr(self, measure)
        return float(np.mean([values.get(pool, 0.0) for pool in names]))


def entries(results: Path, *, sets: bool = False) -> tuple[list[str], list[Entry]]:
    """The pools, and all lines of the table.

    Parameters
    ----------
    results : path
        Folder of the tables.

    sets : bool, default=False
        Instead of the pools, the sets whose clusterings we make.

    Returns
    -------
    pools : list of str
        Those that the default was run on.

    entries : list of Entry
        The variants of the survey, and our methods that have rows of all these pools;
        the best mean NMI first.
    """
    # By who ran it, the name and the pool: NMI and ARI of each draw.
    found: dict[tuple[bool, str], dict[str, list[tuple[float, float]]]]
    found = defaultdict(lambda: defaultdict(list))
    published = _some(read(results / f"{PUBLISHED}.csv"), sets)
    for row in published:
        name = row["variant"].partition(") ")[2]
        both = (float(row["nmi"]), float(row["ari"]))
        found[False, name][row["pool"]].append(both)
    for row in _some(_rows_of_methods(results), sets):
        # What failed has the worst score.
        ended = row["status"] == "ok"
        both = (float(row["nmi_sqrt"]), float(row["ari"])) if ended else (0.0, 0.0)
        found[True, row["method"]][row["pool"]].append(both)
    names = sorted(found.get((True, OURS), {row["pool"] for row in published}))
    made = []
    for (is_ours, name), own in found.items():
        # A method of ours that was not run on these pools cannot be compared.
        if not is_ours or own.keys() >= set(names):
            means = {pool: np.mean(draws, axis=0) for pool, draws in own.items()}
            nmi, ari = ({p: float(two[m]) for p, two in means.items()} for m in (0, 1))
            made.append(Entry(name, is_ours, nmi, ari))
    return names, sorted(made, key=lambda one: -one.mean("nmi", names))


def _some(rows: Iterable[Row], sets: bool) -> list[Row]:
    """The rows of the sets, or those of the pools."""
    return [row for row in rows if (row["pool"] in SETS) == sets]


def _rows_of_methods(results: Path) -> Iterator[Row]:
    yield from read(results / f"{TABLE}.csv")
    for row in read(results / "fidelity_survey.csv"):
        if row["criterion"] == "survey":
            yield row


def answer(results: Path) -> str:
    """What came out."""
    names, found = entries(results)
    theirs = [one for one in found if not one.is_ours]
    mine = [one for one in found if one.name == OURS and one.is_ours]
    if not mine or not theirs:
        return NOT_MEASURED
    ours = mine[0]
    fair = [one for one in theirs if not one.name.startswith(READ_THE_ORDER)]
    place = 1 + sum(one.mean("nmi", names) > ours.mean("nmi", names) for one in fair)
    untuned = next(one for one in fair if not one.name.startswith(TUNED_THERE))
    best = {"the best of these": fair[0]}
    if untuned is not fair[0]:
        best["the best that is not known to be tuned on the classes"] = untuned
    against = [
        f"{what}, {one.name} with {number(one.mean('nmi', names))}, it is "
        f"{_against(ours, one, names).told()}"
        for what, one in best.items()
    ]
    n_shared = len(theirs[0].nmi)
    return (
        f"On {len(names)} of the {n_shared} pools that we share with a survey of 2026, "
        f"the default has a mean NMI of {number(ours.mean('nmi', names))}, place "
        f"{place} beside the {len(fair)} of its {len(theirs)} variants that do not "
        f"read the order of the rows. Against {', and against '.join(against)}.\n"
    )


def _against(ours: Entry, theirs: Entry, names: Sequence[str]) -> Paired:
    return paired(*([one.nmi.get(p, 0.0) for p in names] for one in (ours, theirs)))


def page(results: Path, figures: Path) -> str:
    """What the documentation says of the survey."""
    names, found = entries(results)
    if not found:
        return NOT_MEASURED
    theirs = [one for one in found if not one.is_ours]
    shown = [one for one in found if one.is_ours or one in theirs[:N_SHOWN]]
    body = [
        (
            f"**{one.name}**, ours" if one.is_ours else one.name,
            number(one.mean("nmi", names)),
            number(one.mean("ari", names)),
            f"{sum(one.nmi.get(pool, 0.0) > 0 for pool in names)}",
            _said(one, READ_THE_ORDER),
            _said(one, TUNED_THERE),
        )
        for one in shown
    ]
    head = ("", "NMI", "ARI", "pools", "reads the order of rows", "tuned on classes")
    parts = [
        answer(results),
        _PROTOCOL.format(
            pools=len(names),
            draws=_n_draws(results),
            variants=len(theirs),
            shown=N_SHOWN,
        ),
        list_table(head, body),
        *section("The same methods, ours and theirs"),
        _same_methods(results),
        *section("Sets whose clusterings we made"),
        _on_sets(results),
        *section("Rows in the order of the classes"),
        _ORDER,
        source(results, "survey"),
    ]
    return "\n".join(parts)


def _n_draws(results: Path) -> str:
    """How many draws the pools have: one number, or the least and the most."""
    rows = _some(read(results / f"{TABLE}.csv"), sets=False)
    counts = Counter(row["pool"] for row in rows).values()
    few, most = min(counts, default=0), max(counts, default=0)
    return f"{few}" if few == most else f"{few} to {most}"


def _said(entry: Entry, names: tuple[str, ...]) -> str:
    return "yes" if not entry.is_ours and entry.name.startswith(names) else ""


def _same_methods(results: Path) -> str:
    """How far our version of a method is from theirs, over the pools of both."""
    gaps: dict[str, list[tuple[float, float]]] = defaultdict(list)
    for row in read(results / "fidelity_survey_summary.csv"):
        asked = (row["criterion"], row["measure"]) == ("survey", "nmi_sqrt")
        if asked and row["published_mean"]:
            both = (float(row["mean"]), float(row["published_mean"]))
            gaps[row["method"]].append(both)
    if not gaps:
        return NOT_MEASURED
    body = []
    for method, pairs in gaps.items():
        ours, theirs = np.transpose(pairs)
        told = paired(ours, theirs)
        body.append(
            (
                method,
                f"{told.n_sets}",
                number(float(ours.mean())),
                number(float(theirs.mean())),
                f"{told.gain:+.3f} ({told.low:+.3f} to {told.high:+.3f})",
                f"{told.p:.2g}",
                f"{told.effect:+.2f}",
            )
        )
    head = ("method", "pools", "NMI, ours", "theirs", "difference", "p", "effect")
    return f"{_SAME}\n{list_table(head, body)}\n"


def _on_sets(results: Path) -> str:
    """The default, and the methods that tell whether the clusterings are alike."""
    names, found = entries(results, sets=True)
    ours = {one.name: one for one in found if one.is_ours}
    theirs = {one.name: one for one in found if not one.is_ours}
    if OURS not in ours:
        return NOT_MEASURED
    columns = [ours[one] for one in (OURS, ON_TABLE) if one in ours]
    gaps = []
    head = ["", *(one.name for one in columns)]
    for here, there in ON_SETS.items():
        if here in ours and there in theirs:
            columns += [ours[here], theirs[there]]
            mine, other = (one.mean("nmi", names) for one in columns[-2:])
            gaps.append(f"{mine - other:+.3f} ({here})")
            head += [f"{here}, ours", "theirs"]
    body = [
        [name, *(number(one.nmi.get(name, 0.0)) for one in columns)] for name in names
    ]
    body.append(["**mean**", *(number(one.mean("nmi", names)) for one in columns)])
    fair = [one for one in theirs.values() if not one.name.startswith(READ_THE_ORDER)]
    told = []
    for one in columns[:2]:
        place = 1 + sum(it.mean("nmi", names) > one.mean("nmi", names) for it in fair)
        told.append(f"``{one.name}`` would have place {place}")
    about = {"sets": len(names), "places": enumerated(told), "variants": len(fair)}
    return _SETS.format(gaps=enumerated(gaps), **about) + list_table(head, body)


_SETS = """\
Of {sets} more sets of the survey we have the data; its clusterings are not public. We
made a hundred of each as those of the pools were made, by k-means with 2 to the root of
n clusters on the columns as they are; how the survey made its own cannot be read. The
same methods tell how far the two differ: by mean NMI ours less theirs is {gaps}.
Figures are mean NMI over the draws. ``default, on the table`` gets the table, prepared
as by ``comitia fit``, instead of the clusterings, which no variant of the survey does.
By the means over these sets {places} beside the {variants} variants that do not read
the order of the rows. Where our clusterings are the poorer, the former ranks too low.

"""
_PROTOCOL = """\
By its protocol as far as it can be read: 20 of the 100 clusterings of a pool at random,
as many clusters as classes, means over the draws and over {pools} pools. Draws are ten
there; here {draws} of the default, and of our other methods ten for small pools and two
or three for the largest. Ours have their defaults and shuffled rows; methods with
parameters are tuned there on the classes, set by set, as far as we know those that are
marked. NMI has the root in its denominator. A variant without a figure did not end
there and counts as 0. Shown are the first {shown} of its {variants} variants, under
their names there, and ours.
"""
_SAME = """\
NMI of the same methods, ours beside theirs, on the pools that both have: the mean
difference with its bootstrap interval over the pools, Wilcoxon's test and the
rank-biserial effect; p is not corrected for the number of methods.
:doc:`/evaluation/fidelity` has each pool, and why they differ. From
``benchmarks/results/evaluation/fidelity_survey_summary.csv``, which ``python -m
benchmarks.evaluation fidelity`` makes.
"""
_ORDER = """\
Files of the pools are sorted by class. GTLEC and CELTA, first by the survey's own means
over its 86 sets, transform along the rows and so read the classes off the file. On 300
rows of MF, rows by class and shuffled, the NMI of GTLEC is .983 and .685 to .688, that
of CELTA .810 and .203 to .234 (``python -m benchmarks.row_order MF.npz`` with another
draw: .901, and .263 to .285), and spectral clustering of the co-association has .640 in
both. AWEC, third there, has .597 by class and .406 to .459 shuffled with one pair of
its penalties, .662 and .691 to .718 with another. :doc:`/row_order` says why.
"""
