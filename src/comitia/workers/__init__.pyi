# Written by tools/make_stubs.py from __init__.py; do not edit.

from comitia.workers.worker import Worker as Worker

__all__ = [
    "Worker",
]
