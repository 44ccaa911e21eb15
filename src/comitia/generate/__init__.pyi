# Written by tools/make_stubs.py from __init__.py; do not edit.

from comitia.generate.base import Generator as Generator
from comitia.generate.boosting import BoostingGenerator as BoostingGenerator
from comitia.generate.estimators import EstimatorGenerator as EstimatorGenerator
from comitia.generate.kmeans import KMeansGenerator as KMeansGenerator
from comitia.generate.sampling import Bootstrap as Bootstrap
from comitia.generate.sampling import FeatureSubset as FeatureSubset
from comitia.generate.sampling import HybridSample as HybridSample
from comitia.generate.sampling import LittleBootstraps as LittleBootstraps
from comitia.generate.sampling import RandomProjection as RandomProjection
from comitia.generate.sampling import Subsample as Subsample
from comitia.generate.sampling import WeightedSample as WeightedSample

__all__ = [
    "BoostingGenerator",
    "Bootstrap",
    "EstimatorGenerator",
    "FeatureSubset",
    "Generator",
    "HybridSample",
    "KMeansGenerator",
    "LittleBootstraps",
    "RandomProjection",
    "Subsample",
    "WeightedSample",
]
