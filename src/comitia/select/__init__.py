"""What is worth keeping of an ensemble: picks, ranks and neighbourhoods."""

from comitia._lazy import attach

__getattr__, __dir__, __all__ = attach(
    __name__,
    {
        "neighborhood": ["multilayer_communities", "relative_neighborhood"],
        "picks": ["best_of_groups", "cover", "greedy_diverse", "top"],
        "rank_aggregation": ["borda_points", "robust_rank"],
    },
)
