"""Association by shared clusters, their sizes and similarities."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.spatial.distance import cdist

from comitia import Ensemble
from comitia.exceptions import ComitiaError
from comitia.methods.fixed_clusterings._weighted_association import weighted_association
from tests.fixtures import E6, X6


def association_by_loops(labels, similarities):
    n, M = labels.shape
    R = np.zeros((n, n))
    both = ((labels[:, None] >= 0) & (labels[None] >= 0)).mean(axis=2)
    for m in range(M):
        k = len(set(labels[:, m]) - {-1})
        for i in range(n):
            for j in range(n):
                if labels[i, m] == labels[j, m] != -1:
                    size = (labels[:, m] == labels[i, m]).sum()
                    R[i, j] += k / size * similarities[m][i, j]
    return R / np.where(both > 0, both, 1.0)


def test_numbers_of_the_catalogue():
    R = weighted_association(Ensemble(E6))
    assert_allclose(R[0, 1], 17 / 6)
    assert_allclose(R[0, 2], 4 / 3)
    assert_allclose(R[2, 3], 3 / 2)
    assert_allclose(R[4, 5], 17 / 6)
    assert_allclose(R[0, 3], 0.0)
    # Objects 0 and 1 are in the same clusters everywhere.
    assert_allclose(R[0], R[1])


@pytest.mark.parametrize("missing", [0.0, 0.3])
def test_association_is_its_definition(missing):
    rng = np.random.RandomState(0)
    X, labels = rng.rand(12, 3), rng.randint(0, 3, size=(12, 4))
    labels[rng.rand(12, 4) < missing] = -1
    given = rng.rand(12, 12)
    given = given + given.T
    euclidean, city = (
        1 / (1 + cdist(X, X, name)) for name in ("euclidean", "cityblock")
    )
    ones = np.ones((12, 12))
    for metric, similarities in (
        ("euclidean", [euclidean] * 4),
        (None, [ones] * 4),
        (given, [given] * 4),
        (["euclidean", "cityblock", given, None], [euclidean, city, given, ones]),
        (["euclidean", given, "euclidean", given], [euclidean, given] * 2),
    ):
        got = weighted_association(Ensemble(labels), X, metric)
        assert_allclose(got, association_by_loops(labels, similarities), rtol=1e-6)
        # Where a factor is kept in single precision it has seven digits.


def test_wrong_similarities_are_refused_in_words():
    with pytest.raises(ComitiaError, match="2 entries for 3 clusterings"):
        weighted_association(Ensemble(E6), X6, ["euclidean", None])
    with pytest.raises(ComitiaError, match=r"shape \(6, 6\); got shape \(2, 2\)"):
        weighted_association(Ensemble(E6), X6, np.eye(2))
