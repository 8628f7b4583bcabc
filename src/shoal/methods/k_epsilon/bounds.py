"""Bounds of classes: between which numbers the values of a perturbed column are hidden.

Public bounds are a function of the published k-quasis that the owner declares (KE-R1); estimated ones are chosen
privately, class by class, within the public ones (KE-R2). As published they are the least and the largest value of the
class, which no differential privacy allows (theory KE-1).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from fractions import Fraction
from math import ceil, floor, prod
from typing import TYPE_CHECKING, Any

import numpy as np

from shoal.arrays import Codes, Floats, Mask, Sizes
from shoal.data.shown import Distributions, Numbers, Shown, Spans, TreeNodes, ValueSets
from shoal.dp.accounting.relation import Neighbors
from shoal.dp.mechanisms.selection import ExponentialMechanism
from shoal.errors import ParameterError, SchemaError, listed, nearest
from shoal.parameters import read_parameters

if TYPE_CHECKING:
    from shoal.data.attribute import Attribute
    from shoal.data.domain import Grid
    from shoal.data.encoded import EncodedTable
    from shoal.data.outcome import Outcome
    from shoal.dp.coins.coins import Coins
    from shoal.methods.k_epsilon.records import Records
    from shoal.risk import ClassedNumbers

_MOST_CELLS = 1 << 22
"""Combinations of values by which bounds may differ."""

_WORTH = 8
"""A class has its bounds estimated if it has so many times more records than ranks are off by."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ClassBounds:
    """Public knowledge about a perturbed column: for records of a kind, its values lie between two numbers.

    Values beyond are moved to the nearer bound before the noise. Where several hold for a record, the first one counts;
    where none does, the declared domain. A class gets the smallest bounds that hold for every record it may have.

    Attributes:
        column: The perturbed column.
        lower: The least number.
        upper: The largest number.
        where: For which records: per k-quasi a value, or the name of a group in its hierarchy. For all, if empty.
    """

    column: str
    lower: float
    upper: float
    where: Mapping[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        read_parameters(self)
        if self.lower > self.upper:
            raise ParameterError(
                f"bounds of {self.column!r}, lower and upper, go from the smaller to the larger number; got "
                f"{self.lower} to {self.upper}."
            )

    @staticmethod
    def read(table: Mapping[str, Any]) -> ClassBounds:
        """As a release file says them: `{ column = "height", from = 140, to = 190, where = { sex = "Female" } }`."""
        stray = [key for key in table if key not in ("column", "from", "to", "where")]
        absent = [key for key in ("column", "from", "to") if key not in table]
        if stray or absent:
            raise ParameterError(
                "bounds are tables such as { column = 'height', from = 140, to = 190, where = { sex = 'Female' } }; "
                + (f"{stray[0]!r} is not known there." if stray else f"{absent[0]!r} is missing.")
            )
        where = table.get("where", {})
        if isinstance(where, Mapping):
            where = {str(name): str(value) for name, value in where.items()}
        return ClassBounds(column=table["column"], lower=table["from"], upper=table["to"], where=where)

    def to_dict(self) -> dict[str, Any]:
        """The same, the other way round."""
        return {"column": self.column, "from": self.lower, "to": self.upper, "where": dict(self.where)}

    def codes(self, grid: Grid) -> tuple[int, int]:
        """Both bounds as codes of a grid, rounded outwards, within it."""
        low, high = (Decimal(str(value)).scaleb(grid.decimals) for value in (self.lower, self.upper))
        first = floor((Fraction(low) - grid.lower) / grid.step)
        last = ceil((Fraction(high) - grid.lower) / grid.step)
        if last < 0 or first > grid.steps:
            raise SchemaError(
                f"the bounds {self.lower} to {self.upper} of {self.column!r} lie outside of its declared domain."
            )
        return max(first, 0), min(last, grid.steps)


def widest_bounds(table: EncodedTable, column: str, given: Sequence[ClassBounds]) -> int:
    """How wide the public bounds of a class can be, in steps; refuses bounds that do not fit the declared domains."""
    grid: Any = table[column].domain
    rules = [rule for rule in given if rule.column == column]
    _require_few(column, rules, table)
    for rule in rules:
        for name, label in rule.where.items():
            _leaves(table[name], label)
    codes = [rule.codes(grid) for rule in rules]
    if not any(not rule.where for rule in rules):
        codes.append((0, grid.steps))
    return max(high for _, high in codes) - min(low for low, _ in codes)


def _require_few(column: str, rules: Sequence[ClassBounds], table: EncodedTable) -> None:
    names = list(dict.fromkeys(name for rule in rules for name in rule.where))
    if prod(table[name].domain.size for name in names) > _MOST_CELLS:
        raise SchemaError(
            f"the bounds of {column!r} differ by {listed(names)}, which have too many combinations of values; give "
            "bounds by fewer columns."
        )


def public_bounds(
    table: EncodedTable, column: str, given: Sequence[ClassBounds], decided: Outcome, records: Records
) -> tuple[Sizes, Sizes]:
    """The least and the largest code of a perturbed column for each class, from what is public alone."""
    grid: Any = table[column].domain
    rules = [rule for rule in given if rule.column == column]
    names = list(dict.fromkeys(name for rule in rules for name in rule.where))
    attributes = [table[name] for name in names]
    shape = tuple(attribute.domain.size for attribute in attributes)
    low, high = np.zeros(shape, dtype=np.int64), np.full(shape, grid.steps)
    for rule in reversed(rules):  # the first one that holds counts
        chosen = [_leaves(a, rule.where[a.name]) if a.name in rule.where else slice(None) for a in attributes]
        cells = np.ix_(*(np.arange(size)[leaves] for size, leaves in zip(shape, chosen, strict=True)))
        low[cells], high[cells] = rule.codes(grid)
    member = np.zeros(records.groups, dtype=np.int64)
    member[records.labels] = np.arange(len(records))
    lows, highs = np.empty(records.groups, dtype=np.int64), np.empty(records.groups, dtype=np.int64)
    known: dict[tuple[int, ...], tuple[int, int]] = {}
    for label in range(records.groups):
        codes = tuple(int(records.codes[name][member[label]]) for name in names)
        if codes not in known:
            shown = zip(attributes, codes, strict=True)
            cells = np.ix_(*(np.flatnonzero(_covered(a, decided.shown[a.name], code)) for a, code in shown))
            known[codes] = int(low[cells].min()), int(high[cells].max())
        lows[label], highs[label] = known[codes]
    return lows, highs


def worth_estimating(sizes: Sizes, widths: Sizes, epsilon: Fraction) -> Mask:
    """Which classes are large enough for private bounds; sizes and public bounds are all it looks at."""
    large: Mask = (sizes >= _WORTH * _off_by(widths, epsilon)) & (widths > 0)
    return large


def _off_by(widths: Sizes, epsilon: Fraction) -> Floats:
    """About how many ranks a private quantile is off by: ln(candidates) / η."""
    found: Floats = np.log(widths + 1.0) * 2 / float(epsilon)
    return found


def estimated_bounds(
    values: ClassedNumbers,
    lows: Sizes,
    highs: Sizes,
    *,
    epsilon: Fraction,
    tail: Fraction,
    classes: Mask,
    coins: Coins,
) -> tuple[Sizes, Sizes]:
    """Two private quantiles for some classes, each within the public bounds; the caller has paid.

    The lower bound is r with probability proportional to e^(−η d(r)), d(r) the distance of t to the ranks of r, which
    are #{x < r} to #{x <= r}; the upper one likewise from above. One value moves a rank by 1 at most, up or down, so
    each choice costs ε with η = ε / 2 (theory KE-R2, X-6). Of the m records of a class t = tail · m are to be beyond,
    or as many as ranks are off by, if that is more: aiming nearer to the end would let in the empty stretch beyond it.
    """
    lows, highs = lows.copy(), highs.copy()
    order = np.lexsort((values.numbers, values.labels))
    ends, off_by = np.cumsum(values.sizes), _off_by(highs - lows, epsilon)
    for label in np.flatnonzero(classes).tolist():
        low, high = int(lows[label]), int(highs[label])
        inside = np.clip(values.numbers[order[ends[label] - values.sizes[label] : ends[label]]], low, high)
        beyond = ceil(max(float(tail) * len(inside), float(off_by[label])))
        one = _quantile(inside - low, high - low, epsilon, beyond, coins)
        other = _quantile(high - inside[::-1], high - low, epsilon, beyond, coins)
        lows[label], highs[label] = sorted((low + one, high - other))
    return lows, highs


def _quantile(ordered: Sizes, width: int, epsilon: Fraction, beyond: int, coins: Coins) -> int:
    """One r of 0…width, by how near `beyond` is to the ranks of r. Candidates of the same ranks are drawn together."""
    distinct, times = np.unique(ordered, return_counts=True)
    ranks = np.concatenate([[0], np.cumsum(times)])
    starts = np.empty(2 * len(distinct) + 1, dtype=np.int64)
    starts[0], starts[1::2], starts[2::2] = 0, distinct, distinct + 1  # before a value, the value, after it
    lengths = np.diff(starts, append=width + 1)
    below, upto = np.repeat(ranks, 2)[:-1], np.repeat(ranks, 2)[1:]
    there = lengths > 0
    scores = -np.maximum(np.maximum(below - beyond, beyond - upto), 0)
    choice = ExponentialMechanism(epsilon=epsilon, score_range=Fraction(2), neighbors=Neighbors.ATTRIBUTES)
    run = int(np.flatnonzero(there)[choice.select(scores[there], coins, lengths[there])])
    return int(starts[run]) + coins.randbelow(int(lengths[run]))


def _leaves(attribute: Attribute, label: str) -> Mask:
    """The values that a name in the hierarchy of a column stands for."""
    hierarchy = attribute.hierarchy
    labels = attribute.labels(np.arange(hierarchy.root + 1, dtype=np.int32))
    found = [node for node, name in enumerate(labels) if name == label]
    if not found:
        raise SchemaError(
            f"bounds hold where {attribute.name!r} is {label!r}, and neither a value nor a group of its hierarchy is "
            f"called so.{nearest(label, labels[:10_000])}"
        )
    mask = np.zeros(hierarchy.leaves, dtype=np.bool_)
    for node in found:
        mask[hierarchy.first[node] : hierarchy.first[node] + hierarchy.leaf_count[node]] = True
    return mask


def _covered(attribute: Attribute, shown: Shown, code: int) -> Mask:
    """The values that a published code may stand for."""
    mask = np.zeros(attribute.domain.size, dtype=np.bool_)
    match shown:
        case TreeNodes():
            node = shown.nodes[code]
            first = attribute.hierarchy.first[node]
            mask[first : first + attribute.hierarchy.leaf_count[node]] = True
        case Spans():
            mask[shown.first[code] : shown.last[code] + 1] = True
        case ValueSets():
            members: Codes = shown.of(code)
            mask[members] = True
        case Numbers() | Distributions():
            mask[:] = True
    return mask
