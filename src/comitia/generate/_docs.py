"""Docstrings that are written once."""

from __future__ import annotations

from inspect import isfunction
from typing import Any

from comitia._shared_docs import written_out

__all__ = ["SharedDocs"]

# Parameters and attributes that mean the same for every generator that has them.
_TEXTS = {
    "n_clusterings": r"""int or "auto", default=50
    Size of the ensemble, :math:`M`. ``"auto"`` makes members, of data in memory,
    until their co-association is reliable (.9, by split halves; at least 20 and
    at most 200 members): :class:`comitia.generate.stopping.Reliability`.""",
    "n_clusters": r"""int, (int, int) or (int, None), default=None
    Number of clusters of each clustering, or the range it is drawn from. ``None``
    draws from 2 to :math:`\sqrt{n}`, at most 50, and ``(k, None)`` from k to the
    larger of 2 k and that.""",
    "objects": """sampler, default=None
    Which objects a member sees, as for :class:`EstimatorGenerator`.""",
    "features": """sampler, default=None
    Which features a member sees, as for :class:`EstimatorGenerator`.""",
    "extend": """bool, default=False
    Whether objects that a member did not draw are labelled too; they stay missing
    otherwise.""",
    "n_jobs": """int, default=None
    Number of parallel jobs.""",
    "checkpoint": """path-like, default=None
    A folder for finished members. A run that was killed goes on from there.""",
    "verbose": """bool, default=False
    Whether to draw a progress bar.""",
    "random_state": """int, RandomState instance or None, default=None
    Seed.""",
    "ensemble_": """Ensemble
    The clusterings.""",
    "members_": """list
    What labels new objects.""",
}


class SharedDocs:
    """Completes the docstrings of its subclasses.

    A method without a docstring gets that of the method it overrides. A line such as
    ``n_jobs, verbose : shared`` in the docstring of a class becomes their texts.
    """

    def __init_subclass__(cls, **options: Any) -> None:
        super().__init_subclass__(**options)
        for name, method in vars(cls).items():
            if isfunction(method) and method.__doc__ is None:
                overridden = getattr(super(cls, cls), name, None)
                method.__doc__ = getattr(overridden, "__doc__", None)
        if cls.__doc__ is not None:
            cls.__doc__ = written_out(cls.__doc__, _TEXTS)
