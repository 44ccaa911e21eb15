# Written by tools/make_stubs.py from __init__.py; do not edit.

from comitia.cluster.communities import label_propagation as label_propagation
from comitia.cluster.communities import louvain as louvain
from comitia.cluster.communities import modularity as modularity
from comitia.cluster.communities import overlapping_label_propagation as overlapping_label_propagation
from comitia.cluster.constraints import ConstraintSet as ConstraintSet
from comitia.cluster.constraints import random_constraints as random_constraints
from comitia.cluster.cop_kmeans import COPKMeans as COPKMeans
from comitia.cluster.cop_kmeans import ConstrainedPlacement as ConstrainedPlacement
from comitia.cluster.cop_kmeans import constrained_kmeans as constrained_kmeans
from comitia.cluster.e2cp import E2CP as E2CP
from comitia.cluster.e2cp import adjust_similarity as adjust_similarity
from comitia.cluster.e2cp import propagate_constraints as propagate_constraints
from comitia.cluster.fuzzy import FuzzyCMeans as FuzzyCMeans
from comitia.cluster.fuzzy import fuzzy_cmeans as fuzzy_cmeans
from comitia.cluster.fuzzy import fuzzy_memberships as fuzzy_memberships
from comitia.cluster.fuzzy_lac import FuzzyWeightedLAC as FuzzyWeightedLAC
from comitia.cluster.fuzzy_lac import fuzzy_weighted_lac as fuzzy_weighted_lac
from comitia.cluster.fuzzy_medoids import FuzzyCMedoids as FuzzyCMedoids
from comitia.cluster.fuzzy_medoids import fuzzy_cmedoids as fuzzy_cmedoids
from comitia.cluster.gaussians import MergedGaussians as MergedGaussians
from comitia.cluster.gaussians import bhattacharyya as bhattacharyya
from comitia.cluster.gaussians import merge_gaussians as merge_gaussians
from comitia.cluster.hmm import GaussianHMM as GaussianHMM
from comitia.cluster.hmm_k_models import HMMKModels as HMMKModels
from comitia.cluster.kernel import KernelKMeans as KernelKMeans
from comitia.cluster.kmedoids import KMedoids as KMedoids
from comitia.cluster.kmedoids import around_medoids as around_medoids
from comitia.cluster.lac import LAC as LAC
from comitia.cluster.lac import feature_dispersions as feature_dispersions
from comitia.cluster.lac import lac_objective as lac_objective
from comitia.cluster.lac import lac_weights as lac_weights
from comitia.cluster.lac import locally_adaptive as locally_adaptive
from comitia.cluster.lac import weighted_distances as weighted_distances
from comitia.cluster.minimax import MinimaxRun as MinimaxRun
from comitia.cluster.minimax import minimax_cmeans as minimax_cmeans
from comitia.cluster.minimax import minimax_weights as minimax_weights
from comitia.cluster.minimax import squared_distances as squared_distances
from comitia.cluster.minkowski import MinkowskiKMeans as MinkowskiKMeans
from comitia.cluster.minkowski import minkowski_centers as minkowski_centers
from comitia.cluster.minkowski import minkowski_distances as minkowski_distances
from comitia.cluster.minkowski import minkowski_kmeans as minkowski_kmeans
from comitia.cluster.minkowski import minkowski_weights as minkowski_weights
from comitia.cluster.mixture import WeightedGaussianMixture as WeightedGaussianMixture
from comitia.cluster.mixture import gaussian_log_density as gaussian_log_density
from comitia.cluster.projection import LinearProjection as LinearProjection
from comitia.cluster.projection import constraint_directions as constraint_directions
from comitia.cluster.projection import whitening as whitening
from comitia.cluster.relational import MedoidVectorsRun as MedoidVectorsRun
from comitia.cluster.relational import cmedoid_vectors as cmedoid_vectors
from comitia.cluster.relational import update_medoids as update_medoids
from comitia.cluster.relational import view_weights as view_weights
from comitia.cluster.som import SelfOrganizingMap as SelfOrganizingMap
from comitia.cluster.som import nearest_unit as nearest_unit
from comitia.cluster.weighted_lac import WeightedLAC as WeightedLAC
from comitia.cluster.weighted_lac import cluster_importance as cluster_importance
from comitia.cluster.weighted_lac import weighted_lac as weighted_lac

__all__ = [
    "COPKMeans",
    "ConstrainedPlacement",
    "ConstraintSet",
    "E2CP",
    "FuzzyCMeans",
    "FuzzyCMedoids",
    "FuzzyWeightedLAC",
    "GaussianHMM",
    "HMMKModels",
    "KMedoids",
    "KernelKMeans",
    "LAC",
    "LinearProjection",
    "MedoidVectorsRun",
    "MergedGaussians",
    "MinimaxRun",
    "MinkowskiKMeans",
    "SelfOrganizingMap",
    "WeightedGaussianMixture",
    "WeightedLAC",
    "adjust_similarity",
    "around_medoids",
    "bhattacharyya",
    "cluster_importance",
    "cmedoid_vectors",
    "constrained_kmeans",
    "constraint_directions",
    "feature_dispersions",
    "fuzzy_cmeans",
    "fuzzy_cmedoids",
    "fuzzy_memberships",
    "fuzzy_weighted_lac",
    "gaussian_log_density",
    "label_propagation",
    "lac_objective",
    "lac_weights",
    "locally_adaptive",
    "louvain",
    "merge_gaussians",
    "minimax_cmeans",
    "minimax_weights",
    "minkowski_centers",
    "minkowski_distances",
    "minkowski_kmeans",
    "minkowski_weights",
    "modularity",
    "nearest_unit",
    "overlapping_label_propagation",
    "propagate_constraints",
    "random_constraints",
    "squared_distances",
    "update_medoids",
    "view_weights",
    "weighted_distances",
    "weighted_lac",
    "whitening",
]
