"""Hierarchical clusterings."""

from __future__ import annotations

from typing import Any, ClassVar

from numpy.typing import NDArray

from comitia.config import require_memory
from comitia.generate.estimators import EstimatorGenerator, NearestObject

__all__ = ["HierarchicalGenerator"]


class HierarchicalGenerator(EstimatorGenerator):
    r"""Hierarchical clusterings that differ in their linkage and where they are cut.

    Parameters
    ----------
    n_clusterings : int, default=50
        Size of the ensemble, :math:`M`.

    n_clusters : int or (int, int), default=None
        Number of clusters of each clustering, or the range it is drawn from. ``None``
        draws from 2 to :math:`\sqrt{n}`, at most 50.

    linkages : list of str, default=("average", "complete", "single", "ward")
        Linkages of scikit-learn's ``AgglomerativeClustering``; members take turns.

    objects : sampler, default=None
        Which objects a member sees, as for :class:`EstimatorGenerator`.

    features : sampler, default=None
        Which features a member sees, as for :class:`EstimatorGenerator`.

    extend : bool, default=False
        Whether objects that a member did not draw, and new ones, are labelled like
        their nearest neighbour.

    n_jobs : int, default=None
        Number of parallel jobs.

    checkpoint : path-like, default=None
        A folder for finished members. A run that was killed goes on from there.

    verbose : bool, default=False
        Whether to draw a progress bar.

    random_state : int, RandomState instance or None, default=None
        Seed.

    Attributes
    ----------
    ensemble_ : Ensemble
        The clusterings; ``groups`` says which linkage they have.

    members_ : list
        What labels new objects.

    Examples
    --------
    >>> from comitia.generate import HierarchicalGenerator
    >>> X = [[0.0], [0.1], [0.2], [5.0], [5.1], [5.2]]
    >>> generator = HierarchicalGenerator(2, n_clusters=2, linkages=["single", "ward"])
    >>> generator.generate(X).groups.tolist()
    ['single', 'ward']
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **EstimatorGenerator._parameter_constraints,
        "linkages": [tuple, list],
    }

    def __init__(
        self,
        n_clusterings: int = 50,
        *,
        n_clusters: Any = None,
        linkages: Any = ("average", "complete", "single", "ward"),
        objects: Any = None,
        features: Any = None,
        extend: bool = False,
        n_jobs: int | None = None,
        checkpoint: Any = None,
        verbose: Any = False,
        random_state: Any = None,
    ) -> None:
        super().__init__(
            None,
            n_clusterings,
            n_clusters=n_clusters,
            objects=objects,
            features=features,
            extend=extend,
            n_jobs=n_jobs,
            checkpoint=checkpoint,
            verbose=verbose,
            random_state=random_state,
        )
        self.linkages = linkages

    def _estimators(self) -> list[Any]:
        from sklearn.cluster import AgglomerativeClustering

        return [AgglomerativeClustering(linkage=linkage) for linkage in self.linkages]

    def _name(self, model: Any) -> str:
        return model.linkage

    def _prepare(self, X: NDArray[Any]) -> NDArray[Any]:
        if self.objects is None and set(self.linkages) != {"single"}:
            require_memory(
                4 * len(X) ** 2,
                f"the distances of {len(X)} objects",
                "use objects=Subsample(…) with extend=True",
            )
        return X

    def _extension(
        self, seen: NDArray[Any], labels: NDArray[Any], counts: Any
    ) -> NearestObject:
        return NearestObject(seen, labels)
