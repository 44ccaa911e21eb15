"""Fuzzy clusterings by three algorithms that take turns, each on other features."""

from __future__ import annotations

import warnings
from typing import Any, Literal

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from comitia._sklearn import check_random_state
from comitia.cluster import FuzzyCMeans, GustafsonKessel, fuzzy_memberships
from comitia.cluster.clusterer import Clusterer, warn_unconverged
from comitia.cluster.fuzzy import fuzziness_for, fuzzy_cmeans
from comitia.cluster.fuzzy_geometry import distances_to_centers
from comitia.generate import FuzzyGenerator
from comitia.generate.estimators import median_distance
from comitia.generate.generator import Plan
from comitia.generate.member import Made
from comitia.methods._types import Array

__all__ = ["FuzzyAlgorithms", "GaussianKernel", "KernelFuzzyCMeans"]

# The least of what is usual. Memberships that differ by less than one make the
# similarities of all objects alike, and the consensus has fewer clusters than asked.
_MOST_FUZZINESS = 1.5


class GaussianKernel:
    r"""Distances :math:`2 - 2 K(x, c)` in feature space, and their best centres.

    With :math:`K(x, c) = e^{-\gamma \lVert x - c \rVert^2}` the centres are means in
    which an object weighs :math:`F_{ir}^\alpha K(x_i, c_r)`, with the last
    centres in K.
    """

    def __init__(self, gamma: float) -> None:
        self.gamma = gamma

    def distances(self, X: Array, centers: Array) -> Array:
        """Squared distances in feature space; the kernel is kept."""
        exponent = self.gamma * distances_to_centers(X, centers)
        self._values = np.exp(-exponent)
        return -2.0 * np.expm1(-exponent)

    def centers(self, X: Array, weights: Array) -> Array:
        """The centres for the kernel that was kept."""
        pulled = weights * self._values
        with np.errstate(invalid="ignore"):
            return (pulled.T @ X) / pulled.sum(axis=0)[:, None]


class KernelFuzzyCMeans(Clusterer):
    """Fuzzy c-means by a Gaussian kernel as wide as the median distance."""

    def __init__(
        self,
        n_clusters: int = 8,
        *,
        fuzziness: float | Literal["auto"] = "auto",
        n_init: int = 1,
        max_iter: int = 300,
        tol: float = 1e-5,
        random_state: Any = None,
    ) -> None:
        self.n_clusters = n_clusters
        self.fuzziness = fuzziness
        self.n_init = n_init
        self.max_iter = max_iter
        self.tol = tol
        self.random_state = random_state

    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Any:
        X = self._read(X)
        rng = check_random_state(self.random_state)
        self.kernel_ = GaussianKernel(0.5 / median_distance(X, rng) ** 2)
        run = fuzzy_cmeans(
            X,
            self.n_clusters,
            rng,
            fuzziness=self.fuzziness,
            metric=self.kernel_.distances,
            update_centers=self.kernel_.centers,
            sample_weight=sample_weight,
            n_init=self.n_init,
            max_iter=self.max_iter,
            tol=self.tol,
        )
        warn_unconverged(run.converged, self, self.max_iter)
        self.membership_, self.cluster_centers_ = run.membership, run.centers
        self.labels_ = run.membership.argmax(axis=1)
        self.fuzziness_ = run.fuzziness
        return self

    def predict_membership(self, X: Any) -> Array:
        d = self.kernel_.distances(self._read_new(X), self.cluster_centers_)
        return fuzzy_memberships(d, self.fuzziness_)

    def predict(self, X: Any) -> Any:
        return self.predict_membership(X).argmax(axis=1)


class FuzzyAlgorithms(FuzzyGenerator):
    """Fuzzy c-means, kernel fuzzy c-means and Gustafson and Kessel in turn."""

    def estimators(self) -> list[Any]:
        settings: dict[str, Any] = {
            "fuzziness": self.fuzziness,
            "n_init": 1,
            "max_iter": self.max_iter,
            "tol": self.tol,
        }
        kinds = (FuzzyCMeans, KernelFuzzyCMeans, GustafsonKessel)
        return [kind(**settings) for kind in kinds]

    def fit_member(self, X: Any, plan: Plan) -> Made:
        rows, counts, features = self.draw(len(X), plan)
        seen = (X if features is None else features(X))[rows]
        model = self._model(plan, seen)
        if self.fuzziness == "auto" and fuzziness_for(seen) > _MOST_FUZZINESS:
            model.set_params(fuzziness=_MOST_FUZZINESS)
        with warnings.catch_warnings():
            # A member that did not converge is still a member.
            warnings.simplefilter("ignore", ConvergenceWarning)
            model.fit(seen, sample_weight=counts)
        labels_new = FuzzyOnFeatures(model, features)
        if counts is None:
            membership = model.membership_
        elif self.extend:
            membership = labels_new.predict_membership(X)
        else:
            membership = np.zeros((len(X), model.membership_.shape[1]))
            membership[rows] = model.membership_
        return Made(membership=membership, model=labels_new)

    def restore(self, plan: Plan, state: dict[str, Any]) -> Any:
        return None  # made again when it is asked


class FuzzyOnFeatures:
    """A fuzzy model that sees some features only."""

    def __init__(self, model: Any, features: Any) -> None:
        self.model = model
        self.features = features

    def predict_membership(self, X: Any) -> Array:
        seen = X if self.features is None else self.features(X)
        return np.asarray(self.model.predict_membership(seen))

    def predict(self, X: Any) -> Any:
        return self.predict_membership(X).argmax(axis=1)
