"""A file of another program as a source: its codes as labels, where it has labels for them."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from shoal.engines.bridge import from_texts
from shoal.engines.codes.coding import as_labels
from shoal.engines.reading.foreign.codebook import Codebook
from shoal.engines.reading.foreign.formats import Format
from shoal.engines.reading.foreign.process import read_file
from shoal.engines.reading.layout import PLAIN, Layout
from shoal.engines.reading.source import BATCH_ROWS, checked_names

if TYPE_CHECKING:
    import pyarrow as pa


@dataclass(frozen=True, slots=True)
class ForeignSource:
    """A file of Excel, OpenDocument, Stata, SPSS, SAS or R; its table is held in memory.

    Codes become labels, cell by cell, in the columns that have labels for their codes, because that is what they mean
    to whoever reads the release or groups them in a hierarchy, and because nobody takes them for numbers then. A code
    without a label stays as it is.
    """

    path: Path
    form: Format
    layout: Layout = PLAIN
    has_every_label: bool = False
    """Whether a code becomes its label in whatever column: so Shoal publishes them."""

    @property
    def where(self) -> str:
        """The path."""
        return str(self.path)

    @property
    def is_typed(self) -> bool:
        """Not if it is a workbook."""
        return self.form.is_typed

    def codebook(self) -> Codebook:
        """What the file says about its columns."""
        return self._read()[1]

    def types(self) -> dict[str, pa.DataType]:
        """The columns and their types; labels are text."""
        import pyarrow as pa

        table, _ = self._read()
        names = list(table.column_names)
        found = {
            name: pa.string() if self._is_labeled(name) else kind
            for name, kind in zip(names, table.schema.types, strict=True)
        }
        return checked_names(found, names, self.where)

    def batches(self, names: Sequence[str], passed: Collection[str] = ()) -> Iterator[tuple[pa.RecordBatch, float]]:
        """Slices of the table; labels coded by distinct value but where they are only passed on."""
        import pyarrow as pa

        table, _ = self._read()
        done = 0
        for batch in table.select(list(names)).to_batches(max_chunksize=BATCH_ROWS):
            done += batch.num_rows
            columns = [self._labeled(name, batch.column(name), is_coded=name not in passed) for name in names]
            yield pa.RecordBatch.from_arrays(columns, list(names)), done / max(table.num_rows, 1)

    def _is_labeled(self, name: str) -> bool:
        entry = self.codebook()[name]
        own = True if self.has_every_label else self.layout.of(name).labels
        if own is not None:
            return own and bool(entry.labels)
        return self.layout.labels and entry.names_values

    def _labeled(self, name: str, column: pa.Array, *, is_coded: bool) -> pa.Array:
        import pyarrow as pa

        if not self._is_labeled(name):
            return column
        labels = self.codebook()[name].labels
        coded = column.dictionary_encode()
        texts = [None if code is None else labels.get(code, code) for code in as_labels(coded.dictionary)]
        labeled = pa.DictionaryArray.from_arrays(coded.indices, from_texts(texts))
        return labeled if is_coded else labeled.dictionary_decode()

    def _read(self) -> tuple[pa.Table, Codebook]:
        return read_file(self.path, self.form, self.layout.sheet)


def codebook_of(source: object) -> Codebook:
    """What the file behind a source says about its columns; nothing, where it is no such file."""
    while not isinstance(source, ForeignSource):
        source = getattr(source, "source", None)
        if source is None:
            return Codebook()
    return source.codebook()
