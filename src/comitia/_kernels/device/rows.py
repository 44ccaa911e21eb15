"""What belongs to one object, added up in the order of the compiled kernels.

Codes are a tensor (M, n) of labels 0..k_m - 1, and k_m where there is none. Tables,
(n_rows, k), have a row for each cluster and one for missing labels behind each
clustering; ``starts`` says where the rows of each clustering begin. What comes back is
a tensor with a row for each object.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from comitia._kernels.device import cuda
from comitia._kernels.device._slices import narrowest, put, slices

__all__ = [
    "mean_rows",
    "nearest_centers",
    "nearest_rows",
    "plurality",
    "row_norms",
    "row_totals",
    "score_rows",
    "table_rows",
]

Tensor = Any  # torch is not imported before it is needed


def row_totals(
    codes: Tensor, starts: NDArray[np.int64], values: NDArray[np.float64]
) -> Tensor:
    """Sum of the values of each object's clusters, clustering after clustering."""
    import torch

    placed = put(codes, values)
    totals = torch.zeros(codes.shape[1], dtype=torch.float64, device=codes.device)
    for rows in slices(codes.shape[1], 1):
        for begin, row in zip(starts.tolist(), codes[:, rows], strict=True):
            totals[rows] += placed[begin:].index_select(0, row.int())
    return totals


def row_norms(
    codes: Tensor, starts: NDArray[np.int64], table: NDArray[np.float64]
) -> Tensor:
    """Length of the sum of each object's table rows."""
    import torch

    if cuda.runs_on(codes):
        return cuda.norms(codes, starts, table)

    placed = put(codes, table)
    norms = torch.empty(codes.shape[1], dtype=torch.float64, device=codes.device)
    for rows in slices(codes.shape[1], table.shape[1]):
        squares = table_rows(codes[:, rows], starts, placed).square_()
        total = torch.zeros_like(norms[rows])
        for column in squares.T:
            total += column
        norms[rows] = _sqrt(total)
    return norms


def score_rows(
    codes: Tensor,
    starts: NDArray[np.int64],
    table: NDArray[np.float64],
    scale: Tensor | None,
) -> Tensor:
    """All scores of each object: its scale, or one, times the sum of its table rows."""
    scores = table_rows(codes, starts, put(codes, table))
    return scores if scale is None else scores.mul_(scale[:, None])


def nearest_rows(
    codes: Tensor,
    starts: NDArray[np.int64],
    n_each: NDArray[np.int64],
    table: NDArray[np.float64],
    scale: Tensor | None,
    penalty: NDArray[np.float64],
    absent: NDArray[np.float64] | None,
) -> tuple[Tensor, Tensor]:
    """Best cluster of each object, and its score: the largest scale * score - penalty.

    The first of equals. ``absent``, (M, k), is what each clustering brings to the
    penalty; objects without a label there get it back. A scale of None is one.
    """
    import torch

    if absent is None and cuda.runs_on(codes):
        return cuda.nearest(codes, starts, table, scale, penalty)

    n, where = codes.shape[1], codes.device
    placed, off = put(codes, table), put(codes, penalty)
    back = () if absent is None else put(codes, absent)
    labels = torch.empty(n, dtype=torch.int32, device=where)
    best = torch.empty(n, dtype=torch.float64, device=where)
    for rows in slices(n, table.shape[1]):
        some = codes[:, rows]
        factor = None if scale is None else scale[rows][:, None]
        scores = table_rows(some, starts, placed)
        for m, returned in enumerate(back):
            missing = (some[m] == int(n_each[m]))[:, None]
            share = returned if factor is None else returned / factor
            scores += torch.where(missing, share, 0.0)
        if factor is not None:
            scores *= factor
        scores -= off
        best[rows], labels[rows] = scores.max(dim=1)
    return labels, best


def table_rows(codes: Tensor, starts: NDArray[np.int64], table: Tensor) -> Tensor:
    """Add up the table rows of each object's labels, clustering after clustering."""
    import torch

    first = torch.tensor(starts.tolist(), dtype=torch.int32, device=codes.device)
    return torch.nn.functional.embedding_bag(codes.T + first, table, mode="sum")


def mean_rows(
    codes: Tensor,
    starts: NDArray[Any],
    table: NDArray[np.float64],
    weights: NDArray[np.float64],
) -> NDArray[np.float64]:
    """Weighted mean, for each object, of the table rows of the clusters it is in.

    An array in memory; zeros where the clusters of an object weigh nothing.
    """
    import torch

    n = codes.shape[1]
    means = np.empty((n, table.shape[1]))
    weighted = put(codes, weights[:, None] * table)
    for rows in slices(n, table.shape[1]):
        sums = table_rows(codes[:, rows], starts, weighted)
        total = row_totals(codes[:, rows], starts, weights)[:, None]
        means[rows] = torch.where(total > 0, sums / total, 0.0).cpu().numpy()
    return means


def plurality(
    codes: Tensor,
    starts: NDArray[Any],
    ballots: NDArray[np.int64],
    blank: NDArray[np.int64],
    keep: int,
    drop: int,
) -> Tensor:
    """Give each object the label with the most votes; the lowest of equals, or -1.

    Ballots, blank counts and masks are those of the compiled kernel.
    """
    import torch

    n, n_labels = codes.shape[1], len(blank) - 1
    name = keep & ((1 << drop) - 1)
    cast, start = put(codes, ballots), put(codes, blank)
    labels = torch.empty(n, dtype=torch.int32, device=codes.device)
    for rows in slices(n, n_labels + 1):
        some = codes[:, rows]
        votes = start.repeat(some.shape[1], 1)
        for begin, row in zip(starts.tolist(), some, strict=True):
            ballot = cast[row.long() + int(begin)][:, None]
            label = ballot & name
            votes.scatter_add_(1, label, ballot ^ label)
        best = votes.bitwise_and_(keep).amax(dim=1)
        winner = n_labels - (best & name)
        labels[rows] = torch.where(best >> drop > 0, winner, -1).int()
    return labels


def nearest_centers(
    columns: Tensor, centers: NDArray[np.float32], penalty: NDArray[np.float32]
) -> Tensor:
    """Centre with the largest x'centre - penalty; the first of equals.

    Columns, (p, n), are the data feature by feature; the labels have the narrowest type
    that holds one more than they are.
    """
    import torch

    p, n = columns.shape
    # Column by column of the centres, against the objects of a slice.
    factors = put(columns, centers).T[:, :, None]
    off = put(columns, penalty)[:, None]
    labels = torch.empty(n, dtype=narrowest(len(centers)), device=columns.device)
    for rows in slices(n, 4 * len(centers)):
        x = columns[:, rows]
        score = (-off).repeat(1, x.shape[1])
        whole = p - p % 4
        for j in range(0, whole, 4):
            a, b, c, d = (factors[i] * x[i] for i in range(j, j + 4))
            score += a.add_(b).add_(c.add_(d))
        for j in range(whole, p):
            score += factors[j] * x[j]
        labels[rows] = score.argmax(dim=0).to(labels.dtype)
    return labels


def _sqrt(values: Tensor) -> Tensor:
    """Square roots, rounded correctly."""
    import torch

    # On the CPU PyTorch takes those of MKL, whose last bit may be wrong.
    if values.is_cpu:
        return torch.from_numpy(np.sqrt(values.numpy()))
    return torch.sqrt(values)
