"""Every size at which the path through the code changes, with its reason.

Labels are equal on both sides of each; ``tests/test_sizes.py`` runs both.
"""

__all__ = [
    "FEW_INCREMENTS",
    "FEW_LABELS",
    "FEW_OBJECTS",
    "GLANCE_ROWS",
    "MANY_ROWS",
]

# Labels, n times M: below this, loading the compiled kernels takes longer than sparse
# products take.
FEW_LABELS = 50_000

# Increments of all contingency tables, n times M squared: the same for tables.
FEW_INCREMENTS = 2_000_000

# Objects: with fewer there is nothing to gain from row blocks or from a device; all
# labels are read into memory. It is what MANY_ROWS different rows and their equals
# come to at the most.
FEW_OBJECTS = 50_000

# Different label rows: so many, from all blocks together, are brought to one place, and
# k-means runs on all of them at once; more are sampled first.
MANY_ROWS = 40_000

# Objects that tell whether equal rows are worth looking for among all of them. The
# table of many millions of rows fits no cache; looking a row up in it takes as long as
# carrying half a row through the passes of k-means.
GLANCE_ROWS = 1 << 20
