"""What the report draws of each object besides its cluster, kept with the result."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from comitia._files import read_arrays
from comitia.display.cluster_profiles import Profile
from comitia.display.object_map import UMAP_OBJECTS, umap_places

__all__ = ["collect_details", "read_details"]

Floats = NDArray[np.float64]

# Features whose values are kept, by which the objects of the map can be coloured.
_COLUMNS = 12

# Silhouettes of more objects are those of a sample of this size.
_SILHOUETTES = 2000


def collect_details(
    estimator: Any,
    data: Floats | None,
    units: Floats | None,
    names: Sequence[str],
    profile: Profile | None,
    umap: dict[str, bool] | None,
) -> dict[str, NDArray[Any]]:
    """The tree, the features that tell most, silhouettes and a second map, if any."""
    labels = np.asarray(estimator.labels_)
    details: dict[str, NDArray[Any]] = {}
    tree = getattr(estimator, "linkage_", None)
    if tree is not None and np.shape(tree) == (len(labels) - 1, 4):
        details["linkage"] = np.asarray(tree, dtype=np.float64)
    if units is not None and profile is not None and len(names) == units.shape[1]:
        first = np.argsort(-profile.explained, kind="stable")[:_COLUMNS]
        details["columns"] = np.asarray(units[:, first], dtype=np.float32)
        details["column_names"] = np.array([names[j] for j in first], dtype=np.str_)
    if data is not None:
        values = _silhouettes(data, labels)
        if values is not None:
            details["silhouettes"] = values
        if umap is not None and len(data) in UMAP_OBJECTS:
            details["umap"] = umap_places(data, **umap)
    return details


def _silhouettes(data: Floats, labels: NDArray[Any]) -> NDArray[np.float32] | None:
    """The silhouette of each object of a sample; NaN for the others."""
    from sklearn.metrics import silhouette_samples

    chosen = np.arange(len(labels))
    if len(labels) > _SILHOUETTES:
        rng = np.random.RandomState(0)
        chosen = np.sort(rng.choice(len(labels), _SILHOUETTES, replace=False))
    if not 1 < len(np.unique(labels[chosen])) < len(chosen):
        return None
    values = np.full(len(labels), np.nan, dtype=np.float32)
    values[chosen] = silhouette_samples(data[chosen], labels[chosen])
    return values


def read_details(path: Path, n: int) -> dict[str, NDArray[Any]]:
    """Read what a result kept; results of older versions have none."""
    if not path.exists():
        return {}
    details = read_arrays(path)
    rows = {"linkage": n - 1, "columns": n, "silhouettes": n, "umap": n}
    for name, values in details.items():
        if len(values) != rows.get(name, len(values)):
            raise ValueError(f"{name} in details.npz does not fit the ensemble")
    return details
