"""Numba's ``njit``, for installations that leave it no place for its cache."""

import functools
import warnings
from collections.abc import Callable
from typing import Any

import numba

from comitia.exceptions import ComitiaWarning

__all__ = ["njit"]


def njit(*, cache: bool, **options: Any) -> Callable[[Callable[..., Any]], Any]:
    """Compile a function at its first call, and keep the result where that can be.

    Numba refuses to import a kernel that it cannot keep: where neither the folder of
    the package nor the cache of the user can be written to, as in many containers.
    Such a kernel is compiled again by each process.

    Parameters
    ----------
    cache : bool
        Whether to keep the compiled function.

    **options : dict
        As for :func:`numba.njit`.

    Returns
    -------
    decorator : callable
        Makes a kernel of a function.
    """

    def compiled(function: Callable[..., Any]) -> Any:
        try:
            return numba.njit(cache=cache, **options)(function)
        except RuntimeError as error:
            if "cannot cache" not in str(error):
                raise
            _warn_once()
            return numba.njit(**options)(function)

    return compiled


@functools.cache
def _warn_once() -> None:
    warnings.warn(
        "compiled kernels cannot be kept, so that each process compiles them again; "
        "set NUMBA_CACHE_DIR to a folder that can be written to.",
        ComitiaWarning,
        stacklevel=2,
    )
