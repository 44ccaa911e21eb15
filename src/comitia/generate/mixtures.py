"""Gaussian mixtures."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from comitia.generate.estimators import EstimatorGenerator

__all__ = ["MixtureGenerator"]


class MixtureGenerator(EstimatorGenerator):
    r"""Gaussian mixtures that differ in their covariances, start and size.

    Parameters
    ----------
    n_clusterings : int, default=50
        Size of the ensemble, :math:`M`.

    n_clusters : int or (int, int), default=None
        Number of clusters of each clustering, or the range it is drawn from. ``None``
        draws from 2 to :math:`\sqrt{n}`, at most 50.

    covariances : list of str, default=("full", "diag")
        The kinds of covariances, of scikit-learn's ``GaussianMixture``; members take
        turns.

    objects : sampler, default=None
        Which objects a member sees, as for :class:`EstimatorGenerator`.

    features : sampler, default=None
        Which features a member sees, as for :class:`EstimatorGenerator`.

    extend : bool, default=False
        Whether objects that a member did not draw are labelled; they stay missing
        otherwise.

    n_jobs : int, default=None
        Number of parallel jobs.

    checkpoint : path-like, default=None
        A folder for finished members. A run that was killed goes on from there.

    verbose : bool, default=False
        Whether to draw a progress bar.

    random_state : int, RandomState instance or None, default=None
        Seed.

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
        **EstimatorGenerator._parameter_constraints,
        "covariances": [tuple, list],
    }

    def __init__(
        self,
        n_clusterings: int = 50,
        *,
        n_clusters: Any = None,
        covariances: Any = ("full", "diag"),
        objects: Any = None,
        features: Any = None,
        extend: bool = False,
        n_jobs: int | None = None,
        checkpoint: Any = None,
        verbose: Any = False,
        random_state: Any = None,
    ) -> None:
        super().__init__(
            None,
            n_clusterings,
            n_clusters=n_clusters,
            objects=objects,
            features=features,
            extend=extend,
            n_jobs=n_jobs,
            checkpoint=checkpoint,
            verbose=verbose,
            random_state=random_state,
        )
        self.covariances = covariances

    def _estimators(self) -> list[Any]:
        from sklearn.mixture import GaussianMixture

        return [GaussianMixture(covariance_type=kind) for kind in self.covariances]

    def _name(self, model: Any) -> str:
        return model.covariance_type

    def _model(self, plan: dict[str, Any], seen: NDArray[np.float64]) -> Any:
        model = super()._model(plan, seen)
        if "reg_covar" not in model.get_params():
            return model  # k-means, for one object
        # scikit-learn's default is a share of the variance only if that is one.
        return model.set_params(reg_covar=1e-6 * (seen.var(axis=0).mean() or 1.0))
