"""What a fitted method says of objects: of its own, and of new ones."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClusterMixin
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted

from comitia._arrays import to_numpy
from comitia._html import html_table
from comitia.ensemble import Ensemble
from comitia.exceptions import ComitiaError

if TYPE_CHECKING:
    from comitia.catalogue import MethodCard

__all__ = ["FittedResult", "ResultBlock"]

# Silhouettes of more objects are those of a sample: distances grow with the square.
_SCORED = 2000


def _members_can_label(method: FittedResult) -> bool:
    generator = method.get_generator()
    if not hasattr(generator, "transform"):
        raise AttributeError(
            f"the clusterings of {type(generator).__name__} cannot label new objects."
        )
    return True


def _scores_tables(method: FittedResult) -> bool:
    for need in ("views", "series", "graph", "dendrograms"):
        if need in method.card.needs:
            raise AttributeError(f"score rates tables; {method.card.id} needs {need}.")
    return _members_can_label(method)


class ResultBlock(NamedTuple):
    """The result for the objects of one row block.

    Attributes
    ----------
    rows : slice
        Where the block stands.

    labels : ndarray of shape (n_rows,)
        The clusters of its objects.

    confidence : ndarray of shape (n_rows,)
        Probability that each is in the right cluster.

    membership : ndarray of shape (n_rows, n_clusters_)
        Share of the votes that each gives to each cluster.
    """

    rows: slice
    labels: NDArray[Any]
    confidence: NDArray[np.float64]
    membership: NDArray[np.float64]


class FittedResult(ClusterMixin, BaseEstimator):
    """Base class of :class:`~comitia.base.EnsembleMethod`: all that follows a fit.

    Labels of new objects, vote shares, confidence, and what a notebook shows.
    """

    if TYPE_CHECKING:
        card: ClassVar[MethodCard]
        ensemble_: Ensemble
        generator_: Any
        labels_: Any
        n_clusters_: int

        def get_generator(self) -> Any: ...
        def fit(self, X: Any, y: Any = None) -> Any: ...
        def _check_new(self, X: Any) -> Any: ...

    def _repr_mimebundle_(self, **kwargs: Any) -> dict[str, str]:
        """What a notebook shows: scikit-learn's diagram, and the result beneath it."""
        bundle = dict(super()._repr_mimebundle_(**kwargs))
        if "text/html" in bundle and hasattr(self, "labels_"):
            bundle["text/html"] += self._html_of_result()
        return bundle

    def _repr_html_inner(self) -> str:
        return self._repr_mimebundle_()["text/html"]

    def _html_of_result(self) -> str:
        sizes = np.bincount(to_numpy(self.labels_), minlength=self.n_clusters_)
        n = int(sizes.sum())
        k, M = self.n_clusters_, self.ensemble_.n_clusterings
        what = f"{k} cluster{'s' * (k != 1)} of {n} objects, from {M} clusterings"
        for name, weights in self.vote_weights().items():
            values = to_numpy(weights)
            words = name.replace("_", " ")
            what += f"; {words} {values.min():.3g} to {values.max():.3g}"
        rows = [(c, size, f"{size / n:.0%}") for c, size in enumerate(sizes.tolist())]
        return html_table(("cluster", "objects", "share"), rows, what)

    @available_if(_members_can_label)
    def predict(self, X: Any) -> NDArray[Any]:
        """Label new objects by a weighted vote of the clusterings.

        Each clustering puts a new object into one of its clusters; the cluster votes
        with the shares that the consensus clusters have among its objects.

        Parameters
        ----------
        X : array-like of shape (n_new, n_features)
            New objects, with the features of the data given to :meth:`fit`.

        Returns
        -------
        labels : ndarray of shape (n_new,)
            A cluster of the consensus for each.

        Examples
        --------
        >>> from comitia import method
        >>> X = [[0, 0], [0, 1], [1, 0], [9, 9], [9, 8], [8, 9]]
        >>> fitted = method("lwgp")(n_clusters=2, random_state=0).fit(X)
        >>> fitted.predict([[0.5, 0.5], [9.5, 9.5]]).tolist()
        [0, 1]
        """
        return self._new_shares(X).argmax(axis=1).astype(self.labels_.dtype)

    @available_if(_members_can_label)
    def predict_proba(self, X: Any) -> NDArray[np.float64]:
        """Share of the votes that new objects give to each cluster.

        What :meth:`predict` takes the largest of, and for new objects what
        ``membership_`` is for those of :meth:`fit`. A share of votes is no calibrated
        probability: clusterings that err alike agree.

        Parameters
        ----------
        X : array-like of shape (n_new, n_features)
            New objects, as for :meth:`predict`.

        Returns
        -------
        shares : ndarray of shape (n_new, n_clusters_)
            Rows sum to one.

        Examples
        --------
        >>> from comitia import method
        >>> X = [[0, 0], [0, 1], [1, 0], [9, 9], [9, 8], [8, 9]]
        >>> fitted = method("lwgp")(n_clusters=2, random_state=0).fit(X)
        >>> fitted.predict_proba([[0.5, 0.5]]).sum().round(6)
        np.float64(1.0)
        """
        return self._new_shares(X)

    @available_if(_members_can_label)
    def transform(self, X: Any) -> NDArray[np.float64]:
        """Describe objects by their clusters: the shares of :meth:`predict_proba`.

        Larger is nearer, unlike the distances that ``transform`` of scikit-learn's
        k-means returns: a consensus has no centres.

        Parameters
        ----------
        X : array-like of shape (n_new, n_features)
            Objects, as for :meth:`predict`.

        Returns
        -------
        shares : ndarray of shape (n_new, n_clusters_)
            Share of the votes that each object gives to each cluster.

        Examples
        --------
        >>> from comitia import method
        >>> X = [[0, 0], [0, 1], [1, 0], [9, 9], [9, 8], [8, 9]]
        >>> fitted = method("lwgp")(n_clusters=2, random_state=0).fit(X)
        >>> fitted.transform([[0.5, 0.5], [9.5, 9.5]]).shape
        (2, 2)
        """
        return self._new_shares(X)

    @available_if(_members_can_label)
    def fit_transform(self, X: Any, y: Any = None) -> NDArray[np.float64]:
        """Combine clusterings of data into one, and :meth:`transform` the same data.

        Parameters
        ----------
        X : array-like of shape (n_objects, n_features)
            The data, as for :meth:`fit`.

        y : None
            Not used.

        Returns
        -------
        shares : ndarray of shape (n_objects, n_clusters_)
            Share of the votes that each object gives to each cluster.

        Examples
        --------
        >>> from comitia import method
        >>> X = [[0, 0], [0, 1], [1, 0], [9, 9], [9, 8], [8, 9]]
        >>> method("lwgp")(n_clusters=2, random_state=0).fit_transform(X).shape
        (6, 2)
        """
        return self.fit(X).transform(X)

    @available_if(_members_can_label)
    def get_feature_names_out(self, input_features: Any = None) -> NDArray[Any]:
        """Names of the columns that :meth:`transform` returns.

        Parameters
        ----------
        input_features : None
            Not used.

        Returns
        -------
        names : ndarray of str of shape (n_clusters_,)
            The class and the number of the cluster, such as ``"lwgp0"``.

        Examples
        --------
        >>> from comitia import method
        >>> X = [[0, 0], [0, 1], [1, 0], [9, 9], [9, 8], [8, 9]]
        >>> fitted = method("lwgp")(n_clusters=2, random_state=0).fit(X)
        >>> fitted.get_feature_names_out().tolist()
        ['lwgp0', 'lwgp1']
        """
        check_is_fitted(self, "labels_")
        name = type(self).__name__.lower()
        return np.array([f"{name}{c}" for c in range(self.n_clusters_)], dtype=object)

    @available_if(_scores_tables)
    def score(self, X: Any, y: Any = None) -> float:
        """Rate the clusters on objects, without labels; higher is better.

        The mean silhouette of the objects under the clusters that :meth:`predict` puts
        them into, from -1 to 1, and 0 where all of them are in one. It compares numbers
        of clusters and other parameters on the same objects, so that scikit-learn's
        ``GridSearchCV`` and ``cross_val_score`` need no scorer: on each fold it rates
        objects that were not clustered. Of more than 2000 objects a sample is rated,
        the same at each call.

        Parameters
        ----------
        X : array-like of shape (n_new, n_features)
            Objects, as for :meth:`predict`.

        y : None
            Not used.

        Returns
        -------
        score : float
            The mean silhouette.

        Notes
        -----
        Silhouettes expect compact clusters, and cannot say that there are none; choose
        the number of clusters with :func:`comitia.choose_k` where that matters.

        Examples
        --------
        >>> import numpy as np
        >>> from sklearn.model_selection import GridSearchCV
        >>> from comitia import method
        >>> rng = np.random.RandomState(0)
        >>> X = rng.randn(60, 2) + 9 * np.repeat([[0, 0], [0, 1], [1, 0]], 20, axis=0)
        >>> search = GridSearchCV(
        ...     method("lwgp")(random_state=0), {"n_clusters": [2, 3, 4]}, cv=3
        ... )
        >>> search.fit(X[rng.permutation(60)]).best_params_
        {'n_clusters': 3}
        """
        from comitia.validity.pairs import silhouette

        labels = self.predict(X)
        data = self._check_new(X)
        if not 1 < len(np.unique(labels)) < len(labels):
            return 0.0
        sample = min(_SCORED, len(labels))
        found = silhouette(data, labels, sample_size=sample, random_state=0)
        return float(np.nan_to_num(found))  # a sample may lie in one cluster

    def _new_shares(self, X: Any) -> NDArray[np.float64]:
        """Share of the votes that new objects give to each cluster."""
        from comitia.represent.votes import cluster_shares, spread_shares

        check_is_fitted(self, "labels_")
        if not hasattr(self, "generator_"):
            raise ComitiaError(
                f"this {type(self).__name__} was fitted on given clusterings, which "
                "cannot label new objects; fit it on data to predict."
            )
        X = self._check_new(X)
        shares = cluster_shares(self.ensemble_, self.labels_, self.n_clusters_)
        labels = self.generator_.transform(X).T
        k = self.ensemble_.n_clusters_each
        new = Ensemble.from_codes(np.where(labels < 0, k[:, None], labels), k)
        return spread_shares(new, shares, **self.vote_weights())

    @cached_property
    def membership_(self) -> NDArray[np.float64]:
        """Share of the votes that each object gives to each cluster, (n, k)."""
        from comitia.represent.votes import cluster_shares, spread_shares

        check_is_fitted(self, "labels_")
        shares = cluster_shares(self.ensemble_, self.labels_, self.n_clusters_)
        return spread_shares(self.ensemble_, shares, **self.vote_weights())

    @cached_property
    def confidence_(self) -> NDArray[np.float64]:
        """Probability that each object is in the right cluster, (n,).

        That of :func:`comitia.partition.consensus_posterior`: clusterings count for as
        much as they are reliable and differ from one another. Where a method finds its
        answer again without parts of the ensemble, it is multiplied by the share of
        the answers that leave the object where it is. What all clusterings get wrong
        alike they cannot tell. Of a single clustering it is ``vote_share_``; of a
        single cluster it is 1, and neither says anything.
        """
        return np.concatenate([part.confidence for part in self.result_blocks()])

    @cached_property
    def vote_share_(self) -> NDArray[np.float64]:
        """Share of the votes that each object gives to its own cluster, (n,)."""
        own, start = [], 0
        for part in self._membership_blocks():
            labels = self.labels_[start : start + len(part)]
            own.append(to_numpy(part[np.arange(len(part)), labels]))
            start += len(part)
        return np.concatenate(own)

    def result_blocks(self) -> Iterator[ResultBlock]:
        """Walk over the result, a row block of the ensemble at a time.

        Vote shares of many objects do not fit into memory; those of a block do.

        Yields
        ------
        block : ResultBlock
            Where the block stands, its labels, confidence and vote shares.

        Examples
        --------
        >>> from comitia import Ensemble, method
        >>> votes = Ensemble([[0, 0, 0], [0, 0, 1], [1, 1, 1], [1, 1, 0]])
        >>> fitted = method("lwgp")(n_clusters=2).fit(votes)
        >>> [block.labels.tolist() for block in fitted.result_blocks()]
        [[0, 0, 1, 1]]
        """
        from comitia.partition.confidence import block_likelihood, own_confidence

        check_is_fitted(self, "labels_")
        model, start = self.vote_model_, 0
        kept = self._share_of_answers()
        likely = self.ensemble_.row_blocks.each(block_likelihood, model=model)
        for likelihood, membership in zip(
            likely, self._membership_blocks(), strict=True
        ):
            rows = slice(start, start + len(membership))
            labels = self.labels_[rows]
            sure = own_confidence(likelihood, membership, labels, model=model)
            if kept is not None:
                sure *= kept[rows]
            yield ResultBlock(rows, labels, sure, membership)
            start = rows.stop

    def _membership_blocks(self) -> Iterable[NDArray[np.float64]]:
        """Vote shares, a row block after the other."""
        from comitia.represent.votes import block_shares, cluster_shares, share_weights

        check_is_fitted(self, "labels_")
        ensemble = self.ensemble_
        if len(ensemble.row_blocks) == 1:
            return [self.membership_]
        shares = cluster_shares(ensemble, self.labels_, self.n_clusters_)
        weights = share_weights(ensemble, shares, **self.vote_weights())
        return ensemble.row_blocks.each(block_shares, shares=shares, weights=weights)

    @cached_property
    def vote_model_(self) -> Any:
        """What labels say about the cluster of an object, a VoteModel."""
        from comitia.partition.confidence import vote_model

        given = self.ensemble_, self.labels_, self.n_clusters_
        return vote_model(*given, **self.vote_weights())

    def _share_of_answers(self) -> NDArray[np.float64] | None:
        """Share of several answers that leave each object where it is, if any."""
        return None

    def vote_weights(self) -> dict[str, Any]:
        """What clusterings and clusters weigh when objects vote.

        Returns
        -------
        weights : dict of str to ndarray
            ``clustering_weights`` and ``cluster_weights``, as far as there are any.

        Examples
        --------
        >>> from comitia import Ensemble, method
        >>> votes = Ensemble([[0, 0, 0], [0, 0, 1], [1, 1, 1], [1, 1, 0]])
        >>> sorted(method("lwea")(n_clusters=2).fit(votes).vote_weights())
        ['cluster_weights']
        """
        return {
            name: getattr(self, f"{name}_")
            for name in ("clustering_weights", "cluster_weights")
            if hasattr(self, f"{name}_")
        }
