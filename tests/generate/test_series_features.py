"""Time series as tables, each representation against loops that are obviously right."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from comitia.exceptions import ComitiaError
from comitia.generate.series_features import (
    SERIES_REPRESENTATIONS,
    fourier_coefficients,
    piecewise_statistics,
    piecewise_wavelets,
    polynomial_coefficients,
    represent_series,
    resampled_values,
)

EACH = pytest.mark.parametrize("name", list(SERIES_REPRESENTATIONS))


def some_series(seed, lengths=(40, 80, 120), n_channels=2):
    rng = np.random.RandomState(seed)
    return [rng.randn(n_channels, length) + 5.0 for length in lengths]


def finely(channel, n_cells):
    """The series with each value repeated, so that every cell holds whole steps."""
    return np.repeat(channel, n_cells).reshape(n_cells, len(channel))


@pytest.mark.parametrize("lengths", [(40, 80), (7, 13, 3, 1)])
def test_statistics_are_means_and_spreads_of_the_pieces(lengths):
    series = some_series(0, lengths)
    got = piecewise_statistics(series, n_pieces=4)
    for one, row in zip(series, got, strict=True):
        expected = []
        for channel in one:
            pieces = finely(channel, 4)
            expected += [piece.mean() for piece in pieces]
            expected += [piece.std() for piece in pieces]
        assert_allclose(row, expected, atol=1e-12)


def test_values_are_those_of_the_series_at_as_many_times():
    series = some_series(0, lengths=(8, 4))
    got = resampled_values(series, n_pieces=8)
    assert_allclose(got[0], series[0].ravel())
    assert_allclose(got[1], np.repeat(series[1], 2, axis=1).ravel())


def test_a_large_level_does_not_swallow_the_spread():
    wave = np.tile([-1.0, 1.0], 20)
    got = piecewise_statistics([wave + 1e9], n_pieces=2)
    assert_allclose(got[0, 2:], 1.0)


def haar(cells):
    """Haar coefficients by inner products with the wavelets themselves."""
    length = len(cells)
    coefficients = [cells.mean()]
    for level in range(int(np.log2(length))):
        width = length // 2**level
        for place in range(2**level):
            wavelet = np.zeros(length)
            wavelet[place * width : place * width + width // 2] = 1.0
            wavelet[place * width + width // 2 : (place + 1) * width] = -1.0
            coefficients.append(cells @ wavelet / (width * 2 ** (level / 2)))
    return np.array(coefficients)


@pytest.mark.parametrize("lengths", [(24, 48), (5, 11, 1)])
def test_wavelets_are_inner_products_with_the_wavelets(lengths):
    series = some_series(1, lengths)
    got = piecewise_wavelets(series, n_pieces=3, n_levels=3)
    for one, row in zip(series, got, strict=True):
        expected = []
        for channel in one:
            cells = finely(channel, 24).mean(axis=1)
            expected += [haar(piece) for piece in cells.reshape(3, 8)]
        assert_allclose(row, np.concatenate(expected), atol=1e-12)


def test_all_levels_of_wavelets_keep_the_distances():
    one, other = np.random.RandomState(2).randn(2, 32)
    a, b = piecewise_wavelets([one, other], n_pieces=4, n_levels=3)
    assert_allclose(np.sum((a - b) ** 2) / 4, np.mean((one - other) ** 2))


def test_no_levels_of_wavelets_are_the_means():
    series = some_series(3)
    means = piecewise_statistics(series, n_pieces=5).reshape(3, 2, 2, 5)[:, :, 0]
    got = piecewise_wavelets(series, n_pieces=5, n_levels=0)
    assert_allclose(got, means.reshape(3, -1))


@EACH
def test_zeros_have_no_sign(name):
    flat = [[[0.0] * 8], [[-0.0] * 8], [[1.0, 0.0, -1.0, 0.0] * 2], [[1.0] * 8]]
    features = represent_series(flat, name)
    assert not np.signbit(features[features == 0]).any()


@pytest.mark.parametrize("degree", [0, 1, 4])
def test_powers_are_those_of_numpys_least_squares(degree):
    series = some_series(4, (9, 20, 31))
    got = polynomial_coefficients(series, degree=degree, basis="power")
    for one, row in zip(series, got, strict=True):
        times = np.linspace(-1, 1, one.shape[1])
        expected = [np.polyfit(times, channel, degree)[::-1] for channel in one]
        assert_allclose(row, np.concatenate(expected), atol=1e-9)


def test_both_bases_are_one_polynomial():
    series = some_series(5, (30, 12), n_channels=1)
    times = np.linspace(-1, 1, 7)
    in_legendre = polynomial_coefficients(series, degree=4)
    in_powers = polynomial_coefficients(series, degree=4, basis="power")
    for a, b in zip(in_legendre, in_powers, strict=True):
        curve = np.polynomial.legendre.legval(times, a)
        assert_allclose(curve, np.polynomial.polynomial.polyval(times, b))


def test_a_polynomial_of_higher_degree_goes_through_all_times():
    series = some_series(6, (3, 1), n_channels=1)
    coefficients = polynomial_coefficients(series, degree=6)
    through = np.polynomial.legendre.legval(np.linspace(-1, 1, 3), coefficients[0])
    assert_allclose(through, series[0][0])
    assert_allclose(
        np.polynomial.legendre.legval(0.0, coefficients[1]), series[1][0, 0]
    )


def test_fourier_coefficients_are_their_sums():
    series = some_series(7, (16, 33, 5))
    got = fourier_coefficients(series, n_frequencies=6)
    for one, row in zip(series, got, strict=True):
        n_times = one.shape[1]
        expected = []
        for channel in one:
            F = [
                sum(
                    channel[t] * np.exp(-2j * np.pi * f * t / n_times)
                    for t in range(n_times)
                )
                / n_times
                if f <= n_times / 2
                else 0.0
                for f in range(6)
            ]
            expected += [*np.real(F), *np.imag(F)[1:]]
        assert_allclose(row, expected, atol=1e-12)


@EACH
def test_length_hardly_matters(name):
    """The same curve, sampled twice as often, has nearly the same features."""
    curves = [
        np.sin(2 * np.pi * (np.arange(n) + 0.5) / n) + np.arange(n) / n
        for n in (400, 800)
    ]
    short, long = represent_series([c[None] for c in curves], name)
    # Sampling moves a value by one part in 400.
    assert_allclose(short, long, atol=0.02)


@EACH
def test_forms_of_input_agree(name):
    X = np.random.RandomState(8).randn(5, 1, 12)
    table = represent_series(X[:, 0], name)
    assert_array_equal(represent_series(X, name), table)
    assert_array_equal(represent_series(list(X), name), table)


@EACH
def test_channels_stand_beside_each_other(name):
    both = some_series(9)
    first = represent_series([one[:1] for one in both], name)
    second = represent_series([one[1:] for one in both], name)
    assert_allclose(represent_series(both, name), np.hstack([first, second]))


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda X: piecewise_statistics(X, n_pieces=0), "n_pieces=0 must be"),
        (lambda X: piecewise_wavelets(X, n_levels=-1), "n_levels=-1 must be"),
        (lambda X: polynomial_coefficients(X, degree=1.5), "degree=1.5 must be"),
        (
            lambda X: polynomial_coefficients(X, basis="sine"),
            'none of "legendre", "power"',
        ),
        (lambda X: fourier_coefficients(X, n_frequencies=0), "n_frequencies=0"),
        (lambda X: represent_series(X, "fourrier"), "representations has 'fourrier'"),
        (lambda X: represent_series(X, lambda s: [[1.0]]), r"shape \(1, 1\) of 3"),
        (lambda X: represent_series(X, lambda s: s[0][0, :3] * [[np.nan]]), "3 series"),
        (
            lambda X: represent_series(X, lambda s: np.full((3, 1), np.inf)),
            "finite numbers",
        ),
        (lambda X: piecewise_statistics([np.ones((1, 2)), np.ones((2, 2))]), "channel"),
    ],
)
def test_bad_input_is_refused_in_words(call, message):
    with pytest.raises(ComitiaError, match=message):
        call(np.random.RandomState(0).randn(3, 1, 8))
