import numpy as np
import pytest
from numpy.testing import assert_allclose

from comitia import Ensemble, method
from comitia.methods.baselines.mixture_consensus import _LabelRows
from tests.fixtures import E6, planted, same_partition

MixtureConsensus = method("mixture_consensus")


def em_step_by_loops(labels, z):
    """One M-step and one E-step, label by label."""
    n, M = labels.shape
    k = z.shape[1]
    p = np.tile(z.mean(axis=0), (n, 1))
    for m in range(M):
        seen = labels[:, m] >= 0
        for r in range(k):
            for i in np.flatnonzero(seen):
                same = seen & (labels[:, m] == labels[i, m])
                p[i, r] *= z[same, r].sum() / z[seen, r].sum()
    return p / p.sum(axis=1, keepdims=True), float(np.log(p.sum(axis=1)).sum())


def test_the_likelihood_of_e6_is_that_of_the_catalogue():
    fitted = MixtureConsensus(2, random_state=0).fit(Ensemble(E6))
    expected = -(4 * np.log(1 / 3) + 2 * np.log(1 / 6))
    assert fitted.objective_[-1] == pytest.approx(expected, abs=1e-6)
    assert same_partition(fitted.labels_, E6[:, 0])


@pytest.mark.parametrize("missing", [0.0, 0.2])
def test_a_step_is_its_definition(missing):
    rng = np.random.RandomState(0)
    labels, _ = planted(25, 3, 4, noise=0.4, seed=0)
    labels[rng.rand(*labels.shape) < missing] = -1
    E = Ensemble(labels)
    z = rng.dirichlet(np.ones(3), size=25)
    ones = np.ones(25, dtype=np.int64)
    rows = _LabelRows(E, ones, np.ones(E.n_clusters_total), 0.0)
    got, likelihood = rows.expected(*rows.maximized(z))
    expected, value = em_step_by_loops(labels, z)
    assert_allclose(got, expected, atol=1e-12)
    assert likelihood == pytest.approx(value)


def test_the_likelihood_never_falls():
    labels, _ = planted(100, 3, 6, noise=0.5, seed=3)
    fitted = MixtureConsensus(3, tol=0.0, random_state=0)
    with pytest.warns(UserWarning, match="did not converge"):
        fitted.set_params(max_iter=20).fit(Ensemble(labels))
    assert (np.diff(fitted.objective_) <= 1e-9 * abs(fitted.objective_[0])).all()


def test_memberships_are_probabilities_and_lead_to_the_labels():
    labels, truth = planted(120, 3, 12, noise=0.15, seed=0)
    fitted = MixtureConsensus(3, random_state=0).fit(Ensemble(labels))
    assert_allclose(fitted.membership_.sum(axis=1), 1.0)
    assert (fitted.membership_.argmax(axis=1) == fitted.labels_).all()
    assert same_partition(fitted.labels_, truth)


def test_a_clustering_without_weight_does_not_count():
    labels, truth = planted(120, 3, 8, noise=0.2, seed=0)
    junk = np.random.RandomState(0).randint(0, 3, size=(120, 8))
    both = Ensemble(np.hstack([labels, junk]))
    weights = [1.0] * 8 + [0.0] * 8
    fitted = MixtureConsensus(3, clustering_weights=weights, random_state=0).fit(both)
    alone = MixtureConsensus(3, random_state=0).fit(Ensemble(labels))
    assert same_partition(fitted.labels_, truth)
    assert same_partition(fitted.labels_, alone.labels_)
