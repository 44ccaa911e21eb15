"""From an ensemble to weights."""

from comitia._lazy import attach

__getattr__, __dir__, __all__ = attach(
    __name__,
    {
        "clusterings": ["crowd_agreement", "normalise_weights"],
        "clusters": ["cluster_uncertainty", "entropy_certainty"],
        "objects": ["coassociation_degree"],
    },
)
