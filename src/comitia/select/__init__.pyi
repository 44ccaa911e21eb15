# Written by tools/make_stubs.py from __init__.py; do not edit.

from comitia.select.clusters import cluster_stability as cluster_stability
from comitia.select.clusters import edited_stability as edited_stability
from comitia.select.clusters import kept_coassociation as kept_coassociation
from comitia.select.features import laplacian_scores as laplacian_scores
from comitia.select.features import n_components as n_components
from comitia.select.features import reduce_features as reduce_features
from comitia.select.features import spectral_scores as spectral_scores
from comitia.select.neighborhood import multilayer_communities as multilayer_communities
from comitia.select.neighborhood import relative_neighborhood as relative_neighborhood
from comitia.select.neighborhood import seed_communities as seed_communities
from comitia.select.picks import best_of_groups as best_of_groups
from comitia.select.picks import cover as cover
from comitia.select.picks import cover_clusters as cover_clusters
from comitia.select.picks import diversity_shares as diversity_shares
from comitia.select.picks import greedy_diverse as greedy_diverse
from comitia.select.picks import index_distinctness as index_distinctness
from comitia.select.picks import leaders as leaders
from comitia.select.picks import share_out as share_out
from comitia.select.picks import top as top
from comitia.select.ranks import borda_points as borda_points
from comitia.select.ranks import mean_rank as mean_rank
from comitia.select.ranks import mid_ranks as mid_ranks
from comitia.select.ranks import robust_rank as robust_rank
from comitia.select.subsets import graph_scores as graph_scores
from comitia.select.subsets import relevance_redundancy as relevance_redundancy
from comitia.select.subsets import subset_weights as subset_weights

__all__ = [
    "best_of_groups",
    "borda_points",
    "cluster_stability",
    "cover",
    "cover_clusters",
    "diversity_shares",
    "edited_stability",
    "graph_scores",
    "greedy_diverse",
    "index_distinctness",
    "kept_coassociation",
    "laplacian_scores",
    "leaders",
    "mean_rank",
    "mid_ranks",
    "multilayer_communities",
    "n_components",
    "reduce_features",
    "relative_neighborhood",
    "relevance_redundancy",
    "robust_rank",
    "seed_communities",
    "share_out",
    "spectral_scores",
    "subset_weights",
    "top",
]
