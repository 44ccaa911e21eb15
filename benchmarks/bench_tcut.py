"""The transfer cut and k-means on label rows, at a million objects.

The matrix B'D⁻¹B against the sparse product of SciPy; the whole cut, LWGP with its
weights; and the k-means of SEC and KCC.
"""

import numpy as np
from scipy.sparse import diags_array
from sklearn.metrics import adjusted_rand_score

from benchmarks.ensembles import planted_labels
from benchmarks.harness import Row, cpu, peak_mb, two_thread_wall
from comitia import Ensemble, method
from comitia.partition import tcut
from comitia.partition.transfer_cut import degrees, graph_contingency
from comitia.represent import bipartite_graph

N_CLUSTERS, N_CLUSTERINGS, NOISE = 50, 20, 0.5


def run(scale: str) -> list[Row]:
    """Our rows."""
    n = 1_000_000 if scale == "full" else 2_000
    graph, truth = _graph(n)
    size = f"n={n} M={N_CLUSTERINGS} k={N_CLUSTERS}"
    return [
        _product(graph, size),
        _cut(graph, truth, size),
        _lwgp(graph.ensemble, truth, size),
        *_rows(graph.ensemble, truth, size),
    ]


def product_case(n):
    """B'D⁻¹B alone."""
    graph, _ = _graph(n)
    shares = 1.0 / degrees(graph)
    return lambda: graph_contingency(graph.ensemble, shares)


def cut_case(n):
    """The whole cut, from labels that are an Ensemble already."""
    graph, _ = _graph(n)
    return lambda: _cut_once(graph)


def sec_case(n):
    """SEC with three starts."""
    ensemble = _graph(n)[0].ensemble
    return lambda: method("sec")(N_CLUSTERS, n_init=3, random_state=0).fit(ensemble)


def _graph(n):
    labels, truth = planted_labels(n, N_CLUSTERS, N_CLUSTERINGS, NOISE, seed=0)
    codes = np.ascontiguousarray(labels.T.astype(np.uint8))
    ensemble = Ensemble.from_codes(codes, np.full(N_CLUSTERINGS, N_CLUSTERS))
    weights = np.random.RandomState(0).uniform(0.1, 1.0, ensemble.n_clusters_total)
    return bipartite_graph(ensemble, cluster_weights=weights), truth


def _fresh(ensemble):
    # What an ensemble keeps once it is computed must not be free the second time.
    return Ensemble.from_codes(ensemble.codes, ensemble.n_clusters_each)


def _cut_once(graph):
    fresh = type(graph)(_fresh(graph.ensemble), graph.weights)
    return tcut(fresh, N_CLUSTERS, np.random.RandomState(0))


def _product(graph, size):
    n = graph.ensemble.n_objects
    shares = 1.0 / degrees(graph)
    B = graph.ensemble.membership
    D = diags_array(shares)
    ours, theirs = graph_contingency(graph.ensemble, shares), B.T @ (D @ B)
    worst = np.abs(ours - theirs.toarray()).max() / ours.max()
    return Row(
        "B'D⁻¹B",
        size,
        cpu(lambda: graph_contingency(graph.ensemble, shares)),
        "scipy sparse product",
        cpu(lambda: B.T @ (D @ B), 2, warm_up=False),
        35,
        wall2_s=two_thread_wall(product_case, n),
        note=f"largest difference {worst:.0e} of the largest entry; peer best of 2",
    )


def _cut(graph, truth, size):
    n = graph.ensemble.n_objects
    score = adjusted_rand_score(truth, _cut_once(graph))
    return Row(
        "tcut",
        size,
        cpu(lambda: _cut_once(graph), 3),
        target="<= 3.5 s, <= 0.5 GB",
        wall2_s=two_thread_wall(cut_case, n),
        peak_mb=peak_mb(cut_case, n, warm_up=(2_000,)),
        note=f"ARI {score:.3f} to the planted partition; memory with the labels",
    )


def _lwgp(ensemble, truth, size):
    fitted = method("lwgp")(N_CLUSTERS, random_state=0).fit(ensemble)
    score = adjusted_rand_score(truth, fitted.labels_)
    return Row(
        "lwgp",
        size,
        cpu(
            lambda: method("lwgp")(N_CLUSTERS, random_state=0).fit(_fresh(ensemble)), 3
        ),
        note=f"ARI {score:.3f} to the planted partition",
    )


def _rows(ensemble, truth, size):
    n = ensemble.n_objects
    for name in ("sec", "kcc"):
        fitted = method(name)(N_CLUSTERS, n_init=3, random_state=0).fit(ensemble)
        score = adjusted_rand_score(truth, fitted.labels_)
        yield Row(
            name,
            size,
            cpu(
                lambda name=name: method(name)(
                    N_CLUSTERS, n_init=3, random_state=0
                ).fit(_fresh(ensemble)),
                2,
            ),
            peak_mb=peak_mb(sec_case, n, warm_up=(2_000,)) if name == "sec" else None,
            note=f"{fitted.n_iter_} passes after 3 starts on a sample; ARI {score:.3f}",
        )
