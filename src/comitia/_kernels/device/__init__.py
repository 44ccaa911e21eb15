"""The sums over objects of the linear methods, on a device, through PyTorch.

Each function gives what the compiled kernel of the same name gives, to the last bit.
What belongs to one object is added up in the order of the kernel, one operation at a
time, so that nothing is fused or reordered. What is summed over objects is an integer:
the sums are products with one-hot matrices, cut so small that floating point holds them
exactly.

Labels are tensors (n_clusterings, n) as those of an Ensemble, on any device. Objects
are taken a slice at a time; beside what it returns no function holds more than a
gigabyte or so. Nothing larger than a table of clusters leaves the device.
"""

from comitia._kernels.device._slices import narrowest
from comitia._kernels.device.labels import distinct_rows, in_order
from comitia._kernels.device.rows import (
    mean_rows,
    nearest_centers,
    nearest_rows,
    plurality,
    row_norms,
    row_totals,
    score_rows,
    table_rows,
)
from comitia._kernels.device.tables import (
    count_pairs,
    count_with,
    sum_labels,
    sum_rows,
    weighted_contingency,
)

__all__ = [
    "count_pairs",
    "count_with",
    "distinct_rows",
    "in_order",
    "mean_rows",
    "narrowest",
    "nearest_centers",
    "nearest_rows",
    "plurality",
    "row_norms",
    "row_totals",
    "score_rows",
    "sum_labels",
    "sum_rows",
    "table_rows",
    "weighted_contingency",
]
