"""NSVDist and its rivals from a release file to a checked folder, and what is refused on the way."""

import csv
import json

import pytest

METHOD = 'name = "optimal-lattice"\nk = 3\n'


def published(desk):
    with (desk.folder / "release" / "data.csv").open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


@pytest.mark.parametrize(
    ("method", "shows"),
    [
        ('name = "nsvdist"\nk = 4\ndiversity = 1.5', "4 rows per person"),
        ('name = "nsvdist"\nk = 4\ndiversity = 1.5\nmode = "as_published"', "overlapping groups can disclose"),
        ('name = "nsvdist"\nk = 4\ndiversity = 2\noutput = "columns"\npublish = "nodes"', "4 rows per person"),
        (
            'name = "nsvdist"\nk = 4\ndiversity = 2\noutput = "records"\nweights = { age = 2.0 }',
            "drawn records, any number of which may fit a person; sensitive posterior <= 1/2",
        ),
        ('name = "sequential"\nk = 4\ndiversity = 1.5', "4-anonymous"),
        ('name = "nhaa"\ndiversity = 2', "links to a value at most 1/2"),
    ],
)
def test_a_release_is_written_reported_and_checked(desk, method, shows):
    desk.change(METHOD, method + "\n")
    said = desk.done("run", "release.toml")
    assert shows in said
    rows = published(desk)
    assert len(rows) == 60
    assert sorted(row["note"] for row in rows) == sorted(f"note {i}" for i in range(60))
    assert "name" not in rows[0]
    note = (desk.folder / "release" / "README.md").read_text(encoding="utf-8")
    certificate = json.loads((desk.folder / "release" / "certificate.json").read_text(encoding="utf-8"))
    if "as_published" in method:
        (finding,) = certificate["findings"]
        assert finding.startswith("audit of all 60 people")
        assert finding in note
        assert finding in said
    else:
        assert certificate["findings"] == []
    assert (desk.folder / "release-owner" / "report.html").exists()
    checked = desk.done("check", "release")
    assert ("found out about it: audit" in checked) == ("as_published" in method)


@pytest.mark.parametrize(
    ("method", "pattern", "code"),
    [
        ('name = "nsvdist"\nk = 4', "nsvdist needs diversity", 2),
        (
            'name = "nsvdist"\nk = 4\ndiversity = 3.5',
            r"diversity = 3\.5 is more than the whole table has in 'illness'",
            1,
        ),
        ('name = "nsvdist"\nk = 4\ndiversity = 2.5\nmode = "as_published"', "the next larger k that works is 5", 1),
        ('name = "nsvdist"\nk = 61\ndiversity = 1', "k = 61 is more than the table has records", 1),
        ('name = "nsvdist"\nk = 2.5\ndiversity = 1', "k must be a whole number", 2),
        ('name = "nsvdist"\nk = 4\ndiversity = 2\noutput = "json"', "output must be distribution or columns", 2),
        ('name = "nhaa"\ndiversity = 2.5', "whole number, 2 or more", 2),
        ('name = "nhaa"\ndiversity = 4', "is more than the whole table has", 1),
        ('name = "sequential"\nk = 4\ndiversity = 3.5', r"the whole table reaches 2\.857", 1),
    ],
)
def test_what_cannot_be_met_is_refused_in_a_sentence(desk, matches, method, pattern, code):
    desk.change(METHOD, method + "\n")
    matches(pattern, desk.refused("run", "release.toml", code=code))


def test_a_numeric_sensitive_column_without_bins_is_refused(desk, matches):
    desk.change(METHOD, 'name = "nsvdist"\nk = 4\ndiversity = 2\n')
    desk.change(
        '[columns.illness]\nrole = "sensitive"\ndomain = ["flu", "cold", "none"]',
        '[columns.illness]\nrole = "quasi-identifier"',
    )
    desk.change(
        "domain = { from = 0, to = 99 }\nhierarchy = { intervals = [5, 10, 20] }", "domain = { from = 0, to = 100 }"
    )
    desk.change('[columns.age]\nrole = "quasi-identifier"', '[columns.age]\nrole = "sensitive"')
    matches(r"column 'age' is sensitive and numeric with 101 possible values.*at most 100 bins", desk.refused())


def test_a_column_cannot_have_two_roles(desk, matches):
    desk.change(METHOD, 'name = "nsvdist"\nk = 4\ndiversity = 2\n')
    desk.change('[columns.illness]\nrole = "sensitive"', '[columns.illness]\nrole = ["sensitive", "quasi-identifier"]')
    matches("role", desk.refused("run", "release.toml", code=2))
