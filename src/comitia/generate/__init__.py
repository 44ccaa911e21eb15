"""From data to an ensemble: one file per way of making base clusterings."""

from comitia._lazy import attach

__getattr__, __dir__, __all__ = attach(
    __name__,
    {
        "graph_generator": ["GraphGenerator"],
        "estimators": ["EstimatorGenerator"],
        "executor_row_blocks": ["generate_blocks"],
        "fuzzy_generator": ["FuzzyGenerator"],
        "generator": ["Generator"],
        "genie_generator": ["GenieGenerator"],
        "kernels": ["KernelGenerator"],
        "kmeans": ["KMeansGenerator"],
        "landmark_spectral": ["LandmarkSpectralGenerator"],
        "linkages": ["HierarchicalGenerator"],
        "mixed_generator": ["MixedGenerator"],
        "mixtures": ["MixtureGenerator"],
        "neighbor_spectral": ["NeighborSpectralGenerator"],
        "regenerate": ["regenerate"],
        "sampling": [
            "Bootstrap",
            "FeatureSubset",
            "HybridSample",
            "LittleBootstraps",
            "RandomProjection",
            "Subsample",
            "WeightedSample",
        ],
        "series_generators": ["HMMGenerator", "RepresentationGenerator"],
        "sources": ["open_rows"],
        "spectral_generator": ["SpectralGenerator"],
        "trees": ["TreeGenerator"],
        "views_generator": ["ViewsGenerator"],
    },
)
