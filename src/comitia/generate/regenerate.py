"""The members of a generator once more, with other numbers of clusters."""

from __future__ import annotations

from numbers import Integral
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from comitia.ensemble import Ensemble
from comitia.exceptions import ComitiaError
from comitia.generate.estimators import EstimatorGenerator
from comitia.generate.executor_memory import fit_plans

__all__ = ["regenerate"]


def regenerate(generator: Any, X: Any, n_clusters: ArrayLike) -> Ensemble:
    """Make the clusterings of a generator again, with other numbers of clusters.

    Each clustering has the clusterer, the objects, the features and the seed that it
    had; indices that compare a clustering with its neighbours in k need this.

    Parameters
    ----------
    generator : EstimatorGenerator
        A generator that was fitted on X, with a number as ``random_state``.

    X : array-like of shape (n_objects, n_features)
        The data.

    n_clusters : array-like of shape (n_clusterings,)
        The number of clusters of each clustering; clusterers without such a parameter
        do what they did.

    Returns
    -------
    ensemble : Ensemble
        The clusterings, in the same order.

    Examples
    --------
    >>> from comitia.generate import KMeansGenerator, regenerate
    >>> X = [[0.0], [0.1], [5.0], [5.1], [9.0], [9.1]]
    >>> generator = KMeansGenerator(2, n_clusters=2, random_state=0)
    >>> two = generator.generate(X)
    >>> regenerate(generator, X, two.n_clusters_each + 1).n_clusters_each
    array([3, 3])
    """
    if not isinstance(generator, EstimatorGenerator):
        raise ComitiaError(
            f"a {type(generator).__name__} cannot make its clusterings with other "
            "numbers of clusters; use an EstimatorGenerator or one of its kind."
        )
    if not isinstance(generator.random_state, Integral):
        raise ComitiaError(
            f"generator has random_state={generator.random_state!r}, so its draws "
            "cannot be repeated; give it a whole number."
        )
    X = generator.check_data(X, reset=False)
    plans = generator.plan(X, np.random.RandomState(int(generator.random_state)))
    k = np.asarray(n_clusters)
    if k.shape != (len(plans),) or (k < 1).any():
        raise ComitiaError(
            f"n_clusters must be {len(plans)} positive numbers, one for each "
            f"clustering; got {n_clusters!r}."
        )
    plans = [{**plan, "n_clusters": int(k[m])} for m, plan in enumerate(plans)]
    return fit_plans(generator, X, plans)
