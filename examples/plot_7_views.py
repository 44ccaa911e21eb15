"""
Two views of the same digits
============================

The pixels of a digit, and how much ink its rows and columns have: two tables of the
same objects. Some objects are missing from one of them.
"""

import numpy as np
from sklearn.datasets import load_digits
from sklearn.metrics import adjusted_rand_score

import comitia
from comitia.plot import WeightsDisplay

digits = load_digits(n_class=6)
pixels, truth = digits.data[:500], digits.target[:500]
images = digits.images[:500]
ink = np.hstack([images.sum(axis=1), images.sum(axis=2)])
ink[::10] = np.nan  # every tenth digit has no second view

# %%
both = comitia.MultiViewEnsemble(n_clusters=6, random_state=0)
both.fit({"pixels": pixels, "ink": ink})
print(f"both views: {adjusted_rand_score(truth, both.labels_):.2f}")

# %%
# How much each view weighed, and how well its clusterings fit the consensus:
for name, weight, fits in zip(
    both.view_names_, both.view_weights_, both.view_agreement_, strict=True
):
    print(f"{name:8s} weight {weight:.2f}  agreement {fits:.2f}")

# %%
WeightsDisplay.from_estimator(both, of="views").plot()

# %%
# **The decision.** Is the second table worth what it costs? It is if the answer is
# nearer to what is known than with the first alone; without anything known, the
# agreement above is all there is to go by.
alone = comitia.ConsensusClustering(n_clusters=6, random_state=0).fit(pixels)
gain = adjusted_rand_score(truth, both.labels_)
gain -= adjusted_rand_score(truth, alone.labels_)
verdict = "keep measuring" if gain > 0.01 else "stop measuring"
print(f"Decision: {verdict} ink (both against pixels alone: {gain:+.2f})")
