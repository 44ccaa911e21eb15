"""Weighted co-association, cut at a threshold and grouped into even blocks."""

from numbers import Real

import numpy as np

from comitia._sklearn import Interval, StrOptions
from comitia.base import EnsembleMethod
from comitia.catalogue import MethodCard
from comitia.config import require_memory
from comitia.methods._loops import keep_run
from comitia.methods._types import Array, Data, Ensemble, Maker, Rng, Seed
from comitia.methods.fixed_clusterings._cross_assoc_2011_search import cross_association
from comitia.optimize.ties import merged_ties
from comitia.partition import cut, ensemble_linkage
from comitia.validity import score_table
from comitia.weigh import normalize_weights

__all__ = ["CrossAssociationConsensus"]


class CrossAssociationConsensus(EnsembleMethod):
    r"""Weighted ensemble with cross-association grouping.

    Compact and separated clusterings count more; which objects are alike is decided by
    a threshold, and the 0/1 matrix of the answers is grouped into even blocks [1]_.

    Parameters
    ----------
    n_clusters : int, default=None
        Number of clusters. ``None`` takes the eigengap of the ensemble's graph; the
        search starts from these clusters.

    threshold : float, default=None
        Objects with a weighted co-association above it are alike, :math:`\tau`. The
        mean over all pairs of objects by default.

    variant : {"code_length", "printed"}, default="code_length"
        Whether a block counts by its size; in the review it does not.

    max_iter : int, default=100
        Most sweeps over the objects.

    generator : shared

    random_state : int, RandomState instance or None, default=None
        Seed of the generator.

    Attributes
    ----------
    clustering_weights_ : shared

    linkage_ : ndarray of shape (n_objects - 1, 4)
        The dendrogram that the search starts from, in SciPy form.

    objective_ : ndarray of shape (n_iter_ + 1,)
        The cost at the start and after each sweep, in bits.

    n_iter_ : int
        Number of sweeps.

    converged_ : bool
        Whether no single object would go elsewhere.

    Notes
    -----
    With centres :math:`c^v` the quality of a clustering is

    .. math::
        q = \frac{2}{k (k - 1)} \sum_{v < r} \lVert c^v - c^r \rVert^2
        - \frac{1}{k} \sum_v \frac{1}{n_v} \sum_{i \in v} \lVert x_i - c^v \rVert^2,
        \qquad w_m = \frac{q_m - \min_l q_l}{\sum_l (q_l - \min q)},

    and uniform weights if all are equal but for rounding. A single cluster has no first
    term. The review prints the negative, a distance that it calls a similarity: its
    good clusterings have small scores, so that the sign is turned here. It also counts
    each pair of centres twice. The poorest clustering weighs nothing.

    The consensus groups the matrix :math:`1[ (B W B')_{ij} > \tau ]` by
    ``cross_association``, from average linkage on
    :math:`1 - B W B'`. The printed sum over blocks does not weigh them by size, so that
    a lonely object beside a mixed group can cost less than two fairly even groups. With
    sizes it is the length of a code for the matrix. Either sum is 0 for n groups of one
    object; the number of groups is therefore kept.

    The paper (IEEE document 6132997) could not be identified; the method is that of the
    review [1]_, the code length that of cross-associations [2]_.

    References
    ----------
    .. [1] M. Zhang, "Weighted clustering ensemble: a review", Pattern Recognition 124,
       2022, on IEEE document 6132997 of 2011. :doi:`10.1016/j.patcog.2021.108428`
    .. [2] D. Chakrabarti, S. Papadimitriou, D. S. Modha and C. Faloutsos, "Fully
       automatic cross-associations", KDD 2004. :doi:`10.1145/1014052.1014064`

    Examples
    --------
    >>> from comitia import Ensemble, method
    >>> X = [[0.0], [1.0], [2.0], [10.0], [11.0], [12.0]]
    >>> votes = Ensemble([[0, 0], [0, 0], [0, 1], [1, 1], [1, 2], [1, 2]])
    >>> fitted = method("cross_assoc_2011")(n_clusters=2).fit(X, ensemble=votes)
    >>> fitted.labels_
    array([0, 0, 0, 1, 1, 1], dtype=int32)
    >>> fitted.clustering_weights_
    array([1., 0.])
    """

    card = MethodCard(
        id="cross_assoc_2011",
        weighs="clusterings",
        approach="fixed",
        needs=("labels", "data"),
        missing="pairs",
        scales="quadratic",
    )

    _parameter_constraints = {
        "threshold": [Interval(Real, 0, 1, closed="left"), None],
        "variant": [StrOptions({"code_length", "printed"})],
    }

    def __init__(
        self,
        n_clusters: int | None = None,
        *,
        threshold: float | None = None,
        variant: str = "code_length",
        max_iter: int = 100,
        generator: Maker = None,
        random_state: Seed = None,
    ) -> None:
        self.n_clusters = n_clusters
        self.threshold = threshold
        self.variant = variant
        self.max_iter = max_iter
        self.generator = generator
        self.random_state = random_state

    def _combine(self, ensemble: Ensemble, X: Data, rng: Rng) -> Array:
        n = ensemble.n_objects
        # Similarities (float32) and which exceed the threshold (bool); asked before the
        # tree, which takes long.
        require_memory(5 * n**2, f"the co-association of {n} objects", "use weac")
        weights = self.clustering_weights_ = self._weigh(ensemble, X)
        self.linkage_ = ensemble_linkage(ensemble, clustering_weights=weights)
        S = ensemble.coassociation(clustering_weights=weights)
        threshold = self.threshold
        if threshold is None:
            # Of the pairs alone: an object is always like itself.
            off_diagonal = float(S.sum(dtype=np.float64) - np.trace(S))
            threshold = off_diagonal / max(n * (n - 1), 1)
        # Rounding must not put a similarity that equals the threshold above it.
        alike = threshold + 1e-6 < S
        np.fill_diagonal(alike, True)
        run = cross_association(
            alike,
            cut(self.linkage_, self._resolve_n_clusters(ensemble)),
            weight_blocks=self.variant == "code_length",
            max_iter=self.max_iter,
        )
        keep_run(self, run, "sweeps", "max_iter")
        return run.labels

    def _weigh(self, ensemble: Ensemble, X: Data) -> Array:
        table = score_table(
            X, ensemble, ["inter_cluster_distance", "intra_cluster_distance"]
        )
        q = merged_ties(table.values[:, 0] - table.values[:, 1])
        above = q - q.min()
        return normalize_weights(above if above.any() else np.ones(len(q)))
