"""What comes out of every method, not how: with its defaults and on ordinary input.

A method may be exempt from a promise; its card says why, and so does its page. What is
to be mended, or fails on some processors only, is in ``MAY_FAIL`` with the reason.
"""

import functools
import warnings

import numpy as np
import pytest
from sklearn.metrics import adjusted_rand_score

from comitia.catalogue import PROMISES, method, method_classes
from tests.multiview import clear_views
from tests.outcomes import (
    IS_JUNK,
    Problem,
    fit_alone,
    fit_on,
    junk_problem,
    ordinary_data,
    ordinary_problem,
    planted_problem,
    purity_of_clusters,
    weights_of,
)

CLASSES = method_classes()
COMBINERS = [
    cls
    for cls in CLASSES
    if "labels" in cls.card.needs and "dendrograms" not in cls.card.needs
]

# Promise -> method -> why it may break it on some processors, though its card does not
# say so. Nothing does at present.
MAY_FAIL: dict[str, dict[str, str]] = {}

pytestmark = pytest.mark.filterwarnings("ignore")


def is_exempt(cls, promise):
    """Whether a card says that a promise is not made, or not even without noise."""
    return not {promise, promise.removeprefix("noisy_")}.isdisjoint(cls.card.exempt)


def each(classes, promise):
    """The methods that make a promise."""
    may_fail = MAY_FAIL.get(promise, {})
    cases = [
        pytest.param(
            cls,
            id=cls.card.id,
            marks=[pytest.mark.xfail(strict=False, reason=may_fail[cls.card.id])]
            if cls.card.id in may_fail
            else [],
        )
        for cls in classes
        if not is_exempt(cls, promise)
    ]
    return pytest.mark.parametrize("cls", cases)


def test_what_may_fail_is_a_promise_of_the_method():
    for promise, reasons in MAY_FAIL.items():
        making = {cls.card.id for cls in CLASSES if not is_exempt(cls, promise)}
        assert promise in PROMISES
        assert {*reasons} <= making


@pytest.mark.parametrize("cls", CLASSES, ids=lambda cls: cls.card.id)
def test_cards_exempt_from_known_promises_with_a_reason(cls):
    for name, reason in cls.card.exempt.items():
        assert name in PROMISES or name.startswith("check_"), name
        assert len(reason.split()) >= 4, f"{name}: {reason!r} is no reason"


# -- k is k --------------------------------------------------------------------------

# Numbers of clusters that are asked for: too many, too few, and as many as there are.
ASKED = {"wine": 5, "iris": 2, "digits": 10}


@functools.cache
def ordinary_fits(cls):
    """The method on three ordinary sets, each with what it warned of.

    Methods that make their clusterings do so of blobs in place of digits, to be quick.
    """
    fits = {}
    for name, k in ASKED.items():
        with warnings.catch_warnings(record=True) as told:
            warnings.simplefilter("always")
            if cls in COMBINERS:
                fitted = fit_on(cls, ordinary_problem(name), n_clusters=k)
            else:
                X, y = ordinary_data(name.replace("digits", "blobs"))
                k = min(k, len(np.unique(y)) + 2)
                # Members that all see all features are the same.
                fitted = fit_alone(cls, X, y, n_clusters=k, feature_fraction=0.5)
        fits[name] = fitted, [str(one.message) for one in told]
    return fits


@each(CLASSES, "asked_k")
def test_k_clusters_are_found_or_a_warning_says_why_not(cls):
    for fitted, told in ordinary_fits(cls).values():
        found, k = fitted.n_clusters_, fitted.n_clusters
        reason = f"only {found} of n_clusters={k} clusters were found: "
        is_told = any(text.startswith(reason) for text in told)
        assert found == k or is_told, f"{found} of {k} clusters, and no word of it"


# -- order and names -----------------------------------------------------------------

# One of 200 objects may go either way where rounding breaks a tie; two are too many.
SAME = 0.98


@functools.cache
def noisy(seed):
    """Eight clusterings of 200 objects that get 35 % of them wrong."""
    return planted_problem(200, 8, 0.35, seed)


@functools.cache
def as_given(cls, seed):
    return fit_on(cls, noisy(seed)).labels_


def how_alike(cls, told_otherwise):
    """Adjusted Rand indices with the labels before, on two ensembles."""
    found = []
    for seed in range(2):
        told, objects = told_otherwise(noisy(seed), np.random.RandomState(seed))
        before, after = as_given(cls, seed)[objects], fit_on(cls, told).labels_
        found.append(adjusted_rand_score(before, after))
    return np.array(found)


def with_objects_in_another_order(problem, rng):
    objects = rng.permutation(len(problem.truth))
    return Problem(*(part[objects] for part in problem)), objects


def with_clusterings_in_another_order(problem, rng):
    order = rng.permutation(problem.labels.shape[1])
    return problem._replace(labels=problem.labels[:, order]), slice(None)


def with_other_names(problem, rng):
    renamed = [rng.permutation(problem.k)[column] for column in problem.labels.T]
    return problem._replace(labels=np.column_stack(renamed)), slice(None)


@each(COMBINERS, "noisy_object_order")
def test_the_order_of_objects_does_not_matter(cls):
    assert (how_alike(cls, with_objects_in_another_order) > SAME).all()


@each(COMBINERS, "noisy_clustering_order")
def test_the_order_of_clusterings_does_not_matter(cls):
    assert (how_alike(cls, with_clusterings_in_another_order) > SAME).all()


@each(COMBINERS, "noisy_label_names")
def test_the_names_of_labels_do_not_matter(cls):
    assert (how_alike(cls, with_other_names) > SAME).all()


# -- it acts -------------------------------------------------------------------------

# The weights of baselines are given by the user; those of selectors are scores by
# which some are kept.
WEIGHING = [
    cls
    for cls in CLASSES
    if cls.card.approach in ("fixed", "variable", "composite")
    and cls.card.weighs != "nothing"
]
SELECTORS = [cls for cls in CLASSES if cls.card.approach == "selection"]
# How much weights must differ: their standard deviation over their mean.
LEAST_VARIATION = 0.05


def variation(cls):
    """Mean over the ordinary sets: on one all clusterings may be equally good."""
    weights = [weights_of(fitted) for fitted, _ in ordinary_fits(cls).values()]
    return np.mean([np.std(w) / np.mean(w) for w in weights])


@each(WEIGHING, "weights_differ")
def test_default_weights_differ_on_ordinary_input(cls):
    assert variation(cls) > LEAST_VARIATION


@each(
    [
        cls
        for cls in WEIGHING
        if (cls in COMBINERS and cls.card.weighs in ("clusterings", "clusters"))
        or cls.card.weighs in ("features", "views")
    ],
    "weights_follow_quality",
)
def test_the_better_weighs_more(cls):
    assert min(correlations(cls)) > 0


def correlations(cls):
    """How weights go with quality, on two problems."""
    return [np.corrcoef(*weights_and_quality(cls, seed))[0, 1] for seed in range(2)]


def weights_and_quality(cls, seed):
    """Weights of what a method weighs where a third is junk, and how good it is."""
    if cls.card.weighs == "views":
        views, _ = clear_views(seed)
        weights = weights_of(cls(3, random_state=0).fit(views))
        return weights.mean(axis=0), np.array([1, 1, 0])
    if cls.card.weighs == "features":
        X, y = ordinary_data("wine")
        noise = np.random.RandomState(seed).randn(len(y), 6)
        fitted = fit_alone(cls, np.hstack([X, noise]), y, feature_fraction=0.5)
        return weights_of(fitted).mean(axis=0), np.repeat([1, 0], [X.shape[1], 6])
    problem = junk_problem(seed)
    fitted = junk_fit(cls, seed)
    weights = weights_of(fitted)[0]
    if len(weights) == problem.labels.shape[1]:
        return weights, problem.quality
    return weights, purity_of_clusters(fitted.ensemble_, problem.truth)


@each(SELECTORS, "selects")
def test_a_selector_keeps_some_and_drops_others(cls):
    kept = [np.mean(fitted.selected_) for fitted, _ in ordinary_fits(cls).values()]
    assert 0 < np.median(kept) < 1


@each([cls for cls in SELECTORS if cls in COMBINERS], "drops_junk")
def test_junk_is_dropped_first(cls):
    for junk, rest in kept_shares(cls):
        assert junk < rest


def kept_shares(cls):
    """Shares that are kept of the junk and of the rest, on two problems."""
    for seed in range(2):
        kept = junk_fit(cls, seed).selected_
        # All have four clusters, so that those of junk stand together too.
        is_junk = np.repeat(IS_JUNK, len(kept) // len(IS_JUNK))
        yield kept[is_junk].mean(), kept[~is_junk].mean()


@functools.cache
def junk_fit(cls, seed):
    return fit_on(cls, junk_problem(seed))


# -- it helps ------------------------------------------------------------------------

# What a method is without its weights, or with all clusterings kept: evidence
# accumulation, and for those that partition otherwise the baseline that does so too.
WITHOUT_WEIGHTS = {
    "cas": "cspa",
    "consensus": "hbgf",
    "dias": "kcc",
    "ec_bnmf": "nmf_consensus",
    "ecpcs_mc": "mcla",
    "fcc": "kcc",
    "gkwea": "median_partition",
    "gp_mgla": "hbgf",
    "greedy_diversity_2014": "voting",
    "hcss": "cspa",
    "iwnmf": "nmf_consensus",
    "jia_2011": "cspa",
    "kanawati_2015": "cspa",
    "lourenco_2013": "kcc",
    "lwgp": "hbgf",
    "lwmc": "mcla",
    "mcas": "cspa",
    "nazari_2017": "hbgf",
    "rastin_kanawati_2015": "cspa",
    "sec": "kcc",
    "son_2016": "voting",
    "tang_liu_2018": "cspa",
    "unlu_xanthopoulos_2017": "cspa",
    "vega_pons_2008": "median_partition",
    "wcc": "kcc",
    "wgnmf": "nmf_consensus",
    "wohb": "hbgf",
    "womc": "mcla",
    "wosp": "cspa",
    "wpck": "median_partition",
    "wsnng": "cspa",
    "zhou_tang_2006": "voting",
}
# Noise of the clusterings. Weights have something to find: none are equally good.
DIFFICULTIES = {
    "easy": np.linspace(0.05, 0.35, 12),
    "mixed": np.linspace(0.1, 0.6, 12),
    "noisy": np.linspace(0.3, 0.55, 12),
    "junk": [*np.linspace(0.25, 0.4, 8), *[1.0] * 4],
}
# Means over three ensembles of 120 objects have a standard error of about 0.02.
TOLERANCE = 0.05


@functools.cache
def score(cls, difficulty):
    problems = [planted_problem(120, 12, DIFFICULTIES[difficulty], s) for s in range(3)]
    scores = [adjusted_rand_score(p.truth, fit_on(cls, p).labels_) for p in problems]
    return np.mean(scores)


def gains(cls):
    """How much better it is than without its weights, by difficulty."""
    plain = method(WITHOUT_WEIGHTS.get(cls.card.id, "eac"))
    return {name: score(cls, name) - score(plain, name) for name in DIFFICULTIES}


@each([cls for cls in COMBINERS if cls.card.approach != "baseline"], "helps")
def test_weights_do_no_harm(cls):
    harm = {name: gain for name, gain in gains(cls).items() if gain < -TOLERANCE}
    assert not harm
