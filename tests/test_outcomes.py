"""What comes out of every method, not how: with its defaults and on ordinary input.

A method may be exempt from a promise; its card says why, and so does its page. What is
broken is in ``KNOWN_FAILURES``, which must be exact: a method that is mended is taken
out of it.
"""

import functools
import re
import warnings

import numpy as np
import pytest
from sklearn.metrics import adjusted_rand_score

from comitia.catalogue import PROMISES, method, method_classes
from tests.multiview import complementary_views
from tests.outcomes import (
    IS_JUNK,
    Problem,
    fit_alone,
    fit_on,
    fit_views,
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

# Promise -> the methods that break it, to be mended. Nothing else may be here.
KNOWN_FAILURES = {
    "asked_k": set(),
    "helps": {
        "aces",
        "berikov_2017",
        "pividori_2016",
        "son_2016",
        "tang_liu_2018",
        "wgnmf",
        "wosp",
        "wsnng",
    },
    "weights_differ": {
        "abc",
        "banerjee_2021",
        "berikov_pestunov_2017",
        "feature_boost_2009",
        "liu_2010",
        "mvcc",
        "okabe_yamada_2013",
        "unlu_xanthopoulos_2017",
        "yang_tan_2012",
    },
    "weights_follow_quality": {
        "abc",
    },
    "selects": {
        "aces",
        "ozogur_2020",
    },
    "drops_junk": {
        "aces",
        "ozogur_2020",
        "pividori_2016",
        "tang_liu_2018",
    },
    "noisy_object_order": {
        "berikov_2018",
        "dias",
        "ec_bnmf",
        "gp_mgla",
        "kcc",
        "kmodes_consensus",
        "nazari_2017",
        "nmf_consensus",
        "tang_liu_2018",
        "wcc",
        "wohb",
        "wosp",
    },
    "noisy_clustering_order": {
        "aces",
        "cas",
        "ecpcs_mc",
        "pividori_2016",
        "rastin_kanawati_2015",
    },
    "noisy_label_names": {
        "ecpcs_mc",
        "voting",
        "wohb",
    },
}

pytestmark = pytest.mark.filterwarnings("ignore")


def is_exempt(cls, promise):
    """Whether a card says that a promise is not made, or not even without noise."""
    return not {promise, promise.removeprefix("noisy_")}.isdisjoint(cls.card.exempt)


def each(classes, promise):
    """The methods that make a promise."""
    making = [cls for cls in classes if not is_exempt(cls, promise)]
    return pytest.mark.parametrize("cls", making, ids=lambda cls: cls.card.id)


def expect(cls, promise, faults):
    """Require that there are no faults, or some where the method is known for it."""
    if cls.card.id in KNOWN_FAILURES[promise]:
        assert faults, (
            f"{cls.card.id} keeps its promise now: it {PROMISES[promise]}. Take it out "
            f"of KNOWN_FAILURES[{promise!r}]."
        )
    else:
        assert not faults, f"not that it {PROMISES[promise]}: {'; '.join(faults)}"


def test_failures_are_of_methods_that_make_the_promise():
    for promise, ids in KNOWN_FAILURES.items():
        making = {cls.card.id for cls in CLASSES if not is_exempt(cls, promise)}
        assert promise in PROMISES
        assert ids <= making


@pytest.mark.parametrize("cls", CLASSES, ids=lambda cls: cls.card.id)
def test_cards_exempt_from_known_promises_with_a_reason(cls):
    for name, reason in cls.card.exempt.items():
        assert name in PROMISES or name.startswith("check_"), name
        assert len(reason.split()) >= 4, f"{name}: {reason!r} is no reason"


# -- k is k --------------------------------------------------------------------------


@each(CLASSES, "asked_k")
def test_k_clusters_are_found_or_a_warning_says_why_not(cls):
    faults = []
    for name, k in (("wine", 2), ("wine", 5), ("iris", 3), ("digits", 10)):
        with warnings.catch_warnings(record=True) as told:
            warnings.simplefilter("always")
            if cls in COMBINERS:
                found = fit_on(cls, ordinary_problem(name), n_clusters=k).n_clusters_
            elif name == "digits":
                continue  # slow, where members are made too
            else:
                found = fit_alone(cls, *ordinary_data(name), n_clusters=k).n_clusters_
        reason = f"only {found} of n_clusters={k} clusters were found: "
        is_told = any(re.match(reason, str(one.message)) for one in told)
        if found != k and not is_told:
            faults.append(f"{found} of {k} clusters of {name}")
    expect(cls, "asked_k", faults)


# -- order and names -----------------------------------------------------------------

SEEDS = (0, 1, 2)


@functools.cache
def noisy(seed):
    """Eight clusterings of 200 objects that get 35 % of them wrong."""
    return planted_problem(200, 8, 0.35, seed)


@functools.cache
def as_given(cls, seed):
    return fit_on(cls, noisy(seed)).labels_


def changes(cls, other):
    """What becomes of the labels when an ensemble is told otherwise."""
    faults = []
    for seed in SEEDS:
        rng = np.random.RandomState(seed)
        told, objects = other(noisy(seed), rng)
        same = adjusted_rand_score(
            as_given(cls, seed)[objects], fit_on(cls, told).labels_
        )
        if same < 1:
            faults.append(f"ARI {same:.3f} with the labels before, seed {seed}")
    return faults


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
    expect(cls, "noisy_object_order", changes(cls, with_objects_in_another_order))


@each(COMBINERS, "noisy_clustering_order")
def test_the_order_of_clusterings_does_not_matter(cls):
    faults = changes(cls, with_clusterings_in_another_order)
    expect(cls, "noisy_clustering_order", faults)


@each(COMBINERS, "noisy_label_names")
def test_the_names_of_labels_do_not_matter(cls):
    expect(cls, "noisy_label_names", changes(cls, with_other_names))


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


@functools.cache
def ordinary_fits(cls):
    """The method on three ordinary sets; if it makes its clusterings, on data."""
    if cls in COMBINERS:
        sets = ("wine", "iris", "digits")
        return [fit_on(cls, ordinary_problem(name)) for name in sets]
    blobs = junk_problem()
    sets = (ordinary_data("wine"), ordinary_data("iris"), (blobs.X, blobs.truth))
    # Quick settings show all features to members, which then are the same.
    return [fit_alone(cls, X, y, feature_fraction=0.5) for X, y in sets]


@each(WEIGHING, "weights_differ")
def test_default_weights_differ_on_ordinary_input(cls):
    weights = [weights_of(fitted) for fitted in ordinary_fits(cls)]
    spreads = [np.std(w) / np.mean(w) for w in weights]
    # One set may be such that all clusterings are equally good.
    faults = [f"variation {', '.join(f'{s:.3f}' for s in spreads)}"]
    is_kept = np.median(spreads) > LEAST_VARIATION
    expect(cls, "weights_differ", [] if is_kept else faults)


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
    faults = []
    for seed in range(2):
        weights, quality = weights_and_quality(cls, seed)
        correlation = np.corrcoef(weights, quality)[0, 1]
        if not correlation > 0:  # nan where all weigh the same
            faults.append(f"correlation {correlation:.2f} with quality, seed {seed}")
    expect(cls, "weights_follow_quality", faults)


def weights_and_quality(cls, seed):
    """Weights of what a method weighs where a third is junk, and how good it is."""
    if cls.card.weighs == "views":
        views, truth = complementary_views(seed=seed, junk=True)
        weights = weights_of(fit_views(cls, views, truth))
        return weights.mean(axis=0), np.array([1, 1, 0])
    if cls.card.weighs == "features":
        X, y = ordinary_data("wine")
        noise = np.random.RandomState(seed).randn(len(y), 6)
        fitted = fit_alone(cls, np.hstack([X, noise]), y, feature_fraction=0.5)
        return weights_of(fitted).mean(axis=0), np.repeat([1, 0], [X.shape[1], 6])
    problem = junk_problem(seed)
    fitted = fit_on(cls, problem)
    weights = weights_of(fitted)[0]
    if len(weights) == problem.labels.shape[1]:
        return weights, problem.quality
    return weights, purity_of_clusters(fitted.ensemble_, problem.truth)


@each(SELECTORS, "selects")
def test_a_selector_keeps_some_and_drops_others(cls):
    kept = [np.mean(fitted.selected_) for fitted in ordinary_fits(cls)]
    is_some = [0 < share < 1 for share in kept]
    faults = [f"keeps {', '.join(f'{share:.0%}' for share in kept)}"]
    expect(cls, "selects", [] if np.mean(is_some) > 0.5 else faults)


@each([cls for cls in SELECTORS if cls in COMBINERS], "drops_junk")
def test_junk_is_dropped_first(cls):
    faults = []
    for seed in range(2):
        kept = fit_on(cls, junk_problem(seed)).selected_
        # All have four clusters, so that those of junk stand together too.
        is_junk = np.repeat(IS_JUNK, len(kept) // len(IS_JUNK))
        junk, rest = kept[is_junk].mean(), kept[~is_junk].mean()
        if junk >= rest:
            faults.append(f"keeps {junk:.0%} of the junk, {rest:.0%} of the rest")
    expect(cls, "drops_junk", faults)


# -- it helps ------------------------------------------------------------------------

# What a method is without its weights, or with all clusterings kept: evidence
# accumulation, and for those that partition otherwise the baseline that does so too.
WITHOUT_WEIGHTS = {
    "cas": "cspa",
    "consensus": "hbgf",
    "dias": "median_partition",
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


@each([cls for cls in COMBINERS if cls.card.approach != "baseline"], "helps")
def test_weights_do_no_harm(cls):
    plain = method(WITHOUT_WEIGHTS.get(cls.card.id, "eac"))
    faults = [
        f"{name}: {score(cls, name):.2f}, {plain.card.id} {score(plain, name):.2f}"
        for name in DIFFICULTIES
        if score(cls, name) < score(plain, name) - TOLERANCE
    ]
    expect(cls, "helps", faults)
