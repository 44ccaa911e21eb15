import numpy as np
import pytest
from numpy.testing import assert_allclose

from comitia import Ensemble
from comitia.exceptions import ComitiaError
from comitia.methods.fixed_clusters.yang_2016 import tnorm_coassociation
from comitia.represent import coassociation
from tests.fixtures import E6


def by_loops(E, weights, tnorm):
    B, n = E.membership.toarray(), E.n_objects
    S = np.zeros((n, n))
    both = np.zeros((n, n))
    for m in range(E.n_clusterings):
        own = slice(E.offsets[m], E.offsets[m + 1])
        seen = B[:, own].any(axis=1)
        both += seen[:, None] & seen
        for i in range(n):
            for j in range(n):
                f, g = (B[x, own] / max(B[x, own].sum(), 1e-300) for x in (i, j))
                T = np.minimum(f, g) if tnorm == "minimum" else f * g
                S[i, j] += (weights[own] * T).sum()
    return S / np.maximum(both, 1.0)


@pytest.mark.parametrize("tnorm", ["minimum", "product"])
def test_it_is_its_definition(tnorm):
    rng = np.random.RandomState(0)
    cover = [[np.flatnonzero(rng.rand(15) < 0.5) for _ in range(3)] for _ in range(3)]
    E = Ensemble.from_clusters(cover, 15)
    weights = rng.rand(9)
    got = tnorm_coassociation(E, cluster_weights=weights, tnorm=tnorm)
    assert_allclose(got, by_loops(E, weights, tnorm), atol=1e-14)


@pytest.mark.parametrize("tnorm", ["minimum", "product"])
def test_without_overlaps_it_is_the_coassociation(tnorm):
    labels = E6.copy()
    labels[0, 1] = -1
    E = Ensemble(labels)
    got = tnorm_coassociation(E, tnorm=tnorm)
    assert_allclose(got, coassociation(E, dtype=np.float64), atol=1e-15)


def test_an_unknown_t_norm_is_refused():
    with pytest.raises(ComitiaError, match="tnorm='maximum'"):
        tnorm_coassociation(Ensemble(E6), tnorm="maximum")
