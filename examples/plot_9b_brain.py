"""
Systems of a brain
==================

Regions of a brain whose activity goes together form systems, and some regions belong to
two of them. Each run of a community detector puts such a region somewhere else; many
runs together say which regions these are.

The recordings are simulated: six systems with a signal of their own, 15 regions each,
and eight connectors that follow the signals of two systems.
"""

import matplotlib.pyplot as plt
import numpy as np

import comitia
from comitia.agreement import adjusted_rand
from comitia.generate import GraphGenerator

rng = np.random.RandomState(0)
n_times, systems = 240, np.repeat(np.arange(6), 15)
signals = rng.randn(6, n_times) + 0.4 * rng.randn(n_times)  # all share some activity
activity = 0.8 * signals[systems] + rng.randn(90, n_times)
connectors = np.array([3, 18, 33, 40, 48, 63, 70, 78])
second = (systems[connectors] + 1) % 6
activity[connectors] = 0.6 * (signals[systems[connectors]] + signals[second])
activity[connectors] += rng.randn(8, n_times)

# %%
# Links are the strongest eighth of the correlations. Communities know no negative
# weights, so that nothing below zero may be left.
correlation = np.corrcoef(activity)
np.fill_diagonal(correlation, 0.0)
strong = np.quantile(correlation[np.triu_indices(90, 1)], 7 / 8)
graph = np.where(correlation >= max(strong, 0.0), correlation, 0.0)

# %%
# Runs that each see 80 % of the links, at four resolutions. Where runs agree, the
# resolution fits the network.
resolutions = [0.5, 1.0, 1.5, 2.0]
runs = GraphGenerator(
    80, resolution=resolutions, edge_fraction=0.8, random_state=0
).generate(graph)
by = np.resize(resolutions, 80)
found = comitia.stability(runs, by=by)
print(found.to_frame()[["n_clusters", "inconsistency"]].round(3))

# %%
# The consensus of the runs at resolution 1 finds the systems.
ensemble = runs.take(clusterings=by == 1.0)
consensus = comitia.method("fast_ensemble")(threshold=0.5, random_state=0)
consensus.fit(graph, ensemble=ensemble)
clear = np.setdiff1d(np.arange(90), connectors)
agreement = adjusted_rand(consensus.labels_[clear], systems[clear])
print(f"{consensus.n_clusters_} systems, agreement without connectors {agreement:.2f}")

# %%
# Regions in the order of their systems, and how stable each is over the runs.
# Those that runs disagree about most are connectors; the other connectors lean to one
# of their systems, and stay there.
stability = found.object_stability[resolutions.index(1.0)]
order = np.lexsort((-stability, consensus.labels_))
fig, (left, right) = plt.subplots(
    1, 2, figsize=(9, 4), layout="constrained", width_ratios=(1, 1.2)
)
left.imshow(correlation[np.ix_(order, order)], cmap="cividis")
left.set(xlabel="region", ylabel="region")
is_connector = np.isin(order, connectors)
place = np.arange(90)
for chosen, marker, name in (
    (~is_connector, "o", "in one"),
    (is_connector, "D", "in two"),
):
    right.plot(
        place[chosen], stability[order][chosen], marker, label=name, markersize=5
    )
right.set(xlabel="region, in the same order", ylabel="stability over runs")
right.legend(title="systems")
plt.show()
