"""Advice: how many clusters, which method, and how sure one can be of either."""

from comitia._lazy import attach

__getattr__, __dir__, __all__ = attach(
    __name__,
    {
        "choice": ["KChoice", "choose_k"],
        "comparison": ["Comparison", "MethodRow", "compare"],
        "consensus": [
            "PairShares",
            "area_changes",
            "cdf_area",
            "consensus_cdf",
            "cophenetic_correlation",
            "pac",
            "pair_shares",
        ],
        "criteria": ["eigengaps", "lifetimes", "mean_agreement"],
        "panels": ["panel_ids"],
        "ranks": ["MeanRanks", "mean_ranks"],
        "recommendation": ["Recommendation", "Recommendations", "recommend"],
        "references": ["shuffled_ensemble", "uniform_reference"],
    },
)
