"""How far clusterings of one setting, such as a resolution, agree with each other."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from numbers import Real
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from comitia._html import html_table
from comitia._kernels.sums import fixed_scale
from comitia._optional import import_optional
from comitia.config import require_memory
from comitia.engine.tables import table_fits
from comitia.ensemble import Ensemble
from comitia.exceptions import ComitiaError
from comitia.optimize.ties import is_lower, merged_ties

__all__ = ["Stability", "stability"]

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Stability:
    """Which settings give the same clustering again and again.

    Attributes
    ----------
    settings : list
        The settings: resolutions, numbers of clusters, or names of groups; numbers in
        rising order.

    inconsistency : ndarray of shape (n_settings,)
        The inconsistency coefficient; 1 if all clusterings of a setting are the same,
        more if they differ, and NaN for a setting with one clustering.

    consistent : ndarray of bool of shape (n_settings,)
        Whether it is below ``threshold``.

    n_clusterings : ndarray of shape (n_settings,)
        Clusterings of each setting.

    n_distinct : ndarray of shape (n_settings,)
        How many of them differ, up to names.

    n_clusters : ndarray of shape (n_settings,)
        Number of clusters of the clustering in ``labels``.

    labels : ndarray of shape (n_settings, n_objects)
        For each setting the clustering that is most like the others; -1 where a label
        is missing.

    cluster_stability : list of ndarray of shape (n_clusters,)
        How well each of its clusters is found again: the mean over the other
        clusterings of the largest Jaccard index with a cluster there.

    object_stability : ndarray of shape (n_settings, n_objects)
        Mean element-centric similarity of each object over pairs of clusterings, from
        0 to 1; NaN for objects without any label.

    best : object
        The consistent setting with the most clusters; None if no setting is
        consistent.

    threshold : float
        Below it a setting is consistent.
    """

    settings: list[Any]
    inconsistency: Floats
    consistent: NDArray[np.bool_]
    n_clusterings: Integers
    n_distinct: Integers
    n_clusters: Integers
    labels: NDArray[np.int32]
    cluster_stability: list[Floats]
    object_stability: Floats
    best: Any
    threshold: float

    def to_frame(self) -> Any:
        """One row for each setting, as a pandas DataFrame.

        Returns
        -------
        frame : pandas.DataFrame
            The index is called ``setting``.
        """
        pd = import_optional("pandas", "to_frame()", "io")
        return pd.DataFrame(
            self._columns(), index=pd.Index(self.settings, name="setting")
        )

    def _columns(self) -> dict[str, Any]:
        return {
            "n_clusters": self.n_clusters,
            "inconsistency": self.inconsistency,
            "consistent": self.consistent,
            "n_clusterings": self.n_clusterings,
            "n_distinct": self.n_distinct,
            "weakest_cluster": np.array(
                [_least(one) for one in self.cluster_stability]
            ),
        }

    def __str__(self) -> str:
        of = f"{len(self.settings)} setting{'s' * (len(self.settings) != 1)}"
        if self.best is None:
            return f"None of {of} is consistent (inconsistency below {self.threshold})."
        k = int(self.n_clusters[self.settings.index(self.best)])
        return (
            f"{int(self.consistent.sum())} of {of} consistent (inconsistency below "
            f"{self.threshold}); {self.best} has the most clusters of them, {k}."
        )

    def _repr_html_(self) -> str:
        columns = self._columns()
        rows = zip(
            self.settings,
            *(column.tolist() for column in columns.values()),
            strict=True,
        )
        head = ["setting", *(name.replace("_", " ") for name in columns)]
        return html_table(head, rows, str(self))


def stability(
    ensemble: Ensemble, by: Sequence[Any] | None = None, *, threshold: float = 1.005
) -> Stability:
    r"""Say which settings give the same clustering again and again.

    Clusterings of one setting, such as a resolution or a number of clusters, differ by
    their seeds. Where they hardly do, the setting fits the data; where each run says
    something else, none of them should be believed.

    Parameters
    ----------
    ensemble : Ensemble
        The clusterings, hard or partial.

    by : sequence of shape (n_clusterings,), default=None
        The setting of each clustering. By default ``ensemble.groups``, and the number
        of clusters of each clustering where there are no groups.

    threshold : float, default=1.005
        Inconsistency below which a setting is consistent.

    Returns
    -------
    stability : Stability
        ``inconsistency`` and ``consistent`` for each setting, ``best``, stability of
        clusters and objects, and ``to_frame()``.

    Notes
    -----
    Object i is in a cluster of size a of one clustering and of size b of another, and
    these share c objects. Its element-centric similarity [2]_ and that of the two
    clusterings are

    .. math::
        S_{ml}(i) = \frac{c}{\max(a, b)}, \qquad
        S_{ml} = \frac1n \sum_i S_{ml}(i).

    [2]_ and [1]_ define it as :math:`1 - \frac{1}{2d} \lVert p_i - q_i \rVert_1` with
    personalised PageRank vectors, which for hard clusterings are :math:`d / a` in the
    cluster of i, and :math:`1 - d` more at i itself; so d cancels. Over the distinct
    clusterings of a setting, which occur with shares p,

    .. math::
        \mathrm{IC} = \frac{1}{p' S p}.

    The same is the mean over all pairs, equal ones included. [1]_ report the median of
    100 bootstrap samples of it, and take 1.005 for the threshold; here it is that of
    all clusterings. Two clusterings are compared on the objects that both have.

    ``best`` is the finest consistent setting. That all objects are one cluster is
    always consistent, so coarse settings are no discovery; those that divide what does
    not come apart differ from seed to seed. Look at all that are consistent: data may
    have groups, and groups within groups.

    Each two distinct clusterings of a setting are compared by their contingency table:
    with s of them in each of M / s settings the time is O(n M s), and the memory that
    of the labels and of one number for each object and setting.

    References
    ----------
    .. [1] H. Kim, I. Park, J.-E. Park, J. K. Kim, M. Seo and J. K. Kim, "scICE:
       enhancing clustering reliability and efficiency of scRNA-seq data with
       multi-cluster label consistency evaluation", Nature Communications 16, 6031,
       2025. :doi:`10.1038/s41467-025-60702-8`

    .. [2] A. J. Gates, I. B. Wood, W. P. Hetrick and Y.-Y. Ahn, "Element-centric
       clustering comparison unifies overlaps and hierarchy", Scientific Reports 9,
       8574, 2019. :doi:`10.1038/s41598-019-44892-y`

    Examples
    --------
    >>> import comitia
    >>> votes = comitia.Ensemble(
    ...     [[0, 1, 0, 0], [0, 1, 0, 1], [1, 0, 1, 1], [1, 0, 2, 2]]
    ... )
    >>> found = comitia.stability(votes, by=[2, 2, 3, 3])
    >>> found.inconsistency.round(3)
    array([1.   , 1.231])
    >>> found.best
    2
    """
    if not isinstance(ensemble, Ensemble):
        raise ComitiaError(
            f"stability takes an Ensemble; got {type(ensemble).__name__}. Make one "
            "with comitia.Ensemble(labels)."
        )
    if not ensemble.is_hard:
        raise ComitiaError(
            f"stability compares hard clusterings; these are {ensemble.kind}. Take "
            "comitia.Ensemble(ensemble.labels)."
        )
    if not isinstance(threshold, Real) or not threshold > 1:
        raise ComitiaError(f"threshold={threshold!r} must be a number above 1.")
    settings, owner = _settings(ensemble, by)
    n, ensemble = ensemble.n_objects, ensemble.whole
    require_memory(
        16 * n * len(settings), f"stability of {n} objects in {len(settings)} settings"
    )
    found = [
        _of_setting(ensemble, np.flatnonzero(owner == s)) for s in range(len(settings))
    ]
    inconsistency = np.array([one.inconsistency for one in found])
    consistent = is_lower(inconsistency, float(threshold)) & ~np.isnan(inconsistency)
    n_clusters = np.array([one.labels.max() + 1 for one in found], dtype=np.int64)
    best = None
    if consistent.any():
        # Of equally fine ones the most consistent, and of these the first.
        merged = merged_ties(np.where(consistent, inconsistency, np.inf)[consistent])
        at = np.flatnonzero(consistent)
        best = settings[at[np.lexsort((merged, -n_clusters[at]))[0]]]
    return Stability(
        settings=settings,
        inconsistency=inconsistency,
        consistent=consistent,
        n_clusterings=np.bincount(owner, minlength=len(settings)),
        n_distinct=np.array([one.n_distinct for one in found], dtype=np.int64),
        n_clusters=n_clusters,
        labels=np.stack([one.labels for one in found]),
        cluster_stability=[one.clusters for one in found],
        object_stability=np.stack([one.objects for one in found]),
        best=best,
        threshold=float(threshold),
    )


class _Found(NamedTuple):
    """What one setting gives."""

    inconsistency: float
    n_distinct: int
    labels: NDArray[np.int32]
    clusters: Floats
    objects: Floats


class _Table(NamedTuple):
    """The filled cells of a contingency table."""

    shared: Integers  # objects in each
    row: Integers  # its cluster in the first clustering
    a: Integers  # and the size of that cluster
    b: Integers  # size of its cluster in the second
    cell: Integers  # of each object that both have
    common: Any  # which objects these are; a slice if all


def _settings(ensemble: Ensemble, by: Any) -> tuple[list[Any], Integers]:
    """The settings in order, and that of each clustering."""
    M = ensemble.n_clusterings
    if by is None:
        by = ensemble.n_clusters_each if ensemble.groups is None else ensemble.groups
    given = by.tolist() if isinstance(by, np.ndarray) else list(by)
    if len(given) != M:
        raise ComitiaError(
            f"by must have one setting for each clustering; got {len(given)} for {M}."
        )
    try:
        settings = list(dict.fromkeys(given))
    except TypeError:
        raise ComitiaError(
            "by must hold numbers or names, one for each clustering."
        ) from None
    if any(one is None or one != one for one in settings):
        raise ComitiaError("by has missing entries; each clustering needs a setting.")
    if all(isinstance(one, Real) for one in settings):
        settings.sort()
    if len(settings) == M:
        raise ComitiaError(
            "no setting has two clusterings, so that there is nothing to compare; make "
            "several for each, with different seeds, and say in by which is which."
        )
    place = {setting: s for s, setting in enumerate(settings)}
    return settings, np.array([place[one] for one in given], dtype=np.int64)


def _of_setting(ensemble: Ensemble, which: Integers) -> _Found:
    n, M = ensemble.n_objects, len(which)
    members, times, digests = _distinct_members(ensemble, which)
    scale = fixed_scale(1.0, M * M)
    # Integers: neither the order of the objects nor that of the members matters.
    objects, pairs = np.zeros(n, np.int64), np.zeros(n, np.int64)
    S = np.eye(len(members))
    for m, (codes, k) in enumerate(members):
        has = slice(None) if ensemble.kind == "hard" else codes < k
        objects[has] += int(times[m] ** 2 * scale)
        pairs[has] += times[m] ** 2
        for other in range(m):
            table = _table(members[m], members[other])
            weight = int(2 * times[m] * times[other])
            alike = table.shared / np.maximum(table.a, table.b)
            objects[table.common] += (
                weight * np.rint(alike * scale).astype(np.int64)[table.cell]
            )
            pairs[table.common] += weight
            S[m, other] = S[other, m] = _mean_alike(table, alike)
    with np.errstate(invalid="ignore"):
        each = objects / (pairs * scale)
    p = times / M
    agreement = merged_ties(S @ p)
    top = max(
        range(len(members)),
        key=lambda m: (agreement[m], times[m], -members[m][1], digests[m]),
    )
    codes, k = members[top]
    value = float(1.0 / (p @ S @ p)) if len(members) > 1 else 1.0
    return _Found(
        value if M > 1 else float("nan"),
        len(members),
        np.where(codes < k, codes, -1).astype(np.int32),
        _cluster_stability(members, times, top),
        each,
    )


def _distinct_members(
    ensemble: Ensemble, which: Integers
) -> tuple[list[tuple[NDArray[Any], int]], Integers, list[bytes]]:
    """Clusterings that differ, clusters in order of appearance; how often each is."""
    n = ensemble.n_objects
    found: dict[bytes, tuple[NDArray[Any], int]] = {}
    times: dict[bytes, int] = {}
    for m in which:
        given, k = ensemble.codes[m], int(ensemble.n_clusters_each[m])
        first = np.full(k + 1, n, dtype=np.int64)
        first[given[::-1]] = np.arange(n - 1, -1, -1)
        order = np.argsort(first[:k], kind="stable")
        filled = int((first[:k] < n).sum())
        rank = np.full(k + 1, filled, dtype=np.int64)
        rank[order[:filled]] = np.arange(filled)
        codes = rank.astype(np.int32)[given]
        digest = hashlib.blake2b(codes.tobytes(), digest_size=16).digest()
        found.setdefault(digest, (codes, filled))
        times[digest] = times.get(digest, 0) + 1
    return list(found.values()), np.array(list(times.values())), list(found)


def _table(one: tuple[NDArray[Any], int], other: tuple[NDArray[Any], int]) -> _Table:
    (first, k), (second, k_other) = one, other
    n = len(first)
    common: Any = slice(None)
    both = (first < k) & (second < k_other)
    if not both.all():
        common = np.flatnonzero(both)
        first, second = first[common], second[common]
    cell = first.astype(np.int64) * k_other + second
    if table_fits(k, k_other, n):
        counts = np.bincount(cell, minlength=k * k_other)
        filled = np.flatnonzero(counts)
        place = np.empty(k * k_other, dtype=np.int64)
        place[filled] = np.arange(len(filled))
        cell, counts = place[cell], counts[filled]
    else:
        filled, cell, counts = np.unique(cell, return_inverse=True, return_counts=True)
    row, column = np.divmod(filled, max(k_other, 1))
    a = np.bincount(row, counts, k).astype(np.int64)[row]
    b = np.bincount(column, counts, k_other).astype(np.int64)[column]
    return _Table(counts, row, a, b, cell, common)


def _mean_alike(table: _Table, alike: Floats) -> float:
    """Mean similarity over the objects; 0 where there are none."""
    n = int(table.shared.sum())
    if n == 0:
        return 0.0
    scale = fixed_scale(1.0, n)
    total = int((table.shared * np.rint(alike * scale).astype(np.int64)).sum())
    return total / (n * scale)


def _cluster_stability(
    members: list[tuple[NDArray[Any], int]], times: Integers, top: int
) -> Floats:
    """Mean over the other members of the best Jaccard index of each cluster."""
    k = members[top][1]
    # Members that are equal to this one have all of its clusters.
    total = np.full(k, float(times[top] - 1))
    compared = total.copy()
    for m in range(len(members)):
        if m == top:
            continue
        table = _table(members[top], members[m])
        best = np.zeros(k)
        jaccard = table.shared / (table.a + table.b - table.shared)
        np.maximum.at(best, table.row, jaccard)
        total += times[m] * best
        compared[np.unique(table.row)] += times[m]
    with np.errstate(invalid="ignore"):
        return total / compared


def _least(values: Floats) -> float:
    known = values[~np.isnan(values)]
    return float(known.min()) if len(known) else float("nan")
