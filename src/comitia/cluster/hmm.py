"""Gaussian hidden Markov models, and k-models clustering of sequences."""

from __future__ import annotations

from numbers import Integral, Real
from typing import Any, ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted

from comitia._scales import column_scales
from comitia._sklearn import Interval, validate_data
from comitia.cluster._base import (
    COMMON_CONSTRAINTS,
    Clusterer,
    best_run,
    check_n_clusters,
    fill_empty,
    warn_unconverged,
)
from comitia.cluster.mixture import gaussian_log_density
from comitia.exceptions import ComitiaError

__all__ = ["GaussianHMM", "HMMKModels", "HMMParameters", "KModelsRun", "Series"]

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


class KModelsRun(NamedTuple):
    """Result of k-models clustering.

    Attributes
    ----------
    labels : ndarray of shape (n_objects,)
        The clusters.

    models : list of HMMParameters
        The model of each cluster.

    objective : ndarray of shape (n_iter,)
        Minus the log-likelihood of all sequences, by time step.

    converged : bool
        Whether the labels stopped changing.
    """

    labels: NDArray[np.intp]
    models: list[HMMParameters]
    objective: Array
    converged: bool


class Series:
    """Sequences of unequal length in one array.

    Parameters
    ----------
    values : ndarray of shape (n_objects, longest, n_channels)
        Observations; after the end of a sequence anything.

    lengths : ndarray of shape (n_objects,)
        Number of time steps of each sequence.
    """

    def __init__(self, values: Array, lengths: NDArray[np.intp]) -> None:
        self.values = values
        self.lengths = lengths
        self.present = np.arange(values.shape[1]) < lengths[:, None]

    def __len__(self) -> int:
        return len(self.lengths)

    def take(self, which: Any) -> Series:
        """Keep some of the sequences.

        Parameters
        ----------
        which : array-like of int or bool
            Which ones.

        Returns
        -------
        series : Series
            Those sequences.
        """
        lengths = self.lengths[which]
        return Series(self.values[which, : lengths.max()], lengths)

    def steps(self) -> Array:
        """All time steps of all sequences, one after the other.

        Returns
        -------
        steps : ndarray of shape (n_steps, n_channels)
            Observations.
        """
        return self.values[self.present]

    @classmethod
    def read(cls, X: Any, n_channels: int | None = None) -> Series:
        """Read sequences in any of the forms that ``fit`` accepts.

        Parameters
        ----------
        X : array-like
            Shape (n_objects, n_channels, n_steps); shape (n_objects, n_steps) for
            one channel; or a list of (n_channels, n_steps) arrays of unequal length.

        n_channels : int, default=None
            The number of channels there have to be.

        Returns
        -------
        series : Series
            The sequences.
        """
        if isinstance(X, Series):
            made = X
        else:
            made = cls._of(_as_sequences(X))
        found = made.values.shape[2]
        if n_channels is not None and found != n_channels:
            raise ComitiaError(
                f"the sequences have {found} channels; this model was fitted to "
                f"{n_channels}."
            )
        return made

    @classmethod
    def _of(cls, sequences: list[Array]) -> Series:
        lengths = np.array([s.shape[1] for s in sequences], dtype=np.intp)
        values = np.zeros((len(sequences), lengths.max(), len(sequences[0])))
        for i, sequence in enumerate(sequences):
            values[i, : lengths[i]] = sequence.T
        return cls(values, lengths)


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
        "random_state": ["random_state"],
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
        series = _read_for(self, X)
        rng = check_random_state(self.random_state)
        least = _least_variances(series, self.reg_covar)
        model = _first_model(series, self.n_states, least, rng)
        model, objective, converged = _maximise(
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


class HMMKModels(Clusterer):
    r"""K-models clustering of sequences with hidden Markov models.

    K-means in which a hidden Markov model takes the place of a centre: each sequence
    joins the model under which it is most likely, and each model is fitted anew to
    its sequences [1]_,

    .. math::
        \max \sum_r \sum_{i \in r} \ln \Pr(x_i \mid \mathrm{HMM}_r).

    Parameters
    ----------
    n_clusters : int, default=8
        Number of clusters.

    n_states : int, default=3
        Hidden states of each model.

    reg_covar : float, default=1e-3
        Least variance of an observation in a state, as a share of the variance of its
        channel over all sequences.

    n_init : int, default=3
        Number of starts; the best likelihood wins.

    max_iter : int, default=50
        Most rounds of assigning and fitting.

    max_iter_model : int, default=10
        Most iterations of a model in each round; it goes on from where it was.

    tol : float, default=1e-4
        A model is fitted until its log-likelihood by time step rises by less.

    random_state : int, RandomState instance or None, default=None
        Seed of the starts.

    Attributes
    ----------
    labels_ : ndarray of shape (n_objects,)
        The clusters.

    models_ : list of HMMParameters
        The model of each cluster.

    log_likelihood_ : ndarray of shape (n_objects, n_clusters)
        Log-likelihood of each sequence under each model, by time step.

    objective_ : ndarray of shape (n_iter_,)
        Minus the log-likelihood of all sequences under their models, by time step.

    n_iter_ : int
        Number of rounds.

    converged_ : bool
        Whether the labels stopped changing.

    Notes
    -----
    The models start from random sequences, one for each cluster. A model that lost
    its sequences gets the one that fits worst where it is.

    References
    ----------
    .. [1] Y. Yang and J. Jiang, "Bi-weighted ensemble via HMM-based approaches for
       temporal data clustering", Pattern Recognition 76, 2018.
       :doi:`10.1016/j.patcog.2017.11.022`

    Examples
    --------
    >>> from comitia.cluster import HMMKModels
    >>> X = [[0.0, 0.1, 0.0, 0.1], [0.1, 0.0, 0.1], [5.0, 5.1, 5.0], [5.1, 5.0, 5.1]]
    >>> sequences = [[channel] for channel in X]
    >>> labels = HMMKModels(2, n_states=1, random_state=0).fit_predict(sequences)
    >>> labels == labels[0]
    array([ True,  True, False, False])
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **COMMON_CONSTRAINTS,
        "n_states": [Interval(Integral, 1, None, closed="left")],
        "reg_covar": [Interval(Real, 0, None, closed="neither")],
        "max_iter_model": [Interval(Integral, 1, None, closed="left")],
    }

    def __init__(
        self,
        n_clusters: int = 8,
        *,
        n_states: int = 3,
        reg_covar: float = 1e-3,
        n_init: int = 3,
        max_iter: int = 50,
        max_iter_model: int = 10,
        tol: float = 1e-4,
        random_state: Any = None,
    ) -> None:
        self.n_clusters = n_clusters
        self.n_states = n_states
        self.reg_covar = reg_covar
        self.n_init = n_init
        self.max_iter = max_iter
        self.max_iter_model = max_iter_model
        self.tol = tol
        self.random_state = random_state

    def fit(self, X: Any, y: Any = None) -> HMMKModels:
        """Cluster sequences.

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
            The fitted clusterer.
        """
        self._validate_params()
        series = _read_for(self, X)
        check_n_clusters(self.n_clusters, len(series))
        rng = check_random_state(self.random_state)
        run = best_run(self.n_init, lambda: self._run(series, rng))
        warn_unconverged(run.converged, self, self.max_iter)
        self.labels_ = run.labels
        self.models_ = run.models
        self.log_likelihood_ = _by_step(run.models, series)
        self.objective_ = run.objective
        self.n_iter_ = len(run.objective)
        self.converged_ = run.converged
        return self

    def predict(self, X: Any) -> NDArray[np.intp]:
        """Label new sequences.

        Parameters
        ----------
        X : array-like
            Sequences, as for :meth:`fit`; they may have other lengths.

        Returns
        -------
        labels : ndarray of shape (n_new,)
            The model under which each is most likely.
        """
        return self.score_models(X).argmax(axis=1)

    def score_models(self, X: Any) -> Array:
        """Log-likelihood of sequences under each model, by time step.

        Parameters
        ----------
        X : array-like
            Sequences, as for :meth:`fit`.

        Returns
        -------
        log_likelihood : ndarray of shape (n_new, n_clusters)
            Larger is better.
        """
        check_is_fitted(self)
        n_channels = self.models_[0].means.shape[1]
        return _by_step(self.models_, Series.read(X, n_channels))

    def _run(self, series: Series, rng: np.random.RandomState) -> KModelsRun:
        n, k = len(series), self.n_clusters
        n_steps = series.lengths.sum()
        least = _least_variances(series, self.reg_covar)
        models = []
        for seed in rng.choice(n, k, replace=False):
            model = _first_model(series, self.n_states, least, rng)
            models.append(self._refit(model, series.take([seed]), least))
        labels = np.full(n, -1, dtype=np.intp)
        objective: list[float] = []
        converged = False
        for _ in range(self.max_iter):
            scores = _by_step(models, series)
            before, labels = labels, scores.argmax(axis=1)
            labels = fill_empty(labels, -scores[np.arange(n), labels], k)
            if (labels == before).all():
                converged = True
                break
            models = [
                self._refit(model, series.take(labels == r), least)
                for r, model in enumerate(models)
            ]
            total = sum(
                log_likelihood(model, series.take(labels == r)).sum()
                for r, model in enumerate(models)
            )
            objective.append(-float(total / n_steps))
        return KModelsRun(labels, models, np.array(objective), converged)

    def _refit(
        self, model: HMMParameters, series: Series, least: Array
    ) -> HMMParameters:
        return _maximise(model, series, least, self.max_iter_model, self.tol)[0]


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


def _by_step(models: list[HMMParameters], series: Series) -> Array:
    scores = np.stack([log_likelihood(model, series) for model in models], axis=1)
    return scores / series.lengths[:, None]


def _log(probabilities: Array) -> Array:
    """Logarithms, minus infinity for what is impossible."""
    with np.errstate(divide="ignore"):
        return np.log(probabilities)


def _log_terms(model: HMMParameters, series: Series) -> tuple[Any, ...]:
    """What the passes over the sequences read: logarithms, and where each begins."""
    emissions = gaussian_log_density(series.steps(), model.means, model.variances)
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
    observations = series.steps()
    mass = weights.sum(axis=0)
    visited = mass[:, None] > 0
    divisor = np.where(mass > 0, mass, 1.0)[:, None]
    means = np.where(visited, weights.T @ observations / divisor, model.means)
    variances = np.empty_like(means)
    for s, mean in enumerate(means):
        variances[s] = weights[:, s] @ (observations - mean) ** 2 / divisor[s]
    variances = np.where(visited, np.maximum(variances, least), model.variances)
    return HMMParameters(start / start.sum(), transitions, means, variances)


def _maximise(
    model: HMMParameters,
    series: Series,
    least: Array,
    max_iter: int,
    tol: float,
) -> tuple[HMMParameters, Array, bool]:
    """Expectation maximisation; the objective is that before each update."""
    n_steps = series.lengths.sum()
    objective: list[float] = []
    for _ in range(max_iter):
        expected = _expect(model, series)
        objective.append(-float(expected.log_likelihood.sum() / n_steps))
        if len(objective) > 1 and objective[-2] - objective[-1] <= tol:
            return model, np.array(objective), True
        model = _update(model, series, expected, least)
    return model, np.array(objective), False


def _least_variances(series: Series, share: float) -> Array:
    """Least variance of each channel: a share of that over all steps, (n_channels,)."""
    _, scale, _ = column_scales(series.steps())
    return np.asarray(share * scale**2)


def _first_model(
    series: Series, n_states: int, least: Array, rng: np.random.RandomState
) -> HMMParameters:
    """States at the centres of k-means on the time steps; they rather stay."""
    from sklearn.cluster import kmeans_plusplus

    steps = series.steps()
    means = kmeans_plusplus(steps, min(n_states, len(steps)), random_state=rng)[0]
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


def _as_sequences(X: Any) -> list[Array]:
    """One (n_channels, n_steps) array for each sequence."""
    try:
        sequences = [np.asarray(x, dtype=np.float64) for x in X]
    except (TypeError, ValueError):
        raise ComitiaError(
            "X must hold sequences of numbers: an array of shape (n_objects, "
            "n_channels, n_steps), or a list of (n_channels, n_steps) arrays."
        ) from None
    if not sequences:
        raise ComitiaError("X holds no sequences; got n_samples=0.")
    # Rows of a two-dimensional array are sequences of one channel.
    if all(s.ndim == 1 for s in sequences):
        sequences = [s[None] for s in sequences]
    if all(s.ndim == 0 for s in sequences):
        raise ComitiaError(
            "X is one sequence or one step of several. Reshape your data: one row for "
            "each sequence, X.reshape(1, -1) for a single one."
        )
    first = sequences[0]
    for i, s in enumerate(sequences):
        if s.ndim != 2 or s.shape[1] == 0 or len(s) != len(first):
            raise ComitiaError(
                f"sequence {i} has shape {s.shape}; each must have shape (n_channels, "
                "n_steps), as many channels as the first, and a time step."
            )
        if not np.isfinite(s).all():
            raise ComitiaError(f"sequence {i} contains NaN or infinity.")
    return sequences


def _read_for(estimator: Any, X: Any) -> Series:
    """Read sequences for fit; a table is checked the way scikit-learn checks it."""
    if isinstance(X, Series):
        return X
    if getattr(X, "ndim", None) == 2 or _is_table(X):
        X = validate_data(estimator, X, dtype=np.float64)
    return Series.read(X)


def _is_table(X: Any) -> bool:
    """True for what can only be a table of single-channel sequences."""
    try:
        return np.asarray(X).ndim <= 2
    except ValueError:
        return False
