"""
A few pairs that you know
=========================

Pairs of flowers, drawn at random, are known to be of one species or not. How much do
they help?
"""

import numpy as np
from sklearn.datasets import load_iris
from sklearn.metrics import adjusted_rand_score
from sklearn.preprocessing import StandardScaler

import comitia

iris = load_iris()
X = StandardScaler().fit_transform(iris.data)
rng = np.random.RandomState(0)
pairs = rng.randint(0, len(X), size=(220, 2))
pairs = pairs[pairs[:, 0] != pairs[:, 1]][:200]
same = iris.target[pairs[:, 0]] == iris.target[pairs[:, 1]]

# %%
# Each method uses them in its own way; with no pairs both are what they are without.
for name in ("okabe_yamada_2013", "yu_2018"):
    for n_pairs in (0, 50, 200):
        known, together = pairs[:n_pairs], same[:n_pairs]
        labels = comitia.method(name)(n_clusters=3, random_state=0).fit_predict(
            X, must_link=known[together], cannot_link=known[~together]
        )
        score = adjusted_rand_score(iris.target, labels)
        print(f"{name:18s} {n_pairs:3d} pairs: {score:.2f}")
