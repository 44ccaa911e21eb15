"""
Your own mix
============

Generator, selection, weighting and consensus are parts that fit together in any way.
"""

from sklearn.cluster import AgglomerativeClustering, KMeans
from sklearn.datasets import load_breast_cancer
from sklearn.metrics import adjusted_rand_score
from sklearn.preprocessing import StandardScaler

import comitia
from comitia.generate import EstimatorGenerator, FeatureSubset
from comitia.plot import AgreementDisplay

data = load_breast_cancer()
X = StandardScaler().fit_transform(data.data)

# %%
# Members by two algorithms, each on 60 % of the features:
generator = EstimatorGenerator(
    [KMeans(n_init=1), AgglomerativeClustering()],
    n_clusterings=30,
    n_clusters=(2, 12),
    features=FeatureSubset(0.6),
    random_state=0,
)

# %%
# Keep what CAS keeps, weigh clusters by their certainty, cut the bipartite graph.
mix = comitia.ConsensusClustering(
    n_clusters=2,
    generator=generator,
    selection=comitia.method("cas")(n_clusters=2, random_state=0),
    weighting="entropy_certainty",
    consensus="tcut",
    random_state=0,
).fit(X)
print(f"kept {mix.selected_.sum()} of {len(mix.selected_)} clusterings")
print(f"adjusted Rand index {adjusted_rand_score(data.target, mix.labels_):.2f}")

# %%
# How alike the clusterings are to each other and to the consensus:
AgreementDisplay.from_estimator(mix).plot()
