"""Minimal sample uniques, against trying every combination record by record."""

from itertools import combinations
from math import factorial, prod

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from strategies import examples

from shoal.data.counts import Counts
from shoal.errors import ParameterError, SchemaError
from shoal.risk import special_uniques
from shoal.risk.special_uniques import suda_weights

NAMES = ("a", "b", "c", "d")
ROWS = st.lists(st.tuples(*(st.integers(0, 2) for _ in NAMES)), min_size=1, max_size=25)


def counts_of(rows):
    return Counts.of(NAMES, [np.array(column) for column in zip(*rows, strict=True)], (3,) * 4)


def naive_uniques(rows, largest):
    """{record: its minimal sample uniques}."""

    def alone(row, columns):
        return sum(all(other[i] == row[i] for i in columns) for other in rows) == 1

    found = {}
    for row in rows:
        for size in range(1, largest + 1):
            for columns in combinations(range(4), size):
                parts = combinations(columns, size - 1)
                if alone(row, columns) and not any(part and alone(row, part) for part in parts):
                    found.setdefault(row, []).append(columns)
    return found


@given(rows=ROWS, largest=st.integers(1, 4))
@examples(80)
def test_every_minimal_unique_is_found_and_nothing_else(rows, largest):
    found, expected, counts = (
        special_uniques(counts_of(rows), largest=largest),
        naive_uniques(rows, largest),
        counts_of(rows),
    )
    records = [tuple(int(column[row]) for column in counts.codes) for row in found.rows]
    assert sorted(records) == sorted(expected)
    weight = {k: prod(4 - i for i in range(k, min(largest, 3) + 1)) for k in range(1, 5)}
    for i, record in enumerate(records):
        sizes = [len(columns) for columns in expected[record]]
        assert found.smallest[i] == min(sizes)
        assert found.uniques[i] == len(sizes)
        assert found.scores[i] == sum(weight[size] for size in sizes)
    tally = {}
    for uniques in expected.values():
        for columns in uniques:
            named = tuple(NAMES[c] for c in columns)
            tally[named] = tally.get(named, 0) + 1
    assert {one.columns: one.records for one in found.combinations} == tally
    assert found.share == pytest.approx(len(expected) / len(rows))
    total = sum(found.scores)
    for position, name in enumerate(NAMES):
        part = sum(weight[len(u)] for uniques in expected.values() for u in uniques if position in u)
        assert found.contributions[name] == pytest.approx(part / total if total else 0)


def test_the_most_dangerous_combination_comes_first():
    rows = [(0, 0, 0, 0), (1, 0, 0, 0), (2, 1, 0, 0), (2, 1, 1, 0), (2, 0, 1, 0), (2, 0, 1, 1), (2, 0, 0, 1)]
    found = special_uniques(counts_of(rows), largest=4)
    assert found.combinations[0].columns == ("a",)
    assert found.combinations[0].records == 2
    keys = [(len(one.columns), -one.records) for one in found.combinations]
    assert keys == sorted(keys)


def test_some_columns_alone_can_be_looked_at():
    rows = [(0, 0, 0, 0), (0, 1, 0, 0), (0, 0, 1, 2)]
    found = special_uniques(counts_of(rows), ["b", "a"], largest=9)
    assert found.columns == ("b", "a")
    assert [one.columns for one in found.combinations] == [("b",)]


def test_a_unique_of_k_of_all_columns_weighs_their_factorial():
    """Elliot, Manning & Ford 2002: (ATT − k)! where all sizes up to ATT − 1 are looked at."""
    assert suda_weights(6, 5) == {k: factorial(6 - k) for k in range(1, 6)}
    assert suda_weights(5, 3) == {1: 4 * 3 * 2, 2: 3 * 2, 3: 2}
    assert suda_weights(3, 3)[3] == 1


def test_bad_requests_are_refused():
    counts = counts_of([(0, 0, 0, 0)])
    with pytest.raises(SchemaError, match="no column 'job' among 'a', 'b', 'c', 'd'"):
        special_uniques(counts, ["job"])
    with pytest.raises(ParameterError, match="largest is a number of columns"):
        special_uniques(counts, largest=0)
    names = tuple(f"c{i}" for i in range(60))
    many = Counts.of(names, [np.zeros(2, int)] * 60, (1,) * 60)
    with pytest.raises(ParameterError, match=r"60 columns have 36,050 combinations .*fewer columns"):
        special_uniques(many, largest=3)
