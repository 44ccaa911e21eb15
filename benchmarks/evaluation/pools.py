"""The pools: a hundred base clusterings of each of some data sets, and the classes.

``pools/<name>.npz`` of the data folder holds ``members``, a hundred base clusterings of
one data set as columns, and ``gt``, its classes. Draw 1 is the columns 1 to 10, draw 2
the columns 11 to 20, and so on. Without a data folder, pools are made of the data sets
of scikit-learn.
"""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from benchmarks.evaluation import data as data_sets
from benchmarks.evaluation.store import Options

__all__ = [
    "N_DRAWS",
    "N_MEMBERS",
    "draw_of",
    "load_pool",
    "make_members",
    "pools",
    "random_draw",
]

#: Draws of a pool, and base clusterings in each.
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
    data = data_sets.load("single", name, None)
    return make_members(data.X), data.y.astype(np.int32)


def make_members(X: NDArray[np.float64]) -> Labels:
    """Base clusterings as the authors make them: k-means, 2 to the root of n clusters.

    Parameters
    ----------
    X : ndarray of shape (n_objects, n_features)
        The table.

    Returns
    -------
    members : ndarray of shape (n_objects, 100)
        The same ones in every run.
    """
    from sklearn.cluster import KMeans

    rng = np.random.RandomState(0)
    members = [
        KMeans(rng.randint(2, int(len(X) ** 0.5) + 1), n_init=1, random_state=m)
        .fit(X)
        .labels_
        for m in range(N_DRAWS * N_MEMBERS)
    ]
    return np.stack(members, axis=1)


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


def random_draw(
    members: Labels, classes: Labels, draw: int, n_members: int
) -> tuple[Labels, Labels]:
    """Some columns of a pool at random, and its rows in a random order.

    Parameters
    ----------
    members : ndarray of shape (n_objects, 100)
        A pool.

    classes : ndarray of shape (n_objects,)
        The classes.

    draw : int
        The seed.

    n_members : int
        How many columns.

    Returns
    -------
    labels : ndarray of shape (n_objects, n_members)
        Base clusterings.

    classes : ndarray of shape (n_objects,)
        The classes of these rows.
    """
    rng = np.random.RandomState(draw)
    columns = rng.permutation(members.shape[1])[:n_members]
    rows = rng.permutation(len(classes))
    return members[np.ix_(rows, columns)], classes[rows]
