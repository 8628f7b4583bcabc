"""`shoal ledger` shows what was spent and by which releases."""

import datetime as dt
import json
import shlex
from fractions import Fraction

import pytest
import typer
from typer.testing import CliRunner

from shoal.cli.ledger import _names, ledger
from shoal.data.unit import Unit
from shoal.dp.accounting.cost import PrivacyCost
from shoal.dp.accounting.relation import Neighbors
from shoal.dp.ledger.fingerprint import Dataset
from shoal.dp.ledger.store import LedgerStore
from shoal.engines.reading.recognizing import dataset_at
from shoal.errors import BudgetError


@pytest.fixture
def people(tmp_path):
    path = tmp_path / "people.csv"
    path.write_text("age\n41\n")
    return path


@pytest.fixture
def shell(monkeypatch):
    monkeypatch.setenv("COLUMNS", "200")
    app = typer.Typer()
    app.command()(ledger)
    runner = CliRunner()
    return lambda *arguments: runner.invoke(app, [str(argument) for argument in arguments], catch_exceptions=False)


def flat(result):
    """What was printed, as one line."""
    return " ".join(result.output.split())


def spend(people, folder):
    store = LedgerStore(folder)
    with store.reserve(Dataset.of(people, "people"), PrivacyCost.of("0.9", "1e-6"), "[bold]first/") as reservation:
        reservation.ledger.charge(PrivacyCost.of("0.5"), "look")
    store.reserve(Dataset.of(people), PrivacyCost.of("0.1"), "second/")
    store.reserve(Dataset.of(people), PrivacyCost.of(1, neighbors=Neighbors.REPLACE), "third/")


def test_nothing_spent_is_said_and_nothing_written(shell, people, tmp_path):
    (tmp_path / "store").mkdir()
    result = shell(people, "--store", tmp_path / "store")
    assert result.exit_code == 0
    assert result.output == f"Nothing has been spent on this dataset according to the ledger in {tmp_path / 'store'}.\n"
    assert not list((tmp_path / "store").iterdir())


def test_a_folder_that_is_not_there_is_no_ledger(shell, people, tmp_path):
    for arguments in ([], ["--raise", "epsilon=3"]):
        result = shell(people, "--store", tmp_path / "stroe", *arguments)
        assert result.exit_code == 2
        assert "there is no such folder" in flat(result)
    assert not (tmp_path / "stroe").exists()


def test_what_was_spent_in_the_ledger_of_a_release_file_is_not_said_to_be_nothing(shell, people, tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "home"))
    spend(people, tmp_path / "store")
    printed = flat(shell(people))
    assert f"according to the ledger in {tmp_path / 'home' / 'shoal'}. A release file may name another" in printed
    assert not (tmp_path / "home").exists()


def test_the_command_that_a_refusal_names_raises_the_limit(shell, people, tmp_path, monkeypatch):
    for folder, is_named in ((tmp_path / "my books", True), (tmp_path / "shoal", False)):
        monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
        limited(people, folder)
        with pytest.raises(BudgetError) as refusal:
            LedgerStore(folder).reserve(Dataset.of(people), PrivacyCost.of(1), "second/")
        command = str(refusal.value).partition("shoal ledger DATA")[2].replace("=...,delta=...", "=3,delta=1e-4")
        assert ("--store" in command) is is_named
        assert shell(people, *shlex.split(command)).exit_code == 0
        LedgerStore(folder).reserve(Dataset.of(people), PrivacyCost.of(1), "second/")


def test_a_table_and_a_total_for_each_relation(shell, people, tmp_path):
    spend(people, tmp_path / "store")
    result = shell(people, "--store", tmp_path / "store")
    assert result.exit_code == 0
    for text in ("[bold]first", "second", "0.9", "1e-06", "not confirmed; spent all the same"):
        assert text in result.output
    assert max(map(len, result.output.splitlines())) <= 80  # however wide the terminal is
    assert result.output.count(dt.datetime.now(dt.UTC).date().isoformat()) == 3  # but for one run at midnight in UTC
    assert "No total: nothing bounds the loss under 'add/remove one record': 'third/' promised nothing there." in flat(
        result
    )
    assert (
        "Spent in total: epsilon = 3, delta = 3.45961e-06 (replace one record, the number of records is public)."
        in flat(result)
    )
    assert "limit" not in result.output


def test_json_for_machines(shell, people, tmp_path):
    spend(people, tmp_path / "store")
    told = json.loads(shell(people, "--store", tmp_path / "store", "--json").output)
    replace = "replace one record, the number of records is public"
    assert told["spent"] == [{"epsilon": 3.0, "delta": pytest.approx(3.4596e-06), "neighbors": replace}]
    assert told["unbounded"] == [
        {"neighbors": "add/remove one record", "because": "'third/' promised nothing there"},
    ]
    assert told["limits"] == told["raises"] == []
    first = told["releases"][0]
    assert (first["release"], first["epsilon"], first["reasons"]) == ("[bold]first/", 0.9, ["look"])
    assert first["released_at"] is not None
    assert told["releases"][1]["released_at"] is None


def test_the_name_finds_a_changed_table(shell, people, tmp_path):
    spend(people, tmp_path / "store")
    people.write_text("age\n42\n")
    assert "Nothing" in shell(people, "--store", tmp_path / "store").output
    assert "first" in shell(people, "--store", tmp_path / "store", "--name", "people").output


def test_the_user_s_data_folder_is_the_default(shell, people, tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    spend(people, tmp_path / "shoal")
    assert "second" in shell(people).output


def test_what_is_refused_gets_a_sentence_and_exit_code_1(shell, people, tmp_path):
    result = shell(tmp_path / "nothing.csv")
    assert result.exit_code == 1
    assert "no such file" in result.output
    spend(people, tmp_path / "store")
    (tmp_path / "store" / "ledger.key").unlink()
    result = shell(people, "--store", tmp_path / "store", "--json")
    assert result.exit_code == 1
    told = json.loads(result.output)["error"]
    assert told["kind"] == "BudgetError"
    assert "is missing" in told["message"]


LIMIT = PrivacyCost.of(2, "1e-5")


def limited(people, folder):
    LedgerStore(folder).reserve(Dataset.of(people), PrivacyCost.of("1.6666666666", "1e-6"), "first/", limit=LIMIT)


def test_the_limit_that_binds_and_what_is_left_are_shown_rounded_down(shell, people, tmp_path):
    limited(people, tmp_path / "store")
    printed = flat(shell(people, "--store", tmp_path / "store"))
    assert (
        "The limit is epsilon = 2, delta = 1e-05 (add/remove one record); left are epsilon = 0.333333, delta = 9e-06."
        in printed
    )
    told = json.loads(shell(people, "--store", tmp_path / "store", "--json").output)
    (limit,) = told["limits"]
    assert (limit["epsilon"], limit["delta"], limit["left"]["delta"]) == (2, 1e-5, pytest.approx(9e-6))


def test_a_limit_is_raised_explicitly_and_that_is_recorded(shell, people, tmp_path):
    store, folder = LedgerStore(tmp_path / "store"), tmp_path / "store"
    limited(people, folder)
    with pytest.raises(BudgetError, match="set by release 'first/' on 20"):
        store.reserve(Dataset.of(people), PrivacyCost.of(1), "second/")
    printed = flat(shell(people, "--store", folder, "--raise", "epsilon=3,delta=1e-4"))
    assert "Limit set by its owner on 20" in printed
    assert "The limit is epsilon = 3, delta = 0.0001 (add/remove one record); left are epsilon = 1.33333," in printed
    store.reserve(Dataset.of(people), PrivacyCost.of(1), "second/")
    told = json.loads(shell(people, "--store", folder, "--json").output)
    assert told["raises"][0]["epsilon"] == told["limits"][0]["epsilon"] == 3
    with pytest.raises(BudgetError, match="set by its owner on 20"):
        store.reserve(Dataset.of(people), PrivacyCost.of(1), "third/")


def test_a_limit_may_be_told_under_a_weaker_relation(shell, people, tmp_path):
    folder = tmp_path / "store"
    limited(people, folder)
    printed = flat(shell(people, "--store", folder, "--raise", "epsilon=4,delta=1e-4", "--neighbors", "replace"))
    assert "The limit is epsilon = 4, delta = 0.0001 (replace one record" in printed
    store = LedgerStore(folder)
    store.reserve(Dataset.of(people), PrivacyCost.of("0.5", neighbors=Neighbors.REPLACE), "second/")
    printed = flat(
        shell(people, "--store", folder, "--raise", "epsilon=5,delta=1e-4", "--protected", "age", "--protected", "zip")
    )
    assert (
        "The limit is epsilon = 5, delta = 0.0001 (replace age, zip of one record); left are epsilon = 1.16" in printed
    )


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        (("--raise", "3"), 2, "--raise takes a limit such as epsilon=3,delta=1e-4; got '3'"),
        (("--raise", "delta=1"), 2, "--raise takes a limit such as"),
        (("--raise", "epsilon=3,epsilon=4"), 2, "--raise takes a limit such as"),
        (("--raise", "epsilon=3,k=4"), 2, "--raise takes a limit such as"),
        (("--raise", "epsilon=many"), 2, "'many' is not a finite number"),
        (("--raise", "epsilon=-1"), 2, "epsilon >= 0"),
        (("--raise", "epsilon=3", "--neighbors", "far"), 2, "neighbors is one of add/remove, replace, attributes"),
        (("--raise", "epsilon=3", "--neighbors", "attributes"), 2, "does not say which attributes are protected"),
        (("--raise", "epsilon=3", "--neighbors", "replace", "--protected", "age"), 2, "protects whole records"),
        (("--neighbors", "replace"), 2, "give --raise too"),
        (("--raise", "epsilon=1,delta=1e-4"), 1, "would be broken already"),
        (("--raise", "epsilon=1.7,delta=0"), 1, "would be broken already"),
    ],
)
def test_a_raise_that_makes_no_sense_changes_nothing(shell, people, tmp_path, arguments, code, message):
    limited(people, tmp_path / "store")
    result = shell(people, "--store", tmp_path / "store", *arguments)
    assert result.exit_code == code
    assert message in " ".join(result.output.split())
    assert LedgerStore(tmp_path / "store").account(Dataset.of(people)).binding == (LIMIT,)


def test_a_limit_under_a_relation_that_an_earlier_release_says_nothing_about_is_refused(shell, people, tmp_path):
    spend(people, tmp_path / "store")
    result = shell(people, "--store", tmp_path / "store", "--raise", "epsilon=9,delta=0.1", "--neighbors", "add/remove")
    assert result.exit_code == 1
    assert "cannot hold: nothing bounds the loss under 'add/remove one record': 'third/'" in result.output
    printed = flat(shell(people, "--store", tmp_path / "store", "--raise", "epsilon=9,delta=0.1"))
    assert "The limit is epsilon = 9, delta = 0.1 (replace one record" in printed  # the strongest that all share


def test_limits_under_several_relations_need_a_choice(shell, people, tmp_path):
    store = LedgerStore(tmp_path / "store")
    store.reserve(Dataset.of(people), PrivacyCost.of("0.1"), "first/", limit=LIMIT)
    store.reserve(Dataset.of(people), PrivacyCost.of("0.1"), "second/", limit=PrivacyCost.of(1, 0, Neighbors.REPLACE))
    result = shell(people, "--store", store.folder, "--raise", "epsilon=9")
    assert result.exit_code == 2
    assert "say under which relation" in result.output


def test_another_copy_of_the_table_finds_the_same_books(shell, people, tmp_path):
    people.write_text("age,town\n41,Bern\n8,\n")
    store = LedgerStore(tmp_path / "store")
    store.reserve(dataset_at(people), PrivacyCost.of(1), "first/", limit=LIMIT)
    copy = tmp_path / "copy.csv"
    copy.write_text("town;age\n;8.0\nBern;41\n")
    assert "first" in shell(copy, "--store", tmp_path / "store").output
    copy.write_text("town;age\n;8.0\nBern;42\n")
    assert "Nothing has been spent" in shell(copy, "--store", tmp_path / "store").output


def test_encoding_and_delimiter_can_be_given(shell, people, tmp_path):
    people.write_bytes("town:age\nZürich:41\n".encode("latin-1"))
    (tmp_path / "store").mkdir()
    result = shell(people, "--encoding", "latin-1", "--delimiter", ":", "--store", tmp_path / "store")
    assert result.exit_code == 0
    assert "Nothing has been spent" in result.output


def test_a_limit_for_persons_is_set_and_shown(shell, people, tmp_path):
    folder = tmp_path / "store"
    cost = PrivacyCost(Fraction(1), unit=Unit.PERSON, max_records=1)
    LedgerStore(folder).reserve(Dataset.of(people), cost, "first/")
    printed = flat(shell(people, "--store", folder, "--raise", "epsilon=4"))  # as what was spent is told
    assert "The limit is epsilon = 4, delta = 0 (add/remove one person with all their records); left are" in printed
    printed = flat(shell(people, "--store", folder, "--raise", "epsilon=4", "--unit", "record"))
    assert "The limit is epsilon = 4, delta = 0 (add/remove one record); left are epsilon = 2.56621" in printed
    refused = shell(people, "--store", folder, "--raise", "epsilon=4", "--unit", "household")
    assert refused.exit_code == 1
    assert "nothing bounds the loss under 'add/remove one household with all its records'" in refused.output
    assert shell(people, "--store", folder, "--unit", "person").exit_code == 2
    assert shell(people, "--store", folder, "--raise", "epsilon=4", "--unit", "pet").exit_code == 2


def test_releases_are_called_by_their_folders_and_by_more_where_two_are_called_alike():
    assert _names(["/data/june/release", "/data/june/second/"]) == ["release", "second"]
    assert _names(["/data/june/release", "/data/may/release", "x"]) == ["june/release", "may/release", "x"]
    assert _names(["same", "same"]) == ["same", "same"]
