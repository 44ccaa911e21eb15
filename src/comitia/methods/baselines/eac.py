"""EAC."""

from comitia.base import EnsembleMethod
from comitia.catalogue import MethodCard
from comitia.methods._types import Array, Data, Ensemble, Linkage, Maker, Rng, Seed
from comitia.partition import cut, ensemble_linkage

__all__ = ["EAC"]


class EAC(EnsembleMethod):
    r"""Evidence accumulation clustering.

    Two objects are as similar as the share of clusterings that put them together, and
    a tree is grown on these similarities [1]_. Nothing is weighted: most weighted
    methods are this one with better evidence.

    Parameters
    ----------
    n_clusters : shared

    linkage : {"single", "complete", "average", "ward"}, default="average"
        Distance of two clusters in the tree. The paper has ``"single"`` and
        ``"average"``.

    generator : shared

    random_state : int, RandomState instance or None, default=None
        Seed of the generator.

    Attributes
    ----------
    linkage_ : shared

    Notes
    -----
    The distance of objects i and j is :math:`1 - A_{ij}`, with the co-association

    .. math::
        A_{ij} = \frac{1}{M} \sum_{m=1}^{M} [\,i \text{ and } j \text{ together in }
        C_m\,].

    Single and average linkage do without the n by n matrix. Objects that a clustering
    leaves out are together with nobody there.

    References
    ----------
    .. [1] A. L. N. Fred and A. K. Jain, "Combining multiple clusterings using evidence
       accumulation", IEEE TPAMI 27(6), 2005. :doi:`10.1109/TPAMI.2005.113`

    Examples
    --------
    >>> from comitia import Ensemble, method
    >>> votes = Ensemble([[0, 0, 0], [0, 0, 1], [1, 1, 1], [1, 1, 1]])
    >>> method("eac")(n_clusters=2).fit_predict(votes)
    array([0, 0, 1, 1], dtype=int32)
    """

    card = MethodCard(
        id="eac",
        weighs="nothing",
        approach="baseline",
        needs="labels",
        missing="pairs",
        scales="quadratic",
    )

    def __init__(
        self,
        n_clusters: int | None = None,
        *,
        linkage: Linkage = "average",
        generator: Maker = None,
        random_state: Seed = None,
    ) -> None:
        self.n_clusters = n_clusters
        self.linkage = linkage
        self.generator = generator
        self.random_state = random_state

    def _combine(self, ensemble: Ensemble, X: Data, rng: Rng) -> Array:
        self.linkage_ = ensemble_linkage(ensemble, linkage=self.linkage)
        return cut(self.linkage_, self._resolve_n_clusters(ensemble))
