"""What criteria on the data and on references say of the number of clusters."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from comitia.evaluate.criteria import CRITERIA
from comitia.exceptions import ComitiaError

__all__ = ["Verdict", "recommend_k"]

Floats = NDArray[np.float64]

# Level of the test: 1 in 20 sets without clusters may look as good as the data.
LEVEL = 0.05


@dataclass(frozen=True)
class Verdict:
    """What the criteria say.

    Parameters
    ----------
    n_clusters : int
        As in :class:`KChoice`, like all the others.

    reason : str
        Sentences.

    votes, best : dict of str to int
        A number of clusters for each criterion.

    excess, reference : dict of str to ndarray of shape (n_ks,)
        Values for each criterion.

    p_values : dict of str to float
        One for each criterion.

    p_value : float or None
        One for all.
    """

    n_clusters: int
    reason: str
    votes: dict[str, int]
    best: dict[str, int]
    excess: dict[str, Floats]
    reference: dict[str, Floats]
    p_values: dict[str, float]
    p_value: float | None


def recommend_k(
    sets: list[dict[str, Floats]],
    ks: tuple[int, ...],
    voters: Iterable[str],
    kind: str = "uniform data",
) -> Verdict:
    """Turn criteria on the data and on references into a recommendation.

    Parameters
    ----------
    sets : list of dict of str to ndarray of shape (n_ks,)
        The criteria of the data and then those of each reference.

    ks : tuple of int
        The numbers of clusters.

    voters : iterable of str
        The criteria that may vote; those that are missing or nowhere defined do not.

    kind : str, default="uniform data"
        What the references are, in words.

    Returns
    -------
    verdict : Verdict
        The recommendation; the rule is in the notes of :func:`choose_k`.
    """
    values = {
        name: np.array([_larger_is_better(name, one[name]) for one in sets])
        for name in sets[0]
    }
    voters = [
        name
        for name in voters
        if name in values and not np.isnan(values[name][0]).all()
    ]
    if not voters:
        raise ComitiaError(
            "none of the criteria is defined for these objects; name others in "
            f"criteria, of {', '.join(values)}."
        )
    if len(sets) == 1:
        best = {name: _preferred_k(values[name][0], ks) for name in voters}
        counts = Counter(best.values())
        k = min(counts, key=lambda number: (-counts[number], number))
        reason = (
            f"{k} clusters is what most criteria prefer: {_votes_in_words(best)}. No "
            "references were drawn, so that nothing says whether there are clusters at "
            "all."
        )
        return Verdict(k, reason, best, best, {}, {}, {}, None)
    excess = {name: rows[0] - _mean(rows[1:]) for name, rows in values.items()}
    reference = {name: _mean([one[name] for one in sets[1:]]) for name in sets[0]}
    best = {name: _preferred_k(excess[name], ks) for name in voters}
    p_values = {
        name: _share_as_high(values[name][:, ks.index(best[name])]) for name in voters
    }
    p_value = _share_as_high(_evidence([values[name] for name in voters]))
    level = max(LEVEL, 1 / len(sets)) + 1e-12
    votes = {name: best[name] for name in voters if p_values[name] <= level}
    if p_value > level or not votes:
        reason = (
            f"1 cluster: for no k are the criteria together better than on {kind} "
            f"(p = {p_value:.2f}; {level:.2f} or less would speak for clusters)."
        )
        if votes:
            reason += (
                f" On their own, some would see clusters: {_votes_in_words(votes)}."
            )
        return Verdict(1, reason, votes, best, excess, reference, p_values, p_value)
    support = _support({name: excess[name] for name in votes})
    k = _preferred_k(support, ks)
    reason = (
        f"{k} clusters: {len(votes)} of {len(voters)} criteria differ from {kind} and "
        f"vote, {_votes_in_words(votes)}; k = {k} has {support[ks.index(k)]:.0%} of "
        f"their support{_runner_up(support, ks, k)}."
    )
    return Verdict(k, reason, votes, best, excess, reference, p_values, p_value)


def _larger_is_better(name: str, values: Floats) -> Floats:
    """The values of a criterion with the sign that makes larger better."""
    criterion = CRITERIA[name]
    if criterion.ratio:
        # Zero is possible for Davies-Bouldin, of clusters without any spread.
        values = np.log(np.maximum(values, 1e-12))
    return values if criterion.better == "higher" else -values


def _preferred_k(values: Floats, ks: tuple[int, ...]) -> int:
    """The k with the largest value; the smallest k of those equal up to rounding."""
    top = np.nanmax(values)
    return ks[int(np.flatnonzero(values >= top - 1e-9 * max(abs(top), 1e-3))[0])]


def _mean(rows: Any) -> Floats:
    """Mean over the rows that have a value; NaN where none has."""
    array = np.asarray(rows)
    known = ~np.isnan(array)
    sums = np.where(known, array, 0.0).sum(axis=0)
    n = known.sum(axis=0)
    return np.divide(sums, n, out=np.full(sums.shape, np.nan), where=n > 0)


def _support(excess: Mapping[str, Floats]) -> Floats:
    """Mean over criteria of the excess of each k as a share of the largest."""
    shares = [
        np.clip(np.nan_to_num(row / np.nanmax(row), nan=-1.0), -1.0, 1.0)
        for row in excess.values()
    ]
    return np.mean(shares, axis=0)


def _runner_up(support: Floats, ks: tuple[int, ...], k: int) -> str:
    others = dict(zip(ks, support.tolist(), strict=True))
    del others[k]
    if not others:
        return ""
    next_k = max(others, key=lambda other: (others[other], -other))
    return f", the next is {next_k} with {max(others[next_k], 0.0):.0%}"


def _share_as_high(scores: Any) -> float:
    scores = np.asarray(scores)
    return float((scores >= scores[0] - 1e-9).mean())


def _evidence(tables: Sequence[Floats]) -> Floats:
    """For each set the largest mean, over the criteria, of standardised values.

    Data and references are standardised alike, by all of them together, so that
    without clusters each of them is as likely to be the highest. A criterion has one
    unit for all k: with one for each, what hardly varies at some k would be blown up.
    """
    total: Any = 0.0
    for rows in tables:
        deviation = rows - _mean(rows)
        unit = np.sqrt(np.nanmean(deviation**2))
        if unit > 1e-12:
            total = total + np.nan_to_num(deviation / unit, nan=0.0)
    return np.max(np.broadcast_to(total, tables[0].shape), axis=1) / len(tables)


def _votes_in_words(votes: Mapping[str, int]) -> str:
    """Which criteria voted for which k, the k with most votes first."""
    counts = Counter(votes.values())
    texts = []
    for k in sorted(counts, key=lambda k: (-counts[k], k)):
        names = ", ".join(name for name, vote in votes.items() if vote == k)
        texts.append(f"{counts[k]} for {k} ({names})")
    return ", ".join(texts)
