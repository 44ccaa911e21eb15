"""One base clustering: how it was made, and what answers for it afterwards."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from comitia._content_order import ContentOrder
from comitia.exceptions import ComitiaError

__all__ = ["Made", "MadeAgain", "Member", "ShiftedModel"]


@dataclass
class Made:
    """One base clustering.

    Attributes
    ----------
    labels : ndarray of shape (n_objects,), or None
        Its labels, -1 for objects it does not cluster; None for a fuzzy clustering.

    membership : ndarray of shape (n_objects, k), or None
        The memberships of a fuzzy clustering.

    model : object or None
        Labels new objects with ``predict``.

    state : dict of ndarray
        Arrays from which ``Generator.restore`` makes the model again, where the model
        does not give them itself: see :meth:`arrays`.

    earlier : bool
        Whether an earlier run made it.
    """

    labels: NDArray[Any] | None = None
    membership: NDArray[Any] | None = None
    model: Any = None
    state: dict[str, NDArray[Any]] = field(default_factory=dict)
    earlier: bool = False

    def arrays(self) -> dict[str, NDArray[Any]]:
        """What a checkpoint keeps for ``Generator.restore``.

        Returns
        -------
        arrays : dict of ndarray
            The state, or what the ``state()`` of the model gives.
        """
        return dict(self.state) if self.state else _arrays_of(self.model)

    def put_back(self, order: ContentOrder) -> Self:
        """Put the objects into the order in which they were given.

        Parameters
        ----------
        order : ContentOrder
            That in which they were clustered.

        Returns
        -------
        made : Made
            The same clustering.
        """
        labels, membership = self.labels, self.membership
        places = order.places
        return replace(
            self,
            labels=None if labels is None else np.asarray(labels)[places],
            membership=None if membership is None else np.asarray(membership)[places],
        )

    @property
    def names(self) -> NDArray[Any]:
        """Labels that occur, or columns in which an object has a share."""
        if self.membership is not None:
            return np.flatnonzero(np.any(self.membership, axis=0))
        labels = np.asarray(self.labels)
        if labels.max() < len(labels):
            return np.flatnonzero(np.bincount(labels + 1)[1:])
        return np.unique(labels[labels >= 0])


def _arrays_of(model: Any) -> dict[str, NDArray[Any]]:
    return dict(model.state()) if hasattr(model, "state") else {}


class Member:
    """A fitted base clusterer that answers in the codes of its ensemble.

    Parameters
    ----------
    model : estimator or None
        Has ``predict``.

    names : ndarray of int
        The labels that occur in the ensemble, in order: their places are the codes.

    shift : ndarray of shape (n_features,), default=None
        What was taken off the data before the model saw them.
    """

    def __init__(
        self,
        model: Any,
        names: NDArray[Any],
        shift: NDArray[np.float64] | None = None,
    ) -> None:
        self.model = model
        self.names = names
        self.shift = shift

    def predict(self, X: NDArray[Any]) -> NDArray[np.int32]:
        """Label new objects.

        Parameters
        ----------
        X : ndarray of shape (n_new, n_features)
            New objects.

        Returns
        -------
        codes : ndarray of shape (n_new,)
            The code of the cluster of each; -1 where the model answers with a
            cluster that no object of the ensemble is in.
        """
        if not hasattr(self.model, "predict"):
            raise ComitiaError(
                "these clusterings cannot label new objects; use a clusterer with "
                "predict, or extend=True."
            )
        X = X if self.shift is None else X - self.shift
        labels = np.asarray(self.model.predict(X))
        places = np.searchsorted(self.names, labels)
        places[places == len(self.names)] = 0
        known = self.names[places] == labels
        return np.where(known, places, -1).astype(np.int32)


class ShiftedModel:
    """A model of data from which something was taken off.

    Parameters
    ----------
    model : object
        Has ``predict``.

    shift : ndarray of shape (n_features,)
        What was taken off.
    """

    def __init__(self, model: Any, shift: NDArray[np.float64]) -> None:
        self.model = model
        self.shift = shift

    def predict(self, X: NDArray[Any]) -> NDArray[Any]:
        """Label objects.

        Parameters
        ----------
        X : ndarray of shape (n, n_features)
            The objects, from which nothing was taken off.

        Returns
        -------
        labels : ndarray of shape (n,)
            What the model says of them.
        """
        return self.model.predict(X - self.shift)

    def state(self) -> dict[str, NDArray[Any]]:
        """The arrays that it is made of; none where the model gives none.

        Returns
        -------
        arrays : dict of ndarray
            Those of the model, and ``family_shift``.
        """
        arrays = _arrays_of(self.model)
        return {**arrays, "family_shift": self.shift} if arrays else {}


class MadeAgain:
    """A model of an earlier run that was not kept: made again when it is asked.

    Parameters
    ----------
    fit : callable
        Makes the member, as it was made then.
    """

    def __init__(self, fit: Callable[[], Made]) -> None:
        self._fit = fit
        self._made: Made | None = None

    def __getattr__(self, name: str) -> Any:
        # Copying and pickling ask for what a half-made object cannot answer.
        if name.startswith("_"):
            raise AttributeError(name)
        if self._made is None:
            self._made = self._fit()
        return getattr(self._made.model, name)
