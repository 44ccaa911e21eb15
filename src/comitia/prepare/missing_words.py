"""Words that stand for a missing number, and numbers with a limit."""

from __future__ import annotations

import re
from typing import Any

from numpy.typing import NDArray

__all__ = ["is_missing_word", "limit_of", "without_gap_words"]

# In any case of letters. Among words some of these are answers ("unknown", "none"), so
# that they count as missing only where everything else in the column is a number.
_WORDS = frozenset(
    {
        *("na", "n.a.", "n.a", "n/a", "<na>", "nan", "null", "nil", "none", "missing"),
        *("unknown", "not available", "not applicable", "no data", "nodata", "n.d."),
        *("nd", "k.a.", "keine angabe", "undefined", "-", "--", "---", "\u2013"),
        *("\u2014", ".", "..", "...", "?", "*"),
        # What spreadsheets write where a formula failed.
        *("#n/a", "#div/0!", "#value!", "#ref!", "#name?", "#num!", "#null!"),
    }
)

# What nobody gives as an answer, in any case of letters. "NA" alone and a hyphen may be
# one: Namibia, and + and -.
_GAP_WORDS = frozenset(
    {
        *("n.a.", "n.a", "n/a", "<na>", "nan", "null", "not available", "no data"),
        *("nodata", "n.d.", "k.a.", "keine angabe"),
        *("#n/a", "#div/0!", "#value!", "#ref!", "#name?", "#num!", "#null!"),
    }
)

_LIMIT = re.compile(r"[<>≤≥]=?\s*([+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?)")


def is_missing_word(text: str) -> bool:
    """Whether a cell among numbers says that there is no number.

    Parameters
    ----------
    text : str
        The cell.

    Returns
    -------
    yes : bool
        True for n.a., a hyphen, #DIV/0! and the like.
    """
    return text.strip().casefold() in _WORDS


def limit_of(text: str) -> float | None:
    """The limit of a number that is only known to be below or above it.

    Parameters
    ----------
    text : str
        The cell, such as ``<0.01``.

    Returns
    -------
    limit : float or None
        Here 0.01; None for anything else.
    """
    found = _LIMIT.fullmatch(text.strip())
    return None if found is None else float(found[1])


def without_gap_words(texts: NDArray[Any]) -> NDArray[Any]:
    """Text in which the cells that say that there is nothing are missing.

    Parameters
    ----------
    texts : ndarray of object, of shape (n_objects,)
        The cells, None where they are missing.

    Returns
    -------
    texts : ndarray of object, of shape (n_objects,)
        The same with None for n.a., #N/A and the like. What can be an answer, such as
        unknown, stays.
    """
    gaps = {text for text in {*texts} - {None} if text.casefold() in _GAP_WORDS}
    if not gaps:
        return texts
    found = texts.copy()
    found[[text in gaps for text in texts]] = None
    return found
