# Written by tools/make_stubs.py from __init__.py; do not edit.

from comitia.validity.centers import centroid_dunn as centroid_dunn
from comitia.validity.centers import centroid_separation_ratio as centroid_separation_ratio
from comitia.validity.centers import cluster_size_difference as cluster_size_difference
from comitia.validity.centers import compactness as compactness
from comitia.validity.centers import davies_bouldin as davies_bouldin
from comitia.validity.centers import index_i as index_i
from comitia.validity.centers import inter_cluster_distance as inter_cluster_distance
from comitia.validity.centers import intra_cluster_distance as intra_cluster_distance
from comitia.validity.centers import mean_cluster_size as mean_cluster_size
from comitia.validity.centers import mean_distance_to_center as mean_distance_to_center
from comitia.validity.centers import simplified_silhouette as simplified_silhouette
from comitia.validity.centers import xie_beni as xie_beni
from comitia.validity.clustered import Clustered as Clustered
from comitia.validity.pairs import connectedness as connectedness
from comitia.validity.pairs import dunn as dunn
from comitia.validity.pairs import hubert_normalized as hubert_normalized
from comitia.validity.pairs import hubert_raw as hubert_raw
from comitia.validity.pairs import modified_hubert as modified_hubert
from comitia.validity.pairs import point_symmetry as point_symmetry
from comitia.validity.pairs import silhouette as silhouette
from comitia.validity.pairs import silhouette_samples as silhouette_samples
from comitia.validity.registry import INDICES as INDICES
from comitia.validity.registry import Index as Index
from comitia.validity.registry import get_index as get_index
from comitia.validity.scatter import calinski_harabasz as calinski_harabasz
from comitia.validity.scatter import hartigan as hartigan
from comitia.validity.scatter import krzanowski_lai as krzanowski_lai
from comitia.validity.scatter import r_squared as r_squared
from comitia.validity.scatter import rmsstd as rmsstd
from comitia.validity.scatter import s_dbw as s_dbw
from comitia.validity.scatter import sd as sd
from comitia.validity.scatter import sse as sse
from comitia.validity.table import ScoreTable as ScoreTable
from comitia.validity.table import score_table as score_table
from comitia.validity.unification import finite_scores as finite_scores
from comitia.validity.unification import positive_scores as positive_scores
from comitia.validity.unification import unify as unify

__all__ = [
    "Clustered",
    "INDICES",
    "Index",
    "ScoreTable",
    "calinski_harabasz",
    "centroid_dunn",
    "centroid_separation_ratio",
    "cluster_size_difference",
    "compactness",
    "connectedness",
    "davies_bouldin",
    "dunn",
    "finite_scores",
    "get_index",
    "hartigan",
    "hubert_normalized",
    "hubert_raw",
    "index_i",
    "inter_cluster_distance",
    "intra_cluster_distance",
    "krzanowski_lai",
    "mean_cluster_size",
    "mean_distance_to_center",
    "modified_hubert",
    "point_symmetry",
    "positive_scores",
    "r_squared",
    "rmsstd",
    "s_dbw",
    "score_table",
    "sd",
    "silhouette",
    "silhouette_samples",
    "simplified_silhouette",
    "sse",
    "unify",
    "xie_beni",
]
