"""Numbers in, numbers out: projections, small programmes and factorisations."""

from comitia._lazy import attach

__getattr__, __dir__, __all__ = attach(
    __name__,
    {
        "bregman": [
            "Bregman",
            "bregman_divergence",
            "bregman_elementwise",
            "get_bregman",
            "left_centroid",
            "right_centroid",
        ],
        "evolution": [
            "Evolution",
            "evolve",
            "non_dominated_ranks",
            "uniform_crossover",
        ],
        "difference_of_convex": ["BoxRun", "convex_concave", "qp_box"],
        "nmf": [
            "Term",
            "coupling_term",
            "frobenius_loss",
            "frobenius_term",
            "graph_term",
            "kl_loss",
            "kl_term",
            "l21_norm",
            "l21_term",
            "l21_weights",
            "multiply",
            "normalise_columns",
            "residual_norms",
            "update_frobenius",
            "update_kl",
        ],
        "onmf": [
            "TriFactors",
            "indicator_start",
            "orthogonal_nmf",
            "onmf_objective",
            "update_core",
            "update_orthogonal",
        ],
        "qp": ["qp_gap", "qp_simplex"],
        "simplex": ["power_weights", "project_simplex"],
        "stagewise": ["StagewiseFit", "forward_stagewise"],
        "symmetric": ["SimplexFactor", "symmetric_nmf_simplex"],
    },
)
