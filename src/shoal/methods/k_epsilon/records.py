"""The records that a k-anonymizer lets through, one by one, each with its class.

The k-anonymizer sees a view of the table without the perturbed columns, so nothing it decides can depend on them. Noise
is drawn for single records, so here distinct records are taken apart.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from shoal.arrays import Codes, Keys, Mask, Sizes
from shoal.data.outcome import Outcome
from shoal.kernels import grouping

if TYPE_CHECKING:
    from shoal.data.encoded import EncodedTable
    from shoal.dp.coins.coins import Coins


@dataclass(frozen=True, eq=False)
class View:
    """A table without some of its columns.

    Attributes:
        table: What is left, distinct records merged.
        record: For each distinct record of the whole table, the distinct record of the view that it is.
    """

    table: EncodedTable
    record: Keys

    @staticmethod
    def without(table: EncodedTable, hidden: tuple[str, ...]) -> View:
        """The view that hides some columns."""
        names = [name for name in table.counts.names if name not in hidden]
        attributes = tuple(attribute for attribute in table.attributes if attribute.name not in hidden)
        labels, groups = table.counts.group(names)  # in the order in which `project` puts distinct records
        persons = None if table.persons is None else table.persons.merged(labels, groups)
        return View(replace(table, attributes=attributes, counts=table.counts.project(names), persons=persons), labels)


@dataclass(frozen=True, eq=False)
class Records:
    """Single records that may be published.

    Attributes:
        source: The distinct record of the whole table that each one is; ascending.
        labels: The class of each one, 0…groups−1: records of a class are published alike in all k-quasis.
        groups: How many classes there are.
        codes: Per k-quasi the published code of each one.
        persons: Whose each one is, if the table tells persons apart.
    """

    source: Keys
    labels: Keys
    groups: int
    codes: Mapping[str, Codes]
    persons: Keys | None = None

    def __len__(self) -> int:
        return len(self.source)

    def kept(self, stays: Mask) -> Records:
        """Some of them; classes keep their numbers."""
        codes = {name: of[stays] for name, of in self.codes.items()}
        persons = None if self.persons is None else self.persons[stays]
        return Records(self.source[stays], self.labels[stays], self.groups, codes, persons)


def let_through(table: EncodedTable, view: View, decided: Outcome, coins: Coins) -> Records:
    """The records that `decided`, about the view of a table, does not leave out.

    Where it divides equal records of the view between classes, chance decides who goes where: the perturbed columns
    must not.
    """
    source, sizes, codes = _parts(view.table, decided)
    cardinalities = [len(decided.shown[name]) for name in codes]
    classes, groups = grouping.group(list(codes.values()), cardinalities, len(source))
    rows = np.repeat(np.arange(len(table.counts)), table.counts.sizes)
    part = _dealt(source, sizes, view.record[rows], view.table.counts.sizes, coins)
    stays = part >= 0
    part = part[stays]
    whose = None if table.persons is None else np.repeat(table.persons.person, table.persons.rows)[stays]
    return Records(rows[stays], classes[part], groups, {name: of[part] for name, of in codes.items()}, whose)


def _parts(view: EncodedTable, decided: Outcome) -> tuple[Keys, Sizes, dict[str, Codes]]:
    """Parts of the distinct records of a view that are published: whose part, how many records, and their codes."""
    names = [attribute.name for attribute in view.quasi_identifiers]
    if decided.sources is not None:
        parts = decided.sources
        codes = {name: decided.published.column(name)[parts.label] for name in names}
        return parts.source, parts.sizes, codes
    assert decided.recoding is not None
    if decided.classes is None or decided.suppressed is None:  # a cut of numbers (TDS), which leaves nobody out
        kept = np.arange(len(view.counts))
    else:
        kept = np.flatnonzero(~decided.suppressed[decided.classes.labels])
    codes = {}
    for attribute in view.quasi_identifiers:
        leaves = view.counts.column(attribute.name)[kept]
        codes[attribute.name] = decided.recoding.lookup(attribute).codes[leaves]
    return kept, view.counts.sizes[kept], codes


def _dealt(source: Keys, sizes: Sizes, record: Keys, totals: Sizes, coins: Coins) -> Keys:
    """The part that each row goes to, −1 if it is left out; `record` is the row's record of the view, ascending or not.

    A record of the view that is in one part altogether, or in none, needs no chance.
    """
    order = np.argsort(source, kind="stable")
    ends = np.cumsum(sizes[order])
    kept = np.bincount(source, weights=sizes, minlength=len(totals)).astype(np.int64)
    parts = np.bincount(source, minlength=len(totals))
    if ((parts <= 1) & ((kept == 0) | (kept == totals))).all():
        alone = np.full(len(totals), -1, dtype=np.int64)
        alone[source] = np.arange(len(source))
        return alone[record]
    shuffled = coins.permutation(len(record))
    placed = shuffled[np.argsort(record[shuffled], kind="stable")]  # by record, at random among equal ones
    of = record[placed]
    turn = np.arange(len(of)) - np.searchsorted(of, of, side="left")
    first = np.cumsum(kept) - kept
    is_kept = turn < kept[of]
    part = np.full(len(record), -1, dtype=np.int64)
    part[placed[is_kept]] = order[np.searchsorted(ends, (first[of] + turn)[is_kept], side="right")]
    return part
