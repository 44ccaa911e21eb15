# Written by tools/make_stubs.py from __init__.py; do not edit.

from comitia.plot.agreement import AgreementDisplay as AgreementDisplay
from comitia.plot.base import Display as Display
from comitia.plot.choice import ConsensusCDFDisplay as ConsensusCDFDisplay
from comitia.plot.coassociation import CoassociationDisplay as CoassociationDisplay
from comitia.plot.comparison import ComparisonDisplay as ComparisonDisplay
from comitia.plot.dendrogram import DendrogramDisplay as DendrogramDisplay
from comitia.plot.objective import ObjectiveDisplay as ObjectiveDisplay
from comitia.plot.objects import MapDisplay as MapDisplay
from comitia.plot.profile import ProfileDisplay as ProfileDisplay
from comitia.plot.weights import WeightsDisplay as WeightsDisplay

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
    "WeightsDisplay",
]
