"""CEAM: diffusion on an adaptive multiplex."""

from __future__ import annotations

from numbers import Integral, Real
from typing import Any, ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array, diags_array, vstack

from comitia._sklearn import Interval
from comitia.base import EnsembleMethod
from comitia.catalogue import MethodCard
from comitia.config import require_memory
from comitia.engine.content_keys import clusterings_by_content
from comitia.methods._constraints import shared
from comitia.methods._types import Array, Data, Ensemble, Maker, Rng, Seed
from comitia.optimize.eigenpairs import largest_eigenpairs
from comitia.partition import kmeans
from comitia.partition.normalized_cut import rotated_labels

__all__ = ["CEAM"]

Floats = NDArray[np.float64]

# Cosines, and eigenvalues, that differ by less are the same.
_SAME = 1e-9
# Cosines that are looked at together.
_AT_A_TIME = 4_000_000


class CEAM(EnsembleMethod):
    r"""Clustering ensemble via diffusion on an adaptive multiplex.

    Each clustering is a layer of a network of the objects. Its clusters spread over all
    layers; where they arrive alike, objects become neighbours in that layer, and the
    mean of the layers is cut [1]_.

    Parameters
    ----------
    n_clusters : int, default=None
        Number of clusters. ``None`` takes the eigengap of the ensemble's graph.

    continuation : float, default=0.85
        Share :math:`\alpha` that goes on spreading; the rest goes back to the
        clustering.

    n_neighbors : int, default=20
        Number of neighbours in a layer that is learnt. All that are as near as the last
        of them count too.

    n_steps : int, default=20
        Steps of the diffusion.

    n_rounds : int, default=5
        How often all layers are learnt.

    n_init : int, default=10
        Number of starts of the rotation.

    generator : generator, default=None
        Makes the clusterings when :meth:`fit` is given data alone.

    random_state : int, RandomState instance or None, default=None
        Seed of the generator and of the consensus.

    Notes
    -----
    With the membership :math:`B_m` of clustering m, layers :math:`W_m = B_m B_m'` and
    :math:`D_m = \mathrm{diag}(W_m 1 + M - 1)^{-1/2}`, clustering j spreads by

    .. math::
        T_{jm} \leftarrow \alpha D_m W_m D_m T_{jm} + (1 - \alpha) B_j
        + \alpha \sum_{l \ne m} D_m D_l T_{jl}

    in all layers m at once. Then :math:`W_j` becomes the graph of the nearest
    neighbours by the cosine of the rows of :math:`T_{jj}`, which the next j meets. The
    k eigenvectors after the first of the mean graph's normalised Laplacian are rotated
    to labels.

    Objects with equal labels have equal rows and run as one. The authors cut the
    neighbours among ties by the order of the objects; all ties count here. Clusterings
    take their turns in the order of their content. Where the last eigenvalue is tied
    with the next, as with more than k parts, k-means cuts the whole tied space. The
    authors' code was read, not the paper.

    References
    ----------
    .. [1] P. Zhou, B. Hu, D. Yan and L. Du, "Clustering ensemble via diffusion on
       adaptive multiplex", IEEE TKDE, 2024. :doi:`10.1109/TKDE.2023.3311409`

    Examples
    --------
    >>> from comitia import Ensemble, method
    >>> votes = Ensemble([[0, 0, 0], [0, 0, 0], [1, 1, 1], [1, 1, 1]])
    >>> method("ceam")(n_clusters=2, random_state=0).fit_predict(votes)
    array([0, 0, 1, 1], dtype=int32)
    """

    card = MethodCard(
        id="ceam",
        source="after",
        weighs="pairs",
        weighs_how="in the layers that are learnt",
        approach="variable",
        needs="labels",
        missing="votes",
        scales="quadratic",
        exempt={
            "weights_differ": "weights are the edges of its graphs and no attribute",
            "few_labels": "what few labels say is outweighed by the layers in which "
            "an object has no edge",
            "data_alone": "of six clusterings of 2 to 8 clusters it places about one "
            "object in ten otherwise; neither more rounds nor other numbers of "
            "neighbours mend it",
        },
        quick={"n_rounds": 1},
    )

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **EnsembleMethod._parameter_constraints,
        **shared("n_neighbors", "n_rounds", "n_init"),
        "continuation": [Interval(Real, 0, 1, closed="neither")],
        "n_steps": [Interval(Integral, 1, None, closed="left")],
    }

    def __init__(
        self,
        n_clusters: int | None = None,
        *,
        continuation: float = 0.85,
        n_neighbors: int = 20,
        n_steps: int = 20,
        n_rounds: int = 5,
        n_init: int = 10,
        generator: Maker = None,
        random_state: Seed = None,
    ) -> None:
        self.n_clusters = n_clusters
        self.continuation = continuation
        self.n_neighbors = n_neighbors
        self.n_steps = n_steps
        self.n_rounds = n_rounds
        self.n_init = n_init
        self.generator = generator
        self.random_state = random_state

    def _combine(self, ensemble: Ensemble, X: Data, rng: Rng) -> Array:
        k = self._resolve_n_clusters(ensemble)
        micro, counts, inverse = ensemble.distinct().in_content_order()
        u = micro.n_objects
        if k == 1 or k >= u:
            # Objects that no clustering tells apart cannot be cut apart either.
            return np.minimum(np.arange(u, dtype=np.int32), k - 1)[inverse]
        require_memory(
            8 * u * u,
            f"the layers of pairs of {u} objects",
            "use a method that is linear in n, such as lwgp",
        )
        B = micro.membership.tocsc()
        starts = [
            np.asarray(B[:, micro.offsets[m] : micro.offsets[m + 1]].toarray(), float)
            for m in clusterings_by_content(ensemble)
        ]
        graphs = self._learn(starts, counts)
        total = graphs[0].normalized
        for graph in graphs[1:]:
            total = csr_array(total + graph.normalized)
        points, clear = spectral_rows(csr_array(total / len(graphs)), counts, k)
        if clear:
            # Content order; the rows of equal objects are drawn and summed like others.
            labels = rotated_labels(np.repeat(points, counts, axis=0), rng, self.n_init)
            labels = labels[np.cumsum(counts) - counts]
        else:
            labels = kmeans(points, k, rng, sample_weight=counts).labels
        return labels[inverse]

    def _learn(
        self, starts: list[Floats], counts: NDArray[np.int64]
    ) -> list[NeighborGraph]:
        """The layers after all rounds."""
        M = len(starts)
        layers: list[Any] = [ClusterLayer.of(B, counts, M) for B in starts]
        for i in range(self.n_rounds):
            for j, B in enumerate(starts):
                self._report("combine", i * M + j, self.n_rounds * M)
                T = diffused(layers, B, j, self.continuation, self.n_steps)
                layers[j] = NeighborGraph.of(T, counts, self.n_neighbors, M)
        return layers


class ClusterLayer(NamedTuple):
    """The layer of a clustering: all objects of a cluster are joined."""

    left: csr_array
    right: csr_array
    scale: Floats

    @classmethod
    def of(cls, B: Floats, counts: NDArray[np.int64], n_layers: int) -> ClusterLayer:
        """Of memberships of objects that stand for several."""
        degrees = B @ (counts @ B)
        scale = _scale(degrees, n_layers)
        left = csr_array(B * scale[:, None])
        right = csr_array(B.T * (counts * scale))
        return cls(left, right, scale)

    def spread(self, T: Floats) -> Floats:
        """One step along the edges."""
        return np.asarray(self.left @ (self.right @ T))


class NeighborGraph(NamedTuple):
    """A layer that is learnt: objects are joined with their nearest."""

    normalized: csr_array
    walk: csr_array
    scale: Floats

    @classmethod
    def of(
        cls, T: Floats, counts: NDArray[np.int64], n_neighbors: int, n_layers: int
    ) -> NeighborGraph:
        """Of the rows by their cosines; all that are as near as the last count."""
        graph = cosine_graph(T, counts, n_neighbors)
        scale = _scale(graph @ counts, n_layers)
        normalized = csr_array(diags_array(scale) @ graph @ diags_array(scale))
        walk = csr_array(normalized @ diags_array(counts * 1.0))
        return cls(normalized, walk, scale)

    def spread(self, T: Floats) -> Floats:
        """One step along the edges."""
        return np.asarray(self.walk @ T)


def _scale(degrees: Floats, n_layers: int) -> Floats:
    return np.asarray(1.0 / np.sqrt(np.maximum(degrees + n_layers - 1.0, 1.0)))


def diffused(
    layers: list[Any], B: Floats, j: int, continuation: float, n_steps: int
) -> Floats:
    """Where the clusters of a clustering arrive in its own layer j."""
    T = [B] * len(layers)
    for _ in range(n_steps):
        total = np.zeros_like(B)
        for layer, one in zip(layers, T, strict=True):
            total += layer.scale[:, None] * one
        T = [
            continuation * layer.spread(one)
            + (1.0 - continuation) * B
            + continuation * layer.scale[:, None] * (total - layer.scale[:, None] * one)
            for layer, one in zip(layers, T, strict=True)
        ]
    return T[j]


def cosine_graph(T: Floats, counts: NDArray[np.int64], n_neighbors: int) -> csr_array:
    """Graph of each row and its nearest, with the larger weight of both directions.

    Rows stand for several objects, which are neighbours of each other. All rows count
    that are as near as the last neighbour.
    """
    u = len(T)
    lengths = np.linalg.norm(T, axis=1, keepdims=True)
    rows = np.divide(T, lengths, out=np.zeros_like(T), where=lengths > 0)
    wanted = min(n_neighbors, int(counts.sum()) - 1)
    near = min(n_neighbors + 1, u)
    size = max(1, _AT_A_TIME // u)
    require_memory(4 * 8 * size * u, f"the cosines of {size} objects with {u} others")
    blocks, n_edges = [], 0
    for start in range(0, u, size):
        block = np.clip(rows[start : start + size] @ rows.T, 0.0, 1.0)
        own = np.arange(len(block)), np.arange(start, start + len(block))
        block[own] = 1.0
        others = np.argpartition(-block, near - 1, axis=1)[:, :near]
        cosines = np.take_along_axis(block, others, axis=1)
        by_cosine = np.argsort(-cosines, axis=1, kind="stable")
        cosines = np.take_along_axis(cosines, by_cosine, axis=1)
        others = np.take_along_axis(others, by_cosine, axis=1)
        met = np.cumsum(counts[others] - (others == own[1][:, None]), axis=1)
        last = np.minimum((met < wanted).sum(axis=1), near - 1)
        border = np.take_along_axis(cosines, last[:, None], axis=1)
        block[block < border - _SAME] = 0.0
        blocks.append(csr_array(block))
        n_edges += blocks[-1].nnz
        require_memory(2 * 12 * n_edges, f"{n_edges} edges of neighbours")
    graph = vstack(blocks, format="csr")
    return csr_array(graph.maximum(graph.T))


def spectral_rows(
    W: csr_array, counts: NDArray[np.int64], k: int
) -> tuple[Floats, bool]:
    """Unit rows of the k eigenvectors after the first, and whether these are unique.

    Where the last is tied with the next, all that are tied are taken.
    """
    u = W.shape[0]
    masses = np.sqrt(counts)
    degrees = W @ counts
    root = masses / np.sqrt(degrees)
    similarity = csr_array(diags_array(root) @ W @ diags_array(root))
    first = masses * np.sqrt(degrees)
    first /= np.linalg.norm(first)
    n_pairs = min(u, k + 2)
    while True:
        values, vectors = largest_eigenpairs(similarity, n_pairs)
        if n_pairs == u or values[k] - values[-1] > _SAME:
            break
        n_pairs = min(u, 2 * n_pairs)
    kept = int((values >= values[min(k, u - 1)] - _SAME).sum())
    # The first eigenvector is known; what is left of the others spans the rest.
    rest = vectors[:, :kept] - np.outer(first, first @ vectors[:, :kept])
    basis, _, _ = np.linalg.svd(rest, full_matrices=False)
    points = basis[:, : kept - 1] / masses[:, None]
    lengths = np.linalg.norm(points, axis=1, keepdims=True)
    return points / np.maximum(lengths, np.finfo(np.float64).tiny), kept == k + 1
