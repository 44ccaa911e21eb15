"""How likely each number of clusters is, judged by the data alone."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

__all__ = [
    "KEvidence",
    "affordable_resamples",
    "gaussian_gain",
    "k_evidence",
    "k_probabilities",
    "likeliest_k",
    "likely_ks",
]

Floats = NDArray[np.float64]

# Weights of log k, stability and gap; then the offset and the weight of the gain:
# maximum likelihood on planted data (python -m benchmarks.k_choice fit).
WEIGHTS = (-0.5, 8.6, 6.5)
SOME, GAIN = -0.2, 9.1
# The gain counts up to here: beyond, it says how far clusters are apart.
MOST_GAIN = 0.3
# Neighbours in the graph that is cut, and in the one whose eigenvalues are looked at:
# the fewer, the more clusters are pieces of their own.
_NEIGHBORS, _FEW_NEIGHBORS = 10, 5
_N_STEPS = 4
# Principal components that Gaussians are fitted in.
_N_COMPONENTS = 6
# What choices "2 or 3" leave out.
_LEFT_OUT = 0.1
# Pairs of objects that all resamples together may look at; and how many there are.
_WORK, _FEWEST, _MOST = 2_500_000, 4, 10


class KEvidence(NamedTuple):
    """What speaks for each number of clusters.

    Attributes
    ----------
    ks : ndarray of shape (n_ks,)
        The numbers, from 2.

    stability : ndarray of shape (n_ks,)
        Mean adjusted Rand index of clusterings of resamples with those of all objects.

    gap : ndarray of shape (n_ks,)
        The eigengap of the graph of nearest neighbours.

    gain : float
        How much better several Gaussians fit than one: :func:`gaussian_gain`.
    """

    ks: NDArray[np.int64]
    stability: Floats
    gap: Floats
    gain: float


def k_evidence(
    X: ArrayLike,
    ks: Sequence[int],
    rng: np.random.RandomState,
    *,
    object_fraction: float = 0.8,
) -> KEvidence:
    r"""Look for what speaks for each number of clusters.

    The objects and resamples of them are clustered into k clusters by two algorithms
    that find bent clusters too and err differently: the spectral partition of the
    graph of 10 nearest neighbours, and Genie. What recurs in the resamples is stable
    [1]_. The gap :math:`\mu_k^4 - \mu_{k+1}^4` is that of the eigenvalues of the graph
    of 5 nearest neighbours.

    Parameters
    ----------
    X : array-like of shape (n_objects, n_features)
        The data.

    ks : sequence of int
        Numbers of clusters, rising from 2.

    rng : RandomState
        Draws the resamples, four to ten of them as their size allows, and the starts
        of k-means.

    object_fraction : float, default=0.8
        Share of the objects in each.

    Returns
    -------
    evidence : KEvidence
        What speaks for each.

    References
    ----------
    .. [1] T. Lange, V. Roth, M. L. Braun and J. M. Buhmann, "Stability-based
       validation of clustering solutions", Neural Computation 16(6), 2004.
       :doi:`10.1162/089976604773717621`

    Examples
    --------
    >>> import numpy as np
    >>> rng = np.random.RandomState(0)
    >>> X = np.concatenate([rng.randn(20, 2), rng.randn(20, 2) + 8])
    >>> k_evidence(X, [2, 3], rng).stability[:1]
    array([1.])
    """
    from comitia.agreement import adjusted_rand

    data = np.asarray(X, dtype=np.float64)
    n = len(data)
    size = round(object_fraction * n)
    whole = _partitions(data, ks, rng)
    n_resamples = affordable_resamples(n)
    stability = np.zeros(len(ks))
    for _ in range(n_resamples):
        rows = np.sort(rng.choice(n, size=size, replace=False))
        for one, part in zip(whole, _partitions(data[rows], ks, rng), strict=True):
            stability += [
                adjusted_rand(labels[rows], found)
                for labels, found in zip(one, part, strict=True)
            ]
    return KEvidence(
        np.asarray(ks),
        stability / (len(whole) * n_resamples),
        _neighbor_gaps(data, ks),
        gaussian_gain(data, ks, rng),
    )


def affordable_resamples(n: int) -> int:
    """How many resamples of n objects take some seconds, whatever the machine.

    Parameters
    ----------
    n : int
        Number of objects.

    Returns
    -------
    n_resamples : int
        From 4 to 10.

    Examples
    --------
    >>> affordable_resamples(500), affordable_resamples(1000)
    (10, 4)
    """
    return int(np.clip(_WORK // n**2, _FEWEST, _MOST))


def _partitions(
    X: Floats, ks: Sequence[int], rng: np.random.RandomState
) -> list[list[NDArray[Any]]]:
    """Clusterings into each number of clusters, by spectral cut and by Genie."""
    from comitia.cluster.genie import SpanningTree
    from comitia.partition import kmeans

    _, vectors = _leading(X, _NEIGHBORS, max(ks))
    cuts = []
    for k in ks:
        points = vectors[:, :k]
        length = np.linalg.norm(points, axis=1, keepdims=True)
        points = points / np.maximum(length, np.finfo(np.float64).tiny)
        cuts.append(kmeans(points, k, rng, n_init=2).labels)
    tree = SpanningTree.of(X)
    order, _ = tree.merges()
    return [cuts, [tree.cut(order, k) for k in ks]]


def _leading(X: Floats, n_neighbors: int, n_pairs: int) -> tuple[Floats, Floats]:
    """Leading eigenvalues and eigenvectors of a graph of nearest neighbours."""
    from scipy.sparse import eye_array

    from comitia.partition.eigenpairs import largest_eigenpairs
    from comitia.represent import knn_graph, laplacian

    n = len(X)
    graph = knn_graph(X, min(n_neighbors, n - 1), symmetric="mean")
    walk = (eye_array(n) - laplacian(graph)).tocsr()
    return largest_eigenpairs(walk, min(n_pairs, n))


def _neighbor_gaps(X: Floats, ks: Sequence[int]) -> Floats:
    values, _ = _leading(X, _FEW_NEIGHBORS, max(ks) + 1)
    powers = np.append(np.maximum(values, 0.0) ** _N_STEPS, 0.0)
    return (powers[:-1] - powers[1:])[np.asarray(ks) - 1]


def gaussian_gain(X: ArrayLike, ks: Sequence[int], rng: np.random.RandomState) -> float:
    r"""How much better several Gaussians fit than one, for each object.

    .. math::
        \max_k \frac{\mathrm{ICL}(k) - \mathrm{ICL}(1)}{n}, \qquad
        \mathrm{ICL}(k) = \sum_{r=1}^{k} n_r \Bigl( \log \frac{n_r}{n}
        - \tfrac12 \log \det \hat\Sigma_r \Bigr) - \tfrac12 \nu_k \log n

    with the clusters of k-means, of sizes :math:`n_r`, and :math:`\nu_k` parameters:
    the completed likelihood of Gaussians with their own covariances, with the penalty
    of BIC [1]_. It is negative where one Gaussian says it best.

    Parameters
    ----------
    X : array-like of shape (n_objects, n_features)
        The data, of which the first six principal components are taken.

    ks : sequence of int
        Numbers of clusters.

    rng : RandomState
        Draws the starts of k-means.

    Returns
    -------
    gain : float
        The largest difference; -1 if all objects are equal.

    Notes
    -----
    A covariance is shrunk towards a twentieth of the mean variance of all objects, as
    if there were one more object than components like that.

    References
    ----------
    .. [1] C. Biernacki, G. Celeux and G. Govaert, "Assessing a mixture model for
       clustering with the integrated completed likelihood", IEEE TPAMI 22(7), 2000.
       :doi:`10.1109/34.865189`

    Examples
    --------
    >>> import numpy as np
    >>> rng = np.random.RandomState(0)
    >>> gaussian_gain(rng.randn(90, 2), [2, 3], rng) < 0
    True
    >>> two = np.concatenate([rng.randn(45, 2), rng.randn(45, 2) + 8])
    >>> gaussian_gain(two, [2], rng) > 0
    True
    """
    from comitia.partition import kmeans

    data = np.asarray(X, dtype=np.float64)
    U, singular, _ = np.linalg.svd(data - data.mean(axis=0), full_matrices=False)
    wide = singular[:_N_COMPONENTS] > 1e-9 * singular[0]
    if singular[0] == 0 or not wide.any():
        return -1.0
    Y = (U * (singular / singular[0]))[:, :_N_COMPONENTS][:, wide]
    one = _completed_likelihood(Y, np.zeros(len(Y), dtype=np.int64))
    found = (
        _completed_likelihood(Y, kmeans(data, k, rng, n_init=2).labels) for k in ks
    )
    return float(max(found) - one) / len(Y)


def _completed_likelihood(Y: Floats, labels: NDArray[Any]) -> float:
    n, d = Y.shape
    sizes = np.bincount(labels)
    sizes = sizes[sizes > 0]
    small = 0.05 * Y.var(axis=0).mean() * (d + 1)
    total = 0.0
    for r in np.unique(labels):
        Z = Y[labels == r]
        Z = Z - Z.mean(axis=0)
        C = (Z.T @ Z + small * np.eye(d)) / (len(Z) + d + 1)
        total += len(Z) * (np.log(len(Z) / n) - 0.5 * np.linalg.slogdet(C)[1])
    n_parameters = len(sizes) * (1 + d + d * (d + 1) / 2) - 1
    return float(total - 0.5 * n_parameters * np.log(n))


def k_probabilities(evidence: KEvidence) -> Floats:
    r"""Turn evidence into probabilities.

    .. math::
        P(1) = \frac{1}{1 + e^{a + b g}}, \qquad
        P(k) \propto e^{u s_k + v \gamma_k} k^{-w}

    with the stability s, the gap :math:`\gamma` and the gain g. The five constants are
    those under which the true numbers of planted data are likeliest; one cluster and
    several are taken to be equally likely before.

    Parameters
    ----------
    evidence : KEvidence
        What speaks for each number.

    Returns
    -------
    probabilities : ndarray of shape (1 + n_ks,)
        That of one cluster, and then those of ``ks``. They sum to one.

    Examples
    --------
    >>> import numpy as np
    >>> told = KEvidence(np.array([2, 3]), np.array([0.5, 1.0]), np.zeros(2), 1.0)
    >>> int(k_probabilities(told).argmax())
    2
    """
    w, u, v = WEIGHTS
    score = w * np.log(evidence.ks) + u * evidence.stability + v * evidence.gap
    share = np.exp(score - score.max())
    gain = np.clip(evidence.gain, -MOST_GAIN, MOST_GAIN)
    one = 1.0 / (1.0 + np.exp(SOME + GAIN * gain))
    return np.append(one, (1.0 - one) * share / share.sum())


def likeliest_k(probabilities: Floats, ks: Sequence[int]) -> int:
    """One if that is likelier than all others together, else the likeliest of them.

    Parameters
    ----------
    probabilities : ndarray of shape (1 + n_ks,)
        As :func:`k_probabilities` gives them.

    ks : sequence of int
        The numbers that follow 1.

    Returns
    -------
    k : int
        A number of clusters.

    Examples
    --------
    >>> import numpy as np
    >>> likeliest_k(np.array([0.4, 0.3, 0.3]), [2, 3])
    2
    """
    if probabilities[0] > 0.5:
        return 1
    return int(ks[int(probabilities[1:].argmax())])


def likely_ks(probabilities: Floats, ks: Sequence[int]) -> list[int]:
    """The fewest numbers of clusters that hold 90 % of the probability.

    Parameters
    ----------
    probabilities : ndarray of shape (1 + n_ks,)
        As :func:`k_probabilities` gives them.

    ks : sequence of int
        The numbers that follow 1.

    Returns
    -------
    likely : list of int
        Numbers of clusters, the likeliest first.

    Examples
    --------
    >>> import numpy as np
    >>> likely_ks(np.array([0.05, 0.6, 0.33, 0.02]), [2, 3, 4])
    [2, 3]
    """
    order = np.argsort(-probabilities, kind="stable")
    before = np.cumsum(probabilities[order]) - probabilities[order]
    numbers = np.append(1, ks)[order]
    return [int(k) for k in numbers[before < 1.0 - _LEFT_OUT - 1e-12]]
