r"""How alike two clusterings are.

Every measure here is a function of the contingency table of two clusterings, whose
cell :math:`n_{rs}` counts the objects in cluster r of the one and cluster s of the
other. Objects that one of the two leaves out are not counted: marginals belong to the
table, not to the clusterings.

Entropies are summed in integers (multiples of a power of two), so that a value does
not depend on the order of objects or on the names of clusters, and two clusterings
that are equal up to names agree exactly 1.

Of two fuzzy clusterings with memberships :math:`F` and :math:`G` the table is
:math:`F'G`: the expected table when each object draws its cluster from its
memberships. Pairs of objects are counted alike, as expected pairs: i and j are
together with probability :math:`\sum_r F_{ir} F_{jr}`. A fuzzy clustering then agrees
with itself less than fully, as two draws from it would.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from comitia._names import in_order, matching_rows
from comitia._steps import check_choice
from comitia.agreement._measures import MEASURES, Floats, Measure, PairSums, divide
from comitia.agreement._sums import (
    read_vector,
    read_vectors,
    sums_of_all,
    sums_of_two,
    sums_with,
)
from comitia.config import require_memory
from comitia.ensemble import Ensemble
from comitia.exceptions import ComitiaError, ComitiaWarning

__all__ = [
    "MEASURES",
    "adjusted_rand",
    "agreement",
    "agreement_matrices",
    "agreement_matrix",
    "agreement_with",
    "contingency_table",
    "entropy",
    "nmi",
]


def contingency_table(a: Any, b: Any) -> NDArray[np.int64]:
    """Count the objects that each two clusters share.

    Parameters
    ----------
    a, b : array-like of shape (n_objects,)
        Labels of any kind; -1, NaN and None mean "not clustered here".

    Returns
    -------
    table : ndarray of shape (n_clusters of a, n_clusters of b)
        Clusters stand in the order of their labels.

    Examples
    --------
    >>> contingency_table([0, 0, 0, 1, 1, 1], [0, 0, 1, 1, 2, 2])
    array([[2, 1, 0],
           [0, 1, 2]])
    """
    one, k_one, other, k_other = read_vectors(a, b)
    require_memory(8 * (k_one + 1) * (k_other + 1), "a contingency table")
    cells = one.astype(np.int64) * (k_other + 1) + other
    table = np.bincount(cells, minlength=(k_one + 1) * (k_other + 1))
    return table.reshape(k_one + 1, k_other + 1)[:k_one, :k_other]


def entropy(counts: ArrayLike, base: float | None = None) -> Any:
    r"""Shannon entropy of counts or of a distribution.

    .. math::
        H = -\sum_r p_r \log p_r, \qquad p_r = c_r / \textstyle\sum_s c_s,
        \qquad 0 \log 0 = 0.

    Parameters
    ----------
    counts : array-like of shape (..., n_clusters)
        Counts or weights :math:`c`, not negative; they need not sum to one.

    base : float, default=None
        Base of the logarithm; natural by default.

    Returns
    -------
    entropy : float or ndarray of shape (...)
        Along the last axis; 0 where nothing is counted.

    Examples
    --------
    >>> float(entropy([2, 2], base=2))
    1.0
    """
    counts = np.atleast_1d(np.asarray(counts, dtype=np.float64))
    if not np.isfinite(counts).all() or (counts < 0).any():
        raise ComitiaError("counts must be finite and not negative.")
    if base is not None and not (base > 0 and base != 1):
        raise ComitiaError(f"base={base} must be positive and not 1.")
    p = divide(counts, counts.sum(axis=-1, keepdims=True), 0.0)
    # Subtracting from zero, not negating: no entropy is -0.0.
    nats = 0.0 - (p * np.log(np.where(p > 0, p, 1.0))).sum(axis=-1)
    return nats if base is None else nats / np.log(base)


def agreement(
    a: Any, b: Any, measure: str | Callable[..., float] = "nmi_sqrt"
) -> float:
    r"""How alike two clusterings are, on the objects that both cluster.

    Parameters
    ----------
    a, b : array-like of shape (n_objects,)
        Labels of any kind; -1, NaN and None mean "not clustered here".

    measure : str or callable, default="nmi_sqrt"
        A name of :data:`MEASURES`, or a function of two label vectors.

    Returns
    -------
    agreement : float
        The value of the measure.

    Notes
    -----
    With the pairs of objects :math:`N_{11}` that are together in both clusterings,
    :math:`N_{10}` and :math:`N_{01}` in one of them, :math:`N_{00}` in none, and the
    entropies H, H' and :math:`H_\cap` of the clusterings and of their table, in nats:

    =============================== ==================================================
    ``"nmi_sqrt"``, …               see :func:`nmi`
    ``"mutual_information"``        :math:`I = H + H' - H_\cap`
    ``"variation_of_information"``  :math:`H + H' - 2I`, a distance
    ``"rand"``                      :math:`(N_{11} + N_{00}) / N`
    ``"adjusted_rand"``             rand, corrected for chance
    ``"f_measure"``                 :math:`2N_{11} / (2N_{11} + N_{10} + N_{01})`
    ``"jaccard"``                   :math:`N_{11} / (N_{11} + N_{10} + N_{01})`
    ``"fowlkes_mallows"``           :math:`N_{11} / \sqrt{(N_{11} + N_{10})
                                    (N_{11} + N_{01})}`
    =============================== ==================================================

    Those of pairs are 1 when neither clustering puts any pair together; of
    Fowlkes-Mallows scikit-learn then says 0, although the clusterings are equal.

    Examples
    --------
    >>> round(agreement([0, 0, 0, 1, 1, 1], [0, 0, 1, 1, 2, 2]), 6)
    0.529541
    """
    if callable(measure):
        one, k_one, other, k_other = read_vectors(a, b)
        return _call(measure, one, k_one, other, k_other)
    return float(_evaluate(_measure(measure), sums_of_two(a, b)))


def nmi(a: Any, b: Any, average: str = "sqrt") -> float:
    r"""Normalised mutual information of two clusterings.

    .. math::
        \phi = I / g, \qquad I = H + H' - H_{\cap}

    with the normaliser :math:`g`: sqrt :math:`\sqrt{H H'}`, max
    :math:`\max(H, H')`, min :math:`\min(H, H')`, arithmetic :math:`(H + H') / 2`,
    joint :math:`H_{\cap}`, logk :math:`\ln k` for clusterings that both have k
    clusters. It is 1 if both clusterings are one cluster, and 0 if just one is.

    Parameters
    ----------
    a, b : array-like of shape (n_objects,)
        Labels of any kind; -1, NaN and None mean "not clustered here".

    average : {"sqrt", "max", "min", "arithmetic", "joint", "logk"}, default="sqrt"
        The normaliser :math:`g`.

    Returns
    -------
    nmi : float
        In [0, 1].

    Examples
    --------
    >>> round(nmi([0, 0, 0, 1, 1, 1], [0, 0, 1, 1, 2, 2], average="max"), 6)
    0.42062
    """
    averages = [name[4:] for name in MEASURES if name.startswith("nmi_")]
    check_choice("average", average, averages)
    return agreement(a, b, f"nmi_{average}")


def adjusted_rand(a: Any, b: Any) -> float:
    """Rand index corrected for chance.

    Parameters
    ----------
    a, b : array-like of shape (n_objects,)
        Labels of any kind; -1, NaN and None mean "not clustered here".

    Returns
    -------
    adjusted_rand : float
        At most 1, and 0 on average for unrelated clusterings.

    Examples
    --------
    >>> from comitia.agreement import adjusted_rand
    >>> adjusted_rand([0, 0, 1, 1], ["b", "b", "a", "a"])
    1.0
    >>> adjusted_rand([0, 0, 1, 1], [0, 1, 0, 1])
    -0.5
    """
    return agreement(a, b, "adjusted_rand")


def agreement_with(
    labels: Any,
    ensemble: Ensemble,
    measure: str | Callable[..., float] = "nmi_sqrt",
) -> Floats:
    """How alike one clustering and each clustering of an ensemble are.

    Parameters
    ----------
    labels : array-like of shape (n_objects,)
        The one clustering.

    ensemble : Ensemble
        The others; hard, partial or fuzzy.

    measure : str or callable, default="nmi_sqrt"
        A name of :data:`MEASURES`, or a function of two label vectors.

    Returns
    -------
    agreement : ndarray of shape (n_clusterings,)
        One value for each clustering.

    Examples
    --------
    >>> votes = Ensemble([[0, 0], [0, 0], [1, 0], [1, 1]])
    >>> agreement_with([5, 5, 7, 7], votes, "rand")
    array([1. , 0.5])
    """
    codes, k = read_vector(labels, "labels")
    codes = in_order(codes, matching_rows(ensemble, labels, ("ensemble", "labels")))
    if len(codes) != ensemble.n_objects:
        raise ComitiaError(
            f"labels must have one entry per object; got {len(codes)} for "
            f"{ensemble.n_objects}."
        )
    _refuse_overlaps(ensemble)
    if callable(measure):
        return np.array(
            [
                _call(measure, codes, k, other, int(k_other))
                for other, k_other in zip(
                    ensemble.codes, ensemble.n_clusters_each, strict=True
                )
            ]
        )
    return _evaluate(_measure(measure), sums_with(codes, k, ensemble))


def agreement_matrix(
    ensemble: Ensemble, measure: str | Callable[..., float] = "nmi_sqrt"
) -> Floats:
    """How alike each two clusterings of an ensemble are.

    Parameters
    ----------
    ensemble : Ensemble
        The clusterings; hard, partial or fuzzy.

    measure : str or callable, default="nmi_sqrt"
        A name of :data:`MEASURES`, or a symmetric function of two label vectors.

    Returns
    -------
    agreement : ndarray of shape (n_clusterings, n_clusterings)
        Symmetric; the diagonal compares each clustering with itself.

    Examples
    --------
    >>> agreement_matrix(Ensemble([[0, 0], [0, 0], [1, 0], [1, 1]]), "rand")
    array([[1. , 0.5],
           [0.5, 1. ]])
    """
    return next(iter(agreement_matrices(ensemble, [measure]).values()))


def agreement_matrices(
    ensemble: Ensemble, measures: Sequence[str | Callable[..., float]]
) -> dict[Any, Floats]:
    """Several measures of agreement; every table is counted once.

    Parameters
    ----------
    ensemble : Ensemble
        The clusterings; hard, partial or fuzzy.

    measures : sequence of str or callable
        As for :func:`agreement_matrix`.

    Returns
    -------
    agreements : dict of measure to ndarray of shape (n_clusterings, n_clusterings)
        One matrix for each measure.

    Examples
    --------
    >>> from comitia import Ensemble
    >>> from comitia.agreement import agreement_matrices
    >>> votes = Ensemble([[0, 0], [0, 1], [1, 1], [1, 1]])
    >>> agreement_matrices(votes, ["rand", "nmi_sqrt"])["rand"]
    array([[1. , 0.5],
           [0.5, 1. ]])
    """
    if isinstance(measures, str) or callable(measures):
        raise ComitiaError("measures must be a list of names; use agreement_matrix.")
    named = {name: _measure(name) for name in measures if not callable(name)}
    _refuse_overlaps(ensemble)
    M = ensemble.n_clusterings
    # Seven numbers for each pair while the tables are counted and summed up.
    require_memory(
        56 * M * M,
        f"the agreement of each two of {M} clusterings",
        "give fewer clusterings",
    )
    sums = sums_of_all(ensemble) if named else None
    return {
        measure: _matrix_by_calls(ensemble, measure)
        if callable(measure)
        else _evaluate(named[measure], sums)
        for measure in measures
    }


def _measure(name: Any) -> Measure:
    check_choice("measure", name, MEASURES)
    return MEASURES[name]


def _evaluate(measure: Measure, sums: PairSums | None) -> Floats:
    """The values, and the worst one where there is nothing to compare."""
    assert sums is not None
    value = measure.of(sums)
    nothing = sums.n == 0
    if nothing.any():
        warnings.warn(
            "some clusterings have no object in common; they count as not alike.",
            ComitiaWarning,
            stacklevel=3,
        )
        worst = 0.0 if measure.larger_is_alike else np.log(sums.n_objects)
        value = np.where(nothing, worst, value)
    return value


def _call(
    measure: Callable[..., float],
    one: NDArray[Any],
    k_one: int,
    other: NDArray[Any],
    k_other: int,
) -> float:
    common = (one != k_one) & (other != k_other)
    return float(measure(one[common].astype(np.int64), other[common].astype(np.int64)))


def _matrix_by_calls(ensemble: Ensemble, measure: Callable[..., float]) -> Floats:
    M = ensemble.n_clusterings
    codes, k = ensemble.codes, ensemble.n_clusters_each
    values = np.empty((M, M))
    for m in range(M):
        for j in range(m, M):
            values[m, j] = values[j, m] = _call(
                measure, codes[m], int(k[m]), codes[j], int(k[j])
            )
    return values


def _refuse_overlaps(ensemble: Ensemble) -> None:
    if ensemble.kind == "overlapping":
        raise ComitiaError(
            "agreement is not defined for overlapping clusterings, in which an object "
            "counts more than once; give hard, partial or fuzzy ones."
        )
