"""Tables of many columns: what matters, what is said of many at once, and what the owner gives in a file."""

import csv
import tomllib
from math import log2

import pyarrow as pa
import pytest
from typer.testing import CliRunner

from shoal.cli.main import app
from shoal.engines.reading.source import TableSource
from shoal.errors import ParameterError, PlanError
from shoal.files.together import place_files
from shoal.plan.declaring import declare, taken_from_data
from shoal.plan.plan import Plan
from shoal.survey.looks import survey
from shoal.survey.many.costs import bits, column_costs, room, summary_lines, to_give_up
from shoal.survey.many.given_roles import read_roles, roles_text, with_roles
from shoal.survey.propose import propose

WIDE = {
    "caseid": list(range(100, 164)),
    **{f"q_{i}": [1 + (j * (1 + i % 4) + i) % 5 for j in range(64)] for i in range(20)},
    "age": list(range(64)),
    "half": ["a", "b"] * 32,
    "with_gap": ["a", None] * 32,
}


@pytest.fixture
def wide():
    return survey(TableSource(pa.table(WIDE)))


def test_what_a_column_tells_is_its_entropy(wide):
    told = {look.name: bits(look) for look in wide.columns}
    assert told["age"] == pytest.approx(6)
    assert told["half"] == told["with_gap"] == pytest.approx(1)
    assert told["q_0"] <= log2(5)
    assert column_costs(wide)[0].name == "age"
    assert room(64, 4) == 4
    assert room(3, 5) == 0


def test_what_to_give_up_comes_by_its_cost_and_ends_where_the_others_have_room(wide):
    costs = column_costs(wide)
    given = to_give_up(costs, room(64, 4))
    assert "age" not in {cost.name for cost in given}  # others know it, as its name says
    assert [cost.bits for cost in given] == sorted((cost.bits for cost in given), reverse=True)
    assert sum(cost.bits for cost in costs if cost not in given) <= 8
    assert to_give_up(costs[:1], 0) == []


def test_a_summary_says_how_many_of_each_role_and_which_matter(wide):
    lines = summary_lines(wide, 5)
    assert lines[0] == "64 records, 24 columns: 1 identifier, 23 quasi-identifiers."
    assert "age (6.0), 20 of q_* (" in lines[2]
    assert "in this order: 20 of q_*" in lines[3]


def test_columns_of_which_the_same_is_said_share_a_table(tmp_path, wide):
    files = propose(wide, "data.csv")
    said = files["release.toml"]
    assert '[columns."q_*"]  # 20 columns, q_0 to q_19' in said
    assert said.count("[columns.") == 5
    assert propose(wide, "data.csv", patterns=False)["release.toml"].count("[columns.") == 24
    (tmp_path / "data.csv").write_text(",".join(WIDE) + "\n", encoding="utf-8")
    place_files(tmp_path, files)
    plan = Plan.load(tmp_path / "release.toml")
    assert [column.name for column in plan.schema] == list(WIDE)
    assert set(plan.schema["q_3"].domain.values) == set("12345")
    taken = {one.name for one in taken_from_data(tmp_path / "release.toml")}
    assert taken == {"q_*", "half", "with_gap"} | ({"age"} & taken)
    declare(tmp_path / "release.toml", taken_from_data(tmp_path / "release.toml"))
    assert taken_from_data(tmp_path / "release.toml") == []


def test_a_column_that_differs_keeps_its_own_table_and_so_do_its_fellows():
    said = propose(survey(TableSource(pa.table({**WIDE, "q_5": [1, 2, 3, 9] * 16}))), "data.csv")["release.toml"]
    columns = tomllib.loads(said)["columns"]
    assert "q_*" not in columns
    assert len(columns) == 24


def test_roles_are_given_by_name_and_by_pattern(tmp_path, wide):
    file = tmp_path / "roles.csv"
    file.write_text("column,role,why\nq_*,sensitive,asked\nq_7,dropped,\n", encoding="utf-8")
    told = {look.name: (look.role.value, look.reason) for look in with_roles(wide, read_roles(file), str(file)).columns}
    assert told["q_1"] == ("sensitive", "given in roles.csv")
    assert told["q_7"][0] == "dropped"
    assert told["age"][0] == "quasi-identifier"
    file.write_text(roles_text(wide.columns), encoding="utf-8")
    again = with_roles(wide, read_roles(file), str(file)).columns
    assert [look.role for look in again] == [look.role for look in wide.columns]


@pytest.mark.parametrize(
    ("text", "error", "sentence"),
    [
        ("column,role\np_*,dropped\n", PlanError, "no column 'p_\\*'"),
        ("column,role\nagee,dropped\n", PlanError, "Did you mean 'age'"),
        ("column,role\nage,droped\n", ParameterError, "line 2: 'droped' is not a role.*'dropped'"),
        ("name,what\nage,dropped\n", ParameterError, "column and role"),
        ("", ParameterError, "column and role"),
        ("column;role\nage;dropped\nq_*;dropped\nage;sensitive\n", ParameterError, "line 4: 'age' .* line 2 already"),
    ],
)
def test_a_file_of_roles_that_cannot_be_used_is_refused_in_a_sentence(tmp_path, wide, text, error, sentence):
    file = tmp_path / "roles.csv"
    file.write_text(text, encoding="utf-8")
    with pytest.raises(error, match=sentence):
        with_roles(wide, read_roles(file), str(file))
    with pytest.raises(ParameterError, match="does not exist"):
        read_roles(tmp_path / "none.csv")


@pytest.mark.parametrize("delimiter", [";", "\t"], ids=["semicolon", "tab"])
def test_a_file_of_roles_may_be_written_by_a_spreadsheet_with_decimal_commas(tmp_path, wide, delimiter):
    file = tmp_path / "roles.csv"
    comma = tmp_path / "comma.csv"
    comma.write_text(roles_text(wide.columns), encoding="utf-8")
    rows = csv.reader(comma.read_text(encoding="utf-8").splitlines())
    with file.open("w", encoding="utf-8-sig", newline="") as written:
        csv.writer(written, delimiter=delimiter).writerows(rows)
    assert read_roles(file) == read_roles(comma)


def test_init_saves_roles_and_takes_them_back(tmp_path):
    rows = list(zip(*WIDE.values(), strict=True))
    with (tmp_path / "wide.csv").open("w", newline="", encoding="utf-8") as file:
        csv.writer(file).writerows([list(WIDE), *rows])

    def init(*arguments):
        said = ["init", str(tmp_path / "wide.csv"), "-o", str(tmp_path / "release.toml"), *map(str, arguments)]
        return CliRunner().invoke(app, said)

    roles = tmp_path / "roles.csv"
    first = init("--save-roles", roles)
    assert first.exit_code == 0, first.output
    assert "24 columns: 1 identifier, 23 quasi-identifiers" in " ".join(first.output.split())
    assert "q_0 to q_19" in first.output
    assert init("--save-roles", roles, "--force").exit_code == 0
    roles.write_text("column,role\nq_*,dropped\n", encoding="utf-8")
    assert init("--roles", roles, "--force").exit_code == 0
    columns = tomllib.loads((tmp_path / "release.toml").read_text(encoding="utf-8"))["columns"]
    assert columns["q_*"] == {"role": "dropped"}
    assert init("--roles", tmp_path / "none.csv", "--force").exit_code == 2
