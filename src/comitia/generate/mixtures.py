"""Gaussian mixtures."""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass
from typing import Any, ClassVar

from numpy.typing import NDArray

from comitia.generate.estimators import EstimatorGenerator
from comitia.generate.generator import Plan

__all__ = ["MixtureGenerator"]


@dataclass(eq=False, repr=False)
class MixtureGenerator(EstimatorGenerator):
    r"""Gaussian mixtures that differ in their covariances, start and size.

    Parameters
    ----------
    n_clusterings, n_clusters : shared

    covariances : list of str, default=("full", "diag")
        The kinds of covariances, of scikit-learn's ``GaussianMixture``; members take
        turns.

    objects, features, extend : shared

    n_jobs, checkpoint, verbose, random_state : shared

    Attributes
    ----------
    ensemble_ : Ensemble
        The clusterings; ``groups`` says which covariances they have.

    members_ : list
        What labels new objects.

    Examples
    --------
    >>> from comitia.generate import MixtureGenerator
    >>> X = [[0.0], [0.1], [0.2], [5.0], [5.1], [5.2]]
    >>> MixtureGenerator(4, n_clusters=2, random_state=0).generate(X).groups.tolist()
    ['full', 'diag', 'full', 'diag']
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "covariances": [tuple, list],
    }

    n_clusterings: int | str = 50
    _: KW_ONLY
    n_clusters: Any = None
    covariances: Any = ("full", "diag")
    objects: Any = None
    features: Any = None
    extend: bool = False
    n_jobs: int | None = None
    checkpoint: Any = None
    verbose: Any = False
    random_state: Any = None

    def estimators(self) -> list[Any]:
        from sklearn.mixture import GaussianMixture

        return [GaussianMixture(covariance_type=kind) for kind in self.covariances]

    def group_of(self, model: Any) -> str:
        return model.covariance_type

    def tune(self, model: Any, plan: Plan, seen: NDArray[Any]) -> Any:
        # scikit-learn's default is a share of the variance only if that is one.
        return model.set_params(reg_covar=1e-6 * (seen.var(axis=0).mean() or 1.0))
