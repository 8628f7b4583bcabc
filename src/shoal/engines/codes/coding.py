"""Values to codes: with `decoding`, the only place where a raw value and a code meet."""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable, Collection
from dataclasses import dataclass, field
from decimal import Decimal, InvalidOperation
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from shoal.data.domain import Categorical, Dates, Domain, Grid, Origin
from shoal.engines.bridge import from_numpy, is_null, to_numpy
from shoal.engines.codes.clamping import nearest_of_labels, nearest_of_numbers
from shoal.errors import DataError

if TYPE_CHECKING:
    import pyarrow as pa

    from shoal.arrays import Codes, Nodes, Sizes

OUTSIDE, ABSENT, UNREADABLE, OFF_GRID = -1, -2, -3, -4
"""Why a value has no code."""

_EPOCH = dt.date(1970, 1, 1)
"""The day from which Arrow counts."""

_MOST_DIGITS = 40
"""Numbers with more digits than this before or behind the point are on no grid."""


@dataclass(eq=False)
class Coder:
    """Codes one column, batch by batch: by its domain, or by growing a list of the values seen when it has none."""

    name: str
    domain: Domain | None
    missing_tokens: Collection[str]
    absorbs: bool = False
    """Whether a value that is not in the domain counts as missing; no error then tells anything about a record."""
    clamps: bool = False
    """Whether a number or day that is not in the domain counts as the nearest one that is."""
    floor: Nodes | None = None
    """The code that each code is counted as, if not as itself."""
    clamped: int = 0
    """How many did."""
    seen: dict[str, int] = field(default_factory=dict)
    _code: Callable[[str], int] | None = None
    _last: Any = None
    _moved: NDArray[np.bool_] | None = None
    _codes: NDArray[np.int64] = field(default_factory=lambda: np.zeros(0, dtype=np.int64))

    @property
    def cardinality(self) -> int:
        """How many codes there are so far; without a domain, code 0 stands for a missing value."""
        return len(self.seen) + 1 if self.domain is None else self.domain.size

    def local(self, column: pa.Array, sizes: Sizes | None = None) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Positions into a short list of codes, one per record, and that list; its last entry is for null.

        `sizes` are the rows that each record stands for, if not one.
        """
        import pyarrow as pa

        if not pa.types.is_dictionary(column.type):
            column = _countable(column).dictionary_encode()
        values = column.dictionary
        if self._last is None or not values.equals(self._last):
            self._last = values
            codes = self._translate(values)
            if self.clamps:
                codes = self._clamp(values, codes)
            if self.absorbs:
                codes = np.where(codes < 0, self._missing(), codes)
            self._codes = self.counted(np.append(codes, self._missing()))
        positions = to_numpy(column.indices)
        if column.indices.null_count:
            positions = np.where(is_null(column.indices), len(values), positions.astype(np.int64))
        if self._moved is not None:
            moved = np.append(self._moved, np.False_)[positions]
            self.clamped += int(moved.sum() if sizes is None else sizes[moved].sum())
        return positions, self._codes

    def counted(self, codes: NDArray[np.int64]) -> NDArray[np.int64]:
        """Codes as they are counted."""
        return codes if self.floor is None else np.where(codes < 0, codes, self.floor[codes])

    def codes(self, column: pa.Array, rows_before: int) -> Codes:
        """One code per row; refuses a value that has none."""
        where, codes = self.local(column)
        found = codes[where]
        self.require(found, rows_before)
        return found

    def settled(self, codes: Codes) -> Codes:
        """Codes as they stay: they are final from the first."""
        return codes

    def require(self, codes: NDArray[np.int64], rows_before: int, sizes: Sizes | None = None) -> None:
        """Refuse codes of rows among which a value has none; `sizes` as in `local`: then no row has a number."""
        bad = np.flatnonzero(codes < 0)
        if not len(bad):
            return
        if sizes is None:
            raise self._refusal(f"record {rows_before + int(bad[0]) + 1:,}", int(codes[bad[0]]))
        rows = int(sizes[bad[0]])
        raise self._refusal(f"in {rows:,} record{'s' if rows > 1 else ''}", int(codes[bad[0]]))

    def _clamp(self, values: pa.Array, codes: NDArray[np.int64]) -> NDArray[np.int64]:
        """Codes with those of numbers and days outside of the domain, or between its steps, moved to the nearest."""
        self._moved = None
        out = np.flatnonzero((codes == OUTSIDE) | (codes == OFF_GRID))
        if not len(out) or not isinstance(self.domain, Grid | Dates):
            return codes
        strays = values.take(from_numpy(out))
        numbers = _numbers(strays) if isinstance(self.domain, Grid) else None
        if numbers is not None and isinstance(self.domain, Grid):
            nearest = nearest_of_numbers(numbers.astype(np.float64), self.domain)
        else:
            nearest = nearest_of_labels(as_labels(strays), self.domain)
        moved = codes.copy()
        moved[out] = nearest
        self._moved = moved != codes
        return moved

    def _missing(self) -> int:
        if self.domain is None:
            return 0
        return ABSENT if self.domain.missing is None else self.domain.missing

    def _translate(self, values: pa.Array) -> NDArray[np.int64]:
        """The code of each distinct value, or why it has none."""
        direct = None if self.domain is None else _direct_codes(values, self.domain)
        if direct is not None:
            found, gone = direct
            outside = np.flatnonzero((found < 0) & ~gone)
            if len(outside) and self.missing_tokens:
                gone[outside] = [label in self.missing_tokens for label in as_labels(values.take(from_numpy(outside)))]
            return np.where(gone, self._missing(), found)
        try:
            labels = as_labels(values)
        except UnicodeDecodeError:
            if not self.absorbs:
                raise DataError(f"column {self.name!r} holds text that is not UTF-8; write the table again.") from None
            labels = decoded(values)  # one damaged text must not decide whether there is a release
        absent = [label is None or label in self.missing_tokens for label in labels]
        if self.domain is None:
            known = self.seen
            codes = [
                0 if gone or label is None else known.setdefault(label, len(known) + 1)
                for label, gone in zip(labels, absent, strict=True)
            ]
            return np.array(codes, dtype=np.int64)
        if self._code is None:
            self._code = _coding(self.domain)
        coded = _label_codes(labels, self._code)
        return np.where((coded < 0) & np.array(absent, dtype=np.bool_), self._missing(), coded)

    def _refusal(self, record: str, why: int) -> DataError:
        """The error for a value that has no code; `record` says which. The value itself is not shown."""
        assert self.domain is not None
        here = f"column {self.name!r}, {record}"
        origin = self.domain.origin.value
        if why == ABSENT:
            return DataError(
                f"{here}: the value is missing, and the {origin} domain has no place for that; set missing = true for "
                "this column, or fill in the value."
            )
        kind = "date such as 2024-12-31" if isinstance(self.domain, Dates) else "number"
        what = {
            OUTSIDE: "the value is not in",
            OFF_GRID: "the number lies between two steps of",
            UNREADABLE: f"the value is not a {kind}, and so not in",
        }[why]
        return DataError(
            f"{here}: {what} the {origin} domain{_described(self.domain)}; correct the record, or widen the domain."
        )


def is_plain(kind: pa.DataType) -> bool:
    """Whether values of a type can be coded: text, numbers, truth values, times; no lists, records or bytes."""
    import pyarrow as pa

    if pa.types.is_dictionary(kind):
        kind = kind.value_type
    is_other = pa.types.is_boolean(kind) or pa.types.is_null(kind)
    is_time = pa.types.is_temporal(kind) and not pa.types.is_interval(kind)
    return is_other or is_text(kind) or is_time or _is_number(kind)


def is_text(kind: pa.DataType) -> bool:
    """Whether a type is text, in any of Arrow's forms but coded."""
    import pyarrow as pa

    return bool(pa.types.is_string(kind) or pa.types.is_large_string(kind) or pa.types.is_string_view(kind))


def _is_number(kind: pa.DataType) -> bool:
    import pyarrow as pa

    return bool(pa.types.is_integer(kind) or pa.types.is_floating(kind) or pa.types.is_decimal(kind))


def decoded(values: pa.Array) -> list[str | None]:
    """Texts, None for one that is not UTF-8."""
    labels: list[str | None] = []
    for value in values:
        try:
            labels.append(value.as_py())
        except UnicodeDecodeError:
            labels.append(None)
    return labels


def _countable(column: pa.Array) -> pa.Array:
    """A column in a type whose distinct values Arrow finds: short decimals as longer ones."""
    import pyarrow as pa

    kind = column.type
    if pa.types.is_decimal(kind) and kind.bit_width < 128:
        return column.cast(pa.decimal128(kind.precision, kind.scale))
    return column


def as_labels(values: pa.Array) -> list[str | None]:
    """Values as text, the way a domain names them; a time of day is dropped."""
    import pyarrow as pa

    if pa.types.is_floating(values.type):
        gone = is_null(values)
        numbers = to_numpy(values)
        return [None if null or np.isnan(v) else _plain(Decimal(str(v))) for v, null in zip(numbers, gone, strict=True)]
    if pa.types.is_decimal(values.type):
        return [None if v is None else _plain(v) for v in values.to_pylist()]
    if pa.types.is_timestamp(values.type):
        values = values.cast(pa.date32(), safe=False)
    return list(values.cast(pa.string()).to_pylist())


def _described(domain: Domain) -> str:
    """What a declared domain holds, for messages; an observed one came from the records."""
    if domain.origin is not Origin.DECLARED:
        return ""
    match domain:
        case Categorical():
            return f" of {domain.size:,} values"
        case Grid():
            ends = domain.labels([0, domain.steps])
            return f" ({ends[0]} to {ends[1]} in steps of {domain.number(domain.step)})"
        case Dates():
            return f" ({domain.first} to {domain.last})"


def _plain(number: Decimal) -> str:
    """Plain digits without trailing zeros, exactly."""
    text = f"{number:f}"
    if "." in text:
        text = text.rstrip("0").rstrip(".")
    return "0" if text == "-0" else text


def _direct_codes(values: pa.Array, domain: Domain) -> tuple[NDArray[np.int64], NDArray[np.bool_]] | None:
    """The codes of numbers or days that need not be read as texts, and which of them are none; else nothing."""
    import pyarrow as pa

    if isinstance(domain, Dates) and pa.types.is_date32(values.type):
        gone = is_null(values)
        days = to_numpy(values.cast(pa.int32())).astype(np.int64) - (domain.first - _EPOCH).days
        inside = (days >= 0) & (days < domain.days) & ~gone
        far = (days < (dt.date.min - domain.first).days) | (days > (dt.date.max - domain.first).days)  # no text says it
        return np.where(inside, days, np.where(far, UNREADABLE, OUTSIDE)), gone
    numbers = _numbers(values) if isinstance(domain, Grid) else None
    if numbers is None or not isinstance(domain, Grid):
        return None
    gone = is_null(values) | np.isnan(numbers)
    return _number_codes(np.where(gone, 0, numbers), domain), gone


def _label_codes(labels: list[str | None], code: Callable[[str], int]) -> NDArray[np.int64]:
    """The code of each value; below 0 why there is none."""
    return np.array([UNREADABLE if label is None else code(label) for label in labels], dtype=np.int64)


def _coding(domain: Domain) -> Callable[[str], int]:
    match domain:
        case Categorical():
            known = {value: i for i, value in enumerate(domain.values) if i != domain.missing}
            return lambda label: known.get(label, OUTSIDE)
        case Grid():
            return lambda label: _grid_code(label, domain)
        case Dates():
            return lambda label: _date_code(label, domain)


def _numbers(values: pa.Array) -> NDArray[Any] | None:
    """The numbers of an integer or floating-point array; what stands where it is null has no meaning."""
    import pyarrow as pa

    if pa.types.is_integer(values.type) or pa.types.is_float64(values.type):
        return to_numpy(values)
    if pa.types.is_floating(values.type):  # 0.1 in 32 bits is one tenth to its owner, not the double nearest to it
        return np.array([float(str(number)) for number in to_numpy(values)], dtype=float)
    return None


def _number_codes(numbers: NDArray[Any], domain: Grid) -> NDArray[np.int64]:
    """Codes of numbers on a grid; nothing is multiplied before it is known to be inside."""
    scale, last = 10**domain.decimals, domain.lower + domain.steps * domain.step
    is_float = numbers.dtype.kind == "f"
    low, high = (domain.lower / scale, last / scale) if is_float else (-(-domain.lower // scale), last // scale)
    inside = (numbers >= low) & (numbers <= high)
    kept = np.where(inside, numbers, 0)
    scaled = np.rint(kept * scale).astype(np.int64) if is_float else kept.astype(np.int64) * scale
    exact = scaled / scale == kept if is_float else np.ones(len(kept), dtype=np.bool_)
    codes, rest = np.divmod(scaled - domain.lower, domain.step)
    return np.where(inside, np.where(exact & (rest == 0), codes, OFF_GRID), OUTSIDE)


def _grid_code(label: str, domain: Grid) -> int:
    try:
        number = Decimal(label.strip())
    except InvalidOperation:
        return UNREADABLE
    if not number.is_finite():
        return UNREADABLE
    sign, digits, exponent = number.as_tuple()
    assert isinstance(exponent, int)
    shift = exponent + domain.decimals
    if number and (number.adjusted() > _MOST_DIGITS or -shift > _MOST_DIGITS + len(digits)):
        return OUTSIDE if number.adjusted() > 0 else OFF_GRID
    point = max(len(digits) + min(shift, 0), 0)  # digits behind it are not read: Python refuses more than 4,300
    scaled = int("".join(map(str, digits[:point])) or "0") * 10 ** max(shift, 0) if number else 0
    code, between = divmod((-scaled if sign else scaled) - domain.lower, domain.step)
    if not 0 <= code <= domain.steps:
        return OUTSIDE
    return OFF_GRID if any(digits[point:]) or between else code


def _date_code(label: str, domain: Dates) -> int:
    try:
        day = (dt.date.fromisoformat(label.strip()) - domain.first).days
    except ValueError:
        return UNREADABLE
    return day if 0 <= day < domain.days else OUTSIDE
