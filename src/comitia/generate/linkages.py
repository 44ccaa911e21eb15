"""Hierarchical clusterings."""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass
from typing import Any, ClassVar

from numpy.typing import NDArray

from comitia.config import require_memory
from comitia.generate.estimators import EstimatorGenerator
from comitia.generate.nearest_models import NearestObject

__all__ = ["HierarchicalGenerator"]


@dataclass(eq=False, repr=False)
class HierarchicalGenerator(EstimatorGenerator):
    r"""Hierarchical clusterings that differ in their linkage and where they are cut.

    Parameters
    ----------
    n_clusterings, n_clusters : shared

    linkages : list of str, default=("average", "complete", "single", "ward")
        Linkages of scikit-learn's ``AgglomerativeClustering``; members take turns.

    objects, features : shared

    extend : bool, default=False
        Whether objects that a member did not draw, and new ones, are labelled like
        their nearest neighbour.

    n_jobs, checkpoint, verbose, random_state : shared

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
        "linkages": [tuple, list],
    }

    n_clusterings: int | str = 50
    _: KW_ONLY
    n_clusters: Any = None
    linkages: Any = ("average", "complete", "single", "ward")
    objects: Any = None
    features: Any = None
    extend: bool = False
    n_jobs: int | None = None
    checkpoint: Any = None
    verbose: Any = False
    random_state: Any = None

    def estimators(self) -> list[Any]:
        from sklearn.cluster import AgglomerativeClustering

        return [AgglomerativeClustering(linkage=linkage) for linkage in self.linkages]

    def group_of(self, model: Any) -> str:
        return model.linkage

    def prepare(self, X: NDArray[Any]) -> NDArray[Any]:
        if self.objects is None and set(self.linkages) != {"single"}:
            require_memory(
                4 * len(X) ** 2,
                f"the distances of {len(X)} objects",
                "use objects=Subsample(…) with extend=True",
            )
        return X

    def extension(
        self, seen: NDArray[Any], labels: NDArray[Any], counts: Any
    ) -> NearestObject:
        return NearestObject(seen, labels)
