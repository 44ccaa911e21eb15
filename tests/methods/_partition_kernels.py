"""The kernels of WPCK and of Vega-Pons et al. between two label vectors."""

from comitia.agreement import contingency_table
from comitia.methods.fixed_clusterings.vega_pons_2008 import path_kernel_table
from comitia.methods.fixed_clusterings.wpck import subset_kernel_table


def subset_kernel(a, b, *, max_subset_size=None, normalize=True):
    table = contingency_table(a, b)
    kernel = subset_kernel_table(int(table.sum()), max_subset_size)
    return kernel.normalized(table) if normalize else float(2.0 ** kernel.log2(table))


def path_kernel(a, b, *, continuation=0.5, normalize=True):
    table = contingency_table(a, b)
    n = int(table.sum())
    kernel = path_kernel_table(n, continuation)
    if normalize:
        return kernel.normalized(table)
    return float(2.0 ** kernel.log2(table)) / max(n, 1) ** 2
