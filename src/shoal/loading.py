"""Packages that load what is in them when it is asked for: a command needs one method of many."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from importlib import import_module
from typing import Any


def when_asked_for(
    package: str, where: Mapping[str, Iterable[str]]
) -> tuple[Callable[[str], Any], Callable[[], list[str]]]:
    """The `__getattr__` and `__dir__` of a package: `where` says which of its modules has which names."""
    module_of = {name: f"{package}.{module}" for module, names in where.items() for name in names}

    def load(name: str) -> Any:
        if name not in module_of:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        return getattr(import_module(module_of[name]), name)

    def listed() -> list[str]:
        return sorted({*vars(import_module(package)), *module_of})

    return load, listed
