"""How well the clusterings of a method agree with the classes, as in the papers."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["BEST_OF", "MEASURES", "scores"]

#: The numbers of clusters of which the best is taken: those of the authors' demo.
BEST_OF = tuple(range(2, 31))
MEASURES = ("nmi_sqrt", "nmi_max", "ari")


def scores(
    labels: Iterable[NDArray[Any]], numbers: Sequence[int], classes: NDArray[Any]
) -> dict[str, Any]:
    """How well clusterings agree with the classes: the best of each measure.

    Parameters
    ----------
    labels : iterable of ndarray of shape (n_objects,)
        Clusterings, one for each number of clusters.

    numbers : sequence of int
        The numbers of clusters.

    classes : ndarray of shape (n_objects,)
        The classes.

    Returns
    -------
    values : dict
        ``k``, that of the best ``nmi_max``, and :data:`MEASURES`.
    """
    from comitia.agreement import agreement

    measures = ("nmi_sqrt", "nmi_max", "adjusted_rand")
    found = np.array(
        [
            [agreement(one, classes, measure) for measure in measures]
            for _, one in zip(numbers, labels, strict=True)
        ]
    )
    best = dict(zip(MEASURES, found.max(axis=0).tolist(), strict=True))
    return {"k": numbers[int(found[:, 1].argmax())], **best}
