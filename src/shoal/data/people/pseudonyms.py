"""Pseudonyms: published records of one person carry the same number, drawn at random."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from shoal.data.attribute import Attribute
from shoal.data.counts import Counts
from shoal.data.domain import Grid
from shoal.data.encoded import EncodedTable
from shoal.data.hierarchies.hierarchy import Hierarchy
from shoal.data.outcome import Outcome
from shoal.data.partition import Partition
from shoal.data.people.capping import Shuffling
from shoal.data.people.incidence import Incidence
from shoal.data.schema import PSEUDONYM, Role
from shoal.data.shown import Numbers
from shoal.kernels import grouping
from shoal.kernels.grouping import narrowest


def linked(table: EncodedTable) -> EncodedTable:
    """The table with a column that tells persons apart, so that each distinct record is of one person.

    Its codes are the numbers of persons, which tell of the order of the input: `drawn` replaces them.
    """
    persons, counts = table.persons, table.counts
    assert persons is not None
    people = max(persons.people, 1)
    column = Attribute(PSEUDONYM, Role.PSEUDONYM, Grid(lower=1, step=1, steps=people - 1), Hierarchy.flat(people))
    codes = (*(codes[persons.record] for codes in counts.codes), persons.person.astype(narrowest(people)))
    pairs = Counts((*counts.names, PSEUDONYM), codes, (*counts.cardinalities, people), persons.rows, counts.suppressed)
    each = Incidence(np.arange(len(pairs)), persons.person, persons.rows, len(pairs), persons.unit)
    return replace(table.with_counts(pairs), attributes=(*table.attributes, column), persons=each, is_linked=True)


def drawn(table: EncodedTable, coins: Shuffling) -> EncodedTable:
    """The same table with persons in a random order, of which nobody knows whose number is whose.

    That is done when everything else is decided, so that nothing else depends on the order, nor the order on anything.
    """
    counts, persons = table.counts, table.persons
    assert table.is_linked
    assert persons is not None
    person = coins.permutation(persons.people)[persons.person]
    of_record, _ = counts.group([name for name in counts.names if name != PSEUDONYM])
    order = np.lexsort((person, of_record))
    codes = [person.astype(c.dtype) if n == PSEUDONYM else c for n, c in zip(counts.names, counts.codes, strict=True)]
    return replace(
        table.with_counts(replace(counts, codes=tuple(c[order] for c in codes), sizes=counts.sizes[order])),
        persons=Incidence(persons.record, person[order], persons.rows[order], persons.records, persons.unit),
    )


def with_pseudonyms(outcome: Outcome) -> Outcome:
    """What was decided of a table that was `drawn`, with those who are published numbered 1, 2, … in its order.

    Whoever is left out would leave a gap, which tells that they are.
    """
    there = np.zeros(outcome.published.cardinality(PSEUDONYM), dtype=np.bool_)
    there[outcome.published.column(PSEUDONYM)] = True
    shown = Numbers(np.where(there, np.cumsum(there), np.nan).astype(float), decimals=0)
    return replace(outcome, shown={**outcome.shown, PSEUDONYM: shown})


def unlinked(outcome: Outcome) -> Outcome:
    """What was decided as if nothing linked records: for figures about columns, of which the pseudonym is none."""
    table, published = outcome.table, outcome.published
    if not table.is_linked:
        return outcome
    became = outcome.published_rows()
    persons, of_published = table.persons, outcome.published_persons()
    assert persons is not None
    assert of_published is not None
    assert became is not None
    names = [name for name in published.names if name != PSEUDONYM]
    (records, groups), (kinds, kept) = table.counts.group(names), published.group(names)
    plain = replace(
        table.with_counts(table.counts.project(names)),
        attributes=tuple(attribute for attribute in table.attributes if attribute.name != PSEUDONYM),
        persons=persons.merged(records, groups),
        is_linked=False,
    )
    sizes = grouping.totals(records[became[0]], groups, table.counts.sizes[became[0]])
    label = np.zeros(groups, dtype=np.int64)
    label[records[became[0]]] = kinds[became[1]]
    there = np.flatnonzero(sizes)
    return replace(
        outcome,
        table=plain,
        published=published.project(names),
        shown={name: shown for name, shown in outcome.shown.items() if name != PSEUDONYM},
        classes=None,
        suppressed=None,
        sources=Partition(there, label[there], sizes[there]),
        persons=of_published.merged(kinds, kept),
    )
