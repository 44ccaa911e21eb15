"""What became of clusters between two runs, and numbers that stay with them."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from comitia._arrays import device_of, to_numpy, to_tensor
from comitia._html import html_table
from comitia._names import Names, as_names, names_of
from comitia.exceptions import ComitiaError
from comitia.represent.alignment import kept_numbers
from comitia.represent.votes import check_labels

__all__ = [
    "Drift",
    "DriftRow",
    "NamedLabels",
    "drift",
    "keep_numbers",
    "named_labels",
    "stable_numbers",
]


class NamedLabels(NamedTuple):
    """Labels of a run, and the names of its objects."""

    labels: NDArray[Any]
    names: Names


class DriftRow(NamedTuple):
    """What became of one cluster.

    Attributes
    ----------
    cluster : int or None
        Its number now; None if it has vanished.

    was : int or None
        Its number before; None if it has appeared.

    what : str
        ``"kept"``, ``"appeared"``, ``"vanished"``, ``"split into …"``, ``"merged from
        …"``, or two of these.

    before, now : int
        Its objects before and now.

    stayed, came, left : int
        Objects of both runs that are in it in both, that came from other clusters, and
        that went to others.

    new, gone : int
        Its objects that the run before did not have, and that this one has not.
    """

    cluster: int | None
    was: int | None
    what: str
    before: int
    now: int
    stayed: int
    came: int
    left: int
    new: int
    gone: int


@dataclass(frozen=True, eq=False)
class Drift:
    """What became of the clusters of a run; ``print`` it to read it.

    Attributes
    ----------
    table : ndarray of shape (n_before, n_now)
        Objects of both runs in each cluster before and now.

    partner : ndarray of shape (n_now,)
        The number that each cluster had before; -1 for one that has appeared.

    before, now : ndarray
        Sizes of the clusters, of all objects of each run.

    threshold : float
        The share of a cluster that is a part of it, not a few objects that moved.
    """

    table: NDArray[np.int64]
    partner: NDArray[np.int64]
    before: NDArray[np.int64]
    now: NDArray[np.int64]
    threshold: float

    @property
    def n_moved(self) -> int:
        """Objects of both runs that are in another cluster now."""
        return int(self.table.sum()) - sum(row.stayed for row in self.rows())

    @property
    def n_new(self) -> int:
        """Objects that the run before did not have."""
        return int(self.now.sum() - self.table.sum())

    @property
    def n_gone(self) -> int:
        """Objects of the run before that this one does not have."""
        return int(self.before.sum() - self.table.sum())

    def rows(self) -> Iterator[DriftRow]:
        """Walk over the clusters of now, then over those that have vanished.

        Yields
        ------
        row : DriftRow
            What became of each.
        """
        from_here, to_here = self.table.sum(axis=1), self.table.sum(axis=0)
        for c in np.flatnonzero(self.now).tolist():
            was = int(self.partner[c])
            parts = self._parts(self.table[:, c])
            words = ["merged from " + _listed(parts)] if len(parts) > 1 else []
            into = self._parts(self.table[was]) if was >= 0 else []
            if len(into) > 1:
                words.append("split into " + _listed(into))
            if was < 0:
                words = ["appeared"]
                stayed = before = left = gone = 0
            else:
                stayed, before = int(self.table[was, c]), int(self.before[was])
                left, gone = int(from_here[was]) - stayed, before - int(from_here[was])
            yield DriftRow(
                c,
                None if was < 0 else was,
                ", ".join(words) or "kept",
                before,
                int(self.now[c]),
                stayed,
                int(to_here[c]) - stayed,
                left,
                int(self.now[c] - to_here[c]),
                gone,
            )
        for was in np.setdiff1d(np.flatnonzero(self.before), self.partner).tolist():
            into, left = self._parts(self.table[was]), int(from_here[was])
            what = "vanished" + (", into " + _listed(into) if into else "")
            size = int(self.before[was])
            yield DriftRow(None, was, what, size, 0, 0, 0, left, 0, size - left)

    def _parts(self, counts: NDArray[np.int64]) -> list[int]:
        """The clusters that hold a part of a cluster, the largest first."""
        order = np.argsort(-counts, kind="stable")
        least = max(1.0, self.threshold * counts.sum())
        return [int(c) for c in order if counts[c] >= least]

    def __str__(self) -> str:
        lines = [[*DriftRow._fields], *([*map(_cell, row)] for row in self.rows())]
        widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
        # What happened is a text, all else are numbers.
        text = [
            "  ".join(
                cell.ljust(width) if name == "what" else cell.rjust(width)
                for cell, width, name in zip(
                    line, widths, DriftRow._fields, strict=True
                )
            ).rstrip()
            for line in lines
        ]
        return "\n".join([self.summary, *text])

    @property
    def summary(self) -> str:
        """How many objects moved, came and went, in a sentence."""
        return (
            f"{self.n_moved} of {int(self.table.sum())} objects are in another "
            f"cluster; {self.n_new} new, {self.n_gone} gone."
        )

    def _repr_html_(self) -> str:
        rows = [["" if cell is None else cell for cell in row] for row in self.rows()]
        return html_table(DriftRow._fields, rows, self.summary)


def _cell(value: Any) -> str:
    return "-" if value is None else str(value)


def _listed(clusters: list[int]) -> str:
    texts = [*map(str, clusters)]
    return " and ".join([", ".join(texts[:-1]), texts[-1]]) if texts[1:] else texts[0]


def drift(previous: Any, current: Any, *, threshold: float = 0.2) -> Drift:
    """Say which clusters were kept, appeared, vanished, split or merged.

    Clusters of the two runs are matched one to one, so that as many objects as possible
    are in matched clusters. A cluster without a partner has appeared, or vanished. It
    was split if two clusters or more hold at least ``threshold`` of it each, and merged
    if two or more gave at least ``threshold`` of it each; objects of one of the runs
    alone do not count for that.

    Parameters
    ----------
    previous, current : array-like of shape (n_objects,), fitted method, Result or path
        Labels of two runs; a path is a result folder. Objects are matched by name where
        both have names. Otherwise those of the shorter one are the first of the other.

    threshold : float, default=0.2
        The share of a cluster that is a part of it.

    Returns
    -------
    drift : Drift
        What became of the clusters.

    Examples
    --------
    >>> import comitia
    >>> print(comitia.drift([0, 0, 0, 0, 1, 1], [0, 0, 1, 1, 2, 2, 2]))
    2 of 6 objects are in another cluster; 1 new, 0 gone.
    cluster  was  what                before  now  stayed  came  left  new  gone
          0    0  split into 0 and 1       4    2       2     0     2    0     0
          1    -  appeared                 0    2       0     2     0    0     0
          2    1  kept                     2    3       2     0     0    1     0
    """
    if not 0 < threshold <= 0.5:
        raise ComitiaError(f"threshold={threshold} must be above 0 and at most 0.5.")
    before, now = named_labels(previous, "previous"), named_labels(current, "current")
    table = _table(before, now)
    old, new = (np.bincount(one.labels[one.labels >= 0]) for one in (before, now))
    _, partner = kept_numbers(table.T)
    return Drift(table, partner, old, new, threshold)


def stable_numbers(
    previous: NamedLabels, labels: NDArray[Any], names: Names
) -> NDArray[np.int64]:
    """The number of each cluster that keeps those of a run before.

    Labels are 0..k - 1, and so are the numbers. A cluster that matches one of before
    has its number, if that is below k; the others fill the gaps.
    """
    table = _table(previous, NamedLabels(labels, names))
    return kept_numbers(table.T)[0]


def keep_numbers(method: Any, before: NamedLabels) -> None:
    """Give the clusters of a fitted method the numbers of an earlier run.

    What the method says of its clusters goes with their numbers; ``drift_`` says what
    became of them.
    """
    labels = method.labels_
    numbers = stable_numbers(before, to_numpy(labels), names_of(method.ensemble_))
    order = np.argsort(numbers)
    if isinstance(labels, np.ndarray):
        method.labels_ = numbers.astype(labels.dtype)[labels]
    else:
        table = to_tensor(numbers, device_of(labels))
        method.labels_ = table[labels.long()].to(labels.dtype)
    if "membership_" in vars(method):
        method.membership_ = method.membership_[:, order]
    weights = vars(method).get("feature_weights_")
    if weights is not None and np.ndim(weights) == 2:
        method.feature_weights_ = weights[order]
    method.drift_ = drift(before, method)


def named_labels(given: Any, argument: str) -> NamedLabels:
    """Labels and names of objects, from whatever knows them."""
    if isinstance(given, NamedLabels):
        return given
    if isinstance(given, str | os.PathLike):
        from comitia.io import Result

        given = Result.load(given)
    if hasattr(given, "labels_"):
        ensemble = getattr(given, "ensemble_", None)
        labels, names = given.labels_, getattr(ensemble, "object_names", None)
    elif hasattr(given, "labels") and hasattr(given, "confidence"):
        labels, names = given.labels, given.object_names
    else:
        labels, names = given, names_of(given)
    if isinstance(names, np.ndarray):
        names = as_names(names)
    checked, _ = check_labels(labels, argument)
    return NamedLabels(to_numpy(checked), names)


def _table(before: NamedLabels, now: NamedLabels) -> NDArray[np.int64]:
    """Objects of both runs in each cluster before and now."""
    old, new = before.labels, now.labels
    k = [int(labels.max(initial=-1)) + 1 for labels in (old, new)]
    if isinstance(before.names, np.ndarray) and isinstance(now.names, np.ndarray):
        _, at_old, at_new = np.intersect1d(before.names, now.names, return_indices=True)
        old, new = old[at_old], new[at_new]
    else:
        n = min(len(old), len(new))
        old, new = old[:n], new[:n]
    both = (old >= 0) & (new >= 0)
    pairs = old[both].astype(np.int64) * k[1] + new[both]
    return np.bincount(pairs, minlength=k[0] * k[1]).reshape(k)
