"""Iterative voting consensus: IVC and IPVC."""

from __future__ import annotations

from typing import Any

from comitia._sklearn import StrOptions
from comitia.catalogue import MethodCard
from comitia.methods._types import Array, Ensemble, Maker, Rng, Seed
from comitia.methods.baselines.kmodes_consensus import KModesConsensus
from comitia.partition import kmeans_rows

__all__ = ["IVC"]


class IVC(KModesConsensus):
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

    generator, random_state : shared

    Attributes
    ----------
    clustering_weights_ : shared

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
    )

    _parameter_constraints = {
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
        super().__init__(
            n_clusters,
            clustering_weights=clustering_weights,
            n_init=n_init,
            max_iter=max_iter,
            generator=generator,
            random_state=random_state,
        )
        self.variant = variant

    def _partition(
        self, ensemble: Ensemble, n_clusters: int, rng: Rng, settings: dict[str, Any]
    ) -> tuple[Array, Array]:
        if self.variant == "ivc":
            return super()._partition(ensemble, n_clusters, rng, settings)
        shares: dict[str, Any] = {"utility": "shares", "tol": 0.0, **settings}
        found = kmeans_rows(ensemble, n_clusters, rng, **shares)
        return found.labels, found.objective
