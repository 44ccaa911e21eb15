"""ECPCS-MC."""

import numpy as np

from comitia._sklearn import StrOptions
from comitia.base import EnsembleMethod
from comitia.catalogue import MethodCard
from comitia.engine.content_keys import clusters_by_content
from comitia.methods._types import Array, Data, Ensemble, Maker, Rng, Seed
from comitia.partition import meta_vote, ncut
from comitia.partition.vote_winners import refuse_excess_groups
from comitia.represent import jaccard_clusters, random_walk_similarity
from comitia.weigh import entropy_certainty

__all__ = ["ECPCSMC"]


class ECPCSMC(EnsembleMethod):
    r"""Ensemble clustering by propagating cluster-wise similarities, meta-clustering.

    Two clusters are alike when random walks over the graph of all clusters take the
    same ways from either, even if they share no object. Alike clusters are grouped, and
    each object goes to the group that it belongs to most [1]_.

    Parameters
    ----------
    n_clusters : int, default=None
        Number of clusters. ``None`` takes the eigengap of the ensemble's graph. At most
        the number of clusters of all clusterings together; groups that win no object
        leave fewer.

    n_steps : int, default=20
        Length :math:`t` of the random walks.

    variant : {"uniform", "certainty"}, default="uniform"
        What a cluster weighs in the vote: all the same, as in the paper and its code,
        or its certainty as in LWMC, as the review has it.

    theta : float, default=0.4
        How slowly, :math:`\theta`, the certainty of a cluster falls with its
        uncertainty; for ``variant="certainty"``.

    n_init : int, default=10
        Number of starts of the rotation inside the normalised cut.

    generator, random_state : shared

    Attributes
    ----------
    cluster_weights_ : ndarray of shape (n_clusters of the ensemble,)
        Weight of each cluster in the vote, for ``variant="certainty"``.

    Notes
    -----
    With P the Jaccard similarities of the clusters without their diagonal, rows scaled
    to sum to 1, the similarity of clusters r and s is the cosine of the trajectories

    .. math::
        Z_{rs} = \cos\bigl( (P_{r\cdot}, P^2_{r\cdot}, \dots, P^t_{r\cdot}),
        (P_{s\cdot}, P^2_{s\cdot}, \dots, P^t_{s\cdot}) \bigr) ;

    a cluster that shares no object with any other is similar to none. The normalised
    cut of Z gives the groups :math:`g`, and object i goes to the largest
    :math:`A_{ig} = |g|^{-1} \sum_{c \in g} w_c B_{ic}`, the lowest of equals.

    The review says that LWMC's procedure is taken over, which weighs the votes; the
    paper and the authors' code do not. As their code does, the cut is regularised
    (``offset=0.5`` of :func:`comitia.partition.ncut`) and its eigenvectors are
    rotated to labels; the best of several rotations is kept here.

    References
    ----------
    .. [1] D. Huang, C.-D. Wang, H. Peng, J. Lai and C.-K. Kwoh, "Enhanced ensemble
       clustering via fast propagation of cluster-wise similarities", IEEE Trans. SMC:
       Systems 51(1), 2021. :doi:`10.1109/TSMC.2018.2876202`

    Examples
    --------
    >>> from comitia import Ensemble, method
    >>> votes = Ensemble([[0, 0, 0], [0, 0, 0], [1, 1, 0], [1, 1, 1]])
    >>> method("ecpcs_mc")(n_clusters=2, random_state=0).fit_predict(votes)
    array([0, 0, 1, 1], dtype=int32)
    """

    card = MethodCard(
        id="ecpcs_mc",
        weighs="clusters",
        weighs_how='in the vote for variant="certainty"; all the same by default',
        approach="fixed",
        needs="labels",
        missing="votes",
        scales="linear",
        exempt={
            "weights_differ": "all clusters have one vote, as in the paper; "
            'variant="certainty" weighs them',
            "weights_follow_quality": "all clusters have one vote, as in the paper",
        },
    )

    _parameter_constraints = {
        "variant": [StrOptions({"uniform", "certainty"})],
    }

    def __init__(
        self,
        n_clusters: int | None = None,
        *,
        n_steps: int = 20,
        variant: str = "uniform",
        theta: float = 0.4,
        n_init: int = 10,
        generator: Maker = None,
        random_state: Seed = None,
    ) -> None:
        self.n_clusters = n_clusters
        self.n_steps = n_steps
        self.variant = variant
        self.theta = theta
        self.n_init = n_init
        self.generator = generator
        self.random_state = random_state

    def _combine(self, ensemble: Ensemble, X: Data, rng: Rng) -> Array:
        weights = None
        if self.variant == "certainty":
            weights = entropy_certainty(ensemble, theta=self.theta)
            self.cluster_weights_ = weights
        n_groups = self._resolve_n_clusters(ensemble)
        refuse_excess_groups(n_groups, ensemble)
        # Rounding and random starts hang on the order of the clusters.
        order = clusters_by_content(ensemble)
        J = jaccard_clusters(ensemble)[order][:, order]
        Z = random_walk_similarity(J, self.n_steps)
        groups = np.empty(len(order), dtype=np.int64)
        groups[order] = ncut(
            Z, n_groups, rng, discretize="rotation", n_init=self.n_init, offset=0.5
        )
        labels, _ = meta_vote(
            ensemble, groups, n_groups, cluster_weights=weights, association=False
        )
        return labels
