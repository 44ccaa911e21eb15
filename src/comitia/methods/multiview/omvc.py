"""Factors of views whose objects come in chunks."""

from collections.abc import Sequence
from numbers import Integral
from typing import Any, NamedTuple

import numpy as np

from comitia._arrays import to_numpy
from comitia._inputs import Views
from comitia._sklearn import Interval
from comitia._steps import check_random_state
from comitia.catalogue import MethodCard
from comitia.ensemble import Ensemble
from comitia.exceptions import ComitiaError
from comitia.methods._memberships import order_of_appearance
from comitia.methods._types import Array, Data, Rng, Seed
from comitia.methods.multiview._coupled_factors import (
    consensus_factor,
    coupled_sweep,
    statistics,
)
from comitia.methods.multiview._incomplete import IncompleteViewMethod, start_shares
from comitia.methods.multiview._stream import (
    Stream,
    add_chunk,
    cut_chunks,
    label_chunk,
    nearest_profiles,
    open_stream,
)
from comitia.partition import kmeans

__all__ = ["OMVC"]

# Sweeps over the objects of a new chunk before the features learn from them: until
# then their factors say nothing.
_WARM_UP = 10


class Chunk(NamedTuple):
    """What a chunk left behind.

    Attributes
    ----------
    stream : Stream
        What is kept of all objects.

    views : list of CoupledView
        The factors of the chunk.

    consensus : ndarray of shape (n_objects, k)
        Its consensus.

    weights : ndarray of shape (n_objects, n_views)
        How much each object counted in each view.

    objective : list of float
        The objective before the sweeps over it and after each of them.
    """

    stream: Stream
    views: list[Any]
    consensus: Any
    weights: Any
    objective: list[float]


class OMVC(IncompleteViewMethod):
    r"""Online multi-view clustering (OMVC).

    MIC for views that arrive in chunks of objects: of the objects seen only sums are
    kept, by which the factors of the features go on learning [1]_.

    Parameters
    ----------
    n_clusters : int, default=None
        Number of clusters. ``None`` takes the eigengap of the views' neighbour graphs,
        over the objects that all views have; with :meth:`partial_fit`, those of the
        first chunk.

    views : shared

    scale : {"minmax", "shift"} or None, default="minmax"
        How views become non-negative, as for MIC. With :meth:`partial_fit` the first
        chunk sets the limits, and what is smaller later on counts as its minimum.

    chunk_size : int, default=50
        Number of objects that :meth:`fit` takes at a time, at least ``n_clusters``.

    n_rounds : int, default=2
        How often :meth:`fit` passes over all chunks.

    view_penalty : float or array-like of shape (n_views,), default=0.1
        How strongly the views are to agree, :math:`\alpha`; one for all views, or one
        for each.

    sparsity_penalty : float or array-like of shape (n_views,), default=0.001
        How strongly objects are drawn towards zero, :math:`\beta`; likewise.

    n_init : int, default=10
        Number of starts of k-means, from which the first chunk starts and which
        clusters the consensus.

    max_iter : int, default=50
        Most sweeps over a chunk.

    tol : float, default=1e-4
        Stop when a sweep lowers the objective of a chunk by less than this share of its
        value at the start.

    random_state : int, RandomState instance or None, default=None
        Seed of the starts, and of the order in which :meth:`fit` takes the objects.

    Attributes
    ----------
    object_weights_ : ndarray of shape (n_objects,)
        Mean weight of each object over the views.

    view_object_weights_ : ndarray of shape (n_objects, n_views)
        Weight of each object in each view, when its chunk was last met.

    consensus_ : ndarray of shape (n_objects, n_clusters)
        The consensus :math:`U^*`, whose rows are clustered.

    components_ : list of ndarray of shape (n_features of the view, n_clusters)
        The factors :math:`V^m` of the features.

    view_labels_ : ndarray of shape (n_objects, n_views)
        Where the row of :math:`U^m` is largest; -1 for an object that the view does
        not have.

    objective_ : ndarray
        The objective per object, at the end of each chunk; with :meth:`partial_fit`
        before the sweeps over the chunk and after each of them.

    n_iter_ : int
        Number of sweeps, over all chunks.

    n_objects_seen_ : int
        Number of objects met so far, each as often as it was met.

    Notes
    -----
    The objective of MIC is a sum over objects. A chunk is swept as MIC sweeps all
    objects, except that V is updated by sums over all objects so far,

    .. math::
        A^m = \sum_{\text{chunks}} U'TU, \quad C^m = \sum_{\text{chunks}} X'TU, \quad
        V^m \leftarrow V^m \circ \frac{C^m}{V^m A^m},

    with the further terms that MIC has for the scale of V, which need two
    sums of k numbers. When the columns of V are scaled, the sums are scaled with them.
    Memory is :math:`O(k \sum_m p_m + k^2)` and a chunk, however many chunks there are;
    a single chunk gives the factors of MIC. What is filled in for a missing object, and
    how much it counts, follows from the objects seen so far: their means and shares.

    :meth:`fit` takes the objects in random order, because a first chunk of one cluster
    alone teaches little, and clusters all rows of :math:`U^*` by k-means at the end.
    :meth:`partial_fit` does not see the objects again: a chunk goes to the nearest
    cluster means of the objects before, which then move. After it, ``labels_`` and all
    attributes with a row per object are those of the chunk, and a cluster keeps its
    number from chunk to chunk. It can also go on after :meth:`fit`.

    The review only says that there is an online version; the sums follow from the
    objective. The authors' code takes blocks of 50 objects twice, as the defaults do
    here. It has an L1 penalty in place of L2,1, and steps of projected gradients.

    References
    ----------
    .. [1] W. Shao, L. He, C.-T. Lu and P. S. Yu, "Online multi-view clustering with
       incomplete views", IEEE Int. Conf. Big Data, 2016.
       :doi:`10.1109/BigData.2016.7840701`

    Examples
    --------
    >>> import numpy as np
    >>> from comitia import method
    >>> X0 = np.array([[1.0, 9.0], [2.0, 8.0], [9.0, 1.0], [8.0, 1.0]])
    >>> X1 = np.array([[0.0, 5.0], [1.0, 5.0], [5.0, 1.0], [5.0, 0.0]])
    >>> stream = method("omvc")(n_clusters=2, random_state=0)
    >>> stream.partial_fit([X0, X1]).labels_
    array([0, 0, 1, 1], dtype=int32)
    >>> stream.partial_fit([X0[2:] - 0.5, np.full((2, 2), np.nan)]).labels_
    array([1, 1], dtype=int32)
    >>> stream.n_objects_seen_
    6
    """

    card = MethodCard(
        id="omvc",
        weighs="objects",
        approach="fixed",
        needs="views",
        scales="linear",
        exempt={
            "weights_differ": "an object weighs less in the views that lack it; where "
            "none is missing all weigh 1",
        },
        # Less than the whole of four clusters in two features is a matter of luck.
        quick={"chunk_size": 120},
        on_device=True,
    )

    _parameter_constraints = {
        "chunk_size": [Interval(Integral, 1, None, closed="left")],
    }

    def __init__(
        self,
        n_clusters: int | None = None,
        *,
        views: Any = None,
        scale: str | None = "minmax",
        chunk_size: int = 50,
        n_rounds: int = 2,
        view_penalty: float | Sequence[float] = 0.1,
        sparsity_penalty: float | Sequence[float] = 0.001,
        n_init: int = 10,
        max_iter: int = 50,
        tol: float = 1e-4,
        random_state: Seed = None,
    ) -> None:
        self.n_clusters = n_clusters
        self.views = views
        self.scale = scale
        self.chunk_size = chunk_size
        self.n_rounds = n_rounds
        self.view_penalty = view_penalty
        self.sparsity_penalty = sparsity_penalty
        self.n_init = n_init
        self.max_iter = max_iter
        self.tol = tol
        self.random_state = random_state

    def partial_fit(self, X: Data, y: Any = None, *, device: Any = None) -> Any:
        """Learn from one more chunk of objects, and label it.

        Parameters
        ----------
        X : list or dict of array-like, or array-like of shape (n_objects, n_features)
            The views of the chunk, as for :meth:`fit`. From the second chunk on, a view
            may lack all objects.

        y : None
            Not used; there for scikit-learn's pipelines.

        device : str, default=None
            As for :meth:`fit`.

        Returns
        -------
        self : object
            The method, with the labels of the chunk.
        """
        stream = getattr(self, "_stream", None)
        with self._all_or_nothing():
            self._validate_params()
            rng = check_random_state(self.random_state)
            self._device = self._check_device(X, device)
            views = self._check_data(X, empty=stream is not None)
            if stream is None:
                stream = open_stream(views.arrays, self.scale, self.n_clusters)
                self._check_given(views, None)
            self._check_features(views.arrays, stream)
            chunk = self._learn(stream, views.arrays, views.present, rng)
            stream, labels = label_chunk(
                chunk.stream, chunk.consensus, self.n_init, rng
            )
            self._keep_chunk(chunk, views.present)
            self._stream = stream
            self.objective_ = np.asarray(chunk.objective) / views.n_objects
            self.n_iter_ = len(chunk.objective) - 1
            self.n_objects_seen_ = stream.n_seen
            self.labels_, self.n_clusters_ = labels, len(stream.centers)
            some = np.flatnonzero(views.present.any(axis=0))
            names: Any = views.object_names
            self.ensemble_ = Ensemble(
                self.view_labels_[:, some],
                clustering_names=[self.view_names_[m] for m in some],
                object_names=names,
            )
        return self

    def _combine(self, ensemble: Any, views: Views, rng: Rng) -> Array:
        n, shape = views.n_objects, (views.n_objects, views.n_views)
        stream = open_stream(views.arrays, self.scale, self.n_clusters)
        k = self.n_clusters
        if k is None:
            _, arrays, _ = add_chunk(stream, views.arrays, views.present)
            k = self._number_of_clusters(views.present, arrays)
            stream = stream._replace(n_clusters=k)
        view_labels, weights = np.empty(shape, dtype=np.intp), np.empty(shape)
        consensus = np.empty((n, k))
        objective, n_iter = [], 0
        chunks = cut_chunks(n, max(self.chunk_size, k), rng)
        for rows in chunks * self.n_rounds:
            arrays, present = [X[rows] for X in views.arrays], views.present[rows]
            chunk = self._learn(stream, arrays, present, rng)
            self._keep_chunk(chunk, present)
            stream = chunk.stream
            consensus[rows], weights[rows] = chunk.consensus, chunk.weights
            view_labels[rows] = self.view_labels_
            objective.append(chunk.objective[-1] / len(rows))
            n_iter += len(chunk.objective) - 1
        found = kmeans(consensus, k, rng, n_init=self.n_init)
        order = order_of_appearance(found.labels)
        sizes = np.bincount(found.labels, minlength=k)[order].astype(np.float64)
        self._stream = stream._replace(centers=found.centers[order], sizes=sizes)
        self.view_labels_, self.consensus_ = view_labels, consensus
        self._keep_weights(weights)
        self.objective_, self.n_iter_ = np.asarray(objective), n_iter
        self.n_objects_seen_ = stream.n_seen
        return found.labels

    def _number_anew(self, clusters: Any) -> None:
        stream = self._stream
        self._stream = stream._replace(
            centers=stream.centers[clusters], sizes=stream.sizes[clusters]
        )

    def _learn(self, stream: Any, arrays: Any, present: Any, rng: Rng) -> Any:
        """Sweep over a chunk and add it to the sums."""
        stream, arrays, weights = add_chunk(stream, arrays, present)
        if stream.V:
            views, consensus = self._recognize(stream, arrays, weights)
        else:
            if stream.n_clusters is None:
                k = self._number_of_clusters(present, arrays)
                stream = stream._replace(n_clusters=k)
            shares = self._start_shares(arrays, stream.n_clusters, rng)
            views = self._place(arrays, stream.units, weights, shares)
            consensus = consensus_factor(views, self._penalties(len(views))[0])
        views, consensus, objective, _ = self._sweep(views, consensus)
        stream = stream._replace(
            V=[view.V for view in views],
            past=[statistics(view, consensus).plus(view.past) for view in views],
        )
        return Chunk(stream, views, to_numpy(consensus), weights, objective)

    def _recognize(self, stream: Any, arrays: Any, weights: Array) -> tuple[Any, ...]:
        """Factors of new objects, by the features as they are known."""
        profiles = [to_numpy(V).T for V in stream.V]
        nearest = nearest_profiles(arrays, profiles, weights)
        shares = start_shares(nearest, stream.n_clusters)
        placed = self._place(arrays, stream.units, weights, shares)
        views = [
            view._replace(V=V, past=past)
            for view, V, past in zip(placed, stream.V, stream.past, strict=True)
        ]
        penalties = self._penalties(len(views))
        consensus = consensus_factor(views, penalties[0])
        for _ in range(_WARM_UP):
            views, consensus = coupled_sweep(views, consensus, *penalties, learn=False)
        return views, consensus

    def _keep_chunk(self, chunk: Any, present: Any) -> None:
        self._keep_weights(chunk.weights)
        self._keep_views(chunk.views, present)
        self.consensus_ = chunk.consensus
        self.components_ = [to_numpy(V) for V in chunk.stream.V]

    def _check_features(self, arrays: Any, stream: Any) -> Any:
        expected = [len(sums) for sums in stream.sums]
        found = [X.shape[1] for X in arrays]
        if found != expected:
            raise ComitiaError(
                f"X has {sum(found)} features, but OMVC is expecting {sum(expected)} "
                f"features as input: the views have {', '.join(map(str, found))}, "
                f"those of the first chunk had {', '.join(map(str, expected))}. Give "
                "the same views, or call fit to start again."
            )
