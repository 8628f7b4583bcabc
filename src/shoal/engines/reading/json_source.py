"""JSON lines: a record on every line, as an object of plain values."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar

from shoal.engines.reading.source import TableSource
from shoal.errors import DataError

if TYPE_CHECKING:
    import pyarrow as pa


@dataclass(frozen=True, slots=True)
class JsonSource:
    """A file of JSON lines, also compressed with gzip; its table is held in memory, for any line may bring a column."""

    is_typed: ClassVar[bool] = True

    path: Path

    @property
    def where(self) -> str:
        """The path."""
        return str(self.path)

    def types(self) -> dict[str, pa.DataType]:
        """The columns and their types, as all lines together say."""
        return TableSource(self._read()).types()

    def batches(self, names: Sequence[str], passed: Collection[str] = ()) -> Iterator[tuple[pa.RecordBatch, float]]:
        """Slices of the table."""
        return TableSource(self._read()).batches(names, passed)

    def _read(self) -> pa.Table:
        import pyarrow as pa
        import pyarrow.json as pj

        if not self.path.stat().st_size:
            raise DataError(f"{self.path} is empty; expected a JSON object on every line.")
        try:
            return pj.read_json(str(self.path), read_options=pj.ReadOptions(use_threads=False))
        except (pa.ArrowException, OSError, UnicodeDecodeError):  # their text may quote a record
            raise DataError(
                f"{self.path} cannot be read as JSON lines; expected an object on every line, with values of one type "
                "for each name, and text in UTF-8."
            ) from None
