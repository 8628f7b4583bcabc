"""Grouping against dictionaries of tuples."""

from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from strategies import examples

from shoal.kernels import grouping
from shoal.kernels.grouping import narrowest


@st.composite
def code_columns(draw):
    """Columns of codes, few different ones in each, so that records repeat however wide the columns are."""
    sizes = draw(st.lists(st.sampled_from([1, 1, 2, 3, 5, 300, 70_000, 2**32]), max_size=8))
    records = draw(st.integers(0, 40))
    columns = []
    for size in sizes:
        pool = draw(st.lists(st.integers(0, size - 1), min_size=1, max_size=4))
        column = draw(st.lists(st.sampled_from(pool), min_size=records, max_size=records))
        columns.append(np.array(column, dtype=narrowest(size)))
    return columns, sizes, records


def rows_of(columns, records):
    return [tuple(int(column[i]) for column in columns) for i in range(records)]


@given(code_columns())
@examples(80)
def test_groups_are_numbered_in_the_order_of_their_tuples(case):
    columns, sizes, records = case
    rows = rows_of(columns, records)
    number = {row: i for i, row in enumerate(sorted(set(rows)))}
    labels, groups = grouping.group(columns, sizes, records)
    assert groups == len(number)
    assert labels.tolist() == [number[row] for row in rows]


@given(code_columns())
@examples(60)
def test_packed_keys_are_equal_exactly_where_all_columns_are_and_keep_their_order(case):
    columns, sizes, records = case
    rows = rows_of(columns, records)
    keys, domain = grouping.pack(columns, sizes, records)
    assert all(0 <= key < domain for key in keys.tolist())
    assert sorted(range(records), key=lambda i: (keys[i], i)) == sorted(range(records), key=lambda i: (rows[i], i))
    assert len(set(keys.tolist())) == len(set(rows))


@given(code_columns())
@examples(80)
def test_distinct_rows_are_those_of_a_counter_in_order(case):
    columns, sizes, records = case
    counted = sorted(Counter(rows_of(columns, records)).items())
    distinct, occurrences = grouping.distinct_rows(columns, sizes, records)
    assert rows_of(distinct, len(occurrences)) == [row for row, _ in counted]
    assert occurrences.tolist() == [size for _, size in counted]
    assert occurrences.dtype == np.int64


@given(code_columns(), st.data())
@examples(60)
def test_rows_that_stand_for_several_records_are_added_up(case, data):
    columns, cardinalities, records = case
    sizes = data.draw(st.lists(st.integers(1, 9), min_size=records, max_size=records))
    counted = Counter()
    for row, size in zip(rows_of(columns, records), sizes, strict=True):
        counted[row] += size
    distinct, totals = grouping.distinct_rows(columns, cardinalities, np.array(sizes, dtype=np.int64))
    assert rows_of(distinct, len(totals)) == sorted(counted)
    assert totals.tolist() == [counted[row] for row in sorted(counted)]
    assert totals.dtype == np.int64


@pytest.mark.parametrize("columns", [2, 5, 12, 64])
def test_a_product_of_cardinalities_beyond_64_bits_does_not_overflow(columns):
    generator = np.random.default_rng(columns)
    wide = [generator.integers(2**32 - 3, 2**32, 500, dtype=np.uint32) for _ in range(columns)]
    rows = rows_of(wide, 500)
    number = {row: i for i, row in enumerate(sorted(set(rows)))}
    labels, groups = grouping.group(wide, [2**32] * columns, 500)
    assert groups == len(number)
    assert labels.tolist() == [number[row] for row in rows]
    distinct, occurrences = grouping.distinct_rows(wide, [2**32] * columns, 500)
    assert rows_of(distinct, groups) == sorted(set(rows))
    assert occurrences.tolist() == [count for _, count in sorted(Counter(rows).items())]


@pytest.mark.parametrize("records", [1, 7, 5000])
def test_one_column_far_wider_than_the_table_is_long_is_grouped_without_a_table_of_that_size(records):
    codes = np.random.default_rng(records).integers(0, 2**32, records, dtype=np.uint32)
    labels, groups = grouping.group([codes], [2**32], records)
    assert groups == len(set(codes.tolist()))
    assert np.array_equal(np.unique(codes)[labels], codes)


@pytest.mark.parametrize("cardinality", [1, 10, 10**6, 2**32])
def test_no_records_make_no_groups(cardinality):
    empty = np.zeros(0, dtype=narrowest(cardinality))
    labels, groups = grouping.group([empty, empty], [cardinality, cardinality], 0)
    assert (labels.tolist(), groups) == ([], 0)
    distinct, sizes = grouping.distinct_rows([empty, empty], [cardinality, cardinality], 0)
    assert [column.tolist() for column in distinct] == [[], []]
    assert sizes.tolist() == []


def test_records_without_columns_are_all_alike():
    labels, groups = grouping.group([], [], 3)
    assert (labels.tolist(), groups) == ([0, 0, 0], 1)
    distinct, sizes = grouping.distinct_rows([], [], 3)
    assert (distinct, sizes.tolist()) == ([], [3])


def test_columns_with_one_value_change_nothing():
    codes = np.array([4, 0, 4, 2], dtype=np.uint8)
    constant = np.zeros(4, dtype=np.uint8)
    alone = grouping.group([codes], [5], 4)[0].tolist()
    assert grouping.group([constant, codes, constant], [1, 5, 1], 4)[0].tolist() == alone == [2, 0, 2, 1]
    distinct, sizes = grouping.distinct_rows([constant, codes, constant], [1, 5, 1], 4)
    assert [column.tolist() for column in distinct] == [[0, 0, 0], [0, 2, 4], [0, 0, 0]]
    assert sizes.tolist() == [1, 1, 2]


@given(st.lists(st.tuples(st.integers(0, 6), st.integers(0, 9)), max_size=30))
@examples(50)
def test_totals_add_up_the_sizes_of_each_key(pairs):
    keys = np.array([key for key, _ in pairs], dtype=np.int64)
    sizes = np.array([size for _, size in pairs], dtype=np.int64)
    wanted = [sum(size for key, size in pairs if key == wanted) for wanted in range(7)]
    assert grouping.totals(keys, 7, sizes).tolist() == wanted


def test_totals_are_exact_for_sizes_that_add_up_to_almost_2_to_the_53():
    sizes = np.array([2**52, 2**52 - 1, 1], dtype=np.int64)
    assert grouping.totals(np.array([0, 0, 1]), 2, sizes).tolist() == [2**53 - 1, 1]


@given(st.lists(st.integers(0, 9), min_size=1, max_size=30))
@examples(50)
def test_members_names_one_record_of_each_key(keys):
    found = grouping.members(np.array(keys), 10)
    assert all(keys[found[key]] == key for key in set(keys))


@pytest.mark.parametrize(
    ("cardinality", "dtype"), [(0, "u1"), (1, "u1"), (256, "u1"), (257, "u2"), (65_536, "u2"), (65_537, "u4")]
)
def test_codes_are_as_narrow_as_the_domain_allows(cardinality, dtype):
    assert narrowest(cardinality) == np.dtype(dtype)
