# Written by tools/make_stubs.py from __init__.py; do not edit.

from comitia.optimise.bregman import Bregman as Bregman
from comitia.optimise.bregman import bregman_divergence as bregman_divergence
from comitia.optimise.bregman import bregman_elementwise as bregman_elementwise
from comitia.optimise.bregman import get_bregman as get_bregman
from comitia.optimise.bregman import left_centroid as left_centroid
from comitia.optimise.bregman import right_centroid as right_centroid
from comitia.optimise.difference_of_convex import BoxRun as BoxRun
from comitia.optimise.difference_of_convex import convex_concave as convex_concave
from comitia.optimise.difference_of_convex import qp_box as qp_box
from comitia.optimise.evolution import Evolution as Evolution
from comitia.optimise.evolution import evolve as evolve
from comitia.optimise.evolution import non_dominated_ranks as non_dominated_ranks
from comitia.optimise.evolution import uniform_crossover as uniform_crossover
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
from comitia.optimise.nmf import update_frobenius as update_frobenius
from comitia.optimise.nmf import update_kl as update_kl
from comitia.optimise.onmf import TriFactors as TriFactors
from comitia.optimise.onmf import indicator_start as indicator_start
from comitia.optimise.onmf import onmf_objective as onmf_objective
from comitia.optimise.onmf import orthogonal_nmf as orthogonal_nmf
from comitia.optimise.onmf import update_core as update_core
from comitia.optimise.onmf import update_orthogonal as update_orthogonal
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
    "Evolution",
    "SimplexFactor",
    "StagewiseFit",
    "Term",
    "TriFactors",
    "bregman_divergence",
    "bregman_elementwise",
    "convex_concave",
    "coupling_term",
    "evolve",
    "forward_stagewise",
    "frobenius_loss",
    "frobenius_term",
    "get_bregman",
    "graph_term",
    "indicator_start",
    "kl_loss",
    "kl_term",
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
    "project_simplex",
    "qp_box",
    "qp_gap",
    "qp_simplex",
    "residual_norms",
    "right_centroid",
    "symmetric_nmf_simplex",
    "uniform_crossover",
    "update_core",
    "update_frobenius",
    "update_kl",
    "update_orthogonal",
]
