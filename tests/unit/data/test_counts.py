"""Counts against a `Counter` of tuples; the number of records never changes except by thinning."""

from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from strategies import examples

from shoal.data.counts import Counts

NAMES = ("x", "y", "z")


@st.composite
def records(draw, cardinalities=None):
    """Rows of codes with sizes, and the size of each column's domain."""
    if cardinalities is None:
        cardinalities = draw(st.lists(st.sampled_from([1, 2, 4, 300]), min_size=1, max_size=3))
    cells = st.tuples(*(st.integers(0, min(size, 4) - 1) for size in cardinalities))
    rows = draw(st.lists(st.tuples(cells, st.integers(1, 5)), max_size=25))
    return rows, cardinalities


def counts_of(rows, cardinalities):
    """The code under test."""
    codes = [np.array([row[i] for row, _ in rows], dtype=np.uint16) for i in range(len(cardinalities))]
    sizes = np.array([size for _, size in rows], dtype=np.int64)
    return Counts.of(NAMES[: len(cardinalities)], codes, cardinalities, sizes)


def counter_of(rows):
    """The oracle."""
    counted = Counter()
    for row, size in rows:
        counted[row] += size
    return counted


def read(counts):
    """Counts as (row, size) pairs, in their order."""
    return list(
        zip(zip(*(column.tolist() for column in counts.codes), strict=True), counts.sizes.tolist(), strict=True)
    )


@given(records())
@examples(60)
def test_equal_records_are_counted_together_in_lexicographic_order(case):
    rows, cardinalities = case
    counts = counts_of(rows, cardinalities)
    assert read(counts) == sorted(counter_of(rows).items())
    assert len(counts) == len(counter_of(rows))
    assert counts.total == counts.kept == sum(size for _, size in rows)
    assert counts.suppressed == 0


def test_records_without_sizes_count_once_and_codes_become_narrow():
    counts = Counts.of(["x"], [np.array([2, 0, 2], dtype=np.uint32)], [3])
    assert read(counts) == [((0,), 1), ((2,), 2)]
    assert counts.column("x").dtype == np.uint8
    assert counts.cardinality("x") == 3


def test_no_records_and_no_columns_can_be_counted():
    nothing = Counts.of(["x"], [np.zeros(0, dtype=np.uint8)], [4])
    assert (read(nothing), len(nothing), nothing.total) == ([], 0, 0)
    assert counts_of([((0, 1), 2), ((1, 1), 3)], [2, 2]).project([]).sizes.tolist() == [5]


@given(records(), st.data())
@examples(50)
def test_projecting_counts_the_chosen_columns(case, data):
    rows, cardinalities = case
    chosen = data.draw(st.permutations(range(len(cardinalities))))
    chosen = chosen[: data.draw(st.integers(1, len(chosen)))]
    projected = counts_of(rows, cardinalities).project([NAMES[i] for i in chosen])
    assert read(projected) == sorted(counter_of([(tuple(row[i] for i in chosen), size) for row, size in rows]).items())
    assert projected.names == tuple(NAMES[i] for i in chosen)


@given(records(), st.data())
@examples(50)
def test_groups_of_some_columns_are_numbered_in_lexicographic_order(case, data):
    rows, cardinalities = case
    counts = counts_of(rows, cardinalities)
    chosen = data.draw(st.lists(st.sampled_from(range(len(cardinalities))), unique=True))
    keys = [tuple(row[i] for i in chosen) for row, _ in read(counts)]
    number = {key: i for i, key in enumerate(sorted(set(keys)))}
    labels, groups = counts.group([NAMES[i] for i in chosen])
    assert (labels.tolist(), groups) == ([number[key] for key in keys], len(number))


@given(records(), st.data())
@examples(60)
def test_rolling_up_equals_recounting(case, data):
    """Rolling up twice equals rolling up once by the composed lookup, and both equal counting recoded rows."""
    rows, cardinalities = case
    counts = counts_of(rows, cardinalities)
    first, second = {}, {}
    for i, size in enumerate(cardinalities):
        if not data.draw(st.booleans()):
            continue
        middle = data.draw(st.integers(1, size))
        lower = data.draw(st.lists(st.integers(0, middle - 1), min_size=min(size, 4), max_size=min(size, 4)))
        upper = data.draw(st.lists(st.integers(0, 1), min_size=middle, max_size=middle))
        first[NAMES[i]] = (np.array(lower, dtype=np.uint16), middle)
        second[NAMES[i]] = (np.array(upper, dtype=np.uint16), 2)

    def recode(row):
        return tuple(
            int(second[n][0][first[n][0][code]]) if n in first else code for n, code in zip(NAMES, row, strict=False)
        )

    twice = counts.roll_up(first).roll_up(second)
    composed = {name: (second[name][0][first[name][0]], 2) for name in first}
    assert read(twice) == sorted(counter_of([(recode(row), size) for row, size in rows]).items())
    assert read(counts.roll_up(composed)) == read(twice)
    assert twice.total == counts.total
    assert twice.cardinalities == tuple(
        2 if n in first else size for n, size in zip(NAMES, cardinalities, strict=False)
    )


@given(records(), st.data())
@examples(50)
def test_suppressed_rows_are_gone_and_still_count_in_the_total(case, data):
    counts = counts_of(*case)
    rows = np.array(data.draw(st.lists(st.booleans(), min_size=len(counts), max_size=len(counts))), dtype=bool)
    left = counts.suppress(rows)
    assert read(left) == [pair for pair, gone in zip(read(counts), rows.tolist(), strict=True) if not gone]
    assert left.suppressed == sum(size for (_, size), gone in zip(read(counts), rows.tolist(), strict=True) if gone)
    assert left.total == counts.total
    again = left.suppress(np.ones(len(left), dtype=bool))
    assert (len(again), again.suppressed, again.total) == (0, counts.total, counts.total)


@given(records(), st.integers(1, 8), st.data())
@examples(60)
def test_suppressing_below_k_leaves_only_classes_of_k_records(case, k, data):
    rows, cardinalities = case
    counts = counts_of(rows, cardinalities)
    chosen = data.draw(st.one_of(st.none(), st.lists(st.sampled_from(range(len(cardinalities))), unique=True)))
    by = range(len(cardinalities)) if chosen is None else chosen
    classes = Counter()
    for row, size in rows:
        classes[tuple(row[i] for i in by)] += size
    kept = [(row, size) for row, size in rows if classes[tuple(row[i] for i in by)] >= k]
    left = counts.suppress_below(k, None if chosen is None else [NAMES[i] for i in chosen])
    assert read(left) == sorted(counter_of(kept).items())
    assert left.total == counts.total


class Keep:
    """Coins that keep what they are told to, and remember what they were asked."""

    def __init__(self, kept):
        self.kept = np.array(kept, dtype=np.int64)
        self.asked = None

    def thin(self, sizes, rate):
        self.asked = (sizes.tolist(), rate)
        return self.kept


@given(records(), st.data())
@examples(60)
def test_thinning_keeps_what_is_drawn_and_forgets_the_rest(case, data):
    counts = counts_of(*case).suppress_below(2)
    kept = [data.draw(st.integers(0, size)) for size in counts.sizes.tolist()]
    coins = Keep(kept)
    thinned = counts.thin("a rate", coins)
    assert coins.asked == (counts.sizes.tolist(), "a rate")
    assert read(thinned) == [(row, size) for (row, _), size in zip(read(counts), kept, strict=True) if size]
    assert thinned.suppressed == counts.suppressed
    assert thinned.kept == sum(kept)


@given(records(), st.integers(1, 5))
@examples(40)
def test_nothing_changes_the_counts_it_is_called_on(case, k):
    counts = counts_of(*case)
    before = (read(counts), counts.suppressed)
    counts.suppress_below(k)
    counts.thin(1, Keep(counts.sizes // 2))
    counts.roll_up({"x": (np.zeros(4, dtype=np.uint8), 1)})
    counts.suppress(np.ones(len(counts), dtype=bool))
    assert (read(counts), counts.suppressed) == before


def test_an_unknown_column_is_refused():
    with pytest.raises(ValueError, match="not in"):
        counts_of([((0,), 1)], [2]).column("nobody")
