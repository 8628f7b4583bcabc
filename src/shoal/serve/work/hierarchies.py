"""A hierarchy as it will be: its levels, its tree, and what it makes of the values of a column."""

from __future__ import annotations

import csv
import io
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shoal.data.attribute import Attribute
from shoal.data.hierarchies.hierarchy import Level
from shoal.data.hierarchies.marks import Mark, marked
from shoal.engines.codes.encoding import encode
from shoal.errors import HierarchyError, SchemaError
from shoal.plan.plan import Plan
from shoal.progress import Progress
from shoal.serve.grouping import MOST_GROUPED, Tree, from_parents
from shoal.serve.work.looking import RELEASE_FILE

_MOST_SHOWN = 400
"""Nodes of a tree that are drawn."""
_BARS = 24
"""Groups of a level that a sketch shows."""


def shown(folder: str, column: str, *, progress: Progress) -> dict[str, Any]:
    """The hierarchy of a column of the release file: its levels, how their groups are called, and its tree."""
    plan = Plan.load(Path(folder) / RELEASE_FILE)
    attribute, sizes = _attribute(plan, column, progress)
    hierarchy = attribute.hierarchy
    levels = []
    for number, level in enumerate(hierarchy.levels):
        records = np.bincount(level.codes, weights=sizes, minlength=level.size)
        filled = records[records > 0]
        levels.append(
            {
                "level": number,
                "groups": level.size,
                "examples": attribute.labels(level.nodes[:6]),
                "sketch": _sketch(attribute, level, records),
                "smallest": int(filled.min()) if len(filled) else 0,
                "largest": int(filled.max()) if len(filled) else 0,
            }
        )
    return {
        "levels": levels,
        "tree": _tree(attribute),
        "values": hierarchy.leaves,
        "is_declared": plan.schema[column].is_declared,
        "records": _records(attribute, sizes),
    }


def grouped(folder: str, column: str, *, progress: Progress) -> Tree:
    """The hierarchy of a column as values in groups, to be changed by hand."""
    attribute, _ = _attribute(Plan.load(Path(folder) / RELEASE_FILE), column, progress)
    hierarchy = attribute.hierarchy
    if hierarchy.leaves > MOST_GROUPED:
        raise HierarchyError(
            f"column {column!r} has {hierarchy.leaves:,} values, too many to sort by hand; save the hierarchy as a CSV "
            "file, and import it again when the groups are written."
        )
    labels = attribute.labels(np.arange(len(hierarchy.parent), dtype=np.int32))
    return from_parents(labels, hierarchy.parent.tolist(), _from_the_root(attribute))


def is_declared(folder: str, column: str, *, progress: Progress) -> bool:
    """Whether the values of a column are declared, rather than taken from the data."""
    del progress
    return Plan.load(Path(folder) / RELEASE_FILE).schema[column].is_declared


def written_out(folder: str, column: str, *, progress: Progress) -> str:
    """The hierarchy as a CSV file, a row per value."""
    plan = Plan.load(Path(folder) / RELEASE_FILE)
    attribute, _ = _attribute(plan, column, progress)
    file = io.StringIO()
    writer = csv.writer(file, lineterminator="\n")
    missing = getattr(attribute.domain, "missing", None)  # has a place in the table, and none in a file
    paths = zip(*(attribute.labels(nodes) for nodes in attribute.hierarchy.up), strict=True)
    rows = [row for code, row in enumerate(paths) if code != missing]
    header = [f"level{number}" for number in range(attribute.hierarchy.height + 1)]
    if not plan.schema[column].is_declared:  # so that it is asked again where the file is used
        header[0] = marked([row[0] for row in rows], Mark.SEEN)
    writer.writerow(header)
    writer.writerows(rows)
    return file.getvalue()


def _from_the_root(attribute: Attribute) -> list[int]:
    """The nodes along their values, each after its parent; none for missing values, which have no group."""
    hierarchy, missing = attribute.hierarchy, getattr(attribute.domain, "missing", None)
    order = np.lexsort((hierarchy.first, -hierarchy.level_of)).tolist()
    return [node for node in order if node != missing]


def _sketch(attribute: Attribute, level: Level, records: NDArray[Any]) -> list[tuple[str, int]]:
    """How many records the groups of a level have: in their order if they are few, else neighbors together."""
    width = -(-level.size // _BARS)
    sums = np.add.reduceat(records, np.arange(0, level.size, width))
    names = attribute.labels(level.nodes[::width])
    return [(name, int(count)) for name, count in zip(names, sums, strict=True)]


def _records(attribute: Attribute, sizes: NDArray[Any]) -> dict[str, int]:
    """How many records each value has, where there are few enough to be sorted by hand."""
    if attribute.hierarchy.leaves > MOST_GROUPED:
        return {}
    names = attribute.labels(attribute.hierarchy.levels[0].nodes)
    return {name: int(count) for name, count in zip(names, sizes, strict=True)}


def _attribute(plan: Plan, name: str, progress: Progress) -> tuple[Attribute, Any]:
    """The column settled, and how many records each of its values has."""
    column = plan.schema[name]
    if not column.role.is_counted:
        raise SchemaError(f"column {name!r} is {column.role.value}: it is not made coarser, so it has no hierarchy.")
    table = encode(plan.data.engine(), plan.schema, (name,), progress)
    return table[name], table.marginal(name)


def _tree(attribute: Attribute) -> list[tuple[int, str, int]]:
    """The nodes from the root down, each with its depth and how many values it stands for."""
    hierarchy = attribute.hierarchy
    below: dict[int, list[int]] = {}
    for node, parent in enumerate(hierarchy.parent.tolist()):
        if node != parent and parent >= 0:
            below.setdefault(parent, []).append(node)
    drawn: list[tuple[int, str, int]] = []
    waiting = [(0, int(hierarchy.root))]
    while waiting and len(drawn) < _MOST_SHOWN:
        depth, node = waiting.pop()
        drawn.append((depth, attribute.labels(np.array([node]))[0], int(hierarchy.leaf_count[node])))
        children = sorted(below.get(node, []), key=lambda child: int(hierarchy.first[child]), reverse=True)
        waiting += [(depth + 1, child) for child in children]
    return drawn
