"""NumPy, PyTorch and CuPy arrays through one interface, the array API standard.

Dense iterations ask an array for its namespace and compute with that; what moves
between devices is here. Nothing is imported for arrays of NumPy.

On a device numbers are in double precision; ``comitia.config.set_precision("float32")``
is faster and coarser.
"""

from __future__ import annotations

import re
from typing import Any

import numpy as np
from numpy.typing import NDArray

from comitia._optional import import_optional
from comitia.config import precision, require_memory
from comitia.exceptions import ComitiaError, MemoryBudgetError

__all__ = [
    "array_namespace",
    "as_tensor",
    "check_device",
    "device_of",
    "fewest_features",
    "floats_on",
    "label_sizes",
    "on_host",
    "put_beside",
    "require_device_memory",
    "to_device",
    "to_numpy",
    "to_tensor",
]

# The reference implementation of the standard, which refuses whatever is not in it:
# what runs there runs everywhere. For tests.
_STRICT = "array_api_strict"

# The share of a device's free memory that one step may take.
_SHARE_OF_FREE = 0.9

# What PyTorch calls its devices; "torch" is its CPU.
_TORCH_DEVICES = r"(torch|cuda|mps|xpu|hip|mtia)(:\d+)?"


def array_namespace(*arrays: Any) -> Any:
    """The module whose functions work on these arrays.

    Parameters
    ----------
    *arrays : arrays
        All of one library.

    Returns
    -------
    xp : module
        ``numpy``, or the array API view of PyTorch, CuPy or another library.
    """
    if all(isinstance(array, np.ndarray | np.generic | float) for array in arrays):
        return np
    return _compat().array_namespace(*arrays)


def check_device(device: str | None) -> str | None:
    """Check the name of a device.

    Parameters
    ----------
    device : str or None
        ``None`` or ``"cpu"`` for NumPy; ``"torch"`` for PyTorch on the CPU; ``"cuda"``,
        ``"cuda:1"`` or ``"mps"`` for PyTorch on that device; ``"cupy"`` for CuPy;
        ``"array_api_strict"`` for the reference implementation of the standard.

    Returns
    -------
    device : str or None
        The name, None for NumPy.
    """
    if device is None or device == "cpu":
        return None
    if not isinstance(device, str):
        raise ComitiaError(f'device={device!r} is no name of a device; try "cuda".')
    if device in ("cupy", _STRICT):
        _import(device)
        return device
    if not re.fullmatch(_TORCH_DEVICES, device):
        raise ComitiaError(
            f'device={device!r} is no device that is known; try "cuda", "torch" or '
            '"cupy", or leave it out to run on the CPU.'
        )
    torch = _import("torch")
    try:
        torch.empty(1, device=_torch_device(device))
    except (RuntimeError, AssertionError) as error:
        reason = str(error).splitlines()[0]
        raise ComitiaError(
            f"device={device!r} cannot be used here ({reason}); leave it out to run "
            "on the CPU."
        ) from None
    return device


def device_of(array: Any) -> str | None:
    """Name the device that an array lives on.

    Parameters
    ----------
    array : array
        An array of NumPy, PyTorch or CuPy; anything else counts as NumPy's.

    Returns
    -------
    device : str or None
        As :func:`check_device` takes it.
    """
    library = type(array).__module__.partition(".")[0]
    if library == "torch":
        where = str(array.device)
        return "torch" if where == "cpu" else where
    return library if library in ("cupy", _STRICT) else None


def on_host(array: Any) -> Any:
    """Bring an array into memory; what is there already stays as it is.

    Parameters
    ----------
    array : array
        An array of NumPy, PyTorch or CuPy, or anything else.

    Returns
    -------
    array : array
        Not on a device.
    """
    return array if device_of(array) is None else to_numpy(array)


def put_beside(array: Any, other: Any) -> Any:
    """Put numbers of NumPy where another array is.

    Parameters
    ----------
    array : ndarray
        The numbers.

    other : array
        Any array.

    Returns
    -------
    array : array
        The same numbers in an array of the library, the device and the type of the
        other one.
    """
    xp = array_namespace(other)
    if xp is np:
        return np.asarray(array, dtype=other.dtype)
    return xp.asarray(array, dtype=other.dtype, device=_compat().device(other))


def to_device(array: Any, device: str | None) -> Any:
    """Put an array of NumPy on a device.

    Parameters
    ----------
    array : ndarray
        What to put there.

    device : str or None
        As :func:`check_device` returns it.

    Returns
    -------
    array : array
        The same numbers, in an array of the library that serves the device.
    """
    if device is None:
        return array
    if device in ("cupy", _STRICT):
        return _import(device).asarray(array)
    torch = _import("torch")
    # PyTorch warns of arrays it must not write to, and those of an Ensemble are such.
    given = np.array(array) if not array.flags.writeable else array
    return torch.asarray(np.ascontiguousarray(given), device=_torch_device(device))


def as_tensor(array: Any) -> Any:
    """See an array as a tensor of PyTorch, where it is.

    Parameters
    ----------
    array : tensor, or array of CuPy or NumPy
        Any array; CuPy's is not copied.

    Returns
    -------
    tensor : torch.Tensor
        The same numbers, on the same device.
    """
    torch = _import("torch")
    if isinstance(array, torch.Tensor):
        return array.detach()
    if device_of(array) == "cupy":
        return torch.from_dlpack(array)
    return to_device(np.asarray(array), "torch")


def to_tensor(array: Any, device: str | None) -> Any:
    """Put an array of any library on a device, as a tensor of PyTorch.

    Parameters
    ----------
    array : tensor, or array of CuPy or NumPy
        Any array.

    device : str or None
        As :func:`check_device` returns it, where ``"cupy"`` is the first GPU; None
        leaves the array where it is.

    Returns
    -------
    tensor : torch.Tensor
        The same numbers; the same memory where they are there already.
    """
    tensor = as_tensor(array)
    if device is None:
        return tensor
    return tensor.to("cuda" if device == "cupy" else _torch_device(device))


def to_numpy(array: Any) -> NDArray[Any]:
    """Bring an array back.

    Parameters
    ----------
    array : array
        On any device.

    Returns
    -------
    array : ndarray
        The same numbers.
    """
    library = type(array).__module__.partition(".")[0]
    if library == "torch":
        return array.detach().cpu().numpy()
    if library == "cupy":
        return array.get()
    if library == _STRICT:
        return np.from_dlpack(array)
    return np.asarray(array)


def label_sizes(labels: Any) -> NDArray[np.int64]:
    """Count how often each label occurs.

    Parameters
    ----------
    labels : array of int of shape (n,)
        Labels 0 or more, on any device.

    Returns
    -------
    sizes : ndarray of shape (largest label + 1,)
        The counts.
    """
    if device_of(labels) is None:
        return np.bincount(labels)
    return to_numpy(as_tensor(labels).bincount())


def floats_on(array: Any, device: str | None) -> Any:
    """Put numbers on a device, in the precision that was set.

    Parameters
    ----------
    array : array-like
        Numbers.

    device : str or None
        As :func:`check_device` returns it.

    Returns
    -------
    array : array
        On a device as :func:`comitia.config.precision` says; of NumPy always in double
        precision.
    """
    if device is None:
        return np.asarray(array, dtype=np.float64)
    if device.startswith("mps") and precision() == "float64":
        raise ComitiaError(
            f"device={device!r} has no double precision; say "
            'comitia.config.set_precision("float32") first.'
        )
    return to_device(np.array(array, dtype=precision(), order="C"), device)


def require_device_memory(
    n_numbers: int, what: str, device: str | None, instead: str = ""
) -> None:
    """Refuse a step that does not fit on its device, before it allocates.

    Parameters
    ----------
    n_numbers : int
        How many floating-point numbers the step is about to hold.

    what : str
        The step, in words, for the message.

    device : str or None
        As :func:`check_device` returns it. Where it has no memory of its own, the
        memory budget of :mod:`comitia.config` holds.

    instead : str, default=""
        What would work, in words.
    """
    size = 8 if device is None else np.dtype(precision()).itemsize
    free = _free_on(device)
    if free is None:
        require_memory(n_numbers * size, what, instead)
    elif n_numbers * size > _SHARE_OF_FREE * free:
        raise MemoryBudgetError(
            f"{what} needs {n_numbers * size / 1e9:.3g} GB of memory on "
            f"device={device!r}, which has {free / 1e9:.3g} GB free; leave device out"
            + (f", or {instead}." if instead else ".")
        )


def _free_on(device: str | None) -> int | None:
    """Bytes that are free on a device, None where it shares the computer's memory."""
    if device == "cupy":
        return int(_import("cupy").cuda.runtime.memGetInfo()[0])
    if device is None or not device.startswith("cuda"):
        return None
    cuda = _import("torch").cuda
    # PyTorch holds on to what it has freed, and gives that out again.
    cached = cuda.memory_reserved(device) - cuda.memory_allocated(device)
    return int(cuda.mem_get_info(device)[0] + cached)


def fewest_features(X: Any) -> Any:
    """Rows with the same inner products, and no more features than rows.

    Parameters
    ----------
    X : array of shape (n_objects, n_features)
        The rows.

    Returns
    -------
    X : array of shape (n_objects, min(n_objects, n_features))
        The rows, or a triangular factor of their inner products.
    """
    n, p = X.shape
    return array_namespace(X).linalg.qr(X.T)[1].T if p > n else X


def _torch_device(device: str) -> str:
    return "cpu" if device == "torch" else device


def _compat() -> Any:
    return import_optional("array_api_compat", "an array of a device", "device")


def _import(library: str) -> Any:
    import importlib

    try:
        return importlib.import_module(library)
    except ImportError:
        raise ImportError(
            f"this device needs {library}, which is not installed; see {library}'s "
            "own pages for the build that fits the machine."
        ) from None
