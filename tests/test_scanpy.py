"""Clusters of cells: what is read from an AnnData, and what is written into it."""

import sys

import matplotlib as mpl
import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.sparse import csr_array, csr_matrix

import comitia
from comitia.agreement import adjusted_rand
from comitia.exceptions import ComitiaError
from comitia.generate import GraphGenerator
from comitia.scanpy import pl, tl

anndata = pytest.importorskip("anndata")
mpl.use("Agg")

TYPES = np.repeat([0, 1, 2], [50, 30, 20])
PCA = np.random.RandomState(0).randn(100, 5) + 7 * np.eye(3, 5)[TYPES]


def graph_of(X):
    joined = GraphGenerator(affinity="nearest_neighbors", n_neighbors=10)
    return joined.prepare(joined.check_data(X))


@pytest.fixture
def cells():
    adata = anndata.AnnData(np.full((100, 2), np.nan))  # nobody looks at X
    adata.obs_names = [f"cell {i}" for i in range(100)]
    adata.obsm["X_pca"] = PCA
    adata.obsp["connectivities"] = graph_of(PCA)
    return adata


def test_clusters_are_written_as_scanpy_writes_them(cells):
    assert tl.consensus(cells, 0.5, n_clusterings=6) is None
    clusters = cells.obs["consensus"]
    assert clusters.dtype == "category"
    assert list(clusters.cat.categories) == ["0", "1", "2"]
    # The largest comes first.
    assert_array_equal(clusters.astype(int), TYPES)
    assert (cells.obs["consensus_confidence"] > 0.8).all()
    written = cells.uns["consensus"]
    assert written["params"]["method"] == "lf_consensus"
    assert written["params"]["graph"] == 'obsp["connectivities"]'
    assert written["params"]["random_state"] == 0
    assert_allclose(written["stability"]["inconsistency"], [1.0])


def test_what_is_written_survives_a_file(cells, tmp_path):
    tl.consensus(cells, [0.5, 1.0], n_clusterings=6, method="fast_ensemble")
    tl.choose_resolution(cells, [0.2, 0.5], n_clusterings=3)
    del cells.X
    cells.write_h5ad(tmp_path / "cells.h5ad")
    again = anndata.read_h5ad(tmp_path / "cells.h5ad")
    assert again.obs["consensus"].equals(cells.obs["consensus"])
    weights = again.uns["consensus"]["weights"]["clustering_weights"]
    assert_allclose(weights, np.full(6, 1 / 6))
    assert_array_equal(again.uns["consensus"]["params"]["resolution"], [0.5, 1.0])
    assert again.uns["stable"]["resolution"] == cells.uns["stable"]["resolution"]
    assert pl.choose_resolution(again) is not None


def test_an_anndata_that_is_backed_stays_so(cells, tmp_path):
    cells.write_h5ad(tmp_path / "cells.h5ad")
    backed = anndata.read_h5ad(tmp_path / "cells.h5ad", backed="r")
    tl.consensus(backed, 0.5, n_clusterings=4)
    assert backed.isbacked
    assert adjusted_rand(backed.obs["consensus"], TYPES) == 1.0
    with pytest.raises(ComitiaError, match="copy=True would read all"):
        tl.consensus(backed, 0.5, n_clusterings=4, copy=True)
    backed.file.close()


@pytest.mark.filterwarnings("ignore:Writing zarr v2")
def test_cells_in_zarr_are_read_no_further_than_their_graph(cells, tmp_path):
    pytest.importorskip("dask")
    zarr = pytest.importorskip("zarr")
    from anndata.experimental import read_elem_lazy
    from anndata.io import read_elem, sparse_dataset

    cells.X = csr_matrix(np.eye(100, 2))
    cells.write_zarr(tmp_path / "cells.zarr")
    store = zarr.open(tmp_path / "cells.zarr", mode="r")
    lazy = anndata.AnnData(
        sparse_dataset(store["X"]),
        obs=read_elem(store["obs"]),
        obsm={"X_pca": read_elem_lazy(store["obsm/X_pca"])},
        obsp={"connectivities": read_elem_lazy(store["obsp/connectivities"])},
    )
    for key, options in (("linked", {}), ("joined", {"use_rep": "X_pca"})):
        tl.consensus(lazy, 0.5, n_clusterings=4, key_added=key, **options)
        assert adjusted_rand(lazy.obs[key], TYPES) == 1.0
    members = GraphGenerator(2, resolution=0.5, random_state=0).generate(lazy)
    assert adjusted_rand(members.labels[:, 0], TYPES) == 1.0
    assert isinstance(lazy.X, type(sparse_dataset(store["X"])))
    assert hasattr(lazy.obsp["connectivities"], "compute")


def test_entries_that_are_not_in_memory_are_read(cells):
    class OnDisk:
        def __init__(self, array):
            self.array, self.shape = array, array.shape

        def to_memory(self):
            return self.array

    class Cells:
        obs, uns = cells.obs, {}
        obsm = {"X_pca": OnDisk(PCA)}
        obsp = {"connectivities": OnDisk(cells.obsp["connectivities"])}

    tl.consensus(Cells, 0.5, n_clusterings=4)
    tl.consensus(Cells, 0.5, n_clusterings=4, use_rep="X_pca", key_added="own")
    assert adjusted_rand(cells.obs["consensus"], TYPES) == 1.0
    assert "X_pca" in Cells.uns["own"]["params"]["graph"]


def test_a_graph_of_other_cells_is_refused(cells):
    class Cells:
        obs, uns, obsm = cells.obs, {}, {}
        obsp = {"connectivities": cells.obsp["connectivities"][:99, :99]}

    refused(Cells, "has 99 cells and obs has 100")


def test_a_copy_leaves_the_cells_alone(cells):
    copied = tl.consensus(cells, 0.5, n_clusterings=4, copy=True)
    assert "consensus" in copied.obs
    assert "consensus" not in cells.obs
    chosen = tl.choose_resolution(cells, [0.5], n_clusterings=3, copy=True)
    assert "stable" in chosen.obs
    assert list(cells.obs) == []


def test_graphs_are_found_where_scanpy_leaves_them(cells):
    shuffled = np.random.RandomState(0).permutation(100)
    cells.obsp["other_connectivities"] = csr_array(
        cells.obsp["connectivities"][shuffled][:, shuffled]
    )
    cells.uns["other"] = {"connectivities_key": "other_connectivities"}
    tl.consensus(cells, 0.5, n_clusterings=4, neighbors_key="other", key_added="a")
    tl.consensus(
        cells, 0.5, n_clusterings=4, obsp="other_connectivities", key_added="b"
    )
    assert adjusted_rand(cells.obs["a"], TYPES[shuffled]) == 1.0
    assert cells.obs["a"].equals(cells.obs["b"])
    del cells.obsp["connectivities"]
    tl.consensus(cells, 0.5, n_clusterings=4)
    assert adjusted_rand(cells.obs["consensus"], TYPES) == 1.0


def test_clusterings_that_are_there_are_combined(cells):
    for seed in range(3):
        noisy = TYPES.copy()
        noisy[np.random.RandomState(seed).choice(100, 5, replace=False)] = 0
        cells.obs[f"leiden_{seed}"] = noisy.astype(str)
    cells.obs["leiden_0"] = cells.obs["leiden_0"].astype("category")
    keys = [f"leiden_{seed}" for seed in range(3)]
    lwgp = comitia.method("lwgp")(3)
    tl.consensus(cells, obs_keys=keys, method=lwgp)
    assert adjusted_rand(cells.obs["consensus"], TYPES) > 0.9
    assert lwgp.random_state is None
    assert len(cells.uns["consensus"]["weights"]["cluster_weights"]) == 9
    assert list(cells.uns["consensus"]["params"]["obs_keys"]) == keys
    assert cells.uns["consensus"]["params"]["graph"] == "obs"
    tl.consensus(cells, obs_keys=keys, key_added="linked")
    assert adjusted_rand(cells.obs["linked"], TYPES) > 0.9
    assert cells.uns["linked"]["params"]["graph"] == 'obsp["connectivities"]'


def test_the_resolution_is_one_that_seeds_agree_on(cells):
    tl.choose_resolution(cells, [0.01, 0.3, 6.0], n_clusterings=4)
    written = cells.uns["stable"]
    assert adjusted_rand(cells.obs["stable"], TYPES) == 1.0
    assert written["consistent"]
    assert written["resolution"] in (0.01, 0.3)
    assert_array_equal(written["cluster_stability"], np.ones(3))
    assert written["stability"]["inconsistency"][2] > 1.005
    tl.choose_resolution(cells, [6.0], n_clusterings=4, key_added="unsure")
    assert not cells.uns["unsure"]["consistent"]
    assert cells.uns["unsure"]["resolution"] == 6.0


def test_same_seed_same_clusters_with_any_number_of_jobs(cells):
    for name, n_jobs in (("one", None), ("two", 2)):
        tl.consensus(cells, 2.0, n_clusterings=4, n_jobs=n_jobs, key_added=name)
    assert cells.obs["one"].equals(cells.obs["two"])


def test_pictures_show_what_was_written(cells):
    from matplotlib.figure import Figure

    tl.consensus(cells, [0.3, 6.0], n_clusterings=6)
    ax = Figure().add_subplot()
    assert pl.consensus(cells, ax=ax) is ax
    assert ax.get_xlabel() == "pca 1"
    assert sum(len(dots.get_offsets()) for dots in ax.collections) == 100
    cells.obsm["X_umap"] = PCA[:, [1, 2]]
    other = pl.consensus(cells, ax=Figure().add_subplot())
    assert other.get_xlabel() == "umap 1"
    assert pl.consensus(cells, basis="pca", ax=Figure().add_subplot()) is not None
    lines = pl.choose_resolution(cells, "consensus", ax=Figure().add_subplot())
    assert lines.get_xlabel() == "resolution"
    assert_allclose(
        lines.lines[1].get_ydata(), cells.uns["consensus"]["stability"]["inconsistency"]
    )


def test_scanpy_is_not_imported(cells):
    tl.consensus(cells, 0.5, n_clusterings=2)
    assert "scanpy" not in sys.modules


def refused(cells, words, tool=tl.consensus, **arguments):
    before = list(cells.obs), list(cells.uns)
    with pytest.raises(ComitiaError, match=words):
        tool(cells, **arguments)
    assert (list(cells.obs), list(cells.uns)) == before


def test_what_does_not_fit_is_refused_in_words(cells):
    refused(cells, "no obsp\\['x'\\], but 'connectivities'", obsp="x")
    refused(cells, "no uns\\['x'\\]; run scanpy.pp", neighbors_key="x")
    refused(cells, "no obsm\\['x'\\], but 'X_pca'", use_rep="x")
    refused(cells, "neighbors_key and obsp say both", neighbors_key="a", obsp="b")
    refused(cells, "there is no 'leiden'", obs_keys=["leiden"])
    refused(cells, "one at least", obs_keys=[])
    refused(cells, "none negative", resolution=-1)
    refused(cells, "none negative", resolution=[])
    refused(cells, "hcss needs labels and data", method="hcss")
    refused(cells, "must be a catalogue id", method=3)
    refused(cells, "2 or more", tool=tl.choose_resolution, n_clusterings=1)
    refused(cells, "run comitia.scanpy.tl.consensus", tool=pl.consensus)
    refused(cells, "run comitia.scanpy.tl.choose", tool=pl.choose_resolution)
    cells.uns["odd"] = {"params": {}}
    refused(cells, "does not say where its graph is", neighbors_key="odd")
    directed = cells.obsp["connectivities"].toarray()
    directed[0, 50] = 1.0
    cells.obsp["connectivities"] = directed
    refused(cells, "must be symmetric")
    del cells.obsp["connectivities"], cells.obsm["X_pca"]
    refused(cells, "neither obsp")
    with pytest.raises(TypeError, match="must be an AnnData; got ndarray"):
        tl.consensus(PCA)
