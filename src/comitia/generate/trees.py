"""Regression trees whose leaves are clusters."""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass
from numbers import Integral
from typing import Any, ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import check_is_fitted

from comitia._content_order import ContentOrder
from comitia._sklearn import Interval, StrOptions
from comitia.generate.estimators import n_clusters_range
from comitia.generate.generator import Generator, Plan, draw_seeds
from comitia.generate.member import Made
from comitia.generate.sampling import FeatureMap, FeatureSubset

__all__ = ["TreeGenerator"]


class _Data(NamedTuple):
    """Data and responses as scikit-learn's trees can tell them apart.

    They see float32, and take a variance below 2e-16 for none.
    """

    rows: NDArray[np.float64]  # centred, and of unit size
    responses: NDArray[np.float64]  # the same
    center: NDArray[np.float64]
    scale: float


@dataclass(eq=False, repr=False)
class TreeGenerator(Generator):
    r"""Multivariate regression trees on few features; their leaves are the clusters.

    A tree predicts all features from a random few of them [1]_, so that the objects of
    a leaf are alike in everything while the way to the leaf asks for little.

    Parameters
    ----------
    n_clusterings : int, default=50
        Number of trees, :math:`M`.

    n_clusters : int or (int, int), default=None
        Most leaves of a tree, or the range this is drawn from. ``None`` draws from 2
        to :math:`\sqrt{n}`, at most 50: trees of one size, grown on the same features,
        would not say how their leaves belong together.

    feature_fraction : float or "sqrt", default=0.05
        The share of the features that a tree asks for, at least one of them.

    n_components : int, default=None
        Predict so many components instead of the features, when these are very many.

    reduction : {"pca", "factor_analysis"}, default="pca"
        Which components: the leading principal ones, or the scores of a factor
        analysis, which leaves out what each feature has for itself.

    min_samples_leaf : int, default=5
        Fewest objects in a leaf.

    n_jobs, checkpoint, verbose, random_state : shared

    Attributes
    ----------
    ensemble_ : Ensemble
        The clusterings.

    members_ : list
        The trees, down which new objects go.

    responses_ : ndarray of shape (n_objects, n_responses)
        What the trees predict: the features, or components of them, centred.

    References
    ----------
    .. [1] C. Smyth and D. Coomans, "Clustering microarrays with predictive weighted
       ensembles", IEEE CIBCB, 2007. :doi:`10.1109/CIBCB.2007.4221210`

    Examples
    --------
    >>> from comitia.generate import TreeGenerator
    >>> X = [[0.0], [1.0], [2.0], [10.0], [11.0], [12.0]]
    >>> trees = TreeGenerator(1, n_clusters=2, min_samples_leaf=1, random_state=0)
    >>> trees.fit_transform(X).ravel()
    array([0, 0, 0, 1, 1, 1], dtype=int32)
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "n_components": [Interval(Integral, 1, None, closed="left"), None],
        "reduction": [StrOptions({"pca", "factor_analysis"})],
        "min_samples_leaf": [Interval(Integral, 1, None, closed="left")],
    }

    n_clusterings: int | str = 50
    _: KW_ONLY
    n_clusters: Any = None
    feature_fraction: float | str = 0.05
    n_components: int | None = None
    reduction: str = "pca"
    min_samples_leaf: int = 5
    n_jobs: int | None = None
    checkpoint: Any = None
    verbose: Any = False
    random_state: Any = None

    def predict_responses(self, X: Any) -> NDArray[np.float64]:
        r"""What each tree predicts.

        Parameters
        ----------
        X : array-like of shape (n, n_features)
            Objects.

        Returns
        -------
        predictions : ndarray of shape (n_clusterings, n, n_responses)
            The predictions :math:`T_m`: the mean response of an object's leaf.
        """
        check_is_fitted(self)
        X = self.check_data(X, reset=False)
        return np.stack([member.model.predict_responses(X) for member in self.members_])

    def plan(self, X: NDArray[Any], rng: np.random.RandomState) -> list[Plan]:
        M = int(self.n_clusterings)
        few, most = n_clusters_range(self.n_clusters, len(X))
        sizes = rng.randint(few, most + 1, size=M).tolist()
        return [
            {"n_leaves": size, "seed": seed}
            for size, seed in zip(sizes, draw_seeds(M, rng), strict=True)
        ]

    def prepare(self, X: NDArray[Any]) -> _Data:
        center = X.mean(axis=0)
        Y = X - center
        scale = float(np.abs(Y).max()) or 1.0
        Z = Y / scale
        if self.n_components is not None and self.n_components < min(X.shape):
            Y = _reducer(self.reduction, self.n_components).fit_transform(Z) * scale
        self.responses_ = Y
        return _Data(Z, Y / scale, center, scale)

    def put_back(self, order: ContentOrder) -> None:
        self.responses_ = self.responses_[order.places]

    def fit_member(self, X: _Data, plan: Plan) -> Made:
        from sklearn.tree import DecisionTreeRegressor

        rng = np.random.RandomState(plan["seed"])
        p = X.rows.shape[1]
        features = FeatureSubset(self.feature_fraction).draw(p, rng)
        # scikit-learn makes no tree of one leaf unless the leaf must hold everybody.
        single = plan["n_leaves"] == 1
        smallest = len(X.rows) if single else min(self.min_samples_leaf, len(X.rows))
        tree = DecisionTreeRegressor(
            min_samples_leaf=smallest,
            max_leaf_nodes=None if single else plan["n_leaves"],
            random_state=rng,
        )
        tree.fit(features(X.rows), X.responses)
        model = _Leaves(tree, features, X.center, X.scale)
        return Made(tree.apply(features(X.rows)), model=model)


def _reducer(reduction: str, n_components: int) -> Any:
    """What turns features into few components."""
    from sklearn.decomposition import PCA, FactorAnalysis

    if reduction == "pca":
        return PCA(n_components, svd_solver="full")
    # An exact decomposition: nothing is drawn.
    return FactorAnalysis(n_components, svd_method="lapack")


class _Leaves:
    """A tree on some features."""

    def __init__(
        self, tree: Any, features: FeatureMap, center: NDArray[Any], scale: float
    ) -> None:
        self.tree = tree
        self.features = features
        self.center = center
        self.scale = scale

    def predict(self, X: NDArray[Any]) -> NDArray[np.int64]:
        return self.tree.apply(self._seen(X))

    def predict_responses(self, X: NDArray[Any]) -> NDArray[np.float64]:
        return self.scale * self.tree.predict(self._seen(X)).reshape(len(X), -1)

    def _seen(self, X: NDArray[Any]) -> NDArray[np.float64]:
        return self.features((X - self.center) / self.scale)
