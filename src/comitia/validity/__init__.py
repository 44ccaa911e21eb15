"""How good one clustering is on its data: the internal indices.

One function for each index, ``index(X, labels)``; :func:`score_table` for every index
of every clustering of an ensemble; :func:`unify` to put the columns of such a table on
one scale, larger being better.
"""

from comitia._lazy import attach

__getattr__, __dir__, __all__ = attach(
    __name__,
    {
        "clustered": ["Clustered"],
        "centers": [
            "centroid_dunn",
            "centroid_separation_ratio",
            "cluster_size_difference",
            "compactness",
            "davies_bouldin",
            "index_i",
            "inter_cluster_distance",
            "intra_cluster_distance",
            "mean_cluster_size",
            "mean_distance_to_center",
            "simplified_silhouette",
            "xie_beni",
        ],
        "pairs": [
            "connectedness",
            "dunn",
            "hubert_normalized",
            "hubert_raw",
            "modified_hubert",
            "point_symmetry",
            "silhouette",
            "silhouette_samples",
        ],
        "registry": ["INDICES", "Index", "get_index"],
        "scatter": [
            "calinski_harabasz",
            "hartigan",
            "krzanowski_lai",
            "r_squared",
            "rmsstd",
            "s_dbw",
            "sd",
            "sse",
        ],
        "table": ["ScoreTable", "score_table"],
        "unification": ["finite_scores", "positive_scores", "unify"],
    },
)
