"""Hierarchies go to ARX and come back."""

import csv

from desk import listing


def test_hierarchies_of_a_release_file_are_written_for_arx_and_mean_the_same_when_read_back(desk):
    printed = desk.done("hierarchies", "release.toml", "--arx", "-o", "arx")
    assert "age.csv, town.csv, day.csv, illness.csv" in printed
    rows = list(csv.reader((desk.folder / "arx/age.csv").read_text().splitlines(), delimiter=";"))
    assert (len(rows), rows[0], rows[37]) == (
        100,
        ["0", "0-4", "0-9", "0-19", "*"],
        ["37", "35-39", "30-39", "20-39", "*"],
    )
    assert (desk.folder / "arx/town.csv").read_text() == "Ulm;south;*\nBonn;west;*\nKöln;west;*\n"
    desk.done("run", "release.toml", "-o", "before")
    desk.change("domain = { from = 0, to = 99 }\nhierarchy = { intervals = [5, 10, 20] }", 'hierarchy = "arx/age.csv"')
    desk.change('hierarchy = "town.csv"', 'hierarchy = "arx/town.csv"')
    desk.done("run", "release.toml", "-o", "after")
    cells = [sorted((desk.folder / name / "data.csv").read_text().splitlines()) for name in ("before", "after")]
    kept = [[[line.split(",")[i] for i in (0, 1, 2, 3)] for line in lines] for lines in cells]
    assert sorted(kept[0]) == sorted(kept[1])


def test_what_is_not_declared_is_left_out_and_said_so(desk, matches):
    desk.change('domain = ["flu", "cold", "none"]', "")
    assert "Left out: illness, whose values are not declared." in desk.done(
        "hierarchies", "release.toml", "--arx", "-o", "arx"
    )
    before = listing(desk.folder)
    matches(r"'age\.csv', .* exist already", desk.refused("hierarchies", "release.toml", "--arx", "-o", "arx"))
    matches(r"--arx -o FOLDER", desk.refused("hierarchies", "release.toml", code=2))
    matches(r"'icd' is not a standard hierarchy", desk.refused("hierarchies", "icd", code=2))
    assert listing(desk.folder) == before


def test_a_ready_made_hierarchy_is_printed_for_arx(desk):
    lines = desk.done("hierarchies", "us-state", "--arx").splitlines()
    assert len(lines) == 56
    assert all(line.count(";") == 3 and line.endswith(";*") for line in lines)
