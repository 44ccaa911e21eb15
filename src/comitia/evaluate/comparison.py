"""Several methods on the same data: scores, stability, and what is noise."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass, field, replace
from numbers import Real
from typing import Any

import numpy as np
from numpy.typing import NDArray

from comitia._html import html_table
from comitia._inputs import count_objects
from comitia._label_tables import warn_of_labels
from comitia._labels import as_labels
from comitia._names import in_order, match_rows, names_of
from comitia._optional import import_optional
from comitia._steps import OnProgress, check_random_state
from comitia.ensemble import Ensemble
from comitia.evaluate._common import (
    as_json_types,
    at_least,
    check_share,
)
from comitia.evaluate._comparison_runs import (
    Outcome,
    Task,
    chosen_estimators,
    count_workers,
    draw_resample,
    estimator_to_send,
    make_ensemble,
    run_all,
)
from comitia.evaluate._comparison_scores import Scorer, merits_of
from comitia.evaluate.method_ranks import MeanRanks, mean_ranks, row_ranks
from comitia.exceptions import ComitiaError

__all__ = ["Comparison", "MethodRow", "compare"]

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class MethodRow:
    """What became of one method.

    Attributes
    ----------
    id : str
        Catalogue id, with a number behind it where a method is there twice.

    name : str
        Its name.

    status : {"ok", "failed", "timed out", "out of memory"}
        How it ended.

    message : str
        Why, in a sentence, or what it warned of; empty if there is nothing to say.

    seconds : float
        Time of the fit on all objects; NaN if it did not end.

    peak_mb : float
        Memory that this fit took at its peak, in 1e6 bytes.

    n_clusters : int or None
        Number of clusters that it found.

    internal : dict of str to float
        ``anmi``, the mean NMI with the clusterings of the ensemble, and indices on the
        data.

    external : dict of str to float
        Agreement with the truth, where it is given.

    stability : float
        Mean adjusted Rand index of the results of resamples with that of all.

    stability_sd : float
        Its standard deviation over the resamples.

    rank : float
        Mean rank over the resamples; 1 is the best.

    rank_sd : float
        Its standard deviation over the resamples.

    group : str
        Letters: methods that share one are not told apart.
    """

    id: str
    name: str
    status: str
    message: str = ""
    seconds: float = math.nan
    peak_mb: float = math.nan
    n_clusters: int | None = None
    internal: dict[str, float] = field(default_factory=dict)
    external: dict[str, float] = field(default_factory=dict)
    stability: float = math.nan
    stability_sd: float = math.nan
    rank: float = math.nan
    rank_sd: float = math.nan
    group: str = ""


@dataclass(frozen=True)
class Comparison:
    """Several methods side by side.

    Attributes
    ----------
    rows : list of MethodRow
        One for each method, the best mean rank first, those that failed last.

    agreement : ndarray of shape (n_methods, n_methods)
        Adjusted Rand index between the results, in the order of the rows; NaN where a
        method has none.

    labels : dict of str to ndarray of shape (n_objects,)
        The result of each method that has one.

    ranks : dict of str to ndarray of shape (n_resamples,)
        The rank of each method in each resample, for those with a result in all.

    groups : list of list of str
        Methods whose differences are noise, best group first.

    judged_by : list of str
        The scores that the ranks are made of.

    critical_difference : float
        Mean ranks that differ by less are not told apart.

    p_value : float
        Of the hypothesis that the ranked methods do not differ.

    n_clusters : int or None
        Number of clusters asked for.

    n_resamples : int
        Number of resamples.

    reason : str
        The result in sentences.
    """

    rows: list[MethodRow]
    agreement: Floats
    labels: dict[str, NDArray[Any]]
    ranks: dict[str, Floats]
    groups: list[list[str]]
    judged_by: list[str]
    critical_difference: float
    p_value: float
    n_clusters: int | None
    n_resamples: int
    reason: str

    def frame(self) -> Any:
        """The leaderboard as a pandas DataFrame, one row for each method.

        Returns
        -------
        frame : pandas.DataFrame
            One column for each score; the index is the id.
        """
        flat = []
        for row in self.rows:
            cells = asdict(row)
            scores = {**cells.pop("internal"), **cells.pop("external")}
            head = ("id", "name", "rank", "rank_sd", "group", "stability")
            first = {name: cells.pop(name) for name in (*head, "stability_sd")}
            flat.append({**first, **scores, **cells})
        pd = import_optional("pandas", "frame()", "io")
        return pd.DataFrame(flat).set_index("id")

    def to_dict(self) -> dict[str, Any]:
        """Everything as lists, numbers and texts, which JSON can hold.

        Returns
        -------
        plain : dict
            None stands for NaN.
        """
        written = {name: as_json_types(value) for name, value in vars(self).items()}
        return {**written, "rows": [as_json_types(asdict(row)) for row in self.rows]}

    def __str__(self) -> str:
        return self.reason

    def _repr_html_(self) -> str:
        scores = list(
            dict.fromkeys(
                name for row in self.rows for name in (*row.external, *row.internal)
            )
        )
        head = ("id", "rank", "rank sd", "group", "stability", *scores, "k", "seconds")
        rows = [
            (
                row.id,
                row.rank,
                row.rank_sd,
                row.group,
                row.stability,
                *({**row.external, **row.internal}.get(s, math.nan) for s in scores),
                row.status if row.n_clusters is None else row.n_clusters,
                row.seconds,
            )
            for row in self.rows
        ]
        return html_table(head, rows, self.reason)


def compare(
    X: Any,
    methods: Iterable[Any] | None = None,
    *,
    panel: str | None = None,
    n_clusters: int | None = None,
    truth: Any = None,
    ensemble: Ensemble | None = None,
    generator: Any = None,
    time_limit: float = 60.0,
    memory_limit: int | str | None = None,
    n_resamples: int = 10,
    object_fraction: float = 0.8,
    random_state: Any = None,
    n_jobs: int | None = None,
    on_progress: OnProgress | None = None,
) -> Comparison:
    r"""Run several methods on the same data and say which differences are noise.

    All methods that combine clusterings get the same ones. Each method runs in a
    process of its own that is stopped at its limits: a method that fails, hangs or
    wants too much memory is a row of the table, and the others go on.

    Parameters
    ----------
    X : array-like of shape (n_objects, n_features) or Ensemble
        Data; or clusterings, for methods that need no data.

    methods : iterable of str or EnsembleMethod, default=None
        Catalogue ids or estimators. An estimator that has its own ``n_clusters`` keeps
        it.

    panel : {"quick", "classic", "linear", "weighs", "all"}, default=None
        Instead of ``methods``: the default and five quick ones, the baselines, all
        that are linear, one for each thing that is weighed, or all that can be applied
        to X. ``"quick"`` if neither is given.

    n_clusters : int, default=None
        Number of clusters. ``None`` lets each method choose.

    truth : array-like of shape (n_objects,), default=None
        Known classes, which the methods do not get to see. The index of a Series is
        matched with the names of the objects in X.

    ensemble : Ensemble, default=None
        Clusterings of the objects in X, instead of generated ones; matched by name
        where both have names.

    generator : generator, default=None
        Makes the clusterings of data; 50 k-means clusterings by default.

    time_limit : float, default=60.0
        Seconds for each fit, on all objects or on a resample.

    memory_limit : int or str, default=None
        Memory for each method: bytes, or a text such as ``"2 GB"``. The memory budget
        of :mod:`comitia.config`, divided by ``n_jobs``, by default.

    n_resamples : int, default=10
        Number of resamples; 0 leaves out stability and ranks.

    object_fraction : float, default=0.8
        Share of the objects, and of the clusterings, in each resample.

    random_state : int, RandomState instance or None, default=None
        Seed.

    n_jobs : int, default=None
        How many methods run at a time. It changes no labels; times and memory are best
        compared with one.

    on_progress : callable, default=None
        Called as ``on_progress("compare", done, total)`` with numbers of methods.

    Returns
    -------
    comparison : Comparison
        ``rows``, ``agreement``, ``groups``, ``frame()`` and more.

    Notes
    -----
    Each resample is the same for all methods: a share of the objects and of the
    clusterings, without replacement. In each, methods are ranked by the adjusted Rand
    index with the truth where it is given. Otherwise they are ranked by stability
    (agreement with their own result on all objects), by the mean NMI with the
    clusterings and by silhouette, Calinski–Harabasz and Davies–Bouldin on the data, as
    far as there are data, and then by the mean of these ranks. Friedman's and Nemenyi's
    tests [1]_ say which mean ranks differ; the letters in ``group`` are shared by those
    that do not. Resamples of the same objects overlap: what is told apart here is told
    apart on these data, which need not hold for others.

    Internal scores measure what they measure. A method that splits off single objects
    can be perfectly stable, and compact clusters need not be the true ones.

    Memory is limited by the budget, which methods ask before they allocate, and on
    Unix by the operating system. A process starts once for each of ``n_jobs``, and
    again after a method was stopped. The seconds hold what a first use loads.

    References
    ----------
    .. [1] J. Demšar, "Statistical comparisons of classifiers over multiple data sets",
       J. Machine Learning Research 7, 2006.

    Examples
    --------
    >>> import numpy as np
    >>> from comitia import compare
    >>> rng = np.random.RandomState(0)
    >>> X = np.concatenate([rng.randn(20, 2), rng.randn(20, 2) + 8])
    >>> found = compare(
    ...     X, ["eac", "voting"], n_clusters=2, n_resamples=2, random_state=0
    ... )
    >>> [row.status for row in found.rows]
    ['ok', 'ok']
    >>> found.agreement
    array([[1., 1.],
           [1., 1.]])
    """
    from comitia import config
    from comitia._sklearn import check_table

    rng = check_random_state(random_state)
    if isinstance(X, Ensemble):
        if ensemble is not None or generator is not None:
            raise ComitiaError(
                "X is an Ensemble, so that ensemble and generator have no place; give "
                "data in X, or leave them out."
            )
        data, ensemble = None, X
    else:
        warn_of_labels(X, "compare(comitia.Ensemble(X))")
        data = check_table(X, dtype=np.float64, ensure_min_samples=2)
    if ensemble is not None and not isinstance(ensemble, Ensemble):
        raise ComitiaError(
            f"ensemble is a {type(ensemble).__name__}; make an Ensemble of it: "
            "comitia.Ensemble(labels)."
        )
    sides = {"X": X, "ensemble": None if data is None else ensemble, "truth": truth}
    sides = {name: side for name, side in sides.items() if side is not None}
    _, matched = match_rows([names_of(side) for side in sides.values()], [*sides])
    rows = dict(zip(sides, matched, strict=True))
    if ensemble is not None and rows.get("ensemble") is not None:
        ensemble = ensemble.take(objects=rows["ensemble"])
    n = count_objects(data if ensemble is None else ensemble)
    if data is not None and len(data) != n:
        raise ComitiaError(
            f"X has {len(data)} rows and ensemble has {n} objects; they must be the "
            "same objects in the same order."
        )
    if n_clusters is not None and at_least(n_clusters, 1, "n_clusters") > n:
        raise ComitiaError(
            f"n_clusters={n_clusters} is larger than the number of objects; give at "
            f"most {n}."
        )
    classes = _check_truth(truth, n, rows.get("truth"))
    estimators = chosen_estimators(methods, panel, data is not None)
    at_least(n_resamples, 0, "n_resamples")
    if not isinstance(time_limit, Real) or not time_limit > 0:
        raise ComitiaError(f"time_limit={time_limit!r} must be positive.")
    check_share(object_fraction)
    n_workers = count_workers(n_jobs, len(estimators))
    with config.limit(memory_limit):
        budget = config.memory_budget()
    if memory_limit is None:
        budget //= n_workers
    seeds = rng.randint(np.iinfo(np.int32).max, size=len(estimators) + 1)
    if ensemble is None and any("labels" in e.card.needs for e in estimators.values()):
        ensemble = make_ensemble(generator, data, int(seeds[-1]))
    resamples = [
        draw_resample(n, ensemble, object_fraction, rng) for _ in range(n_resamples)
    ]
    tasks = [
        Task(
            called,
            estimator_to_send(estimator, n_clusters, int(seed)),
            estimator.card.name,
        )
        for (called, estimator), seed in zip(estimators.items(), seeds, strict=False)
    ]
    inputs = {"X": data, "ensemble": ensemble}
    outcomes = run_all(
        tasks, inputs, budget, resamples, time_limit, n_workers, on_progress
    )
    scorer = Scorer(data, ensemble, classes, resamples)
    return _comparison(tasks, outcomes, scorer, n_clusters)


def _comparison(
    tasks: Sequence[Task],
    outcomes: Sequence[Outcome],
    scorer: Scorer,
    n_clusters: int | None,
) -> Comparison:
    scores = [
        scorer.on_resamples(one) if one.whole["status"] == "ok" else {}
        for one in outcomes
    ]
    rows = [
        _row(task, outcome, scorer, one)
        for task, outcome, one in zip(tasks, outcomes, scores, strict=True)
    ]
    ranked = [at for at, one in enumerate(scores) if one]
    ranks: dict[str, Floats] = {}
    groups: list[list[str]] = []
    found = MeanRanks(np.empty(0), np.empty(0), math.nan, math.nan, [])
    judged_by = [
        name for name in scorer.judged_by if all(name in s for s in scores if s)
    ]
    if ranked:
        merits = merits_of([scores[at] for at in ranked], judged_by)
        found = mean_ranks(merits)
        by_method = row_ranks(merits).T
        ranks = {rows[at].id: row for at, row in zip(ranked, by_method, strict=True)}
        groups = [[rows[ranked[j]].id for j in group] for group in found.groups]
        for j, at in enumerate(ranked):
            rows[at] = replace(
                rows[at],
                rank=float(found.means[j]),
                rank_sd=float(found.spreads[j]),
                group=_group_letters(rows[at].id, groups),
            )
    rows.sort(key=_best_first)
    labels = {
        task.id: outcome.whole["value"]
        for task, outcome in zip(tasks, outcomes, strict=True)
        if outcome.whole["status"] == "ok"
    }
    return Comparison(
        rows=rows,
        agreement=_agreement([labels.get(row.id) for row in rows]),
        labels={row.id: labels[row.id] for row in rows if row.id in labels},
        ranks={row.id: ranks[row.id] for row in rows if row.id in ranks},
        groups=groups,
        judged_by=judged_by,
        critical_difference=found.critical_difference,
        p_value=found.p_value,
        n_clusters=n_clusters,
        n_resamples=len(scorer.resamples),
        reason=_reason(rows, groups, found, judged_by, len(scorer.resamples)),
    )


def _row(
    task: Task, outcome: Outcome, scorer: Scorer, scores: dict[str, Floats]
) -> MethodRow:
    whole = outcome.whole
    if whole["status"] != "ok":
        return MethodRow(task.id, task.name, whole["status"], whole["message"])
    labels, message = whole["value"], whole["message"]
    if outcome.parts and outcome.parts[-1]["status"] != "ok":
        last = outcome.parts[-1]
        text = f"not ranked: {last['status']} on a resample, {last['message']}"
        message = f"{message} {text}".strip()
    stability = scores.get("stability", np.array([math.nan]))
    return MethodRow(
        task.id,
        task.name,
        "ok",
        message,
        seconds=whole["seconds"],
        peak_mb=whole["peak_mb"],
        n_clusters=int(labels.max()) + 1,
        internal=scorer.internal(labels),
        external=scorer.external(labels),
        stability=float(stability.mean()),
        stability_sd=float(stability.std(ddof=1)) if len(stability) > 1 else math.nan,
    )


def _best_first(row: MethodRow) -> tuple[bool, float, float, str]:
    best = row.external.get("adjusted_rand", row.internal.get("anmi", 0.0))
    rank = math.inf if math.isnan(row.rank) else row.rank
    return row.status != "ok", rank, -best, row.id


def _group_letters(id: str, groups: Sequence[Sequence[str]]) -> str:
    return "".join(
        chr(ord("a") + at) if at < 26 else f"({at + 1})"
        for at, group in enumerate(groups)
        if id in group
    )


def _agreement(labels: Sequence[NDArray[Any] | None]) -> Floats:
    from comitia.agreement import agreement_matrix

    out = np.full((len(labels), len(labels)), np.nan)
    known = [at for at, one in enumerate(labels) if one is not None]
    if known:
        results = Ensemble([np.asarray(labels[at]) for at in known])
        out[np.ix_(known, known)] = agreement_matrix(results, "adjusted_rand")
    return out


def _reason(
    rows: Sequence[MethodRow],
    groups: Sequence[Sequence[str]],
    found: MeanRanks,
    judged_by: Sequence[str],
    n_resamples: int,
) -> str:
    failed = [row for row in rows if row.status != "ok"]
    texts = []
    if not groups:
        texts.append("No ranks: there were no resamples, or no method has them all.")
    elif len(groups) == 1:
        n = len(groups[0])
        texts.append(
            f"The differences between the {n} ranked methods are noise: over "
            f"{n_resamples} resamples no mean ranks by {', '.join(judged_by)} differ "
            f"by {found.critical_difference:.2f} or more with a p-value of Friedman's "
            f"test of 0.05 or less (p = {found.p_value:.2g})."
            if n > 1
            else f"Only {groups[0][0]} is ranked."
        )
    else:
        best = groups[0]
        texts.append(
            f"{', '.join(best)} {'lead' if len(best) > 1 else 'leads'} over "
            f"{n_resamples} resamples, ranked by {', '.join(judged_by)}; mean ranks "
            f"that differ by less than {found.critical_difference:.2f} are noise."
        )
    if failed:
        listed = ", ".join(f"{row.id} ({row.status})" for row in failed)
        texts.append(f"Without a result: {listed}.")
    return " ".join(texts)


def _check_truth(truth: Any, n: int, rows: Any) -> NDArray[Any] | None:
    if truth is None:
        return None
    labels = as_labels(truth)
    if labels.ndim != 1:
        raise ComitiaError(
            f"truth must have one entry per object; got shape {labels.shape}."
        )
    codes = in_order(Ensemble([labels]).labels[:, 0], rows)
    if len(codes) != n:
        raise ComitiaError(
            f"truth must have one entry per object; got {len(codes)} for {n}."
        )
    return codes
