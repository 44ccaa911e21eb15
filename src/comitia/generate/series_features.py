"""Time series as rows of a table: values, statistics, wavelets, curves and spectra.

Each function takes series of any length and of several channels and returns one row of
features for each, as long for a short series as for a long one. The features of the
first channel come first.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from comitia._inputs import check_series
from comitia._steps import check_choice
from comitia.exceptions import ComitiaError

__all__ = [
    "SERIES_REPRESENTATIONS",
    "fourier_coefficients",
    "piecewise_statistics",
    "piecewise_wavelets",
    "polynomial_coefficients",
    "represent_series",
    "resampled_values",
]

Array = NDArray[np.float64]


def resampled_values(series: Any, *, n_pieces: int = 100) -> Array:
    r"""The series themselves, all with the same number of values.

    Each value is the mean of a piece, as in :func:`piecewise_statistics`; a series with
    fewer times than there are pieces has some of them several times.

    Parameters
    ----------
    series : array-like of shape (n_objects, n_channels, n_times), or list
        The series, as :meth:`comitia.base.EnsembleMethod.fit` takes them.

    n_pieces : int, default=100
        Number of pieces.

    Returns
    -------
    features : ndarray of shape (n_objects, n_channels * n_pieces)
        The means, channel by channel.

    Examples
    --------
    >>> resampled_values([[0.0, 2.0, 5.0, 5.0], [1.0, 3.0]], n_pieces=2)
    array([[1., 5.],
           [1., 3.]])
    """
    _at_least(n_pieces, 1, "n_pieces")
    return np.array(
        [
            (one @ _cell_shares(one.shape[1], n_pieces).T).ravel()
            for one in check_series(series)
        ]
    )


def piecewise_statistics(series: Any, *, n_pieces: int = 10) -> Array:
    r"""Mean and standard deviation of each piece of a series.

    With a series cut into pieces of equal length,

    .. math::
        \mu_q = \frac{1}{|q|} \sum_{t \in q} x(t), \qquad
        \sigma_q = \sqrt{\frac{1}{|q|} \sum_{t \in q} (x(t) - \mu_q)^2 }.

    Parameters
    ----------
    series : array-like of shape (n_objects, n_channels, n_times), or list
        The series, as :meth:`comitia.base.EnsembleMethod.fit` takes them.

    n_pieces : int, default=10
        Number of pieces. A time step across the border of two pieces counts for both,
        by the shares that they have of it.

    Returns
    -------
    features : ndarray of shape (n_objects, n_channels * 2 * n_pieces)
        The means, then the standard deviations, channel by channel.

    Examples
    --------
    >>> piecewise_statistics([[0.0, 2.0, 5.0, 5.0]], n_pieces=2)
    array([[1., 5., 1., 0.]])
    """
    series = check_series(series)
    _at_least(n_pieces, 1, "n_pieces")
    rows = []
    for one in series:
        shares = _cell_shares(one.shape[1], n_pieces)
        means = one @ shares.T
        squares = (one[:, None, :] - means[:, :, None]) ** 2
        spread = np.sqrt((squares * shares).sum(axis=2))
        rows.append(np.concatenate([means, spread], axis=1).ravel())
    return np.array(rows)


def piecewise_wavelets(series: Any, *, n_pieces: int = 5, n_levels: int = 2) -> Array:
    r"""Coarsest wavelet coefficients of each piece of a series.

    The discrete wavelet transform of Haar splits a piece into halves again and again;
    a coefficient compares the mean of the left half with that of the right one, at
    :math:`J` levels from coarse to fine:

    .. math::
        a = \bar x_q, \qquad
        d_{jl} = 2^{-j/2} \, \tfrac12 \bigl( \bar x_{\text{left half of } jl} -
        \bar x_{\text{right half of } jl} \bigr), \qquad
        j = 0 \dots J - 1, \; l = 1 \dots 2^j.

    Parameters
    ----------
    series : array-like of shape (n_objects, n_channels, n_times), or list
        The series, as :meth:`comitia.base.EnsembleMethod.fit` takes them.

    n_pieces : int, default=5
        Number of pieces, of equal length.

    n_levels : int, default=2
        Number of levels, :math:`J`; 0 leaves the means alone.

    Returns
    -------
    features : ndarray of shape (n_objects, n_channels * n_pieces * 2**n_levels)
        For each channel and piece its mean, then the details from coarse to fine. The
        squares of a piece's features sum to the mean square of its
        :math:`2^J` equal parts: distances are those of the averaged series.

    Examples
    --------
    >>> piecewise_wavelets([[4.0, 2.0, 6.0, 8.0]], n_pieces=1, n_levels=1)
    array([[ 5., -2.]])
    """
    series = check_series(series)
    _at_least(n_pieces, 1, "n_pieces")
    _at_least(n_levels, 0, "n_levels")
    rows = []
    for one in series:
        means = one @ _cell_shares(one.shape[1], n_pieces * 2**n_levels).T
        means = means.reshape(len(one), n_pieces, 2**n_levels)
        details = []
        for level in reversed(range(n_levels)):
            left, right = means[..., 0::2], means[..., 1::2]
            details.append((left - right) / 2.0 * 2.0 ** (-level / 2.0))
            means = (left + right) / 2.0
        # Found from fine to coarse, told from coarse to fine.
        rows.append(np.concatenate([means, *details[::-1]], axis=-1).ravel())
    return np.array(rows)


def polynomial_coefficients(
    series: Any, *, degree: int = 5, basis: str = "legendre"
) -> Array:
    r"""Coefficients of the polynomial that fits each series best.

    .. math::
        x(t) \approx \sum_{p=0}^{P} a_p \, \varphi_p(t),

    by least squares, with the times of a series spread over [-1, 1].

    Parameters
    ----------
    series : array-like of shape (n_objects, n_channels, n_times), or list
        The series, as :meth:`comitia.base.EnsembleMethod.fit` takes them.

    degree : int, default=5
        Degree of the polynomial, :math:`P`. A series with fewer than P + 1 times gets
        the polynomial of least coefficients among those that go through all of them.

    basis : {"legendre", "power"}, default="legendre"
        ``"legendre"`` has the Legendre polynomials as :math:`\varphi_p`, whose
        coefficients are close when the curves are; ``"power"`` has the powers
        :math:`t^p` of the same polynomial.

    Returns
    -------
    features : ndarray of shape (n_objects, n_channels * (degree + 1))
        The coefficients, from the constant on.

    Examples
    --------
    >>> polynomial_coefficients([[1.0, 2.0, 3.0], [1.0, 0.0, 2.0]], degree=1).round(6)
    array([[2. , 1. ],
           [1. , 0.5]])
    """
    from numpy.polynomial import legendre

    series = check_series(series)
    _at_least(degree, 0, "degree")
    check_choice("basis", basis, ("legendre", "power"))
    fits: dict[int, Array] = {}
    rows = []
    for one in series:
        length = one.shape[1]
        if length not in fits:
            # A single time is in the middle.
            times = np.linspace(-1, 1, length) if length > 1 else np.zeros(1)
            fit = np.linalg.pinv(legendre.legvander(times, degree)).astype(float)
            if basis == "power":
                to_powers = np.zeros((degree + 1, degree + 1))
                for p, unit in enumerate(np.eye(degree + 1)):
                    to_powers[: p + 1, p] = legendre.leg2poly(unit[: p + 1])
                fit = to_powers @ fit
            fits[length] = fit
        rows.append((one @ fits[length].T).ravel())
    return np.array(rows) + 0.0  # a zero has no sign, whichever order sums are taken in


def fourier_coefficients(series: Any, *, n_frequencies: int = 8) -> Array:
    r"""Lowest Fourier coefficients of each series.

    .. math::
        F_f = \frac1T \sum_{t=0}^{T-1} x(t) \, e^{-2 \pi \mathrm{i} f t / T}, \qquad
        f = 0 \dots F - 1.

    Parameters
    ----------
    series : array-like of shape (n_objects, n_channels, n_times), or list
        The series, as :meth:`comitia.base.EnsembleMethod.fit` takes them.

    n_frequencies : int, default=8
        Number of frequencies, :math:`F`, in cycles over the whole series. What a
        series is too short for, :math:`f > T / 2`, is 0.

    Returns
    -------
    features : ndarray of shape (n_objects, n_channels * (2 * n_frequencies - 1))
        The real parts, then the imaginary parts from f = 1 on; that of f = 0 is 0.

    Examples
    --------
    >>> fourier_coefficients([[1.0, 0.0, -1.0, 0.0]], n_frequencies=2)
    array([[0. , 0.5, 0. ]])
    """
    series = check_series(series)
    _at_least(n_frequencies, 1, "n_frequencies")
    rows = []
    for one in series:
        spectrum = np.zeros((len(one), n_frequencies), dtype=np.complex128)
        found = np.fft.rfft(one, axis=1)[:, :n_frequencies] / one.shape[1]
        spectrum[:, : found.shape[1]] = found
        rows.append(
            np.concatenate([spectrum.real, spectrum.imag[:, 1:]], axis=1).ravel()
        )
    return np.array(rows) + 0.0  # a zero has no sign


SERIES_REPRESENTATIONS: dict[str, Callable[..., Array]] = {
    "values": resampled_values,
    "statistics": piecewise_statistics,
    "wavelets": piecewise_wavelets,
    "polynomial": polynomial_coefficients,
    "fourier": fourier_coefficients,
}


def represent_series(series: Any, representation: str | Callable[[Any], Any]) -> Array:
    """Represent series as the rows of a table.

    Parameters
    ----------
    series : array-like of shape (n_objects, n_channels, n_times), or list
        The series, as :meth:`comitia.base.EnsembleMethod.fit` takes them.

    representation : str or callable
        ``"values"``, ``"statistics"``, ``"wavelets"``, ``"polynomial"``,
        ``"fourier"``, with the defaults of their functions; or a function that gets a
        list of (n_channels, n_times) arrays and returns one row for each.

    Returns
    -------
    features : ndarray of shape (n_objects, n_features)
        Finite numbers.

    Examples
    --------
    >>> represent_series([[0.0, 1.0], [2.0, 3.0]], lambda s: [[x.mean()] for x in s])
    array([[0.5],
           [2.5]])
    """
    series = check_series(series)
    make = check_representation(representation)
    features = np.asarray(make(series), dtype=np.float64)
    if features.ndim != 2 or len(features) != len(series) or features.shape[1] == 0:
        raise ComitiaError(
            f"representations has a function that made an array of shape "
            f"{features.shape} of {len(series)} series; it must return one row for "
            "each."
        )
    if not np.isfinite(features).all():
        raise ComitiaError(
            "representations has a function that made NaN or infinity; it must return "
            "finite numbers."
        )
    return features


def check_representation(
    representation: str | Callable[..., Any],
) -> Callable[..., Any]:
    """Look a representation up by its name.

    Parameters
    ----------
    representation : str or callable
        As for :func:`represent_series`.

    Returns
    -------
    make : callable
        Its function.
    """
    if callable(representation):
        return representation
    if representation not in SERIES_REPRESENTATIONS:
        raise ComitiaError(
            f"representations has {representation!r}; give names out of "
            f"{', '.join(map(repr, SERIES_REPRESENTATIONS))}, or functions."
        )
    return SERIES_REPRESENTATIONS[representation]


@lru_cache(maxsize=16)
def _cell_shares(n_times: int, n_cells: int) -> Array:
    """Share of each time step in the mean of each of equal cells, (cells, times).

    Cells need not end where steps do: a step counts by how much of it is inside.
    """
    borders = np.arange(n_cells + 1)[:, None] * (n_times / n_cells)
    times = np.arange(n_times)
    inside = np.minimum(borders[1:], times + 1) - np.maximum(borders[:-1], times)
    shares: Array = np.maximum(inside, 0.0)
    shares /= shares.sum(axis=1, keepdims=True)
    shares.flags.writeable = False  # the cache hands it out again
    return shares


def _at_least(value: Any, least: int, name: str) -> None:
    if not isinstance(value, int | np.integer) or value < least:
        raise ComitiaError(f"{name}={value!r} must be a whole number >= {least}.")
