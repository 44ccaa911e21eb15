"""Which rows of labels are different, and the names of labels."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from comitia._kernels.device import cuda
from comitia._kernels.device._slices import narrowest, put, zeros

__all__ = [
    "distinct_rows",
    "in_order",
]

Tensor = Any  # torch is not imported before it is needed


def distinct_rows(
    codes: Tensor, n_each: NDArray[np.int64], most: int, glance: int
) -> tuple[Tensor, Tensor, Tensor] | None:
    """Find the different rows of labels, if they are ``most`` or fewer, or None.

    First object of each row, in the order of appearance; row of each object; objects of
    each row. With more different rows among the first ``glance`` objects the others are
    not looked at.
    """
    n = codes.shape[1]
    if n > glance and _distinct(codes[:, :glance], n_each, most) is None:
        return None
    return _distinct(codes, n_each, most)


def _distinct(
    codes: Tensor, n_each: NDArray[np.int64], most: int
) -> tuple[Tensor, Tensor, Tensor] | None:
    found = None
    key, room = zeros(codes, codes.shape[1:]), 1
    for row, k in zip(codes, n_each.tolist(), strict=True):
        if room > (1 << 62) // (k + 1):
            # Labels so far as the number of their row, which leaves room for more.
            found = _grouped(key)
            if len(found[0]) > most:
                return None
            key, room = found[1], len(found[0])
        key = key * (k + 1) + row
        room *= k + 1
    found = _grouped(key)
    return found if len(found[0]) <= most else None


def _grouped(key: Tensor) -> tuple[Tensor, Tensor, Tensor]:
    """Number equal keys in the order of appearance: first places, numbers, counts."""
    import torch

    keys, order = torch.sort(key, stable=True)
    begins = torch.ones_like(keys, dtype=torch.bool)
    torch.ne(keys[1:], keys[:-1], out=begins[1:])
    at = begins.nonzero()[:, 0]
    counts = torch.diff(at, append=at.new_tensor([len(keys)]))
    # The sort is stable: the first of equals stands first.
    first, appearance = order[at].sort()
    number = torch.empty_like(appearance)
    number[appearance] = torch.arange(len(at), device=key.device)
    inverse = torch.empty_like(key)
    inverse[order] = number[begins.cumsum(0) - 1]
    return first, inverse, counts[appearance]


def in_order(labels: Tensor) -> tuple[NDArray[np.int32], int]:
    """Number labels in the order of their first appearance, and bring them back.

    Labels are 0 or more, and small. How many occur comes with them.
    """
    import torch

    sizes = labels.bincount().cpu().numpy()
    used = np.flatnonzero(sizes)
    if labels.dtype == torch.int32 and cuda.runs_on(labels):
        order = cuda.first_places(labels, len(sizes))[used].argsort()
    else:
        found = [(labels == int(r)).to(torch.uint8).argmax() for r in used]
        order = torch.stack(found).cpu().numpy().argsort()
    numbers = np.zeros(len(sizes), dtype=np.int64)
    numbers[used[order]] = np.arange(len(used))
    narrow = put(labels, numbers).to(narrowest(len(sizes)))
    # Narrow over the bus, and wide again where they arrive.
    return narrow[labels.long()].cpu().numpy().astype(np.int32), len(used)
