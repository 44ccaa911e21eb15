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

# Objects of a generator, from which on k-means with solver="auto" fits its members on
# samples: Lloyd's iterations over 50 000 objects take a hundred times as long, for an
# inertia that is a per cent lower. Labels differ across this size.
SAMPLED_KMEANS_OBJECTS = 50_000

# Objects that go to their nearest centre: from here on by compiled kernels, which take
# a moment to load and give the same labels.
COMPILED_NEAREST_OBJECTS = 50_000

# Objects of the sample that k-means is run on, at least, and for each cluster: with
# 20 000 objects and 50 clusters the inertia is half a per cent above that of k-means on
# all objects. Fewer objects are taken as they are.
KMEANS_SAMPLE = 20_000
KMEANS_SAMPLE_EACH = 256

# Objects of the sample that a landmark graph is made of, at least, and for each
# landmark: fifty links are enough to tell the affinities of a landmark. Fewer objects
# are taken as they are.
LANDMARK_GRAPH_SAMPLE = 100_000
LANDMARK_GRAPH_SAMPLE_EACH = 50

# Objects whose distances tell the scale of the data; of more, so many are drawn.
MEDIAN_DISTANCE_SAMPLE = 500

# Rows of a block whose labels are written together: 50 clusterings of them are 25 MB.
BLOCK_ROWS = 500_000

# Bytes of the samples of several members that are read in one pass over the rows.
SAMPLE_BYTES = 1 << 28

__all__ += [
    "BLOCK_ROWS",
    "COMPILED_NEAREST_OBJECTS",
    "KMEANS_SAMPLE",
    "KMEANS_SAMPLE_EACH",
    "LANDMARK_GRAPH_SAMPLE",
    "LANDMARK_GRAPH_SAMPLE_EACH",
    "MEDIAN_DISTANCE_SAMPLE",
    "SAMPLED_KMEANS_OBJECTS",
    "SAMPLE_BYTES",
]
