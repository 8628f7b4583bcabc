"""Numbers and days that a domain does not hold, moved to the nearest that it holds."""

import datetime as dt

import pyarrow as pa
import pytest

import shoal
from shoal.engines.codes.encoding import encode
from shoal.engines.local import LocalEngine
from shoal.engines.reading.source import frame_source

QUASI = "quasi-identifier"


def clamped(values, domain, **engine):
    source, _ = frame_source(pa.table({"x": values}))
    schema = shoal.Schema(person="row").with_column("x", role=QUASI, domain=domain)
    table = encode(LocalEngine(source, **engine), schema, ["x"], absorb=True, clamp=True)
    labels = table["x"].domain.labels(table.counts.column("x").tolist())
    return dict(zip(labels, table.counts.sizes.tolist(), strict=True)), dict(table.clamped)


NUMBERS = ["-7", "2.5", "2.6", "99", "3", "1e300"]


@pytest.mark.parametrize("kind", [pa.float64(), pa.float32(), pa.string()])
def test_numbers_go_to_the_nearest_step(kind):
    texts = pa.array(NUMBERS)
    column = texts if pa.types.is_string(kind) else texts.cast(pa.float64()).cast(kind, safe=False)
    found, moved = clamped(column, (0, 10, 0.5))
    assert found == {"0": 1, "2.5": 2, "3": 1, "10": 2}
    assert moved == {"x": 4}


def test_infinite_numbers_go_to_the_ends_and_texts_that_say_so_are_no_numbers():
    infinite = pa.array([float("inf"), float("-inf"), float("nan")])
    assert clamped(infinite, (0, 10)) == ({"0": 1, "10": 1, "missing": 1}, {"x": 2})
    assert clamped(pa.array(["inf"]), (0, 10)) == ({"missing": 1}, {})


def test_whole_numbers_however_large():
    assert clamped(pa.array([-(10**18), 5, 10**18]), (0, 10)) == ({"0": 1, "5": 1, "10": 1}, {"x": 2})


@pytest.mark.parametrize("clamp", [True, False])
def test_numbers_of_thousands_of_digits_raise_no_error(clamp):
    long = ["0." + "1" * 5000, "1" * 5000, "-" + "9" * 20 + "." + "1" * 5000, "4." + "0" * 5000]
    source, _ = frame_source(pa.table({"x": pa.array(long)}))
    schema = shoal.Schema(person="row").with_column("x", role=QUASI, domain=(0, 10))
    table = encode(LocalEngine(source), schema, ["x"], absorb=True, clamp=clamp)
    labels = table["x"].domain.labels(table.counts.column("x").tolist())
    expected = {"0": 2, "4": 1, "10": 1} if clamp else {"4": 1, "missing": 3}
    assert dict(zip(labels, table.counts.sizes.tolist(), strict=True)) == expected


def test_what_is_no_number_stays_missing():
    found, moved = clamped(pa.array(["abc", "", "nan", None, "4"]), (0, 10), missing=("",))
    assert found == {"4": 1, "missing": 4}
    assert moved == {}


def test_days_go_to_the_nearest_end():
    days = [dt.date(1999, 1, 1), dt.date(2024, 1, 2), dt.date(2999, 1, 1)]
    found, moved = clamped(pa.array(days), (dt.date(2024, 1, 1), dt.date(2024, 1, 3)))
    assert found == {"2024-01-01": 1, "2024-01-02": 1, "2024-01-03": 1}
    assert moved == {"x": 2}
    assert clamped(pa.array(["yesterday"]), (dt.date(2024, 1, 1), dt.date(2024, 1, 3))) == ({"missing": 1}, {})


def test_categories_have_no_nearest():
    assert clamped(pa.array(["z", "a"]), ["a", "b"]) == ({"a": 1, "missing": 1}, {})


def test_batches_with_and_without_strays_are_counted_together():
    parts = [pa.table({"x": [1, 50]}), pa.table({"x": [2, 3]}), pa.table({"x": [60, 60]})]
    source, _ = frame_source(pa.concat_tables(parts))
    schema = shoal.Schema(person="row").with_column("x", role=QUASI, domain=(0, 10))
    table = encode(LocalEngine(source), schema, ["x"], absorb=True, clamp=True)
    assert table.clamped == {"x": 3}
    assert table.all_quasi_identifiers().clamped == {"x": 3}
