"""Sources: the same stream of Arrow batches from a file of any format, a folder of them, or a table.

Text columns come dictionary-coded wherever the format allows, so that strings are looked at once per distinct value.
"""

from __future__ import annotations

import gzip
import zlib
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Protocol

from shoal.engines.reading.layout import PLAIN, Layout
from shoal.engines.reading.native import ArrowTables, NativeFrames
from shoal.errors import DataError, ParameterError, listed

if TYPE_CHECKING:
    import pyarrow as pa

BATCH_ROWS = 1 << 17


class Source(Protocol):
    """Rows that can be read more than once."""

    @property
    def where(self) -> str:
        """How messages call it."""
        ...

    @property
    def is_typed(self) -> bool:
        """Whether columns have types of their own; if not, all are text and may mean numbers or days."""
        ...

    def types(self) -> dict[str, pa.DataType]:
        """The columns and their types."""
        ...

    def batches(self, names: Sequence[str], passed: Collection[str] = ()) -> Iterator[tuple[pa.RecordBatch, float]]:
        """Some columns, batch by batch, each with the share of the source that has been read.

        Columns that are only `passed` on need not be coded, which costs memory where most values are different.
        """
        ...


@dataclass(frozen=True, slots=True)
class TableSource:
    """An Arrow table in memory."""

    is_typed: ClassVar[bool] = True

    table: pa.Table

    @property
    def where(self) -> str:
        """It has no name."""
        return "the table"

    def types(self) -> dict[str, pa.DataType]:
        """The columns and their types."""
        return _schema_types(self.table.schema, self.where)

    def batches(self, names: Sequence[str], passed: Collection[str] = ()) -> Iterator[tuple[pa.RecordBatch, float]]:
        """Slices of the table."""
        del passed  # nothing is coded that is not
        done = 0
        for batch in self.table.select(list(names)).to_batches(max_chunksize=BATCH_ROWS):
            done += batch.num_rows
            yield batch, done / max(self.table.num_rows, 1)


@dataclass(frozen=True, slots=True)
class ParquetSource:
    """A Parquet file."""

    is_typed: ClassVar[bool] = True

    path: Path

    @property
    def where(self) -> str:
        """The path."""
        return str(self.path)

    def types(self) -> dict[str, pa.DataType]:
        """The columns and their types."""
        return _schema_types(self._open([]).schema_arrow, self.where)

    def batches(self, names: Sequence[str], passed: Collection[str] = ()) -> Iterator[tuple[pa.RecordBatch, float]]:
        """Text stays dictionary-coded as it is in the file."""
        import pyarrow as pa

        types = self.types()
        coded = [n for n in names if n not in passed]
        file = self._open([n for n in coded if pa.types.is_string(types[n]) or pa.types.is_large_string(types[n])])
        done = 0
        try:
            for batch in file.iter_batches(batch_size=BATCH_ROWS, columns=list(names), use_threads=False):
                done += batch.num_rows
                _require_bounds(batch)
                yield batch, done / max(file.metadata.num_rows, 1)
        except (pa.ArrowException, OSError):
            raise DataError(f"{self.path} is damaged and cannot be read to its end; write it again.") from None

    def _open(self, dictionary: list[str]) -> Any:
        import pyarrow as pa
        import pyarrow.parquet as pq

        try:
            return pq.ParquetFile(self.path, read_dictionary=dictionary, memory_map=True)
        except (pa.ArrowException, OSError, UnicodeDecodeError):
            raise DataError(f"{self.path} is not a Parquet file, or is damaged; check how it was written.") from None


@dataclass(frozen=True, slots=True)
class ArrowSource:
    """An Arrow IPC file (also known as Feather)."""

    is_typed: ClassVar[bool] = True

    path: Path

    @property
    def where(self) -> str:
        """The path."""
        return str(self.path)

    def types(self) -> dict[str, pa.DataType]:
        """The columns and their types."""
        with self._open() as reader:
            return _schema_types(reader.schema, self.where)

    def batches(self, names: Sequence[str], passed: Collection[str] = ()) -> Iterator[tuple[pa.RecordBatch, float]]:
        """The batches of the file."""
        import pyarrow as pa

        del passed  # nothing is coded that is not
        with self._open() as reader:
            for i in range(reader.num_record_batches):
                try:
                    batch = reader.get_batch(i).select(list(names))
                    _require_bounds(batch)
                except (pa.ArrowException, OSError):
                    raise DataError(f"{self.path} is damaged and cannot be read to its end; write it again.") from None
                for start in range(0, batch.num_rows, BATCH_ROWS):
                    yield batch.slice(start, BATCH_ROWS), (i + 1) / reader.num_record_batches

    def _open(self) -> Any:
        import pyarrow as pa

        try:
            return pa.ipc.open_file(pa.OSFile(str(self.path)))  # a map of a file that is cut off ends the process
        except (pa.ArrowException, OSError):
            kind = "an Arrow stream and no Arrow file" if self._is_stream() else "not an Arrow file, or is damaged"
            raise DataError(f"{self.path} is {kind}; check how it was written.") from None

    def _is_stream(self) -> bool:
        import pyarrow as pa

        try:
            return bool(pa.ipc.open_stream(pa.OSFile(str(self.path))).schema.names)
        except (pa.ArrowException, OSError, UnicodeDecodeError):
            return False


def _require_bounds(batch: pa.RecordBatch) -> None:
    """Refuse what points out of its buffers, which would end the process instead of the run.

    Nothing else is looked at: which text is no Unicode or which day is none says one record, and it decides nothing.
    """
    for column in batch.columns:
        _require_column_bounds(column)


def _require_column_bounds(column: pa.Array) -> None:
    import pyarrow as pa

    column.validate()
    kind = column.type
    if pa.types.is_dictionary(kind):
        _require_column_bounds(column.dictionary)
        bare = pa.nulls(len(column.dictionary))
        pa.DictionaryArray.from_arrays(column.indices, bare, safe=False).validate(full=True)
    elif str(kind) in (bytes_of := {"string": "binary", "large_string": "large_binary", "string_view": "binary_view"}):
        column.view(bytes_of[str(kind)]).validate(full=True)
    elif not pa.types.is_primitive(kind) and not pa.types.is_decimal(kind):
        column.validate(full=True)


@dataclass(frozen=True, slots=True)
class FolderSource:
    """Several files of one table, in the order of their names."""

    path: Path
    parts: tuple[Source, ...]

    @property
    def where(self) -> str:
        """The path."""
        return str(self.path)

    @property
    def is_typed(self) -> bool:
        """Whether the parts are."""
        return self.parts[0].is_typed

    def types(self) -> dict[str, pa.DataType]:
        """The columns and types, which all parts must share."""
        first = self.parts[0].types()
        for part in self.parts[1:]:
            types = part.types()
            if set(types) != set(first):
                raise DataError(
                    f"{part.where} has other columns than {self.parts[0].where}; a folder holds the parts of one table."
                )
            for name, kind in types.items():
                if kind != first[name]:
                    raise DataError(
                        f"{part.where}, column {name!r}: the type is {kind}, and {first[name]} in "
                        f"{self.parts[0].where}; write all parts of a table alike."
                    )
        return first

    def batches(self, names: Sequence[str], passed: Collection[str] = ()) -> Iterator[tuple[pa.RecordBatch, float]]:
        """Part after part."""
        for number, part in enumerate(self.parts):
            for batch, done in part.batches(names, passed):
                yield batch, (number + done) / len(self.parts)


def open_source(path: Path, layout: Layout = PLAIN, *, absorb: bool | tuple[str, ...] = False) -> Source:
    """The source at a path, by its ending, or of a folder of parts; its cells read as the layout says.

    With `absorb` damaged records of CSV files are read in these columns, or in all, as `CsvSource` says; what has no
    columns but those of its records is refused by its ending.
    """
    source = _opened(path, layout, absorb)
    if not layout.changes_cells:
        return source
    from shoal.engines.reading.tidy import TidySource

    return TidySource(source, layout)


def _opened(path: Path, layout: Layout, absorb: bool | tuple[str, ...]) -> Source:
    from shoal.engines.reading.csv_source import CsvSource
    from shoal.engines.reading.foreign.formats import format_of
    from shoal.engines.reading.foreign.source import ForeignSource
    from shoal.engines.reading.json_source import JsonSource

    try:
        if not path.exists():
            raise DataError(f"{path} does not exist; check [data] path, which is relative to the release file.")
        inside = [p for p in sorted(path.iterdir()) if not p.name.startswith((".", "_"))] if path.is_dir() else None
    except OSError as error:
        raise _unreadable(path, error) from None
    if inside is not None:
        if not inside:
            raise DataError(f"{path} is an empty folder; expected CSV, Parquet or Arrow files in it.")
        folders = [p.name for p in inside if p.is_dir()]
        if folders:
            raise DataError(f"{path} holds folders ({listed(folders)}); expected the parts of one table, side by side.")
        return FolderSource(path, tuple(_opened(p, layout, absorb) for p in inside))
    name = path.name.lower().removesuffix(".gz")
    if name.endswith((".csv", ".tsv", ".txt")):
        return CsvSource(path, layout.delimiter, layout.encoding, absorb)
    if name.endswith((".parquet", ".pq")):
        return ParquetSource(path)
    if name.endswith((".arrow", ".feather", ".ipc")):
        return ArrowSource(path)
    if name.endswith((".jsonl", ".ndjson")):
        if absorb:
            raise ParameterError(
                f"{path}: JSON lines say their columns and types record by record, so that one record can decide if "
                "they are read at all, and a private method must not depend on that; save the table as CSV or Parquet."
            )
        return JsonSource(path)
    form = format_of(path)
    if form is not None:
        return ForeignSource(path, form, layout)
    raise ParameterError(
        f"{path}: the ending {path.suffix!r} is not known; expected .csv, .csv.gz, .tsv, .parquet, .arrow, .jsonl, "
        ".xlsx, .ods, .sav, .dta, .sas7bdat, .xpt, .rds or a folder."
    )


def frame_source(frame: Any) -> tuple[TableSource, ArrowTables | NativeFrames]:
    """A data frame as a source, and what turns an Arrow table into the same kind of frame."""
    import narwhals as nw
    import pyarrow as pa

    if isinstance(frame, pa.Table):
        return TableSource(frame), ArrowTables()
    try:
        is_pandas = nw.dependencies.is_pandas_dataframe(frame)
        frame = _with_plain_columns(frame) if is_pandas else frame
        wrapped = nw.from_native(frame, eager_only=True)
        table = pa.Table.from_pandas(frame, preserve_index=False) if is_pandas else wrapped.to_arrow()
        return TableSource(table), NativeFrames.of(wrapped, table.schema)
    except nw.exceptions.DuplicateError:
        raise DataError("the table: a column name stands more than once; rename one of them.") from None
    except pa.ArrowException:  # its text quotes a value
        raise DataError(
            "a column of the frame mixes types, such as numbers and text; give each column one type."
        ) from None
    except TypeError:
        raise ParameterError(
            f"expected a pandas, polars or pyarrow table; got {type(frame).__name__}. Collect a lazy frame first."
        ) from None
    except (OverflowError, UnicodeError):
        pass  # it holds a value, and so would an error that is raised here
    raise DataError(
        "a column of the frame has whole numbers beyond 64 bits, or text that is no Unicode; give the numbers as text, "
        "and mend the text."
    )


def _with_plain_columns(frame: Any) -> Any:
    """A pandas frame whose intervals, periods and durations are texts, in their order: no file has a type for them."""
    odd = ("interval", "period", "timedelta")
    plain = frame
    for at, dtype in enumerate(frame.dtypes):
        name, has_categories = frame.columns[at], hasattr(dtype, "categories")
        if not str(dtype.categories.dtype if has_categories else dtype).lower().startswith(odd):
            continue
        plain = frame.copy(deep=False) if plain is frame else plain
        values = frame[name]
        plain[name] = values.cat.rename_categories(str) if has_categories else values.astype("string")
    return plain


def _schema_types(schema: pa.Schema, where: str) -> dict[str, pa.DataType]:
    try:
        names = schema.names
    except UnicodeDecodeError:
        names = None
    if names is None:
        raise DataError(f"{where}: the name of a column is no Unicode; write the table again.")
    return checked_names(dict(zip(names, schema.types, strict=True)), names, where)


def checked_names(types: dict[str, Any], names: Sequence[str], where: str) -> dict[str, Any]:
    """Refuse duplicate column names and a table without columns."""
    if len(set(names)) < len(names):
        first = next(i for i, name in enumerate(names) if name in names[i + 1 :])
        second = list(names).index(names[first], first + 1)
        raise DataError(f"{where}: columns {first + 1} and {second + 1} have the same name; rename one of them.")
    if not names:
        raise DataError(f"{where} has no columns.")
    return types


def is_gzip(path: Path) -> bool:
    """Whether a file is compressed, by its first two bytes."""
    with path.open("rb") as file:
        return file.read(2) == b"\x1f\x8b"


def first_bytes(path: Path, count: int) -> bytes:
    """The beginning of a file, decompressed."""
    try:
        with gzip.open(path) if is_gzip(path) else path.open("rb") as file:
            return bytes(file.read(count))
    except (EOFError, zlib.error, gzip.BadGzipFile):
        raise DataError(f"{path} is a damaged or cut-off gzip archive; compress the file again.") from None
    except OSError as error:
        raise _unreadable(path, error) from None


def _unreadable(path: Path, error: OSError) -> DataError:
    reason = error.strerror or type(error).__name__
    return DataError(f"{path} cannot be read ({reason.lower()}); check the file and its permissions.")
