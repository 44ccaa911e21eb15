"""Numbers to draw, without matplotlib and without HTML.

What :mod:`comitia.plot` and :mod:`comitia.report` both show is computed here: the order
of the objects, the heat map of their co-association, their map, the profiles of the
clusters, and what is read of a fitted method. :class:`comitia.io.Result` keeps it.
"""

__all__: list[str] = []
