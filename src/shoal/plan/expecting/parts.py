"""expected_parts(): what a private method will leave of a table, and how much noise it will add, from what is public.

No record is looked at: it follows from the parameters and the declared domains, and where a promise takes the number
of records for public, from that number, too.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import singledispatch
from math import ceil, exp, lgamma, log, sqrt
from typing import Any

from shoal.data.domain import Dates, Grid
from shoal.data.schema import Schema
from shoal.methods import PRAM, DiffGen, KEpsilon, Marginals, MicroaggregationDP, SafePub
from shoal.methods.base import Mode
from shoal.methods.diffgen import Show

_GROUPS = (0.75, 0.9, 1.0, 1.1, 1.25, 1.5)
"""Sizes of groups that are told of, as shares of the size that is published every other time."""


@dataclass(frozen=True, slots=True)
class Survival:
    """What becomes of records that look alike: the chance that some are published, and how many are expected to be."""

    records: int
    chance: float
    published: float


@dataclass(frozen=True, slots=True)
class Noise:
    """The standard deviation of the noise on a number of a column, or on counts where there is no column."""

    column: str | None
    deviation: float
    width: float | None = None
    """From the smallest to the largest value of the column."""


@dataclass(frozen=True, slots=True)
class Kept:
    """The chance that a value of a column is published as it was."""

    column: str
    chance: float


@singledispatch
def expected_parts(method: Any, schema: Schema, records: int | None = None) -> tuple[Survival | Noise | Kept, ...]:
    """What to expect of a method; nothing is known of one that is not private.

    >>> from shoal.data.schema import Schema
    >>> from shoal.methods import SafePub
    >>> [round(one.chance, 2) for one in expected_parts(SafePub(epsilon=1, delta=1e-5), Schema(()))]
    [0.0, 0.18, 0.6, 0.88, 0.99, 1.0]
    """
    del method, schema, records
    return ()


@expected_parts.register
def _(method: SafePub, schema: Schema, records: int | None = None) -> tuple[Survival | Noise | Kept, ...]:
    del schema, records
    rate, k = float(method.rate), method.k
    sizes = sorted({max(1, ceil(share * k / rate)) for share in _GROUPS})
    return tuple(
        Survival(size, _at_least(k, size, rate), size * rate * _at_least(k - 1, size - 1, rate)) for size in sizes
    )


@expected_parts.register
def _(method: DiffGen, schema: Schema, records: int | None = None) -> tuple[Survival | Noise | Kept, ...]:
    del records
    if method.shows is Show.VALUES:
        return (Noise(None, _deviation(1 / method.precision(len(method.counted(schema))))),)
    scale = method.facts()["scale of the noise on counts, at most"]
    return (Noise(None, _deviation(scale)),)


@expected_parts.register
def _(method: Marginals, schema: Schema, records: int | None = None) -> tuple[Survival | Noise | Kept, ...]:
    del records
    return (Noise(None, _deviation(1 / method.precision(len(method.counted(schema))))),)


@expected_parts.register
def _(method: MicroaggregationDP, schema: Schema, records: int | None = None) -> tuple[Survival | Noise | Kept, ...]:
    if records is None or not isinstance(method.k, int) or method.mode is not Mode.RIGOROUS:
        return ()
    names = method.counted(schema)
    clusters = max(1, records // method.k)
    changed = 1 if len(names) == 1 else clusters
    found = []
    for name, width in _widths(schema, names):
        share = float(method.shares(list(names))[name])
        if method.cost.delta:
            noise = width * sqrt(changed / (2 * share * float(method.rho))) / method.k
        else:
            noise = _deviation(changed * width / (share * float(method.cost.epsilon) * method.k))
        found.append(Noise(name, noise, width))
    return tuple(found)


@expected_parts.register
def _(method: KEpsilon, schema: Schema, records: int | None = None) -> tuple[Survival | Noise | Kept, ...]:
    del records
    if method.cost is None or method.bounds:
        return ()
    for_noise = float(method.cost.epsilon) * (1 - float(method.bounds_share)) / len(method.perturbed)
    widths = _widths(schema, method.perturbed)
    return tuple(Noise(name, _deviation(width / for_noise), width) for name, width in widths)


@expected_parts.register
def _(method: PRAM, schema: Schema, records: int | None = None) -> tuple[Survival | Noise | Kept, ...]:
    del records
    if method.epsilon is None:
        return ()
    odds = exp(float(method.epsilon_of_column))
    domains = {name: schema[name].domain or _leaves(schema, name) for name in method.perturbed}
    return tuple(Kept(name, odds / (odds + domain.size - 1)) for name, domain in domains.items() if domain is not None)


def _leaves(schema: Schema, name: str) -> Any:
    recipe = schema[name].hierarchy
    return None if recipe is None else recipe.leaves()


def _widths(schema: Schema, names: tuple[str, ...]) -> list[tuple[str, float]]:
    """From the smallest to the largest value, of columns of numbers and days that are declared."""
    found: list[tuple[str, float]] = []
    for name in names:
        match schema[name].domain or _leaves(schema, name):
            case Grid() as grid:
                low, high = (float(end) for end in grid.labels([0, grid.steps]))
                found.append((name, high - low))
            case Dates() as dates:
                found.append((name, float((dates.last - dates.first).days)))
            case _:
                continue
    return found


def _deviation(scale: float) -> float:
    """The standard deviation of Laplace noise."""
    return sqrt(2) * scale


def _at_least(k: int, records: int, rate: float) -> float:
    """The chance that k or more of so many records are drawn."""
    if k <= 0 or rate >= 1:
        return float(records >= k)

    def drawn(i: int) -> float:
        ways = lgamma(records + 1) - lgamma(i + 1) - lgamma(records - i + 1)
        return exp(ways + i * log(rate) + (records - i) * log(1 - rate))

    return max(0.0, 1.0 - sum(map(drawn, range(min(k, records + 1)))))
