"""Runs the plans of a generator on rows that are too many for memory."""

from __future__ import annotations

import itertools
import json
import os
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.parallel import delayed

from comitia import sizes
from comitia._content_order import (
    ContentOrder,
    content_order,
    has_content_order,
    holds_places,
)
from comitia._labels import narrowest
from comitia._lock import locked
from comitia._sklearn import in_workers
from comitia._steps import OnProgress
from comitia._storage_paths import local_path
from comitia._store import BlockWriter
from comitia.engine.row_blocks import LocalBlocks
from comitia.ensemble import Ensemble
from comitia.exceptions import ComitiaError
from comitia.generate._checkpoint import fingerprint
from comitia.generate.columns import PIECE, Columns, Ends, Frame
from comitia.generate.generator import Generator, Plan, report_each
from comitia.generate.member import Member
from comitia.generate.sources import (
    ArrayRows,
    DaskRows,
    Rows,
    open_rows,
    pieces_of,
)

__all__ = ["generate_blocks"]


# Rows that a worker looks at in one task, a whole number of pieces.
_SPAN = 16 * PIECE


@dataclass(frozen=True)
class _Labeler:
    """All members of an ensemble, and the frame in which they label a block."""

    models: tuple[Any, ...]
    frame: Frame

    def codes(self, X: NDArray[Any]) -> NDArray[Any]:
        """Label rows: the cluster of each in each clustering, (n_clusterings, n)."""
        columns = self.frame.columns(X)
        kind = narrowest(max(model.n_clusters for model in self.models))
        codes = np.empty((len(self.models), len(X)), dtype=kind)
        for m, model in enumerate(self.models):
            codes[m] = model.label_columns(columns)
        return codes


class _Part(NamedTuple):
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
    on_progress: OnProgress | None = None,
) -> Ensemble:
    """Make an ensemble of data that are too many for memory.

    Members are fitted on samples of the data, and then label one block of rows after
    the other. The labels are those of ``generator.generate`` on the same rows in
    memory, if that fits its members on samples too, for any number of blocks. A call
    that was interrupted goes on with the blocks that are finished when it is repeated.

    Parameters
    ----------
    generator : generator
        How members are made: :class:`KMeansGenerator` by the solver "landmark" or
        "minibatch", on all objects; :class:`LandmarkSpectralGenerator`,
        :class:`NeighborSpectralGenerator` or :class:`GenieGenerator`; or a
        :class:`MixedGenerator` of these. Afterwards it labels new objects, as after
        :meth:`fit`. A generator of one's own writes :meth:`Generator.sample_rows` and
        :meth:`Generator.fit_sample`.

    source : path-like, np.memmap, dask.array.Array or Rows
        The data: a ``.npy`` file, a ``.parquet`` file or a folder of them, a ``.zarr``
        array, an array in memory, or what :func:`open_rows` made of them.

    folder : path-like
        Where the labels go: a new folder, or the one of an interrupted call.

    block_rows : int, default=None
        Objects in a block; half a million by default.

    client : dask.distributed.Client, default=None
        Whose workers label the blocks. They must see the files and the folder under
        the same paths. By default this process does.

    on_progress : callable, default=None
        Called as ``on_progress("generate", done, total)`` with numbers of blocks, in
        this process: once before the first, then after each that is written. Those of
        an interrupted call are done.

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
    known = isinstance(generator, Generator)
    reason = generator.needs_memory() if known else Generator.needs_memory(generator)
    if reason:
        raise ComitiaError(reason)
    rows = source if hasattr(source, "read") else open_rows(source)
    if isinstance(rows, DaskRows):
        rows.client = client
    step = sizes.BLOCK_ROWS if block_rows is None else block_rows
    if step < 1:
        raise ComitiaError(f"block_rows={block_rows} must be at least 1.")
    plans = generator.plan_members(rows)
    generator.n_features_in_ = rows.n_features
    folder = local_path(folder, "row blocks are written to").absolute()
    with locked(folder):
        passes = _Passes(rows, client)
        ends = passes.over(_ends_of, _spans(len(rows)))
        frame = Frame.of_ends(itertools.chain.from_iterable(ends))
        models = _fitted(generator, passes, frame, plans, _order_of(generator, passes))
        groups = [str(plan["group"]) for plan in plans if "group" in plan]
        writer = BlockWriter(
            folder,
            tuple(model.n_clusters for model in models),
            groups=groups or None,
            run=_fingerprint(generator, plans, frame, len(rows), step),
        )
        parts = [
            _Part(number, lo, min(lo + step, len(rows)))
            for number, lo in enumerate(range(0, len(rows), step))
        ]
        todo = [part for part in parts if not writer.done(part.number)]
        labeler = _Labeler(tuple(models), frame)
        written = _written(writer, passes, todo, labeler)
        earlier = len(parts) - len(todo)
        for _ in report_each(written, len(parts), on_progress, earlier):
            pass
        writer.finish([part.stop - part.start for part in parts])
    generator.members_ = [
        Member(model, np.arange(model.n_clusters)) for model in models
    ]
    generator.ensemble_ = Ensemble.open(folder, client=client)
    return generator.ensemble_


def _fingerprint(
    generator: Generator, plans: list[Plan], frame: Frame, n: int, step: int
) -> str:
    """Tell one run from another: what is done, and the means of the data."""
    what = {
        "generator": generator.fingerprint(frame.shift),
        "plans": json.dumps(plans),
        "n_objects": n,
        "block_rows": step,
        "scale": frame.scale,
    }
    return fingerprint(what, frame.shift)


class _Passes:
    """Passes over all rows, by the workers of a client if they can read them.

    They cannot read an array of this process, and Dask reads its arrays by itself.
    """

    def __init__(self, rows: Rows, client: Any) -> None:
        self.rows = rows
        self.client = client
        self.sent: Any = rows
        if client is not None and not isinstance(rows, DaskRows):
            from comitia.distributed import DaskBlocks

            # Once, and not with each task: a folder may have many files.
            (self.sent,) = DaskBlocks.of(client, [rows]).futures

    def over(self, function: Any, tasks: list[Any], **shared: Any) -> Iterable[Any]:
        """What a function makes of some rows after the other, in the order of tasks."""
        if self.client is None or isinstance(self.rows, ArrayRows | DaskRows):
            return (function(task, rows=self.rows, **shared) for task in tasks)
        from comitia.distributed import DaskBlocks

        sent = DaskBlocks.of(self.client, tasks)
        return sent.map(function, rows=self.sent, **shared).gather()


def _spans(n: int) -> list[tuple[int, int]]:
    """Where the rows of each task begin and end."""
    return [(lo, min(lo + _SPAN, n)) for lo in range(0, n, _SPAN)]


def _ends_of(task: Any, *, rows: Rows) -> list[Ends]:
    """What the frame has to know of each piece of a span."""
    return [Ends.of(X) for _, X in pieces_of(rows, *task)]


def _sampled(task: Any, *, rows: Rows, frame: Frame) -> NDArray[np.float32]:
    """The rows of a span that are wanted, feature by feature."""
    lo, hi, wanted = task
    columns = np.empty((rows.n_features, len(wanted)), dtype=np.float32)
    for start, X in pieces_of(rows, lo, hi):
        first, last = np.searchsorted(wanted, [start, start + len(X)])
        columns[:, first:last] = frame.columns(X[wanted[first:last] - start])
    return columns


def _order_of(generator: Generator, passes: _Passes) -> ContentOrder | None:
    """The order in which samples are drawn, that of the same rows in memory."""
    n, p = len(passes.rows), passes.rows.n_features
    if holds_places(generator) or not has_content_order(n, p):
        return None
    (order,) = passes.over(_sorted, [(0, n)])
    return order


def _sorted(task: Any, *, rows: Rows) -> ContentOrder | None:
    """The order of the content of some rows."""
    return content_order(rows.read(*task).astype(np.float64, copy=False))


def _fitted(
    generator: Generator,
    passes: _Passes,
    frame: Frame,
    plans: list[Plan],
    order: ContentOrder | None,
) -> list[Any]:
    """The members, each fitted on its sample; samples are read together."""
    rows = passes.rows
    models: list[Any] = []
    for some in _batches(generator, rows, plans):
        wanted = [generator.sample_rows(len(rows), plan) for plan in some]
        if order is not None:
            wanted = [order.objects[places] for places in wanted]
        union = np.unique(np.concatenate(wanted))
        together = Columns(_gathered(passes, frame, union), frame)
        jobs = (
            delayed(generator.fit_sample)(
                together.take(np.searchsorted(union, which)), plan
            )
            for plan, which in zip(some, wanted, strict=True)
        )
        models += in_workers(jobs, generator.n_jobs)
    return models


def _batches(
    generator: Generator, rows: Rows, plans: list[Plan]
) -> Iterator[list[Plan]]:
    """Plans whose samples fit in memory together, and are read in one pass."""
    batch: list[Plan] = []
    n_bytes = 0
    for plan in plans:
        size = 4 * rows.n_features * len(generator.sample_rows(len(rows), plan))
        if batch and n_bytes + size > sizes.SAMPLE_BYTES:
            yield batch
            batch, n_bytes = [], 0
        batch.append(plan)
        n_bytes += size
    yield batch


def _gathered(
    passes: _Passes, frame: Frame, wanted: NDArray[np.int64]
) -> NDArray[np.float32]:
    """Some rows, feature by feature, read in the order of the file."""
    tasks = [
        (lo, hi, wanted[slice(*np.searchsorted(wanted, [lo, hi]))])
        for lo, hi in _spans(len(passes.rows))
    ]
    tasks = [task for task in tasks if len(task[-1])]
    columns = np.empty((passes.rows.n_features, len(wanted)), dtype=np.float32)
    at = 0
    for part in passes.over(_sampled, tasks, frame=frame):
        columns[:, at : at + part.shape[1]] = part
        at += part.shape[1]
    return columns


def _written(
    writer: BlockWriter, passes: _Passes, parts: list[_Part], labeler: _Labeler
) -> Iterator[Any]:
    """Write blocks; each step is one that is written."""
    rows, client = passes.rows, passes.client
    if client is None:
        shared = {"rows": rows, "writer": writer, "labeler": labeler}
        return iter(LocalBlocks(parts).each(_write_part, **shared))
    from comitia.distributed import DaskBlocks

    blocks = DaskBlocks.of(client, parts)
    (sent,) = DaskBlocks.of(client, [labeler]).futures
    if not isinstance(rows, DaskRows):
        shared = {"rows": passes.sent, "writer": writer, "labeler": sent}
        return blocks.map(_write_part, **shared).gather()
    from dask import delayed as task

    # In one graph with what makes it, a chunk is labelled as soon as it is there, and
    # does not wait in memory for the others.
    write = task(_write_array, pure=False)
    tasks = [
        write(part, rows.array[part.start : part.stop], writer=writer, labeler=sent)
        for part in parts
    ]
    return DaskBlocks(client, client.compute(tasks)).gather()


def _write_part(
    part: _Part, *, rows: Rows, writer: BlockWriter, labeler: _Labeler
) -> None:
    X = rows.read(part.start, part.stop)
    writer.write(part.number, labeler.codes(X))


def _write_array(
    part: _Part, X: NDArray[Any], *, writer: BlockWriter, labeler: _Labeler
) -> None:
    rows = ArrayRows(X, f"block {part.number} of the Dask array")
    writer.write(part.number, labeler.codes(rows.read(0, len(X))))
