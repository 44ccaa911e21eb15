"""Tools: consensus clusters of cells, and the resolution that seeds agree on."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from scipy.sparse import csr_array

from comitia.ensemble import Ensemble
from comitia.evaluate import Stability, stability
from comitia.exceptions import ComitiaError
from comitia.generate.graph_generator import check_resolutions
from comitia.scanpy._cells import cell_graph, check_cells, own_copy, write_clusters

__all__ = ["choose_resolution", "consensus"]

# From one or two clusters of most tissues to their subtypes, on scanpy's graphs.
_RESOLUTIONS = (0.1, 0.2, 0.3, 0.5, 0.7, 1.0, 1.4, 2.0)


def consensus(
    adata: Any,
    resolution: float | Sequence[float] = 1.0,
    *,
    obs_keys: Sequence[str] | None = None,
    method: Any = "lf_consensus",
    n_clusterings: int = 20,
    detector: Any = "leiden",
    edge_fraction: float = 1.0,
    neighbors_key: str | None = None,
    obsp: str | None = None,
    use_rep: str | None = None,
    key_added: str = "consensus",
    random_state: Any = 0,
    n_jobs: int | None = None,
    copy: bool = False,
) -> Any:
    """Cluster cells by the consensus of several runs on their graph.

    Leiden runs with several seeds, at one or several resolutions, and a method combines
    what it finds. Clusters that one seed finds and another does not are so seen as what
    they are.

    Parameters
    ----------
    adata : AnnData
        The cells, with the graph that ``scanpy.pp.neighbors`` makes. Without one, the
        15 nearest neighbours in ``obsm["X_pca"]`` are joined.

    resolution : float or sequence of float, default=1.0
        Larger for more clusters. Runs take turns if there are several.

    obs_keys : sequence of str, default=None
        Columns of ``obs`` with clusterings that are there already, such as those of
        ``scanpy.tl.leiden``; they are combined, and no others are made.

    method : str or EnsembleMethod, default="lf_consensus"
        Combines the runs: a catalogue id, such as "ecg" or "fast_ensemble", or a
        method with its parameters, such as ``comitia.method("lwgp")(8)``.

    n_clusterings : int, default=20
        Number of runs, of all resolutions together.

    detector : str or list of str, default="leiden"
        What finds communities, as for :class:`comitia.generate.GraphGenerator`.

    edge_fraction : float, default=1.0
        Share of the links that a run sees, drawn anew for each.

    neighbors_key : str, default=None
        Entry of ``uns`` that ``scanpy.pp.neighbors`` wrote; "neighbors" by default.

    obsp : str, default=None
        Entry of ``obsp`` with the graph, in place of ``neighbors_key``.

    use_rep : str, default=None
        Entry of ``obsm`` of which neighbours are joined, in place of a graph.

    key_added : str, default="consensus"
        Name of what is written.

    random_state : int, RandomState instance or None, default=0
        Seed.

    n_jobs : int, default=None
        How many runs are made at a time. It changes no result.

    copy : bool, default=False
        Whether to write into a copy, and to return that.

    Returns
    -------
    adata : AnnData or None
        The copy if ``copy``, else None. Written are ``obs[key_added]``, a categorical
        with "0" for the largest cluster; ``obs[key_added + "_confidence"]``, how
        probable the cluster of each cell is; and ``uns[key_added]``, with ``params``,
        ``weights`` of the runs as far as the method weighs them, and ``stability`` of
        the resolutions (:func:`comitia.stability`).

    Examples
    --------
    >>> import anndata
    >>> import numpy as np
    >>> import comitia.scanpy
    >>> rng = np.random.RandomState(0)
    >>> adata = anndata.AnnData(np.zeros((90, 1)))
    >>> adata.obsm["X_pca"] = rng.randn(90, 5) + 6 * np.repeat(np.eye(3, 5), 30, axis=0)
    >>> comitia.scanpy.tl.consensus(adata, 0.5)
    >>> adata.obs["consensus"].value_counts().to_dict()
    {'0': 30, '1': 30, '2': 30}
    """
    check_cells(adata)
    estimator = _estimator(method, random_state)
    resolutions = check_resolutions(resolution)
    graph, where = None, "obs"
    if obs_keys is None or "graph" in estimator.card.needs:
        graph, where = cell_graph(adata, neighbors_key, obsp, use_rep)
    settings: list[float] | None = None
    if obs_keys is not None:
        ensemble = _of_columns(adata, obs_keys)
    else:
        assert graph is not None
        ensemble = _runs(
            graph,
            n_clusterings,
            resolutions,
            detector,
            edge_fraction,
            random_state,
            n_jobs,
        )
        if isinstance(detector, str):
            settings = np.resize(resolutions, n_clusterings).tolist()
    if "graph" in estimator.card.needs:
        estimator.fit(graph, ensemble=ensemble)
    else:
        estimator.fit(ensemble)
    adata = own_copy(adata, copy)
    write_clusters(adata, key_added, estimator.labels_, estimator.confidence_)
    params: dict[str, Any] = {
        "method": estimator.card.id,
        "graph": where,
        "n_clusterings": ensemble.n_clusterings,
    }
    if obs_keys is None:
        params |= {
            "resolution": np.array(resolutions),
            "detector": np.atleast_1d(detector).astype(object),
            "edge_fraction": float(edge_fraction),
        }
    else:
        params["obs_keys"] = np.array(list(obs_keys), dtype=object)
    params |= _seed(random_state)
    written: dict[str, Any] = {
        "params": params,
        "weights": {
            name: np.asarray(weights)
            for name, weights in estimator.vote_weights().items()
        },
    }
    if settings is not None and len(settings) > len(resolutions):
        written["stability"] = _as_entries(stability(ensemble, settings))
    adata.uns[key_added] = written
    return adata if copy else None


def choose_resolution(
    adata: Any,
    resolutions: Sequence[float] = _RESOLUTIONS,
    *,
    n_clusterings: int = 10,
    threshold: float = 1.005,
    edge_fraction: float = 1.0,
    neighbors_key: str | None = None,
    obsp: str | None = None,
    use_rep: str | None = None,
    key_added: str = "stable",
    random_state: Any = 0,
    n_jobs: int | None = None,
    copy: bool = False,
) -> Any:
    """Find the resolutions at which Leiden says the same whatever its seed.

    Of these the one with the most clusters is taken; where none is, the least
    inconsistent, and ``uns`` says so.

    Parameters
    ----------
    adata : AnnData
        The cells, as for :func:`consensus`.

    resolutions : sequence of float, default=(0.1, 0.2, 0.3, 0.5, 0.7, 1.0, 1.4, 2.0)
        What to try.

    n_clusterings : int, default=10
        Runs for each resolution, at least 2.

    threshold : float, default=1.005
        Inconsistency below which a resolution is consistent, above 1.

    edge_fraction : float, default=1.0
        Share of the links that a run sees, drawn anew for each. On graphs of a few
        hundred cells all seeds may find the same chance division; 0.95, with a
        threshold of 1.02, may guard against that.

    neighbors_key, obsp, use_rep : str, default=None
        Where the graph is from, as for :func:`consensus`.

    key_added : str, default="stable"
        Name of what is written.

    random_state, n_jobs, copy : shared
        As for :func:`consensus`.

    Returns
    -------
    adata : AnnData or None
        The copy if ``copy``, else None. Written are ``obs[key_added]``, the run at the
        chosen resolution that is most like the others; ``obs[key_added +
        "_confidence"]``, how stable each cell is there; and ``uns[key_added]``, with
        ``resolution``, whether it is ``consistent``, ``params``, the ``stability`` of
        all resolutions, and ``cluster_stability`` in the order of the names.

    Notes
    -----
    See :func:`comitia.stability` for the inconsistency and for what it cannot say:
    coarser resolutions that are consistent too may be the better answer to another
    question.

    Examples
    --------
    >>> import anndata
    >>> import numpy as np
    >>> import comitia.scanpy
    >>> rng = np.random.RandomState(0)
    >>> adata = anndata.AnnData(np.zeros((90, 1)))
    >>> adata.obsm["X_pca"] = rng.randn(90, 5) + 6 * np.repeat(np.eye(3, 5), 30, axis=0)
    >>> comitia.scanpy.tl.choose_resolution(adata, [0.1, 0.5, 3.0])
    >>> adata.obs["stable"].nunique()
    3
    """
    check_cells(adata)
    tried = sorted(set(check_resolutions(resolutions)))
    if not isinstance(n_clusterings, int | np.integer) or n_clusterings < 2:
        raise ComitiaError(
            f"n_clusterings={n_clusterings!r} must be a whole number, 2 or more: runs "
            "of each resolution."
        )
    graph, where = cell_graph(adata, neighbors_key, obsp, use_rep)
    total = int(n_clusterings) * len(tried)
    ensemble = _runs(graph, total, tried, "leiden", edge_fraction, random_state, n_jobs)
    found = stability(ensemble, np.resize(tried, total).tolist(), threshold=threshold)
    chosen = found.best
    if chosen is None:
        chosen = found.settings[int(np.argmin(found.inconsistency))]
    at = found.settings.index(chosen)
    adata = own_copy(adata, copy)
    order = write_clusters(
        adata, key_added, found.labels[at], found.object_stability[at]
    )
    params: dict[str, Any] = {
        "graph": where,
        "n_clusterings": int(n_clusterings),
        "edge_fraction": float(edge_fraction),
    }
    params |= _seed(random_state)
    adata.uns[key_added] = {
        "params": params,
        "resolution": float(chosen),
        "consistent": bool(found.consistent[at]),
        "stability": _as_entries(found),
        "cluster_stability": found.cluster_stability[at][order],
    }
    return adata if copy else None


def _runs(
    graph: csr_array,
    n_clusterings: int,
    resolutions: list[float],
    detector: Any,
    edge_fraction: float,
    random_state: Any,
    n_jobs: int | None,
) -> Ensemble:
    from comitia.generate import GraphGenerator

    return GraphGenerator(
        n_clusterings,
        detector=detector,
        resolution=resolutions,
        edge_fraction=edge_fraction,
        affinity="precomputed",
        n_jobs=n_jobs,
        random_state=random_state,
    ).generate(graph)


def _seed(random_state: Any) -> dict[str, int]:
    """What ``params`` keeps of a seed: a number, and no generator."""
    whole = isinstance(random_state, int | np.integer)
    return {"random_state": int(random_state)} if whole else {}


def _of_columns(adata: Any, obs_keys: Sequence[str]) -> Ensemble:
    keys = [obs_keys] if isinstance(obs_keys, str) else list(obs_keys)
    missing = [key for key in keys if key not in adata.obs]
    if missing or not keys:
        raise ComitiaError(
            f"obs_keys={obs_keys!r} must name columns of obs"
            + (f"; there is no {missing[0]!r}." if missing else ", one at least.")
        )
    columns = [adata.obs[key].astype(object).to_numpy() for key in keys]
    return Ensemble(columns, clustering_names=[str(key) for key in keys])


def _estimator(method: Any, random_state: Any) -> Any:
    """The method that is meant, with a seed."""
    from sklearn.base import clone

    from comitia.base import EnsembleMethod
    from comitia.catalogue import method as method_of_id

    if isinstance(method, EnsembleMethod):
        estimator = clone(method)
        if getattr(estimator, "random_state", 0) is None:
            estimator.set_params(random_state=random_state)
    elif isinstance(method, str):
        cls = method_of_id(method)
        estimator = cls()
        if "random_state" in estimator.get_params(deep=False):
            estimator.set_params(random_state=random_state)
    else:
        raise ComitiaError(
            f"method={method!r} must be a catalogue id, such as 'ecg', or a method."
        )
    if not set(estimator.card.needs) <= {"labels", "graph"} or (
        "labels" not in estimator.card.needs
    ):
        raise ComitiaError(
            f"{estimator.card.id} needs {' and '.join(estimator.card.needs)}; runs on "
            'a graph are combined by comitia.methods(needs="labels").'
        )
    return estimator


def _as_entries(found: Stability) -> dict[str, Any]:
    """What ``uns`` keeps, as arrays that a file can hold."""
    return {
        "resolution": np.array(found.settings, dtype=np.float64),
        "inconsistency": found.inconsistency,
        "consistent": found.consistent,
        "n_clusters": found.n_clusters,
        "threshold": found.threshold,
    }
