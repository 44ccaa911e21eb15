# Written by tools/make_stubs.py from __init__.py; do not edit.

from comitia.optimise.bregman import get_bregman as get_bregman
from comitia.optimise.nmf import Term as Term
from comitia.optimise.nmf import coupling_term as coupling_term
from comitia.optimise.nmf import frobenius_loss as frobenius_loss
from comitia.optimise.nmf import frobenius_term as frobenius_term
from comitia.optimise.nmf import graph_term as graph_term
from comitia.optimise.nmf import l21_norm as l21_norm
from comitia.optimise.nmf import multiply as multiply
from comitia.optimise.nmf import normalise_columns as normalise_columns
from comitia.optimise.onmf import indicator_start as indicator_start
from comitia.optimise.onmf import orthogonal_nmf as orthogonal_nmf
from comitia.optimise.qp import qp_simplex as qp_simplex
from comitia.optimise.simplex import power_weights as power_weights
from comitia.optimise.simplex import project_simplex as project_simplex
from comitia.optimise.symmetric import symmetric_nmf_simplex as symmetric_nmf_simplex

__all__ = [
    "Term",
    "coupling_term",
    "frobenius_loss",
    "frobenius_term",
    "get_bregman",
    "graph_term",
    "indicator_start",
    "l21_norm",
    "multiply",
    "normalise_columns",
    "orthogonal_nmf",
    "power_weights",
    "project_simplex",
    "qp_simplex",
    "symmetric_nmf_simplex",
]
