"""One word for one thing: the words a method's constructor may use.

The table in CONTRIBUTING.md has the common ones. A new idea brings its word here, with
its meaning; a second word for an old idea does not get in.
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
    "on_doubt",
    # as in scikit-learn
    "kernel",
    "learning_rate",
    "max_iter",
    "metric",
    "min_samples_leaf",
    "n_components",
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
    # added by gullo_2009 and rouba_2017: groups of clusterings; share of one term
    "n_groups",
    "diversity_share",
    # added by ecpcs_mc: the length of random walks
    "n_steps",
    # added by topchy_2004: share of what was there before that stays
    "retention",
    # added by adaptive_eac: rounds before there are weights
    "n_warmup",
    # added by abc: the features of largest variance, and how often one is drawn
    "top_fraction",
    "top_probability",
    # added by feature_boost_2009: how much each feature matters, known before
    "importance",
    # added by blbc: the words of comitia.generate.LittleBootstraps
    "n_resamples",
    "subset_power",
    # added by median_partition: how partitions are searched, and annealing
    "search",
    "temperature",
    "cooling",
    # added by wpck: the largest subset whose significance counts
    "max_subset_size",
    # added by vega_pons_2008: the probability that a random walk goes on
    "continuation",
    # added by alhichri_2014: which objects are neighbours, as in scikit-learn
    "connectivity",
    # added by womc: what keeps weights above zero
    "smoothing",
    # added by wcc: what keeps weights from gathering on a few clusterings
    "weight_penalty",
    # added by bregman_cc: how alike objects are to each clustering, given as matrices
    "similarities",
    # added by lourenco_2013: the most that a weight may be
    "weight_cap",
    # added by ec_bnmf: parameters of a prior distribution
    "prior",
    # added by cmkc_lfa_mr: what holds the consensus to a reference
    "reference_penalty",
    # added by woce: the clusterers that take turns
    "algorithms",
    # added by pividori_2016: how much more than its share what is different gets
    "diversity_bias",
    # added by yu_2018: generations without progress before a search ends
    "patience",
    # added by tang_liu_2018: how often a part may be split again
    "max_depth",
    # added by yang_tan_2012: objects moved out to meet constraints
    "max_displacements",
    # added by mcas: the clusterers that put clusterings into groups
    "groupers",
    # added by wlac: what keeps weights from gathering on a few clusters
    "cluster_penalty",
    # added by zhou_zhu_2017: the size of a population that evolves
    "n_individuals",
    # added by the methods for views: columns of each view; how values are scaled
    "views",
    "scale",
    # added by multi_view: what combines the clusterings; what makes those of each view
    "method",
    "generators",
    # added by yang_chen_2011: the descriptions of time series that are clustered
    "representations",
    # added by yang_jiang_2018: hidden states of a Markov model
    "n_states",
    # added by omvc: objects that are looked at together
    "chunk_size",
    # added by pmsc: what holds down how much objects give to each other
    "coefficient_penalty",
    # added by zhao_2020: what holds clusters together where they weigh little
    "separation_penalty",
    # added by lac_link_2013: how alike different clusters can be at most
    "decay",
    # added by lwea after NWCA: entropies as shares of their largest
    "normalized",
    # added by kcc: the power of a norm
    "norm_power",
    # added by ec_cms: what holds down what is taken for noise
    "noise_penalty",
    # added by sdgca: how many clusterings must join a pair, or how unlike its clusters
    # must be
    "similar_share",
    "dissimilar_share",
    # added by awec: neighbours, as a share of a cluster; how often neighbours of
    # neighbours are taken; what holds a graph to the identity
    "neighbor_share",
    "order",
    "identity_penalty",
    # added by wecr: how much what is known of a cluster counts against the whole
    "local_share",
    # added by ecg: what a link weighs at least; what finds communities, and how many
    "min_weight",
    "detector",
    "resolution",
}
