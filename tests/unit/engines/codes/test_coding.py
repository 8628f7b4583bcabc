"""Values to codes and back, whatever type they come in; one sentence for a value that has no code."""

import datetime as dt
from decimal import Decimal

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from strategies import attribute_of, categoricals, date_ranges, examples, grids

from shoal.data.domain import Categorical, Dates, Grid, Origin
from shoal.data.hierarchies.build import Balanced, Flat, Intervals
from shoal.data.shown import TreeNodes
from shoal.engines.codes.coding import OUTSIDE, UNREADABLE, Coder, as_labels, is_plain
from shoal.engines.codes.decoding import plain_type, published_values
from shoal.errors import DataError

SECRET = "SECRET123"

TYPES = {
    "int8": pa.int8(),
    "uint64": pa.uint64(),
    "float32": pa.float32(),
    "float64": pa.float64(),
    "decimal": pa.decimal128(12, 3),
    "text": pa.string(),
    "large text": pa.large_string(),
    "text view": pa.string_view(),
    "coded text": pa.dictionary(pa.int8(), pa.string()),
}


def codes(domain, values, missing=("",)):
    return Coder("x", domain, missing).codes(values, 0).tolist()


# Round trips


@pytest.mark.parametrize("kind", TYPES.values(), ids=TYPES)
@given(domain=grids(max_steps=20, decimals=(0, 2)), data=st.data())
@examples(15)
def test_numbers_of_every_type_get_the_code_of_their_label_and_come_back(kind, domain, data):
    if kind == pa.uint64() and (domain.decimals or domain.lower < 0):
        domain = Grid.between(0, 12, 3, missing=domain.has_missing)
    if kind == pa.int8() and (domain.decimals or domain.lower + domain.steps * domain.step > 127):
        domain = Grid.between(-7, 12, missing=domain.has_missing)
    wanted = data.draw(st.lists(st.integers(0, domain.size - 1), min_size=1))
    labels = [None if code == domain.missing else domain.labels([code])[0] for code in wanted]
    column = cast(pa.array(labels, pa.string()), kind)
    assert codes(domain, column) == wanted
    attribute = attribute_of("x", Flat(), domain)
    typed = type(attribute)(attribute.name, attribute.role, attribute.domain, attribute.hierarchy, column.type)
    back = published_values(typed, TreeNodes(np.array(wanted)))
    assert back.type == plain_type(kind)
    assert as_labels(back) == labels


@given(domain=date_ranges(max_days=60), data=st.data())
@pytest.mark.parametrize(
    "kind",
    [pa.date32(), pa.date64(), pa.timestamp("us"), pa.timestamp("s", tz="America/New_York"), pa.string()],
    ids=str,
)
@examples(15)
def test_days_of_every_type_get_the_code_of_their_label_and_come_back(kind, domain, data):
    wanted = data.draw(st.lists(st.integers(0, domain.size - 1), min_size=1))
    days = [None if code == domain.missing else domain.first + dt.timedelta(days=code) for code in wanted]
    column = pa.array(days, pa.date32())
    if pa.types.is_timestamp(kind) and kind.tz:
        import pyarrow.compute as pc

        column = pc.assume_timezone(column.cast(pa.timestamp("s")), kind.tz)
    else:
        column = column.cast(kind)
    assert codes(domain, column) == wanted
    attribute = attribute_of("x", Flat(), domain)
    typed = type(attribute)(attribute.name, attribute.role, attribute.domain, attribute.hierarchy, kind)
    assert published_values(typed, TreeNodes(np.array(wanted))).equals(column)


@given(domain=categoricals(), data=st.data())
@examples(40)
def test_categories_get_their_code_and_come_back(domain, data):
    wanted = data.draw(st.lists(st.integers(0, domain.size - 1), min_size=1))
    column = pa.array([None if code == domain.missing else domain.values[code] for code in wanted], pa.string())
    assert codes(domain, column) == wanted
    assert published_values(attribute_of("x", Flat(), domain), TreeNodes(np.array(wanted))).equals(column)


@given(data=st.data(), values=st.lists(st.none() | st.text("ab?", max_size=2), min_size=1), cuts=st.integers(1, 4))
@examples(40)
def test_a_coder_without_a_domain_numbers_values_as_they_come_whatever_the_batches(data, values, cuts):
    coder = Coder("x", None, ("", "?"))
    found = []
    for start in range(0, len(values), cuts):
        column = pa.array(values[start : start + cuts], pa.string())
        found += coder.codes(column.dictionary_encode() if data.draw(st.booleans()) else column, 0).tolist()
    number = {text: i for i, text in enumerate(dict.fromkeys(v for v in values if v not in (None, "", "?")), start=1)}
    assert found == [number.get(value, 0) for value in values]
    assert coder.cardinality == len(number) + 1


# Missing values


def test_missing_tokens_nulls_and_nan_are_the_same_missing_value():
    grid = Grid.between(0, 9, missing=True)
    assert codes(grid, pa.array(["3", "?", "", None]), ("?", "")) == [3, 10, 10, 10]
    assert codes(grid, pa.array([3.0, float("nan"), None])) == [3, 10, 10]
    assert codes(Categorical(("a",)).with_missing(), pa.array(["a", "", None])) == [0, 1, 1]
    assert codes(Categorical(("?", "a"), missing=0), pa.array(["a", "?", None]), ("?",)) == [1, 0, 0]


@pytest.mark.parametrize("kind", [pa.string(), pa.int64(), pa.uint8(), pa.float32(), pa.float64()], ids=str)
def test_a_number_may_stand_for_a_missing_value_in_every_type(kind):
    column = pa.array(["3", "99", "5"]).cast(kind)
    assert codes(Grid.between(0, 9, missing=True), column, ("99",)) == [3, 10, 5]
    with pytest.raises(DataError, match="record 2: the value is missing"):
        codes(Grid.between(0, 9), column, ("99",))


def test_a_token_that_is_a_declared_value_is_that_value():
    assert codes(Grid.between(0, 9, missing=True), pa.array([0, 1]), ("0",)) == [0, 1]
    assert codes(Grid.between(0, 9, missing=True), pa.array(["0", "1"]), ("0",)) == [0, 1]


@pytest.mark.parametrize("index", [pa.int8(), pa.int32()])
def test_nulls_count_as_missing_in_the_codes_and_in_the_values_of_a_coded_column(index):
    column = pa.DictionaryArray.from_arrays(pa.array([0, None, 1, 2], index), pa.array(["a", None, "b"]))
    assert codes(Categorical(("a", "b")).with_missing(), column) == [0, 2, 2, 1]
    assert Coder("x", None, ()).codes(column, 0).tolist() == [1, 0, 0, 2]


def test_a_null_beside_as_many_values_as_the_codes_can_number_is_still_missing():
    values = [str(i) for i in range(128)]
    column = pa.DictionaryArray.from_arrays(pa.array([127, None], pa.int8()), pa.array(values))
    assert codes(Categorical(tuple(values)).with_missing(), column) == [127, 128]


def test_a_column_of_nothing_but_nulls_is_missing():
    assert Coder("x", None, ()).codes(pa.nulls(2), 0).tolist() == [0, 0]
    assert codes(Grid.between(0, 1, missing=True), pa.nulls(2)) == [2, 2]


# Numbers that are not what they seem


def test_a_huge_number_is_outside_and_does_not_wrap_into_the_domain():
    grid = Grid.between(0, 99, "0.01")
    huge = [2**62, 2**63 - 1, -(2**63), (2**64) // 100]
    for number in huge:
        with pytest.raises(DataError, match="record 1: the value is not in the declared domain"):
            codes(grid, pa.array([number], pa.int64()))
    with pytest.raises(DataError, match="not in the declared domain"):
        codes(grid, pa.array([2**64 - 1], pa.uint64()))
    for text in ("99999999999999999999", "1e999999", "-1e400", "9" * 400):
        with pytest.raises(DataError, match=r"not in the declared domain \(0 to 99 in steps of 0\.01\)"):
            codes(grid, pa.array([text]))


@pytest.mark.parametrize("text", ["30.001", "30.0000000000000000000000000000000000000000001", "1e-999999", "0.005"])
def test_a_number_off_the_grid_is_refused_however_near(text):
    with pytest.raises(DataError, match="record 1: the number lies between two steps of the declared domain"):
        codes(Grid.between(0, 99, "0.01"), pa.array([text]))


@pytest.mark.parametrize(
    "values", [pa.array([1, 2]), pa.array([1.0, 2.0]), pa.array(["1", "2"])], ids=lambda a: str(a.type)
)
def test_off_the_grid_is_told_from_outside_in_every_type(values):
    with pytest.raises(DataError, match="record 2: the number lies between two steps"):
        codes(Grid.between(1, 9, 4), values)
    with pytest.raises(DataError, match=r"record 2: the value is not in the declared domain \(1 to 1 in steps of 1\)"):
        codes(Grid.between(1, 1), values)


@pytest.mark.parametrize("text", [" 30 ", "30.0", "+30", "3e1", "30.00000"])
def test_a_number_may_be_written_in_several_ways(text):
    assert codes(Grid.between(0, 99), pa.array([text])) == [30]


@pytest.mark.parametrize("number", [float("inf"), -float("inf"), 1e300])
def test_an_infinite_number_is_outside(number):
    with pytest.raises(DataError, match="not in the declared domain"):
        codes(Grid.between(0, 9), pa.array([number]))


def test_numbers_of_many_digits_stay_apart():
    near = [Decimal("1.000000000000000000000000000000000001"), Decimal("1.000000000000000000000000000000000002")]
    assert len(set(as_labels(pa.array(near, pa.decimal128(38, 36))))) == 2


def test_zero_has_one_label():
    assert set(as_labels(pa.array([0.0, -0.0]))) == {"0"}


# Refusals


@pytest.mark.parametrize(
    ("domain", "value", "sentence"),
    [
        (
            Grid.between(17, 90),
            SECRET,
            r"the value is not a number, and so not in the declared domain \(17 to 90 in steps",
        ),
        (Grid.between(17, 90), "nan", "the value is not a number"),
        (Grid.between(17, 90), "16", r"the value is not in the declared domain \(17 to 90 in steps of 1\)"),
        (Grid.between(17, 90), "17.5", "the number lies between two steps of the declared domain"),
        (
            Grid.between(17, 90),
            "",
            "the value is missing, and the declared domain has no place for that; set missing =",
        ),
        (Dates(dt.date(2020, 1, 1), dt.date(2020, 2, 1)), SECRET, "the value is not a date such as 2024-12-31"),
        (Dates(dt.date(2020, 1, 1), dt.date(2020, 2, 1)), "2020-02-30", "the value is not a date such as"),
        (
            Dates(dt.date(2020, 1, 1), dt.date(2020, 2, 1)),
            "2020-02-02",
            r"the value is not in the declared domain \(2020-01-01 to",
        ),
        (
            Categorical(("a", "b")),
            SECRET,
            "the value is not in the declared domain of 2 values; correct the record, or",
        ),
        (Categorical(("a", "b")), None, "the value is missing"),
    ],
)
def test_a_value_without_a_code_is_refused_by_column_and_record_and_not_shown(domain, value, sentence):
    good = {"Grid": "20", "Dates": "2020-01-05", "Categorical": "a"}[type(domain).__name__]
    with pytest.raises(DataError, match=rf"column 'x', record 43: {sentence}") as raised:
        Coder("x", domain, ("",)).codes(pa.array([good, good, value, good]), 40)
    assert SECRET not in str(raised.value)


def test_an_observed_domain_is_not_described_for_its_ends_are_values_of_records():
    with pytest.raises(DataError) as raised:
        codes(Grid.between(1234, 5678, origin=Origin.OBSERVED), pa.array([9]))
    assert "observed domain; correct" in str(raised.value)
    assert "1234" not in str(raised.value)


def test_text_that_is_not_utf8_is_refused_by_column():
    broken = pa.Array.from_buffers(
        pa.string(), 1, [None, pa.py_buffer(np.array([0, 2], np.int32)), pa.py_buffer(b"\xff\xfe")]
    )
    with pytest.raises(DataError, match="column 'x' holds text that is not UTF-8"):
        codes(Categorical(("a",)), broken)


@pytest.mark.parametrize(
    "kind",
    [
        pa.list_(pa.int64()),
        pa.struct([("a", pa.int64())]),
        pa.map_(pa.string(), pa.int64()),
        pa.binary(),
        pa.binary(8),
        pa.dictionary(pa.int8(), pa.binary()),
    ],
    ids=str,
)
def test_lists_records_and_bytes_are_not_plain(kind):
    assert not is_plain(kind)


@pytest.mark.parametrize(
    "kind", [*TYPES.values(), pa.bool_(), pa.null(), pa.date32(), pa.time32("s"), pa.duration("s")], ids=str
)
def test_other_values_are(kind):
    assert is_plain(kind)


# What is published


def test_above_level_0_labels_are_published_and_a_missing_value_is_null():
    attribute = attribute_of("x", Intervals((Decimal(5),)), Grid.between(0, 9, missing=True))
    level = attribute.hierarchy.levels[1]
    assert published_values(attribute, TreeNodes(level.nodes)).to_pylist() == ["0-4", "5-9", None]
    assert published_values(attribute, TreeNodes(attribute.hierarchy.levels[2].nodes)).to_pylist() == ["*"]


def test_text_without_a_type_becomes_the_numbers_and_days_it_means():
    grid = attribute_of("x", Flat(), Grid.between(0, 1, "0.5"))
    days = attribute_of("x", Flat(), Dates(dt.date(1969, 12, 31), dt.date(1970, 1, 1)))
    assert published_values(grid, TreeNodes(np.arange(3))).equals(pa.array([0.0, 0.5, 1.0]))
    assert published_values(days, TreeNodes(np.arange(2))).equals(
        pa.array([dt.date(1969, 12, 31), dt.date(1970, 1, 1)])
    )


def test_a_declared_name_that_the_type_cannot_hold_makes_the_column_text():
    attribute = attribute_of("x", Balanced(), Categorical(("1", "2", "9+")))
    typed = type(attribute)(attribute.name, attribute.role, attribute.domain, attribute.hierarchy, pa.int64())
    assert published_values(typed, TreeNodes(np.arange(3))).to_pylist() == ["1", "2", "9+"]


def cast(labels, kind):
    if pa.types.is_dictionary(kind):
        return labels.dictionary_encode().cast(kind)
    if pa.types.is_integer(kind):
        return labels.cast(pa.float64()).cast(kind)
    if pa.types.is_floating(kind):
        return labels.cast(pa.float64()).cast(kind, safe=False)
    return labels.cast(kind)


@pytest.mark.parametrize("missing", [("",), ("", "1999-12-31")])
def test_days_beside_the_domain_and_tokens_count_alike_as_days_and_as_texts(missing):
    domain = Dates(dt.date(2000, 1, 1), dt.date(2000, 1, 3)).with_missing()
    days = [dt.date(1999, 12, 31), dt.date(2000, 1, 1), dt.date(2000, 1, 3), dt.date(2000, 1, 4), dt.date.max, None]
    found = []
    for values in (pa.array(days, pa.date32()), pa.array([None if day is None else day.isoformat() for day in days])):
        where, codes = Coder("x", domain, missing).local(values)
        found.append(codes[where].tolist())
    assert found[0] == found[1]
    assert found[0][1:] == [0, 2, OUTSIDE, OUTSIDE, 3]
    assert found[0][0] == (3 if "1999-12-31" in missing else OUTSIDE)


def test_a_day_that_no_text_can_say_is_unreadable():
    days = pa.array([0, 10**7, -(10**7)], pa.int32()).cast(pa.date32())
    where, codes = Coder("x", Dates(dt.date(1970, 1, 1), dt.date(1970, 1, 3)), ()).local(days)
    assert codes[where].tolist() == [0, UNREADABLE, UNREADABLE]
