"""Parameters and attributes that many methods have, described once."""

from __future__ import annotations

import re
from collections.abc import Mapping
from textwrap import indent

__all__ = ["METHODS", "written_out"]

# What a line such as "generator, random_state : shared" in a docstring stands for.
METHODS = {
    "n_clusters": """int, default=None
    Number of clusters. ``None`` takes the eigengap of the ensemble's graph, or of
    data the likeliest number (:func:`comitia.choose_k`).""",
    "agreement": r"""str or callable, default="nmi_sqrt"
    How alike two clusterings are, :math:`\phi`.""",
    "linkage": """{"single", "complete", "average", "ward"}, default="average"
    Distance of two clusters in the tree.""",
    "views": """list of slice or of lists of int, default=None
    Which columns make up each view, when :meth:`fit` is given one table.""",
    "generator": """generator, default=None
    Makes the clusterings when :meth:`fit` is given data alone.""",
    "n_jobs": """int, default=None
    Number of parallel jobs.""",
    "random_state": """int, RandomState instance or None, default=None
    Seed of the generator and of the consensus.""",
    "clustering_weights_": """ndarray of shape (n_clusterings,)
    Weight of each clustering; they sum to 1.""",
    "selected_": """ndarray of bool of shape (n_clusterings,)
    Which clusterings were kept.""",
    "linkage_": """ndarray of shape (n_objects - 1, 4)
    The dendrogram, in SciPy form.""",
    "objective_": """ndarray of shape (n_iter_ + 1,)
    The objective at the start and after each update; it does not rise.""",
    "n_iter_": """int
    Number of updates of the weights.""",
    "converged_": """bool
    Whether the objective stopped changing before ``max_iter``.""",
}


def written_out(docstring: str, texts: Mapping[str, str]) -> str:
    """Replace each line ``name, other : shared`` of a docstring by the texts.

    A line with a name that has no text stays.
    """

    def texts_of(line: re.Match[str]) -> str:
        names = line[2].split(", ")
        if not texts.keys() >= {*names}:
            return line[0]
        found = "\n\n".join(f"{name} : {texts[name]}" for name in names)
        return indent(found, line[1])  # which Python 3.13 takes off, and 3.12 does not

    return re.sub(r"^( *)(\w[\w, ]*) : shared$", texts_of, docstring, flags=re.M)
