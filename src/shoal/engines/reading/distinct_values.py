"""How many different values a column has, and how many of them repeat, in one streaming pass and little memory."""

from __future__ import annotations

from collections.abc import Collection
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from shoal.data.people.persons import DistinctCount
from shoal.engines.bridge import from_texts, is_null, to_numpy

if TYPE_CHECKING:
    import pyarrow as pa

_Keys = NDArray[np.uint64]

_WAITING = 1 << 21
"""Keys that may wait before they are sorted into the others."""
_TEXTS_AT_ONCE = 1 << 14


class DistinctValues:
    """Counts different values by keys of 64 bits: 16 bytes for a value at most, however long it is.

    Numbers, days and times are their own keys. Texts are hashed: a position's byte times a random number, all summed
    up; two texts share a key with a probability below 2^-56, so that of 12 million texts any two do with less than one
    in a thousand.
    """

    def __init__(self, missing: Collection[str] = ("",)) -> None:
        self.missing = missing
        """Texts that mean a missing value."""
        self._taken: DistinctCount | None = None
        self._present = 0
        self._sorted: _Keys = np.zeros(0, dtype=np.uint64)
        """Each key once."""
        self._times: NDArray[np.int64] = np.zeros(0, dtype=np.int64)
        """How often each of them came."""
        self._waiting: list[_Keys] = []
        self._pending = 0
        self._draws = np.random.default_rng(2)
        self._factors: _Keys = np.zeros(0, dtype=np.uint64)

    def add(self, column: pa.Array) -> None:
        """The next values."""
        import pyarrow as pa

        if pa.types.is_dictionary(column.type):
            keys, present = self._keys(column.dictionary)
            positions = to_numpy(column.indices)[~is_null(column.indices)]
            keys = keys[positions][present[positions]]
        else:
            keys, present = self._keys(column)
            keys = keys[present]
        self._present += len(keys)
        self._waiting.append(keys)
        self._pending += len(keys)
        if self._pending > max(_WAITING, len(self._sorted)):
            self._sort()

    def take(self, count: DistinctCount) -> None:
        """What was counted elsewhere, where all the values are."""
        self._taken = count

    def count(self) -> DistinctCount:
        """What was seen so far."""
        if self._taken is not None:
            return self._taken
        self._sort()
        return DistinctCount(
            self._present,
            len(self._sorted),
            int((self._times > 1).sum()),
            int(self._times.max(initial=0)),
        )

    def _sort(self) -> None:
        keys, times = np.unique(np.concatenate([self._sorted[:0], *self._waiting]), return_counts=True)
        self._waiting, self._pending = [], 0
        at = np.searchsorted(self._sorted, keys)
        is_known = np.zeros(len(keys), dtype=np.bool_)
        inside = at < len(self._sorted)
        is_known[inside] = self._sorted[at[inside]] == keys[inside]
        self._times[at[is_known]] += times[is_known]
        new = ~is_known
        self._sorted = np.insert(self._sorted, at[new], keys[new])
        self._times = np.insert(self._times, at[new], times[new])

    def _keys(self, values: pa.Array) -> tuple[_Keys, NDArray[np.bool_]]:
        """A key for each value, and whether there is one."""
        import pyarrow as pa
        import pyarrow.compute as pc

        kind = values.type
        if pa.types.is_null(kind):
            return np.zeros(len(values), dtype=np.uint64), np.zeros(len(values), dtype=np.bool_)
        if pa.types.is_string_view(kind) or pa.types.is_binary_view(kind):
            kind = pa.large_string() if pa.types.is_string_view(kind) else pa.large_binary()
            values = values.cast(kind)
        present = ~is_null(values)
        if pa.types.is_string(kind) or pa.types.is_large_string(kind):
            is_token = pc.is_in(values, value_set=from_texts(list(self.missing)).cast(kind))
            return self._hashed(values), present & (to_numpy(is_token.cast(pa.uint8())) == 0)
        if pa.types.is_binary(kind) or pa.types.is_large_binary(kind):
            return self._hashed(values), present
        if pa.types.is_floating(kind):
            numbers = to_numpy(values.cast(pa.float64())) + 0.0  # there is one zero
            return numbers.view(np.uint64), present & ~np.isnan(numbers)
        whole = _whole_numbers(values)
        if whole is not None:
            return whole.astype(np.int64).view(np.uint64) if whole.dtype.kind == "i" else whole.astype(
                np.uint64
            ), present
        texts = _written(values)
        return self._hashed(from_texts(texts)), np.array([text is not None for text in texts], dtype=np.bool_)

    def _hashed(self, texts: pa.Array) -> _Keys:
        parts = [self._hashed_few(texts.slice(i, _TEXTS_AT_ONCE)) for i in range(0, len(texts), _TEXTS_AT_ONCE)]
        return np.concatenate([np.zeros(0, dtype=np.uint64), *parts])

    def _hashed_few(self, texts: pa.Array) -> _Keys:
        """Σ (byte + 1) · factor of its position, modulo 2^64; one end mark tells a text from its beginnings."""
        import pyarrow as pa

        wide = texts.cast(pa.large_binary())
        ends = np.frombuffer(wide.buffers()[1], dtype=np.int64)[wide.offset : wide.offset + len(wide) + 1]
        first, last = int(ends[0]), int(ends[-1])
        lengths = np.diff(ends)
        self._grow(int(lengths.max(initial=0)))
        characters = wide.buffers()[2]
        data = np.zeros(0, dtype=np.uint8) if characters is None else np.frombuffer(characters, np.uint8)[first:last]
        starts = ends[:-1] - first
        position = np.arange(len(data)) - np.repeat(starts, lengths)
        summed = np.zeros(len(data) + 1, dtype=np.uint64)
        np.cumsum((data.astype(np.uint64) + np.uint64(1)) * self._factors[position], out=summed[1:])
        found: _Keys = summed[ends[1:] - first] - summed[starts]
        return found

    def _grow(self, longest: int) -> None:
        if longest > len(self._factors):
            more = self._draws.integers(0, 1 << 64, size=longest, dtype=np.uint64)
            self._factors = np.concatenate([self._factors, more])


def _written(values: pa.Array) -> list[str | None]:
    """Values of any type as Python writes them; those that Python cannot hold, as damaged files have, are all alike."""
    import pyarrow as pa

    def written(value: Any) -> str | None:
        try:
            return repr(value.as_py()) if value.is_valid else None
        except (pa.ArrowException, ValueError, OverflowError):
            return "cannot be told"

    return [written(value) for value in values]


def _whole_numbers(values: pa.Array) -> NDArray[Any] | None:
    """Whole numbers, truth values, days and times as numbers; None for values of other kinds."""
    import pyarrow as pa

    kind = values.type
    if pa.types.is_boolean(kind):
        return to_numpy(values.cast(pa.uint8()))
    if pa.types.is_integer(kind):
        return to_numpy(values)
    if pa.types.is_temporal(kind) and kind.bit_width in (32, 64):
        return to_numpy(values.view(pa.int32() if kind.bit_width == 32 else pa.int64()))
    return None
