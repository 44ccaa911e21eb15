"""Reasons that several cards give for a promise that they do not make."""

__all__ = ["HALF_KEPT", "METIS_TIES", "STARTS_BY_PLACE"]

HALF_KEPT = (
    "keeps half; where all clusterings are noisy, half of them outvote less noise than "
    "all"
)
METIS_TIES = "METIS breaks ties between cuts by the order of the vertices"
STARTS_BY_PLACE = (
    "starts are drawn by place; in another order others are drawn, and of solutions "
    "that are nearly as good another is found"
)
