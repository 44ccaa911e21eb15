"""Search over partitions, one object at a time, in time O(M) for each move tried.

The objective is a weighted sum of likenesses of a partition C to the clusterings of an
ensemble. Each likeness is a function of two sums over the contingency table of C and
C_m with cells t, row sums s and column sums u::

    N_m = sum_{r,c} sum_l row_l(s_r) inner_l(t_rc) column_l(u_c)
    Z_m = sum_r own(s_r)

so that an object that leaves or enters a cluster r changes one cell and one row sum of
each table. :class:`Form` holds the functions as tables, :class:`State` the counts and
the sums. Counts are exact; values that span more than a float64 are ``mantissa * 2 **
exponent``, and sums over them are taken relative to a power of two that follows them.
"""

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from comitia._kernels._njit import njit

__all__ = [
    "KINDS",
    "Form",
    "State",
    "anneal",
    "best_labels_of",
    "fill",
    "likenesses",
    "sweep",
    "total",
]

#: What a likeness is made of N and Z; the position is the number used below.
KINDS = (
    "kernel",
    "rand",
    "adjusted_rand",
    "f_measure",
    "jaccard",
    "fowlkes_mallows",
    "nmi_sqrt",
    "nmi_max",
    "nmi_min",
    "nmi_arithmetic",
    "nmi_joint",
    "mutual_information",
    "variation_of_information",
)

# A sum is added up anew when it has moved this far from where it was added up last:
# what subtraction leaves behind is then still exact to about ten digits.
_FAR = 2.0**10

# Less than this is no improvement but rounding.
_TINY = 1e-12


class Form(NamedTuple):
    """The likenesses, as tables. L terms, K base clusters, M clusterings."""

    kind: int  # position in KINDS
    scaled: bool  # whether exponents are used
    inner: NDArray[np.float64]  # (L, n + 1), of a cell
    exponents: NDArray[np.int64]  # (n + 1,), binary exponents of inner
    row: NDArray[np.float64]  # (L, n + 1), of the size of a consensus cluster
    column: NDArray[np.float64]  # (L, K), of a base cluster
    own: NDArray[np.float64]  # (n + 1,), of the size of a consensus cluster
    own_exponents: NDArray[np.int64]  # (n + 1,)
    other: NDArray[np.float64]  # (M,), the sum of own over C_m; its log2 for a kernel
    n_common: NDArray[np.float64]  # (M,), objects that C_m covers
    whole: NDArray[np.float64]  # (M,), own(n_common)
    unit: float  # what entropies are multiples of
    weights: NDArray[np.float64]  # (M,)


class State(NamedTuple):
    """A partition, its tables with all clusterings, and the sums over them."""

    labels: NDArray[np.int64]  # (n,), -1 for an object in no cluster
    sizes: NDArray[np.int64]  # (R,), R being the most clusters there can be
    cells: NDArray[np.int32]  # (R, K)
    rows: NDArray[np.int32]  # (R, M)
    parts: NDArray[np.float64]  # (R, M, L), sums over a row, without their row factor
    sums: NDArray[np.float64]  # (2, M), N and Z divided by 2 ** scales
    scales: NDArray[np.int64]  # (2, M)
    at: NDArray[np.float64]  # (2, M), the sums when they were last added up
    factor: NDArray[np.float64]  # (M,), scales and self term of C_m, for kernels


@njit(cache=True)
def likeness(form, N, Z, factor, m):
    """The likeness of the partition and clustering m, of its two sums."""
    n = form.n_common[m]
    kind = form.kind
    if n == 0.0:
        return 0.0
    if kind == 0:
        return N * factor / math.sqrt(Z) if Z > 0.0 else 0.0
    if kind <= 5:
        pairs = (n * n - n) / 2.0
        both, one, other = (N - n) / 2.0, (Z - n) / 2.0, (form.other[m] - n) / 2.0
        if kind == 1:
            return (pairs - one - other + 2.0 * both) / pairs if pairs > 0.0 else 1.0
        if both == one and both == other:
            return 1.0
        if kind == 2:
            apart = pairs - one - other + both
            by = one * (pairs - other) + other * (pairs - one)
            value = 2.0 * (both * apart - (one - both) * (other - both))
            # While objects wait to be placed, the sums need not fit together.
            return value / by if by != 0.0 else 0.0
        if kind == 3:
            return 2.0 * both / (one + other) if one + other != 0.0 else 0.0
        if kind == 4:
            union = one + other - both
            return both / union if union != 0.0 else 0.0
        return min(both / math.sqrt(one * other), 1.0) if one * other > 0.0 else 0.0
    unit = form.unit * n
    h_both, h_one = (form.whole[m] - N) / unit, (form.whole[m] - Z) / unit
    h_other = (form.whole[m] - form.other[m]) / unit
    if kind == 12:
        return -max(2.0 * h_both - (h_one + h_other), 0.0)
    information = max(h_one + h_other - h_both, 0.0)
    if kind == 11:
        return information
    if h_one == 0.0 or h_other == 0.0:
        return 1.0 if h_one == h_other else 0.0
    if kind == 6:
        by = math.sqrt(h_one * h_other)
    elif kind == 7:
        by = max(h_one, h_other)
    elif kind == 8:
        by = min(h_one, h_other)
    elif kind == 9:
        by = (h_one + h_other) / 2.0
    else:
        by = h_both
    return min(information / by, 1.0) if by != 0.0 else 0.0


@njit(cache=True)
def lifted(form, t, term, scale):
    """Inner value of a cell, relative to 2 ** scale."""
    if form.scaled:
        return math.ldexp(form.inner[term, t], int(form.exponents[t] - scale))
    return form.inner[term, t]


@njit(cache=True)
def lifted_own(form, s, scale):
    """Own value of a row sum, relative to 2 ** scale."""
    if form.scaled:
        return math.ldexp(form.own[s], int(form.own_exponents[s] - scale))
    return form.own[s]


@njit(cache=True)
def add_up(form, state, offsets, m):
    """Sums of clustering m from its table, relative to their largest term."""
    n_slots = len(state.sizes)
    n_terms = len(form.inner)
    top, top_own = np.int64(0), np.int64(0)
    if form.scaled:
        top, top_own = np.int64(-(2**60)), np.int64(-(2**60))
        for r in range(n_slots):
            if state.rows[r, m] > 0:
                top_own = max(top_own, form.own_exponents[state.rows[r, m]])
                for c in range(offsets[m], offsets[m + 1]):
                    if state.cells[r, c] > 0:
                        top = max(top, form.exponents[state.cells[r, c]])
        if top_own == -(2**60):
            top, top_own = np.int64(0), np.int64(0)
    if form.kind == 0:
        state.factor[m] = 2.0 ** (top - 0.5 * (top_own + form.other[m]))
    N, Z = 0.0, 0.0
    for r in range(n_slots):
        s = state.rows[r, m]
        state.parts[r, m, :] = 0.0
        if s > 0:
            for c in range(offsets[m], offsets[m + 1]):
                t = state.cells[r, c]
                if t > 0:
                    for term in range(n_terms):
                        value = lifted(form, t, term, top) * form.column[term, c]
                        state.parts[r, m, term] += value
            for term in range(n_terms):
                N += form.row[term, s] * state.parts[r, m, term]
            Z += lifted_own(form, s, top_own)
    state.scales[0, m], state.scales[1, m] = top, top_own
    state.sums[0, m], state.sums[1, m] = N, Z
    state.at[0, m], state.at[1, m] = N, Z


@njit(cache=True)
def fill(form, state, columns, offsets):
    """Count the tables of ``state.labels`` and add up their sums."""
    n, n_clusterings = columns.shape
    state.sizes[:] = 0
    state.cells[:] = 0
    state.rows[:] = 0
    for i in range(n):
        r = state.labels[i]
        if r >= 0:
            state.sizes[r] += 1
            for m in range(n_clusterings):
                c = columns[i, m]
                if c >= 0:
                    state.cells[r, c] += 1
                    state.rows[r, m] += 1
    for m in range(n_clusterings):
        add_up(form, state, offsets, m)


@njit(cache=True)
def likenesses(form, state):
    """The likeness of the partition to each clustering."""
    values = np.empty(len(form.weights))
    for m in range(len(values)):
        N, Z = state.sums[0, m], state.sums[1, m]
        values[m] = likeness(form, N, Z, state.factor[m], m)
    return values


@njit(cache=True)
def total(form, state):
    """The objective of the partition as it stands."""
    score = 0.0
    for m in range(len(form.weights)):
        N, Z = state.sums[0, m], state.sums[1, m]
        score += form.weights[m] * likeness(form, N, Z, state.factor[m], m)
    return score


@njit(cache=True)
def shift(form, state, columns, offsets, i, r, step):
    """Put object i into cluster r (step 1), or take it out (step -1)."""
    n_terms = len(form.inner)
    state.sizes[r] += step
    state.labels[i] = r if step > 0 else -1
    for m in range(columns.shape[1]):
        c = columns[i, m]
        if c < 0:
            continue
        t, s = state.cells[r, c], state.rows[r, m]
        state.cells[r, c] = t + step
        state.rows[r, m] = s + step
        scale, change = state.scales[0, m], 0.0
        for term in range(n_terms):
            before = state.parts[r, m, term]
            after = before
            if s + step == 0:
                after = 0.0
            else:
                after += form.column[term, c] * (
                    lifted(form, t + step, term, scale) - lifted(form, t, term, scale)
                )
            change += form.row[term, s + step] * after - form.row[term, s] * before
            state.parts[r, m, term] = after
        state.sums[0, m] += change
        scale = state.scales[1, m]
        state.sums[1, m] += lifted_own(form, s + step, scale) - lifted_own(
            form, s, scale
        )
        if form.scaled:
            for which in range(2):
                now, last = state.sums[which, m], state.at[which, m]
                if now * _FAR < last or now > last * _FAR:
                    add_up(form, state, offsets, m)


@njit(cache=True)
def score_in(form, state, columns, i, r):
    """The objective if object i, which is in no cluster, entered cluster r."""
    n_terms = len(form.inner)
    score = 0.0
    for m in range(columns.shape[1]):
        c = columns[i, m]
        N, Z = state.sums[0, m], state.sums[1, m]
        if c >= 0:
            t, s = state.cells[r, c], state.rows[r, m]
            scale = state.scales[0, m]
            for term in range(n_terms):
                before = state.parts[r, m, term]
                after = before + form.column[term, c] * (
                    lifted(form, t + 1, term, scale) - lifted(form, t, term, scale)
                )
                N += form.row[term, s + 1] * after - form.row[term, s] * before
            scale = state.scales[1, m]
            Z += lifted_own(form, s + 1, scale) - lifted_own(form, s, scale)
        score += form.weights[m] * likeness(form, N, Z, state.factor[m], m)
    return score


@njit(cache=True)
def sweep(form, state, columns, offsets, order, free):
    """Move each object in turn to where the objective is largest; how many moved.

    Objects in no cluster are placed. Unless ``free`` is set, clusters are neither
    emptied nor opened. Of equals the own cluster wins, then the first.
    """
    n_moved = 0
    for i in order:
        a = state.labels[i]
        best, highest, may_open = -1, -np.inf, free
        if a >= 0:
            if state.sizes[a] == 1 and not free:
                continue
            shift(form, state, columns, offsets, i, a, -1)
            best, highest = a, score_in(form, state, columns, i, a) + _TINY
            may_open = free and state.sizes[a] > 0
        for r in range(len(state.sizes)):
            if r == a or (state.sizes[r] == 0 and not may_open):
                continue
            may_open = may_open and state.sizes[r] > 0
            score = score_in(form, state, columns, i, r)
            if score > highest:
                best, highest = r, score
        shift(form, state, columns, offsets, i, best, 1)
        n_moved += best != a
    return n_moved


@njit(cache=True)
def pick(state, a, u, free):
    """A cluster other than a, or an empty one if ``free``, each as likely; -1: none."""
    n_slots = len(state.sizes)
    n_options, empty = 0, -1
    for r in range(n_slots):
        if state.sizes[r] > 0:
            n_options += r != a
        elif empty < 0:
            empty = r
    # An object that is alone would only change the name of its cluster.
    opens = free and empty >= 0 and state.sizes[a] > 1
    if n_options + opens == 0:
        return -1
    target = int(u * (n_options + opens))
    if target >= n_options:
        return empty if opens else -1
    for r in range(n_slots):
        if state.sizes[r] > 0 and r != a:
            if target == 0:
                return r
            target -= 1
    return -1


@njit(cache=True)
def anneal(form, state, columns, offsets, temperature, draws, free, best, highest):
    """One temperature of simulated annealing; the highest objective so far.

    ``draws`` has an object, a target and an acceptance for each move, in [0, 1).
    ``best`` receives the labels of the highest objective.
    """
    n = len(state.labels)
    here = total(form, state)
    for step in range(len(draws)):
        i = int(draws[step, 0] * n)
        a = state.labels[i]
        if state.sizes[a] == 1 and not free:
            continue
        b = pick(state, a, draws[step, 1], free)
        if b < 0:
            continue
        shift(form, state, columns, offsets, i, a, -1)
        there = score_in(form, state, columns, i, b)
        gain = there - here
        if gain >= 0.0 or draws[step, 2] < math.exp(gain / temperature):
            if gain < 0.0 and here > highest + _TINY:
                highest = here
                best[:] = state.labels
                best[i] = a
            shift(form, state, columns, offsets, i, b, 1)
            here = there
        else:
            shift(form, state, columns, offsets, i, a, 1)
    if here > highest + _TINY:
        highest = here
        best[:] = state.labels
    return highest


@njit(cache=True)
def best_labels_of(form, state, columns, offsets, candidates):
    """Row and objective of the best of several partitions, the first of equals."""
    best, highest = -1, -np.inf
    for j in range(len(candidates)):
        state.labels[:] = candidates[j]
        fill(form, state, columns, offsets)
        score = total(form, state)
        if score > highest + _TINY:
            best, highest = j, score
    return best, highest
