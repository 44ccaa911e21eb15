"""Regression trees, weighted by how well they predict the features."""

from numbers import Integral, Real
from typing import Any

from comitia._sklearn import Interval, StrOptions
from comitia.base import EnsembleMethod
from comitia.catalogue import MethodCard
from comitia.generate import TreeGenerator
from comitia.methods._loops import keep_run
from comitia.methods._types import Array, Data, Ensemble, Rng, Seed
from comitia.methods.fixed_clusterings._smyth_coomans_2007_kmeans import (
    mean_similarity_kmeans,
)
from comitia.methods.fixed_clusterings._smyth_coomans_2007_stagewise import (
    forward_stagewise,
)
from comitia.represent import ImplicitCoassociation
from comitia.weigh import normalize_weights

__all__ = ["PredictiveTrees"]


class PredictiveTrees(EnsembleMethod):
    r"""Predictive weighted ensembles of multivariate regression trees.

    Each tree predicts all features from a few of them, and its leaves are clusters;
    trees that help to predict the features count, the others do not [1]_.

    Parameters
    ----------
    n_clusters : shared

    n_clusterings : int, default=100
        Number of clusterings, :math:`M`; each is a tree.

    feature_fraction : float or "sqrt", default=0.05
        The share of the features that a tree asks for, at least one of them.

    n_components : int, default=None
        Predict so many components instead of the features, when these are very many.

    reduction : {"pca", "factor_analysis"}, default="pca"
        Which components: the leading principal ones, or the scores of a factor
        analysis, which leaves out what each feature has for itself.

    min_samples_leaf : int, default=5
        Fewest objects in a leaf.

    learning_rate : float, default=0.01
        Length :math:`\varepsilon` of the regression's steps.

    max_iter : int, default=10000
        Most steps of the regression.

    tol : float, default=1e-6
        Stop when a step explains no more than this share of the features' variance.

    n_init : int, default=10
        Number of starts of the consensus, from random partitions.

    random_state : int, RandomState instance or None, default=None
        Seed of the clusterings and of the consensus.

    Attributes
    ----------
    clustering_weights_ : ndarray of shape (n_clusterings,)
        Weight of each tree; many are zero, and they sum to one.

    objective_ : ndarray of shape (n_iter_ + 1,)
        What is left of the squared responses after each step of the regression.

    n_iter_ : int
        Number of steps.

    converged_ : bool
        Whether the regression ended before ``max_iter``.

    Notes
    -----
    With :math:`Y` the centred features and :math:`T_m` the centred predictions of tree
    m, forward stagewise regression starts from :math:`R = Y` and repeats

    .. math::
        m^* = \arg\max_m \frac{\langle R, T_m \rangle}{\|T_m\|}, \qquad
        w_{m^*} \mathrel{+}= \varepsilon
        \frac{\langle R, T_{m^*} \rangle}{\|T_{m^*}\|^2}, \qquad
        R \mathrel{-}= \varepsilon
        \frac{\langle R, T_{m^*} \rangle}{\|T_{m^*}\|^2} \, T_{m^*} .

    The consensus moves each object to the cluster with the largest mean of
    :math:`[B W B']_{ij}` over its other objects, from random partitions, until none
    moves.

    Neither the step length, the number of steps, the size of the trees nor the
    similarity-based k-means are given by the review; the forms above are the textbook
    ones. The most leaves of a tree are drawn from 2 to :math:`\sqrt{n}`: full-grown
    trees on the same feature have the same leaves, and leave open which of them belong
    together. Only positive steps are taken: a negative weight would make the similarity
    meaningless.

    References
    ----------
    .. [1] C. Smyth and D. Coomans, "Clustering microarrays with predictive weighted
       ensembles", IEEE CIBCB, 2007. :doi:`10.1109/CIBCB.2007.4221210`

    Examples
    --------
    >>> from comitia import method
    >>> X = [[0.0], [1.0], [2.0], [10.0], [11.0], [12.0]]
    >>> trees = method("smyth_coomans_2007")(
    ...     n_clusters=2, n_clusterings=5, min_samples_leaf=3, random_state=0
    ... )
    >>> trees.fit_predict(X)
    array([0, 0, 0, 1, 1, 1], dtype=int32)
    """

    card = MethodCard(
        id="smyth_coomans_2007",
        weighs="clusterings",
        approach="fixed",
        needs="data",
        scales="linear",
        quick={"n_clusterings": 15, "feature_fraction": 0.5},
        exempt={
            "data_alone": "trees need several features to disagree; its data have two"
        },
    )

    _parameter_constraints = {
        "feature_fraction": [
            Interval(Real, 0, 1, closed="right"),
            StrOptions({"sqrt"}),
        ],
        "n_components": [Interval(Integral, 1, None, closed="left"), None],
        "reduction": [StrOptions({"pca", "factor_analysis"})],
        "min_samples_leaf": [Interval(Integral, 1, None, closed="left")],
        "learning_rate": [Interval(Real, 0, 1, closed="right")],
    }

    def __init__(
        self,
        n_clusters: int | None = None,
        *,
        n_clusterings: int = 100,
        feature_fraction: float | str = 0.05,
        n_components: int | None = None,
        reduction: str = "pca",
        min_samples_leaf: int = 5,
        learning_rate: float = 0.01,
        max_iter: int = 10_000,
        tol: float = 1e-6,
        n_init: int = 10,
        random_state: Seed = None,
    ) -> None:
        self.n_clusters = n_clusters
        self.n_clusterings = n_clusterings
        self.feature_fraction = feature_fraction
        self.n_components = n_components
        self.reduction = reduction
        self.min_samples_leaf = min_samples_leaf
        self.learning_rate = learning_rate
        self.max_iter = max_iter
        self.tol = tol
        self.n_init = n_init
        self.random_state = random_state

    def _default_generator(self) -> Any:
        return TreeGenerator(
            self.n_clusterings,
            feature_fraction=self.feature_fraction,
            n_components=self.n_components,
            reduction=self.reduction,
            min_samples_leaf=self.min_samples_leaf,
        )

    def _combine(self, ensemble: Ensemble, X: Data, rng: Rng) -> Array:
        T = self.generator_.predict_responses(X)
        fit = forward_stagewise(
            self.generator_.responses_,
            T - T.mean(axis=1, keepdims=True),
            step=self.learning_rate,
            max_iter=self.max_iter,
            tol=self.tol,
        )
        keep_run(self, fit, "steps", "max_iter, tol or learning_rate")
        self.clustering_weights_ = normalize_weights(fit.weights)
        weights = {"clustering_weights": self.clustering_weights_}
        n_clusters = self._resolve_n_clusters(ensemble, **weights)
        S = ImplicitCoassociation(ensemble, **weights)
        return mean_similarity_kmeans(S, n_clusters, rng, n_init=self.n_init)
