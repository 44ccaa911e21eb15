# Written by tools/make_stubs.py from __init__.py; do not edit.

from comitia.represent.alignment import align as align
from comitia.represent.alignment import align_clusters as align_clusters
from comitia.represent.coassociation import coassociation as coassociation
from comitia.represent.coassociation import coassociation_blocks as coassociation_blocks
from comitia.represent.coassociation import condensed_coassociation as condensed_coassociation
from comitia.represent.edges import edge_coassociation as edge_coassociation
from comitia.represent.graphs import bipartite_graph as bipartite_graph
from comitia.represent.graphs import combined_weights as combined_weights
from comitia.represent.graphs import jaccard_clusters as jaccard_clusters
from comitia.represent.graphs import knn_graph as knn_graph
from comitia.represent.graphs import laplacian as laplacian
from comitia.represent.implicit import ImplicitCoassociation as ImplicitCoassociation
from comitia.represent.random_walk import random_walk_similarity as random_walk_similarity
from comitia.represent.soft_assignment import profile_similarity as profile_similarity
from comitia.represent.soft_assignment import soft_assignment as soft_assignment
from comitia.represent.votes import overlaps as overlaps

__all__ = [
    "ImplicitCoassociation",
    "align",
    "align_clusters",
    "bipartite_graph",
    "coassociation",
    "coassociation_blocks",
    "combined_weights",
    "condensed_coassociation",
    "edge_coassociation",
    "jaccard_clusters",
    "knn_graph",
    "laplacian",
    "overlaps",
    "profile_similarity",
    "random_walk_similarity",
    "soft_assignment",
]
