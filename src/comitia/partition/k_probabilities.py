"""How likely each number of clusters is, judged by the data alone."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from comitia._scales import hashed_rows, unit_rows
from comitia.ensemble import Ensemble

__all__ = [
    "KEvidence",
    "KOdds",
    "affordable_resamples",
    "either",
    "k_evidence",
    "k_odds",
    "k_probabilities",
    "likeliest_k",
    "most_k",
    "several_features",
    "some_features",
    "table_sample",
]

Floats = NDArray[np.float64]

# Weights of the ensemble's gap and of the stability; then the offset and the weights of
# the gain and of the best stability, for more than one cluster: maximum likelihood on
# planted data and on tables with classes, the half to explore of
# benchmarks/results/k_choice_halves.csv (python -m benchmarks.k_choice fit).
WEIGHTS = (5.8, 1.9)
SOME = (1.0, 11.0, -0.1)
# How much of stability is luck.
_LUCK = 0.05
# The gain counts up to here: beyond, it says how far clusters are apart.
MOST_GAIN = 0.3
# Most clusters that are looked for, and most objects that are looked at.
_MOST_CLUSTERS, _MOST_OBJECTS = 20, 1000
# Columns by which rows are told apart when some of them are drawn.
_HASHED_COLUMNS = 64
# Neighbours in the graph that is cut.
_NEIGHBORS = 10
# Of the algorithms, spectral cuts and Genie make the ensemble whose gaps count.
_IN_ENSEMBLE = (0, 1)
# Steps of the walk on the graph of objects and clusters.
_N_STEPS = 2
# What choices "2 or 3" leave out.
_LEFT_OUT = 0.1
# Pairs of objects that all resamples together may look at; and how many there are.
_WORK, _FEWEST, _MOST = 2_500_000, 4, 10
# What was found for tables, by their digests, and for how many it is kept.
_FOUND: dict[tuple[Any, ...], Floats] = {}
_MOST_FOUND = 32


@dataclass(frozen=True)
class KOdds:
    """How likely each number of clusters is.

    Attributes
    ----------
    ks : list of int
        The numbers, 1 first.

    probabilities : ndarray of shape (n_ks,)
        The probability of each.
    """

    ks: list[int]
    probabilities: Floats

    @classmethod
    def from_dict(cls, probabilities: Mapping[int, float]) -> KOdds:
        """The way back from :meth:`as_dict`.

        Parameters
        ----------
        probabilities : dict of int to float
            What :meth:`as_dict` gave.

        Returns
        -------
        odds : KOdds
            The odds.
        """
        return cls([*probabilities], np.array([*probabilities.values()]))

    def as_dict(self) -> dict[int, float]:
        """The probability of each number.

        Returns
        -------
        probabilities : dict of int to float
            One for each number, from 1.
        """
        return dict(zip(self.ks, self.probabilities.tolist(), strict=True))

    @property
    def n_clusters(self) -> int:
        """The answer: that of :func:`likeliest_k`."""
        return likeliest_k(self.as_dict())

    @property
    def likely(self) -> list[int]:
        """The fewest numbers that hold 90 % of the probability, likeliest first."""
        order = np.argsort(-self.probabilities, kind="stable")
        before = np.cumsum(self.probabilities[order]) - self.probabilities[order]
        some = order[before < 1.0 - _LEFT_OUT - 1e-12]
        return [self.ks[i] for i in some]

    def in_words(self) -> str:
        """The answer and how sure it is, in a sentence or two.

        Returns
        -------
        text : str
            The number, its probability, and the other likely numbers.
        """
        k, numbers = self.n_clusters, self.likely
        of_k = self.probabilities[self.ks.index(k)]
        told = f"{k} cluster{'s' * (k > 1)}, with a probability of {of_k:.0%}"
        if numbers != [k]:
            told += f"; {either(sorted(numbers))} with one of 90 %"
        if k == 1:
            return (
                f"{told}: no clusters that several Gaussians describe, or that recur."
            )
        one = self.probabilities[0]
        return f"{told}. That there is only one has a probability of {one:.0%}."


def either(numbers: Sequence[int]) -> str:
    """Say numbers in words.

    Parameters
    ----------
    numbers : sequence of int
        Some numbers.

    Returns
    -------
    text : str
        The numbers, the last after an "or"; of many that follow each other the ends.

    Examples
    --------
    >>> either([2, 3]), either([4, 5, 6, 7, 9]), either([2])
    ('2 or 3', '4 to 7 or 9', '2')
    """
    runs: list[list[int]] = []
    for one in numbers:
        if runs and one == runs[-1][-1] + 1:
            runs[-1].append(one)
        else:
            runs.append([one])
    texts: list[str] = []
    for run in runs:
        texts += (
            [f"{run[0]} to {run[-1]}"] if len(run) > 2 else [str(one) for one in run]
        )
    *first, last = texts
    return f"{', '.join(first)} or {last}" if first else last


def likeliest_k(probabilities: Mapping[int, float]) -> int:
    """One if that is likelier than all others together, else the likeliest of them.

    Parameters
    ----------
    probabilities : dict of int to float
        The probability of each number.

    Returns
    -------
    k : int
        A number of clusters; of equals the smallest.

    Examples
    --------
    >>> likeliest_k({1: 0.4, 2: 0.3, 3: 0.3})
    2
    """
    if probabilities.get(1, 0.0) > 0.5:
        return 1
    several = {k: p for k, p in probabilities.items() if k > 1}
    if not several:
        return 1
    top = max(several.values())
    return min(k for k, p in several.items() if p >= top * (1 - 1e-9))


def most_k(n: int) -> int:
    r"""Most clusters of n objects that are looked for.

    Parameters
    ----------
    n : int
        Number of objects.

    Returns
    -------
    most : int
        :math:`1 + \sqrt n`, and at most 20.

    Examples
    --------
    >>> most_k(100), most_k(1000)
    (11, 20)
    """
    from comitia.partition.normalized_cut import most_parts

    return min(most_parts(n), _MOST_CLUSTERS)


def table_sample(X: ArrayLike) -> Floats:
    """The objects that are looked at, in an order that hangs on their values alone.

    Parameters
    ----------
    X : array-like of shape (n_objects, n_features)
        The data.

    Returns
    -------
    sample : ndarray of shape (min(n_objects, 1000), n_features)
        All of them, or a thousand that a hash of their values draws.

    Examples
    --------
    >>> table_sample([[2.0], [0.0], [1.0]]).tolist()
    [[0.0], [1.0], [2.0]]
    """
    data = np.asarray(X, dtype=np.float64)
    if len(data) > _MOST_OBJECTS:
        data = data[_drawn(data)]
    return data[np.lexsort(data.T[::-1])]


def _drawn(data: Floats) -> NDArray[np.intp]:
    """Some rows by a hash of their values; of equal ones as many as come up."""
    keys = hashed_rows(data[:, :_HASHED_COLUMNS])
    order = np.argsort(keys, kind="stable")
    ordered = keys[order]
    new = np.r_[True, ordered[1:] != ordered[:-1]]
    place = np.arange(len(new))
    again = (place - np.maximum.accumulate(np.where(new, place, 0))).astype(np.float64)
    # The hash and how often it came before, as one more pair of values to hash.
    both = np.stack([ordered.astype(np.float64), again], axis=1)
    return order[np.argsort(hashed_rows(both), kind="stable")[:_MOST_OBJECTS]]


def k_odds(X: ArrayLike, ks: Sequence[int] | None = None) -> KOdds:
    """Say how likely each number of clusters of a table is.

    The same data give the same answer: what is random has a seed of its own, and the
    work is bounded by the number of objects.

    Parameters
    ----------
    X : array-like of shape (n_objects, n_features)
        The data, as :func:`table_sample` gives them.

    ks : sequence of int, default=None
        Numbers of clusters, rising from 2; 1 is always a candidate. By default those
        up to :func:`most_k`.

    Returns
    -------
    odds : KOdds
        How likely each is. Objects of which fewer than four differ are as many clusters
        if most are there several times, and one cluster otherwise.

    Examples
    --------
    >>> import numpy as np
    >>> rng = np.random.RandomState(0)
    >>> X = np.concatenate([rng.randn(20, 2), rng.randn(20, 2) + 8])
    >>> k_odds(X).n_clusters
    2
    """
    data = np.asarray(X, dtype=np.float64)
    n_rows = len(np.unique(data, axis=0))
    if ks is None:
        ks = range(2, most_k(n_rows) + 1)
    ks = [int(k) for k in ks if k < n_rows]
    if n_rows < 4 or not ks:
        if 1 < n_rows < 4 and len(data) > 2 * n_rows:
            return KOdds([1, n_rows], np.array([0.0, 1.0]))
        return KOdds([1], np.ones(1))
    return KOdds([1, *ks], _probabilities_of(data, ks).copy())


def _probabilities_of(data: Floats, ks: list[int]) -> Floats:
    """The probabilities; kept for other methods that are fitted on the same table."""
    digest = hashlib.blake2b(np.ascontiguousarray(data).data).digest()
    # Sums may differ in the last bit where the same numbers lie in another order.
    key = (digest, data.shape, data.strides, *ks)
    found = _FOUND.get(key)
    if found is None:
        found = k_probabilities(k_evidence(data, ks, np.random.RandomState(0)))
        if len(_FOUND) >= _MOST_FOUND:
            _FOUND.clear()
        _FOUND[key] = found
    return found


def _of_unit_size(X: Floats) -> Floats:
    """The data around zero, so that squares neither overflow nor vanish."""
    data = X / (np.abs(X).max() or 1.0)
    data = data - data.mean(axis=0)
    return data / (np.abs(data).max() or 1.0)


class KEvidence(NamedTuple):
    """What speaks for each number of clusters.

    Attributes
    ----------
    ks : ndarray of shape (n_ks,)
        The numbers, from 2.

    gap : ndarray of shape (n_ks,)
        The eigengap of the graph of objects and clusters of an ensemble.

    stability : ndarray of shape (n_ks,)
        Adjusted Rand index of clusterings of resamples with those of all objects: the
        mean over the resamples, for the algorithm for which it is highest.

    gain : float
        How much better several Gaussians fit than one: :func:`gaussian_gain`.
    """

    ks: NDArray[np.int64]
    gap: Floats
    stability: Floats
    gain: float


def k_evidence(
    X: ArrayLike, ks: Sequence[int], rng: np.random.RandomState
) -> KEvidence:
    r"""Look for what speaks for each number of clusters.

    The objects and resamples of them are clustered into k clusters, for each k, by
    three algorithms that err differently: the spectral partition of the graph of 10
    nearest neighbours, Genie, and k-means. What recurs in the resamples is stable [1]_.
    The spectral and Genie clusterings together, of all numbers k, are an ensemble whose
    graph of objects and clusters has gaps :math:`\mu_k^2 - \mu_{k+1}^2` between its
    eigenvalues. With random numbers of clusters, as ensembles usually have, the largest
    gap is another in half of the draws.

    Parameters
    ----------
    X : array-like of shape (n_objects, n_features)
        The data.

    ks : sequence of int
        Numbers of clusters, rising from 2.

    rng : RandomState
        Draws the resamples of 80 % of the objects, as many as their size allows, and
        the starts of k-means.

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
    from comitia.partition.gaussian_gain import gaussian_gain

    data = _of_unit_size(np.asarray(X, dtype=np.float64))
    n = len(data)
    whole = _partitions(data, ks, rng)
    stability = np.zeros((len(whole), len(ks)))
    members = [np.transpose(whole[a]) for a in _IN_ENSEMBLE]
    n_resamples = affordable_resamples(n)
    for _ in range(n_resamples):
        rows = np.sort(rng.choice(n, size=round(0.8 * n), replace=False))
        parts = _partitions(data[rows], ks, rng)
        for a, part in enumerate(parts):
            stability[a] += [
                adjusted_rand(labels[rows], found)
                for labels, found in zip(whole[a], part, strict=True)
            ]
        for a in _IN_ENSEMBLE:
            labels = np.full((n, len(ks)), -1)
            labels[rows] = np.transpose(parts[a])
            members.append(labels)
    return KEvidence(
        np.asarray(ks),
        _gaps(Ensemble(np.hstack(members)), ks),
        stability.max(axis=0) / n_resamples,
        gaussian_gain(data, [labels for found in whole for labels in found]),
    )


def affordable_resamples(n: int) -> int:
    """How many resamples of n objects take a second or two, whatever the machine.

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
    """Clusterings into each number of clusters: spectral cut, Genie and k-means."""
    from comitia.cluster.genie import SpanningTree
    from comitia.partition.k_means import kmeans

    ks = [min(k, len(X)) for k in ks]
    vectors = _leading_vectors(X, max(ks))
    cuts = []
    for k in ks:
        points = vectors[:, :k]
        cuts.append(kmeans(unit_rows(points), k, rng, n_init=2).labels)
    tree = SpanningTree.of(X)
    order, _ = tree.merges()
    means = [kmeans(X, k, rng, n_init=2).labels for k in ks]
    return [cuts, [tree.cut(order, k) for k in ks], means]


def _leading_vectors(X: Floats, n_vectors: int) -> Floats:
    """Leading eigenvectors of the graph of nearest neighbours."""
    from scipy.sparse import eye_array

    from comitia.optimize.eigenpairs import largest_eigenpairs
    from comitia.represent import knn_graph, laplacian

    n = len(X)
    graph = knn_graph(X, min(_NEIGHBORS, n - 1), symmetric="mean")
    walk = (eye_array(n) - laplacian(graph)).tocsr()
    return largest_eigenpairs(walk, min(n_vectors, n))[1]


def _gaps(ensemble: Ensemble, ks: Sequence[int]) -> Floats:
    """Gaps behind eigenvalues of an ensemble's graph; zeros follow the last one."""
    from comitia.partition.transfer_cut import bipartite_spectrum
    from comitia.represent.graphs import bipartite_graph

    values = bipartite_spectrum(bipartite_graph(ensemble), max(ks) + 1)
    powers = np.zeros(max(ks) + 1)
    powers[: len(values)] = np.maximum(values, 0.0)[: len(powers)] ** _N_STEPS
    return (powers[:-1] - powers[1:])[np.asarray(ks) - 1]


def k_probabilities(evidence: KEvidence) -> Floats:
    r"""Turn evidence into probabilities.

    .. math::
        P(1) = \frac{1}{1 + e^{a + b g} \max_k (1.05 - s_k)^{-c}}, \qquad
        P(k) \propto \frac{e^{u \gamma_k}}{(1.05 - s_k)^v}

    with the gap :math:`\gamma`, the stability s and the gain g. The constants are
    those under which the true numbers of planted data and the numbers of classes of
    some tables are likeliest; that there is one cluster is taken to have a probability
    of a quarter before.

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
    >>> told = KEvidence(np.array([2, 3]), np.array([0.1, 0.5]), np.ones(2), 1.0)
    >>> int(k_probabilities(told).argmax())
    2
    """
    score = several_features(evidence) @ np.array(WEIGHTS)
    share = np.exp(score - score.max())
    one = 1.0 / (1.0 + np.exp(some_features(evidence) @ np.array(SOME)))
    return np.append(one, (1.0 - one) * share / share.sum())


def several_features(evidence: KEvidence) -> Floats:
    """What the number of several clusters hangs on.

    Parameters
    ----------
    evidence : KEvidence
        What speaks for each number.

    Returns
    -------
    features : ndarray of shape (n_ks, 2)
        For each number its gap, and the logarithm of its stability.
    """
    return np.column_stack([evidence.gap, _sureness(evidence)])


def some_features(evidence: KEvidence) -> Floats:
    """What it hangs on whether there are several clusters.

    Parameters
    ----------
    evidence : KEvidence
        What speaks for each number.

    Returns
    -------
    features : ndarray of shape (3,)
        One, the gain up to a bound, and the logarithm of the best stability.
    """
    gain = np.clip(evidence.gain, -MOST_GAIN, MOST_GAIN)
    return np.array([1.0, gain, _sureness(evidence).max()])


def _sureness(evidence: KEvidence) -> Floats:
    return -np.log(1.0 + _LUCK - np.clip(evidence.stability, 0.0, 1.0))
