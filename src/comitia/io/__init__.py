"""Tables in, result folders out."""

from comitia._lazy import attach

__getattr__, __dir__, __all__ = attach(
    __name__,
    {
        "_file_columns": ["chosen_columns"],
        "label_files": [
            "LabelTable",
            "read_graph",
            "read_labels",
            "read_pairs",
            "read_votes",
        ],
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
