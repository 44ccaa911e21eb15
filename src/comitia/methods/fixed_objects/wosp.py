"""WOSP."""

from numbers import Real
from typing import Any

import numpy as np

from comitia._sklearn import Interval, StrOptions
from comitia.base import EnsembleMethod
from comitia.catalogue import MethodCard
from comitia.config import require_memory
from comitia.methods._types import Array, Data, Ensemble, Maker, Rng, Seed
from comitia.partition import metis_partition
from comitia.represent import profile_similarity, soft_assignment
from comitia.weigh import object_uncertainty

__all__ = ["WOSP"]

# METIS keeps the two ends and the weight of each edge, and copies them.
_BYTES_PER_EDGE = 40


class WOSP(EnsembleMethod):
    r"""Weighted-object similarity partitioning.

    Objects that are hard to cluster pull the centres of their clusters. How near each
    object is to those centres says how probable each cluster is for it, and METIS cuts
    the graph of objects with similar probabilities into parts of equal size [1]_.

    Parameters
    ----------
    n_clusters : shared

    smoothing : float, default=0.01
        The :math:`e` that keeps the weights of objects above zero.

    temperature : float, "each" or "first", default="each"
        The :math:`\alpha` over which squared distances are divided: the mean squared
        distance of the objects to the centres of each clustering, that of the first
        clustering for all, or a number.

    imbalance : float, default=0.05
        How much larger than the mean a cluster may be.

    n_init : int, default=1
        Number of partitions METIS makes; the one that cuts least is kept.

    generator, random_state : shared

    Attributes
    ----------
    object_weights_ : ndarray of shape (n_objects,)
        Weight of each object, in [0, 1]; large for those that are hard to cluster.

    Notes
    -----
    With the weights :math:`w_i` of WOMC and the weighted means :math:`\mu_c` of the
    clusters, the probability of cluster c of clustering m is

    .. math::
        P_{ic} \propto e^{-\lVert x_i - \mu_c \rVert^2 / \alpha},
        \qquad \sum_{c \in C_m} P_{ic} = 1,

    and the edge of objects i and j weighs the mean over the clusterings of the cosine
    of their probabilities. All edges are there, so that memory grows with the square of
    the number of objects; WOHB does without.

    The review leaves :math:`\alpha` open; the authors' code takes the mean squared
    distance, but of the first clustering for all, so that the result depends on the
    order of the clusterings (``temperature="first"``). As :math:`\alpha \to 0` objects
    belong to the nearest centre alone: S becomes the co-association of those
    assignments, which is that of the clusterings where objects are nearest to their own
    centres.

    METIS balances the sizes of the parts by design, so clusters of very unequal size
    are split; raise ``imbalance`` when you expect them.

    References
    ----------
    .. [1] Y. Ren, C. Domeniconi, G. Zhang and G. Yu, "Weighted-object ensemble
       clustering: methods and analysis", Knowledge and Information Systems 51(2), 2017.
       :doi:`10.1007/s10115-016-0988-y`

    Examples
    --------
    >>> from comitia import Ensemble, method
    >>> X = [[0.0], [1.0], [5.0], [6.0]]
    >>> votes = Ensemble([[0, 0], [0, 0], [1, 0], [1, 1]])
    >>> method("wosp")(n_clusters=2).fit_predict(X, ensemble=votes)
    array([0, 0, 1, 1], dtype=int32)
    """

    card = MethodCard(
        id="wosp",
        weighs="objects",
        approach="fixed",
        needs=("labels", "data"),
        missing="votes",
        scales="quadratic",
        exempt={
            "helps": "objects are compared by their distances from the centres of "
            "clusters, which noise draws together",
        },
    )

    _parameter_constraints = {
        "temperature": [
            Interval(Real, 0, None, closed="neither"),
            StrOptions({"each", "first"}),
        ],
    }

    def __init__(
        self,
        n_clusters: int | None = None,
        *,
        smoothing: float = 0.01,
        temperature: Any = "each",
        imbalance: float = 0.05,
        n_init: int = 1,
        generator: Maker = None,
        random_state: Seed = None,
    ) -> None:
        self.n_clusters = n_clusters
        self.smoothing = smoothing
        self.temperature = temperature
        self.imbalance = imbalance
        self.n_init = n_init
        self.generator = generator
        self.random_state = random_state

    def _combine(self, ensemble: Ensemble, X: Data, rng: Rng) -> Array:
        n = ensemble.n_objects
        require_memory(
            _BYTES_PER_EDGE * n * n,
            f"a graph with an edge between each two of {n} objects",
            "use wohb, which is linear in n",
        )
        self.object_weights_ = object_uncertainty(ensemble, smoothing=self.smoothing)
        P = soft_assignment(
            X,
            ensemble,
            object_weights=self.object_weights_,
            temperature=self.temperature,
        )
        # METIS breaks ties by place: in an order that the data alone determine.
        order = np.lexsort(np.asarray(X).T)
        labels = np.empty(n, dtype=np.int32)
        labels[order] = metis_partition(
            profile_similarity(P[order], ensemble),
            self._resolve_n_clusters(ensemble),
            imbalance=self.imbalance,
            n_init=self.n_init,
            rng=rng,
        )
        return labels
