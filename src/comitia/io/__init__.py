"""Tables in, result folders out."""

from comitia._lazy import attach

__getattr__, __dir__, __all__ = attach(
    __name__,
    {
        "_file_columns": ["chosen_columns"],
        "graph_files": ["read_graph"],
        "label_files": ["LabelTable", "read_labels", "read_votes"],
        "pair_files": ["read_pairs"],
        "results": ["Result"],
        "series_files": ["SeriesTable", "read_series"],
        "table_files": [
            "Table",
            "TableCheck",
            "examine_table",
            "read_prepared",
            "read_table",
        ],
    },
)
