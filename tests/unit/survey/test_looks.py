import datetime as dt

import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from shoal.data.domain import Categorical, Dates, Grid
from shoal.data.schema import Role, Schema
from shoal.engines.reading.source import TableSource
from shoal.errors import DataError
from shoal.survey.kinds import Kind, days_otherwise, numbers_otherwise
from shoal.survey.looks import guess_schema, survey
from shoal.survey.names.words import role_by_name, words

QUASI, SENSITIVE, IDENTIFIER = Role.QUASI_IDENTIFIER, Role.SENSITIVE, Role.IDENTIFIER


def look(name, values, **options):
    return survey(TableSource(pa.table({name: values})), **options).columns[0]


@pytest.mark.parametrize(
    ("name", "role"),
    [
        ("id", IDENTIFIER),
        ("Patient_ID", IDENTIFIER),
        ("customerNumber", IDENTIFIER),
        ("first name", IDENTIFIER),
        ("E-Mail", IDENTIFIER),
        ("social security no.", IDENTIFIER),
        ("Nachname", IDENTIFIER),
        ("Prénom", IDENTIFIER),
        ("Teléfono", IDENTIFIER),
        ("AGE", QUASI),
        ("zip5", QUASI),
        ("dateOfBirth", QUASI),
        ("Geburtsdatum", QUASI),
        ("Code postal", QUASI),
        ("marital-status", QUASI),
        ("city_name", QUASI),
        ("state id", QUASI),
        ("Año de nacimiento", QUASI),
        ("age_at_diagnosis", QUASI),
        ("diagnosis", SENSITIVE),
        ("ICD-10", SENSITIVE),
        ("monthly_income", SENSITIVE),
        ("salary-class", SENSITIVE),
        ("Einkommen", SENSITIVE),
        ("religion", SENSITIVE),
        ("maladie", SENSITIVE),
    ],
)
def test_a_name_says_the_role(name, role):
    assert role_by_name(name)[0] is role


@pytest.mark.parametrize("name", ["", "x1", "Key1", "idiom", "number_of_visits", "usage", "package", "column", "列"])
def test_a_name_says_nothing_unless_a_whole_word_does(name):
    assert role_by_name(name) is None


def test_names_are_split_at_signs_digits_and_capitals():
    assert words("HTTPServer_v2-lastSeen") == ["http", "server", "v", "last", "seen"]


def test_an_unknown_column_is_taken_for_a_quasi_identifier_and_nothing_for_insensitive():
    frame = {"x": ["a", "b"] * 10, "y": [1.5, 2.5] * 10, "z": [True, False] * 10, "age": [1, 2] * 10}
    looks = survey(TableSource(pa.table(frame))).columns
    assert {look.role for look in looks} == {QUASI}
    assert "to be careful" in looks[0].reason
    assert "'age'" in looks[3].reason


def test_text_that_differs_in_nearly_every_record_is_an_identifier_even_under_a_sensitive_name():
    assert look("note", [f"text {i}" for i in range(50)]).role is IDENTIFIER
    assert look("diagnosis", [f"text {i}" for i in range(50)]).role is IDENTIFIER
    assert look("occupation", [f"text {i}" for i in range(50)]).role is QUASI
    assert look("note", ["a", "b"] * 25).role is QUASI


def test_consecutive_integers_and_long_unique_numbers_are_identifiers_and_measurements_are_not():
    assert look("x", list(range(1000, 1100))).role is IDENTIFIER
    assert look("x", [10_000_000 + 7919 * i for i in range(100)]).role is IDENTIFIER
    assert look("x", [7919 * i for i in range(100)]).role is QUASI
    assert look("x", [i / 8 for i in range(100)]).role is QUASI
    assert look("year", list(range(1900, 2000))).role is QUASI


def test_uniqueness_says_nothing_about_a_handful_of_records():
    assert look("town", ["A", "B", "C"]).role is QUASI
    assert look("x", [1, 2, 3]).role is QUASI


def test_numbers_are_kept_on_the_coarsest_grid_that_holds_them():
    seen = look("x", ["10", "25", "5", "40"])
    assert (seen.kind, seen.distinct, seen.missing) == (Kind.NUMBERS, 4, 0)
    assert seen.domain == Grid.between(5, 40, 5, origin=seen.domain.origin)
    assert look("x", ["0.25", "1.50"]).domain.number(look("x", ["0.25", "1.50"]).domain.step) == "0.25"
    assert look("x", ["-3", "0", "4"]).domain.labels([0, 7]) == ["-3", "4"]
    assert look("x", [" 7", "8 "]).domain.steps == 1


@pytest.mark.parametrize(
    "values",
    [["0.123456789", "900000000.5"], ["1e-7", "2.5e-3"], ["3,14", "2,7"], [str(2**60), str(2**60 + 5)]],
)
def test_numbers_that_fit_no_grid_are_still_numbers(values):
    seen = look("x", values)
    assert seen.kind is Kind.NUMBERS
    assert seen.domain is None
    assert numbers_otherwise(values) is not None


def test_days_are_dates_in_text_and_in_columns_of_dates_and_times():
    days = [dt.date(2020, 1, 5), dt.date(2021, 2, 3)]
    for values in (pa.array(days), [day.isoformat() for day in days], pa.array(days).cast(pa.timestamp("us"))):
        seen = look("x", values)
        assert seen.kind is Kind.DATES
        assert isinstance(seen.domain, Dates)
        assert (seen.domain.first, seen.domain.last) == tuple(days)


def test_days_written_otherwise_are_read_where_day_and_month_can_be_told_apart():
    assert days_otherwise(["31.12.2024", "01.02.2023"]) == [("2024-12", "2024"), ("2023-02", "2023")]
    assert days_otherwise(["12/31/2024", "2/1/2023"]) == [("2024-12", "2024"), ("2023-02", "2023")]
    assert days_otherwise(["01/02/2023"]) == [("2023",)]
    assert days_otherwise(["2024-12-31 23:59"]) == [("2024-12-31", "2024-12", "2024")]
    assert days_otherwise(["31.12.2024", "soon"]) is None
    assert look("x", ["31.12.2024", "01.02.2023"]).kind is Kind.DATES


@pytest.mark.parametrize(
    ("name", "values", "kind"),
    [
        ("x", ["00501", "10115"], Kind.CODES),
        ("zip", ["10115", "20095"], Kind.CODES),
        ("zip", [10115, 20095], Kind.CODES),
        ("x", ["10115", "20095"], Kind.NUMBERS),
        ("postcode", ["SW1A 1AA", "N1 9GU"], Kind.CODES),
        ("icd", ["J45.1", "I21"], Kind.CODES),
        ("code", ["red", "blue"], Kind.CATEGORIES),
        ("x", ["0", "1"], Kind.NUMBERS),
    ],
)
def test_codes_are_digits_with_leading_zeros_or_what_is_called_a_code(name, values, kind):
    assert look(name, values).kind is kind


def test_texts_for_missing_values_are_found_and_counted():
    table = pa.table({"x": ["1", "", "?", "3"], "y": ["a", "b", "b", None], "z": ["NA", "NA", "NA", "NA"]})
    seen = survey(TableSource(table))
    assert seen.missing_tokens == ("", "?", "NA")
    assert [look.missing for look in seen.columns] == [2, 1, 4]
    assert seen.columns[0].kind is Kind.NUMBERS
    assert seen.columns[1].missing_share == 0.25
    assert seen.columns[1].largest_share == 0.5
    assert seen.columns[2].distinct == 0


def test_not_a_number_is_a_missing_value():
    seen = look("x", pa.array([1.0, float("nan"), None, 2.0]))
    assert (seen.missing, seen.distinct) == (2, 2)


def test_values_are_counted_across_batches():
    table = pa.concat_tables([pa.table({"x": ["a", "b"]}), pa.table({"x": ["c", "b"]}), pa.table({"x": ["b", None]})])
    seen = survey(TableSource(table)).columns[0]
    assert (seen.records, seen.missing, sorted(seen.values)) == (6, 1, ["a", "b", "c"])
    assert seen.largest_share == 0.5


def batches(*parts):
    return survey(TableSource(pa.concat_tables([pa.table({"x": part}) for part in parts])), most_values=10).columns[0]


def test_beyond_the_limit_only_the_range_is_remembered():
    seen = batches([str(i) for i in range(20)], ["500", "?", None], ["-3"])
    assert (seen.is_complete, seen.distinct) == (False, 10)
    assert seen.domain.labels([0, seen.domain.steps]) == ["-3", "500"]
    assert seen.missing == 2
    assert (seen.role, seen.kind) == (QUASI, Kind.NUMBERS)


def test_beyond_the_limit_integers_dates_and_decimals_widen_too():
    assert batches(list(range(0, 100, 5)), [-7, None]).domain.labels([0]) == ["-7"]
    assert batches([i / 4 for i in range(20)], [0.125, float("nan")]).missing == 1
    days = [dt.date(2020, 1, 1) + dt.timedelta(days=i) for i in range(20)]
    assert batches(days, [dt.date(2024, 2, 29)]).domain.last == dt.date(2024, 2, 29)
    assert batches([i / 4 for i in range(20)], [1e9 + 0.123]).domain is None


def test_beyond_the_limit_what_cannot_be_generalized_is_dropped():
    for later in (["word"], ["1", "x"]):
        seen = batches([str(7 * (i % 15)) for i in range(60)], later)
        assert seen.role is Role.DROPPED
        assert "too many to generalize" in seen.reason
        assert isinstance(seen.domain, Categorical)


def test_columns_that_cannot_be_generalized_are_dropped_and_said_so():
    table = pa.table({"list": [[1], [2]], "bytes": [b"\xff", b"a"], "age": [1, 2]})
    seen = survey(TableSource(table)).columns
    assert [look.role for look in seen] == [Role.DROPPED, Role.DROPPED, QUASI]
    assert "cannot be generalized" in seen[0].reason


@pytest.mark.parametrize("most", [10, 1000])
def test_repeated_identifiers_are_counted_whether_or_not_all_their_values_are_remembered(most):
    names = [f"person {max(i, 3)}" for i in range(99)] + ["", "?", "?", "person 98"]
    (look,) = survey(TableSource(pa.table({"patient_id": names})), most_values=most).columns
    assert look.is_complete is (most == 1000)
    assert look.role is IDENTIFIER
    assert look.repeated == 2
    assert (look.most, look.values_seen, look.average) == (4, 96, 100 / 96)


def test_an_empty_table_is_refused():
    with pytest.raises(DataError, match="no records"):
        survey(TableSource(pa.table({"x": pa.array([], type=pa.string())})))


@pytest.mark.parametrize("kind", [pd.DataFrame, pl.DataFrame, pa.table])
def test_a_schema_is_guessed_for_any_frame_and_leaves_domains_to_be_observed(kind):
    frame = kind({"patient_id": [1, 2, 3], "age": [31, 40, 52], "diagnosis": ["flu", "cold", "flu"]})
    schema = Schema.infer(frame)
    assert schema == guess_schema(frame)
    assert [column.role for column in schema] == [IDENTIFIER, QUASI, SENSITIVE]
    assert all(column.domain is None and column.hierarchy is None for column in schema)
