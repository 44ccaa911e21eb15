"""ACES."""

from numbers import Real
from typing import Any

import numpy as np

from comitia._sklearn import Interval, StrOptions
from comitia.agreement import agreement_with
from comitia.catalogue import MethodCard
from comitia.methods._types import Array, Data, Ensemble, Linkage, Maker, Rng, Seed
from comitia.methods.selection._base import SelectionMethod
from comitia.partition import cut, ensemble_linkage

__all__ = ["ACES"]


class ACES(SelectionMethod):
    r"""Adaptive cluster ensemble selection.

    When the clusterings are far from their own consensus, those farthest from it are
    kept, for they may know what it misses; when they are close to it, all are [1]_.

    Parameters
    ----------
    n_clusters : shared

    threshold : float, default=0.5
        Mean diversity above which the ensemble is not stable.

    variant : {"adaptive", "diverse", "near"}, default="adaptive"
        What is kept: what the stability says, as published; always the half that is
        farthest from the first consensus; or always the half that is nearest to it.

    agreement : shared

    linkage : {"single", "complete", "average", "ward"}, default="average"
        Distance of two clusters in both trees.

    generator : shared

    random_state : int, RandomState instance or None, default=None
        Seed of the generator.

    Attributes
    ----------
    selected_ : shared

    clustering_weights_ : ndarray of shape (n_clusterings,)
        The diversity :math:`d_m` of each clustering.

    stable_ : bool
        Whether the mean diversity is at most ``threshold``.

    linkage_ : ndarray of shape (n_objects - 1, 4)
        The dendrogram of the objects, from the clusterings kept, in SciPy form.

    Notes
    -----
    Average linkage of the co-association of all clusterings finds a first consensus
    :math:`C^*`, and

    .. math::
        d_m = 1 - \phi(C_m, C^*).

    If the mean of the :math:`d_m` is above the threshold, the clusterings with
    :math:`d_m` above their median are kept, otherwise all. The review is silent on the
    second case; as far as is known to us the paper keeps all there. Where ties leave
    nothing above the median, what equals it is kept. The clusterings kept are combined
    as all were before.

    Most ensembles are stable by this rule, which then selects nothing: fifty k-means
    clusterings of iris, wine and digits have a mean diversity of 0.30, 0.33 and 0.27,
    and only a mean agreement with the consensus below one half makes it act. It is
    the rule of an ensemble that disagrees; ``stable_`` says which case it was.
    ``variant="diverse"`` keeps the far half in either case, which brings out what the
    consensus misses and random clusterings too; ``variant="near"`` keeps the
    clusterings with :math:`d_m` at most the median, and random ones go first.

    Where labels are missing, clusterings are added until every object is in one.

    References
    ----------
    .. [1] J. Azimi and X. Z. Fern, "Adaptive cluster ensemble selection", IJCAI 2009.

    Examples
    --------
    >>> from comitia import Ensemble, method
    >>> votes = Ensemble([[0, 0, 0], [0, 0, 1], [1, 1, 1], [1, 1, 0]])
    >>> fitted = method("aces")(n_clusters=2).fit(votes)
    >>> fitted.clustering_weights_
    array([0., 0., 1.])
    >>> fitted.stable_, fitted.selected_
    (True, array([ True,  True,  True]))
    """

    card = MethodCard(
        id="aces",
        weighs="clusterings",
        approach="selection",
        needs="labels",
        missing="pairs",
        scales="quadratic",
        exempt={
            "selects": "keeps all clusterings where they are close to their "
            'consensus, as most ensembles are; variant="near" keeps half',
            "drops_junk": "keeps what is farthest from the consensus, and junk is; "
            'variant="near" drops it first',
            "helps": "keeps the half that is farthest from the consensus, the worst "
            'where the others agree; variant="near" keeps the other',
        },
    )

    _parameter_constraints = {
        "threshold": [Interval(Real, 0, 1, closed="both")],
        "variant": [StrOptions({"adaptive", "diverse", "near"})],
    }

    def __init__(
        self,
        n_clusters: int | None = None,
        *,
        threshold: float = 0.5,
        variant: str = "adaptive",
        agreement: Any = "nmi_sqrt",
        linkage: Linkage = "average",
        generator: Maker = None,
        random_state: Seed = None,
    ) -> None:
        self.n_clusters = n_clusters
        self.threshold = threshold
        self.variant = variant
        self.agreement = agreement
        self.linkage = linkage
        self.generator = generator
        self.random_state = random_state

    def _select(self, ensemble: Ensemble, X: Data, rng: Rng) -> Array:
        tree = ensemble_linkage(ensemble, linkage=self.linkage)
        first = cut(tree, self._resolve_n_clusters(ensemble))
        diversity = 1.0 - agreement_with(first, ensemble, self.agreement)
        self.clustering_weights_ = diversity
        self.stable_ = bool(diversity.mean() <= self.threshold)
        if self.variant == "adaptive" and self.stable_:
            return np.arange(ensemble.n_clusterings)
        # Rounding must not put one of two equals above their median.
        above = diversity - np.median(diversity)
        if self.variant == "near":
            return np.flatnonzero(above <= 1e-12)
        kept = above > 1e-12 if (above > 1e-12).any() else above >= -1e-12
        return np.flatnonzero(kept)
