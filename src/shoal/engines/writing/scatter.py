"""Rows put into an order that tells nothing about the input's: by published record, and among equal ones at random.

Rows are dealt into buckets as they come, each bucket a temporary Arrow file when one would not do, and every bucket is
ordered by itself. So memory holds one bucket, not the table.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from numpy.typing import NDArray

from shoal.arrays import Keys, Sizes
from shoal.engines.bridge import from_mask, from_numpy, to_numpy
from shoal.files.owner_only import owners_file
from shoal.files.remains import scratch_folder

if TYPE_CHECKING:
    import pyarrow as pa

BUCKET_ROWS = 1 << 18
_MOST_BUCKETS = 256
"""Each is an open file; a table of more rows than fit in so many has larger ones."""

_RECORD = "\0record"


class Scatter:
    """Takes rows with the number of the published record each one is, gives them back ordered.

    How often each record occurs is known beforehand, so its place in the result is. A row draws its place among the
    rows of its record and goes to the bucket of that place; since equal records are in random order anyway, it does not
    matter that two may draw the same.
    """

    def __init__(self, sizes: Sizes) -> None:
        self._sizes = sizes
        self._starts = np.cumsum(sizes) - sizes
        self._bucket_rows = max(BUCKET_ROWS, -(-int(sizes.sum()) // _MOST_BUCKETS))
        self._memory: list[pa.Table] = []
        self._stack = ExitStack()
        self._writers: dict[int, Any] = {}
        self._folder: Path | None = None

    def __enter__(self) -> Self:
        if self._sizes.sum() > self._bucket_rows:
            self._folder = self._stack.enter_context(scratch_folder())
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._memory.clear()
        self._stack.__exit__(kind, error, trace)

    def add(self, records: Keys, rows: pa.Table) -> None:
        """Deal rows into their buckets."""
        import pyarrow as pa

        rows = rows.append_column(_RECORD, from_numpy(records))
        if self._folder is None:
            self._memory.append(rows)
            return
        drawn = (lots(len(records)) % self._sizes[records].astype(np.uint64)).astype(np.int64)
        bucket = (self._starts[records] + drawn) // self._bucket_rows
        for number in np.unique(bucket).tolist():
            if number not in self._writers:
                bucket_file = owners_file(self._folder / f"{number}.arrow")
                self._writers[number] = self._stack.enter_context(pa.ipc.new_stream(str(bucket_file), rows.schema))
            self._writers[number].write_table(rows.filter(from_mask(bucket == number)))

    def gather(self) -> Iterator[tuple[Keys, pa.Table]]:
        """The records and rows, bucket after bucket, each in order."""
        import pyarrow as pa

        if self._folder is None:
            if self._memory:
                yield _ordered(pa.concat_tables(self._memory))
            return
        for writer in self._writers.values():
            writer.close()
        for number in sorted(self._writers):
            with pa.memory_map(str(self._folder / f"{number}.arrow")) as file, pa.ipc.open_stream(file) as reader:
                rows = reader.read_all()
            yield _ordered(rows)


def _ordered(rows: pa.Table) -> tuple[Keys, pa.Table]:
    records = to_numpy(rows[_RECORD].combine_chunks())
    order = np.lexsort((lots(len(records)), records))
    return records[order], rows.drop_columns([_RECORD]).take(from_numpy(order))


def lots(rows: int) -> NDArray[np.uint64]:
    """Random numbers, to put rows into an order that nothing decides."""
    return np.frombuffer(os.urandom(8 * rows), dtype=np.uint64)
