"""The loop of the methods that improve weights and consensus in turn."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.exceptions import ConvergenceWarning

from comitia.base import EnsembleMethod
from comitia.ensemble import Ensemble
from comitia.optimize.loops import Kept

__all__ = ["VariableWeightMethod", "keep_run", "warn_stopped_early"]


def keep_run(
    method: Any, run: Any, unit: str | None = None, remedy: str = "max_iter or tol"
) -> None:
    """Keep the objective of a run, its length and whether it converged.

    Parameters
    ----------
    method : EnsembleMethod
        Gets ``objective_``, ``n_iter_`` and ``converged_``.

    run : object
        Has ``objective``, at the start and after each iteration, and ``converged``.

    unit : str, default=None
        What an iteration is called in the warning about a run that did not converge;
        by default there is none.

    remedy : str, default="max_iter or tol"
        What the warning says to raise.
    """
    method.objective_, method.converged_ = np.asarray(run.objective), run.converged
    method.n_iter_ = len(run.objective) - 1
    if unit is not None and not run.converged:
        warn_stopped_early(method, unit, remedy)


def warn_stopped_early(
    method: Any, unit: str = "iterations", remedy: str = "max_iter or tol"
) -> None:
    """Warn that ``max_iter`` iterations were not enough."""
    warnings.warn(
        f"{type(method).__name__} did not converge in max_iter={method.max_iter} "
        f"{unit}; raise {remedy}.",
        ConvergenceWarning,
        stacklevel=3,
    )


class VariableWeightMethod(EnsembleMethod):
    """Base class of the methods that optimise weights and consensus together.

    The loop is here; a method writes its steps:

    - ``_problem`` prepares what the steps work on: votes, views, kernels;
    - ``_start`` gives the first weights and the first consensus;
    - ``_update_weights`` and ``_update_consensus`` are one iteration. Weights come
      first: from uniform weights a first update of the consensus may change nothing,
      and a loop that looks at the objective would stop there;
    - ``_objective`` is what falls, and ``_feasible`` says whether it may be compared;
    - ``_result`` stores weights and consensus of an iterate, and labels objects: of the
      last one, or of one whose objective is lower by more than one part in a million
      where both are feasible.

    The loop stops when the objective changes by at most ``tol`` times its last value,
    and warns when ``max_iter`` iterations did not get there.

    Attributes
    ----------
    objective_ : ndarray of shape (n_iter_ + 1,)
        The objective at the start and after each iteration.

    n_iter_ : int
        Number of iterations.

    converged_ : shared
    """

    max_iter: int
    tol: float

    def _problem(self, ensemble: Ensemble, X: Any, rng: np.random.RandomState) -> Any:
        """What the steps work on; the ensemble itself, where nothing else is said."""
        return ensemble

    def _start(self, problem: Any, rng: np.random.RandomState) -> tuple[Any, Any]:
        """The first weights and the first consensus."""
        raise TypeError(f"{type(self).__name__} does not say how it starts.")

    def _update_weights(self, problem: Any, consensus: Any) -> Any:
        """The best weights for a consensus."""
        raise TypeError(f"{type(self).__name__} does not say how it weighs.")

    def _update_consensus(self, problem: Any, weights: Any, consensus: Any) -> Any:
        """A better consensus for these weights; the last one is where to start."""
        raise TypeError(f"{type(self).__name__} does not say how it combines.")

    def _objective(self, problem: Any, weights: Any, consensus: Any) -> float:
        """What is minimised."""
        raise TypeError(f"{type(self).__name__} does not say what it minimises.")

    def _feasible(self, problem: Any, weights: Any, consensus: Any) -> bool:
        """Whether an iterate meets constraints that its objective does not see."""
        return True

    def _result(
        self, problem: Any, weights: Any, consensus: Any, rng: np.random.RandomState
    ) -> NDArray[Any]:
        """Store the weights; return the labels of the objects."""
        raise TypeError(f"{type(self).__name__} does not say what its labels are.")

    def _combine(
        self, ensemble: Ensemble, X: Any, rng: np.random.RandomState
    ) -> NDArray[Any]:
        problem = self._problem(ensemble, X, rng)
        weights, consensus = self._start(problem, rng)
        objective = [float(self._objective(problem, weights, consensus))]
        feasible = self._feasible(problem, weights, consensus)
        kept = Kept(objective[0], (weights, consensus), feasible)
        self.converged_ = False
        self._report("combine", 0, self.max_iter)
        for n_iter in range(1, self.max_iter + 1):
            weights = self._update_weights(problem, consensus)
            consensus = self._update_consensus(problem, weights, consensus)
            objective.append(float(self._objective(problem, weights, consensus)))
            self._report("combine", n_iter, self.max_iter)
            feasible = self._feasible(problem, weights, consensus)
            kept.add(objective[-1], (weights, consensus), feasible)
            if abs(objective[-2] - objective[-1]) <= self.tol * abs(objective[-2]):
                self.converged_ = True
                break
        else:
            warn_stopped_early(self)
        self.objective_ = np.asarray(objective)
        self.n_iter_ = len(objective) - 1
        return self._result(problem, *kept.result(), rng)
