"""A hierarchy as it will be: its levels, its tree, and what it makes of the values of a column."""

from __future__ import annotations

import csv
import io
from pathlib import Path
from typing import Any

import numpy as np

from shoal.data.schema import Attribute
from shoal.engines.codes.encoding import encode
from shoal.errors import SchemaError
from shoal.plan.plan import Plan
from shoal.progress import Progress
from shoal.serve.work.looking import RELEASE_FILE

_MOST_SHOWN = 400
"""Nodes of a tree that are drawn."""


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
                "smallest": int(filled.min()) if len(filled) else 0,
                "largest": int(filled.max()) if len(filled) else 0,
            }
        )
    return {"levels": levels, "tree": _tree(attribute), "values": hierarchy.leaves}


def written_out(folder: str, column: str, *, progress: Progress) -> str:
    """The hierarchy as a CSV file, a row per value."""
    plan = Plan.load(Path(folder) / RELEASE_FILE)
    attribute, _ = _attribute(plan, column, progress)
    file = io.StringIO()
    writer = csv.writer(file, lineterminator="\n")
    writer.writerow([f"level{number}" for number in range(attribute.hierarchy.height + 1)])
    writer.writerows(zip(*(attribute.labels(nodes) for nodes in attribute.hierarchy.up), strict=True))
    return file.getvalue()


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
