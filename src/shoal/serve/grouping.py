"""Values in groups, and groups in groups: what dragging one into another does to the tree of a release file.

A tree is a table of names with what is below each; a value has nothing below it. Every name stands once, so that a
node is known by its name. Groups without values are no groups and vanish: in a release file they would be values.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any, TypeAlias

from shoal.errors import HierarchyError

Tree: TypeAlias = dict[str, "Tree"]
"""What is below each name: a root, its groups, their values."""

MOST_GROUPED = 1000
"""Values that somebody can still sort by hand."""


def read(nested: Any) -> Tree:
    """A tree as a release file writes it; without a root it gets one."""
    tree = _read(nested)
    return tree if len(tree) == 1 else {free_name(tree, "*"): tree}


def _read(nested: Any) -> Tree:
    if isinstance(nested, Mapping):
        return {str(name): _read(below) for name, below in nested.items()}
    return {str(name): {} for name in nested} if isinstance(nested, list | tuple) else {}


def written(tree: Tree) -> dict[str, Any] | list[str]:
    """A tree as a release file writes it: a list where there are values only."""
    if tree and not any(tree.values()):
        return list(tree)
    return {name: written(below) if below else [] for name, below in tree.items()}


def from_parents(labels: Sequence[str], parents: Sequence[int], order: Sequence[int]) -> Tree:
    """The tree of nodes by their parents, the root its own, each after its parent in `order`.

    A group that is called like a value or like another group is left out: what is in it stands where it was.
    """
    inner = {parent for node, parent in enumerate(parents) if node != parent}
    taken = {label for node, label in enumerate(labels) if node not in inner}
    tree: Tree = {}
    places: dict[int, Tree] = {}
    for node in order:
        above = places.get(parents[node], tree)
        if node in inner and labels[node] in taken:
            places[node] = above
        else:
            taken.add(labels[node])
            places[node] = above.setdefault(labels[node], {})
    return tree if len(tree) == 1 and any(tree.values()) else {free_name(tree, "*"): tree}


def nodes(tree: Tree, above: str = "") -> Iterator[tuple[str, str, Tree]]:
    """Every name from the root down, with what it stands in and what is below it."""
    for name, below in tree.items():
        yield name, above, below
        yield from nodes(below, name)


def values(tree: Tree) -> list[str]:
    """The names that have nothing below them."""
    return [name for name, _, below in nodes(tree) if not below]


def moved(tree: Tree, names: Collection[str], to: str) -> Tree:
    """The tree with some values or groups put into a group; a group is never put into itself."""
    inside = {name for name, _, _ in nodes(tree)}
    above = {name: parent for name, parent, _ in nodes(tree)}
    if to not in inside or not _below(tree, to):
        raise HierarchyError(f"there is no group {to!r} to move values into; make one of values first.")
    line = to
    while line:
        if line in names:
            raise HierarchyError(f"{to!r} is in {line!r}; a group cannot be moved into itself.")
        line = above[line]
    taken: Tree = {}
    rest = _without(tree, set(names), taken)
    return _pruned(_with(rest, to, taken), set(values(tree)))


def gathered(tree: Tree, names: Collection[str], group: str) -> Tree:
    """The tree with a new group of some values or groups, in the place of the first of them."""
    group = _free(tree, group)
    chosen = [name for name, _, _ in nodes(tree) if name in names]
    root = next(iter(tree))
    if not chosen or root in chosen:
        raise HierarchyError("a group is made of values or of other groups; choose some first.")
    above = {name: parent for name, parent, _ in nodes(tree)}
    place = above[chosen[0]]
    while place in names:
        place = above[place]
    taken: Tree = {}
    rest = _without(tree, set(names), taken)
    return _pruned(_with(rest, place, {group: taken}), set(values(tree)))


def renamed(tree: Tree, old: str, new: str) -> Tree:
    """The tree with a group called otherwise; a value keeps its name, for the data have it."""
    if old == new.strip():
        return tree
    if old in values(tree):
        raise HierarchyError(f"{old!r} is a value of the data and keeps its name; rename its group.")
    new = _free(tree, new)

    def walk(below: Tree) -> Tree:
        return {new if name == old else name: walk(under) for name, under in below.items()}

    return walk(tree)


def dissolved(tree: Tree, group: str) -> Tree:
    """The tree without a group; what was in it is where the group was."""

    def walk(below: Tree) -> Tree:
        found: Tree = {}
        for name, under in below.items():
            found |= walk(under) if name == group and under else {name: walk(under)}
        return found

    return tree if group == next(iter(tree)) else walk(tree)


def free_name(tree: Tree, name: str) -> str:
    """A name like this one that nothing in the tree has."""
    taken = {one for one, _, _ in nodes(tree)}
    number, free = 1, name
    while free in taken:
        number += 1
        free = f"{name} {number}"
    return free


def _free(tree: Tree, name: str) -> str:
    name = name.strip()
    if not name:
        raise HierarchyError("a group needs a name.")
    if any(name == one for one, _, _ in nodes(tree)):
        raise HierarchyError(f"{name!r} is there already; every value and every group has a name of its own.")
    return name


def _below(tree: Tree, group: str) -> Tree:
    return next((below for name, _, below in nodes(tree) if name == group), {})


def _without(tree: Tree, names: set[str], taken: Tree) -> Tree:
    """The tree without some nodes, which go to `taken` with all that is below them."""
    rest: Tree = {}
    for name, below in tree.items():
        kept = _without(below, names, taken) if name not in names else {}
        if name not in names:
            rest[name] = kept
        else:
            inner: Tree = {}
            taken[name] = _without(below, names, inner)
            taken.update(inner)
    return rest


def _with(tree: Tree, group: str, more: Tree) -> Tree:
    return {
        name: {**_with(below, group, more), **more} if name == group else _with(below, group, more)
        for name, below in tree.items()
    }


def _pruned(tree: Tree, leaves: set[str]) -> Tree:
    """The tree without groups that have nothing in them any more."""
    kept = {name: _pruned(below, leaves) for name, below in tree.items()}
    return {name: below for name, below in kept.items() if below or name in leaves}
