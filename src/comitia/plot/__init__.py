"""Plots of a consensus: numbers first, ink second.

A Display is made of a fitted method by ``from_estimator`` (or of something else that
its other ``from_…`` methods name), which computes. ``plot`` draws, ``frame`` gives the
numbers as a table.
"""

from comitia._lazy import attach

__getattr__, __dir__, __all__ = attach(
    __name__,
    {
        "agreement": ["AgreementDisplay"],
        "base": ["Display"],
        "choice": ["ConsensusCDFDisplay"],
        "coassociation": ["CoassociationDisplay"],
        "comparison": ["ComparisonDisplay"],
        "dendrogram": ["DendrogramDisplay"],
        "objective": ["ObjectiveDisplay"],
        "objects": ["MapDisplay"],
        "profile": ["ProfileDisplay"],
        "weights": ["WeightsDisplay"],
    },
)
