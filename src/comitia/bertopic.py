"""Topics by consensus, for the ``hdbscan_model`` of BERTopic."""

from __future__ import annotations

from numbers import Real
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClusterMixin, clone

from comitia._sklearn import RANDOM_STATE, Interval
from comitia.base import EnsembleMethod

__all__ = ["ConsensusTopics"]


class ConsensusTopics(ClusterMixin, BaseEstimator):
    """Clusters of documents by consensus, with outliers, as HDBSCAN gives them.

    Any method of comitia can be the ``hdbscan_model`` of BERTopic as it is; then each
    document has a topic. This class adds what else BERTopic reads of HDBSCAN: how
    probable the topic of each document is, and the topic -1 of those that the
    clusterings are not sure of.

    Parameters
    ----------
    method : EnsembleMethod, default=None
        Clusters the embeddings. By default it is
        :class:`~comitia.ConsensusClustering`, which chooses the number of topics.

    threshold : float, default=0.5
        Documents whose topic is less probable are outliers.

    random_state : int, RandomState instance or None, default=None
        Seed of the method where that has none of its own.

    Attributes
    ----------
    labels_ : ndarray of shape (n_documents,)
        The topic of each document, -1 for outliers.

    probabilities_ : ndarray of shape (n_documents,)
        How probable that topic is; 0 for outliers.

    method_ : EnsembleMethod
        The fitted method.

    Examples
    --------
    >>> import numpy as np
    >>> from comitia import method
    >>> from comitia.bertopic import ConsensusTopics
    >>> rng = np.random.RandomState(0)
    >>> embeddings = np.concatenate([rng.randn(20, 5), rng.randn(20, 5) + 9])
    >>> model = ConsensusTopics(method("lwgp")(2), random_state=0).fit(embeddings)
    >>> np.bincount(model.labels_)
    array([20, 20])

    ``BERTopic(hdbscan_model=ConsensusTopics(random_state=0))`` uses it.
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "method": [EnsembleMethod, None],
        "threshold": [Interval(Real, 0, 1, closed="both")],
        "random_state": RANDOM_STATE,
    }

    def __init__(
        self, method: Any = None, *, threshold: float = 0.5, random_state: Any = None
    ) -> None:
        self.method = method
        self.threshold = threshold
        self.random_state = random_state

    def fit(self, X: Any, y: Any = None) -> Self:
        """Find the topics.

        Parameters
        ----------
        X : array-like of shape (n_documents, n_features)
            The embeddings, mostly of few dimensions.

        y : None
            Not used; BERTopic gives it.

        Returns
        -------
        self : object
            The fitted model.
        """
        from comitia.methods.composite.consensus import ConsensusClustering

        self._validate_params()
        chosen = ConsensusClustering() if self.method is None else clone(self.method)
        if getattr(chosen, "random_state", 0) is None:
            chosen.set_params(random_state=self.random_state)
        self.method_ = chosen.fit(X)
        sure = np.asarray(self.method_.confidence_, dtype=np.float64)
        kept = sure >= self.threshold
        self.labels_ = np.where(kept, self.method_.labels_, -1).astype(np.int64)
        self.probabilities_ = np.where(kept, sure, 0.0)
        return self

    def predict(self, X: Any) -> NDArray[np.int64]:
        """Find the topics of new documents.

        Parameters
        ----------
        X : array-like of shape (n_documents, n_features)
            Their embeddings.

        Returns
        -------
        labels : ndarray of shape (n_documents,)
            The topic of each, none an outlier.
        """
        from sklearn.utils.validation import check_is_fitted

        check_is_fitted(self)
        return np.asarray(self.method_.predict(X), dtype=np.int64)
