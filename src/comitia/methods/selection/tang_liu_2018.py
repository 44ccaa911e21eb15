"""Selection and splitting of clusters by their spanning trees."""

from heapq import heapify, heappop, heappush
from numbers import Integral, Real
from typing import Any

import numpy as np
from sklearn.base import clone

from comitia._sklearn import Interval
from comitia.base import EnsembleMethod
from comitia.catalogue import MethodCard
from comitia.config import require_memory
from comitia.ensemble import Ensemble
from comitia.exceptions import ComitiaError
from comitia.methods._types import Array, Data, Maker, Rng, Seed
from comitia.methods.selection._tang_liu_2018_tree import (
    cut_long_edges,
    spanning_tree,
    split_index,
)
from comitia.partition import ncut
from comitia.represent import coassociation

__all__ = ["ClusterSplitting"]

# Share of the co-association in the similarity.
_TRACE = 1e-6


class ClusterSplitting(EnsembleMethod):
    r"""Cluster selection and splitting by minimum spanning trees.

    Large and dense clusters are kept first, those that fall into parts are split along
    the longest edges of their spanning trees, and it ends when every object is in a
    cluster that was kept [1]_.

    Parameters
    ----------
    n_clusters : shared

    threshold : float, default=1.0
        Clusters are split if their split index is so large.

    max_depth : int, default=5
        How often the parts of a cluster may be split again; 0 splits none.

    generator, random_state : shared

    Attributes
    ----------
    selected_ : ndarray of bool of shape (n_clusters of the ensemble,)
        Which clusters were kept, as a whole or in parts.

    cluster_weights_ : ndarray of shape (n_clusters of the ensemble,)
        The quantity of each cluster.

    kept_ : list of ndarray of int
        The objects of each cluster or part that was kept, the first one first.

    kept_weights_ : ndarray of shape (n_kept,)
        The quantity of each of them.

    Notes
    -----
    For the edges :math:`e_1 \le \dots \le e_s` of the minimum spanning tree of a
    cluster C, :math:`s = |C| - 1`,

    .. math::
        \operatorname{quantity}(C) = \frac{|C|}{e_s}, \qquad
        \operatorname{split}(C) = \frac{e_{t+1} - e_t}{e_t} \cdot
        \frac{e_{t+1} - \bar e}{\bar e}, \qquad
        t = \arg\max_u \frac{e_{u+1} - e_u}{e_u} .

    The cluster of the largest quantity is taken out of the pool of all clusters. It is
    kept if its split index is below the threshold; otherwise all edges from
    :math:`e_{t+1}` on are cut, and the parts are put into the pool. The similarity of
    two objects is the largest quantity of a cluster kept that has both, 0 if there is
    none, and spectral clustering of it is the result.

    Threshold and depth are not given; ours. The review prints a maximum over
    :math:`e_{t+1}` where the edge :math:`e_{t+1}` is meant. That all longer edges are
    cut with it is ours too: otherwise the longest would remain.

    What was kept may fall into more pieces than there are clusters, between which all
    similarities are 0, and nothing says which pieces belong together. Here objects
    without a kept cluster in common have a trace of their co-association instead, a
    millionth of the smallest quantity kept.

    A cluster of one object has no tree; its quantity is one over the longest edge of
    all trees. One of two has the split index 0. Objects in the same place are joined
    by edges of length 0, which would make the quantity infinite, and the jump from
    them to the next edge infinitely large, so that no other was ever found. Such edges
    count as long as the shortest other edge of all trees.

    References
    ----------
    .. [1] Y. Tang and X. Liu, "A clustering ensemble method based on cluster selection
       and cluster splitting", ICMLC 2018. :doi:`10.1145/3195106.3195108`

    Examples
    --------
    >>> from comitia import Ensemble, method
    >>> X = [[0.0], [1.0], [2.0], [10.0], [11.0], [12.0]]
    >>> votes = Ensemble([[0], [0], [0], [0], [0], [0]])
    >>> fitted = method("tang_liu_2018")(n_clusters=2, random_state=0)
    >>> fitted.fit(X, ensemble=votes).labels_
    array([0, 0, 0, 1, 1, 1], dtype=int32)
    >>> fitted.cluster_weights_
    array([0.75])
    >>> fitted.kept_weights_
    array([3., 3.])
    """

    card = MethodCard(
        id="tang_liu_2018",
        weighs="clusters",
        approach="selection",
        needs=("labels", "data"),
        missing="pairs",
        scales="quadratic",
        exempt={
            "drops_junk": "clusters are judged by their shape in the data alone, and "
            "kept until they cover the objects; a cluster of junk covers many",
            "helps": "clusters are kept until they cover the objects once, too few to "
            "outvote what each of them gets wrong",
        },
    )

    _parameter_constraints = {
        "threshold": [Interval(Real, 0, None, closed="left")],
        "max_depth": [Interval(Integral, 0, None, closed="left")],
    }

    def __init__(
        self,
        n_clusters: int | None = None,
        *,
        threshold: float = 1.0,
        max_depth: int = 5,
        generator: Maker = None,
        random_state: Seed = None,
    ) -> None:
        self.n_clusters = n_clusters
        self.threshold = threshold
        self.max_depth = max_depth
        self.generator = generator
        self.random_state = random_state

    def select_clusters(self, ensemble: Ensemble, X: Array) -> Array:
        """Pick the clusters to keep, as a whole or in parts, without combining them.

        Parameters
        ----------
        ensemble : Ensemble
            The clusterings.

        X : array-like of shape (n_objects, n_features)
            The data.

        Returns
        -------
        indices : ndarray of int
            The clusters kept, as they are counted in the columns of
            ``ensemble.membership``.
        """
        self._validate_params()
        if X is None:
            raise ComitiaError(
                f"{type(self).__name__} judges clusters on their data; give X."
            )
        # Quantities are results of a fit; a copy takes those of this selection.
        judge = clone(self)
        judge._judge(ensemble, np.asarray(X, dtype=np.float64))
        return np.flatnonzero(judge.selected_)

    def _combine(self, ensemble: Ensemble, X: Data, rng: Rng) -> Array:
        self._judge(ensemble, X)
        n_clusters = self._resolve_n_clusters(ensemble)
        # Starts are drawn by place: in an order that the data alone determine.
        order = np.lexsort(np.asarray(X).T)
        S = self._similarity(ensemble)
        S = S[np.ix_(order, order)]
        labels = np.empty(len(order), dtype=np.int32)
        labels[order] = ncut(S, n_clusters, rng)
        return labels

    def _judge(self, ensemble: Ensemble, X: Data) -> None:
        """Weigh the clusters, and keep what covers the objects."""
        clusters = objects_of_clusters(ensemble)
        trees = [spanning_tree(X[objects]) for objects in clusters]
        lengths = np.concatenate([tree[:, 2] for tree in trees])
        shortest = lengths[lengths > 0].min(initial=np.inf)
        scale = {
            "shortest": shortest if np.isfinite(shortest) else 1.0,
            "longest": lengths.max(initial=0.0) or 1.0,
        }
        self.cluster_weights_ = np.array([quantity(tree, **scale) for tree in trees])
        self._cover(X, clusters, trees, scale)

    def _cover(
        self, X: Data, clusters: list[Any], trees: list[Any], scale: dict[str, Any]
    ) -> None:
        """Keep clusters and parts of clusters until every object is in one."""
        self.selected_ = np.zeros(len(clusters), dtype=bool)
        self.kept_, weights = [], []
        left = np.ones(len(X), dtype=bool)
        # The largest quantity first; of equals the cluster, then the part, of lowest
        # index. A cluster without objects has nothing to keep.
        pool: list[Any] = [
            (-self.cluster_weights_[c], (c,), trees[c], objects)
            for c, objects in enumerate(clusters)
            if len(objects)
        ]
        heapify(pool)
        while left.any():
            weight, path, tree, objects = heappop(pool)
            index, length = split_index(np.maximum(tree[:, 2], scale["shortest"]))
            if index < self.threshold or len(path) > self.max_depth:
                self.kept_.append(objects)
                weights.append(-weight)
                self.selected_[path[0]] = True
                left[objects] = False
                continue
            parts = cut_long_edges(tree, length)
            for part in range(parts.max() + 1):
                own = objects[parts == part]
                branch = spanning_tree(X[own])
                entry = (-quantity(branch, **scale), (*path, part), branch, own)
                heappush(pool, entry)
        self.kept_weights_ = np.array(weights)

    def _similarity(self, ensemble: Ensemble) -> Array:
        """Largest quantity of a kept cluster that has both objects."""
        n = ensemble.n_objects
        require_memory(16 * n * n, f"the similarity of each two of {n} objects")
        # Decides only between objects that share no cluster that was kept.
        S = coassociation(ensemble, dtype=np.float64)
        S *= _TRACE * self.kept_weights_.min()
        for i in np.argsort(self.kept_weights_, kind="stable"):
            S[np.ix_(self.kept_[i], self.kept_[i])] = self.kept_weights_[i]
        return S

    def vote_weights(self) -> dict[str, Any]:
        """What clusters weigh when objects vote: nothing, if they were not kept.

        Returns
        -------
        weights : dict of str to ndarray
            ``cluster_weights``.
        """
        return {"cluster_weights": self.cluster_weights_ * self.selected_}


def objects_of_clusters(ensemble: Ensemble) -> list[Any]:
    """Objects of each cluster; fuzzy objects are in the one they belong to most."""
    if ensemble.kind == "fuzzy":
        ensemble = Ensemble.from_codes(ensemble.codes, ensemble.n_clusters_each)
    B = ensemble.membership.tocsc()
    return np.split(B.indices, B.indptr[1:-1])


def quantity(tree: Array, *, shortest: float, longest: float) -> float:
    """Number of objects per length of the longest edge of their tree."""
    if len(tree) == 0:
        return 1.0 / longest
    return (len(tree) + 1) / max(tree[-1, 2], shortest)
