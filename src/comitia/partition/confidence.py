"""How probable it is that an object is in the right cluster of a consensus."""

from __future__ import annotations

from collections import Counter
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from comitia._arrays import to_numpy
from comitia._kernels.sums import fixed_scale
from comitia.config import require_memory
from comitia.engine.row_blocks import join
from comitia.ensemble import Ensemble
from comitia.partition.reassign import _believed, _scores
from comitia.represent.graphs import combined_weights
from comitia.represent.votes import check_labels, overlaps, vote_shares

__all__ = [
    "VoteModel",
    "block_likelihood",
    "consensus_posterior",
    "own_confidence",
    "vote_model",
]

Floats = NDArray[np.float64]

# Spread of the evidence, relative to its size, that is nothing but rounding.
_NO_SPREAD = 1e-12


class VoteModel(NamedTuple):
    r"""What the labels of an object say about its cluster in a consensus.

    Attributes
    ----------
    scores : ndarray of shape (n_clusters of the ensemble, n_clusters)
        Log-likelihood of each label in each cluster of the consensus, divided by the
        number of clusterings that are equal to its own.

    log_sizes : ndarray of shape (n_clusters,)
        Logarithm of the share of the objects that each has.

    design_effect : float
        How many clusterings say the same as one, from 1 to their number.

    repeated : float
        Which share of what the clusterings say others of them have said before, 1 - 1 /
        d; 1 for a single clustering.

    evidence : ndarray of shape (n_clusterings,)
        What each clustering says for the consensus against chance, the sum of
        :math:`\log (q_{mrc} / p_{mc})` over the objects; of equal clusterings each has
        its share.
    """

    scores: Floats
    log_sizes: Floats
    design_effect: float
    repeated: float
    evidence: Floats


def consensus_posterior(
    ensemble: Ensemble,
    labels: ArrayLike,
    n_clusters: int | None = None,
    clustering_weights: ArrayLike | None = None,
    cluster_weights: ArrayLike | None = None,
) -> Floats:
    r"""Probability that each object belongs to each cluster of a consensus.

    The labels of an object, given its cluster, are a latent class model, as in
    :func:`reassign`, whose :math:`q_{mrc}` is the probability that clustering m puts an
    object of cluster r into its cluster c. Clusterings that err together say the same
    thing several times, so that M of them count as :math:`M / d`,

    .. math::
        P_{ir} = \frac1d L_{ir} + \Bigl( 1 - \frac1d \Bigr) U_{ir}, \qquad
        L_{ir} \propto \pi_r \exp \Bigl( \frac{1}{d}
        \sum_{m=1}^{M} \log q_{mrc} \Bigr), \quad c = l_{im},

    where d is the design effect [1]_: the variance of an object's evidence, relative
    to what it would be if the clusterings were independent given the cluster,

    .. math::
        d = \frac{\sum_{ir} R_{ir} \bigl( \sum_m z_{imr} \bigr)^2}
        {\sum_{ir} R_{ir} \sum_m z_{imr}^2}, \qquad
        z_{imr} = \log \frac{q_{mrc}}{p_{mc}} - \text{its mean in } r.

    It is kept between 1, for clusterings that err independently, and M, for those that
    say the same of every object. Clusterings that are equal up to names count as one
    from the start. R is first the consensus, then the L that this gives: that a
    consensus was fitted to the clusterings makes them look better than they are. The
    share :math:`1 - 1/d` of what is said was said before, and counts as a vote share U
    (:func:`comitia.represent.votes.vote_shares`): independent errors leave L, copies of
    one clustering, or a single one, leave U.

    Parameters
    ----------
    ensemble : Ensemble
        The clusterings. Missing labels say nothing.

    labels : array-like of shape (n_objects,)
        The consensus, 0..n_clusters - 1.

    n_clusters : int, default=None
        Clusters of the consensus.

    clustering_weights : array-like of shape (n_clusterings,), default=None
        Clusterings that weigh 0 do not speak; how reliable the others are is learnt.

    cluster_weights : array-like of shape (n_clusters of the ensemble,), default=None
        Clusters that weigh 0 do not speak.

    Returns
    -------
    posterior : ndarray of shape (n_objects, n_clusters)
        Rows sum to one.

    Notes
    -----
    It is calibrated as far as errors show in disagreement. What all clusterings get
    wrong alike cannot be seen in them, and is not in these probabilities. That U has
    the weight :math:`1 - 1/d` was chosen among five weights with classes in view: on
    tables it is as near to the truth as the vote share, and on planted ensembles as
    near as L where clusterings err independently.

    References
    ----------
    .. [1] L. Kish, *Survey Sampling*, Wiley, 1965.

    Examples
    --------
    The first clustering and the last are the same, and count as one:

    >>> from comitia import Ensemble
    >>> votes = Ensemble([[0, 0, 0], [0, 0, 0], [0, 1, 0], [1, 1, 1], [1, 1, 1]])
    >>> consensus_posterior(votes, [0, 0, 0, 1, 1]).round(2)[:, 0]
    array([0.84, 0.84, 0.69, 0.28, 0.28])
    """
    ensemble = _on_host(ensemble)
    given = labels, n_clusters, clustering_weights, cluster_weights
    model, shares = vote_model(ensemble, *given), vote_shares(ensemble, *given)
    n, k = shares.shape
    require_memory(16 * n * k, f"the probabilities of {n} objects in {k} clusters")
    likelihood = join(ensemble.row_blocks.map(block_likelihood, model=model), n)
    return _blend(likelihood, shares, model)


def vote_model(
    ensemble: Ensemble,
    labels: ArrayLike,
    n_clusters: int | None = None,
    clustering_weights: ArrayLike | None = None,
    cluster_weights: ArrayLike | None = None,
) -> VoteModel:
    """Learn what labels say about the cluster of an object.

    Parameters
    ----------
    ensemble : Ensemble
        The clusterings.

    labels, n_clusters : array-like and int
        The consensus, and its number of clusters.

    clustering_weights, cluster_weights : array-like
        As for :func:`consensus_posterior`.

    Returns
    -------
    model : VoteModel
        What :func:`block_likelihood` needs.
    """
    ensemble = _on_host(ensemble)
    codes, k = check_labels(to_numpy(labels), "labels", ensemble.n_objects, n_clusters)
    weights = combined_weights(ensemble, clustering_weights, cluster_weights)
    speaks = (weights > 0)[:, None]
    blocks, given = ensemble.row_blocks, ensemble.split(codes)
    # Integers: neither the order of the rows nor their blocks matter.
    unit = 2.0 ** (52 - int(ensemble.n_objects).bit_length())
    sizes = np.bincount(codes, minlength=k).astype(np.float64)
    counts = overlaps(ensemble, codes, k) * speaks
    once = 1.0 / _n_equal(ensemble, speaks.ravel())
    model = _fitted(ensemble, given, None, counts, sizes, once)
    parts = blocks.map(_soft_counts, model=model, unit=unit).total() / unit
    return _fitted(ensemble, given, model, parts[:-1] * speaks, parts[-1], once)


def block_likelihood(block: Ensemble, *, model: VoteModel) -> Floats:
    """Likelihoods L of the objects of one row block, as shares.

    Parameters
    ----------
    block : Ensemble
        The block.

    model : VoteModel
        As :func:`vote_model` found it.

    Returns
    -------
    likelihood : ndarray of shape (n_objects of the block, n_clusters)
        Rows sum to one.
    """
    L = _sums(_on_host(block), model.scores)
    L /= model.design_effect
    L += model.log_sizes
    L -= L.max(axis=1, keepdims=True)
    np.exp(L, out=L)
    L /= L.sum(axis=1, keepdims=True)
    return L


def own_confidence(
    likelihood: Floats, membership: Any, labels: Any, *, model: VoteModel
) -> Floats:
    """Probability of the own cluster.

    Parameters
    ----------
    likelihood : ndarray of shape (n, n_clusters)
        Of :func:`block_likelihood`.

    membership : ndarray of shape (n, n_clusters)
        The vote shares.

    labels : ndarray of shape (n,)
        The clusters in the consensus.

    model : VoteModel
        As :func:`vote_model` found it.

    Returns
    -------
    confidence : ndarray of shape (n,)
        From 0 to 1.
    """
    own = np.arange(len(likelihood)), to_numpy(labels).ravel()
    return _blend(likelihood[own], to_numpy(membership)[own], model)


def _blend(likelihood: Floats, shares: Floats, model: VoteModel) -> Floats:
    return likelihood + model.repeated * (shares - likelihood)


def _on_host(ensemble: Ensemble) -> Ensemble:
    """The labels in memory, where those of a device are copied to."""
    return ensemble if ensemble.device is None else ensemble.whole


def _fitted(
    ensemble: Ensemble,
    labels: Any,
    before: VoteModel | None,
    counts: Floats,
    sizes: Floats,
    once: Floats,
) -> VoteModel:
    """The model of soft or hard counts; ``before`` gave the soft ones.

    ``once`` is what a clustering counts: of several that are equal, its share of one.
    """
    begin, of = ensemble.offsets[:-1], ensemble.clustering_of
    share = once[of][:, None]
    tables = np.split(counts, ensemble.offsets[1:-1])
    scores = np.concatenate(
        [_scores(t, _believed(t)) if t.any() else np.zeros_like(t) for t in tables]
    )
    mass = np.add.reduceat(counts, begin, axis=0)
    mine, everyone = counts.sum(axis=1), mass.sum(axis=1)[of]
    known = mine > 0
    evidence = np.zeros_like(scores)
    evidence[known] = scores[known] - np.log(mine[known] / everyone[known])[:, None]
    means = np.add.reduceat(counts * evidence, begin, axis=0)
    np.divide(means, mass, out=means, where=mass > 0)
    residuals = np.where(known[:, None], evidence - means[of], 0.0)
    alone = float((share * counts * residuals**2).sum())
    M = int(np.rint(once[mass.sum(axis=1) > 0].sum()))
    effect = float(max(M, 1))  # without any spread they say the same
    if alone > _NO_SPREAD * float((share * counts * evidence**2).sum()):
        reach = (float(np.abs(residuals).max()) * ensemble.n_clusterings) ** 2
        unit = fixed_scale(reach, ensemble.n_objects)
        together = ensemble.row_blocks.map(
            _squares, labels, model=before, residuals=share * residuals, unit=unit
        ).total()
        effect = min(max(together / unit / alone, 1.0), effect)
    repeated = 1.0 - 1.0 / effect if M > 1 else 1.0
    with np.errstate(divide="ignore"):  # a cluster that nobody is in
        log_sizes = np.log(sizes / sizes.sum())
    said = once * np.add.reduceat((counts * evidence).sum(axis=1), begin)
    return VoteModel(share * scores, log_sizes, effect, repeated, said)


def _n_equal(ensemble: Ensemble, speaks: NDArray[np.bool_]) -> Floats:
    """How many clusterings are equal to each up to names, itself included."""
    M = ensemble.n_clusterings
    if not ensemble.is_hard:
        return np.ones(M)
    # Sums of random numbers of the objects: different clusters have different ones.
    # They are whole, so that sums over a hundred million objects are exact.
    marks = np.random.RandomState(0).randint(1 << 26, size=ensemble.n_objects)
    sums = ensemble.row_blocks.map(_sums_of_marks, ensemble.split(marks)).total()
    sums = np.where(speaks, sums, -1.0)
    found = [np.sort(one).tobytes() for one in np.split(sums, ensemble.offsets[1:-1])]
    times = Counter(found)
    return np.array([times[one] for one in found], dtype=np.float64)


# -- one row block -------------------------------------------------------------------


def _sums(block: Ensemble, table: Floats) -> Floats:
    """For each object the sum of the table rows of its clusters."""
    ones = np.ones(len(table))
    sums: Floats = block.engine.mean_rows(table, ones)
    sums *= block.engine.row_sums(ones)[:, None]
    return sums


def _sums_of_marks(block: Ensemble, marks: NDArray[np.int64]) -> Floats:
    """For each cluster the sum of the marks of its objects."""
    return np.concatenate(
        [
            np.bincount(codes, marks, k_m + 1)[:k_m]
            for codes, k_m in zip(block.codes, block.n_clusters_each, strict=True)
        ]
    )


def _soft_counts(block: Ensemble, *, model: VoteModel, unit: float) -> Floats:
    """Objects that each cluster shares with each of ours, and below it their sizes."""
    P = block_likelihood(block, model=model)
    np.rint(P * unit, out=P)
    if not block.is_hard:
        return np.vstack([block.membership.T @ P, P.sum(axis=0)])
    columns = np.ascontiguousarray(P.T)
    parts = []
    for codes, k_m in zip(block.codes, block.n_clusters_each, strict=True):
        places = codes.astype(np.intp)
        # The code k_m stands for no label.
        counts = [np.bincount(places, column, k_m + 1)[:k_m] for column in columns]
        parts.append(np.transpose(counts))
    return np.vstack([*parts, columns.sum(axis=1)])


def _squares(
    block: Ensemble,
    labels: NDArray[Any],
    *,
    model: VoteModel | None,
    residuals: Floats,
    unit: float,
) -> int:
    """Squares of the summed residuals of the objects, as integers."""
    squares = _sums(block, residuals) ** 2
    if model is None:
        mine = squares[np.arange(len(labels)), labels]
    else:
        mine = np.einsum("ir,ir->i", squares, block_likelihood(block, model=model))
    return int(np.rint(mine * unit).astype(np.int64).sum())
