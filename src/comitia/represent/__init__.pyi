# Written by tools/make_stubs.py from __init__.py; do not edit.

from comitia.represent.alignment import align as align
from comitia.represent.alignment import align_clusters as align_clusters
from comitia.represent.alignment import aligned_votes as aligned_votes
from comitia.represent.coassociation import coassociation as coassociation
from comitia.represent.coassociation import coassociation_blocks as coassociation_blocks
from comitia.represent.coassociation import combined_weights as combined_weights
from comitia.represent.coassociation import condensed_coassociation as condensed_coassociation
from comitia.represent.graphs import BipartiteGraph as BipartiteGraph
from comitia.represent.graphs import bipartite_graph as bipartite_graph
from comitia.represent.graphs import jaccard_clusters as jaccard_clusters
from comitia.represent.graphs import knn_graph as knn_graph
from comitia.represent.graphs import laplacian as laplacian
from comitia.represent.implicit import ImplicitCoassociation as ImplicitCoassociation
from comitia.represent.link_similarity import link_similarity as link_similarity
from comitia.represent.link_similarity import refine_by_links as refine_by_links
from comitia.represent.link_similarity import soft_jaccard as soft_jaccard
from comitia.represent.mean_distances import mean_distances as mean_distances
from comitia.represent.partition_kernel import PartitionKernel as PartitionKernel
from comitia.represent.partition_kernel import path_kernel as path_kernel
from comitia.represent.partition_kernel import path_kernel_table as path_kernel_table
from comitia.represent.partition_kernel import subset_kernel as subset_kernel
from comitia.represent.partition_kernel import subset_kernel_table as subset_kernel_table
from comitia.represent.random_walk import propagated_coassociation as propagated_coassociation
from comitia.represent.random_walk import random_walk_similarity as random_walk_similarity
from comitia.represent.soft_assignment import distance_shares as distance_shares
from comitia.represent.soft_assignment import profile_similarity as profile_similarity
from comitia.represent.soft_assignment import soft_assignment as soft_assignment
from comitia.represent.soft_assignment import weighted_centres as weighted_centres
from comitia.represent.tnorm import tnorm_coassociation as tnorm_coassociation
from comitia.represent.votes import cluster_shares as cluster_shares
from comitia.represent.votes import overlaps as overlaps
from comitia.represent.votes import spread_shares as spread_shares
from comitia.represent.votes import vote_shares as vote_shares
from comitia.represent.weighted_association import weighted_association as weighted_association

__all__ = [
    "BipartiteGraph",
    "ImplicitCoassociation",
    "PartitionKernel",
    "align",
    "align_clusters",
    "aligned_votes",
    "bipartite_graph",
    "cluster_shares",
    "coassociation",
    "coassociation_blocks",
    "combined_weights",
    "condensed_coassociation",
    "distance_shares",
    "jaccard_clusters",
    "knn_graph",
    "laplacian",
    "link_similarity",
    "mean_distances",
    "overlaps",
    "path_kernel",
    "path_kernel_table",
    "profile_similarity",
    "propagated_coassociation",
    "random_walk_similarity",
    "refine_by_links",
    "soft_assignment",
    "soft_jaccard",
    "spread_shares",
    "subset_kernel",
    "subset_kernel_table",
    "tnorm_coassociation",
    "vote_shares",
    "weighted_association",
    "weighted_centres",
]
