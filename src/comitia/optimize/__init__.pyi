# Written by tools/make_stubs.py from __init__.py; do not edit.

from comitia.optimize.bregman import get_bregman as get_bregman
from comitia.optimize.nmf import Term as Term
from comitia.optimize.nmf import coupling_term as coupling_term
from comitia.optimize.nmf import frobenius_loss as frobenius_loss
from comitia.optimize.nmf import frobenius_term as frobenius_term
from comitia.optimize.nmf import graph_term as graph_term
from comitia.optimize.nmf import l21_norm as l21_norm
from comitia.optimize.nmf import multiply as multiply
from comitia.optimize.nmf import normalize_columns as normalize_columns
from comitia.optimize.onmf import indicator_start as indicator_start
from comitia.optimize.onmf import orthogonal_nmf as orthogonal_nmf
from comitia.optimize.qp import qp_simplex as qp_simplex
from comitia.optimize.simplex import power_weights as power_weights
from comitia.optimize.simplex import project_simplex as project_simplex
from comitia.optimize.symmetric import symmetric_nmf_simplex as symmetric_nmf_simplex

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
    "normalize_columns",
    "orthogonal_nmf",
    "power_weights",
    "project_simplex",
    "qp_simplex",
    "symmetric_nmf_simplex",
]
