"""What numba has compiled, kept on disk: found again without loading the compiler, and never a reason to fail.

This leans on the insides of numba (`numba.core.caching`), which have been the same for years; `jit` does without where
they are not what is expected here.
"""

# mypy: disallow-untyped-calls=False
# ruff: noqa: SLF001  what numba keeps private is what this is about

from __future__ import annotations

import pickle
import sys
from collections.abc import Callable
from typing import Any

from numba.core import environment
from numba.core.caching import FunctionCache, IndexDataCacheFile
from numba.core.runtime.nrt import rtsys

from shoal.progress import tell_compiling


class Kept(FunctionCache):
    """The machine code of one kernel, for each combination of argument types, as numba keeps it, and four things more.

    - Code that is there is loaded as it is. Numba would first load everything that is needed to compile, which takes
      three times as long as the code itself.
    - It is fresh as long as the kernel, what the kernel calls, and the constants it takes from elsewhere are. Numba
      looks at the kernel's own file alone.
    - A folder that is full, read-only or damaged costs time, since the kernel is compiled again; it stops nobody.
    - Whoever waits is told what is compiled (`shoal.progress`).
    """

    def __init__(self, function: Callable[..., Any]) -> None:
        super().__init__(function)
        self._name = function.__name__
        stamp = (self._cache_file._source_stamp, *_leans_on(function))
        self._cache_file = _Files(self._cache_path, self._impl.filename_base, stamp)

    @property
    def stamp(self) -> Any:
        """What changes when the kernel does."""
        return self._cache_file._source_stamp

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        """The code for these argument types, None if there is none."""
        try:
            rtsys.initialize(target_context)  # all that machine code needs: who allocates arrays
            found = self._load_overload(sig, target_context)
        except Exception:  # noqa: BLE001  a damaged file of a pickled object can raise anything
            found = None
        if found is None:
            tell_compiling(self._name, done=False)
        return found

    def save_overload(self, sig: Any, data: Any) -> None:
        """Keep the code, if that is possible."""
        tell_compiling(self._name, done=True)
        try:
            super().save_overload(sig, data)
        except OSError:  # the next process compiles it again
            return


class _Files(IndexDataCacheFile):
    """The files of one kernel."""

    def _load_data(self, name: str) -> Any:
        with open(self._data_path(name), "rb") as file:  # noqa: PTH123  as numba does
            return _Unpickler(file).load()


class _Unpickler(pickle.Unpickler):
    """Reads machine code and what goes with it, without the modules of numba that it was made from."""

    def find_class(self, module: str, name: str) -> Any:
        """What a pickle names."""
        if (module, name) == (environment.__name__, environment._rebuild_env.__name__):
            return _environment
        return super().find_class(module, name)


def _environment(module: str, constants: Any, name: str) -> Any:
    """What a compiled function reads at run time: constants, such as messages, and never the names of its module.

    Those are for interpreted code, of which kernels have none; to have them numba would load what it has of NumPy, and
    that all of SciPy's linear algebra.
    """
    if module in sys.modules or not module.startswith("numba."):
        return environment._rebuild_env(module, constants, name)
    known = environment.lookup_environment(name)
    if known is not None:
        return known
    made = environment.Environment({"__name__": module})
    made.consts[:] = constants
    made.env_name = name
    environment.Environment._memo[name] = made
    return made


def _leans_on(function: Callable[..., Any]) -> list[Any]:
    """The kernels that a kernel calls, by what changes with them, and the constants that it reads."""
    known = [function.__globals__[name] for name in sorted(function.__code__.co_names) if name in function.__globals__]
    kernels = [each._cache.stamp for each in known if isinstance(getattr(each, "_cache", None), Kept)]
    return [*kernels, *(each for each in known if isinstance(each, bool | int | float | str))]
