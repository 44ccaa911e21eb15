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

# Times at which the series of a cluster are drawn, at most.
_TIMES = 100

# Silhouettes of more objects are those of a sample of this size.
_SILHOUETTES = 2000


def collect_details(
    estimator: Any,
    data: Floats | None,
    units: Floats | None,
    names: Sequence[str],
    profile: Profile | None,
    umap: dict[str, bool] | None,
    series: Any = None,
) -> dict[str, NDArray[Any]]:
    """The tree, features that tell most, silhouettes, a second map, series, if any."""
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
    if series is not None:
        details["series"] = _series_quartiles(series, labels)
    return details


def _series_quartiles(series: Any, labels: NDArray[Any]) -> NDArray[np.float32]:
    """Quartiles of each cluster over time: (clusters, 3, channels, times)."""
    from comitia._inputs import check_series
    from comitia.generate.series_features import resampled_values

    series = check_series(series)
    n_times = min(max(one.shape[1] for one in series), _TIMES)
    values = resampled_values(series, n_pieces=n_times)
    values = values.reshape(len(series), len(series[0]), n_times)
    quartiles = [
        np.quantile(values[labels == c], [0.25, 0.5, 0.75], axis=0)
        for c in range(labels.max() + 1)
    ]
    return np.array(quartiles, dtype=np.float32)


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
    p = details["column_names"].size if "column_names" in details else 0
    known: dict[str, tuple[str, tuple[int, ...]]] = {
        "linkage": ("f", (n - 1, 4)),
        "columns": ("f", (n, p)),
        "column_names": ("U", (p,)),
        "silhouettes": ("f", (n,)),
        "umap": ("f", (n, 2)),
    }
    for name, values in details.items():
        kind, shape = known.get(name, (values.dtype.kind, values.shape))
        if values.dtype.kind != kind or values.shape != shape:
            raise ValueError(f"{name} in details.npz does not fit the ensemble")
    if "linkage" in details and not _is_tree(details["linkage"], n):
        raise ValueError("linkage in details.npz is no tree of the objects")
    series = details.get("series")
    if series is not None and (
        series.dtype.kind != "f" or series.ndim != 4 or series.shape[1] != 3
    ):
        raise ValueError("series in details.npz is no array of quartiles")
    return details


def _is_tree(linkage: Floats, n: int) -> bool:
    """Whether each merge takes two clusters that are there, and none is taken twice."""
    pairs, made = linkage[:, :2], n + np.arange(n - 1)[:, None]
    are_there = (pairs == np.rint(pairs)) & (pairs >= 0) & (pairs < made)
    alone = len(np.unique(pairs)) == pairs.size
    return bool(are_there.all() and alone and not np.isnan(linkage).any())
