"""CSV files: what can be wrong with them is found here, and said in one sentence without a value of a record."""

from __future__ import annotations

import codecs
import csv
import io
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from shoal.engines.source import checked_names, first_bytes, is_gzip
from shoal.errors import DataError

if TYPE_CHECKING:
    import pyarrow as pa

_BLOCK = 1 << 24
_DELIMITERS = (",", ";", "\t", "|")


@dataclass(frozen=True, slots=True)
class CsvSource:
    """A CSV file, also compressed with gzip; the delimiter is found out unless it is given."""

    path: Path
    delimiter: str | None = None
    encoding: str = "utf-8"

    def types(self) -> dict[str, pa.DataType]:
        """Every column is text."""
        import pyarrow as pa

        names, _ = self._header()
        return checked_names(dict.fromkeys(names, pa.string()), names, str(self.path))

    def batches(self, names: Sequence[str]) -> Iterator[tuple[pa.RecordBatch, float]]:
        """Text, coded by distinct value."""
        import pyarrow as pa
        import pyarrow.csv as pc

        header, delimiter = self._header()
        ragged: list[tuple[int | None, int, int]] = []

        def refuse(row: Any) -> str:
            ragged.append((row.number, row.expected_columns, row.actual_columns))
            return "error"

        coded = pa.dictionary(pa.int32(), pa.string())
        size = max(self.path.stat().st_size, 1)
        rows = 0
        with pa.OSFile(str(self.path), "rb") as raw:
            stream = pa.CompressedInputStream(raw, "gzip") if is_gzip(self.path) else raw
            try:
                with pc.open_csv(
                    stream,
                    read_options=pc.ReadOptions(block_size=_BLOCK, use_threads=False, encoding=self.encoding),
                    parse_options=pc.ParseOptions(
                        delimiter=delimiter, newlines_in_values=True, invalid_row_handler=refuse
                    ),
                    convert_options=pc.ConvertOptions(
                        include_columns=list(names),
                        column_types=dict.fromkeys(header, coded),
                        strings_can_be_null=False,
                        check_utf8=True,
                    ),
                ) as reader:
                    for batch in reader:
                        rows += batch.num_rows
                        yield batch, min(raw.tell() / size, 1.0)
            except (pa.ArrowInvalid, pa.ArrowException, UnicodeDecodeError, OSError) as error:
                raise self._explain(error, ragged, rows) from None
        if rows == 0:
            raise DataError(f"{self.path} has a header and no records; give a table with at least one record.")

    def _header(self) -> tuple[list[str], str]:
        """The column names and the delimiter."""
        start = first_bytes(self.path, 1 << 20)
        if not start.strip():
            raise DataError(f"{self.path} is empty; expected a header line and records.")
        if start.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)) and "16" not in self.encoding:
            raise DataError(
                f'{self.path} is written in UTF-16; set encoding = "utf-16" in [data], or save it as UTF-8.'
            )
        line = start.split(b"\n", 1)[0].removesuffix(b"\r") if "16" not in self.encoding else start
        try:
            text = line.decode(self.encoding).removeprefix("\ufeff").splitlines()[0]
        except (UnicodeDecodeError, LookupError):
            raise self._wrong_encoding() from None
        if "\0" in text:
            raise DataError(f"{self.path} is not a text file; expected CSV.")
        delimiter = self.delimiter or max(_DELIMITERS, key=text.count)
        return next(csv.reader(io.StringIO(text), delimiter=delimiter)), delimiter

    def _wrong_encoding(self) -> DataError:
        return DataError(
            f"{self.path} is not written in {self.encoding}; set encoding in [data] to what it is, often "
            '"latin-1" or "cp1252", or save it as UTF-8.'
        )

    def _explain(self, error: Exception, ragged: list[tuple[int | None, int, int]], rows: int) -> DataError:
        """One sentence for what Arrow found; its own text may quote the row, so it is not passed on."""
        if ragged:
            number, expected, actual = ragged[0]
            line = f"line {number}" if number else f"the record after {rows:,} good ones"
            return DataError(
                f"{self.path}, {line}: {actual} cells where the header has {expected}. Check for a stray delimiter "
                "or an unclosed quote there."
            )
        if "utf" in str(error).lower() or isinstance(error, UnicodeDecodeError):
            return self._wrong_encoding()
        return DataError(
            f"{self.path} cannot be read as CSV after {rows:,} records ({type(error).__name__}); check for unclosed "
            "quotes, a cut-off file or a damaged archive."
        )
