"""Values to codes and back: the only place where a raw value and a code meet."""

from __future__ import annotations

import datetime as dt
from collections.abc import Collection
from dataclasses import dataclass, field
from decimal import Decimal, InvalidOperation
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from shoal.data.domain import Categorical, Dates, Domain, Grid
from shoal.engines.bridge import from_numpy, from_texts, is_null, to_numpy
from shoal.errors import DataError

if TYPE_CHECKING:
    import pyarrow as pa

    from shoal.arrays import Codes
    from shoal.data.schema import Attribute

OUTSIDE, ABSENT = -1, -2


@dataclass(eq=False)
class Coder:
    """Codes one column, batch by batch: by its domain, or by growing a list of the values seen when it has none."""

    name: str
    domain: Domain | None
    missing_tokens: Collection[str]
    seen: dict[str, int] = field(default_factory=dict)
    has_missing: bool = False
    _last: Any = None
    _codes: NDArray[np.int64] = field(default_factory=lambda: np.zeros(0, dtype=np.int64))

    @property
    def cardinality(self) -> int:
        """How many codes there are so far; without a domain, code 0 stands for a missing value."""
        return len(self.seen) + 1 if self.domain is None else self.domain.size

    def local(self, column: pa.Array) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Positions into a short list of codes, one per row, and that list; its last entry is for null."""
        import pyarrow as pa

        if not pa.types.is_dictionary(column.type):
            column = column.dictionary_encode()
        values = column.dictionary
        if self._last is None or not values.equals(self._last):
            self._last = values
            self._codes = np.append(self._translate(values), self._missing())
        positions = to_numpy(column.indices)
        if column.indices.null_count:
            positions = np.where(is_null(column.indices), len(values), positions)
        return positions, self._codes

    def _missing(self) -> int:
        if self.domain is None:
            return 0
        return ABSENT if self.domain.missing is None else self.domain.missing

    def _translate(self, values: pa.Array) -> NDArray[np.int64]:
        """The code of each distinct value; OUTSIDE where there is none."""
        import pyarrow as pa

        if self.domain is None:
            labels = [None if label in self.missing_tokens else label for label in as_labels(values)]
            return np.array(
                [0 if x is None else self.seen.setdefault(x, len(self.seen) + 1) for x in labels], dtype=np.int64
            )
        codes = _domain_codes(values, self.domain)
        if pa.types.is_string(values.type) or pa.types.is_large_string(values.type):
            tokens = np.array([text in self.missing_tokens for text in values.to_pylist()], dtype=np.bool_)
            codes[tokens & (codes == OUTSIDE)] = self._missing()
        if pa.types.is_floating(values.type):
            codes[np.isnan(to_numpy(values))] = self._missing()
        return codes

    def refuse(self, row: int, code: int) -> DataError:
        """The error for a value that has no code; `row` counts records from 1. The value itself is not shown."""
        assert self.domain is not None
        if code == ABSENT:
            return DataError(
                f"column {self.name!r}, record {row:,}: the value is missing, and the declared domain does not allow "
                "that; set missing = true for this column, or fill in the value."
            )
        return DataError(
            f"column {self.name!r}, record {row:,}: the value is not in the {self.domain.origin.value} domain "
            f"({described(self.domain)}); correct the value or widen the domain."
        )


def as_labels(values: pa.Array) -> list[str | None]:
    """Values as text, the way a domain names them."""
    import pyarrow as pa

    if pa.types.is_floating(values.type):
        numbers = to_numpy(values)
        return [None if np.isnan(v) else _plain(Decimal(repr(float(v)))) for v in numbers]
    if pa.types.is_decimal(values.type):
        return [None if v is None else _plain(v) for v in values.to_pylist()]
    if pa.types.is_timestamp(values.type):
        values = values.cast(pa.date32(), safe=False)
    return list(values.cast(pa.string()).to_pylist())


def described(domain: Domain) -> str:
    """A domain in a few words, for messages."""
    match domain:
        case Categorical():
            return f"{domain.size:,} values"
        case Grid():
            ends = domain.labels([0, domain.steps])
            return f"{ends[0]} to {ends[1]} in steps of {domain.number(domain.step)}"
        case Dates():
            return f"{domain.first} to {domain.last}"


def _plain(number: Decimal) -> str:
    return f"{number.normalize():f}" if number else "0"


def _domain_codes(values: pa.Array, domain: Domain) -> NDArray[np.int64]:
    match domain:
        case Categorical():
            return _category_codes(values, domain)
        case Grid():
            return _grid_codes(values, domain)
        case Dates():
            return _date_codes(values, domain)


def _category_codes(values: pa.Array, domain: Categorical) -> NDArray[np.int64]:
    code = {value: i for i, value in enumerate(domain.values) if i != domain.missing}
    return np.array(
        [code.get(label, OUTSIDE) if label is not None else OUTSIDE for label in as_labels(values)], dtype=np.int64
    )


def _grid_codes(values: pa.Array, domain: Grid) -> NDArray[np.int64]:
    import pyarrow as pa

    if pa.types.is_integer(values.type):
        scaled = to_numpy(values.cast(pa.int64())) * 10**domain.decimals
        exact = np.ones(len(scaled), dtype=np.bool_)
    elif pa.types.is_floating(values.type):
        numbers = to_numpy(values).astype(float)
        finite = np.isfinite(numbers) & (np.abs(numbers) < 2**53 / 10**domain.decimals)
        numbers = np.where(finite, numbers, 0.0)
        scaled = np.rint(numbers * 10**domain.decimals).astype(np.int64)
        exact = finite & (scaled / 10**domain.decimals == numbers)
    else:
        texts = as_labels(values)
        parsed = [None if text is None else _number(text) for text in texts]
        shifted = [None if number is None else number.scaleb(domain.decimals) for number in parsed]
        exact = np.array(
            [number is not None and number == number.to_integral_value() for number in shifted], dtype=np.bool_
        )
        scaled = np.array(
            [int(n) if n is not None and ok and abs(n) < 2**62 else 0 for n, ok in zip(shifted, exact, strict=True)],
            dtype=np.int64,
        )
    codes, rest = np.divmod(scaled - domain.lower, domain.step)
    inside = exact & (rest == 0) & (codes >= 0) & (codes <= domain.steps)
    return np.where(inside, codes, OUTSIDE)


def _number(text: str) -> Decimal | None:
    try:
        number = Decimal(text.strip())
    except InvalidOperation:
        return None
    return number if number.is_finite() else None


def _date_codes(values: pa.Array, domain: Dates) -> NDArray[np.int64]:
    days = []
    for label in as_labels(values):
        try:
            day = (dt.date.fromisoformat(label) - domain.first).days if label else OUTSIDE
        except ValueError:
            day = OUTSIDE
        days.append(day if 0 <= day < domain.days else OUTSIDE)
    return np.array(days, dtype=np.int64)


def published_values(attribute: Attribute, nodes: NDArray[Any]) -> pa.Array:
    """What is written for some nodes: values of the original type if all are leaves, else labels; null for missing."""
    leaves = attribute.hierarchy.leaves
    missing = attribute.domain.missing
    absent = nodes == missing if missing is not None else np.zeros(len(nodes), dtype=np.bool_)
    if (nodes < leaves).all():
        return _leaf_values(attribute, nodes, absent)
    return from_texts([None if gone else label for label, gone in zip(attribute.labels(nodes), absent, strict=True)])


def _leaf_values(attribute: Attribute, codes: Codes, absent: NDArray[np.bool_]) -> pa.Array:
    """Leaves in the type they came in; numbers and days that came as text become numbers and days."""
    import pyarrow as pa

    wanted = attribute.source_type
    is_text = wanted is None or pa.types.is_string(wanted) or pa.types.is_large_string(wanted)
    values = _natural_values(attribute.domain, codes, absent)
    return (
        values if is_text else values.cast(wanted.value_type if pa.types.is_dictionary(wanted) else wanted, safe=False)
    )


def _natural_values(domain: Domain, codes: Codes, absent: NDArray[np.bool_]) -> pa.Array:
    import pyarrow as pa

    match domain:
        case Grid():
            scaled = domain.scaled(codes.astype(np.int64))
            numbers: NDArray[Any] = scaled / 10**domain.decimals if domain.decimals else scaled
            return from_numpy(numbers, absent)
        case Dates():
            epoch = (domain.first - dt.date(1970, 1, 1)).days
            return from_numpy((codes.astype(np.int64) + epoch).astype(np.int32), absent).cast(pa.date32())
        case Categorical():
            labels = domain.labels(codes.tolist())
            return from_texts([None if gone else label for label, gone in zip(labels, absent, strict=True)])
