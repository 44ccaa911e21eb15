"""Labels and weights of every method, kept before a change and compared after it.

    python tools/golden.py record build/golden.npz
    python tools/golden.py compare build/golden.npz

Each method is fitted on ensembles below and above every size at which the path through
the code changes (``comitia.sizes``), and on data where it takes data. Labels must be
equal, weights equal to 1e-9. A fit that takes longer than ``--seconds`` is left out of
the record, and so are larger ensembles, with a line that says so.
"""

from __future__ import annotations

import argparse
import hashlib
import signal
import sys
import time
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

sys.path.insert(0, str(Path(__file__).parents[1]))

from benchmarks.ensembles import voronoi_ensemble
from comitia import Ensemble
from comitia.exceptions import ComitiaError
from tests.fixtures import planted
from tests.hard.methods import METHODS, X, given, is_on_tables, make

Record = dict[str, NDArray[Any]]

WEIGHTS = (
    "clustering_weights_",
    "cluster_weights_",
    "object_weights_",
    "feature_weights_",
    "view_weights_",
    "selected_",
)

# Objects of an ensemble of ten clusterings. Numba is loaded from 50 000 labels on,
# tables are counted by kernels from 2 000 000 increments on, row blocks and samples
# for k-means begin at 40 000 and 50 000 objects.
SIZES = {"small": 178, "compiled": 6_000, "tabulated": 25_000, "blocks": 60_000}


def ensembles() -> Iterator[tuple[str, Ensemble]]:
    """Ensembles on both sides of each threshold, with and without missing labels."""
    for name, n in SIZES.items():
        yield f"{name}-voronoi", voronoi_ensemble(n, 10, (4, 12), n_blobs=6)
        labels, _ = planted(n, 4, 10, noise=0.35, seed=1)
        yield f"{name}-planted", Ensemble(labels)
        labels = labels.copy()
        rng = np.random.RandomState(2)
        labels[rng.rand(*labels.shape) < 0.1] = -1
        labels[:, 0] = np.maximum(labels[:, 0], 0)
        yield f"{name}-partial", Ensemble(labels)


def fits() -> Iterator[tuple[str, Callable[[], Any]]]:
    """What is fitted, by name."""
    made = dict(ensembles())
    for cls in METHODS:
        called = cls.card.id
        if cls.card.needs == ("labels",):
            for name, ensemble in made.items():
                yield f"{called}/{name}", lambda c=cls, e=ensemble: make(c).fit(e)
        arguments, keywords = given(cls)
        yield (
            f"{called}/given",
            lambda c=cls, a=arguments, k=keywords: make(c).fit(*a, **k),
        )
        if is_on_tables(cls) and cls.card.needs != ("views",):
            yield f"{called}/data", lambda c=cls: make(c).fit(X)


def digest(values: NDArray[Any]) -> NDArray[Any]:
    """Labels as they are when they are few, else a digest of them."""
    if values.size <= 2_000 or values.dtype.kind == "f":
        return values
    return np.array(hashlib.blake2b(np.ascontiguousarray(values)).hexdigest())


def kept(estimator: Any) -> Record:
    """The labels and weights of a fitted method."""
    record = {"labels_": digest(estimator.labels_.astype(np.int64))}
    for name in WEIGHTS:
        found = vars(estimator).get(name)
        if found is not None:
            parts = found if isinstance(found, list) else [found]
            for part, values in enumerate(parts):
                values = np.asarray(values)
                record[f"{name}{part}"] = values[:: max(1, len(values) // 2_000)]
    return record


class TooLong(Exception):
    """A fit was stopped by its limit."""


def fit_all(seconds: int, only: str) -> Iterator[tuple[str, Record]]:
    """Fit everything, one after the other; a refusal is a record as well."""

    def stop(*_: Any) -> None:
        raise TooLong

    signal.signal(signal.SIGPROF, stop)
    slow = set()  # methods that took too long; larger ensembles take longer
    for name, fit in fits():
        called, _, case = name.partition("/")
        if only not in name or (called in slow and case not in ("given", "data")):
            continue
        began = time.process_time()
        signal.setitimer(signal.ITIMER_PROF, seconds)
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                record = kept(fit())
        except TooLong:
            print(f"{name}: longer than {seconds} s, left out", flush=True)
            slow.add(called)
            continue
        except ComitiaError as error:
            record = {"refused": np.array(str(error)[:60])}
        finally:
            signal.setitimer(signal.ITIMER_PROF, 0)
        taken = time.process_time() - began
        if taken > seconds / 4:
            print(f"{name}: {taken:.1f} s", flush=True)
        yield name, record


def differences(before: Record, now: Record) -> list[str]:
    """The names of what differs."""
    names = sorted(before.keys() | now.keys())
    return [name for name in names if not _same(before.get(name), now.get(name))]


def _same(one: NDArray[Any] | None, other: NDArray[Any] | None) -> bool:
    if one is None or other is None or one.shape != other.shape:
        return False
    if one.dtype.kind == "f":
        return np.allclose(one, other, rtol=1e-9, atol=1e-12, equal_nan=True)
    return np.array_equal(one, other)


def main() -> int:
    """Record or compare."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("what", choices=["record", "compare"])
    parser.add_argument("path", type=Path)
    parser.add_argument("--seconds", type=int, default=40)
    parser.add_argument("--only", default="", help="names that contain this")
    options = parser.parse_args()
    if options.what == "record":
        flat = {
            f"{name}|{part}": values
            for name, record in fit_all(options.seconds, options.only)
            for part, values in record.items()
        }
        options.path.parent.mkdir(parents=True, exist_ok=True)
        np.savez_compressed(options.path, **flat)
        print(f"{len({key.split('|')[0] for key in flat})} fits in {options.path}")
        return 0
    before: dict[str, Record] = {}
    with np.load(options.path) as file:
        for key in file.files:
            name, part = key.split("|")
            before.setdefault(name, {})[part] = file[key]
    n_fits = n_wrong = 0
    for name, record in fit_all(4 * options.seconds, options.only):
        if name in before:
            n_fits += 1
            wrong = differences(before[name], record)
            if wrong:
                n_wrong += 1
                print(f"{name}: {', '.join(wrong)} differ", flush=True)
    print(f"{n_fits} fits compared, {n_wrong} differ")
    return int(n_wrong > 0)


if __name__ == "__main__":
    sys.exit(main())
