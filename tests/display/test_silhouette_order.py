"""Silhouettes stand cluster by cluster, the best first."""

import numpy as np

from comitia.display.silhouette_order import sorted_silhouettes


def test_many_objects_are_thinned_cluster_by_cluster():
    values = np.linspace(-1, 1, 1000)
    labels = np.arange(1000) % 10 > 7
    rows = sorted_silhouettes(values, labels.astype(int), 100)
    assert {c: len(row) for c, row in rows.items()} == {0: 80, 1: 20}
    for c, row in rows.items():
        assert (np.diff(row) < 0).all()
        # Equal steps keep the mean of a straight line, up to one step of it.
        assert abs(row.mean() - values[labels == c].mean()) < 0.02


def test_a_cluster_without_values_has_no_rows():
    assert list(sorted_silhouettes([0.2, np.nan], [0, 1])) == [0]
