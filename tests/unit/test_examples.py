import csv
from collections import Counter
from hashlib import sha256

import pytest

from shoal.data.domain import Origin
from shoal.data.schema import Role
from shoal.engines.codes.encoding import encode
from shoal.engines.local import LocalEngine
from shoal.engines.reading.source import open_source
from shoal.errors import OutputError
from shoal.examples import write_example
from shoal.examples.patients import COLUMNS, DIAGNOSES, patients, zip_codes
from shoal.plan.plan import Plan


@pytest.fixture(scope="module")
def example(tmp_path_factory):
    return write_example(tmp_path_factory.mktemp("example") / "new")


@pytest.fixture(scope="module")
def records():
    return [dict(zip(COLUMNS, record, strict=True)) for record in patients(5000)]


@pytest.fixture(scope="module")
def counted(example):
    plan = Plan.load(example)
    engine = LocalEngine(open_source(plan.data.path), plan.data.missing)
    return plan, encode(engine, plan.schema, plan.method.counted(plan.schema))


def test_every_value_is_in_a_declared_domain(counted):
    plan, table = counted
    assert table.total == 5000
    assert all(attribute.domain.origin is Origin.DECLARED for attribute in table.attributes)
    assert plan.schema.names(Role.SENSITIVE) == ("diagnosis",)


def test_the_optimum_keeps_something_in_every_column(counted):
    plan, table = counted
    outcome = plan.method.run(table)
    for attribute in table.quasi_identifiers:
        assert outcome.recoding.levels[attribute.name] < attribute.hierarchy.height, attribute.name
    assert 0 < outcome.published.suppressed <= 250


def test_the_hierarchies_cover_what_can_be_drawn_and_are_ragged(counted):
    _, table = counted
    assert set(table["diagnosis"].domain.values) == set(DIAGNOSES)
    assert set(table["zip"].domain.values) == set(zip_codes())
    for name in ("diagnosis", "occupation"):
        hierarchy = table[name].hierarchy
        assert (hierarchy.up[1] == hierarchy.up[0]).any()
    assert (table.marginal("diagnosis") > 0).all()


def test_the_same_patients_come_every_time_and_everywhere(example):
    text = (example.parent / "patients.csv").read_bytes()
    assert sha256(text).hexdigest() == "59559944bb973bd23a27921741296a2f8a9b518ba4f889c98010720cd6758b9a"
    assert list(patients(50)) == list(patients(60))[:50]
    assert list(patients(50, seed=1)) != list(patients(50))


def test_an_existing_example_is_not_overwritten_without_force(example):
    with pytest.raises(OutputError, match="exist already"):
        write_example(example.parent)
    assert write_example(example.parent, force=True) == example


def test_the_size_can_be_chosen(tmp_path):
    with (write_example(tmp_path, 20).parent / "patients.csv").open(encoding="utf-8") as file:
        assert len(list(csv.reader(file))) == 21


def share(records, diagnosis, condition):
    chosen = [record for record in records if condition(record)]
    return sum(record["diagnosis"] == diagnosis for record in chosen) / len(chosen)


def test_age_sex_and_season_move_the_diagnosis(records):
    def is_old(record):
        return int(record["age"]) >= 65

    assert share(records, "Hip fracture", is_old) > 5 * share(records, "Hip fracture", lambda r: not is_old(r))
    assert share(records, "Childbirth", lambda r: r["sex"] == "male") == 0
    assert share(records, "Prostate cancer", lambda r: r["sex"] == "female") == 0
    assert share(records, "Pneumonia", lambda r: r["admission_date"][5:7] in ("12", "01", "02")) > 1.4 * share(
        records, "Pneumonia", lambda r: r["admission_date"][5:7] in ("06", "07", "08")
    )


def test_age_moves_the_occupation_and_occupation_the_insurance(records):
    assert {r["occupation"] for r in records if int(r["age"]) < 6} <= {"Child", ""}
    assert all(int(r["age"]) >= 58 for r in records if r["occupation"] == "Retired")
    private = Counter(r["occupation"] for r in records if r["insurance"] == "private")
    every = Counter(r["occupation"] for r in records)
    assert private["Engineer"] / every["Engineer"] > 10 * private["Retired"] / every["Retired"]


def test_long_stays_go_with_grave_diagnoses(records):
    days = {name: [int(r["length_of_stay"]) for r in records if r["diagnosis"] == name] for name in DIAGNOSES}
    mean = {name: sum(stays) / len(stays) for name, stays in days.items()}
    assert mean["Depression"] > mean["Hip fracture"] > mean["Concussion"]


def test_regions_differ_in_size_and_some_values_are_missing(records):
    regions = Counter(zip_codes()[r["zip"]][0] for r in records)
    assert len(regions) == 12
    assert max(regions.values()) > 15 * min(regions.values())
    assert 0 < sum(not r["occupation"] for r in records) < 250
    assert 0 < sum(not r["insurance"] for r in records) < 250
