"""Sequences of numbers, of unequal length."""

from __future__ import annotations

from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from comitia._inputs import masked_to_nan
from comitia._sklearn import validate_data
from comitia.exceptions import ComitiaError

__all__ = ["Series", "read_for"]

Array = NDArray[np.float64]


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

    def __sub__(self, shift: Array) -> Series:
        return Series(self.values - shift, self.lengths)

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

    @cached_property
    def steps(self) -> Array:
        """All time steps of all sequences, one after the other: (n_steps, channels)."""
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


def read_for(estimator: Any, X: Any) -> Series:
    """Read sequences for fit; a table is checked the way scikit-learn checks it.

    Parameters
    ----------
    estimator : object
        What is fitted.

    X : array-like
        Sequences, in any of the forms that :meth:`Series.read` takes.

    Returns
    -------
    series : Series
        The sequences.
    """
    if isinstance(X, Series):
        return X
    if getattr(X, "ndim", None) == 2 or _is_table(X):
        X = validate_data(estimator, X, dtype=np.float64)
    return Series.read(X)


def _as_sequences(X: Any) -> list[Array]:
    """One (n_channels, n_steps) array for each sequence."""
    try:
        sequences = [np.asarray(masked_to_nan(x), dtype=np.float64) for x in X]
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


def _is_table(X: Any) -> bool:
    """True for what can only be a table of single-channel sequences."""
    try:
        return np.asarray(X).ndim <= 2
    except ValueError:
        return False
