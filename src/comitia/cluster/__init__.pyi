# Written by tools/make_stubs.py from __init__.py; do not edit.

from comitia.cluster.constraints import ConstraintSet as ConstraintSet
from comitia.cluster.constraints import random_constraints as random_constraints
from comitia.cluster.cop_kmeans import COPKMeans as COPKMeans
from comitia.cluster.cop_kmeans import constrained_kmeans as constrained_kmeans
from comitia.cluster.e2cp import E2CP as E2CP
from comitia.cluster.fuzzy import FuzzyCMeans as FuzzyCMeans
from comitia.cluster.fuzzy import fuzzy_memberships as fuzzy_memberships
from comitia.cluster.genie import Genie as Genie
from comitia.cluster.gustafson_kessel import GustafsonKessel as GustafsonKessel
from comitia.cluster.hmm import GaussianHMM as GaussianHMM
from comitia.cluster.hmm_k_models import HMMKModels as HMMKModels
from comitia.cluster.kernel import KernelKMeans as KernelKMeans
from comitia.cluster.kmedoids import KMedoids as KMedoids
from comitia.cluster.kmedoids import around_medoids as around_medoids
from comitia.cluster.lac import LAC as LAC
from comitia.cluster.leiden_louvain import Leiden as Leiden
from comitia.cluster.leiden_louvain import leiden as leiden
from comitia.cluster.leiden_louvain import louvain as louvain
from comitia.cluster.minkowski import MinkowskiKMeans as MinkowskiKMeans
from comitia.cluster.mixture import WeightedGaussianMixture as WeightedGaussianMixture

__all__ = [
    "COPKMeans",
    "ConstraintSet",
    "E2CP",
    "FuzzyCMeans",
    "GaussianHMM",
    "Genie",
    "GustafsonKessel",
    "HMMKModels",
    "KMedoids",
    "KernelKMeans",
    "LAC",
    "Leiden",
    "MinkowskiKMeans",
    "WeightedGaussianMixture",
    "around_medoids",
    "constrained_kmeans",
    "fuzzy_memberships",
    "leiden",
    "louvain",
    "random_constraints",
]
