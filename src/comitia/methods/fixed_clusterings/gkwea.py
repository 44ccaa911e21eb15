"""GKWEA."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from comitia.catalogue import MethodCard
from comitia.config import require_memory
from comitia.methods._types import Array, Data, Ensemble, Maker, Rng, Seed
from comitia.methods.fixed_clusterings._weighted_association import weighted_association
from comitia.methods.fixed_clusterings.wpck import WPCK

__all__ = ["GKWEA"]


class GKWEA(WPCK):
    r"""Kernel median partition on the weighted-association representation.

    As WPCK, but validity is judged on how the objects are associated by the clusterings
    themselves, so that clusterings made with different features and similarities are
    judged on common ground [1]_.

    Parameters
    ----------
    n_clusters : int, default=None
        Number of clusters. ``None`` leaves it to the search.

    metric : str, callable, matrix, None or a list of these, default="euclidean"
        The similarity that a clustering was made with, as a distance d of which
        :math:`1 / (1 + d)` is taken, or as a matrix of similarities; one for all
        clusterings, or a list with one for each. None, like clusterings without data,
        makes objects in one cluster alike altogether.

    indices : sequence of str, default=("dunn", "silhouette", "compactness", \
            "connectedness")
        The properties :math:`I_v` that clusterings are judged by: indices of
        :mod:`comitia.validity`.

    max_subset_size : int, default=None
        Subsets with more objects than this do not count. All count by default, as in
        the paper; 2 gives a kernel on pairs.

    max_iter : int, default=200
        Most temperatures of the annealing.

    temperature : float, default=1.0
        First temperature of the annealing, as a multiple of the mean change that a move
        from the start makes.

    cooling : float, default=0.95
        What a temperature is multiplied by to get the next.

    generator, random_state : shared

    Attributes
    ----------
    clustering_weights_ : shared

    objective_ : ndarray of shape (n_iter_ + 1,)
        The best objective so far: at the start, and after each temperature.

    n_iter_ : int
        Number of temperatures.

    converged_ : bool
        Whether no single move improves the result.

    Notes
    -----
    The indices see object i as row i of the association matrix

    .. math::
        R_{ij} = \sum_{m=1}^{M} [\,i, j \in c,\ c \in C_m\,] \,
        \frac{k_m}{|c|} \, \mathrm{sim}_m(i, j)

    of ``weighted_association``, a point with n coordinates, its
    own association included. Weights and consensus then are those of WPCK; only the
    weights see R, the kernel compares partitions. WEA divides the factors of R by their
    largest values; that scales R as a whole, which the indices, scaled by their ranges,
    do not see.

    The review gives no name; that of the authors is recalled from a related paper.

    References
    ----------
    .. [1] S. Vega-Pons, J. Ruiz-Shulcloper and A. Guerra-Gandon, "Weighted association
       based methods for the combination of heterogeneous partitions", Pattern
       Recognition Letters 32(16), 2011. :doi:`10.1016/j.patrec.2011.05.006`

    Examples
    --------
    >>> from comitia import Ensemble, method
    >>> C, D = [0, 0, 0, 1, 1, 1], [0, 0, 1, 1, 2, 2]
    >>> fitted = method("gkwea")().fit(Ensemble(list(zip(C, C, D))))
    >>> fitted.labels_
    array([0, 0, 0, 1, 1, 1], dtype=int32)
    """

    card = MethodCard(
        id="gkwea",
        weighs="clusterings",
        approach="fixed",
        needs="labels",
        missing="objects",
        scales="quadratic",
        exempt={
            **WPCK.card.exempt,
            "labels_only": "data, where given, bring similarities of the objects",
        },
    )

    _parameter_constraints = {
        "metric": [str, callable, Sequence, np.ndarray, None],
    }

    def __init__(
        self,
        n_clusters: int | None = None,
        *,
        metric: Any = "euclidean",
        indices: Any = ("dunn", "silhouette", "compactness", "connectedness"),
        max_subset_size: int | None = None,
        max_iter: int = 200,
        temperature: float = 1.0,
        cooling: float = 0.95,
        generator: Maker = None,
        random_state: Seed = None,
    ) -> None:
        super().__init__(
            n_clusters,
            indices=indices,
            max_subset_size=max_subset_size,
            max_iter=max_iter,
            temperature=temperature,
            cooling=cooling,
            generator=generator,
            random_state=random_state,
        )
        self.metric = metric

    def _combine(self, ensemble: Ensemble, X: Data, rng: Rng) -> Array:
        n = ensemble.n_objects
        # R; the same with a row for each coordinate; and the distances of its rows, or
        # later what is left of it where a clustering lacks objects.
        require_memory(
            24 * n * n,
            f"the association of {n} objects, and the indices of it,",
            "use wpck, which judges the clusterings on the data",
        )
        R = weighted_association(ensemble, X, self.metric)
        return super()._combine(ensemble, R, rng)
