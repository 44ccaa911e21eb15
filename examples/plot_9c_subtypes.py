"""
Subtypes in gene expression
===========================

Are there subtypes in the expression of 90 tumours, how many, and do the patients of one
live longer? Survival takes no part in the clustering; it is looked at once, afterwards.

Expression and survival are simulated: three subtypes, one of which has a worse course.
"""

import matplotlib.pyplot as plt
import numpy as np

import comitia

rng = np.random.RandomState(1)
subtype = rng.permutation(np.repeat([0, 1, 2], 30))
shift = np.zeros((3, 300))
for s in range(3):
    shift[s, rng.choice(300, 40, replace=False)] = 1.5
expression = shift[subtype] + rng.normal(size=(90, 300))
months = rng.exponential(np.array([60.0, 60.0, 15.0])[subtype])
end = rng.uniform(12, 72, size=90)  # of the study; whoever lives then is censored
died, months = months <= end, np.minimum(months, end)

# %%
# A probability for each number of subtypes, one (no subtypes) among them:
choice = comitia.choose_k(expression, random_state=0)
for k, p in enumerate(choice.probabilities, start=1):
    if p >= 0.01:
        print(f"{k} clusters: {p:.2f}")
model = comitia.ConsensusClustering(choice.n_clusters, random_state=0).fit(expression)


# %%
# The share that is alive (Kaplan and Meier's estimate), by cluster:
def alive(months, died):
    times = np.unique(months[died])
    left = [1 - np.sum(died & (months == t)) / np.sum(months >= t) for t in times]
    return np.r_[0, times], np.r_[1, np.cumprod(left)]


for cluster in range(model.n_clusters_):
    inside = model.labels_ == cluster
    plt.step(*alive(months[inside], died[inside]), where="post", label=f"{cluster}")
plt.xlabel("months")
plt.ylabel("share alive")
plt.legend(title="cluster")
plt.show()


# %%
# The log-rank statistic of the cluster with the most deaths for its time against the
# rest. Because the cluster was looked for, it is compared with the worst cluster of
# shuffled labels, not with a table.
def worst_log_rank(labels):
    times = np.unique(months[died])
    risk = months[:, None] >= times
    deaths = (died[:, None] & (months[:, None] == times)).sum(axis=0)
    share = np.array([risk[labels == c].sum(axis=0) for c in np.unique(labels)])
    share = share / risk.sum(axis=0)
    excess = np.array([died[labels == c].sum() for c in np.unique(labels)])
    excess = excess - share @ deaths
    return np.max(excess / np.sqrt((share * (1 - share)) @ deaths))


seen = worst_log_rank(model.labels_)
shuffled = [worst_log_rank(rng.permutation(model.labels_)) for _ in range(199)]
p = (1 + np.sum(np.array(shuffled) >= seen)) / 200
print(f"log-rank z = {seen:.1f}, p = {p:.3f}")

# %%
# **The decision.** A second cohort is worth its price if the subtypes are likelier than
# none and one differs in survival. It is not a reason to treat anybody otherwise.
go_on = choice.n_clusters > 1 and p < 0.01
print("Decision:", "ask for a second cohort" if go_on else "stop here")
