"""Boost-clustering."""

from functools import partial
from typing import Literal

from comitia._parameter_rules import SHARED
from comitia._sklearn import StrOptions
from comitia.catalogue import MethodCard
from comitia.generate.boosting import BoostingGenerator
from comitia.generate.boosting_rounds import draw_objects, fuzzy_round, kmeans_round
from comitia.generate.boosting_votes import (
    align_to_vote,
    by_pseudoloss,
    no_better_than_chance,
    pseudoloss,
)
from comitia.methods._boosted import BoostedMethod
from comitia.methods._types import Data, Seed

__all__ = ["BoostClustering"]


class BoostClustering(BoostedMethod):
    r"""Boost-clustering.

    Each clustering is made on a sample in which the objects are more likely that the
    last one could not decide on, and votes with more weight the more it decided [1]_.

    Parameters
    ----------
    n_clusters : int, default=None
        Number of clusters. ``None`` takes the eigengap of plain k-means clusterings.

    n_rounds : int, default=20
        Most clusterings.

    variant : {"minmax", "entropy"}, default="minmax"
        How undecided an object is: one less the range of its memberships, or their
        entropy.

    fuzziness : float or "auto", default=None
        Find the centres by fuzzy c-means with this exponent; by k-means when None.
        "auto" takes 2 in few dimensions and less in many.

    random_state : int, RandomState instance or None, default=None
        Seed of the clusterings.

    Attributes
    ----------
    object_weights_ : ndarray of shape (n_objects,)
        Probability of each object to be drawn after the last round; they sum to 1.

    clustering_weights_ : ndarray of shape (n_clusterings,)
        Weight of the vote of each clustering; they sum to 1.

    Notes
    -----
    Round t clusters a bootstrap sample drawn with probabilities :math:`w_i`. All
    objects get memberships :math:`F_{ir} = d_{ir}^{-1} / \sum_s d_{is}^{-1}` by their
    distances to the centres, whether k-means or fuzzy c-means found them. Then

    .. math::
        Q_i = 1 - \max_r F_{ir} + \min_r F_{ir}
        \quad\text{or}\quad -\tfrac{1}{\ln k} \textstyle\sum_r F_{ir} \ln F_{ir},
        \qquad \varepsilon_t = \tfrac12 \sum_i w_i Q_i,

    .. math::
        w_i \propto w_i \left( \frac{1 - \varepsilon_t}{\varepsilon_t} \right)^{Q_i},
        \qquad v_t \propto \ln \frac{1 - \varepsilon_t}{\varepsilon_t}.

    A clustering gets the names of the vote so far, :math:`\arg\max_r \sum_t v_t
    F^t_{ir}`, by most shared objects; the last vote is the result. A cluster that wins
    no object is missing from it.

    The review prints the entropy without :math:`1 / \ln k`; the loss then exceeds one
    half for three clusters or more (0.693 for four and even memberships) and the vote
    turns negative. :math:`\varepsilon_t` is 1e-6 at the least. The loop ends when it is
    one half, or when a sample has fewer objects than clusters. The paper is recalled to
    stop also when the loss rises. Weights move to hard objects, so it does: in the
    second round already for 19 of 20 seeds on iris, and for 15 on wine. That would
    leave a single clustering, and is not done.

    Before, the memberships were those that fuzzy c-means minimises with. In more than a
    few dimensions these are nearly crisp: :math:`\varepsilon_t` is small, weights grow
    by the power of a large number, and after twenty rounds samples were drawn from a
    few objects on the borders (3 % of those of breast cancer data, in effective number;
    46 % with the formula above). Adjusted Rand indices over ten seeds and with
    ``fuzziness="auto"`` were 0.64 on wine and 0.01 on breast cancer, and are 0.84 and
    0.54.

    References
    ----------
    .. [1] D. Frossyniotis, A. Likas and A. Stafylopatis, "A clustering method based on
       boosting", Pattern Recognition Letters 25(6), 2004.
       :doi:`10.1016/j.patrec.2003.12.018`

    Examples
    --------
    >>> from comitia import method
    >>> X = [[0.0], [0.1], [0.2], [5.0], [5.1], [5.2]]
    >>> method("boost_clustering")(n_clusters=2, random_state=0).fit_predict(X)
    array([0, 0, 0, 1, 1, 1], dtype=int32)
    """

    card = MethodCard(
        id="boost_clustering",
        weighs="objects",
        approach="fixed",
        needs="data",
        scales="linear",
    )

    _parameter_constraints = {
        "variant": [StrOptions({"minmax", "entropy"})],
        "fuzziness": [*SHARED["fuzziness"], StrOptions({"auto"}), None],
    }

    def __init__(
        self,
        n_clusters: int | None = None,
        *,
        n_rounds: int = 20,
        variant: str = "minmax",
        fuzziness: float | Literal["auto"] | None = None,
        random_state: Seed = None,
    ) -> None:
        self.n_clusters = n_clusters
        self.n_rounds = n_rounds
        self.variant = variant
        self.fuzziness = fuzziness
        self.random_state = random_state

    def _boosting(self, X: Data, n_clusters: int) -> BoostingGenerator:
        cluster = partial(kmeans_round, soft=True)
        if self.fuzziness is not None:
            cluster = partial(fuzzy_round, fuzziness=self.fuzziness, inverse=True)
        return BoostingGenerator(
            self.n_rounds,
            draw=draw_objects,
            cluster=partial(cluster, n_clusters=n_clusters),
            align=align_to_vote,
            measure=partial(pseudoloss, variant=self.variant),
            stop=no_better_than_chance,
            reweight=by_pseudoloss,
        )
