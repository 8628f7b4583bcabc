"""Where the values of a hierarchy file come from, said in its own first line.

`shoal init` writes `level0 (values seen in the data: DIGEST)` over the first column. The line stays a line of a CSV
file like any other, so that spreadsheets keep it. The digest is of the values, in no order: joining them into other
groups changes nothing, adding or removing one makes them the owner's.

Groups that were made by how often values occur tell which ones are rare. `level1 (groups made from the data)` says so,
and while it does the file is not declared, whatever became of its values.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterable
from enum import Enum

from shoal.errors import HierarchyError


class Mark(Enum):
    """What is known about where the values of a hierarchy come from."""

    NONE = "declared by the owner"
    SEEN = "values seen in the data"
    """Nobody but the data says that they are all: not private."""
    CONFIRMED = "values confirmed by the owner"
    """Seen in the data, and then said to be public knowledge."""
    EDITED = "values edited by the owner"
    """Seen in the data at first; they are others now."""


GROUPS_SEEN, GROUPS_CONFIRMED = "groups made from the data", "groups confirmed by the owner"
"""What the first cell of the second column says where groups follow from the data, and after the owner confirmed it."""

_MARKED = re.compile(rf"level[ _-]?0 \(({Mark.SEEN.value}|{Mark.CONFIRMED.value}): ([0-9a-f]{{32}})\)", re.IGNORECASE)


def marked(values: Iterable[str], mark: Mark) -> str:
    """The first cell of the first line of a file whose first column are these values."""
    return f"level0 ({mark.value}: {_digest(values)})"


def mark_in(cell: str, values: Iterable[str], where: str) -> Mark:
    """The mark in the first cell of the header of a file; `where` is for messages."""
    found = _MARKED.fullmatch(cell)
    if found is None:
        if "(" in cell:
            raise HierarchyError(
                f"{where}: the first cell says where its values come from, and cannot be understood; put it back as "
                "`shoal init` wrote it."
            )
        return Mark.NONE
    if found[2].lower() != _digest(values):
        return Mark.EDITED
    return Mark(found[1].lower())


def _digest(values: Iterable[str]) -> str:
    return hashlib.sha256(json.dumps(sorted(set(values)), ensure_ascii=False).encode()).hexdigest()[:32]
