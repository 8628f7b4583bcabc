"""How the values of a column could become coarser: a first proposal for the owner to refine."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from decimal import ROUND_FLOOR, Decimal
from math import ceil, sqrt

from shoal.data.attribute import NUMBER, Attribute
from shoal.data.domain import Categorical, Dates, Grid
from shoal.data.hierarchies.build import Balanced, Flat, Recipe
from shoal.data.hierarchies.hierarchy import ANY
from shoal.data.hierarchies.paths import Paths, Prefixes
from shoal.data.schema import Role
from shoal.errors import HierarchyError
from shoal.survey.guesses.known_lists import Fit, fitting_list
from shoal.survey.kinds import Kind, days_otherwise, numbers_otherwise
from shoal.survey.looks import Look
from shoal.survey.names import vocabulary as known
from shoal.survey.names.words import words

Rows = tuple[tuple[str, ...], ...]

_MANY_VALUES = 10
"""Categories above which a middle level is proposed."""
_REST, _STRANGE = "other", "not on the list"
_WIDE_AGES = 30
"""Years between the youngest and the oldest above which bands of 5, 10 and 20 years fit."""
_SCALES = (
    ("none", "minimal", "mild", "moderate", "severe", "extreme"),
    ("very low", "low", "medium", "moderate", "mid", "middle", "high", "very high"),
    ("never", "rarely", "seldom", "sometimes", "often", "usually", "always"),
    ("poor", "fair", "average", "good", "very good", "excellent"),
    ("strongly disagree", "disagree", "neutral", "agree", "strongly agree"),
    ("xs", "s", "m", "l", "xl", "xxl"), ("small", "medium", "large"), ("young", "middle-aged", "old"),
    ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"),
    ("january", "february", "march", "april", "may", "june", "july", "august", "september", "october", "november",
     "december"),
    ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"),
    ("mon", "tue", "wed", "thu", "fri", "sat", "sun"),
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Levels:
    """A hierarchy as it is written: a value in the release file, or rows of a CSV file.

    Attributes:
        why: What it does, for the comment.
        height: Its highest level.
        inline: The value in the release file, if it needs no file.
        rows: The rows of its file.
        values: The values in their order, where the release file must list them.
        is_declared: Whether it is a public list, whose values are the domain.
        is_by_frequency: Whether its groups follow from how often values occur.
    """

    why: str
    height: int
    inline: str = ""
    rows: Rows = ()
    values: tuple[str, ...] | None = None
    is_declared: bool = False
    is_by_frequency: bool = False


def propose_levels(look: Look) -> Levels:
    """A hierarchy for a column by what its values are: a public list that they are on, or a proposal."""
    fit = fitting_list(look) if look.role is Role.QUASI_IDENTIFIER and look.is_complete else None
    if fit is not None:
        return _listed(fit, look.values)
    if _is_age(look):
        why = "a public hierarchy: bands of 5, 10 and 20 years; it declares the ages from 0 to 120, too"
        return Levels(why, 4, '{ standard = "age" }', is_declared=True)
    match look.domain:
        case Grid() as grid:
            return _intervals(grid)
        case Dates() as dates:
            return _calendar(dates)
        case _:
            values = look.values
    if not values:
        return Levels("keep or hide; there is no value yet", 1, "{ flat = true }", values=())
    if look.kind is Kind.CODES:
        rows, why = _prefixes(values), "each code and its first characters"
    elif look.kind is Kind.DATES:
        rows, why = _periods(values), "each date, month and year; better write dates as 2024-12-31 in the data"
    elif look.kind is Kind.NUMBERS:
        rows, why = _wide_intervals(values), "each number and its interval; better round the numbers in the data"
    else:
        return _groups(look)
    return _written(rows, why)


def _listed(fit: Fit, values: Sequence[str]) -> Levels:
    """A public list by its name, or, where some values are not on it, those of the table in a file."""
    if not fit.unknown:
        said = [f'standard = "{fit.standard.standard}"']
        said += [f'level = "{fit.standard.level}"'] * (fit.standard.level is not None)
        said += ["dots = false"] * (not fit.standard.dots)
        why = f"a public list: {fit.title}; it declares the values, too. Is it the right one?"
        return Levels(why, len(fit.table.names), f"{{ {', '.join(said)} }}", is_declared=True)
    unknown = set(fit.unknown)
    rows = fit.table.rows(sorted(fit.table.places[value] for value in values if value not in unknown))
    strange = tuple((value, *[_STRANGE] * (len(rows[0]) - 2), ANY) for value in sorted(unknown))
    return _written((*rows, *strange), f"a public list: {fit.title}; {len(unknown):,} of the values are not on it")


def _is_age(look: Look) -> bool:
    """Whole years of people of all ages."""
    domain = look.domain
    if not isinstance(domain, Grid) or not domain.is_whole or look.role is not Role.QUASI_IDENTIFIER:
        return False
    youngest, oldest = (float(age) for age in domain.labels([0, domain.steps]))
    is_whole_life = youngest >= 0 and oldest <= 120 and oldest - youngest >= _WIDE_AGES
    parts = set(words(look.name))
    return is_whole_life and bool(parts & known.AGES) and parts <= known.AGES | known.BESIDE_AGE


def _intervals(grid: Grid) -> Levels:
    """Up to three widths, each twice the one before, the finest making at most 30 intervals of whole steps."""
    count = grid.steps + 1
    if count <= 3:
        return Levels("keep or hide", 1, "{ flat = true }")
    finest = 2 if count <= 12 else max(int(round_width(Decimal(count) / 30)), 5)
    widths = [grid.number(grid.step * finest * m) for m in (1, 2, 4) if 2 * finest * m <= count or m == 1]
    return Levels(
        "widths of the intervals, finest first; each a multiple of the one before",
        len(widths) + 1,
        f"{{ intervals = [{', '.join(widths)}] }}",
    )


def _calendar(dates: Dates) -> Levels:
    years = dates.days / 365.25
    units = ["month"] * (dates.days > 31) + ["quarter"] * (0.5 < years <= 4) + ["year"] * (years > 1)
    units += ["decade"] * (years > 20)
    if not units:
        return Levels("keep or hide", 1, "{ flat = true }")
    quoted = ", ".join(f'"{unit}"' for unit in units)
    return Levels("day, then these, then hidden", len(units) + 1, f"{{ dates = [{quoted}] }}")


def _prefixes(values: Sequence[str]) -> Rows:
    """The numbers of first characters that make a difference."""
    keep, groups = [], len(values)
    for length in range(max(map(len, values)) - 1, 0, -1):
        now = len({value[:length] for value in values})
        if 1 < now < groups:
            keep.append(length)
            groups = now
    return _rows(Prefixes(tuple(keep)) if keep else Flat(), Categorical(tuple(sorted(values))))


def _periods(values: Sequence[str]) -> Rows:
    parts = days_otherwise(values)
    assert parts is not None  # that is what made them dates
    rows = ((value, *part, ANY) for value, part in zip(values, parts, strict=True))
    return tuple(sorted(rows, key=lambda row: row[::-1]))


def _wide_intervals(values: Sequence[str]) -> Rows:
    numbers = numbers_otherwise(values)
    assert numbers is not None  # that is what made them numbers
    width = round_width((max(numbers) - min(numbers)) / 30)
    rows = []
    for number, value in sorted(zip(numbers, values, strict=True)):
        bins = int((number / width).to_integral_value(ROUND_FLOOR))
        rows.append((value, *(_interval(bins // m, width * m) for m in (1, 2, 4)), ANY))
    return tuple(rows)


def _groups(look: Look) -> Levels:
    """Neighbors joined where values have an order; else the rare ones, and the frequent stay by themselves."""
    values = look.values
    are_numbers = all(map(NUMBER.fullmatch, values))  # that name things, or else they would be no categories
    ordered = None if are_numbers else evident_order(values)
    is_quasi = look.role is Role.QUASI_IDENTIFIER
    domain = Categorical(tuple(ordered or sorted(values)), ordered=True)
    if is_quasi and ordered and len(values) > 3:
        joined = _rows(Balanced(fanout=ceil(sqrt(len(values)))), domain)
        return _written(joined, "the middle level joins neighbors in their order")
    if is_quasi and len(values) > _MANY_VALUES:
        return _by_frequency(look)
    if are_numbers:
        named = tuple(sorted(values, key=Decimal))
        return Levels("keep or hide: numbers that name things, in no order", 1, "{ flat = true }", values=named)
    if is_quasi and len({value.casefold() for value in values}) < len(values):
        return _written(_same_words(values), "the middle level joins what differs in upper and lower case only")
    return _written(_rows(Flat(), domain), "keep or hide; add columns in between to group values")


def _same_words(values: Sequence[str]) -> Rows:
    """The middle level joins values that differ in upper and lower case only, which somebody typed."""
    spelled: dict[str, list[str]] = {}
    for value in sorted(values, key=lambda value: (value.casefold(), value)):
        spelled.setdefault(value.casefold(), []).append(value)
    names = (same[0] if len(same) == 1 else _unused(" / ".join(same), values) for same in spelled.values())
    return tuple((value, name, ANY) for name, same in zip(names, spelled.values(), strict=True) for value in same)


def _unused(name: str, values: Sequence[str]) -> str:
    """A name for a group that is no value, in parentheses if need be."""
    while name in values:
        name = f"({name})"
    return name


def _by_frequency(look: Look) -> Levels:
    """The middle level keeps what is frequent and joins the rest, so that few records lose much."""
    often = sorted(zip(look.times, look.values, strict=True), key=lambda pair: (-pair[0], pair[1]))
    kept = max(2, round(sqrt(len(often))))
    frequent, rare = sorted(value for _, value in often[:kept]), sorted(value for _, value in often[kept:])
    name = _unused(_REST, look.values)
    rows = [(value, value, ANY) for value in frequent] + [(value, name, ANY) for value in rare]
    share = sum(times for times, _ in often[:kept]) / max(sum(look.times), 1)
    why = f"the middle level keeps the {kept} most frequent values ({share:.0%} of the records) and joins the others"
    levels = _written(tuple(rows), f"{why}: group them better if you can")
    return replace(levels, is_by_frequency=levels.height > 1)


def evident_order(values: Sequence[str]) -> list[str] | None:
    """The values in the order they plainly have: by the first number in each, or along a well-known scale."""
    firsts = {value: re.search(r"\d+(\.\d+)?", value) for value in values}
    if values and all(firsts.values()):
        at = {value: Decimal(match[0]) for value, match in firsts.items() if match}
        if len(set(at.values())) == len(at):
            return sorted(values, key=lambda value: at[value])
    plain = {value: value.strip().casefold() for value in values}
    for scale in _SCALES:
        if len(values) > 2 and set(plain.values()) <= set(scale):
            return sorted(values, key=lambda value: scale.index(plain[value]))
    return None


def round_width(at_least: Decimal) -> Decimal:
    """The smallest of 1, 5, 10, 50, 100, … (or 0.5, 0.1, …) that is large enough."""
    if at_least <= 0:
        return Decimal(1)
    power = Decimal(1).scaleb(at_least.adjusted())
    return next(m * power for m in (1, 5, 10) if m * power >= at_least)


def _interval(number: int, width: Decimal) -> str:
    low, high = (f"{end.normalize():f}" if end else "0" for end in (number * width, (number + 1) * width))
    return f"[{low}, {high})"


def _rows(recipe: Recipe, domain: Categorical) -> Rows:
    """A recipe's hierarchy written out, a row per value."""
    domain_in_order, hierarchy = recipe.build(domain, "")
    attribute = Attribute("", Role.QUASI_IDENTIFIER, domain_in_order, hierarchy)
    return tuple(zip(*(attribute.labels(nodes) for nodes in hierarchy.up), strict=True))


def _written(rows: Rows, why: str) -> Levels:
    """Levels that join something, in a file if a file can hold the values as they are, else in the release file."""
    columns = list(zip(*rows, strict=True))
    kept = [columns[0]]
    for column in columns[1:-1]:
        if 1 < len(set(column)) < len(set(kept[-1])):
            kept.append(column)
    rows = tuple(zip(*kept, columns[-1], strict=True))
    values = tuple(row[0] for row in rows)
    if all(value == value.strip() and value.isprintable() for value in values):
        try:
            Paths(rows)
        except HierarchyError:  # a value that reads like the label of a group
            rows = tuple((value, ANY) for value in values)
        return Levels(why, len(rows[0]) - 1, rows=rows)
    return Levels(
        "keep or hide; the values have spaces or line breaks that a file would lose",
        1,
        "{ flat = true }",
        values=values,
    )
