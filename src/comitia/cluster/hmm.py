"""Gaussian hidden Markov models of sequences."""

from __future__ import annotations

from numbers import Integral, Real
from typing import Any, ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_is_fitted

from comitia._scales import column_scales, off_center
from comitia._sklearn import RANDOM_STATE, Interval
from comitia._steps import check_random_state
from comitia.cluster.clusterer import warn_unconverged
from comitia.cluster.mixture import gaussian_log_density
from comitia.cluster.sequences import Series, read_for

__all__ = [
    "GaussianHMM",
    "HMMParameters",
    "first_model",
    "least_variances",
    "log_likelihood",
    "maximize",
]

Array = NDArray[np.float64]


class HMMParameters(NamedTuple):
    """Parameters of a Gaussian hidden Markov model.

    Attributes
    ----------
    start : ndarray of shape (n_states,)
        Probability of each state at the first step.

    transitions : ndarray of shape (n_states, n_states)
        Probability of the next state (columns) in each state (rows).

    means : ndarray of shape (n_states, n_channels)
        Mean of the observations in each state.

    variances : ndarray of shape (n_states, n_channels)
        Their variances.
    """

    start: Array
    transitions: Array
    means: Array
    variances: Array


class GaussianHMM(BaseEstimator):
    r"""Gaussian hidden Markov model of sequences.

    A sequence walks through hidden states :math:`s` with the probabilities
    :math:`A_{s s'}`, and each step shows a Gaussian observation with the mean
    :math:`\mu_s` and the diagonal covariance :math:`\sigma_s^2`. Fitted by expectation
    maximisation, with forward and backward passes in logarithms [1]_.

    Parameters
    ----------
    n_states : int, default=3
        Number of hidden states.

    reg_covar : float, default=1e-3
        Least variance of an observation in a state, as a share of the variance of its
        channel over all sequences.

    max_iter : int, default=50
        Most iterations.

    tol : float, default=1e-4
        Stop when the log-likelihood by time step rises by less.

    random_state : int, RandomState instance or None, default=None
        Seed of the k-means that the states start from.

    Attributes
    ----------
    start_ : ndarray of shape (n_states,)
        Probability of each state at the first step.

    transitions_ : ndarray of shape (n_states, n_states)
        Probability of the next state (columns) in each state (rows).

    means_, variances_ : ndarray of shape (n_states, n_channels)
        Mean and variance of the observations in each state.

    objective_ : ndarray of shape (n_iter_,)
        Minus the log-likelihood by time step.

    n_iter_ : int
        Number of iterations.

    converged_ : bool
        Whether the log-likelihood stopped rising.

    References
    ----------
    .. [1] L. R. Rabiner, "A tutorial on hidden Markov models and selected applications
       in speech recognition", Proc. IEEE 77(2), 1989. :doi:`10.1109/5.18626`

    Examples
    --------
    >>> from comitia.cluster import GaussianHMM
    >>> up_and_down = [[[0.0, 0.1, 5.0, 5.1]], [[5.0, 0.0, 0.1]]]
    >>> model = GaussianHMM(2, random_state=0).fit(up_and_down)
    >>> sorted(model.means_.ravel().round(2).tolist())
    [0.05, 5.03]
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "n_states": [Interval(Integral, 1, None, closed="left")],
        "reg_covar": [Interval(Real, 0, None, closed="neither")],
        "max_iter": [Interval(Integral, 1, None, closed="left")],
        "tol": [Interval(Real, 0, None, closed="left")],
        "random_state": RANDOM_STATE,
    }

    def __init__(
        self,
        n_states: int = 3,
        *,
        reg_covar: float = 1e-3,
        max_iter: int = 50,
        tol: float = 1e-4,
        random_state: Any = None,
    ) -> None:
        self.n_states = n_states
        self.reg_covar = reg_covar
        self.max_iter = max_iter
        self.tol = tol
        self.random_state = random_state

    def fit(self, X: Any, y: Any = None) -> GaussianHMM:
        """Fit the model to sequences.

        Parameters
        ----------
        X : array-like
            Sequences: shape (n_objects, n_channels, n_steps); shape (n_objects,
            n_steps) for one channel; or a list of (n_channels, n_steps) arrays of
            unequal length.

        y : None
            Not used; there for scikit-learn's pipelines.

        Returns
        -------
        self : object
            The fitted model.
        """
        self._validate_params()
        series = read_for(self, X)
        rng = check_random_state(self.random_state)
        least = least_variances(series, self.reg_covar)
        model = first_model(series, self.n_states, least, rng)
        model, objective, converged = maximize(
            model, series, least, self.max_iter, self.tol
        )
        warn_unconverged(converged, self, self.max_iter)
        self.start_, self.transitions_, self.means_, self.variances_ = model
        self.objective_ = objective
        self.n_iter_ = len(objective)
        self.converged_ = converged
        return self

    @property
    def parameters_(self) -> HMMParameters:
        """The fitted parameters together."""
        check_is_fitted(self)
        return HMMParameters(
            self.start_, self.transitions_, self.means_, self.variances_
        )

    def score_samples(self, X: Any) -> Array:
        """Log-likelihood of each sequence.

        Parameters
        ----------
        X : array-like
            Sequences, as for :meth:`fit`.

        Returns
        -------
        log_likelihood : ndarray of shape (n_objects,)
            Of whole sequences; divide by their lengths to compare them.
        """
        model = self.parameters_
        return log_likelihood(model, Series.read(X, model.means.shape[1]))

    def score(self, X: Any, y: Any = None) -> float:
        """Log-likelihood of all sequences, by time step.

        Parameters
        ----------
        X : array-like
            Sequences, as for :meth:`fit`.

        y : None
            Not used.

        Returns
        -------
        score : float
            Larger is better.
        """
        series = Series.read(X, self.parameters_.means.shape[1])
        return float(self.score_samples(series).sum() / series.lengths.sum())


def log_likelihood(model: HMMParameters, series: Series) -> Array:
    r"""Log-likelihood of each sequence.

    Parameters
    ----------
    model : HMMParameters
        The model.

    series : Series
        The sequences.

    Returns
    -------
    log_likelihood : ndarray of shape (n_objects,)
        :math:`\ln \Pr(x_i)`.
    """
    from comitia._kernels.hidden_markov import forward_likelihoods

    return forward_likelihoods(*_log_terms(model, series))


def least_variances(series: Series, share: float) -> Array:
    """Least variance of each channel in a state.

    Parameters
    ----------
    series : Series
        The sequences.

    share : float
        Which share it is of the variance of the channel over all time steps.

    Returns
    -------
    least : ndarray of shape (n_channels,)
        The least variances.
    """
    _, scale, _ = column_scales(series.steps)
    return np.asarray(share * scale**2)


def first_model(
    series: Series, n_states: int, least: Array, rng: np.random.RandomState
) -> HMMParameters:
    """A model to start from: states at time steps far from each other, which stay.

    Parameters
    ----------
    series : Series
        The sequences.

    n_states : int
        Number of hidden states.

    least : ndarray of shape (n_channels,)
        Least variances.

    rng : RandomState instance
        Draws the time steps, as k-means++ does.

    Returns
    -------
    model : HMMParameters
        Each state goes on with more than probability one half.
    """
    from sklearn.cluster import kmeans_plusplus

    steps = series.steps
    n_apart = min(n_states, len(steps))
    _, chosen = kmeans_plusplus(off_center(steps), n_apart, random_state=rng)
    means = steps[chosen]
    # Fewer time steps than states: some states begin alike.
    means = means[np.arange(n_states) % len(means)]
    variances = np.maximum(steps.var(axis=0), least)
    stay = 0.5 * np.eye(n_states) + 0.5 / n_states
    return HMMParameters(
        np.full(n_states, 1 / n_states),
        stay,
        means,
        np.tile(variances, (n_states, 1)),
    )


def maximize(
    model: HMMParameters,
    series: Series,
    least: Array,
    max_iter: int,
    tol: float,
) -> tuple[HMMParameters, Array, bool]:
    """Expectation maximisation.

    Parameters
    ----------
    model : HMMParameters
        Where to start.

    series : Series
        The sequences.

    least : ndarray of shape (n_channels,)
        Least variances.

    max_iter : int
        Most iterations.

    tol : float
        Stop when the log-likelihood by time step rises by no more.

    Returns
    -------
    model : HMMParameters
        The fitted model.

    objective : ndarray of shape (n_iter,)
        Minus the log-likelihood by time step, before each update.

    converged : bool
        Whether it stopped rising.
    """
    n_steps = series.lengths.sum()
    objective: list[float] = []
    for _ in range(max_iter):
        expected = _expect(model, series)
        objective.append(-float(expected.log_likelihood.sum() / n_steps))
        if len(objective) > 1 and objective[-2] - objective[-1] <= tol:
            return model, np.array(objective), True
        model = _update(model, series, expected, least)
    return model, np.array(objective), False


def _log(probabilities: Array) -> Array:
    """Logarithms, minus infinity for what is impossible."""
    with np.errstate(divide="ignore"):
        return np.log(probabilities)


def _log_terms(model: HMMParameters, series: Series) -> tuple[Any, ...]:
    """What the passes over the sequences read: logarithms, and where each begins."""
    emissions = gaussian_log_density(series.steps, model.means, model.variances)
    starts = np.concatenate([[0], np.cumsum(series.lengths)])
    return (
        _log(model.start),
        _log(model.transitions),
        np.ascontiguousarray(emissions),
        starts,
    )


class _Expectations(NamedTuple):
    """What the states were, on average."""

    states: Array  # (n_steps, S): probability of each state at each step of all
    moves: Array  # (S, S): expected number of transitions
    log_likelihood: Array  # (n,)


def _expect(model: HMMParameters, series: Series) -> _Expectations:
    from comitia._kernels.hidden_markov import expected_states

    return _Expectations(*expected_states(*_log_terms(model, series)))


def _update(
    model: HMMParameters, series: Series, expected: _Expectations, least: Array
) -> HMMParameters:
    """The best parameters for expected states; a state never visited stays as it is."""
    firsts = np.cumsum(series.lengths) - series.lengths
    start = expected.states[firsts].sum(axis=0)
    leaving = expected.moves.sum(axis=1)
    transitions = np.where(
        leaving[:, None] > 0,
        expected.moves / np.where(leaving > 0, leaving, 1.0)[:, None],
        model.transitions,
    )
    weights = expected.states
    observations = series.steps
    mass = weights.sum(axis=0)
    visited = mass[:, None] > 0
    divisor = np.where(mass > 0, mass, 1.0)[:, None]
    means = np.where(visited, weights.T @ observations / divisor, model.means)
    variances = np.empty_like(means)
    for s, mean in enumerate(means):
        variances[s] = weights[:, s] @ (observations - mean) ** 2 / divisor[s]
    variances = np.where(visited, np.maximum(variances, least), model.variances)
    return HMMParameters(start / start.sum(), transitions, means, variances)
