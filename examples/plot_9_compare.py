"""
Which method on my data?
========================

Several methods on the same ensemble, each with a limit on its time; agreement between
their results, stability under resampling, and which differences are noise.
"""

from sklearn.datasets import load_iris
from sklearn.preprocessing import StandardScaler

import comitia
from comitia.plot import ComparisonDisplay

iris = load_iris()
X = StandardScaler().fit_transform(iris.data)

# %%
# Known classes are used to score, never to fit.
comparison = comitia.compare(
    X,
    ["eac", "kcc", "lwea", "lwgp", "weac", "mcla"],
    n_clusters=3,
    truth=iris.target,
    time_limit=30,
    random_state=0,
)
print(comparison.frame().to_string())

# %%
ComparisonDisplay.from_comparison(comparison).plot()
