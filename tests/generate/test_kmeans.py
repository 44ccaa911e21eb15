"""K-means ensembles: as many as asked for, the same for any number of jobs."""

import numpy as np
import pytest
from numpy.testing import assert_array_equal
from sklearn.datasets import make_blobs

from comitia.exceptions import ComitiaError
from comitia.generate import KMeansGenerator

X, TRUTH = make_blobs(200, centers=3, random_state=0)


def test_the_number_of_clusters_is_drawn_from_the_range():
    ensemble = KMeansGenerator(40, n_clusters=(3, 6), random_state=0).generate(X)
    assert ensemble.n_clusterings == 40
    assert set(ensemble.n_clusters_each) == {3, 4, 5, 6}


def test_the_default_range_ends_at_the_square_root():
    ensemble = KMeansGenerator(60, random_state=0).generate(X)
    assert ensemble.n_clusters_each.min() >= 2
    assert 12 <= ensemble.n_clusters_each.max() <= 14  # isqrt(200) = 14


@pytest.mark.parametrize("n", [1, 2, 3])
def test_a_handful_of_objects_is_enough(n):
    ensemble = KMeansGenerator(5, random_state=0).generate(X[:n])
    assert ensemble.n_objects == n


def test_the_number_of_jobs_does_not_matter():
    one = KMeansGenerator(6, n_jobs=1, random_state=0).generate(X)
    two = KMeansGenerator(6, n_jobs=2, random_state=0).generate(X)
    assert one == two


def test_members_label_the_objects_they_were_made_from_as_they_did():
    generator = KMeansGenerator(10, n_clusters=3, random_state=0).fit(X)
    assert_array_equal(generator.transform(X), generator.ensemble_.labels)


def test_new_objects_go_to_the_nearest_center():
    generator = KMeansGenerator(3, n_clusters=3, random_state=1).fit(X)
    new = X + 1e-9
    for labels, member in zip(
        generator.transform(new).T, generator.members_, strict=True
    ):
        centers = member.model.centers
        nearest = ((new[:, None] - centers) ** 2).sum(axis=2).argmin(axis=1)
        assert_array_equal(labels, nearest)


@pytest.mark.parametrize("seed", range(3))
def test_rounding_does_not_decide_where_whole_numbers_go(seed):
    rng = np.random.RandomState(seed)
    survey = rng.randint(0, 5, size=(120, 5)).astype(np.float64)
    noisy = survey * (1 + 1e-15 * rng.randn(*survey.shape))
    members = KMeansGenerator(20, random_state=0)
    assert_array_equal(members.generate(noisy).labels, members.generate(survey).labels)


@pytest.mark.parametrize("wrong", [(4, 2), (0, 3), (1, 2, 3), ("a", 2), [2]])
def test_a_range_that_is_none_is_refused(wrong):
    with pytest.raises(ComitiaError, match="n_clusters="):
        KMeansGenerator(n_clusters=wrong).fit(X)


def test_more_clusters_than_objects_are_refused():
    with pytest.raises(ComitiaError, match="give at most 5"):
        KMeansGenerator(n_clusters=6).fit(X[:5])


def test_bad_data_are_refused():
    with pytest.raises(ValueError, match="NaN"):
        KMeansGenerator().fit(np.where(X > 3, np.nan, X))
