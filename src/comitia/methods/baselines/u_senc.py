"""U-SENC: ultra-scalable ensemble clustering."""

from __future__ import annotations

from typing import Any

from comitia.base import EnsembleMethod
from comitia.catalogue import MethodCard
from comitia.methods._types import Array, Data, Ensemble, Maker, Rng, Seed
from comitia.partition import tcut
from comitia.represent import bipartite_graph

__all__ = ["USENC"]


class USENC(EnsembleMethod):
    r"""Ultra-scalable ensemble clustering.

    Spectral clusterings by landmarks, each linear in the number of objects, are joined
    in one graph of objects and clusters, which is cut [1]_.

    Parameters
    ----------
    n_clusters : int, default=None
        Number of clusters. ``None`` takes the eigengap of the ensemble's graph. At most
        the number of clusters of all clusterings together.

    n_init : int, default=3
        Number of starts of k-means, which cuts the eigenvectors.

    generator : generator, default=None
        Makes the clusterings when :meth:`fit` is given data alone. ``None`` is that of
        [1]_: twenty landmark-spectral clusterings into 20 to 60 clusters
        (:class:`comitia.generate.LandmarkSpectralGenerator`).

    random_state : shared

    Notes
    -----
    All rows of the indicator matrix B have the same sum, so that the transfer cut of
    the graph with edges B is the spectral form of HBGF. LWGP is the same cut with
    weights.

    References
    ----------
    .. [1] D. Huang, C.-D. Wang, J.-S. Wu, J.-H. Lai and C.-K. Kwoh, "Ultra-scalable
       spectral clustering and ensemble clustering", IEEE TKDE 32(6), 2020.
       :doi:`10.1109/TKDE.2019.2903410`

    Examples
    --------
    >>> from comitia import Ensemble, method
    >>> votes = Ensemble([[0, 0, 0], [0, 0, 0], [1, 1, 0], [1, 1, 1]])
    >>> method("u_senc")(n_clusters=2, random_state=0).fit_predict(votes)
    array([0, 0, 1, 1], dtype=int32)
    """

    card = MethodCard(
        id="u_senc",
        source="after",
        weighs="nothing",
        approach="baseline",
        needs="labels",
        missing="votes",
        scales="linear",
        on_device=True,
    )

    _labels_on_device = True

    def __init__(
        self,
        n_clusters: int | None = None,
        *,
        n_init: int = 3,
        generator: Maker = None,
        random_state: Seed = None,
    ) -> None:
        self.n_clusters = n_clusters
        self.n_init = n_init
        self.generator = generator
        self.random_state = random_state

    def _default_generator(self) -> Any:
        from comitia.generate import LandmarkSpectralGenerator

        return LandmarkSpectralGenerator()

    def _combine(self, ensemble: Ensemble, X: Data, rng: Rng) -> Array:
        n_clusters = self._resolve_n_clusters(ensemble)
        return tcut(bipartite_graph(ensemble), n_clusters, rng, n_init=self.n_init)
