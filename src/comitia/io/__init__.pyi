# Written by tools/make_stubs.py from __init__.py; do not edit.

from comitia.io.labels import Votes as Votes
from comitia.io.labels import read_graph as read_graph
from comitia.io.labels import read_labels as read_labels
from comitia.io.labels import read_pairs as read_pairs
from comitia.io.labels import read_votes as read_votes
from comitia.io.results import Result as Result
from comitia.io.tables import Table as Table
from comitia.io.tables import read_table as read_table

__all__ = [
    "Result",
    "Table",
    "Votes",
    "read_graph",
    "read_labels",
    "read_pairs",
    "read_table",
    "read_votes",
]
