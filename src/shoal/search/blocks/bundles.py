"""Many prefixes at a time: their classes are numbered one after the other, and a column is settled for all of them.

Which node a class has in a settled column is told by the class that it was part of before the last was settled.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from math import prod
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from shoal.search.blocks.prospects import NOWHERE

if TYPE_CHECKING:
    from shoal.arrays import Keys, Nodes, Sizes
    from shoal.data.hierarchies.hierarchy import Level
    from shoal.search.blocks.prospects import Prospects
    from shoal.search.blocks.refinement import Loops
    from shoal.search.lattice import Node


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


@dataclass(frozen=True, slots=True, eq=False)
class Step:
    """A column, in the order in which they are settled.

    Attributes:
        column: Which quasi-identifier.
        levels: Its levels that are looked at.
        leaves: How many leaves it has.
        rest: How many combinations of leaves the columns after it have.
    """

    column: int
    levels: Sequence[Level]
    leaves: int
    rest: int


@dataclass(frozen=True, slots=True, eq=False)
class Bundle:
    """What is left of the distinct records under several prefixes.

    Attributes:
        cells: Class · rest + the leaf codes of the other columns in mixed radix.
        weights: How many records each stands for.
        settled: The node of each class in each settled column.
        prefix: The number of the prefix that each class belongs to, ascending.
        most: For each prefix, the most that any node below it scores, where that is so little that its classes are left
            out; `NOWHERE` where they are all there.
    """

    cells: Keys
    weights: Sizes
    settled: Lineage | None
    prefix: Keys
    most: Sizes

    @property
    def prefixes(self) -> int:
        """How many there are."""
        return len(self.most)

    @staticmethod
    def of_one(cells: Keys, weights: Sizes, settled: Lineage | None, classes: int) -> Bundle:
        """All classes of one prefix."""
        return Bundle(cells, weights, settled, np.zeros(classes, dtype=np.int64), np.full(1, NOWHERE))

    @staticmethod
    def left_out(most: int, prefixes: int) -> Bundle:
        """So many prefixes without a class, and what any node below one of them scores at most."""
        nothing = np.zeros(0, dtype=np.int64)
        return Bundle(nothing, nothing, None, nothing, np.full(prefixes, most))


class Bundles:
    """Goes through the prefixes of some columns at some levels.

    Args:
        steps: All columns.
        depth: How many of them a prefix settles.
        loops: What is done to every record.
        least: Classes of fewer records are of no interest.
        widest: How many prefixes a bundle has at most.
        longest: About how many records it has at most.
        prospects: What nodes below a prefix may score, if those that are of no interest may be left out.
    """

    def __init__(
        self,
        steps: Sequence[Step],
        depth: int,
        loops: Loops,
        least: int,
        *,
        widest: int,
        longest: int,
        prospects: Prospects | None,
    ) -> None:
        self._steps, self._depth, self._loops, self._least = steps, depth, loops, least
        self._widest, self._longest, self._prospects = max(widest, 1), longest, prospects

    def below(self, prefix: Node, at: Bundle) -> Iterator[tuple[Node, Bundle]]:
        """All prefixes that begin with one, given by numbers of levels; with what those of a bundle begin with.

        They are numbered with the first of their other columns fastest. Those that promise most come first.
        """
        depth = len(prefix)
        left = [range(len(step.levels)) for step in self._steps[depth : self._depth]]
        together = prod(map(len, left))
        if at.most[0] != NOWHERE:
            yield prefix, Bundle.left_out(int(at.most[0]), together)
        elif together <= self._widest and together * len(at.cells) <= self._longest:
            for ahead, of_column in enumerate(left, depth):
                at = self._refined(at, ahead, of_column, self._apart(at, ahead))
            yield prefix, at
        elif not left:
            yield prefix, at
        else:
            apart = self._apart(at, depth)
            for level in self._best_first(depth):
                yield from self.below((*prefix, level), self._refined(at, depth, [level], apart))

    def _apart(self, at: Bundle, depth: int) -> tuple[Keys, Keys, Sizes]:
        step, classes = self._steps[depth], len(at.prefix)
        keys, others, tally = self._loops.take_apart(at.cells, at.weights, step.rest, classes * step.leaves, room=depth)
        return keys, others, tally.reshape(classes, step.leaves)

    def _refined(self, at: Bundle, depth: int, numbers: Sequence[int], apart: tuple[Keys, Keys, Sizes]) -> Bundle:
        """Settle one more column of all prefixes at each of some levels."""
        step, (keys, others, tally) = self._steps[depth], apart
        target = None if self._prospects is None else self._prospects.target
        levels = [step.levels[number] for number in numbers]
        most, wanted = np.tile(at.most, len(levels)), None
        if self._prospects is not None:
            to_come = [(later.column, later.levels) for later in self._steps[depth + 1 :]]
            ahead = self._prospects.at_levels(
                tally, levels, step.column, to_come, at.settled, at.prefix, at.prefixes, self._least
            )
            most = _closed(most, self._prospects, ahead.ravel())
            wanted = (most == NOWHERE).reshape(len(levels), -1)[:, at.prefix]
        found = self._loops.settle(
            keys,
            others,
            at.weights,
            tally,
            levels,
            self._least,
            step.rest,
            room=depth,
            wanted=wanted,
            in_pairs=target is not None and target % 2 == 0,
        )
        between = list(pairwise([0, *found.ends]))
        nodes = [level.nodes[found.code[a:b]] for level, (a, b) in zip(levels, between, strict=True)]
        settled = Lineage(step.column, np.concatenate(nodes), at.settled, found.parent)
        prefix = at.prefix.take(found.parent)
        for number, (a, b) in enumerate(between):
            prefix[a:b] += number * at.prefixes
        refined = Bundle(found.cells, found.weights, settled, prefix, most)
        if self._prospects is None or target is None:
            return refined
        told = self._prospects.told_apart(found.cells, found.weights, step.rest, found.sizes, prefix, len(most))
        return _without(refined, _closed(most, self._prospects, told), step.rest)

    def _best_first(self, depth: int) -> Sequence[int]:
        """The levels of the next column, those first that good nodes often have: then others are seen to be hopeless.

        Where cells have prices these are levels in the middle; for majorities, coarse ones.
        """
        levels = len(self._steps[depth].levels)
        likely = levels // 2 if self._prospects is None or self._prospects.has_prices else levels - 1
        return sorted(range(levels), key=lambda number: (abs(number - likely), -number))


def _closed(most: Sizes, prospects: Prospects, bounds: Sizes) -> Sizes:
    """Close prefixes whose bound leaves no hope; those that were closed stay so."""
    return np.where((most == NOWHERE) & prospects.is_hopeless(bounds), bounds, most)


def _without(bundle: Bundle, most: Sizes, rest: int) -> Bundle:
    """Leave out the classes of prefixes that are closed now."""
    open_ = most.take(bundle.prefix) == NOWHERE
    if open_.all() or bundle.settled is None:
        return replace(bundle, most=most)
    if not open_.any():
        nothing = bundle.cells[:0]
        return Bundle(nothing, nothing, bundle.settled.take(nothing), nothing, most)
    number = np.where(open_, (np.cumsum(open_) - 1) * rest, -1)
    classes = bundle.cells // rest
    shift = number.take(classes)
    stays = np.flatnonzero(shift >= 0)
    cells = bundle.cells.take(stays) - classes.take(stays) * rest + shift.take(stays)
    among = np.flatnonzero(open_)
    return Bundle(cells, bundle.weights.take(stays), bundle.settled.take(among), bundle.prefix.take(among), most)
