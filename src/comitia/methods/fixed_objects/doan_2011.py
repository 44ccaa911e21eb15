"""Boosted Gaussian mixtures."""

from functools import partial

from comitia._sklearn import StrOptions
from comitia.catalogue import MethodCard
from comitia.generate.boosting import BoostingGenerator
from comitia.generate.boosting_rounds import draw_heaviest, mixture_round
from comitia.generate.boosting_votes import (
    align_to_vote,
    by_pseudoloss,
    no_better_than_chance,
    pseudoloss,
)
from comitia.methods._boosted import BoostedMethod
from comitia.methods._types import Data, Seed

__all__ = ["BoostedMixtures"]


class BoostedMixtures(BoostedMethod):
    r"""Boosted Gaussian mixtures on the hardest objects.

    Boost-clustering with a Gaussian mixture in each round, fitted to the objects that
    the last rounds could not decide on [1]_.

    Parameters
    ----------
    n_clusters : int, default=None
        Number of clusters. ``None`` takes the eigengap of plain k-means clusterings.

    n_rounds : int, default=3
        Most clusterings. More than a few do harm; see the notes.

    variant : {"minmax", "entropy"}, default="minmax"
        How undecided an object is: one less the range of its probabilities, or their
        entropy.

    random_state : int, RandomState instance or None, default=None
        Seed of the clusterings.

    Attributes
    ----------
    object_weights_ : ndarray of shape (n_objects,)
        Weight of each object after the last round; they sum to 1.

    clustering_weights_ : ndarray of shape (n_clusterings,)
        Weight of the vote of each clustering; they sum to 1.

    Notes
    -----
    Instead of a sample, round t takes the

    .. math::
        \mathrm{round}\Bigl( \exp\Bigl( -\sum_i w_i \ln w_i \Bigr) \Bigr)

    objects of largest weight: all n in the first round, and fewer as the weights
    concentrate. The memberships are the posterior probabilities of all objects; loss,
    weights, votes and alignment are those of
    :class:`~comitia.methods.fixed_objects.boost_clustering.BoostClustering`.

    At least :math:`k (p + 1)` objects are taken, so that covariances can be full; they
    are diagonal if there are not so many objects. A millionth of the mean variance of
    the features is added to the diagonal of every covariance. Of equal weights at the
    cut the lowest index is taken.

    Mixtures of the hardest objects say little about the others, and are sure of it, so
    their votes are heavy. The adjusted Rand index falls with the number of rounds: on
    iris it is 0.92 after 3 rounds, 0.86 after 5 and 0.28 after 20 (mean of six seeds),
    on wine 0.87, 0.80 and 0.46. The number of rounds is not known from the paper; the
    default was chosen among 1, 3, 5, 10 and 20 by these very scores, against the known
    classes, so they are no estimate of how well it does elsewhere. A single mixture
    reaches 0.90 and 0.89.

    The paper is not identified: the review cites it by the key "Doan:2011:SIC" alone.

    References
    ----------
    .. [1] Doan et al., 2011, as described in M. Zhang, "Weighted clustering ensemble: a
       review", Pattern Recognition 124, 2022. :doi:`10.1016/j.patcog.2021.108428`

    Examples
    --------
    >>> from comitia import method
    >>> X = [[0.0], [0.1], [0.2], [5.0], [5.1], [5.2]]
    >>> method("doan_2011")(n_clusters=2, random_state=0).fit_predict(X)
    array([0, 0, 0, 1, 1, 1], dtype=int32)
    """

    card = MethodCard(
        id="doan_2011",
        weighs="objects",
        approach="fixed",
        needs="data",
        scales="linear",
    )

    _parameter_constraints = {
        "variant": [StrOptions({"minmax", "entropy"})],
    }

    def __init__(
        self,
        n_clusters: int | None = None,
        *,
        n_rounds: int = 3,
        variant: str = "minmax",
        random_state: Seed = None,
    ) -> None:
        self.n_clusters = n_clusters
        self.n_rounds = n_rounds
        self.variant = variant
        self.random_state = random_state

    def _boosting(self, X: Data, n_clusters: int) -> BoostingGenerator:
        enough = n_clusters * (X.shape[1] + 1)
        return BoostingGenerator(
            self.n_rounds,
            draw=partial(draw_heaviest, at_least=enough),
            cluster=partial(mixture_round, n_clusters=n_clusters),
            align=align_to_vote,
            measure=partial(pseudoloss, variant=self.variant),
            stop=no_better_than_chance,
            reweight=by_pseudoloss,
        )
