"""SafePub of whole persons: somebody with all their records is what is drawn, generalized and counted.

Persons whose generalized records are equal as multisets form a class; persons are drawn, and classes of k or more drawn
persons are published with all their records. To the proof of SafePub a person is a record, so that the price is that of
one record, however many a person has (`docs/proofs/persons.md`). Such classes are sparse.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from shoal.arrays import Keys, Sizes
from shoal.data.people.sequences import sequences
from shoal.dp.mechanisms.selection import PermuteAndFlip
from shoal.errors import SchemaError
from shoal.kernels import grouping
from shoal.methods.base import Mode
from shoal.methods.safepub.expected_scores import SurvivalTable, cell_prices
from shoal.methods.safepub.method import SafePub, all_scores, parameters_of
from shoal.parameters import Count
from shoal.progress import Progress, silent
from shoal.quality import CellModel
from shoal.search.lattice import NodeClasses

if TYPE_CHECKING:
    from shoal.data.counts import Counts
    from shoal.data.encoded import EncodedTable
    from shoal.data.outcome import Outcome
    from shoal.dp.coins.coins import Coins
    from shoal.dp.ledger.ledger import Ledger
    from shoal.search.lattice import Node


def whole_persons(method: SafePub, records: int) -> WholePersons:
    """The method for persons with up to so many records, as wholes; refuses what has no proof."""
    if method.mode is Mode.AS_PUBLISHED or method.expected_records is not None:
        raise SchemaError(
            "safepub of whole persons (several = 'whole') draws persons, and its search is Shoal's own; leave out mode "
            "and expected_records, or write several = 'records'."
        )
    if method.search_epsilon and not isinstance(method.quality, CellModel):
        raise SchemaError(
            f"safepub of whole persons (several = 'whole') compares schemes by the worth of cells, and "
            f"{type(method.quality).__name__} looks at classes; take quality = 'loss', 'granularity', 'intensity' or "
            "'precision', or give one scheme."
        )
    return WholePersons(**parameters_of(method), each=records)


@dataclass(frozen=True, kw_only=True)
class WholePersons(SafePub):
    """SafePub in which a person is a record; `SafePub.for_several` makes it.

    Attributes:
        each: How many records of a person take part at most.

    Guarantee: (ε, δ)-DP under add/remove of one person with all their records.
    """

    counts_persons: ClassVar[bool] = True

    each: Count

    def facts(self) -> dict[str, Any]:
        """What a reader of the certificate may know."""
        return {"sampling rate": float(self.rate), "k": self.k}

    def run(self, table: EncodedTable, *, ledger: Ledger, coins: Coins, progress: Progress = silent) -> Outcome:
        """Choose a scheme, draw persons, publish those of classes of k or more with all their records."""
        self._check(table)
        self._pay(ledger)
        node = self._choose(table, coins, progress)
        return self._publish(table.of_rows(), self._drawn(table, node, coins), node)

    def nothing(self, table: EncodedTable) -> Outcome:
        """No class reached k."""
        return super().nothing(table.of_rows())

    def _choose(self, table: EncodedTable, coins: Coins, progress: Progress) -> Node:
        """One of the candidate schemes, by what cells of published persons are expected to be worth."""
        schemes = self._candidates(table, coins)
        if len(schemes) == 1:
            return schemes[0]
        score, reach = self.scoring(table)
        choice = PermuteAndFlip(epsilon=self.search_epsilon, score_range=Fraction(reach))
        return schemes[choice.select(all_scores(score, schemes, progress), coins)]

    def scoring(self, table: EncodedTable) -> tuple[Callable[[Node], int], int]:
        """The score of a scheme, and the width of the interval in which one person more moves it.

        Σ over classes of g(n) times what the records of one of its n persons are worth; g(n) are the persons who are
        expected to be published. Somebody more adds from 0 to Δ m W, Δ the largest step of g, W the most that a record
        is worth.
        """
        assert isinstance(self.quality, CellModel)
        survival, prices = SurvivalTable.records(float(self.rate), self.k), cell_prices(self.quality, table)
        dearest = max(int(sum(price.max() for price in prices)), 1) * self.each
        worth, kind = survival.worth(table.people, dearest)
        classes = NodeClasses(table.of_rows())

        def score(node: Node) -> int:
            of_person, groups = self._sequences(table, classes, node)
            sizes = np.bincount(of_person, minlength=groups)
            one = grouping.members(of_person, groups)  # all persons of a class have the same cells
            return int((worth(sizes) * _cells(table, prices, node)[one].astype(kind)).sum())

        return score, survival.largest_step * dearest

    def _sequences(self, table: EncodedTable, classes: NodeClasses, node: Node) -> tuple[Keys, int]:
        """The class of each person at a node, and how many there are."""
        labels = classes.at(node).labels
        if table.persons is None:  # each record is another person's
            of_person = np.repeat(labels, table.counts.sizes).astype(np.int64)
            return of_person, int(labels.max(initial=-1)) + 1
        return sequences(table.persons, labels)

    def _drawn(self, table: EncodedTable, node: Node, coins: Coins) -> Counts:
        """The records of the persons who were drawn, in classes of k or more.

        Which of the persons of a class were drawn does not show: they are told as one of them, so many times.
        """
        of_person, groups = self._sequences(table, NodeClasses(table.of_rows()), node)
        drawn = coins.thin(np.bincount(of_person, minlength=groups), self.rate)
        drawn = np.where(drawn >= self.k, drawn, 0)
        one = grouping.members(of_person, groups)
        times = np.zeros(len(of_person), dtype=np.int64)
        times[one] = drawn
        rows = table.persons
        if rows is None:
            of_record = np.repeat(np.arange(len(table.counts)), table.counts.sizes)
            sizes = grouping.totals(of_record, len(table.counts), times)
        else:
            sizes = grouping.totals(rows.record, len(table.counts), rows.rows * times[rows.person])
        return replace(table.of_rows(), counts=replace(table.counts, sizes=sizes)).of_records(sizes > 0).counts


def _cells(table: EncodedTable, prices: list[Sizes], node: Node) -> Sizes:
    """What the generalized records of each person are worth together."""
    worth = np.zeros(len(table.counts), dtype=np.int64)
    for attribute, price, level in zip(table.quasi_identifiers, prices, node, strict=True):
        worth += price[attribute.hierarchy.up[level]][table.counts.column(attribute.name)]
    persons = table.persons
    if persons is None:
        return np.repeat(worth, table.counts.sizes)
    return grouping.totals(persons.person, persons.people, persons.rows * worth[persons.record])
