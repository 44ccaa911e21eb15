# Written by tools/make_stubs.py from __init__.py; do not edit.

from comitia.plot.agreement_display import AgreementDisplay as AgreementDisplay
from comitia.plot.coassociation_display import CoassociationDisplay as CoassociationDisplay
from comitia.plot.comparison_display import ComparisonDisplay as ComparisonDisplay
from comitia.plot.consensus_cdf_display import ConsensusCDFDisplay as ConsensusCDFDisplay
from comitia.plot.dendrogram_display import DendrogramDisplay as DendrogramDisplay
from comitia.plot.display_base import Display as Display
from comitia.plot.map_display import MapDisplay as MapDisplay
from comitia.plot.objective_display import ObjectiveDisplay as ObjectiveDisplay
from comitia.plot.profile_display import ProfileDisplay as ProfileDisplay
from comitia.plot.stability_display import StabilityDisplay as StabilityDisplay
from comitia.plot.weights_display import WeightsDisplay as WeightsDisplay

__all__ = [
    "AgreementDisplay",
    "CoassociationDisplay",
    "ComparisonDisplay",
    "ConsensusCDFDisplay",
    "DendrogramDisplay",
    "Display",
    "MapDisplay",
    "ObjectiveDisplay",
    "ProfileDisplay",
    "StabilityDisplay",
    "WeightsDisplay",
]
