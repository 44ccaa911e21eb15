# Written by tools/make_stubs.py from __init__.py; do not edit.

from comitia.evaluate.comparison import Comparison as Comparison
from comitia.evaluate.comparison import MethodRow as MethodRow
from comitia.evaluate.comparison import compare as compare
from comitia.evaluate.consensus_curves import PairShares as PairShares
from comitia.evaluate.consensus_curves import area_changes as area_changes
from comitia.evaluate.consensus_curves import cdf_area as cdf_area
from comitia.evaluate.consensus_curves import consensus_cdf as consensus_cdf
from comitia.evaluate.consensus_curves import cophenetic_correlation as cophenetic_correlation
from comitia.evaluate.consensus_curves import pac as pac
from comitia.evaluate.consensus_curves import pair_shares as pair_shares
from comitia.evaluate.criteria import eigengaps as eigengaps
from comitia.evaluate.criteria import lifetimes as lifetimes
from comitia.evaluate.criteria import mean_pairwise_agreement as mean_pairwise_agreement
from comitia.evaluate.k_choice import KChoice as KChoice
from comitia.evaluate.k_choice import choose_k as choose_k
from comitia.evaluate.method_ranks import MeanRanks as MeanRanks
from comitia.evaluate.method_ranks import mean_ranks as mean_ranks
from comitia.evaluate.panels import panel_ids as panel_ids
from comitia.evaluate.recommendation import Recommendation as Recommendation
from comitia.evaluate.recommendation import Recommendations as Recommendations
from comitia.evaluate.recommendation import recommend as recommend
from comitia.evaluate.references import shuffled_ensemble as shuffled_ensemble
from comitia.evaluate.references import uniform_reference as uniform_reference
from comitia.evaluate.setting_stability import Stability as Stability
from comitia.evaluate.setting_stability import stability as stability

__all__ = [
    "Comparison",
    "KChoice",
    "MeanRanks",
    "MethodRow",
    "PairShares",
    "Recommendation",
    "Recommendations",
    "Stability",
    "area_changes",
    "cdf_area",
    "choose_k",
    "compare",
    "consensus_cdf",
    "cophenetic_correlation",
    "eigengaps",
    "lifetimes",
    "mean_pairwise_agreement",
    "mean_ranks",
    "pac",
    "pair_shares",
    "panel_ids",
    "recommend",
    "shuffled_ensemble",
    "stability",
    "uniform_reference",
]
