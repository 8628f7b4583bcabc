"""Recipes that make a hierarchy for a domain: along an order (intervals, dates, balanced trees) or flat.

A recipe is declared without the data and built once the domain is known; `build` returns the domain too, for a
hierarchy over named values decides in which order they are coded (`hierarchy_paths`).
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Protocol, runtime_checkable

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


@dataclass(frozen=True, slots=True)
class Intervals:
    """Numbers to intervals, each level's width a multiple of the one before."""

    widths: tuple[Decimal, ...]
    origin: Decimal = Decimal(0)

    def __post_init__(self) -> None:
        read_parameters(self)
        if not self.widths or any(width <= 0 for width in self.widths):
            raise HierarchyError("intervals need at least one width, and widths above 0.")
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
        levels, labels = [], []
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
            lows = (bins[starts] * int(scaled_width) + int(scaled_origin)).tolist()
            levels.append(bins - bins[0])
            labels.append([_interval(domain, low, int(scaled_width)) for low in lows])
        return domain, _ordered(domain, levels, labels)


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
        return domain, _ordered(domain, levels, labels)


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
        return domain, _ordered(domain, levels, labels)


def _ordered(domain: Domain, levels: Sequence[NDArray[np.int64]], labels: Sequence[list[str]]) -> Hierarchy:
    """Levels over the present values; a missing value stays itself until everything is `*`."""
    if domain.missing is not None:
        levels = [np.append(groups, groups[-1] + 1) for groups in levels]
        labels = [[*names, *domain.labels([domain.missing])] for names in labels]
    top = np.zeros(domain.size, dtype=np.int64)
    return Hierarchy.from_levels(domain.size, [*levels, top], [*labels, [ANY]], _leaf_label(domain))


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
