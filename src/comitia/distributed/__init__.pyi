# Written by tools/make_stubs.py from __init__.py; do not edit.

from comitia.distributed.arrays import ensemble_of_array as ensemble_of_array
from comitia.distributed.arrays import result_arrays as result_arrays
from comitia.distributed.blocks import DaskBlocks as DaskBlocks
from comitia.distributed.blocks import client_for as client_for
from comitia.distributed.blocks import current_client as current_client

__all__ = [
    "DaskBlocks",
    "client_for",
    "current_client",
    "ensemble_of_array",
    "result_arrays",
]
