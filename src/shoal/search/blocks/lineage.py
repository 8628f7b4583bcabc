"""Which node every class has in every settled column, by the class that it was part of before the last was settled."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from numpy.typing import NDArray

if TYPE_CHECKING:
    from shoal.arrays import Keys, Nodes


@dataclass(frozen=True, slots=True, eq=False)
class Lineage:
    """The nodes of classes in the column that was settled last, and what they come from.

    Attributes:
        column: Which quasi-identifier.
        nodes: The node of each class.
        before: The same of the columns settled before it, if there are some.
        parent: Which class of `before` each class was part of; None if they are the same ones.
    """

    column: int
    nodes: Nodes
    before: Lineage | None = None
    parent: Keys | None = None

    @staticmethod
    def of(columns: Sequence[int], nodes: Sequence[Nodes]) -> Lineage | None:
        """Classes whose nodes are known in each column."""
        found: Lineage | None = None
        for column, of_column in zip(columns, nodes, strict=False):
            found = Lineage(column, of_column, found)
        return found

    def part(self, start: int, stop: int) -> Lineage:
        """The classes from one to another."""
        if self.parent is not None:
            return Lineage(self.column, self.nodes[start:stop], self.before, self.parent[start:stop])
        before = None if self.before is None else self.before.part(start, stop)
        return Lineage(self.column, self.nodes[start:stop], before)

    def take(self, classes: Keys) -> Lineage:
        """Some of the classes."""
        before = self.before
        if self.parent is not None:
            return Lineage(self.column, self.nodes.take(classes), before, self.parent.take(classes))
        return Lineage(self.column, self.nodes.take(classes), before and before.take(classes))

    def in_columns(self) -> list[tuple[int, Nodes]]:
        """Each settled column, and the node of each class there."""
        if self.before is None:
            return [(self.column, self.nodes)]
        before = self.before.in_columns()
        if self.parent is not None:
            before = [(column, nodes.take(self.parent)) for column, nodes in before]
        return [*before, (self.column, self.nodes)]

    def summed(self, prices: Sequence[NDArray[Any]]) -> NDArray[Any]:
        """What the nodes of each class cost, `prices[column][node]` each."""
        own = prices[self.column].take(self.nodes)
        if self.before is not None:
            before = self.before.summed(prices)
            own += before if self.parent is None else before.take(self.parent)
        return own
