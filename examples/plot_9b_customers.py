"""
A table of customers
====================

A table as shops have them: numbers, words and gaps. Which customers get which of three
letters, and who should be asked before any letter is sent?

The customers are simulated, three kinds of them; nobody tells the method so.
"""

import numpy as np
import pandas as pd

import comitia
from comitia.plot import MapDisplay
from comitia.prepare import TablePreparer

rng = np.random.RandomState(0)
kind = rng.permutation(np.repeat([0, 1, 2], [120, 80, 60]))
customers = pd.DataFrame(
    {
        "visits": rng.poisson(np.array([3, 12, 25])[kind]),
        "basket": rng.lognormal(np.array([3.0, 4.2, 2.4])[kind], 0.3),
        "channel": np.where(
            rng.rand(260) < np.array([0.8, 0.3, 0.1])[kind], "shop", "web"
        ),
        "age": rng.normal(np.array([61, 40, 29])[kind], 7).round(),
    },
    index=[f"C{i:03d}" for i in range(260)],
)
customers.iloc[::25, 1] = np.nan

# %%
# What each column is taken for, and why:
prepare = TablePreparer().fit(customers)
for column in prepare.columns_:
    print(f"{column['column']:8s} {column['kind']:8s} {column['action']}")

# %%
# How many kinds? The likely numbers, likeliest first, are too many to settle it: these
# data do not say. There are three letters, so three are asked for, and the number is
# ours and not the data's.
X = prepare.transform(customers)
print("likely numbers:", comitia.choose_k(X, random_state=0).likely)
model = comitia.ConsensusClustering(n_clusters=3, random_state=0).fit(X)
MapDisplay.from_estimator(model, X).plot()

# %%
# The kinds in the units of the table:
print(customers.groupby(model.labels_)[["visits", "basket", "age"]].median().round(1))

# %%
# **The decision.** Customers whose place is sure get the letter of their kind. The
# others are asked first: a wrong letter costs more than a question.
sure = model.confidence_ >= 0.9
for cluster in range(model.n_clusters_):
    print(f"letter {cluster}: {np.sum(sure & (model.labels_ == cluster))} customers")
print(f"Decision: ask {np.sum(~sure)} of {len(sure)} before a letter is sent")
