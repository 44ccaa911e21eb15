"""CEAM: diffusion on an adaptive multiplex."""

from __future__ import annotations

from numbers import Real
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from comitia._sklearn import Interval
from comitia.base import EnsembleMethod
from comitia.catalogue import MethodCard
from comitia.config import require_memory
from comitia.engine.content_keys import clusterings_by_content
from comitia.exceptions import ComitiaError
from comitia.methods._types import Array, Data, Ensemble, Maker, Rng, Seed
from comitia.methods.variable_pairs._ceam_multiplex import (
    Layer,
    diffused,
    spectral_rows,
)
from comitia.partition import kmeans
from comitia.partition.normalized_cut import rotated_labels

__all__ = ["CEAM"]

Floats = NDArray[np.float64]

# Products of all rounds, up to a quarter of a nanosecond each: more are not begun.
_MOST_PRODUCTS = 5e11


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

    generator, random_state : shared

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
    with the next, as with more than k parts, k-means cuts the whole tied space. Clear
    clusters are spanned by the k leading eigenvectors, the first among them; without it
    the last of those taken may split one. On 250 rows of six pools neither choice was
    better, and the authors' is kept. Their code was read, not the paper.

    Each clustering spreads over all M layers in each round, and each of its clusters on
    its own, so that the time grows with M times the number of all clusters, and the
    search for neighbours with :math:`n^2`. 2 000 objects in 20 clusterings of 10
    clusters take 8 s of one core, three quarters of them for :math:`2 \cdot 10^{10}`
    products along edges; of 10 to 100 clusters 20 s, nearly all for
    :math:`9 \cdot 10^{10}` products. Neither equal objects nor another solver spare
    them, since all steps are counted. What would take more than some minutes, such as
    20 000 different objects, is refused; ``approximate="landmarks"`` works on a sample.

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
        "continuation": [Interval(Real, 0, 1, closed="neither")],
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
        M, K = micro.n_clusterings, micro.n_clusters_total
        # Memberships, twice; what spreads, before and after a step, with its sums;
        # edges, which are kept three times.
        widest = int(np.diff(micro.offsets).max())
        edges = min(2 * self.n_neighbors + 1, u)
        require_memory(
            8 * u * (2 * K + (2 * M + 4) * widest) + 3 * 12 * M * u * edges,
            f"{M} layers of {u} objects",
            "use a method that is linear in n, such as lwgp",
        )
        spread = self.n_steps * M * u * edges * K
        self._refuse_hours(M, u, self.n_rounds * (spread + u * u * (K + 10 * M)))
        B = micro.membership.tocsc()
        starts = [
            np.asarray(B[:, micro.offsets[m] : micro.offsets[m + 1]].toarray(), float)
            for m in clusterings_by_content(ensemble)
        ]
        # Objects that share a cluster stand together, and are read from the cache.
        order = np.argsort(max(starts, key=np.size).argmax(axis=1), kind="stable")
        graphs = self._learn([B[order] for B in starts], counts[order])
        total = graphs[0].normalized
        for graph in graphs[1:]:
            total = csr_array(total + graph.normalized)
        place = np.argsort(order)
        mean = csr_array(total[place][:, place] / M)
        points, clear = spectral_rows(mean, counts, k)
        if clear:
            # Content order; the rows of equal objects are drawn and summed like others.
            labels = rotated_labels(np.repeat(points, counts, axis=0), rng, self.n_init)
            labels = labels[np.cumsum(counts) - counts]
        else:
            labels = kmeans(points, k, rng, sample_weight=counts).labels
        return labels[inverse]

    def _refuse_hours(self, M: int, u: int, n_products: int) -> None:
        if n_products > _MOST_PRODUCTS:
            raise ComitiaError(
                f"{M} layers of {u} different objects take {n_products:.1e} products, "
                f"and at most {_MOST_PRODUCTS:.0e} are begun; call "
                'fit(…, approximate="landmarks") for a sample of the objects, give '
                "fewer clusterings or n_rounds, or use lwgp, which is linear in n."
            )

    def _learn(self, starts: list[Floats], counts: NDArray[np.int64]) -> list[Layer]:
        """The layers after all rounds."""
        M = len(starts)
        layers = [Layer.of_clusters(B, counts, M) for B in starts]
        for i in range(self.n_rounds):
            for j, B in enumerate(starts):
                self._report("combine", i * M + j, self.n_rounds * M)
                T = diffused(layers, B, j, self.continuation, self.n_steps)
                layers[j] = Layer.of_neighbors(T, counts, self.n_neighbors, M)
        return layers
