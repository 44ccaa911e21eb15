"""Communities of a graph, by detectors that depend on chance."""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass
from numbers import Integral, Real
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array, issparse, triu
from sklearn.utils.metaestimators import available_if

from comitia._names import is_network
from comitia._sklearn import Interval, StrOptions
from comitia.cluster.adjacency import check_graph
from comitia.cluster.communities import (
    label_propagation,
    overlapping_label_propagation,
)
from comitia.cluster.leiden_louvain import leiden, louvain
from comitia.ensemble import Ensemble
from comitia.exceptions import ComitiaError
from comitia.generate._neighbor_links import neighbor_graph
from comitia.generate.estimators import n_clusters_range
from comitia.generate.generator import Generator, Plan, draw_seeds
from comitia.generate.member import Made
from comitia.generate.neighbor_spectral import graph_points

__all__ = ["GraphGenerator"]

_DETECTORS = (
    "leiden",
    "louvain",
    "local_moving",
    "label_propagation",
    "overlapping_label_propagation",
    "spectral",
)


def _never(generator: Any) -> bool:
    raise AttributeError("the communities of a graph cannot label new objects.")


@dataclass(eq=False, repr=False)
class GraphGenerator(Generator):
    r"""Communities of a graph, found several times from different seeds.

    The graph is given, or it joins objects with their nearest neighbours. Members go
    through all pairs of a detector and a resolution, in turns.

    Parameters
    ----------
    n_clusterings : shared

    detector : str or list of str, default="leiden"
        "leiden", "louvain", "local_moving" (the first level of Louvain),
        "label_propagation", "overlapping_label_propagation" or "spectral", which is
        k-means on the leading eigenvectors of the graph; members take turns if there
        are several.

    resolution : float or list of float, default=1.0
        For "leiden", "louvain" and "local_moving": larger for more communities;
        members take turns if there are several.

    quality : {"modularity", "cpm"}, default="modularity"
        For "leiden": what is maximised, as for :class:`comitia.cluster.Leiden`.

    edge_fraction : float, default=1.0
        Share of the links that a member sees, drawn anew for each.

    n_clusters : int, (int, int) or (int, None), default=None
        Number of clusters of each clustering, or the range it is drawn from. ``None``
        draws from 2 to :math:`\sqrt{n}`, at most 50. For "spectral" alone: other
        detectors find it.

    threshold : float, default=0.2
        For "overlapping_label_propagation": the least share of a vertex's memory that
        makes it a member of a community.

    affinity : {"auto", "precomputed", "nearest_neighbors"}, default="auto"
        What is given: a graph, or data to be joined with their neighbours. "auto"
        takes square matrices, graphs of networkx and what has ``obsp``, such as
        AnnData, for graphs, and all else for data.

    n_neighbors : int, default=15
        Neighbours that each object is linked to, of data.

    edge_weights : {"jaccard", "gaussian", "binary"}, default="jaccard"
        Weight of a link, of data: the share of their neighbours that its ends have in
        common, :math:`|N_i \cap N_j| / |N_i \cup N_j|` with each its own neighbour;
        :math:`e^{-d_{ij}^2 / \sigma_i \sigma_j}` with the distance :math:`\sigma_i`
        to the farthest neighbour; or 1.

    search : {"auto", "exact", "groups", "pynndescent"}, default="auto"
        How neighbours are looked for: among all objects; among those of the nearest
        of about :math:`\sqrt{n}` groups, which misses a few; or by the package of that
        name (``comitia[neighbors]``). "auto" is exact below 50 000 objects and looks
        in groups beyond.

    n_jobs, checkpoint, verbose, random_state : shared

    Attributes
    ----------
    ensemble_ : Ensemble
        The clusterings, overlapping if any of them is; ``groups`` says who found them
        if there are several detectors.

    Examples
    --------
    >>> import numpy as np
    >>> from comitia.generate import GraphGenerator
    >>> two_pairs = np.kron(np.eye(2), [[0, 1], [1, 0]])
    >>> GraphGenerator(3, random_state=0).generate(two_pairs)
    Ensemble(kind='hard', n_objects=4, n_clusterings=3, n_clusters_total=6)
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "detector": [str, list, tuple],
        "resolution": [Interval(Real, 0, None, closed="left"), list, tuple],
        "quality": [StrOptions({"modularity", "cpm"})],
        "edge_fraction": [Interval(Real, 0, 1, closed="right")],
        "threshold": [Interval(Real, 0, 1, closed="both")],
        "affinity": [StrOptions({"auto", "precomputed", "nearest_neighbors"})],
        "n_neighbors": [Interval(Integral, 1, None, closed="left")],
        "edge_weights": [StrOptions({"jaccard", "gaussian", "binary"})],
        "search": [StrOptions({"auto", "exact", "groups", "pynndescent"})],
    }

    n_clusterings: int | str = 50
    _: KW_ONLY
    detector: Any = "leiden"
    resolution: Any = 1.0
    quality: Any = "modularity"
    edge_fraction: float = 1.0
    n_clusters: Any = None
    threshold: float = 0.2
    affinity: str = "auto"
    n_neighbors: int = 15
    edge_weights: str = "jaccard"
    search: str = "auto"
    n_jobs: int | None = None
    checkpoint: Any = None
    verbose: Any = False
    random_state: Any = None

    transform = available_if(_never)(Generator.transform)

    def check_data(self, X: Any, *, reset: bool = True) -> Any:
        if self.affinity == "nearest_neighbors":
            return super().check_data(X, reset=reset)
        if self.affinity == "precomputed" or _is_graph(X):
            try:
                return check_graph(X)
            except ComitiaError as error:
                if self.affinity == "precomputed" or _is_marked(X):
                    raise
                raise type(error)(
                    f"{error} If X is a table with as many rows as columns, say "
                    'affinity="nearest_neighbors".'
                ) from None
        return super().check_data(X, reset=reset)

    def prepare(self, X: Any) -> csr_array:
        if isinstance(X, csr_array):
            return X
        return neighbor_graph(
            X, self.n_neighbors, edge_weights=self.edge_weights, search=self.search
        )

    def plan(self, X: Any, rng: np.random.RandomState) -> list[Plan]:
        detectors, resolutions = self._detectors(), check_resolutions(self.resolution)
        n = X.shape[0]
        plans = []
        for m, seed in enumerate(draw_seeds(int(self.n_clusterings), rng)):
            name = detectors[m % len(detectors)]
            turn = m // len(detectors)
            plan: Plan = {
                "detector": name,
                "resolution": resolutions[turn % len(resolutions)],
                "seed": seed,
                "group": name if len(detectors) > 1 else None,
            }
            if name == "spectral":
                low, high = n_clusters_range(self.n_clusters, n)
                plan["n_clusters"] = int(rng.randint(low, high + 1))
            plans.append(plan)
        return plans

    def _detectors(self) -> list[str]:
        one = isinstance(self.detector, str)
        detectors = [self.detector] if one else list(self.detector)
        if not detectors or not set(detectors) <= set(_DETECTORS):
            words = ", ".join(f'"{name}"' for name in _DETECTORS)
            raise ComitiaError(
                f"detector={self.detector!r} must be one or several of {words}."
            )
        return detectors

    def fit_member(self, X: csr_array, plan: Plan) -> Made:
        rng = np.random.RandomState(plan["seed"])
        if self.edge_fraction < 1.0:
            X = _some_links(X, self.edge_fraction, rng)
        if plan["detector"] == "overlapping_label_propagation":
            found = overlapping_label_propagation(
                X, rng, threshold=self.threshold, check_input=False
            )
            labels = np.empty(X.shape[0], dtype=np.int64)
            for c in reversed(range(len(found))):
                labels[found[c]] = c
            sizes = np.array([len(one) for one in found])
            state = {"vertices": np.concatenate(found), "sizes": sizes}
            return Made(labels, state=state)
        return Made(self._detect(X, plan, rng))

    def _detect(
        self, X: csr_array, plan: Plan, rng: np.random.RandomState
    ) -> NDArray[Any]:
        name, resolution = plan["detector"], plan["resolution"]
        if name == "leiden":
            return leiden(
                X, rng, quality=self.quality, resolution=resolution, check_input=False
            )
        if name == "label_propagation":
            return label_propagation(X, rng, check_input=False)
        if name == "spectral":
            return _spectral(X, min(plan["n_clusters"], X.shape[0]), plan["seed"])
        levels = 1 if name == "local_moving" else None
        return louvain(
            X, rng, resolution=resolution, max_levels=levels, check_input=False
        )

    def assemble(self, made: list[Made], names: dict[str, Any]) -> Ensemble:
        if not any("vertices" in one.state for one in made):
            return super().assemble(made, names)
        n = len(np.asarray(made[0].labels))
        return Ensemble.from_clusters([_clusters(one) for one in made], n, **names)


def _is_marked(X: Any) -> bool:
    """Whether something is a graph whatever its shape."""
    return hasattr(X, "obsp") or is_network(X)


def _is_graph(X: Any) -> bool:
    """Whether something is square, or knows who is connected with whom."""
    shape = getattr(X, "shape", None)
    if _is_marked(X):
        return True
    shape = np.shape(X) if shape is None and not issparse(X) else shape
    return shape is not None and len(shape) == 2 and shape[0] == shape[1]


def _some_links(A: csr_array, share: float, rng: np.random.RandomState) -> csr_array:
    """The graph with a share of its links."""
    upper = triu(A, k=1, format="coo")
    kept = rng.random_sample(upper.nnz) < share
    i, j, weights = upper.row[kept], upper.col[kept], upper.data[kept]
    half = csr_array((weights, (i, j)), shape=A.shape)
    found = csr_array(half + half.T)
    found.sort_indices()
    return found


def _spectral(A: csr_array, n_clusters: int, seed: int) -> NDArray[Any]:
    """K-means on the leading eigenvectors."""
    import warnings

    from sklearn.cluster import KMeans
    from sklearn.exceptions import ConvergenceWarning

    from comitia._scales import untied, untied_weights

    points = graph_points(A, n_clusters)
    weights = untied_weights(np.abs(points))  # the sign is left to rounding
    with warnings.catch_warnings():
        # Vertices that look alike may be fewer than the clusters.
        warnings.simplefilter("ignore", ConvergenceWarning)
        model = KMeans(n_clusters, n_init=1, random_state=seed)
        labels = model.fit(untied(points), sample_weight=weights).labels_
    return np.unique(labels, return_inverse=True)[1]


def _clusters(made: Made) -> list[Any]:
    if "vertices" in made.state:
        return np.split(made.state["vertices"], np.cumsum(made.state["sizes"])[:-1])
    labels = np.asarray(made.labels)
    order = np.argsort(labels, kind="stable")
    return np.split(order, np.cumsum(np.bincount(labels))[:-1])


def check_resolutions(resolution: Any) -> list[float]:
    """Check one resolution or several."""
    given = [resolution] if isinstance(resolution, Real) else list(resolution)
    if not given or not all(isinstance(r, Real) and float(r) >= 0 for r in given):
        raise ComitiaError(
            f"resolution={resolution!r} must be one or several numbers, none negative."
        )
    return [float(r) for r in given]
