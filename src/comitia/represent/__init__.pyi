# Written by tools/make_stubs.py from __init__.py; do not edit.

from comitia.represent.alignment import align as align
from comitia.represent.alignment import align_clusters as align_clusters
from comitia.represent.alignment import aligned_votes as aligned_votes
from comitia.represent.alignment import match_clusters as match_clusters
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
from comitia.represent.series import SERIES_REPRESENTATIONS as SERIES_REPRESENTATIONS
from comitia.represent.series import fourier_coefficients as fourier_coefficients
from comitia.represent.series import piecewise_statistics as piecewise_statistics
from comitia.represent.series import piecewise_wavelets as piecewise_wavelets
from comitia.represent.series import polynomial_coefficients as polynomial_coefficients
from comitia.represent.series import represent_series as represent_series
from comitia.represent.soft_assignment import distance_shares as distance_shares
from comitia.represent.soft_assignment import profile_similarity as profile_similarity
from comitia.represent.soft_assignment import soft_assignment as soft_assignment
from comitia.represent.soft_assignment import weighted_centers as weighted_centers
from comitia.represent.summary import Profile as Profile
from comitia.represent.summary import binned_coassociation as binned_coassociation
from comitia.represent.summary import cluster_profile as cluster_profile
from comitia.represent.summary import consensus_order as consensus_order
from comitia.represent.summary import embed_objects as embed_objects
from comitia.represent.summary import seriated_order as seriated_order
from comitia.represent.tnorm import tnorm_coassociation as tnorm_coassociation
from comitia.represent.views import balance_view as balance_view
from comitia.represent.views import graph_on as graph_on
from comitia.represent.views import impute_views as impute_views
from comitia.represent.views import presence_weights as presence_weights
from comitia.represent.views import row_scale as row_scale
from comitia.represent.views import scale_view as scale_view
from comitia.represent.views import view_limits as view_limits
from comitia.represent.votes import cluster_shares as cluster_shares
from comitia.represent.votes import overlaps as overlaps
from comitia.represent.votes import overlaps_with as overlaps_with
from comitia.represent.votes import spread_shares as spread_shares
from comitia.represent.votes import vote_shares as vote_shares
from comitia.represent.weighted_association import weighted_association as weighted_association

__all__ = [
    "BipartiteGraph",
    "ImplicitCoassociation",
    "PartitionKernel",
    "Profile",
    "SERIES_REPRESENTATIONS",
    "align",
    "align_clusters",
    "aligned_votes",
    "balance_view",
    "binned_coassociation",
    "bipartite_graph",
    "cluster_profile",
    "cluster_shares",
    "coassociation",
    "coassociation_blocks",
    "combined_weights",
    "condensed_coassociation",
    "consensus_order",
    "distance_shares",
    "embed_objects",
    "fourier_coefficients",
    "graph_on",
    "impute_views",
    "jaccard_clusters",
    "knn_graph",
    "laplacian",
    "link_similarity",
    "match_clusters",
    "mean_distances",
    "overlaps",
    "overlaps_with",
    "path_kernel",
    "path_kernel_table",
    "piecewise_statistics",
    "piecewise_wavelets",
    "polynomial_coefficients",
    "presence_weights",
    "profile_similarity",
    "propagated_coassociation",
    "random_walk_similarity",
    "refine_by_links",
    "represent_series",
    "row_scale",
    "scale_view",
    "seriated_order",
    "soft_assignment",
    "soft_jaccard",
    "spread_shares",
    "subset_kernel",
    "subset_kernel_table",
    "tnorm_coassociation",
    "view_limits",
    "vote_shares",
    "weighted_association",
    "weighted_centers",
]
