# Written by tools/make_stubs.py from __init__.py; do not edit.

from comitia.optimise.bregman import Bregman as Bregman
from comitia.optimise.bregman import bregman_divergence as bregman_divergence
from comitia.optimise.bregman import bregman_elementwise as bregman_elementwise
from comitia.optimise.bregman import get_bregman as get_bregman
from comitia.optimise.bregman import left_centroid as left_centroid
from comitia.optimise.bregman import right_centroid as right_centroid
from comitia.optimise.clusterwise import ClusterwiseRun as ClusterwiseRun
from comitia.optimise.clusterwise import ClusterwiseView as ClusterwiseView
from comitia.optimise.clusterwise import Strengths as Strengths
from comitia.optimise.clusterwise import cluster_separations as cluster_separations
from comitia.optimise.clusterwise import clusterwise_consensus as clusterwise_consensus
from comitia.optimise.clusterwise import clusterwise_objective as clusterwise_objective
from comitia.optimise.clusterwise import clusterwise_weights as clusterwise_weights
from comitia.optimise.clusterwise import factorise_clusterwise as factorise_clusterwise
from comitia.optimise.clusterwise import update_basis as update_basis
from comitia.optimise.clusterwise import update_members as update_members
from comitia.optimise.concept import ConceptRun as ConceptRun
from comitia.optimise.concept import ConceptView as ConceptView
from comitia.optimise.concept import agreement_weights as agreement_weights
from comitia.optimise.concept import concept_consensus as concept_consensus
from comitia.optimise.concept import concept_objective as concept_objective
from comitia.optimise.concept import concept_sweep as concept_sweep
from comitia.optimise.concept import factorise_concepts as factorise_concepts
from comitia.optimise.concept import reduce_features as reduce_features
from comitia.optimise.concept import update_concepts as update_concepts
from comitia.optimise.concept import update_objects as update_objects
from comitia.optimise.difference_of_convex import BoxRun as BoxRun
from comitia.optimise.difference_of_convex import convex_concave as convex_concave
from comitia.optimise.difference_of_convex import qp_box as qp_box
from comitia.optimise.evolution import Evolution as Evolution
from comitia.optimise.evolution import evolve as evolve
from comitia.optimise.evolution import uniform_crossover as uniform_crossover
from comitia.optimise.guided import guided_consensus as guided_consensus
from comitia.optimise.guided import guided_step as guided_step
from comitia.optimise.late_fusion import SoftPartitions as SoftPartitions
from comitia.optimise.late_fusion import fusion_objective as fusion_objective
from comitia.optimise.late_fusion import fusion_step as fusion_step
from comitia.optimise.late_fusion import fusion_weights as fusion_weights
from comitia.optimise.late_fusion import procrustes as procrustes
from comitia.optimise.multiview import CoupledView as CoupledView
from comitia.optimise.multiview import Statistics as Statistics
from comitia.optimise.multiview import consensus_factor as consensus_factor
from comitia.optimise.multiview import coupled_objective as coupled_objective
from comitia.optimise.multiview import coupled_sweep as coupled_sweep
from comitia.optimise.multiview import distance_to as distance_to
from comitia.optimise.multiview import roughness as roughness
from comitia.optimise.multiview import shared_factor_step as shared_factor_step
from comitia.optimise.multiview import unit_columns as unit_columns
from comitia.optimise.multiview import update_features as update_features
from comitia.optimise.multiview import update_on_spheres as update_on_spheres
from comitia.optimise.nmf import Term as Term
from comitia.optimise.nmf import coupling_term as coupling_term
from comitia.optimise.nmf import frobenius_loss as frobenius_loss
from comitia.optimise.nmf import frobenius_term as frobenius_term
from comitia.optimise.nmf import graph_term as graph_term
from comitia.optimise.nmf import kl_loss as kl_loss
from comitia.optimise.nmf import kl_term as kl_term
from comitia.optimise.nmf import l21_norm as l21_norm
from comitia.optimise.nmf import l21_term as l21_term
from comitia.optimise.nmf import l21_weights as l21_weights
from comitia.optimise.nmf import multiply as multiply
from comitia.optimise.nmf import normalise_columns as normalise_columns
from comitia.optimise.nmf import residual_norms as residual_norms
from comitia.optimise.nmf import row_norms as row_norms
from comitia.optimise.nmf import update_frobenius as update_frobenius
from comitia.optimise.nmf import update_kl as update_kl
from comitia.optimise.onmf import TriFactors as TriFactors
from comitia.optimise.onmf import indicator_start as indicator_start
from comitia.optimise.onmf import onmf_objective as onmf_objective
from comitia.optimise.onmf import orthogonal_nmf as orthogonal_nmf
from comitia.optimise.onmf import update_core as update_core
from comitia.optimise.onmf import update_orthogonal as update_orthogonal
from comitia.optimise.pareto import best_first as best_first
from comitia.optimise.pareto import crowding_distances as crowding_distances
from comitia.optimise.pareto import knee as knee
from comitia.optimise.pareto import non_dominated_ranks as non_dominated_ranks
from comitia.optimise.qp import qp_gap as qp_gap
from comitia.optimise.qp import qp_simplex as qp_simplex
from comitia.optimise.simplex import power_weights as power_weights
from comitia.optimise.simplex import project_simplex as project_simplex
from comitia.optimise.stagewise import StagewiseFit as StagewiseFit
from comitia.optimise.stagewise import forward_stagewise as forward_stagewise
from comitia.optimise.symmetric import SimplexFactor as SimplexFactor
from comitia.optimise.symmetric import symmetric_nmf_simplex as symmetric_nmf_simplex

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
    "factorise_clusterwise",
    "factorise_concepts",
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
    "normalise_columns",
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
