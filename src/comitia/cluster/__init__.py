"""Base clusterers that scikit-learn lacks.

Object weights in plain k-means are scikit-learn's own:
``sklearn.cluster.KMeans().fit(X, sample_weight=w)``.
"""

from comitia._lazy import attach

__getattr__, __dir__, __all__ = attach(
    __name__,
    {
        "communities": [
            "label_propagation",
            "louvain",
            "modularity",
            "overlapping_label_propagation",
        ],
        "constraints": ["ConstraintSet", "random_constraints"],
        "cop_kmeans": ["COPKMeans", "ConstrainedPlacement", "constrained_kmeans"],
        "e2cp": ["E2CP", "adjust_similarity", "propagate_constraints"],
        "fuzzy": ["FuzzyCMeans", "fuzzy_cmeans", "fuzzy_memberships"],
        "fuzzy_medoids": ["FuzzyCMedoids", "fuzzy_cmedoids"],
        "gaussians": ["MergedGaussians", "bhattacharyya", "merge_gaussians"],
        "hmm": ["GaussianHMM"],
        "hmm_k_models": ["HMMKModels"],
        "kernel": ["KernelKMeans"],
        "kmedoids": ["KMedoids", "around_medoids"],
        "lac": [
            "LAC",
            "feature_dispersions",
            "lac_objective",
            "lac_weights",
            "locally_adaptive",
            "weighted_distances",
        ],
        "minimax": [
            "MinimaxRun",
            "minimax_cmeans",
            "minimax_weights",
            "squared_distances",
        ],
        "minkowski": [
            "MinkowskiKMeans",
            "minkowski_centers",
            "minkowski_distances",
            "minkowski_kmeans",
            "minkowski_weights",
        ],
        "mixture": ["WeightedGaussianMixture", "gaussian_log_density"],
        "projection": ["LinearProjection", "constraint_directions", "whitening"],
        "relational": [
            "MedoidVectorsRun",
            "cmedoid_vectors",
            "update_medoids",
            "view_weights",
        ],
        "som": ["SelfOrganizingMap", "nearest_unit"],
        "fuzzy_lac": ["FuzzyWeightedLAC", "fuzzy_weighted_lac"],
        "weighted_lac": ["WeightedLAC", "cluster_importance", "weighted_lac"],
    },
)
