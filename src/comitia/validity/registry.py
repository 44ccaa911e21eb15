"""The indices by name: which way each points, what it costs and what it needs."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from comitia.exceptions import ComitiaError
from comitia.validity import centers, pairs, scatter

__all__ = ["INDICES", "Direction", "Index", "get_index"]

Direction = Literal["large", "small", "property"]


@dataclass(frozen=True)
class Index:
    """What is known of a validity index.

    Attributes
    ----------
    name : str
        The name of its function.

    function : callable
        ``function(X, labels)``, or ``function(Clustered(X, labels))``.

    direction : {"large", "small", "property"}
        Which values are better; a property is no quality.

    cost : {"n", "nk", "n2"}
        What its time grows with, for n objects and k clusters.

    needs : tuple of str
        Keyword arguments without which it cannot be computed.

    lowest : float
        Smallest value it can take.

    stands_for : str or None
        The index that it is a cheaper form of.
    """

    name: str
    function: Callable[..., float]
    direction: Direction
    cost: Literal["n", "nk", "n2"]
    needs: tuple[str, ...] = ()
    lowest: float = 0.0
    stands_for: str | None = None

    @property
    def summary(self) -> str:
        """The first line of the docstring of its function."""
        return (self.function.__doc__ or "").partition("\n")[0]


_NEIGHBORS = ("sse_previous", "sse_next")

INDICES: dict[str, Index] = {
    index.name: index
    for index in [
        Index("calinski_harabasz", scatter.calinski_harabasz, "large", "n"),
        Index(
            "centroid_separation_ratio", centers.centroid_separation_ratio, "large", "n"
        ),
        Index(
            "cluster_size_difference", centers.cluster_size_difference, "property", "n"
        ),
        Index("compactness", centers.compactness, "small", "n"),
        Index("connectedness", pairs.connectedness, "small", "n2"),
        Index("davies_bouldin", centers.davies_bouldin, "small", "n"),
        Index("dunn", pairs.dunn, "large", "n2"),
        # Below -(n - k - 1) it cannot fall, which is no bound that could be used.
        Index(
            "hartigan", scatter.hartigan, "large", "n", _NEIGHBORS[1:], -float("inf")
        ),
        Index("hubert_normalized", pairs.hubert_normalized, "large", "n2", (), -1.0),
        Index("hubert_raw", pairs.hubert_raw, "large", "n2"),
        Index("index_i", centers.index_i, "large", "n"),
        Index("inter_cluster_distance", centers.inter_cluster_distance, "large", "n"),
        Index("intra_cluster_distance", centers.intra_cluster_distance, "small", "n"),
        Index("krzanowski_lai", scatter.krzanowski_lai, "large", "n", _NEIGHBORS),
        Index("mean_cluster_size", centers.mean_cluster_size, "property", "n"),
        Index(
            "mean_distance_to_center", centers.mean_distance_to_center, "small", "nk"
        ),
        Index("modified_hubert", pairs.modified_hubert, "large", "n2"),
        Index("point_symmetry", pairs.point_symmetry, "small", "n2"),
        Index("r_squared", scatter.r_squared, "large", "n"),
        Index("rmsstd", scatter.rmsstd, "small", "n"),
        Index("s_dbw", scatter.s_dbw, "small", "nk"),
        Index("sd", scatter.sd, "small", "n"),
        Index("silhouette", pairs.silhouette, "large", "n2", (), -1.0),
        Index("sse", scatter.sse, "small", "n"),
        Index("xie_beni", centers.xie_beni, "small", "n"),
        Index(
            "simplified_silhouette",
            centers.simplified_silhouette,
            "large",
            "nk",
            (),
            -1.0,
            stands_for="silhouette",
        ),
        Index("centroid_dunn", centers.centroid_dunn, "large", "n", stands_for="dunn"),
    ]
}


def get_index(name: str) -> Index:
    """Look an index up by its name.

    Parameters
    ----------
    name : str
        Such as ``"silhouette"``.

    Returns
    -------
    index : Index
        The index.

    Examples
    --------
    >>> from comitia.validity import get_index
    >>> get_index("davies_bouldin").direction
    'small'
    """
    if name not in INDICES:
        import difflib

        close = difflib.get_close_matches(str(name), INDICES, n=3)
        known = " or ".join(close) if close else ", ".join(sorted(INDICES))
        raise ComitiaError(f"there is no validity index {name!r}; choose {known}.")
    return INDICES[name]
