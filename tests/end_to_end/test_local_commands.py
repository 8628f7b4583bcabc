"""Mondrian and local recoding from a release file to a checked folder."""

import csv
from collections import Counter

import pytest
from typer.testing import CliRunner

from shoal.cli.main import app

FILE = """
[data]
path = "people.csv"
[columns.age]
role = "quasi-identifier"
domain = {{ from = 0, to = 99 }}
hierarchy = {{ intervals = [10, 20] }}
[columns.town]
role = "quasi-identifier"
[columns.illness]
role = "sensitive"
[method]
k = 4
{method}
"""


@pytest.mark.parametrize(
    "method",
    [
        'name = "mondrian"',
        'name = "mondrian"\nsplit = "relaxed"\npublish = "nodes"\nweights = { age = 2.0 }',
        'name = "mondrian"\nsplit = "single"\ndiversity = 1.5',
        'name = "local-recoding"',
        'name = "local-recoding"\npublish = "intervals"\ncloseness = 0.4',
    ],
)
def test_a_release_is_written_reported_and_checked(method, tmp_path):
    rows = [(20 + i * 7 % 50, ("Ulm", "Bonn", "Kiel")[i * i % 3], ("flu", "cold")[i % 2]) for i in range(80)]
    with (tmp_path / "people.csv").open("w", encoding="utf-8", newline="") as file:
        csv.writer(file).writerows([("age", "town", "illness"), *rows])
    (tmp_path / "release.toml").write_text(FILE.format(method=method), encoding="utf-8")
    done = CliRunner().invoke(app, ["run", str(tmp_path / "release.toml")])
    assert done.exit_code == 0, done.output
    with (tmp_path / "release" / "data.csv").open(encoding="utf-8", newline="") as file:
        _, *published = csv.reader(file)
    assert len(published) == 80
    assert min(Counter((age, town) for age, town, _ in published).values()) >= 4
    assert (tmp_path / "release-owner" / "report.html").exists()
    assert CliRunner().invoke(app, ["check", str(tmp_path / "release")]).exit_code == 0


def test_a_split_that_does_not_exist_is_refused_in_a_sentence(tmp_path):
    (tmp_path / "people.csv").write_text("age,town,illness\n1,Ulm,flu\n", encoding="utf-8")
    (tmp_path / "release.toml").write_text(FILE.format(method='name = "mondrian"\nsplit = "strikt"'), encoding="utf-8")
    done = CliRunner().invoke(app, ["run", str(tmp_path / "release.toml")])
    assert done.exit_code == 2
    assert "split must be strict or relaxed or single" in done.output.replace("\n", " ")
