"""What a command is given: files, constraints, numbers of clusters, memory."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from comitia.catalogue import DEFAULT_FOR
from comitia.cli._run_command import UsageError
from comitia.cli._summary import spaced
from comitia.ensemble import Ensemble
from comitia.exceptions import ComitiaError

if TYPE_CHECKING:
    from comitia.cli._options import DataOptions

__all__ = [
    "FitInput",
    "add_data",
    "is_series",
    "memory_limit",
    "parse_k",
    "read_constraints",
    "read_data",
    "read_data_or_ensemble",
    "refuse_large_k",
    "refuse_needs",
    "series_members",
]


@dataclass
class FitInput:
    """What a method is fitted on, and what is known of it."""

    X: Any = None  # the data: a table, a graph, or series
    ensemble: Any = None  # the Ensemble that was given
    # What a Result is told besides: names, truth, notes, source, raw values
    about: dict[str, Any] = field(default_factory=dict)
    # must_link and cannot_link, where they were given
    constraints: dict[str, Any] = field(default_factory=dict)
    device: str | None = None  # what the method works on
    # How a method that is too slow or too large is approximated
    approximate: str | None = None
    groups: Any = None  # (n_features,), the variable that each column of X belongs to
    align_to: Any = None  # the earlier result whose cluster numbers are kept
    time_limit: float | None = None  # seconds after which no more clusterings are made
    # Whether columns of few values were rotated, so that X does not show them
    hides_values: bool = False

    @property
    def n_objects(self) -> int:
        """Number of objects."""
        if self.ensemble is not None:
            return int(self.ensemble.n_objects)
        return len(self.X) if isinstance(self.X, list) else int(self.X.shape[0])


def parse_k(text: str | None) -> int | range | None:
    """Read a number of clusters, or a range to choose from.

    Parameters
    ----------
    text : str or None
        ``"3"``, ``"2-10"`` or None.

    Returns
    -------
    k : int, range or None
        What it says.
    """
    if text is None:
        return None
    first, dash, last = text.partition("-")
    try:
        if not dash:
            k = int(text)
            if k >= 1:
                return k
        elif 2 <= int(first) <= int(last):
            return range(int(first), int(last) + 1)
    except ValueError:
        pass
    raise UsageError(f"-k {text} is no number of clusters; write 3, or 2-10 to choose.")


def refuse_needs(card: Any, what: str) -> None:
    """Refuse a method that needs what the command line cannot give.

    Parameters
    ----------
    card : MethodCard
        The card of the method.

    what : {"data", "labels", "series"}
        What there is.
    """
    for need, words in {
        "views": "several views of the same objects",
        "dendrograms": "dendrograms of the same objects",
    }.items():
        if need in card.needs:
            raise UsageError(
                f"{card.id} needs {words}, which the command line does not read; use "
                f"comitia.method({card.id!r}) in Python."
            )
    if "series" in card.needs and what != "series":
        raise UsageError(
            f"{card.id} needs series in time: comitia fit with an array (objects, "
            "channels, times), or with --series where each row of a table is one."
        )
    if what == "series" and "series" not in card.needs:
        default = DEFAULT_FOR["series"]
        own = f": -m {default} --param method={card.id}"
        raise UsageError(
            f"{card.id} does not cluster series; leave out -m, or let {default} do it"
            f"{own if card.needs == ('labels',) else ''}."
        )
    if what == "labels" and "labels" not in card.needs:
        raise UsageError(
            f"{card.id} makes its own clusterings; use comitia fit on the data."
        )


def is_series(path: str, how: DataOptions, said: bool) -> bool:
    """Whether a file holds series, since it was said or can be nothing else.

    Parameters
    ----------
    path : str
        The file.

    how : DataOptions
        Which of its arrays is meant.

    said : bool
        Whether ``--series`` was given.

    Returns
    -------
    is_series : bool
        Whether it does.
    """
    from comitia.io.series_files import is_series_file

    return said or is_series_file(path, how.key)


def read_data(
    path: str,
    how: DataOptions,
    needs: Sequence[str] = (),
    *,
    by_feature: bool = False,
) -> tuple[FitInput, str]:
    """Read what a method is fitted on.

    Parameters
    ----------
    path : str
        The file.

    how : DataOptions
        How it is read.

    needs : sequence of str, default=()
        What the card of the method says that it needs.

    by_feature : bool, default=False
        Whether the method looks at single features, which a rotation would mix.

    Returns
    -------
    given : FitInput
        The data.

    words : str
        What they are, in words.
    """
    from comitia.io import read_graph, read_series, read_table

    if "series" in needs:
        return _as_series(read_series(path, **how.of_series()))
    if "graph" in needs:
        X = read_graph(path)
        words = f"{path}, graph of {spaced(X.shape[0])} objects"
        return FitInput(X, about={"source": path}), words
    settings = how.how()
    if by_feature and how.rotate is None:
        settings["rotate"] = False
    table = read_table(path, **settings)
    return _as_features(table)


def _as_series(table: Any) -> tuple[FitInput, str]:
    """What is fitted on series, and what it is in words."""
    about = {
        "object_names": table.object_names,
        "truth": table.truth,
        "notes": [f"{table.in_words()}.", *table.notes],
        "source": table.source,
    }
    return FitInput(table.series, about=about), f"{table.source}, {table.in_words()}"


def series_members(
    path: str, how: DataOptions, n_clusters: int | None, seed: int, n_jobs: int
) -> tuple[FitInput, str]:
    """Cluster series as their default does, for methods that combine clusterings.

    Parameters
    ----------
    path : str
        The file.

    how : DataOptions
        How it is read.

    n_clusters : int or None
        Number of clusters, if it is known.

    seed, n_jobs : int
        The seed, and the number of parallel jobs.

    Returns
    -------
    given : FitInput
        The clusterings.

    words : str
        What they are, in words.
    """
    from comitia.catalogue import method

    given, words = read_data(path, how, ("series",))
    maker = method(DEFAULT_FOR["series"])(n_clusters, n_jobs=n_jobs, random_state=seed)
    refuse_large_k(n_clusters, given.n_objects)
    given.ensemble, given.X = maker.generate(given.X), None
    given.about["notes"].pop(0)  # which the words say
    n = given.ensemble.n_clusterings
    return given, f"{words}, {spaced(n)} clusterings of {maker.card.id}"


def _as_features(table: Any) -> tuple[FitInput, str]:
    """What is fitted on a table of features, and what it is in words."""
    from comitia._label_tables import looks_like_labels

    n, p = table.raw.shape
    notes = [*table.notes]
    if looks_like_labels(table.raw):
        notes.append(
            "the columns look like clusterings, and were read as features; comitia "
            "combine reads them as clusterings."
        )
    what = f"{spaced(p)} column{'' if p == 1 else 's'}, {table.scaling}"
    about = {
        "feature_names": table.feature_names,
        "object_names": table.object_names,
        "truth": table.truth,
        "notes": [f"{what}.", *notes],
        "source": table.source,
        "raw": table.raw,
        "preparation": table.preparer.to_dict(),
    }
    words = f"{table.source}, {spaced(n)} objects, {what}"
    preparer = table.preparer
    given = FitInput(table.X, about=about, groups=preparer.groups_)
    given.hides_values = preparer.rotation_ is not None and any(
        each.used and each.kind in ("boolean", "category")
        for each in preparer.decisions_
    )
    return given, words


def read_data_or_ensemble(
    path: str, how: DataOptions, kind: str | None = None
) -> tuple[FitInput, str]:
    """Read a table of features, or clusterings.

    Parameters
    ----------
    path : str
        The file, or a result folder.

    how : DataOptions
        How a table is read.

    kind : {"features", "labels"} or None, default=None
        What the columns are. By default they are clusterings if they look like it, by
        the rule of :mod:`comitia._label_tables`.

    Returns
    -------
    given : FitInput
        Data or clusterings.

    words : str
        What they are, in words.
    """
    from comitia._label_tables import looks_like_labels
    from comitia.io import LabelTable, read_table, read_votes
    from comitia.io.saved_ensembles import saved_ensemble

    if saved_ensemble(path) is not None or kind == "labels":
        return _as_clusterings(read_votes(path, **how.where()))
    try:
        table = read_table(path, **how.how())
    except ComitiaError as error:
        if kind is None:
            error.add_note("If the columns are clusterings, say --as labels.")
        raise
    if kind == "features" or not looks_like_labels(table.raw):
        return _as_features(table)
    votes = Ensemble(
        table.raw.astype(int),
        object_names=table.object_names,
        clustering_names=table.feature_names,
    )
    note = "the columns look like clusterings and are read so; else say --as features."
    return _as_clusterings(LabelTable(votes, table.truth, table.source, (note,)))


def _as_clusterings(votes: Any) -> tuple[FitInput, str]:
    """What is combined of given clusterings, and what they are in words."""
    ensemble = votes.ensemble
    words = (
        f"{votes.source}, {spaced(ensemble.n_clusterings)} clusterings of "
        f"{spaced(ensemble.n_objects)} objects"
    )
    names = ensemble.object_names
    about = {
        "source": votes.source,
        "object_names": None if names is None else [*names],
        "truth": votes.truth,
        "notes": [*votes.notes],
    }
    return FitInput(ensemble=ensemble, about=about), words


def add_data(given: FitInput, path: str, how: DataOptions) -> None:
    """Put the features beside given clusterings, in the order of their objects.

    Parameters
    ----------
    given : FitInput
        The clusterings.

    path : str
        The table of features.

    how : DataOptions
        How it is read.
    """
    import numpy as np

    from comitia._names import as_names, in_order, match_rows, names_of
    from comitia.io import read_table

    table = read_table(path, **how.of_features())
    ensemble, names = given.ensemble, table.object_names
    if len(table.X) != ensemble.n_objects:
        raise ComitiaError(
            f"{path} has {len(table.X)} rows and the labels have {ensemble.n_objects} "
            "objects; they must be the same objects."
        )
    named = None if names is None else as_names(np.array(names, dtype=str))
    _, rows = match_rows([names_of(ensemble), named], ["the label file", path])
    given.X = in_order(table.X, rows[1])
    given.about |= {
        "feature_names": table.feature_names,
        "raw": in_order(table.raw, rows[1]),
        "preparation": table.preparer.to_dict(),
        "notes": [
            *given.about["notes"],
            f"data of {table.source}, {table.raw.shape[1]} columns, {table.scaling}.",
            *table.notes,
        ],
    }


def read_constraints(
    card: Any,
    must_link: str | None,
    cannot_link: str | None,
    n_objects: int,
    names: Sequence[str] | None,
) -> dict[str, Any]:
    """Read the pairs for methods that take constraints.

    Parameters
    ----------
    card : MethodCard
        The card of the method.

    must_link, cannot_link : str or None
        Files of pairs.

    n_objects : int
        Number of objects.

    names : sequence of str or None
        Their names.

    Returns
    -------
    constraints : dict
        What ``fit`` is called with.
    """
    files = {"must_link": must_link, "cannot_link": cannot_link}
    given = {name: path for name, path in files.items() if path is not None}
    if given and "constraints" not in card.needs:
        from comitia.catalogue import find_methods

        takers = [c.id for c in find_methods() if "constraints" in c.needs]
        raise UsageError(
            f"{card.id} takes no constraints; these do: {', '.join(takers)}."
        )
    from comitia.io import read_pairs

    return {name: read_pairs(path, n_objects, names) for name, path in given.items()}


def refuse_large_k(wanted: int | range | None, n_objects: int) -> None:
    """Refuse more clusters than objects before anything is done.

    Parameters
    ----------
    wanted : int, range or None
        Numbers of clusters.

    n_objects : int
        Number of objects.
    """
    largest = wanted if isinstance(wanted, int) else max(wanted or [0])
    if largest > n_objects:
        raise ComitiaError(
            f"-k {largest} is larger than the number of objects; give at most "
            f"{n_objects}."
        )


def memory_limit(budget: str | None) -> AbstractContextManager[None]:
    """Keep to a memory budget.

    Parameters
    ----------
    budget : str or None
        Such as ``"8 GB"``; None is the default of :mod:`comitia.config`.

    Returns
    -------
    limit : context manager
        Inside of it the budget holds.
    """
    from comitia.config import limit

    if budget is None:
        return nullcontext()
    try:
        with limit(budget):
            return limit(budget)
    except ValueError as error:
        raise UsageError(f"--memory: {error}") from None
