"""From an ensemble and its weights to a matrix, a graph or aligned votes."""

from comitia._lazy import attach

__getattr__, __dir__, __all__ = attach(
    __name__,
    {
        "alignment": ["align", "align_clusters"],
        "coassociation": [
            "coassociation",
            "coassociation_blocks",
            "condensed_coassociation",
        ],
        "edges": ["edge_coassociation"],
        "graphs": [
            "bipartite_graph",
            "combined_weights",
            "jaccard_clusters",
            "knn_graph",
            "laplacian",
        ],
        "implicit": ["ImplicitCoassociation"],
        "random_walk": ["random_walk_similarity"],
        "soft_assignment": ["profile_similarity", "soft_assignment"],
        "votes": ["overlaps"],
    },
)
