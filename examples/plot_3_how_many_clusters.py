"""
How many clusters?
==================

Criteria that look at different things, side by side, with "one" as a possible answer.
"""

from sklearn.datasets import make_blobs

import comitia
from comitia.plot import ConsensusCDFDisplay

X, _ = make_blobs(200, centers=4, cluster_std=0.8, random_state=7)
choice = comitia.choose_k(X, range(2, 8), random_state=0)
print(choice.n_clusters)
print(choice.reason)

# %%
# What each criterion would take:
print(choice.votes)

# %%
# The distribution of the consensus index: where it is flat, the clusterings agree.
ConsensusCDFDisplay.from_choice(choice).plot()
