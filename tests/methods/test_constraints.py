"""A shared parameter may be the same in every method."""

import pytest

import comitia
from comitia._parameter_rules import SHARED

NAMES = (
    *("n_clusters", "generator", "random_state", "n_jobs", "n_init", "max_iter", "tol"),
    *("n_clusterings", "n_rounds", "n_select", "object_fraction", "imbalance"),
    *("linkage", "theta", "cooling"),
)

# Where a method allows something else, and why.
OWN = {
    ("abc", "linkage"): "Ward or average",
    ("bregman_cc", "linkage"): "similarities, of which Ward's is none",
    ("ecg", "n_clusters"): "the detector finds the number",
    ("fast_ensemble", "n_clusters"): "the detector finds the number",
    ("lf_consensus", "n_clusters"): "the detector finds the number",
    ("zheng_2014", "linkage"): "cophenetic distances, of which Ward's is none",
    ("wu_2017", "tol"): "one minus a correlation",
    ("yang_2016", "max_iter"): "none is the most typical of the first runs",
    ("yang_2016", "n_clusterings"): "one run alone agrees with itself",
    ("yang_2016", "n_clusters"): "the detector finds the number",
}


def own_rules(id):
    constraints = comitia.method(id)._parameter_constraints
    return {
        (id, name)
        for name in NAMES
        if name in constraints
        and set(map(str, constraints[name])) != set(map(str, SHARED[name]))
    }


@pytest.mark.parametrize("id", [card.id for card in comitia.methods()])
def test_a_shared_parameter_has_one_rule(id):
    assert own_rules(id) == {key for key in OWN if key[0] == id}
