# Written by tools/make_stubs.py from __init__.py; do not edit.

from comitia.weigh.clusterings import crowd_agreement as crowd_agreement
from comitia.weigh.clusterings import normalize_weights as normalize_weights
from comitia.weigh.clusters import cluster_uncertainty as cluster_uncertainty
from comitia.weigh.clusters import entropy_certainty as entropy_certainty
from comitia.weigh.diversity import above_uniform as above_uniform
from comitia.weigh.diversity import check_agreement as check_agreement
from comitia.weigh.diversity import dendrogram_weights as dendrogram_weights
from comitia.weigh.diversity import diversity_scores as diversity_scores
from comitia.weigh.diversity import diversity_weights as diversity_weights
from comitia.weigh.diversity import group_similarity as group_similarity
from comitia.weigh.diversity import group_support as group_support
from comitia.weigh.diversity import inverse_agreement as inverse_agreement
from comitia.weigh.diversity import mean_agreement as mean_agreement
from comitia.weigh.features import variance_rank_weights as variance_rank_weights
from comitia.weigh.features import variance_shares as variance_shares
from comitia.weigh.groups import Groups as Groups
from comitia.weigh.groups import decision_variance as decision_variance
from comitia.weigh.groups import floored_variance as floored_variance
from comitia.weigh.indices import entropy_relevance as entropy_relevance
from comitia.weigh.indices import index_scores as index_scores
from comitia.weigh.indices import maximum_relevance as maximum_relevance
from comitia.weigh.objects import coassociation_degree as coassociation_degree
from comitia.weigh.objects import object_uncertainty as object_uncertainty
from comitia.weigh.reliability import cluster_cohesion as cluster_cohesion
from comitia.weigh.reliability import cluster_containment as cluster_containment
from comitia.weigh.reliability import community_certainty as community_certainty

__all__ = [
    "Groups",
    "above_uniform",
    "check_agreement",
    "cluster_cohesion",
    "cluster_containment",
    "cluster_uncertainty",
    "coassociation_degree",
    "community_certainty",
    "crowd_agreement",
    "decision_variance",
    "dendrogram_weights",
    "diversity_scores",
    "diversity_weights",
    "entropy_certainty",
    "entropy_relevance",
    "floored_variance",
    "group_similarity",
    "group_support",
    "index_scores",
    "inverse_agreement",
    "maximum_relevance",
    "mean_agreement",
    "normalize_weights",
    "object_uncertainty",
    "variance_rank_weights",
    "variance_shares",
]
