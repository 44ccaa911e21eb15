"""Must-link and cannot-link constraints between objects."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from comitia._labels import as_labels
from comitia._names import Names
from comitia._steps import nonnegative_weights
from comitia.exceptions import ComitiaError

if TYPE_CHECKING:
    from scipy.sparse import csr_array

__all__ = ["ConstraintSet", "pairs_by_name", "random_constraints"]


@dataclass(frozen=True, eq=False, init=False)
class ConstraintSet:
    """Pairs of objects that belong together, and pairs that do not.

    Pairs are kept as they were given: a pair that is named twice counts twice.
    Whether they can all hold is asked by :meth:`closure`.

    Parameters
    ----------
    n_objects : int
        Number of objects, :math:`n`.

    must_link : array-like of shape (c, 2), default=None
        Pairs of objects that belong together.

    cannot_link : array-like of shape (d, 2), default=None
        Pairs of objects that do not.

    weights : array-like of shape (c + d,), default=None
        Weight, or priority, of each must-link and then of each cannot-link; not
        negative. One by default.

    Attributes
    ----------
    n_objects : int
        Number of objects.

    must_link, cannot_link : ndarray of shape (c, 2), (d, 2)
        The pairs.

    weights : ndarray of shape (c + d,)
        The weights.

    Examples
    --------
    >>> from comitia.cluster import ConstraintSet
    >>> pairs = ConstraintSet(4, must_link=[(0, 1), (1, 2)], cannot_link=[(2, 3)])
    >>> pairs.closure().cannot_link.tolist()
    [[0, 3], [1, 3], [2, 3]]
    >>> pairs.n_violated([0, 0, 1, 1])
    2
    """

    n_objects: int
    must_link: NDArray[np.intp]
    cannot_link: NDArray[np.intp]
    weights: NDArray[np.float64]

    def __init__(
        self,
        n_objects: int,
        must_link: ArrayLike | None = None,
        cannot_link: ArrayLike | None = None,
        *,
        weights: ArrayLike | None = None,
    ) -> None:
        must = _check_pairs("must_link", must_link, n_objects)
        cannot = _check_pairs("cannot_link", cannot_link, n_objects)
        n = len(must) + len(cannot)
        # A copy: whoever gave them may go on to change them.
        given = nonnegative_weights(weights, n, "weights", "constraint").copy()
        for name, value in [
            ("n_objects", int(n_objects)),
            ("must_link", must),
            ("cannot_link", cannot),
            ("weights", given),
        ]:
            object.__setattr__(self, name, value)

    def __len__(self) -> int:
        return len(self.weights)

    def __repr__(self) -> str:
        return (
            f"ConstraintSet(n_objects={self.n_objects}, "
            f"{len(self.must_link)} must-links, {len(self.cannot_link)} cannot-links)"
        )

    # -- all constraints in one list -------------------------------------------

    @cached_property
    def pairs(self) -> NDArray[np.intp]:
        """All pairs, must-links first."""
        return np.concatenate([self.must_link, self.cannot_link])

    @cached_property
    def signs(self) -> NDArray[np.int8]:
        """For each pair +1, a must-link, or -1, a cannot-link."""
        return np.repeat(
            np.array([1, -1], dtype=np.int8),
            [len(self.must_link), len(self.cannot_link)],
        )

    def with_weights(self, weights: ArrayLike) -> ConstraintSet:
        """Give the constraints other weights.

        Parameters
        ----------
        weights : array-like of shape (n_constraints,)
            The weights, must-links first.

        Returns
        -------
        constraints : ConstraintSet
            The same pairs.

        Examples
        --------
        >>> from comitia.cluster import ConstraintSet
        >>> pairs = ConstraintSet(4, must_link=[(0, 1), (1, 2)], cannot_link=[(2, 3)])
        >>> pairs.with_weights([1, 0, 3]).violated_share([0, 0, 1, 1])
        0.75
        """
        return ConstraintSet(
            self.n_objects, self.must_link, self.cannot_link, weights=weights
        )

    def take(self, which: ArrayLike) -> ConstraintSet:
        """Keep some of the constraints.

        Parameters
        ----------
        which : array-like of int or bool
            Index into the constraints, must-links first; the order does not matter.

        Returns
        -------
        constraints : ConstraintSet
            Those constraints, with their weights.

        Examples
        --------
        >>> from comitia.cluster import ConstraintSet
        >>> pairs = ConstraintSet(4, must_link=[(0, 1), (1, 2)], cannot_link=[(2, 3)])
        >>> pairs.take([0, 2]).must_link.tolist()
        [[0, 1]]
        """
        kept = np.sort(np.arange(len(self))[np.asarray(which)])
        n_must = np.searchsorted(kept, len(self.must_link))
        pairs = self.pairs[kept]
        return ConstraintSet(
            self.n_objects, pairs[:n_must], pairs[n_must:], weights=self.weights[kept]
        )

    def matrix(self) -> csr_array:
        """Constraints as a symmetric matrix.

        Returns
        -------
        Z : csr_array of shape (n_objects, n_objects)
            1 for a must-link, -1 for a cannot-link, 0 elsewhere. A pair that is both
            is 0.

        Examples
        --------
        >>> from comitia.cluster import ConstraintSet
        >>> pairs = ConstraintSet(4, must_link=[(0, 1), (1, 2)], cannot_link=[(2, 3)])
        >>> pairs.matrix().toarray().astype(int)[2].tolist()
        [0, 1, 0, -1]
        """
        from scipy.sparse import csr_array

        n = self.n_objects
        pairs = np.concatenate([self.pairs, self.pairs[:, ::-1]])
        signs = np.tile(self.signs, 2).astype(np.float64)
        Z = csr_array((signs, (pairs[:, 0], pairs[:, 1])), shape=(n, n))
        Z.sum_duplicates()  # SciPy 1.13 leaves them
        Z.data = np.sign(Z.data)
        return Z

    # -- how well labels obey --------------------------------------------------

    def violated(self, labels: ArrayLike) -> NDArray[np.bool_]:
        """Ask of each constraint whether a clustering violates it.

        Parameters
        ----------
        labels : array-like of shape (n_objects,)
            A clustering; -1 for an object that is in no cluster. A pair with such an
            object is not violated.

        Returns
        -------
        violated : ndarray of bool, shape (n_constraints,)
            Must-links first.

        Examples
        --------
        >>> from comitia.cluster import ConstraintSet
        >>> pairs = ConstraintSet(4, must_link=[(0, 1), (1, 2)], cannot_link=[(2, 3)])
        >>> pairs.violated([0, 0, 1, 1]).tolist()
        [False, True, True]
        """
        labels = as_labels(labels)
        if labels.shape != (self.n_objects,):
            raise ComitiaError(
                f"labels must have one entry per object, {self.n_objects}; got shape "
                f"{labels.shape}."
            )
        one, other = labels[self.pairs].T
        together = one == other
        return (together != (self.signs > 0)) & (one != -1) & (other != -1)

    def n_violated(self, labels: ArrayLike) -> int:
        """Count the constraints that a clustering violates.

        Parameters
        ----------
        labels : array-like of shape (n_objects,)
            A clustering.

        Returns
        -------
        n_violated : int
            How many.

        Examples
        --------
        >>> from comitia.cluster import ConstraintSet
        >>> pairs = ConstraintSet(4, must_link=[(0, 1), (1, 2)], cannot_link=[(2, 3)])
        >>> pairs.n_violated([0, 0, 1, 1])
        2
        """
        return int(np.count_nonzero(self.violated(labels)))

    def violated_share(self, labels: ArrayLike) -> float:
        """Share of the weight of all constraints that a clustering violates.

        Parameters
        ----------
        labels : array-like of shape (n_objects,)
            A clustering.

        Returns
        -------
        share : float
            From 0 to 1; 0 when there are no constraints.

        Examples
        --------
        >>> from comitia.cluster import ConstraintSet
        >>> pairs = ConstraintSet(4, must_link=[(0, 1), (1, 2)], cannot_link=[(2, 3)])
        >>> round(pairs.violated_share([0, 0, 1, 1]), 3)
        0.667
        """
        total = float(self.weights.sum())
        if total == 0:
            return 0.0
        return float(self.weights[self.violated(labels)].sum()) / total

    # -- what follows from them ------------------------------------------------

    @cached_property
    def groups(self) -> NDArray[np.intp]:
        """For each object the group that must-links tie it to, numbered from 0."""
        from scipy.sparse.csgraph import connected_components

        groups = connected_components(self._must_graph(), directed=False)[1]
        return groups.astype(np.intp)

    def contradictions(self) -> NDArray[np.intp]:
        """Find the cannot-links inside a group of must-links.

        Returns
        -------
        pairs : ndarray of shape (n_contradictions, 2)
            Those cannot-links.

        Examples
        --------
        >>> from comitia.cluster import ConstraintSet
        >>> pairs = ConstraintSet(3, must_link=[(0, 1), (1, 2)], cannot_link=[(0, 2)])
        >>> pairs.contradictions().tolist()
        [[0, 2]]
        """
        one, other = self.groups[self.cannot_link].T
        return self.cannot_link[one == other]

    def renamed(self, numbers: NDArray[np.intp]) -> ConstraintSet:
        """The same pairs under other numbers of the objects.

        Parameters
        ----------
        numbers : ndarray of shape (n_objects,)
            The new number of each object.

        Returns
        -------
        constraints : ConstraintSet
            In the same order.

        Examples
        --------
        >>> import numpy as np
        >>> from comitia.cluster import ConstraintSet
        >>> pairs = ConstraintSet(3, must_link=[(0, 1)])
        >>> pairs.renamed(np.array([2, 0, 1])).must_link.tolist()
        [[2, 0]]
        """
        return ConstraintSet(
            self.n_objects,
            numbers[self.must_link],
            numbers[self.cannot_link],
            weights=self.weights,
        )

    def closure(self) -> ConstraintSet:
        """Add the constraints that follow from those given.

        Objects tied by a chain of must-links belong together; and if two objects do
        not belong together, neither do those tied to them. Contradictions are
        refused. That there is a clustering into :math:`k` clusters that obeys all
        constraints is not checked: that is as hard as colouring a graph.

        Returns
        -------
        constraints : ConstraintSet
            Each pair once, the smaller index first; all weights one.

        Examples
        --------
        >>> from comitia.cluster import ConstraintSet
        >>> pairs = ConstraintSet(4, must_link=[(0, 1), (1, 2)], cannot_link=[(2, 3)])
        >>> pairs.closure().must_link.tolist()
        [[0, 1], [0, 2], [1, 2]]
        """
        self.refuse_contradictions()
        members = self.group_members
        must = [pair for group in members for pair in _pairs_within(group)]
        cannot = [
            (min(i, j), max(i, j))
            for a, b in self.group_conflicts
            for i in members[a]
            for j in members[b]
        ]
        return ConstraintSet(self.n_objects, sorted(must), sorted(cannot))

    def refuse_contradictions(self) -> None:
        """Raise an error that names the first contradiction, if there is one.

        Examples
        --------
        >>> from comitia.cluster import ConstraintSet
        >>> pairs = ConstraintSet(4, must_link=[(0, 1), (1, 2)], cannot_link=[(2, 3)])
        >>> pairs.refuse_contradictions()  # there is none
        """
        found = self.contradictions()
        if not len(found):
            return
        i, j = (int(x) for x in found[0])
        chain = self._chain(i, j)
        if len(chain) == 2:
            raise ComitiaError(
                f"the pair ({i}, {j}) is in cannot_link and in must_link; leave "
                "one out."
            )
        raise ComitiaError(
            f"cannot_link has the pair ({i}, {j}), but must_link ties these objects "
            f"together by way of {' - '.join(map(str, chain))}; leave one out."
        )

    @cached_property
    def group_members(self) -> list[list[int]]:
        """The objects of each group, in order."""
        members: list[list[int]] = [[] for _ in range(self.groups.max(initial=-1) + 1)]
        for i, group in enumerate(self.groups.tolist()):
            members[group].append(i)
        return members

    @cached_property
    def group_conflicts(self) -> list[tuple[int, int]]:
        """Pairs of groups that a cannot-link keeps apart, each once."""
        pairs = np.sort(self.groups[self.cannot_link], axis=1)
        return [(int(a), int(b)) for a, b in np.unique(pairs, axis=0)]

    def _must_graph(self) -> Any:
        from scipy.sparse import csr_array

        i, j = self.must_link.T
        n = self.n_objects
        return csr_array((np.ones(len(i)), (i, j)), shape=(n, n))

    def _chain(self, i: int, j: int) -> list[int]:
        """The shortest chain of must-links from i to j."""
        from scipy.sparse.csgraph import breadth_first_order

        _, before = breadth_first_order(self._must_graph(), i, directed=False)
        chain = [j]
        while chain[-1] != i:
            chain.append(int(before[chain[-1]]))
        return chain[::-1]


def random_constraints(
    labels: ArrayLike, n_constraints: int, rng: np.random.RandomState
) -> ConstraintSet:
    """Draw constraints that known labels obey.

    Parameters
    ----------
    labels : array-like of shape (n_objects,)
        The known clusters.

    n_constraints : int
        Number of different pairs to draw.

    rng : RandomState
        Source of randomness.

    Returns
    -------
    constraints : ConstraintSet
        A must-link for each pair drawn inside a cluster, a cannot-link for each
        other.

    Examples
    --------
    >>> import numpy as np
    >>> random_constraints([0, 0, 1, 1], 6, np.random.RandomState(0))
    ConstraintSet(n_objects=4, 2 must-links, 4 cannot-links)
    """
    from sklearn.utils.random import sample_without_replacement

    labels = as_labels(labels)
    n = len(labels)
    n_pairs = n * (n - 1) // 2
    if not 0 <= n_constraints <= n_pairs:
        raise ComitiaError(
            f"n_constraints={n_constraints} must lie in 0..{n_pairs}, the number of "
            f"pairs of {n} objects."
        )
    drawn = sample_without_replacement(n_pairs, n_constraints, random_state=rng)
    # Pairs are counted row by row of the upper triangle; row i starts at start[i].
    start = np.arange(n) * (2 * n - np.arange(n) - 1) // 2
    i = np.searchsorted(start, drawn, side="right") - 1
    pairs = np.column_stack([i, drawn - start[i] + i + 1]).astype(np.intp)
    together = labels[pairs[:, 0]] == labels[pairs[:, 1]]
    return ConstraintSet(n, pairs[together], pairs[~together])


def pairs_by_name(given: Any, names: Names, argument: str) -> Any:
    """Turn pairs of names into pairs of row numbers.

    Parameters
    ----------
    given : array-like of shape (n_pairs, 2) or None
        Pairs of objects. Text is the name of an object; numbers are those of rows,
        whatever the objects are called.

    names : ndarray of str, range or None
        The names of the objects.

    argument : str
        What messages call the pairs.

    Returns
    -------
    pairs : array-like of shape (n_pairs, 2) or None
        Row numbers; what was given where it holds no text.
    """
    try:
        pairs = as_labels(given)
    except ValueError:  # ragged: said in words by whoever checks the pairs
        return given
    if pairs.dtype.kind not in "UO" or not any(isinstance(x, str) for x in pairs.flat):
        return given
    if names is None:
        raise ComitiaError(
            f"{argument} names objects, but the data have no names; give a DataFrame "
            "with an index, an Ensemble with object_names, or the numbers of rows."
        )
    called = [str(name) for name in names]
    place = {name: row for row, name in enumerate(called)}
    if len(place) < len(called):
        raise ComitiaError(
            f"{argument} names objects, and names repeat in the data; give the numbers "
            "of rows."
        )
    unknown = [str(x) for x in pairs.flat if str(x) not in place]
    if unknown:
        raise ComitiaError(
            f"{argument} names the object {unknown[0]!r}, which is not in the data; "
            f"objects are called {', '.join(map(repr, called[:3]))}, …"
        )
    rows = [place[str(x)] for x in pairs.flat]
    return np.array(rows, dtype=np.intp).reshape(pairs.shape)


def _pairs_within(group: list[int]) -> list[tuple[int, int]]:
    return [(i, j) for a, i in enumerate(group) for j in group[a + 1 :]]


def _check_pairs(name: str, given: ArrayLike | None, n: int) -> NDArray[np.intp]:
    if isinstance(given, np.ma.MaskedArray) and np.ma.getmaskarray(given).any():
        raise ComitiaError(f"{name} has masked entries; leave these pairs out.")
    try:
        pairs = np.asarray([] if given is None else given)
    except ValueError:
        raise ComitiaError(
            f"{name} must hold pairs of objects, shape (n_pairs, 2); its rows differ "
            "in length."
        ) from None
    if pairs.size == 0:
        return np.empty((0, 2), dtype=np.intp)
    if pairs.ndim != 2 or pairs.shape[1] != 2:
        raise ComitiaError(
            f"{name} must hold pairs of objects, shape (n_pairs, 2); got shape "
            f"{pairs.shape}."
        )
    if pairs.dtype.kind not in "iu":
        raise ComitiaError(
            f"{name} must hold the numbers of objects as integers; got dtype "
            f"{pairs.dtype}."
        )
    pairs = pairs.astype(np.intp)
    outside = (pairs < 0) | (pairs >= n)
    if outside.any():
        i, j = pairs[outside.any(axis=1)][0]
        raise ComitiaError(
            f"{name} has the pair ({i}, {j}); objects are numbered 0..{n - 1}."
        )
    same = pairs[:, 0] == pairs[:, 1]
    if same.any():
        i = pairs[same][0, 0]
        raise ComitiaError(
            f"{name} pairs object {i} with itself; a pair needs two objects."
        )
    return pairs
