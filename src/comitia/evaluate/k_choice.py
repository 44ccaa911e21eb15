"""How many clusters: how likely each k is, and criteria for each."""

from __future__ import annotations

import operator
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from comitia._html import html_table
from comitia._inputs import count_objects, special_kind
from comitia._label_tables import warn_of_labels
from comitia._optional import import_optional
from comitia._steps import OnProgress, Progress, check_random_state
from comitia.catalogue import DEFAULT_FOR_K
from comitia.ensemble import Ensemble
from comitia.evaluate._common import (
    as_json_types,
    at_least,
    check_share,
)
from comitia.evaluate.criteria import CRITERIA, Measured, Plan, measure
from comitia.evaluate.verdict import recommend_k
from comitia.exceptions import ComitiaError
from comitia.partition.k_probabilities import (
    affordable_resamples,
    k_odds,
    most_k,
    table_sample,
)

__all__ = ["KChoice", "choose_k"]

Floats = NDArray[np.float64]

_N_BINS = 101


@dataclass(frozen=True)
class KChoice:
    """Which number of clusters, and why.

    Attributes
    ----------
    ks : list of int
        The numbers of clusters that were tried; 1 is always a candidate besides.

    criteria : dict of str to ndarray of shape (n_ks,)
        The value of each criterion for each k; NaN where it is not defined.

    better : dict of str to {"higher", "lower"}
        Which values of each criterion are better.

    cdf : ndarray of shape (n_ks, n_bins)
        The consensus CDF for each k.

    cdf_at : ndarray of shape (n_bins,)
        Where it is taken.

    n_clusters : int
        The recommendation; 1 when there is no sign of clusters.

    reason : str
        Why, in sentences.

    votes : dict of str to int
        The k of each criterion that differs from the references, and so has a vote.

    best : dict of str to int
        The k that each criterion prefers, whether it has a vote or not; read against
        the references where there are any.

    excess : dict of str to ndarray of shape (n_ks,)
        How much better each criterion is than on the references, larger being better;
        logarithms of quotients for those without an upper bound. Empty without
        references.

    reference : dict of str to ndarray of shape (n_ks,)
        Mean of each criterion over the references. Empty without references.

    p_values : dict of str to float
        For each criterion the share of sets, the data among them, on which it is as
        good at the k that it prefers. Empty without references.

    p_value : float or None
        The same for all criteria together, at any k, on which k = 1 is decided where
        there are references.

    probabilities : ndarray of shape (1 + n_ks,)
        How likely 1 and each of ``ks`` are the number of clusters. Empty for an
        Ensemble.

    likely : list of int
        The fewest numbers that hold 90 % of the probability, the likeliest first: "2 or
        3". Empty for an Ensemble.

    method : str
        Id of the method.

    n_objects : int
        Number of objects.

    notes : list of str
        What has to be known about how it was measured.
    """

    ks: list[int]
    criteria: dict[str, Floats]
    better: dict[str, str]
    cdf: Floats
    cdf_at: Floats
    n_clusters: int
    reason: str
    votes: dict[str, int]
    best: dict[str, int]
    excess: dict[str, Floats] = field(default_factory=dict)
    reference: dict[str, Floats] = field(default_factory=dict)
    p_values: dict[str, float] = field(default_factory=dict)
    p_value: float | None = None
    probabilities: Floats = field(default_factory=lambda: np.empty(0))
    likely: list[int] = field(default_factory=list)
    method: str = ""
    n_objects: int = 0
    notes: list[str] = field(default_factory=list)

    def frame(self) -> Any:
        """The criteria as a pandas DataFrame, one row for each k.

        Returns
        -------
        frame : pandas.DataFrame
            One column for each criterion; the index is called ``n_clusters``.

        Examples
        --------
        >>> from comitia.evaluate import choose_k
        >>> X = [[0, 0], [0, 1], [1, 0], [1, 1], [9, 9], [9, 8], [8, 9], [8, 8]]
        >>> choice = choose_k(X, range(2, 4), random_state=0)
        >>> choice.frame().index.tolist()
        [2, 3]
        """
        pd = import_optional("pandas", "frame()", "io")
        index = pd.Index(self.ks, name="n_clusters")
        return pd.DataFrame(self.criteria, index=index)

    def to_dict(self) -> dict[str, Any]:
        """Everything as lists, numbers and texts, which JSON can hold.

        Returns
        -------
        plain : dict
            None stands for NaN.

        Examples
        --------
        >>> from comitia.evaluate import choose_k
        >>> X = [[0, 0], [0, 1], [1, 0], [1, 1], [9, 9], [9, 8], [8, 9], [8, 8]]
        >>> choice = choose_k(X, range(2, 4), random_state=0)
        >>> choice.to_dict()["n_clusters"] == choice.n_clusters
        True
        """
        return {name: as_json_types(value) for name, value in vars(self).items()}

    @classmethod
    def from_dict(cls, written: Mapping[str, Any]) -> KChoice:
        """The way back from :meth:`to_dict`.

        Parameters
        ----------
        written : dict
            What :meth:`to_dict` gave.

        Returns
        -------
        choice : KChoice
            The choice.

        Examples
        --------
        >>> from comitia.evaluate import choose_k
        >>> X = [[0, 0], [0, 1], [1, 0], [1, 1], [9, 9], [9, 8], [8, 9], [8, 8]]
        >>> choice = choose_k(X, range(2, 4), random_state=0)
        >>> type(choice).from_dict(choice.to_dict()).n_clusters == choice.n_clusters
        True
        """
        given = dict(written)
        missing = {"ks", "criteria", "cdf", "cdf_at", "n_clusters"} - set(given)
        unknown = set(given) - set(cls.__dataclass_fields__)
        if missing or unknown:
            name = sorted(missing or unknown)[0]
            raise ComitiaError(
                f"written is not what KChoice.to_dict gave: {name!r} "
                f"{'is missing' if missing else 'is not known'}."
            )
        for name in ("cdf", "cdf_at", "probabilities"):
            given[name] = _floats(given.get(name, []))
        for name in ("criteria", "excess", "reference"):
            given[name] = {key: _floats(row) for key, row in given[name].items()}
        return cls(**given)

    def __str__(self) -> str:
        return self.reason

    def _repr_html_(self) -> str:
        names = list(self.criteria)
        rows = [
            (k, *(float(self.criteria[name][at]) for name in names))
            for at, k in enumerate(self.ks)
        ]
        return html_table(("k", *names), rows, self.reason)


def choose_k(
    X: Any,
    ks: Iterable[int] | None = None,
    *,
    method: Any = DEFAULT_FOR_K,
    generator: Any = None,
    criteria: Iterable[str] | None = None,
    n_resamples: int | None = None,
    n_references: int | None = None,
    object_fraction: float = 0.8,
    max_objects: int | None = 1000,
    random_state: Any = None,
    n_jobs: int | None = None,
    on_progress: OnProgress | None = None,
) -> KChoice:
    r"""Say how many clusters there are, if any.

    For data there is a probability of each k, 1 among them, and it decides, in a second
    or two. It rests on a gap in the spectrum of an ensemble of the default kind, on
    what recurs when some of the objects are clustered, and on whether several Gaussians
    describe the data better than one. ``n_clusters=None`` of a method that is fitted on
    data is the same choice.

    Beside it stand up to eleven criteria. Each of ``n_resamples`` times a share of the
    objects is drawn, clustered anew into an ensemble, and combined into each number of
    clusters k; what these consensuses have in common, the ensemble of all objects and
    the data themselves give the criteria. With ``n_references`` the same is done to
    references without clusters, a criterion counts for what it is better on the data
    than there, and the criteria decide. For an Ensemble they always do.

    Parameters
    ----------
    X : array-like of shape (n_objects, n_features) or Ensemble
        Data; or clusterings, of which each resample takes half. Series, of shape
        (n_objects, n_channels, n_times) or a list of (n_channels, n_times) arrays, are
        looked at by all representations of :class:`comitia.TimeSeriesEnsemble`.

    ks : iterable of int, default=None
        Numbers of clusters to try, from 2; 1 is always a candidate. By default those up
        to :math:`1 + \sqrt n`, and at most 20.

    method : str or EnsembleMethod, default="lwea"
        Combines the clusterings: a catalogue id or an estimator.

    generator : generator, default=None
        Makes the clusterings of data; 20 k-means clusterings by default.

    criteria : iterable of str, default=None
        The criteria that may vote; all but the areas and the inconsistency by default.
        Silhouette, Calinski–Harabasz and Davies–Bouldin expect compact clusters: leave
        them out where clusters may be long or bent.

    n_resamples : int, default=None
        Number of resamples for the criteria, at least 2; 20 by default, and 4 to 10
        where the probabilities decide, the fewer the more objects there are.

    n_references : int or None, default=None
        Number of references that the criteria are held against, which then decide; 19
        are the fewest that can tell the data apart at the level of 5 %. With 0 the
        criteria are read as they are, and k = 1 is not a possible answer. ``None``
        leaves the decision on data to the probabilities, and is 19 for an Ensemble.

    object_fraction : float, default=0.8
        Share of the objects in each resample.

    max_objects : int, default=1000
        Of more objects a random sample of this size is looked at for the criteria,
        which the notes of the result say. ``None`` looks at all. The probabilities are
        those of at most 1000 objects.

    random_state : int, RandomState instance or None, default=None
        Seed of the criteria. The probabilities have one of their own: the same objects,
        in whatever order, are as likely to be so many clusters.

    n_jobs : int, default=None
        How many of the data and the references are measured at a time. It changes no
        result.

    on_progress : callable, default=None
        Called as ``on_progress("choose", done, total)`` with numbers of sets that are
        measured: the data and their references.

    Returns
    -------
    choice : KChoice
        ``n_clusters``, ``probabilities``, ``likely``, ``reason``, ``frame()`` with the
        table of criteria, and more.

    Notes
    -----
    *Probabilities.* With the eigengap :math:`\gamma_k` of the graph of objects and
    clusters of spectral and Genie clusterings of resamples, the stability :math:`s_k`
    of clusterings into k clusters and the gain g of several Gaussians over one
    (``comitia.partition.k_probabilities``),

    .. math::
        P(1) = \frac{1}{1 + e^{a + b g} \max_k (1.05 - s_k)^{-c}}, \qquad
        P(k) \propto \frac{e^{u \gamma_k}}{(1.05 - s_k)^v}.

    The constants are those under which the true numbers are likeliest of planted data
    (round, long and bent clusters of unequal sizes, touching or apart, with noise, and
    data without clusters) and of 39 tables with classes, which were so in view; that
    there is one cluster has a probability of a quarter before. The answer is 1 if
    :math:`P(1) > 1/2`, and else the likeliest of the others. Classes need not be
    clusters: on tables the probabilities are a guide, not frequencies
    (``docs/choosing_k.rst`` has the figures).

    *Criteria.* From the consensus matrix of the resamples [1]_: area under its CDF and
    growth of the area (reported, without a vote, since they grow with k whatever the
    data), PAC [2]_ and cophenetic correlation [3]_. Stability is the mean adjusted
    Rand index of each two resamples [4]_, and inconsistency the coefficient of
    :func:`comitia.stability` over them, which says nearly the same and has no vote
    unless ``criteria`` names it. Lifetime and eigengap belong to the tree and
    to the graph of the ensemble of all objects; silhouette, Calinski–Harabasz and
    Davies–Bouldin to the consensus on the data, and are missing for an Ensemble.

    *References.* For data, sets of as many objects drawn uniformly in the box around
    the data along their principal axes [5]_; for an Ensemble, its clusterings with
    their labels shuffled, which have nothing to do with each other. The latter asks
    for less: k-means clusterings of a single blob do have something to do with each
    other. Give the data where there are data.

    *Are there clusters?* Data and references are treated alike: from each criterion at
    each k the mean over all of them is taken away, the rest is divided by its standard
    deviation over all sets and k, with the sign that makes larger better, and
    :math:`z(k)` is the mean over the criteria. The p-value is the share of sets, the
    data among them, whose :math:`\max_k z(k)` is as high as that of the data: a Monte
    Carlo test, which is exact when the data are like the references, however much the
    criteria depend on each other. Above 0.05 the answer is k = 1. With fewer than 19
    references the level is 1 / (n_references + 1).

    *How many?* With the mean :math:`\bar{s}_c(k)` of criterion c over the references,
    its excess is :math:`e_c(k) = s_c(k) - \bar{s}_c(k)` with the sign that makes larger
    better, or the logarithm of the quotient where there is no upper bound. This takes
    out what any criterion prefers whatever the data. A criterion prefers the k of its
    largest excess, and has a vote if at most one in twenty sets is as good there. The
    answer is the k with the largest support,

    .. math::
        \frac{1}{|V|} \sum_{c \in V} \frac{e_c(k)}{\max_j e_c(j)},

    the mean over the criteria V that vote (shares below -1 count as -1); of equals the
    smallest. A second-best k that is nearly as good for many criteria can so win over
    one that is the best for some and bad for others.

    *Limits.* The uniform reference is one for a single blob of any shape with one
    mode. Outliers, rounded values and strong skew are no clusters, and yet not
    uniform. Clusters that overlap so much that two Gaussians touch within about three
    standard deviations are told apart from one blob only with many objects.

    Without references it takes some seconds for 500 objects and more. With them the
    time is ``(1 + n_references) * (1 + n_resamples)`` ensembles and trees: about 10
    seconds for 200 objects and 1 minute for 1000 and more, on one core.

    References
    ----------
    .. [1] S. Monti, P. Tamayo, J. Mesirov and T. Golub, "Consensus clustering: a
       resampling-based method for class discovery and visualization of gene expression
       microarray data", Machine Learning 52, 2003. :doi:`10.1023/A:1023949509487`

    .. [2] Y. Șenbabaoğlu, G. Michailidis and J. Z. Li, "Critical limitations of
       consensus clustering in class discovery", Scientific Reports 4, 2014.
       :doi:`10.1038/srep06207`

    .. [3] J.-P. Brunet, P. Tamayo, T. R. Golub and J. P. Mesirov, "Metagenes and
       molecular pattern discovery using matrix factorization", PNAS 101(12), 2004.
       :doi:`10.1073/pnas.0308531101`

    .. [4] T. Lange, V. Roth, M. L. Braun and J. M. Buhmann, "Stability-based
       validation of clustering solutions", Neural Computation 16(6), 2004.
       :doi:`10.1162/089976604773717621`

    .. [5] R. Tibshirani, G. Walther and T. Hastie, "Estimating the number of clusters
       in a data set via the gap statistic", J. Royal Statistical Society B 63(2),
       2001. :doi:`10.1111/1467-9868.00293`

    .. [6] C. R. John et al., "M3C: Monte Carlo reference-based consensus clustering",
       Scientific Reports 10, 2020. :doi:`10.1038/s41598-020-58766-1`

    Examples
    --------
    >>> import numpy as np
    >>> from comitia import choose_k
    >>> rng = np.random.RandomState(0)
    >>> X = np.concatenate([rng.randn(20, 2), rng.randn(20, 2) + 8])
    >>> choice = choose_k(X, range(2, 5), random_state=0)
    >>> choice.n_clusters, choice.likely
    (2, [2])
    """
    from comitia._sklearn import check_table

    rng = check_random_state(random_state)
    check_share(object_fraction)
    if not isinstance(X, Ensemble):
        if special_kind(X) == "series":
            from comitia.generate.series_generators import series_table

            X = series_table(X)
        warn_of_labels(X, "choose_k(comitia.Ensemble(X))", stacklevel=2)
        X = check_table(X, dtype=np.float64, ensure_min_samples=4)
    objects, n, notes = _sampled_objects(X, max_objects, rng)
    n_seen = count_objects(objects)
    estimator = _estimator(method, objects)
    of_labels = isinstance(objects, Ensemble)
    by_criteria = n_references is not None or of_labels
    if n_references is None:
        n_references = 19 if of_labels else 0
    if n_resamples is None:
        n_resamples = 20 if by_criteria else affordable_resamples(n_seen)
    if ks is None:
        ks = range(2, max(most_k(n_seen), 2) + 1)
    plan = Plan(
        ks=_checked_ks(ks, round(object_fraction * n_seen)),
        estimator=estimator,
        generator=_generator(generator, objects),
        n_resamples=at_least(n_resamples, 2, "n_resamples"),
        object_fraction=float(object_fraction),
        cdf_at=tuple(np.linspace(0.0, 1.0, _N_BINS).tolist()),
    )
    voters = _voting_criteria(criteria)
    total = 1 + at_least(n_references, 0, "n_references")
    # Seeds are drawn before the work is handed out, so n_jobs cannot change a result.
    seeds = rng.randint(np.iinfo(np.int32).max, size=(total, 2)).tolist()
    sets: list[Measured] = []
    progress = Progress(on_progress)
    progress.report("choose", 0, total)
    for done in _measure_all(plan, objects, seeds, n_jobs):
        sets.append(done)
        progress.report("choose", len(sets), total)
    first = sets[0]
    if not first.exact:
        notes.append("The consensus CDF is that of a random sample of pairs.")
    kind = "shuffled clusterings" if isinstance(X, Ensemble) else "uniform data"
    verdict = recommend_k([one.criteria for one in sets], plan.ks, voters, kind)
    odds = None if of_labels else k_odds(table_sample(X), plan.ks)
    k, reason = verdict.n_clusters, verdict.reason
    if odds is not None and not by_criteria:
        k, reason = odds.n_clusters, odds.in_words()
    return KChoice(
        ks=list(plan.ks),
        criteria=first.criteria,
        better={name: CRITERIA[name].better for name in first.criteria},
        cdf=first.cdf,
        cdf_at=np.array(plan.cdf_at),
        reason=" ".join([reason, *notes]),
        method=estimator.card.id,
        n_objects=n,
        notes=notes,
        n_clusters=k,
        probabilities=np.empty(0) if odds is None else odds.probabilities,
        likely=[] if odds is None else odds.likely,
        votes=verdict.votes,
        best=verdict.best,
        excess=verdict.excess,
        reference=verdict.reference,
        p_values=verdict.p_values,
        p_value=verdict.p_value,
    )


def _measure_all(
    plan: Plan, objects: Any, seeds: list[list[int]], n_jobs: int | None
) -> Any:
    jobs = enumerate(seeds)
    if n_jobs in (None, 1):
        return (_measure_set(plan, objects, r, pair) for r, pair in jobs)
    from sklearn.utils.parallel import delayed

    from comitia._sklearn import in_workers

    return in_workers(
        (delayed(_measure_set)(plan, objects, r, pair) for r, pair in jobs), n_jobs
    )


def _measure_set(plan: Plan, objects: Any, r: int, seeds: list[int]) -> Measured:
    """Measure the data (r = 0) or a reference."""
    from comitia.evaluate.references import shuffled_ensemble, uniform_reference

    if r > 0:
        draw: Any = (
            shuffled_ensemble if isinstance(objects, Ensemble) else uniform_reference
        )
        objects = draw(objects, np.random.RandomState(seeds[0]))
    return measure(plan, objects, seeds[1])


def _voting_criteria(criteria: Iterable[str] | None) -> list[str]:
    if criteria is None:
        return [name for name, criterion in CRITERIA.items() if criterion.votes]
    names = [criteria] if isinstance(criteria, str) else list(criteria)
    unknown = [name for name in names if name not in CRITERIA]
    if unknown or not names:
        raise ComitiaError(
            f"criteria={criteria!r} must name some of {', '.join(CRITERIA)}."
        )
    return names


def _sampled_objects(
    X: Any, max_objects: int | None, rng: np.random.RandomState
) -> tuple[Any, int, list[str]]:
    """The objects to measure, the number of all, and a note if it is a sample."""
    n = count_objects(X)
    if max_objects is None or n <= at_least(max_objects, 10, "max_objects"):
        return X, n, []
    rows = np.sort(rng.choice(n, size=max_objects, replace=False))
    sample = X.take(objects=rows) if isinstance(X, Ensemble) else X[rows]
    note = (
        f"Measured on {max_objects} of the {n} objects, drawn at random "
        "(max_objects=None looks at all)."
    )
    return sample, n, [note]


def _estimator(method: Any, objects: Any) -> Any:
    from comitia.base import EnsembleMethod
    from comitia.catalogue import method as method_of_id

    if isinstance(method, str):
        method = method_of_id(method)()
    if not isinstance(method, EnsembleMethod):
        raise ComitiaError(
            f"method is a {type(method).__name__}; give a catalogue id such as "
            "'lwea', or an estimator of comitia.methods."
        )
    needs = set(method.card.needs)
    allowed = {"labels"} if isinstance(objects, Ensemble) else {"labels", "data"}
    if needs - allowed:
        given = "an Ensemble" if isinstance(objects, Ensemble) else "data"
        raise ComitiaError(
            f"method {method.card.id!r} needs {' and '.join(method.card.needs)}, and "
            f"choose_k was given {given}; see "
            f"comitia.methods(needs={sorted(allowed)})."
        )
    return method


def _generator(generator: Any, objects: Any) -> Any:
    if generator is None:
        from comitia.generate import KMeansGenerator

        # Own kernels in single precision: three times as fast on a few objects.
        return KMeansGenerator(n_clusterings=20, solver="landmark")
    if not hasattr(generator, "generate"):
        raise ComitiaError(
            f"generator is a {type(generator).__name__}; give one of "
            "comitia.generate, with a method generate."
        )
    if isinstance(objects, Ensemble):
        raise ComitiaError(
            "generator makes clusterings of data, and an Ensemble was given; leave "
            "it out."
        )
    return generator


def _checked_ks(ks: Iterable[int], size: int) -> tuple[int, ...]:
    try:
        numbers = sorted({operator.index(k) for k in ks} - {1})
    except TypeError:
        raise ComitiaError(f"ks must be whole numbers; got {ks!r}.") from None
    if not numbers:
        raise ComitiaError("ks is empty; give numbers of clusters from 2 on.")
    if numbers[0] < 2 or numbers[-1] >= size:
        raise ComitiaError(
            f"ks must lie between 2 and {size - 1}, since a resample has {size} "
            f"objects; got {numbers[0] if numbers[0] < 2 else numbers[-1]}."
        )
    return tuple(numbers)


def _floats(rows: Any) -> Floats:
    return np.array(rows, dtype=np.float64)
