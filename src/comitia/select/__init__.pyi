# Written by tools/make_stubs.py from __init__.py; do not edit.

from comitia.select.neighborhood import multilayer_communities as multilayer_communities
from comitia.select.neighborhood import relative_neighborhood as relative_neighborhood
from comitia.select.picks import best_of_groups as best_of_groups
from comitia.select.picks import cover as cover
from comitia.select.picks import greedy_diverse as greedy_diverse
from comitia.select.picks import top as top
from comitia.select.rank_aggregation import borda_points as borda_points
from comitia.select.rank_aggregation import robust_rank as robust_rank

__all__ = [
    "best_of_groups",
    "borda_points",
    "cover",
    "greedy_diverse",
    "multilayer_communities",
    "relative_neighborhood",
    "robust_rank",
    "top",
]
