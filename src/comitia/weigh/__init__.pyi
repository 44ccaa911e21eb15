# Written by tools/make_stubs.py from __init__.py; do not edit.

from comitia.weigh.clusterings import crowd_agreement as crowd_agreement
from comitia.weigh.clusterings import normalise_weights as normalise_weights
from comitia.weigh.clusters import cluster_uncertainty as cluster_uncertainty
from comitia.weigh.clusters import entropy_certainty as entropy_certainty
from comitia.weigh.objects import coassociation_degree as coassociation_degree

__all__ = [
    "cluster_uncertainty",
    "coassociation_degree",
    "crowd_agreement",
    "entropy_certainty",
    "normalise_weights",
]
