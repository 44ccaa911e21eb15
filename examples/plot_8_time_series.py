"""
Time series
===========

Series that differ in how they move, not in where they are: slow waves, fast waves and
trends, each with its own phase and height. Several representations are clustered, and
the clusterings combined.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.cluster import KMeans
from sklearn.metrics import adjusted_rand_score

import comitia

rng = np.random.RandomState(0)
time = np.linspace(0, 1, 128)
kinds = np.repeat(["slow", "fast", "trend"], 25)


def draw(kind):
    """One series of a kind."""
    phase, height = rng.uniform(0, 1), rng.uniform(0.5, 1.5)
    if kind == "trend":
        shape = 2 * time - 1
    else:
        shape = np.sin(2 * np.pi * ((2 if kind == "slow" else 12) * time + phase))
    return height * shape + 0.3 * rng.randn(len(time))


series = np.array([draw(kind) for kind in kinds])

# %%
flat = KMeans(3, n_init=10, random_state=0).fit_predict(series)
labels = comitia.method("yang_chen_2011")(3, random_state=0).fit_predict(
    series[:, None, :]
)
print(f"k-means on the flat series: {adjusted_rand_score(kinds, flat):.2f}")
print(f"yang_chen_2011:             {adjusted_rand_score(kinds, labels):.2f}")

# %%
fig, axes = plt.subplots(1, 3, sharey=True, figsize=(9, 2.5))
for cluster, ax in enumerate(axes):
    ax.plot(time, series[labels == cluster].T, color="0.7", linewidth=0.5)
    ax.plot(time, series[labels == cluster][0], color="black")
    ax.set_xlabel(f"cluster {cluster}")
plt.show()
