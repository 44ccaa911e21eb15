"""Slices of objects, and small arrays beside large ones."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = [
    "BATCH",
    "narrowest",
    "put",
    "slices",
    "zeros",
]

# Numbers that a slice of objects may take in one matrix: half a gigabyte of float64.
_CELLS = 1 << 26

# Objects in a slice, at the most.
_ROWS = 1 << 21

# Objects whose sums are one number: half precision holds integers up to this one.
BATCH = 2048

Tensor = Any  # torch is not imported before it is needed


def slices(n: int, width: int) -> Iterator[slice]:
    """Ranges of objects whose matrices of this width are not too large."""
    step = max(BATCH, min(_ROWS, _CELLS // max(width, 1) // BATCH * BATCH))
    for start in range(0, n, step):
        yield slice(start, min(start + step, n))


def put(beside: Tensor, array: NDArray[Any]) -> Tensor:
    """An array of NumPy on the device of a tensor."""
    import torch

    return torch.as_tensor(np.ascontiguousarray(array), device=beside.device)


def zeros(beside: Tensor, shape: tuple[int, ...]) -> Tensor:
    """Integers 0 on the device of a tensor."""
    import torch

    return torch.zeros(shape, dtype=torch.int64, device=beside.device)


def narrowest(largest: int) -> Any:
    """Smallest type of PyTorch that holds 0..largest and that it can compute with."""
    import torch

    if largest <= torch.iinfo(torch.uint8).max:
        return torch.uint8
    return torch.int16 if largest <= torch.iinfo(torch.int16).max else torch.int32
