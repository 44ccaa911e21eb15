# Written by tools/make_stubs.py from __init__.py; do not edit.

from comitia.optimize.bregman import Bregman as Bregman
from comitia.optimize.bregman import bregman_divergence as bregman_divergence
from comitia.optimize.bregman import bregman_elementwise as bregman_elementwise
from comitia.optimize.bregman import get_bregman as get_bregman
from comitia.optimize.bregman import left_centroid as left_centroid
from comitia.optimize.bregman import right_centroid as right_centroid
from comitia.optimize.clusterwise import ClusterwiseRun as ClusterwiseRun
from comitia.optimize.clusterwise import ClusterwiseView as ClusterwiseView
from comitia.optimize.clusterwise import Strengths as Strengths
from comitia.optimize.clusterwise import cluster_separations as cluster_separations
from comitia.optimize.clusterwise import clusterwise_consensus as clusterwise_consensus
from comitia.optimize.clusterwise import clusterwise_objective as clusterwise_objective
from comitia.optimize.clusterwise import clusterwise_weights as clusterwise_weights
from comitia.optimize.clusterwise import factorize_clusterwise as factorize_clusterwise
from comitia.optimize.clusterwise import update_basis as update_basis
from comitia.optimize.clusterwise import update_members as update_members
from comitia.optimize.concept import ConceptRun as ConceptRun
from comitia.optimize.concept import ConceptView as ConceptView
from comitia.optimize.concept import agreement_weights as agreement_weights
from comitia.optimize.concept import concept_consensus as concept_consensus
from comitia.optimize.concept import concept_objective as concept_objective
from comitia.optimize.concept import concept_sweep as concept_sweep
from comitia.optimize.concept import factorize_concepts as factorize_concepts
from comitia.optimize.concept import reduce_features as reduce_features
from comitia.optimize.concept import update_concepts as update_concepts
from comitia.optimize.concept import update_objects as update_objects
from comitia.optimize.difference_of_convex import BoxRun as BoxRun
from comitia.optimize.difference_of_convex import convex_concave as convex_concave
from comitia.optimize.difference_of_convex import qp_box as qp_box
from comitia.optimize.evolution import Evolution as Evolution
from comitia.optimize.evolution import evolve as evolve
from comitia.optimize.evolution import uniform_crossover as uniform_crossover
from comitia.optimize.guided import guided_consensus as guided_consensus
from comitia.optimize.guided import guided_step as guided_step
from comitia.optimize.late_fusion import SoftPartitions as SoftPartitions
from comitia.optimize.late_fusion import fusion_objective as fusion_objective
from comitia.optimize.late_fusion import fusion_step as fusion_step
from comitia.optimize.late_fusion import fusion_weights as fusion_weights
from comitia.optimize.late_fusion import procrustes as procrustes
from comitia.optimize.multiview import CoupledView as CoupledView
from comitia.optimize.multiview import Statistics as Statistics
from comitia.optimize.multiview import consensus_factor as consensus_factor
from comitia.optimize.multiview import coupled_objective as coupled_objective
from comitia.optimize.multiview import coupled_sweep as coupled_sweep
from comitia.optimize.multiview import distance_to as distance_to
from comitia.optimize.multiview import roughness as roughness
from comitia.optimize.multiview import shared_factor_step as shared_factor_step
from comitia.optimize.multiview import unit_columns as unit_columns
from comitia.optimize.multiview import update_features as update_features
from comitia.optimize.multiview import update_on_spheres as update_on_spheres
from comitia.optimize.nmf import Term as Term
from comitia.optimize.nmf import coupling_term as coupling_term
from comitia.optimize.nmf import frobenius_loss as frobenius_loss
from comitia.optimize.nmf import frobenius_term as frobenius_term
from comitia.optimize.nmf import graph_term as graph_term
from comitia.optimize.nmf import kl_loss as kl_loss
from comitia.optimize.nmf import kl_term as kl_term
from comitia.optimize.nmf import l21_norm as l21_norm
from comitia.optimize.nmf import l21_term as l21_term
from comitia.optimize.nmf import l21_weights as l21_weights
from comitia.optimize.nmf import multiply as multiply
from comitia.optimize.nmf import normalize_columns as normalize_columns
from comitia.optimize.nmf import residual_norms as residual_norms
from comitia.optimize.nmf import row_norms as row_norms
from comitia.optimize.nmf import update_frobenius as update_frobenius
from comitia.optimize.nmf import update_kl as update_kl
from comitia.optimize.onmf import TriFactors as TriFactors
from comitia.optimize.onmf import indicator_start as indicator_start
from comitia.optimize.onmf import onmf_objective as onmf_objective
from comitia.optimize.onmf import orthogonal_nmf as orthogonal_nmf
from comitia.optimize.onmf import update_core as update_core
from comitia.optimize.onmf import update_orthogonal as update_orthogonal
from comitia.optimize.pareto import best_first as best_first
from comitia.optimize.pareto import crowding_distances as crowding_distances
from comitia.optimize.pareto import knee as knee
from comitia.optimize.pareto import non_dominated_ranks as non_dominated_ranks
from comitia.optimize.qp import qp_gap as qp_gap
from comitia.optimize.qp import qp_simplex as qp_simplex
from comitia.optimize.simplex import power_weights as power_weights
from comitia.optimize.simplex import project_simplex as project_simplex
from comitia.optimize.stagewise import StagewiseFit as StagewiseFit
from comitia.optimize.stagewise import forward_stagewise as forward_stagewise
from comitia.optimize.symmetric import SimplexFactor as SimplexFactor
from comitia.optimize.symmetric import symmetric_nmf_simplex as symmetric_nmf_simplex

__all__ = [
    "BoxRun",
    "Bregman",
    "ClusterwiseRun",
    "ClusterwiseView",
    "ConceptRun",
    "ConceptView",
    "CoupledView",
    "Evolution",
    "SimplexFactor",
    "SoftPartitions",
    "StagewiseFit",
    "Statistics",
    "Strengths",
    "Term",
    "TriFactors",
    "agreement_weights",
    "best_first",
    "bregman_divergence",
    "bregman_elementwise",
    "cluster_separations",
    "clusterwise_consensus",
    "clusterwise_objective",
    "clusterwise_weights",
    "concept_consensus",
    "concept_objective",
    "concept_sweep",
    "consensus_factor",
    "convex_concave",
    "coupled_objective",
    "coupled_sweep",
    "coupling_term",
    "crowding_distances",
    "distance_to",
    "evolve",
    "factorize_clusterwise",
    "factorize_concepts",
    "forward_stagewise",
    "frobenius_loss",
    "frobenius_term",
    "fusion_objective",
    "fusion_step",
    "fusion_weights",
    "get_bregman",
    "graph_term",
    "guided_consensus",
    "guided_step",
    "indicator_start",
    "kl_loss",
    "kl_term",
    "knee",
    "l21_norm",
    "l21_term",
    "l21_weights",
    "left_centroid",
    "multiply",
    "non_dominated_ranks",
    "normalize_columns",
    "onmf_objective",
    "orthogonal_nmf",
    "power_weights",
    "procrustes",
    "project_simplex",
    "qp_box",
    "qp_gap",
    "qp_simplex",
    "reduce_features",
    "residual_norms",
    "right_centroid",
    "roughness",
    "row_norms",
    "shared_factor_step",
    "symmetric_nmf_simplex",
    "uniform_crossover",
    "unit_columns",
    "update_basis",
    "update_concepts",
    "update_core",
    "update_features",
    "update_frobenius",
    "update_kl",
    "update_members",
    "update_objects",
    "update_on_spheres",
    "update_orthogonal",
]
