# Written by tools/make_stubs.py from __init__.py; do not edit.

from comitia.weigh.cluster_entropy import entropy_certainty as entropy_certainty
from comitia.weigh.clusterings import crowd_agreement as crowd_agreement
from comitia.weigh.clusterings import normalize_weights as normalize_weights
from comitia.weigh.groups import Groups as Groups
from comitia.weigh.groups import decision_variance as decision_variance
from comitia.weigh.indices import entropy_relevance as entropy_relevance
from comitia.weigh.indices import index_scores as index_scores
from comitia.weigh.indices import maximum_relevance as maximum_relevance
from comitia.weigh.mean_agreement import group_support as group_support
from comitia.weigh.mean_agreement import mean_agreement as mean_agreement
from comitia.weigh.object_uncertainty import object_uncertainty as object_uncertainty

__all__ = [
    "Groups",
    "crowd_agreement",
    "decision_variance",
    "entropy_certainty",
    "entropy_relevance",
    "group_support",
    "index_scores",
    "maximum_relevance",
    "mean_agreement",
    "normalize_weights",
    "object_uncertainty",
]
