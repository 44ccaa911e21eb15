"""Consensus clusters of cells, called as scanpy calls its tools.

:mod:`comitia.scanpy.tl` reads an AnnData and writes into it, :mod:`comitia.scanpy.pl`
draws what was written. scanpy itself is not imported. Of the cells only the graph of
neighbours is read, or the principal components, and never ``X``; so the counts of an
AnnData that is backed by a file stay there.
"""

from comitia.scanpy import pl, tl

__all__ = ["pl", "tl"]
