"""What a class says about the sensitive value of everybody in it: one can be seen through without being found."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from shoal.arrays import Floats, Sizes
from shoal.data.counts import Counts
from shoal.data.outcome import Outcome
from shoal.data.people.incidence import Incidence
from shoal.data.shown import Distributions, Shown
from shoal.data.unit import Unit
from shoal.errors import ParameterError, SchemaError
from shoal.kernels import grouping
from shoal.risk.class_sizes import released_persons


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class AttributeDisclosure:
    """The sensitive values of each class of a table.

    Attributes:
        column: The sensitive column.
        sizes: How many records each class has, or persons where they are counted.
        largest: The share of the most frequent value in each class: how often whoever guesses it is right. A person
            counts for each value that a record of theirs in the class has.
        entropy: The entropy of the values of each class in bits; 0 if all records have the same one.
        distinct: How many values each class has.
        baseline: The share of the most frequent value in the whole table: what can be guessed without any class.
        unit: What is counted.
    """

    column: str
    sizes: Sizes
    largest: Floats
    entropy: Floats
    distinct: Sizes
    baseline: float
    unit: Unit = Unit.RECORD

    @property
    def highest(self) -> float:
        """The largest share of one value in any class."""
        return float(self.largest.max(initial=0.0))

    @property
    def average(self) -> float:
        """How often guessing the most frequent value of its class is right, over all records."""
        return float((self.largest * self.sizes).sum()) / max(int(self.sizes.sum()), 1)

    @property
    def homogeneous(self) -> float:
        """The share of records whose class has one value only."""
        return self.at_risk(1.0)

    def at_risk(self, threshold: float) -> float:
        """The share of records in whose class one value has at least this share."""
        if not 0 < threshold <= 1:
            raise ParameterError(f"threshold is a share above 0 and at most 1; got {threshold!r}.")
        return float(self.sizes[self.largest >= threshold - 1e-12].sum()) / max(int(self.sizes.sum()), 1)


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class DisclosureBeforeAndAfter:
    """The original as it came, and the release."""

    before: AttributeDisclosure
    after: AttributeDisclosure


def attribute_disclosure(
    outcome: Outcome, columns: Sequence[str] | None = None
) -> tuple[DisclosureBeforeAndAfter, ...]:
    """For each sensitive column what the classes of the other columns say; for the owner of the original only.

    Args:
        outcome: What a method decided.
        columns: Which columns are sensitive; those of that role if not given. Private methods generalize all columns,
            so there they have to be named.
    """
    table = outcome.table
    names = [attribute.name for attribute in table.sensitive] if columns is None else list(columns)
    found, who = [], released_persons(outcome)
    for name in names:
        table[name]  # there is such a column
        quasi = [attribute.name for attribute in table.quasi_identifiers if attribute.name != name]
        if not quasi:
            raise SchemaError(f"column {name!r} is the only quasi-identifier; its disclosure needs classes of others.")
        if who is not None and table.persons is not None:
            before = persons_disclosure(table.counts, quasi, name, table.persons)
            after = persons_disclosure(outcome.published, quasi, name, who)
        else:
            before = disclosure_of(table.counts, quasi, name)
            after = disclosure_of(outcome.published, quasi, name, outcome.shown.get(name))
        found.append(DisclosureBeforeAndAfter(before=before, after=after))
    return tuple(found)


def disclosure_of(counts: Counts, quasi: Sequence[str], column: str, shown: Shown | None = None) -> AttributeDisclosure:
    """What the classes under `quasi` say about a column; a column of distributions counts with its shares."""
    labels, groups = counts.group(quasi)
    codes, width = counts.column(column), counts.cardinality(column)
    if isinstance(shown, Distributions):
        row, leaf = np.nonzero(shown.shares[codes])
        width = shown.shares.shape[1]
        keys = labels[row] * width + leaf
        weights = counts.sizes[row] * shown.shares[codes[row], leaf] / shown.whole[codes[row]]
    else:
        keys, weights = labels * width + codes, counts.sizes.astype(float)
    cells, number = grouping.compact(keys, groups * width)
    records: Floats = np.bincount(cells, weights=weights, minlength=number)  # type: ignore[assignment]
    owner = keys[grouping.members(cells, number)] // width
    value = keys[grouping.members(cells, number)] % width
    sizes = grouping.totals(labels, groups, counts.sizes)
    share = records / np.maximum(sizes[owner], 1)
    largest = np.zeros(groups)
    np.maximum.at(largest, owner, share)
    entropy = np.bincount(owner, weights=-share * np.log2(np.maximum(share, 1e-300)), minlength=groups)
    whole = np.bincount(value, weights=records, minlength=width)
    return AttributeDisclosure(
        column=column,
        sizes=sizes,
        largest=np.minimum(largest, 1.0),
        entropy=np.maximum(entropy, 0.0),
        distinct=np.bincount(owner, minlength=groups),
        baseline=float(whole.max(initial=0.0)) / max(counts.kept, 1),
    )


def persons_disclosure(counts: Counts, quasi: Sequence[str], column: str, persons: Incidence) -> AttributeDisclosure:
    """The same in persons, who count once for each value that they have in a class."""
    labels, groups = counts.group(quasi)
    values, width = counts.column(column).astype(np.int64), counts.cardinality(column)
    keys = labels * width + values
    cells, number = grouping.compact(keys, groups * width)
    holders, sizes = persons.heads(cells, number), persons.heads(labels, groups)
    owner = keys[grouping.members(cells, number)] // width
    largest = np.zeros(groups)
    np.maximum.at(largest, owner, holders / np.maximum(sizes[owner], 1))
    share = holders / np.maximum(grouping.totals(owner, groups, holders)[owner], 1)
    entropy = np.bincount(owner, weights=-share * np.log2(np.maximum(share, 1e-300)), minlength=groups)
    return AttributeDisclosure(
        column=column,
        sizes=sizes,
        largest=largest,
        entropy=np.maximum(entropy, 0.0),
        distinct=np.bincount(owner, minlength=groups),
        baseline=float(persons.heads(values, width).max(initial=0)) / max(persons.people, 1),
        unit=persons.unit,
    )
