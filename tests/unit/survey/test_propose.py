import csv
import datetime as dt
import json
import os
import tomllib
from decimal import Decimal

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from typer.testing import CliRunner

from shoal.cli.main import app
from shoal.data.domain import Origin
from shoal.data.schema import Role
from shoal.engines.codes.encoding import encode
from shoal.engines.local import LocalEngine
from shoal.engines.reading.layout import Layout
from shoal.engines.reading.source import TableSource, open_source
from shoal.errors import OutputError
from shoal.files.together import place_files
from shoal.plan.plan import Plan
from shoal.survey.levels import evident_order, propose_levels, round_width
from shoal.survey.looks import survey
from shoal.survey.method_lines import method_lines
from shoal.survey.propose import propose
from shoal.survey.toml_text import key, text
from shoal.survey.writing import Writing


def look(values, name="x"):
    return survey(TableSource(pa.table({name: values}))).columns[0]


def encoded(folder, columns):
    """Propose, write, read back and count, as `shoal init` and `shoal run` do."""
    with (folder / "data.csv").open("w", newline="", encoding="utf-8") as file:
        csv.writer(file).writerows([list(columns), *zip(*columns.values(), strict=True)])
    files = propose(survey(open_source(folder / "data.csv")), "data.csv")
    place_files(folder, files, force=True)
    plan = Plan.load(folder / "release.toml")
    engine = LocalEngine(open_source(plan.data.path), plan.data.missing)
    return plan, encode(engine, plan.schema, plan.schema.names(Role.QUASI_IDENTIFIER, Role.SENSITIVE))


ODD = {
    "a.b": ["x", "y", "x", "z"],
    "with space": ["a,b", 'c"d', "*", "a to b"],
    'quo"te': ["1", "2", "3", "40"],
    "ünïcode 列": ["ä", "漢", "ö", "ä"],
    "": ["p", "q", "p", "q"],
    "tab\there": ["0.5", "1", "2.5", ""],
    "#hash = 1": ["level0", "level1", "level2", "level0"],
    "[x]": [" p", "q ", "r", "r"],
    "a/b\\c": ["l1\nl2", "m", "m", "m"],
    "A": ["", "?", "NA", "missing"],
    "a": ["2024-01-31", "2023-12-24", "1990-05-05", ""],
    "CON": ["31.12.2024", "01.02.2023", "13.03.2023", "14.03.2023"],
    "-": ["1e-7", "2.5", "3", "4"],
    "zip": ["00501", "10115", "10117", ""],
    "wide": ["0.123456789", "900000000.5", "7", "8"],
    "const": ["k", "k", "k", "k"],
}


def test_a_proposal_for_odd_names_and_values_loads_and_covers_every_record(tmp_path):
    plan, table = encoded(tmp_path, ODD)
    assert [column.name for column in plan.schema] == list(ODD)
    assert table.total == 4
    assert all(attribute.domain.origin is Origin.OBSERVED for attribute in table.attributes)
    assert len({path.name.casefold() for path in (tmp_path / "hierarchies").iterdir()}) == sum(
        isinstance(said.get("hierarchy"), str)
        for said in tomllib.loads((tmp_path / "release.toml").read_text(encoding="utf-8"))["columns"].values()
    )


printable = st.text(st.characters(codec="utf-8", exclude_characters="\r\n\0"), min_size=1, max_size=6)


@settings(max_examples=25, deadline=None)
@given(name=printable.filter(lambda s: s != "id"), values=st.lists(printable, min_size=3, max_size=14))
def test_whatever_stands_in_a_frame_can_be_proposed_and_read_back(tmp_path_factory, name, values):
    folder = tmp_path_factory.mktemp("p")
    source = TableSource(pa.table({name: values}))
    seen = survey(source)
    place_files(folder, propose(seen, "data.csv"))
    plan = Plan.load(folder / "release.toml")
    if (column := plan.schema[name]).role is not Role.IDENTIFIER:
        table = encode(LocalEngine(source, plan.data.missing), plan.schema, [column.name])
        assert table.total == len(values)


def test_every_guess_has_its_reason_on_the_line(tmp_path):
    encoded(tmp_path, {"age": ["1", "2"], "ssn": ["5", "6"], "diagnosis": ["flu", "cold"]})
    lines = (tmp_path / "release.toml").read_text(encoding="utf-8").splitlines()
    settings_ = [line for line in lines if " = " in line and not line.startswith(("#", "format", "path"))]
    assert len(settings_) > 10
    assert all("  # " in line for line in settings_)
    assert "observed = true" in "\n".join(lines[:8])


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        (range(17, 91), "{ intervals = [5, 10, 20] }"),
        (range(9), "{ intervals = [2, 4] }"),
        (range(3), "{ flat = true }"),
        ([0, 99_999], "{ flat = true }"),
        ([0, 1, 99_999], "{ intervals = [5000, 10000, 20000] }"),
        ([0.0, 0.01, 9.99], "{ intervals = [0.5, 1, 2] }"),
        (range(150, 205, 5), "{ intervals = [10, 20] }"),
    ],
)
def test_numbers_get_round_intervals_that_nest(values, expected):
    assert propose_levels(look(list(values))).inline == expected


@pytest.mark.parametrize(
    ("last", "units"),
    [
        (dt.date(2024, 1, 20), None),
        (dt.date(2024, 4, 1), ["month"]),
        (dt.date(2025, 12, 31), ["month", "quarter", "year"]),
        (dt.date(2034, 1, 1), ["month", "year"]),
        (dt.date(2064, 1, 1), ["month", "year", "decade"]),
    ],
)
def test_dates_get_the_units_their_span_is_made_of(last, units):
    inline = propose_levels(look([dt.date(2024, 1, 1), last])).inline
    assert tomllib.loads(f"h = {inline}")["h"] == ({"flat": True} if units is None else {"dates": units})


def test_codes_keep_the_first_characters_that_make_a_difference():
    rows = propose_levels(look(["10115", "10117", "10243", "20095"], "zip")).rows
    assert rows[0] == ("10115", "1011*", "10***", "*")
    assert [row[0] for row in rows] == ["10115", "10117", "10243", "20095"]


def test_few_categories_are_kept_or_hidden_and_many_get_a_middle_level():
    assert propose_levels(look(["b", "a"])).rows == (("a", "*"), ("b", "*"))
    many = propose_levels(look([f"v{c}" for c in "abcdefghijklmnop"] * 2 + ["vp", "vk"] * 3 + ["vb", "other"]))
    assert many.is_by_frequency
    assert [row for row in many.rows if row[1] != "(other)"] == [(v, v, "*") for v in ("va", "vb", "vk", "vp")]
    assert len(many.rows) == 17


def test_an_evident_order_shapes_the_middle_level():
    assert evident_order(["10th", "9th", "1st-4th"]) == ["1st-4th", "9th", "10th"]
    assert evident_order(["High", "low", "Medium"]) == ["low", "Medium", "High"]
    assert evident_order(["red", "green"]) is None
    assert evident_order(["a1", "b1"]) is None
    rows = propose_levels(look(["45-64", "0-17", "18-44", "65+"] * 5)).rows
    assert [row[:2] for row in rows] == [
        ("0-17", "0-17 to 18-44"), ("18-44", "0-17 to 18-44"), ("45-64", "45-64 to 65+"), ("65+", "45-64 to 65+")
    ]  # fmt: skip


def test_numbers_off_any_grid_get_intervals_in_a_file():
    rows = propose_levels(look(["-0.000000001", "99.1", "0.5", "99.123456789"])).rows
    assert [row[1] for row in rows] == ["[-5, 0)", "[0, 5)", "[95, 100)", "[95, 100)"]
    assert round_width(Decimal("0.03")) == Decimal("0.05")
    assert round_width(Decimal(0)) == 1


def test_a_value_that_reads_like_the_label_of_a_group_does_not_break_the_hierarchy():
    values = [*"abcdefghijk", "a to d"]  # sorted after a, so the first group is a to c
    rows = propose_levels(look([*values, *values])).rows
    assert {row[-1] for row in rows} == {"*"}
    assert sorted(row[0] for row in rows) == sorted(values)


def test_hierarchies_of_columns_with_like_names_go_to_different_files():
    files = propose(survey(TableSource(pa.table({"b": ["x"], "B": ["y"], "b?": ["z"], "nul": ["w"]}))), "data.csv")
    assert [name for name in files if name.endswith("csv")] == [
        "hierarchies/b.csv", "hierarchies/B_2.csv", "hierarchies/b_3.csv", "hierarchies/nul_.csv"
    ]  # fmt: skip


def test_how_the_table_was_read_is_written_down_when_it_had_to_be_said():
    seen = survey(TableSource(pa.table({"age": [1, 2]})))
    said = tomllib.loads(propose(seen, "data.csv", writing=Writing(Layout("\t", "latin-1")))["release.toml"])["data"]
    assert said == {"path": "data.csv", "missing": [""], "delimiter": "\t", "encoding": "latin-1"}


def test_diversity_is_asked_for_only_where_the_table_has_it_to_spare(tmp_path):
    evenly = ["flu", "cold", "gout"] * 4
    plan, _ = encoded(tmp_path, {"age": ["1", "2", "3"] * 4, "diagnosis": evenly})
    assert plan.method.diversity == 2
    plan, _ = encoded(tmp_path, {"age": ["1", "2", "3"] * 4, "diagnosis": ["flu"] * 8 + ["cold", "gout"] * 2})
    assert plan.method.diversity is None
    assert "# diversity = 2.0" in (tmp_path / "release.toml").read_text(encoding="utf-8")


def test_a_table_that_cannot_be_released_yet_is_told_so():
    table = pa.table({"name": ["a", "b"]})
    said = propose(survey(TableSource(table)), "data.csv")["release.toml"]
    assert "No column was taken for a quasi-identifier" in said
    assert "fewer than 5 records" in said


def test_many_quasi_identifiers_get_a_hint():
    table = pa.table({f"c{c}": list(range(0, 60, 3)) * 2 for c in "abcdefghij"})
    assert "10 quasi-identifiers" in propose(survey(TableSource(table)), "data.csv")["release.toml"]


def test_the_proposed_method_keeps_detail_and_says_why():
    """Mondrian; local recoding and full-domain are named with what they are for."""
    said = method_lines(survey(TableSource(pa.table({"age": list(range(20, 60)) * 2}))))
    assert tomllib.loads(said)["method"]["name"] == "mondrian"
    assert "each record keeps the detail that its group allows" in said
    assert 'values of the hierarchies and no others: name = "local-recoding"' in said
    assert 'name = "optimal-lattice", suppression_limit = 0.05. That costs far more detail.' in said


def test_of_several_sensitive_columns_those_that_have_diversity_to_spare_are_asked_for_it(tmp_path):
    columns = {"age": ["1", "2", "3"] * 4, "diagnosis": ["flu", "cold", "gout"] * 4, "disease": ["a"] * 11 + ["b"]}
    plan, _ = encoded(tmp_path, columns)
    assert plan.method.diversity is None
    assert [(c.diversity, c.column) for c in plan.method.criteria] == [(2.0, "diagnosis")]
    assert "not of disease" in (tmp_path / "release.toml").read_text(encoding="utf-8")


@given(st.text(st.characters(codec="utf-8")))
def test_any_text_survives_toml(value):
    assert tomllib.loads(f"{key(value)} = {text(value)}") == {value: value}


def names_in(folder):
    return sorted(path.name for path in folder.iterdir())


def run(*arguments):
    return CliRunner().invoke(app, [str(argument) for argument in arguments])


@pytest.fixture
def people(tmp_path):
    path = tmp_path / "people.csv"
    rows = [f"p{i},{20 + i % 40},{'abc'[i % 3]}" for i in range(60)]
    path.write_text("\n".join(["patient_id,age,diagnosis", *rows]), encoding="utf-8")
    return path


def test_init_writes_a_release_file_that_loads_and_says_what_to_do_next(people, tmp_path):
    target = tmp_path / "plans" / "people.toml"
    result = run("init", people, "-o", target)
    assert result.exit_code == 0, result.output
    plan = Plan.load(target)
    assert plan.data.path.resolve() == people.resolve()
    assert "../people.csv" in target.read_text(encoding="utf-8")
    for words in ("patient_id", "identifier", "60 records", "marked observed", "shoal run"):
        assert words in result.output
    assert names_in(target.parent) == ["hierarchies", "people.toml"]


def test_init_tells_machines_the_same(people, tmp_path):
    told = json.loads(run("init", people, "-o", tmp_path / "r.toml", "--json").output)
    assert told["records"] == 60
    assert told["files"] == ["hierarchies/diagnosis.csv", "r.toml"]
    assert told["columns"][1] | {"reason": ""} == {
        "name": "age", "kind": "numbers", "role": "quasi-identifier", "reason": "", "distinct": 40,
        "all_distinct_counted": True, "missing_share": 0.0, "from": "20", "to": "59", "step": "1",
    }  # fmt: skip


def test_init_overwrites_nothing_without_force_and_keeps_other_files_with_it(people, tmp_path):
    (tmp_path / "hierarchies").mkdir()
    (tmp_path / "hierarchies" / "mine.csv").write_text("mine")
    (tmp_path / "hierarchies" / "diagnosis.csv").write_text("old")
    refused = run("init", people, "-o", tmp_path)
    assert refused.exit_code == 1
    assert "exists already" in refused.output
    assert (tmp_path / "hierarchies" / "diagnosis.csv").read_text() == "old"
    assert not (tmp_path / "release.toml").exists()
    assert run("init", people, "-o", tmp_path, "--force").exit_code == 0
    assert (tmp_path / "hierarchies" / "mine.csv").read_text() == "mine"
    assert (tmp_path / "hierarchies" / "diagnosis.csv").read_text().startswith("level0 (values seen in the data: ")


@pytest.mark.parametrize("text_", ["", "a,b\n", "a,b\n1,2,3\n", "a,a\n1,2\n"])
def test_init_leaves_nothing_behind_when_the_table_cannot_be_read(tmp_path, text_):
    (tmp_path / "bad.csv").write_text(text_)
    result = run("init", tmp_path / "bad.csv", "-o", tmp_path / "new" / "release.toml")
    assert result.exit_code == 1
    assert result.output.startswith("error: ")
    assert names_in(tmp_path) == ["bad.csv"]


def test_init_says_that_there_is_no_table(tmp_path):
    result = run("init", tmp_path / "none.csv", "-o", tmp_path / "release.toml")
    assert (result.exit_code, "does not exist" in result.output) == (1, True)


def test_files_that_cannot_all_be_placed_leave_everything_as_it_was(tmp_path, monkeypatch):
    (tmp_path / "a").write_text("old")
    real, calls = os.replace, []

    def fail_on_third(source, target):
        calls.append(target)
        if len(calls) == 3:
            raise OSError(28, "No space left on device")
        real(source, target)

    monkeypatch.setattr("os.replace", fail_on_third)
    with pytest.raises(OutputError, match="no space left"):
        place_files(tmp_path, {"a": "new", "deep/er/b": "new"}, force=True)
    assert names_in(tmp_path) == ["a"]
    assert (tmp_path / "a").read_text() == "old"


def test_a_folder_in_the_way_and_a_forbidden_place_are_refused(tmp_path):
    (tmp_path / "a").mkdir()
    with pytest.raises(OutputError, match="is a folder"):
        place_files(tmp_path, {"a": ""}, force=True)
    (tmp_path / "file").write_text("")
    with pytest.raises(OutputError, match="cannot be written"):
        place_files(tmp_path / "file", {"b": ""})


def test_what_differs_in_upper_and_lower_case_only_is_joined():
    levels = propose_levels(look(["ER", "er", "Ward", "ICU", "ER / er"] * 3, "unit"))
    assert levels.rows == (
        ("ER", "(ER / er)", "*"),
        ("er", "(ER / er)", "*"),
        ("ER / er", "ER / er", "*"),
        ("ICU", "ICU", "*"),
        ("Ward", "Ward", "*"),
    )
    assert "upper and lower case" in levels.why
    assert propose_levels(look(["ER", "Ward", "ICU"] * 3, "unit")).height == 1
