"""Shoal publishes tables about people so that nobody in them can be pointed at.

The public API is what `shoal.api` lists; everything else is private. It is loaded when something of it is first asked
for, so that the command line starts fast.
"""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from shoal.api import *  # noqa: F403

_PARTS = ("attacks", "audit", "criteria", "dp", "evaluate", "quality", "risk")
"""Packages that stand by themselves beside the methods."""


def __getattr__(name: str) -> Any:
    from importlib import import_module

    if name == "__version__":
        from importlib.metadata import version

        return version("shoal")
    if name in _PARTS:
        return import_module(f"shoal.{name}")
    api = import_module("shoal.api")
    if name == "__all__":
        return api.__all__
    if name in api.__all__:
        return getattr(api, name)
    raise AttributeError(f"module 'shoal' has no attribute {name!r}")


def __dir__() -> list[str]:
    from shoal.api import __all__ as public

    return sorted([*globals(), *public, *_PARTS])
