"""Selection by bags of clusterings."""

from typing import Any

import numpy as np

from comitia.agreement import agreement_with
from comitia.catalogue import MethodCard
from comitia.engine.content_keys import clusterings_by_content
from comitia.methods._types import Array, Data, Ensemble, Maker, Rng, Seed
from comitia.methods.baselines.cspa import CSPA
from comitia.methods.selection._base import SelectionMethod, by_cspa
from comitia.select import borda_points, cover, top

__all__ = ["BaggedSelection"]


class BaggedSelection(SelectionMethod):
    r"""Bagging-based spectral clustering ensemble selection.

    Random halves of the ensemble each agree on a benchmark, and the clusterings that
    come close to many benchmarks are kept [1]_.

    Parameters
    ----------
    n_clusters : shared

    n_select : int, default=None
        How many clusterings are kept; half of them by default.

    n_rounds : int, default=10
        Number of bags for each measure of agreement.

    agreement : str, callable or list of these, default=("nmi_sqrt", "adjusted_rand")
        How alike a clustering and a benchmark are, by one or more measures.

    generator : generator, default=None
        Makes the clusterings when :meth:`fit` is given data alone. By default spectral
        clusterings with random kernel widths.

    random_state : shared

    Attributes
    ----------
    selected_ : shared

    clustering_weights_ : ndarray of shape (n_clusterings,)
        How many others each clustering beats, on average over the bags:
        :math:`M - \bar r_m` for its mean rank :math:`\bar r_m`.

    Notes
    -----
    A bag is a random half of the clusterings, without repetition. CSPA combines it to a
    benchmark :math:`C^*_b`, all clusterings are ranked by their agreement with it, and

    .. math::
        \bar r_m = \frac{1}{J} \sum_{b=1}^{J}
        \operatorname{rank}_m \bigl( s_b(C_m, C^*_b) \bigr)

    is the mean over all J bags of all measures :math:`s_b`; rank 1 is the best, equals
    share the mean of their ranks. The clusterings of lowest mean rank are kept and
    combined by CSPA. Number of bags, measures and number kept are ours.

    Where labels are missing, clusterings are added to a bag and to those kept until
    every object is in one.

    References
    ----------
    .. [1] J. Jia, X. Xiao, B. Liu and L. Jiao, "Bagging-based spectral clustering
       ensemble selection", Pattern Recognition Letters 32(10), 2011.
       :doi:`10.1016/j.patrec.2011.04.008`

    Examples
    --------
    >>> from comitia import Ensemble, method
    >>> votes = Ensemble([[0, 0, 0, 0], [0, 0, 0, 1], [1, 1, 1, 1], [1, 1, 1, 0]])
    >>> judge = method("jia_2011")(n_clusters=2, n_select=3, random_state=0)
    >>> judge.fit(votes).selected_
    array([ True,  True,  True, False])
    """

    card = MethodCard(
        id="jia_2011",
        weighs="clusterings",
        approach="selection",
        needs="labels",
        missing="pairs",
        scales="quadratic",
        exempt={
            "helps": "keeps half; where all clusterings are noisy, half of them "
            "outvote less noise than all",
        },
    )

    _parameter_constraints = {
        "agreement": [str, callable, list, tuple],
    }

    def __init__(
        self,
        n_clusters: int | None = None,
        *,
        n_select: int | None = None,
        n_rounds: int = 10,
        agreement: Any = ("nmi_sqrt", "adjusted_rand"),
        generator: Maker = None,
        random_state: Seed = None,
    ) -> None:
        self.n_clusters = n_clusters
        self.n_select = n_select
        self.n_rounds = n_rounds
        self.agreement = agreement
        self.generator = generator
        self.random_state = random_state

    def _default_generator(self) -> Any:
        from comitia.generate import SpectralGenerator

        return SpectralGenerator(n_clusters=self.n_clusters, extend=True)

    def _select(self, ensemble: Ensemble, X: Data, rng: Rng) -> Array:
        M, n_select = ensemble.n_clusterings, self._n_select(ensemble)
        one = isinstance(self.agreement, str) or callable(self.agreement)
        measures = [self.agreement] if one else list(self.agreement)
        k = self._resolve_n_clusters(ensemble)
        scores = []
        # Bags are drawn by place: in an order that the labels alone determine.
        order = clusterings_by_content(ensemble)
        for measure in measures * self.n_rounds:
            bag = cover(ensemble, order[rng.permutation(M)[: (M + 1) // 2]])
            cspa = CSPA(k, random_state=rng)
            benchmark = cspa.fit_predict(ensemble.take(clusterings=bag))
            scores.append(agreement_with(benchmark, ensemble, measure))
        points = borda_points(np.column_stack(scores))
        self.clustering_weights_ = points / len(scores)
        return top(self.clustering_weights_, n_select)

    _agree = by_cspa
