"""What is worth keeping: clusterings, clusters and the columns that judge them."""

from comitia._lazy import attach

__getattr__, __dir__, __all__ = attach(
    __name__,
    {
        "clusters": [
            "cluster_stability",
            "edited_stability",
            "kept_coassociation",
        ],
        "features": [
            "laplacian_scores",
            "n_components",
            "reduce_features",
            "spectral_scores",
        ],
        "neighborhood": [
            "multilayer_communities",
            "relative_neighborhood",
            "seed_communities",
        ],
        "picks": [
            "best_of_groups",
            "cover",
            "cover_clusters",
            "diversity_shares",
            "greedy_diverse",
            "index_distinctness",
            "leaders",
            "share_out",
            "top",
        ],
        "subsets": ["graph_scores", "relevance_redundancy", "subset_weights"],
        "ranks": ["borda_points", "mean_rank", "mid_ranks", "robust_rank"],
    },
)
