"""Whether the distinct records that are published with their counts are those of the published table."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from shoal.arrays import Codes
from shoal.data.counts import Counts
from shoal.data.domain import Categorical
from shoal.data.encoded import EncodedTable
from shoal.data.schema import Column, Role, Schema
from shoal.engines.base import Engine
from shoal.engines.codes.encoding import encode
from shoal.engines.opening import engine_of_published
from shoal.engines.reading.published_source import open_published
from shoal.errors import DataError, SchemaError
from shoal.progress import Progress

_COUNT = re.compile(r"[1-9]\d{0,17}", re.ASCII)


def require_same_groups(
    data: Path, groups: Path, passed: Sequence[str], progress: Progress, *, is_marked: bool = False
) -> None:
    """Refuse a file of groups that says otherwise than the table; columns that were passed through are not in it."""
    names = [name for name in open_published(data, is_marked=is_marked).types() if name not in passed]
    found = list(open_published(groups, is_marked=is_marked).types())
    if found[:-1] != names:
        raise _differs(data, groups)
    rows = _encoded(engine_of_published(data, is_marked=is_marked), names, passed, progress)
    table = _encoded(engine_of_published(groups, is_marked=is_marked), found, (), progress)
    codes = table.counts.column(found[-1])
    labels = table[found[-1]].domain.labels(np.unique(codes).tolist())
    if not all(_COUNT.fullmatch(label) for label in labels):
        raise DataError(f"{groups}: its last column must hold how often each record is published, in whole numbers.")
    if any(int(label) > rows.total for label in labels):
        raise _differs(data, groups)
    times = np.array([int(label) for label in labels], dtype=np.int64)[np.unique(codes, return_inverse=True)[1]]
    one = _shared([rows, table], names)
    written = Counts.of(names, one[0], [_size(rows, table, name) for name in names], rows.counts.sizes)
    sizes = times * table.counts.sizes
    grouped = Counts.of(names, one[1], [_size(rows, table, name) for name in names], sizes)
    same = len(written) == len(grouped) and all(
        np.array_equal(a, b)
        for a, b in zip((*written.codes, written.sizes), (*grouped.codes, grouped.sizes), strict=True)
    )
    if not same:
        raise _differs(data, groups)


def _encoded(engine: Engine, names: Sequence[str], passed: Sequence[str], progress: Progress) -> EncodedTable:
    """Some columns of a file, every cell as it is written."""
    columns = [Column(name, Role.QUASI_IDENTIFIER) for name in names]
    schema = Schema((*columns, *(Column(name, Role.INSENSITIVE) for name in passed)))
    try:
        return encode(engine, schema, names, progress, absorb=True)
    except SchemaError as error:
        raise DataError(f"{engine.where}: {error}") from None


def _shared(tables: Sequence[EncodedTable], names: Sequence[str]) -> list[list[Codes]]:
    """The columns of tables in codes that are the same wherever a cell is written alike."""
    columns: list[list[Codes]] = [[] for _ in tables]
    for name in names:
        known: dict[str | None, int] = {}
        for table, codes in zip(tables, columns, strict=True):
            domain = table[name].domain
            assert isinstance(domain, Categorical)
            labels = [None if i == domain.missing else label for i, label in enumerate(domain.values)]
            lookup = np.array([known.setdefault(label, len(known)) for label in labels], dtype=np.int64)
            codes.append(lookup[table.counts.column(name)])
    return columns


def _size(one: EncodedTable, other: EncodedTable, name: str) -> int:
    return one[name].domain.size + other[name].domain.size


def _differs(data: Path, groups: Path) -> DataError:
    return DataError(f"{groups} does not hold the records of {data.name}; the two do not belong together.")
