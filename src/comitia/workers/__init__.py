"""Processes that can be killed: run a function under a limit of time and memory.

A ``Worker`` is a process of its own. It calls functions that it finds by name,
one at a time, and answers with a dict whose ``status`` is ``"ok"``, ``"failed"``,
``"timed out"`` or ``"out of memory"``. A call that hangs or crashes costs that process
only; the next call starts a new one. :func:`comitia.compare` and the benchmarks run
methods in it.
"""

from comitia._lazy import attach

__getattr__, __dir__, __all__ = attach(__name__, {"worker": ["Worker"]})
