"""What is worth keeping: clusterings, clusters and the columns that judge them."""

from comitia._lazy import attach

__getattr__, __dir__, __all__ = attach(
    __name__,
    {
        "features": [
            "laplacian_scores",
            "n_components",
            "reduce_features",
            "spectral_scores",
        ],
        "picks": [
            "best_of_groups",
            "cover",
            "greedy_diverse",
            "index_distinctness",
            "leaders",
            "share_out",
            "top",
        ],
        "ranks": ["borda_points", "mean_rank", "mid_ranks", "robust_rank"],
    },
)
