"""What several methods that make their own clusterings keep to, in the same tests."""

import numpy as np
import pytest
from sklearn.datasets import load_digits, make_blobs
from sklearn.metrics import adjusted_rand_score
from sklearn.preprocessing import StandardScaler

from comitia import method

BOOSTED = [
    *(
        ("boost_clustering", {"variant": variant, "fuzziness": fuzziness})
        for variant in ("minmax", "entropy")
        for fuzziness in (None, 1.5, 3.0)
    ),
    ("bob_hic", {}),
    ("cb_boost", {}),
    ("cb_boost", {"n_clusters": 4}),
    ("hsce", {}),
    ("hsce", {"fuzziness": 2.0}),
    ("parvin_objects_2013", {"variant": "row"}),
    ("parvin_objects_2013", {"variant": "binary"}),
    ("zhai_2007", {}),
]


@pytest.mark.parametrize(("id", "settings"), BOOSTED)
def test_blobs_are_found_and_counted(id, settings):
    X, truth = make_blobs(150, centers=4, random_state=3)
    fitted = method(id)(**settings, random_state=0).fit(X)
    assert fitted.n_clusters_ == 4
    assert adjusted_rand_score(truth, fitted.labels_) > 0.95
    assert np.mean(fitted.predict(X) == fitted.labels_) > 0.95


@pytest.mark.parametrize(
    ("id", "settings", "least"),
    [
        ("bagherinia_2021", {}, 0.4),
        ("boost_clustering", {"n_rounds": 5, "fuzziness": "auto"}, 0.35),
        ("hsce", {"fuzziness": "auto"}, 0.4),
        ("zhai_2007", {"n_rounds": 5}, 0.4),
    ],
)
def test_many_dimensions_do_not_blur_the_memberships(id, settings, least):
    # With a fuzziness of 2 all memberships of digits are 0.1, and all centers the mean:
    # an ARI below 0.05, and below 0.2 for boosting.
    X, truth = load_digits(return_X_y=True)
    X, truth = StandardScaler().fit_transform(X[:300]), truth[:300]
    found = method(id)(10, **settings, random_state=0).fit_predict(X)
    assert adjusted_rand_score(truth, found) > least
