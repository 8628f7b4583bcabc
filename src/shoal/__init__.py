"""Shoal publishes tables about people so that nobody in them can be pointed at.

The public API is what `shoal.api` lists; everything else is private. It is loaded when something of it is first asked
for, so that the command line starts fast.
"""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from shoal import attacks, audit, criteria, dp, evaluate, quality, risk  # noqa: F401
    from shoal.api import *  # noqa: F403
    from shoal.methods import (  # noqa: F401
        diffgen,
        k_epsilon,
        marginals,
        microaggregation,
        mondrian,
        nsvdist,
        perturbation,
        top_down,
    )

_PARTS = ("attacks", "audit", "criteria", "dp", "evaluate", "quality", "risk")
"""Packages that stand by themselves beside the methods."""

_METHODS = ("diffgen", "k_epsilon", "marginals", "microaggregation", "mondrian", "nsvdist", "perturbation", "top_down")
"""Methods with settings of their own, which stand beside them: `shoal.k_epsilon.ClassBounds`."""

_MOVED = {
    "Choices": "diffgen",
    "Utility": "diffgen",
    "ClassBounds": "k_epsilon",
    "Several": "k_epsilon",
    "References": "microaggregation",
}
"""Settings of one method that could be asked of `shoal` itself once, and still can."""


def __getattr__(name: str) -> Any:
    from importlib import import_module

    if name == "__version__":
        from importlib.metadata import version

        return version("shoal")
    if name in _PARTS:
        return import_module(f"shoal.{name}")
    if name in _METHODS:
        return import_module(f"shoal.methods.{name}")
    if name in _MOVED:
        return getattr(import_module(f"shoal.methods.{_MOVED[name]}"), name)
    api = import_module("shoal.api")
    if name == "__all__":
        return api.__all__
    if name in api.__all__:
        return getattr(api, name)
    raise AttributeError(f"module 'shoal' has no attribute {name!r}")


def __dir__() -> list[str]:
    from shoal.api import __all__ as public

    return sorted([*globals(), *public, *_PARTS, *_METHODS])
