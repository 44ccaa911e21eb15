"""Where the labels of an ensemble are kept: in memory, mapped, on a device, in blocks.

A storage is a field of an :class:`~comitia.ensemble.Ensemble`. It says how many objects
there are, brings all labels into memory when somebody asks for them, hands out row
blocks, and knows which engine adds up its labels.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from comitia import _store, sizes
from comitia._arrays import device_of
from comitia._members import check_codes, check_extremes, check_n_clusters, frozen
from comitia.config import require_memory
from comitia.engine.row_blocks import Blocks, LocalBlocks
from comitia.exceptions import ComitiaError, EnsembleFileError

if TYPE_CHECKING:
    from comitia.engine.protocol import Engine
    from comitia.ensemble import Ensemble

__all__ = ["InBlocks", "InMemory", "Mapped", "OnDevice", "Storage"]


class Storage(ABC):
    """Where the labels of an ensemble are kept."""

    # Whether ``codes`` are a NumPy array of this process.
    is_local: bool = True
    # Whether the codes are known to be labels of their clusters.
    is_sound: bool = False
    device: str | None = None

    @property
    @abstractmethod
    def n_objects(self) -> int:
        """Number of objects."""

    @property
    @abstractmethod
    def codes(self) -> Any:
        """The labels, (n_clusterings, n_objects)."""

    @property
    def row_codes(self) -> NDArray[Any]:
        """A copy with the labels of each object contiguous, (n_objects, M)."""
        return np.ascontiguousarray(self.codes.T)

    def check(self, n_clusters_each: NDArray[np.int64]) -> str | None:
        """Check that the labels are labels of so many clusters.

        Parameters
        ----------
        n_clusters_each : ndarray of int64 of shape (n_clusterings,)
            The number of clusters of each clustering.

        Returns
        -------
        kind : {"hard", "partial"} or None
            Whether labels are missing; None where they are checked when they are
            first read, or are known to fit.
        """
        return None

    def read(self, ensemble: Ensemble) -> NDArray[Any]:
        """All labels in memory.

        Parameters
        ----------
        ensemble : Ensemble
            Whose labels they are.

        Returns
        -------
        codes : ndarray of shape (n_clusterings, n_objects)
            The labels, if the memory budget allows it.
        """
        return np.asarray(self.codes)

    def blocks(self, ensemble: Ensemble) -> Blocks:
        """The row blocks of an ensemble.

        Parameters
        ----------
        ensemble : Ensemble
            Whose labels are kept here.

        Returns
        -------
        blocks : Blocks of Ensemble
            One, the ensemble itself, where nothing else is said.
        """
        return LocalBlocks([ensemble])

    def rows_each(self) -> list[int]:
        """Objects of each row block.

        Returns
        -------
        n_rows : list of int
            Their numbers.
        """
        return [self.n_objects]

    @abstractmethod
    def engine(self, ensemble: Ensemble) -> Engine:
        """What adds up these labels.

        Parameters
        ----------
        ensemble : Ensemble
            Whose labels are kept here.

        Returns
        -------
        engine : Engine
            The engine.
        """


class InMemory(Storage):
    """Labels in an array.

    Parameters
    ----------
    codes : ndarray of shape (n_clusterings, n_objects)
        The labels; they are frozen.

    compiled : bool, default=False
        Whether sums are compiled however few labels there are: those of a part must
        not be added up differently from those of the whole.
    """

    def __init__(self, codes: NDArray[Any], compiled: bool = False) -> None:
        self._codes = codes
        self._row_codes: NDArray[Any] | None = None
        self.compiled = compiled

    def __reduce__(self) -> tuple[Any, ...]:
        # What is read from a pickle is checked again.
        return InMemory, (self._codes, self.compiled)

    def check(self, n_clusters_each: NDArray[np.int64]) -> str | None:
        """Check the labels, and keep them from being written to.

        Parameters
        ----------
        n_clusters_each : ndarray of int64 of shape (n_clusterings,)
            The number of clusters of each clustering.

        Returns
        -------
        kind : {"hard", "partial"} or None
            Whether labels are missing; None where they are known to fit.
        """
        kind = None
        if self.is_sound:
            self._codes = np.ascontiguousarray(self._codes)
        else:
            self._codes, _, kind = check_codes(
                self._codes, n_clusters_each, least_objects=0
            )
        frozen(self._codes)
        self.is_sound = True
        return kind

    @property
    def n_objects(self) -> int:
        """Number of objects."""
        return int(self._codes.shape[1])

    @property
    def codes(self) -> NDArray[Any]:
        """The labels, (n_clusterings, n_objects)."""
        return self._codes

    @property
    def row_codes(self) -> NDArray[Any]:
        """A copy with the labels of each object contiguous, made once."""
        if self._row_codes is None:
            self._row_codes = frozen(np.ascontiguousarray(self._codes.T))
        return self._row_codes

    def engine(self, ensemble: Ensemble) -> Engine:
        """Sparse products for memberships and few labels, kernels for the others.

        Parameters
        ----------
        ensemble : Ensemble
            Whose labels are kept here.

        Returns
        -------
        engine : Engine
            The engine.
        """
        if ensemble.is_hard and (self.compiled or not _is_small(*self._codes.shape)):
            from comitia.engine.compiled import CompiledEngine

            return CompiledEngine(ensemble)
        from comitia.engine.sparse import SparseEngine

        return SparseEngine(ensemble)


class Mapped(Storage):
    """Labels of one block of a folder, mapped into memory while they are used.

    Copies that travel to other processes carry the path, not the labels.

    Parameters
    ----------
    folder : Folder
        What the folder says of all its blocks.

    number : int
        Of the block, from 0.
    """

    def __init__(self, folder: _store.Folder, number: int) -> None:
        self.folder = folder
        self.number = number
        self._checked: tuple[int, int] | None = None  # the version that was checked

    def __reduce__(self) -> tuple[Any, ...]:
        return Mapped, (self.folder, self.number)

    @property
    def n_objects(self) -> int:
        """Number of objects."""
        return self.folder.n_rows[self.number]

    @property
    def codes(self) -> NDArray[Any]:
        """The labels, (n_clusterings, n_rows), mapped as long as they are used.

        They are checked when they are first read, and again when the file changed.
        """
        path = self.folder.block(self.number)
        version = _store.version_of(path)
        if self._checked == version:
            shape = len(self.folder.n_clusters_each), self.n_objects
            return _store.map_block(path, self.folder.dtype, shape)
        codes, kind = self.folder.read(self.number)
        if kind == "partial" and self.folder.kind == "hard":
            raise EnsembleFileError(
                f"{path} is damaged: labels are missing in a folder of hard ones."
            )
        self._checked = version
        return codes

    def engine(self, ensemble: Ensemble) -> Engine:
        """Kernels: how sums are done must not depend on the size of blocks.

        Parameters
        ----------
        ensemble : Ensemble
            Whose labels are kept here.

        Returns
        -------
        engine : CompiledEngine
            The engine.
        """
        from comitia.engine.compiled import CompiledEngine

        return CompiledEngine(ensemble)


class OnDevice(Storage):
    """Labels in a tensor of PyTorch.

    Parameters
    ----------
    codes : tensor of shape (n_clusterings, n_objects)
        The labels.
    """

    is_local = False

    def __init__(self, codes: Any) -> None:
        self._codes = codes

    def __reduce__(self) -> tuple[Any, ...]:
        # A pickle is read where there may be no device.
        return InMemory, (self._host(),)

    @property
    def device(self) -> str | None:  # type: ignore[override]
        """The device that the labels are on."""
        return device_of(self._codes)

    @property
    def n_objects(self) -> int:
        """Number of objects."""
        return int(self._codes.shape[1])

    @property
    def codes(self) -> Any:
        """The labels, a tensor of shape (n_clusterings, n_objects)."""
        return self._codes

    def check(self, n_clusters_each: NDArray[np.int64]) -> str | None:
        """Check that the labels are labels of so many clusters.

        Parameters
        ----------
        n_clusters_each : ndarray of int64 of shape (n_clusterings,)
            The number of clusters of each clustering.

        Returns
        -------
        kind : {"hard", "partial"} or None
            Whether labels are missing; None where they are known to fit.
        """
        if self.is_sound:
            return None
        from comitia.device_labels import extremes

        k = check_n_clusters(n_clusters_each, len(self._codes))
        self.is_sound = True
        return check_extremes(*extremes(self._codes), k)

    def read(self, ensemble: Ensemble) -> NDArray[Any]:
        """Copy all labels into memory.

        Parameters
        ----------
        ensemble : Ensemble
            Whose labels they are.

        Returns
        -------
        codes : ndarray of shape (n_clusterings, n_objects)
            The labels, if the memory budget allows it.
        """
        M, n = self._codes.shape
        require_memory(
            M * n * self._codes.element_size(),
            f"the labels of {n} objects in {M} clusterings, which are on a device,",
            "use a method that works there, comitia.methods(on_device=True)",
        )
        return self._host()

    def _host(self) -> NDArray[Any]:
        host: NDArray[Any] = self._codes.cpu().numpy()
        if host.dtype == np.int16:  # PyTorch computes with few unsigned types
            host = host.view(np.uint16)
        # What stays on the CPU is not shared with a tensor that may be written to.
        return host.copy() if self._codes.is_cpu else host

    def blocks(self, ensemble: Ensemble) -> Blocks:
        """The ensemble as one block; in memory, when there are few objects.

        Parameters
        ----------
        ensemble : Ensemble
            Whose labels are kept here.

        Returns
        -------
        blocks : LocalBlocks
            The block.
        """
        few = _is_few(*self._codes.shape)
        return LocalBlocks([ensemble.whole if few else ensemble])

    def engine(self, ensemble: Ensemble) -> Engine:
        """Sums where the labels are.

        Parameters
        ----------
        ensemble : Ensemble
            Whose labels are kept here.

        Returns
        -------
        engine : DeviceEngine
            The engine.
        """
        from comitia.engine.device import DeviceEngine

        return DeviceEngine(ensemble)


class InBlocks(Storage):
    """Labels in row blocks that stay where they are: on disk, or with workers.

    Parameters
    ----------
    blocks : Blocks of Ensemble
        With the same clusters, in the order of the objects.

    n_rows : list of int
        Objects of each block.

    source : str
        Where the labels are, for messages.
    """

    is_local = False

    def __init__(self, blocks: Blocks, n_rows: list[int], source: str) -> None:
        self._blocks = blocks
        self.n_rows = [int(n) for n in n_rows]
        self.source = source

    def __reduce__(self) -> tuple[Any, ...]:
        raise ComitiaError(
            "an ensemble in blocks is not pickled; open its folder again, or read it "
            "whole with Ensemble.load."
        )

    @property
    def n_objects(self) -> int:
        """Number of objects."""
        return sum(self.n_rows)

    @property
    def codes(self) -> Any:
        """Not here: what works on the labels works on blocks, or reads them."""
        raise ComitiaError(f"the labels are in {self.source}; read them first.")

    def read(self, ensemble: Ensemble) -> NDArray[Any]:
        """Read the labels of all blocks.

        Parameters
        ----------
        ensemble : Ensemble
            Whose labels they are.

        Returns
        -------
        codes : ndarray of shape (n_clusterings, n_objects)
            The labels, if the memory budget allows it.
        """
        M, n = ensemble.n_clusterings, self.n_objects
        require_memory(
            M * n * (1 + (ensemble.n_clusters_each.max() > 255)),
            f"the labels of {n} objects in {M} clusterings",
            "use a method that works on row blocks, comitia.methods(scales='linear')",
        )
        codes: NDArray[Any] | None = None
        start = 0
        for part in self._blocks.map(_codes_of).gather():
            if codes is None:
                codes = np.empty((M, n), dtype=part.dtype)
            codes[:, start : start + part.shape[1]] = part
            start += part.shape[1]
        assert codes is not None
        return codes

    def blocks(self, ensemble: Ensemble) -> Blocks:
        """The row blocks; one, in memory, when there are few objects.

        Parameters
        ----------
        ensemble : Ensemble
            Whose labels are kept here.

        Returns
        -------
        blocks : Blocks of Ensemble
            The blocks.
        """
        few = _is_few(ensemble.n_clusterings, self.n_objects)
        return LocalBlocks([ensemble.whole]) if few else self._blocks

    def rows_each(self) -> list[int]:
        """Objects of each row block.

        Returns
        -------
        n_rows : list of int
            Their numbers.
        """
        return self.n_rows

    def engine(self, ensemble: Ensemble) -> Engine:
        """That of the labels in memory: blocks have engines of their own.

        Parameters
        ----------
        ensemble : Ensemble
            Whose labels are kept here.

        Returns
        -------
        engine : Engine
            The engine.
        """
        return ensemble.whole.engine


def _codes_of(block: Ensemble) -> NDArray[Any]:
    return np.asarray(block.codes)


def _is_small(n_clusterings: int, n_objects: int) -> bool:
    """Whether sparse products are done before compiled kernels are loaded."""
    n_labels = n_clusterings * n_objects
    return (
        n_labels < sizes.FEW_LABELS and n_labels * n_clusterings < sizes.FEW_INCREMENTS
    )


def _is_few(n_clusterings: int, n_objects: int) -> bool:
    """Whether objects elsewhere are brought into memory."""
    return (
        n_objects <= sizes.FEW_OBJECTS or n_clusterings * n_objects < sizes.FEW_LABELS
    )
