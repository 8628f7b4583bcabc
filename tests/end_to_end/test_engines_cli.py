"""The same release file on other engines: the same release, and nothing of what a database is opened with."""

import csv
import json
import os
import signal
import socket
import sqlite3
import subprocess
import sys
from pathlib import Path

import duckdb
import pyarrow.csv as pc
import pyarrow.parquet as pq
import pytest
from desk import NAMES, TOML, TOWNS, people
from places import postgresql, postgresql_connection, postgresql_table, spark, sqlite_file
from typer.testing import CliRunner

from shoal.cli.main import app

INTO = '\n[output]\ntable = "released"\n'
PRIVATE = """[method]
name = "safepub"
epsilon = 2.0
delta = 1e-3

[budget]
ledger = "books"
"""


@pytest.fixture
def desk(tmp_path, monkeypatch):
    """A folder with a table as CSV, Parquet and SQLite."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "people.csv").write_text("\n".join([NAMES, *people(120)]) + "\n", encoding="utf-8")
    (tmp_path / "town.csv").write_text(TOWNS, encoding="utf-8")
    table = pc.read_csv("people.csv")
    (tmp_path / "parts").mkdir()
    pq.write_table(table.slice(0, 100), "parts/a.parquet")
    pq.write_table(table.slice(100), "parts/b.parquet")
    sqlite_file(tmp_path / "people.db", table)
    return tmp_path


def release_file(path, more="", method=None):
    text = TOML.replace('path = "people.csv"', path)
    if method is not None:
        text = text[: text.index("[method]")] + method
        text = (
            text[: text.index("[columns.note]")] + '[columns.note]\nrole = "dropped"\n' + text[text.index("[method]") :]
        )
    Path("release.toml").write_text(text + more, encoding="utf-8")


def shoal(*words):
    return CliRunner().invoke(app, list(map(str, words)))


def rows(folder="release"):
    with Path(folder, "data.csv").open(encoding="utf-8", newline="") as file:
        return sorted(csv.reader(file))


def made(path, *words, more="", method=None):
    """The rows of a release, and its certificate without the digests of its files."""
    release_file(path, more, method)
    done = shoal("run", "release.toml", "--force", *words)
    assert done.exit_code == 0, done.output
    return rows(), {**json.loads(Path("release/certificate.json").read_text()), "files": None}


SQLITE = 'path = "sqlite://people.db"\ntable = "people"'


@pytest.mark.usefixtures("desk")
def test_duckdb_gives_the_release_of_the_local_engine():
    assert made('path = "parts"', "--engine", "duckdb", "--memory", "500MB") == made('path = "parts"')


@pytest.mark.slow
@pytest.mark.usefixtures("desk")
def test_duckdb_reads_other_files_as_they_are_read_everywhere():
    assert made('path = "people.csv"', "--engine", "duckdb") == made('path = "people.csv"')


@pytest.mark.slow
@pytest.mark.usefixtures("desk")
def test_a_table_of_a_database_gives_the_release_of_a_file():
    here = made('path = "parts"')
    assert made(SQLITE) == here
    query = """path = "sqlite://people.db"\nquery = "SELECT * FROM people WHERE age < 200;" """
    assert made(query) == here


@pytest.mark.slow
def test_postgresql_and_spark_give_the_release_of_a_file(desk):
    url = postgresql()
    postgresql_table("people_cli", pc.read_csv("people.csv"))
    here = made('path = "parts"')
    assert made(f'path = "{url}"\ntable = "public.people_cli"') == here
    spark()
    assert made('path = "parts"', "--engine", "spark") == here
    assert made(f'path = "file://{desk}/parts"', "--engine", "spark") == here


def tables():
    with sqlite3.connect("people.db") as connection:
        found = [name for (name,) in connection.execute("SELECT name FROM sqlite_master")]
    connection.close()
    return found


@pytest.mark.usefixtures("desk")
def test_the_release_goes_to_a_table_of_the_database_and_is_checked_and_attacked_there():
    release_file(SQLITE, INTO + "groups = true\n")
    done = shoal("run", "release.toml")
    assert done.exit_code == 0, done.output
    assert sorted(path.name for path in Path("release").iterdir()) == ["README.md", "certificate.json", "groups.csv"]
    assert "The table `released` holds" in Path("release/README.md").read_text()
    with sqlite3.connect("people.db") as connection:
        published = connection.execute("SELECT * FROM released").fetchall()
    connection.close()
    assert len(published) == json.loads(Path("release/certificate.json").read_text())["records"]
    checked = shoal("check", "release", "--database", "sqlite://people.db", "--table", "released")
    assert checked.exit_code == 0, checked.output
    assert "holds  3-anonymous" in checked.output
    assert shoal("check", "release").exit_code == 1
    assert shoal("check", "release", "--table", "released").exit_code == 2
    attacked = shoal("attack", "release.toml", "--targets", 5)
    assert attacked.exit_code == 0, attacked.output
    again = shoal("run", "release.toml", "--force")
    assert again.exit_code == 1
    assert "tables are not overwritten, even with --force" in again.output


@pytest.mark.slow
@pytest.mark.usefixtures("desk")
def test_a_table_that_was_changed_after_its_release_is_found_out():
    release_file(SQLITE, INTO)
    assert shoal("run", "release.toml").exit_code == 0
    with sqlite3.connect("people.db") as connection:
        connection.execute("UPDATE released SET age = '0-4' WHERE rowid = 1")
    connection.close()
    assert shoal("check", "release", "--database", "sqlite://people.db", "--table", "released").exit_code == 1


@pytest.mark.slow
@pytest.mark.usefixtures("desk")
def test_a_run_that_cannot_finish_takes_its_table_back(monkeypatch):
    import shoal.files.folders as folders

    release_file(SQLITE, INTO)
    flushed = folders.flush

    def full(folder):
        flushed(folder)
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(folders, "flush", full)
    done = shoal("run", "release.toml")
    assert "no space left" in done.output
    assert "released" not in tables()
    assert not Path("release").exists()


@pytest.mark.slow
@pytest.mark.usefixtures("desk")
def test_compare_and_the_ledger_know_the_table_of_a_database():
    release_file(SQLITE)
    assert shoal("compare", "release.toml", "--grid", "k=2,3", "--jobs", 1).exit_code == 0
    made('path = "parts"', method=PRIVATE)
    made(SQLITE, method=PRIVATE)
    spent = json.loads(shoal("ledger", "release.toml", "--json").output)
    assert len(spent["releases"]) == 2


@pytest.mark.parametrize(
    ("path", "said", "code"),
    [
        ('path = "sqlite://people.db"', "give either table or query", 2),
        ('path = "people.csv"\ntable = "people"', "path is a file", 2),
        ('path = "sqlite://nowhere.db"\ntable = "people"', "does not exist", 1),
        ('path = "sqlite://people.db"\ntable = "nobody"', "cannot be opened", 1),
        ('path = "postgresql://me:SECRET123@host/db"\ntable = "people"', "not repeated here", 2),
        ('path = "postgresql://127.0.0.1:1/db"\ntable = "people"', "cannot be opened", 1),
        ('path = "nosuch://host/db"\ntable = "people"', "", 1),
        ('path = "hdfs://host/people"', "say --engine spark", 2),
    ],
)
@pytest.mark.usefixtures("desk")
def test_what_cannot_be_opened_is_said_in_one_sentence(path, said, code):
    release_file(path)
    done = shoal("run", "release.toml")
    assert done.exit_code == code, done.output
    assert said in done.output
    assert "SECRET123" not in done.output
    assert done.output.count("\n") == 1
    assert not Path("release").exists()


@pytest.mark.usefixtures("desk")
def test_a_table_of_no_database_and_an_engine_for_one_are_refused():
    release_file('path = "people.csv"', INTO)
    assert "it is none" in shoal("run", "release.toml").output
    release_file(SQLITE)
    assert "counts by itself" in shoal("run", "release.toml", "--engine", "duckdb").output
    assert "no engine 'dask'" in shoal("run", "release.toml", "--engine", "dask").output


@pytest.mark.usefixtures("desk")
def test_what_is_wrong_with_a_csv_file_is_said_as_always():
    with Path("people.csv").open("a", encoding="utf-8") as file:
        file.write("one cell\n")
    release_file('path = "people.csv"')
    here, there = (shoal("run", "release.toml", *words).output for words in ((), ("--engine", "duckdb")))
    assert here == there
    assert "1 cell where the header has 6" in here


@pytest.mark.slow
@pytest.mark.usefixtures("desk")
def test_credentials_come_from_the_environment_and_show_nowhere(monkeypatch):
    url = postgresql()
    postgresql_table("people_guarded", pc.read_csv("people.csv"))
    with postgresql_connection(autocommit=True) as connection:
        connection.execute("CREATE ROLE guarded LOGIN PASSWORD 'SECRET123'")
        connection.execute("GRANT SELECT ON people_guarded TO guarded")
    monkeypatch.setenv("PGUSER", "guarded")
    monkeypatch.setenv("PGPASSWORD", "SECRET123")
    release_file(f'path = "{url.replace("shoal@", "")}"\ntable = "people_guarded"')
    done = shoal("run", "release.toml")
    assert done.exit_code == 0, done.output
    for path in (*Path("release").iterdir(), *Path("release-owner").iterdir()):
        assert "SECRET123" not in path.read_text(encoding="utf-8")
    release_file(f'path = "{url.replace("shoal@", "")}"\ntable = "people_guarded"', INTO)
    refused = shoal("run", "release.toml", "--force")
    assert refused.exit_code == 1
    assert "SECRET123" not in refused.output
    assert sorted(path.name for path in Path("release").iterdir())[1:] == ["certificate.json", "data.csv"]


def opened(place):
    """The URL of a database with the table in it, and with nothing released; PostgreSQL is one for all tests."""
    people = pc.read_csv("people.csv")
    if place == "sqlite":
        return "sqlite://people.db"
    if place == "duckdb":
        with duckdb.connect("people.duckdb") as connection:
            connection.execute("CREATE TABLE people AS SELECT * FROM people")
        return "duckdb://people.duckdb"
    with postgresql_connection(autocommit=True) as connection:
        connection.execute("DROP TABLE IF EXISTS people")
        connection.execute("DROP TABLE IF EXISTS released")
    postgresql_table("people", people)
    return postgresql()


@pytest.mark.slow
@pytest.mark.parametrize("place", ["duckdb", "postgresql"])
@pytest.mark.usefixtures("desk")
def test_other_databases_take_a_release_too(place):
    url = opened(place)
    release_file(f'path = "{url}"\ntable = "people"', INTO)
    done = shoal("run", "release.toml")
    assert done.exit_code == 0, done.output
    assert "released" in there(place)
    checked = shoal("check", "release", "--database", url, "--table", "released")
    assert "holds  3-anonymous" in checked.output
    assert shoal("attack", "release.toml", "--targets", 5).exit_code == 0
    assert "not overwritten" in shoal("run", "release.toml", "--force").output


@pytest.mark.slow
@pytest.mark.parametrize("place", ["sqlite", "duckdb", "postgresql"])
@pytest.mark.usefixtures("desk")
def test_a_run_that_is_killed_leaves_no_table_and_no_release(place):
    """At any moment: before and while the table is written, and before the folders take their names."""
    url = opened(place)
    release_file(f'path = "{url}"\ntable = "people"', INTO)
    for moment in (
        "shoal.pipeline._release",
        "shoal.engines.lazy.databases._require_all",
        "shoal.promises.folder.recipient_note",
    ):
        kill_at(moment)
        assert not Path("release").exists()
        assert "released" not in there(place)


def is_finished_by_the_next(url, paid):
    """The next run gives the folders their names, draws and pays for nothing, and finds the table taken after that."""
    done = shoal("run", "release.toml")
    assert done.exit_code == 0, done.output
    assert "nothing was drawn or spent again" in done.output
    Path("new").mkdir()
    assert Path("release").stat().st_mode == Path("new").stat().st_mode
    assert Path("release-owner").stat().st_mode & 0o077 == 0
    assert Path("release-owner/report.html").exists()
    assert not [path for path in Path().iterdir() if path.name.startswith(".release")]
    checked = shoal("check", "release", "--database", url, "--table", "released")
    assert checked.exit_code == 0, checked.output
    assert f"Spent in total: epsilon = {2 * paid}," in shoal("ledger", "release.toml").output
    assert "not overwritten" in shoal("run", "release.toml", "--force").output


@pytest.mark.usefixtures("desk")
def test_a_run_that_was_ended_when_its_table_was_there_is_finished_by_the_next():
    """As a run leaves things that is killed: folders that wait under other names, and a note that tells of them."""
    release_file(SQLITE, INTO, method=PRIVATE)
    assert shoal("run", "release.toml").exit_code == 0
    note = {"table": "released", "place": "sqlite://people.db", "staged": [".release-a", ".release-owner-b"]}
    gone = subprocess.Popen([sys.executable, "-c", ""])
    gone.wait()

    def wait_again(process):
        for name, staged in zip(("release", "release-owner"), note["staged"], strict=True):
            Path(name).rename(staged)
            Path(staged).chmod(0o700)
        Path(".release-waiting.json").write_text(json.dumps({**note, "process": [socket.gethostname(), process]}))

    wait_again(os.getpid())  # a run that has not ended will finish by itself
    assert "not overwritten" in shoal("run", "release.toml").output
    for name, staged in zip(("release", "release-owner"), note["staged"], strict=True):
        Path(staged).rename(name)
    wait_again(gone.pid)
    is_finished_by_the_next("sqlite://people.db", paid=1)
    Path("new").rmdir()
    wait_again(gone.pid)
    with sqlite3.connect("people.db") as connection:
        connection.execute("DROP TABLE released")
    connection.close()
    again = shoal("run", "release.toml")  # what waits for a table that never came is removed
    assert "What became of the columns" in again.output
    assert not [path for path in Path().iterdir() if path.name.startswith(".release")]


@pytest.mark.slow
@pytest.mark.parametrize("place", ["sqlite", "duckdb", "postgresql"])
@pytest.mark.parametrize("renamed", [0, 1])
@pytest.mark.usefixtures("desk")
def test_a_run_that_is_killed_when_its_table_is_there_is_finished_by_the_next_and_paid_once(place, renamed):
    """Before the first folder takes its name, or between the two."""
    url = opened(place)
    release_file(f'path = "{url}"\ntable = "people"', INTO, method=PRIVATE)
    kill_at("shoal.engines.lazy.databases._require_all")
    assert (Path(".release-waiting.json").exists(), "released" in there(place)) == (True, False)
    kill_at("shoal.files.exchanging._place", calls=renamed)
    assert "released" in there(place)
    assert (Path("release").exists(), Path("release-owner").exists()) == (bool(renamed), False)
    is_finished_by_the_next(url, paid=2)


def there(place):
    """The tables of a database."""
    if place == "sqlite":
        return tables()
    if place == "duckdb":
        with duckdb.connect("people.duckdb") as connection:
            return [row[0] for row in connection.sql("SELECT table_name FROM information_schema.tables").fetchall()]
    with postgresql_connection() as connection:
        return [name for (name,) in connection.execute("SELECT tablename FROM pg_tables")]


def kill_at(moment, calls=0):
    """Run, and kill the process without a word when it calls some function, after so many calls."""
    module, _, name = moment.rpartition(".")
    program = f"""
import os, signal, sys
import {module} as module
called, calls = module.{name}, []
def killed(*given, **named):
    calls.append(1)
    return os.kill(os.getpid(), signal.SIGKILL) if len(calls) > {calls} else called(*given, **named)
module.{name} = killed
from shoal.cli.main import main
sys.argv = ["shoal", "run", "release.toml"]
main()
"""
    done = subprocess.run([sys.executable, "-c", program], check=False, capture_output=True, timeout=120)
    assert done.returncode == -signal.SIGKILL, done.stderr


@pytest.mark.usefixtures("desk")
def test_init_looks_at_a_table_wherever_it_is():
    """The same guesses; and the release file runs as it is, from a folder of its own too."""
    Path("plans").mkdir()
    for words in (("people.csv",), ("sqlite://people.db", "--table", "people"), ("parts", "--engine", "duckdb")):
        done = shoal("init", *words, "-o", "plans/release.toml", "--force")
        assert done.exit_code == 0, done.output
        assert "120 records" in done.output
        told = Path("plans/release.toml").read_text()
        assert (told.count("role = "), told.count('table = "people"')) == (6, "--table" in words)
        if "--table" in words:
            assert shoal("run", "plans/release.toml", "-o", "out").exit_code == 0
    assert shoal("init", "people.csv", "--table", "people", "-o", "new.toml").exit_code == 2
    assert "give either table or query" in shoal("init", "sqlite://people.db", "-o", "new.toml").output
    assert "s3a://bucket/people" in shoal("init", "s3a://bucket/people", "-o", "new.toml").output
    secret = shoal("init", "postgresql://me:SECRET123@host/db", "--table", "people", "-o", "new.toml")
    assert (secret.exit_code, "SECRET123" in secret.output) == (2, False)
