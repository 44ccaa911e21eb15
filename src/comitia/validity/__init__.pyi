# Written by tools/make_stubs.py from __init__.py; do not edit.

from comitia.validity.clustered import Clustered as Clustered
from comitia.validity.registry import INDICES as INDICES
from comitia.validity.registry import Index as Index
from comitia.validity.registry import get_index as get_index
from comitia.validity.table import ScoreTable as ScoreTable
from comitia.validity.table import score_table as score_table
from comitia.validity.unification import unify as unify

__all__ = [
    "Clustered",
    "INDICES",
    "Index",
    "ScoreTable",
    "get_index",
    "score_table",
    "unify",
]
