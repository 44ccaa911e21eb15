"""Kernel k-means over several kernels and widths."""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from comitia.exceptions import ComitiaError
from comitia.generate.estimators import EstimatorGenerator, median_distance
from comitia.generate.generator import Plan

__all__ = ["KernelGenerator"]


@dataclass(eq=False, repr=False)
class KernelGenerator(EstimatorGenerator):
    r"""Kernel k-means with several kernels, each member with a width of its own.

    The width :math:`\sigma` of a member is a multiple, drawn on a logarithmic scale, of
    the median distance of its objects. "rbf" has
    :math:`\gamma = 1 / 2\sigma^2`, "laplacian" :math:`\gamma = 1 / \sigma`, "poly" and
    "sigmoid" :math:`\gamma = 1 / \sigma^2`.

    Parameters
    ----------
    n_clusterings, n_clusters : shared

    kernels : list of str, default=("rbf", "laplacian", "poly")
        Kernels of :class:`~comitia.cluster.KernelKMeans`; members take turns.

    widths : (float, float), default=(0.2, 2.0)
        Range of the width, as a multiple of the median distance.

    objects, features, extend : shared

    n_jobs, checkpoint, verbose, random_state : shared

    Attributes
    ----------
    ensemble_ : Ensemble
        The clusterings; ``groups`` says which kernel they have.

    members_ : list
        What labels new objects.

    Examples
    --------
    >>> from comitia.generate import KernelGenerator
    >>> X = [[0.0], [0.1], [0.2], [5.0], [5.1], [5.2]]
    >>> KernelGenerator(3, n_clusters=2, random_state=0).generate(X).groups.tolist()
    ['rbf', 'laplacian', 'poly']
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "kernels": [tuple, list],
        "widths": [tuple, list],
    }

    n_clusterings: int | str = 50
    _: KW_ONLY
    n_clusters: Any = None
    kernels: Any = ("rbf", "laplacian", "poly")
    widths: tuple[float, float] = (0.2, 2.0)
    objects: Any = None
    features: Any = None
    extend: bool = False
    n_jobs: int | None = None
    checkpoint: Any = None
    verbose: Any = False
    random_state: Any = None

    def estimators(self) -> list[Any]:
        from comitia.cluster import KernelKMeans

        return [KernelKMeans(kernel=kernel, n_init=1) for kernel in self.kernels]

    def group_of(self, model: Any) -> str:
        return str(model.kernel)

    def plan_more(self, rng: np.random.RandomState) -> Plan:
        return {"width": _log_uniform("widths", self.widths, rng)}

    def tune(self, model: Any, plan: Plan, seen: NDArray[Any]) -> Any:
        metric = "cityblock" if model.kernel == "laplacian" else "euclidean"
        rng = np.random.RandomState(plan["seed"])
        width = plan["width"] * median_distance(seen, rng, metric)
        return model.set_params(gamma=gamma_of(model.kernel, width))


def gamma_of(kernel: str, width: float) -> float:
    """The parameter gamma by which scikit-learn's kernels know their width.

    Parameters
    ----------
    kernel : str
        Name of the kernel.

    width : float
        Its width.

    Returns
    -------
    gamma : float
        The parameter.
    """
    if kernel == "rbf":
        return 1.0 / (2.0 * width**2)
    return 1.0 / width if kernel == "laplacian" else 1.0 / width**2


def _check_range(name: str, ends: Any) -> tuple[float, float]:
    """Check the ends of a range of positive numbers."""
    try:
        lowest, highest = (float(end) for end in ends)
    except (TypeError, ValueError):
        lowest = highest = 0.0
    if not 0 < lowest <= highest < np.inf:
        raise ComitiaError(
            f"{name}={ends!r} must be a pair (lowest, highest) with "
            "0 < lowest <= highest."
        )
    return lowest, highest


def _log_uniform(name: str, ends: Any, rng: np.random.RandomState) -> float:
    """Draw from a range, uniformly on a logarithmic scale."""
    lowest, highest = np.log(_check_range(name, ends))
    return float(np.exp(rng.uniform(lowest, highest)))
