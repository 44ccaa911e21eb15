"""The Ensemble: several clusterings of the same objects, as one object."""

from __future__ import annotations

import itertools
import os
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, DTypeLike, NDArray

from comitia import _labels, sizes
from comitia._lazy import cached_property
from comitia._members import check_indicator, check_n_clusters, check_names, frozen
from comitia._sources import EnsembleSources
from comitia.engine.row_blocks import Blocks, join, pieces
from comitia.engine.storage import InBlocks, InMemory, OnDevice, Storage
from comitia.exceptions import ComitiaError

if TYPE_CHECKING:
    from scipy.sparse import csr_array

    from comitia.engine.protocol import Engine

__all__ = ["Ensemble", "MicroObjects"]

_STATE = (
    "storage",
    "n_clusters_each",
    "kind",
    "groups",
    "object_names",
    "clustering_names",
    "cluster_names",
)


# What the same clusterings of other objects have in common.
_CLUSTERS = (
    "n_clusterings",
    "n_clusters_total",
    "kind",
    "is_hard",
    "n_clusters_each",
    "offsets",
    "cluster_names",
)


class MicroObjects(NamedTuple):
    """Objects with equal label rows, merged.

    Attributes
    ----------
    ensemble : Ensemble
        One object per distinct label row, with the clusters of the full ensemble.

    counts : ndarray of shape (n_micro,)
        How many objects share each row.

    inverse : ndarray of shape (n_objects,)
        The micro-object of each object: ``micro_labels[inverse]`` spreads labels.
    """

    ensemble: Ensemble
    counts: NDArray[np.int64]
    inverse: NDArray[np.int64]

    def in_content_order(self) -> MicroObjects:
        """Sort by what the labels say, so that no tie is broken by position.

        The order of the objects, that of the clusterings and the names of the labels
        do not matter to it.

        Returns
        -------
        micro : MicroObjects
            The same micro-objects in another order; fuzzy and overlapping ones as they
            are.
        """
        ensemble, counts, inverse = self
        if not ensemble.is_hard:
            return self
        from comitia.engine.content_keys import label_order

        codes = ensemble.codes
        order, place = label_order(codes, ensemble.n_clusters_each, counts)
        small = ensemble.with_codes(codes[:, order])
        return MicroObjects(small, counts[order], place[inverse])


class Ensemble(EnsembleSources):
    r"""Several clusterings of the same objects.

    Hard, partial, fuzzy and overlapping clusterings are all one indicator matrix
    :math:`B` of shape (n_objects, n_clusters_total), with one column for each cluster
    of each clustering. An ensemble does not change once it is made.

    Parameters
    ----------
    labels : array-like of shape (n_objects, n_clusterings), DataFrame or list
        One row per object, one column per clustering; labels are integers, strings or
        anything hashable. -1, NaN, None and masked entries mean "not clustered here".
        A list of one-dimensional arrays or Series holds one clustering in each item;
        Series are matched by their index, and are put into the order of the first.

    groups : sequence of shape (n_clusterings,), default=None
        Which algorithm made each clustering.

    object_names : sequence of shape (n_objects,), default=None
        Names of the objects; the index of a DataFrame or of the first Series by
        default, unless it is 0..n-1.

    clustering_names : sequence of shape (n_clusterings,), default=None
        Names of the clusterings; the columns of a DataFrame by default.

    Attributes
    ----------
    n_objects, n_clusterings, n_clusters_total : int
        Number of objects, of clusterings, and of clusters of all clusterings together.

    kind : {"hard", "partial", "fuzzy", "overlapping"}
        Partial ensembles have missing labels.

    is_hard : bool
        True when an object is in at most one cluster of each clustering.

    codes : ndarray of shape (n_clusterings, n_objects)
        The labels as kernels read them: each clustering contiguous, in the narrowest
        integer type, with ``n_clusters_each[m]`` where the label is missing.

    n_clusters_each : ndarray of shape (n_clusterings,)
        Number of clusters of each clustering, :math:`k_m`.

    offsets : ndarray of shape (n_clusterings + 1,)
        The clusters of clustering m are ``offsets[m]`` to ``offsets[m + 1] - 1``.

    cluster_names : ndarray of str of shape (n_clusters_total,) or None
        The labels that the clusters had where they came from, by which new objects are
        matched; None where these were 0..k_m - 1, or are not known.

    Examples
    --------
    >>> from comitia import Ensemble
    >>> votes = Ensemble([["a", "x"], ["a", "y"], ["b", "y"], ["b", None]])
    >>> votes
    Ensemble(kind='partial', n_objects=4, n_clusterings=2, n_clusters_total=4)
    >>> votes.labels
    array([[ 0,  0],
           [ 0,  1],
           [ 1,  1],
           [ 1, -1]], dtype=int32)
    >>> votes.sizes
    array([2, 2, 1, 2])
    """

    n_objects: int
    n_clusterings: int
    n_clusters_total: int
    kind: str
    is_hard: bool
    storage: Storage
    n_clusters_each: NDArray[np.int64]
    offsets: NDArray[np.int64]
    groups: NDArray[Any] | None
    object_names: NDArray[Any] | None
    clustering_names: NDArray[Any] | None
    cluster_names: NDArray[Any] | None

    def __init__(
        self,
        labels: Any,
        *,
        groups: Sequence[Any] | None = None,
        object_names: Sequence[Any] | None = None,
        clustering_names: Sequence[Any] | None = None,
    ) -> None:
        table = _labels.label_columns(labels)
        if not table.columns:
            raise ComitiaError("labels has no columns; give at least one clustering.")
        if len(table.columns[0]) == 0:
            raise ComitiaError("labels has no rows; give at least one object.")
        if clustering_names is None:
            clustering_names = table.clustering_names
        if object_names is None:
            object_names = table.object_names
        called = check_names(
            clustering_names, len(table.columns), "clustering_names", "clustering"
        )
        coded = [
            _labels.encode(column, f"clustering {m if called is None else called[m]}")
            for m, column in enumerate(table.columns)
        ]
        n_clusters = np.array([one.n_clusters for one in coded], dtype=np.int64)
        codes = np.stack([one.codes for one in coded])
        self._set(
            InMemory(codes.astype(_labels.narrowest(n_clusters.max()), copy=False)),
            n_clusters,
            groups=groups,
            object_names=object_names,
            clustering_names=called,
            cluster_names=_labels.cluster_names(coded),
        )

    def _set(
        self,
        storage: Storage,
        n_clusters_each: NDArray[np.int64],
        membership: csr_array | None = None,
        kind: str | None = None,
        groups: Sequence[Any] | NDArray[Any] | None = None,
        object_names: Sequence[Any] | NDArray[Any] | None = None,
        clustering_names: Sequence[Any] | NDArray[Any] | None = None,
        cluster_names: NDArray[Any] | None = None,
    ) -> None:
        """Check the parts and take them; arrays are kept, and cannot be written to.

        ``kind`` is found out where it is None. Rows of a partial ensemble may be said
        to be partial though no label is missing among them.
        """
        k = check_n_clusters(n_clusters_each, np.size(n_clusters_each))
        # Labels in blocks are checked where they are, when they are first read.
        found = storage.check(k) or kind
        M, n = len(k), storage.n_objects
        if membership is not None:
            membership = check_indicator(membership, storage.codes, k, str(kind))
        elif kind not in (None, "partial", found):
            raise ComitiaError(f"kind={kind!r} is not true: the labels are {found}.")
        kind, offsets = kind or found, np.r_[0, np.cumsum(k)]
        state: dict[str, Any] = {
            "n_objects": n,
            "n_clusterings": M,
            "n_clusters_total": int(offsets[-1]),
            "kind": kind,
            "is_hard": kind in ("hard", "partial"),
            "storage": storage,
            "n_clusters_each": frozen(k),
            "offsets": frozen(offsets),
            "groups": check_names(groups, M, "groups", "clustering"),
            "object_names": check_names(object_names, n, "object_names", "object"),
            "clustering_names": check_names(
                clustering_names, M, "clustering_names", "clustering"
            ),
            "cluster_names": check_names(
                cluster_names, int(offsets[-1]), "cluster_names", "cluster"
            ),
        }
        if membership is not None:
            state["membership"] = _frozen_csr(membership)
        self.__dict__.update(state)

    @classmethod
    def assemble(
        cls, storage: Storage | NDArray[Any], *args: Any, **kwargs: Any
    ) -> Ensemble:
        """Put an ensemble together from parts that nobody else will write to.

        Parameters
        ----------
        storage : Storage, or ndarray of shape (n_clusterings, n_objects)
            The labels, 0..k_m - 1 in row m, and k_m where the label is missing.

        *args, **kwargs : objects
            ``n_clusters_each``, ``membership`` (of a fuzzy or overlapping ensemble),
            ``kind``, ``groups``, ``object_names``, ``clustering_names`` and
            ``cluster_names``.

        Returns
        -------
        ensemble : Ensemble
            The ensemble.

        Examples
        --------
        >>> import numpy as np
        >>> from comitia import Ensemble
        >>> Ensemble.assemble(
        ...     np.array([[0, 1, 1]], dtype=np.uint8), [2]
        ... ).labels.tolist()
        [[0], [1], [1]]
        """
        made = cls.__new__(cls)
        if not isinstance(storage, Storage):
            storage = InMemory(storage)
        made._set(storage, *args, **kwargs)
        return made

    def with_codes(self, codes: Any, *, compiled: bool = False) -> Ensemble:
        """The same clusterings of other objects, which are known to fit.

        Parameters
        ----------
        codes : ndarray or tensor of shape (n_clusterings, n)
            Their labels.

        compiled : bool, default=False
            Whether sums are compiled however few labels there are.

        Returns
        -------
        ensemble : Ensemble
            Where the labels are, with the clusters of this one.

        Examples
        --------
        >>> import numpy as np
        >>> from comitia import Ensemble
        >>> votes = Ensemble([[0, 0], [0, 1], [1, 1]])
        >>> votes.with_codes(np.array([[1], [0]], dtype=np.uint8)).labels.tolist()
        [[1, 0]]
        """
        storage: Storage
        if isinstance(codes, np.ndarray):
            storage = InMemory(np.ascontiguousarray(codes), compiled)
            storage.codes.flags.writeable = False
        else:
            storage = OnDevice(codes)
        storage.is_sound = True
        made = Ensemble.__new__(Ensemble)
        made.__dict__.update({name: self.__dict__[name] for name in _CLUSTERS})
        made.__dict__.update(storage=storage, n_objects=int(codes.shape[1]))
        made.__dict__.update(groups=None, object_names=None, clustering_names=None)
        return made

    def with_object_names(self, names: NDArray[Any] | None) -> Ensemble:
        """The same ensemble with names for its objects, unless it has some.

        Parameters
        ----------
        names : ndarray of str of shape (n_objects,), or None
            The names; None changes nothing.

        Returns
        -------
        ensemble : Ensemble
            With the names. An ensemble in row blocks has none, and gets none.

        Examples
        --------
        >>> import numpy as np
        >>> from comitia import Ensemble
        >>> votes = Ensemble([[0], [1]]).with_object_names(np.array(["ann", "bob"]))
        >>> votes.object_names.tolist()
        ['ann', 'bob']
        """
        if names is None or self.object_names is not None:
            return self
        if isinstance(self.storage, InBlocks):
            return self  # its objects are too many to be named
        made = Ensemble.__new__(Ensemble)
        without_names = ("_distinct", "engine", "row_blocks", "whole")
        state = {
            name: value
            for name, value in self.__dict__.items()
            if name not in without_names
        }
        state["object_names"] = check_names(
            names, self.n_objects, "object_names", "object"
        )
        made.__dict__.update(state)
        return made

    def save(
        self, path: str | os.PathLike[str], *, block_rows: int | None = None
    ) -> None:
        """Write the ensemble, all of it or nothing.

        Parameters
        ----------
        path : path-like
            A file name that ends in ``.npz``, or a folder to be made.

        block_rows : int, default=None
            Objects in each block of a folder.

        Examples
        --------
        >>> from pathlib import Path
        >>> from tempfile import TemporaryDirectory
        >>> from comitia import Ensemble
        >>> votes = Ensemble([[0, 0], [0, 1], [1, 1]])
        >>> with TemporaryDirectory() as folder:
        ...     votes.save(f"{folder}/votes", block_rows=2)
        ...     sorted(path.name for path in Path(folder, "votes").glob("*.npy"))
        ['block-00000.npy', 'block-00001.npy']
        """
        from comitia import _store

        _store.write(self, path, block_rows)

    def __setattr__(self, name: str, value: Any) -> None:
        raise AttributeError(f"an Ensemble does not change; {name} cannot be set.")

    def __delattr__(self, name: str) -> None:
        raise AttributeError(f"an Ensemble does not change; {name} cannot be deleted.")

    def __getstate__(self) -> dict[str, Any]:
        # What can be computed again stays behind; a copy is frozen like the original.
        state: dict[str, Any] = {name: self.__dict__[name] for name in _STATE}
        return {**state, "membership": None if self.is_hard else self.membership}

    def __setstate__(self, state: dict[str, Any]) -> None:
        try:
            if not isinstance(state.get("storage"), Storage):
                raise TypeError("its labels are missing")
            self._set(**state)
        except TypeError as error:
            raise ComitiaError(f"the pickle holds no ensemble ({error}).") from None

    def __repr__(self) -> str:
        parts = {
            "kind": self.kind,
            "n_objects": self.n_objects,
            "n_clusterings": self.n_clusterings,
            "n_clusters_total": self.n_clusters_total,
        }
        if self.device is not None:
            parts["device"] = self.device
        if isinstance(self.storage, InBlocks):
            parts["n_blocks"] = len(self.storage.n_rows)
        return f"Ensemble({', '.join(f'{k}={v!r}' for k, v in parts.items())})"

    def _repr_html_(self) -> str:
        from comitia._html import html_table

        names: Any = self.clustering_names
        if names is None:
            names = [f"clustering {m}" for m in range(self.n_clusterings)]
        head = ["clustering", "clusters"]
        columns: list[Any] = [names, self.n_clusters_each.tolist()]
        # Elsewhere sizes are a walk over all blocks.
        if self.storage.is_local and self.device is None:
            sizes = np.split(np.asarray(self.sizes), self.offsets[1:-1])
            head += ["smallest", "largest"]
            columns += [[one.min().item() for one in sizes]]
            columns += [[one.max().item() for one in sizes]]
        rows = zip(*columns, strict=True)
        return html_table(head, rows, repr(self))

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Ensemble):
            return NotImplemented
        return (
            self.kind == other.kind
            and np.array_equal(self.n_clusters_each, other.n_clusters_each)
            and np.array_equal(self.codes, other.codes)
            and all(
                _same(getattr(self, name), getattr(other, name))
                for name in ("groups", "object_names", "clustering_names")
            )
            and (self.is_hard or abs(self.membership - other.membership).max() == 0.0)
        )

    __hash__ = None  # type: ignore[assignment]

    @cached_property
    def labels(self) -> NDArray[np.int32]:
        """Labels 0..k_m - 1, shape (n_objects, n_clusterings); -1 where missing.

        Fuzzy objects have the label of their largest membership, overlapping objects
        that of their first cluster.
        """
        labels = self.codes.T.astype(np.int32)
        labels[labels == self.n_clusters_each.astype(np.int32)] = -1
        return frozen(labels)

    @cached_property
    def whole(self) -> Ensemble:
        """The same ensemble with its labels in memory, if the budget allows it."""
        if self.storage.is_local:
            return self
        return Ensemble.assemble(
            self.storage.read(self),
            self.n_clusters_each,
            None,
            self.kind,
            groups=self.groups,
            object_names=self.object_names,
            clustering_names=self.clustering_names,
            cluster_names=self.cluster_names,
        )

    @property
    def codes(self) -> NDArray[Any]:
        """The labels, (n_clusterings, n_objects); read if they are elsewhere."""
        here = self if self.storage.is_local else self.whole
        codes: NDArray[Any] = here.storage.codes
        return codes

    @property
    def row_codes(self) -> NDArray[Any]:
        """A copy of ``codes`` with the labels of each object contiguous, (n, M).

        It is kept, unless the labels are mapped from a file.
        """
        here = self if self.storage.is_local else self.whole
        rows = here.__dict__.get("_row_codes")
        if rows is None:
            rows = np.ascontiguousarray(here.storage.codes.T)
            rows.flags.writeable = False
            if here.storage.is_lasting:
                here.__dict__["_row_codes"] = rows
        return rows

    @cached_property
    def membership(self) -> csr_array:
        """The indicator matrix B, CSR of shape (n_objects, n_clusters_total)."""
        from scipy.sparse import csr_array

        codes = self.row_codes
        columns = codes + self.offsets[:-1]
        if self.kind == "hard":
            columns = columns.ravel()
            rows = np.arange(0, len(columns) + 1, self.n_clusterings)
        else:
            present = codes != self.n_clusters_each.astype(codes.dtype)
            columns = columns[present]
            rows = np.r_[0, np.cumsum(present.sum(axis=1))]
        B = csr_array(
            (np.ones(len(columns)), columns, rows),
            shape=(self.n_objects, self.n_clusters_total),
        )
        return _frozen_csr(B)

    @cached_property
    def sizes(self) -> NDArray[Any]:
        """Size of each cluster; the summed memberships of a fuzzy one."""
        return frozen(np.asarray(self.row_blocks.map("engine.sizes").total()))

    @cached_property
    def clustering_of(self) -> NDArray[np.int64]:
        """The clustering that each cluster belongs to."""
        return frozen(np.repeat(np.arange(self.n_clusterings), self.n_clusters_each))

    @cached_property
    def n_votes(self) -> NDArray[np.int64]:
        """In how many clusterings each object is clustered."""
        return frozen(join(self.row_blocks.map("engine.n_votes"), self.n_objects))

    @property
    def has_missing(self) -> bool:
        """Whether a clustering leaves an object out."""
        return self.kind != "hard" and bool((self.n_votes < self.n_clusterings).any())

    @property
    def uncovered(self) -> NDArray[np.int64]:
        """The objects that are in no clustering."""
        return np.flatnonzero(self.n_votes == 0)

    def contingency(self) -> csr_array:
        """Every contingency table at once: B'B.

        Returns
        -------
        shared : csr_array of shape (n_clusters_total, n_clusters_total)
            How many objects each two clusters share.

        Examples
        --------
        >>> from comitia import Ensemble
        >>> Ensemble([[0, 0], [0, 1], [1, 1]]).contingency().toarray().astype(
        ...     int
        ... ).tolist()
        [[2, 0, 1, 1], [0, 1, 0, 1], [1, 0, 1, 0], [1, 1, 0, 2]]
        """
        return self._contingency

    @cached_property
    def _contingency(self) -> csr_array:
        from comitia.engine import tables

        return _frozen_csr(tables.contingency(self))

    @cached_property
    def dense_contingency(self) -> NDArray[np.int64]:
        """The same as a full matrix of integers, for hard clusterings."""
        earlier = self.__dict__.pop("_earlier", None)
        if earlier is not None:
            from comitia.engine.growth import grown_table

            return frozen(grown_table(self, earlier))
        shared = self.row_blocks.map("engine.dense_contingency").total()
        return frozen(np.asarray(shared))

    @property
    def keeps_tables(self) -> bool:
        """Whether tables are kept to be counted on: those of an ensemble that grows."""
        return "_earlier" in self.__dict__ or "dense_contingency" in self.__dict__

    @property
    def device(self) -> str | None:
        """The device that the labels are on; None in memory."""
        return self.storage.device

    @cached_property
    def engine(self) -> Engine:
        """What adds up the labels of a row block, wherever they are."""
        return self.storage.engine(self)

    @cached_property
    def row_blocks(self) -> Blocks:
        """The ensemble in row blocks: one, itself, when it is in memory."""
        return self.storage.blocks(self)

    @property
    def rows_each(self) -> list[int]:
        """Objects of each row block."""
        if len(self.row_blocks) == 1:
            return [self.n_objects]
        return self.storage.rows_each()

    def split(self, rows: Any) -> Blocks:
        """Give each row block its part of an array.

        Parameters
        ----------
        rows : ndarray or tensor of shape (n_objects, ...)
            One row for each object.

        Returns
        -------
        blocks : Blocks
            The parts, where the blocks are.

        Examples
        --------
        >>> import numpy as np
        >>> from comitia import Ensemble
        >>> parts = Ensemble([[0, 0], [0, 1], [1, 1]]).split(np.arange(3))
        >>> [part.tolist() for part in parts.gather()]
        [[0, 1, 2]]
        """
        blocks = self.row_blocks
        return blocks.map("engine.put", blocks.put(pieces(rows, self.rows_each)))

    def agreement(
        self, measure: str | Callable[..., float] = "nmi_sqrt"
    ) -> NDArray[np.float64]:
        """How alike each two clusterings are.

        Parameters
        ----------
        measure : str, default="nmi_sqrt"
            A measure of :mod:`comitia.agreement`.

        Returns
        -------
        agreement : ndarray of shape (n_clusterings, n_clusterings)
            Symmetric.

        Examples
        --------
        >>> from comitia import Ensemble
        >>> votes = Ensemble([[0, 5, 0], [0, 5, 1], [1, 6, 0], [1, 6, 1]])
        >>> votes.agreement("adjusted_rand").round(2).tolist()
        [[1.0, 1.0, -0.5], [1.0, 1.0, -0.5], [-0.5, -0.5, 1.0]]
        """
        from comitia import agreement

        return agreement.agreement_matrix(self, measure)

    def coassociation(
        self,
        clustering_weights: ArrayLike | None = None,
        cluster_weights: ArrayLike | None = None,
        *,
        dtype: DTypeLike = np.float32,
    ) -> NDArray[Any]:
        """How much weight puts each two objects together.

        Parameters
        ----------
        clustering_weights : array-like of shape (n_clusterings,), default=None
            Weight of each clustering; 1 / n_clusterings by default.

        cluster_weights : array-like of shape (n_clusters_total,), default=None
            Weight of each cluster, multiplied by that of its clustering.

        dtype : dtype, default=float32
            Type of the result.

        Returns
        -------
        coassociation : ndarray of shape (n_objects, n_objects)
            The weighted co-association B W B', over the clusterings that have both
            objects: a missing label says nothing.

        Examples
        --------
        >>> from comitia import Ensemble
        >>> Ensemble([[0, 0], [0, 1], [1, 1]]).coassociation().tolist()
        [[1.0, 0.5, 0.0], [0.5, 1.0, 0.5], [0.0, 0.5, 1.0]]
        """
        from comitia.represent.coassociation import coassociation

        return coassociation(
            self,
            clustering_weights=clustering_weights,
            cluster_weights=cluster_weights,
            dtype=dtype,
        )

    def distinct(self) -> MicroObjects:
        """Merge the objects whose label rows are equal.

        Micro-objects are numbered in the order in which their rows first appear.

        Returns
        -------
        micro : MicroObjects
            The merged ensemble, with the same clusters and offsets, how many objects
            each of its objects stands for, and which one each object went to.

        Examples
        --------
        >>> from comitia import Ensemble
        >>> micro = Ensemble([[0, 0], [1, 1], [0, 0]]).distinct()
        >>> micro.ensemble.n_objects
        2
        """
        return self._distinct

    @cached_property
    def _distinct(self) -> MicroObjects:
        return self._merged(*self._first_rows())

    def distinct_if(self, share: float) -> MicroObjects | None:
        """Merge the objects whose label rows are equal, if enough of them are.

        Parameters
        ----------
        share : float
            The most distinct rows, as a share of the objects.

        Returns
        -------
        micro : MicroObjects or None
            As of :meth:`distinct`; None, and nothing is kept, when there are more. Of
            several million objects, None also when more than half of the first million
            differ.

        Examples
        --------
        >>> from comitia import Ensemble
        >>> Ensemble([[0, 0], [1, 1], [1, 0]]).distinct_if(0.5) is None
        True
        """
        if "_distinct" not in self.__dict__:
            if self._mostly_distinct():
                return None
            first, inverse = self._first_rows()
            if len(first) > share * self.n_objects:
                return None
            self.__dict__["_distinct"] = self._merged(first, inverse)
        micro = self._distinct
        return micro if len(micro.counts) <= share * self.n_objects else None

    def _mostly_distinct(self) -> bool:
        """Whether a glance at the first objects says that too few rows are equal."""
        if not self.is_hard or self.n_objects <= 2 * sizes.GLANCE_ROWS:
            return False
        from comitia._kernels.label_rows import distinct_rows

        some = np.ascontiguousarray(self.codes[:, : sizes.GLANCE_ROWS])
        first, _ = distinct_rows(some, np.ascontiguousarray(some.T))
        return len(first) > sizes.GLANCE_ROWS / 2

    def _first_rows(self) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Where each distinct row first is, and the number of that of each object."""
        if not self.is_hard:
            B = self.membership
            return _first_appearance(
                (B.indices[lo:hi].tobytes(), B.data[lo:hi].tobytes())
                for lo, hi in _pairs(B.indptr)
            )
        if self.codes.size < sizes.FEW_LABELS:
            return _first_appearance(row.tobytes() for row in self.row_codes)
        from comitia._kernels.label_rows import distinct_rows

        first, inverse = distinct_rows(self.codes, self.row_codes)
        return first, inverse

    def _merged(
        self, first: NDArray[np.int64], inverse: NDArray[np.int64]
    ) -> MicroObjects:
        small = Ensemble.assemble(
            self.codes[:, first],
            self.n_clusters_each,
            None if self.is_hard else self.membership[first],
            self.kind,
            groups=self.groups,
            clustering_names=self.clustering_names,
        )
        counts = np.bincount(inverse, minlength=len(first))
        return MicroObjects(small, frozen(counts), frozen(inverse))

    def blocks(self, n_rows: int) -> Iterator[tuple[slice, Ensemble]]:
        """Walk over the objects in row blocks.

        Parameters
        ----------
        n_rows : int
            Objects in each block; the last may have fewer.

        Yields
        ------
        rows : slice
            Where the block stands.

        block : Ensemble
            Its objects, with the clusters and offsets of the full ensemble.

        Examples
        --------
        >>> from comitia import Ensemble
        >>> votes = Ensemble([[0, 0], [0, 1], [1, 1]])
        >>> [
        ...     (rows.start, rows.stop, block.n_objects)
        ...     for rows, block in votes.blocks(2)
        ... ]
        [(0, 2, 2), (2, 3, 1)]
        """
        if n_rows < 1:
            raise ComitiaError(f"n_rows={n_rows} must be at least 1.")
        for start in range(0, self.n_objects, n_rows):
            rows = slice(start, min(start + n_rows, self.n_objects))
            yield (
                rows,
                Ensemble.assemble(
                    self.codes[:, rows],
                    self.n_clusters_each,
                    None if self.is_hard else self.membership[rows],
                    None if self.is_hard else self.kind,
                    groups=self.groups,
                    clustering_names=self.clustering_names,
                    cluster_names=self.cluster_names,
                    object_names=(
                        None if self.object_names is None else self.object_names[rows]
                    ),
                ),
            )


def _frozen_csr(matrix: csr_array) -> csr_array:
    matrix.sort_indices()
    for part in (matrix.data, matrix.indices, matrix.indptr):
        part.flags.writeable = False
    return matrix


def _same(one: NDArray[Any] | None, other: NDArray[Any] | None) -> bool:
    if one is None or other is None:
        return one is other
    return np.array_equal(one, other)


def _first_appearance(
    keys: Iterable[Hashable],
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Number keys in order of appearance: where each first was, and the numbers."""
    numbers: dict[Hashable, int] = {}
    inverse = np.array([numbers.setdefault(key, len(numbers)) for key in keys])
    return np.unique(inverse, return_index=True)[1], inverse


def _pairs(ends: NDArray[Any]) -> Iterator[tuple[int, int]]:
    return itertools.pairwise(ends.tolist())
