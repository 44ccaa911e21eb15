"""``comitia demo``: from data to a weighted consensus, on data that everybody has."""

from __future__ import annotations

import csv
import io
import os
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from comitia._files import atomic_write

if TYPE_CHECKING:
    from comitia.ensemble import Ensemble

__all__ = ["clustering_weights", "demo"]

_N_CLUSTERINGS = 50
_CLUSTERS_EACH = (2, 13)
_SEED = 0


def demo(out: str | os.PathLike[str] = "comitia-demo") -> None:
    """Combine 50 k-means clusterings of the wine data by LWGP.

    The 13 features are standardised, because they are measured in different units.
    Each clustering has 2 to 13 clusters. The consensus is asked for the three
    cultivars that are known, and compared with them. Prints a summary; writes
    ``labels.csv`` (one line per wine) and ``weights.csv`` (one line per cluster).

    Parameters
    ----------
    out : path-like, default="comitia-demo"
        The folder of the two files; it is made when it is not there.
    """
    from sklearn.datasets import load_wine
    from sklearn.preprocessing import StandardScaler

    from comitia.agreement import adjusted_rand
    from comitia.catalogue import method
    from comitia.generate import KMeansGenerator

    folder = Path(out)
    # Before the work, so that a folder that cannot be made costs nobody a wait.
    folder.mkdir(parents=True, exist_ok=True)

    wine = load_wine()
    X = StandardScaler().fit_transform(wine.data)
    generator = KMeansGenerator(
        _N_CLUSTERINGS, n_clusters=_CLUSTERS_EACH, random_state=_SEED
    )
    ensemble = generator.generate(X)
    fitted = method("lwgp")(n_clusters=len(wine.target_names), random_state=_SEED)
    labels = fitted.fit_predict(ensemble)
    weights = clustering_weights(ensemble, fitted.cluster_weights_)
    alone = [
        adjusted_rand(ensemble.labels[:, m], wine.target)
        for m in range(ensemble.n_clusterings)
    ]

    lightest, heaviest = fitted.cluster_weights_.min(), fitted.cluster_weights_.max()
    fewest, most = ensemble.n_clusters_each.min(), ensemble.n_clusters_each.max()
    print(f"  data      wine, {len(X)} objects, {X.shape[1]} features, standardised")
    print(
        f"  ensemble  {ensemble.n_clusterings} k-means clusterings "
        f"of {fewest} to {most} clusters"
    )
    print(f"  weights   LWGP, on clusters: {lightest:.2f} to {heaviest:.2f}")
    print(f"  result    {fitted.n_clusters_} clusters of {_sizes(labels)} objects")
    print(
        f"  ARI       {adjusted_rand(labels, wine.target):.3f} to the known cultivars"
    )
    print(f"            {np.mean(alone):.3f} for the 50 clusterings on average")

    print("\n  clustering  clusters  weight    ARI")
    order = np.argsort(-weights, kind="stable")
    for name, three in (("heaviest", order[:3]), ("lightest", order[-3:])):
        for place, m in enumerate(three):
            print(
                f"  {m:>10}  {ensemble.n_clusters_each[m]:>8}  {weights[m]:>6.3f}  "
                f"{alone[m]:>5.3f}{f'  {name}' if place == 0 else ''}"
            )

    print("  LWGP trusts clusters that the other clusterings keep whole.")

    _write_csv(
        folder / "labels.csv",
        ("object", "cluster", "cultivar"),
        zip(range(len(X)), labels, wine.target_names[wine.target], strict=True),
    )
    _write_csv(
        folder / "weights.csv",
        ("clustering", "cluster", "size", "cluster_weight", "clustering_weight"),
        (
            (m, c - ensemble.offsets[m], ensemble.sizes[c], f"{weight:.6f}", whole)
            for c, weight in enumerate(fitted.cluster_weights_)
            for m in (ensemble.clustering_of[c],)
            for whole in (f"{weights[m]:.6f}",)
        ),
    )
    print(
        f"\n  written   {folder / 'labels.csv'}\n            {folder / 'weights.csv'}"
    )


def clustering_weights(
    ensemble: Ensemble, cluster_weights: NDArray[np.float64]
) -> NDArray[np.float64]:
    r"""Weight of each clustering, where a method weighs clusters.

    The mean weight of the cluster an object is in, over the objects:

    .. math::
        \bar w_m = \sum_{c \in C_m} |c| \, w_c \Big/ \sum_{c \in C_m} |c|.

    Parameters
    ----------
    ensemble : Ensemble
        The clusterings.

    cluster_weights : ndarray of shape (n_clusters,)
        The weight :math:`w_c` of each cluster of the ensemble.

    Returns
    -------
    weights : ndarray of shape (n_clusterings,)
        The weight of each clustering.

    Examples
    --------
    >>> import numpy as np
    >>> from comitia import Ensemble
    >>> votes = Ensemble([[0, 0], [0, 1], [0, 1], [1, 1]])
    >>> clustering_weights(votes, np.array([1.0, 0.2, 0.4, 0.8]))
    array([0.8, 0.7])
    """
    starts = ensemble.offsets[:-1]
    weighted = np.add.reduceat(ensemble.sizes * cluster_weights, starts)
    return weighted / np.add.reduceat(ensemble.sizes, starts)


def _sizes(labels: NDArray[Any]) -> str:
    *first, last = map(str, np.bincount(labels))
    return f"{', '.join(first)} and {last}" if first else last


def _write_csv(path: Path, head: Sequence[str], rows: Iterable[Sequence[Any]]) -> None:
    """Write a table whole or not at all."""
    with atomic_write(path) as file:
        text = io.TextIOWrapper(file, encoding="utf-8", newline="")
        writer = csv.writer(text, lineterminator="\n")
        writer.writerow(head)
        writer.writerows(rows)
        text.detach()  # flushes, and leaves the file open
