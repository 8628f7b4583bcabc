"""Hierarchies in files: ARX-style CSV, and edge lists."""

from __future__ import annotations

import csv
import io
import re
from pathlib import Path

from shoal.data.hierarchies.marks import GROUPS_CONFIRMED, GROUPS_SEEN, Mark, mark_in
from shoal.data.hierarchies.paths import Paths, edge_paths
from shoal.errors import HierarchyError

_HEADER = re.compile(r"level[ _-]?\d+", re.IGNORECASE)
_FIRST_HEADER = re.compile(rf"{_HEADER.pattern}( \(.*)?", re.IGNORECASE)
_LATER_HEADER = re.compile(rf"{_HEADER.pattern}( \(({GROUPS_SEEN}|{GROUPS_CONFIRMED})\))?", re.IGNORECASE)


def from_csv(path: str | Path) -> Paths:
    """The hierarchy in a CSV file: a row per value, then what it becomes level by level.

    Comma, semicolon, tab or bar; with or without a header `level0,level1,…`, which also says if `shoal init` took the
    values from the data, and whether the owner has confirmed them (`shoal declare`).
    """
    rows = _rows(Path(path))
    mark = Mark.NONE
    if rows and _FIRST_HEADER.fullmatch(rows[0][0]) and all(_LATER_HEADER.fullmatch(cell) for cell in rows[0][1:]):
        header, *rows = rows
        mark = mark_in(header[0], [row[0] for row in rows], str(path))
        if any(GROUPS_SEEN in cell.lower() for cell in header[1:]):
            mark = Mark.SEEN
    return Paths(tuple(tuple(row) for row in rows), str(path), mark)


def confirmed_text(path: Path) -> str:
    """A file with values or groups from the data, and a first line that says that the owner has confirmed them."""
    with path.open(encoding="utf-8-sig", newline="") as file:
        text = file.read()
    for seen, confirmed in ((Mark.SEEN.value, Mark.CONFIRMED.value), (GROUPS_SEEN, GROUPS_CONFIRMED)):
        text = re.sub(seen, confirmed, text, count=1, flags=re.IGNORECASE)
    return text


def from_edges(path: str | Path) -> Paths:
    """The hierarchy in a CSV file of (node, parent) rows; the root's parent is blank or it has no row."""
    rows = _rows(Path(path))
    if rows and [cell.lower() for cell in rows[0][:2]] in (["node", "parent"], ["child", "parent"]):
        rows = rows[1:]
    for number, row in enumerate(rows, start=1):
        if len(row) != 2 or not row[0]:
            got = f"{len(row)} cells" if len(row) != 2 else "a blank node"
            raise HierarchyError(f"{path}, row {number}: expected a node and its parent; got {got}.")
    return edge_paths([(row[0], row[1]) for row in rows], str(path))


def _rows(path: Path) -> list[list[str]]:
    try:
        text = path.read_text(encoding="utf-8-sig")
    except FileNotFoundError:
        raise HierarchyError(
            f"the hierarchy file {path} does not exist; paths are relative to the release file."
        ) from None
    except UnicodeDecodeError as error:
        raise HierarchyError(
            f"the hierarchy file {path} cannot be read as UTF-8 text ({type(error).__name__}); save it as UTF-8."
        ) from None
    except (OSError, ValueError) as error:  # a NUL in the path
        reason = (getattr(error, "strerror", None) or type(error).__name__).lower()
        raise HierarchyError(
            f"the hierarchy file {path} cannot be read ({reason}); check the file and its permissions."
        ) from None
    if not text.strip():
        raise HierarchyError(f"the hierarchy file {path} is empty; expected a row per value.")
    line = text.lstrip().splitlines()[0]
    try:
        read = [_split(text, delimiter) for delimiter in sorted((",", ";", "\t", "|"), key=line.count, reverse=True)]
    except csv.Error:
        raise HierarchyError(f"the hierarchy file {path} cannot be read as CSV; check its quotes.") from None
    return next((rows for rows in read if _is_even(rows)), read[0])


def _split(text: str, delimiter: str) -> list[list[str]]:
    rows = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter)
    return [cells for row in rows if any(cells := [cell.strip() for cell in row])]


def _is_even(rows: list[list[str]]) -> bool:
    """Whether a delimiter fits: it cuts every row into the same number of cells, and more than one."""
    return len({len(row) for row in rows}) == 1 and len(rows[0]) > 1
