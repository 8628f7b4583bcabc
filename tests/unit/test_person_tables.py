"""Tables in which a person may have several records, from a frame to a certificate."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import shoal
from shoal.data.unit import Unit
from shoal.errors import DataError, SchemaError
from shoal.promises.checking import check_release
from shoal.promises.guarantee import Basis

VISITS = pd.DataFrame(
    {
        "who": ["a", "a", "b", "b", "c", "c", "d", "d"],
        "age": [31, 31, 38, 38, 52, 52, 55, 55],
        "ill": ["flu", "flu", "cold", "cold", "flu", "cold", "flu", "flu"],
    }
)
SCHEMA = (
    shoal.Schema(person="who")
    .with_column("age", role="quasi-identifier", domain=(0, 99), hierarchy=shoal.intervals(10, 20))
    .with_column("ill", role="sensitive")
)


def persons_of(release: shoal.Release, column: str = "age") -> list[int]:
    """How many persons each published class has, from the intervals that are published."""
    counted = []
    for label in sorted(set(release.data[column])):
        low, high = (int(part) for part in str(label).split("-"))
        counted.append(VISITS[VISITS.age.between(low, high)].who.nunique())
    return counted


@pytest.mark.parametrize("method", [shoal.OptimalLattice, shoal.OLA], ids=lambda kind: kind.name)
def test_classes_have_k_persons_where_k_records_would_be_fewer(method: type) -> None:
    request = method(k=2, suppression_limit=0)
    release = request.anonymize(VISITS, SCHEMA)
    assert "who" not in release.data.columns
    assert len(release.data) == len(VISITS)
    assert min(persons_of(release)) >= 2
    rows = request.anonymize(VISITS, SCHEMA.with_person("row").with_column("who", role="dropped"))
    assert len(set(rows.data.age)) > len(set(release.data.age))  # two rows of one person would have been a class
    said = release.certificate
    assert said.unit is Unit.PERSON
    assert said.max_records is None
    assert any("2-anonymous in persons" in text for text in said.promised)
    assert any("one value for each person" in text for text in said.assumptions)


def test_one_record_of_each_person_makes_a_table_of_persons() -> None:
    schema = shoal.Schema(SCHEMA.columns, person="who", max_records=1)
    release = shoal.Mondrian(k=2).anonymize(VISITS, schema, coins=shoal.dp.SeededCoins(1))
    assert len(release.data) == VISITS.who.nunique()
    assert release.certificate.max_records == 1


def test_a_record_of_nobody_is_refused_with_their_number() -> None:
    lost = VISITS.assign(who=["a", None, "a", "b", "c", "c", "d", None])
    with pytest.raises(DataError, match="'who' tells persons apart, and it is missing in 2 of 8 records"):
        shoal.OptimalLattice(k=2).anonymize(lost, SCHEMA)


def test_a_method_that_counts_records_says_what_to_do() -> None:
    schema = shoal.Schema(SCHEMA.columns, person="who")
    with pytest.raises(SchemaError, match="write max_records = 1"):
        shoal.NSVDist(k=2, diversity=1).anonymize(VISITS, schema)


SENSITIVE = (
    shoal.DistinctDiversity(2, "ill"),
    shoal.EntropyDiversity(1.2, "ill"),
    shoal.RecursiveDiversity(4, 2, "ill"),
    shoal.Closeness(0.9, "ill"),
    shoal.Disclosure(3, "ill"),
    shoal.Likeness(4, "ill"),
    shoal.LKCPrivacy(1, 2, 0.9, "ill"),
)


@pytest.mark.parametrize(
    "method",
    [
        shoal.OptimalLattice(k=2, diversity=1.2, closeness=0.8, criteria=SENSITIVE, suppression_limit=0),
        shoal.TDS(k=2, diversity=1.2, target="ill", criteria=SENSITIVE),
        shoal.PAIS(length=1, k=2, confidence=0.9, target="ill"),
    ],
    ids=lambda method: method.name,
)
def test_what_is_asked_of_classes_is_asked_of_persons_and_said_so(method: shoal.Method, tmp_path: Path) -> None:
    release = method.anonymize(VISITS, SCHEMA)
    said = release.certificate
    claimed = {guarantee.statement for guarantee in said.guarantees if guarantee.basis is Basis.CLAIMED}
    assert len(claimed) == (1 if method.name == "pais" else 3 - (method.name == "tds") + len(SENSITIVE))
    assert all("person" in statement for statement in claimed)
    assert all(criterion["unit"] == "record" for criterion in said.criteria)
    assert said.criteria
    release.write(tmp_path / "release")
    checked = check_release(tmp_path / "release")
    assert checked.holds


@pytest.mark.parametrize(
    "method",
    [
        shoal.OptimalLattice(k=3),
        shoal.Mondrian(k=3),
        shoal.Mondrian(k=3, split="relaxed"),
        shoal.Mondrian(k=3, split="single", publish="nodes"),
        shoal.LocalRecoding(k=3),
        shoal.LocalRecoding(k=3, publish="intervals"),
        shoal.MDAV(k=3),
        shoal.Mondrian(k=3, diversity=1.5),
        shoal.LocalRecoding(k=3, closeness=0.5),
    ],
    ids=["lattice", "strict", "relaxed", "single", "local", "cuts", "mdav", "diverse", "close"],
)
def test_published_rows_of_every_class_are_of_k_persons(method: shoal.Method) -> None:
    """A column that is passed through names the row: so whose rows are published together is seen, not concluded."""
    rng = np.random.default_rng(5)
    who = np.sort(rng.integers(0, 40, 300))
    visits = pd.DataFrame(
        {
            "who": [f"p{person}" for person in who],
            "age": rng.integers(20, 60, 40)[who] // 4 * 4,  # many equal records
            "day": rng.integers(0, 12, 300),
            "ill": np.where(rng.random(300) < 0.9, rng.integers(0, 6, 40)[who], rng.integers(0, 6, 300)).astype(str),
            "row": [f"r{row}" for row in range(300)],
        }
    )
    schema = shoal.Schema(person="who").with_column("row", role="insensitive", unlinkable=True)
    for name, hierarchy in (("age", shoal.intervals(4, 8, 16)), ("day", shoal.intervals(2, 4))):
        schema = schema.with_column(name, role="quasi-identifier", domain=(0, 99), hierarchy=hierarchy)
    release = method.anonymize(visits, schema.with_column("ill", role="sensitive"))
    owners = dict(zip(visits.row, visits.who, strict=True))
    published = release.data.assign(who=release.data.row.map(owners)).astype({"age": str, "day": str})
    persons = published.groupby(["age", "day"]).who.nunique()
    assert persons.min() >= 3
    assert sorted(persons) == sorted(size for size, n in release.facts.class_sizes.items() for _ in range(n))
    assert release.facts.people == visits.who.nunique()
    page = release.report().html()
    assert "records of at least 2 other persons" in page
    assert "How many persons look alike" in page
