"""Models that label an object by what is nearest: a centre, or an object."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from comitia import sizes
from comitia.cluster.dissimilarity import closest_rows

__all__ = ["NearestCenter", "NearestObject"]


class NearestCenter:
    """Labels an object with its nearest centre.

    Parameters
    ----------
    centers : ndarray of shape (k, p)
        The centres.

    features : callable, default=None
        What the centres' features are made with.

    fuzziness : float, default=3.0
        The exponent of the memberships; with 3 they are shares of inverse distances.
    """

    def __init__(
        self, centers: NDArray[Any], features: Any = None, fuzziness: float = 3.0
    ) -> None:
        self.centers = centers
        self.features = features
        self.fuzziness = fuzziness

    @classmethod
    def of_labels(
        cls, X: NDArray[Any], labels: NDArray[Any], counts: Any = None
    ) -> NearestCenter:
        """Take the means of labelled objects as centres.

        Parameters
        ----------
        X : ndarray of shape (n, p)
            The objects.

        labels : ndarray of shape (n,)
            Their labels, 0..k-1, all of which occur; negative ones are left out.

        counts : ndarray of shape (n,), default=None
            How often each object counts.

        Returns
        -------
        model : NearestCenter
            The model.
        """
        counts = np.ones(len(X)) if counts is None else np.asarray(counts, float)
        kept = labels >= 0
        k = int(labels.max()) + 1
        mass = np.bincount(labels[kept], counts[kept], minlength=k)
        sums = np.column_stack(
            [
                np.bincount(labels[kept], (counts * column)[kept], minlength=k)
                for column in X.T
            ]
        )
        return cls(sums / mass[:, None])

    def predict(self, X: NDArray[Any]) -> NDArray[Any]:
        """Label objects.

        Parameters
        ----------
        X : ndarray of shape (n, p)
            The objects.

        Returns
        -------
        labels : ndarray of shape (n,)
            Index of the nearest centre; the lower one of two that are equally near.
        """
        X = X if self.features is None else self.features(X)
        if len(X) >= sizes.COMPILED_NEAREST_OBJECTS:
            from comitia.generate._kmeans_on_samples import nearest_of_rows
            from comitia.generate.columns import Frame

            # Double precision: as exact as the way for few objects.
            frame = Frame(self.centers.mean(axis=0), 1.0)
            return nearest_of_rows(X, self.centers - frame.shift, frame)
        return closest_rows(X, self.centers)

    def predict_membership(self, X: NDArray[Any]) -> NDArray[np.float64]:
        r"""Memberships by the distances to the centres.

        .. math::
            F_{ir} = d_{ir}^{-2 / (\alpha - 1)} \Big/ \sum_s d_{is}^{-2 / (\alpha - 1)}

        Parameters
        ----------
        X : ndarray of shape (n, p)
            The objects.

        Returns
        -------
        membership : ndarray of shape (n, k)
            Rows sum to one; an object on a centre belongs to it altogether.
        """
        from scipy.spatial.distance import cdist

        from comitia.cluster import fuzzy_memberships

        X = X if self.features is None else self.features(X)
        squares = cdist(X, self.centers, "sqeuclidean")
        return fuzzy_memberships(squares, self.fuzziness)


class NearestObject:
    """Labels an object like its nearest neighbour: for clusters of any shape.

    Parameters
    ----------
    X : ndarray of shape (n, p)
        Labelled objects.

    labels : ndarray of shape (n,)
        Their labels.

    features : callable, default=None
        What the features of X are made with.
    """

    def __init__(
        self, X: NDArray[Any], labels: NDArray[Any], features: Any = None
    ) -> None:
        self.X = X
        self.labels = labels
        self.features = features

    def predict(self, X: NDArray[Any]) -> NDArray[Any]:
        """Label objects.

        Parameters
        ----------
        X : ndarray of shape (n, p)
            The objects.

        Returns
        -------
        labels : ndarray of shape (n,)
            The labels of their nearest neighbours; of equally near ones the first.
        """
        X = X if self.features is None else self.features(X)
        return self.labels[closest_rows(X, self.X)]
