"""Selection by relative validity indices."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from comitia._sklearn import StrOptions
from comitia.catalogue import MethodCard
from comitia.ensemble import Ensemble
from comitia.methods._types import Array, Data, Linkage, Maker, Rng, Seed
from comitia.methods.selection._base import SelectionMethod
from comitia.partition import cut, ensemble_linkage
from comitia.select import cover, greedy_diverse, top
from comitia.validity import INDICES, score_table

__all__ = ["ValiditySelection"]

_STRATEGIES = ("single", "mean", "weighted_mean", "diverse")


class ValiditySelection(SelectionMethod):
    r"""Ensemble selection by relative validity indices.

    Several ways of choosing good clusterings each propose a consensus, and the proposal
    that validity indices like best is taken [1]_.

    Parameters
    ----------
    n_clusters : shared

    n_select : int, default=None
        How many clusterings a proposal keeps; a quarter of them by default.

    indices : list of str, default=("silhouette", "calinski_harabasz", \
            "davies_bouldin", "dunn", "index_i")
        Validity indices of :mod:`comitia.validity` that judge the clusterings.

    variant : {"all", "single", "mean", "weighted_mean", "diverse"}, default="all"
        Which strategies make proposals: all four, or one.

    index : str, default=None
        The index that judges the proposals; by default the mean of all ``indices``.

    linkage : {"single", "complete", "average", "ward"}, default="average"
        Distance of two clusters in the tree of each proposal.

    generator : shared

    random_state : int, RandomState instance or None, default=None
        Seed of the generator.

    Attributes
    ----------
    selected_ : shared

    clustering_weights_ : ndarray of shape (n_clusterings,)
        The scores, in [0, 1], by which the strategy that won chose.

    strategy_ : str
        What won: the name of an index, ``"mean"``, ``"weighted_mean"``, ``"diverse"``,
        or ``"everything"`` when no selection beats the whole ensemble.

    proposals_ : dict of str to float
        The score of each proposal, larger for the better.

    linkage_ : ndarray of shape (n_objects - 1, 4)
        The dendrogram of the objects, from the clusterings kept, in SciPy form.

    Notes
    -----
    The indices are brought to [0, 1] over the clusterings, larger for the better:
    :math:`V_{mj}` for clustering m and index j. Kept are the clusterings with the
    largest

    - :math:`V_{mj}`, one proposal for each index (``"single"``);
    - :math:`\frac{1}{J} \sum_j V_{mj}` (``"mean"``);
    - :math:`\sum_j u_j V_{mj}` with :math:`u_j` one minus the mean absolute correlation
      of index j with the others, so that indices that say the same do not outvote one
      that does not (``"weighted_mean"``);

    or, from the one of the best mean on, always the one with the lowest mean NMI to
    those kept (``"diverse"``). The evidence accumulated from each set is cut into a
    consensus. These and the consensus of all clusterings are scored by the indices once
    more, brought to [0, 1] over the proposals; the best mean wins, the whole ensemble
    only if it is better than every selection.

    Number kept, weights of indices, indices and inner consensus are ours; "the highest
    value" of the review is read as the ``n_select`` highest. With ``n_select=1`` a
    proposal is the consensus of a single clustering, which is that clustering when it
    has ``n_clusters`` clusters.

    Where labels are missing, clusterings are added until every object is in one.

    References
    ----------
    .. [1] M. C. Naldi, A. C. P. L. F. Carvalho and R. J. G. B. Campello, "Cluster
       ensemble selection based on relative validity indexes", Data Mining and Knowledge
       Discovery 27(2), 2013. :doi:`10.1007/s10618-012-0290-x`

    Examples
    --------
    >>> from comitia import Ensemble, method
    >>> X = [[0.0], [1.0], [2.0], [10.0], [11.0], [12.0]]
    >>> C, D = [0, 0, 0, 1, 1, 1], [0, 0, 1, 1, 2, 2]
    >>> votes = Ensemble(list(zip(C, C, D)))
    >>> fitted = method("naldi_2013")(n_clusters=2).fit(X, ensemble=votes)
    >>> fitted.labels_
    array([0, 0, 0, 1, 1, 1], dtype=int32)
    >>> fitted.selected_
    array([ True, False, False])
    """

    card = MethodCard(
        id="naldi_2013",
        weighs="clusterings",
        approach="selection",
        needs=("labels", "data"),
        missing="pairs",
        scales="quadratic",
    )

    _parameter_constraints = {
        "indices": [list, tuple, StrOptions(set(INDICES))],
        "variant": [StrOptions({"all", *_STRATEGIES})],
        "index": [StrOptions(set(INDICES)), None],
    }

    def __init__(
        self,
        n_clusters: int | None = None,
        *,
        n_select: int | None = None,
        indices: Any = (
            "silhouette",
            "calinski_harabasz",
            "davies_bouldin",
            "dunn",
            "index_i",
        ),
        variant: str = "all",
        index: str | None = None,
        linkage: Linkage = "average",
        generator: Maker = None,
        random_state: Seed = None,
    ) -> None:
        self.n_clusters = n_clusters
        self.n_select = n_select
        self.indices = indices
        self.variant = variant
        self.index = index
        self.linkage = linkage
        self.generator = generator
        self.random_state = random_state

    def _select(self, ensemble: Ensemble, X: Data, rng: Rng) -> Array:
        table = score_table(X, ensemble, self.indices)
        proposals = self._proposals(ensemble, table)
        labels = [self._propose(ensemble, chosen) for chosen, _ in proposals.values()]
        judges = self.indices if self.index is None else [self.index]
        judged = score_table(X, Ensemble(labels), judges).unified("range").mean(axis=1)
        self.proposals_ = dict(zip(proposals, judged.tolist(), strict=True))
        self.strategy_ = list(proposals)[int(top(judged, 1)[0])]
        chosen, self.clustering_weights_ = proposals[self.strategy_]
        return chosen

    def _proposals(self, ensemble: Ensemble, table: Any) -> dict[str, Any]:
        """Of each strategy what it keeps, and the scores it judges by."""
        V = table.unified("range")
        mean = V.mean(axis=1)
        scores = dict(zip(table.indices, V.T, strict=True))
        by = {
            "single": scores,
            "mean": {"mean": mean},
            "weighted_mean": {"weighted_mean": V @ index_distinctness(V)},
            "diverse": {"diverse": mean},
        }
        n_select = self._n_select(ensemble, share=0.25)
        proposals = {}
        for strategy in _STRATEGIES if self.variant == "all" else [self.variant]:
            for name, values in by[strategy].items():
                proposals[name] = (top(values, n_select), values)
        if "diverse" in proposals:
            first = int(top(mean, 1)[0])
            chosen = greedy_diverse(ensemble.agreement(), n_select, first=first)
            proposals["diverse"] = (chosen, mean)
        proposals["everything"] = (np.arange(len(V)), mean)
        return proposals

    def _propose(self, ensemble: Ensemble, chosen: Array) -> Array:
        kept = ensemble.take(clusterings=cover(ensemble, chosen))
        return cut(
            ensemble_linkage(kept, linkage=self.linkage), self._resolve_n_clusters(kept)
        )


def index_distinctness(values: ArrayLike) -> NDArray[np.float64]:
    r"""How little each index repeats what the others say.

    .. math::
        u_j \propto 1 - \frac{1}{J - 1} \sum_{l \ne j} | \rho_{jl} |

    with the correlations :math:`\rho` of the indices over the clusterings.
    """
    V = np.asarray(values, dtype=np.float64)
    J = V.shape[1]
    centered = V - V.mean(axis=0)
    length = np.sqrt((centered**2).sum(axis=0))
    unit = np.divide(centered, length, out=np.zeros_like(V), where=length > 1e-12)
    correlation = np.abs(unit.T @ unit)
    np.fill_diagonal(correlation, 0.0)
    u = np.maximum(1.0 - correlation.sum(axis=1) / max(J - 1, 1), 0.0)
    # What rounding leaves of zero is no difference between indices.
    return u / u.sum() if u.max() > 1e-9 else np.full(J, 1.0 / J)
