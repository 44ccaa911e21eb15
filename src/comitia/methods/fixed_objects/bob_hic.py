"""Bob-Hic."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from comitia._sklearn import StrOptions
from comitia.catalogue import MethodCard
from comitia.cluster.dissimilarity import closest_rows
from comitia.config import require_memory
from comitia.exceptions import ComitiaError
from comitia.generate.boosting import BoostingGenerator
from comitia.generate.boosting_rounds import draw_objects
from comitia.generate.member import Made
from comitia.generate.nearest_models import NearestObject
from comitia.methods._boosted import BoostedMethod
from comitia.methods._types import Array, Data, Ensemble, Linkage, Rng, Seed
from comitia.partition import cophenetic, cut, hac

__all__ = ["BobHic"]


def tree_round(
    X: Array,
    drawn: Any,
    weights: Array,
    rng: Rng,
    *,
    n_clusters: int,
    linkage: Linkage = "average",
) -> Any:
    """Grow a tree on the objects that were drawn; put the others next to them.

    The clusters, and in ``state`` the ``"tree"``, the leaf ``"nearest"`` to each object
    and the distance, ``"gap"``, to it.
    """
    from scipy.spatial.distance import pdist

    rows = drawn.rows
    tree = hac(pdist(X[rows]), linkage)
    nearest = closest_rows(X, X[rows])
    nearest[rows] = np.arange(len(rows))
    gap = np.sqrt(((X - X[rows][nearest]) ** 2).sum(axis=1))
    labels = cut(tree, min(n_clusters, len(rows)))
    return Made(
        labels[nearest],
        model=NearestObject(X[rows], labels),
        state={"tree": tree, "nearest": nearest, "gap": gap},
    )


def aggregate_trees(
    X: Array, made: Any, rounds: list[Any], *, variant: str = "mean"
) -> dict[str, Any]:
    """Aggregate the trees so far, and see how faithful they are to each object.

    The aggregated distances, condensed, as ``"aggregate"``, and the correlation
    ``"rho"`` of each object's row of them with that of the Euclidean distances.
    """
    from scipy.spatial.distance import pdist

    state = made.state
    D = extended_cophenetic(state["tree"], state["nearest"], state["gap"])
    if rounds:
        before = rounds[-1].measures.pop("aggregate")
        t = len(rounds)
        D = np.maximum(before, D) if variant == "max" else (t * before + D) / (t + 1)
    rho = row_correlations(pdist(X), D) if len(D) else np.zeros(1)
    return {"aggregate": D, "rho": rho}


def by_faithfulness(weights: Array, rounds: list[Any]) -> Array:
    r"""Weigh objects by how badly the trees so far keep their distances.

    Proportional to :math:`1 - |\rho_i|`; they sum to one.
    """
    # The floor lets every object be drawn; if all are at the floor, all are equal.
    raw = np.maximum(1.0 - np.abs(rounds[-1].measures["rho"]), 1e-9)
    return raw / raw.sum()


class BobHic(BoostedMethod):
    r"""Boosting-based hierarchical clustering ensemble.

    Trees are grown on samples in which the objects are more likely whose distances the
    earlier trees distort; the mean of their cophenetic distances is made a tree [1]_.

    Parameters
    ----------
    n_clusters : shared

    n_rounds : int, default=20
        Number of clusterings, each a tree.

    object_fraction : float, default=0.7
        Share of the objects that a round draws, without replacement.

    linkage : {"single", "complete", "average", "ward"}, default="average"
        Distance of two clusters in the trees of the rounds.

    variant : {"mean", "max", "closure"}, default="mean"
        How trees are combined: average linkage on the mean of their cophenetic
        distances; the largest of these, which is the height of a tree already; or the
        min-transitive closure of the mean, which is single linkage on it.

    random_state : int, RandomState instance or None, default=None
        Seed of the clusterings.

    Attributes
    ----------
    linkage_ : ndarray of shape (n_objects - 1, 4)
        The dendrogram, in SciPy form; its heights are an ultrametric.

    object_weights_ : ndarray of shape (n_objects,)
        Probability of each object to be drawn after the last round; they sum to 1.

    Notes
    -----
    With :math:`\rho_i` the correlation of row i of the Euclidean distances and of the
    aggregated cophenetic distances, without the diagonal,

    .. math::
        w_i \propto 1 - |\rho_i| .

    A constant row has :math:`\rho_i = 0`. If the distances are an ultrametric, trees
    reproduce them, and the weights are uniform.

    An object outside the sample is put next to its nearest object s in the sample, at
    the height of their distance: it meets others at the larger of that distance and the
    height of s. Which combination the paper uses is not said in the review; the mean is
    the default. The members of the ensemble are cuts of the trees into as many clusters
    as asked for, or by the eigengap of plain k-means clusterings; they serve
    :meth:`predict` and do not enter the result.

    References
    ----------
    .. [1] E. Rashedi and A. Mirzaei, "A hierarchical clusterer ensemble method based on
       boosting theory", Knowledge-Based Systems 45, 2013.
       :doi:`10.1016/j.knosys.2013.02.009`

    Examples
    --------
    >>> from comitia import method
    >>> X = [[0.0], [0.1], [0.2], [5.0], [5.1], [5.2]]
    >>> method("bob_hic")(n_clusters=2, random_state=0).fit_predict(X)
    array([0, 0, 0, 1, 1, 1], dtype=int32)
    """

    card = MethodCard(
        id="bob_hic",
        weighs="objects",
        approach="fixed",
        needs="data",
        scales="quadratic",
    )

    _parameter_constraints = {
        "variant": [StrOptions({"mean", "max", "closure"})],
    }

    def __init__(
        self,
        n_clusters: int | None = None,
        *,
        n_rounds: int = 20,
        object_fraction: float = 0.7,
        linkage: Linkage = "average",
        variant: str = "mean",
        random_state: Seed = None,
    ) -> None:
        self.n_clusters = n_clusters
        self.n_rounds = n_rounds
        self.object_fraction = object_fraction
        self.linkage = linkage
        self.variant = variant
        self.random_state = random_state

    def _boosting(self, X: Data, n_clusters: int) -> BoostingGenerator:
        # Distances, heights, their sum, and two square tables for the correlations.
        require_memory(
            28 * len(X) ** 2, f"the distances of {len(X)} objects", "use hsce"
        )
        return BoostingGenerator(
            self.n_rounds,
            draw=partial(
                draw_objects, object_fraction=self.object_fraction, replace=False
            ),
            cluster=partial(tree_round, n_clusters=n_clusters, linkage=self.linkage),
            measure=partial(aggregate_trees, variant=self.variant),
            reweight=by_faithfulness,
        )

    def _combine(self, ensemble: Ensemble, X: Data, rng: Rng) -> Array:
        self.object_weights_ = self.generator_.weights_
        last = self.generator_.rounds_[-1].measures
        if "aggregate" in last:  # of the distances of all pairs the tree is kept
            rule: Linkage = "single" if self.variant == "closure" else "average"
            last["linkage"] = hac(last.pop("aggregate"), rule)
        self.linkage_ = last["linkage"]
        return cut(self.linkage_, self._resolve_n_clusters(ensemble))


def extended_cophenetic(
    tree: ArrayLike, nearest: ArrayLike, gap: ArrayLike
) -> NDArray[np.float64]:
    r"""Cophenetic distances of more objects than a tree has.

    An object outside the tree is put next to a leaf, at the height of its distance:

    .. math::
        D_{ij} = \max(C_{s(i) s(j)}, \delta_i, \delta_j),

    with the distances :math:`C` of the tree. It is an ultrametric, as the largest of
    two is.
    """
    from scipy.spatial.distance import squareform

    leaf, delta = np.asarray(nearest), np.asarray(gap, dtype=np.float64)
    n = len(leaf)
    require_memory(
        4 * n * (n - 1),
        f"the cophenetic distances of {n}",
        "use a method that is linear in n, such as lwgp or sec",
    )
    heights = cophenetic(tree)
    inside = squareform(heights, checks=False) if len(heights) else np.zeros((1, 1))
    out = np.empty(n * (n - 1) // 2)
    end = 0
    for i in range(n - 1):
        begin, end = end, end + n - 1 - i
        np.maximum(delta[i + 1 :], delta[i], out=out[begin:end])
        np.maximum(out[begin:end], inside[leaf[i], leaf[i + 1 :]], out=out[begin:end])
    return out


def row_correlations(one: ArrayLike, other: ArrayLike) -> NDArray[np.float64]:
    """Correlation of each row of two distance matrices, without the diagonals."""
    from scipy.spatial.distance import squareform

    a, b = (np.asarray(D, dtype=np.float64) for D in (one, other))
    if a.shape != b.shape or a.ndim != 1 or len(a) == 0:
        raise ComitiaError(
            "one and other must be condensed distances of the same objects, two at "
            f"least; got shapes {a.shape} and {b.shape}."
        )
    # About the mean the sums of squares lose little to rounding; the diagonals are 0.
    A, B = squareform(a - a.mean()), squareform(b - b.mean())
    m = len(A) - 1
    sum_a, sum_b = A.sum(axis=1), B.sum(axis=1)
    square_a, square_b = (A * A).sum(axis=1), (B * B).sum(axis=1)
    var_a, var_b = square_a - sum_a**2 / m, square_b - sum_b**2 / m
    varies = (var_a > 1e-12 * square_a) & (var_b > 1e-12 * square_b)
    covariance = (A * B).sum(axis=1) - sum_a * sum_b / m
    rho = np.zeros(len(A))
    rho[varies] = covariance[varies] / np.sqrt(var_a[varies] * var_b[varies])
    return np.clip(rho, -1.0, 1.0)
