"""From an ensemble to weights."""

from comitia._lazy import attach

__getattr__, __dir__, __all__ = attach(
    __name__,
    {
        "clusterings": ["crowd_agreement", "normalize_weights"],
        "cluster_entropy": ["entropy_certainty"],
        "groups": ["Groups", "decision_variance"],
        "indices": ["entropy_relevance", "index_scores", "maximum_relevance"],
        "mean_agreement": ["group_support", "mean_agreement"],
        "object_uncertainty": ["object_uncertainty"],
    },
)
