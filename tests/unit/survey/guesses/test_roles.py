"""What columns are guessed to be: by name in a dozen languages, by how values are written, by topic."""

import random

import pyarrow as pa
import pytest

from shoal import Role, Schema
from shoal.data.hierarchies.build import Flat
from shoal.engines.reading.source import TableSource
from shoal.survey.guesses.patterns import iban, luhn
from shoal.survey.kinds import Kind
from shoal.survey.levels import propose_levels
from shoal.survey.looks import survey
from shoal.survey.names.topics import TOPICS
from shoal.survey.names.words import role_by_name, words

QUASI, SENSITIVE, IDENTIFIER = Role.QUASI_IDENTIFIER, Role.SENSITIVE, Role.IDENTIFIER


def look(name, values):
    return survey(TableSource(pa.table({name: values}))).columns[0]


@pytest.mark.parametrize(
    ("role", "names"),
    [
        (
            IDENTIFIER,
            (
                "fake_first_name PID seqn SEQN PatientID hashed_customer_id mother_name Nachname prénom Apellidos "
                "Cognome codice_fiscale CPF voornaam nazwisko PESEL příjmení personnummer soyadı Имя 姓名 e-mail"
            ),
        ),
        (
            QUASI,
            (
                "dateofbirth birthyear countryofbirth maritalstatus Geburtsdatum naissance edad sesso idade leeftijd "
                "wiek věk ålder yaş возраст 年龄 生年月日 race nationalité age_at_diagnosis surgery_date hospital_name"
            ),
        ),
        (
            SENSITIVE,
            (
                "birthcontrol hiv_status disease_state test_result sexual_orientation religious affairs vote union "
                "arrest prio drinks income Einkommen salaire reddito bmi sbp HbA1c genotype ICD10 capital-gain"
            ),
        ),
    ],
)
def test_names_say_roles_by_whole_words(role, names):
    assert {name: role_by_name(name) and role_by_name(name).role for name in names.split()} == dict.fromkeys(
        names.split(), role
    )


@pytest.mark.parametrize("name", ["phone_type", "has_email", "mobile_usage", "number_of_visits", "product_id"])
def test_a_name_about_an_identifier_is_none(name):
    meaning = role_by_name(name)
    assert meaning is None or meaning.role is not IDENTIFIER


def test_words_written_together_are_parted_only_if_all_of_them_are_known():
    assert words("maritalstatus") == ["marital", "status"]
    assert words("countryofbirth") == ["country", "of", "birth"]
    assert words("mileage") == ["mileage"]


def test_every_topic_says_who_calls_it_delicate_and_the_reason_repeats_it():
    assert all(topic.source for topic in TOPICS)
    assert "(crime and justice: Art. 10 GDPR)" in look("arrests", [0, 1, 2] * 5).reason


def digits(count, seed):
    return "".join(random.Random(seed).choices("0123456789", k=count))


def with_luhn(number):
    return next(f"{number}{d}" for d in range(10) if luhn(f"{number}{d}"))


def with_iban(number):
    return next(f"DE{check:02}{number}" for check in range(100) if iban(f"DE{check:02}{number}"))


MANY = range(40)


@pytest.mark.parametrize(
    ("written", "values"),
    [
        ("mail", [f"someone{i}@example.org" for i in MANY]),
        ("phones", [f"+49 30 {1000 + i} {i:03}" for i in MANY]),
        ("phones", [f"(555) 123-{4000 + i}" for i in MANY]),
        ("IBAN", [with_iban(digits(18, i)) for i in MANY]),
        ("cards", [with_luhn(digits(15, i)) for i in MANY]),
        ("social security", [f"123-45-{1000 + i}" for i in MANY]),
        ("IP", [f"10.0.{i}.7" for i in MANY]),
        ("IP", [f"2001:db8::{i + 1:x}" for i in MANY]),
        ("UUID", [f"123e4567-e89b-12d3-a456-{i:012}" for i in MANY]),
        ("map", [f"52.52{i:02}1, 13.40{i:02}5" for i in MANY]),
        ("names of persons", [f"Maier{chr(97 + i % 26)}, Mrs. Anna" for i in MANY]),
        ("Spanish", [f"{n:08}{'TRWAGMYFPDXBNJZSQVHLCKE'[n % 23]}" for n in range(12345000, 12345040)]),
    ],
)
def test_values_that_are_written_as_identifiers_are_dropped(written, values):
    seen = look("v", values + values)
    assert seen.role is IDENTIFIER
    assert written in seen.reason
    mostly = look("v", [*values, "x", "y", "z"] * 2)
    assert f"written as {written}" not in mostly.reason  # 40 of 43 are not enough


@pytest.mark.parametrize(
    "values",
    [
        [digits(16, i) for i in MANY],
        [digits(11, i) for i in MANY],
        [digits(9, i) for i in MANY],
        [f"0.{digits(7, i)}" for i in MANY],
        [f"{1900 + i}-{1950 + i}" for i in MANY],
        [f"{1 + i}.000.000" for i in MANY],
        [f"New Town {chr(65 + i % 26)}" for i in MANY],
    ],
)
def test_numbers_that_are_none_are_not_taken_for_identifiers_by_their_form(values):
    assert "written as" not in look("v", values + values).reason


def test_names_of_persons_are_known_by_common_given_names():
    given = [
        "john", "mary", "peter", "anna", "jose", "maria", "ali", "wei", "olga", "ivan", "emma", "carlos", "laura",
        "hans", "marie", "paul", "ruth", "jack", "lisa", "mark",
    ]  # fmt: skip
    assert look("leader", [f"{name.title()} Q. Somebody" for name in given] * 3).role is Role.DROPPED
    assert look("leader", [f"{name.title()} Q. Somebody" for name in given]).role is IDENTIFIER
    assert look("thing", [f"{chr(97 + i)}lorp" for i in range(25)] * 3).role is QUASI


def test_a_name_that_several_persons_share_is_no_reason_for_doubt_where_records_are_told_apart():
    shared = {"name": ["Ann", "Bob"] * 20, "email": [f"{i}@x.org" for i in range(40)]}
    assert [look.role for look in survey(TableSource(pa.table(shared))).columns] == [Role.DROPPED, IDENTIFIER]
    assert look("name", ["Ann", "Bob"] * 20).role is IDENTIFIER


def test_namibia_is_no_missing_value_among_countries():
    countries = ["NA", "DE", "FR", "KE", "US", "PE", "JP", "IN"] * 3
    assert "NA" not in survey(TableSource(pa.table({"origin": countries}))).missing_tokens
    assert "NA" in survey(TableSource(pa.table({"origin": countries, "x": ["NA", "a", "b", "c"] * 6}))).missing_tokens


def test_free_text_is_dropped_and_names_of_things_are_not():
    note = "the patient was seen on the ward and complained about the food number {}"
    assert "free text" in look("v", [note.format(i % 30) for i in range(90)]).reason
    assert look("v", ["Bachelor of science in engineering", "Master of arts"] * 20).role is QUASI


def test_exact_coordinates_point_at_homes():
    assert look("lat", [52.0 + i / 7919 for i in range(100)]).role is IDENTIFIER
    assert look("lat", [52.5, 53.0, 51.5] * 20).role is QUASI


@pytest.mark.parametrize(
    ("name", "values", "kind"),
    [
        ("q_12", [1, 2, 3, 4, 5, 6], Kind.CATEGORIES),
        ("job type", [1, 2, 9], Kind.CATEGORIES),
        ("occupation", [1.0, 2.0, 5.0], Kind.CATEGORIES),
        ("state", list(range(1, 52)), Kind.CATEGORIES),
        ("type_count", [1, 2, 3], Kind.NUMBERS),
        ("group", list(range(40)), Kind.NUMBERS),
        ("group", [0.5, 1.5, 2.5], Kind.NUMBERS),
        ("status", [-1, 0, 1], Kind.NUMBERS),
        ("age_group", [1, 2, 3], Kind.NUMBERS),
    ],
)
def test_whole_numbers_that_name_things_are_categories(name, values, kind):
    seen = look(name, values * 4)
    assert seen.kind is kind
    if kind is Kind.CATEGORIES and seen.role is QUASI and len(values) < 11:
        assert propose_levels(seen).inline == "{ flat = true }"  # in no order


def test_a_schema_from_a_frame_keeps_or_hides_numbers_that_name_things():
    schema = Schema.infer(pa.table({"region": [1, 2, 3] * 9, "age": [30, 40, 50] * 9}))
    assert [column.hierarchy for column in schema] == [Flat(), None]


def test_among_columns_about_health_others_speak_of_it_too():
    columns = {"status": [0, 1] * 10, "ast": [1, 2] * 10, "residence": ["a", "b"] * 10}
    alone = survey(TableSource(pa.table(columns))).columns
    among = survey(TableSource(pa.table({**columns, "chol": [1, 2] * 10, "hiv": [0, 1] * 10}))).columns
    assert [look.role for look in alone] == [QUASI] * 3
    assert [look.role for look in among] == [SENSITIVE, SENSITIVE, QUASI, SENSITIVE, SENSITIVE]


def test_results_and_diagnoses_are_sensitive_whatever_their_column_is_called():
    assert look("v", ["Positive", "negative"] * 9).role is SENSITIVE
    assert look("v", ["E11.9", "I10", "J45.909", "C50.911", "F32.9", "M54.5", "N39.0"] * 9).role is SENSITIVE


def test_numbers_that_each_stand_in_as_many_records_tell_persons_apart():
    assert look("nr", [i // 4 * 3 for i in range(400)]).role is Role.PERSON


STATES = ["NY", "TX", "CA", "OH", "FL", "WA", "DC"]


@pytest.mark.parametrize(
    ("name", "values", "inline"),
    [
        ("x", STATES, '{ standard = "us-state" }'),
        ("country", ["DE", "FR", "CA"], '{ standard = "country-alpha2" }'),
        ("state", ["DE", "PA", "CA"], '{ standard = "us-state" }'),
        ("x", ["NO", "SI"], ""),
        ("x", ["AM", "PM"], ""),
        ("nation", ["Germany", "South Korea", "United States"], '{ standard = "country-name" }'),
        ("nace", ["01", "62", "86"], '{ standard = "nace2", level = "division" }'),
        ("naics_code", [111110, 541511, 622110], '{ standard = "naics2022" }'),
        ("x", [2011, 2012, 2013], "{ flat = true }"),
        ("age", list(range(18, 80)), '{ standard = "age" }'),
        ("age", list(range(18, 26)), "{ intervals = [2, 4] }"),
    ],
)
def test_a_public_list_is_proposed_where_all_values_are_on_it(name, values, inline):
    levels = propose_levels(look(name, values * 3))
    assert levels.inline == inline
    assert levels.is_declared is ("standard" in inline)


def test_where_some_values_are_on_no_list_the_file_says_so():
    names = ["Germany", "France", "Spain", "Italy", "Kenya", "Chile", "Japan", "India", "Brazil", "Peru"] * 2
    more = ["Ghana", "Mali", "Togo", "Chad", "Niger", "Egypt", "Cuba", "Haiti", "Iran", "Iraq", "Atlantis"]
    levels = propose_levels(look("country", (names + more) * 3))
    assert ("Atlantis", "not on the list", "not on the list", "not on the list", "*") in levels.rows
    assert ("Kenya", "Eastern Africa", "Sub-Saharan Africa", "Africa", "*") in levels.rows
    assert "1 of the values" in levels.why


@pytest.mark.parametrize(
    ("name", "values", "role"),
    [
        ("Comments", ["fine", "see file", "call back"], Role.DROPPED),
        ("Bemerkung", ["gut", "schlecht", "siehe Akte"], Role.DROPPED),
        ("comments_enabled", ["yes", "no", "yes"], Role.QUASI_IDENTIFIER),
        ("comments", ["3", "4", "5"], Role.QUASI_IDENTIFIER),
        ("D.O.B.", ["1980-01-31", "1981-02-01", "1982-05-05"], Role.QUASI_IDENTIFIER),
        ("S.S.N.", ["a1", "b2", "c3"], Role.IDENTIFIER),
    ],
)
def test_comments_and_initials_in_names(name, values, role):
    found = look(name, values * 40)
    assert found.role is role
    assert ("people wrote what they liked" in found.reason) is (role is Role.DROPPED)
    assert ("'dob'" in found.reason) is (name == "D.O.B.")
