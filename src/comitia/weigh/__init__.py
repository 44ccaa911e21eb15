"""From an ensemble to weights."""

from comitia._lazy import attach

__getattr__, __dir__, __all__ = attach(
    __name__,
    {
        "clusterings": ["crowd_agreement", "normalize_weights"],
        "clusters": ["cluster_uncertainty", "entropy_certainty"],
        "groups": ["Groups", "decision_variance", "floored_variance"],
        "indices": ["entropy_relevance", "index_scores", "maximum_relevance"],
        "diversity": [
            "above_uniform",
            "check_agreement",
            "dendrogram_weights",
            "diversity_scores",
            "diversity_weights",
            "group_similarity",
            "group_support",
            "inverse_agreement",
            "mean_agreement",
        ],
        "features": ["variance_rank_weights", "variance_shares"],
        "objects": ["coassociation_degree", "object_uncertainty"],
        "reliability": [
            "cluster_cohesion",
            "cluster_containment",
            "community_certainty",
        ],
    },
)
