"""Link-based cluster ensembles: CTS, SRS, ASRS and the refined matrix."""

from __future__ import annotations

from numbers import Real
from typing import Any

import numpy as np
from numpy.typing import NDArray

from comitia._sklearn import Interval, StrOptions
from comitia.base import EnsembleMethod
from comitia.catalogue import MethodCard
from comitia.config import require_memory
from comitia.methods._similarity_tree import similarity_tree
from comitia.methods._types import Array, Data, Ensemble, Linkage, Maker, Rng, Seed
from comitia.methods.fixed_clusters._propagated import propagated_coassociation
from comitia.partition import cut
from comitia.partition.matrix_cut import matrix_cut
from comitia.represent import jaccard_clusters

__all__ = ["LCE"]

Floats = NDArray[np.float64]

# Similarities that differ by less are the same.
_SAME = 1e-12


class LCE(EnsembleMethod):
    r"""Link-based cluster ensembles.

    Two clusters of one clustering share no object, and are still alike when they
    overlap with the same clusters of the others. Objects in like clusters count as
    near, and a tree or a graph cut finds the consensus [1]_, [2]_.

    Parameters
    ----------
    n_clusters : int, default=None
        Number of clusters. ``None`` takes the eigengap of the ensemble's graph.

    variant : {"cts", "srs", "asrs", "asrs_strict", "rm", "rm_all"}, default="cts"
        How the likeness of clusters spreads. ``"cts"`` counts connected triples,
        ``"srs"`` is SimRank on the graph of objects and clusters, ``"asrs"`` one
        approximate step of it, ``"asrs_strict"`` the same with the decay for all
        different clusters. ``"rm"`` cuts the refined matrix as a graph; ``"rm_all"``
        scales it by the largest likeness of any two clusters, not of two of one
        clustering.

    decay : float, default=None
        How alike, DC, different clusters can be at most. ``None`` is 0.9 for the
        refined matrix and 0.8 otherwise.

    n_steps : int, default=4
        Number of updates of SimRank, for ``variant="srs"``.

    linkage : shared

    n_init : int, default=3
        Number of starts of k-means, which cuts the refined matrix.

    generator, random_state : shared

    Attributes
    ----------
    linkage_ : ndarray of shape (n_objects - 1, 4)
        The dendrogram, in SciPy form; not for the refined matrix.

    Notes
    -----
    With the Jaccard similarities :math:`W` of clusters of different clusterings, two
    clusters of one clustering have the connected triples

    .. math::
        T_{rs} = \sum_t \min(W_{rt}, W_{st}), \qquad
        Z_{rs} = \mathrm{DC}\, T_{rs} / \max T, \quad Z_{rr} = 1,

    and CTS is :math:`S_{ij} = \frac{1}{M} \sum_m Z(C_m(i), C_m(j))`; with
    :math:`\mathrm{DC} = 0` it is EAC. The refined matrix is :math:`B Z`, cut as a
    bipartite graph.

    ASRS compares all pairs of clusters of two objects by
    :math:`W W' / (\deg_r \deg_s)`, scaled to a largest value of 1, where
    :math:`\deg` counts the clusters that a cluster overlaps with. As released, pairs at
    that largest value count as the same cluster, without the decay; ``"asrs_strict"``
    mends that. SRS starts from identities and repeats

    .. math::
        S \leftarrow \tfrac{\mathrm{DC}}{M^2} B C B', \qquad
        C_{rs} \leftarrow \mathrm{DC}\, (B' S B)_{rs} / (|r| |s|),

    both from the last round and with unit diagonals. It is computed on clusters alone:
    :math:`S` is a product and a diagonal, and never formed before the end.

    CTS, ASRS and SRS were read in the authors' code (LinkCluE), the refined matrix in
    that of a survey; the papers were not at hand. Where labels are missing, means are
    over the clusterings that have the objects.

    References
    ----------
    .. [1] N. Iam-On, T. Boongoen and S. Garrett, "LCE: a link-based cluster ensemble
       method for improved gene expression data analysis", Bioinformatics 26(12), 2010.
       :doi:`10.1093/bioinformatics/btq226`
    .. [2] N. Iam-On and S. Garrett, "LinkCluE: a MATLAB package for link-based cluster
       ensembles", J. Stat. Software 36(9), 2010. :doi:`10.18637/jss.v036.i09`

    Examples
    --------
    >>> from comitia import Ensemble, method
    >>> votes = Ensemble([[0, 0, 0], [0, 0, 1], [1, 1, 1], [1, 1, 1]])
    >>> method("lce")(n_clusters=2).fit_predict(votes)
    array([0, 0, 1, 1], dtype=int32)
    """

    card = MethodCard(
        id="lce",
        source="after",
        weighs="clusters",
        weighs_how="two at a time, by the clusters that both overlap with",
        approach="fixed",
        needs="labels",
        missing="pairs",
        scales="quadratic",
        exempt={
            "weights_differ": "pairs of clusters are weighed by their links; no "
            "cluster has a weight of its own",
            "weights_follow_quality": "no cluster has a weight of its own",
        },
    )

    _parameter_constraints = {
        "variant": [StrOptions({"cts", "srs", "asrs", "asrs_strict", "rm", "rm_all"})],
        "decay": [Interval(Real, 0, 1, closed="both"), None],
    }

    def __init__(
        self,
        n_clusters: int | None = None,
        *,
        variant: str = "cts",
        decay: float | None = None,
        n_steps: int = 4,
        linkage: Linkage = "average",
        n_init: int = 3,
        generator: Maker = None,
        random_state: Seed = None,
    ) -> None:
        self.n_clusters = n_clusters
        self.variant = variant
        self.decay = decay
        self.n_steps = n_steps
        self.linkage = linkage
        self.n_init = n_init
        self.generator = generator
        self.random_state = random_state

    def _combine(self, ensemble: Ensemble, X: Data, rng: Rng) -> Array:
        n_clusters = self._resolve_n_clusters(ensemble)
        micro, counts, inverse = ensemble.distinct().in_content_order()
        if self.variant.startswith("rm"):
            decay = 0.9 if self.decay is None else self.decay
            Z = triple_similarity(ensemble, decay, within=self.variant == "rm")
            require_memory(8 * 3 * micro.n_objects * len(Z), "the refined matrix")
            refined = np.asarray(micro.membership @ Z)
            labels = matrix_cut(
                refined, n_clusters, rng, counts=counts, n_init=self.n_init
            )
            return labels[inverse]
        decay = 0.8 if self.decay is None else self.decay
        if self.variant == "cts":
            S = propagated_coassociation(micro, triple_similarity(ensemble, decay))
        else:
            S = _between_all(micro, self._pair_values(ensemble, decay))
        self.linkage_ = similarity_tree(S, counts, inverse, self.linkage)
        return cut(self.linkage_, n_clusters)

    def _pair_values(self, ensemble: Ensemble, decay: float) -> Floats:
        if self.variant == "srs":
            return simrank_clusters(ensemble, decay, self.n_steps)
        return approximate_simrank(ensemble, decay, self.variant == "asrs_strict")


def triple_similarity(ensemble: Ensemble, decay: float, within: bool = True) -> Floats:
    """Connected triples of the clusters of each clustering, scaled; unit diagonal."""
    W = _links(ensemble)
    triples = np.empty_like(W)
    for r in range(len(W)):
        triples[r] = np.minimum(W[r], W).sum(axis=1)
    np.fill_diagonal(triples, 0.0)
    same = ensemble.clustering_of[:, None] == ensemble.clustering_of
    largest = (triples * same if within else triples).max(initial=0.0)
    Z = np.where(same, triples, 0.0) * (decay / largest if largest > 0 else 0.0)
    np.fill_diagonal(Z, 1.0)
    return np.asarray(Z)


def approximate_simrank(ensemble: Ensemble, decay: float, strict: bool) -> Floats:
    """What each two clusters add to the similarity of their objects, by ASRS."""
    W = _links(ensemble)
    links = np.maximum((W > 0).sum(axis=1), 1)
    alike = (W @ W.T) / links[:, None] / links
    np.fill_diagonal(alike, 0.0)
    largest = alike.max(initial=0.0)
    if largest > 0:
        alike /= largest
    values = decay * alike
    if not strict:
        values[alike >= 1.0 - _SAME] = 1.0
    np.fill_diagonal(values, 1.0)
    return np.asarray((values + values.T) / 2)


def simrank_clusters(ensemble: Ensemble, decay: float, n_steps: int) -> Floats:
    """What each two clusters add to the similarity of their objects, by SimRank."""
    micro, counts, _ = ensemble.distinct().in_content_order()
    B = micro.membership
    scaled = B.multiply(1.0 / _rows_seen(micro)[:, None]).tocsr()
    weighed = B.multiply(counts[:, None]).tocsr()
    Q = (weighed.T @ scaled).toarray()
    sizes = np.asarray(weighed.sum(axis=0)).ravel()
    C, of_objects = np.eye(len(sizes)), None
    for _ in range(n_steps - 1):
        if of_objects is None:
            shared = (B.T @ weighed).toarray()
        else:
            own = 1.0 - decay * _quadratic(scaled, of_objects)
            shared = decay * Q @ of_objects @ Q.T
            shared += (B.T @ B.multiply((counts * own)[:, None])).toarray()
        C, of_objects = decay * shared / sizes[:, None] / sizes, C
        np.fill_diagonal(C, 1.0)
    return decay * (C + C.T) / 2


def _links(ensemble: Ensemble) -> Floats:
    """Jaccard similarities of different clusters."""
    K = ensemble.n_clusters_total
    require_memory(8 * 4 * K * K, f"the links of each two of {K} clusters")
    W = jaccard_clusters(ensemble).toarray()
    np.fill_diagonal(W, 0.0)
    return np.asarray(W)


def _quadratic(rows: Any, C: Floats) -> Floats:
    """The form x' C x of each row x of a sparse matrix."""
    return np.asarray(rows.multiply(rows @ C).sum(axis=1)).ravel()


def _rows_seen(ensemble: Ensemble) -> Floats:
    """How many clusterings have each object; fuzzy memberships sum to as many."""
    return np.asarray(ensemble.membership.sum(axis=1), dtype=np.float64).ravel()


def _between_all(micro: Ensemble, values: Floats) -> Floats:
    """Mean value over all pairs of a cluster of one object and one of the other."""
    n = micro.n_objects
    require_memory(2 * 8 * n * n, f"the similarity of each two of {n} objects")
    B = micro.membership.multiply(1.0 / _rows_seen(micro)[:, None]).tocsr()
    S = np.asarray(B @ (B @ values).T)
    return (S + S.T) / 2
