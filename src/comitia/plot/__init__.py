"""Plots of a consensus: numbers first, ink second.

A Display is made of a fitted method by ``from_estimator`` (or of something else that
its other ``from_…`` methods name), which computes. ``plot`` draws, ``frame`` gives the
numbers as a table.
"""

from comitia._lazy import attach

__getattr__, __dir__, __all__ = attach(
    __name__,
    {
        "agreement_display": ["AgreementDisplay"],
        "display_base": ["Display"],
        "consensus_cdf_display": ["ConsensusCDFDisplay"],
        "coassociation_display": ["CoassociationDisplay"],
        "comparison_display": ["ComparisonDisplay"],
        "dendrogram_display": ["DendrogramDisplay"],
        "objective_display": ["ObjectiveDisplay"],
        "map_display": ["MapDisplay"],
        "profile_display": ["ProfileDisplay"],
        "stability_display": ["StabilityDisplay"],
        "weights_display": ["WeightsDisplay"],
    },
)
