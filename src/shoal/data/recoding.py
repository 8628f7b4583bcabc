"""Recodings: functions from single values to what is published for them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from shoal.arrays import Codes, Nodes
from shoal.data.shown import Shown, Spans, TreeNodes
from shoal.errors import ParameterError
from shoal.kernels.grouping import narrowest

if TYPE_CHECKING:
    from shoal.data.attribute import Attribute
    from shoal.data.counts import Counts
    from shoal.data.encoded import EncodedTable


@dataclass(frozen=True, slots=True, eq=False)
class Lookup:
    """What becomes of the leaves of one column: `codes[leaf]` is the published code, `shown` what codes stand for."""

    codes: Codes
    shown: Shown

    @staticmethod
    def of_nodes(nodes: Nodes) -> Lookup:
        """Each leaf goes to a node; numbered along the leaves."""
        codes, firsts = _numbered(nodes)
        return Lookup(codes, TreeNodes(nodes[firsts]))

    @staticmethod
    def of_spans(pieces: Codes) -> Lookup:
        """Neighboring leaves with the same piece number go to their range."""
        codes, firsts = _numbered(pieces)
        return Lookup(codes, Spans(firsts, np.append(firsts[1:], len(pieces)) - 1))

    @property
    def size(self) -> int:
        """Number of published codes."""
        return len(self.shown)


class Recoding(Protocol):
    """A function of single values, so that it can be applied to new records."""

    def lookup(self, attribute: Attribute) -> Lookup:
        """What becomes of the leaves of one column."""
        ...

    def description(self, attribute: Attribute) -> dict[str, Any]:
        """What a certificate says about it."""
        ...

    def apply(self, table: EncodedTable) -> Counts:
        """The recoded counts."""
        ...


@dataclass(frozen=True, slots=True)
class FullDomain:
    """Every value of a column goes to the same level of its hierarchy."""

    levels: Mapping[str, int]

    def lookup(self, attribute: Attribute) -> Lookup:
        """A leaf goes to its node of the level."""
        level = self.levels.get(attribute.name, 0)
        if not 0 <= level <= attribute.hierarchy.height:
            raise ParameterError(
                f"column {attribute.name!r}: there is no level {level}; its hierarchy has levels 0 to "
                f"{attribute.hierarchy.height}."
            )
        at = attribute.hierarchy.levels[level]
        return Lookup(at.codes, TreeNodes(at.nodes))

    def description(self, attribute: Attribute) -> dict[str, Any]:
        """The level, and how many there are."""
        return {"level": self.levels.get(attribute.name, 0), "levels": attribute.hierarchy.height}

    def apply(self, table: EncodedTable) -> Counts:
        """The recoded counts: quasi-identifiers as classes of their level, other columns as they are."""
        return _rolled_up(self, table)


@dataclass(frozen=True, slots=True, eq=False)
class Cut:
    """The domain of each column is cut into pieces, nodes of its hierarchy or ranges of its values.

    A column that is not in `lookups` keeps its values.
    """

    lookups: Mapping[str, Lookup]

    def lookup(self, attribute: Attribute) -> Lookup:
        """A leaf goes to the piece it is in."""
        found = self.lookups.get(attribute.name)
        return Lookup.of_nodes(np.arange(attribute.domain.size, dtype=np.int32)) if found is None else found

    def description(self, attribute: Attribute) -> dict[str, Any]:
        """How many pieces there are."""
        return {"pieces": self.lookup(attribute).size}

    def apply(self, table: EncodedTable) -> Counts:
        """The recoded counts: quasi-identifiers as pieces, other columns as they are."""
        return _rolled_up(self, table)


def _numbered(pieces: Codes) -> tuple[Codes, Codes]:
    """Number runs of equal neighbors from 0; the number of each leaf, and the first leaf of each run."""
    starts = np.flatnonzero(np.concatenate([[True], pieces[1:] != pieces[:-1]]))
    codes = np.cumsum(np.concatenate([[0], pieces[1:] != pieces[:-1]]))
    return codes.astype(narrowest(len(starts))), starts


def _rolled_up(recoding: Recoding, table: EncodedTable) -> Counts:
    lookups = {attribute.name: recoding.lookup(attribute) for attribute in table.quasi_identifiers}
    return table.counts.roll_up({name: (found.codes, found.size) for name, found in lookups.items()})
