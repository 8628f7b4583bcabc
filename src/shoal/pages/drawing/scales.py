"""Values to places, and the round values worth writing beside them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from math import ceil, floor, isfinite, log10

_LARGEST = 1e300
"""Values beyond it are drawn at the edge, so that no difference of two values overflows."""
_SMALLEST = 1e-280
"""Values closer to zero are drawn at zero: a tenth of their difference would be no number."""
_ROUND = (1, 2, 5)


@dataclass(frozen=True, slots=True)
class Scale:
    """Where values from `low` to `high` stand between two places; what lies beyond stands at the edge.

    Attributes:
        low: The value at the first place.
        high: The value at the last place, larger.
        first: A place in pixels.
        last: Another one; smaller than the first on an axis that points upwards.
        logarithmic: Whether equal ratios take equal room; both values are then positive.
    """

    low: float
    high: float
    first: float
    last: float
    logarithmic: bool = False

    def __call__(self, value: float) -> float:
        """The place of a value."""
        inside = min(max(value, self.low), self.high)
        if self.logarithmic:
            share = (log10(inside) - log10(self.low)) / (log10(self.high) - log10(self.low))
        else:
            share = (inside - self.low) / (self.high - self.low)
        return self.first + share * (self.last - self.first)


def finite(values: Iterable[float]) -> list[float]:
    """The numbers among values, none too large or too close to zero to be drawn."""
    numbers = (float(value) for value in values if isfinite(value))
    return [0.0 if abs(number) < _SMALLEST else min(max(number, -_LARGEST), _LARGEST) for number in numbers]


def round_ticks(values: Iterable[float], most: int) -> list[float]:
    """Round values at equal distances, at most so many (but two), the first and the last around all values.

    A billionth of their distance does not count: it cannot be seen, and comes from rounding.

    >>> round_ticks([0.13, 0.48], 5)
    [0.1, 0.2, 0.3, 0.4, 0.5]
    >>> round_ticks([7], 4)
    [6.5, 7.0, 7.5]
    """
    numbers = finite(values) or [0.0, 1.0]
    low, high = min(numbers), max(numbers)
    least = max(abs(low), abs(high)) * 1e-9  # closer than that, ticks could not be told apart
    if high - low <= least:
        apart = abs(low) * 0.1 or 1.0
        low, high = max(low - apart / 2, 0.0) if low >= 0 else low - apart / 2, high + apart / 2
    most = max(most, 2)
    power = floor(log10((high - low) / most))
    for exponent in range(power, power + 4):
        for factor in _ROUND:
            unit = float(f"{factor}e{exponent}")
            start, end = floor(low / unit + 1e-9), ceil(high / unit - 1e-9)
            if end - start + 1 <= most or (most == 2 and end - start <= 2):
                return [_times(i, factor, exponent) for i in range(start, end + 1)]
    return [low, high]


def decade_ticks(values: Iterable[float]) -> tuple[list[float], float, float]:
    """Ticks for a logarithmic axis, the most important first, and the smallest and largest value it is for.

    Powers of ten come first, then fives, then twos; within less than a decade, round values at equal distances. Values
    that are not positive have no place on such an axis.

    >>> decade_ticks([3, 700])
    ([10.0, 100.0, 5.0, 50.0, 500.0, 20.0, 200.0], 3.0, 700.0)
    """
    numbers = [value for value in finite(values) if value > 0] or [1.0]
    low, high = min(numbers), max(numbers)
    if high <= low * (1 + 1e-9):
        low, high = low / 2, high * 2
    lowest, highest = floor(log10(low)), ceil(log10(high))
    if high < 10 * low:
        inside = [tick for tick in round_ticks([low, high], 8) if low <= tick <= high]
        return inside or [low], low, high
    every = max((highest - lowest) // 8, 1)
    powers = [float(f"1e{e}") for e in range(lowest, highest + 1) if e % every == 0]
    between = [float(f"{m}e{e}") for m in (5, 2) for e in range(lowest, highest + 1)] if highest - lowest < 6 else []
    return [tick for tick in (*powers, *between) if low <= tick <= high], low, high


def tick_labels(ticks: Sequence[float], *, percent: bool = False) -> list[str]:
    """Ticks as people write them, with as many digits as tell them apart.

    >>> tick_labels([0.0, 0.25, 0.5], percent=True), tick_labels([0.0, 2500000.0])
    (['0%', '25%', '50%'], ['0', '2.5M'])
    """
    largest = max(map(abs, ticks), default=0.0)
    apart = min((abs(b - a) for a, b in zip(sorted(ticks), sorted(ticks)[1:], strict=False) if a != b), default=largest)
    for digits in range(17):
        labels = [_written(tick, digits, largest, percent=percent) for tick in ticks]
        if all(abs(_value(label) - tick) <= 0.02 * apart for label, tick in zip(labels, ticks, strict=True)):
            return labels
    return [f"{tick:.6g}" for tick in ticks]


_UNITS = {"%": 0.01, "M": 1e6, "B": 1e9}


def _written(tick: float, digits: int, largest: float, *, percent: bool) -> str:
    """One label; zero has no sign and no unit but that of per cents."""
    if percent and largest < 1e4:
        return f"{tick * 100:,.{digits}f}%".replace("-0%", "0%")
    if tick == 0:
        return "0"
    if largest >= 1e12 or largest < 1e-4:
        return f"{tick:.{digits}e}".replace("e+", "e")
    unit = "B" if largest >= 1e9 else "M" if largest >= 1e6 else ""
    return f"{tick / _UNITS.get(unit, 1):,.{digits}f}{unit}"


def _value(label: str) -> float:
    unit = _UNITS.get(label[-1], 1.0)
    return float(label.rstrip("%MB").replace(",", "")) * unit


def _times(count: int, factor: int, exponent: int) -> float:
    """A multiple of a round number, rounded once."""
    return float(f"{count * factor}e{exponent}")
