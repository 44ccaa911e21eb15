"""Selection of dendrograms."""

from typing import Any

import numpy as np

from comitia._sklearn import StrOptions
from comitia.catalogue import MethodCard
from comitia.cluster import around_medoids
from comitia.config import require_memory
from comitia.ensemble import Ensemble
from comitia.methods._dendrograms import read_dendrograms
from comitia.methods._types import Array, Data, Linkage, Rng, Seed
from comitia.methods.selection._base import SelectionMethod, mask_of
from comitia.partition import cophenetic, cut, hac
from comitia.select import greedy_diverse, top

__all__ = ["DendrogramSelection"]


class DendrogramSelection(SelectionMethod):
    r"""Dendrogram selection for hierarchical ensemble clustering.

    Trees instead of clusterings: some that speak for the others, or that differ from
    each other, are kept, and their mean is turned into one tree [1]_.

    Parameters
    ----------
    n_clusters : int, default=None
        Number of clusters. ``None`` cuts each tree at its longest lifetime.

    n_select : int, default=None
        How many trees are kept; half of them by default.

    variant : {"medoids", "farthest"}, default="medoids"
        Keep the medoids of groups of similar trees; or begin with the most central tree
        and go on with that farthest from all that were kept.

    metric : {"euclidean", "cityblock"}, default="euclidean"
        The distance of two trees: the Frobenius norm of the difference of their
        cophenetic matrices, or the sum of the absolute differences.

    linkage : {"average", "single", "complete"}, default="average"
        Distance of two clusters in the tree that the mean cophenetic matrix becomes.
        ``"single"`` gives the largest ultrametric below it.

    random_state : int, RandomState instance or None, default=None
        Not used: nothing is random.

    Attributes
    ----------
    linkage_ : ndarray of shape (n_objects - 1, 4)
        The tree that the trees kept agree on, in SciPy form; its heights are those of
        trees of height 1.

    selected_ : ndarray of bool of shape (n_clusterings,)
        Which trees were kept.

    clustering_weights_ : ndarray of shape (n_clusterings,)
        Mean distance of each tree from the others; small for the more central.

    tree_distances_ : ndarray of shape (n_clusterings, n_clusterings)
        Distance of each two trees.

    ensemble_ : Ensemble
        The clusterings that the given trees are cut into.

    Notes
    -----
    :meth:`fit` takes a list of dendrograms of the same objects, as SciPy's ``linkage``
    returns them, or of scikit-learn's ``AgglomerativeClustering`` fitted with
    ``compute_distances=True``. With the cophenetic matrices :math:`D^m`, in which
    :math:`D^m_{ij}` is the height at which objects i and j meet, divided by the height
    of the tree, the distance of two trees is

    .. math::
        d_{ml} = \lVert D^m - D^l \rVert_F \quad \text{or} \quad
        \sum_{ij} | D^m_{ij} - D^l_{ij} | .

    "farthest" starts with :math:`\arg\min_m \sum_l d_{ml}`, which is kept itself, and
    adds :math:`\arg\max_m \min_{l \in P} d_{ml}` to the set P of those kept, the lowest
    index of equals. The mean of the :math:`D^m` kept is in general no ultrametric;
    linkage makes one of it, and its tree is the result.

    The review does not say which distances of trees, nor in what sense the k-medoids of
    the paper is modified: it is plain k-medoids here. It also stops at the selection;
    what follows is in the spirit of the paper, which fits an ultrametric to aggregated
    distances. How many trees are kept has no default there.

    References
    ----------
    .. [1] L. Zheng, T. Li and C. Ding, "A framework for hierarchical ensemble
       clustering", ACM Trans. Knowledge Discovery from Data 9(2), 2014.
       :doi:`10.1145/2611380`

    Examples
    --------
    >>> from scipy.cluster.hierarchy import linkage
    >>> from comitia import method
    >>> X = [[0.0], [1.0], [10.0], [12.0]]
    >>> trees = [linkage(X, how) for how in ("single", "average", "complete")]
    >>> fitted = method("zheng_2014")(n_clusters=2, n_select=1).fit(trees)
    >>> fitted.selected_
    array([False,  True, False])
    >>> fitted.labels_
    array([0, 0, 1, 1], dtype=int32)
    """

    card = MethodCard(
        id="zheng_2014",
        weighs="clusterings",
        approach="selection",
        needs="dendrograms",
        scales="quadratic",
    )

    _parameter_constraints = {
        "variant": [StrOptions({"medoids", "farthest"})],
        "metric": [StrOptions({"euclidean", "cityblock"})],
        "linkage": [StrOptions({"average", "single", "complete"})],
    }

    def __init__(
        self,
        n_clusters: int | None = None,
        *,
        n_select: int | None = None,
        variant: str = "medoids",
        metric: str = "euclidean",
        linkage: Linkage = "average",
        random_state: Seed = None,
    ) -> None:
        self.n_clusters = n_clusters
        self.n_select = n_select
        self.variant = variant
        self.metric = metric
        self.linkage = linkage
        self.random_state = random_state

    def _check_data(self, X: Data) -> list[Any]:
        return read_dendrograms(X)

    def _default_generator(self) -> Any:
        return None

    def _generate(self, X: Data, rng: Rng) -> Ensemble:
        self._check_n_clusters(len(X[0]) + 1)
        return Ensemble(np.column_stack([cut(tree, self.n_clusters) for tree in X]))

    def _select(self, ensemble: Ensemble, X: Data, rng: Rng) -> Array:
        trees = read_dendrograms(X)
        n_select = self._n_select(ensemble)
        self.tree_distances_ = d = tree_distances(_heights(trees), self.metric)
        total = d.sum(axis=1)
        self.clustering_weights_ = total / max(len(d) - 1, 1)
        if self.variant == "medoids":
            return around_medoids(d, n_select).medoids
        # The farthest from all that were kept is the least alike of them.
        alike = 1.0 - d / max(d.max(), np.finfo(float).tiny)
        medoid = int(top(-total, 1)[0])
        return greedy_diverse(alike, n_select, first=medoid, towards="nearest")

    def _combine(self, ensemble: Ensemble, X: Data, rng: Rng) -> Array:
        chosen = self._select(ensemble, X, rng)
        self.selected_ = mask_of(chosen, len(X))
        kept = [tree for tree, keep in zip(X, self.selected_, strict=True) if keep]
        self.linkage_ = hac(_heights(kept).mean(axis=0), self.linkage)
        return cut(self.linkage_, self.n_clusters)


def _heights(trees: list[Any]) -> Array:
    """Cophenetic distances of each tree, divided by its height, in rows."""
    M, n = len(trees), len(trees[0]) + 1
    require_memory(
        8 * M * n * (n - 1), f"the cophenetic distances of {M} trees of {n} objects"
    )
    return np.array([cophenetic(tree, scale=True) for tree in trees])


def tree_distances(heights: Array, metric: Any = "euclidean") -> Array:
    """Distance of each two trees, by their condensed cophenetic distances."""
    from scipy.spatial.distance import pdist, squareform

    # A pair of objects stands in the matrix twice.
    factor = np.sqrt(2.0) if metric == "euclidean" else 2.0
    return factor * squareform(pdist(heights, metric))
