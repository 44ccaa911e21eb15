"""Products with the indicator matrix B, read from the labels.

Tables have one row more per clustering than it has clusters: a missing label reads,
and writes, that one. ``starts`` says where the rows of each clustering begin.
"""

from comitia._kernels._njit import njit

__all__ = ["add_to_table", "sum_of_table"]


@njit(cache=True, nogil=True)
def sum_of_table(row_codes, starts, table, out):
    """B @ table: the sum of the table rows that an object's labels name.

    Four labels at once, in a fixed order: the loop over columns is what costs.
    """
    n, M = row_codes.shape
    k = table.shape[1]
    for i in range(n):
        total = out[i]
        total[:] = 0.0
        m = 0
        while m + 4 <= M:
            a = table[starts[m] + row_codes[i, m]]
            b = table[starts[m + 1] + row_codes[i, m + 1]]
            c = table[starts[m + 2] + row_codes[i, m + 2]]
            d = table[starts[m + 3] + row_codes[i, m + 3]]
            for r in range(k):
                total[r] += (a[r] + b[r]) + (c[r] + d[r])
            m += 4
        while m < M:
            a = table[starts[m] + row_codes[i, m]]
            for r in range(k):
                total[r] += a[r]
            m += 1


@njit(cache=True, nogil=True)
def add_to_table(row_codes, starts, Q, table):
    """Add Q's rows to the table rows of their labels: table += B' @ Q."""
    n, M = row_codes.shape
    k = Q.shape[1]
    for i in range(n):
        row = Q[i]
        for m in range(M):
            total = table[starts[m] + row_codes[i, m]]
            for r in range(k):
                total[r] += row[r]
