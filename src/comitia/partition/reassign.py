"""A second look: every object goes where its labels are likeliest."""

from __future__ import annotations

import warnings
from operator import attrgetter
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from comitia._arrays import as_tensor, device_of, label_sizes, to_numpy, to_tensor
from comitia._labels import as_labels
from comitia.engine.row_blocks import join
from comitia.ensemble import Ensemble
from comitia.exceptions import ComitiaError

__all__ = ["Reassigned", "reassign", "voters_of"]

Floats = NDArray[np.float64]

# Weight, in objects, of what is known before any object is seen: the logarithm of a
# label that a cluster does not have stays finite.
_PRIOR = 0.5


class Reassigned(NamedTuple):
    """What reassignment found.

    Attributes
    ----------
    labels : ndarray of shape (n_objects,)
        The cluster of each object.

    clustering_weights : ndarray of shape (n_clusterings,)
        How far each clustering was believed, from 0 to 1.

    n_iter : int
        Number of rounds.

    log_likelihood : float
        Sum over the objects of what is maximised: of several starts, the one with the
        largest explains the clusterings best.
    """

    labels: NDArray[np.int64]
    clustering_weights: Floats
    n_iter: int
    log_likelihood: float


def reassign(
    ensemble: Ensemble, labels: ArrayLike, *, max_iter: int = 100
) -> Reassigned:
    r"""Move objects to the cluster in which their labels are likeliest.

    A tree joins an object once and never looks again. Here each object is compared with
    every cluster of the consensus. With :math:`q_{mrc}` the share of cluster r that
    clustering m puts into its cluster c, and :math:`p_{mc}` the share of all objects,

    .. math::
        \max_r \; \log \pi_r + \sum_{m=1}^{M} \log
        \bigl( p_{mc} + \lambda_m (\hat q_{mrc} - p_{mc}) \bigr),
        \qquad c = l_{im},

    is the cluster that object i goes to: the most probable one if the clusterings err
    independently. The weight of a clustering,

    .. math::
        \lambda_m = \max \Bigl( 0, \, 1 - \frac{(k - 1)(k_m - 1)}{\chi^2_m} \Bigr),

    compares Pearson's :math:`\chi^2` of the clustering and the consensus with what
    chance would give. A clustering that says nothing about the consensus has the
    weight 0 and adds the same to every cluster.

    Which errors a clustering makes is learnt from few objects, so that the shares are
    drawn towards errors that go anywhere,

    .. math::
        \hat q_{mrc} = t_{mrc} + \mu_m (q_{mrc} - t_{mrc}), \qquad
        t_{mrc} = p_{mc} \cdot \begin{cases}
        \varepsilon_m & \text{if } c \text{ is not of } r, \\
        (1 - \varepsilon_m (1 - P_{mr})) / P_{mr} & \text{if it is.}
        \end{cases}

    A cluster c is of the cluster r in which it is most frequent, :math:`P_{mr}` is the
    sum of the :math:`p_{mc}` that are of r, and :math:`\varepsilon_m` the ratio of the
    objects outside their clusters to what chance would put there. :math:`\mu_m` is
    computed as :math:`\lambda_m`, from the :math:`\chi^2` of the clustering and
    :math:`t`, with one degree of freedom less: errors that do follow a pattern are left
    as they are. Shares, weights and clusters are computed anew until no object moves.

    Parameters
    ----------
    ensemble : Ensemble
        The clusterings. Missing labels say nothing.

    labels : array-like of shape (n_objects,)
        The consensus to start from. Each of its clusters keeps at least one object.

    max_iter : int, default=100
        Most rounds.

    Returns
    -------
    labels : ndarray of shape (n_objects,)
        The cluster of each object, named as in the start.

    clustering_weights : ndarray of shape (n_clusterings,)
        The weights :math:`\lambda_m` that gave these labels.

    n_iter : int
        Number of rounds.

    log_likelihood : float
        Sum over the objects of what is maximised.

    Notes
    -----
    The labels of an object given its cluster are a latent class model [1]_, and a round
    is one of its classification likelihood. Both weights are the factor by which James
    and Stein shrink estimates towards a simpler model [2]_: without them, the tables of
    many clusterings that say nothing or err at random add up to noise.

    References
    ----------
    .. [1] A. Topchy, A. K. Jain and W. Punch, "Clustering ensembles: models of
       consensus and weak partitions", IEEE TPAMI 27(12), 2005.
       :doi:`10.1109/TPAMI.2005.237`

    .. [2] B. Efron and C. Morris, "Stein's estimation rule and its competitors",
       J. American Statistical Association 68, 1973.
       :doi:`10.1080/01621459.1973.10481350`

    Examples
    --------
    >>> from comitia import Ensemble
    >>> votes = Ensemble([[0, 0, 0], [0, 0, 1], [0, 0, 0], [1, 1, 0], [1, 1, 1]])
    >>> found = reassign(votes, [0, 0, 1, 1, 1])
    >>> found.labels
    array([0, 0, 0, 1, 1])
    >>> found.clustering_weights.round(2)
    array([0.8, 0.8, 0. ])
    """
    names, codes = _check_labels(labels, ensemble.n_objects)
    if max_iter < 1:
        raise ComitiaError(f"max_iter={max_iter} must be 1 or more.")
    blocks, now, n_iter = ensemble.row_blocks, ensemble.split(codes), 0
    sizes, n_moved = label_sizes(codes), len(codes)
    while n_moved and n_iter < max_iter:
        n_iter += 1
        counts = blocks.map("engine.overlaps", now, n_labels=len(names)).total()
        tables = np.split(np.asarray(counts, np.float64), ensemble.offsets[1:-1])
        weights = np.array([_believed(table) for table in tables])
        scores = np.concatenate([*map(_scores, tables, weights)])
        likelihood = {"scores": scores, "log_sizes": np.log(sizes / len(codes))}
        before, moved = now, blocks.map(_likeliest, now, **likelihood)
        # The objects of a cluster that all would leave stay.
        while not (sizes := moved.map(attrgetter("sizes")).total()).all():
            moved = moved.map(_stay, before, empty=sizes == 0)
        now = moved.map(attrgetter("labels"))
        n_moved = moved.map(attrgetter("n_moved")).total()
    log_likelihood = sum(moved.map(attrgetter("reached")).gather())
    if n_moved:
        from sklearn.exceptions import ConvergenceWarning

        warnings.warn(
            f"objects still moved after max_iter={max_iter} rounds; the last labels "
            "are kept. Raise max_iter.",
            ConvergenceWarning,
            stacklevel=2,
        )
    found = join(now, ensemble.n_objects)
    return Reassigned(_named(found, names), weights, n_iter, log_likelihood)


def voters_of(
    ensemble: Ensemble, clustering_weights: Any = None, cluster_weights: Any = None
) -> Ensemble:
    """The ensemble without what weighs nothing.

    Parameters
    ----------
    ensemble : Ensemble
        The clusterings.

    clustering_weights : array-like of shape (n_clusterings,), default=None
        Weights of the clusterings.

    cluster_weights : ndarray of shape (n_clusters_total,), default=None
        Weights of the clusters, where the clusterings have none.

    Returns
    -------
    voters : Ensemble
        Without the clusterings of weight 0; labels of such clusters are missing.
    """
    if clustering_weights is not None:
        return ensemble.take(clusterings=np.asarray(clustering_weights) > 0)
    if cluster_weights is None or (cluster_weights > 0).all():
        return ensemble
    # Of fuzzy and overlapping objects, each keeps its largest or first cluster.
    labels = ensemble.labels
    column = np.where(labels >= 0, labels + ensemble.offsets[:-1], 0)
    labels = np.where((labels >= 0) & (cluster_weights[column] > 0), labels, -1)
    return Ensemble(labels[:, (labels >= 0).any(axis=0)])


def _check_labels(labels: Any, n_objects: int) -> tuple[NDArray[np.int64], Any]:
    """The different labels, and which of them each object has, where it was given."""
    given = as_labels(labels) if device_of(labels) is None else as_tensor(labels)
    if tuple(given.shape) != (n_objects,):
        raise ComitiaError(
            f"labels must have one label for each of {n_objects} objects; got shape "
            f"{tuple(given.shape)}."
        )
    if isinstance(given, np.ndarray):
        names, codes = np.unique(given, return_inverse=True)
        return names, codes.astype(np.int32)
    names, codes = given.unique(return_inverse=True)
    return to_numpy(names), codes.int()


def _named(codes: Any, names: NDArray[np.int64]) -> Any:
    if isinstance(codes, np.ndarray):
        return names[codes]
    return to_tensor(names, device_of(codes))[codes]


class _Moved(NamedTuple):
    """Where the objects of one row block go."""

    labels: Any
    sizes: NDArray[np.int64]  # of all clusters
    n_moved: int
    reached: float  # sum of what is maximised


def _likeliest(
    block: Ensemble, now: Any, *, scores: Floats, log_sizes: Floats
) -> _Moved:
    """The cluster of each object in which its labels are likeliest."""
    labels, best = block.engine.best_column(scores, log_sizes)
    return _counted(labels, now, len(log_sizes), float(best.sum()))


def _stay(moved: _Moved, now: Any, *, empty: NDArray[np.bool_]) -> _Moved:
    """The same, but that the objects of clusters that would be empty stay."""
    stays = empty if isinstance(now, np.ndarray) else to_tensor(empty, device_of(now))
    labels = moved.labels + (now - moved.labels) * stays[now]
    return _counted(labels, now, len(empty), moved.reached)


def _counted(labels: Any, now: Any, n_clusters: int, reached: float) -> _Moved:
    sizes = np.zeros(n_clusters, dtype=np.int64)
    counts = label_sizes(labels)
    sizes[: len(counts)] = counts
    return _Moved(labels, sizes, int((labels != now).sum()), reached)


def _believed(table: Floats) -> float:
    """The weight of a clustering from its table."""
    by_chance = (table.shape[0] - 1) * (table.shape[1] - 1)
    return _shrinkage(table, _sizes(table) * table.sum(axis=0), by_chance)


def _shrinkage(table: Floats, expected: Floats, by_chance: int) -> float:
    """How much of the difference between a table and a model of it is no chance."""
    there = expected > 0
    chi2 = float((((table - expected) ** 2)[there] / expected[there]).sum())
    return 1.0 - by_chance / chi2 if chi2 > by_chance else 0.0


def _sizes(table: Floats) -> Floats:
    """The share of each cluster of a clustering in all."""
    sizes: Floats = table.sum(axis=1, keepdims=True) / table.sum()
    return sizes


def _shares(table: Floats) -> tuple[Floats, Floats, Floats]:
    """The share of each cluster of a clustering, in all and in each of ours; sizes."""
    p, mass = _sizes(table), table.sum(axis=0)
    q = np.divide(table, mass, out=np.repeat(p, len(mass), axis=1), where=mass > 0)
    return p, q, mass


def _scores(table: Floats, weight: float) -> Floats:
    """Log-likelihood of each cluster of a clustering in each of ours."""
    p, q, mass = _shares(table)
    t = _aimless(table, p, q, mass)
    by_chance = (table.shape[0] - 1) * (table.shape[1] - 1) - 1
    q = t + _shrinkage(table, t * mass, max(by_chance, 0)) * (q - t)
    shares = (mass * (p + weight * (q - p)) + _PRIOR * p) / (mass + _PRIOR)
    # A cluster that nobody is in is the label of nobody.
    return np.log(np.where(p > 0, shares, 1.0))


def _aimless(table: Floats, p: Floats, q: Floats, mass: Floats) -> Floats:
    """The shares in ours if objects outside their clusters could be anywhere."""
    ratio = np.divide(q, p, out=np.zeros_like(q), where=p > 0)
    # Names must not matter: of several in which it is most frequent, it is of all.
    own = ratio >= ratio.max(axis=1, keepdims=True) * (1.0 - 1e-9)
    outside = (p * mass)[~own].sum()
    epsilon = table[~own].sum() / outside if outside > 0 else 0.0
    P = (p * own).sum(axis=0)
    inside = np.divide(1.0 - epsilon * (1.0 - P), P, out=np.ones_like(P), where=P > 0)
    return p * np.where(own, inside, np.where(P > 0, epsilon, 1.0))
