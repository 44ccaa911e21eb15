"""The pools of base clusterings that the methods are held to their papers on."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks.evaluation import data as data_sets
from benchmarks.evaluation.store import Options

__all__ = ["BEST_OF", "MEASURES", "draw_of", "load_pool", "pools", "scores"]

#: The numbers of clusters of which the best is taken: those of the authors' demo.
BEST_OF = tuple(range(2, 31))
MEASURES = ("nmi_sqrt", "nmi_max", "ari")
N_DRAWS, N_MEMBERS = 10, 10

Labels = NDArray[np.int32]


def pools(options: Options) -> list[str]:
    """Names of the pools, small ones first.

    Parameters
    ----------
    options : Options
        What the command line asks for.

    Returns
    -------
    names : list of str
        Names for :func:`load_pool`.
    """
    if options.data is None:
        names = ["iris"] if options.smoke else ["iris", "wine"]
    else:
        files = sorted((options.data / "pools").glob("*.npz"))
        names = [path.stem for path in files]
        names.sort(key=lambda name: len(load_pool(name, options.data)[1]))
    return [name for name in names if not options.sets or name in options.sets]


@lru_cache(maxsize=2)
def load_pool(name: str, folder: Path | None) -> tuple[Labels, Labels]:
    """The base clusterings and the classes of a pool.

    Parameters
    ----------
    name : str
        Name of the pool.

    folder : path or None
        The data folder; None makes the pool of a data set of scikit-learn.

    Returns
    -------
    members : ndarray of shape (n_objects, 100)
        The base clusterings.

    classes : ndarray of shape (n_objects,)
        The classes.
    """
    if folder is not None:
        with np.load(folder / "pools" / f"{name}.npz", allow_pickle=False) as file:
            return file["members"].astype(np.int32), file["gt"].astype(np.int32)
    from sklearn.cluster import KMeans

    data = data_sets.load("single", name, None)
    rng = np.random.RandomState(0)
    members = [
        # As the authors do: k-means with 2 to the root of n clusters.
        KMeans(rng.randint(2, int(len(data.y) ** 0.5) + 1), n_init=1, random_state=m)
        .fit(data.X)
        .labels_
        for m in range(N_DRAWS * N_MEMBERS)
    ]
    return np.stack(members, axis=1), data.y.astype(np.int32)


def draw_of(members: Labels, draw: int) -> Labels:
    """The columns of a draw.

    Parameters
    ----------
    members : ndarray of shape (n_objects, 100)
        A pool.

    draw : int
        1 to 10.

    Returns
    -------
    labels : ndarray of shape (n_objects, 10)
        Ten base clusterings.
    """
    return members[:, N_MEMBERS * (draw - 1) : N_MEMBERS * draw]


def scores(
    labels: Iterable[NDArray[Any]], numbers: Sequence[int], classes: NDArray[Any]
) -> dict[str, Any]:
    """How well clusterings agree with the classes: the best of each measure.

    Parameters
    ----------
    labels : iterable of ndarray of shape (n_objects,)
        Clusterings, one for each number of clusters.

    numbers : sequence of int
        The numbers of clusters.

    classes : ndarray of shape (n_objects,)
        The classes.

    Returns
    -------
    values : dict
        ``k``, that of the best ``nmi_max``, and :data:`MEASURES`.
    """
    from comitia.agreement import agreement

    measures = ("nmi_sqrt", "nmi_max", "adjusted_rand")
    found = np.array(
        [
            [agreement(one, classes, measure) for measure in measures]
            for _, one in zip(numbers, labels, strict=True)
        ]
    )
    best = dict(zip(MEASURES, found.max(axis=0).tolist(), strict=True))
    return {"k": numbers[int(found[:, 1].argmax())], **best}
