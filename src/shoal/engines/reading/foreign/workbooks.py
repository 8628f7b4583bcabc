"""Sheets of workbooks: every cell as text, as in a CSV file, so that nothing is lost in a column of numbers."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING

from shoal.engines.reading.foreign.child import Refused
from shoal.engines.reading.foreign.codebook import Codebook

if TYPE_CHECKING:
    import pyarrow as pa

_MIDNIGHT = r"^(\d{4}-\d{2}-\d{2}) 00:00:00$"
_CLOCK = r"^1899-12-3[01] (\d{2}:\d{2}:\d{2})$"
_UNNAMED = re.compile(r"__UNNAMED__\d+")


def read(path: Path, sheet: str | None) -> tuple[pa.Table, Codebook]:
    """A sheet, its first row the names of the columns; without rows and columns in which nothing stands."""
    import fastexcel
    import pyarrow as pa

    book = fastexcel.read_excel(path)
    names = book.sheet_names
    if not names:
        raise Refused("it has no sheet")
    if sheet is not None and sheet not in names:
        raise Refused(f"there is no sheet {sheet!r}; it has {', '.join(map(repr, names))}")
    cells = pa.record_batch(book.load_sheet(names[0] if sheet is None else sheet, dtypes="string"))
    table = pa.Table.from_batches([cells])
    table = _without_blank_rows(table)
    named = [n for n in table.column_names if not (_UNNAMED.fullmatch(n) and table[n].null_count == len(table))]
    table = table.select(named)
    return pa.table({name: _shortened(table[name]) for name in named}), Codebook(sheets=tuple(names))


def _without_blank_rows(table: pa.Table) -> pa.Table:
    import pyarrow as pa
    import pyarrow.compute as pc

    if not table.num_columns:
        return table
    stands = pa.chunked_array([pa.nulls(0, pa.bool_())])
    for i, column in enumerate(table.columns):
        here = pc.is_valid(column)
        stands = here if i == 0 else pc.or_(stands, here)
    return table.filter(stands)


def _shortened(column: pa.ChunkedArray) -> pa.ChunkedArray:
    """Days without the clock at midnight, and clocks without the day that Excel counts from."""
    import pyarrow.compute as pc

    day = pc.replace_substring_regex(column, _MIDNIGHT, r"\1")
    return pc.replace_substring_regex(day, _CLOCK, r"\1")
