"""Some rows of a table, as text: a block from anywhere in it, so that tables of any length can be leafed through."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import pyarrow as pa

    from shoal.engines.reading.source import Source

BLOCK = 50
"""Rows that are shown at once."""


def block(source: Source, names: Sequence[str], start: int) -> dict[str, Any]:
    """The rows after the first `start` ones; what comes before them is read and not kept."""
    found = taken(source.batches(names), start)
    rows = [] if found is None else found.to_pylist()
    return {"names": list(names), "start": start, "rows": [[cell(row[name]) for name in names] for row in rows]}


def taken(batches: Iterable[tuple[pa.RecordBatch, float]], start: int, count: int = BLOCK) -> pa.Table | None:
    """So many rows after the first `start` ones, as they are; None if there are none."""
    import pyarrow as pa

    parts: list[pa.RecordBatch] = []
    passed = have = 0
    for batch, _ in batches:
        part = batch.slice(max(start - passed, 0), count - have)
        passed += batch.num_rows
        if part.num_rows:
            parts.append(part)
            have += part.num_rows
        if have == count:
            break
    return pa.Table.from_batches(parts) if parts else None


def cell(value: object) -> str:
    """A value as it is shown; of a long one the beginning."""
    return "" if value is None else str(value)[:80]
