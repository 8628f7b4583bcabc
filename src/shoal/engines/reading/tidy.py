"""Cells as they are meant: numbers, days and missing values that a file writes in its own way, written in ours.

Whatever is not written as declared stays as it is. Each distinct text is looked at once, and nothing but the text
itself and what the owner declared decides what becomes of it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from shoal.engines.bridge import from_mask, from_numpy, from_texts, is_null, to_numpy
from shoal.engines.codes.coding import as_labels, is_plain, is_text
from shoal.engines.reading.layout import DateFormat, Layout, day_of

if TYPE_CHECKING:
    import pyarrow as pa

    from shoal.engines.reading.source import Source

_DIGIT = re.compile(r"\d")


@dataclass(frozen=True, slots=True, eq=False)
class TidySource:
    """The rows of another source, its cells read as a layout declares."""

    source: Source
    layout: Layout

    @property
    def where(self) -> str:
        """Where the other one is."""
        return self.source.where

    @property
    def is_typed(self) -> bool:
        """Whether the other one is."""
        return self.source.is_typed

    def types(self) -> dict[str, pa.DataType]:
        """The columns and types of the other one."""
        return self.source.types()

    def batches(self, names: Sequence[str], passed: Collection[str] = ()) -> Iterator[tuple[pa.RecordBatch, float]]:
        """Its batches, tidied."""
        import pyarrow as pa

        rules = {name: tidying(self.layout, name) for name in names}
        for batch, done in self.source.batches(names, passed):
            columns = [
                _tidied(column, rules[name], self.layout.of(name).missing)
                for name, column in zip(batch.schema.names, batch.columns, strict=True)
            ]
            yield pa.RecordBatch.from_arrays(columns, batch.schema.names), done


def tidying(layout: Layout, column: str) -> Callable[[str], str | None]:
    """What makes of each text of a column what it means; None if that is a missing value."""
    own = layout.of(column)
    patterns = [DateFormat(written).pattern() for written in own.dates]
    number = None if patterns else layout.number()
    gone, names = frozenset(own.missing), frozenset(own.names)

    def tidy(text: str) -> str | None:
        plain = text.strip()
        if plain in gone or text in gone:
            return None
        if layout.trim:
            text = plain
        if text in names:
            return text
        if number is not None and _DIGIT.search(plain) and (found := number.fullmatch(plain)):
            sign, whole, behind, power = found.groups()
            digits = "".join(c for c in whole if c.isdigit())
            made = f"{sign}{digits}{'' if behind is None else '.' + behind}{power or ''}"
            return None if made in gone else made
        for pattern in patterns:
            matched = pattern.fullmatch(plain)
            if matched is not None and (day := day_of(matched, own.last_year)) is not None:
                return day
        return text

    return tidy


def _tidied(column: pa.Array, tidy: Callable[[str], str | None], missing: Sequence[str]) -> pa.Array:
    import pyarrow as pa

    held = column.type.value_type if pa.types.is_dictionary(column.type) else column.type
    if is_text(held):
        return _texts(column, tidy)
    return _without(column, missing) if missing and is_plain(column.type) else column


def _texts(column: pa.Array, tidy: Callable[[str], str | None]) -> pa.Array:
    """Texts, coded or not as they came."""
    import pyarrow as pa

    coded = column if pa.types.is_dictionary(column.type) else column.dictionary_encode()
    values = coded.dictionary
    try:
        texts = values.cast(pa.string()).to_pylist()
    except (UnicodeDecodeError, pa.ArrowInvalid):  # damaged text is refused, or absorbed, where values are coded
        return column
    made = [None if text is None else tidy(text) for text in texts]
    if made == texts:
        return column
    kept = list(dict.fromkeys(text for text in made if text is not None))
    place = {text: i for i, text in enumerate(kept)}
    to = np.array([-1 if text is None else place[text] for text in made], dtype=np.int32)
    indices = to_numpy(coded.indices)
    gone = is_null(coded.indices)
    moved = np.where(gone, -1, to[np.where(gone, 0, indices)]) if len(to) else np.full(len(indices), -1, dtype=np.int32)
    tidied = pa.DictionaryArray.from_arrays(
        from_numpy(np.maximum(moved, 0).astype(np.int32), moved < 0), from_texts(kept)
    )
    return tidied if pa.types.is_dictionary(column.type) else tidied.dictionary_decode().cast(column.type)


def _without(column: pa.Array, missing: Sequence[str]) -> pa.Array:
    """Values of another type, null where they are written as a missing value."""
    import pyarrow as pa
    import pyarrow.compute as pc

    if pa.types.is_dictionary(column.type):
        column = column.dictionary_decode()
    coded = column.dictionary_encode()
    wanted = {text.strip() for text in missing}
    is_token = np.array([*(label in wanted for label in as_labels(coded.dictionary)), False], dtype=np.bool_)
    if not is_token.any():
        return column
    gone = is_null(coded.indices)
    at = np.where(gone, len(is_token) - 1, to_numpy(coded.indices))
    return pc.if_else(from_mask(is_token[at]), pa.scalar(None, column.type), column)
