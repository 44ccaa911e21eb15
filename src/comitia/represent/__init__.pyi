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
from comitia.represent.votes import cluster_shares as cluster_shares
from comitia.represent.votes import overlaps as overlaps
from comitia.represent.votes import spread_shares as spread_shares
from comitia.represent.votes import vote_shares as vote_shares

__all__ = [
    "BipartiteGraph",
    "ImplicitCoassociation",
    "align",
    "align_clusters",
    "aligned_votes",
    "bipartite_graph",
    "cluster_shares",
    "coassociation",
    "coassociation_blocks",
    "combined_weights",
    "condensed_coassociation",
    "jaccard_clusters",
    "knn_graph",
    "laplacian",
    "overlaps",
    "spread_shares",
    "vote_shares",
]
