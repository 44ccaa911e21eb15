"""From an ensemble and its weights to a matrix, a graph or aligned votes."""

from comitia._lazy import attach

__getattr__, __dir__, __all__ = attach(
    __name__,
    {
        "alignment": ["align", "align_clusters", "aligned_votes", "match_clusters"],
        "coassociation": [
            "coassociation",
            "coassociation_blocks",
            "combined_weights",
            "condensed_coassociation",
        ],
        "graphs": [
            "BipartiteGraph",
            "bipartite_graph",
            "jaccard_clusters",
            "knn_graph",
            "laplacian",
        ],
        "implicit": ["ImplicitCoassociation"],
        "mean_distances": ["mean_distances"],
        "link_similarity": ["link_similarity", "refine_by_links", "soft_jaccard"],
        "random_walk": ["propagated_coassociation", "random_walk_similarity"],
        "partition_kernel": [
            "PartitionKernel",
            "path_kernel",
            "path_kernel_table",
            "subset_kernel",
            "subset_kernel_table",
        ],
        "series": [
            "SERIES_REPRESENTATIONS",
            "fourier_coefficients",
            "piecewise_statistics",
            "piecewise_wavelets",
            "polynomial_coefficients",
            "represent_series",
        ],
        "soft_assignment": [
            "distance_shares",
            "profile_similarity",
            "soft_assignment",
            "weighted_centers",
        ],
        "summary": [
            "Profile",
            "binned_coassociation",
            "cluster_profile",
            "consensus_order",
            "embed_objects",
            "seriated_order",
        ],
        "weighted_association": ["weighted_association"],
        "tnorm": ["tnorm_coassociation"],
        "views": [
            "balance_view",
            "graph_on",
            "impute_views",
            "presence_weights",
            "row_scale",
            "scale_view",
            "view_limits",
        ],
        "votes": [
            "cluster_shares",
            "overlaps",
            "overlaps_with",
            "spread_shares",
            "vote_shares",
        ],
    },
)
