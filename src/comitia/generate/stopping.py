"""When enough members are made: those so far have settled, or the time is up.

Members are then made some at a time, of all groups in turn, and what is made stays in
the order of the plans.
"""

from __future__ import annotations

import time
import warnings
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from comitia import sizes
from comitia.exceptions import ComitiaError, ComitiaWarning
from comitia.generate.member import Made

if TYPE_CHECKING:
    from comitia.generate.generator import Generator, Keep, Plan

__all__ = ["AUTO", "MOST", "Reliability", "fit_until"]

AUTO = "auto"

# The most members of n_clusterings="auto", and how many are made between two looks.
MOST = 200
_BATCH = 10

# They have settled when their co-association is as reliable as this. On planted
# ensembles of independent members (3 to 8 clusters, noise .2 to .8) the labels of two
# ensembles agreed by an ARI of .987 or more from .75 on, and were equal from .85 on.
_RELIABLE = 0.9

# The fewest members that a limit of time leaves.
_FEWEST = 2


class Reliability:
    r"""How alike the co-association of members and that of as many others would be.

    Members are split into halves, every second one each. With the correlation
    :math:`r` of the two co-associations over pairs of objects, the formula of Spearman
    and Brown [1]_ says what it would be for two ensembles of all of them:

    .. math:: \rho = \frac{2 r}{1 + r}.

    Parameters
    ----------
    n_objects : int
        Number of objects; of many, a sample of pairs is looked at, always the same.

    References
    ----------
    .. [1] W. Brown, "Some experimental results in the correlation of mental
       abilities", British Journal of Psychology 3(3), 1910.
       :doi:`10.1111/j.2044-8295.1910.tb00207.x`

    Examples
    --------
    >>> from comitia.generate.stopping import Reliability
    >>> look = Reliability(4)
    >>> for labels in ([0, 0, 1, 1], [0, 0, 1, 1], [0, 0, 1, 0], [0, 0, 1, 1]):
    ...     look.add(labels)
    >>> round(look.value, 3)
    0.814
    """

    def __init__(self, n_objects: int) -> None:
        if n_objects * (n_objects - 1) // 2 <= sizes.SETTLED_PAIRS:
            self._first, self._second = np.triu_indices(n_objects, k=1)
        else:
            rng = np.random.RandomState(0)
            self._first = rng.randint(n_objects, size=sizes.SETTLED_PAIRS)
            # Another object: none is a pair with itself.
            apart = rng.randint(1, n_objects, size=sizes.SETTLED_PAIRS)
            self._second = (self._first + apart) % n_objects
        # How often each half has a pair, and has it together.
        self._seen = np.zeros((2, len(self._first)))
        self._together = np.zeros((2, len(self._first)))
        self._n = 0

    def add(self, labels: Any) -> None:
        """Look at one more member.

        Parameters
        ----------
        labels : array-like of shape (n_objects,)
            Its labels, -1 for none.
        """
        codes = np.asarray(labels)
        one, other = codes[self._first], codes[self._second]
        seen = (one >= 0) & (other >= 0)
        self._seen[self._n % 2] += seen
        self._together[self._n % 2] += seen & (one == other)
        self._n += 1

    @property
    def value(self) -> float:
        """The reliability of the members so far; 0 where halves do not agree at all."""
        both = (self._seen > 0).all(axis=0)
        if not both.any():
            return 0.0
        halves = self._together[:, both] / self._seen[:, both]
        if np.array_equal(halves[0], halves[1]):
            return 1.0
        apart = halves - halves.mean(axis=1, keepdims=True)
        lengths = np.sqrt((apart**2).sum(axis=1)).prod()
        r = float((apart[0] * apart[1]).sum() / lengths) if lengths > 0 else 0.0
        return max(0.0, 2 * r / (1 + r)) if r > -1 else 0.0


def fit_until(
    generator: Generator,
    X: Any,
    plans: list[Plan],
    keep: Keep,
    n_objects: int,
    *,
    auto: bool,
    time_limit: float | None,
) -> Iterator[tuple[int, Made]]:
    """Fit members until they have settled, or until the time is up.

    Parameters
    ----------
    generator : Generator
        Who fits them.

    X : what ``Generator.prepare`` returns
        The data.

    plans : list of dict
        What the members are to do, all of them.

    keep : callable
        As for ``Generator.fit_members``.

    n_objects : int
        Number of objects.

    auto : bool
        Whether to stop when the members have settled.

    time_limit : float or None
        Seconds after which no member is begun.

    Yields
    ------
    place : int
        The place of its plan.

    made : Made
        The member.
    """
    if not generator.members_are_alone:
        raise ComitiaError(
            f"the members of {type(generator).__name__} build on each other, so that "
            "all of them are made; leave out time_limit, and give n_clusterings as a "
            "number."
        )
    begin, look, n_made = time.monotonic(), Reliability(n_objects), 0
    jobs = generator.n_jobs
    size = _BATCH if auto else 1 if jobs in (None, 1) else 2 * _BATCH
    order = _in_turn(plans)
    for lo in range(0, len(order), size):
        spent = time.monotonic() - begin
        if time_limit is not None and spent >= time_limit and n_made >= _FEWEST:
            warnings.warn(
                f"time_limit={time_limit:g}: {n_made} of {len(plans)} clusterings were "
                f"made in {spent:.3g} s. How many there are depends on the speed of "
                "this machine, and so does the result; give n_clusterings to repeat "
                "it.",
                ComitiaWarning,
                stacklevel=2,
            )
            return
        # In the order of the plans, in which groups stand together.
        places = np.sort(order[lo : lo + size]).tolist()
        fitted = generator.fit_members(
            X, [plans[m] for m in places], _Placed(keep, places)
        )
        for place, made in zip(places, fitted, strict=True):
            n_made += 1
            if auto:
                look.add(_labels_of(made))
            yield place, made
        if auto and n_made >= 2 * _BATCH and look.value >= _RELIABLE:
            return
    if auto:
        warnings.warn(
            f'n_clusterings="auto": the co-association of {n_made} clusterings has a '
            f"reliability of {look.value:.2f}, below {_RELIABLE}, so that more of them "
            "could change the labels. They differ widely on these data; read the "
            "confidence of the objects, or give another generator.",
            ComitiaWarning,
            stacklevel=2,
        )


class _Placed:
    """Keeps members under the places that their plans have among all."""

    def __init__(self, keep: Keep, places: list[int]) -> None:
        self.keep = keep
        self.places = places

    def __call__(self, m: int, fit: Any) -> Made:
        return self.keep(self.places[m], fit)


def _in_turn(plans: list[Plan]) -> NDArray[np.int64]:
    """Places of the plans, one of each group after the other."""
    count: dict[Any, int] = {}
    turn = []
    sizes: dict[Any, int] = {}
    for plan in plans:
        group = plan.get("group")
        sizes[group] = sizes.get(group, 0) + 1
    for plan in plans:
        group = plan.get("group")
        # A group of twice the size has two in each turn.
        turn.append(count.get(group, 0) / sizes[group])
        count[group] = count.get(group, 0) + 1
    return np.argsort(turn, kind="stable")


def _labels_of(made: Made) -> NDArray[Any]:
    if made.membership is None:
        return np.asarray(made.labels)
    F = np.asarray(made.membership)
    return np.where(F.any(axis=1), F.argmax(axis=1), -1)
