"""Base clusterers that scikit-learn lacks.

Object weights in plain k-means are scikit-learn's own:
``sklearn.cluster.KMeans().fit(X, sample_weight=w)``.
"""

from comitia._lazy import attach

__getattr__, __dir__, __all__ = attach(
    __name__,
    {
        "constraints": ["ConstraintSet", "random_constraints"],
        "cop_kmeans": ["COPKMeans", "constrained_kmeans"],
        "e2cp": ["E2CP"],
        "fuzzy": ["FuzzyCMeans", "fuzzy_memberships"],
        "genie": ["Genie"],
        "gustafson_kessel": ["GustafsonKessel"],
        "hmm": ["GaussianHMM"],
        "hmm_k_models": ["HMMKModels"],
        "kernel": ["KernelKMeans"],
        "kmedoids": ["KMedoids", "around_medoids"],
        "lac": ["LAC"],
        "leiden_louvain": ["Leiden", "leiden", "louvain"],
        "minkowski": ["MinkowskiKMeans"],
        "mixture": ["WeightedGaussianMixture"],
    },
)
