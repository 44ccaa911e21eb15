"""The consensus hierarchies of R's clue."""

from __future__ import annotations

from numbers import Real
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from comitia._sklearn import Interval, StrOptions
from comitia.base import EnsembleMethod
from comitia.catalogue import MethodCard
from comitia.config import require_memory
from comitia.ensemble import Ensemble
from comitia.methods._dendrograms import read_dendrograms
from comitia.methods._loops import keep_run
from comitia.methods._types import Array, Data, Rng, Seed
from comitia.methods.baselines._clue_hierarchies_trees import (
    TreeProblem,
    class_shares,
    supports,
)
from comitia.methods.baselines._ultrametric_fit import fit_ultrametric
from comitia.optimize.ties import lowest_run
from comitia.partition import cut
from comitia.weigh.clusterings import given_weights

__all__ = ["ClueHierarchies"]

Floats = NDArray[np.float64]

# Weights that add up to a share of 1 but for rounding.
_ROUNDING = 1e-9


class ClueHierarchies(EnsembleMethod):
    r"""Consensus hierarchies of the R package clue.

    Trees instead of clusterings: the tree with the smallest weighted distance to all
    of them, or the classes that most of them have [1]_.

    Parameters
    ----------
    n_clusters : int, default=None
        Number of clusters. ``None`` cuts each tree at its longest lifetime.

    variant : {"euclidean", "manhattan", "majority"}, default="euclidean"
        Minimise squared or absolute differences of the heights at which objects meet;
        or keep the classes that trees with more than a share of the weight have.

    clustering_weights : array-like of shape (n_clusterings,), default=None
        Weight of each clustering, here of each tree, :math:`w_m`; equal by default.

    threshold : float, default=0.5
        Share of the weight that a class has to exceed in ``"majority"``, from a half to
        1; with 1 it has to be in all trees.

    n_init : int, default=10
        Number of starts; the best one is kept. The first is average linkage of the mean
        heights, the others of the same with noise.

    max_iter : int, default=100
        Most rounds of each start.

    random_state : int, RandomState instance or None, default=None
        Seed of the starts.

    Attributes
    ----------
    linkage_ : ndarray of shape (n_objects - 1, 4)
        The consensus tree, in SciPy form.

    supports_ : ndarray of shape (n_objects - 1,)
        Share of the weight of the trees that have the class of each merge, in which
        nothing else is as near to each other.

    clustering_weights_ : ndarray of shape (n_clusterings,)
        Weight of each tree; they sum to 1.

    objective_ : ndarray of shape (n_iter_ + 1,)
        The objective at the start and after each round; of ``"majority"`` the squared
        differences.

    n_iter_ : int
        Number of rounds.

    converged_ : bool
        Whether the last round changed nothing.

    ensemble_ : Ensemble
        The clusterings that the given trees are cut into.

    Notes
    -----
    :meth:`fit` takes a list of dendrograms of the same objects, as SciPy's ``linkage``
    returns them, or of scikit-learn's ``AgglomerativeClustering`` fitted with
    ``compute_distances=True``. Two objects meet at the heights :math:`d^m_{ij}` of the
    trees and :math:`u_{ij}` of the consensus, an ultrametric:

    .. math::
        \min_u \sum_m w_m \sum_{i < j} (d^m_{ij} - u_{ij})^2 \qquad \text{or} \qquad
        \min_u \sum_m w_m \sum_{i < j} |d^m_{ij} - u_{ij}| .

    The first is the ultrametric nearest to the mean of the :math:`d^m`. Both are
    NP-hard; clue follows a penalty on what is no ultrametric. Here each subtree in turn
    is moved to where it costs least, and then the heights of the tree are the best ones
    that no parent is below. On the trees of ``benchmarks/results/clue_trees.csv`` no
    objective is above clue's by more than a millionth, and many are below it.

    Heights count as they are given, as in clue: trees on other scales want other
    weights, or to be divided by their height. ``"majority"`` has the classes of clue,
    which gives them their depth as heights; here they are the best for squares, and
    where a class has more than two parts, average linkage says which to cut first.

    Memory and time grow with :math:`n^2` for squares: 1 000 objects take 3 s of one
    core for each start. Absolute differences keep all :math:`M n^2` heights, and 300
    objects in 6 trees take 7 s. The code of clue was read, and nothing of it taken.

    References
    ----------
    .. [1] K. Hornik, "A CLUE for CLUster Ensembles", J. Stat. Software 14(12), 2005.
       :doi:`10.18637/jss.v014.i12`

    Examples
    --------
    >>> from comitia import method
    >>> trees = [
    ...     [[0, 1, 1, 2], [2, 3, 2, 2], [4, 5, 4, 4]],
    ...     [[0, 1, 1, 2], [2, 3, 3, 2], [4, 5, 6, 4]],
    ...     [[0, 1, 1, 2], [2, 4, 2, 3], [3, 5, 5, 4]],
    ... ]
    >>> fitted = method("clue_hierarchies")(n_clusters=2, random_state=0).fit(trees)
    >>> fitted.labels_
    array([0, 0, 1, 1], dtype=int32)
    >>> fitted.supports_.round(2)
    array([1.  , 0.67, 1.  ])
    """

    card = MethodCard(
        id="clue_hierarchies",
        source="after",
        weighs="clusterings",
        weighs_how="by clustering_weights; all the same by default",
        approach="baseline",
        needs="dendrograms",
        scales="quadratic",
        quick={"n_init": 2},
    )

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "variant": [StrOptions({"euclidean", "manhattan", "majority"})],
        "threshold": [Interval(Real, 0.5, 1, closed="both")],
    }

    def __init__(
        self,
        n_clusters: int | None = None,
        *,
        variant: str = "euclidean",
        clustering_weights: Any = None,
        threshold: float = 0.5,
        n_init: int = 10,
        max_iter: int = 100,
        random_state: Seed = None,
    ) -> None:
        self.n_clusters = n_clusters
        self.variant = variant
        self.clustering_weights = clustering_weights
        self.threshold = threshold
        self.n_init = n_init
        self.max_iter = max_iter
        self.random_state = random_state

    def _check_data(self, X: Data) -> list[Any]:
        return read_dendrograms(X)

    def _default_generator(self) -> Any:
        return None

    def _generate(self, X: Data, rng: Rng) -> Ensemble:
        self._check_n_clusters(len(X[0]) + 1)
        return Ensemble(np.column_stack([cut(tree, self.n_clusters) for tree in X]))

    def _combine(self, ensemble: Ensemble, X: Data, rng: Rng) -> Array:
        trees = read_dendrograms(X)
        self.clustering_weights_ = weights = given_weights(
            self.clustering_weights, len(trees)
        )
        M, n = len(trees), len(trees[0]) + 1
        absolute = self.variant == "manhattan"
        # Sums of heights and squares, sorted and not; the classes, a bit an object.
        require_memory(
            8 * n * n * (8 + (M + 1) * absolute) + M * n * n // 8,
            f"the heights of {M} trees of {n} objects",
            'use variant="euclidean"' if absolute else "cut the trees, and use lwgp",
        )
        shares = class_shares(trees, weights)
        problem = TreeProblem.of(trees, weights, absolute=absolute)
        if self.variant == "majority":
            least = min(self.threshold + _ROUNDING, 1.0 - _ROUNDING)
            kept = [own for own, share in shares.items() if share > least]
            best = problem.with_classes(kept)
        else:
            starts = problem.starts(self.n_init, rng)
            runs = [fit_ultrametric(problem.loss, Z, self.max_iter) for Z in starts]
            best = lowest_run(runs, lambda run: run.objective[-1])
        keep_run(self, best, "rounds", "max_iter")
        self.linkage_ = problem.with_given_names(best.linkage)
        self.supports_ = supports(self.linkage_, shares)
        return cut(self.linkage_, self.n_clusters)
