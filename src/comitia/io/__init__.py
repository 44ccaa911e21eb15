"""Tables in, result folders out."""

from comitia._lazy import attach

__getattr__, __dir__, __all__ = attach(
    __name__,
    {
        "labels": ["Votes", "read_graph", "read_labels", "read_pairs", "read_votes"],
        "results": ["Result"],
        "tables": ["Table", "read_table"],
    },
)
