"""Rows of a table in codes that are settled already: people who are to be coded like others."""

from __future__ import annotations

from collections.abc import Collection, Sequence

import numpy as np

from shoal.arrays import Keys
from shoal.data.encoded import EncodedTable
from shoal.engines.codes.coding import Coder
from shoal.engines.reading.source import Source
from shoal.errors import DataError, listed

UNKNOWN = -1
"""The code of a value that the domain does not hold."""


def row_codes(source: Source, table: EncodedTable, names: Sequence[str], missing: Collection[str]) -> dict[str, Keys]:
    """Some columns of other rows in the codes of a table, row by row; `UNKNOWN` where its domain has no such value."""
    present = source.types()
    absent = [name for name in names if name not in present]
    if absent:
        raise DataError(f"{source.where} has no column {listed(absent)}; it must have the columns of the original.")
    coders = {
        name: Coder(name, a.domain, missing, absorbs=a.absorbs, clamps=a.is_coded, floor=a.counted_leaves)
        for name, a in ((name, table[name]) for name in names)
    }
    parts: dict[str, list[Keys]] = {name: [] for name in names}
    for batch, _ in source.batches(list(names)):
        for name, coder in coders.items():
            where, codes = coder.local(batch.column(name))
            parts[name].append(np.maximum(codes[where], UNKNOWN))
    nothing = np.zeros(0, dtype=np.int64)
    return {name: np.concatenate([nothing, *parts[name]]) for name in names}


def row_persons(source: Source, column: str, missing: Collection[str]) -> Keys:
    """Who each row is about: 1, 2, … in the order in which they first come, 0 where that is missing."""
    coder, parts = Coder(column, None, missing), [np.zeros(0, dtype=np.int64)]
    for batch, _ in source.batches([column]):
        where, codes = coder.local(batch.column(column))
        parts.append(codes[where])
    return np.concatenate(parts)
