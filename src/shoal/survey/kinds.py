"""What the values of a column are: numbers, dates, codes or categories."""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Sequence
from dataclasses import replace
from decimal import Decimal
from enum import Enum
from math import gcd

from shoal.data.attribute import NUMBER
from shoal.data.domain import Categorical, Dates, Domain, Grid, Origin
from shoal.survey.names.words import is_code_name, is_nominal_name, is_place_name
from shoal.survey.tally import domain_of

_DIGITS = re.compile(r"\d{2,}")
_NUMBER_OTHERWISE = re.compile(r"[+-]?(\d+(\.\d*)?|\.\d+)([eE][+-]?\d{1,3})?")
_DECIMAL_COMMA = re.compile(r"[+-]?\d+,\d+")
_DAY_TIME = re.compile(r"(\d{4})-(\d{2})-(\d{2})[T ].+")
_DAY_OTHERWISE = re.compile(r"(\d{1,2})([./-])(\d{1,2})\2(\d{4})")
_LONGEST_CODE = 10
_MOST_NAMED = 12
"""Whole numbers above which they are amounts, whatever the name says."""
_MOST_PLACES = 5000
"""The same of places and trades."""


class Kind(Enum):
    """What values are."""

    NUMBERS = "numbers"
    DATES = "dates"
    CODES = "codes"
    """The first characters mean most: zip codes, classification codes."""
    CATEGORIES = "categories"
    OTHER = "other"
    """Nothing that can be generalized: lists, bytes."""

    @staticmethod
    def of(domain: Domain | None) -> Kind:
        """By the domain alone; None stands for numbers that fit no grid."""
        match domain:
            case Dates():
                return Kind.DATES
            case Categorical():
                return Kind.CATEGORIES
            case Grid() | None:
                return Kind.NUMBERS


def kind_of(name: str, values: Sequence[str]) -> tuple[Kind, Domain | None]:
    """What all the values of a column are, and the domain that holds them; None if the engine has none for such values.

    Numbers with too many decimals and dates written otherwise than 2024-12-31 have none: they are kept as text, and a
    hierarchy file can still say which interval or month each one falls in.
    """
    if not values:
        return Kind.CATEGORIES, Categorical((), origin=Origin.OBSERVED)
    if _are_codes(name, values):
        return Kind.CODES, Categorical(tuple(sorted(values)), origin=Origin.OBSERVED)
    domain = domain_of(values)
    if isinstance(domain, Grid) and _name_things(name, domain, values):
        return Kind.CATEGORIES, Categorical(tuple(sorted(values, key=Decimal)), origin=Origin.OBSERVED)
    if isinstance(domain, Grid):
        return Kind.NUMBERS, holdable(_coarsest(domain, values))
    if isinstance(domain, Categorical) and (numbers_otherwise(values) or days_otherwise(values)):
        return (Kind.NUMBERS if numbers_otherwise(values) else Kind.DATES), None
    return Kind.of(domain), domain


def _name_things(name: str, domain: Grid, values: Sequence[str]) -> bool:
    """Few small whole numbers under a name such as type or status: answers and not amounts, in no order."""
    if not domain.is_whole or domain.lower < 0 or len(values) < 3:
        return False
    is_small = len(values) <= _MOST_NAMED and domain.lower + domain.steps * domain.step < 100 * 10**domain.decimals
    return (is_small and is_nominal_name(name)) or (len(values) <= _MOST_PLACES and is_place_name(name))


def _are_codes(name: str, values: Sequence[str]) -> bool:
    """Digits with leading zeros, or short texts under a name such as zip."""
    if all(map(_DIGITS.fullmatch, values)) and any(not NUMBER.fullmatch(value) for value in values):
        return True
    lengths = {len(value) for value in values}
    is_short = max(lengths) <= _LONGEST_CODE and min(lengths) >= 2
    same = len(lengths) == 1 or not all(map(NUMBER.fullmatch, values))
    return is_code_name(name) and is_short and same and all(any(map(str.isdigit, value)) for value in values)


def _coarsest(domain: Grid, values: Sequence[str]) -> Grid:
    """The same numbers in the largest steps from 0 that meet all of them."""
    if not domain.steps:
        return domain
    step = gcd(*(int(Decimal(value.strip()).scaleb(domain.decimals)) for value in values))
    return replace(domain, step=step, steps=domain.steps * domain.step // step)


def holdable(domain: Domain | None) -> Domain | None:
    """The domain, unless its numbers have more digits than a release file and the engine hold exactly."""
    if not isinstance(domain, Grid):
        return domain
    written = [*domain.labels([0, domain.steps]), domain.number(domain.step)]
    is_exact = all(Decimal(str(float(number))) == Decimal(number) for number in written)
    largest = max(abs(domain.lower), abs(domain.lower + domain.steps * domain.step))
    return domain if is_exact and largest < 2**53 else None


def numbers_otherwise(values: Sequence[str]) -> list[Decimal] | None:
    """The numbers behind texts such as 1e-3 or 3,14; None if not all are such."""
    texts = [value.strip() for value in values]
    if all(map(_DECIMAL_COMMA.fullmatch, texts)) and any(len(text.split(",")[1]) != 3 for text in texts):
        texts = [text.replace(",", ".") for text in texts]
    return [Decimal(text) for text in texts] if all(map(_NUMBER_OTHERWISE.fullmatch, texts)) else None


def days_otherwise(values: Sequence[str]) -> list[tuple[str, ...]] | None:
    """Month and year of texts such as 31.12.2024, 12/31/2024 or 2024-12-31 23:59 (day too); None if not all are such.

    Whether the day or the month comes first shows in a number above 12; while it does not, only the year is taken.
    """
    if all(map(_DAY_TIME.fullmatch, values)):
        return [(value[:10], value[:7], value[:4]) for value in values]
    found = [_DAY_OTHERWISE.fullmatch(value) for value in values]
    parts = [(int(match[1]), int(match[3]), int(match[4])) for match in found if match]
    if len(parts) < len(values):
        return None
    for day, month in ((0, 1), (1, 0)):
        dates = [_date(part[2], part[month], part[day]) for part in parts]
        if all(dates) and any(part[day] > 12 for part in parts):
            return [(f"{date:%Y-%m}", f"{date.year:04}") for date in dates if date]
    return [(f"{part[2]:04}",) for part in parts]


def _date(year: int, month: int, day: int) -> dt.date | None:
    try:
        return dt.date(year, month, day)
    except ValueError:
        return None
