"""How uncertain the clusterings are of each object."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from comitia.engine.row_blocks import join
from comitia.ensemble import Ensemble
from comitia.exceptions import ComitiaError
from comitia.represent.cluster_sums import row_sums

__all__ = ["object_uncertainty"]

# Values of one block of rows of the co-association: 32 MB.
_BLOCK_VALUES = 2**22


def object_uncertainty(
    ensemble: Ensemble, *, smoothing: float = 0.0
) -> NDArray[np.float64]:
    r"""How little the clusterings agree on who belongs with each object.

    An object is uncertain when about half of the clusterings put it together with many
    others [1]_:

    .. math::
        w_i = \frac{4}{n} \sum_j A_{ij} (1 - A_{ij}), \qquad
        w_i \leftarrow \frac{w_i + e}{1 + e} .

    Parameters
    ----------
    ensemble : Ensemble
        The clusterings.

    smoothing : float, default=0.0
        The :math:`e` that keeps the weight of an object above zero even where all
        clusterings agree; [1]_ has 0.01.

    Returns
    -------
    uncertainty : ndarray of shape (n_objects,)
        In [0, 1]; large for objects that are hard to cluster.

    Notes
    -----
    The co-association :math:`A = B B' / M` is not formed. With the contingency table
    :math:`N = B'B` of the clusters, :math:`\sum_j A_{ij}^2` is the sum of
    :math:`B_{ic} B_{id} N_{cd} / M^2` over the clusters c and d. Where overlapping
    clusters make :math:`A_{ij}` larger than 1 it counts as 1, and the rows of A are
    made in blocks. A missing label counts as being together with nobody.

    References
    ----------
    .. [1] Y. Ren, C. Domeniconi, G. Zhang and G. Yu, "Weighted-object ensemble
       clustering: methods and analysis", Knowledge and Information Systems 51(2), 2017.
       :doi:`10.1007/s10115-016-0988-y`

    Examples
    --------
    >>> from comitia import Ensemble
    >>> object_uncertainty(Ensemble([[0, 0], [0, 0], [0, 1], [1, 1]]))
    array([0.25, 0.25, 0.75, 0.25])
    """
    if not smoothing >= 0:
        raise ComitiaError(f"smoothing={smoothing} must not be negative.")
    n, M = ensemble.n_objects, ensemble.n_clusterings
    if ensemble.kind == "overlapping":
        weights = _uncertainty_of_rows(ensemble)
    else:
        # Integers until here, where clusterings are hard: agreement gives exact zeros.
        degrees = row_sums(ensemble, ensemble.sizes)
        difference = M * degrees - _squared_row_sums(ensemble)
        weights = 4.0 / (n * M * M) * difference
    # Rounding can leave -1e-17 where fuzzy clusterings agree.
    return (np.maximum(weights, 0.0) + smoothing) / (1.0 + smoothing)


def _squared_row_sums(ensemble: Ensemble) -> NDArray[np.float64]:
    """Row sums of the squared entries of B B'."""
    shared = ensemble.contingency()
    if not ensemble.is_hard:
        B = ensemble.membership
        return np.asarray((B @ shared).multiply(B).sum(axis=1)).ravel()
    return join(
        ensemble.row_blocks.map(_squared_sums_of, shared=shared), ensemble.n_objects
    )


def _squared_sums_of(block: Ensemble, *, shared: Any) -> NDArray[np.float64]:
    micro, _, inverse = block.distinct()
    sums = np.zeros(micro.n_objects)
    offsets = block.offsets
    for m, one in enumerate(micro.codes):
        rows = shared[offsets[m] : offsets[m + 1]]
        for earlier, other in enumerate(micro.codes[: m + 1]):
            table = rows[:, offsets[earlier] : offsets[earlier + 1]].toarray()
            # The code after the last cluster is "missing": nobody shares it.
            table = np.pad(table, ((0, 1), (0, 1)))
            sums += (1.0 if earlier == m else 2.0) * table[one, other]
    return sums[inverse]


def _uncertainty_of_rows(ensemble: Ensemble) -> NDArray[np.float64]:
    weights = np.empty(ensemble.n_objects)
    everyone = ensemble.membership.T.tocsr()
    for rows, block in ensemble.blocks(max(1, _BLOCK_VALUES // ensemble.n_objects)):
        A = (block.membership @ everyone).toarray() / ensemble.n_clusterings
        np.minimum(A, 1.0, out=A)
        weights[rows] = 4.0 * (A * (1.0 - A)).mean(axis=1)
    return weights
