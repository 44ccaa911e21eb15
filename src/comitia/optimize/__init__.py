"""Numbers in, numbers out: projections, small programmes and factorisations."""

from comitia._lazy import attach

__getattr__, __dir__, __all__ = attach(
    __name__,
    {
        "bregman": ["get_bregman"],
        "nmf": [
            "Term",
            "coupling_term",
            "frobenius_loss",
            "frobenius_term",
            "graph_term",
            "l21_norm",
            "multiply",
            "normalize_columns",
        ],
        "onmf": ["indicator_start", "orthogonal_nmf"],
        "qp": ["qp_simplex"],
        "simplex": ["power_weights", "project_simplex"],
        "symmetric": ["symmetric_nmf_simplex"],
    },
)
