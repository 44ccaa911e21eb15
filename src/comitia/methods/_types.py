"""Short names for the types that every method's steps have."""

from __future__ import annotations

from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from comitia.partition.linkage import Linkage

__all__ = ["Array", "Data", "Linkage", "Rng"]

Array: TypeAlias = NDArray[Any]

# What ``fit`` is given, checked: a table, views, series, a graph, or None where a
# method is given clusterings alone. The card of a method says which.
Data: TypeAlias = Any

Rng: TypeAlias = np.random.RandomState
