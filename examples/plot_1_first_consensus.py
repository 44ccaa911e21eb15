"""
One k-means run, and what fifty of them know
============================================

A single run of k-means depends on its start and on the number of clusters it was asked
for. An ensemble of runs, each with another number, is combined here by locally weighted
graph partitioning (LWGP): clusters that the other runs tear apart count less.
"""

import numpy as np
from sklearn.cluster import KMeans
from sklearn.datasets import load_wine
from sklearn.metrics import adjusted_rand_score
from sklearn.preprocessing import StandardScaler

import comitia
from comitia.plot import MapDisplay

wine = load_wine()
X = StandardScaler().fit_transform(wine.data)

# %%
# Twenty single runs, asked for the right number of clusters, against the cultivars that
# are known:
alone = [
    adjusted_rand_score(
        wine.target, KMeans(3, n_init=1, random_state=seed).fit_predict(X)
    )
    for seed in range(20)
]
print(f"single runs: {min(alone):.2f} to {max(alone):.2f}, mean {np.mean(alone):.2f}")

# %%
# The consensus of fifty runs that were *not* told the number:
lwgp = comitia.method("lwgp")(n_clusters=3, random_state=0).fit(X)
print(f"consensus: {adjusted_rand_score(wine.target, lwgp.labels_):.2f}")

# %%
# Objects are drawn larger the surer their place is.
MapDisplay.from_estimator(lwgp, X).plot()

# %%
# **The decision.** Which wines go to a taster? Those whose place is least sure: one
# sip there says more than one among wines that all runs put together.
unsure = np.argsort(lwgp.confidence_)[:5]
print("Decision: taste", *(f"wine {i}" for i in unsure))
