"""DREC: dense representation ensemble clustering."""

from __future__ import annotations

from numbers import Real
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from comitia._scales import unit_rows
from comitia._sklearn import Interval
from comitia.base import EnsembleMethod
from comitia.catalogue import MethodCard
from comitia.config import require_memory
from comitia.methods._types import Array, Data, Ensemble, Maker, Rng, Seed
from comitia.partition import ncut

__all__ = ["DREC"]

Floats = NDArray[np.float64]

# Under the root of a residual: an object that is represented exactly has one too.
_TINY = 1e-10
# Singular values of the representation below this share of the largest are noise.
_NOISE = 1e-4
# The power of the authors' affinity.
_POWER = 4


class DREC(EnsembleMethod):
    r"""Dense representation ensemble clustering.

    The label row of each object is written as a combination of all label rows. Objects
    for which that fails count less, and the combinations are cut as a graph [1]_.

    Parameters
    ----------
    n_clusters : int, default=None
        Number of clusters. ``None`` takes the eigengap of the ensemble's graph.

    coefficient_penalty : float, default=100.0
        What large combinations cost, :math:`\lambda`.

    n_steps : int, default=5
        Number of times that objects are weighed and represented.

    n_init : int, default=100
        Number of starts of k-means, which cuts the eigenvectors.

    generator, random_state : shared

    Attributes
    ----------
    object_weights_ : ndarray of shape (n_objects,)
        Weight of each object, which sum to 1: the less is left of its label row, the
        more.

    objective_ : ndarray of shape (n_steps,)
        The objective after each representation.

    Notes
    -----
    With one column :math:`x_j` of X for each distinct label row, written as zeros and
    ones,

    .. math::
        \min_Z \lVert X - X Z \rVert_{2,1} + \lambda \lVert Z \rVert_F^2

    is solved by turns: :math:`X'X Z + Z \mathrm{diag}(\lambda / d) = X'X`, and
    :math:`d_j = 1 / (2 \lVert X z_j - x_j \rVert)`, from :math:`d = 1`. The left
    singular vectors of Z, scaled by the roots of their values and then to unit rows U,
    give the affinity :math:`(U U')^4`, entry by entry, and the normalised cut the
    labels. Each distinct label row counts once, however many objects have it, as in the
    authors' code.

    No Lyapunov equation is solved: with the singular value decomposition
    :math:`X = W s V'` each column is
    :math:`z_j = V \mathrm{diag}(s^2 / (s^2 + \lambda / d_j)) V_j'`, and one
    decomposition serves all turns. The code was read, not the paper; the penalty is the
    default of a port, and the authors scan 0.001 to 1000.

    References
    ----------
    .. [1] J. Zhou, H. Zheng and L. Pan, "Ensemble clustering based on dense
       representation", Neurocomputing 357, 2019.
       :doi:`10.1016/j.neucom.2019.04.078`

    Examples
    --------
    >>> from comitia import Ensemble, method
    >>> votes = Ensemble([[0, 0, 0], [0, 0, 1], [1, 1, 1], [1, 1, 2]])
    >>> method("drec")(n_clusters=2, random_state=0).fit_predict(votes)
    array([0, 0, 1, 1], dtype=int32)
    """

    card = MethodCard(
        id="drec",
        source="after",
        weighs="objects",
        approach="variable",
        needs="labels",
        missing="votes",
        scales="quadratic",
        quick={"n_init": 10},
    )

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "coefficient_penalty": [Interval(Real, 0, None, closed="neither")],
    }

    def __init__(
        self,
        n_clusters: int | None = None,
        *,
        coefficient_penalty: float = 100.0,
        n_steps: int = 5,
        n_init: int = 100,
        generator: Maker = None,
        random_state: Seed = None,
    ) -> None:
        self.n_clusters = n_clusters
        self.coefficient_penalty = coefficient_penalty
        self.n_steps = n_steps
        self.n_init = n_init
        self.generator = generator
        self.random_state = random_state

    def _combine(self, ensemble: Ensemble, X: Data, rng: Rng) -> Array:
        n_clusters = self._resolve_n_clusters(ensemble)
        micro, _, inverse = ensemble.distinct().in_content_order()
        u, K = micro.n_objects, micro.n_clusters_total
        require_memory(
            8 * (3 * u * u + 3 * u * K),
            f"the affinity of each two of {u} objects",
            "use a method that is linear in n, such as lwgp",
        )
        if n_clusters > u:
            # Objects that no clustering tells apart cannot be cut apart either.
            n_clusters = u
        vectors, shares, weights, objective = dense_representation(
            micro.membership.toarray(), self.coefficient_penalty, self.n_steps
        )
        self.objective_ = objective
        spread = weights[inverse]
        self.object_weights_ = spread / spread.sum()
        affinity = _affinity(vectors, shares)
        labels = ncut(affinity, n_clusters, rng, n_init=self.n_init)
        return labels[inverse]


def dense_representation(
    B: Floats, penalty: float, n_steps: int
) -> tuple[Floats, Floats, Floats, Floats]:
    """Write each row of B by all rows.

    Returns the left singular vectors V of B, the matrix G with Z = V G, the weights d
    of the rows, and the objective of each turn.
    """
    V, s, _ = np.linalg.svd(B, full_matrices=False)
    s2 = s**2
    d = np.ones(len(B))
    objective = []
    for _ in range(n_steps):
        held = (penalty / d)[:, None]
        shares = s2 / (s2 + held) * V
        left = np.sqrt(((held / (s2 + held) * V) ** 2 @ s2) + _TINY)
        objective.append(left.sum() + penalty * (shares**2).sum())
        d = 1.0 / (2.0 * left)
    return V, shares.T, d, np.asarray(objective)


def _affinity(V: Floats, G: Floats) -> Floats:
    """The authors' affinity of the objects, from Z = V G."""
    P, values, _ = np.linalg.svd(G, full_matrices=False)
    kept = values > _NOISE * values[0]
    U = (V @ P[:, kept]) * np.sqrt(values[kept])
    U = unit_rows(U)
    return (U @ U.T) ** _POWER
