"""Weights of objects."""

import numpy as np
from numpy.typing import NDArray

from comitia.ensemble import Ensemble

__all__ = ["coassociation_degree"]


def coassociation_degree(ensemble: Ensemble) -> NDArray[np.float64]:
    r"""Row sums of the co-association B B', without forming it.

    .. math::
        d_i = \sum_j [B B']_{ij} = \sum_{m=1}^{M} |C_m(i)|,

    the summed sizes of the clusters that object i is in.

    Parameters
    ----------
    ensemble : Ensemble
        The clusterings. A clustering that leaves an object out adds nothing to it.

    Returns
    -------
    degree : ndarray of shape (n_objects,)
        The degree :math:`d_i` of each object; 0 for one that no clustering covers.

    Examples
    --------
    >>> from comitia import Ensemble
    >>> coassociation_degree(Ensemble([[0, 0], [0, 1], [0, 1]]))
    array([4., 5., 5.])
    """
    if not ensemble.is_hard:
        return ensemble.membership @ ensemble.sizes
    degree = np.zeros(ensemble.n_objects)
    for m, codes in enumerate(ensemble.codes):
        sizes = ensemble.sizes[ensemble.offsets[m] : ensemble.offsets[m + 1]]
        # The code after the last cluster is "missing": nobody shares it.
        degree += np.append(sizes, 0)[codes]
    return degree
