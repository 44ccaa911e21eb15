"""
Types of cells
==============

Leiden on a graph of neighbouring cells gives one answer for each seed and each
resolution. Which resolution does not depend on the seed, and which cells do?

The cells are simulated: counts of 300 genes, of which each type has some of its own, in
cells that are read to different depths. Two of the seven types are alike.
"""

import anndata
import matplotlib.pyplot as plt
import numpy as np
from sklearn.decomposition import PCA

import comitia.scanpy as cs
from comitia.agreement import adjusted_rand

rng = np.random.RandomState(0)
sizes = [260, 200, 150, 120, 90, 50, 30]
types = np.repeat(np.arange(7), sizes)
level = rng.gamma(0.6, 1.0, size=300)
profile = np.tile(level, (7, 1))
for t in range(7):
    profile[t, rng.choice(300, 25, replace=False)] *= 4.0
# The last two types share all but eight of their genes.
profile[6] = profile[5]
profile[6, rng.choice(300, 8, replace=False)] *= 5.0
depth = rng.lognormal(7.0, 0.3, size=len(types))
rate = profile[types] / profile[types].sum(axis=1, keepdims=True) * depth[:, None]
counts = rng.poisson(rate)

# %%
# Normalise, take logarithms and principal components, as scanpy does.
adata = anndata.AnnData(counts.astype(np.float32))
shares = counts / counts.sum(axis=1, keepdims=True)
adata.obsm["X_pca"] = PCA(15, random_state=0).fit_transform(np.log1p(1e4 * shares))

# %%
# Ten seeds at each of eight resolutions. Below the dashed line the seeds agree; the
# numbers are those of clusters.
cs.tl.choose_resolution(adata)
cs.pl.choose_resolution(adata)
plt.show()

# %%
# The consensus of 20 runs at the finest resolution that seeds agree on. Cells that the
# runs are not sure of are small and pale. The two types that are alike are one cluster:
# the finest resolution, which divides more, does so in another way for each seed.
resolution = adata.uns["stable"]["resolution"]
cs.tl.consensus(adata, resolution)
print(f"resolution {resolution}, {adata.obs['consensus'].nunique()} clusters")
print(f"agreement with the types: {adjusted_rand(adata.obs['consensus'], types):.2f}")
cs.pl.consensus(adata)
plt.show()

# %%
# **The decision.** Which clusters get a name in the paper? Those of which most cells
# are sure; the others are called mixed until more cells are sequenced.
by_cluster = adata.obs.groupby("consensus", observed=True)
sure = by_cluster["consensus_confidence"].median() >= 0.9
print(f"Decision: name {sure.sum()} of {len(sure)} clusters")
