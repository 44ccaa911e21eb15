"""One word for one thing: the words a method's constructor may use.

The table in CONTRIBUTING.md says what they mean. A new idea brings its word here and
there; a second word for an old idea does not get in.
"""

VOCABULARY = {
    # what is asked for, and what it is made from
    "n_clusters",
    "generator",
    "n_clusterings",
    "n_select",
    "object_fraction",
    "feature_fraction",
    "constraint_fraction",
    # how clusterings are judged
    "agreement",
    "index",
    "indices",
    "threshold",
    "weight_power",
    "clustering_weights",
    "fuzziness",
    "theta",
    # strength of a penalty, by what it holds down
    "sparsity_penalty",
    "graph_penalty",
    "view_penalty",
    # how the consensus is found
    "linkage",
    "utility",
    "imbalance",
    "object_edge_weight",
    "variant",
    "selection",
    "weighting",
    "consensus",
    # as in scikit-learn
    "kernel",
    "max_iter",
    "metric",
    "n_init",
    "n_jobs",
    "n_neighbors",
    "n_rounds",
    "random_state",
    "tol",
    "verbose",
    # added by zhou_tang_2006: the clustering that the others are aligned to
    "reference",
    # added by berikov_2014: how often an algorithm treats a pair of objects rightly
    "pair_accuracy",
    # added by prar: index values on one scale, fewer of them, and one of each row
    "unification",
    "reduction",
    "aggregation",
}
