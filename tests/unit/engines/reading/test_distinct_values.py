"""Different values of a column, counted by keys: the same as counting the values themselves."""

import datetime as dt
from collections import Counter
from decimal import Decimal

import numpy as np
import pyarrow as pa
import pytest

from shoal.data.people.persons import DistinctCount
from shoal.engines.reading import distinct_values
from shoal.engines.reading.distinct_values import DistinctValues


def counted(values, missing=("",)):
    seen = Counter(value for value in values if value is not None and value == value and value not in missing)
    return DistinctCount(
        sum(seen.values()), len(seen), sum(n > 1 for n in seen.values()), max(seen.values(), default=0)
    )


def of(*arrays, missing=("",)):
    found = DistinctValues(missing)
    for array in arrays:
        found.add(array)
    return found.count()


DAYS = [dt.date(1960, 2, 3), dt.date(2024, 1, 1), dt.date(1960, 2, 3), None]
COLUMNS = {
    "texts": pa.array(["a", "b", "a", "", "", None, "ab", "a\0", "ä", "a" * 5000, "a" * 5001, "?"]),
    "large texts": pa.array(["a", "b", "a", None, ""], pa.large_string()),
    "views": pa.array(["a", "b", "a", None], pa.string_view()),
    "bytes": pa.array([b"a", b"a", b"\xff", None, b""], pa.binary()),
    "whole numbers": pa.array([1, -1, 1, 2**62, None, 0, 0], pa.int64()),
    "small numbers": pa.array([1, -1, 1, None, 0, 0], pa.int8()),
    "large numbers": pa.array([2**64 - 1, 2**64 - 1, 1], pa.uint64()),
    "floats": pa.array([1.5, 1.5, 0.0, -0.0, float("nan"), float("nan"), None]),
    "short floats": pa.array([0.1, 0.1, 2.5], pa.float32()),
    "truth": pa.array([True, False, True, None]),
    "days": pa.array(DAYS),
    "instants": pa.array([5, 6, 5, None], pa.timestamp("us", "UTC")),
    "times": pa.array([dt.time(5), dt.time(5), dt.time(6)], pa.time32("s")),
    "decimals": pa.array([Decimal("1.10"), Decimal("1.10"), Decimal("1.20"), None]),
    "lists": pa.array([["a"], ["a", "b"], ["a"], None]),
    "nothing": pa.nulls(5),
    "no rows": pa.array([], pa.string()),
}


@pytest.mark.parametrize("array", COLUMNS.values(), ids=COLUMNS)
def test_every_kind_of_value_is_counted_as_a_dictionary_of_python_counts_it(array):
    values = [str(value) if isinstance(value, list) else value for value in array.to_pylist()]
    missing = ("", "?")
    expected = counted(values, missing)
    assert of(array, missing=missing) == expected
    assert of(array.slice(0, 2), array.slice(2), missing=missing) == expected
    assert of(array.slice(1), missing=missing) == counted(values[1:], missing)


def test_coded_texts_are_counted_as_plain_ones():
    plain = pa.array(["a", "b", None, "a", "", "c"])
    coded = pa.DictionaryArray.from_arrays(pa.array([0, 1, None, 0, 2, 3]), pa.array(["a", "b", "", "c"]))
    assert of(plain) == of(coded) == DistinctCount(4, 3, 1, 2)
    assert of(plain, coded) == DistinctCount(8, 3, 3, 4)
    absent = pa.DictionaryArray.from_arrays(pa.array([0, 1, 0]), pa.array(["a", None]))
    assert of(absent) == DistinctCount(2, 1, 1, 2)


def test_many_batches_are_counted_as_one(monkeypatch):
    monkeypatch.setattr(distinct_values, "_WAITING", 50)
    monkeypatch.setattr(distinct_values, "_TEXTS_AT_ONCE", 7)
    draws = np.random.default_rng(3).integers(0, 400, size=1000)
    values = [f"person {draw}" for draw in draws]
    batches = [pa.array(values[i : i + 90]) for i in range(0, 1000, 90)]
    assert of(*batches) == counted(values)


def test_different_texts_have_different_keys():
    values = [f"{i:07}" for i in range(200_000)] + [f"{i}" for i in range(200_000)] + ["x" * i for i in range(1, 300)]
    assert of(pa.array(values)) == counted(values)


@pytest.mark.parametrize(
    ("count", "is_nearly"),
    [
        (DistinctCount(20, 19, 1), True),
        (DistinctCount(19, 19, 0), False),
        (DistinctCount(20, 18, 2), False),
        (DistinctCount(1000, 901, 99), True),
    ],
)
def test_nearly_unique_is_over_nine_tenths_of_twenty_and_more(count, is_nearly):
    assert count.is_nearly_unique is is_nearly
