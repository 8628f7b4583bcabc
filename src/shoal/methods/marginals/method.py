"""Marginals: made-up records whose counts by one, two or three columns are nearly those of the original."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from math import prod
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from shoal.arrays import Keys, Sizes
from shoal.data.outcome import Outcome
from shoal.data.schema import Schema
from shoal.dp.accounting.budget_range import require_delta, require_epsilon
from shoal.dp.accounting.concentrated import largest_rho
from shoal.dp.accounting.cost import PrivacyCost
from shoal.dp.accounting.relation import Neighbors
from shoal.dp.coins.coins import Coins
from shoal.dp.ledger.ledger import Ledger
from shoal.errors import InfeasibleError, ParameterError, SmallBudgetWarning
from shoal.methods.base import Publishes
from shoal.methods.marginals.advice import expected_worth, is_useless
from shoal.methods.marginals.budget import (
    EARLY_SIZE_SHARE,
    LEAST_FOR_TABLES,
    TREE_SHARE,
    cells_of,
    counted_leaves,
    shares_by_size,
    split_of,
)
from shoal.methods.marginals.class_tables import ClassTables, classes_of, count_by_class
from shoal.methods.marginals.fitting import fit
from shoal.methods.marginals.groups.boxes import Boxes
from shoal.methods.marginals.groups.choosing import Choosing
from shoal.methods.marginals.leaves import Leaves
from shoal.methods.marginals.private_tree import found_leaves, left_beside_trees
from shoal.methods.marginals.purse import ConcentratedPurse, PurePurse, Purse
from shoal.methods.marginals.records import Numbers, no_records, published_records
from shoal.methods.marginals.schema import counted_columns, groups_asked, require_room
from shoal.methods.marginals.support import support_size
from shoal.methods.marginals.weights.raking import effective
from shoal.methods.marginals.weights.rounding import balanced_numbers
from shoal.parameters import Count, Number, exact, read_parameters
from shoal.progress import Progress, silent
from shoal.promises import statements
from shoal.promises.guarantee import PUBLIC, Basis, Guarantee
from shoal.search.top_down.cut import complete

if TYPE_CHECKING:
    from shoal.data.encoded import EncodedTable

MOST_NOISE = 1_000_000
"""By so many records, more or fewer, noise may change a release."""


@dataclass(frozen=True, kw_only=True)
class Marginals(Publishes):
    """Publish made-up records whose counts, by one to three columns, are nearly those of the original.

    Counts every column by the classes of a target, with noise; chooses columns that depend on each other beyond that,
    by private choices, and counts them by threes as finely as noise allows; then draws records and weights them until
    they fit all noisy tables.

    Attributes:
        epsilon: The whole budget ε: the smaller it is, the less one record can change what is published.
        delta: With a δ above 0, Gaussian noise and (ε, δ)-DP where that gives more than ε-DP does.
        target: A column of named values that others are to tell about; every column is counted by it.
        workload: Sets of columns that recipients will ask about together; pairs in none of them are not counted.
        weights: How much a column matters, in comparison with the others, which matter 1 each.
        numbers: Wide numbers as `values`, spread over the intervals that were counted, or as these `intervals`.
        expected_records: About how many records the table has, if that is public; then the certificate says what to
            expect.

    Guarantee: ε-DP, or (ε, δ)-DP, under add/remove-one-record, if domains and parameters are public.
    Paper: own; noisy marginals as in Barak et al. 2007 and MWEM/AIM (Hardt, Ligett & McSherry 2012; McKenna et al.
        2022), PrivTree (Zhang, Xiao & Xie 2016), raking (Deming & Stephan 1940); `docs/proofs/marginals.md`.
    """

    name: ClassVar[str] = "marginals"
    clamps: ClassVar[bool] = True
    reading: ClassVar[str] = (
        "The records are made up, and none is that of a person: they were drawn so that counts by one, two or three "
        "columns are nearly those of the original, with random noise; what takes more columns to see may be wrong."
    )

    epsilon: Number
    delta: Number = 0.0
    target: str | None = None
    workload: tuple[tuple[str, ...], ...] = ()
    weights: Mapping[str, float] = field(default_factory=dict)
    numbers: Numbers = Numbers.VALUES
    expected_records: Count | None = None

    def __post_init__(self) -> None:
        read_parameters(self)
        require_epsilon(self.epsilon)
        require_delta(self.delta, or_zero=True)
        for name, weight in self.weights.items():
            if not exact(weight, f"the weight of {name!r}") > 0:
                raise ParameterError(f"the weight of {name!r} must be above 0; got {weight!r}.")

    # Budget: public, known before a row is read.

    @property
    def cost(self) -> PrivacyCost:
        """What a release costs."""
        return PrivacyCost(exact(self.epsilon), exact(self.delta))

    @cached_property
    def rho(self) -> Fraction:
        """What ε and δ are worth in zCDP."""
        return largest_rho(self.cost).rho

    def guarantees(self, outcome: Outcome | None = None) -> tuple[Guarantee, ...]:
        """What is promised, on what basis."""
        del outcome  # all of it follows from the parameters
        statement = statements.marginals(self.cost)
        return (Guarantee(statement, Basis.PROVED, _ASSUMPTIONS, Neighbors.ADD_REMOVE, cost=self.cost),)

    def facts(self) -> dict[str, Any]:
        """What a reader of the certificate may know beside the parameters."""
        return {
            "records": "made up",
            "left out": "records without a class, or with a value missing where none may be",
        }

    def expected_worth(self, columns: int) -> str | None:
        """What to expect of so many published columns, by public numbers; None if the number of records is not."""
        if self.expected_records is None:
            return None
        return expected_worth(float(exact(self.epsilon)), self.expected_records, columns)

    # The table

    def counted(self, schema: Schema) -> tuple[str, ...]:
        """All published columns; their domains must be declared."""
        return counted_columns(schema, self.name, self.target, self.workload, self.weights)

    def run(self, table: EncodedTable, *, ledger: Ledger, coins: Coins, progress: Progress = silent) -> Outcome:
        """Count with noise, and publish records that fit the counts.

        `table` must have every column as a quasi-identifier: `table.all_quasi_identifiers()`.
        """
        others = [a.name for a in table.attributes if a.name != self.target]
        require_room(table, others, self.target)
        self._require_drawable(len(table.attributes))
        self._warn_of_little(len(table.attributes))
        if ledger.remaining is not None:
            Ledger(ledger.remaining).charge(self.cost, self.name)  # refused here, a release leaves no trace
            ledger.open()
        progress("counting", 0.0)
        noisy = _Measured.of(self, complete(table, others, self.target), others, coins, ledger)
        progress("fitting", 0.4)
        return _released(self, table, others, noisy)

    def nothing(self, table: EncodedTable) -> Outcome:
        """No records: the noisy number of records is below 1."""
        return no_records(table.of_rows(), self.numbers)

    @property
    def needs(self) -> str:
        """What it takes for records to be published."""
        return "It takes a noisy number of records of 1 or more. Use a larger epsilon, or a larger table."

    def purse(self, columns: int, ledger: Ledger) -> Purse:
        """What is spent, for so many published columns; with a δ it is paid for at once, where zCDP gives more."""
        if not self._is_concentrated(columns):
            return PurePurse(exact(self.epsilon), ledger)
        ledger.charge(self.cost, "counts of all columns")
        return ConcentratedPurse(self.rho)

    def _is_concentrated(self, columns: int) -> bool:
        """Whether zCDP leaves less noise than ε that adds up, for a table a column.

        More tables are counted than that, but the largest shares decide, and choices are dearer in zCDP.
        """
        each = Fraction(1, columns)
        pure = PurePurse(exact(self.epsilon), Ledger())
        return bool(self.cost.delta) and ConcentratedPurse(self.rho).precision(each) > pure.precision(each)

    def precision(self, columns: int) -> float:
        """The e of which class tables get noise of scale 1/e at most, on average over so many published columns."""
        return self.unpaid_purse(columns).precision((1 - TREE_SHARE) * LEAST_FOR_TABLES / max(columns - 1, 1))

    def unpaid_purse(self, columns: int) -> Purse:
        """What would be spent, for nothing but its numbers."""
        return (
            ConcentratedPurse(self.rho) if self._is_concentrated(columns) else PurePurse(exact(self.epsilon), Ledger())
        )

    def _warn_of_little(self, columns: int) -> None:
        """Say that nothing of use can be expected, if public numbers say so."""
        if self.expected_records is not None and is_useless(float(exact(self.epsilon)), self.expected_records, columns):
            warnings.warn(f"{self.name}: {self.expected_worth(columns)}", SmallBudgetWarning, stacklevel=2)

    def _require_drawable(self, columns: int) -> None:
        """Refuse noise on the number of records that alone could make a release of millions."""
        purse = self.unpaid_purse(columns)
        noise = 1 / purse.precision((1 - TREE_SHARE) * EARLY_SIZE_SHARE)
        if noise > MOST_NOISE:
            raise InfeasibleError(
                f"epsilon = {float(exact(self.epsilon)):g} is too little: the number of records would be off by about "
                f"{noise:,.0f}, and at most {MOST_NOISE:,} are allowed. Nothing was spent; use a larger epsilon."
            )

    def weight(self, *names: str) -> Fraction:
        """How much columns matter together, in comparison with those that matter most."""
        most = max([exact(weight) for weight in self.weights.values()] + [Fraction(1)])
        return prod((exact(self.weights.get(name, 1)) / most for name in names), start=Fraction(1))


@dataclass(frozen=True, slots=True, eq=False)
class _Measured:
    """All that is known of a table once the budget is spent: from here on records are not looked at.

    Attributes:
        leaves: The leaves of each column but the target.
        classes: The codes of the classes; one class, 0, without a target.
        believed: The class tables, made consistent.
        spreads: The variance of the noise on a leaf of each column, of all classes together.
        groups: The groups of columns that were counted.
        tables: The noisy numbers of their boxes.
        variance: That of the noise on a box.
    """

    leaves: list[Leaves]
    classes: Keys
    believed: ClassTables
    spreads: list[float]
    groups: list[Boxes]
    tables: list[Sizes]
    variance: float

    @staticmethod
    def of(method: Marginals, records: EncodedTable, others: list[str], coins: Coins, ledger: Ledger) -> _Measured:
        """Spend the budget, share by share: 1 in all."""
        counts, sizes = records.counts, records.counts.sizes
        classes, label = classes_of(records, method.target)
        purse = method.purse(len(records.attributes), ledger)
        leaves, left = found_leaves(records, others, purse, coins), left_beside_trees(records, others)
        leaf = [of_column.of(counts.column(of_column.attribute.name)) for of_column in leaves]

        of_size = left * EARLY_SIZE_SHARE
        total = np.array([sizes.sum()], dtype=np.int64)
        counted = int(purse.count(total, of_size, coins, "count the records")[0])
        asked = groups_asked(others, method.workload)
        split = split_of(purse, left, counted, len(records.attributes), len(asked))

        weights = [method.weight(name) for name in others]
        shares = shares_by_size(split.tables, [counted_leaves(len(found)) for found in leaves], weights)
        noisy = [
            count_by_class(of_leaf, len(found), label, len(classes), sizes, purse, share, coins)
            for of_leaf, found, share in zip(leaf, leaves, shares, strict=True)
        ]
        variances = [purse.variance(share) for share in shares]
        believed = ClassTables.of(noisy, leaves, variances, counted, purse.variance(of_size))
        spreads = [len(classes) * variance for variance in variances]
        if not split.groups:
            return _Measured(leaves, classes, believed, spreads, [], [], 0.0)
        cells = cells_of(purse, split, believed.records, len(classes))
        noise = 1 / purse.precision(split.measured / split.groups)
        choosing = Choosing(believed, leaves, leaf, sizes, asked, weights, cells, noise)
        groups, tables, variance = choosing.counted(split, spreads, purse, coins)
        return _Measured(leaves, classes, believed, spreads, groups, tables, variance)


def _released(method: Marginals, table: EncodedTable, others: list[str], noisy: _Measured) -> Outcome:
    """Records that fit what was measured; from noisy numbers alone."""
    records = round(noisy.believed.records)
    if records < 1:
        return method.nothing(table)
    number = support_size(records)
    found = fit(noisy.believed, noisy.spreads, noisy.groups, noisy.tables, noisy.variance, number)
    order = np.lexsort((*found.leaf[::-1], found.label))
    columns = [found.label[order], *(of_column[order] for of_column in found.leaf)]
    sizes = balanced_numbers(columns, found.weights[order], records)
    codes = dict(zip(others, columns[1:], strict=True))
    if method.target is not None:
        codes[method.target] = noisy.classes[columns[0]]
    search = {
        "columns counted together": [[others[column] for column in group.columns] for group in noisy.groups],
        "leaves": {name: len(found) for name, found in zip(others, noisy.leaves, strict=True)},
        "effective share of the drawn records": effective(found.weights),
    }
    return published_records(table.of_rows(), noisy.leaves, codes, sizes, method.numbers, search)


_ASSUMPTIONS = (
    "one record for each person",
    f"domains, classes and parameters {PUBLIC}",
    "nobody observes how long the computation takes",
)
