"""Ready-made hierarchies that follow from what values are: ages, years, days, and codes built from the left."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from decimal import Decimal
from functools import cache

import numpy as np

from shoal.data.domain import Categorical, Domain, Grid
from shoal.data.hierarchies.build import DateLevels, Intervals, Recipe
from shoal.data.hierarchies.hierarchy import ANY, Hierarchy
from shoal.data.hierarchies.paths import Prefixes
from shoal.data.hierarchies.standards.code_table import CodeTable
from shoal.errors import HierarchyError

_OLDEST = 120
_TOGETHER = 90
"""From this age on everybody is in one band: the limit of HIPAA's safe harbor, 45 CFR 164.514(b)(2)(i)(C)."""


@dataclass(frozen=True, slots=True)
class AgeBands:
    """Ages to bands of 5, 10 and 20 years, those of 90 and more together."""

    def leaves(self) -> Grid:
        """Every age there is, in years."""
        return Grid.between(0, _OLDEST)

    def build(self, domain: Domain, column: str) -> tuple[Domain, Hierarchy]:
        """Three levels of bands, then `*`."""
        if not isinstance(domain, Grid) or domain.lower < 0:
            raise HierarchyError(f"column {column!r}: ages are numbers from 0 on; declare the domain as from and to.")
        ages = domain.scaled(np.arange(domain.steps + 1, dtype=np.int64)) // 10**domain.decimals
        levels, labels = [], []
        for width in (5, 10, 20):
            bands = np.minimum(ages // width, _TOGETHER // width)
            starts = np.flatnonzero(np.diff(bands, prepend=-1))
            names = [_band(band, width) for band in bands[starts].tolist()]
            groups = np.cumsum(np.diff(bands, prepend=bands[0]) != 0)
            if domain.missing is not None:
                groups, names = np.append(groups, groups[-1] + 1), [*names, *domain.labels([domain.missing])]
            levels.append(groups)
            labels.append(names)
        top = np.zeros(domain.size, dtype=np.int64)
        return domain, Hierarchy.from_levels(
            domain.size, [*levels, top], [*labels, [ANY]], lambda leaf: domain.labels([leaf])[0]
        )


def _band(band: int, width: int) -> str:
    is_last = band == _TOGETHER // width
    return f"{band * width}+" if is_last else f"{band * width}-{band * width + width - 1}"


@dataclass(frozen=True, slots=True)
class ZipCodes:
    """US zip codes to their first three digits, the area of a sorting center, and their first."""

    def leaves(self) -> Categorical:
        """Every code of five digits."""
        return Categorical(_zip_codes().values)

    def build(self, domain: Domain, column: str) -> tuple[Domain, Hierarchy]:
        """`12345`, `123**`, `1****`, `*`."""
        return _zip_codes().build(domain, column, "the list of zip codes")


@cache
def _zip_codes() -> CodeTable:
    codes = np.arange(100_000)
    return CodeTable(
        tuple(f"{code:05d}" for code in codes.tolist()),
        (tuple(f"{area:03d}**" for area in range(1000)), tuple(f"{digit}****" for digit in range(10)), (ANY,)),
        (codes // 100, codes // 10_000, codes * 0),
    )


@dataclass(frozen=True, slots=True)
class Rule:
    """A hierarchy by a rule: what it is, and the recipe that makes it."""

    title: str
    levels: tuple[str, ...]
    make: Callable[[], Recipe]
    source: str
    example: tuple[str, ...]
    """Values with which it can be shown."""
    codes: int | None = None


def _codes(*keep: int) -> Callable[[], Recipe]:
    return lambda: Prefixes(keep)


RULES: dict[str, Rule] = {
    "age": Rule(
        "ages in years, 0 to 120; 90 and more are one band from the first level on",
        ("year", "5 years", "10 years", "20 years"),
        AgeBands,
        "bands as statistical offices use them; 90 and more together as in HIPAA's safe harbor, 45 CFR 164.514(b)(2)",
        ("17", "42", "93"),
        _OLDEST + 1,
    ),
    "year": Rule(
        "years of a calendar; the domain says from when to when",
        ("year", "5 years", "decade", "century"),
        lambda: Intervals((Decimal(5), Decimal(10), Decimal(100))),
        "the calendar",
        ("1987", "1994", "2024"),
    ),
    "date": Rule(
        "days; the domain says from when to when",
        ("day", "month", "quarter", "year", "decade"),
        DateLevels,
        "the calendar",
        ("1987-03-31", "2024-12-24"),
    ),
    "zip": Rule(
        "US zip codes of five digits (90210)",
        ("zip code", "first three digits", "first digit"),
        ZipCodes,
        "how zip codes are built; the first three digits as in HIPAA's safe harbor, 45 CFR 164.514(b)(2)",
        ("10001", "10027", "90210"),
        100_000,
    ),
    "atc": Rule(
        "medicines, ATC (A10BA02); the domain lists your codes",
        ("substance", "chemical subgroup", "pharmacological subgroup", "therapeutic group", "anatomical group"),
        _codes(5, 4, 3, 1),
        "how the codes are built",
        ("A10BA02", "A10BB01", "C07AB02"),
    ),
    "isco08": Rule(
        "occupations, ISCO-08 (2211); the domain lists your codes",
        ("unit group", "minor group", "sub-major group", "major group"),
        _codes(3, 2, 1),
        "how the codes are built",
        ("2211", "2221", "5223"),
    ),
    "nuts": Rule(
        "European regions, NUTS (DE212); the domain lists your codes",
        ("NUTS 3", "NUTS 2", "NUTS 1", "country"),
        _codes(4, 3, 2),
        "how the codes are built",
        ("DE212", "DE211", "FR101"),
    ),
    "soc2018": Rule(
        "US occupations, SOC 2018 (29-1141); the domain lists your codes",
        ("occupation", "broad group", "minor group", "major group"),
        _codes(6, 4, 2),
        "how the codes are built",
        ("29-1141", "29-1171", "53-3032"),
    ),
}
