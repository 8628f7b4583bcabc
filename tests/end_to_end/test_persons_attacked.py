"""Several records for each person, from a file to a release, what an attacker finds in it, and a comparison."""

import json
import random

RELEASE = """
[data]
path = "visits.csv"
person = "who"

[columns.age]
role = "quasi-identifier"
domain = { from = 0, to = 99 }
hierarchy = { intervals = [10, 20] }

[columns.day]
role = "quasi-identifier"
domain = { from = 1, to = 28 }
hierarchy = { intervals = [7, 14] }

[columns.ill]
role = "sensitive"

[method]
name = "mondrian"
k = 3

[output]
path = "release"
"""


def visits(prefix, seed, persons=40):
    """Persons with one to six visits each."""
    rng = random.Random(seed)
    lines = ["who,age,day,ill"]
    for person in range(persons):
        age, times = rng.randrange(20, 80), rng.randint(1, 6)
        ills = rng.choices(["flu", "cold", "gout"], k=times)
        lines += [f"{prefix}{person},{age},{rng.randint(1, 28)},{ill}" for ill in ills]
    return "\n".join([*lines, ""])


def test_persons_are_counted_attacked_and_compared(desk):
    desk.write("visits.csv", visits("p", 1))
    desk.write("others.csv", visits("q", 2))
    desk.write("release.toml", RELEASE)
    told = desk.done("run", "release.toml")
    assert "3-anonymous in persons" in told
    assert "records of 40 persons left out" in " ".join(told.split())
    published = (desk.folder / "release" / "data.csv").read_text(encoding="utf-8")
    assert "who" not in published
    found = " ".join(
        desk.done("attack", "release.toml", "--control", "others.csv", "--targets", "40", "-o", "findings").split()
    )
    assert "Classes of k persons protect whoever is known by one record" in found
    assert "all records of a person, and says that the person is in the table" in found
    assert "The control group has 40 people with" in found
    details = json.loads((desk.folder / "findings" / "attack.json").read_text(encoding="utf-8"))
    assert any(one["details"].get("unit") == "person" for one in details["attacks"])
    compared = desk.done("compare", "release.toml", "--methods", "mondrian,mdav", "--jobs", "1", "--json")
    rows = json.loads(compared)["releases"]
    assert {row["counted"] for row in rows} == {"persons"}
    assert min(row["smallest_class"] for row in rows) >= 3


def test_a_private_release_of_persons_is_attacked_with_all_their_records(desk):
    """Not with one of each drawn again, which may be others than those that were published."""
    desk.write("visits.csv", visits("p", 1, persons=300))
    declared = RELEASE.replace('role = "sensitive"', 'role = "sensitive"\ndomain = ["flu", "cold", "gout"]')
    scheme = "schemes = [{ age = 3, day = 3, ill = 0 }]"
    private = f'name = "safepub"\nepsilon = 1\ndelta = 1e-2\n{scheme}\n\n[budget]\nledger = "books"\n'
    desk.write("release.toml", declared.replace('name = "mondrian"\nk = 3\n', private))
    assert "add/remove one person with all their records" in desk.done("run", "release.toml")
    found = " ".join(desk.done("attack", "release.toml", "--seconds", "0").split())
    assert "if it is the record that is easiest to find; by blind guessing, in 1 of 300" in found


def test_made_up_records_are_nobodys(desk):
    desk.write("visits.csv", visits("p", 1))
    declared = RELEASE.replace('role = "sensitive"', 'role = "sensitive"\ndomain = ["flu", "cold", "gout"]')
    desk.write("release.toml", declared.replace('"mondrian"\nk = 3', '"marginals"\nepsilon = 1'))
    desk.done("run", "release.toml")
    found = desk.done("attack", "release.toml", "--seconds", "0")
    assert "Not tried: linkage. The records are made up: none of them is anybody's" in found
    assert "finds the person's record" not in found
    assert "no doubt" not in found
