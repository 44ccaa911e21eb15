import numpy as np
import pytest
from numpy.testing import assert_allclose

from comitia import Ensemble, method
from comitia.methods.fixed_clusters._propagated import propagated_coassociation
from comitia.partition import hac
from comitia.represent import coassociation, jaccard_clusters, random_walk_similarity
from comitia.weigh import entropy_certainty
from tests.fixtures import E6, planted, same_partition

SDGCA = method("sdgca")


def corrected_by_objects(labels, eta=0.75, theta=0.65, tau=0.8):
    """The rounds on the n x n matrices of the paper."""
    E, n = Ensemble(labels), len(labels)
    w = entropy_certainty(E, 0.09, normalized=True)
    W = coassociation(E, cluster_weights=w, dtype=np.float64)
    W /= W.max()
    np.fill_diagonal(W, 1.0)
    A = coassociation(E, dtype=np.float64)
    H = np.where(eta - 1e-9 <= A, A, 0.0)
    L = np.diag(H.sum(axis=1)) - H
    T = np.where(theta - 1e-9 <= A, W, 0.0)
    ML = 0.8 + 0.2 * (T - T.min()) / (T.max() - T.min())
    ML[ML <= 0.8 + 1e-9] = 0.0
    G = 1 - propagated_coassociation(E, random_walk_similarity(jaccard_clusters(E), 20))
    np.fill_diagonal(G, 0.0)
    CL = np.where(tau - 1e-9 <= G, G, 0.0)
    ML[CL > 0] = 0.0
    X = Y = F = F2 = P = P2 = np.zeros((n, n))
    mu, norm = 1.0, np.linalg.norm
    for _ in range(300):
        inverse = np.linalg.inv(2 * L + 2 * mu * np.eye(n))
        before = X, Y
        X = (2 * mu * F - Y.T - P) @ inverse
        F = np.where(ML > 0, ML, np.clip(P / (2 * mu) + X, 0, 1))
        F = (F + F.T) / 2
        Y = (2 * mu * F2 - X.T - P2) @ inverse
        F2 = np.where(CL > 0, CL, np.clip(P2 / (2 * mu) + Y, 0, 1))
        F2 = (F2 + F2.T) / 2
        P, P2 = P + mu * (X - F), P2 + mu * (Y - F2)
        changes = [X - before[0], Y - before[1], X - F, Y - F2]
        if all(norm(each) < 1e-3 for each in changes):
            break
        mu = min(1.1 * mu, 1e6)
    X, Y = np.clip(X, 0, 1), np.clip(Y, 0, 1)
    f = (X + X.T) / 2 - (Y + Y.T) / 2
    return np.where(f >= 0, 1 - (1 - f) * (1 - W), (1 + f) * W)


def test_likeness_and_distance_of_e6_are_those_of_the_catalogue():
    E = Ensemble(E6)
    R = random_walk_similarity(jaccard_clusters(E), 20)
    assert_allclose([R[0, 1], R[4, 6]], [0.585016, 0.525897], atol=5e-7)  # six decimals
    apart = 1 - propagated_coassociation(E, R)
    assert_allclose([apart[0, 2], apart[0, 4]], [0.042177, 0.434690], atol=5e-7)


def test_the_matrix_of_e6_is_that_of_the_catalogue():
    fitted = SDGCA(2).fit(Ensemble(E6))
    assert fitted.n_iter_ == 12
    assert_allclose(1 - fitted.linkage_[2:4, 2], 0.824078, atol=5e-7)
    assert same_partition(fitted.labels_, E6[:, 0])


@pytest.mark.parametrize("seed", range(3))
def test_rounds_on_label_rows_are_those_on_objects(seed):
    labels, _ = planted(36, 3, 5, noise=0.25, seed=seed)
    labels[:, 0] = np.arange(36) % 5  # its clusters have little to do with the others
    expected = hac((1 - corrected_by_objects(labels)) * (1 - np.eye(36)))
    fitted = SDGCA(3).fit(Ensemble(labels))
    assert_allclose(fitted.linkage_[:, 2], expected[:, 2], atol=1e-9)


def test_where_nothing_spreads_it_is_nwca():
    labels, _ = planted(60, 3, 6, noise=0.4, seed=0)
    E = Ensemble(labels)
    alone = SDGCA(3, threshold=1.01).fit(E)
    nwca = method("lwea")(3, normalized=True, theta=0.09).fit(E)
    assert_allclose(alone.cluster_weights_, nwca.cluster_weights_)
    assert same_partition(alone.labels_, nwca.labels_)
    assert alone.n_iter_ == 0


def test_a_planted_partition_is_found():
    labels, truth = planted(150, 4, 12, noise=0.25, seed=0)
    assert same_partition(SDGCA(4).fit_predict(Ensemble(labels)), truth)
