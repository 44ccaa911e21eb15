# Written by tools/make_stubs.py from __init__.py; do not edit.

from comitia.io._file_columns import chosen_columns as chosen_columns
from comitia.io.graph_files import read_graph as read_graph
from comitia.io.label_files import LabelTable as LabelTable
from comitia.io.label_files import read_labels as read_labels
from comitia.io.label_files import read_votes as read_votes
from comitia.io.pair_files import read_pairs as read_pairs
from comitia.io.results import Result as Result
from comitia.io.series_files import SeriesTable as SeriesTable
from comitia.io.series_files import read_series as read_series
from comitia.io.table_files import Table as Table
from comitia.io.table_files import TableCheck as TableCheck
from comitia.io.table_files import examine_table as examine_table
from comitia.io.table_files import read_prepared as read_prepared
from comitia.io.table_files import read_table as read_table

__all__ = [
    "LabelTable",
    "Result",
    "SeriesTable",
    "Table",
    "TableCheck",
    "chosen_columns",
    "examine_table",
    "read_graph",
    "read_labels",
    "read_pairs",
    "read_prepared",
    "read_series",
    "read_table",
    "read_votes",
]
