"""SafePub where a person has several records and every published record of a class is to be another person's.

Records are drawn one by one, as always; a class shows the persons who have a drawn record in it, each once, if they are
k or more. What one person can change is bounded over all ways to spread their records over classes
(`dp/accounting/persons_profile.py`, `docs/proofs/persons.md`).
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from shoal.dp.accounting.persons_profile import MOST_EACH, smallest_persons_threshold
from shoal.dp.coins.sampling_rate import OneMinusExp, SamplingRate
from shoal.errors import SchemaError
from shoal.methods.base import Mode
from shoal.methods.safepub.method import SafePub, parameters_of
from shoal.parameters import Count
from shoal.progress import Progress, silent
from shoal.search.lattice import NodeClasses

if TYPE_CHECKING:
    from shoal.data.counts import Counts
    from shoal.data.encoded import EncodedTable
    from shoal.data.outcome import Outcome
    from shoal.dp.coins.coins import Coins
    from shoal.dp.ledger.ledger import Ledger
    from shoal.search.lattice import Node


def counting_persons(method: SafePub, records: int) -> CountsPersons:
    """The method for up to so many records of each person, counting persons; refuses what has no proof."""
    if method.mode is Mode.AS_PUBLISHED or method.sampling_rate is not None or method.expected_records is not None:
        raise SchemaError(
            "safepub counts persons (several = 'persons') at the rate 1 − e^−(epsilon/max_records) only; leave out "
            "mode, sampling_rate and expected_records, or write several = 'records'."
        )
    if records > MOST_EACH:
        raise SchemaError(
            f"safepub counts persons with at most {MOST_EACH} records each; got max_records = {records:,}. Write one "
            f"from 1 to {MOST_EACH} in [data], or several = 'records'."
        )
    return CountsPersons(**parameters_of(method), each=records)


@dataclass(frozen=True, kw_only=True)
class CountsPersons(SafePub):
    """SafePub that counts distinct persons; `SafePub.for_several` makes it.

    Attributes:
        each: How many records of a person take part at most.

    Guarantee: (ε, δ)-DP under add/remove of one person with all their records.
    """

    counts_persons: ClassVar[bool] = True

    each: Count

    @property
    def _choice_epsilon(self) -> Fraction:
        """Scores are those of records, of which a person has so many."""
        return self.search_epsilon / self.each

    @cached_property
    def rate(self) -> SamplingRate:
        """β, the probability with which each record is drawn."""
        return OneMinusExp(self.anon.epsilon / self.each)

    def _threshold(self, rate: SamplingRate) -> int:
        del rate  # it goes with ε
        return smallest_persons_threshold(self.anon.epsilon, self.anon.delta, self.each)

    def facts(self) -> dict[str, Any]:
        """What a reader of the certificate may know."""
        return {"sampling rate": float(self.rate), "k": self.k}

    def run(self, table: EncodedTable, *, ledger: Ledger, coins: Coins, progress: Progress = silent) -> Outcome:
        """Choose a scheme by records, draw them afresh, show the persons of each class."""
        self._check(table)
        self._pay(ledger)
        rows = table.of_rows()
        node = self._choose(rows, coins, progress)
        return self._publish(rows, self._one_each(table, node, coins), node)

    def nothing(self, table: EncodedTable) -> Outcome:
        """No class reached k."""
        return super().nothing(table.of_rows())

    def _one_each(self, table: EncodedTable, node: Node, coins: Coins) -> Counts:
        """A sample of records, of which one stands for each person who has any in a class."""
        persons = table.persons
        if persons is None:  # each record is another person's
            return table.counts.thin(self.rate, coins)
        drawn = np.flatnonzero(coins.thin(persons.rows, self.rate))
        labels = NodeClasses(table.of_rows()).at(node).labels
        seen = labels[persons.record[drawn]].astype(np.int64) * max(persons.people, 1) + persons.person[drawn]
        _, first = np.unique(seen, return_index=True)
        sizes = np.bincount(persons.record[drawn[first]], minlength=len(table.counts))
        return replace(table.of_rows(), counts=replace(table.counts, sizes=sizes)).of_records(sizes > 0).counts
