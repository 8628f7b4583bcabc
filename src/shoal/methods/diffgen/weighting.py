"""From what was measured to records that fit it. Sees noisy numbers only."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import TYPE_CHECKING

import numpy as np

from shoal.arrays import Floats, Keys, Sizes
from shoal.data.recoding import Cut, Lookup
from shoal.data.shown import TreeNodes
from shoal.methods.diffgen.coarse import level_of
from shoal.methods.marginals.leaves import is_wide, usable_codes
from shoal.methods.marginals.weights.raking import effective, raked, whole_numbers
from shoal.methods.marginals.weights.rounding import balanced_numbers
from shoal.search.top_down.cut import is_ordered
from shoal.search.top_down.value_scores import information_gain

if TYPE_CHECKING:
    from shoal.data.attribute import Attribute
    from shoal.methods.diffgen.values import Measured
    from shoal.methods.marginals.class_tables import ClassTables
    from shoal.methods.marginals.leaves import Leaves

_LEAST_OF_EXPECTED = 0.02
_TINY = 1e-9


def weights_of(seen: Measured) -> tuple[Floats, float]:
    """How much each drawn record counts in each class, `weights[record, class]`, and how many of them that amounts to.

    A drawn record starts with what class tables say of it. Then the counts of groups correct it, those of coarse groups
    first, and it is raked until it fits all class tables and groups.
    """
    believed, classes = seen.believed, len(seen.classes)
    noisy = seen.noisy + (believed.records - seen.noisy.sum()) / seen.noisy.size
    group = _groups(seen.places, seen.grown)
    weights = _by_class_tables(believed, seen.drawn)
    corner = _corners(seen.grown)
    of_start = _groups(corner, seen.start)
    levels = [(np.arange(len(noisy)), len(noisy))]
    if _number(seen.start) < len(noisy):
        levels.insert(0, (of_start, _number(seen.start)))
    wanted = noisy
    for above, number in levels:
        told = _totals(above, noisy, number)
        expected = _totals(above[group], weights, number)
        spread = np.bincount(above, minlength=number).astype(np.float64)[:, None] * seen.variance
        wanted = _drawn_to(expected, told, spread, believed.records)
        weights = weights * (wanted / np.maximum(expected, _TINY))[above[group]]
    labels = np.arange(classes)
    tables = [
        ((leaf[:, None] * classes + labels).ravel(), table.ravel())
        for leaf, table in zip(seen.drawn, believed.tables, strict=True)
    ]
    tables.append(((group[:, None] * classes + labels).ravel(), wanted.ravel()))
    found = raked(weights.ravel() + _TINY, believed.records, tables)
    return found.reshape(-1, classes), effective(found)


def _by_class_tables(believed: ClassTables, leaf: Sequence[Keys]) -> Floats:
    """The chance of each class, by Bayes' rule, as a weight."""
    logs = sum(
        np.log((table + _TINY) / (believed.totals + _TINY))[here]
        for table, here in zip(believed.tables, leaf, strict=True)
    )
    logs = np.log(believed.totals + _TINY) + logs
    chances = np.exp(logs - logs.max(axis=1, keepdims=True))
    chances = chances / chances.sum(axis=1, keepdims=True)
    return np.asarray(chances * (believed.totals / np.maximum(chances.sum(axis=0), _TINY)))


def _drawn_to(expected: Floats, told: Floats, spread: Floats, records: float) -> Floats:
    """Noisy counts drawn to what is expected of them: the more, the less they differ beyond their noise."""
    beyond = ((told - expected) ** 2 - spread).sum() / max(float((expected**2).sum()), 1.0)
    share = min(max(float(beyond), 0.0), 1.0)
    signal = share * expected**2 + min(1.0, 10 * share) * expected
    found = expected + signal / (signal + spread + _TINY) * (told - expected)
    found = np.maximum(found, _LEAST_OF_EXPECTED * expected) + _TINY
    return np.asarray(found * (records / found.sum()))


def _groups(places: Sequence[Keys], starts: Sequence[Keys]) -> Keys:
    """The group of each record: its values on all axes, in mixed radix."""
    group = np.zeros(len(places[0]), dtype=np.int64)
    for place, of_axis in zip(places, starts, strict=True):
        group = group * len(of_axis) + np.searchsorted(of_axis, place, side="right") - 1
    return group


def _number(starts: Sequence[Keys]) -> int:
    return prod(len(of_axis) for of_axis in starts)


def _corners(starts: Sequence[Keys]) -> list[Keys]:
    """A place on each axis for every group: where its values start."""
    at = np.unravel_index(np.arange(_number(starts)), [len(of_axis) for of_axis in starts])
    return [of_axis[value] for of_axis, value in zip(starts, at, strict=True)]


def _totals(group: Keys, weights: Floats, groups: int) -> Floats:
    return np.stack([np.bincount(group, weights=of_class, minlength=groups) for of_class in weights.T], axis=1)


def made_up(seen: Measured, target: Attribute) -> tuple[Cut, dict[str, Keys], Sizes, float]:
    """What is published: how values are shown, the codes of distinct records, and how often each is there.

    Also as what share of the drawn records, had they equal weights, those count that were weighted.
    """
    weights, share = weights_of(seen)
    order = _alike(seen)
    sizes = whole_records(weights[order], [leaf[order] for leaf in seen.drawn], round(seen.believed.records)).ravel()
    there = np.flatnonzero(sizes)
    label, record = np.divmod(there, len(order))
    lookups = {found.attribute.name: lookup for found in seen.leaves if (lookup := _lookup(found)) is not None}
    cut, columns = Cut(lookups), {target.name: seen.classes[label]}
    for found, leaf in zip(seen.leaves, seen.drawn, strict=True):
        codes = cut.lookup(found.attribute).codes[found.firsts[leaf[order[record]]]]
        columns[found.attribute.name] = codes.astype(np.int64)
    return cut, columns, sizes[there], share


def whole_records(weights: Floats, leaf: Sequence[Keys], total: int) -> Sizes:
    """How often each record is published in each class, `sizes[class, record]`: pairs of columns keep their counts.

    Within every class, so that what two columns together tell a learner is what weights say, not how they were rounded.
    """
    totals = whole_numbers(weights.sum(axis=0), total)
    return np.stack([balanced_numbers(leaf, of_class, int(n)) for of_class, n in zip(weights.T, totals, strict=True)])


def _alike(seen: Measured) -> Keys:
    """The drawn records in an order in which neighbors are alike, most of all in the columns that tell the class.

    Rounding makes good in the next records what one record has too many or too few, so that it stays among them.
    """
    tells = [float(information_gain(np.rint(table).astype(np.int64)[:, None])[0]) for table in seen.believed.tables]
    return np.lexsort([seen.drawn[column] for column in np.argsort(tells, kind="stable")])


def _lookup(leaves: Leaves) -> Lookup | None:
    """Wide numbers are shown as intervals, and nodes of a hierarchy as such; other values stay what they are."""
    attribute = leaves.attribute
    if is_wide(attribute):
        return Lookup.of_spans(leaves.of(np.arange(attribute.domain.size)))
    if is_ordered(attribute) or len(leaves) == len(usable_codes(attribute)):
        return None
    level, _ = level_of(attribute, len(leaves))
    return Lookup(level.codes, TreeNodes(level.nodes))
