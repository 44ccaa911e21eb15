"""Which method: a short list, with reasons, for the data or clusterings at hand."""

from __future__ import annotations

import importlib.util
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np

from comitia.catalogue import DEFAULT_FOR_VIEWS, DEFAULT_METHOD, find_methods
from comitia.ensemble import Ensemble
from comitia.evaluate._common import at_least
from comitia.exceptions import ComitiaError, MemoryBudgetError

__all__ = ["MEASURED", "Recommendation", "Recommendations", "recommend"]

# Mean rank in NMI among these 29 methods on 15 pools of real base clusterings
# (benchmarks/results/evaluation/fidelity.csv). Of two that are the same with their
# defaults, the first is the simpler one.
MEASURED: dict[str, float] = {
    "lwea": 2.2,
    "bagherinia_2021": 2.2,
    "lwgp": 4.9,
    "lwmc": 6.3,
    "ecpcs_hc": 6.6,
    "nazari_2017": 7.3,
    "ecpcs_mc": 8.3,
    "rouba_2017": 9.8,
    "weac": 10.3,
    "gullo_2009": 10.4,
    "gp_mgla": 11.2,
    "mcla": 11.6,
    "banerjee_2021": 13.7,
    "eac": 14.1,
    "berikov_2014": 14.1,
    "womc": 14.2,
    "hbgf": 16.6,
    "voting": 16.9,
    "median_partition": 19.1,
    "kcc": 20.5,
    "nmf_consensus": 20.5,
    "wsnng": 20.6,
    "hgpa": 22.0,
    "cspa": 22.8,
    "kmodes_consensus": 24.4,
    "fcc": 24.7,
    "sec": 25.5,
    "zhou_tang_2006": 25.9,
    "wea": 28.4,
}
_N_POOLS = 15

# The defaults, and what a recommendation says of them.
_DEFAULTS = {
    DEFAULT_METHOD: (
        "The default, chosen on one half of the data sets of the evaluation and "
        "confirmed on the other."
    ),
    DEFAULT_FOR_VIEWS: "The default for several views.",
}

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
        Methods that would fit what there is, but not its size or this installation.
    """

    def __init__(
        self,
        recommended: Iterable[Recommendation] = (),
        excluded: Iterable[Recommendation] = (),
    ) -> None:
        super().__init__(recommended)
        self.excluded = list(excluded)


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
        that are too large for the memory or the time, or lack a package. The list is
        empty if no method fits.

    Notes
    -----
    A method has to be applicable: it needs nothing that is not there, and a method
    whose memory grows with the square of the objects has to fit the budget of
    :mod:`comitia.config`. Of an Ensemble only the distinct label rows count for methods
    that look at labels alone, so that many objects with few distinct rows are few.

    The default of the library comes first. The other applicable methods stand in the
    order of their mean rank in the quality benchmark, which ran label-only methods on
    15 published pools of base clusterings; what was not measured there stands in the
    middle, linear methods before others. The list takes
    the best method of each kind of weights first, then the rest, so that it is a choice
    between ideas and not between relatives. No benchmark promises anything for other
    data: :func:`compare` runs the list on yours.

    Examples
    --------
    >>> from comitia import recommend
    >>> [one.id for one in recommend(n_objects=1_000_000, needs="labels", n_best=3)]
    ['consensus', 'gp_mgla', 'mcla']
    """
    given, n, n_distinct = _kind_and_size(X, n_objects)
    have = _available_inputs(needs, given, constraints, views)
    if n_best < 1:
        raise ComitiaError(f"n_best={n_best} must be at least 1.")
    required = {"constraints"} if constraints else set()
    required |= {name for name in ("views", "series", "graph") if name in have}
    fitting, excluded = [], []
    for card in find_methods(needs=have, weighs=weighs):
        if not required <= set(card.needs):
            continue
        why_not = _obstacle(card, n, n_distinct)
        if why_not:
            excluded.append(Recommendation(card.id, card.name, why_not))
        else:
            fitting.append(card)
    fitting.sort(key=_preference)
    best = [
        Recommendation(card.id, card.name, _reason(card, n, n_distinct))
        for card in _one_of_each_first(fitting)[:n_best]
    ]
    return Recommendations(best, excluded)


def _kind_and_size(
    X: Any, n_objects: int | None
) -> tuple[set[str], int | None, int | None]:
    """What X is, how many objects it has, and how many of them are distinct."""
    from scipy.sparse import issparse

    if X is None:
        if n_objects is not None:
            at_least(n_objects, 1, "n_objects")
        return {"labels", "data"}, n_objects, n_objects
    if n_objects is not None:
        raise ComitiaError("n_objects is read off X; give one of them.")
    if isinstance(X, Ensemble):
        return {"labels"}, X.n_objects, X.distinct().ensemble.n_objects
    if issparse(X):
        graph: Any = X
        n, width = graph.shape
        return ({"graph", "labels"} if width == n else {"labels", "data"}), n, n
    if isinstance(X, list | tuple) and X and np.ndim(X[0]) == 2:
        n = len(X[0])
        same = all(len(view) == n for view in X)
        return ({"views"} if same else {"series"}), n if same else len(X), n
    shape = np.shape(X)
    if len(shape) == 3:
        return {"series"}, shape[0], shape[0]
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


def _preference(card: Any) -> tuple[bool, float, bool, str]:
    # Methods without a measured rank stand in the middle.
    places = {known: place for place, known in enumerate(MEASURED)}
    place = places.get(card.id, len(places) / 2)
    return card.id not in _DEFAULTS, place, card.scales != "linear", card.id


def _one_of_each_first(cards: list[Any]) -> list[Any]:
    """The best of each kind of weights, in order, and then the others."""
    first = list({card.weighs: card for card in reversed(cards)}.values())
    first.sort(key=cards.index)
    return first + [card for card in cards if card not in first]


def _reason(card: Any, n: int | None, n_distinct: int | None) -> str:
    parts = [
        "Weighs nothing, a plain baseline."
        if card.weighs == "nothing"
        else f"Weighs {card.weighs} {card.weighs_how}".rstrip() + "."
    ]
    if card.id in _DEFAULTS:
        parts.append(_DEFAULTS[card.id])
    elif card.id in MEASURED:
        parts.append(
            f"Mean rank {MEASURED[card.id]:.1f} of {len(MEASURED)} in NMI on "
            f"{_N_POOLS} published pools."
        )
    else:
        parts.append("Not part of the quality benchmark.")
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
