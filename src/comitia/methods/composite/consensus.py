"""Your own mix: any generator, weighting, selection and consensus together."""

from __future__ import annotations

from functools import cached_property, partial
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import check_is_fitted

from comitia._arrays import to_numpy
from comitia._sklearn import HasMethods, StrOptions
from comitia.agreement import adjusted_rand
from comitia.base import EnsembleMethod
from comitia.catalogue import MethodCard
from comitia.ensemble import Ensemble
from comitia.explanation import Explanation
from comitia.methods.composite._consensus_choices import (
    DEFAULT_WEIGHTING,
    WEIGHTINGS,
    kept_by,
    weights_by,
)
from comitia.methods.composite._consensus_families import (
    ANOTHER,
    answer_without_twofold,
    answers_without,
    doubt_of_twofold,
    family_shares,
    share_of_answers,
    why_no_answers,
)
from comitia.methods.composite._consensus_functions import (
    CONSENSUS,
    DEFAULT_CONSENSUS,
)
from comitia.methods.composite._consensus_rivals import compare_rivals, doubt_of_best

__all__ = ["ConsensusClustering"]


class ConsensusClustering(EnsembleMethod):
    r"""Consensus clustering from parts of your choice.

    Every published method is one walk along generate, select, weigh, represent and
    partition [1]_; this class lets you choose each step. What it does when nothing is
    chosen was chosen on half of the data sets of our evaluation, and looked at once on
    the other half (``docs/evaluation.rst``).

    Parameters
    ----------
    n_clusters : int, default=None
        Number of clusters. ``None`` takes the eigengap of the ensemble's graph, or of
        data the likeliest number (:func:`comitia.choose_k`), which may be 1.

    generator : generator, default=None
        Makes the clusterings when :meth:`fit` is given data alone. ``None`` makes
        fifty of the kinds that suit the data: spectral clusterings of neighbour graphs
        and Genie's linkage, both with k to :math:`\max(2k, \sqrt{n})` clusters, or
        k-means (:class:`comitia.generate.MixedGenerator`).

    selection : object with ``select`` or ``select_clusters``, or callable, default=None
        ``select(ensemble, X)`` returns the indices of the clusterings to keep, and
        ``select_clusters(ensemble, X)`` those of the clusters, as the columns of
        ``ensemble.membership`` count them; every method of
        ``comitia.methods(approach="selection")`` that judges given clusterings has one
        of them. A callable ``selection(ensemble, X)`` returns indices of clusterings,
        or a mask of clusterings or clusters.

    weighting : str, EnsembleMethod, callable or None, default="auto"
        ``"entropy_certainty"`` weighs a cluster by how rarely the other clusterings
        tear it apart, ``"crowd_agreement"`` a clustering by how alike the others are.
        ``"normalized_entropy_certainty"`` is the former with the weights of NWCA, and
        ``"silhouette_weights"``, which need the data, are those of WECR. A method, such
        as ``method("trce")(3)``, combines the clusterings first, and the weights that
        it finds are taken.
        ``weighting(ensemble, X)`` returns a weight for each clustering or for each
        cluster of the ensemble. ``None`` weighs all alike. ``"auto"`` is
        ``"entropy_certainty"`` with ``consensus="reassign"``, and ``None`` with any
        other.

    consensus : str or callable, default="reassign"
        ``"average"``, ``"complete"``, ``"single"`` and ``"ward"`` link the weighted
        co-association, ``"tcut"`` cuts the bipartite graph of objects and clusters,
        ``"kmeans"`` runs k-means on the rows of the indicator matrix. ``"reassign"``
        moves the objects of ``"average"`` and of ``"tcut"`` to the clusters in which
        their labels are likeliest (:func:`comitia.partition.reassign`), and takes the
        likelier result. From 50 000 objects on, where a tree takes minutes, ``"tcut"``
        is the only start, and otherwise ``"average"`` where there are more than 5 000
        clusters. A callable gets
        ``(ensemble, n_clusters, rng, clustering_weights=…)`` or
        ``cluster_weights=…`` and returns labels. A selection of clusters makes weights
        of clusters, which ``"kmeans"`` does not take.

    on_doubt : {"auto", "consensus", "best"} or None, default="auto"
        Where there are data, the consensus is compared with k-means, Ward's linkage and
        the best member, all with as many clusters, by three criteria that need no
        classes; ``doubt_`` says if another is better by all of them. ``"consensus"``
        keeps the consensus then, ``"best"`` takes the labels of that other, and
        ``"auto"`` does so where the families of clusterings disagree as well: where the
        consensus without one of them is another one (adjusted Rand index below 0.5).
        ``None`` does not compare.

    random_state : shared

    Attributes
    ----------
    rivals_ : list of RivalScores
        The consensus, k-means, Ward's linkage and the best member, by the three
        criteria, and how far each agrees with the consensus. Empty without data, for
        one cluster, and with ``on_doubt=None``.

    doubt_ : str or None
        A sentence, if another clustering is better by all criteria and not nearly the
        same, or if the clusters are gone without the features that have two values.

    answer_without_twofold_ : ndarray of shape (n_objects,) or None
        What k-means finds in the features that have more than two values, where there
        are others and ``on_doubt`` is not None.

    answers_without_ : dict of str to ndarray of shape (n_objects,)
        What the consensus would be without each family of clusterings, where the
        ensemble has groups; found when it is asked for.

    selected_ : ndarray of bool of shape (n_clusterings,) or (n_clusters,)
        Which clusterings, or clusters of the ensemble, were kept, when there is a
        selection.

    clustering_weights_ : ndarray of shape (n_clusterings,)
        Weights of the clusterings, unless clusters are weighed or selected; what was
        not kept weighs nothing.

    cluster_weights_ : ndarray of shape (n_clusters of the ensemble,)
        Weights of the clusters, when the weighting gives these or the selection keeps
        clusters; what was not kept weighs nothing.

    Notes
    -----
    A selection of clusterings makes a smaller ensemble, which is weighed and combined.
    A selection of clusters makes weights: a clustering without some of its clusters no
    longer says which objects it puts apart, so that the weighting sees all clusters,
    and those that were not kept weigh 0. Objects in none of the clusters kept would be
    like nothing; the cluster that has most of these is kept too, until there are none.

    With ``consensus="reassign"`` weights shape the starts. The second step finds out by
    itself how far each clustering is to be believed, and only leaves out what weighs
    nothing.

    The criteria of the rivals are the likelihood of a normal distribution for each
    cluster, the separation of clusters by density, and the modularity of the graph of
    nearest neighbours. On the half of our data sets that choices are made on, taking
    the rival that is better by all three, or by their ranks, did not gain over the
    consensus, so that a doubt is said and not acted upon by default. Of more than 2000
    objects a sample is compared.

    Where families of clusterings say different things the result is less sure:
    ``confidence_`` is multiplied by the share of the answers, the result, those of
    ``answers_without_`` and ``answer_without_twofold_``, that leave an object where it
    is. The families take as long as the consensus took, and are left out above 20 000
    objects, with a selection, and with a weighting of one's own.

    References
    ----------
    .. [1] M. Zhang, "Weighted clustering ensemble: a review", Pattern Recognition 124,
       2022. :doi:`10.1016/j.patcog.2021.108428`

    Examples
    --------
    >>> from comitia import ConsensusClustering, Ensemble
    >>> votes = Ensemble([[0, 0, 0], [0, 0, 1], [1, 1, 1], [1, 1, 0]])
    >>> mix = ConsensusClustering(n_clusters=2, weighting="crowd_agreement")
    >>> mix.fit_predict(votes)
    array([0, 0, 1, 1], dtype=int32)
    """

    card = MethodCard(
        id="consensus",
        weighs="clusters",
        approach="composite",
        needs="labels",
        missing="votes",
        scales="linear",
        on_device=True,
    )
    _labels_on_device = True

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "selection": [
            HasMethods(["select"]),
            HasMethods(["select_clusters"]),
            callable,
            None,
        ],
        "weighting": [
            StrOptions({"auto", *WEIGHTINGS}),
            HasMethods(["combine"]),
            callable,
            None,
        ],
        "consensus": [StrOptions(set(CONSENSUS)), callable],
        "on_doubt": [StrOptions({"auto", "consensus", "best"}), None],
    }

    def __init__(
        self,
        n_clusters: int | None = None,
        *,
        generator: Any = None,
        selection: Any = None,
        weighting: Any = "auto",
        consensus: Any = DEFAULT_CONSENSUS,
        on_doubt: str | None = "auto",
        random_state: Any = None,
    ) -> None:
        self.n_clusters = n_clusters
        self.generator = generator
        self.selection = selection
        self.weighting = weighting
        self.consensus = consensus
        self.on_doubt = on_doubt
        self.random_state = random_state

    def _default_generator(self) -> Any:
        from comitia.generate import MixedGenerator

        k = self._known_n_clusters()
        return MixedGenerator(n_clusters=None if k is None else (max(k, 2), None))

    @property
    def _takes_landmarks(self) -> bool:
        return True  # the card speaks of the default; trees can be asked for

    def explain(self) -> Explanation:
        """Say what the result rests on.

        Returns
        -------
        explanation : Explanation
            The families of clusterings, with their shares of the evidence and what the
            result would be without each, and the rivals; ``print`` it to read it.

        Examples
        --------
        >>> from comitia import ConsensusClustering, Ensemble
        >>> votes = Ensemble(
        ...     [[0, 0, 0], [0, 0, 1], [1, 1, 1], [1, 1, 0]], groups=["a", "a", "b"]
        ... )
        >>> said = ConsensusClustering(n_clusters=2).fit(votes).explain()
        >>> [(one.name, one.n_clusterings) for one in said.families]
        [('a', 2), ('b', 1)]
        """
        check_is_fitted(self, "labels_")
        note = why_no_answers(self.ensemble_)
        if not note and not self._can_leave_out:
            note = (
                "With a selection, or a weighting of one's own, the result is not "
                "found again without each family."
            )
        families = family_shares(
            self.ensemble_,
            to_numpy(self.labels_),
            self.n_clusters_,
            self.answers_without_,
            **self.vote_weights(),
        )
        return Explanation(families, tuple(self.rivals_), self.doubt_, note)

    @cached_property
    def answers_without_(self) -> dict[str, NDArray[Any]]:
        """What the consensus would be without each family of clusterings."""
        check_is_fitted(self, "labels_")
        if not self._can_leave_out:
            return {}
        return answers_without(
            self.ensemble_, partial(self._consensus_of, n_clusters=self.n_clusters_)
        )

    @property
    def _can_leave_out(self) -> bool:
        """Whether the consensus hangs on the clusterings alone."""
        return self.selection is None and not callable(self.weighting)

    def _consensus_of(self, ensemble: Ensemble, n_clusters: int) -> NDArray[Any]:
        consensus = CONSENSUS.get(self.consensus, self.consensus)
        rng = np.random.RandomState(0)
        return np.asarray(
            consensus(ensemble, n_clusters, rng, **self._weigh(ensemble, None))
        )

    def _takes_rival(self, ensemble: Ensemble, labels: NDArray[Any]) -> bool:
        """Whether a rival that is better than these labels is taken."""
        if self.on_doubt != "auto" or not self._can_leave_out:
            return self.on_doubt == "best"
        again = partial(self._consensus_of, n_clusters=int(labels.max()) + 1)
        answers = answers_without(ensemble.whole, again).values()
        return any(adjusted_rand(labels, one) < ANOTHER for one in answers)

    def _share_of_answers(self) -> NDArray[np.float64] | None:
        answers = dict(self.answers_without_)
        if self.answer_without_twofold_ is not None:
            answers["features with two values"] = self.answer_without_twofold_
        return share_of_answers(to_numpy(self.labels_), answers)

    def _combine(
        self, ensemble: Ensemble, X: Any, rng: np.random.RandomState
    ) -> NDArray[Any]:
        labels = self._found(ensemble, X, rng)
        self.rivals_, self.doubt_, self.answer_without_twofold_ = [], None, None
        if self.on_doubt is None or not isinstance(X, np.ndarray):
            return labels
        ours = np.unique(to_numpy(labels), return_inverse=True)[1]
        found = compare_rivals(X, ensemble, ours, rng)
        doubts: list[str | None] = []
        if found is not None:
            self.rivals_ = found.rivals
            if found.best is not None:
                taken = self._takes_rival(ensemble, ours)
                doubts.append(doubt_of_best(found.best, self.on_doubt, taken=taken))
                labels = found.labels if taken else labels
        apart = answer_without_twofold(X, ours, rng)
        if apart is not None:
            self.answer_without_twofold_ = apart.labels
            doubts.append(doubt_of_twofold(apart, ours))
        self.doubt_ = " ".join(filter(None, doubts)) or None
        return labels

    def _found(
        self, ensemble: Ensemble, X: Any, rng: np.random.RandomState
    ) -> NDArray[Any]:
        """The consensus."""
        consensus = CONSENSUS.get(self.consensus, self.consensus)
        kept = np.ones(ensemble.n_clusterings, dtype=bool)
        if self.selection is not None:
            kept = self.selected_ = kept_by(self.selection, ensemble, X)
        if len(kept) != ensemble.n_clusterings:
            self.cluster_weights_ = w = self._weigh_kept(ensemble, X, kept)
            k = self._resolve_n_clusters(ensemble, cluster_weights=1.0 * (w > 0))
            return consensus(ensemble, k, rng, cluster_weights=w)
        # Taking all would read an ensemble in row blocks into memory.
        smaller = ensemble if kept.all() else ensemble.take(clusterings=kept)
        self._check_ensemble(smaller)
        weights = self._weigh(smaller, X)
        # What was dropped weighs nothing, so that fitted weights fit the ensemble.
        if "cluster_weights" in weights:
            self.cluster_weights_ = np.zeros(ensemble.n_clusters_total)
            of_kept = kept[ensemble.clustering_of]
            self.cluster_weights_[of_kept] = weights["cluster_weights"]
        else:
            self.clustering_weights_ = kept / kept.sum()
            self.clustering_weights_[kept] = weights.get(
                "clustering_weights", self.clustering_weights_[kept]
            )
        return consensus(smaller, self._resolve_n_clusters(smaller), rng, **weights)

    def _weigh_kept(
        self, ensemble: Ensemble, X: Any, kept: NDArray[np.bool_]
    ) -> NDArray[np.float64]:
        """Weights of the clusters, 0 for those that were not kept."""
        weights = self._weigh(ensemble, X)
        if "clustering_weights" in weights:
            # A weight of a cluster comes on top of the 1 / M of its clustering.
            w = weights["clustering_weights"] * ensemble.n_clusterings
            return np.where(kept, w[ensemble.clustering_of], 0.0)
        return np.where(kept, weights.get("cluster_weights", 1.0), 0.0)

    def _weigh(self, ensemble: Ensemble, X: Any) -> dict[str, NDArray[Any]]:
        chosen = self.weighting
        if chosen == "auto":
            chosen = DEFAULT_WEIGHTING if self.consensus == DEFAULT_CONSENSUS else None
        if chosen is None:
            return {}
        with self._stage("weigh"):
            return weights_by(chosen, ensemble, X)
