"""Bob-Hic."""

from functools import partial
from numbers import Real

import numpy as np

from comitia._sklearn import Interval, StrOptions
from comitia.catalogue import MethodCard
from comitia.cluster.dissimilarity import closest_rows
from comitia.config import require_memory
from comitia.generate.base import Made
from comitia.generate.boosting import BoostingGenerator
from comitia.generate.boosting_rounds import draw_objects
from comitia.generate.estimators import NearestObject
from comitia.methods._boosted import BoostedMethod
from comitia.partition import cut, extended_cophenetic, hac, row_correlations

__all__ = ["BobHic", "aggregate_trees", "by_faithfulness", "tree_round"]


def tree_round(X, drawn, weights, rng, *, n_clusters, linkage="average"):
    """Grow a tree on the objects that were drawn; put the others next to them.

    Parameters
    ----------
    X : ndarray of shape (n_objects, n_features)
        The data.

    drawn : Sample
        The objects of the tree.

    weights : ndarray of shape (n_objects,)
        Not used.

    rng : RandomState
        Not used.

    n_clusters : int
        Number of clusters that the tree is cut into.

    linkage : {"average", "single", "complete", "ward"}, default="average"
        How the tree is built.

    Returns
    -------
    made : Made
        The clusters, and in ``state`` the ``"tree"``, the leaf ``"nearest"`` to each
        object and the distance, ``"gap"``, to it.
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


def aggregate_trees(X, made, rounds, *, variant="mean"):
    """Aggregate the trees so far, and see how faithful they are to each object.

    Parameters
    ----------
    X : ndarray of shape (n_objects, n_features)
        The data.

    made : Round
        The new round, of :func:`tree_round`.

    rounds : list of Round
        The earlier rounds; the last of them hands its ``"aggregate"`` on.

    variant : {"mean", "max", "closure"}, default="mean"
        Mean or largest of the cophenetic distances; "closure" is a mean, too.

    Returns
    -------
    measures : dict
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


def by_faithfulness(weights, rounds):
    r"""Weigh objects by how badly the trees so far keep their distances.

    Parameters
    ----------
    weights : ndarray of shape (n_objects,)
        Not used: the weights do not depend on the last ones.

    rounds : list of Round
        The rounds, measured by :func:`aggregate_trees`.

    Returns
    -------
    weights : ndarray of shape (n_objects,)
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
    n_clusters : int, default=None
        Number of clusters. ``None`` cuts the tree at its longest lifetime.

    n_rounds : int, default=20
        Number of trees.

    object_fraction : float, default=0.7
        Share of the objects that a round draws, without replacement.

    linkage : {"average", "single", "complete", "ward"}, default="average"
        How the trees of the rounds are built.

    variant : {"mean", "max", "closure"}, default="mean"
        How trees are combined: average linkage on the mean of their cophenetic
        distances; the largest of these, which is the height of a tree already; or the
        min-transitive closure of the mean, which is single linkage on it.

    random_state : int, RandomState instance or None, default=None
        Seed of the samples.

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
        **BoostedMethod._parameter_constraints,
        "object_fraction": [Interval(Real, 0, 1, closed="right")],
        "linkage": [StrOptions({"average", "single", "complete", "ward"})],
        "variant": [StrOptions({"mean", "max", "closure"})],
    }

    def __init__(
        self,
        n_clusters=None,
        *,
        n_rounds=20,
        object_fraction=0.7,
        linkage="average",
        variant="mean",
        random_state=None,
    ):
        self.n_clusters = n_clusters
        self.n_rounds = n_rounds
        self.object_fraction = object_fraction
        self.linkage = linkage
        self.variant = variant
        self.random_state = random_state

    def _boosting(self, X, n_clusters):
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

    def _combine(self, ensemble, X, rng):
        self.object_weights_ = self.generator_.weights_
        aggregate = self.generator_.rounds_[-1].measures.pop("aggregate")
        rule = "single" if self.variant == "closure" else "average"
        self.linkage_ = hac(aggregate, rule)
        return cut(self.linkage_, self.n_clusters)
