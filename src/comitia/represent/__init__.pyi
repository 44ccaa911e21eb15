# Written by tools/make_stubs.py from __init__.py; do not edit.

from comitia.represent.alignment import align as align
from comitia.represent.alignment import align_clusters as align_clusters
from comitia.represent.coassociation import coassociation as coassociation
from comitia.represent.coassociation import coassociation_blocks as coassociation_blocks
from comitia.represent.coassociation import combined_weights as combined_weights
from comitia.represent.coassociation import condensed_coassociation as condensed_coassociation
from comitia.represent.graphs import bipartite_graph as bipartite_graph
from comitia.represent.graphs import jaccard_clusters as jaccard_clusters
from comitia.represent.graphs import knn_graph as knn_graph
from comitia.represent.graphs import laplacian as laplacian
from comitia.represent.implicit import ImplicitCoassociation as ImplicitCoassociation
from comitia.represent.random_walk import random_walk_similarity as random_walk_similarity
from comitia.represent.soft_assignment import profile_similarity as profile_similarity
from comitia.represent.soft_assignment import soft_assignment as soft_assignment
from comitia.represent.summary import Profile as Profile
from comitia.represent.summary import binned_coassociation as binned_coassociation
from comitia.represent.summary import cluster_profile as cluster_profile
from comitia.represent.summary import consensus_order as consensus_order
from comitia.represent.summary import embed_objects as embed_objects
from comitia.represent.summary import seriated_order as seriated_order
from comitia.represent.votes import overlaps as overlaps

__all__ = [
    "ImplicitCoassociation",
    "Profile",
    "align",
    "align_clusters",
    "binned_coassociation",
    "bipartite_graph",
    "cluster_profile",
    "coassociation",
    "coassociation_blocks",
    "combined_weights",
    "condensed_coassociation",
    "consensus_order",
    "embed_objects",
    "jaccard_clusters",
    "knn_graph",
    "laplacian",
    "overlaps",
    "profile_similarity",
    "random_walk_similarity",
    "seriated_order",
    "soft_assignment",
]
