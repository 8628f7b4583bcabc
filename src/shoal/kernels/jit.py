"""Compiled kernels: numba, with what it compiles kept on disk where that is possible."""

from __future__ import annotations

from collections.abc import Callable
from typing import ParamSpec, TypeVar

import numba

Arguments = ParamSpec("Arguments")
Result = TypeVar("Result")


def compiled(function: Callable[Arguments, Result]) -> Callable[Arguments, Result]:
    """Compile a kernel when it is first called; later processes read it from disk.

    Where neither the package nor the user's cache folder can be written, as in some containers, every process compiles
    anew rather than fail.
    """
    try:
        kept: Callable[Arguments, Result] = numba.njit(cache=True, nogil=True)(function)
    except RuntimeError:
        kept = numba.njit(nogil=True)(function)
    return kept
