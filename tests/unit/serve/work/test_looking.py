"""What is told of a file is not guessed; tables of databases stay where they are; hierarchies go out and come in."""

import sqlite3
import tomllib

import pytest

from shoal.data.hierarchies.files import from_csv
from shoal.data.hierarchies.marks import Mark
from shoal.errors import HierarchyError, ParameterError
from shoal.plan.plan import Plan
from shoal.progress import silent
from shoal.serve.grouping import written
from shoal.serve.work.hierarchies import grouped, is_declared, shown, written_out
from shoal.serve.work.looking import look, look_at, original_rows
from shoal.survey.toml_text import as_toml


def columns(seen):
    return {one["name"]: one for one in seen["columns"]}


def test_what_is_told_of_a_file_counts_more_than_what_it_seems(tmp_path):
    rows = "\n".join(f"{i % 9};{i % 7},5;{'-' if i % 4 else 'mü'}" for i in range(400))
    (tmp_path / "odd.csv").write_bytes(f"a;b;c\n{rows}\n".encode("cp1252"))
    guessed = tomllib.loads(look(str(tmp_path), "odd.csv", {}, progress=silent)["text"])["data"]
    assert (guessed["encoding"], guessed["decimal"]) == ("cp1252", ",")
    seen = look(
        str(tmp_path), "odd.csv", {"decimal": ".", "missing": ["", "-"], "encoding": "latin-1"}, progress=silent
    )
    told = tomllib.loads(seen["text"])["data"]
    assert (told["encoding"], told.get("decimal", "."), told["missing"]) == ("latin-1", ".", ["", "-"])
    assert columns(seen)["c"]["missing"] == pytest.approx(0.75)
    assert columns(seen)["c"]["domain"] == {"values": ["mü"]}
    assert columns(seen)["a"]["domain"] == {"from": 0, "to": 8, "step": 1}


def test_a_table_of_a_database_is_looked_at_where_it_is(tmp_path):
    pytest.importorskip("ibis")
    path = tmp_path / "people.db"
    with sqlite3.connect(path) as made:
        made.execute("create table people (job text, age integer)")
        made.executemany("insert into people values (?, ?)", [(("baker", "smith")[i % 2], i % 50) for i in range(300)])
    made.close()
    folder = tmp_path / "work"
    folder.mkdir()
    seen = look_at(str(folder), f"sqlite://{path}", "people", None, progress=silent)
    assert seen["records"] == 300
    assert set(columns(seen)) == {"job", "age"}
    assert Plan.load(folder / "release.toml").data.path.table == "people"
    assert len(original_rows(str(folder), 290, progress=silent)["rows"]) == 10
    assert shown(str(folder), "job", progress=silent)["levels"][0]["smallest"] == 150


@pytest.mark.parametrize(
    ("url", "said"),
    [
        ("people.db", "no address"),
        ("sqlite://people.db", "whole path"),
        ("s3://bucket/people", "Spark"),
        ("postgresql://me:secret@host/db", "password"),
    ],
)
def test_an_address_that_cannot_be_opened_is_told_without_its_secret(tmp_path, url, said):
    with pytest.raises(ParameterError, match=said) as refused:
        look_at(str(tmp_path), url, None if url.startswith("s3") else "people", None, progress=silent)
    assert "secret" not in str(refused.value)


@pytest.fixture
def jobs(tmp_path):
    names = ("baker", "smith", "", "clerk")
    rows = "\n".join(f"{names[i % 4]},{i % 40},{10_000 + i % 1_200}" for i in range(2_400))
    (tmp_path / "jobs.csv").write_text(f"job,age,zip\n{rows}\n")
    look(str(tmp_path), "jobs.csv", {}, progress=silent)
    return tmp_path


def test_a_hierarchy_becomes_groups_and_keeps_saying_that_its_values_were_seen(jobs):
    tree = grouped(str(jobs), "job", progress=silent)
    assert tree == {"*": {"baker": {}, "clerk": {}, "smith": {}}}
    assert not is_declared(str(jobs), "job", progress=silent)
    content = tomllib.loads((jobs / "release.toml").read_text())
    content["columns"]["job"]["hierarchy"] = {
        "tree": written({"*": {"craft": {"baker": {}, "smith": {}}, "clerk": {}}})
    }
    (jobs / "release.toml").write_text(as_toml(content))
    assert not is_declared(str(jobs), "job", progress=silent)
    found = shown(str(jobs), "job", progress=silent)
    assert found["records"]["baker"] == 600
    assert [level["groups"] for level in found["levels"]] == [4, 3, 1]
    (jobs / "job.csv").write_text(written_out(str(jobs), "job", progress=silent))
    out = from_csv(jobs / "job.csv")
    assert out.mark is Mark.SEEN
    assert {row[0]: row[1] for row in out.rows} == {"baker": "craft", "smith": "craft", "clerk": "clerk"}
    with pytest.raises(HierarchyError, match="too many to sort by hand"):
        grouped(str(jobs), "zip", progress=silent)


def test_a_table_of_hundreds_of_columns_is_looked_at(tmp_path):
    names = ",".join(f"q{i}" for i in range(250))
    rows = "\n".join(",".join(str((i * j) % 4) for j in range(250)) for i in range(30))
    (tmp_path / "wide.csv").write_text(f"{names}\n{rows}\n")
    seen = look(str(tmp_path), "wide.csv", {}, progress=silent)
    assert len(seen["columns"]) == 250
    assert seen["singled_out"]["largest"] == 1
