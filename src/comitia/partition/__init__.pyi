# Written by tools/make_stubs.py from __init__.py; do not edit.

from comitia.partition.coassociation_ncut import ncut_points as ncut_points
from comitia.partition.complete_vote import complete_vote as complete_vote
from comitia.partition.cophenetic import cophenetic as cophenetic
from comitia.partition.cophenetic import extended_cophenetic as extended_cophenetic
from comitia.partition.cophenetic import is_ultrametric as is_ultrametric
from comitia.partition.cophenetic import row_correlations as row_correlations
from comitia.partition.cross_association import cross_association as cross_association
from comitia.partition.cross_association import cross_association_cost as cross_association_cost
from comitia.partition.fuzzy_rows import FuzzyRows as FuzzyRows
from comitia.partition.fuzzy_rows import fuzzy_rows as fuzzy_rows
from comitia.partition.hypergraph import hypergraph_partition as hypergraph_partition
from comitia.partition.hypergraph_ncut import hypergraph_ncut as hypergraph_ncut
from comitia.partition.k_means import kmeans as kmeans
from comitia.partition.k_means import kmeans_rows as kmeans_rows
from comitia.partition.k_means import kmodes as kmodes
from comitia.partition.kernel_k_means import kernel_kmeans as kernel_kmeans
from comitia.partition.kernel_spectra import kernel_matrix as kernel_matrix
from comitia.partition.kernel_spectra import kernel_partitions as kernel_partitions
from comitia.partition.linkage import cut as cut
from comitia.partition.linkage import distances_of as distances_of
from comitia.partition.linkage import ensemble_linkage as ensemble_linkage
from comitia.partition.linkage import hac as hac
from comitia.partition.linkage import lifetime as lifetime
from comitia.partition.markov_field import grid_graph as grid_graph
from comitia.partition.markov_field import iterated_modes as iterated_modes
from comitia.partition.markov_field import potts_energy as potts_energy
from comitia.partition.median_search import MedianSearch as MedianSearch
from comitia.partition.median_search import MovesRun as MovesRun
from comitia.partition.metis import metis_partition as metis_partition
from comitia.partition.micro_linkage import micro_linkage as micro_linkage
from comitia.partition.reassign import Reassigned as Reassigned
from comitia.partition.reassign import reassign as reassign
from comitia.partition.similarity_kmeans import mean_similarity_kmeans as mean_similarity_kmeans
from comitia.partition.spanning_tree import TreeSplit as TreeSplit
from comitia.partition.spanning_tree import cut_long_edges as cut_long_edges
from comitia.partition.spanning_tree import spanning_tree as spanning_tree
from comitia.partition.spanning_tree import split_index as split_index
from comitia.partition.spectral import choose_n_clusters as choose_n_clusters
from comitia.partition.spectral import eigengap as eigengap
from comitia.partition.spectral import ncut as ncut
from comitia.partition.spectral import spectral_clustering as spectral_clustering
from comitia.partition.subspace import SubspaceRun as SubspaceRun
from comitia.partition.subspace import partition_consensus as partition_consensus
from comitia.partition.subspace import partition_distance as partition_distance
from comitia.partition.subspace import partition_weights as partition_weights
from comitia.partition.subspace import ridge_inverse as ridge_inverse
from comitia.partition.subspace import self_representation as self_representation
from comitia.partition.subspace import subspace_partitions as subspace_partitions
from comitia.partition.subspace import view_partition as view_partition
from comitia.partition.transfer_cut import bipartite_embedding as bipartite_embedding
from comitia.partition.transfer_cut import bipartite_spectrum as bipartite_spectrum
from comitia.partition.transfer_cut import tcut as tcut
from comitia.partition.voting import cluster_vote as cluster_vote
from comitia.partition.voting import median_selection as median_selection
from comitia.partition.voting import meta_vote as meta_vote
from comitia.partition.voting import weighted_vote as weighted_vote

__all__ = [
    "FuzzyRows",
    "MedianSearch",
    "MovesRun",
    "Reassigned",
    "SubspaceRun",
    "TreeSplit",
    "bipartite_embedding",
    "bipartite_spectrum",
    "choose_n_clusters",
    "cluster_vote",
    "complete_vote",
    "cophenetic",
    "cross_association",
    "cross_association_cost",
    "cut",
    "cut_long_edges",
    "distances_of",
    "eigengap",
    "ensemble_linkage",
    "extended_cophenetic",
    "fuzzy_rows",
    "grid_graph",
    "hac",
    "hypergraph_ncut",
    "hypergraph_partition",
    "is_ultrametric",
    "iterated_modes",
    "kernel_kmeans",
    "kernel_matrix",
    "kernel_partitions",
    "kmeans",
    "kmeans_rows",
    "kmodes",
    "lifetime",
    "mean_similarity_kmeans",
    "median_selection",
    "meta_vote",
    "metis_partition",
    "micro_linkage",
    "ncut",
    "ncut_points",
    "partition_consensus",
    "partition_distance",
    "partition_weights",
    "potts_energy",
    "reassign",
    "ridge_inverse",
    "row_correlations",
    "self_representation",
    "spanning_tree",
    "spectral_clustering",
    "split_index",
    "subspace_partitions",
    "tcut",
    "view_partition",
    "weighted_vote",
]
