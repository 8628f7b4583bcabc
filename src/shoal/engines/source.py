"""Sources: the same stream of Arrow batches from a CSV file, a Parquet or Arrow file, a folder of them, or a table.

Text columns come dictionary-coded wherever the format allows, so that strings are looked at once per distinct value.
"""

from __future__ import annotations

import gzip
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from shoal.errors import DataError, ParameterError, listed

if TYPE_CHECKING:
    import pyarrow as pa

BATCH_ROWS = 1 << 17


class Source(Protocol):
    """Rows that can be read more than once."""

    def types(self) -> dict[str, pa.DataType]:
        """The columns and their types."""
        ...

    def batches(self, names: Sequence[str]) -> Iterator[tuple[pa.RecordBatch, float]]:
        """Some columns, batch by batch, each with the share of the source that has been read."""
        ...


@dataclass(frozen=True, slots=True)
class TableSource:
    """An Arrow table in memory."""

    table: pa.Table

    def types(self) -> dict[str, pa.DataType]:
        """The columns and their types."""
        return checked_names(
            {name: self.table.schema.field(i).type for i, name in enumerate(self.table.column_names)},
            self.table.column_names,
            "the table",
        )

    def batches(self, names: Sequence[str]) -> Iterator[tuple[pa.RecordBatch, float]]:
        """Slices of the table."""
        done = 0
        for batch in self.table.select(list(names)).to_batches(max_chunksize=BATCH_ROWS):
            done += batch.num_rows
            yield batch, done / max(self.table.num_rows, 1)


@dataclass(frozen=True, slots=True)
class ParquetSource:
    """A Parquet file."""

    path: Path

    def types(self) -> dict[str, pa.DataType]:
        """The columns and their types."""
        schema = self._open([]).schema_arrow
        return checked_names(dict(zip(schema.names, schema.types, strict=True)), schema.names, str(self.path))

    def batches(self, names: Sequence[str]) -> Iterator[tuple[pa.RecordBatch, float]]:
        """Text stays dictionary-coded as it is in the file."""
        import pyarrow as pa

        text = [
            n
            for n, t in self.types().items()
            if n in set(names) and (pa.types.is_string(t) or pa.types.is_large_string(t))
        ]
        file = self._open(text)
        done = 0
        try:
            for batch in file.iter_batches(batch_size=BATCH_ROWS, columns=list(names), use_threads=False):
                done += batch.num_rows
                yield batch, done / max(file.metadata.num_rows, 1)
        except (pa.ArrowInvalid, OSError) as error:
            raise DataError(f"{self.path}: the file is damaged and cannot be read to its end.") from error

    def _open(self, dictionary: list[str]) -> Any:
        import pyarrow as pa
        import pyarrow.parquet as pq

        try:
            return pq.ParquetFile(self.path, read_dictionary=dictionary, memory_map=True)
        except (pa.ArrowInvalid, OSError) as error:
            raise DataError(f"{self.path} is not a Parquet file, or is damaged; check how it was written.") from error


@dataclass(frozen=True, slots=True)
class ArrowSource:
    """An Arrow IPC file (also known as Feather)."""

    path: Path

    def types(self) -> dict[str, pa.DataType]:
        """The columns and their types."""
        schema = self._open().schema
        return checked_names(dict(zip(schema.names, schema.types, strict=True)), schema.names, str(self.path))

    def batches(self, names: Sequence[str]) -> Iterator[tuple[pa.RecordBatch, float]]:
        """The batches of the file."""
        reader = self._open()
        for i in range(reader.num_record_batches):
            yield reader.get_batch(i).select(list(names)), (i + 1) / reader.num_record_batches

    def _open(self) -> Any:
        import pyarrow as pa

        try:
            return pa.ipc.open_file(pa.memory_map(str(self.path)))
        except (pa.ArrowInvalid, OSError) as error:
            raise DataError(f"{self.path} is not an Arrow file, or is damaged; check how it was written.") from error


@dataclass(frozen=True, slots=True)
class FolderSource:
    """Several files of one table, in the order of their names."""

    path: Path
    parts: tuple[Source, ...]

    def types(self) -> dict[str, pa.DataType]:
        """The columns and types, which all parts must share."""
        first = self.parts[0].types()
        for number, part in enumerate(self.parts[1:], start=2):
            if list(part.types()) != list(first):
                raise DataError(f"{self.path}: part {number} has other columns than part 1; a folder holds one table.")
        return first

    def batches(self, names: Sequence[str]) -> Iterator[tuple[pa.RecordBatch, float]]:
        """Part after part."""
        for number, part in enumerate(self.parts):
            for batch, done in part.batches(names):
                yield batch, (number + done) / len(self.parts)


def open_source(path: Path, *, delimiter: str | None = None, encoding: str = "utf-8") -> Source:
    """The source at a path, by its ending: .csv, .csv.gz, .tsv, .txt, .parquet, .arrow, .feather, or a folder."""
    from shoal.engines.csv_source import CsvSource

    if not path.exists():
        raise DataError(f"{path} does not exist; check [data] path, which is relative to the release file.")
    if path.is_dir():
        files = sorted(p for p in path.iterdir() if p.is_file() and not p.name.startswith((".", "_")))
        if not files:
            raise DataError(f"{path} is an empty folder; expected CSV, Parquet or Arrow files in it.")
        return FolderSource(path, tuple(open_source(p, delimiter=delimiter, encoding=encoding) for p in files))
    name = path.name.lower().removesuffix(".gz")
    if name.endswith((".csv", ".tsv", ".txt")):
        return CsvSource(path, delimiter, encoding)
    if name.endswith((".parquet", ".pq")):
        return ParquetSource(path)
    if name.endswith((".arrow", ".feather", ".ipc")):
        return ArrowSource(path)
    raise ParameterError(
        f"{path}: the ending {path.suffix!r} is not known; expected .csv, .csv.gz, .tsv, .parquet, .arrow or a folder."
    )


def frame_source(frame: Any) -> tuple[TableSource, Any]:
    """A data frame as a source, and a function that turns an Arrow table into the same kind of frame."""
    import narwhals as nw
    import pyarrow as pa

    if isinstance(frame, pa.Table):
        return TableSource(frame), lambda table: table
    try:
        wrapped = nw.from_native(frame, eager_only=True)
    except TypeError as error:
        raise ParameterError(
            f"expected a pandas, polars or pyarrow table; got {type(frame).__name__}. Collect a lazy frame first."
        ) from error
    try:
        table = wrapped.to_arrow()
    except (pa.ArrowInvalid, pa.ArrowTypeError) as error:
        raise DataError(
            "a column of the frame mixes types, such as numbers and text; give each column one type."
        ) from error
    return TableSource(table), lambda result: nw.from_arrow(result, backend=wrapped.implementation).to_native()


def checked_names(types: dict[str, Any], names: Sequence[str], where: str) -> dict[str, Any]:
    """Refuse duplicate column names and a table without columns."""
    if len(set(names)) < len(names):
        twice = [name for name in dict.fromkeys(names) if list(names).count(name) > 1]
        raise DataError(f"{where}: the column name {listed(twice)} stands more than once; rename one of them.")
    if not names:
        raise DataError(f"{where} has no columns.")
    return types


def is_gzip(path: Path) -> bool:
    """Whether a file is compressed, by its first two bytes."""
    with path.open("rb") as file:
        return file.read(2) == b"\x1f\x8b"


def first_bytes(path: Path, count: int) -> bytes:
    """The beginning of a file, decompressed."""
    opener = gzip.open if is_gzip(path) else open
    try:
        with opener(path, "rb") as file:
            return bytes(file.read(count))
    except (OSError, EOFError) as error:
        raise DataError(
            f"{path} cannot be read: {type(error).__name__}. Check the file and its permissions."
        ) from error
