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
from comitia._block_folder import SHARED_NAMES, grow_folder, open_folder
from comitia._lock import locked
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
from comitia.engine import growth
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

        Examples
        --------
        >>> import numpy as np
        >>> from comitia import Ensemble
        >>> Ensemble.from_codes(np.array([[0, 1, 2]]), [2]).labels.tolist()
        [[0], [1], [-1]]
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

        Examples
        --------
        >>> from comitia import Ensemble
        >>> votes = Ensemble.from_memberships(
        ...     [[[0.9, 0.1], [0.2, 0.8]], [[1, 0], [0, 1]]]
        ... )
        >>> votes.kind, votes.n_clusterings
        ('fuzzy', 2)
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

        Examples
        --------
        >>> from comitia import Ensemble
        >>> Ensemble.from_clusters([[[0, 1], [1, 2]], [[0], [1, 2]]], n_objects=3).kind
        'overlapping'
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

        Examples
        --------
        >>> from tempfile import TemporaryDirectory
        >>> from comitia import Ensemble
        >>> with TemporaryDirectory() as folder:
        ...     Ensemble([[0, 0], [1, 1]]).save(f"{folder}/votes.npz")
        ...     Ensemble.load(f"{folder}/votes.npz").labels.tolist()
        [[0, 0], [1, 1]]
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

        Examples
        --------
        >>> from tempfile import TemporaryDirectory
        >>> from comitia import Ensemble, method
        >>> with TemporaryDirectory() as folder:
        ...     Ensemble([[0, 0], [0, 0], [1, 1], [1, 1]]).save(
        ...         f"{folder}/votes", block_rows=2
        ...     )
        ...     votes = Ensemble.open(f"{folder}/votes")
        ...     method("lwgp")(n_clusters=2).fit_predict(votes).tolist()
        [0, 0, 1, 1]
        """
        folder = open_folder(path)
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
            cluster_names=folder.cluster_names,
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

        Examples
        --------
        >>> import dask.array as da
        >>> from comitia import Ensemble
        >>> Ensemble.from_dask(da.zeros((6, 2), dtype=int, chunks=(3, 2))).n_objects
        6
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

        Examples
        --------
        >>> import torch  # doctest: +SKIP
        >>> votes = Ensemble.on_device(torch.tensor(labels), "cuda")  # doctest: +SKIP
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
            cluster_names=given.cluster_names,
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

        Examples
        --------
        >>> from comitia import Ensemble
        >>> votes = Ensemble([[0, 0, 0], [0, 0, 1], [1, 1, 1]])
        >>> votes.take(clusterings=[0, 2], objects=[0, 2]).labels.tolist()
        [[0, 0], [1, 1]]
        """
        which = check_indices(clusterings, self.n_clusterings, "clusterings")
        kept = check_indices(objects, self.n_objects, "objects")
        # The clusters of these clusterings, and what they are called.
        columns = np.concatenate(
            [np.arange(self.offsets[m], self.offsets[m + 1]) for m in which]
        )
        names: dict[str, Any] = {
            name: None if found is None else found[at]
            for name, found, at in (
                ("groups", self.groups, which),
                ("clustering_names", self.clustering_names, which),
                ("object_names", self.object_names, kept),
                ("cluster_names", self.cluster_names, columns),
            )
        }
        if self.is_hard:
            k = self.n_clusters_each[which]
            if objects is None and isinstance(self.storage, InBlocks):
                return growth.taken(self, which, names)
            if objects is None and self.device is not None:
                codes = self.storage.codes[which.tolist()]
                return self.assemble(OnDevice(codes), k, **names)
            if objects is None:
                return self.assemble(growth.some_rows(self.codes, which), k, **names)
            labels = self.codes[which][:, kept].astype(np.int64)
            labels[labels == k[:, None]] = -1
            called = names.pop("cluster_names")
            made = type(self)(list(labels), **names)
            if called is not None:
                made.__dict__["cluster_names"] = called[_used(labels, k)]
            return made
        B = self.membership[:, columns][kept]
        sizes = np.asarray(B.sum(axis=0)).ravel()
        begin = np.r_[0, np.cumsum(self.n_clusters_each[which])]
        blocks = [B[:, lo:hi][:, sizes[lo:hi] > 0] for lo, hi in _pairs(begin)]
        names.pop("cluster_names")
        if self.kind == "fuzzy":
            return self.from_memberships([b.toarray() for b in blocks], **names)
        lists = [
            [column.indices for column in _columns(block.tocsc())] for block in blocks
        ]
        return self.from_clusters(lists, len(kept), **names)

    def append(
        self: Any,
        labels: Any,
        *,
        axis: str = "clusterings",
        object_names: Sequence[Any] | None = None,
        clustering_names: Sequence[Any] | None = None,
        groups: Sequence[Any] | None = None,
    ) -> Ensemble:
        """The same ensemble with more clusterings, or with more objects.

        What exists is shared and not copied, once there is room for more: new objects
        are a row block behind the others, and the first clusterings that are appended
        in memory make room for those to come. Nothing is written to disk;
        :meth:`grow` does that.

        Parameters
        ----------
        labels : Ensemble, or array-like
            New clusterings: whatever an ensemble is made of, or one label vector. Rows
            are matched by name where both sides have names. New objects: one row for
            each and a column for each clustering, which are matched by name where both
            sides have names. There a label means the cluster that has this label, as
            ``cluster_names`` says; one that no cluster has is a new cluster.

        axis : {"clusterings", "objects"}, default="clusterings"
            What is new.

        object_names, clustering_names, groups : sequences, default=None
            As for the class; of what is new.

        Returns
        -------
        ensemble : Ensemble
            The larger one; this one stays as it is.

        Examples
        --------
        >>> from comitia import Ensemble
        >>> votes = Ensemble([["a", 1], ["a", 2], ["b", 2]])
        >>> votes.append([5, 5, 7])
        Ensemble(kind='hard', n_objects=3, n_clusterings=3, n_clusters_total=6)
        >>> votes.append([["b", 1], ["c", -1]], axis="objects").labels
        array([[ 0,  0],
               [ 0,  1],
               [ 1,  1],
               [ 1,  0],
               [ 2, -1]], dtype=int32)
        """
        new = labels
        if not isinstance(labels, EnsembleSources):
            names = {"object_names": object_names, "clustering_names": clustering_names}
            if _checked_axis(axis) == "objects":
                new = growth.new_rows(labels, **names)
            else:
                new = type(self)(_labels.as_columns(labels), groups=groups, **names)
        return self.concat([self, new], axis=axis)

    @classmethod
    def grow(
        cls: Any, path: str | os.PathLike[str], labels: Any, **settings: Any
    ) -> Ensemble:
        """Let a folder of row blocks grow by files: :meth:`append` on disk.

        The files that are there stay as they are. New labels are written beside them,
        then the description of the folder, in one step: a process that ends before it
        leaves the ensemble as it was, and one that ends after it has added everything.

        Parameters
        ----------
        path : path-like
            A folder that :meth:`open` opens; its objects have no names.

        labels : Ensemble, or array-like
            As for :meth:`append`.

        **settings : dict
            ``axis``, ``clustering_names`` and ``groups``, as for :meth:`append`.

        Returns
        -------
        ensemble : Ensemble
            The larger ensemble, opened.

        Examples
        --------
        >>> from tempfile import TemporaryDirectory
        >>> from comitia import Ensemble
        >>> with TemporaryDirectory() as folder:
        ...     Ensemble([[0, 0], [1, 1]]).save(f"{folder}/votes")
        ...     grown = Ensemble.grow(f"{folder}/votes", [[1, 0]], axis="objects")
        ...     grown.n_objects
        3
        """
        with locked(path):
            old = cls.open(path)
            grown = old.append(labels, **settings)
            if grown.object_names is not None:
                raise ComitiaError(
                    "objects in row blocks have no names; give the new ones none, in "
                    "the order of the blocks."
                )
            names = {name: getattr(grown, name) for name in SHARED_NAMES}
            files = growth.new_files(old, grown)
            grow_folder(path, grown.n_clusters_each, grown.kind, names, files)
        return cls.open(path)

    @classmethod
    def concat(
        cls: Any, ensembles: Sequence[Any], *, axis: str = "clusterings"
    ) -> Ensemble:
        """Put ensembles together: clusterings side by side, or objects end to end.

        Parameters
        ----------
        ensembles : sequence of Ensemble
            At least one; the first is shared as in :meth:`append`.

        axis : {"clusterings", "objects"}, default="clusterings"
            Whether they are clusterings of the same objects, or the same clusterings of
            other objects. Names are matched as in :meth:`append`.

        Returns
        -------
        ensemble : Ensemble
            All of them together.

        Examples
        --------
        >>> from comitia import Ensemble
        >>> first, second = Ensemble([[0], [0], [1]]), Ensemble([[0], [1], [1]])
        >>> Ensemble.concat([first, second]).labels.tolist()
        [[0, 0], [0, 1], [1, 1]]
        """
        parts = check_sequence(ensembles, "ensembles")
        if not parts or not isinstance(parts[0], EnsembleSources):
            raise ComitiaError("ensembles must be a list of at least one Ensemble.")
        first: Any = parts[0]
        if len(parts) == 1:
            return first
        if _checked_axis(axis) == "objects":
            return growth.more_objects(first, parts[1:])
        called = ["the ensemble", *(f"ensembles[{i}]" for i in range(1, len(parts)))]
        if len(parts) == 2:
            called[1] = "labels"
        return growth.more_clusterings(parts, called)

    def drop(self: Any, clusterings: Any) -> Ensemble:
        """The same ensemble without some of its clusterings.

        Parameters
        ----------
        clusterings : array-like of int, bool or str
            Those to leave out: numbers, a mask, or names.

        Returns
        -------
        ensemble : Ensemble
            The others, in their order.

        Examples
        --------
        >>> from comitia import Ensemble
        >>> votes = Ensemble([[0, 5], [0, 6], [1, 6]], clustering_names=["a", "b"])
        >>> votes.drop(["b"]).labels.tolist()
        [[0], [0], [1]]
        """
        which = np.atleast_1d(np.asarray(clusterings))
        if which.dtype.kind in "UO" and self.clustering_names is not None:
            known = self.clustering_names.tolist()
            strange = [name for name in which.tolist() if name not in known]
            if strange:
                raise ComitiaError(f"there is no clustering {strange[0]!r}.")
            which = np.isin(self.clustering_names, which)
        left_out = check_indices(which, self.n_clusterings, "clusterings")
        return self.take(np.setdiff1d(np.arange(self.n_clusterings), left_out))


def _checked_axis(axis: str) -> str:
    if axis not in ("clusterings", "objects"):
        raise ComitiaError(f'axis={axis!r} must be "clusterings" or "objects".')
    return axis


def _used(labels: NDArray[np.int64], k: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Which of the clusters of each clustering have objects, end to end."""
    counts = [
        np.bincount(row[row >= 0], minlength=n)
        for row, n in zip(labels, k.tolist(), strict=True)
    ]
    return np.concatenate(counts) > 0


def _pairs(ends: NDArray[Any]) -> Iterator[tuple[int, int]]:
    return itertools.pairwise(ends.tolist())


def _columns(matrix: Any) -> Iterator[Any]:
    for c in range(matrix.shape[1]):
        yield matrix[:, [c]]
