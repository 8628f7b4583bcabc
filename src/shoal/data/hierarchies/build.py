"""Recipes that make a hierarchy for a domain: along an order (intervals, dates, balanced trees) or flat.

A recipe is declared without the data and built once the domain is known; `build` returns the domain too, for a
hierarchy over named values decides in which order they are coded (`hierarchy_paths`).
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from decimal import Decimal
from functools import cached_property
from typing import Any, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from shoal.data.domain import Categorical, Dates, Domain, Grid
from shoal.data.hierarchies.hierarchy import ANY, Hierarchy
from shoal.errors import HierarchyError, listed
from shoal.parameters import read_parameters


@runtime_checkable
class Recipe(Protocol):
    """How to make a hierarchy."""

    def leaves(self) -> Domain | None:
        """The domain the recipe itself declares, if it names its values."""
        ...

    def build(self, domain: Domain, column: str) -> tuple[Domain, Hierarchy]:
        """The hierarchy over `domain`, and the domain in the order of its leaves; `column` is for messages."""
        ...


@dataclass(frozen=True, slots=True)
class Flat:
    """Keep a value or hide it."""

    def leaves(self) -> None:
        """It fits any domain."""
        return

    def build(self, domain: Domain, column: str) -> tuple[Domain, Hierarchy]:
        """One level: everything is `*`."""
        del column
        return domain, Hierarchy.from_levels(
            domain.size, [np.zeros(domain.size, dtype=np.int64)], [[ANY]], _leaf_label(domain)
        )


_DIGITS = 18


@dataclass(frozen=True, slots=True)
class Intervals:
    """Numbers to intervals, each level's width a multiple of the one before."""

    widths: tuple[Decimal, ...]
    origin: Decimal = Decimal(0)

    def __post_init__(self) -> None:
        read_parameters(self)
        if not self.widths or any(width <= 0 for width in self.widths):
            raise HierarchyError("intervals need at least one width, and widths above 0.")
        if any(abs(number.adjusted()) > _DIGITS for number in (*self.widths, self.origin)):
            raise HierarchyError(
                f"widths and origin of intervals have at most {_DIGITS} digits before their point, and behind it."
            )
        for narrow, wide in zip(self.widths, self.widths[1:], strict=False):
            if wide <= narrow or wide % narrow:
                raise HierarchyError(
                    f"intervals of width {wide} do not nest in intervals of width {narrow}; "
                    "make each width a multiple of the one before, such as 5, 10, 20."
                )

    def leaves(self) -> None:
        """It fits any numeric domain."""
        return

    def build(self, domain: Domain, column: str) -> tuple[Domain, Hierarchy]:
        """A level per width, then `*`."""
        if not isinstance(domain, Grid):
            raise HierarchyError(f"column {column!r}: intervals need numbers; declare the domain as from, to and step.")
        scale = 10**domain.decimals
        numbers = domain.scaled(np.arange(domain.steps + 1, dtype=np.int64))
        levels: list[NDArray[np.int64]] = []
        labels: list[Sequence[str]] = []
        for width in self.widths:
            scaled_width, scaled_origin = width * scale, self.origin * scale
            if max(scaled_width, abs(scaled_origin)) >= 10**18:
                raise HierarchyError(f"column {column!r}: intervals of width {width} are wider than any number can be.")
            if scaled_width % domain.step or scaled_origin % 1:
                raise HierarchyError(
                    f"column {column!r}: intervals of width {width} do not fit numbers in steps of "
                    f"{domain.number(domain.step)}; use a multiple of the step."
                )
            bins = (numbers - int(scaled_origin)) // int(scaled_width)
            starts = np.flatnonzero(np.diff(bins, prepend=bins[0] - 1))
            lows = bins[starts] * int(scaled_width) + int(scaled_origin)
            levels.append(bins - bins[0])
            labels.append(_IntervalLabels(domain, lows, int(scaled_width)))
        return domain, ordered_levels(domain, levels, labels)


@dataclass(frozen=True, slots=True)
class DateLevels:
    """Days to months, quarters, years, decades: any of them, finest first."""

    units: tuple[str, ...] = ("month", "quarter", "year", "decade")

    def __post_init__(self) -> None:
        read_parameters(self)
        known = ("month", "quarter", "year", "decade")
        unknown = [unit for unit in self.units if unit not in known]
        if unknown or not self.units or list(self.units) != sorted(set(self.units), key=known.index):
            raise HierarchyError(f"dates become {', '.join(known)}, in this order; got {listed(self.units, 9)}.")

    def leaves(self) -> None:
        """It fits any domain of dates."""
        return

    def build(self, domain: Domain, column: str) -> tuple[Domain, Hierarchy]:
        """A level per unit, then `*`."""
        if not isinstance(domain, Dates):
            raise HierarchyError(f"column {column!r}: a hierarchy of dates needs a domain of dates, from and to.")
        days = [domain.first + dt.timedelta(days=i) for i in range(domain.days)]
        levels, labels = [], []
        for unit in self.units:
            names = [_period(day, unit) for day in days]
            groups = np.cumsum([i > 0 and names[i] != names[i - 1] for i in range(len(names))])
            levels.append(groups)
            labels.append(list(dict.fromkeys(names)))
        return domain, ordered_levels(domain, levels, labels)


@dataclass(frozen=True, slots=True)
class Balanced:
    """Neighbors joined `fanout` at a time until one node is left.

    With values in alphabetical order and fanout 5 this is the automatic tree of NSVDist §5.2: height ⌈log₅ |S|⌉, at
    most five children a node.
    """

    values: tuple[str, ...] | None = None
    fanout: int = 5

    def __post_init__(self) -> None:
        read_parameters(self)
        if self.fanout < 2:
            raise HierarchyError(f"a balanced tree needs a fanout of 2 or more; got {self.fanout}.")

    def leaves(self) -> Categorical | None:
        """The values in their order, if it names them."""
        return None if self.values is None else Categorical(self.values, ordered=True)

    def build(self, domain: Domain, column: str) -> tuple[Domain, Hierarchy]:
        """Levels of fanout, fanout², … leaves."""
        del column
        if isinstance(domain, Categorical):  # a missing value is nobody's neighbor: it comes last
            values, missing, ordered = domain.values, domain.missing, domain.ordered
            rank = {value: i for i, value in enumerate(values if ordered else sorted(values))}
            domain = domain.reordered(sorted(range(domain.size), key=lambda i: (i == missing, rank[values[i]])))
        present = domain.size - (domain.missing is not None)
        ends = domain.labels
        levels: list[NDArray[np.int64]] = []
        labels: list[list[str]] = []
        width = self.fanout
        while width < present:
            levels.append(np.arange(present) // width)
            lows = range(0, present, width)
            labels.append([_between(*ends([low, min(low + width, present) - 1])) for low in lows])
            width *= self.fanout
        return domain, ordered_levels(domain, levels, labels)


def ordered_levels(domain: Domain, levels: Sequence[NDArray[np.int64]], labels: Sequence[Sequence[str]]) -> Hierarchy:
    """Levels over the present values; a missing value stays itself until everything is `*`."""
    if domain.missing is not None:
        levels = [np.append(groups, groups[-1] + 1) for groups in levels]
        labels = [_AndMissing(names, domain.labels([domain.missing])[0]) for names in labels]
    top = np.zeros(domain.size, dtype=np.int64)
    return Hierarchy.from_levels(domain.size, [*levels, top], [*labels, [ANY]], _leaf_label(domain))


@dataclass(frozen=True, slots=True, eq=False)
class _IntervalLabels(Sequence[str]):
    """The labels of intervals of one width, each written when it is asked for."""

    domain: Grid
    lows: NDArray[np.int64]
    width: int

    def __len__(self) -> int:
        return len(self.lows)

    def __getitem__(self, at: Any) -> Any:
        return _interval(self.domain, int(self.lows[at]), self.width)


@dataclass(frozen=True, slots=True, eq=False)
class _AndMissing(Sequence[str]):
    """Labels of a level, and last that of the missing value."""

    names: Sequence[str]
    missing: str

    def __len__(self) -> int:
        return len(self.names) + 1

    def __getitem__(self, at: Any) -> Any:
        return self.missing if at == len(self.names) else self.names[at]


def _leaf_label(domain: Domain) -> Callable[[int], str]:
    return lambda leaf: domain.labels([leaf])[0]


def _interval(domain: Grid, low: int, width: int) -> str:
    """`20-24` for whole numbers, `[1.5, 2)` or `[-5, -1]` where a hyphen would confuse."""
    high = low + width - 1
    if domain.decimals:
        return f"[{domain.number(low)}, {domain.number(low + width)})"
    return f"{low}-{high}" if low >= 0 else f"[{low}, {high}]"


def _between(low: str, high: str) -> str:
    return low if low == high else f"{low} to {high}"


def _period(day: dt.date, unit: str) -> str:
    match unit:
        case "month":
            return f"{day:%Y-%m}"
        case "quarter":
            return f"{day.year}-Q{(day.month + 2) // 3}"
        case "year":
            return f"{day.year}"
        case _:
            return f"{day.year // 10 * 10}s"


def default_recipe(domain: Domain) -> Recipe:
    """What a careful expert would choose when the owner says nothing: round intervals, calendar units, or hide."""
    match domain:
        case Grid():
            return round_intervals(domain)
        case Dates():
            return DateLevels()
        case Categorical():
            return Balanced(fanout=2) if domain.ordered else Flat()


def round_intervals(domain: Grid) -> Intervals | Flat:
    """Intervals of 5, 10, 20, 100, 200, 1000, … steps, as many as leave at least two intervals."""
    step = Decimal(domain.step).scaleb(-domain.decimals)
    multiples = (5, 10, 20, 100, 200, 1000, 10_000, 100_000, 1_000_000)
    widths = [step * multiple for multiple in multiples if multiple * 2 <= domain.steps + 1]
    return Intervals(tuple(widths)) if widths else Flat()


def has_usual_order(domain: Domain) -> bool:
    """Whether the usual hierarchy leaves the values in the order that they have."""
    return domain.ordered and (domain.missing is None or domain.missing == domain.size - 1)


@dataclass(frozen=True, eq=False)
class UsualHierarchy:
    """What a careful expert would choose for values in an order, built when it is first asked for."""

    domain: Domain

    @cached_property
    def hierarchy(self) -> Hierarchy:
        """The hierarchy; it leaves the order of the domain as it is."""
        return default_recipe(self.domain).build(self.domain, "")[1]
