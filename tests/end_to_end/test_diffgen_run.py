"""DiffGen from the command line: a release with its table of groups, checked and booked, and requests that fail."""

import csv
import json

import numpy as np
import pytest

FILE = """[data]
path = "people.csv"
person = "row"

[columns.name]
role = "identifier"

[columns.hours]
role = "quasi-identifier"
domain = { from = 1, to = 80 }

[columns.trade]
role = "quasi-identifier"
hierarchy = { tree = { any = { craft = ["bakery", "smithy"], service = ["bank", "school"] } } }

[columns.income]
role = "sensitive"
domain = ["low", "high"]

[method]
name = "diffgen"
epsilon = 1.0
target = "income"

[budget]
ledger = "books"

[output]
groups = true
"""


@pytest.fixture
def diffgen(desk):
    rng = np.random.default_rng(0)
    lines = ["name,hours,trade,income"]
    for i, (hours, trade) in enumerate(zip(rng.integers(1, 81, 3000), rng.integers(0, 4, 3000), strict=True)):
        income = "high" if hours > 45 else "low"
        lines.append(f"person {i},{hours},{('bakery', 'smithy', 'bank', 'school')[trade]},{income}")
    desk.write("people.csv", "\n".join([*lines, "nobody,x,circus,?"]))
    desk.write("release.toml", FILE)
    return desk


def rows(path):
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.reader(file))


def test_a_release_has_its_records_and_its_groups_and_is_booked(diffgen):
    assert "1-DP (proved)" in diffgen.done("run", "release.toml")
    header, *records = rows(diffgen.folder / "release" / "data.csv")
    names, *groups = rows(diffgen.folder / "release" / "groups.csv")
    assert header == ["hours", "trade", "income"]
    assert names == [*header, "count"]
    assert sum(int(group[-1]) for group in groups) == len(records)
    assert abs(len(records) - 3000) < 1000
    assert not any("circus" in cell or "person" in cell for record in records for cell in record)
    certificate = json.loads((diffgen.folder / "release" / "certificate.json").read_text(encoding="utf-8"))
    assert [guarantee["basis"] for guarantee in certificate["guarantees"]] == ["proved"]
    assert "1-DP (proved)" in diffgen.done("check", "release")
    booked = json.loads(diffgen.done("ledger", "people.csv", "--store", "books", "--json"))
    assert booked["spent"] == [{"epsilon": 1.0, "delta": 0.0, "neighbors": "add/remove one record"}]


def test_without_being_asked_for_the_table_of_groups_is_not_written_and_parquet_works_too(diffgen):
    diffgen.change("groups = true", 'format = "parquet"')
    diffgen.done("run", "release.toml")
    assert sorted(path.name for path in (diffgen.folder / "release").iterdir()) == [
        "README.md", "certificate.json", "data.parquet",
    ]  # fmt: skip
    diffgen.change('format = "parquet"', 'format = "parquet"\ngroups = true')
    diffgen.done("run", "release.toml", "--force")
    assert (diffgen.folder / "release" / "groups.parquet").exists()


def test_every_parameter_can_be_said_in_the_file(diffgen):
    diffgen.change(
        'target = "income"\n',
        'target = "income"\nmode = "rigorous"\nutility = "max"\nchoices = "joint"\nthreshold = 2\ntune = [2, 3]\n',
    )
    diffgen.done("run", "release.toml")


REFUSED = {
    ('target = "income"', 'target = "hours"'): "a class must have named values",
    ('domain = ["low", "high"]', 'domain = ["low"]'): "has 1 value",
    ('target = "income"', 'target = "incme"'): "incme",
    ("domain = { from = 1, to = 80 }\n", ""): "from and to for numbers",
    ('target = "income"', 'target = "income"\nspecializations = 0'): "1 or more; got 0",
    ('target = "income"', 'target = "income"\nutility = "maximum"'): "purity or max or info-gain",
    ('target = "income"', 'target = "income"\ntune = ["a"]'): "tune[0] must be a whole number, 1 or more; got 'a'",
    ('target = "income"\n', ""): "diffgen needs target",
    ("groups = true", "groups = 1"): "groups must be true or false",
    (
        'hierarchy = { tree = { any = { craft = ["bakery", "smithy"], service = ["bank", "school"] } } }',
        'domain = ["bakery", "bank"]\nhierarchy = { tree = { any = ["bakery"] } }',
    ): "missing 'bank'",
}


@pytest.mark.parametrize("change", REFUSED)
def test_what_makes_no_sense_is_refused_in_one_sentence_and_nothing_is_written(diffgen, change):
    diffgen.change(*change)
    result = diffgen.shoal("run", "release.toml")
    assert result.exit_code in (1, 2)
    assert REFUSED[change] in result.stderr
    assert not (diffgen.folder / "release").exists()
