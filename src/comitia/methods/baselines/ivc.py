"""Iterative voting consensus: IVC and IPVC."""

from __future__ import annotations

from typing import Any

from comitia._sklearn import StrOptions
from comitia.base import EnsembleMethod
from comitia.catalogue import MethodCard
from comitia.methods._constraints import shared
from comitia.methods._exemptions import STARTS_BY_PLACE
from comitia.methods._types import Array, Data, Ensemble, Maker, Rng, Seed
from comitia.partition import kmeans_rows
from comitia.partition.k_means import kmodes
from comitia.weigh.clusterings import given_weights

__all__ = ["IVC"]


class IVC(EnsembleMethod):
    r"""Iterative voting consensus.

    Objects move to the cluster whose members share most of their labels, until nothing
    moves [1]_.

    Parameters
    ----------
    n_clusters : int, default=None
        Number of clusters. ``None`` takes the eigengap of the ensemble's graph.

    variant : {"ipvc", "ivc"}, default="ipvc"
        ``"ipvc"`` asks what share of a cluster has the label of an object in each
        clustering, ``"ivc"`` whether it is the most frequent label there.

    clustering_weights : array-like of shape (n_clusterings,), default=None
        Weight of each clustering, :math:`w_m`; equal by default.

    n_init : int, default=10
        Number of starts; the best one is kept.

    max_iter : int, default=100
        Most iterations of each start.

    generator : generator, default=None
        Makes the clusterings when :meth:`fit` is given data alone.

    random_state : int, RandomState instance or None, default=None
        Seed of the generator and of the consensus.

    Attributes
    ----------
    clustering_weights_ : ndarray of shape (n_clusterings,)
        Weight of each clustering; they sum to 1.

    objective_ : ndarray of shape (n_iter_,)
        The total cost after each iteration.

    n_iter_ : int
        Number of iterations.

    converged_ : bool
        Whether it stopped before ``max_iter``.

    Notes
    -----
    With the share :math:`c_{rm}(l)` of cluster r that has label l in clustering m,
    object i costs

    .. math::
        \sum_m w_m \bigl(1 - c_{rm}(l_{im})\bigr)

    in cluster r (IPVC), which is one less its mean co-association with the members of
    r; the pairwise form of [1]_, IPC, is the same. All objects move at once, so that
    their order does not matter. The total cost need not fall: the loop ends where it
    would rise. IVC is k-modes, :class:`KModesConsensus`.

    IPC was written from memory, the others from re-implementations.

    References
    ----------
    .. [1] N. Nguyen and R. Caruana, "Consensus clusterings", IEEE ICDM, 2007.
       :doi:`10.1109/ICDM.2007.73`

    Examples
    --------
    >>> from comitia import Ensemble, method
    >>> votes = Ensemble([[0, 0, 0], [0, 0, 0], [1, 1, 0], [1, 1, 1]])
    >>> method("ivc")(n_clusters=2, random_state=0).fit_predict(votes)
    array([0, 0, 1, 1], dtype=int32)
    """

    card = MethodCard(
        id="ivc",
        source="after",
        weighs="clusterings",
        weighs_how="by clustering_weights; all the same by default",
        approach="baseline",
        needs="labels",
        missing="votes",
        scales="linear",
        exempt={
            "noisy_object_order": STARTS_BY_PLACE,
        },
    )

    _parameter_constraints = {
        **EnsembleMethod._parameter_constraints,
        **shared("clustering_weights", "n_init", "max_iter"),
        "variant": [StrOptions({"ipvc", "ivc"})],
    }

    def __init__(
        self,
        n_clusters: int | None = None,
        *,
        variant: str = "ipvc",
        clustering_weights: Any = None,
        n_init: int = 10,
        max_iter: int = 100,
        generator: Maker = None,
        random_state: Seed = None,
    ) -> None:
        self.n_clusters = n_clusters
        self.variant = variant
        self.clustering_weights = clustering_weights
        self.n_init = n_init
        self.max_iter = max_iter
        self.generator = generator
        self.random_state = random_state

    def _combine(self, ensemble: Ensemble, X: Data, rng: Rng) -> Array:
        self.clustering_weights_ = given_weights(
            self.clustering_weights, ensemble.n_clusterings
        )
        weights = {"clustering_weights": self.clustering_weights_}
        n_clusters = self._resolve_n_clusters(ensemble, **weights)
        settings: dict[str, Any] = {
            **weights,
            "n_init": self.n_init,
            "max_iter": self.max_iter,
        }
        if self.variant == "ivc":
            found = kmodes(ensemble, n_clusters, rng, **settings)
        else:
            found = kmeans_rows(
                ensemble, n_clusters, rng, utility="shares", tol=0.0, **settings
            )
        self.objective_ = found.objective
        self.n_iter_ = len(self.objective_)
        self.converged_ = self.n_iter_ < self.max_iter
        return found.labels
