"""Reasons that several cards give for a promise that they do not make."""

__all__ = ["HALF_KEPT"]

HALF_KEPT = (
    "keeps half; where all clusterings are noisy, half of them outvote less noise than "
    "all"
)
