"""The criteria of :func:`choose_k`, for one set of objects and every number k."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from comitia._inputs import count_objects
from comitia.ensemble import Ensemble
from comitia.evaluate._common import fit_on
from comitia.evaluate.consensus_curves import (
    area_changes,
    cdf_area,
    consensus_cdf,
    cophenetic_correlation,
    pac,
    pair_shares,
)
from comitia.evaluate.setting_stability import stability

__all__ = [
    "CRITERIA",
    "Criterion",
    "Measured",
    "Plan",
    "eigengaps",
    "lifetimes",
    "mean_pairwise_agreement",
    "measure",
]

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Criterion:
    """How a criterion is read.

    Parameters
    ----------
    better : {"higher", "lower"}
        Which values speak for a number of clusters.

    says : str
        What it measures, in words.

    ratio : bool, default=False
        Compared with the reference by quotient, not by difference: it has no upper
        bound.

    votes : bool, default=True
        Whether it takes part in the recommendation.

    needs_data : bool, default=False
        Whether it is measured on the data and not on clusterings alone.
    """

    better: str
    says: str
    ratio: bool = False
    votes: bool = True
    needs_data: bool = False


CRITERIA: dict[str, Criterion] = {
    "stability": Criterion("higher", "agreement between consensuses of resamples"),
    "inconsistency": Criterion(
        "lower", "how far consensuses of resamples differ, as in scICE", votes=False
    ),
    "pac": Criterion("lower", "share of pairs that are neither together nor apart"),
    "cophenetic": Criterion("higher", "how well a tree describes the consensus matrix"),
    "area": Criterion("higher", "area under the consensus CDF", votes=False),
    "delta_area": Criterion("higher", "relative growth of that area", votes=False),
    "lifetime": Criterion("higher", "how long k lives as the tree is cut higher"),
    "eigengap": Criterion("higher", "gap behind the k-th eigenvalue of the graph"),
    "silhouette": Criterion(
        "higher", "nearness to the own cluster before the next", needs_data=True
    ),
    "calinski_harabasz": Criterion(
        "higher", "variance between over variance within", ratio=True, needs_data=True
    ),
    "davies_bouldin": Criterion(
        "lower", "spread of clusters over their distance", ratio=True, needs_data=True
    ),
}


@dataclass(frozen=True)
class Plan:
    """What is done to the data and to each reference alike.

    Parameters
    ----------
    ks : tuple of int
        Numbers of clusters, rising.

    estimator : EnsembleMethod
        The method.

    generator : generator
        Makes the clusterings of data.

    n_resamples : int
        Number of resamples.

    object_fraction : float
        Share of the objects in each.

    cdf_at : tuple of float
        Where the consensus CDF is taken.
    """

    ks: tuple[int, ...]
    estimator: Any
    generator: Any
    n_resamples: int
    object_fraction: float
    cdf_at: tuple[float, ...]


@dataclass(frozen=True)
class Measured:
    """Criteria of one set of objects.

    Attributes
    ----------
    criteria : dict of str to ndarray of shape (n_ks,)
        The values.

    cdf : ndarray of shape (n_ks, n_bins)
        The consensus CDF for each k.

    exact : bool
        Whether the CDF is that of all pairs.
    """

    criteria: dict[str, Floats]
    cdf: Floats
    exact: bool


def measure(plan: Plan, objects: Any, seed: int) -> Measured:
    """Measure every criterion on one set of objects.

    Parameters
    ----------
    plan : Plan
        What to do.

    objects : ndarray of shape (n_objects, n_features) or Ensemble
        Data, or clusterings.

    seed : int
        Seed of the generators, the method and the resamples.

    Returns
    -------
    measured : Measured
        The criteria.
    """
    rng = np.random.RandomState(seed)
    with warnings.catch_warnings():
        # Fits on parts of references may warn; that says nothing about the data.
        warnings.simplefilter("ignore")
        return _measure(plan, objects, rng)


def _measure(plan: Plan, objects: Any, rng: np.random.RandomState) -> Measured:
    given = objects if isinstance(objects, Ensemble) else None
    data: Any = None if given is not None else objects
    n = count_objects(objects)
    whole = given if given is not None else _generate(plan, data, rng)
    labels, one_tree = _labels_over_k(plan, data, whole, rng)
    found = np.full((len(plan.ks), plan.n_resamples, n), -1, dtype=np.int64)
    size = round(plan.object_fraction * n)
    for b in range(plan.n_resamples):
        rows = np.sort(rng.choice(n, size=size, replace=False))
        if given is None:
            part, seen = _generate(plan, data[rows], rng), data[rows]
        else:
            which = _half_of_clusterings(given.n_clusterings, rng)
            rows = rows[given.take(clusterings=which).n_votes[rows] > 0]
            part, seen = given.take(clusterings=which, objects=rows), None
        found[:, b, rows], _ = _labels_over_k(plan, seen, part, rng, one_tree)
    return _criteria_of(plan, data, whole, labels, found, rng)


def _half_of_clusterings(M: int, rng: np.random.RandomState) -> NDArray[np.int64]:
    """Half of the clusterings; all of them where there are fewer than four."""
    if M < 4:
        return np.arange(M)
    return np.sort(rng.choice(M, size=(M + 1) // 2, replace=False))


def _generate(plan: Plan, X: Any, rng: np.random.RandomState) -> Ensemble | None:
    from sklearn.base import clone

    seed = int(rng.randint(np.iinfo(np.int32).max))
    if "labels" not in plan.estimator.card.needs:
        return None
    generator = clone(plan.generator, safe=False)
    if hasattr(generator, "random_state"):
        generator.set_params(random_state=seed)
    return generator.generate(X)


def _labels_over_k(
    plan: Plan,
    X: Any,
    ensemble: Ensemble | None,
    rng: np.random.RandomState,
    one_tree: bool | None = None,
) -> tuple[NDArray[np.int64], bool]:
    """Labels for each k, and whether they are cuts of one tree.

    Where that is not known yet, it is found out by fits at both ends of the range.
    """
    from comitia.partition import cut

    seed = int(rng.randint(np.iinfo(np.int32).max))
    fitted = {k: _fitted(plan, k, X, ensemble, seed) for k in plan.ks[:1]}
    tree: Any = getattr(fitted[plan.ks[0]], "linkage_", None)
    if one_tree is None and tree is not None:
        fitted[plan.ks[-1]] = _fitted(plan, plan.ks[-1], X, ensemble, seed)
        one_tree = all(
            np.array_equal(tree, one.linkage_)
            and np.array_equal(one.labels_, cut(tree, k))
            for k, one in fitted.items()
        )
    if one_tree:
        return np.array([cut(tree, k) for k in plan.ks]), True
    for k in plan.ks:
        if k not in fitted:
            fitted[k] = _fitted(plan, k, X, ensemble, seed)
    return np.array([fitted[k].labels_ for k in plan.ks]), False


def _fitted(plan: Plan, k: int, X: Any, ensemble: Ensemble | None, seed: int) -> Any:
    from sklearn.base import clone

    estimator = clone(plan.estimator).set_params(n_clusters=k)
    if "random_state" in estimator.get_params(deep=False):
        estimator.set_params(random_state=seed)
    return fit_on(estimator, X, ensemble)


def _criteria_of(
    plan: Plan,
    X: Any,
    whole: Ensemble | None,
    labels: NDArray[np.int64],
    found: NDArray[np.int64],
    rng: np.random.RandomState,
) -> Measured:
    from comitia.partition import ensemble_linkage

    values: dict[str, list[float]] = {
        name: [] for name in ("stability", "inconsistency", "pac", "cophenetic", "area")
    }
    one_setting = [0] * plan.n_resamples
    cdf = np.empty((len(plan.ks), len(plan.cdf_at)))
    exact = True
    for row, results in enumerate(found):
        resampled = Ensemble(list(results))
        shares = pair_shares(resampled, rng=rng)
        exact = exact and shares.exact
        cdf[row] = consensus_cdf(shares, plan.cdf_at)
        values["stability"].append(mean_pairwise_agreement(resampled))
        same = stability(resampled, by=one_setting)
        values["inconsistency"].append(float(same.inconsistency[0]))
        values["pac"].append(pac(shares))
        values["area"].append(cdf_area(shares))
        values["cophenetic"].append(
            cophenetic_correlation(resampled) if shares.exact else float("nan")
        )
    criteria = {name: np.array(column) for name, column in values.items()}
    criteria["delta_area"] = area_changes(criteria["area"])
    if whole is not None:
        criteria["eigengap"] = eigengaps(whole, plan.ks)
        criteria["lifetime"] = lifetimes(ensemble_linkage(whole), plan.ks)
    if X is not None:
        criteria.update(_internal(X, labels))
    ordered = {name: criteria[name] for name in CRITERIA if name in criteria}
    return Measured(ordered, cdf, exact)


def _internal(X: Any, labels: NDArray[np.int64]) -> dict[str, Floats]:
    from comitia.validity import score_table

    names = [name for name, criterion in CRITERIA.items() if criterion.needs_data]
    table = score_table(X, Ensemble(list(labels)), names)
    return {name: table.column(name) for name in names}


def mean_pairwise_agreement(ensemble: Ensemble) -> float:
    """Mean adjusted Rand index of each two clusterings, on the objects both have.

    Parameters
    ----------
    ensemble : Ensemble
        The clusterings: results for resamples, with -1 for objects that were left out.

    Returns
    -------
    agreement : float
        At most 1, and about 0 for results that have nothing in common [1]_.

    References
    ----------
    .. [1] A. Ben-Hur, A. Elisseeff and I. Guyon, "A stability based method for
       discovering structure in clustered data", Pacific Symposium on Biocomputing,
       2002. :doi:`10.1142/9789812799623_0002`

    Examples
    --------
    >>> from comitia import Ensemble
    >>> mean_pairwise_agreement(Ensemble([[0, 1], [0, 1], [1, 0], [1, -1]]))
    1.0
    """
    from comitia.agreement import agreement_matrix

    M = ensemble.n_clusterings
    if M < 2:
        return float("nan")
    alike = agreement_matrix(ensemble, "adjusted_rand")
    return float(alike[np.triu_indices(M, 1)].mean())


def lifetimes(tree: ArrayLike, ks: ArrayLike) -> Floats:
    r"""How long each number of clusters lives as a tree is cut higher and higher.

    .. math::
        \ell(k) = h_{n-k+1} - h_{n-k}

    with the merge heights :math:`h_1 \le \dots \le h_{n-1}` and :math:`h_0 = 0` [1]_.

    Parameters
    ----------
    tree : array-like of shape (n_objects - 1, 4)
        Merges in SciPy form, sorted by height.

    ks : array-like of int
        Numbers of clusters, 2 to n_objects.

    Returns
    -------
    lifetimes : ndarray of shape (n_ks,)
        In the unit of the heights.

    References
    ----------
    .. [1] A. L. N. Fred and A. K. Jain, "Combining multiple clusterings using evidence
       accumulation", IEEE TPAMI 27(6), 2005. :doi:`10.1109/TPAMI.2005.113`

    Examples
    --------
    >>> lifetimes([[0, 1, 0.1, 2], [2, 3, 0.2, 2], [4, 5, 0.9, 4]], [2, 3, 4])
    array([0.7, 0.1, 0.1])
    """
    heights = np.concatenate([[0.0], np.asarray(tree, dtype=np.float64)[:, 2]])
    return np.diff(heights)[::-1][np.asarray(ks) - 2]


def eigengaps(ensemble: Ensemble, ks: ArrayLike) -> Floats:
    r"""Gaps behind the k-th eigenvalue of the graph of objects and clusters.

    .. math::
        g(k) = \mu_k^2 - \mu_{k+1}^2

    with the eigenvalues :math:`1 = \mu_1 \ge \mu_2 \ge \dots` of the normalised graph
    and two steps of a random walk.

    Parameters
    ----------
    ensemble : Ensemble
        The clusterings.

    ks : array-like of int
        Numbers of clusters.

    Returns
    -------
    gaps : ndarray of shape (n_ks,)
        In [0, 1]; 0 beyond the last eigenvalue.

    Examples
    --------
    >>> from comitia import Ensemble
    >>> same = Ensemble([[0, 2], [0, 2], [1, 0], [1, 0], [2, 1], [2, 1]])
    >>> eigengaps(same, [2, 3, 4]).round(12) + 0.0
    array([0., 1., 0.])
    """
    from comitia.partition.transfer_cut import bipartite_spectrum
    from comitia.represent import bipartite_graph

    which = np.asarray(ks)
    most = int(which.max()) + 1
    values = bipartite_spectrum(bipartite_graph(ensemble), most)
    walk = np.zeros(most)
    walk[: len(values)] = np.maximum(values, 0.0) ** 2
    return (walk - np.append(walk[1:], 0.0))[which - 1]
