"""Forward stagewise regression with steps in one direction only."""

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from comitia.exceptions import ComitiaError
from comitia.optimize.ties import first_lowest

__all__ = ["StagewiseFit", "forward_stagewise"]


class StagewiseFit(NamedTuple):
    """Coefficients, and how the residual fell."""

    weights: NDArray[np.float64]  # (n_predictors,), the coefficients, none negative
    # (n_steps + 1,), the squared norm of the residual at the start and after each step
    objective: NDArray[np.float64]
    converged: bool  # whether the residual stopped falling before max_iter


def forward_stagewise(
    response: ArrayLike,
    predictors: ArrayLike,
    *,
    step: float = 0.01,
    max_iter: int = 10_000,
    tol: float = 1e-6,
) -> StagewiseFit:
    r"""Regress a response on predictors by many small steps.

    From the residual :math:`R = Y`, each step goes a little way towards the predictor
    that the residual is most like:

    .. math::
        m^* = \arg\max_m \frac{\langle R, T_m \rangle}{\|T_m\|}, \qquad
        w_{m^*} \mathrel{+}= \varepsilon
        \frac{\langle R, T_{m^*} \rangle}{\|T_{m^*}\|^2}, \qquad
        R \mathrel{-}= \varepsilon
        \frac{\langle R, T_{m^*} \rangle}{\|T_{m^*}\|^2} \, T_{m^*} .

    Only steps with a positive inner product are taken, so no weight is negative and
    many stay zero.
    """
    if not 0 < step <= 1:
        raise ComitiaError(f"step={step} must be above 0 and at most 1.")
    Y = np.asarray(response, dtype=np.float64).ravel()
    T = np.asarray(predictors, dtype=np.float64)
    T = T.reshape(len(T), -1)
    if T.shape[1] != Y.size:
        raise ComitiaError(
            f"predictors must have the shape of the response, {Y.size} values each; "
            f"got {T.shape[1]}."
        )
    # Everything happens in inner products: those with R follow those among the T.
    gram = T @ T.T
    norms = np.sqrt(np.diag(gram))
    usable = norms > 0
    shared = T @ Y
    weights = np.zeros(len(T))
    objective = [float(Y @ Y)]
    for _ in range(max_iter):
        likeness = np.divide(shared, norms, out=np.full(len(T), -np.inf), where=usable)
        best = int(first_lowest(-likeness))
        gain = step * (2 - step) * likeness[best] ** 2
        if likeness[best] <= 0 or gain <= tol * objective[0]:
            return StagewiseFit(weights, np.asarray(objective), True)
        length = step * shared[best] / gram[best, best]
        weights[best] += length
        shared = shared - length * gram[best]
        objective.append(objective[-1] - float(gain))
    return StagewiseFit(weights, np.asarray(objective), False)
