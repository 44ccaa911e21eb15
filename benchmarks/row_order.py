"""What a transform along the rows does to scores when a file is sorted by class.

``python -m benchmarks.row_order FILE`` takes a pool of clusterings (``members`` and
``gt``), 300 rows and 10 members of it, and runs the low-rank tensors of CELTA and of
GTLEC on the rows in the order of their classes and in three others. Their spectral
clustering is that of :func:`comitia.partition.ncut`, and so is that of the plain
co-association beside them. Both are written anew from their formulas; the authors' code
was read for what these leave open (starts, steps and rounds).
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.metrics import normalized_mutual_info_score

from comitia import Ensemble
from comitia.partition import ncut
from comitia.represent import coassociation

__all__ = ["celta", "gtlec", "on_fantope", "shrunk", "sorted_and_shuffled"]

Floats = NDArray[np.float64]


def shrunk(slices: Floats, threshold: float) -> Floats:
    """Shrink the singular values of the tensor after a transform along the rows.

    Parameters
    ----------
    slices : ndarray of shape (n_slices, n, n)
        The tensor.

    threshold : float
        How much singular values lose.

    Returns
    -------
    slices : ndarray of shape (n_slices, n, n)
        The tensor of lower rank.
    """
    # n × slices × n, transformed along the last axis: the rows of the file.
    spectrum = np.fft.fft(slices.transpose(1, 0, 2), axis=2).transpose(2, 0, 1)
    # Singular values and right vectors from the small products of the slices.
    squares, V = np.linalg.eigh(spectrum.conj().transpose(0, 2, 1) @ spectrum)
    s = np.sqrt(np.maximum(squares, 1e-300))
    kept = V * np.maximum(1.0 - threshold / s, 0.0)[:, None, :]
    low = spectrum @ (kept @ V.conj().transpose(0, 2, 1))
    back = np.fft.ifft(low.transpose(1, 2, 0), axis=2).real
    return np.asarray(back.transpose(1, 0, 2))


def celta(A: Floats, *, penalty: float = 0.002, max_iter: int = 500) -> Floats:
    """The second slice that CELTA learns from a co-association.

    Parameters
    ----------
    A : ndarray of shape (n, n)
        The co-association.

    penalty : float, default=0.002
        What the difference to A costs; the authors' value.

    max_iter : int, default=500
        Most rounds.

    Returns
    -------
    learnt : ndarray of shape (n, n)
        A symmetric matrix in [0, 1].
    """
    links = np.where(A >= 1.0 - 1e-9, A, 0.0)
    target = np.stack([links, A])
    Z, Y = target.copy(), np.zeros_like(target)
    E, Y2 = np.zeros_like(A), np.zeros_like(A)
    mu = 1e-4
    for _ in range(max_iter):
        low = shrunk(Z - Y / mu, 1.0 / mu)
        first, second = low + Y / mu
        first = np.where(links > 0, links, first)
        second = (second + A - E + Y2 / mu) / 2.0
        new = np.stack([first, second])
        new = np.clip((new + new.transpose(0, 2, 1)) / 2.0, 0.0, 1.0)
        E = (mu * (A - new[1]) + Y2) / (2.0 * penalty + mu)
        gaps = low - new, A - new[1] - E
        Y, Y2 = Y + mu * gaps[0], Y2 + mu * gaps[1]
        change, Z = np.abs(new - Z).max(), new
        mu = min(1.1 * mu, 1e6)
        if max(change, *(np.abs(gap).max() for gap in gaps)) < 1e-8:
            break
    return Z[1]


def on_fantope(S: Floats, rank: int) -> Floats:
    """The nearest symmetric matrix with eigenvalues in [0, 1] that sum to a rank.

    Parameters
    ----------
    S : ndarray of shape (n, n)
        A symmetric matrix.

    rank : int
        Sum of the eigenvalues, at most n.

    Returns
    -------
    nearest : ndarray of shape (n, n)
        With the eigenvectors of S.
    """
    values, vectors = np.linalg.eigh(S)
    low, high = values.min() - 1.0, values.max()
    for _ in range(100):  # of the shift that makes them sum to the rank
        shift = (low + high) / 2.0
        if np.clip(values - shift, 0.0, 1.0).sum() > rank:
            low = shift
        else:
            high = shift
    return np.asarray((vectors * np.clip(values - high, 0.0, 1.0)) @ vectors.T)


def gtlec(
    labels: NDArray[Any],
    n_clusters: int,
    *,
    sparsity_penalty: float = 0.05,
    rank_penalty: float = 7.0,
    max_iter: int = 31,
) -> Floats:
    """The similarity that GTLEC learns from the connection matrices of clusterings.

    Parameters
    ----------
    labels : ndarray of shape (n, n_members)
        The clusterings.

    n_clusters : int
        Number of clusters, the rank of each slice.

    sparsity_penalty, rank_penalty : float, default=0.05 and 7.0
        The authors' values.

    max_iter : int, default=31
        Most rounds; the authors' number.

    Returns
    -------
    learnt : ndarray of shape (n, n)
        A symmetric matrix, 0 on its diagonal.
    """
    H = (labels.T[:, :, None] == labels.T[:, None, :]).astype(np.float64)
    sparse = low = np.broadcast_to(np.eye(len(labels)), H.shape)
    Y, Y2 = np.zeros_like(H), np.zeros_like(H)
    w = np.full((len(H), 1, 1), 1.0 / len(H))
    mu, rho = 1e-5, 1e-2
    for _ in range(max_iter):
        near = 2.0 * w * H + mu * sparse - Y + rho * low - Y2
        near = (near + near.transpose(0, 2, 1)) / (2.0 * (2.0 * w + mu + rho))
        S = np.stack([on_fantope(each, n_clusters) for each in near])
        pulled = S + Y / mu
        sparse = np.sign(pulled) * np.maximum(abs(pulled) - sparsity_penalty / mu, 0.0)
        low = shrunk(S + Y2 / rho, rank_penalty / rho)
        w = 0.5 / np.linalg.norm(H - S, axis=(1, 2))[:, None, None]
        Y, Y2 = Y + mu * (S - sparse), Y2 + rho * (S - low)
        mu, rho = 3.0 * mu, 3.0 * rho
        if max(np.abs(S - sparse).max(), np.abs(S - low).max()) < 1e-10:
            break
    learnt = np.abs(sparse).sum(axis=0)
    learnt = learnt + learnt.T
    np.fill_diagonal(learnt, 0.0)
    return np.asarray(learnt)


def sorted_and_shuffled(
    labels: NDArray[Any], truth: NDArray[Any], *, max_iter: int | None = None
) -> list[tuple[str, float, float, float]]:
    """Scores in the order of the classes, and in three random orders.

    Parameters
    ----------
    labels : ndarray of shape (n, n_members)
        The clusterings.

    truth : ndarray of shape (n,)
        The classes.

    max_iter : int, default=None
        Most rounds; those of each method by default.

    Returns
    -------
    rows : list of tuple
        The order, and the NMI of CELTA, of GTLEC and of the plain co-association.
    """
    rounds = {} if max_iter is None else {"max_iter": max_iter}
    k = len(np.unique(truth))
    orders = {"by class": np.argsort(truth, kind="stable")}
    for seed in range(3):
        shuffled = np.random.RandomState(seed).permutation(len(truth))
        orders[f"shuffled, seed {seed}"] = shuffled
    rows = []
    for name, order in orders.items():
        A = coassociation(Ensemble(labels[order]), dtype=np.float64)
        first, second, plain = (
            float(
                normalized_mutual_info_score(
                    truth[order], ncut(S, k, np.random.RandomState(0))
                )
            )
            for S in (celta(A, **rounds), gtlec(labels[order], k, **rounds), A)
        )
        rows.append((name, first, second, plain))
    return rows


def main(arguments: Sequence[str] | None = None) -> None:
    """Print the scores."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("file", type=Path)
    asked = parser.parse_args(arguments)
    rng = np.random.RandomState(0)
    with np.load(asked.file) as pool:
        rows = rng.permutation(len(pool["gt"]))[:300]
        columns = rng.permutation(pool["members"].shape[1])[:10]
        labels, truth = pool["members"][np.ix_(rows, columns)], pool["gt"][rows]
    for name, first, second, plain in sorted_and_shuffled(labels, truth):
        print(
            f"{name:<18} CELTA {first:.3f}   GTLEC {second:.3f}   "
            f"co-association {plain:.3f}"
        )


if __name__ == "__main__":
    main()
