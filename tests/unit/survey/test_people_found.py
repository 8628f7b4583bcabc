"""What tells persons and households apart, and what are weights: found by name and by how values repeat."""

import pyarrow as pa
import pytest

from shoal import Role, Schema
from shoal.engines.reading.source import TableSource
from shoal.survey.looks import survey
from shoal.survey.names.words import Named, household_name, person_name, weight_name
from shoal.survey.people import people_lines

AGES = [30 + i % 17 for i in range(60)]


def roles(**columns):
    return {look.name: look.role.value for look in survey(TableSource(pa.table(columns))).columns}


def lines(**columns):
    return people_lines(survey(TableSource(pa.table(columns))).columns)


@pytest.mark.parametrize("name", ["subject_id", "id", "PatientID", "pid", "usubjid", "mrn", "Subject", "patient_nr"])
def test_an_identifier_that_repeats_tells_persons_apart_and_says_how_often(name):
    (line,) = lines(**{name: [str(i // 3) for i in range(60)], "age": AGES})
    assert line.startswith(f'person = "{name}"  # tells persons apart: 20 different values in 60 records, 3 each')
    assert "3 at most" in line


def test_of_several_the_one_that_divides_nobody_is_taken():
    found = roles(patient_id=[i // 3 for i in range(60)], case_id=[i // 2 for i in range(60)], age=AGES)
    assert found == {"patient_id": "person", "case_id": "identifier", "age": "quasi-identifier"}


@pytest.mark.parametrize("name", ["name", "phone", "street", "record_id"])
def test_what_several_persons_may_share_is_left_to_the_owner(name):
    (line,) = lines(**{name: [f"x{i // 2}" for i in range(60)], "age": AGES})
    assert line.startswith(f'# person = "{name}"  # if it tells persons apart, remove the #: 30 values')


def test_an_identifier_with_missing_values_is_left_to_the_owner():
    (line,) = lines(patient_id=["", *(str(i // 2) for i in range(59))], age=AGES)
    assert line.startswith('# person = "patient_id"')


@pytest.mark.parametrize("name", ["hh", "hhid", "household_id", "Haushalt", "ménage", "hhnr", "family_id"])
def test_households_are_found_by_name_where_values_repeat_as_theirs_do(name):
    found = lines(**{name: [f"h{i // 3}" for i in range(60)], "id": list(range(60)), "age": AGES})
    assert found[1].startswith(f'household = "{name}"  # tells households apart: 20 different values in 60 records')
    assert found[2].startswith('# protect = "household"')


def test_how_many_live_in_a_household_tells_none_apart():
    assert roles(household=[1 + i % 2 for i in range(60)], age=AGES)["household"] == "quasi-identifier"
    assert roles(household_size=[f"{i // 3}" for i in range(60)], age=AGES)["household_size"] == "quasi-identifier"


def test_households_of_persons_with_several_records_have_more_of_them():
    """40 records of a household are ten of each of its four members."""
    table = {"pid": [i // 10 for i in range(800)], "hid": [i // 40 for i in range(800)]}
    assert roles(**table) == {"pid": "person", "hid": "household"}


@pytest.mark.parametrize("name", ["fnlwgt", "pweight", "survey_weight", "PERWT", "sampling weight"])
def test_weights_are_found_by_name(name):
    assert roles(**{name: [1.5 + i for i in range(60)], "age": AGES})[name] == "weight"
    broken = survey(TableSource(pa.table({name: [float(i) for i in range(60)]}))).columns[0]
    assert broken.role is Role.DROPPED
    assert "below 1" in broken.reason


def test_a_bare_weight_is_that_of_a_body_unless_it_is_large():
    assert roles(weight=[50 + i for i in range(60)], age=AGES)["weight"] == "quasi-identifier"
    assert roles(weight=[500 + 20 * i for i in range(60)], age=AGES)["weight"] == "weight"
    assert roles(birth_weight=[500 + 20 * i for i in range(60)])["birth_weight"] == "quasi-identifier"


def test_a_second_weight_is_dropped():
    large = [1000 + i for i in range(60)]
    assert roles(perwt=large, hhwt=large) == {"perwt": "weight", "hhwt": "dropped"}


def test_a_schema_knows_what_was_found():
    frame = pa.table(
        {"pid": [i // 2 for i in range(60)], "hid": [i // 6 for i in range(60)], "pweight": [7] * 60, "age": AGES}
    )
    schema = Schema.infer(frame)
    assert (schema.person, schema.household, schema.weight) == ("pid", "hid", "pweight")


def test_names():
    assert not person_name("age")
    assert not household_name("family")
    assert not household_name("household income")
    assert weight_name("wt") is Named.PERHAPS
    assert weight_name("birth weight") is Named.NOT


def test_a_column_of_two_values_tells_nobody_apart():
    """The number of a test, in a table of laboratory results, beside the number of its patient."""
    table = {"subject_id": [n // 2 for n in range(60)], "test_id": [n % 2 for n in range(60)], "age": [30] * 60}
    looks = {look.name: look for look in survey(TableSource(pa.table(table))).columns}
    assert looks["subject_id"].role is Role.PERSON
    assert looks["test_id"].role is not Role.PERSON


def test_names_that_many_share_stand_in_nobodys_way():
    table = {"forename": [f"n{i % 20}" for i in range(60)], "age": [30 + i % 17 for i in range(60)]}
    assert roles(**table)["forename"] == "dropped"


def test_a_handful_of_values_is_no_identifier_whatever_its_name():
    assert roles(Mobile_developer=[i % 2 for i in range(60)], age=AGES)["Mobile_developer"] == "quasi-identifier"
