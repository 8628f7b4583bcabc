"""A digest of the values of a table: the same for the same records in any format and any order of rows and columns.

It is for recognizing a dataset, so it errs on the side of sameness. Cells are compared by what they mean: 5, 5.0, "05"
and 5e0 are one number, a time of day is dropped, letter case and surrounding blanks do not count, and an empty cell,
null, NaN and the usual words for a missing value are one. A cell has 128 bits of BLAKE2b over the column's name and its
meaning; a record has the sum of its cells, mixed in a way that is not linear; a table has the sum of its records, so
neither order counts and every repetition does.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Collection
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from shoal.engines.bridge import from_numpy, is_null, to_numpy
from shoal.engines.codes.coding import as_labels, decoded, is_plain

if TYPE_CHECKING:
    import pyarrow as pa

    from shoal.engines.reading.source import Source

_MISSING = frozenset({"", "?", "na", "n/a", "<na>", "nan", "nat", "none", "null"})
"""Texts that mean a missing value wherever nothing else is declared."""

_NUMBER = re.compile(r"[+-]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:e[+-]?[0-9]+)?")
_MOMENT = re.compile(r"([0-9]{4}-[0-9]{2}-[0-9]{2})[ t][0-9]{2}:[0-9]{2}.*")
_LONGEST_POWER = 18
_REMEMBERED = 1 << 17
"""Values of a column whose hashes are kept from batch to batch."""

Lanes = NDArray[np.uint64]
"""Two rows of 64 bits each: 128 bits for each of several things."""


def value_digests(source: Source, missing: Collection[str] = ()) -> tuple[bytes, ...]:
    """The digest of a source's values; and, where other texts are declared missing values, that with them read so.

    Both, because the same table may be read with such a declaration and without, or have nothing at all in these places
    in another format.
    """
    declared = frozenset(meaning(text) or "" for text in missing) - {""}
    tallies = [_Tally(frozenset()), *([_Tally(declared)] if declared else [])]
    names = sorted(source.types())
    columns = [[_Column(name, tally.missing) for name in names] for tally in tallies]
    rows = 0
    for batch, _ in source.batches(names):
        rows += batch.num_rows
        for tally, coders in zip(tallies, columns, strict=True):
            tally.add(batch, coders)
    return tuple(dict.fromkeys(tally.digest(names, rows) for tally in tallies))


def meaning(text: str | None) -> str | None:
    """What a cell means, as text; None if it is missing.

    >>> [meaning(text) for text in ("5", "5.0", " 05", "5e0", "0.50", "-0", "100")]
    ['5e0', '5e0', '5e0', '5e0', '5e-1', '0', '1e2']
    >>> meaning("2024-12-31 13:45:00"), meaning("True"), meaning("N/A")
    ('2024-12-31', 'true', None)
    """
    if text is None:
        return None
    text = text.strip().casefold()
    if text in _MISSING:
        return None
    if text.isascii() and text.isdigit():
        digits = text.lstrip("0")
        return f"{digits.rstrip('0')}e{len(digits) - len(digits.rstrip('0'))}" if digits else "0"
    if text[0] in "+-.0123456789":
        if _NUMBER.fullmatch(text):
            return _number(text)
        moment = _MOMENT.fullmatch(text)
        return text if moment is None else moment.group(1)
    return text


def _number(text: str) -> str:
    """A number as digits without zeros at either end, and an exponent: exact, and short however large it is."""
    written, _, power = text.partition("e")
    if len(power) > _LONGEST_POWER:  # no number that anybody means
        return text
    whole, _, fraction = written.lstrip("+-").partition(".")
    digits = (whole + fraction).lstrip("0")
    if not digits:
        return "0"
    kept = digits.rstrip("0")
    sign = "-" if text[0] == "-" else ""
    return f"{sign}{kept}e{int(power or 0) - len(fraction) + len(digits) - len(kept)}"


def _texts(values: pa.Array) -> list[str | None]:
    """Values as text; doubles as Python writes them, which is faster than digits in full."""
    import pyarrow as pa

    if pa.types.is_float64(values.type) and not values.null_count:
        return [repr(number) for number in to_numpy(values).tolist()]
    try:
        return as_labels(values)
    except pa.ArrowNotImplementedError:  # spans of months and days have no text of their own
        return _written(values)


def _written(values: pa.Array) -> list[str | None]:
    """Values of any type as Python writes them; all alike where Python has no such values: others tell them apart."""
    import pyarrow as pa

    try:
        return [None if value is None else repr(value) for value in values.to_pylist()]
    except (pa.ArrowException, ValueError):
        return ["cannot be told"] * len(values)


@dataclass(eq=False)
class _Column:
    """The hashes of one column's cells."""

    name: str
    missing: frozenset[str]
    _known: dict[str | None, bytes] = field(default_factory=dict)
    _start: Any = None
    _last: Any = None
    _last_hashes: Lanes | None = None

    def __post_init__(self) -> None:
        # The hash of the name is the key, so that no name and value run together.
        self._start = hashlib.blake2b(digest_size=16, key=hashlib.sha256(self.name.strip().encode()).digest())

    def hashes(self, column: pa.Array) -> tuple[Any, Lanes]:
        """For every record its position in a list of hashes, and that list."""
        import pyarrow as pa

        if not is_plain(column.type):  # lists, records, bytes: they cannot be coded, and are looked at one by one
            return np.arange(len(column)), self._lanes(_written(column))
        if not pa.types.is_dictionary(column.type):
            column = column.dictionary_encode()
        positions, values = to_numpy(column.indices), column.dictionary
        if column.indices.null_count:
            positions = np.where(is_null(column.indices), len(values), positions.astype(np.int64))
        if pa.types.is_string_view(values.type):  # nothing can be taken from it
            values = values.cast(pa.string())
        if len(values) > len(column):  # a dictionary of more than this batch: only what occurs here is hashed
            used, positions = np.unique(positions, return_inverse=True)
            return positions, self._labeled(values.take(from_numpy(used[used < len(values)])))
        if self._last_hashes is None or not values.equals(self._last):
            self._last, self._last_hashes = values, self._labeled(values)
        return positions, self._last_hashes

    def _labeled(self, values: pa.Array) -> Lanes:
        """The hashes of values, and last that of a missing one; as missing counts text that is not UTF-8."""
        try:
            return self._lanes([*_texts(values), None])
        except UnicodeDecodeError:
            return self._lanes([*decoded(values), None])

    def _lanes(self, texts: list[str | None]) -> Lanes:
        known = self._known
        found = b"".join([known.get(text) or self._hash(text) for text in texts])
        return np.frombuffer(found, dtype="<u8").reshape(-1, 2).T.astype(np.uint64)

    def _hash(self, text: str | None) -> bytes:
        meant, hasher = meaning(text), self._start.copy()
        if meant is not None and meant not in self.missing:
            hasher.update(b"=" + meant.encode())
        hashed: bytes = hasher.digest()
        if len(self._known) < _REMEMBERED:
            self._known[text] = hashed
        return hashed


@dataclass(eq=False)
class _Tally:
    """The sum of all records so far."""

    missing: frozenset[str]
    total: Lanes = field(default_factory=lambda: np.zeros(2, dtype=np.uint64))

    def add(self, batch: pa.RecordBatch, columns: list[_Column]) -> None:
        """Count the records of a batch."""
        records = np.zeros((2, batch.num_rows), dtype=np.uint64)
        for column in columns:
            where, hashes = column.hashes(batch.column(column.name))
            for lane in range(2):
                records[lane] += hashes[lane][where]
        self.total += _mixed(records).sum(axis=1, dtype=np.uint64)

    def digest(self, names: list[str], rows: int) -> bytes:
        """What the table is recognized by."""
        parts = [str(rows).encode(), self.total.astype("<u8").tobytes(), *(name.strip().encode() for name in names)]
        return hashlib.sha256(b"".join(len(part).to_bytes(8, "big") + part for part in parts)).digest()


def _mixed(records: Lanes) -> Lanes:
    """A bijection of each 128 bits that no sum passes through: three rounds, each lane into the other.

    Paper: the finalizer of SplitMix64 (Steele, Lea & Flood 2014) as the round function of a Feistel network.
    """
    left, right = records
    for _ in range(3):
        left, right = right, left ^ _finalized(right)
    return np.stack([left, right])


def _finalized(lane: NDArray[np.uint64]) -> NDArray[np.uint64]:
    mixed = lane + np.uint64(0x9E3779B97F4A7C15)
    mixed ^= mixed >> np.uint64(30)
    mixed *= np.uint64(0xBF58476D1CE4E5B9)
    mixed ^= mixed >> np.uint64(27)
    mixed *= np.uint64(0x94D049BB133111EB)
    mixed ^= mixed >> np.uint64(31)
    return mixed
