"""K-models clustering of sequences with hidden Markov models."""

from __future__ import annotations

from numbers import Integral, Real
from typing import Any, ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import check_is_fitted

from comitia._sklearn import Interval
from comitia._steps import check_random_state
from comitia.cluster.clusterer import (
    Clusterer,
    best_run,
    fill_empty,
    refuse_excess_clusters,
    warn_unconverged,
)
from comitia.cluster.hmm import (
    HMMParameters,
    first_model,
    least_variances,
    log_likelihood,
    maximize,
)
from comitia.cluster.sequences import Series, read_for

__all__ = ["HMMKModels", "KModelsRun"]

Array = NDArray[np.float64]


class KModelsRun(NamedTuple):
    """Result of k-models clustering.

    Attributes
    ----------
    labels : ndarray of shape (n_objects,)
        The clusters.

    models : list of HMMParameters
        The model of each cluster.

    log_likelihood : ndarray of shape (n_objects, n_clusters)
        Log-likelihood of each sequence under each model.

    objective : ndarray of shape (n_iter,)
        Minus the log-likelihood of all sequences, by time step.

    converged : bool
        Whether the labels stopped changing.
    """

    labels: NDArray[np.intp]
    models: list[HMMParameters]
    log_likelihood: Array
    objective: Array
    converged: bool


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
        series = read_for(self, X)
        refuse_excess_clusters(self.n_clusters, len(series))
        rng = check_random_state(self.random_state)
        run = best_run(self.n_init, lambda: self._run(series, rng))
        warn_unconverged(run.converged, self, self.max_iter)
        self.labels_ = run.labels
        self.models_ = run.models
        self.log_likelihood_ = run.log_likelihood / series.lengths[:, None]
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
        series = Series.read(X, n_channels)
        return _log_likelihoods(self.models_, series) / series.lengths[:, None]

    def _run(self, series: Series, rng: np.random.RandomState) -> KModelsRun:
        n, k = len(series), self.n_clusters
        n_steps = series.lengths.sum()
        least = least_variances(series, self.reg_covar)
        models = []
        for seed in rng.choice(n, k, replace=False):
            model = first_model(series, self.n_states, least, rng)
            models.append(self._refit(model, series.take([seed]), least))
        labels = np.full(n, -1, dtype=np.intp)
        logs = _log_likelihoods(models, series)
        objective: list[float] = []
        converged = False
        for _ in range(self.max_iter):
            by_step = logs / series.lengths[:, None]
            before, labels = labels, by_step.argmax(axis=1)
            labels = fill_empty(labels, -by_step[np.arange(n), labels], k)
            if (labels == before).all():
                converged = True
                break
            models = [
                self._refit(model, series.take(labels == r), least)
                for r, model in enumerate(models)
            ]
            logs = _log_likelihoods(models, series)
            total = sum(logs[labels == r, r].sum() for r in range(k))
            objective.append(-float(total / n_steps))
        return KModelsRun(labels, models, logs, np.array(objective), converged)

    def _refit(
        self, model: HMMParameters, series: Series, least: Array
    ) -> HMMParameters:
        return maximize(model, series, least, self.max_iter_model, self.tol)[0]


def _log_likelihoods(models: list[HMMParameters], series: Series) -> Array:
    return np.stack([log_likelihood(model, series) for model in models], axis=1)
