"""The variants are what they say, and only they explain a departure."""

import numpy as np
import pytest
from numpy.testing import assert_array_equal
from scipy.sparse import csr_array

import comitia
from benchmarks.evaluation import pools
from benchmarks.evaluation.fidelity import clusterpack
from benchmarks.evaluation.fidelity.reasons import reasons, variants_table
from benchmarks.evaluation.fidelity.variants import (
    VARIANTS,
    random_start_kmeans,
    score_variant,
    variant_jobs,
)
from benchmarks.evaluation.store import Options
from comitia.agreement import agreement
from comitia.partition import cut
from tests.fixtures import planted

# HGPA needs cleaner members than these; it has a test of its own below.
HERE = [
    name
    for name, variant in VARIANTS.items()
    if not variant.needs and not name.startswith("hgpa")
]


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "pools").mkdir()
    labels, truth = planted(60, 3, 100, noise=0.3, seed=60)
    np.savez(tmp_path / "pools" / "large.npz", members=labels + 1, gt=truth)
    pools.load_pool.cache_clear()
    return tmp_path


@pytest.mark.parametrize("variant", HERE)
def test_variants_find_what_is_planted(folder, variant):
    criterion = VARIANTS[variant].criteria[0]
    found = score_variant("large", 1, variant, criterion, folder)
    assert found["ari"] > 0.6


def test_one_random_start_is_worse_than_ten_good_ones():
    labels, truth = planted(300, 8, 8, noise=0.4, seed=0)
    votes = comitia.Ensemble(labels)
    single = [
        agreement(random_start_kmeans(votes, 8, seed), truth, "nmi_max")
        for seed in range(10)
    ]
    kept = comitia.method("kcc")(8, random_state=0).fit_predict(votes)
    assert np.mean(single) < agreement(kept, truth, "nmi_max") - 0.02


def test_the_best_k_up_to_the_root_is_looked_for_on_one_tree(folder):
    members, truth = pools.load_pool("large", folder)
    votes = comitia.Ensemble(members[:, :10])
    tree = comitia.method("weac")(3).fit(votes).linkage_
    scores = [agreement(cut(tree, k), truth, "nmi_max") for k in range(2, 8)]
    found = score_variant("large", 1, "weac, up to the root of n", "best-k", folder)
    assert found["nmi_max"] == pytest.approx(max(scores))
    assert found["k"] == 2 + int(np.argmax(scores))


def test_members_at_random_come_from_the_whole_pool(tmp_path):
    # Only the last ten members know the classes: the first draw cannot.
    labels, truth = planted(60, 3, 100, noise=1.0, seed=0)
    labels[:, 10:] = truth[:, None]
    (tmp_path / "pools").mkdir()
    np.savez(tmp_path / "pools" / "late.npz", members=labels + 1, gt=truth)
    pools.load_pool.cache_clear()
    found = score_variant("late", 1, "gp_mgla, members at random", "best-k", tmp_path)
    assert found["ari"] > 0.9


# -- ClusterPack -----------------------------------------------------------------------


def test_bisection_makes_halves_of_equal_weight():
    rng = np.random.RandomState(0)
    W = rng.randint(1, 100, size=(40, 40))
    W = np.triu(W, 1) + np.triu(W, 1).T
    labels = clusterpack.bisect(csr_array(W), 4, None, 0)
    assert np.abs(np.bincount(labels, minlength=4) - 10).max() <= 1


def test_the_old_metis_is_handed_the_graph(monkeypatch):
    class Library:
        def METIS_PartGraphRecursive(self, n, xadj, adj, vwgt, adjwgt, *rest):
            flag, first, parts, _, _, labels = rest
            assert (n._obj.value, flag._obj.value, first._obj.value) == (4, 3, 0)
            assert parts._obj.value == 2
            assert [xadj[i] for i in range(5)] == [0, 1, 2, 3, 4]
            assert [adj[i] for i in range(4)] == [1, 0, 3, 2]
            assert [adjwgt[i] for i in range(4)] == [5, 5, 7, 7]
            assert [vwgt[i] for i in range(4)] == [1, 2, 3, 4]
            for i in range(4):
                labels[i] = i // 2

    monkeypatch.setenv(clusterpack.OLD_METIS, "somewhere")
    monkeypatch.setattr(clusterpack, "_old_metis", lambda path: Library())
    graph = csr_array([[0, 5, 0, 0], [5, 0, 0, 0], [0, 0, 0, 7], [0, 0, 7, 0]])
    labels = clusterpack.old_bisect(graph, 2, np.array([1, 2, 3, 4]), 0)
    assert_array_equal(labels, [0, 0, 1, 1])


def test_weights_are_handed_over_as_integers_of_a_given_sum():
    votes = comitia.Ensemble(planted(30, 3, 5, noise=0.2, seed=1)[0])
    seen = {}

    def partition(graph, n_clusters, vertex_weights, seed):
        seen.update(graph=graph, vertex_weights=vertex_weights)
        return np.arange(graph.shape[0]) % n_clusters

    clusterpack.mcla(votes, 3, 0, partition)
    assert seen["graph"].diagonal().sum() == 0
    assert seen["graph"].sum() == pytest.approx(clusterpack.SUM_OF_WEIGHTS, rel=1e-5)
    ratio = seen["vertex_weights"] / votes.sizes
    assert ratio == pytest.approx(ratio[0], rel=1e-6)
    clusterpack.cspa(votes, 3, 0, partition)
    assert seen["vertex_weights"] is None
    assert seen["graph"].shape == (30, 30)


def test_hypergraphs_are_bisected_until_there_are_enough_parts():
    pytest.importorskip("mtkahypar")
    truth = np.repeat(np.arange(5), 8)
    votes = comitia.Ensemble(np.stack([truth, truth[::-1], (truth + 1) % 5], axis=1))
    labels = clusterpack.hgpa(votes, 5, 0)
    assert agreement(labels, truth, "adjusted_rand") == pytest.approx(1.0)


# -- what is run, and what is said of it -----------------------------------------------


def summary_row(method, measure, mean, published, pool="large", criterion="true-k"):
    cells = {"pool": pool, "method": method, "criterion": criterion, "n_draws": "10"}
    figures = {"measure": measure, "mean": str(mean), "sd": "0.01"}
    told = {"published_mean": published[0], "published_sd": published[1]}
    return {**cells, **figures, **told, "published_in": "LWEA"}


def write_table(path, rows):
    lines = [",".join(rows[0])]
    lines += [",".join(f'"{cell}"' for cell in row.values()) for row in rows]
    path.write_text("\n".join(lines) + "\n")


def variant_row(variant, nmi, ari, criterion="true-k"):
    cells = {"pool": "large", "draw": "1", "variant": variant, "criterion": criterion}
    return {**cells, "nmi_max": str(nmi), "ari": str(ari), "status": "ok"}


def test_the_best_k_of_a_variant_is_run_only_where_the_default_departs(folder):
    rows = [
        summary_row("kcc", "ari", 0.5, ("0.9", "0.1"), criterion="best-k"),
        summary_row("sec", "ari", 0.5, ("0.5", "0.1"), criterion="best-k"),
    ]
    write_table(folder / "fidelity_summary.csv", rows)
    jobs = variant_jobs(Options(data=folder, results=folder))
    keys = [job.key for job in jobs]
    best = {key["variant"] for key in keys if key["criterion"] == "best-k"}
    assert best == {"kcc, one random start"}  # up to the root is for another pool
    true = {key["variant"] for key in keys if key["criterion"] == "true-k"}
    assert "kcc, one random start" in true
    assert "cspa, as in ClusterPack" not in true  # its default departs nowhere
    assert not any(VARIANTS[name].needs for name in true)


def test_a_departure_is_explained_by_a_variant_or_a_repeated_figure_or_not(tmp_path):
    summary = [
        summary_row("kcc", "nmi_max", 0.7, ("0.5", "0.05")),
        summary_row("kcc", "ari", 0.7, ("0.4", "0.05")),
        summary_row("sec", "nmi_max", 0.7, ("0.3", "0.02")),
        summary_row("sec", "nmi_max", 0.3, ("0.3", "0.02"), pool="other"),
        summary_row("lwea", "nmi_max", 0.31, ("0.3", "0.02")),
        summary_row("hgpa", "ari", 0.7, ("0.6", "0.02")),
    ]
    rows = [variant_row("kcc, one random start", nmi, 0.6) for nmi in (0.5, 0.56, 0.53)]
    rows.append(variant_row("hgpa, clusters that are torn cost by part", 0.5, 0.6))
    write_table(tmp_path / "fidelity_variants.csv", rows)
    text = " ".join(reasons(tmp_path, summary).split())
    assert "4 of 6 figures" in text
    assert "nowhere: lwea." in text
    assert (
        "*kcc, one random start* (3 draws) gives the NMI (max) of large 0.530 (0.500 ± "
        "0.050); it does not give the ARI of large 0.600 (0.400 ± 0.050)." in text
    )
    assert (
        "The published NMI (max) on large is, mean and spread, that on other." in text
    )
    # Nobody ran HGPA so: that it gives the figure is told, and explains nothing.
    assert "(1 draw, only tried) gives the ARI of large 0.600" in text
    assert "for 2 of them. What is left: 1 of kcc, 1 of hgpa." in text
    assert "*Not explained*: ARI: large +0.300." in text
    quiet = reasons(tmp_path, [summary_row("lwea", "ari", 0.3, ("0.3", "0.02"))])
    assert "0 of 1 figures" in quiet
    assert "Nothing is left." in quiet
    table = variants_table(tmp_path, summary)
    assert "kcc, one random start" in table


@pytest.mark.parametrize(("nmi", "is_said"), [(0.3, True), (0.5, False)])
def test_a_longer_search_is_the_reason_only_where_the_shorter_one_is_not(
    tmp_path, nmi, is_said
):
    summary = [
        summary_row("kcc", "nmi_max", 0.7, ("0.5", "0.05"), criterion="best-k"),
    ]
    short = "kcc, one random start"
    rows = [variant_row(short, nmi, 0.6, "best-k")] * 3
    rows += [variant_row(f"{short}, up to the root of n", 0.52, 0.6, "best-k")] * 3
    write_table(tmp_path / "fidelity_variants.csv", rows)
    text = " ".join(reasons(tmp_path, summary).split())
    assert "for 1 of them. Nothing is left." in text
    assert ("On large the published search went beyond 30" in text) is is_said
