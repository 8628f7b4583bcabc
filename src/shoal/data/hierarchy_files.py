"""Hierarchies in files: ARX-style CSV, and edge lists."""

from __future__ import annotations

import csv
import re
from pathlib import Path

from shoal.data.hierarchy_paths import Paths, edge_paths
from shoal.errors import HierarchyError

_HEADER = re.compile(r"level[ _-]?\d+", re.IGNORECASE)


def from_csv(path: str | Path) -> Paths:
    """The hierarchy in a CSV file: a row per value, then what it becomes level by level.

    Comma, semicolon, tab or bar; with or without a header `level0,level1,…`.
    """
    rows = _rows(Path(path))
    if rows and all(_HEADER.fullmatch(cell) for cell in rows[0]):
        rows = rows[1:]
    return Paths(tuple(tuple(row) for row in rows), str(path))


def from_edges(path: str | Path) -> Paths:
    """The hierarchy in a CSV file of (node, parent) rows; the root's parent is blank or it has no row."""
    rows = _rows(Path(path))
    if rows and [cell.lower() for cell in rows[0][:2]] in (["node", "parent"], ["child", "parent"]):
        rows = rows[1:]
    for number, row in enumerate(rows, start=1):
        if len(row) != 2 or not row[0]:
            raise HierarchyError(f"{path}, row {number}: expected a node and its parent; got {len(row)} cells.")
    return edge_paths([(row[0], row[1]) for row in rows], str(path))


def _rows(path: Path) -> list[list[str]]:
    try:
        text = path.read_text(encoding="utf-8-sig")
    except FileNotFoundError:
        raise HierarchyError(
            f"the hierarchy file {path} does not exist; paths are relative to the release file."
        ) from None
    except (OSError, UnicodeDecodeError) as error:
        raise HierarchyError(
            f"the hierarchy file {path} cannot be read as UTF-8 text ({type(error).__name__})."
        ) from None
    lines = text.splitlines()
    if not lines:
        raise HierarchyError(f"the hierarchy file {path} is empty; expected a row per value.")
    delimiter = max((",", ";", "\t", "|"), key=lines[0].count)
    return [[cell.strip() for cell in row] for row in csv.reader(lines, delimiter=delimiter) if row]
