"""From data to an ensemble: one file per way of making base clusterings."""

from comitia._lazy import attach

__getattr__, __dir__, __all__ = attach(
    __name__,
    {
        "again": ["regenerate"],
        "base": ["Generator"],
        "blocks": ["generate_blocks"],
        "boosting": ["BoostingGenerator"],
        "communities": ["CommunityGenerator"],
        "estimators": ["EstimatorGenerator"],
        "fuzzy": ["FuzzyGenerator"],
        "kernels": ["KernelGenerator"],
        "kmeans": ["KMeansGenerator"],
        "landmark_spectral": ["LandmarkSpectralGenerator"],
        "linkages": ["HierarchicalGenerator"],
        "mixtures": ["MixtureGenerator"],
        "sampling": [
            "Bootstrap",
            "FeatureSubset",
            "HybridSample",
            "LittleBootstraps",
            "RandomProjection",
            "Subsample",
            "WeightedSample",
        ],
        "series": ["HMMGenerator", "RepresentationGenerator"],
        "sources": ["ScaledRows", "open_rows"],
        "spectral": ["SpectralGenerator"],
        "sweep": ["ParameterSweep", "log_grid"],
        "trees": ["TreeGenerator"],
        "views": ["ViewsGenerator"],
    },
)
