"""Communities by moving, refining and aggregating: Leiden; Louvain does not refine.

Every vertex has a weight :math:`v_i`, and what is maximised is

.. math::
    H = \\frac{1}{2} \\sum_c \\left[ A_{cc} - g \\, V_c^2 \\right],
    \\qquad V_c = \\sum_{i \\in c} v_i,

up to what no partition changes. With the degrees as weights and
:math:`g = \\gamma / 2m` it is the modularity times :math:`m`; with other weights and
:math:`g = \\gamma` it is the constant Potts model.
"""

from __future__ import annotations

from dataclasses import dataclass
from numbers import Integral, Real
from typing import Any, ClassVar, Literal, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.sparse import csr_array
from sklearn.base import BaseEstimator, ClusterMixin

from comitia._sklearn import RANDOM_STATE, Interval, StrOptions
from comitia._steps import check_random_state
from comitia.cluster.adjacency import check_graph
from comitia.cluster.clusterer import object_weights
from comitia.cluster.community_quality import modularity, potts_quality
from comitia.exceptions import ComitiaError

__all__ = [
    "Leiden",
    "by_appearance",
    "leiden",
    "louvain",
]

Ints = NDArray[np.int64]
Numbers = NDArray[np.int32]  # of vertices and communities
Quality = Literal["modularity", "cpm"]

# Bits of the largest weight: rounding of another processor is far below the last one,
# and sums over two thousand million links fit int64.
_BITS = 30

# Steps around a vertex by which it is told from others.
_STEPS_SEEN = 3

# More than there can be: a level has fewer vertices than the last.
_MOST_LEVELS = 200

# Gains below this share of the mean degree are rounding errors.
_LEAST = 1e-9


@dataclass(frozen=True)
class _Level:
    """A graph in integers, in which communities are looked for."""

    indptr: Ints
    indices: Numbers
    data: Ints
    weights: Ints  # of the vertices
    pull: float  # g, in units of the data

    @property
    def least(self) -> float:
        return _LEAST * max(float(self.data.sum(dtype=np.float64)), 1.0) / self.n

    @property
    def n(self) -> int:
        return len(self.weights)

    def merged(self, parts: Numbers, n_parts: int) -> _Level:
        """The graph of the parts."""
        from comitia._kernels.leiden import aggregate

        rows, columns, data, weights = aggregate(
            self.indptr, self.indices, self.data, self.weights, parts, n_parts
        )
        return _Level(rows, columns, data, weights, self.pull)

    def renumbered(self, order: Numbers) -> _Level:
        """The same graph, with its vertices in another order."""
        from comitia._kernels.leiden import renumbered

        rows, columns, data = renumbered(
            self.indptr, self.indices, self.data, order, _inverse(order)
        )
        return _Level(rows, columns, data, self.weights[order], self.pull)


def leiden(
    graph: Any,
    rng: np.random.RandomState,
    *,
    quality: Quality = "modularity",
    resolution: float = 1.0,
    sample_weight: ArrayLike | None = None,
    theta: float = 0.01,
    max_iter: int = 2,
    check_input: bool = True,
) -> Ints:
    r"""Well connected communities by the Leiden algorithm.

    As :class:`Leiden`, which describes it.

    Parameters
    ----------
    graph : sparse matrix or array-like of shape (n_objects, n_objects)
        Symmetric adjacency matrix with non-negative weights.

    rng : RandomState
        Source of randomness.

    quality : {"modularity", "cpm"}, default="modularity"
        What is maximised.

    resolution : float, default=1.0
        The factor :math:`\gamma`; larger for more communities.

    sample_weight : array-like of shape (n_objects,), default=None
        The weight :math:`v_i` of each vertex, for "cpm"; 1 by default.

    theta : float, default=0.01
        Randomness :math:`\theta` of the refinement, in mean weights of a link.

    max_iter : int, default=2
        Most iterations, each of which starts from the result of the last one.

    check_input : bool, default=True
        False if the graph is what :func:`~comitia.cluster.adjacency.check_graph`
        returned.

    Returns
    -------
    labels : ndarray of shape (n_objects,)
        The community of each vertex, numbered by first appearance.

    Examples
    --------
    >>> import numpy as np
    >>> from comitia.cluster import leiden
    >>> two_pairs = np.kron(np.eye(2), [[0, 1], [1, 0]])
    >>> leiden(two_pairs, np.random.RandomState(0))
    array([0, 0, 1, 1])
    """
    A = check_graph(graph) if check_input else graph
    level = _first_level(A, quality, resolution, sample_weight)
    return _optimized(level, rng, theta, max_iter)[0]


def louvain(
    graph: Any,
    rng: np.random.RandomState,
    *,
    resolution: float = 1.0,
    max_levels: int | None = None,
    check_input: bool = True,
) -> Ints:
    r"""Communities of large modularity by the Louvain method.

    Vertices move to the neighbouring community with the largest gain of modularity
    until none gains; then each community becomes a vertex, and so on [1]_.

    Parameters
    ----------
    graph : sparse matrix or array-like of shape (n_objects, n_objects)
        Symmetric adjacency matrix with non-negative weights.

    rng : RandomState
        Source of randomness: the order in which vertices move.

    resolution : float, default=1.0
        How much expected links count against found ones; larger for more communities.

    max_levels : int, default=None
        Most levels; with 1 vertices move and communities do not.

    check_input : bool, default=True
        As for :func:`leiden`.

    Returns
    -------
    labels : ndarray of shape (n_objects,)
        The community of each vertex, numbered by first appearance.

    References
    ----------
    .. [1] V. D. Blondel, J.-L. Guillaume, R. Lambiotte and E. Lefebvre, "Fast
       unfolding of communities in large networks", J. Stat. Mech. P10008, 2008.
       :doi:`10.1088/1742-5468/2008/10/P10008`

    Examples
    --------
    >>> import numpy as np
    >>> two_pairs = np.kron(np.eye(2), [[0, 1], [1, 0]])
    >>> louvain(two_pairs, np.random.RandomState(0))
    array([0, 0, 1, 1])
    """
    A = check_graph(graph) if check_input else graph
    level = _first_level(A, "modularity", resolution, None)
    seed = _draw_seed(rng)
    order = _visits(_vertex_keys(level), seed)
    labels, n_levels = np.arange(level.n, dtype=np.int32), 0
    while max_levels is None or n_levels < max_levels:
        found = _moved(level, order, _inverse(order))
        if found is None:
            break
        labels = found[labels]
        n_levels += 1
        n_found = int(found.max()) + 1
        level = level.merged(found, n_found)
        order = _visits(np.arange(n_found), seed + n_levels)
    return by_appearance(labels).astype(np.int64)


class Leiden(ClusterMixin, BaseEstimator):
    r"""Well connected communities of a graph by the Leiden algorithm.

    Vertices move to the community with the largest gain until none gains. Then each
    community is refined: its vertices start alone again and merge, at random among
    what is no loss, with parts that are well connected to the rest. The parts become
    the vertices of the next level, and so on. Every community that comes out is
    connected, which those of Louvain need not be [1]_.

    Parameters
    ----------
    quality : {"modularity", "cpm"}, default="modularity"
        What is maximised: the modularity, or the constant Potts model, which knows no
        limit to how small a community of a large graph may be.

    resolution : float, default=1.0
        The factor :math:`\gamma`; larger for more communities. For "cpm" it is the
        density inside of communities that is asked for at least, so that 1 is too much
        for most graphs.

    theta : float, default=0.01
        Randomness :math:`\theta` of the refinement, in mean weights of a link.

    max_iter : int, default=2
        Most iterations, each of which starts from the result of the last one; fewer
        if one changes nothing.

    random_state : int, RandomState instance or None, default=None
        Seed of the order of the vertices and of the refinement.

    Attributes
    ----------
    labels_ : ndarray of shape (n_objects,)
        The community of each vertex, numbered by first appearance.

    n_clusters_ : int
        Number of communities.

    quality_ : float
        The modularity, or the quality of the constant Potts model.

    n_iter_ : int
        Number of iterations.

    converged_ : bool
        Whether the last iteration changed nothing.

    Notes
    -----
    With the links inside of communities counted from either end,

    .. math::
        Q = \frac{1}{2m} \sum_c \left[ A_{cc} - \gamma \frac{d_c^2}{2m} \right],
        \qquad
        H = \frac{1}{2} \sum_c \left[ A_{cc} - \gamma \, V_c^2 \right] +
        \frac{\gamma}{2} \sum_i v_i^2

    are the modularity, with the degrees :math:`d_c`, and the constant Potts model, with
    the weights :math:`V_c` of the vertices. A vertex that is alone joins part c with a
    probability that goes with :math:`e^{\Delta H_c / \theta}`, where staying alone is
    :math:`\Delta H = 0`.

    Weights of links are rounded to a thousand-millionth of the largest one and summed
    as integers, and vertices are visited in an order that is drawn from the seed and
    from what three steps around them look like. So the result is the same on every
    processor, and renumbering the vertices renumbers it, unless vertices that look
    alike are not: among such their numbers decide. The queue of [1]_ is replaced by
    sweeps over the vertices that wait in it, for the same reason. A community that
    was not connected in the end would be split into its parts, which never costs
    quality.

    Loops are dropped. Time and memory are linear in the number of links.

    References
    ----------
    .. [1] V. A. Traag, L. Waltman and N. J. van Eck, "From Louvain to Leiden:
       guaranteeing well-connected communities", Scientific Reports 9, 5233, 2019.
       :doi:`10.1038/s41598-019-41695-z`

    Examples
    --------
    >>> import numpy as np
    >>> from comitia.cluster import Leiden
    >>> triangle = np.ones((3, 3)) - np.eye(3)
    >>> graph = np.kron(np.eye(2), triangle)
    >>> graph[2, 3] = graph[3, 2] = 1.0
    >>> fitted = Leiden(random_state=0).fit(graph)
    >>> fitted.labels_
    array([0, 0, 0, 1, 1, 1])
    >>> round(fitted.quality_, 4)
    0.3571
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "quality": [StrOptions({"modularity", "cpm"})],
        "resolution": [Interval(Real, 0, None, closed="left")],
        "theta": [Interval(Real, 0, None, closed="neither")],
        "max_iter": [Interval(Integral, 1, None, closed="left")],
        "random_state": RANDOM_STATE,
    }

    def __init__(
        self,
        *,
        quality: Quality = "modularity",
        resolution: float = 1.0,
        theta: float = 0.01,
        max_iter: int = 2,
        random_state: Any = None,
    ) -> None:
        self.quality = quality
        self.resolution = resolution
        self.theta = theta
        self.max_iter = max_iter
        self.random_state = random_state

    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Self:
        """Find the communities.

        Parameters
        ----------
        X : sparse matrix or array-like of shape (n_objects, n_objects)
            Symmetric adjacency matrix with non-negative weights; of an AnnData,
            ``obsp["connectivities"]``.

        y : None
            Not used; there for scikit-learn's pipelines.

        sample_weight : array-like of shape (n_objects,), default=None
            The weight :math:`v_i` of each vertex, for "cpm"; 1 by default.

        Returns
        -------
        self : object
            The fitted clusterer.
        """
        self._validate_params()
        A = check_graph(X)
        rng = check_random_state(self.random_state)
        level = _first_level(A, self.quality, self.resolution, sample_weight)
        found = _optimized(level, rng, self.theta, self.max_iter)
        self.labels_, self.n_iter_, self.converged_ = found
        self.n_clusters_ = int(self.labels_.max()) + 1
        if self.quality == "modularity":
            self.quality_ = modularity(A, self.labels_, resolution=self.resolution)
        else:
            self.quality_ = potts_quality(
                A,
                self.labels_,
                resolution=self.resolution,
                sample_weight=sample_weight,
            )
        return self


def _first_level(
    A: csr_array, quality: str, resolution: float, sample_weight: ArrayLike | None
) -> _Level:
    """The graph with whole weights."""
    data, scale = _whole(A.data)
    n = A.shape[0]
    indptr, indices = A.indptr.astype(np.int64), A.indices.astype(np.int32)
    if quality == "modularity":
        if sample_weight is not None:
            raise ComitiaError(
                'sample_weight is for quality="cpm"; in the modularity a vertex weighs '
                "what its links weigh."
            )
        ends = np.concatenate([[0], np.cumsum(data)])[indptr]
        degree = np.diff(ends)
        pull = resolution / max(int(degree.sum()), 1)
        return _Level(indptr, indices, data, degree, pull)
    weights, vertex_scale = _whole(object_weights(sample_weight, n))
    pull = resolution * scale / vertex_scale**2
    return _Level(indptr, indices, data, weights, pull)


def _whole(weights: NDArray[np.float64]) -> tuple[Ints, float]:
    """Weights as integers, those above zero at least 1, and their scale."""
    largest = float(weights.max(initial=0.0))
    scale = 2.0 ** (_BITS - int(np.frexp(largest)[1])) if largest > 0 else 1.0
    return np.rint(weights * scale).astype(np.int64).clip(weights > 0), scale


def _optimized(
    level: _Level, rng: np.random.RandomState, theta: float, max_iter: int
) -> tuple[Ints, int, bool]:
    """Labels, number of iterations, and whether the last one changed nothing."""
    keys, seed = _vertex_keys(level), _draw_seed(rng)
    order = _visits(keys, seed)
    labels = _moved(level, order, _inverse(order))
    if labels is None:
        return np.arange(level.n), 1, True
    # Vertices of a community next to each other are near in memory, too; where they
    # stand changes nothing.
    place = np.argsort(labels, kind="stable").astype(np.int32)
    level, keys, labels = level.renumbered(place), keys[place], labels[place]
    unit = float(level.data.mean())
    n_iter, converged = 0, False
    while n_iter < max_iter and not converged:
        before, n_iter = by_appearance(labels), n_iter + 1
        labels = _iterated(level, keys, seed, theta * unit, labels, n_iter == 1)
        converged = np.array_equal(before, by_appearance(labels))
        seed = _draw_seed(rng)
    return by_appearance(labels[_inverse(place)]).astype(np.int64), n_iter, converged


def _iterated(
    level: _Level,
    keys: NDArray[Any],
    seed: int,
    theta: float,
    labels: Numbers,
    settled: bool,
) -> Numbers:
    """One iteration: all levels, from given communities on.

    ``settled`` says that no vertex gains by moving.
    """
    from comitia._kernels.leiden import connected_parts, refine

    given = level
    order = _visits(keys, seed)
    node_of: Numbers = np.arange(level.n, dtype=np.int32)
    start = _numbered(labels, order)
    for depth in range(1, _MOST_LEVELS):
        found = None if settled else _moved(level, order, start)
        here, settled = (start if found is None else found), False
        n_found = int(here.max()) + 1
        if n_found == level.n:
            # Each is a part of the level below, which merging along links has made.
            return here[node_of]
        parts = refine(
            level.indptr,
            level.indices,
            level.data,
            level.weights,
            order[np.argsort(here[order], kind="stable")],  # one after the other
            _inverse(order),
            level.pull,
            level.least,
            theta,
            np.uint64(seed + depth),
            here,
            _sums(level.weights, here, n_found),
        )
        n_parts, parts = _compressed(parts, level.n)
        if n_parts == level.n:
            break
        first = np.empty(n_parts, dtype=np.int32)
        first[parts] = here
        node_of = parts[node_of]
        level = level.merged(parts, n_parts)
        order = _visits(np.arange(n_parts), seed + depth)
        start = _numbered(first, order)
    return connected_parts(given.indptr, given.indices, here[node_of])


def _moved(level: _Level, order: Numbers, start: Numbers) -> Numbers | None:
    """Communities after moving, by numbers that follow those of the start; or None."""
    from comitia._kernels.leiden import move_until_stable

    labels = start.copy()
    moved = move_until_stable(
        level.indptr,
        level.indices,
        level.data,
        level.weights,
        order,
        level.pull,
        level.least,
        labels,
        _sums(level.weights, labels, level.n),
        np.bincount(labels, minlength=level.n),
    )
    return _compressed(labels, level.n)[1] if moved else None


def _compressed(labels: Numbers, n: int) -> tuple[int, Numbers]:
    """How many labels below n there are, and the same without gaps."""
    used = np.bincount(labels, minlength=n) > 0
    places = np.cumsum(used, dtype=np.int32) - np.int32(1)
    return int(places[-1]) + 1, places[labels]


def _sums(weights: Ints, labels: Numbers, n: int) -> Ints:
    """Whole weights of the communities."""
    sums = np.zeros(n, dtype=np.int64)
    np.add.at(sums, labels, weights)
    return sums


def _numbered(labels: Numbers, order: Numbers) -> Numbers:
    """Communities by their first vertices in the order."""
    return by_appearance(labels[order])[_inverse(order)]


def _inverse(order: Numbers) -> Numbers:
    """Where each vertex stands in an order."""
    rank = np.empty_like(order)
    rank[order] = np.arange(len(order), dtype=order.dtype)
    return rank


def by_appearance(labels: NDArray[Any]) -> NDArray[Any]:
    """Number labels by their first appearance.

    Parameters
    ----------
    labels : ndarray of shape (n,)
        Labels, from 0 to n - 1.

    Returns
    -------
    labels : ndarray of shape (n,)
        The same partition, in the same type.
    """
    n = len(labels)
    first = np.full(n, n, dtype=labels.dtype)
    # Of several values for one place the last is kept: that of the first vertex.
    first[labels[::-1]] = np.arange(n, dtype=labels.dtype)[::-1]
    opens = np.zeros(n, dtype=bool)
    opens[first[first < n]] = True
    return (np.cumsum(opens, dtype=labels.dtype) - 1)[first[labels]]


def _vertex_keys(level: _Level) -> NDArray[np.uint64]:
    from comitia._kernels.leiden import hash_vertices

    return hash_vertices(
        level.indptr, level.indices, level.data, level.weights, _STEPS_SEEN
    )


def _visits(keys: NDArray[Any], seed: int) -> Numbers:
    """The vertices in an order drawn for a seed."""
    from comitia._kernels.leiden import draw_keys

    draws = draw_keys(keys.astype(np.uint64), np.uint64(seed))
    return np.argsort(draws, kind="stable").astype(np.int32)


def _draw_seed(rng: np.random.RandomState) -> int:
    return int(rng.randint(np.iinfo(np.int32).max)) << 8
