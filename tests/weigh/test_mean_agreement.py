"""Agreement of each clustering with the others, and with those of its group."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from comitia import Ensemble
from comitia.agreement import agreement, agreement_matrix
from comitia.exceptions import ComitiaError
from comitia.weigh import group_support, mean_agreement
from tests.fixtures import E6, planted


@pytest.mark.parametrize("measure", ["nmi_sqrt", "rand"])
def test_mean_agreement_is_its_definition(measure):
    labels, _ = planted(40, 3, 6, noise=0.5, seed=0)
    one = labels.T
    expected = [
        np.mean([agreement(one[m], one[j], measure) for j in range(6) if j != m])
        for m in range(6)
    ]
    assert_allclose(mean_agreement(Ensemble(labels), measure), expected, atol=1e-12)


def test_a_distance_is_refused():
    with pytest.raises(ComitiaError, match="is a distance"):
        mean_agreement(Ensemble(E6), "variation_of_information")


def test_support_is_counted_as_loops_do():
    phi = agreement_matrix(
        Ensemble(planted(40, 3, 7, noise=0.5, seed=1)[0]), "nmi_sqrt"
    )
    groups = np.array([0, 1, 0, 2, 1, 0, 1])
    for m in range(7):
        others = [t for t in range(7) if t != m and groups[t] == groups[m]]
        expected = phi[m, others].sum() / (len(others) + 1)
        assert_allclose(group_support(phi, groups)[m], expected)
