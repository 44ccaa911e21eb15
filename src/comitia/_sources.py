"""Where ensembles come from: codes, memberships, clusters, files, other ensembles."""

from __future__ import annotations

import itertools
import os
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from comitia import _labels
from comitia._arrays import device_of
from comitia._members import (
    check_array,
    check_cluster,
    check_codes,
    check_indices,
    check_membership,
    check_sequence,
)
from comitia._names import in_order, match_rows, names_of_each
from comitia.config import require_memory
from comitia.engine.row_blocks import Blocks, LocalBlocks
from comitia.engine.storage import InBlocks, Mapped, OnDevice
from comitia.exceptions import ComitiaError

if TYPE_CHECKING:
    from comitia.ensemble import Ensemble

__all__ = ["EnsembleSources"]


class EnsembleSources:
    """The part of :class:`~comitia.Ensemble` that makes ensembles of other things."""

    @classmethod
    def from_codes(
        cls: Any, codes: NDArray[Any], n_clusters_each: ArrayLike, **names: Any
    ) -> Ensemble:
        """Make an ensemble of labels that are coded already.

        Parameters
        ----------
        codes : ndarray or tensor of shape (n_clusterings, n_objects)
            Labels 0..k_m - 1 in row m, and k_m where the label is missing; clusters may
            be empty. They are copied, where they are.

        n_clusters_each : array-like of shape (n_clusterings,)
            The number of clusters of each clustering, k_m.

        **names : sequences
            ``groups``, ``object_names`` and ``clustering_names``.

        Returns
        -------
        ensemble : Ensemble
            The ensemble.
        """
        if device_of(codes) is not None:
            from comitia.engine.device_labels import own_codes

            tensor = own_codes(codes, n_clusters_each)
            return cls.assemble(OnDevice(tensor), n_clusters_each, **names)
        given = check_array(codes, "codes")
        codes, k, _ = check_codes(given, n_clusters_each)
        if np.may_share_memory(codes, given):
            # What somebody else can write to would change under the kernels.
            require_memory(
                codes.nbytes, f"a copy of the codes of {codes.shape[1]} objects"
            )
            codes = codes.copy()
        return cls.assemble(codes, k, **names)

    @classmethod
    def from_memberships(
        cls: Any, memberships: Sequence[ArrayLike], **names: Any
    ) -> Ensemble:
        """Make an ensemble of fuzzy clusterings.

        Parameters
        ----------
        memberships : sequence of array-like of shape (n_objects, k_m)
            Rows sum to one; a row of zeros or NaN, or a masked one, is an object that
            is not clustered there. Clusters without any membership are left out. Rows
            of DataFrames are matched by their index.

        **names : sequences
            ``groups``, ``object_names`` and ``clustering_names``.

        Returns
        -------
        ensemble : Ensemble
            An ensemble of kind "fuzzy".
        """
        from scipy.sparse import csr_array, hstack

        memberships = check_sequence(memberships, "memberships")
        if len(memberships) == 0:
            raise ComitiaError("memberships is empty; give at least one clustering.")
        order, rows = match_rows(
            names_of_each(memberships),
            [f"memberships[{m}]" for m in range(len(memberships))],
        )
        checked = [
            in_order(check_membership(F, m), at)
            for m, (F, at) in enumerate(zip(memberships, rows, strict=True))
        ]
        if names.get("object_names") is None:
            names["object_names"] = order
        if len({len(F) for F in checked}) > 1:
            raise ComitiaError(
                "memberships must have one row per object; got row counts "
                f"{sorted({len(F) for F in checked})}."
            )
        n_clusters = np.array([F.shape[1] for F in checked], dtype=np.int64)
        codes = np.stack(
            [np.where(F.any(axis=1), F.argmax(axis=1), F.shape[1]) for F in checked]
        ).astype(_labels.narrowest(n_clusters.max()))
        membership = hstack([csr_array(F) for F in checked], format="csr")
        return cls.assemble(codes, n_clusters, membership, "fuzzy", **names)

    @classmethod
    def from_clusters(
        cls: Any,
        clusterings: Sequence[Sequence[Sequence[int]]],
        n_objects: int,
        **names: Any,
    ) -> Ensemble:
        """Make an ensemble of clusterings whose clusters may overlap.

        Parameters
        ----------
        clusterings : sequence of sequences of index sequences
            For each clustering its clusters, each as the indices of its objects.

        n_objects : int
            Number of objects.

        **names : sequences
            ``groups``, ``object_names`` and ``clustering_names``.

        Returns
        -------
        ensemble : Ensemble
            Of kind "overlapping", or "hard" or "partial" when nothing overlaps.
        """
        from scipy.sparse import csr_array

        clusterings = [
            check_sequence(clusters, f"clustering {m}")
            for m, clusters in enumerate(check_sequence(clusterings, "clusterings"))
        ]
        if len(clusterings) == 0:
            raise ComitiaError("clusterings is empty; give at least one clustering.")
        if not isinstance(n_objects, int | np.integer) or n_objects < 1:
            raise ComitiaError(
                f"n_objects={n_objects!r} must be a whole number, at least 1."
            )
        members = [
            check_cluster(cluster, n_objects, f"cluster {c} of {m}")
            for m, clusters in enumerate(clusterings)
            for c, cluster in enumerate(clusters)
        ]
        n_clusters = np.array([len(clusters) for clusters in clusterings], np.int64)
        if (n_clusters == 0).any():
            raise ComitiaError(
                f"clustering {int(np.argmin(n_clusters))} has no clusters; leave it "
                "out."
            )
        missing = n_clusters.astype(_labels.narrowest(n_clusters.max()))
        require_memory(
            # The labels, and where the row of each object begins in the memberships.
            n_objects * (missing.nbytes + 8),
            f"the clusters of {n_objects} objects in {len(missing)} clusterings",
        )
        codes = np.repeat(missing[:, None], n_objects, axis=1)
        owner = np.repeat(np.arange(len(n_clusters)), n_clusters)
        begin = np.r_[0, np.cumsum(n_clusters)]
        for c in reversed(range(len(members))):
            codes[owner[c], members[c]] = c - begin[owner[c]]
        rows = np.concatenate(members)
        if len(rows) == (codes != missing[:, None]).sum():  # nothing overlaps
            return cls.assemble(codes, n_clusters, **names)
        columns = np.repeat(np.arange(len(members)), [len(c) for c in members])
        membership = csr_array(
            (np.ones(len(rows)), (rows, columns)), shape=(n_objects, len(members))
        )
        return cls.assemble(codes, n_clusters, membership, "overlapping", **names)

    @classmethod
    def load(cls: Any, path: str | os.PathLike[str]) -> Ensemble:
        """Read an ensemble that :meth:`save` wrote.

        Parameters
        ----------
        path : path-like
            A ``.npz`` file or a folder of row blocks.

        Returns
        -------
        ensemble : Ensemble
            The ensemble.
        """
        from comitia import _store

        return _store.read(path, cls.assemble)

    @classmethod
    def open(cls: Any, path: str | os.PathLike[str], *, client: Any = None) -> Ensemble:
        """Open a folder of row blocks without reading its labels.

        Linear methods then work on one block after the other, and give the labels
        that the same ensemble in memory gets.

        Parameters
        ----------
        path : path-like
            A folder that :meth:`save` or a generator wrote.

        client : dask.distributed.Client, default=None
            Whose workers work on the blocks; they must see the folder under the same
            path. By default this process does.

        Returns
        -------
        ensemble : Ensemble
            The ensemble; asking for its ``codes`` reads them.
        """
        from comitia import _store

        folder = _store.open_folder(path)
        k, kind = folder.n_clusters_each, folder.kind
        parts = [
            cls.assemble(Mapped(folder, number), k, None, kind)
            for number in range(len(folder.n_rows))
        ]
        blocks: Blocks = LocalBlocks(parts)
        if client is not None:
            from comitia.distributed import DaskBlocks

            blocks = DaskBlocks.of(client, parts)
        return cls.assemble(
            InBlocks(blocks, folder.n_rows, str(folder.path)),
            k,
            None,
            kind,
            groups=folder.groups,
            clustering_names=folder.clustering_names,
        )

    @classmethod
    def from_dask(
        cls: Any, labels: Any, *, client: Any = None, **names: Any
    ) -> Ensemble:
        """Make an ensemble of a Dask array of labels, block by block.

        Parameters
        ----------
        labels : dask.array.Array of int of shape (n_objects, n_clusterings)
            Labels of any integers; -1 means "not clustered here".

        client : dask.distributed.Client, default=None
            Whose workers keep the labels and work on them; the current client if
            there is one. Without any, the labels are computed into this process.

        **names : sequences
            ``groups`` and ``clustering_names``.

        Returns
        -------
        ensemble : Ensemble
            The ensemble; linear methods work on its blocks where they are.
        """
        from comitia.distributed import ensemble_of_array

        return ensemble_of_array(labels, client, **names)

    @classmethod
    def on_device(
        cls: Any, labels: Any, device: str | None = None, **names: Any
    ) -> Ensemble:
        """Make an ensemble whose labels are on a device, and stay there.

        Linear methods then work there, and give the labels that the same ensemble in
        memory gets.

        Parameters
        ----------
        labels : tensor of shape (n_objects, n_clusterings), Ensemble, or array-like
            Integers of PyTorch or CuPy, 0 or more, and -1 for "not clustered here"; an
            ensemble of hard clusterings; or anything that an ensemble is made of.

        device : str, default=None
            Where the labels go, such as ``"cuda"``, ``"cuda:1"`` or ``"torch"`` (the
            CPU, through PyTorch). ``None`` leaves a tensor where it is.

        **names : sequences
            ``groups``, ``object_names`` and ``clustering_names``.

        Returns
        -------
        ensemble : Ensemble
            The ensemble; asking for its ``codes`` copies them into memory.
        """
        from comitia.engine import device_labels

        device = device_labels.check_place(labels, device)
        if device_of(labels) is not None:
            codes, k = device_labels.encode_on_device(labels, device)
            return cls.assemble(OnDevice(codes), k, **names)
        given: Any = labels
        if not isinstance(labels, EnsembleSources):
            given = cls(labels, **names)
        codes = device_labels.moved(given, device)
        if given.device is not None and codes.device == given.storage.codes.device:
            return given
        there = cls.assemble(
            OnDevice(codes),
            given.n_clusters_each,
            None,
            given.kind,
            groups=given.groups,
            object_names=given.object_names,
            clustering_names=given.clustering_names,
        )
        if given.storage.is_local:
            there.__dict__["whole"] = given  # who asks for a copy need not wait for one
        return there

    def take(
        self: Any,
        clusterings: ArrayLike | None = None,
        objects: ArrayLike | None = None,
    ) -> Ensemble:
        """A smaller ensemble.

        Parameters
        ----------
        clusterings : array-like of int or bool, default=None
            The clusterings to keep, in this order; all by default.

        objects : array-like of int or bool, default=None
            The objects to keep, in this order; all by default. Clusters that lose
            all their objects are dropped.

        Returns
        -------
        ensemble : Ensemble
            The clusterings and objects asked for.
        """
        which = check_indices(clusterings, self.n_clusterings, "clusterings")
        kept = check_indices(objects, self.n_objects, "objects")
        names: dict[str, Any] = {
            "groups": None if self.groups is None else self.groups[which],
            "clustering_names": (
                None if self.clustering_names is None else self.clustering_names[which]
            ),
            "object_names": (
                None if self.object_names is None else self.object_names[kept]
            ),
        }
        if self.is_hard:
            k = self.n_clusters_each[which]
            if objects is None and self.device is not None:
                codes = self.storage.codes[which.tolist()]
                return self.assemble(OnDevice(codes), k, **names)
            labels = self.codes[which]
            if objects is None:
                return self.assemble(labels, k, **names)
            labels = labels[:, kept].astype(np.int64)
            labels[labels == k[:, None]] = -1
            return type(self)(list(labels), **names)
        columns = np.concatenate(
            [np.arange(self.offsets[m], self.offsets[m + 1]) for m in which]
        )
        B = self.membership[:, columns][kept]
        sizes = np.asarray(B.sum(axis=0)).ravel()
        begin = np.r_[0, np.cumsum(self.n_clusters_each[which])]
        blocks = [B[:, lo:hi][:, sizes[lo:hi] > 0] for lo, hi in _pairs(begin)]
        if self.kind == "fuzzy":
            return self.from_memberships([b.toarray() for b in blocks], **names)
        lists = [
            [column.indices for column in _columns(block.tocsc())] for block in blocks
        ]
        return self.from_clusters(lists, len(kept), **names)


def _pairs(ends: NDArray[Any]) -> Iterator[tuple[int, int]]:
    return itertools.pairwise(ends.tolist())


def _columns(matrix: Any) -> Iterator[Any]:
    for c in range(matrix.shape[1]):
        yield matrix[:, [c]]
