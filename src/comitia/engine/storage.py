"""Where the labels of an ensemble are kept: in memory, mapped, on a device, in blocks.

A storage is a field of an :class:`~comitia.ensemble.Ensemble`. It says how many objects
there are, brings all labels into memory when somebody asks for them, hands out row
blocks, and knows which engine adds up its labels.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from comitia import sizes
from comitia._arrays import device_of
from comitia._block_folder import Folder
from comitia._labels import narrowest
from comitia._members import check_codes, check_extremes, check_n_clusters, frozen
from comitia.config import require_memory
from comitia.engine.row_blocks import Blocks, LocalBlocks
from comitia.exceptions import ComitiaError, EnsembleFileError

if TYPE_CHECKING:
    from comitia.engine.protocol import Engine
    from comitia.ensemble import Ensemble

__all__ = ["InBlocks", "InMemory", "Mapped", "OnDevice", "Selected", "Storage"]


class Storage(ABC):
    """Where the labels of an ensemble are kept."""

    n_objects: int
    codes: Any  # the labels, (n_clusterings, n_objects)
    is_local: ClassVar[bool] = True  # whether they are a NumPy array of this process
    is_lasting: ClassVar[bool] = False  # whether copies of them are kept too
    is_sound: bool = False  # whether they are known to be labels of their clusters
    device: str | None = None

    def check(self, n_clusters_each: NDArray[np.int64]) -> str | None:
        """Check that the labels are labels of so many clusters.

        Returns ``"hard"``, or ``"partial"`` if labels are missing; None where they are
        checked when they are first read, or are known to fit.
        """
        return None

    def read(self, ensemble: Ensemble) -> NDArray[Any]:
        """All labels in memory, if the memory budget allows it."""
        return np.asarray(self.codes)

    def blocks(self, ensemble: Ensemble) -> Blocks:
        """The row blocks of an ensemble: itself, where nothing else is said."""
        return LocalBlocks([ensemble])

    def rows_each(self) -> list[int]:
        """Objects of each row block."""
        return [self.n_objects]

    @abstractmethod
    def engine(self, ensemble: Ensemble) -> Engine:
        """What adds up these labels."""


@dataclass(eq=False, repr=False)
class InMemory(Storage):
    """Labels in an array, which is frozen.

    With ``compiled``, sums are compiled however few labels there are: those of a part
    must not be added up differently from those of the whole.
    """

    codes: NDArray[Any]
    compiled: bool = False
    room: Any = None  # of comitia.engine.growth, if more clusterings fit behind these

    is_lasting: ClassVar[bool] = True

    @property
    def n_objects(self) -> int:  # type: ignore[override]
        """Number of objects."""
        return int(self.codes.shape[1])

    def __reduce__(self) -> tuple[Any, ...]:
        # What is read from a pickle is checked again.
        return InMemory, (self.codes, self.compiled)

    def check(self, n_clusters_each: NDArray[np.int64]) -> str | None:
        """Check the labels, and keep them from being written to."""
        kind = None
        if self.is_sound:
            self.codes = np.ascontiguousarray(self.codes)
        else:
            self.codes, _, kind = check_codes(
                self.codes, n_clusters_each, least_objects=0
            )
        frozen(self.codes)
        self.is_sound = True
        return kind

    def engine(self, ensemble: Ensemble) -> Engine:
        """Sparse products for memberships and few labels, kernels for the others."""
        M, n = self.codes.shape
        few = M * n < sizes.FEW_LABELS and M * M * n < sizes.FEW_INCREMENTS
        if ensemble.is_hard and (self.compiled or not few):
            from comitia.engine.compiled import CompiledEngine

            return CompiledEngine(ensemble)
        from comitia.engine.sparse import SparseEngine

        return SparseEngine(ensemble)


class Mapped(Storage):
    """Labels of one block of a folder, mapped into memory while they are used.

    Copies that travel to other processes carry the path, not the labels.
    """

    def __init__(self, folder: Folder, number: int) -> None:
        self.folder = folder
        self.number = number
        self.n_objects = folder.n_rows[number]
        self._checked: Any = None  # the version that was checked

    def __reduce__(self) -> tuple[Any, ...]:
        return Mapped, (self.folder, self.number)

    @property
    def codes(self) -> NDArray[Any]:
        """The labels, (n_clusterings, n_rows), mapped as long as they are used.

        They are checked when they are first read, and again when the file changed.
        """
        version = self.folder.version(self.number)
        if self._checked == version:
            return self.folder.map(self.number)
        codes, kind = self.folder.read(self.number)
        if kind == "partial" and self.folder.kind == "hard":
            raise EnsembleFileError(
                f"block {self.number} of {self.folder.path} is damaged: labels are "
                "missing in a folder of hard ones."
            )
        self._checked = version
        return codes

    def engine(self, ensemble: Ensemble) -> Engine:
        """Kernels: how sums are done must not depend on the size of blocks."""
        from comitia.engine.compiled import CompiledEngine

        return CompiledEngine(ensemble)


class Selected(Storage):
    """Some clusterings of several storages, put together while they are used."""

    def __init__(
        self,
        parts: Sequence[tuple[Storage, NDArray[np.int64] | None]],
        dtype: np.dtype[Any],
    ) -> None:
        self.parts = parts
        self.dtype = dtype
        self.n_objects = parts[0][0].n_objects

    @property
    def codes(self) -> NDArray[Any]:
        """The labels, (n_clusterings, n_rows), put together each time."""
        return np.concatenate(
            [
                np.asarray(storage.codes if which is None else storage.codes[which])
                for storage, which in self.parts
            ],
            dtype=self.dtype,
            casting="unsafe",
        )

    def engine(self, ensemble: Ensemble) -> Engine:
        """Kernels, as for the blocks that the labels are of."""
        from comitia.engine.compiled import CompiledEngine

        return CompiledEngine(ensemble)


class OnDevice(Storage):
    """Labels in a tensor of PyTorch."""

    is_local = False

    def __init__(self, codes: Any) -> None:
        self.codes = codes
        self.n_objects = int(codes.shape[1])
        self.device = device_of(codes)

    def __reduce__(self) -> tuple[Any, ...]:
        # A pickle is read where there may be no device.
        return InMemory, (self._host(),)

    def check(self, n_clusters_each: NDArray[np.int64]) -> str | None:
        """Check that the labels are labels of so many clusters."""
        if self.is_sound:
            return None
        from comitia.engine.device_labels import extremes

        k = check_n_clusters(n_clusters_each, len(self.codes))
        self.is_sound = True
        return check_extremes(*extremes(self.codes), k)

    def read(self, ensemble: Ensemble) -> NDArray[Any]:
        """Copy all labels into memory, if the memory budget allows it."""
        M, n = self.codes.shape
        require_memory(
            M * n * self.codes.element_size(),
            f"the labels of {n} objects in {M} clusterings, which are on a device,",
            "use a method that works there, comitia.methods(on_device=True)",
        )
        return self._host()

    def _host(self) -> NDArray[Any]:
        host: NDArray[Any] = self.codes.cpu().numpy()
        if host.dtype == np.int16:  # PyTorch computes with few unsigned types
            host = host.view(np.uint16)
        # What stays on the CPU is not shared with a tensor that may be written to.
        return host.copy() if self.codes.is_cpu else host

    def blocks(self, ensemble: Ensemble) -> Blocks:
        """The ensemble as one block; in memory, when there are few objects."""
        return LocalBlocks([ensemble.whole if _is_few(ensemble) else ensemble])

    def engine(self, ensemble: Ensemble) -> Engine:
        """Sums where the labels are."""
        from comitia.engine.device import DeviceEngine

        return DeviceEngine(ensemble)


class InBlocks(Storage):
    """Labels in row blocks that stay where they are: on disk, or with workers.

    The blocks are ensembles with the same clusters, in the order of the objects;
    ``source`` says in messages where the labels are.
    """

    is_local = False

    def __init__(self, blocks: Blocks, n_rows: list[int], source: str) -> None:
        self.kept = blocks
        self.n_rows = [int(n) for n in n_rows]
        self.n_objects = sum(self.n_rows)
        self.source = source

    def __reduce__(self) -> tuple[Any, ...]:
        raise ComitiaError(
            "an ensemble in blocks is not pickled; open its folder again, or read it "
            "whole with Ensemble.load."
        )

    @property
    def codes(self) -> Any:
        """Not here: what works on the labels works on blocks, or reads them."""
        raise ComitiaError(f"the labels are in {self.source}; read them first.")

    def read(self, ensemble: Ensemble) -> NDArray[Any]:
        """Read the labels of all blocks, if the memory budget allows it."""
        M, n = ensemble.n_clusterings, self.n_objects
        require_memory(
            M * n * np.dtype(narrowest(int(ensemble.n_clusters_each.max()))).itemsize,
            f"the labels of {n} objects in {M} clusterings",
            "use a method that works on row blocks, comitia.methods(scales='linear')",
        )
        codes: NDArray[Any] | None = None
        start = 0
        for part in self.kept.map(_codes_of).gather():
            if codes is None:
                codes = np.empty((M, n), dtype=part.dtype)
            codes[:, start : start + part.shape[1]] = part
            start += part.shape[1]
        assert codes is not None
        return codes

    def blocks(self, ensemble: Ensemble) -> Blocks:
        """The row blocks; one, in memory, when there are few objects."""
        return LocalBlocks([ensemble.whole]) if _is_few(ensemble) else self.kept

    def rows_each(self) -> list[int]:
        """Objects of each row block."""
        return self.n_rows

    def engine(self, ensemble: Ensemble) -> Engine:
        """That of the labels in memory: blocks have engines of their own."""
        return ensemble.whole.engine


def _codes_of(block: Ensemble) -> NDArray[Any]:
    return np.asarray(block.codes)


def _is_few(ensemble: Ensemble) -> bool:
    """Whether objects elsewhere are brought into memory."""
    M, n = ensemble.n_clusterings, ensemble.n_objects
    return n <= sizes.FEW_OBJECTS or M * n < sizes.FEW_LABELS
