"""CSV files: what can be wrong with them is found here, and said in one sentence without a value of a record."""

from __future__ import annotations

import codecs
import csv
import gzip
import io
import re
from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple

import numpy as np

from shoal.engines.bridge import to_numpy
from shoal.engines.reading.damaged import NUL_FOR_DAMAGE, absorbing
from shoal.engines.reading.layout import Layout
from shoal.engines.reading.source import BATCH_ROWS, checked_names, first_bytes, is_gzip
from shoal.errors import DataError
from shoal.parameters import read_parameters

if TYPE_CHECKING:
    import pyarrow as pa

_BLOCK = 1 << 22
"""How much is parsed at once: what fits into the caches of a processor is parsed a fifth faster."""
_HEADER = 1 << 20
_TAIL = 1 << 8
"""How much of the end is looked at: it tells whether the last quote is closed."""
_NO_TEXT = b"\0\xff\xfe"
"""What encodings of two and four bytes put before and between letters."""
_DELIMITERS = (",", ";", "\t", "|")
_QUOTED = re.compile(r'"(?:[^"]|"")*"')
_LINE = re.compile(rf"(?:{_QUOTED.pattern}|[^\n])*")
"""To the first line break that does not stand between quotes."""
_RAGGED = re.compile(r"CSV parse error: (?:Row #([0-9]+): )?Expected ([0-9]+) columns, got ([0-9]+)")
"""How Arrow begins to tell of a record with too many or too few cells."""
_SEPARATOR_LINE = re.compile(r'"?sep=(.)"?', re.IGNORECASE)
"""What Excel writes before the header to tell the delimiter."""


_KEPT_BYTES = 1 << 27
"""How large a table may be that is kept in memory between two readings of it."""
_READ: ContextVar[dict[CsvSource, list[tuple[pa.RecordBatch, float]]] | None] = ContextVar("tables read", default=None)


@contextmanager
def reading_once() -> Iterator[None]:
    """A file that is read twice here, to be recognized and to be counted, is parsed once unless it is large.

    So what is counted is what was recognized, too, whoever writes to the file in between.
    """
    before = _READ.set({})
    try:
        yield
    finally:
        _READ.reset(before)


class _Before(NamedTuple):
    """What stands before the header: how many lines, and whether one of them tells the delimiter."""

    lines: int
    has_separator: bool


@dataclass(frozen=True, slots=True)
class CsvSource:
    """A CSV file, also compressed with gzip; the delimiter is found out unless it is given.

    In a file of one column a blank line is a record whose value is missing; in others, where such a record has
    delimiters, blank lines mean nothing and are passed over. So are those before the header, and a first line `sep=;`,
    by which Excel tells the delimiter.

    A file with bytes that are no text, or with a record of too many or too few cells, is refused. Where no record may
    decide about that, columns that `absorb` names (True: all) have nothing in such cells; if it is all columns, a
    record with another number of cells than the header is one that has nothing in any of them. Those come last.
    """

    is_typed: ClassVar[bool] = False
    """Every column is text, whatever it means."""

    path: Path
    delimiter: str | None = None
    encoding: str = "utf-8"
    absorb: bool | tuple[str, ...] = False

    def __post_init__(self) -> None:
        read_parameters(self)
        Layout(self.delimiter, self.encoding)

    @property
    def where(self) -> str:
        """The path."""
        return str(self.path)

    def types(self) -> dict[str, pa.DataType]:
        """Every column is text."""
        import pyarrow as pa

        names = self._header()[0]
        return checked_names(dict.fromkeys(names, pa.string()), names, str(self.path))

    def batches(self, names: Sequence[str], passed: Collection[str] = ()) -> Iterator[tuple[pa.RecordBatch, float]]:
        """Text, coded by distinct value but where it is only passed on."""
        once = _READ.get()
        if once is None or passed:
            return self._parsed(names, passed)
        if self not in once:
            once[self] = []
            return self._kept(names, once)
        found = once[self]
        once[self] = []
        if found and set(names) <= set(found[0][0].schema.names):
            return _handed_over(found, list(names))
        return self._parsed(names, passed)

    def _kept(
        self, names: Sequence[str], once: dict[CsvSource, list[tuple[pa.RecordBatch, float]]]
    ) -> Iterator[tuple[pa.RecordBatch, float]]:
        """What is parsed, for whoever reads it next, too, if that is all of it and not too large."""
        found: list[tuple[pa.RecordBatch, float]] = []
        room = _KEPT_BYTES
        for batch, done in self._parsed(names, ()):
            room -= batch.nbytes
            if room >= 0:
                found.append((batch, done))
            else:
                found.clear()
            yield batch, done
        once[self] = found

    def _parsed(self, names: Sequence[str], passed: Collection[str]) -> Iterator[tuple[pa.RecordBatch, float]]:
        import pyarrow as pa
        import pyarrow.csv as pc

        header, delimiter, before = self._header()
        is_alone = len(header) == 1
        skipped = before.lines if is_alone or before.has_separator else 0  # else like any other blank line
        ragged = 0

        def pass_over(_: Any) -> str:
            nonlocal ragged
            ragged += 1
            return "skip"

        coded = pa.dictionary(pa.int32(), pa.string())
        kinds = {name: pa.string() if name in passed or name not in names else coded for name in header}
        rows, last, ending = 0, header[-1], None
        watched = [] if self.absorb is True or last in names else [last]
        try:
            size = max(self.path.stat().st_size, 1)
            with pa.OSFile(str(self.path), "rb") as raw:
                stream = pa.CompressedInputStream(raw, "gzip") if is_gzip(self.path) else raw
                with pc.open_csv(
                    absorbing(stream, self.encoding) if self.absorb else stream,
                    read_options=pc.ReadOptions(
                        block_size=_BLOCK,
                        use_threads=False,
                        encoding="utf-8" if self.absorb else self.encoding,
                        skip_rows=skipped,
                    ),
                    parse_options=pc.ParseOptions(
                        delimiter=delimiter,
                        newlines_in_values=True,
                        # Not where a record is refused: Arrow reads ahead, and its thread would come back to Python
                        # when that may be about to end.
                        invalid_row_handler=pass_over if self.absorb is True else None,
                        ignore_empty_lines=not is_alone,
                    ),
                    convert_options=pc.ConvertOptions(
                        include_columns=[*names, *watched],
                        column_types=kinds,
                        strings_can_be_null=False,
                        check_utf8=False,  # once for each different value, and not for each cell: below
                    ),
                ) as reader:
                    for batch in reader:
                        for column in batch.select(list(names)).columns:
                            (column if pa.types.is_string(column.type) else column.dictionary).validate(full=True)
                        ending = batch.column(last)[-1:] if batch.num_rows and self.absorb is not True else ending
                        whole = self._without_nul(batch.select(list(names)), passed, rows)
                        rows += batch.num_rows
                        yield whole, min(raw.tell() / size, 1.0)
        except (pa.ArrowException, UnicodeDecodeError, OSError) as error:
            # The header may be there and end without a line break, or every record may have been left out.
            if rows or "Empty CSV file" not in str(error):
                raise self._explained(error, rows, skipped) from None
        has_lines = ending is not None and b"\n" in ending.cast(pa.string()).cast(pa.binary())[0].as_py()
        if has_lines and not self._ends_with_quote():
            raise DataError(
                f"{self.path}, record {rows:,}: a quote in column {last!r} is never closed, so that all lines behind "
                "it are taken for one cell. Close it, or double it if it is part of the text."
            )
        for start in range(0, ragged, BATCH_ROWS):
            nothing = [pa.nulls(min(ragged - start, BATCH_ROWS), kinds[name]) for name in names]
            yield pa.RecordBatch.from_arrays(nothing, names=list(names)), 1.0

    def _ends_with_quote(self) -> bool:
        """Whether the last cell of the file, which has lines in it and so begins with a quote, ends with one."""
        end = b""
        with gzip.open(self.path) if is_gzip(self.path) else self.path.open("rb") as file:
            if not isinstance(file, gzip.GzipFile):
                file.seek(max(self.path.stat().st_size - _TAIL, 0))
            while part := file.read(_HEADER):
                end = (end + part)[-_TAIL:]
        quote = '"'.encode(self.encoding).strip(_NO_TEXT)
        return end.strip(_NO_TEXT + " \t\r\n".encode(self.encoding)).endswith(quote)

    def told(self) -> str:
        """The delimiter that is given, or that the header tells."""
        return self._header()[1]

    def _header(self) -> tuple[list[str], str, _Before]:
        """The column names, the delimiter, and what stands before the header."""
        start = first_bytes(self.path, _HEADER)
        if not start.strip():
            raise DataError(f"{self.path} is empty; expected a header line and records.")
        codec = codecs.lookup(self.encoding).name
        if start.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)) and not codec.startswith(("utf-16", "utf-32")):
            raise DataError(
                f'{self.path} is written in UTF-16; set encoding = "utf-16" in [data] (--encoding of `shoal init`), or '
                "save it as UTF-8."
            )
        is_damaged = False
        try:
            text = codecs.getincrementaldecoder(codec)().decode(start)
        except UnicodeError as error:
            if not self.absorb or not isinstance(error, UnicodeDecodeError):  # UTF-16 that does not begin so
                raise self._wrong_encoding() from None
            try:
                is_damaged, text = True, codecs.getincrementaldecoder(codec)(NUL_FOR_DAMAGE).decode(start)
            except UnicodeError:  # UTF-32 that does not begin so
                raise self._wrong_encoding() from None
        whole = text.removeprefix("\ufeff")
        text = whole.lstrip("\r\n")
        told = _SEPARATOR_LINE.fullmatch(text.partition("\n")[0].splitlines()[0]) if text.strip() else None
        if told is not None:
            text = text[told.end() :].lstrip("\r\n")
        before = _Before(len(whole[: len(whole) - len(text)].splitlines()), told is not None)
        line = _first_line(text) if text.strip() else ""
        if "\0" in line and not is_damaged:
            raise DataError(
                f"{self.path} is not a CSV file: its first line holds NUL bytes. Give a text file, or set encoding in "
                '[data] if it is one ("utf-16", perhaps).'
            )
        delimiter = self.delimiter or (told[1] if told else max(_DELIMITERS, key=line.count))
        try:
            names = next(csv.reader(io.StringIO(text, newline=""), delimiter=delimiter))
        except (csv.Error, StopIteration):
            raise DataError(f"{self.path} has no header line; expected the names of the columns.") from None
        if is_damaged and any("\0" in name for name in names):
            raise self._wrong_encoding()
        return names, delimiter, before

    def _without_nul(self, batch: pa.RecordBatch, passed: Collection[str], rows_before: int) -> pa.RecordBatch:
        """A NUL byte is nothing that a text holds: the file is damaged there, and nothing is in that cell."""
        import pyarrow as pa
        import pyarrow.compute as pc

        for i, (name, column) in enumerate(zip(batch.schema.names, batch.columns, strict=True)):
            values = column if name in passed else column.dictionary
            characters = values.buffers()[2]
            if characters is None or not (np.frombuffer(characters, dtype=np.uint8) == 0).any():
                continue
            is_bad = pc.match_substring(column.cast(pa.string()), "\0")
            rows = np.flatnonzero(to_numpy(is_bad.cast(pa.uint8())))
            if len(rows) and not (self.absorb is True or (self.absorb and name in self.absorb)):
                raise DataError(
                    f"{self.path}, column {name!r}, record {rows_before + int(rows[0]) + 1:,}: there is a NUL byte, "
                    "which no text holds; the file is damaged there, or is not CSV."
                )
            batch = batch.set_column(i, name, pc.if_else(is_bad, None, column))
        return batch

    def _wrong_encoding(self) -> DataError:
        return DataError(
            f"{self.path} is not written in {self.encoding}; set encoding in [data] (--encoding of `shoal init`) to "
            'what it is, often "latin-1" or "cp1252", or save it as UTF-8.'
        )

    def _explained(self, error: Exception, rows: int, skipped: int) -> DataError:
        """One sentence for what Arrow found; its own text goes on to quote the row, so it is not passed on."""
        if ragged := _RAGGED.match(str(error)):
            number, expected, actual = (None if part is None else int(part) for part in ragged.groups())
            record = f"the record after {rows:,} good ones" if number is None else f"record {number - skipped - 1:,}"
            cells = "1 cell" if actual == 1 else f"{actual:,} cells"
            return DataError(
                f"{self.path}, {record}: {cells} where the header has {expected:,}. Check for a stray delimiter or an "
                "unclosed quote there."
            )
        if isinstance(error, UnicodeDecodeError) or "invalid utf8" in str(error).lower():
            return self._wrong_encoding()
        return DataError(
            f"{self.path} cannot be read as CSV after {rows:,} records ({type(error).__name__}); check for unclosed "
            "quotes, a cut-off file or a damaged archive."
        )


def _handed_over(found: list[tuple[pa.RecordBatch, float]], names: list[str]) -> Iterator[tuple[pa.RecordBatch, float]]:
    """Some columns of what was read before; what has been handed over is not kept."""
    found.reverse()
    while found:
        batch, done = found.pop()
        yield batch.select(names), done


def _first_line(text: str) -> str:
    """The first line of a text without what stands between quotes, line breaks too; the rest is not looked at."""
    found = _LINE.match(text)
    return f"{_QUOTED.sub('', found.group() if found else '')}\n".splitlines()[0]
