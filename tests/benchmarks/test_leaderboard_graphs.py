"""Networks are scored as the README of the data scores them."""

import numpy as np
import pytest

from benchmarks.evaluation.leaderboards import graphs
from benchmarks.evaluation.store import Options

README = """\
### Graphs with communities

| name | n | baseline |
|---|---|---|
| known | 6 | Louvain 2 groups: ARI -0.066, NMI 0.325 |

### Protein interaction networks with reference complexes

| name | n | baseline |
|---|---|---|
| ppi | 6 | one MCL(2): F 0.6, Acc 0.7, MMR 0.5; two MCL(2): F 0.643, Acc 0.6, MMR 0.4 |
"""
TRIANGLES = np.array([[0, 1], [1, 2], [0, 2], [3, 4], [4, 5], [3, 5], [2, 3]])


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "README.md").write_text(README, encoding="utf-8")
    (tmp_path / "graphs").mkdir()
    network = {"n": 6, "edges": TRIANGLES}
    save = lambda name, **more: np.savez(  # noqa: E731
        tmp_path / "graphs" / f"{name}.npz", **network, **more
    )
    groups = {"indptr": [0, 3, 6], "indices": np.arange(6), "size": [3, 3]}
    save("known", y=[0, 0, 0, 1, 1, 1])
    save("circles", **{f"comm_{k}": v for k, v in groups.items() if k != "size"})
    save(
        "ppi",
        **{f"gold_{one}_{k}": groups[k] for one in ("one", "two") for k in groups},
    )
    return tmp_path


def test_scores_of_complexes_are_those_worked_out_by_hand():
    known = [np.arange(4), np.arange(4, 8), np.array([8, 9])]  # two are too few
    found = [np.arange(3), np.array([3, 4, 5, 6]), np.array([0, 9])]
    # Overlaps: 9/12 and 1/16 of the first, 0 and 9/16 of the second.
    got = graphs.complexes(found, known)
    assert got["f"] == pytest.approx(1.0)
    assert got["mmr"] == pytest.approx((9 / 12 + 9 / 16) / 2)
    # The largest parts are 3 of 4 and 3 of 4, of clusters 3 and 3 of 7 shared.
    assert got["accuracy"] == pytest.approx(np.sqrt(6 / 8 * 6 / 7))
    assert set(graphs.complexes(found[2:], known).values()) == {0.0}


def test_the_readme_is_read_for_each_list_of_complexes(folder):
    assert graphs._readme_scores("known", folder) == {"ari": -0.066, "nmi": 0.325}
    assert graphs._readme_scores("ppi/two", folder) == {
        "f": 0.643,
        "accuracy": 0.6,
        "mmr": 0.4,
    }
    assert graphs._readme_scores("circles", folder) == {}
    kinds = {name: kind for name, (kind, _) in graphs._networks(folder).items()}
    assert kinds == {
        "circles": "circles",
        "known": "classes",
        "ppi/one": "complexes",
        "ppi/two": "complexes",
    }


@pytest.mark.parametrize("seed", [0, 1])
@pytest.mark.parametrize(
    ("data", "score"), [("known", "ari"), ("circles", "f1"), ("ppi/one", "f")]
)
def test_labels_belong_to_the_vertices_that_were_shuffled(data, score, seed, folder):
    found = graphs.fit(data, "leiden", seed, "choose", folder)
    assert found[score] == 1.0
    assert found["modularity"] == pytest.approx(6 / 7 - 0.5)
    assert (found["n_objects"], found["n_links"], found["n_clusters"]) == (6, 7, 2)


def test_methods_for_one_kind_of_groups_get_no_other(folder):
    options = Options(data=folder, seeds=(0, 1))
    made = [job.key for job in graphs._jobs(options, with_networkx=False)]
    assert graphs.NETWORKX not in {key["method"] for key in made}
    for method, kind in graphs._FOR.items():
        seen = {key["data"] for key in made if key["method"] == method}
        assert seen == {
            name for name, found in graphs._networks(folder).items() if found[0] == kind
        }


def test_the_page_has_a_part_for_each_kind(folder, tmp_path, monkeypatch):
    some = {name: graphs.METHODS[name] for name in (graphs.DEFAULT, "leiden")}
    monkeypatch.setattr(graphs, "METHODS", some)
    results = tmp_path / "out"
    graphs.run(Options(data=folder, results=results, seeds=(0,)))
    text = graphs.page(results, tmp_path)
    for kind in graphs.KINDS:
        assert f"Networks with {kind}" in text
    assert "less that of the Louvain run of the README is" in graphs.answer(results)
    assert "Geometric accuracy and maximum matching ratio: " in text
