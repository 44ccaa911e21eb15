"""What the reader should look at before believing a result."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from comitia.display.consensus_view import WEIGHED
from comitia.display.result_numbers import SUPPORT
from comitia.report._facts import Facts
from comitia.report._page_text import listed, number, percent

if TYPE_CHECKING:
    from comitia.io.results import Result

__all__ = ["Alert", "find_alerts", "result_alerts"]

# Share of all weight from which one item has nearly all of it.
NEARLY_ALL = 0.9

# A number of clusters that is less likely than this does not stand out.
LIKELY = 0.3


@dataclass(frozen=True)
class Alert:
    """Something that the reader should look at before believing the result."""

    id: str  # what it is about, for tests and styles
    title: str  # a few words
    text: str  # what was found, how it was tested, what could be done
    serious: bool = True  # whether it puts the result into question


def result_alerts(result: Result) -> list[Alert]:
    """Say what puts a result into question, as its report does.

    Parameters
    ----------
    result : Result
        The result.

    Returns
    -------
    alerts : list of Alert
        The serious ones first; empty if there is nothing to warn of.

    Examples
    --------
    >>> import comitia
    >>> from comitia.report import result_alerts
    >>> votes = comitia.Ensemble([[0, 0, 0], [0, 0, 0], [1, 1, 1], [1, 1, 1]])
    >>> fitted = comitia.method("eac")(n_clusters=2).fit(votes)
    >>> for alert in result_alerts(comitia.Result.from_estimator(fitted)):
    ...     print(alert.title)
    All clusterings are the same
    """
    return find_alerts(Facts(result))


def find_alerts(facts: Facts) -> list[Alert]:
    """What was found wrong with a result, the serious things first."""
    found = [
        _one_would_do(facts),
        _another_number(facts),
        _no_number_stands_out(facts),
        _doubted(facts),
        _unsupported(facts),
        _uncertain(facts),
        _sampled(facts),
        _tiny(facts),
        _duplicates(facts),
        *_degenerate(facts),
        _unfinished(facts),
    ]
    alerts = [alert for alert in found if alert is not None]
    return sorted(alerts, key=lambda alert: not alert.serious)


def _one_would_do(facts: Facts) -> Alert | None:
    why = facts.why_one_would_do
    return Alert("one", "One cluster would do", why) if why else None


def _doubted(facts: Facts) -> Alert | None:
    said = facts.result.explanation
    if said is None or said.doubt is None:
        return None
    return Alert("doubt", "Another clustering looks better", said.doubt)


def _unsupported(facts: Facts) -> Alert | None:
    best = facts.support.max(axis=0)
    alone = [c for c in range(facts.k) if best[c] < SUPPORT and facts.result.sizes[c]]
    if not alone:
        return None
    which = [f"{c} (at best {number(best[c], 2)})" for c in alone[:5]]
    if len(alone) > 5:
        which.append(f"{len(alone) - 5} more")
    many = len(alone) > 1
    return Alert(
        "unsupported",
        "Clusters that no clustering supports"
        if many
        else "A cluster that no clustering supports",
        f"No clustering has a cluster like {listed(which)}: the most alike shares "
        f"less than half of the objects that either has (Jaccard index, "
        f"{number(SUPPORT)} is the limit). "
        + ("They exist" if many else "It exists")
        + " only as a compromise, or as a union of smaller clusters.",
    )


def _uncertain(facts: Facts) -> Alert | None:
    if facts.k == 1:
        return None
    low = [
        c
        for c in range(facts.k)
        if facts.result.sizes[c] and facts.cluster_confidence[c] < facts.guess
    ]
    if facts.mean_confidence < facts.guess:
        return Alert(
            "uncertain",
            "Low confidence",
            f"The mean confidence is {number(facts.mean_confidence, 2)}, nearer to "
            f"a guess (1/{facts.k}) than to certainty. Read the borders between "
            "the clusters as a suggestion.",
        )
    if not low:
        return None
    which = [f"{c} ({number(facts.cluster_confidence[c], 2)})" for c in low]
    return Alert(
        "uncertain",
        "Low confidence in "
        + ("some clusters" if len(low) > 1 else f"cluster {low[0]}"),
        f"The mean confidence of {'clusters' if len(low) > 1 else 'cluster'} "
        f"{listed(which[:6])} is nearer to a guess (1/{facts.k}) than to certainty.",
        serious=False,
    )


def _sampled(facts: Facts) -> Alert | None:
    sizes = facts.result.all_sizes
    if not sizes:
        return None
    some = [f"{c} ({number(size)})" for c, size in enumerate(sizes[:8])]
    more = [f"{len(sizes) - 8} more"] if len(sizes) > 8 else []
    return Alert(
        "sample",
        "A sample is shown",
        f"The report shows {number(facts.n)} of {number(sum(sizes))} objects, drawn at "
        "random and a few of every small cluster; counts on it are those of the "
        f"sample. Of all objects the clusters have: {listed(some + more)}.",
        serious=False,
    )


def _tiny(facts: Facts) -> Alert | None:
    if facts.k == 1 or facts.n < 20:
        return None
    limit = max(3, math.ceil(0.01 * facts.n))
    tiny = [
        f"{c} ({size})"
        for c, size in enumerate(facts.result.sizes.tolist())
        if size < limit
    ]
    if not tiny:
        return None
    shown_ = tiny[:8] + ([f"{len(tiny) - 8} more"] if len(tiny) > 8 else [])
    return Alert(
        "tiny",
        "Very small clusters",
        f"{'Clusters' if len(tiny) > 1 else 'Cluster'} {listed(shown_)} "
        f"{'have' if len(tiny) > 1 else 'has'} fewer than {limit} objects: "
        "outliers rather than groups, perhaps.",
        serious=False,
    )


def _duplicates(facts: Facts) -> Alert | None:
    # Members of one's own repeat others where the clusters are plain.
    made_here = facts.result.parameters.get("generator") is not None
    if not facts.n_copies or (made_here and 2 * facts.n_copies < facts.M):
        return None
    distinct = facts.M - facts.n_copies
    if distinct == 1:
        return Alert(
            "duplicates",
            "All clusterings are the same",
            f"The {facts.M} clusterings are copies of one, so the result repeats "
            "it and the confidence says nothing. More variety (other numbers of "
            "clusters, samples or algorithms) would.",
        )
    return Alert(
        "duplicates",
        "Duplicate clusterings",
        f"{facts.n_copies} of the {facts.M} clusterings repeat others; {distinct} "
        "are distinct. What is repeated has several votes.",
        serious=False,
    )


def _degenerate(facts: Facts) -> Iterable[Alert]:
    kept = facts.result.weights.get("selected")
    for name, values in facts.result.weights.items():
        if name == "selected":
            if values.sum() == 1 and len(values) > 1:
                yield Alert(
                    "degenerate",
                    "Only one was selected",
                    f"The method kept one of {len(values)}; the result is no "
                    "consensus any more.",
                )
            continue
        what = WEIGHED[name]
        weights = np.abs(values).ravel()
        if kept is not None and kept.shape == values.shape:
            weights = weights[kept]
        if weights.size < 2:
            continue
        if not weights.any():
            yield Alert(
                "degenerate", f"No weight on any of the {what}", "All are zero."
            )
        elif np.ptp(weights) <= 1e-6 * weights.max():
            yield Alert(
                "degenerate",
                f"All {what} weigh the same",
                "The weights change nothing: an unweighted method would have given "
                "the same. Either nothing tells them apart, or the method fell "
                "back on equal weights.",
                serious=False,
            )
        elif weights.max() > NEARLY_ALL * weights.sum():
            yield Alert(
                "degenerate",
                f"One of the {what} has nearly all the weight",
                f"{percent(weights.max() / weights.sum())} of the weight is on "
                f"{facts.item(name, int(np.abs(values).argmax()))}; the others "
                "hardly count.",
            )


def _unfinished(facts: Facts) -> Alert | None:
    if facts.result.converged is not False:
        return None
    return Alert(
        "unfinished",
        "The optimisation did not converge",
        "It stopped at the largest number of iterations; raise max_iter or tol.",
        serious=False,
    )


def _no_number_stands_out(facts: Facts) -> Alert | None:
    choice = facts.result.choice or {}
    odds, k = choice.get("probabilities") or [], choice.get("n_clusters")
    ks = [1, *(choice.get("ks") or [])]
    if k != facts.k or k not in ks or len(odds) != len(ks):
        return None
    own = odds[ks.index(k)]
    if own >= LIKELY:
        return None
    return Alert(
        "unclear",
        "No number of clusters stands out",
        f"{k} is the likeliest of {ks[0]} to {ks[-1]}, with a probability of "
        f"{number(own, 2)} only: there may be no clusters, or more or fewer of them. "
        "If you know how many there should be, say it.",
    )


def _another_number(facts: Facts) -> Alert | None:
    best = (facts.result.choice or {}).get("n_clusters")
    if best is None or int(best) in (1, facts.k):
        return None
    return Alert(
        "another",
        "Another number of clusters is recommended",
        f"The result has {facts.k}; {best} is recommended. See the number of "
        "clusters below.",
    )
