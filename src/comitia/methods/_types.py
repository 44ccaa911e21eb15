"""Types that the constructor and the steps of every method have."""

from __future__ import annotations

from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from comitia.ensemble import Ensemble
from comitia.partition.linkage import Linkage

__all__ = ["Array", "Data", "Ensemble", "Linkage", "Maker", "Rng", "Seed"]

Array: TypeAlias = NDArray[Any]

# What ``fit`` is given, checked: a table, views, series, a graph, or None where a
# method is given clusterings alone. The card of a method says which.
Data: TypeAlias = Any

# Has ``generate(X)``, and ``transform(X)`` where its members can label new objects.
Maker: TypeAlias = Any

Rng: TypeAlias = np.random.RandomState
Seed: TypeAlias = int | np.random.RandomState | np.random.Generator | None
