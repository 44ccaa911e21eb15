"""Evaluate before you decide: how many clusters, which method, how sure of either."""

from comitia._lazy import attach

__getattr__, __dir__, __all__ = attach(
    __name__,
    {
        "comparison": ["Comparison", "MethodRow", "compare"],
        "consensus_curves": [
            "PairShares",
            "area_changes",
            "cdf_area",
            "consensus_cdf",
            "cophenetic_correlation",
            "pac",
            "pair_shares",
        ],
        "criteria": ["eigengaps", "lifetimes", "mean_pairwise_agreement"],
        "k_choice": ["KChoice", "choose_k"],
        "method_ranks": ["MeanRanks", "mean_ranks"],
        "panels": ["panel_ids"],
        "recommendation": ["Recommendation", "Recommendations", "recommend"],
        "references": ["shuffled_ensemble", "uniform_reference"],
        "setting_stability": ["Stability", "stability"],
    },
)
