"""Views of the same objects: non-negative, in common units, and without holes."""

from __future__ import annotations

from importlib import import_module
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from comitia._arrays import floats_on, to_device
from comitia._steps import check_choice
from comitia.exceptions import ComitiaError

__all__ = [
    "balance_view",
    "graph_on",
    "impute_views",
    "presence_weights",
    "row_scale",
    "scale_view",
    "view_limits",
]

Floats = NDArray[np.float64]


def scale_view(
    X: ArrayLike,
    scale: str | None = "minmax",
    *,
    limits: tuple[Floats, Floats] | None = None,
) -> Floats:
    """Make a view non-negative; rows of NaN stay rows of NaN.

    ``scale="minmax"`` brings each feature to [0, 1], ``"shift"`` takes its minimum off,
    None refuses negative numbers. Values below given ``limits`` become 0.
    """
    data = np.asarray(X, dtype=np.float64)
    low, width = view_limits(data, scale) if limits is None else limits
    return np.maximum((data - low) / width, 0.0)


def view_limits(X: ArrayLike, scale: str | None) -> tuple[Floats, Floats]:
    """What :func:`scale_view` takes off each feature, and what it divides by."""
    check_choice("scale", scale, ("minmax", "shift", None))
    data = np.asarray(X, dtype=np.float64)
    present = data[~np.isnan(data[:, 0])]
    if len(present) == 0:
        raise ComitiaError("the view has no object at all; leave it out.")
    low, one = present.min(axis=0), np.ones(data.shape[1])
    if scale is None:
        if (low < 0).any():
            raise ComitiaError(
                f"the views have negative numbers, the smallest is {low.min():g}, and "
                'the factors are non-negative; give scale="minmax" or scale="shift".'
            )
        return np.zeros(data.shape[1]), one
    width = present.max(axis=0) - low if scale == "minmax" else one
    return low, np.where(width > 0, width, 1.0)


def row_scale(X: ArrayLike) -> float:
    r"""Root mean square length of the rows, :math:`\|X\|_F / \sqrt{n}`."""
    data = np.asarray(X, dtype=np.float64)
    present = data[~np.isnan(data[:, 0])]
    length = float(np.sqrt((present**2).sum() / max(len(present), 1)))
    return length if length > 0 else 1.0


def balance_view(X: ArrayLike) -> Floats:
    """A view about its mean, with the total variance one: all views count alike."""
    data = np.asarray(X, dtype=np.float64)
    centered = data - data.mean(axis=0)
    return np.asarray(centered / row_scale(centered))


def impute_views(
    views: list[Floats] | tuple[Floats, ...], means: list[Floats] | None = None
) -> list[Floats]:
    """Fill the rows that a view does not have with the means of its columns."""
    if means is None:
        means = [X[~np.isnan(X[:, 0])].mean(axis=0) for X in views]
    return [
        np.where(np.isnan(X[:, :1]), mean, X)
        for X, mean in zip(views, means, strict=True)
    ]


def presence_weights(
    present: NDArray[np.bool_], shares: ArrayLike | None = None
) -> Floats:
    r"""How much each object counts in each view.

    An object that the view has counts 1, one that was filled in counts as much as the
    share of objects that the view has:

    .. math::
        W_{im} = \begin{cases} 1 & i \text{ is in view } m, \\
        n_m / n & \text{otherwise.} \end{cases}
    """
    share = present.mean(axis=0) if shares is None else np.asarray(shares, np.float64)
    return np.where(present, 1.0, share)


def graph_on(S: Any, device: str | None) -> tuple[Any, Any]:
    """Put a sparse graph on a device.

    The standard knows no sparse arrays; those of the device's library do, as far as
    ``S @ U`` goes, which is all that is needed.
    """
    degrees = floats_on(np.asarray(S.sum(axis=1)).ravel(), device)
    if device is None:
        return S, degrees
    values = floats_on(S.data, device)
    if device == "cupy":
        sparse = import_module("cupyx.scipy.sparse")
        indices, indptr = to_device(S.indices, device), to_device(S.indptr, device)
        return sparse.csr_matrix((values, indices, indptr), shape=S.shape), degrees
    if device == "array_api_strict":
        return floats_on(S.toarray(), device), degrees
    import torch

    rows = np.repeat(np.arange(S.shape[0]), np.diff(S.indptr))
    places = to_device(np.stack([rows, S.indices]).astype(np.int64), device)
    # Checked once, here; PyTorch warns of graphs that were not.
    edges = torch.sparse_coo_tensor(
        places, values, S.shape, is_coalesced=True, check_invariants=True
    )
    return edges, degrees
