"""Row blocks on the workers of a Dask cluster.

The methods are the same; what differs is where their blocks are. ``dask.distributed``
moves the work, and makes the blocks of a worker that dies again on another one.
"""

from comitia._lazy import attach

__getattr__, __dir__, __all__ = attach(
    __name__,
    {
        "arrays": ["ensemble_of_array", "result_arrays"],
        "blocks": ["DaskBlocks", "client_for", "current_client"],
    },
)
