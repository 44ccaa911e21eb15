"""Labels on a device: checked, coded and moved there."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from comitia import sizes
from comitia._arrays import as_tensor, check_device, device_of, to_numpy, to_tensor
from comitia._members import check_extremes, check_n_clusters
from comitia.exceptions import ComitiaError

if TYPE_CHECKING:
    from comitia.ensemble import Ensemble

__all__ = ["check_place", "encode_on_device", "extremes", "moved", "own_codes"]

Tensor = Any


def check_place(labels: Any, device: str | None) -> str | None:
    """Check that labels can be added up on a device, and name it.

    ``device`` is what ``fit`` takes; None leaves a tensor where it is.
    """
    device = check_device(device)
    if device is not None and (device == "array_api_strict" or "mps" in device):
        raise ComitiaError(
            f"device={device!r} cannot add up labels, which takes PyTorch and double "
            'precision; give "cuda", "cupy" or "torch".'
        )
    there = getattr(labels, "device", None) if device_of(labels) is None else labels
    if device is None and there is None:
        raise ComitiaError(
            'device=None leaves labels where they are, in memory; name one: "cuda".'
        )
    return device


def encode_on_device(
    labels: Any, device: str | None
) -> tuple[Tensor, NDArray[np.int64]]:
    """Code labels on a device as an Ensemble in memory codes them.

    Labels, (n_objects, n_clusterings), are 0 or more, and -1 for "not clustered here".
    Codes, (n_clusterings, n_objects), are 0..k_m - 1, and k_m where there is none; the
    k_m come with them. None as a device leaves them where they are.
    """
    import torch

    from comitia._kernels.device import narrowest

    tensor = _integers(to_tensor(labels, device), "labels")
    columns, k = zip(
        *(_encode(tensor[:, m], m) for m in range(tensor.shape[1])), strict=True
    )
    dtype = narrowest(max(k))
    return torch.stack([column.to(dtype) for column in columns]), np.array(k)


def moved(ensemble: Ensemble, device: str | None) -> Tensor:
    """The labels of an ensemble of hard clusterings on a device, or on another one."""
    if not ensemble.is_hard:
        raise ComitiaError(
            f"the ensemble is {ensemble.kind}; only hard and partial clusterings "
            "can be put on a device."
        )
    if ensemble.device is not None:
        return to_tensor(ensemble.storage.codes, device)
    codes = ensemble.codes
    if codes.dtype == np.uint16:
        # PyTorch computes with few unsigned types.
        small = ensemble.n_clusters_each.max() <= np.iinfo(np.int16).max
        codes = codes.astype(np.int16 if small else np.int32)
    return to_tensor(codes, device)


def own_codes(codes: Any, n_clusters_each: ArrayLike) -> Tensor:
    """Check labels on a device that are coded already, and copy them.

    They are in the narrowest type, and nobody else can write to them.
    """
    from comitia._kernels.device import narrowest

    tensor = _integers(codes, "codes")
    k = check_n_clusters(n_clusters_each, len(tensor))
    # Before they are narrowed, which would wrap them.
    check_extremes(*extremes(tensor), k)
    narrow = tensor.to(narrowest(int(k.max()))).contiguous()
    return narrow.clone() if narrow.data_ptr() == tensor.data_ptr() else narrow


def extremes(codes: Tensor) -> tuple[NDArray[Any], NDArray[Any]]:
    """The smallest and the largest code of each clustering; zeros of no objects."""
    if codes.shape[1] == 0:
        none = np.zeros(len(codes), dtype=np.int64)
        return none, none
    least, most = codes.aminmax(dim=1)
    return to_numpy(least), to_numpy(most)


def _integers(array: Any, argument: str) -> Any:
    """Check a table of integers on a device."""
    tensor = as_tensor(array)
    integers = not tensor.dtype.is_floating_point and not tensor.dtype.is_complex
    if tensor.ndim != 2 or 0 in tensor.shape or not integers:
        raise ComitiaError(
            f"{argument} must be integers in two dimensions, objects and clusterings; "
            f"got {tensor.dtype} of shape {tuple(tensor.shape)}."
        )
    return tensor


def _encode(column: Any, m: int) -> tuple[Any, int]:
    """Code one label vector as 0..k-1, with k for what is missing, as in memory."""
    import torch

    from comitia._kernels.device import narrowest

    least, most = (int(part) for part in column.aminmax())
    if least < -1:
        raise ComitiaError(
            f"labels of clustering {m} contain {least}; labels are 0 or more, and -1 "
            "for objects that are not clustered."
        )
    if most < 0:
        raise ComitiaError(f"labels of clustering {m} are all missing; leave it out.")
    if most < sizes.FEW_VALUES:
        place = column.to(torch.int32) + 1
        used = torch.bincount(place, minlength=most + 2)[1:] > 0
        k = int(used.sum())
        codes = torch.full((most + 2,), k, dtype=torch.int32, device=column.device)
        codes[1:][used] = torch.arange(k, dtype=torch.int32, device=column.device)
        return codes.to(narrowest(k))[place], k
    values = torch.unique(column)
    values = values[values >= 0]
    k = len(values)
    found = torch.searchsorted(values, column.contiguous())
    return torch.where(column < 0, k, found).to(narrowest(k)), k
