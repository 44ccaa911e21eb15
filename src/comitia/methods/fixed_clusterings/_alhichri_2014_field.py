"""Markov random fields: labels that are smooth on a graph of neighbours."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from comitia.exceptions import ComitiaError

if TYPE_CHECKING:
    from scipy.sparse import csr_array

__all__ = ["MarkovLabels", "grid_graph", "iterated_modes", "potts_energy"]


class MarkovLabels(NamedTuple):
    """Labels that iterated conditional modes found."""

    labels: NDArray[np.int32]  # (n_objects,), the labels
    # (n_sweeps + 1,), the energy of the start and after each sweep
    objective: NDArray[np.float64]
    converged: bool  # whether no single label can be changed for the better


def grid_graph(shape: tuple[int, int]) -> csr_array:
    """Join each pixel of an image with the up to eight around it."""
    from scipy.sparse import csr_array

    try:
        rows, columns = (int(length) for length in shape)
    except (TypeError, ValueError):
        raise ComitiaError(f"shape={shape!r} must be a pair (rows, columns).") from None
    if rows < 1 or columns < 1:
        raise ComitiaError(f"shape={shape!r} must have at least one row and column.")
    pixel = np.arange(rows * columns).reshape(rows, columns)
    # Right, down, down to the right, down to the left: each edge once.
    ends = [
        (pixel[:, :-1], pixel[:, 1:]),
        (pixel[:-1], pixel[1:]),
        (pixel[:-1, :-1], pixel[1:, 1:]),
        (pixel[:-1, 1:], pixel[1:, :-1]),
    ]
    one = np.concatenate([a.ravel() for a, _ in ends])
    other = np.concatenate([b.ravel() for _, b in ends])
    edges = (np.concatenate([one, other]), np.concatenate([other, one]))
    n = rows * columns
    graph = csr_array((np.ones(len(edges[0])), edges), shape=(n, n))
    graph.sort_indices()
    return graph


def potts_energy(
    labels: ArrayLike, costs: ArrayLike, graph: Any, graph_penalty: float = 1.0
) -> float:
    r"""Energy of labels in a Potts model.

    .. math::
        U(y) = \sum_i u_i(y_i) + \beta \sum_{(i, j)} g_{ij} \, [y_i \ne y_j],

    each pair of neighbours counted once.
    """
    y, u, W = _check(labels, costs, graph, graph_penalty)
    edges = W.tocoo()
    broken = edges.data[y[edges.row] != y[edges.col]].sum() / 2
    return float(u[np.arange(len(y)), y].sum() + graph_penalty * broken)


def iterated_modes(
    labels: ArrayLike,
    costs: ArrayLike,
    graph: Any,
    graph_penalty: float = 1.0,
    *,
    max_iter: int = 100,
) -> MarkovLabels:
    r"""Lower the energy of a Potts model by iterated conditional modes.

    Objects take turns; each takes the label of the lowest energy given the labels of
    the others (Besag, 1986),

    .. math::
        y_i \leftarrow \arg\min_r u_i(r) + \beta \sum_j g_{ij} \, [r \ne y_j].

    A sweep visits only the objects that would gain, those that gain most first: what
    the objects are called then matters only for ties. An object keeps its label unless
    another is better; of several that are best it takes the lowest. The energy falls
    with every change, so the sweeps come to an end.
    """
    y, u, W = _check(labels, costs, graph, graph_penalty)
    W = W * graph_penalty
    n, k = u.shape
    every = np.arange(n)
    # Gains below this are rounding, and could go back and forth.
    tiny = 1e-12 * max(1.0, float(np.abs(u).max(initial=0.0)))
    objective = [potts_energy(y, u, W)]
    converged = False
    for _ in range(max_iter):
        agreeing = np.zeros((n, k))
        for r in range(k):
            agreeing[:, r] = W @ (y == r)
        local = u - agreeing
        gain = local[every, y] - local.min(axis=1)
        gaining = np.flatnonzero(gain > tiny)
        if len(gaining) == 0:
            converged = True
            break
        for i in gaining[np.argsort(-gain[gaining], kind="stable")]:
            near = slice(W.indptr[i], W.indptr[i + 1])
            here = u[i] - np.bincount(y[W.indices[near]], W.data[near], minlength=k)
            best = here.min()
            if here[y[i]] > best + tiny:
                y[i] = np.argmax(here <= best + tiny)
        objective.append(potts_energy(y, u, W))
    return MarkovLabels(y, np.asarray(objective), converged)


def _check(
    labels: ArrayLike, costs: ArrayLike, graph: Any, graph_penalty: float
) -> tuple[NDArray[np.int32], NDArray[np.float64], csr_array]:
    from scipy.sparse import csr_array

    y = np.array(labels, dtype=np.int32)
    u = np.asarray(costs, dtype=np.float64)
    if u.ndim != 2 or y.shape != u.shape[:1]:
        raise ComitiaError(
            f"labels and costs must have one row per object; got shapes {y.shape} and "
            f"{u.shape}."
        )
    if len(y) and not 0 <= y.min() <= y.max() < u.shape[1]:
        raise ComitiaError(f"labels must lie in 0..{u.shape[1] - 1}.")
    if graph.shape != (len(y), len(y)):
        raise ComitiaError(
            f"graph must have one row and column per object, {len(y)}; got shape "
            f"{graph.shape}."
        )
    if not graph_penalty >= 0:
        raise ComitiaError(f"graph_penalty={graph_penalty} must be 0 or more.")
    return y, u, csr_array(graph, dtype=np.float64)
