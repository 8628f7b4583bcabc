"""Compiled kernels: numba, with what it compiles kept on disk where that is possible."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ParamSpec, TypeVar

import numba

Arguments = ParamSpec("Arguments")
Result = TypeVar("Result")


_njit: Any = numba.njit
"""With options that its types leave out: nobody calls kernels from C."""


def compiled(function: Callable[Arguments, Result]) -> Callable[Arguments, Result]:
    """Compile a kernel when it is first called; later processes read it from disk.

    Where neither the package nor the user's cache folder can be written, as in some containers, every process compiles
    anew rather than fail. What costs most to compile is what a kernel hardly needs: assigning to slices (numba builds
    a message about shapes from strings, three seconds) and sorting; loops are free.
    """
    kernel = _njit(nogil=True, no_cfunc_wrapper=True)(function)
    try:
        from shoal.kernels.kept import Kept

        kernel._cache = Kept(function)  # noqa: SLF001  what `cache=True` does
    except (RuntimeError, OSError, ImportError, AttributeError):  # nowhere to keep it, or another numba
        pass
    _for_all_numbers(kernel)
    kept: Callable[Arguments, Result] = kernel
    return kept


def _for_all_numbers(kernel: Any) -> None:
    """Let other kernels call this one with a number that is written down: numba would compile it once more for that.

    A variable that begins with a number counts as written down, too.
    """
    as_called = kernel.get_call_template

    def for_types(arguments: Any, by_name: Any) -> Any:
        return as_called(tuple(map(numba.types.unliteral, arguments)), by_name)

    kernel.get_call_template = for_types
