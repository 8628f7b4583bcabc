"""Persons, and weights, to numbers: by Arrow, since there may be millions of different ones in every batch."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from shoal.engines.bridge import is_null, to_numpy
from shoal.engines.codes.coding import is_text

if TYPE_CHECKING:
    import pyarrow as pa

    from shoal.arrays import Codes, Sizes


def has_short_way(kind: pa.DataType) -> bool:
    """Whether values of a type are equal where their texts are: whole numbers and texts."""
    import pyarrow as pa

    kind = kind.value_type if pa.types.is_dictionary(kind) else kind
    return bool(is_text(kind) or pa.types.is_integer(kind))


def is_floating(kind: pa.DataType) -> bool:
    """Whether values are floating-point numbers, coded or not."""
    import pyarrow as pa

    return bool(pa.types.is_floating(kind.value_type if pa.types.is_dictionary(kind) else kind))


@dataclass(eq=False)
class PersonIds:
    """Numbers the values of a column in the order in which they are first seen, from 1; 0 is a missing one.

    In a batch every value gets a number of its own, and which of them are equal to those of other batches is found out
    for many batches at once (`settled`). It never refuses a value.
    """

    name: str
    missing_tokens: Collection[str]
    as_texts: bool = False
    """Whether values are taken as texts, whatever they are: doubles by the fewest digits that tell them apart."""
    _known: Any = None
    _waiting: list[Any] = field(default_factory=list)
    _last: Any = None
    _codes: NDArray[np.int64] = field(default_factory=lambda: np.zeros(1, dtype=np.int64))
    _next: int = 1
    _tries_numbers: bool = True
    _is_varied: bool = False

    @property
    def cardinality(self) -> int:
        """How many numbers were given."""
        return self._next

    def local(self, column: pa.Array, sizes: Sizes | None = None) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Positions into a short list of numbers, one per record, and that list; its last entry is for null."""
        import pyarrow as pa

        del sizes
        if not pa.types.is_dictionary(column.type):
            if self._is_varied:
                return self._each(column)
            column = column.dictionary_encode()
            self._is_varied = 2 * len(column.dictionary) > len(column)
        values = _as_texts(column.dictionary) if self.as_texts else column.dictionary
        if self._last is None or not values.equals(self._last):
            self._last = values
            self._codes = np.append(self._next + np.arange(len(values)), 0)
            self._waiting.append(self._shortest(values))
            self._next += len(values)
        positions = to_numpy(column.indices)
        if column.indices.null_count:
            positions = np.where(is_null(column.indices), len(values), positions.astype(np.int64))
        return positions, self._codes

    def _each(self, column: pa.Array) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Every record with a number of its own: where most values are different, they are compared once, at last."""
        self._last = None
        codes = np.append(self._next + np.arange(len(column)), 0)
        self._waiting.append(self._shortest(_as_texts(column) if self.as_texts else column))
        self._next += len(column)
        return np.arange(len(column)), codes

    @property
    def values(self) -> pa.Array:
        """The values that `settled` has numbered, in the order of their numbers."""
        import pyarrow as pa

        return pa.array([], pa.large_string()) if self._known is None else self._known

    def require(self, codes: NDArray[np.int64], rows_before: int, sizes: Sizes | None = None) -> None:
        """Nothing: every value has a number."""

    def settled(self, codes: Codes) -> Codes:
        """The numbers of persons, equal where the values are, for numbers given so far."""
        if not self._waiting:
            return codes
        import pyarrow as pa

        parts = [*([] if self._known is None else [self._known]), *self._waiting]
        kinds = {part.type for part in parts}
        common = parts[0].type if len(kinds) == 1 and pa.types.is_integer(parts[0].type) else pa.large_string()
        coded = pa.concat_arrays([part.cast(common) for part in parts]).dictionary_encode()
        number = np.append(0, to_numpy(coded.indices).astype(np.int64) + 1)
        if coded.indices.null_count:
            number[1:][is_null(coded.indices)] = 0
        self._known, self._waiting = coded.dictionary, []
        self._next = len(self._known) + 1
        for absent in self._absent():
            number[number == absent] = 0
        self._codes = number[self._codes]
        return number[codes]

    def _shortest(self, values: pa.Array) -> pa.Array:
        """Texts as whole numbers, if all are written as those are: numbers are told apart faster."""
        import pyarrow as pa

        if self.as_texts or not self._tries_numbers or not is_text(values.type):
            return values
        try:
            numbers = values.cast(pa.int64())
        except pa.ArrowInvalid:
            self._tries_numbers = False
            return values
        self._tries_numbers = numbers.cast(values.type).equals(values)
        return numbers if self._tries_numbers else values

    def _absent(self) -> list[int]:
        """The numbers of values that stand for a missing one."""
        import pyarrow as pa
        import pyarrow.compute as pc

        tokens = list(self.missing_tokens)
        if pa.types.is_integer(self._known.type):
            tokens = [token for token in tokens if token.removeprefix("-").isdecimal() and str(int(token)) == token]
        found = [pc.index(self._known, pa.scalar(token).cast(self._known.type)).as_py() for token in tokens]
        return [where + 1 for where in found if where >= 0]


def _as_texts(values: pa.Array) -> pa.Array:
    """Values as texts, null for what is no number among numbers."""
    import pyarrow as pa
    import pyarrow.compute as pc

    if pa.types.is_floating(values.type):
        values = pc.if_else(pc.is_nan(values), None, values)
    return values.cast(pa.large_string())
