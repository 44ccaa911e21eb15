"""Ensembles whose labels stay in row blocks, on disk or on the workers of a cluster."""

from __future__ import annotations

import os
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from comitia import _store
from comitia.blocks import Blocks, LocalBlocks, join
from comitia.config import require_memory
from comitia.ensemble import Ensemble
from comitia.exceptions import ComitiaError, EnsembleFileError

if TYPE_CHECKING:
    from scipy.sparse import csr_array

__all__ = ["BlockEnsemble", "StoredBlock", "open_blocks"]

# With fewer objects there is nothing to gain from blocks: they are read at once. It is
# what partition.MANY_ROWS distinct rows and their equals can come to at the most.
_FEW_OBJECTS = 50_000


class StoredBlock(Ensemble):
    """The objects of one block of a folder, mapped into memory.

    Copies that travel to other processes carry the path, not the labels.

    Parameters
    ----------
    about : Folder
        What the folder says of all its blocks.

    number : int
        Of the block, from 0.
    """

    about: _store.Folder
    number: int
    n_rows: int

    def __init__(self, about: _store.Folder, number: int) -> None:
        self.__dict__.update(
            about=about,
            number=number,
            n_rows=about.n_rows[number],
            kind=about.kind,
            n_clusters_each=about.n_clusters_each,
            offsets=np.r_[0, np.cumsum(about.n_clusters_each)],
            groups=None,
            object_names=None,
            clustering_names=None,
        )

    def __getstate__(self) -> dict[str, Any]:
        return {name: self.__dict__[name] for name in ("about", "number")}

    def __setstate__(self, state: dict[str, Any]) -> None:
        StoredBlock.__init__(self, **state)

    @property
    def codes(self) -> NDArray[Any]:  # type: ignore[override]
        """The labels, (n_clusterings, n_rows), mapped as long as they are used.

        They are checked when they are first read, and again when the file changed.
        """
        path = self.about.block(self.number)
        version = _store.version_of(path)
        if self.__dict__.get("checked") == version:
            shape = self.n_clusterings, self.n_rows
            return _store.map_block(path, self.about.dtype, shape)
        codes, kind = self.about.read(self.number)
        if kind == "partial" and self.kind == "hard":
            raise EnsembleFileError(
                f"{path} is damaged: labels are missing in a folder of hard ones."
            )
        self.__dict__["checked"] = version
        return codes

    @property
    def row_codes(self) -> NDArray[Any]:
        """A copy with the labels of each object contiguous, made when it is needed."""
        return np.ascontiguousarray(self.codes.T)

    @property
    def n_objects(self) -> int:
        """Number of objects."""
        return int(self.n_rows)

    @property
    def n_clusterings(self) -> int:
        """Number of clusterings, M."""
        return len(self.n_clusters_each)

    @property
    def is_sparse(self) -> bool:
        """False: whether sums are compiled must not depend on the size of blocks."""
        return False


class BlockEnsemble(Ensemble):
    """An ensemble of hard clusterings whose labels stay where they are.

    Linear methods work on its row blocks; their labels are those that the same
    ensemble in memory gets. Whatever else asks for :attr:`codes` reads all of them,
    if the memory budget allows it.

    Parameters
    ----------
    blocks : Blocks
        Of Ensembles with the same clusters, in the order of the objects.

    n_rows : list of int
        Objects of each block.

    n_clusters_each : ndarray of shape (n_clusterings,)
        Clusters of each clustering.

    kind : {"hard", "partial"}
        Whether labels are missing.

    groups, clustering_names : sequence, default=None
        As those of an Ensemble.

    source : str, default="blocks"
        Where the labels are, for messages.
    """

    stored: Blocks
    n_rows: list[int]
    source: str

    def __init__(
        self,
        blocks: Blocks,
        n_rows: list[int],
        n_clusters_each: NDArray[np.int64],
        kind: str,
        *,
        groups: Any = None,
        clustering_names: Any = None,
        source: str = "blocks",
    ) -> None:
        k = np.asarray(n_clusters_each, dtype=np.int64)
        names = {"groups": groups, "clustering_names": clustering_names}
        self.__dict__.update(
            stored=blocks,
            n_rows=[int(n) for n in n_rows],
            kind=kind,
            n_clusters_each=k,
            offsets=np.r_[0, np.cumsum(k)],
            object_names=None,
            source=source,
            **{n: None if v is None else np.array(v) for n, v in names.items()},
        )

    def __getstate__(self) -> dict[str, Any]:
        raise ComitiaError(
            "an ensemble in blocks is not pickled; open its folder again, or read it "
            "whole with Ensemble.load."
        )

    def __repr__(self) -> str:
        return f"{super().__repr__()[:-1]}, n_blocks={len(self.n_rows)})"

    def _with_object_names(self, names: NDArray[Any] | None) -> Ensemble:
        return self  # its objects are too many to be named

    @property
    def n_objects(self) -> int:
        """Number of objects, n."""
        return sum(self.n_rows)

    @property
    def n_clusterings(self) -> int:
        """Number of clusterings, M."""
        return len(self.n_clusters_each)

    @cached_property
    def row_blocks(self) -> Blocks:
        """The row blocks; one, in memory, when there are few objects."""
        if self.is_sparse or self.n_objects <= _FEW_OBJECTS:
            return LocalBlocks([self.whole])
        return self.stored

    @property
    def rows_each(self) -> list[int]:
        """Objects of each row block."""
        return self.n_rows if len(self.row_blocks) > 1 else [self.n_objects]

    @cached_property
    def whole(self) -> Ensemble:
        """The same ensemble in memory."""
        M, n = self.n_clusterings, self.n_objects
        require_memory(
            M * n * (1 + (self.n_clusters_each.max() > 255)),
            f"the labels of {n} objects in {M} clusterings",
            "use a method that works on row blocks, comitia.methods(scales='linear')",
        )
        codes: NDArray[Any] | None = None
        start = 0
        for part in self.stored.map(_codes_of).gather():
            if codes is None:
                codes = np.empty((M, n), dtype=part.dtype)
            codes[:, start : start + part.shape[1]] = part
            start += part.shape[1]
        assert codes is not None
        return Ensemble._make(
            codes,
            self.n_clusters_each,
            None,
            self.kind,
            groups=self.groups,
            clustering_names=self.clustering_names,
        )

    @property
    def codes(self) -> NDArray[Any]:  # type: ignore[override]
        """All labels; reading them is asked of the memory budget."""
        return self.whole.codes

    @property
    def row_codes(self) -> NDArray[Any]:
        """A copy with the labels of each object contiguous, (n, M)."""
        return self.whole.row_codes

    @cached_property
    def sizes(self) -> NDArray[Any]:
        """Size of each cluster."""
        return np.asarray(self.row_blocks.map(_sizes_of).total())

    @cached_property
    def n_votes(self) -> NDArray[np.int64]:
        """In how many clusterings each object is clustered."""
        if self.kind == "hard":
            # One number that is read n times: nothing of that size is made.
            return np.broadcast_to(np.int64(self.n_clusterings), (self.n_objects,))
        return join(self.row_blocks.map(_votes_of), self.n_objects)

    @cached_property
    def _contingency(self) -> csr_array:
        from scipy.sparse import csr_array

        if not self.is_tabulated:
            return self.row_blocks.map(_sparse_contingency).total().tocsr()
        return csr_array(self._tables.astype(np.float64))

    @cached_property
    def _tables(self) -> NDArray[np.int64]:
        """Every table in one matrix, B'B."""
        K = self.n_clusters
        require_memory(
            12 * K * K,  # of one block, and the sum
            f"the table of the objects that each two of {K} clusters share",
            "give fewer clusterings",
        )
        return np.asarray(self.row_blocks.map(_dense_contingency).total())

    def count_tables(self) -> Any:
        """Count the table of every two different clusterings.

        Yields
        ------
        tables : Tables
            Each pair of clusterings comes once.
        """
        from comitia._kernels.contingency import tables_of

        yield from tables_of(self._tables, self.n_clusters_each, self.offsets)

    @cached_property
    def _distinct(self) -> Any:
        return self.whole.distinct()


def open_blocks(path: str | os.PathLike[str], client: Any = None) -> BlockEnsemble:
    """Open a folder of row blocks without reading the labels.

    Parameters
    ----------
    path : path-like
        A folder that ``Ensemble.save`` or a generator wrote.

    client : dask.distributed.Client, default=None
        Whose workers read the blocks; they must see the folder under the same path.

    Returns
    -------
    ensemble : BlockEnsemble
        The ensemble.
    """
    about = _store.open_folder(path)
    parts = [StoredBlock(about, number) for number in range(len(about.n_rows))]
    blocks: Blocks = LocalBlocks(parts)
    if client is not None:
        from comitia.distributed import DaskBlocks

        blocks = DaskBlocks.of(client, parts)
    return BlockEnsemble(
        blocks,
        about.n_rows,
        about.n_clusters_each,
        about.kind,
        groups=about.groups,
        clustering_names=about.clustering_names,
        source=str(about.path),
    )


def _codes_of(block: Ensemble) -> NDArray[Any]:
    return np.asarray(block.codes)


def _sizes_of(block: Ensemble) -> NDArray[Any]:
    return block.sizes


def _votes_of(block: Ensemble) -> NDArray[np.int64]:
    return block.n_votes


def _sparse_contingency(block: Ensemble) -> csr_array:
    return block.contingency()


def _dense_contingency(block: Ensemble) -> NDArray[np.int64]:
    from comitia._kernels.contingency import contingency_dense

    shared = contingency_dense(
        block.codes, block.n_clusters_each, block.offsets, block.sizes
    )
    return shared.astype(np.int64)
