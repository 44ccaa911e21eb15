# Written by tools/make_stubs.py from __init__.py; do not edit.

from comitia.partition.complete_vote import complete_vote as complete_vote
from comitia.partition.confidence import consensus_posterior as consensus_posterior
from comitia.partition.cophenetic import cophenetic as cophenetic
from comitia.partition.k_means import kmeans as kmeans
from comitia.partition.k_means import kmeans_rows as kmeans_rows
from comitia.partition.kernel_k_means import kernel_kmeans as kernel_kmeans
from comitia.partition.linkage import cut as cut
from comitia.partition.linkage import distances_of as distances_of
from comitia.partition.linkage import ensemble_linkage as ensemble_linkage
from comitia.partition.linkage import hac as hac
from comitia.partition.median_search import MedianSearch as MedianSearch
from comitia.partition.metis import metis_partition as metis_partition
from comitia.partition.micro_linkage import micro_linkage as micro_linkage
from comitia.partition.normalized_cut import choose_n_clusters as choose_n_clusters
from comitia.partition.normalized_cut import ncut as ncut
from comitia.partition.reassign import reassign as reassign
from comitia.partition.transfer_cut import tcut as tcut
from comitia.partition.vote_winners import median_selection as median_selection
from comitia.partition.vote_winners import meta_vote as meta_vote

__all__ = [
    "MedianSearch",
    "choose_n_clusters",
    "complete_vote",
    "consensus_posterior",
    "cophenetic",
    "cut",
    "distances_of",
    "ensemble_linkage",
    "hac",
    "kernel_kmeans",
    "kmeans",
    "kmeans_rows",
    "median_selection",
    "meta_vote",
    "metis_partition",
    "micro_linkage",
    "ncut",
    "reassign",
    "tcut",
]
