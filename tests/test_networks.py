"""Communities of networkx and cdlib, by the names of vertices."""

from types import SimpleNamespace

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from comitia import method
from comitia.exceptions import ComitiaError, DataTypeError
from comitia.networks import from_communities, to_communities
from tests.cluster.test_adjacency import LINKS, PEOPLE, Network

GRAPH = Network(PEOPLE, LINKS)


def test_communities_go_out_and_come_back():
    labels = [1, 1, 0, 0, 0, -1]
    named = to_communities(GRAPH, labels)
    assert named == [["cem", ("d", 4), "eve"], ["ann", "bob"]]
    again = from_communities([named, named[::-1]], GRAPH)
    assert again.kind == "partial"
    assert_array_equal(again.labels[:, 0], [1, 1, 0, 0, 0, -1])
    assert_array_equal(again.labels[:, 1], [0, 0, 1, 1, 1, -1])
    assert again.object_names[3] == "('d', 4)"


def test_runs_of_cdlib_and_networkx_are_combined():
    halves = [{"ann", "bob", "cem"}, {("d", 4), "eve", "fay"}]
    # A NodeClustering of cdlib has its communities in an attribute, as lists.
    run = SimpleNamespace(communities=[list(one) for one in halves], graph=GRAPH)
    members = from_communities([run, halves, frozenset(map(frozenset, halves))], GRAPH)
    assert members.kind == "hard"
    fitted = method("fast_ensemble")(random_state=0).fit(GRAPH, ensemble=members)
    assert {*map(frozenset, to_communities(GRAPH, fitted.labels_))} == {
        *map(frozenset, halves)
    }


def test_overlapping_communities_stay_so():
    run = [["ann", "bob", "cem"], ["cem", ("d", 4), "eve", "fay"]]
    members = from_communities([run, run], GRAPH)
    assert members.kind == "overlapping"
    assert_array_equal(np.diff(members.membership.indptr), [2, 2, 4, 2, 2, 2])


def test_what_is_no_community_is_refused():
    with pytest.raises(ComitiaError, match="the vertex 'gil', which graph has not"):
        from_communities([[["ann", "gil"]]], GRAPH)
    with pytest.raises(DataTypeError, match=r"runs\[0\] must be communities"):
        from_communities(["ann"], GRAPH)
    with pytest.raises(DataTypeError, match=r"runs\[0\] must be communities"):
        from_communities([3], GRAPH)
    with pytest.raises(ComitiaError, match="runs is empty"):
        from_communities([], GRAPH)
    with pytest.raises(DataTypeError, match="must be a graph of networkx"):
        to_communities(np.eye(2), [0, 1])
    with pytest.raises(ComitiaError, match="labels has 2 entries; graph has 6"):
        to_communities(GRAPH, [0, 1])
