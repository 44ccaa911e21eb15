"""From a matrix or a graph to labels."""

from comitia._lazy import attach

__getattr__, __dir__, __all__ = attach(
    __name__,
    {
        "cophenetic": ["cophenetic"],
        "complete_vote": ["complete_vote"],
        "confidence": ["consensus_posterior"],
        "kernel_k_means": ["kernel_kmeans"],
        "linkage": [
            "cut",
            "distances_of",
            "ensemble_linkage",
            "hac",
        ],
        "k_means": ["kmeans", "kmeans_rows"],
        "normalized_cut": ["choose_n_clusters", "ncut"],
        "transfer_cut": ["tcut"],
        "metis": ["metis_partition"],
        "micro_linkage": ["micro_linkage"],
        "median_search": ["MedianSearch"],
        "reassign": ["reassign"],
        "vote_winners": ["median_selection", "meta_vote"],
    },
)
