"""Data at the ends of float64, and far from zero: the same clusters, or a refusal.

The suite tries the hardest moves; the nightly profile tries all of them.
"""

import os
import warnings

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.base import clone
from sklearn.cluster import DBSCAN, AgglomerativeClustering, KMeans, SpectralClustering
from sklearn.exceptions import ConvergenceWarning
from sklearn.metrics import adjusted_rand_score

from comitia import method
from comitia._scales import column_scales
from comitia.cluster import LAC, HMMKModels, KMedoids
from comitia.exceptions import ComitiaError, ComitiaWarning
from comitia.generate import (
    EstimatorGenerator,
    FuzzyGenerator,
    GenieGenerator,
    HierarchicalGenerator,
    KMeansGenerator,
    LandmarkSpectralGenerator,
    MixedGenerator,
    MixtureGenerator,
    NeighborSpectralGenerator,
    SpectralGenerator,
    Subsample,
    generate_blocks,
    regenerate,
)
from comitia.io import read_table
from comitia.io.block_tables import open_block_table
from comitia.methods import DCSS
from comitia.methods.fixed_clusterings._constraint_projection import principal_axes
from comitia.prepare import TablePreparer
from comitia.validity import INDICES
from tests.cases import check_each
from tests.hard.methods import METHODS, is_on_tables, make

NIGHT = os.environ.get("COMITIA_PROFILE") == "nightly"

# Three clusters of fourteen objects, twelve times as far apart as they are wide, in a
# table, and in series of one channel.
TRUTH = np.repeat([0, 1, 2], 14)
_RNG = np.random.RandomState(0)
TABLE = np.array([[0, 0, 0, 0], [12, 0, 6, 0], [0, 12, 6, 12]])[TRUTH] + _RNG.randn(
    len(TRUTH), 4
)
_FREQUENCIES = 0.3 + 0.6 * TRUTH[:, None]
SERIES = (
    (TRUTH[:, None] + 1) * np.sin(_FREQUENCIES * np.arange(20))
    + 5 * TRUTH[:, None]
    + 0.3 * _RNG.randn(len(TRUTH), 20)
)[:, None, :]


def moved(data, scale, shift):
    return data * scale + shift


# Scale and shift. At a shift of 1e13 scales a step of float64 is 0.002, at 1e14, as of
# 1e-8 at 1e6, it is 0.01: the clusters are still there.
MOVES = {
    "1e-8 at 1e6": (1e-8, 1e6),
    "1e-150": (1e-150, 0.0),
    "1e150": (1e150, 0.0),
}
if NIGHT:
    MOVES |= {
        f"{scale:g} at {shift:g} of that": (scale, scale * shift)
        for scale in (1e-150, 1e-100, 1e-74, 1e-8, 1.0, 1e8, 1e60, 1e100, 1e150)
        for shift in (0.0, 1e6, -1e10, 1e13)
    }
REFUSED = r"as large as|varies by no more than"

ON_DATA = [cls for cls in METHODS if is_on_tables(cls)]


def called(cls):
    return cls.card.id


def method_of(cls):
    """The method with its own generator, which makes few clusterings."""
    estimator = make(cls)
    if "labels" in cls.card.needs and "generator" not in cls.card.quick:
        generator = clone(estimator).set_params(generator=None)._default_generator()
        known = {
            name: value
            for name, value in (("n_clusterings", 6), ("n_clusters", 3))
            if hasattr(generator, name)
        }
        estimator.set_params(generator=generator.set_params(**known))
    return estimator


def labels_of(cls, scale, shift):
    table, series = moved(TABLE, scale, shift), moved(SERIES, scale, shift)
    needs = cls.card.needs
    data = table
    if "views" in needs:
        data = [table[:, :2], table[:, 2:]]
    elif "series" in needs:
        data = series
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ComitiaWarning)
        warnings.simplefilter("ignore", ConvergenceWarning)
        return method_of(cls).fit(data).labels_


# What each finds of the clusters where they are; all others find them all. Six members
# are few for nazari_2017: seven seeds of twenty miss some clusters.
_FINDS = {"zhao_2020": 0.8, "nazari_2017": 0.6}


@pytest.mark.parametrize("cls", ON_DATA, ids=called)
def test_clusters_are_found_at_every_scale_and_place_or_data_are_refused(cls):
    def check(move):
        scale, shift = move
        if not 1e-75 < scale < 1e75:
            with pytest.raises(ComitiaError, match=REFUSED):
                labels_of(cls, scale, shift)
        else:
            found = adjusted_rand_score(TRUTH, labels_of(cls, scale, shift))
            assert found >= _FINDS.get(cls.card.id, 1.0)

    check_each(check, MOVES)


# -- generators and clusterers -------------------------------------------------------

_FOUR = {"n_clusterings": 4, "n_clusters": 3, "random_state": 0}
GENERATORS = {
    "k-means": KMeansGenerator(**_FOUR),
    "fuzzy": FuzzyGenerator(**_FOUR),
    "spectral": SpectralGenerator(extend=True, **_FOUR),
    "landmarks": LandmarkSpectralGenerator(**_FOUR),
    "genie": GenieGenerator(**_FOUR),
    "graphs": NeighborSpectralGenerator(**_FOUR),
    "mixed": MixedGenerator(
        [HierarchicalGenerator(2, extend=True), GenieGenerator(2)],
        n_clusters=3,
        random_state=0,
    ),
    "linkages": HierarchicalGenerator(extend=True, **_FOUR),
    "mixtures": MixtureGenerator(**_FOUR),
    "a clusterer": EstimatorGenerator(LAC(n_init=3), **_FOUR),
    "spectral clustering of a sample": EstimatorGenerator(
        SpectralClustering(gamma=0.02), extend=True, objects=Subsample(0.7), **_FOUR
    ),
}
FAR = (1.0, 1e13)


@pytest.mark.parametrize("name", GENERATORS)
def test_members_find_the_clusters_far_from_zero_and_label_new_objects(name):
    generator = clone(GENERATORS[name]).fit(moved(TABLE, *FAR))
    new = np.random.RandomState(1).permutation(len(TRUTH))
    labels = generator.transform(moved(TABLE[new] + 0.01, *FAR))
    one_by_one = [member.predict(moved(TABLE, *FAR)) for member in generator.members_]
    for m in range(generator.ensemble_.n_clusterings):
        found = generator.ensemble_.labels[:, m]
        if (found >= 0).all():
            assert adjusted_rand_score(TRUTH, found) == 1.0
        assert adjusted_rand_score(TRUTH[new], labels[:, m]) == 1.0
        assert adjusted_rand_score(TRUTH, one_by_one[m]) == 1.0


def test_clusterings_with_other_numbers_of_clusters_are_made_of_the_same_data():
    generator = SpectralGenerator(**_FOUR).fit(moved(TABLE, *FAR))
    for found in regenerate(generator, moved(TABLE, *FAR), np.full(4, 3)).labels.T:
        assert adjusted_rand_score(TRUTH, found) == 1.0


@pytest.mark.parametrize("clusterer", [LAC(3), KMedoids(3), HMMKModels(3, n_states=1)])
def test_clusterers_find_the_clusters_far_from_zero(clusterer):
    data = moved(SERIES if "HMM" in str(clusterer) else TABLE, *FAR)
    clusterer.set_params(random_state=0, n_init=5)
    assert adjusted_rand_score(TRUTH, clusterer.fit(data).labels_) == 1.0
    assert adjusted_rand_score(TRUTH, clusterer.predict(data)) == 1.0


def test_mixtures_of_small_numbers_are_not_drowned_by_what_keeps_them_from_collapsing():
    generator = clone(GENERATORS["mixtures"]).fit(TABLE * 1e-8)
    for found in generator.ensemble_.labels.T:
        assert adjusted_rand_score(TRUTH, found) == 1.0


def test_centers_are_told_where_the_data_lie():
    far = DCSS(3, n_clusterings=4, random_state=0).fit(moved(TABLE, 1.0, 1e7))
    near = DCSS(3, n_clusterings=4, random_state=0).fit(TABLE)
    assert_array_equal(far.labels_, near.labels_)
    assert_allclose(far.cluster_centers_ - 1e7, near.cluster_centers_, atol=1e-6)


class Logarithms(KMeans):
    """A clusterer to which it matters where zero is."""

    def fit(self, X, y=None, sample_weight=None):
        assert (X > 0).all()
        return super().fit(np.log(X), y, sample_weight)


@pytest.mark.parametrize(
    "clusterer",
    [
        Logarithms(n_init=1),
        AgglomerativeClustering(metric="cosine", linkage="average"),
        KMeans(init=moved(TABLE[[0, 14, 28]], *FAR), n_init=1),
        DBSCAN(metric="precomputed"),
    ],
)
def test_clusterers_that_know_where_zero_is_are_given_the_data_as_they_are(clusterer):
    assert EstimatorGenerator(clusterer).shift_of(moved(TABLE, *FAR)) is None


def test_a_metric_that_is_drawn_counts_like_one_that_is_set():
    grid = {"metric": ["euclidean", "cosine"]}
    draws = EstimatorGenerator(AgglomerativeClustering(), parameters=grid)
    assert draws.shift_of(moved(TABLE, *FAR)) is None
    plain = EstimatorGenerator(AgglomerativeClustering())
    assert plain.shift_of(moved(TABLE, *FAR)) is not None


def test_features_that_were_made_of_the_data_are_made_of_the_same_data_again():
    far = moved(TABLE, *FAR)
    crowd = EstimatorGenerator(KMeans(n_init=3), features=principal_axes(far), **_FOUR)
    for found in crowd.fit_transform(far).T:
        assert adjusted_rand_score(TRUTH, found) == 1.0


# -- indices -------------------------------------------------------------------------


@pytest.mark.parametrize("name", [n for n, index in INDICES.items() if not index.needs])
def test_indices_are_the_same_far_from_zero(name):
    index = INDICES[name].function
    # At 1e13 the data themselves are rounded to 0.002.
    far = moved(TABLE, *FAR) - FAR[1]
    assert_allclose(index(moved(TABLE, *FAR), TRUTH), index(far, TRUTH), rtol=1e-2)


# -- what is refused -----------------------------------------------------------------


def test_new_objects_may_be_as_alike_as_they_like():
    fitted = make(method("lwea")).fit(TABLE)
    new = TABLE[[0, 0]] * [[1.0], [1.0 + 1e-15]]
    assert len({*fitted.predict(new).tolist()}) == 1
    assert fitted.predict(np.zeros((2, 4)) + [[0.0], [1e-90]]).shape == (2,)


def test_a_column_that_hardly_varies_beside_others_is_not_refused():
    table = np.column_stack([TABLE, TABLE[:, 0] * 1e-170])
    fitted = make(method("lwea")).fit(table)
    assert adjusted_rand_score(TRUTH, fitted.labels_) == 1.0


def test_rows_that_are_read_block_by_block_are_refused_alike(tmp_path):
    with pytest.raises(ComitiaError, match="varies by no more than"):
        generate_blocks(KMeansGenerator(2), TABLE * 1e-170, tmp_path / "blocks")
    np.save(tmp_path / "table.npy", TABLE * [1.0, 1e-170, 1.0, 1.0])
    with pytest.raises(ComitiaError, match="column 'column 2' varies by no more than"):
        open_block_table(tmp_path / "table.npy", TablePreparer())


def test_a_column_of_a_file_that_cannot_be_standardized_is_refused_by_name(tmp_path):
    (tmp_path / "data.csv").write_text("a,b\n1,1e-170\n2,2e-170\n4,2e-170\n")
    with pytest.raises(ComitiaError, match="column 'b' varies by no more than 1e-170"):
        read_table(tmp_path / "data.csv")
    assert read_table(tmp_path / "data.csv", scale="none").X[1, 1] == 2e-170


def test_columns_that_hardly_vary_are_standardized_exactly():
    small = TABLE * [1e-170, 1e-300, 1.0, 1e-74]
    for expected, found in zip(column_scales(TABLE), column_scales(small), strict=True):
        if found.dtype == bool:
            assert found.all()
        else:
            assert_allclose(found / [1e-170, 1e-300, 1.0, 1e-74], expected)
