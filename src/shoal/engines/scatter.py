"""Records put into an order that tells nothing about the input's: by class, and inside a class at random.

Rows are dealt into buckets by class as they come, each bucket a temporary Arrow file when one would not do, and every
bucket is ordered by itself. So memory holds one bucket, not the table.
"""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from shoal.arrays import Keys
from shoal.engines.bridge import from_mask, from_numpy, to_numpy

if TYPE_CHECKING:
    import pyarrow as pa

BUCKET_ROWS = 1 << 20
_CLASS = "\0class"


class Scatter:
    """Takes rows with their classes, gives them back ordered."""

    def __init__(self, classes: int, rows: int) -> None:
        self._buckets = max(1, min(classes, -(-rows // BUCKET_ROWS)))
        self._per_bucket = -(-classes // self._buckets) or 1
        self._memory: list[pa.Table] = []
        self._stack = ExitStack()
        self._writers: dict[int, Any] = {}
        self._folder: Path | None = None

    def __enter__(self) -> Self:
        if self._buckets > 1:
            self._folder = Path(self._stack.enter_context(tempfile.TemporaryDirectory(prefix="shoal-")))
        return self

    def __exit__(self, *error: object) -> None:
        self._stack.close()

    def add(self, classes: Keys, rows: pa.Table) -> None:
        """Deal rows into their buckets."""
        import pyarrow as pa

        rows = rows.append_column(_CLASS, from_numpy(classes))
        if self._folder is None:
            self._memory.append(rows)
            return
        bucket = classes // self._per_bucket
        for number in np.unique(bucket).tolist():
            part = rows.filter(from_mask(bucket == number)).unify_dictionaries()
            if number not in self._writers:
                path = self._folder / f"{number}.arrow"
                options = pa.ipc.IpcWriteOptions(emit_dictionary_deltas=False)
                self._writers[number] = self._stack.enter_context(
                    pa.ipc.new_stream(str(path), part.schema, options=options)
                )
            self._writers[number].write_table(part)

    def gather(self) -> Iterator[pa.Table]:
        """The rows, bucket after bucket, each in order."""
        import pyarrow as pa

        if self._folder is None:
            if self._memory:
                yield _ordered(pa.concat_tables(self._memory))
            return
        for writer in self._writers.values():
            writer.close()
        for number in sorted(self._writers):
            with pa.ipc.open_stream(pa.memory_map(str(self._folder / f"{number}.arrow"))) as reader:
                yield _ordered(reader.read_all())


def _ordered(rows: pa.Table) -> pa.Table:
    import pyarrow as pa

    lots = np.frombuffer(os.urandom(8 * rows.num_rows), dtype=np.uint64)
    order = np.lexsort((lots, to_numpy(rows[_CLASS].combine_chunks())))
    return rows.drop_columns([_CLASS]).unify_dictionaries().combine_chunks().take(from_numpy(order))
