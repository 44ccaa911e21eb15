"""Which method: a short list, with reasons, for the data or clusterings at hand."""

from __future__ import annotations

import importlib.util
import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from functools import cache
from importlib.resources import files
from typing import Any

import numpy as np

from comitia._html import html_table
from comitia._inputs import special_kind
from comitia._optional import import_optional
from comitia.catalogue import DEFAULT_FOR, DEFAULT_METHOD, find_methods
from comitia.ensemble import Ensemble
from comitia.evaluate._common import at_least
from comitia.exceptions import ComitiaError, MemoryBudgetError

__all__ = ["Recommendation", "Recommendations", "measured_leagues", "recommend"]

# The league that has the default and its rivals; those of other kinds of data.
_RIVALS = "rivals"
_RIVALS_OF = {
    "views": "view_rivals",
    "series": "series_rivals",
    "graph": "graph_rivals",
}

# What was measured in each league, in words.
_SETS = {
    _RIVALS: "tables",
    "tables": "tables",
    "constraints": "tables with constraints",
    "views": "sets of views",
    "series": "sets of series",
    "graph": "networks",
    "pools": "published pools of clusterings",
    "view_rivals": "sets of views kept aside",
    "series_rivals": "sets of series kept aside",
    "graph_rivals": "networks",
}
_REFERENCE = "k-means"

# Methods whose tree needs no n × n matrix; only time limits them.
_WITHOUT_MATRIX = {"banerjee_2021", "berikov_2014", "eac", "lwea", "rouba_2017", "weac"}

# Seconds of such a tree, per squared number of distinct objects, on one core
# (benchmarks/results/linkage.csv); slower ones than _MOST_SECONDS are excluded.
_SECONDS = 9.4 / 84_529**2
_MOST_SECONDS = 300.0

# A package of each extra, by which we see whether the extra is installed.
_PACKAGE_OF_EXTRA = {"hypergraph": "mtkahypar"}


@dataclass(frozen=True)
class Recommendation:
    """A method, and why.

    Attributes
    ----------
    id : str
        Catalogue id; ``comitia.method(id)`` is the class.

    name : str
        Its name.

    reason : str
        Why it is recommended, or why not, in sentences.
    """

    id: str
    name: str
    reason: str

    def __str__(self) -> str:
        return f"{self.id}: {self.reason}"


class Recommendations(list[Recommendation]):
    """A short list, best first, and what was left out for a reason.

    Parameters
    ----------
    recommended : iterable of Recommendation
        The list.

    excluded : iterable of Recommendation
        What was left out.

    Attributes
    ----------
    excluded : list of Recommendation
        Methods that would fit what there is, but not its size or this installation, or
        that were never measured.
    """

    def __init__(
        self,
        recommended: Iterable[Recommendation] = (),
        excluded: Iterable[Recommendation] = (),
    ) -> None:
        super().__init__(recommended)
        self.excluded = list(excluded)

    def to_frame(self) -> Any:
        """The list as a pandas DataFrame.

        Returns
        -------
        frame : pandas.DataFrame
            ``name`` and ``reason`` of each method; the index is its id.

        Examples
        --------
        >>> import comitia
        >>> [*comitia.recommend(n_objects=100_000).to_frame().columns]
        ['name', 'reason']
        """
        table = [vars(each) for each in self]
        pd = import_optional("pandas", "to_frame()", "io")
        return pd.DataFrame(table, columns=["id", "name", "reason"]).set_index("id")

    def __str__(self) -> str:
        return "\n".join(map(str, self))

    def _repr_html_(self) -> str:
        rows = [(each.id, each.name, each.reason) for each in self]
        return html_table(("id", "name", "why"), rows)


def recommend(
    X: Any = None,
    *,
    n_objects: int | None = None,
    needs: str | Iterable[str] | None = None,
    weighs: str | Iterable[str] | None = None,
    constraints: bool = False,
    views: bool = False,
    n_best: int = 5,
) -> Recommendations:
    """Recommend methods for what there is, with reasons.

    Parameters
    ----------
    X : Ensemble, array, sparse graph or list of arrays, default=None
        What is to be clustered: clusterings, data of shape (n_objects, n_features), a
        series array of three dimensions, the adjacency of a graph, or a list of views.

    n_objects : int, default=None
        Number of objects, where X is not at hand.

    needs : str or list of str, default=None
        What ``fit`` can be given, in the words of the cards: "labels", "data",
        "views", "series", "graph", "constraints", "dendrograms". Read off X by
        default; data make labels as well.

    weighs : str or list of str, default=None
        Only methods that weigh this, or one of these.

    constraints : bool, default=False
        Whether there are pairs that must or must not be together; only methods that
        use them are recommended then.

    views : bool, default=False
        Whether the data come in several views; only methods for views are recommended
        then.

    n_best : int, default=5
        Length of the list, at most.

    Returns
    -------
    recommended : Recommendations
        A list of :class:`Recommendation`, the best first; ``excluded`` has the methods
        that are too large for the memory or the time, lack a package, or have not been
        measured. The list is empty if no method fits.

    Notes
    -----
    A method has to be applicable: it needs nothing that is not there, and a method
    whose memory grows with the square of the objects has to fit the budget of
    :mod:`comitia.config`. Of an Ensemble only the distinct label rows count for methods
    that look at labels alone, so that many objects with few distinct rows are few.

    It has to have been measured as well. The committed results of the evaluation rank
    methods that had the same to work with: tables, views, series, networks, tables with
    constraints, and published pools of given clusterings, which count first where there
    are clusterings and no data. What was not measured is in ``excluded``.

    The default of the library comes first, unless the results tell another method apart
    from it, and the others follow by their mean rank; ``weighs`` asks for one idea.
    Reasons say the figures and their date. No benchmark promises anything for other
    data: :func:`compare` runs the list on yours.

    Examples
    --------
    >>> from comitia import recommend
    >>> [one.id for one in recommend(n_objects=1_000_000, needs="labels", n_best=3)]
    ['consensus', 'lwgp', 'lwmc']
    """
    given, n, n_distinct = _kind_and_size(X, n_objects)
    have = _available_inputs(needs, given, constraints, views)
    if n_best < 1:
        raise ComitiaError(f"n_best={n_best} must be at least 1.")
    required = {"constraints"} if constraints else set()
    required |= {name for name in ("views", "series", "graph") if name in have}
    places = _places(have, required)
    fitting, excluded = [], []
    for card in find_methods(needs=have, weighs=weighs):
        if not required <= set(card.needs):
            continue
        why_not = _obstacle(card, n, n_distinct)
        if not why_not and card.id not in places:
            why_not = "It has not been measured in the evaluation of the library."
        if why_not:
            excluded.append(Recommendation(card.id, card.name, why_not))
        else:
            fitting.append(card)
    fitting.sort(key=lambda card: (places[card.id].order, card.id))
    best = [
        Recommendation(
            card.id, card.name, _reason(card, places[card.id], n, n_distinct)
        )
        for card in fitting[:n_best]
    ]
    return Recommendations(best, excluded)


@cache
def measured_leagues() -> Mapping[str, Any]:
    """What was measured, by league.

    Returns
    -------
    leagues : dict
        As ``python -m benchmarks.measured_ranks`` writes them: day, number of data
        sets and of methods, critical difference, and for each method its mean rank and
        its mean adjusted Rand index.
    """
    text = (files("comitia.evaluate") / "measured_ranks.json").read_text("utf-8")
    return dict(json.loads(text))


@dataclass(frozen=True)
class _Place:
    """Where a method stands in a league."""

    league: str
    order: tuple[float, ...]
    is_default: bool

    @property
    def found(self) -> Any:
        return measured_leagues()[self.league]

    def in_words(self, id: str) -> str:
        """What was measured, with its day."""
        methods, found = self.found["methods"], self.found
        rank, ari = methods[id]
        text = (
            f"Mean rank {rank:.1f} of {found['n_methods']} and mean ARI {ari:.2f} on "
            f"{found['n_sets']} {_SETS[self.league]}"
        )
        if _REFERENCE in methods:
            text += f", where k-means has {methods[_REFERENCE][1]:.2f}"
        text += f" ({found['date']})."
        best = next(each for each in methods if each != _REFERENCE)
        if self.is_default and best != id:
            text += (
                f" {best}, with {methods[best][1]:.2f}, ranks before it but is not "
                "told apart from it."
            )
        return text


def _places(have: Iterable[str], required: set[str]) -> dict[str, _Place]:
    """The place of each measured method, for what there is."""
    names = ["pools", "tables"] if {*have} == {"labels"} else ["tables"]
    for special in ("graph", "series", "views", "constraints"):
        if special in required:
            # Where a default was confirmed counts before what was measured of all.
            names = [*filter(None, [_RIVALS_OF.get(special)]), special]
    defaults = {DEFAULT_METHOD, *DEFAULT_FOR.values()}
    places: dict[str, _Place] = {}
    for at, name in enumerate(names):
        for known, (rank, _) in measured_leagues()[name]["methods"].items():
            place = _Place(name, (1.0, at, rank), known in defaults)
            places.setdefault(known, place)
    if "tables" in names:
        places.setdefault(DEFAULT_METHOD, _Place(_RIVALS, (1.0, 0.0, 0.0), True))
    for known, place in places.items():
        if place.is_default and not _told_apart(known, place.found):
            places[known] = replace(place, order=(0.0,))
    return places


def _told_apart(id: str, league: Mapping[str, Any]) -> bool:
    """Whether some method is so far before this one that it is no noise."""
    methods = league["methods"]
    first = min(rank for rank, _ in methods.values())
    return bool(methods[id][0] - first > league["critical_difference"])


def _kind_and_size(
    X: Any, n_objects: int | None
) -> tuple[set[str], int | None, int | None]:
    """What X is, how many objects it has, and how many of them are distinct."""
    if X is None:
        if n_objects is not None:
            at_least(n_objects, 1, "n_objects")
        return {"labels", "data"}, n_objects, n_objects
    if n_objects is not None:
        raise ComitiaError("n_objects is read off X; give one of them.")
    if isinstance(X, Ensemble):
        return {"labels"}, X.n_objects, X.distinct().ensemble.n_objects
    kind = special_kind(X)
    if kind is not None:
        n = len(X[0]) if kind == "views" else X.shape[0] if kind == "graph" else len(X)
        return ({"graph", "labels"} if kind == "graph" else {kind}), n, n
    shape = X.shape if hasattr(X, "shape") else np.shape(X)
    if len(shape) != 2:
        raise ComitiaError(
            f"X has shape {shape}; give an Ensemble, data of shape (n_objects, "
            "n_features), series, a sparse graph or a list of views."
        )
    return {"labels", "data"}, shape[0], shape[0]


def _available_inputs(
    needs: str | Iterable[str] | None, given: set[str], constraints: bool, views: bool
) -> list[str]:
    if needs is not None:
        have = {needs} if isinstance(needs, str) else set(needs)
    else:
        have = {"views"} if views else given
    extra = {"constraints"} if constraints else set()
    return sorted(have | extra | ({"views"} if views else set()))


def _obstacle(card: Any, n: int | None, n_distinct: int | None) -> str:
    """Why a method cannot be run here; empty if it can."""
    from comitia.config import require_memory

    package = _PACKAGE_OF_EXTRA.get(card.requires)
    if package and importlib.util.find_spec(package) is None:
        return f"It needs an extra: pip install 'comitia[{card.requires}]'."
    if n is None or card.scales == "linear":
        return ""
    size = _n_to_tell_apart(card, n, n_distinct)
    if card.id in _WITHOUT_MATRIX:
        seconds = _SECONDS * size * size
        if seconds <= _MOST_SECONDS:
            return ""
        return (
            f"Its time grows with the square of the objects: {_spaced(size)} take "
            f"about {seconds / 60:.0f} minutes, where linear methods take seconds."
        )
    try:
        # Half a matrix in double precision.
        require_memory(4 * size * size, f"a matrix of {_spaced(size)} objects")
    except MemoryBudgetError as error:
        return f"It is quadratic: {error}"
    return ""


def _n_to_tell_apart(card: Any, n: int, n_distinct: int | None) -> int:
    """Number of objects, or of distinct label rows where only labels count."""
    return n_distinct or n if card.needs == ("labels",) else n


def _reason(card: Any, place: _Place, n: int | None, n_distinct: int | None) -> str:
    parts = [
        "Weighs nothing, a plain baseline."
        if card.weighs == "nothing"
        else f"Weighs {card.weighs} {card.weighs_how}".rstrip() + "."
    ]
    if place.is_default:
        parts.append("The default.")
    parts.append(place.in_words(card.id))
    if card.scales == "linear":
        parts.append("Time and memory grow linearly with the objects.")
    elif n is not None:
        size = _n_to_tell_apart(card, n, n_distinct)
        if size < n:
            parts.append(
                f"Quadratic, but of {_spaced(n)} objects only {_spaced(size)} are "
                "distinct."
            )
        else:
            parts.append(f"Quadratic, which {_spaced(n)} objects allow.")
    if "labels" not in card.needs:
        parts.append("Makes its own clusterings.")
    elif "data" in card.needs:
        parts.append("Judges the clusterings on the data.")
    return " ".join(parts)


def _spaced(n: int) -> str:
    return f"{n:,}".replace(",", " ")
