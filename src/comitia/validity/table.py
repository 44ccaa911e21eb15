"""Every index of every clustering."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from comitia._names import in_order, matching_rows
from comitia._optional import import_optional
from comitia.ensemble import Ensemble
from comitia.exceptions import ComitiaError
from comitia.validity.clustered import Clustered, SameData, check_data
from comitia.validity.registry import INDICES, get_index
from comitia.validity.scatter import lack_of_separation
from comitia.validity.unification import finite_scores, unify

__all__ = ["ScoreTable", "score_table"]


@dataclass(frozen=True)
class ScoreTable:
    """Values of several indices for several clusterings.

    Attributes
    ----------
    values : ndarray of shape (n_clusterings, n_indices)
        The values; NaN where an index is not defined for a clustering.

    indices : tuple of str
        The names of the columns.

    clustering_names : ndarray of shape (n_clusterings,) or None
        The names of the rows.
    """

    values: NDArray[np.float64]
    indices: tuple[str, ...]
    clustering_names: NDArray[Any] | None = None

    @property
    def directions(self) -> tuple[str, ...]:
        """Which values are better, for each column."""
        return tuple(INDICES[name].direction for name in self.indices)

    def column(self, index: str) -> NDArray[np.float64]:
        """Values of one index.

        Parameters
        ----------
        index : str
            One of ``indices``.

        Returns
        -------
        values : ndarray of shape (n_clusterings,)
            A column of ``values``.
        """
        if index not in self.indices:
            raise ComitiaError(
                f"index={index!r} is not in this table, which holds "
                f"{', '.join(self.indices)}."
            )
        return self.values[:, self.indices.index(index)]

    def unified(self, method: str = "range") -> NDArray[np.float64]:
        """The values on one scale, larger being better.

        Parameters
        ----------
        method : {"minmax", "range", "prob", "rank"}, default="range"
            As for :func:`unify`.

        Returns
        -------
        unified : ndarray of shape (n_clusterings, n_indices)
            The unified values.
        """
        return unify(self.values, self.directions, method)

    def frame(self) -> Any:
        """The table as a pandas DataFrame, one row for each clustering.

        Returns
        -------
        frame : pandas.DataFrame
            The values, with names.
        """
        pd = import_optional("pandas", "frame()", "io")
        return pd.DataFrame(
            self.values, columns=list(self.indices), index=self.clustering_names
        )


def score_table(
    X: ArrayLike,
    ensemble: Ensemble,
    indices: Sequence[str] | None = None,
    *,
    options: Mapping[str, Mapping[str, Any]] | None = None,
    finite: bool = True,
) -> ScoreTable:
    """Score every clustering of an ensemble by several indices.

    What several indices need is computed once for each clustering. Objects that a
    clustering leaves out are left out of its scores; fuzzy clusterings are hardened
    to the largest membership, and clusters that are empty then are dropped.

    Parameters
    ----------
    X : array-like of shape (n_objects, n_features)
        The data.

    ensemble : Ensemble
        The clusterings.

    indices : sequence of str, default=None
        Names of indices; by default the exact ones that are functions of one
        clustering, which is all but ``hartigan`` and ``krzanowski_lai``.

    options : dict of str to dict, default=None
        Keyword arguments of indices, by name: ``{"silhouette": {"sample_size": 1000,
        "random_state": 0}}``. An array of shape (n_clusterings,) has one value for each
        clustering: ``{"hartigan": {"sse_next": [...]}}``.

    finite : bool, default=True
        Replace infinite values, such as a Dunn index without any diameter, by the
        largest finite value of the index in this ensemble.

    Returns
    -------
    table : ScoreTable
        With ``values``, ``indices`` and ``frame()``. NaN means that an index is not
        defined for a clustering, mostly because it has a single cluster; the indices
        say when.

    Notes
    -----
    The weight of the scatter in ``sd`` is taken from the clustering with the most
    clusters, the first of several.

    Examples
    --------
    >>> from comitia import Ensemble
    >>> from comitia.validity import score_table
    >>> X = [[0], [1], [2], [10], [11], [12]]
    >>> E = Ensemble([[0, 0], [0, 0], [0, 1], [1, 1], [1, 2], [1, 2]])
    >>> score_table(X, E, ["dunn", "sse", "calinski_harabasz"]).values
    array([[4.00e+00, 4.00e+00, 1.50e+02],
           [1.25e-01, 3.30e+01, 5.50e+00]])
    """
    rows = matching_rows(ensemble, X, ("ensemble", "X"))
    data = in_order(check_data(X), rows)
    if len(data) != ensemble.n_objects:
        raise ComitiaError(
            f"X has {len(data)} rows and ensemble has {ensemble.n_objects} objects; "
            "they must be the same objects in the same order."
        )
    k = ensemble.n_clusters_each
    names = _names(indices, options)
    chosen = [get_index(name) for name in names]
    given = {name: dict((options or {}).get(name, {})) for name in names}
    if "sd" in given and "scatter_weight" not in given["sd"]:
        most = int(np.argmax(k))
        given["sd"]["scatter_weight"] = lack_of_separation(
            Clustered.from_codes(data, ensemble.codes[most], k[most])
        )
    values = np.empty((ensemble.n_clusterings, len(names)))
    same = SameData(data)
    for m in range(ensemble.n_clusterings):
        clustered = Clustered.from_codes(data, ensemble.codes[m], k[m], same)
        for column, index in enumerate(chosen):
            arguments = {
                key: value[m] if np.ndim(value) == 1 else value
                for key, value in given[index.name].items()
            }
            values[m, column] = index.function(clustered, **arguments)
    if finite:
        values = finite_scores(values)
    return ScoreTable(values, names, ensemble.clustering_names)


def _names(
    indices: Sequence[str] | None, options: Mapping[str, Mapping[str, Any]] | None
) -> tuple[str, ...]:
    if indices is None:
        names = tuple(
            name
            for name, index in INDICES.items()
            if not index.stands_for
            and set(index.needs) <= set((options or {}).get(name, {}))
        )
    else:
        names = (indices,) if isinstance(indices, str) else tuple(indices)
    if not names:
        raise ComitiaError("indices is empty; name at least one validity index.")
    for name in names:
        missing = set(get_index(name).needs) - set((options or {}).get(name, {}))
        if missing:
            wanted = sorted(missing)[0]
            raise ComitiaError(
                f"{name} compares a clustering with its neighbours in k; give "
                f"options={{{name!r}: {{{wanted!r}: [...]}}}}, one value for each "
                "clustering, or leave it out."
            )
    unused = set(options or {}) - set(names)
    if unused:
        raise ComitiaError(f"options names {sorted(unused)[0]!r}, not one of indices.")
    return names
