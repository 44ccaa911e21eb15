"""Sums over objects, exact in floating point: products with one-hot matrices.

Codes are a tensor (M, n) of labels 0..k_m - 1, and k_m where the label is missing;
``n_each`` are the k_m, K together. Weights are a tensor (n,) of int64, of either sign,
whose sums fit int64. What comes back is an array in memory.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from comitia._kernels.device import cuda
from comitia._kernels.device._slices import BATCH, put, slices, zeros

__all__ = [
    "count_pairs",
    "count_with",
    "sum_labels",
    "sum_rows",
    "weighted_contingency",
]

# Double precision holds integers below two to this power.
_DOUBLE_BITS = 53

Tensor = Any  # torch is not imported before it is needed


def count_pairs(codes: Tensor, n_each: NDArray[np.int64]) -> NDArray[np.int64]:
    """Objects that each two clusters share: B'B."""
    if cuda.runs_on(codes):
        return cuda.pair_sums(codes, n_each, None)
    owner, within = _clusters(codes, n_each)
    total = zeros(codes, (len(owner), len(owner)))
    for rows in slices(codes.shape[1], len(owner)):
        B = _in_batches(_indicators(codes[:, rows], owner, within))
        total += _products(B, B)
    return total.cpu().numpy()


def count_with(
    labels: Tensor, n_labels: int, codes: Tensor, n_each: NDArray[np.int64]
) -> NDArray[np.int64]:
    """Objects that each label 0..n_labels - 1 shares with each cluster."""
    import torch

    if cuda.runs_on(codes):
        return cuda.sums(codes, n_each, labels, None, n_labels)

    owner, within = _clusters(codes, n_each)
    names = torch.arange(n_labels, device=codes.device)[:, None]
    total = zeros(codes, (n_labels, len(owner)))
    for rows in slices(codes.shape[1], len(owner) + n_labels):
        B = _in_batches(_indicators(codes[:, rows], owner, within))
        total += _products(_in_batches(labels[rows] == names), B)
    return total.cpu().numpy()


def weighted_contingency(
    codes: Tensor, n_each: NDArray[np.int64], weights: Tensor
) -> NDArray[np.int64]:
    """B' diag(weights) B of integers."""
    import torch

    if cuda.runs_on(codes):
        return cuda.pair_sums(codes, n_each, weights)

    owner, within = _clusters(codes, n_each)
    total = zeros(codes, (len(owner), len(owner)))
    bits = _bits(weights)
    for rows in slices(codes.shape[1], 2 * len(owner)):
        B = _in_batches(_indicators(codes[:, rows], owner, within), torch.float64)
        for part, shift in _limbs(weights[rows], bits):
            total += _products(B * part, B) << shift
    return total.cpu().numpy()


def sum_rows(
    codes: Tensor,
    n_each: NDArray[np.int64],
    labels: Tensor,
    weights: Tensor,
    n_clusters: int,
) -> NDArray[np.int64]:
    """Add the integer weight of each object to its cluster, label by label, (k, K)."""
    import torch

    if cuda.runs_on(codes):
        return cuda.sums(codes, n_each, labels, weights, n_clusters)

    owner, within = _clusters(codes, n_each)
    names = torch.arange(n_clusters, device=codes.device)[:, None]
    total = zeros(codes, (n_clusters, len(owner)))
    bits = _bits(weights)
    for rows in slices(codes.shape[1], len(owner) + n_clusters):
        B = _in_batches(_indicators(codes[:, rows], owner, within), torch.float64)
        members = _in_batches(labels[rows] == names, torch.float64)
        for part, shift in _limbs(weights[rows], bits):
            total += _products(members * part, B) << shift
    return total.cpu().numpy()


def sum_labels(labels: Tensor, weights: Tensor, n_clusters: int) -> NDArray[np.int64]:
    """Add the integer weight of each object to its cluster."""
    import torch

    names = torch.arange(n_clusters, device=labels.device)[:, None]
    total = zeros(labels, (n_clusters,))
    bits = _bits(weights)
    for rows in slices(len(labels), n_clusters):
        members = _in_batches(labels[rows] == names, torch.float64)
        for part, shift in _limbs(weights[rows], bits):
            total += _products(members, part)[:, 0] << shift
    return total.cpu().numpy()


def _clusters(codes: Tensor, n_each: NDArray[np.int64]) -> tuple[Tensor, Tensor]:
    """The clustering of each cluster, and its number there."""
    import torch

    owner = np.repeat(np.arange(len(n_each)), n_each)
    within = np.concatenate([np.arange(k) for k in n_each])
    place = torch.as_tensor(within, dtype=codes.dtype, device=codes.device)
    return put(codes, owner), place[:, None]


def _indicators(codes: Tensor, owner: Tensor, within: Tensor) -> Tensor:
    """B', (K, n) of truth values."""
    return codes.index_select(0, owner) == within


def _in_batches(rows: Tensor, dtype: Any = None) -> Tensor:
    """Cut (c, n) into batches (n_batches, c, BATCH), with zeros behind the last.

    Indicators are in half precision by default; PyTorch multiplies that on the CPU
    too, but slowly.
    """
    import torch

    if dtype is None:
        dtype = torch.float16 if rows.is_cuda else torch.float32
    short = -rows.shape[1] % BATCH
    if short:
        rows = torch.nn.functional.pad(rows, (0, short))
    return rows.to(dtype).view(len(rows), -1, BATCH).transpose(0, 1)


def _products(one: Tensor, other: Tensor) -> Tensor:
    """Sum of one @ other' over batches, in integers.

    Batches keep a GPU busy where one product of two long and narrow matrices would
    not, and what they come to is small enough to be exact.
    """
    import torch

    shared = torch.bmm(one, other.mT)
    if shared.dtype != torch.float64:
        return shared.sum(dim=0, dtype=torch.float64).long()
    return shared.long().sum(dim=0)


def _bits(weights: Tensor) -> int:
    """Bits of the largest weight."""
    return int(weights.abs().max()).bit_length() if weights.numel() else 0


def _limbs(weights: Tensor, bits: int) -> Iterator[tuple[Tensor, int]]:
    """Integers cut into pieces, in batches whose sums double precision holds.

    Of a negative integer the last piece is negative: shifts keep the sign.
    """
    import torch

    width = _DOUBLE_BITS - (BATCH - 1).bit_length()
    for shift in range(0, max(bits, 1), width):
        last = shift + width >= bits
        part = weights >> shift
        if not last:
            part &= (1 << width) - 1
        yield _in_batches(part[None], torch.float64), shift
