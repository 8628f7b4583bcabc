"""Recipes over named values: rows from leaf to root (as in ARX's CSV files), trees, edges, prefixes.

All of them come down to one table: a row per leaf, the leaf first, its ancestors after it, the root last. Paths of
unequal length are filled by repeating the leaf, so that levels count down from the root.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from itertools import islice
from operator import lt
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from shoal.data.domain import Categorical, Domain, Origin
from shoal.data.hierarchies.build import ordered_levels
from shoal.data.hierarchies.hierarchy import ANY, Hierarchy
from shoal.data.hierarchies.marks import Mark
from shoal.errors import HierarchyError, agreeing, listed
from shoal.parameters import read_parameters

_NUMBER = re.compile(r"[+-]?(0|[1-9]\d*)(\.\d+)?", re.ASCII)

Nested: TypeAlias = Mapping[str, "Nested"] | Sequence[str]


@dataclass(frozen=True, slots=True)
class Paths:
    """A row per value: the value, then what it becomes level by level, up to the root that all rows share."""

    rows: tuple[tuple[str, ...], ...]
    where: str = "the hierarchy"
    mark: Mark = Mark.NONE
    """Where its values come from."""

    def __post_init__(self) -> None:
        read_parameters(self)
        self._check_shape()
        self._check_parents()
        roots = list(dict.fromkeys(row[-1] for row in self.rows))
        if len(roots) > 1:
            raise HierarchyError(
                f"{self.where}: the last level has {len(roots)} values ({listed(roots)}), so there is more than one "
                "root; every row must end in the same value, such as '*'."
            )

    def _check_shape(self) -> None:
        if not self.rows or len(self.rows[0]) < 2:
            raise HierarchyError(f"{self.where} is empty or has one level only; give each value at least a root.")
        for number, row in enumerate(self.rows, start=1):
            if len(row) != len(self.rows[0]):
                raise HierarchyError(
                    f"{self.where}, row {number}: {len(row)} level{'s' * (len(row) != 1)} where row 1 has "
                    f"{len(self.rows[0])}; repeat a value to fill a shorter path."
                )
            if "" in row:
                raise HierarchyError(
                    f"{self.where}, row {number}: the cell of level {row.index('')} is blank; repeat the value of the "
                    "level before it if nothing coarser is meant."
                )
        leaves = [row[0] for row in self.rows]
        if len(set(leaves)) < len(leaves):
            twice = [leaf for leaf in dict.fromkeys(leaves) if leaves.count(leaf) > 1]
            raise HierarchyError(
                f"{self.where}: {agreeing(twice, 'stands', 'stand')} in more than one row; keep one of them."
            )

    def _check_parents(self) -> None:
        for level in range(1, len(self.rows[0]) - 1):
            above: dict[str, str] = {}
            for row in self.rows:
                if above.setdefault(row[level], row[level + 1]) != row[level + 1]:
                    raise HierarchyError(
                        f"{self.where}: {row[level]!r} on level {level} has two parents, {above[row[level]]!r} and "
                        f"{row[level + 1]!r}; give the two meanings different names."
                    )

    def leaves(self) -> Categorical:
        """The values of the first column; not declared if they were seen in the data and nobody confirmed them."""
        origin = Origin.OBSERVED if self.mark is Mark.SEEN else Origin.DECLARED
        values = tuple(row[0] for row in self.rows)
        in_order = self._numbers()
        return Categorical(in_order or values, ordered=in_order is not None, origin=origin)

    def _numbers(self) -> tuple[str, ...] | None:
        """The values in the order of numbers, if all are such and every group has neighbors only."""
        if not all(_NUMBER.fullmatch(row[0]) for row in self.rows):
            return None
        rows = sorted(self.rows, key=lambda row: Decimal(row[0]))
        for level in range(1, len(rows[0])):
            names = [row[level] for i, row in enumerate(rows) if i == 0 or rows[i - 1][level] != row[level]]
            if len(set(names)) < len(names):
                return None
        return tuple(row[0] for row in rows)

    def build(self, domain: Domain, column: str) -> tuple[Domain, Hierarchy]:
        """The tree over the values of `domain`, which are reordered unless they have an order of their own."""
        paths = {row[0]: row for row in self.rows}
        height = len(self.rows[0])
        labels = domain.labels(range(domain.size))
        uncovered = [i for i, label in enumerate(labels) if label not in paths and i != domain.missing]
        if uncovered:
            raise uncovered_values(column, self.where, [labels[i] for i in uncovered], domain)
        if domain.missing is not None and labels[domain.missing] not in paths:
            missing = labels[domain.missing]
            paths[missing] = (*[missing] * (height - 1), self.rows[0][-1])
        if isinstance(domain, Categorical) and not domain.ordered:
            rank = [
                {name: i for i, name in enumerate(dict.fromkeys(row[j] for row in paths.values()))}
                for j in range(height)
            ]
            order = sorted(
                range(domain.size), key=lambda i: [rank[j][paths[labels[i]][j]] for j in range(height - 1, -1, -1)]
            )
            domain = domain.reordered(order)
            labels = [labels[i] for i in order]
        levels, names = [], []
        for level in range(1, height):
            cells = [paths[label][level] for label in labels]
            starts = [i for i in range(len(cells)) if i == 0 or cells[i] != cells[i - 1]]
            here = [cells[i] for i in starts]
            if len(set(here)) < len(here):
                split = next(name for name in here if here.count(name) > 1)
                raise HierarchyError(
                    f"column {column!r}: {split!r} on level {level} of {self.where} joins values that are not "
                    "neighbors in the declared order; join neighbors only, or declare the values without an order."
                )
            levels.append(np.repeat(np.arange(len(starts)), np.diff([*starts, len(cells)])))
            names.append(here)
        return domain, Hierarchy.from_levels(domain.size, levels, names, labels.__getitem__)


@dataclass(frozen=True, slots=True)
class Prefixes:
    """Codes such as zip codes lose their last characters: `12345`, `1234*`, `123**`, …, `*`."""

    keep: tuple[int, ...] = ()

    def __post_init__(self) -> None:
        read_parameters(self)
        if any(n < 1 for n in self.keep) or list(self.keep) != sorted(set(self.keep), reverse=True):
            raise HierarchyError(
                f"prefixes keep falling numbers of characters, such as 4, 3, 2; got {listed(self.keep, 9)}."
            )

    def leaves(self) -> None:
        """It fits any named values."""
        return

    def build(self, domain: Domain, column: str) -> tuple[Domain, Hierarchy]:
        """A level per number of characters kept, then `*`."""
        if not isinstance(domain, Categorical):
            raise HierarchyError(f"column {column!r}: prefixes need named values; declare the domain as a list.")
        values = _present(domain)
        longest = max(map(len, values), default=0)
        keep = self.keep or tuple(range(longest - 1, 0, -1))
        letters = "".join(values)
        if longest and not domain.ordered and "*" not in letters and "\0" not in letters:
            return self._of_sorted(_in_order(domain), keep, longest)
        rows = tuple(
            (value, *(value[:n] + "*" * (longest - n) if len(value) > n else value for n in keep), ANY)
            for value in sorted(values)
        )
        prefixes = Paths(rows, f"the prefixes of column {column!r}")
        return prefixes.build(domain if domain.ordered else _in_order(domain), column)

    def _of_sorted(self, domain: Categorical, keep: Sequence[int], longest: int) -> tuple[Domain, Hierarchy]:
        """The same without a row for each value: of codes in their order, those that begin alike are neighbors."""
        values = _present(domain)
        letters = np.array(values, dtype=f"U{longest}").view("U1").reshape(len(values), longest)
        lengths = np.fromiter(map(len, values), dtype=np.int64, count=len(values))
        levels: list[NDArray[np.int64]] = []
        labels: list[Sequence[str]] = []
        for n in keep:
            is_alike = (letters[1:, :n] == letters[:-1, :n]).all(axis=1)
            starts_group = np.append(True, ~is_alike | ((lengths[1:] > n) != (lengths[:-1] > n)))
            levels.append(np.cumsum(starts_group) - 1)
            labels.append(_PrefixLabels(values, np.flatnonzero(starts_group), n, longest))
        return domain, ordered_levels(domain, levels, labels)


def _present(domain: Categorical) -> Sequence[str]:
    """All values but the missing one."""
    at = domain.missing
    return domain.values if at is None else domain.values[:at] + domain.values[at + 1 :]


def _in_order(domain: Categorical) -> Categorical:
    """The domain with its values in the order of their texts, and the missing one last."""
    is_last = domain.missing in (None, domain.size - 1)
    if is_last and all(map(lt, present := _present(domain), islice(present, 1, None))):
        return domain
    return domain.reordered(sorted(range(domain.size), key=lambda i: (i == domain.missing, domain.values[i])))


@dataclass(frozen=True, slots=True, eq=False)
class _PrefixLabels(Sequence[str]):
    """The first characters that groups of values share, each written when it is asked for."""

    values: Sequence[str]
    firsts: NDArray[np.int64]
    kept: int
    longest: int

    def __len__(self) -> int:
        return len(self.firsts)

    def __getitem__(self, at: Any) -> Any:
        value = self.values[int(self.firsts[at])]
        return value[: self.kept] + "*" * (self.longest - self.kept) if len(value) > self.kept else value


def tree_paths(tree: Nested, where: str = "the tree") -> Paths:
    """Rows from a nested tree: `{"Any": {"Worked": ["Private", "State"], "Never": []}}`; an empty list is a leaf."""
    parents: list[tuple[str, str]] = []

    def walk(branch: Nested, parent: str) -> None:
        for name in branch:
            parents.append((name, parent))
            if isinstance(branch, Mapping) and branch[name]:
                walk(branch[name], name)

    walk(tree, "")
    return edge_paths(parents, where)


def edge_paths(edges: Iterable[tuple[str, str]], where: str = "the edge list") -> Paths:
    """Rows from (node, parent) pairs; the root has no parent."""
    parent: dict[str, str] = {}
    for node, above in edges:
        if node in parent and parent[node] != above:
            raise HierarchyError(
                f"{where}: {node!r} has two parents, {parent[node]!r} and {above!r}; "
                "give the two meanings different names."
            )
        parent[node] = above
    roots = [node for node, above in parent.items() if not above]
    unknown = [above for above in parent.values() if above and above not in parent]
    for name in dict.fromkeys(unknown):  # a parent that is nobody's child is a root left unsaid
        parent[name] = ""
        roots.append(name)
    if len(roots) != 1:
        what = f"{len(roots)} roots ({listed(roots)})" if roots else "no root: its edges run in a circle"
        raise HierarchyError(f"{where} has {what}; expected exactly one node without a parent.")
    inner = set(parent.values())
    paths = []
    for node in parent:
        path = [node]
        while parent[path[-1]]:
            path.append(parent[path[-1]])
            if len(path) > len(parent):
                raise HierarchyError(f"{where}: the edges above {node!r} run in a circle.")
        if node not in inner:
            paths.append(path)
    height = max(len(path) for path in paths)
    return Paths(tuple((*[path[0]] * (height - len(path)), *path) for path in paths), where)


def uncovered_values(column: str, where: str, missing: Sequence[str], domain: Domain) -> HierarchyError:
    """The hierarchy misses values of the domain; they are named only if they were declared."""
    named = f"; missing {listed(missing)}" if domain.origin is Origin.DECLARED else ""
    return HierarchyError(
        f"column {column!r}: {where} covers {domain.size - len(missing):,} of {domain.size:,} "
        f"{domain.origin.value} values{named}. Add them to the hierarchy, or use prefixes or a balanced tree, which "
        "cover every value."
    )
