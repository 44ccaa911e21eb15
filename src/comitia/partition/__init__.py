"""From a matrix or a graph to labels."""

from comitia._lazy import attach

__getattr__, __dir__, __all__ = attach(
    __name__,
    {
        "cophenetic": [
            "cophenetic",
            "extended_cophenetic",
            "is_ultrametric",
            "row_correlations",
        ],
        "coassociation_ncut": ["ncut_points"],
        "complete_vote": ["complete_vote"],
        "kernel_k_means": ["kernel_kmeans"],
        "kernel_spectra": ["kernel_matrix", "kernel_partitions"],
        "linkage": ["cut", "distances_of", "ensemble_linkage", "hac", "lifetime"],
        "k_means": ["kmeans", "kmeans_rows", "kmodes"],
        "spanning_tree": [
            "TreeSplit",
            "cut_long_edges",
            "spanning_tree",
            "split_index",
        ],
        "spectral": ["choose_n_clusters", "eigengap", "ncut", "spectral_clustering"],
        "subspace": [
            "SubspaceRun",
            "partition_consensus",
            "partition_distance",
            "partition_weights",
            "ridge_inverse",
            "self_representation",
            "subspace_partitions",
            "view_partition",
        ],
        "transfer_cut": ["bipartite_embedding", "bipartite_spectrum", "tcut"],
        "cross_association": ["cross_association", "cross_association_cost"],
        "fuzzy_rows": ["FuzzyRows", "fuzzy_rows"],
        "hypergraph": ["hypergraph_partition"],
        "hypergraph_ncut": ["hypergraph_ncut"],
        "markov_field": ["grid_graph", "iterated_modes", "potts_energy"],
        "metis": ["metis_partition"],
        "similarity_kmeans": ["mean_similarity_kmeans"],
        "micro_linkage": ["micro_linkage"],
        "median_search": ["MedianSearch", "MovesRun"],
        "reassign": ["Reassigned", "reassign"],
        "voting": ["cluster_vote", "median_selection", "meta_vote", "weighted_vote"],
    },
)
