"""How good one clustering is on its data: the internal indices.

Each index is a function ``index(X, labels)`` in :data:`INDICES`, which
:func:`get_index` looks up by its name; :func:`score_table` computes indices of every
clustering of an ensemble; :func:`unify` puts the columns of such a table on one scale,
larger being better.
"""

from comitia._lazy import attach

__getattr__, __dir__, __all__ = attach(
    __name__,
    {
        "clustered": ["Clustered"],
        "registry": ["INDICES", "Index", "get_index"],
        "table": ["ScoreTable", "score_table"],
        "unification": ["unify"],
    },
)
