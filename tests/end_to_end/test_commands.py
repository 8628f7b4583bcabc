"""The commands as a custodian and as a machine see them: what they write, what they print, how they end."""

import csv
import io
import json
import os
import re
import subprocess
import sys
from importlib.metadata import version

import pytest
from desk import NAMES, SECRET, listing, people
from release_folders import told_again

from shoal.cli import console
from shoal.cli.main import app
from shoal.promises.certificate import Certificate

COMMANDS = [command.name or command.callback.__name__ for command in app.registered_commands]


# run


@pytest.mark.parametrize("form", ["csv", "parquet"])
def test_a_run_writes_the_release_and_beside_it_what_only_the_owner_may_see(desk, form):
    desk.change("[method]", f'[output]\npath = "out/"\nformat = "{form}"\n[method]')
    before = listing(desk.folder)
    printed = desk.done("run", "release.toml")
    after = listing(desk.folder)
    assert set(after) - set(before) == {
        "out",
        f"out/data.{form}",
        "out/certificate.json",
        "out/README.md",
        "out-owner",
        "out-owner/report.html",
        "out-owner/release.toml",
    }
    assert {name: after[name] for name in before} == before
    assert after["out-owner/release.toml"] == before["release.toml"]
    assert "3-anonymous" in printed
    assert "For the owner only" in printed
    assert str(desk.folder / "out") in printed
    assert listing(desk.scratch) == {}


def test_the_owners_report_is_marked_and_nothing_in_the_release_tells_what_was_left_out(desk):
    desk.table(*[f"{SECRET}-{i},{90 + i},Ulm,2024-12-{i + 1:02},flu,{SECRET}" for i in range(3)])
    desk.change("k = 3", "k = 5\nsuppression_limit = 0.5")
    desk.done("run", "release.toml")
    files = listing(desk.folder)
    report = files["release-owner/report.html"].decode()
    assert "For the owner's eyes only" in report
    assert "Of 63 records" in report
    for name in ("data.csv", "certificate.json", "README.md"):
        text = files[f"release/{name}"].decode()
        assert SECRET not in text
        assert not re.search(r"\b63\b", text)  # digests may hold it, among letters
        assert "person-" not in text
    assert "5-anonymous" in files["release/README.md"].decode()
    assert "`data.csv` holds" in files["release/README.md"].decode()


def test_a_search_that_was_stopped_says_so_on_the_screen_and_to_nobody_else(desk):
    assert "stopped" not in desk.done("run", "release.toml", "-o", "whole")
    desk.change("[method]", "[method]\ntime_limit = 1e-9")
    said = desk.done("run", "release.toml", "-o", "out")
    assert "The search stopped after 1e-09 seconds (time_limit in [method]; `time_limit = 60` lets it go on" in said
    assert "what is proved is that none loses" in said
    assert "stopped" not in (desk.folder / "out" / "README.md").read_text(encoding="utf-8")


def test_a_published_row_belongs_to_its_own_record(desk):
    desk.done("run", "release.toml")
    originals = {line.split(",")[5]: line.split(",") for line in people()}
    with (desk.folder / "release" / "data.csv").open(newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    assert list(rows[0]) == NAMES.split(",")[1:]
    for row in rows:
        _, age, town, _, illness, note = originals.pop(row["note"])
        low, high = row["age"].split("-")
        assert int(low) <= int(age) <= int(high)
        assert (row["illness"], row["note"]) == (illness, note)
        assert row["town"] in (town, {"Ulm": "south"}.get(town, "west"), "*")


def test_another_place_may_be_said_with_or_without_a_slash_and_need_not_exist_yet(desk):
    for place in ("deep/er/out", "other/", desk.folder / "absolute"):
        desk.done("run", "release.toml", "-o", place)
        folder = desk.folder / place
        assert (folder / "certificate.json").exists()
        assert (folder.parent / f"{folder.name}-owner" / "report.html").exists()
    assert not (desk.folder / "release").exists()


def test_paths_are_relative_to_the_release_file_and_not_to_where_the_command_runs(desk, monkeypatch):
    elsewhere = desk.folder.parent / "elsewhere"
    elsewhere.mkdir()
    monkeypatch.chdir(elsewhere)
    desk.done("run", desk.folder / "release.toml")
    assert (desk.folder / "release" / "data.csv").exists()
    assert listing(elsewhere) == {}


@pytest.mark.parametrize("start", [b"", b"\xef\xbb\xbf"], ids=["plain", "with a byte order mark"])
def test_a_byte_order_mark_changes_nothing(desk, start):
    desk.write("people.csv", start + (desk.folder / "people.csv").read_bytes())
    desk.change('role = "insensitive"\nunlinkable = true', 'role = "identifier"')
    desk.done("run", "release.toml")
    data = (desk.folder / "release" / "data.csv").read_text()
    assert data.startswith('"age","town","day","illness"\n"20-29",')
    assert len(data.splitlines()) == 61


def test_two_runs_of_counted_columns_write_the_same_bytes(desk):
    desk.change('role = "insensitive"\nunlinkable = true', 'role = "identifier"')
    for place in ("a", "b"):
        desk.done("run", "release.toml", "-o", place)
    files = listing(desk.folder)
    assert files["a/data.csv"] == files["b/data.csv"]
    assert files["a/certificate.json"] == files["b/certificate.json"]


# check


def test_a_check_of_a_good_release_says_so(desk):
    desk.done("run", "release.toml")
    printed = desk.done("check", "release")
    lines = printed.splitlines()
    assert lines[0] == "release: 60 records, 1 promise to verify"
    assert "  quasi-identifiers: age, town, day" in lines
    assert "  sensitive: illness" in lines
    assert "  insensitive, not looked at: note" in lines
    assert "  every file has the digest that the certificate tells of" in lines
    assert "cannot be told from the original" in lines[-1]
    assert "holds  3-anonymous" in desk.done("check", "release/")


@pytest.mark.parametrize("distance", ["equal", "hierarchical"])
def test_a_promise_that_compares_with_the_input_is_not_said_to_be_checked_and_gives_no_value_away(desk, distance):
    """Three records are left out; the values of the input less those published would be theirs."""
    desk.table(*[f"{SECRET}{i},{90 + i},Ulm,2024-12-{i + 1:02},flu,{SECRET}{i}" for i in range(3)])
    criterion = '{ name = "closeness", closeness = 0.6, column = "illness", reference = "input", '
    criterion += f'distance = "{distance}" }}'
    desk.change("k = 3", f"k = 5\nsuppression_limit = 0.5\ncriteria = [{criterion}]")
    desk.done("run", "release.toml")
    certificate = (desk.folder / "release" / "certificate.json").read_text(encoding="utf-8")
    assert [said["name"] for said in json.loads(certificate)["criteria"]] == ["k-anonymity"]
    printed = desk.done("check", "release")
    assert "1 promise to verify" in printed
    assert "cannot be checked from the files: values of 'illness' in every class within distance 0.6" in printed
    assert "the table that this release was made from" in printed
    desk.change('reference = "input"', 'reference = "original"')
    assert "reference must be published or input; got 'original'" in desk.refused(
        "run", "release.toml", "--force", code=2
    )


def test_a_check_of_a_broken_release_says_so_and_ends_with_1(desk):
    desk.done("run", "release.toml")
    path = desk.folder / "release" / "data.csv"
    lines = path.read_text(encoding="utf-8").splitlines()
    path.write_text("\n".join([*lines[:-1], '"0-9","Ulm","2024-01","flu","new"']) + "\n", encoding="utf-8")
    assert "'data.csv' is not the file that" in desk.refused("check", "release")
    told_again(desk.folder / "release")
    result = desk.shoal("check", "release")
    assert result.exit_code == 1
    assert "BROKEN  3-anonymous" in result.stdout
    assert "reached 1" in result.stdout
    assert result.stderr == ""


def test_a_check_needs_a_release(desk, matches):
    matches(
        r"desk is not a folder|nowhere is not a folder; expected the folder of a release",
        desk.refused("check", "nowhere"),
    )
    matches(r"certificate\.json does not exist; expected the folder of a release", desk.refused("check", "."))


# For machines


def test_a_run_for_machines_prints_json(desk):
    told = json.loads(desk.done("run", "release.toml", "--json"))
    assert told["release"] == str(desk.folder / "release")
    assert told["owner"] == str(desk.folder / "release-owner")
    assert told["certificate"] == Certificate.load(desk.folder / "release" / "certificate.json").to_dict()


def test_a_check_for_machines_prints_json_also_when_it_fails(desk):
    desk.change("k = 3", "criteria = [{ name = 'recursive-diversity', c = 9, diversity = 2, column = 'illness' }]")
    desk.done("run", "release.toml")
    told = json.loads(desk.done("check", "release", "--json"))
    assert told["holds"] is True
    assert [criterion["holds"] for criterion in told["criteria"]] == [True, True]
    assert told["quasi_identifiers"] == ["age", "town", "day"]
    assert (told["sensitive"], told["insensitive"], told["noisy"]) == (["illness"], ["note"], [])
    assert (told["digests"], told["signed_by"], told["test_run"]) == (True, None, False)
    assert "cannot be told from the original" in told["notes"][-1]
    path = desk.folder / "release" / "data.csv"
    text = path.read_text(encoding="utf-8")
    for illness in ("cold", "none"):
        text = text.replace(f'"{illness}"', '"flu"')
    path.write_text(text, encoding="utf-8")
    told_again(desk.folder / "release")
    result = desk.shoal("check", "release", "--json")
    assert result.exit_code == 1
    told = json.loads(result.stdout, parse_constant=lambda word: pytest.fail(f"{word} is not JSON"))
    assert told["holds"] is False
    assert [(c["holds"], c["reached"]) for c in told["criteria"]][1] == (False, None)


@pytest.mark.parametrize(
    ("arguments", "code", "kind"),
    [
        (("run", "nothing.toml"), 2, "PlanError"),
        (("run", "release.toml"), 1, "DataError"),
        (("check", "nowhere"), 1, "DataError"),
        (("run", "release.toml", "-o", "people.csv"), 1, "OutputError"),
    ],
)
def test_errors_for_machines_are_json_too(desk, arguments, code, kind):
    desk.table(f"{SECRET},{SECRET},Ulm,2024-01-01,flu,x")
    result = desk.shoal(*arguments, "--json")
    assert result.exit_code == code
    assert result.stderr == ""
    told = json.loads(result.stdout)
    assert set(told) == {"error"}
    assert told["error"]["kind"] == kind
    assert told["error"]["message"].endswith(".")
    assert SECRET not in result.stdout


# For those who wait


class Terminal(io.StringIO):
    """A stream that a person looks at."""

    def isatty(self):
        return True


@pytest.mark.parametrize(("patience", "is_shown"), [(0.0, True), (3600.0, False)], ids=["long", "short"])
def test_a_bar_appears_on_a_terminal_when_the_work_takes_long(monkeypatch, patience, is_shown):
    monkeypatch.setattr(console, "_PATIENCE", patience)
    monkeypatch.setattr(sys, "stderr", Terminal())
    with console.progress_bar() as show:
        show("reading and counting", 0.25)
        show("reading and counting", 0.5)
    assert ("reading and counting" in sys.stderr.getvalue()) == is_shown


def test_no_bar_appears_where_nobody_looks(monkeypatch):
    monkeypatch.setattr(console, "_PATIENCE", 0.0)
    monkeypatch.setattr(sys, "stderr", io.StringIO())
    with console.progress_bar() as show:
        show("reading and counting", 0.5)
    assert sys.stderr.getvalue() == ""


# Help


def test_the_version_is_that_of_the_package(desk):
    assert desk.done("--version") == f"shoal {version('shoal')}\n"


def test_the_help_lists_the_commands(desk):
    printed = desk.done("--help")
    for command in COMMANDS:
        assert f"\n  {command} " in printed


@pytest.mark.parametrize("command", COMMANDS)
def test_the_help_of_every_command_shows_an_example(desk, command):
    printed = desk.done(command, "--help")
    assert "Example" in printed
    assert f"shoal {command}" in printed.split("Example", 1)[1]


@pytest.mark.parametrize("arguments", [("rum",), ("run",), ("run", "release.toml", "--forse"), ("check", "a", "b")])
def test_misuse_ends_with_2(desk, arguments):
    result = desk.shoal(*arguments)
    assert result.exit_code == 2
    assert "Traceback" not in result.output


# demo and init


def test_the_demo_makes_a_release_that_can_be_checked(desk):
    printed = desk.done("demo", "-o", "trial")
    folder = desk.folder / "trial"
    assert {path.name for path in folder.iterdir()} == {
        "patients.csv",
        "release.toml",
        "release.schema.json",
        "hierarchies",
        "release",
        "release-owner",
    }
    assert "5-anonymous" in printed
    assert "shoal check" in printed
    assert "holds  5-anonymous" in desk.done("check", folder / "release")


def test_the_demo_replaces_only_itself_and_only_when_forced(desk, matches):
    (desk.folder / "trial").mkdir()
    matches(r"trial exists already and is not overwritten", desk.refused("demo", "-o", "trial"))
    desk.done("demo", "-o", "trial", "--force")
    desk.done("demo", "-o", "trial", "--force")
    desk.write("trial/notes.txt", "mine")
    matches(
        r"trial holds what Shoal did not write there \('notes\.txt'\)", desk.refused("demo", "-o", "trial", "--force")
    )


def test_a_demo_that_is_stopped_leaves_nothing(desk, monkeypatch):
    import shoal.pipeline

    def stopped(*_, **__):
        raise KeyboardInterrupt

    monkeypatch.setattr(shoal.pipeline, "publish", stopped)
    before = listing(desk.folder)
    result = desk.shoal("demo", "-o", "trial")
    assert (result.exit_code, result.stderr) == (130, "error: stopped; nothing was written.\n")
    assert listing(desk.folder) == before


def test_init_writes_a_release_file_that_runs(desk):
    (desk.folder / "release.toml").unlink()
    before = listing(desk.folder)
    desk.done("init", "people.csv")
    after = listing(desk.folder)
    assert {name: after[name] for name in before} == before
    assert "release.toml" in after
    assert b"[columns.age]" in after["release.toml"]
    desk.done("run", "release.toml")
    assert "holds" in desk.done("check", "release")


def test_init_refuses_what_it_cannot_read_and_overwrites_nothing(desk, matches):
    matches(r"release\.toml.* exists already", desk.refused("init", "people.csv"))
    desk.write("people.csv", b"")
    matches(r"people\.csv is empty", desk.refused("init", "people.csv", "--force"))
    matches(r"nowhere\.csv does not exist", desk.refused("init", "nowhere.csv", "-o", "new.toml"))


# The shell around


def spawn(*arguments, **settings):
    return subprocess.Popen(
        [sys.executable, "-c", "from shoal.cli.main import main; main()", *map(str, arguments)],
        text=True,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        **settings,
    )


def test_the_command_ends_with_its_exit_code(desk):
    done = spawn("run", "release.toml", cwd=desk.folder)
    assert "3-anonymous" in done.communicate()[0]
    assert done.returncode == 0
    again = spawn("run", "release.toml", cwd=desk.folder)
    assert again.communicate()[1].startswith("error: ")
    assert again.returncode == 1


def test_a_reader_that_went_away_is_no_reason_for_a_traceback(desk):
    """As in `shoal run release.toml | head -0`: the release is written, nobody reads about it."""
    read, write = os.pipe()
    os.close(read)
    process = subprocess.Popen(
        [sys.executable, "-c", "from shoal.cli.main import main; main()", "run", "release.toml"],
        cwd=desk.folder,
        stdout=write,
        stderr=subprocess.PIPE,
        text=True,
    )
    os.close(write)
    _, errors = process.communicate()
    assert "Traceback" not in errors
    assert "Exception ignored" not in errors
    assert (desk.folder / "release" / "certificate.json").exists()


def test_a_terminal_without_the_letters_of_the_field_is_no_reason_to_fail(desk):
    desk.change("k = 3", "criteria = [{ name = 'distinct-diversity', diversity = 2, column = 'illness' }]")
    process = spawn("run", "release.toml", cwd=desk.folder, env={**os.environ, "PYTHONIOENCODING": "cp1252"})
    printed, errors = process.communicate()
    assert errors == ""
    assert process.returncode == 0
    assert "(distinct ?-diversity)" in printed


def test_a_table_of_a_german_spreadsheet_goes_through_init_and_run_as_it_is(desk):
    """`sep=;`, decimal commas, and numbers with so many digits that each stands in the hierarchy by itself."""
    rows = [f"{20 + i % 40};4,{31806333496276 + 7919 * (i % 30)};{i % 2}" for i in range(120)]
    desk.write("wages.csv", "\r\n".join(["sep=;", "age;logwage;smoker", *rows]))
    desk.done("init", "wages.csv", "--force")
    assert 'decimal = ","' in (desk.folder / "release.toml").read_text(encoding="utf-8")
    desk.done("run", "release.toml")
    desk.done("check", "release")


def test_words_and_missing_codes_among_numbers_with_commas_go_through_init_and_run(desk):
    dose, crp = ("0,5", "1,0", "unknown"), ("-999,0", "51,5", "60,25", "77,5", "81,75")
    rows = [f"{20 + i % 30};{dose[i % 3]};{crp[i % 5]};{i % 7:04d}" for i in range(300)]
    desk.write("doses.csv", "\n".join(["age;dose;crp;ward", *rows]))
    desk.done("init", "doses.csv", "--force")
    said = (desk.folder / "release.toml").read_text(encoding="utf-8")
    assert 'decimal = ","' in said
    assert "thousands" not in said
    desk.done("run", "release.toml")
    assert "-999" not in (desk.folder / "release" / "data.csv").read_text(encoding="utf-8")


def test_codes_with_leading_zeros_say_nothing_of_thousands(desk):
    desk.write("wards.csv", "\n".join(["code,age", *(f"{i % 9:04d},{20 + i % 30}" for i in range(200))]))
    desk.done("init", "wards.csv", "--force")
    assert "thousands" not in (desk.folder / "release.toml").read_text(encoding="utf-8")
