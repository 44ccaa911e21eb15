"""NumPy, PyTorch and CuPy arrays through one interface, the array API standard.

Dense iterations ask an array for its namespace and compute with that; what moves
between devices is here. Nothing is imported for arrays of NumPy.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from comitia.exceptions import ComitiaError

__all__ = ["array_namespace", "check_device", "device_of", "to_device", "to_numpy"]


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
        ``"cuda:1"`` or ``"mps"`` for PyTorch on that device; ``"cupy"`` for CuPy.

    Returns
    -------
    device : str or None
        The name, None for NumPy.
    """
    if device is None or device == "cpu":
        return None
    if not isinstance(device, str):
        raise ComitiaError(f'device={device!r} is no name of a device; try "cuda".')
    if device == "cupy":
        _import("cupy")
        return device
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
    return "cupy" if library == "cupy" else None


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
    if device == "cupy":
        return _import("cupy").asarray(array)
    torch = _import("torch")
    # PyTorch warns of arrays it must not write to, and those of an Ensemble are such.
    given = np.array(array) if not array.flags.writeable else array
    return torch.asarray(np.ascontiguousarray(given), device=_torch_device(device))


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
    return np.asarray(array)


def _torch_device(device: str) -> str:
    return "cpu" if device == "torch" else device


def _compat() -> Any:
    try:
        import array_api_compat
    except ImportError:
        raise ImportError(
            "arrays of PyTorch and CuPy need array-api-compat: "
            "pip install 'comitia[device]'."
        ) from None
    return array_api_compat


def _import(library: str) -> Any:
    import importlib

    try:
        return importlib.import_module(library)
    except ImportError:
        raise ImportError(
            f"this device needs {library}, which is not installed; see {library}'s "
            "own pages for the build that fits the machine."
        ) from None
