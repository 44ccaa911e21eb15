"""Ensembles of data that are too many for memory, block by block."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import check_random_state
from sklearn.utils.parallel import delayed

from comitia._labels import narrowest
from comitia._lock import locked
from comitia._sklearn import in_workers
from comitia._store import BlockWriter
from comitia.engine.row_blocks import LocalBlocks
from comitia.ensemble import Ensemble
from comitia.exceptions import ComitiaError
from comitia.generate.base import Generator, Member
from comitia.generate.checkpoint import fingerprint
from comitia.generate.columns import Columns, Frame
from comitia.generate.sources import (
    ArrayRows,
    DaskRows,
    Rows,
    open_rows,
    pieces_of,
)

__all__ = ["generate_blocks"]

# Labels of so many objects are written together.
BLOCK_ROWS = 500_000

# Samples of several members are read in one go, as long as they take no more bytes.
_SAMPLE_BYTES = 1 << 28


@dataclass(frozen=True)
class Labeler:
    """All members of an ensemble, as they label a block.

    Attributes
    ----------
    models : tuple
        The members.

    frame : Frame
        The frame that they share.

    n_clusters_each : tuple of int
        How many clusters each has.
    """

    models: tuple[Any, ...]
    frame: Frame
    n_clusters_each: tuple[int, ...]

    def codes(self, X: NDArray[Any]) -> NDArray[Any]:
        """Label the objects of a block.

        Parameters
        ----------
        X : ndarray of shape (n_rows, n_features)
            The objects.

        Returns
        -------
        codes : ndarray of shape (n_clusterings, n_rows)
            The cluster of each object in each clustering.
        """
        columns = self.frame.columns(X)
        kind = narrowest(max(self.n_clusters_each))
        codes = np.empty((len(self.models), len(X)), dtype=kind)
        for m, model in enumerate(self.models):
            codes[m] = model.label_columns(columns)
        return codes


class Part(NamedTuple):
    """Rows that make up one block."""

    number: int
    start: int
    stop: int


def generate_blocks(
    generator: Generator,
    source: Any,
    folder: str | os.PathLike[str],
    *,
    block_rows: int | None = None,
    client: Any = None,
    progress: Callable[[int, int], None] | None = None,
) -> Ensemble:
    """Make an ensemble of data that are too many for memory.

    Members are fitted on samples of the data, and then label one block of rows after
    the other. The labels are those of ``generator.generate`` on the same rows in
    memory, for any number of blocks. A call that was interrupted goes on with the
    blocks that are finished when it is repeated.

    Parameters
    ----------
    generator : LandmarkSpectralGenerator or KMeansGenerator
        How members are made; k-means by the solver "landmark" or "minibatch", on all
        objects. Afterwards it labels new objects, as after :meth:`fit`.

    source : path-like, np.memmap, dask.array.Array or Rows
        The data: a ``.npy`` file, a ``.parquet`` file or a folder of them, an array,
        or what :func:`open_rows` made of them.

    folder : path-like
        Where the labels go: a new folder, or the one of an interrupted call.

    block_rows : int, default=None
        Objects in a block; half a million by default.

    client : dask.distributed.Client, default=None
        Whose workers label the blocks. They must see the files and the folder under
        the same paths. By default this process does.

    progress : callable, default=None
        Called as ``progress(done, total)`` with numbers of blocks.

    Returns
    -------
    ensemble : Ensemble
        The ensemble, as :meth:`Ensemble.open` gives it.

    Examples
    --------
    >>> import tempfile
    >>> import numpy as np
    >>> from comitia.generate import KMeansGenerator, generate_blocks
    >>> X = np.random.RandomState(0).rand(1000, 2)
    >>> few = KMeansGenerator(3, n_clusters=4, solver="landmark", random_state=0)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     ensemble = generate_blocks(few, X, folder, block_rows=300)
    ...     ensemble.n_objects, ensemble.n_clusterings
    (1000, 3)
    """
    _check_generator(generator)
    rows = source if hasattr(source, "read") else open_rows(source)
    if isinstance(rows, DaskRows):
        rows.client = client
    step = BLOCK_ROWS if block_rows is None else block_rows
    if step < 1:
        raise ComitiaError(f"block_rows={block_rows} must be at least 1.")
    generator._validate_params()
    generator.n_features_in_ = rows.n_features
    with locked(folder):
        plans = generator._plan(rows, check_random_state(generator.random_state))
        frame = Frame.of_pieces(X for _, X in pieces_of(rows))
        models = _fitted(generator, rows, frame, plans)
        sizes = tuple(model.n_clusters for model in models)
        groups = [str(plan["group"]) for plan in plans if "group" in plan]
        writer = BlockWriter(
            Path(folder).absolute(),
            sizes,
            groups=groups or None,
            run=_run(generator, plans, frame, len(rows), step),
        )
        labeler = Labeler(tuple(models), frame, sizes)
        parts = [
            Part(number, lo, min(lo + step, len(rows)))
            for number, lo in enumerate(range(0, len(rows), step))
        ]
        todo = [part for part in parts if not writer.done(part.number)]
        written = _written(writer, rows, todo, labeler, client)
        for done in range(len(parts) - len(todo), len(parts) + 1):
            if progress is not None:
                progress(done, len(parts))
            next(written, None)
        writer.finish([part.stop - part.start for part in parts])
    generator.members_ = [
        Member(model, np.arange(model.n_clusters)) for model in models
    ]
    generator.ensemble_ = Ensemble.open(folder, client=client)
    return generator.ensemble_


def _check_generator(generator: Any) -> None:
    name = type(generator).__name__
    if not hasattr(generator, "_fit_sample"):
        raise ComitiaError(
            f"generator={name} needs all objects in memory; use KMeansGenerator or "
            "LandmarkSpectralGenerator."
        )
    if getattr(generator, "objects", None) is not None:
        raise ComitiaError(
            f"objects={generator.objects!r} needs all objects in memory; leave it out."
        )
    if getattr(generator, "solver", None) == "lloyd":
        raise ComitiaError(
            'solver="lloyd" needs all objects in memory; use "landmark" or "minibatch".'
        )


def _run(
    generator: Generator, plans: list[Any], frame: Frame, n: int, step: int
) -> str:
    """Tell one run from another: what is done, and the means of the data."""
    what = {
        "generator": generator._fingerprint(frame.shift),
        "plans": json.dumps(plans),
        "n_objects": n,
        "block_rows": step,
        "scale": frame.scale,
    }
    return fingerprint(what, frame.shift)


def _fitted(
    generator: Any, rows: Rows, frame: Frame, plans: list[dict[str, Any]]
) -> list[Any]:
    """The members, each fitted on its sample; samples are read together."""
    models: list[Any] = []
    for some in _batches(generator, rows, plans):
        wanted = [generator._sample_rows(len(rows), plan) for plan in some]
        union = np.unique(np.concatenate(wanted))
        columns = _gathered(rows, frame, union)
        together = Columns(columns, frame)
        jobs = (
            delayed(generator._fit_sample)(
                together.take(np.searchsorted(union, which)), plan
            )
            for plan, which in zip(some, wanted, strict=True)
        )
        models += in_workers(jobs, generator.n_jobs)
    return models


def _batches(
    generator: Any, rows: Rows, plans: list[dict[str, Any]]
) -> Iterator[list[dict[str, Any]]]:
    batch: list[dict[str, Any]] = []
    n_bytes = 0
    for plan in plans:
        size = 4 * rows.n_features * len(generator._sample_rows(len(rows), plan))
        if batch and n_bytes + size > _SAMPLE_BYTES:
            yield batch
            batch, n_bytes = [], 0
        batch.append(plan)
        n_bytes += size
    yield batch


def _gathered(
    rows: Rows, frame: Frame, wanted: NDArray[np.int64]
) -> NDArray[np.float32]:
    """Some rows, feature by feature, read in the order of the file."""
    columns = np.empty((rows.n_features, len(wanted)), dtype=np.float32)
    for start, X in pieces_of(rows):
        lo, hi = np.searchsorted(wanted, [start, start + len(X)])
        if lo < hi:
            columns[:, lo:hi] = frame.columns(X[wanted[lo:hi] - start])
    return columns


def _written(
    writer: BlockWriter,
    rows: Rows,
    parts: list[Part],
    labeler: Labeler,
    client: Any,
) -> Iterator[Any]:
    """Write blocks; each step is one that is written."""
    shared = {"writer": writer, "labeler": labeler}
    if client is None:
        return iter(LocalBlocks(parts).each(_write_part, rows=rows, **shared))
    from comitia.distributed import DaskBlocks

    blocks = DaskBlocks.of(client, parts)
    if not isinstance(rows, DaskRows):
        return blocks.map(_write_part, rows=rows, **shared).gather()
    from dask import delayed as task

    # In one graph with what makes it, a chunk is labelled as soon as it is there, and
    # does not wait in memory for the others.
    write = task(_write_array, pure=False)
    (sent,) = DaskBlocks.of(client, [labeler]).futures
    tasks = [
        write(part, rows.array[part.start : part.stop], writer=writer, labeler=sent)
        for part in parts
    ]
    return DaskBlocks(client, client.compute(tasks)).gather()


def _write_part(
    part: Part, *, rows: Rows, writer: BlockWriter, labeler: Labeler
) -> None:
    X = rows.read(part.start, part.stop)
    writer.write(part.number, labeler.codes(X))


def _write_array(
    part: Part, X: NDArray[Any], *, writer: BlockWriter, labeler: Labeler
) -> None:
    rows = ArrayRows(X, f"block {part.number} of the Dask array")
    writer.write(part.number, labeler.codes(rows.read(0, len(X))))
