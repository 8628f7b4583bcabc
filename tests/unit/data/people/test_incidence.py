"""Distinct persons of classes, and at most m records of each."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from itertools import combinations, permutations
from unittest.mock import patch

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from shoal.data.counts import Counts
from shoal.data.encoded import Cap, EncodedTable
from shoal.data.people import incidence as incidences
from shoal.data.people.capping import capped
from shoal.data.people.incidence import Incidence
from shoal.data.unit import Unit

PAIRS = st.lists(st.tuples(st.integers(0, 5), st.integers(0, 4)), max_size=30)
"""Rows, each a record and a person."""


def incidence(rows: list[tuple[int, int]], records: int = 6) -> Incidence:
    """The pairs of rows."""
    columns = np.array(rows, dtype=np.int64).reshape(-1, 2)
    return Incidence.of(columns[:, 0], columns[:, 1], np.ones(len(rows), dtype=np.int64), records)


@given(PAIRS, st.lists(st.integers(-1, 2), min_size=6, max_size=6))
def test_heads_are_the_distinct_persons_of_each_class(rows: list[tuple[int, int]], labels: list[int]) -> None:
    found = incidence(rows).heads(np.array(labels), 3)
    assert found.tolist() == [len({person for record, person in rows if labels[record] == g}) for g in range(3)]


@given(PAIRS, st.lists(st.integers(0, 2), min_size=6, max_size=6))
def test_shares_and_entries_enclose_the_persons_of_a_class(rows: list[tuple[int, int]], labels: list[int]) -> None:
    persons, of = incidence(rows), np.array(labels)
    heads = persons.heads(of, 3)
    assert (np.bincount(of, weights=persons.shares, minlength=3) <= heads + 1e-9).all()
    assert (np.bincount(of, weights=persons.entries, minlength=3) >= heads).all()


@pytest.mark.parametrize("most_compared", [0, 64], ids=["counted", "listed"])
@given(PAIRS, st.lists(st.integers(0, 2), min_size=6, max_size=6), st.integers(1, 5))
def test_fewer_than_k_persons_are_what_counting_finds(
    most_compared: int, rows: list[tuple[int, int]], labels: list[int], k: int
) -> None:
    persons, of = incidence(rows), np.array(labels)
    with patch.object(incidences, "_MOST_COMPARED", most_compared):
        assert persons.fewer(of, 3, k).tolist() == (persons.heads(of, 3) < k).tolist()
    assert not (persons.surely_fewer(of, 3, k) & (persons.heads(of, 3) >= k)).any()


@pytest.mark.parametrize("most_units", [1 << 52, 1 << 10], ids=["evenly", "as evenly as units allow"])
@given(PAIRS, st.lists(st.integers(0, 2), min_size=6, max_size=6), st.lists(st.booleans(), min_size=6, max_size=6))
def test_persons_are_spread_over_their_rows_and_stay_so(
    most_units: int, rows: list[tuple[int, int]], labels: list[int], stays: list[bool]
) -> None:
    persons = incidence(rows)
    with patch.object(incidences, "_MOST_UNITS", most_units):
        spread = persons.spread
    each = Counter(person for _, person in rows)
    assert spread.units.sum() == spread.each * len(each)
    for record in range(6):
        exact = sum(Fraction(spread.each, each[person]) for at, person in rows if at == record)
        assert abs(spread.units[record] - exact) <= (0 if most_units > 1 << 20 else len(rows))
    assert all(spread.heaviest >= Fraction(spread.each, times) for times in each.values())
    merged = persons.merged(np.array(labels), 3).spread
    assert merged.units.tolist() == [sum(spread.units[i] for i in range(6) if labels[i] == g) for g in range(3)]
    kept = persons.kept(np.array(stays)).spread
    assert kept.units.tolist() == [units for units, stay in zip(spread.units, stays, strict=True) if stay]
    assert (kept.each, kept.heaviest) == (spread.each, spread.heaviest)


@given(PAIRS, st.lists(st.integers(0, 2), min_size=6, max_size=6))
def test_merged_records_keep_their_persons_and_rows(rows: list[tuple[int, int]], labels: list[int]) -> None:
    merged = incidence(rows).merged(np.array(labels), 3)
    expected = Counter((labels[record], person) for record, person in rows)
    numbers = {person: i for i, person in enumerate(sorted({person for _, person in rows}))}
    assert Counter(dict(zip(zip(merged.record, merged.person, strict=True), merged.rows, strict=True))) == Counter(
        {(record, numbers[person]): times for (record, person), times in expected.items()}
    )


class OneOrder:
    """Coins that give one order."""

    def __init__(self, order: tuple[int, ...]) -> None:
        self.order = order

    def permutation(self, n: int) -> np.ndarray:
        assert n == len(self.order)
        return np.array(self.order, dtype=np.int64)


def table_of(rows: list[tuple[int, int]], records: int) -> EncodedTable:
    persons = incidence(rows, records)
    sizes = np.bincount([record for record, _ in rows], minlength=records)
    counts = Counts(("value",), (np.arange(records),), (records,), sizes)
    return EncodedTable((), counts, persons=persons, unit=Unit.PERSON)


def test_each_subset_of_m_records_of_a_person_is_drawn_equally_often() -> None:
    """All orders of five rows: person 0 has three different records and one twice, person 1 a single one."""
    rows = [(0, 0), (1, 0), (2, 0), (2, 0), (0, 1)]
    for most in (1, 2, 3):
        found: Counter[tuple[int, ...]] = Counter()
        for order in permutations(range(4)):  # whoever has no more than m rows takes no part in the draw
            drawn = capped(table_of(rows, 3), most, OneOrder(order))
            sizes = dict(zip(drawn.counts.column("value").tolist(), drawn.counts.sizes.tolist(), strict=True))
            found[tuple(sizes.get(record, 0) for record in range(3))] += 1
        subsets = list(combinations([0, 1, 2, 2], most))
        expected = Counter(
            (s.count(0) + 1, s.count(1), s.count(2)) for s in subsets
        )  # the record of person 1 is always there
        total = sum(found.values())
        assert {k: Fraction(v, total) for k, v in found.items()} == {
            k: Fraction(v, len(subsets)) for k, v in expected.items()
        }


def test_one_record_of_each_person_makes_records_of_persons() -> None:
    drawn = capped(table_of([(0, 0), (1, 0), (1, 1)], 2), 1, OneOrder((1, 0)))
    assert drawn.persons is None
    assert drawn.unit is Unit.RECORD
    assert drawn.capped == Cap(1, Unit.PERSON)
    assert drawn.total == 2


def test_the_most_records_of_a_person_are_kept_if_there_are_no_more() -> None:
    table = table_of([(0, 0), (1, 0), (1, 1)], 2)
    drawn = capped(table, 2, OneOrder(()))
    assert drawn.persons is not None
    assert drawn.persons.rows.tolist() == [1, 1, 1]
    assert drawn.people == 2
