"""Selection by the corrected Rand index."""

from __future__ import annotations

from numbers import Real
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from comitia._sklearn import Interval
from comitia.catalogue import MethodCard
from comitia.methods._types import Array, Data, Ensemble, Linkage, Maker, Rng, Seed
from comitia.methods.selection._base import SelectionMethod
from comitia.select import top

__all__ = ["ASA"]


class ASA(SelectionMethod):
    r"""Partition selection by corrected Rand index.

    Clusterings are looked at from the least usual one on, and what says nearly the same
    as one that was kept is dropped [1]_.

    Parameters
    ----------
    n_clusters : shared

    threshold : float, default=0.8
        A clustering more alike than this to one that was kept is dropped.

    agreement : str or callable, default="adjusted_rand"
        How alike two clusterings are, :math:`R`.

    linkage, generator : shared

    random_state : int, RandomState instance or None, default=None
        Seed of the generator.

    Attributes
    ----------
    selected_ : shared

    clustering_weights_ : ndarray of shape (n_clusterings,)
        The mean :math:`\bar R_m` of each clustering; the lowest is looked at first. It
        is negative for a clustering that agrees with others less than by chance.

    linkage_ : ndarray of shape (n_objects - 1, 4)
        The dendrogram of the objects, from the clusterings kept, in SciPy form.

    Notes
    -----
    The clusterings are sorted by

    .. math::
        \bar R_m = \frac{1}{M} \sum_{l=1}^{M} R(C_m, C_l),

    ascending. The first one left is kept, every other one left with :math:`R` above the
    threshold to it is dropped, and so on. The clustering itself is part of the mean,
    which adds the same to all.

    Neither the threshold nor a consensus is given in the review: the set kept is the
    result of the paper. Here average linkage of the co-association follows; for another
    consensus use ``ConsensusClustering(selection=ASA())``.

    Where labels are missing, clusterings are added until every object is in one.

    References
    ----------
    .. [1] K. Faceli, T. C. Sakata, M. C. P. de Souto and A. C. P. L. F. de Carvalho,
       "Partitions selection strategy for set of clustering solutions", Neurocomputing
       73, 2010.

    Examples
    --------
    >>> from comitia import Ensemble, method
    >>> votes = Ensemble([[0, 0, 0], [0, 0, 1], [1, 1, 1], [1, 1, 0]])
    >>> fitted = method("asa")(n_clusters=2).fit(votes)
    >>> fitted.clustering_weights_
    array([0.5, 0.5, 0. ])
    >>> fitted.selected_
    array([ True, False,  True])
    """

    card = MethodCard(
        id="asa",
        weighs="clusterings",
        approach="selection",
        needs="labels",
        missing="pairs",
        scales="quadratic",
        exempt={
            "drops_junk": "drops what is too much like a clustering that is kept "
            "already; junk is like none",
        },
    )

    _parameter_constraints = {
        "threshold": [Interval(Real, -1, 1, closed="both")],
    }

    def __init__(
        self,
        n_clusters: int | None = None,
        *,
        threshold: float = 0.8,
        agreement: Any = "adjusted_rand",
        linkage: Linkage = "average",
        generator: Maker = None,
        random_state: Seed = None,
    ) -> None:
        self.n_clusters = n_clusters
        self.threshold = threshold
        self.agreement = agreement
        self.linkage = linkage
        self.generator = generator
        self.random_state = random_state

    def _select(self, ensemble: Ensemble, X: Data, rng: Rng) -> Array:
        R = ensemble.agreement(self.agreement)
        self.clustering_weights_ = R.mean(axis=1)
        order = top(-self.clustering_weights_, len(R))
        return np.sort(leaders(R, order, self.threshold))


def leaders(
    similarity: ArrayLike, order: ArrayLike, threshold: float
) -> NDArray[np.int64]:
    """Keep clusterings in a given order, and drop what is too much like one kept."""
    alike = np.asarray(similarity, dtype=np.float64)
    remaining = [int(m) for m in np.asarray(order)]
    kept = []
    while remaining:
        reference = remaining.pop(0)
        kept.append(reference)
        remaining = [m for m in remaining if alike[reference, m] <= threshold]
    return np.array(kept, dtype=np.int64)
