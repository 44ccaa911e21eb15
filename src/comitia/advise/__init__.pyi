# Written by tools/make_stubs.py from __init__.py; do not edit.

from comitia.advise.choice import KChoice as KChoice
from comitia.advise.choice import choose_k as choose_k
from comitia.advise.comparison import Comparison as Comparison
from comitia.advise.comparison import MethodRow as MethodRow
from comitia.advise.comparison import compare as compare
from comitia.advise.consensus import PairShares as PairShares
from comitia.advise.consensus import area_changes as area_changes
from comitia.advise.consensus import cdf_area as cdf_area
from comitia.advise.consensus import consensus_cdf as consensus_cdf
from comitia.advise.consensus import cophenetic_correlation as cophenetic_correlation
from comitia.advise.consensus import pac as pac
from comitia.advise.consensus import pair_shares as pair_shares
from comitia.advise.criteria import eigengaps as eigengaps
from comitia.advise.criteria import lifetimes as lifetimes
from comitia.advise.criteria import mean_agreement as mean_agreement
from comitia.advise.panels import panel_ids as panel_ids
from comitia.advise.ranks import MeanRanks as MeanRanks
from comitia.advise.ranks import mean_ranks as mean_ranks
from comitia.advise.recommendation import Recommendation as Recommendation
from comitia.advise.recommendation import Recommendations as Recommendations
from comitia.advise.recommendation import recommend as recommend
from comitia.advise.references import shuffled_ensemble as shuffled_ensemble
from comitia.advise.references import uniform_reference as uniform_reference

__all__ = [
    "Comparison",
    "KChoice",
    "MeanRanks",
    "MethodRow",
    "PairShares",
    "Recommendation",
    "Recommendations",
    "area_changes",
    "cdf_area",
    "choose_k",
    "compare",
    "consensus_cdf",
    "cophenetic_correlation",
    "eigengaps",
    "lifetimes",
    "mean_agreement",
    "mean_ranks",
    "pac",
    "pair_shares",
    "panel_ids",
    "recommend",
    "shuffled_ensemble",
    "uniform_reference",
]
