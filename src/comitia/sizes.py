"""Every size at which the path through the code changes, with its reason.

Labels are equal on both sides of each; ``tests/test_sizes.py`` runs both. Where more
objects are sampled first, they are equal when the clusters are plain.
"""

__all__ = [
    "CELLS_PER_OBJECT",
    "DENSE_COLUMNS",
    "DENSE_MATRIX",
    "DEVICE_CELLS",
    "DEVICE_GLANCE_ROWS",
    "FEW_CELLS",
    "FEW_INCREMENTS",
    "FEW_LABELS",
    "FEW_OBJECTS",
    "FEW_TO_SHARE",
    "FEW_TO_SHARE_BLAS",
    "FEW_VALUES",
    "GLANCE_ROWS",
    "KEPT_DISTANCES",
    "KEPT_TABLE_BYTES",
    "KRYLOV_MATRIX",
    "LARGER_SAMPLE_ROWS",
    "MANY_FILE_ROWS",
    "MANY_FOR_GRAPHS",
    "MANY_FOR_TREES",
    "MANY_ROWS",
    "N_LANDMARKS",
    "SAMPLE_ROWS",
    "SETTLED_PAIRS",
    "SMALL_MATRIX",
    "TRIED_ROWS",
]

# -- sparse products or compiled kernels -----------------------------------------------

# Labels, n times M: below this, loading the compiled kernels takes longer than sparse
# products take.
FEW_LABELS = 50_000

# Increments of all contingency tables, n times M squared: the same for tables.
FEW_INCREMENTS = 2_000_000

# Cells of the largest contingency table. With more than this, and with more than
# CELLS_PER_OBJECT for each object, most are zero: tables are then sparse products.
FEW_CELLS = 1 << 16
CELLS_PER_OBJECT = 8

# Labels up to this are coded by counting them, 30 times faster than by sorting; a table
# of all values between larger ones would be mostly empty.
FEW_VALUES = 1 << 16

# -- blocks, samples, devices ----------------------------------------------------------

# Objects: with fewer there is nothing to gain from row blocks or from a device; all
# labels are read into memory. It is what MANY_ROWS different rows and their equals
# come to at the most.
FEW_OBJECTS = 50_000

# Different label rows: so many, from all blocks together, are brought to one place, and
# k-means runs on all of them at once; more are sampled first.
MANY_ROWS = 40_000

# Rows of the sample that the starts of k-means are tried on.
SAMPLE_ROWS = 20_000

# Rows, out of those, that several times as many starts are tried on first, where the
# sample has at least twice as many.
TRIED_ROWS = 2_000

# Objects, at the most, of the share of all that k-means goes on with before it goes on
# with all of them. Planted clusters of 1e6 to 1e8 objects are found as well with so
# many, for each of eight seeds; drawing an eighth of 1e8 took a third of the time.
LARGER_SAMPLE_ROWS = 2_000_000

# Objects that tell whether equal rows are worth looking for among all of them. The
# table of many millions of rows fits no cache; looking a row up in it takes as long as
# carrying half a row through the passes of k-means. A device sorts them, and needs
# fewer.
GLANCE_ROWS = 1 << 20
DEVICE_GLANCE_ROWS = 1 << 17

# Cells of a table of all clusters that a device counts although there are fewer
# objects: 128 MB.
DEVICE_CELLS = 1 << 24

# Rows of a file: `comitia fit` works on more of them in blocks, where that can be done.
# In memory, lines of labels.csv and the map of all objects take longer than clustering.
MANY_FILE_ROWS = 200_000

# Objects that stand for all in `approximate="landmarks"`: their co-association takes a
# hundred megabytes.
N_LANDMARKS = 5_000

# -- eigenvectors and trees ------------------------------------------------------------

# Order of a symmetric matrix. Up to the first, all eigenpairs cost less than importing
# scipy.linalg; beyond the second, Lanczos iterations beat a dense decomposition.
SMALL_MATRIX = 256
DENSE_MATRIX = 2048

# Order of the Laplacian of a graph: beyond this, its smallest eigenpairs come from a
# Krylov space of the inverse, which takes a third of the time for 2 000 objects.
KRYLOV_MATRIX = 800

# Columns of a matrix of which only two singular vectors are wanted: the same.
DENSE_COLUMNS = 512

# Objects from which on a tree, and clusters beyond which the eigenvectors of their
# graph, take minutes: "reassign" then does without them as starts.
MANY_FOR_TREES = 50_000
MANY_FOR_GRAPHS = 5_000

# Objects of data that are put into the order of their content before anything is drawn
# from them, and bytes of these data. That takes a copy, and hundredths of a second;
# samples of more objects are drawn by their places.
CONTENT_ORDER_OBJECTS = 200_000
CONTENT_ORDER_BYTES = 1 << 30

# Objects of a generator, from which on k-means with solver="auto" fits its members on
# samples: Lloyd's iterations over 50 000 objects take a hundred times as long, for an
# inertia that is a per cent lower. Labels differ across this size.
SAMPLED_KMEANS_OBJECTS = 50_000

# Objects that go to their nearest centre: from here on by compiled kernels, which take
# a moment to load and give the same labels.
COMPILED_NEAREST_OBJECTS = 50_000

# Objects that one thread of OpenMP clusters: k-means of 3 000 objects takes 5.5 ms by
# one and 5.3 by two; where other processes keep both cores busy, 5.9 and 945. Objects
# whose matrices one thread of BLAS works on: ten eigenvectors of 1 000 take 39 ms by
# one and 28 by two; on the busy machine 45 to 80 and 109 to 5 900.
FEW_TO_SHARE = 10_000
FEW_TO_SHARE_BLAS = 1_000

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

# Bytes of the tables that an ensemble which grows keeps; larger ones are counted again.
KEPT_TABLE_BYTES = 1 << 28

# Distances that the individuals of zhou_zhu_2017 keep together; more are computed
# again.
KEPT_DISTANCES = 1 << 25

# Pairs of objects that tell whether clusterings have settled; of more, so many are
# drawn: the error of a correlation of .9 is about .001 then.
SETTLED_PAIRS = 20_000

# Bytes of the samples of several members that are read in one pass over the rows.
SAMPLE_BYTES = 1 << 28

# Objects of which the nearest neighbours are found exactly, which with many features
# means by comparing all pairs. Of more they are looked for among groups, which misses
# one to three in a hundred. Labels differ a little across this size.
EXACT_NEIGHBORS_OBJECTS = 50_000

# Vertices of a network of which the iterated consensus looks at all pairs: 800 MB. Of
# more it looks at those near each other. Labels differ a little across this size.
ALL_PAIRS_VERTICES = 10_000

# Objects of which the minimum spanning tree is found exactly, by comparing all pairs:
# two seconds. Of more it is found among neighbours and a sample of that size.
SPANNING_TREE_OBJECTS = 20_000

# Objects of the sample that a member with clusters of any shape is fitted on, at most,
# or for each cluster if that is more: its tree or its eigenvectors take a tenth of a
# second. The others are labelled like the nearest object of the sample.
SHAPES_SAMPLE = 4_000
SHAPES_SAMPLE_EACH = 16

# Objects of the sample on which a consensus is compared with single algorithms, and
# objects up to which it is found again without each family: the first takes a tenth of
# a second, the second as long as the consensus itself.
RIVALS_SAMPLE = 2_000
FAMILY_ANSWERS_OBJECTS = 20_000

# Objects from which on the data of such members are kept in single precision, and an
# object is compared with the nearer groups of the sample instead of all of it. That
# takes a fifth of the time; one object in a hundred finds the second nearest.
SINGLE_PRECISION_OBJECTS = 20_000

# Features from which on distances are computed for many pairs at once, with the same
# sums: 2650 objects of 3703 features in a fifth of the time, of 128 in the same.
MANY_FEATURES = 256

# Bytes of what the clusterings of a result remember, to label new objects: more is most
# of the table, and is not kept.
MEMBER_BYTES = 1 << 28

# Columns from which on a table of numbers may be one of counts, or of one unit.
WIDE_COLUMNS = 50

# Objects up to which a table with more columns than objects is rotated: the singular
# vectors of 2 000 x 4 000 take five seconds.
ROTATED_OBJECTS = 2_000

# Rows up to which a missing number comes from the nearest rows, and not from a median:
# with gaps in all of 10 000 x 20 that takes 1.5 s of processor time, of 10 000 x 200
# 13 s.
FILLED_OBJECTS = 10_000

__all__ += [
    "ALL_PAIRS_VERTICES",
    "BLOCK_ROWS",
    "COMPILED_NEAREST_OBJECTS",
    "CONTENT_ORDER_BYTES",
    "CONTENT_ORDER_OBJECTS",
    "EXACT_NEIGHBORS_OBJECTS",
    "FAMILY_ANSWERS_OBJECTS",
    "FILLED_OBJECTS",
    "KMEANS_SAMPLE",
    "KMEANS_SAMPLE_EACH",
    "LANDMARK_GRAPH_SAMPLE",
    "LANDMARK_GRAPH_SAMPLE_EACH",
    "MANY_FEATURES",
    "MEDIAN_DISTANCE_SAMPLE",
    "MEMBER_BYTES",
    "RIVALS_SAMPLE",
    "ROTATED_OBJECTS",
    "SAMPLED_KMEANS_OBJECTS",
    "SAMPLE_BYTES",
    "SHAPES_SAMPLE",
    "SHAPES_SAMPLE_EACH",
    "SINGLE_PRECISION_OBJECTS",
    "SPANNING_TREE_OBJECTS",
    "WIDE_COLUMNS",
]
