"""How the cells of classes and closures are shown."""

from __future__ import annotations

from enum import Enum


class Publish(Enum):
    """How what several records have in common is shown."""

    INTERVALS = "intervals"
    """As small as it can be: ranges of ordered values; what is not ordered, each method says."""
    NODES = "nodes"
    """As the lowest nodes of the hierarchies."""
