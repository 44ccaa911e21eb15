"""Ensembles whose labels live on a device, and stay there."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from comitia._arrays import (
    as_tensor,
    device_of,
    require_device_memory,
    to_numpy,
    to_tensor,
)
from comitia._members import check_extremes, check_indices, check_n_clusters
from comitia.blocks import Blocks, LocalBlocks
from comitia.config import require_memory
from comitia.ensemble import Ensemble
from comitia.exceptions import ComitiaError

if TYPE_CHECKING:
    from scipy.sparse import csr_array

    from comitia._kernels.contingency import Tables

__all__ = ["DeviceEnsemble", "ensemble_on"]

# With fewer objects there is nothing to gain from a device: they are brought here. The
# same number as for blocks, so that the labels of a consensus are the same too.
_FEW_OBJECTS = 50_000

# A table of clusters that is not larger need not be sparse: 128 MB.
_CELLS = 1 << 24

# Labels up to this one are counted; larger ones are sorted.
_COUNTED = 1 << 16


class DeviceEnsemble(Ensemble):
    """An ensemble of hard clusterings whose labels live on a device.

    Linear methods work on the labels where they are, and bring back tables of clusters
    and the labels of the consensus, which are those that the same ensemble in memory
    gets. Whatever else asks for :attr:`codes` copies all labels into memory, if the
    memory budget allows it. So does a pickle, which is read as an Ensemble in memory.

    :meth:`Ensemble.on_device` makes one.

    Parameters
    ----------
    codes : tensor of shape (n_clusterings, n_objects)
        Labels 0..k_m - 1 in row m, and k_m where the label is missing, of PyTorch.

    n_clusters_each : ndarray of shape (n_clusterings,)
        Number of clusters of each clustering, k_m.

    kind : {"hard", "partial"}, default=None
        Whether labels are missing; found out by default.

    **names : sequences
        ``groups``, ``object_names`` and ``clustering_names``.
    """

    device_codes: Any  # the tensor

    def __init__(
        self,
        codes: Any,
        n_clusters_each: NDArray[np.int64],
        kind: str | None = None,
        **names: Any,
    ) -> None:
        k = check_n_clusters(n_clusters_each, len(codes))
        found = check_extremes(*_extremes(codes), k)
        if kind not in (None, "partial", found):
            raise ComitiaError(f"kind={kind!r} is not true: the labels are {found}.")
        # Whatever is not of the size of the objects is as in memory.
        about = Ensemble._make(
            np.zeros((len(k), 1), dtype=np.uint8),
            k,
            None,
            groups=names.get("groups"),
            clustering_names=names.get("clustering_names"),
        )
        state = {**about.__dict__, "device_codes": codes, "kind": kind or found}
        del state["codes"]
        self.__dict__.update(state)
        objects = names.get("object_names")
        if objects is not None:
            if len(objects) != self.n_objects:
                raise ComitiaError(
                    "object_names must have one entry per object; got "
                    f"{len(objects)} for {self.n_objects}."
                )
            self.__dict__["object_names"] = np.array([str(name) for name in objects])

    @classmethod
    def from_codes(
        cls, codes: Any, n_clusters_each: ArrayLike, **names: Any
    ) -> DeviceEnsemble:
        """Make an ensemble of labels on a device that are coded already.

        Parameters
        ----------
        codes : tensor of shape (n_clusterings, n_objects)
            Labels 0..k_m - 1 in row m, and k_m where the label is missing. They are
            copied.

        n_clusters_each : array-like of shape (n_clusterings,)
            The number of clusters of each clustering, k_m.

        **names : sequences
            ``groups``, ``object_names`` and ``clustering_names``.

        Returns
        -------
        ensemble : DeviceEnsemble
            The ensemble.
        """
        from comitia._kernels.device import narrowest

        tensor = _integers(codes, "codes")
        k = check_n_clusters(n_clusters_each, len(tensor))
        # Before they are narrowed, which would wrap them.
        check_extremes(*_extremes(tensor), k)
        narrow = tensor.to(narrowest(int(k.max()))).contiguous()
        # What somebody else can write to would change under the kernels.
        owned = narrow.clone() if narrow.data_ptr() == tensor.data_ptr() else narrow
        return cls(owned, k, **names)

    def __repr__(self) -> str:
        return f"{super().__repr__()[:-1]}, device={self.device!r})"

    def __reduce__(self) -> tuple[Any, ...]:
        return _itself, (self.whole,)

    @property
    def device(self) -> str | None:
        """The device that the labels are on."""
        return device_of(self.device_codes)

    @property
    def n_objects(self) -> int:
        """Number of objects, n."""
        return int(self.device_codes.shape[1])

    @property
    def n_clusterings(self) -> int:
        """Number of clusterings, M."""
        return len(self.n_clusters_each)

    @cached_property
    def row_blocks(self) -> Blocks:
        """The ensemble as one block; in memory, when there are few objects."""
        few = self.is_sparse or self.n_objects <= _FEW_OBJECTS
        return LocalBlocks([self.whole if few else self])

    @property
    def is_few(self) -> bool:
        """True when the work is done in memory."""
        return next(iter(self.row_blocks.gather())) is not self

    @cached_property
    def whole(self) -> Ensemble:
        """The same ensemble in memory."""
        codes = self.device_codes
        M, n = codes.shape
        require_memory(
            M * n * codes.element_size(),
            f"the labels of {n} objects in {M} clusterings, which are on a device,",
            "use a method that works there, comitia.methods(on_device=True)",
        )
        host = codes.cpu().numpy()
        if host.dtype == np.int16:
            host = host.view(np.uint16)
        return Ensemble._make(
            # What stays on the CPU is not shared with a tensor that may be written to.
            host.copy() if codes.is_cpu else host,
            self.n_clusters_each,
            None,
            self.kind,
            groups=self.groups,
            clustering_names=self.clustering_names,
            object_names=self.object_names,
        )

    @property
    def codes(self) -> NDArray[Any]:  # type: ignore[override]
        """All labels; copying them is asked of the memory budget."""
        return self.whole.codes

    @property
    def row_codes(self) -> NDArray[Any]:
        """A copy with the labels of each object contiguous, (n, M)."""
        return self.whole.row_codes

    @cached_property
    def sizes(self) -> NDArray[Any]:
        """Size of each cluster."""
        counted = [
            to_numpy(codes.bincount(minlength=k + 1)[:k])
            for codes, k in zip(
                self.device_codes, self.n_clusters_each.tolist(), strict=True
            )
        ]
        return np.concatenate(counted)

    @cached_property
    def n_votes(self) -> NDArray[np.int64]:
        """In how many clusterings each object is clustered."""
        if self.kind == "hard":
            # One number that is read n times: nothing of that size is made.
            return np.broadcast_to(np.int64(self.n_clusterings), (self.n_objects,))
        return to_numpy(self._votes().long())

    @property
    def uncovered(self) -> NDArray[np.int64]:
        """The objects that are in no clustering."""
        if self.kind == "hard":
            return np.empty(0, dtype=np.int64)
        return to_numpy((self._votes() == 0).nonzero()[:, 0])

    def _votes(self) -> Any:
        votes = self.device_codes.new_zeros(self.n_objects).int()
        for codes, k in zip(self.device_codes, self.n_clusters_each, strict=True):
            votes += codes != int(k)
        return votes

    @cached_property
    def _contingency(self) -> csr_array:
        from scipy.sparse import csr_array

        # With very many clusters a table of all of them is mostly zeros.
        if self.is_few or self.n_clusters**2 > max(8 * self.n_objects, _CELLS):
            return self.whole.contingency()
        return csr_array(self._tables.astype(np.float64))

    @cached_property
    def _tables(self) -> NDArray[np.int64]:
        """Every table in one matrix, B'B."""
        from comitia._kernels.device import count_pairs

        K = self.n_clusters
        require_device_memory(
            K * K, f"the table of the objects that {K} clusters share", self.device
        )
        return count_pairs(self.device_codes, self.n_clusters_each)

    def count_tables(self) -> Iterator[Tables]:
        """Count the table of every two different clusterings.

        Yields
        ------
        tables : Tables
            Each pair of clusterings comes once.
        """
        from comitia._kernels.contingency import tables_of

        yield from tables_of(self._tables, self.n_clusters_each, self.offsets)

    def split(self, rows: Any) -> Blocks:
        """Put an array beside the labels.

        Parameters
        ----------
        rows : ndarray or tensor of shape (n_objects, ...)
            One row for each object.

        Returns
        -------
        blocks : Blocks
            The array, where the labels are.
        """
        if self.is_few:
            return LocalBlocks([to_numpy(rows)])
        return LocalBlocks([to_tensor(rows, self.device)])

    def take(
        self, clusterings: ArrayLike | None = None, objects: ArrayLike | None = None
    ) -> Ensemble:
        """A smaller ensemble.

        Parameters
        ----------
        clusterings : array-like of int or bool, default=None
            The clusterings to keep, in this order; all by default.

        objects : array-like of int or bool, default=None
            The objects to keep, in this order; all by default.

        Returns
        -------
        ensemble : Ensemble
            On the device when all objects are kept, in memory otherwise.
        """
        if objects is not None:
            return self.whole.take(clusterings, objects)
        which = check_indices(clusterings, self.n_clusterings, "clusterings")
        names: dict[str, Any] = {
            name: None if value is None else value[which]
            for name, value in (
                ("groups", self.groups),
                ("clustering_names", self.clustering_names),
            )
        }
        return DeviceEnsemble(
            self.device_codes[which.tolist()],
            self.n_clusters_each[which],
            object_names=self.object_names,
            **names,
        )

    @cached_property
    def _distinct(self) -> Any:
        return self.whole.distinct()


def ensemble_on(labels: Any, device: str | None, **names: Any) -> DeviceEnsemble:
    """Make an ensemble whose labels are on a device.

    Parameters
    ----------
    labels : Ensemble, tensor of shape (n_objects, n_clusterings), or array-like
        An ensemble of hard clusterings; or labels 0 or more of PyTorch or CuPy, with -1
        for "not clustered here"; or whatever an Ensemble is made of.

    device : str or None
        As ``fit`` takes it; None leaves a tensor where it is.

    **names : sequences
        ``groups``, ``object_names`` and ``clustering_names``.

    Returns
    -------
    ensemble : DeviceEnsemble
        The ensemble.
    """
    if device is not None and (device == "array_api_strict" or "mps" in device):
        raise ComitiaError(
            f"device={device!r} cannot add up labels, which takes PyTorch and double "
            'precision; give "cuda", "cupy" or "torch".'
        )
    if isinstance(labels, DeviceEnsemble):
        return _elsewhere(labels, device)
    if device is None and device_of(labels) is None:
        raise ComitiaError(
            'device=None leaves labels where they are, in memory; name one: "cuda".'
        )
    if device_of(labels) is None:
        return _moved(labels, device, **names)
    tensor = _integers(to_tensor(labels, device), "labels")
    columns, k = zip(
        *(_encode(tensor[:, m], m) for m in range(tensor.shape[1])), strict=True
    )
    return DeviceEnsemble(_stacked(columns, max(k)), np.array(k), **names)


def _elsewhere(ensemble: DeviceEnsemble, device: str | None) -> DeviceEnsemble:
    codes = to_tensor(ensemble.device_codes, device)
    if codes.device == ensemble.device_codes.device:
        return ensemble
    return DeviceEnsemble(
        codes,
        ensemble.n_clusters_each,
        ensemble.kind,
        groups=ensemble.groups,
        object_names=ensemble.object_names,
        clustering_names=ensemble.clustering_names,
    )


def _moved(labels: Any, device: str | None, **names: Any) -> DeviceEnsemble:
    ensemble = labels if isinstance(labels, Ensemble) else Ensemble(labels, **names)
    if not ensemble.is_hard:
        raise ComitiaError(
            f"the ensemble is {ensemble.kind}; only hard and partial clusterings "
            "can be put on a device."
        )
    codes = ensemble.codes
    if codes.dtype == np.uint16:
        # PyTorch computes with few unsigned types.
        small = ensemble.n_clusters_each.max() <= np.iinfo(np.int16).max
        codes = codes.astype(np.int16 if small else np.int32)
    made = DeviceEnsemble(
        to_tensor(codes, device),
        ensemble.n_clusters_each,
        ensemble.kind,
        groups=ensemble.groups,
        object_names=ensemble.object_names,
        clustering_names=ensemble.clustering_names,
    )
    made.__dict__["whole"] = ensemble  # who asks for a copy need not wait for one
    return made


def _extremes(codes: Any) -> tuple[NDArray[Any], NDArray[Any]]:
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
    if most < _COUNTED:
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


def _stacked(columns: Any, largest: int) -> Any:
    import torch

    from comitia._kernels.device import narrowest

    dtype = narrowest(largest)
    return torch.stack([column.to(dtype) for column in columns])


def _itself(ensemble: Ensemble) -> Ensemble:
    return ensemble
