"""A published file, cell by cell as whoever receives it sees it: two cells are equal only if they are written alike.

When a table is read to be anonymized, values that mean the same are made one: 1 and 1.0, a moment and its day, "" and
nothing. Whoever checks a release must not do so, or distinct people would be counted as alike. Here every cell becomes
a text, and different cells become different texts: in CSV the text that stands there, in Parquet the value written out.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from shoal.engines.bridge import from_texts, is_null, to_numpy
from shoal.engines.codes.coding import as_labels, is_plain
from shoal.engines.codes.decoding import midnights
from shoal.engines.reading.foreign.formats import Format, format_of
from shoal.engines.reading.foreign.source import ForeignSource
from shoal.engines.reading.layout import Layout
from shoal.engines.reading.source import BATCH_ROWS, Source, checked_names, open_source
from shoal.errors import DataError

if TYPE_CHECKING:
    import pyarrow as pa

_BLOCK = 1 << 24
_OWN_METADATA = (b"ARROW:schema", b"PARQUET:field_id")
_DAY = 86_400_000


def open_published(path: Path, *, is_marked: bool = False) -> PublishedCsv | PublishedParquet | PublishedForeign:
    """The published file at a path, as Shoal writes it; `is_marked` if an apostrophe was put before some texts."""
    form = format_of(path)
    if form is not None:
        return PublishedForeign(path, form)
    return PublishedCsv(path, is_marked) if path.suffix == ".csv" else PublishedParquet(path)


def published_rows(path: Path) -> Source:
    """The same file read as a table is that is to be anonymized: values that mean the same are one."""
    form = format_of(path)
    if form is not None:
        return ForeignSource(path, form, has_every_label=True)
    return open_source(path, Layout(delimiter=","))


@dataclass(frozen=True, slots=True)
class PublishedCsv:
    """A CSV file in UTF-8 with commas. An empty cell is a missing value, a quoted empty one is an empty text."""

    is_typed: ClassVar[bool] = False

    path: Path
    is_marked: bool = False
    """Whether an apostrophe was put before texts that a spreadsheet program could run."""

    @property
    def where(self) -> str:
        """The path."""
        return str(self.path)

    def types(self) -> dict[str, pa.DataType]:
        """Every column is text."""
        import pyarrow as pa

        names = [self._meant(name) for name in self._written_names()]
        return checked_names(dict.fromkeys(names, pa.string()), names, self.where)

    def batches(self, names: Sequence[str], passed: Collection[str] = ()) -> Iterator[tuple[pa.RecordBatch, float]]:
        """The texts as they stand there, coded; null where nothing stands."""
        import pyarrow as pa

        del passed
        coded = pa.dictionary(pa.int32(), pa.string())
        try:
            with self._reader(dict.fromkeys(self._written_names(), coded)) as reader:
                for batch in reader:
                    meant = batch.rename_columns([self._meant(name) for name in batch.schema.names])
                    yield self._without_marks(meant.select(list(names))), 0.0
        except (pa.ArrowException, OSError):
            raise self._unreadable() from None

    def _written_names(self) -> list[str]:
        with self._reader({}) as reader:
            return list(reader.schema.names)

    def _meant(self, text: str) -> str:
        return text[1:] if self.is_marked and text.startswith("'") else text

    def _without_marks(self, batch: pa.RecordBatch) -> pa.RecordBatch:
        """The cells as they were before they were marked."""
        import pyarrow as pa

        if not self.is_marked:
            return batch
        columns = [
            pa.DictionaryArray.from_arrays(
                column.indices, pa.array([self._meant(text) for text in column.dictionary.to_pylist()], pa.string())
            )
            for column in batch.columns
        ]
        return pa.RecordBatch.from_arrays(columns, names=batch.schema.names)

    def _reader(self, types: dict[str, Any]) -> Any:
        import pyarrow as pa
        import pyarrow.csv as pc

        try:
            return pc.open_csv(
                pa.OSFile(str(self.path), "rb"),
                read_options=pc.ReadOptions(block_size=_BLOCK, use_threads=False),
                parse_options=pc.ParseOptions(newlines_in_values=True, ignore_empty_lines=False),
                convert_options=pc.ConvertOptions(
                    column_types=types,
                    null_values=[""],
                    strings_can_be_null=True,
                    quoted_strings_can_be_null=False,
                    check_utf8=True,
                ),
            )
        except (pa.ArrowException, OSError, UnicodeDecodeError):
            raise self._unreadable() from None

    def _unreadable(self) -> DataError:
        return DataError(
            f"{self.path} cannot be read as CSV; expected UTF-8 text with commas between cells and as many cells in "
            "every record, as `shoal run` writes it."
        )


@dataclass(frozen=True, slots=True)
class PublishedParquet:
    """A Parquet file."""

    is_typed: ClassVar[bool] = False
    """Values are told apart as texts."""

    path: Path

    @property
    def where(self) -> str:
        """The path."""
        return str(self.path)

    def types(self) -> dict[str, pa.DataType]:
        """The columns; those whose values can be written out are text."""
        import pyarrow as pa

        schema = self._open().schema_arrow
        found = {
            name: pa.string() if is_plain(kind) else kind for name, kind in zip(schema.names, schema.types, strict=True)
        }
        return checked_names(found, schema.names, self.where)

    def batches(self, names: Sequence[str], passed: Collection[str] = ()) -> Iterator[tuple[pa.RecordBatch, float]]:
        """The values written out, coded; null where a value is missing."""
        import pyarrow as pa

        del passed
        file, done = self._open(), 0
        try:
            for batch in file.iter_batches(batch_size=BATCH_ROWS, columns=list(names), use_threads=False):
                done += batch.num_rows
                columns = [_written_out(batch.column(name)) for name in names]
                yield pa.RecordBatch.from_arrays(columns, list(names)), done / max(file.metadata.num_rows, 1)
        except (pa.ArrowException, OSError, UnicodeDecodeError, ValueError, OverflowError):
            raise DataError(
                f"{self.path} is damaged and cannot be read to its end; ask its publisher for it."
            ) from None

    def further_metadata(self) -> list[str]:
        """What is written into the file beside the table; Shoal writes nothing there."""
        schema = self._open().schema_arrow
        found = [schema.metadata or {}, *(field.metadata or {} for field in schema)]
        return sorted({repr(key)[2:-1] for some in found for key in some if key not in _OWN_METADATA})

    def _open(self) -> Any:
        import pyarrow as pa
        import pyarrow.parquet as pq

        try:
            return pq.ParquetFile(self.path, memory_map=True)
        except (pa.ArrowException, OSError):
            raise DataError(
                f"{self.path} is not a Parquet file, or is damaged; ask its publisher for the release as `shoal run` "
                "wrote it."
            ) from None


@dataclass(frozen=True, slots=True)
class PublishedForeign:
    """A file of Excel, SPSS or Stata: codes as their labels, all sheets; an empty text is a missing value."""

    is_typed: ClassVar[bool] = False
    """Values are told apart as texts."""

    path: Path
    form: Format

    @property
    def where(self) -> str:
        """The path."""
        return str(self.path)

    def types(self) -> dict[str, pa.DataType]:
        """Every column is text."""
        import pyarrow as pa

        names = list(self._sheets()[0].types())
        return checked_names(dict.fromkeys(names, pa.string()), names, self.where)

    def batches(self, names: Sequence[str], passed: Collection[str] = ()) -> Iterator[tuple[pa.RecordBatch, float]]:
        """The values written out, coded; null where a value is missing."""
        import pyarrow as pa

        del passed
        for sheet in self._sheets():
            for batch, done in sheet.batches(names):
                columns = [_written_out(batch.column(name), blank=None) for name in names]
                yield pa.RecordBatch.from_arrays(columns, list(names)), done

    def _sheets(self) -> list[ForeignSource]:
        book = ForeignSource(self.path, self.form).codebook()
        sheets = [Layout(sheet=name) for name in book.sheets or (None,)]
        return [ForeignSource(self.path, self.form, sheet, has_every_label=True) for sheet in sheets]


def _written_out(column: pa.Array, blank: str | None = "") -> pa.Array:
    """A column as coded texts: different values are different texts; an empty one is `blank`."""
    import pyarrow as pa

    if pa.types.is_dictionary(column.type):
        column = column.dictionary_decode()
    exact = column
    if pa.types.is_floating(column.type):  # 0 and −0 are different, and so are the many forms of NaN
        exact = column.view(pa.from_numpy_dtype(np.dtype(f"u{to_numpy(column).dtype.itemsize}")))
    coded = exact.dictionary_encode()
    distinct = coded.dictionary
    if exact is not column:
        distinct = distinct.view(column.type)
    texts = [blank if text == "" else text for text in literal_texts(distinct)]
    return pa.DictionaryArray.from_arrays(coded.indices, from_texts(texts))


def literal_texts(values: pa.Array) -> list[str | None]:
    """Values as a domain names them, where that tells them apart; else written out in full."""
    import pyarrow as pa

    kind = values.type
    if pa.types.is_floating(kind):
        gone = is_null(values)
        return [None if null else _float_text(number) for number, null in zip(to_numpy(values), gone, strict=True)]
    if pa.types.is_timestamp(kind):
        return _moments(values)
    if pa.types.is_date64(kind):
        days, moments = as_labels(values), values.cast(pa.int64()).to_pylist()
        return [
            day if day is None or moment % _DAY == 0 else f"{moment} ms"
            for day, moment in zip(days, moments, strict=True)
        ]
    return as_labels(values)


def _float_text(number: np.floating[Any]) -> str:
    """Plain digits; what is no number, and the zero below zero, by their names."""
    if np.isnan(number):
        return f"NaN {number.tobytes().hex()}"
    if number == 0 and np.signbit(number):
        return "-0"
    if np.isinf(number):
        return str(number)
    text = f"{Decimal(str(number)):f}"
    return text.rstrip("0").rstrip(".") if "." in text else text


def _moments(values: pa.Array) -> list[str | None]:
    """The day, where it is the moment that the day begins, as Shoal publishes days; else the moment in full."""
    import pyarrow as pa

    numbers = values.cast(pa.int64()).to_pylist()
    try:
        days = values.cast(pa.date32(), safe=False)
        begins = midnights(days, values.type).cast(pa.int64()).to_pylist()
        names = list(days.cast(pa.string()).to_pylist())
    except pa.ArrowException:  # a moment beyond the calendar, or in a zone that is none
        return [None if number is None else f"{number} {values.type}" for number in numbers]
    moments = zip(names, numbers, begins, strict=True)
    return [day if number == begin else f"{number} {values.type}" for day, number, begin in moments]
