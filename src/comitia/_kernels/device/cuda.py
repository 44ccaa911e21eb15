"""The sums that are made most often, as kernels for CUDA that CuPy compiles.

Each does in one pass over the labels what PyTorch does in several, with the same
result to the last bit: floating-point numbers are added clustering after clustering,
without fused operations, and what is summed over objects are integers. They are used
where CuPy is installed and the labels are on a GPU; elsewhere PyTorch does the work.
"""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from comitia._kernels.device._slices import put, zeros

__all__ = ["first_places", "nearest", "norms", "pair_sums", "runs_on", "sums"]

Tensor = Any  # torch is not imported before it is needed

# Threads of a block, and blocks: enough to fill any card of today.
_THREADS, _BLOCKS = 512, 1024

# Bytes of a table that a block keeps in its own memory at the most: the largest cards
# have room for two of them. Others say what they have.
_SHARED = 112_000

# Columns of a table are added up so many at a time, and there are a multiple of it.
_COLUMNS = 8

_SOURCE = r"""
typedef long long i64;
typedef unsigned long long u64;
extern __shared__ char room[];

// The table, in the memory of the block where it fits.
__device__ const double* near_table(const double* table, i64 cells, int shared) {
    if (!shared) return table;
    double* own = (double*) room;
    for (i64 j = threadIdx.x; j < cells; j += blockDim.x) own[j] = table[j];
    __syncthreads();
    return own;
}

// Some columns of the sum of the table rows of object i.
__device__ void add_rows(const CODE* codes, i64 n, int M, const int* starts,
                         const double* table, int width, int c, i64 i, double* sum) {
    for (int j = 0; j < COLUMNS; j++) sum[j] = 0.0;
    for (int m = 0; m < M; m++) {
        const double* row = table + (i64) (starts[m] + (int) codes[m * n + i]) * width;
        for (int j = 0; j < COLUMNS; j++) sum[j] += row[c + j];
    }
}

extern "C" __global__ void nearest(
        const CODE* codes, i64 n, int M, const int* starts, const double* table,
        i64 cells, int shared, int width, int k, const double* scale,
        const double* penalty, int* labels, double* best) {
    const double* rows = near_table(table, cells, shared);
    for (i64 i = blockIdx.x * (i64) blockDim.x + threadIdx.x; i < n;
         i += gridDim.x * (i64) blockDim.x) {
        double sum[COLUMNS], top = __longlong_as_double(0xfff0000000000000LL);
        int at = 0;
        for (int c = 0; c < k; c += COLUMNS) {
            add_rows(codes, n, M, starts, rows, width, c, i, sum);
            for (int j = 0; j < COLUMNS && c + j < k; j++) {
                double value = scale ? sum[j] * scale[i] : sum[j];
                value -= penalty[c + j];
                if (value > top) { top = value; at = c + j; }
            }
        }
        labels[i] = at;
        best[i] = top;
    }
}

extern "C" __global__ void norms(
        const CODE* codes, i64 n, int M, const int* starts, const double* table,
        i64 cells, int shared, int width, int k, double* lengths) {
    const double* rows = near_table(table, cells, shared);
    for (i64 i = blockIdx.x * (i64) blockDim.x + threadIdx.x; i < n;
         i += gridDim.x * (i64) blockDim.x) {
        double sum[COLUMNS], total = 0.0;
        for (int c = 0; c < k; c += COLUMNS) {
            add_rows(codes, n, M, starts, rows, width, c, i, sum);
            for (int j = 0; j < COLUMNS && c + j < k; j++) total += sum[j] * sum[j];
        }
        lengths[i] = sqrt(total);
    }
}

// Add to a number of 64 bits. Two halves in the memory of the block: only additions of
// 32 bits are fast there.
__device__ void add(u64* total, unsigned* halves, int cells, i64 at, u64 weight) {
    if (!halves) {
        atomicAdd(total + at, weight);
        return;
    }
    unsigned low = (unsigned) weight, high = (unsigned) (weight >> 32);
    unsigned before = atomicAdd(halves + at, low);
    high += before + low < before;
    if (high) atomicAdd(halves + cells + at, high);
}

__device__ void pour(u64* total, const unsigned* halves, int cells) {
    __syncthreads();
    for (int j = threadIdx.x; j < cells; j += blockDim.x) {
        u64 sum = ((u64) halves[cells + j] << 32) + halves[j];
        if (sum) atomicAdd(total + j, sum);
    }
}

__device__ unsigned* empty_halves(int cells, int shared) {
    if (!shared) return 0;
    unsigned* halves = (unsigned*) room;
    for (int j = threadIdx.x; j < 2 * cells; j += blockDim.x) halves[j] = 0;
    __syncthreads();
    return halves;
}

// The weight of each object to its cluster, label by label, (k, K).
extern "C" __global__ void sums(
        const CODE* codes, i64 n, int M, const int* offsets, const int* labels, int k,
        const i64* weights, int shared, u64* total) {
    int K = offsets[M], cells = k * K;
    unsigned* halves = empty_halves(cells, shared);
    for (i64 i = blockIdx.x * (i64) blockDim.x + threadIdx.x; i < n;
         i += gridDim.x * (i64) blockDim.x) {
        if ((unsigned) labels[i] >= (unsigned) k) continue;  // in no cluster
        u64 weight = weights ? (u64) weights[i] : 1;
        i64 row = (i64) labels[i] * K;
        for (int m = 0; m < M; m++) {
            int at = offsets[m] + (int) codes[m * n + i];
            if (at < offsets[m + 1]) add(total, halves, cells, row + at, weight);
        }
    }
    if (shared) pour(total, halves, cells);
}

// Weights of what each two clusters share: of clustering m = blockIdx.y with itself and
// the later ones, (k_m, K - offset of m), behind each other.
extern "C" __global__ void pair_sums(
        const CODE* codes, i64 n, int M, const int* offsets, const i64* places,
        const i64* weights, int shared, u64* total) {
    int m = blockIdx.y, first = offsets[m], k = offsets[m + 1] - first;
    int width = offsets[M] - first, cells = k * width;
    total += places[m];
    unsigned* halves = empty_halves(cells, shared);
    for (i64 i = blockIdx.x * (i64) blockDim.x + threadIdx.x; i < n;
         i += gridDim.x * (i64) blockDim.x) {
        int own = (int) codes[m * n + i];
        if (own >= k) continue;
        u64 weight = weights ? (u64) weights[i] : 1;
        i64 row = (i64) own * width - first;
        for (int l = m; l < M; l++) {
            int at = offsets[l] + (int) codes[l * n + i];
            if (at < offsets[l + 1]) add(total, halves, cells, row + at, weight);
        }
    }
    if (shared) pour(total, halves, cells);
}

// The first object with each label.
extern "C" __global__ void first_places(const int* labels, i64 n, u64* first) {
    for (i64 i = blockIdx.x * (i64) blockDim.x + threadIdx.x; i < n;
         i += gridDim.x * (i64) blockDim.x) {
        volatile u64* place = first + labels[i];
        if ((u64) i < *place) atomicMin(first + labels[i], (u64) i);
    }
}
"""

_CODES = {"uint8": "unsigned char", "int16": "short", "int32": "int"}


def runs_on(tensor: Tensor) -> bool:
    """Whether a tensor of labels is where these kernels run, and as they read it."""
    return bool(
        tensor.is_cuda
        and tensor.is_contiguous()
        and tensor.numel()
        and _type_of(tensor) in _CODES
        and _module(_CODES[_type_of(tensor)]) is not None
    )


def _type_of(tensor: Tensor) -> str:
    return str(tensor.dtype).removeprefix("torch.")


@cache
def _module(code: str) -> Any:
    """The kernels for a type of labels; None without CuPy or what it compiles with."""
    try:
        import cupy

        options = (f"-DCODE={code}", f"-DCOLUMNS={_COLUMNS}", "--fmad=false")
        module = cupy.RawModule(code=_SOURCE, options=options)
        module.compile()
    except Exception:  # whatever an installation of CUDA lacks, PyTorch goes on without
        return None
    return module


@cache
def _most_shared(device: int) -> int:
    """Bytes of its own memory that a block may ask for."""
    import cupy

    most = cupy.cuda.Device(device).attributes["MaxSharedMemoryPerBlockOptin"]
    return min(_SHARED, int(most))


def _fits(n_bytes: int, codes: Tensor) -> bool:
    return n_bytes <= _most_shared(codes.device.index or 0)


def _run(
    name: str, codes: Tensor, *arguments: Any, n_shared: int = 0, n_tasks: int = 1
) -> None:
    """Start a kernel where PyTorch's own would start; tensors are told by address."""
    import cupy
    import torch

    kernel = _module(_CODES[_type_of(codes)]).get_function(name)
    given = [
        np.uint64(one.data_ptr()) if isinstance(one, torch.Tensor) else one
        for one in (codes, *(np.uint64(0) if a is None else a for a in arguments))
    ]
    n = codes.shape[-1]
    blocks = max(1, min(_BLOCKS // n_tasks, -(-n // _THREADS)))
    device = codes.device.index or 0
    stream = torch.cuda.current_stream(codes.device)
    if hasattr(cupy.cuda.Stream, "from_external"):
        same = cupy.cuda.Stream.from_external(stream)
    else:  # CuPy 13 and older
        same = cupy.cuda.ExternalStream(stream.cuda_stream, device)
    with cupy.cuda.Device(device), same:
        if n_shared > kernel.max_dynamic_shared_size_bytes:
            kernel.max_dynamic_shared_size_bytes = n_shared
        kernel((blocks, n_tasks), (_THREADS,), tuple(given), shared_mem=n_shared)


def _on_table(
    name: str,
    codes: Tensor,
    starts: NDArray[Any],
    table: NDArray[np.float64],
    *arguments: Any,
) -> None:
    """Start a kernel that adds up rows of a table."""
    k = table.shape[1]
    width = -(-k // _COLUMNS) * _COLUMNS
    rows = put(codes, np.pad(table, ((0, 0), (0, width - k))))
    first = put(codes, starts.astype(np.int32))
    size = rows.numel() * 8
    near = _fits(size, codes)
    M, n = codes.shape
    about = np.int64(n), np.int32(M), first, rows, np.int64(rows.numel())
    form = np.int32(near), np.int32(width), np.int32(k)
    _run(name, codes, *about, *form, *arguments, n_shared=near * size)


def nearest(
    codes: Tensor,
    starts: NDArray[Any],
    table: NDArray[np.float64],
    scale: Tensor | None,
    penalty: NDArray[np.float64],
) -> tuple[Tensor, Tensor]:
    """As ``nearest_rows`` where nothing is given back to objects without a label."""
    import torch

    n = codes.shape[1]
    labels = torch.empty(n, dtype=torch.int32, device=codes.device)
    best = torch.empty(n, dtype=torch.float64, device=codes.device)
    off = put(codes, penalty)
    scale = None if scale is None else scale.contiguous()
    _on_table("nearest", codes, starts, table, scale, off, labels, best)
    return labels, best


def norms(codes: Tensor, starts: NDArray[Any], table: NDArray[np.float64]) -> Tensor:
    """As ``row_norms``."""
    import torch

    lengths = torch.empty(codes.shape[1], dtype=torch.float64, device=codes.device)
    _on_table("norms", codes, starts, table, lengths)
    return lengths


def sums(
    codes: Tensor,
    n_each: NDArray[np.int64],
    labels: Tensor,
    weights: Tensor | None,
    n_clusters: int,
) -> NDArray[np.int64]:
    """As ``sum_rows``; without weights each object counts 1."""
    M, n = codes.shape
    offsets = np.r_[0, np.cumsum(n_each)].astype(np.int32)
    weights = None if weights is None else weights.contiguous()
    total = zeros(codes, (n_clusters, int(offsets[-1])))
    near = _fits(total.numel() * 8, codes)
    places, labels = put(codes, offsets), labels.int().contiguous()
    about = np.int64(n), np.int32(M), places, labels, np.int32(n_clusters), weights
    size = near * total.numel() * 8
    _run("sums", codes, *about, np.int32(near), total, n_shared=size)
    return np.asarray(total.cpu().numpy())


def pair_sums(
    codes: Tensor, n_each: NDArray[np.int64], weights: Tensor | None
) -> NDArray[np.int64]:
    """As ``weighted_contingency``; without weights, as ``count_pairs``."""
    M, n = codes.shape
    offsets = np.r_[0, np.cumsum(n_each)].astype(np.int64)
    K = int(offsets[-1])
    weights = None if weights is None else weights.contiguous()
    cells = n_each * (K - offsets[:-1])
    places = np.r_[0, np.cumsum(cells)]
    total = zeros(codes, (int(places[-1]),))
    near = _fits(int(cells.max()) * 8, codes)
    tables = put(codes, offsets.astype(np.int32)), put(codes, places.astype(np.int64))
    about = np.int64(n), np.int32(M), *tables, weights, np.int32(near), total
    size = near * int(cells.max()) * 8
    _run("pair_sums", codes, *about, n_shared=size, n_tasks=M)
    found = np.zeros((K, K), dtype=np.int64)
    flat = total.cpu().numpy()
    for m, first in enumerate(offsets[:-1]):
        part = flat[places[m] : places[m + 1]].reshape(n_each[m], -1)
        found[first : offsets[m + 1], first:] = part
        found[first:, first : offsets[m + 1]] = part.T
    return found


def first_places(labels: Tensor, n_labels: int) -> NDArray[np.int64]:
    """The first object with each label; the number of objects where there is none."""
    import torch

    n = len(labels)
    first = torch.full((n_labels,), n, dtype=torch.int64, device=labels.device)
    _run("first_places", labels, np.int64(n), first)
    return np.asarray(first.cpu().numpy())
