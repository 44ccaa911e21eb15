# Written by tools/make_stubs.py from __init__.py; do not edit.

from comitia.generate.estimators import EstimatorGenerator as EstimatorGenerator
from comitia.generate.executor_row_blocks import generate_blocks as generate_blocks
from comitia.generate.fuzzy_generator import FuzzyGenerator as FuzzyGenerator
from comitia.generate.generator import Generator as Generator
from comitia.generate.genie_generator import GenieGenerator as GenieGenerator
from comitia.generate.graph_generator import GraphGenerator as GraphGenerator
from comitia.generate.kernels import KernelGenerator as KernelGenerator
from comitia.generate.kmeans import KMeansGenerator as KMeansGenerator
from comitia.generate.landmark_spectral import LandmarkSpectralGenerator as LandmarkSpectralGenerator
from comitia.generate.linkages import HierarchicalGenerator as HierarchicalGenerator
from comitia.generate.mixed_generator import MixedGenerator as MixedGenerator
from comitia.generate.mixtures import MixtureGenerator as MixtureGenerator
from comitia.generate.neighbor_spectral import NeighborSpectralGenerator as NeighborSpectralGenerator
from comitia.generate.regenerate import regenerate as regenerate
from comitia.generate.sampling import Bootstrap as Bootstrap
from comitia.generate.sampling import FeatureSubset as FeatureSubset
from comitia.generate.sampling import HybridSample as HybridSample
from comitia.generate.sampling import LittleBootstraps as LittleBootstraps
from comitia.generate.sampling import RandomProjection as RandomProjection
from comitia.generate.sampling import Subsample as Subsample
from comitia.generate.sampling import WeightedSample as WeightedSample
from comitia.generate.series_generators import HMMGenerator as HMMGenerator
from comitia.generate.series_generators import RepresentationGenerator as RepresentationGenerator
from comitia.generate.sources import open_rows as open_rows
from comitia.generate.spectral_generator import SpectralGenerator as SpectralGenerator
from comitia.generate.trees import TreeGenerator as TreeGenerator
from comitia.generate.views_generator import ViewsGenerator as ViewsGenerator

__all__ = [
    "Bootstrap",
    "EstimatorGenerator",
    "FeatureSubset",
    "FuzzyGenerator",
    "Generator",
    "GenieGenerator",
    "GraphGenerator",
    "HMMGenerator",
    "HierarchicalGenerator",
    "HybridSample",
    "KMeansGenerator",
    "KernelGenerator",
    "LandmarkSpectralGenerator",
    "LittleBootstraps",
    "MixedGenerator",
    "MixtureGenerator",
    "NeighborSpectralGenerator",
    "RandomProjection",
    "RepresentationGenerator",
    "SpectralGenerator",
    "Subsample",
    "TreeGenerator",
    "ViewsGenerator",
    "WeightedSample",
    "generate_blocks",
    "open_rows",
    "regenerate",
]
