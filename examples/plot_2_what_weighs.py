"""
What weighs, and how much
=========================

The weights of a method are a result of their own: they say which clusters the
clusterings agree on.
"""

import matplotlib.pyplot as plt
from sklearn.datasets import load_iris
from sklearn.preprocessing import StandardScaler

import comitia
from comitia.plot import CoassociationDisplay, WeightsDisplay

X = StandardScaler().fit_transform(load_iris().data)
lwea = comitia.method("lwea")(n_clusters=3, random_state=0).fit(X)

# %%
# How often, weighted, each two flowers are in one cluster. One species stands apart;
# the other two overlap.
CoassociationDisplay.from_estimator(lwea).plot()

# %%
# The clusters of the ensemble by their weight.
WeightsDisplay.from_estimator(lwea).plot()
plt.show()
