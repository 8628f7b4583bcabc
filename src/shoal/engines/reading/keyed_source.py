"""A table with pseudonyms in place of some identifiers, made with secret keys as rows are read."""

from __future__ import annotations

import hmac
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from shoal.engines.bridge import from_texts

if TYPE_CHECKING:
    import pyarrow as pa

    from shoal.engines.reading.source import Source

_LETTERS = 20
"""Hexadecimal digits of a pseudonym, 80 bits: of ten million people two have the same once in 10^10 releases."""


@dataclass(frozen=True, slots=True)
class KeyedSource:
    """A source in which a column of identifiers holds pseudonyms: HMAC-SHA256 of the value as text, shortened.

    Attributes:
        source: The table.
        keys: The secret of each such column.
        missing: What stands for a missing value, and stays missing.
    """

    source: Source
    keys: Mapping[str, bytes]
    missing: Collection[str]

    @property
    def where(self) -> str:
        """How messages call it."""
        return self.source.where

    @property
    def is_typed(self) -> bool:
        """As the table."""
        return self.source.is_typed

    def types(self) -> dict[str, pa.DataType]:
        """The columns and their types: pseudonyms are text."""
        import pyarrow as pa

        return {name: pa.string() if name in self.keys else kind for name, kind in self.source.types().items()}

    def batches(self, names: Sequence[str], passed: Collection[str] = ()) -> Iterator[tuple[pa.RecordBatch, float]]:
        """Some columns, batch by batch."""
        import pyarrow as pa

        for batch, done in self.source.batches(names, passed):
            columns = [
                self._pseudonyms(column, self.keys[name]) if name in self.keys else column
                for name, column in zip(batch.schema.names, batch.columns, strict=True)
            ]
            yield pa.RecordBatch.from_arrays(columns, names=batch.schema.names), done

    def _pseudonyms(self, column: pa.Array, key: bytes) -> pa.Array:
        import pyarrow as pa

        if pa.types.is_dictionary(column.type):
            column = column.dictionary_decode()
        texts = column.cast(pa.string()).to_pylist()
        return from_texts([None if text is None or text in self.missing else _pseudonym(text, key) for text in texts])


def _pseudonym(text: str, key: bytes) -> str:
    return hmac.digest(key, text.encode(), "sha256").hex()[:_LETTERS]
