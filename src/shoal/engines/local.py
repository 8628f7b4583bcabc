"""The local engine: a table on this machine, read and written in Arrow batches.

It is the reference that other engines are tested against.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar

from shoal.engines.base import Tallied
from shoal.engines.writing.publishing import Publication
from shoal.progress import Progress, silent

if TYPE_CHECKING:
    import pyarrow as pa

    from shoal.data.outcome import Outcome
    from shoal.data.schema import Schema
    from shoal.engines.codes.coding import Coder
    from shoal.engines.reading.distinct_values import DistinctValues
    from shoal.engines.reading.source import Source


@dataclass(frozen=True, slots=True)
class LocalEngine:
    """A table on this machine."""

    is_elsewhere: ClassVar[bool] = False

    source: Source
    missing: Collection[str] = ("",)
    is_literal: bool = False

    @property
    def where(self) -> str:
        """The path of the table, if it has one."""
        return self.source.where

    @property
    def is_typed(self) -> bool:
        """Not if it is a CSV file."""
        return self.source.is_typed

    def types(self) -> dict[str, pa.DataType]:
        """The columns of the table and their types."""
        return self.source.types()

    def distinct(
        self,
        names: Sequence[str],
        watched: Mapping[str, DistinctValues] | None = None,
        coders: Sequence[Coder] = (),
        varied: Collection[str] = (),
    ) -> Iterator[Tallied]:
        """Row by row: batches are in memory, and whoever codes them tallies codes faster than values."""
        del coders
        watched = watched or {}
        passed = [name for name in watched if name not in names]
        for batch, done in self.source.batches([*names, *passed], [*passed, *varied]):
            for name, values in watched.items() if batch.num_rows else ():
                values.add(batch.column(name))
            yield Tallied(batch, None, done)

    def batches(self, names: Sequence[str], passed: Collection[str] = ()) -> Iterator[tuple[pa.RecordBatch, float]]:
        """The rows of some columns."""
        return self.source.batches(names, passed)

    def frame(self, schema: Schema, outcome: Outcome) -> pa.Table:
        """The published table as an Arrow table."""
        return Publication(self.source, self.missing, schema, outcome).frame()

    def groups(self, schema: Schema, outcome: Outcome) -> pa.Table:
        """The distinct published records with their counts."""
        return Publication(self.source, self.missing, schema, outcome).groups()

    def write_groups(self, schema: Schema, outcome: Outcome, path: Path) -> None:
        """Write the distinct published records with their counts to a file, CSV or Parquet by its ending."""
        Publication(self.source, self.missing, schema, outcome).write_groups(path)

    def write(self, schema: Schema, outcome: Outcome, path: Path, progress: Progress = silent) -> int:
        """Write the published table to a file, CSV or Parquet by its ending; the number of records written."""
        return Publication(self.source, self.missing, schema, outcome).write(path, progress)
