"""Communities of a network with several layers, and several rankings in each."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from comitia import Ensemble, method
from comitia.agreement import adjusted_rand, agreement_matrix
from comitia.exceptions import ComitiaError
from comitia.methods.selection.rastin_kanawati_2015 import mean_rank
from comitia.select import borda_points, relative_neighborhood
from comitia.select.neighborhood import seed_communities
from comitia.select.rank_aggregation import mid_ranks
from comitia.validity.centers import davies_bouldin
from comitia.validity.pairs import silhouette
from comitia.validity.scatter import calinski_harabasz
from tests.fixtures import E6, X6, same_partition
from tests.methods._planted import corners as blobs

Multiplex = method("rastin_kanawati_2015")
Single = method("kanawati_2015")
CSPA = method("cspa")


@pytest.mark.parametrize("seed", range(3))
def test_layers_and_ranks_are_their_definition(seed):
    X, ensemble, _ = blobs(seed)
    fitted = Multiplex(3, random_state=0).fit(X, ensemble=ensemble)
    for layer, measure in zip(
        fitted.layers_, ["nmi_sqrt", "adjusted_rand", "rand"], strict=True
    ):
        expected = relative_neighborhood(1 - agreement_matrix(ensemble, measure))
        assert_array_equal(layer, expected)
    scores = np.array(
        [
            [silhouette(X, c), calinski_harabasz(X, c), -davies_bouldin(X, c)]
            for c in ensemble.labels.T
        ]
    )
    for g in set(fitted.groups_):
        inside = np.flatnonzero(fitted.groups_ == g)
        points = [
            sum((scores[m, v] > scores[o, v]) for v in range(3) for o in inside)
            for m in inside
        ]
        assert_allclose(fitted.clustering_weights_[inside], points)
        assert_array_equal(
            np.flatnonzero(fitted.selected_ & (fitted.groups_ == g)),
            inside[[np.argmax(points)]],
        )


@pytest.mark.parametrize("seed", range(3))
def test_one_layer_and_one_index_are_kanawati_2015_with_that_index(seed):
    X, ensemble, _ = blobs(seed)
    fitted = Multiplex(
        3,
        agreement="nmi_sqrt",
        indices="silhouette",
        variant="modularity",
        random_state=0,
    )
    fitted.fit(X, ensemble=ensemble)
    single = Single(3, random_state=0).fit(ensemble)
    assert_array_equal(fitted.groups_, single.groups_)
    quality = np.array([silhouette(X, c) for c in ensemble.labels.T])
    kept = [
        np.flatnonzero(single.groups_ == g)[quality[single.groups_ == g].argmax()]
        for g in set(single.groups_)
    ]
    assert_array_equal(np.flatnonzero(fitted.selected_), np.sort(kept))
    # And with the mean agreement for an index, it keeps the same.
    q = dict(
        zip(
            map(bytes, ensemble.labels.T.copy()),
            single.clustering_weights_,
            strict=True,
        )
    )
    fitted.set_params(indices=lambda X, labels: q[bytes(labels.copy())])
    assert_array_equal(fitted.fit(X, ensemble=ensemble).selected_, single.selected_)


def test_opposite_rankings_tie_and_the_first_is_kept():
    assert_allclose(borda_points([[2, 1], [1, 2]]), [1, 1])
    labels = np.column_stack([E6[:, 2], E6[:, 0]])
    size = [lambda X, c: c.max() + 0.0, lambda X, c: 9.0 - c.max()]
    fitted = Multiplex(2, indices=size, random_state=0)
    fitted.fit(X6, ensemble=Ensemble(labels))
    assert_allclose(fitted.clustering_weights_, [1, 1])
    assert_array_equal(fitted.selected_, [True, False])


def test_seeds_are_the_communities_of_leaders():
    X, ensemble, _ = blobs(6, n_clusterings=40, noise=0.4)
    fitted = Multiplex(3, random_state=0).fit(X, ensemble=ensemble)
    measures = ["nmi_sqrt", "adjusted_rand", "rand"]
    typical = np.mean([agreement_matrix(ensemble, m) for m in measures], axis=(0, 1))
    expected = seed_communities(fitted.layers_.sum(axis=0), priority=typical)
    assert_array_equal(fitted.groups_, expected)
    assert len(set(expected)) > 1


@pytest.mark.parametrize("aggregation", ["borda", "mean", "robust"])
def test_what_all_indices_rank_first_is_kept(aggregation):
    X, ensemble, truth = blobs(0, noise=0.5)
    better = Ensemble(np.column_stack([ensemble.labels, truth]))
    fitted = Multiplex(3, aggregation=aggregation, random_state=0)
    fitted.fit(X, ensemble=better)
    assert fitted.selected_[-1]
    assert (fitted.clustering_weights_ >= 0).all()


@pytest.mark.parametrize("seed", range(3))
def test_cspa_of_those_kept_finds_clear_clusters(seed):
    X, ensemble, truth = blobs(seed, n_clusterings=20, noise=0.02)
    fitted = Multiplex(3, random_state=0).fit(X, ensemble=ensemble)
    kept = ensemble.take(clusterings=fitted.selected_)
    assert same_partition(fitted.labels_, CSPA(3, random_state=0).fit_predict(kept))
    assert adjusted_rand(fitted.labels_, truth) > 0.9


def test_no_measure_is_refused():
    with pytest.raises(ComitiaError, match="agreement is empty"):
        Multiplex(2, agreement=[]).fit(X6, ensemble=Ensemble(E6))


def test_equals_share_the_mean_of_their_ranks():
    scores = np.array([[5.0, 1.0], [5.0, 2.0], [7.0, 3.0], [1.0, 3.0]])
    assert_allclose(mid_ranks(scores), [[2.5, 4], [2.5, 3], [1, 1.5], [4, 1.5]])
    assert_allclose(mean_rank(scores), [3.25, 2.75, 1.25, 2.75])
