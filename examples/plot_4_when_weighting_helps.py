"""
When weighting helps
====================

Most members of this ensemble are junk: labels drawn at random for nine objects in ten.
Plain evidence accumulation counts them like the others; the weighted methods do not
have to. Plain k-means on the label rows (KCC) is the baseline that a weighted method
has to face.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.metrics import adjusted_rand_score

import comitia

rng = np.random.RandomState(0)
truth = np.repeat(np.arange(4), [120, 80, 60, 40])


def ensemble(n_junk, n_members=20):
    """Members that get one object in five wrong, and junk."""
    labels = np.tile(truth[:, None], n_members)
    wrong = np.where(np.arange(n_members) < n_junk, 0.9, 0.2)
    noisy = rng.rand(*labels.shape) < wrong
    labels[noisy] = rng.randint(0, 4, size=noisy.sum())
    return comitia.Ensemble(labels)


# %%
names = ["eac", "weac", "lwea", "kcc"]
junk = [0, 4, 8, 12, 14, 16]
found = {name: [] for name in names}
for n_junk in junk:
    trials = [ensemble(n_junk) for _ in range(5)]
    for name in names:
        scores = [
            adjusted_rand_score(
                truth,
                comitia.method(name)(n_clusters=4, random_state=0).fit_predict(votes),
            )
            for votes in trials
        ]
        found[name].append(np.mean(scores))

# %%
fig, ax = plt.subplots()
for name, marker in zip(names, "os^D", strict=True):
    ax.plot(junk, found[name], marker=marker, label=name)
ax.set_xlabel("junk members of 20")
ax.set_ylabel("adjusted Rand index, mean of 5")
ax.legend()
plt.show()
