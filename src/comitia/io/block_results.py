"""The result of very many objects: all labels in blocks, the rest for a sample."""

from __future__ import annotations

import copy
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from comitia._optional import import_optional
from comitia._steps import OnProgress, Progress
from comitia.agreement import agreement
from comitia.ensemble import Ensemble
from comitia.exceptions import ComitiaError
from comitia.io._cell_text import MISSING, text_or_none
from comitia.io._collect import TRUTH_MEASURES
from comitia.io._new_objects import collect_members
from comitia.io.result_files import write_files
from comitia.io.results import Result

__all__ = ["KeptBlocks", "save_blocks"]

_SAMPLE = 10_000  # objects that the report shows
_SAMPLE_EACH = 50  # of them at least this many of each cluster

# Labels that say nothing.
_UNKNOWN = MISSING | {"-1"}


@dataclass(frozen=True)
class KeptBlocks:
    """What was kept of a result in blocks.

    Attributes
    ----------
    result : Result
        The result for the sample.

    sizes : list of int
        Size of each cluster, all objects counted.
    """

    result: Result
    sizes: list[int]


def save_blocks(
    estimator: Any,
    rows: Any,
    raw: Any,
    folder: Path,
    *,
    object_names: Iterable[Any] | None = None,
    truth: Iterable[Any] | None = None,
    notes: Sequence[str] = (),
    timings: Mapping[str, float] | None = None,
    command: str | None = None,
    source: str | None = None,
    preparation: Mapping[str, Any] | None = None,
    on_progress: OnProgress | None = None,
) -> KeptBlocks:
    """Write the result of a fit on row blocks.

    ``labels/`` gets a Parquet file for each block, with cluster, confidence and vote
    shares of its objects in the order of the data, their names in front and their
    known labels behind. The files of an ordinary result folder are those of a sample
    of the objects.

    Parameters
    ----------
    estimator : EnsembleMethod
        The method, fitted on an ensemble in blocks.

    rows, raw : Rows
        The data as they were clustered, and in their own units.

    folder : Path
        Where to write, an empty folder.

    object_names, truth : iterable of array, default=None
        Names and known labels of the objects, some rows at a time; None, "" and, of
        labels, -1 are unknown.

    notes : sequence of str, default=()
        What was done to the data, in sentences.

    timings : dict of str to float, default=None
        Seconds that the steps took.

    command, source : str, default=None
        What was typed, and where the data came from.

    preparation : dict, default=None
        How the data were made of a table.

    on_progress : callable, default=None
        Called as ``on_progress("write", done, total)`` with numbers of blocks.

    Returns
    -------
    kept : KeptBlocks
        The result for the sample, and what holds for all objects.
    """
    labels, k = estimator.labels_, int(estimator.n_clusters_)
    sizes = np.bincount(labels, minlength=k)
    chosen = _sample(labels, sizes)
    progress = Progress(on_progress)
    names = None if object_names is None else _Texts(object_names)
    classes = None if truth is None else _Classes(truth)
    sample, means = _write_labels(
        estimator, folder / "labels", chosen, progress, names, classes
    )
    if classes is not None:
        means |= classes.agreement(labels)
    progress.report("collect", 0, 1)
    result = Result.from_estimator(
        _as_if_fitted_on(estimator, chosen, sample),
        _read_rows(rows, chosen),
        feature_names=rows.feature_names,
        object_names=[str(i) for i in chosen] if names is None else names.taken,
        truth=None if classes is None else classes.taken,
        notes=notes,
        timings=timings,
        command=command,
        source=source,
        raw=_read_rows(raw, chosen),
        preparation=preparation,
    )
    share = f"a random sample of {len(chosen)} of the {len(labels)} objects"
    listed, sure = ", ".join(str(size) for size in sizes), means["mean_confidence"]
    result = replace(
        result,
        scores={**result.scores, **means},
        members=collect_members(estimator),
        all_sizes=() if len(chosen) == len(labels) else tuple(sizes.tolist()),
        notes=(
            *result.notes,
            f"this report, labels.csv and map.csv show {share}; labels/ has all.",
            f"clusters of all objects: {listed}; mean confidence {sure:.2f}.",
        ),
    )
    write_files(result, folder)
    return KeptBlocks(result, [int(size) for size in sizes])


def _sample(labels: NDArray[Any], sizes: NDArray[np.int64]) -> NDArray[np.int64]:
    """Objects at random, and a few of every cluster however small it is."""
    rng = np.random.RandomState(0)
    n = len(labels)
    if n <= _SAMPLE:
        return np.arange(n)
    drawn = np.unique(rng.randint(n, size=_SAMPLE))
    got = np.bincount(labels[drawn], minlength=len(sizes))
    rare = np.flatnonzero(got < np.minimum(sizes, _SAMPLE_EACH))
    more = [np.flatnonzero(labels == c)[:_SAMPLE_EACH] for c in rare]
    return np.unique(np.concatenate([drawn, *more]))


class _Texts:
    """A column of texts that comes some rows at a time, and leaves block by block."""

    def __init__(self, parts: Iterable[Any]) -> None:
        self.pa, _ = _import_pyarrow()
        self.parts = iter(parts)
        self.rest: Any = self.pa.array([], self.pa.string())
        # Those of the sample.
        self.taken: list[str | None] = []

    def next(self, n: int, chosen: NDArray[np.int64]) -> Any:
        """The next ``n`` of them; those that are chosen are kept."""
        ready, n_ready = [self.rest], len(self.rest)
        while n_ready < n:
            ready.append(self._read(next(self.parts)))
            n_ready += len(ready[-1])
        whole = self.pa.concat_arrays(ready)
        texts, self.rest = whole[:n], whole[n:]
        self.taken += texts.take(self.pa.array(chosen)).to_pylist()
        return texts

    def _read(self, part: Any) -> Any:
        pa = self.pa
        if isinstance(part, np.ndarray):
            return pa.array(text_or_none(part), pa.string()).fill_null("")
        try:
            return pa.concat_arrays(part.cast(pa.string()).chunks).fill_null("")
        except pa.ArrowException:
            raise ComitiaError(
                f"a column of {part.type} neither names objects nor holds labels; give "
                "one of text or of whole numbers."
            ) from None


class _Classes(_Texts):
    """Known labels, as texts and as numbers."""

    def __init__(self, parts: Iterable[Any]) -> None:
        super().__init__(parts)
        self.numbers: dict[str | None, int] = {}
        self.codes: list[NDArray[np.int32]] = []

    def _read(self, part: Any) -> Any:
        texts, pa = super()._read(part), self.pa
        unknown = pa.compute.is_in(texts, pa.array(sorted(_UNKNOWN)))
        return pa.compute.if_else(unknown, pa.scalar(None, pa.string()), texts)

    def next(self, n: int, chosen: NDArray[np.int64]) -> Any:
        texts = super().next(n, chosen)
        encoded = texts.dictionary_encode()
        number = [
            self.numbers.setdefault(text, len(self.numbers))
            for text in encoded.dictionary.to_pylist()
        ]
        here = encoded.indices.fill_null(-1).to_numpy()
        self.codes.append(np.array([*number, -1], np.int32)[here])
        return texts

    def agreement(self, labels: NDArray[Any]) -> dict[str, float]:
        """Agreement of all labels with them."""
        codes = np.concatenate(self.codes)
        if (codes < 0).all():
            return {}
        return {
            f"truth_{measure}": float(agreement(labels, codes, measure))
            for measure in TRUTH_MEASURES
        }


def _write_labels(
    estimator: Any,
    folder: Path,
    chosen: NDArray[np.int64],
    progress: Progress,
    names: _Texts | None,
    classes: _Classes | None,
) -> tuple[dict[str, NDArray[np.float64]], dict[str, float]]:
    """Write labels and votes; return those of a sample, and the means of all."""
    pa, parquet = _import_pyarrow()
    folder.mkdir()
    votes_taken, sure_taken = [], []
    sure, own = 0.0, 0.0
    n_blocks = len(estimator.ensemble_.row_blocks)
    progress.report("write", 0, n_blocks)
    for number, block in enumerate(estimator.result_blocks()):
        lo, hi = np.searchsorted(chosen, [block.rows.start, block.rows.stop])
        rows, n_here = chosen[lo:hi] - block.rows.start, len(block.labels)
        columns = {} if names is None else {"object": names.next(n_here, rows)}
        columns |= {"cluster": block.labels, "confidence": block.confidence}
        for c, votes in enumerate(block.membership.T):
            columns[f"votes_{c}"] = np.ascontiguousarray(votes)
        if classes is not None:
            columns["truth"] = classes.next(n_here, rows)
        path = folder / f"part-{number:05d}.parquet"
        try:
            parquet.write_table(pa.table(columns), path)
        except OSError as error:
            raise ComitiaError(f"{path} could not be written ({error}).") from error
        votes_taken.append(block.membership[rows])
        sure_taken.append(block.confidence[rows])
        sure += float(block.confidence.sum())
        everyone = np.arange(len(block.labels))
        own += float(block.membership[everyone, block.labels].sum())
        progress.report("write", number + 1, n_blocks)
    n = len(estimator.labels_)
    return {
        "membership_": np.concatenate(votes_taken),
        "confidence_": np.concatenate(sure_taken),
    }, {"mean_confidence": sure / n, "mean_vote_share": own / n}


def _as_if_fitted_on(
    estimator: Any, chosen: NDArray[np.int64], sample: dict[str, NDArray[np.float64]]
) -> Any:
    """The fitted method as if it had seen the sample alone, with what all gave it."""
    part = copy.copy(estimator)
    part.labels_ = estimator.labels_[chosen]
    part.ensemble_ = _take_objects(estimator.ensemble_, chosen)
    part.__dict__.update(sample)
    if hasattr(estimator, "object_weights_"):
        part.object_weights_ = np.asarray(estimator.object_weights_)[chosen]
    return part


def _take_objects(ensemble: Ensemble, chosen: NDArray[np.int64]) -> Ensemble:
    parts, start = [], 0
    for n, codes in zip(
        ensemble.rows_each, ensemble.row_blocks.each(_codes_of), strict=True
    ):
        lo, hi = np.searchsorted(chosen, [start, start + n])
        parts.append(codes[:, chosen[lo:hi] - start])
        start += n
    return Ensemble.from_codes(
        np.concatenate(parts, axis=1),
        ensemble.n_clusters_each,
        groups=ensemble.groups,
        clustering_names=ensemble.clustering_names,
    )


def _codes_of(block: Ensemble) -> NDArray[Any]:
    return np.asarray(block.codes)


def _read_rows(rows: Any, chosen: NDArray[np.int64]) -> NDArray[np.float64]:
    """Some rows, read in the order of the file."""
    from comitia.generate.sources import pieces_of

    X = np.empty((len(chosen), rows.n_features))
    for start, piece in pieces_of(rows):
        lo, hi = np.searchsorted(chosen, [start, start + len(piece)])
        X[lo:hi] = piece[chosen[lo:hi] - start]
    return X


def _import_pyarrow() -> tuple[Any, Any]:
    asking = "writing labels of very many objects"
    import_optional("pyarrow.compute", asking, "io")
    pa = import_optional("pyarrow", asking, "io")
    return pa, import_optional("pyarrow.parquet", asking, "io")
