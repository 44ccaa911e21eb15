"""PRAr."""

from typing import Any

import numpy as np

from comitia._sklearn import StrOptions
from comitia.base import EnsembleMethod
from comitia.catalogue import MethodCard
from comitia.methods._types import Array, Data, Ensemble, Maker, Rng, Seed
from comitia.methods.baselines.cspa import CSPA
from comitia.methods.fixed_clusterings._prar_features import reduce_features
from comitia.partition import cut, ensemble_linkage
from comitia.select import robust_rank
from comitia.validity import INDICES, score_table, unify
from comitia.weigh import entropy_relevance, maximum_relevance, normalize_weights

__all__ = ["PRAr"]


class PRAr(EnsembleMethod):
    r"""Partition relevance analysis with a reduction step.

    A committee of validity indices judges the clusterings; indices that say little or
    the same as others are left out, and what the rest say is a clustering's weight
    [1]_.

    Parameters
    ----------
    n_clusters : shared

    indices : list of str, default=None
        Names of indices of :mod:`comitia.validity`; all that are functions of one
        clustering and say which is better by default.

    unification : {"minmax", "range", "prob", "rank"}, default="range"
        How index values come to one scale, as for :func:`comitia.validity.unify`.

    reduction : str, default="spectral"
        How the table is reduced: ``"none"``; selection of columns by ``"laplacian"``
        score, by ``"spectral"`` score or as medoids (``"kmedoids"``); or new columns,
        the means of groups of them (``"kmeans"``) or principal components (``"pca"``).

    n_select : int, default=None
        How many columns the reduction leaves; by default as many as principal
        components explain 95 % of the variance.

    aggregation : {"mean", "min", "entropy", "maximum", "robust"}, default="mean"
        What becomes of the values of a clustering: their mean or least; the sum of
        their nearness to the mean of all (``"entropy"``, as in ``vega_pons_2008``) or
        to the best (``"maximum"``, as in ``wpck``); or robust rank aggregation.

    consensus : {"average", "single", "complete", "ward", "cspa"}, default="average"
        A linkage of the weighted co-association, or CSPA. The paper has single linkage
        and CSPA among others.

    generator, random_state : shared

    Attributes
    ----------
    relevance_ : ndarray of shape (n_clusterings, n_kept)
        The reduced table.

    indices_ : list of str
        The indices that were kept, or of which the new columns were made.

    clustering_weights_ : shared

    linkage_ : ndarray of shape (n_objects - 1, 4)
        The dendrogram, in SciPy form, if the consensus is a linkage.

    Notes
    -----
    J indices give a table V (M x J), which is unified column by column to U, reduced to
    R and aggregated row by row to weights w; the consensus is drawn from

    .. math::
        S = \frac{1}{M} B W B'.

    The factor 1/M changes nothing. The experiments compare combinations and the review
    names none, so the defaults are ours; the authors' worked example has ``"range"``,
    ``"kmedoids"``, ``"mean"`` and ``"single"``. Single linkage follows chains of
    objects that a few clusterings got wrong, hence our ``"average"``. For ``n_select``
    the authors estimate the intrinsic dimension of U.

    Indices that are the same for all clusterings say nothing and are left out at once;
    when all are, the clusterings weigh the same. New columns are unified anew, as the
    authors do. The sign of a principal component is arbitrary: each is turned so that
    it grows with the mean of all indices, and brought to [0, 1]. The components of
    probabilistic PCA, which the authors use, differ from these by a factor for each
    and are the same after that. Two aggregations ask for values in [0, 1]; ranks are
    brought there by their range. The p-values :math:`\rho` of robust rank aggregation
    are mirrored, :math:`w_m = \min \rho + \max \rho - \rho_m`, as the authors do.

    References
    ----------
    .. [1] N. Ilc, "Weighted cluster ensemble based on partition relevance analysis with
       reduction step", IEEE Access 8, 2020.

    Examples
    --------
    >>> from comitia import Ensemble, method
    >>> X = [[0.0], [1.0], [2.0], [10.0], [11.0], [12.0]]
    >>> votes = Ensemble([[0, 0], [0, 0], [0, 1], [1, 1], [1, 2], [1, 2]])
    >>> judge = method("prar")(n_clusters=2, indices=["silhouette", "dunn"])
    >>> judge.fit_predict(X, ensemble=votes)
    array([0, 0, 0, 1, 1, 1], dtype=int32)
    >>> judge.clustering_weights_
    array([1., 0.])
    """

    card = MethodCard(
        id="prar",
        weighs="clusterings",
        approach="fixed",
        needs=("labels", "data"),
        missing="pairs",
        scales="quadratic",
        exempt={
            "few_labels": "its weights can be 0, and nothing is known of an object "
            "that only such clusterings have."
        },
    )

    _parameter_constraints = {
        "indices": [list, tuple, StrOptions(set(INDICES)), None],
        "reduction": [
            StrOptions({"none", "laplacian", "spectral", "kmedoids", "kmeans", "pca"})
        ],
        "aggregation": [StrOptions({"mean", "min", "entropy", "maximum", "robust"})],
        "consensus": [StrOptions({"average", "single", "complete", "ward", "cspa"})],
    }

    def __init__(
        self,
        n_clusters: int | None = None,
        *,
        indices: Any = None,
        unification: str = "range",
        reduction: str = "spectral",
        n_select: int | None = None,
        aggregation: str = "mean",
        consensus: Any = "average",
        generator: Maker = None,
        random_state: Seed = None,
    ) -> None:
        self.n_clusters = n_clusters
        self.indices = indices
        self.unification = unification
        self.reduction = reduction
        self.n_select = n_select
        self.aggregation = aggregation
        self.consensus = consensus
        self.generator = generator
        self.random_state = random_state

    def _combine(self, ensemble: Ensemble, X: Data, rng: Rng) -> Array:
        self.relevance_ = self._judge(ensemble, X, rng)
        self.clustering_weights_ = normalize_weights(self._aggregate(self.relevance_))
        weights: dict[str, Any] = {"clustering_weights": self.clustering_weights_}
        if self.consensus == "cspa":
            cspa = CSPA(self.n_clusters, random_state=rng, **weights)
            return cspa.fit_predict(ensemble)
        self.linkage_ = ensemble_linkage(ensemble, linkage=self.consensus, **weights)
        return cut(self.linkage_, self._resolve_n_clusters(ensemble))

    def _judge(self, ensemble: Ensemble, X: Data, rng: Rng) -> Array:
        """The table of unified index values, reduced."""
        indices = self.indices
        if indices is None:
            indices = [
                name
                for name, index in INDICES.items()
                if not (index.needs or index.stands_for)
                and index.direction != "property"
            ]
        table = score_table(X, ensemble, indices)
        U = unify(table.values, table.directions, self.unification)
        varies = np.ptp(U, axis=0) > 0
        if not varies.any():
            self.indices_ = []
            return np.ones((len(U), 1))
        names = np.array(table.indices)[varies]
        reduced = reduce_features(U[:, varies], self.reduction, self.n_select, rng)
        if reduced.columns is None:
            self.indices_ = names.tolist()
            return unify(reduced.values, "large", self.unification)
        self.indices_ = names[reduced.columns].tolist()
        return reduced.values

    def _aggregate(self, R: Array) -> Array:
        if self.aggregation == "mean":
            return R.mean(axis=1)
        if self.aggregation == "min":
            return R.min(axis=1)
        if self.aggregation == "robust":
            rho = robust_rank(R)
            return rho.min() + rho.max() - rho
        R = unify(R, "large", "range") if R.max() > 1 else R
        return {"entropy": entropy_relevance, "maximum": maximum_relevance}[
            self.aggregation
        ](R)
