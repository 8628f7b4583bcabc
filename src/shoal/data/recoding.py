"""Recodings: how codes become nodes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from shoal.errors import ParameterError

if TYPE_CHECKING:
    from shoal.arrays import Nodes
    from shoal.data.counts import Counts
    from shoal.data.encoded import EncodedTable
    from shoal.data.schema import Attribute


@dataclass(frozen=True, slots=True)
class FullDomain:
    """Every value of a column goes to the same level of its hierarchy."""

    levels: Mapping[str, int]

    def nodes(self, attribute: Attribute) -> Nodes:
        """The node that stands for each leaf."""
        level = self.levels.get(attribute.name, 0)
        if not 0 <= level <= attribute.hierarchy.height:
            raise ParameterError(
                f"column {attribute.name!r}: there is no level {level}; its hierarchy has levels 0 to "
                f"{attribute.hierarchy.height}."
            )
        nodes: Nodes = attribute.hierarchy.up[level]
        return nodes

    def apply(self, table: EncodedTable) -> Counts:
        """The recoded counts: quasi-identifiers as classes of their level, other columns as they are."""
        lookups = {}
        for attribute in table.quasi_identifiers:
            level = attribute.hierarchy.levels[self.levels.get(attribute.name, 0)]
            lookups[attribute.name] = (level.codes, level.size)
        return table.counts.roll_up(lookups)
