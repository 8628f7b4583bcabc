"""Compiled kernels: numba, with what it compiles kept on disk where that is possible."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ParamSpec, TypeVar

import numba

Arguments = ParamSpec("Arguments")
Result = TypeVar("Result")


def compiled(function: Callable[Arguments, Result]) -> Callable[Arguments, Result]:
    """Compile a kernel when it is first called; later processes read it from disk.

    Where neither the package nor the user's cache folder can be written, as in some containers, every process compiles
    anew rather than fail. What costs most to compile is what a kernel hardly needs: assigning to slices (numba builds
    a message about shapes from strings, three seconds) and sorting; loops are free.
    """
    kernel: Any = numba.njit(nogil=True)(function)
    try:
        from shoal.kernels.kept import Kept

        kernel._cache = Kept(function)  # noqa: SLF001  what `cache=True` does
    except (RuntimeError, OSError, ImportError, AttributeError):  # nowhere to keep it, or another numba
        pass
    kept: Callable[Arguments, Result] = kernel
    return kept
