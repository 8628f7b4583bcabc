"""Domains: every value a column may take, as the codes 0…size−1.

A domain remembers whether it was declared or observed; methods whose guarantee needs public domains refuse observed
ones (theory X-2). A missing value is a category of its own: the code `missing`, where there is one.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal, InvalidOperation, localcontext
from enum import Enum
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from shoal.errors import SchemaError, listed
from shoal.parameters import read_parameters

MISSING_LABEL = "missing"
LARGEST_DOMAIN = 10_000_000
_LARGEST_NUMBER = 10**18
_DIGITS = 100
"""Digits of exact arithmetic on bounds, more than any that is accepted."""


class Origin(Enum):
    """Where a domain comes from."""

    DECLARED = "declared"
    OBSERVED = "observed"


@dataclass(frozen=True, slots=True)
class Categorical:
    """Named values in a fixed order, which means something only when `ordered`."""

    values: tuple[str, ...]
    ordered: bool = False
    missing: int | None = None
    origin: Origin = Origin.DECLARED

    def __post_init__(self) -> None:
        read_parameters(self)
        if self.missing is not None and not 0 <= self.missing < len(self.values):
            raise SchemaError(
                f"missing is the number of one of the {len(self.values):,} values, counted from 0; got {self.missing}."
            )
        if len(set(self.values)) < len(self.values):
            twice = sorted({value for value in self.values if self.values.count(value) > 1})
            raise SchemaError(f"a domain lists {listed(twice)} twice; every value may stand in it once.")

    @property
    def size(self) -> int:
        """Number of codes, the missing value included."""
        return len(self.values)

    def labels(self, codes: Iterable[int]) -> list[str]:
        """The values behind `codes`."""
        return [self.values[code] for code in codes]

    def with_missing(self) -> Categorical:
        """The same domain with a place for missing values, the last one if it had none."""
        if self.missing is not None:
            return self
        label = MISSING_LABEL
        while label in self.values:
            label = f"({label})"
        return replace(self, values=(*self.values, label), missing=self.size)

    def reordered(self, order: Sequence[int]) -> Categorical:
        """The same values with code i for what was code `order[i]`."""
        missing = None if self.missing is None else list(order).index(self.missing)
        return replace(self, values=tuple(self.values[i] for i in order), missing=missing)


@dataclass(frozen=True, slots=True)
class Grid:
    """Numbers from `lower` in steps of `step`, kept as whole multiples of 10^−decimals so that nothing is rounded."""

    lower: int
    step: int
    steps: int
    decimals: int = 0
    has_missing: bool = False
    origin: Origin = Origin.DECLARED

    def __post_init__(self) -> None:
        read_parameters(self)
        for name, least in (("step", 1), ("steps", 0), ("decimals", 0)):
            if getattr(self, name) < least:
                raise SchemaError(f"{name} of a grid must be {least} or more; got {getattr(self, name)}.")

    @staticmethod
    def between(
        lower: object, upper: object, step: object = 1, *, missing: bool = False, origin: Origin = Origin.DECLARED
    ) -> Grid:
        """The grid lower, lower + step, …, upper."""
        low, high, width = (_decimal(value, name) for value, name in ((lower, "from"), (upper, "to"), (step, "step")))
        if width <= 0 or high < low:
            raise SchemaError(
                f"a domain from {low} to {high} in steps of {width} is empty; expected from <= to, step > 0."
            )
        decimals = max(0, *(-_exponent(value) for value in (low, high, width)))
        with localcontext(prec=_DIGITS):
            first, last, stride = (int(value.scaleb(decimals)) for value in (low, high, width))
        if max(abs(first), abs(last), stride) >= _LARGEST_NUMBER:
            raise SchemaError(
                f"the domain from {low} to {high} in steps of {width} has numbers with too many digits; at most 18 are "
                "supported, those behind the point included. Declare a coarser step, or other units."
            )
        steps, rest = divmod(last - first, stride)
        if rest:
            raise SchemaError(
                f"the domain from {low} to {high} is not a whole number of steps of {width}; "
                "change 'to' or 'step' so that the last step ends on 'to'."
            )
        if steps >= LARGEST_DOMAIN:
            raise SchemaError(
                f"the domain from {low} to {high} in steps of {width} has {steps + 1:,} values; at most "
                f"{LARGEST_DOMAIN:,} are supported. Declare a coarser step (and round the column to it)."
            )
        return Grid(lower=first, step=stride, steps=steps, decimals=decimals, has_missing=missing, origin=origin)

    @property
    def ordered(self) -> bool:
        """Numbers have an order."""
        return True

    @property
    def size(self) -> int:
        """Number of codes, the missing value included."""
        return self.steps + 1 + self.has_missing

    @property
    def missing(self) -> int | None:
        """The code of the missing value: the last one."""
        return self.steps + 1 if self.has_missing else None

    @property
    def is_whole(self) -> bool:
        """Whether all of them are whole numbers, however they are written."""
        return not (self.lower % 10**self.decimals or self.step % 10**self.decimals)

    def with_missing(self) -> Grid:
        """The same numbers with a place for missing values."""
        return replace(self, has_missing=True)

    def scaled(self, codes: NDArray[np.int64]) -> NDArray[np.int64]:
        """The numbers behind `codes`, times 10^decimals."""
        return self.lower + codes * self.step

    def labels(self, codes: Iterable[int]) -> list[str]:
        """The numbers behind `codes`, written out."""
        return [MISSING_LABEL if code == self.missing else self.number(self.lower + code * self.step) for code in codes]

    def number(self, scaled: int) -> str:
        """A multiple of 10^−decimals in plain digits, without trailing zeros."""
        if not self.decimals:
            return str(scaled)
        text = f"{Decimal(scaled).scaleb(-self.decimals):f}"
        return text.rstrip("0").rstrip(".")


@dataclass(frozen=True, slots=True)
class Dates:
    """The days from `first` to `last`."""

    first: dt.date
    last: dt.date
    has_missing: bool = False
    origin: Origin = Origin.DECLARED

    def __post_init__(self) -> None:
        read_parameters(self)
        if self.last < self.first:
            raise SchemaError(f"a domain of dates from {self.first} to {self.last} is empty; expected from <= to.")

    @property
    def ordered(self) -> bool:
        """Days have an order."""
        return True

    @property
    def days(self) -> int:
        """Number of days, first and last included."""
        return (self.last - self.first).days + 1

    @property
    def size(self) -> int:
        """Number of codes, the missing value included."""
        return self.days + self.has_missing

    @property
    def missing(self) -> int | None:
        """The code of the missing value: the last one."""
        return self.days if self.has_missing else None

    def with_missing(self) -> Dates:
        """The same days with a place for missing values."""
        return replace(self, has_missing=True)

    def labels(self, codes: Iterable[int]) -> list[str]:
        """The days behind `codes`, as in ISO 8601."""
        one = dt.timedelta(days=1)
        return [MISSING_LABEL if code == self.missing else (self.first + int(code) * one).isoformat() for code in codes]


Domain: TypeAlias = Categorical | Grid | Dates


def _decimal(value: object, name: str) -> Decimal:
    try:
        number = Decimal(str(value))
    except InvalidOperation:
        number = Decimal("nan")
    if not number.is_finite() or number.adjusted() > _DIGITS // 2 or _exponent(number) < -_DIGITS // 2:
        raise SchemaError(f"{name!r} of a numeric domain must be a number of at most 18 digits; got {value!r}.")
    with localcontext(prec=_DIGITS):
        return number.normalize() if number else Decimal(0)


def _exponent(value: Decimal) -> int:
    exponent = value.as_tuple().exponent
    assert isinstance(exponent, int)  # finite, checked by _decimal
    return exponent
