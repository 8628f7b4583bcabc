"""`shoal ledger` shows what was spent and by which releases."""

import json

import pytest
import typer
from typer.testing import CliRunner

from shoal.cli.ledger import ledger
from shoal.dp.fingerprint import Dataset
from shoal.dp.guarantee import Neighbors, PrivacyCost
from shoal.dp.ledger_store import LedgerStore


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


def spend(people, folder):
    store = LedgerStore(folder)
    with store.reserve(Dataset.of(people, "people"), PrivacyCost.of("0.9", "1e-6"), "[bold]first/") as reservation:
        reservation.ledger.charge(PrivacyCost.of("0.5"), "look")
    store.reserve(Dataset.of(people), PrivacyCost.of("0.1"), "second/")
    store.reserve(Dataset.of(people), PrivacyCost.of(1, neighbors=Neighbors.REPLACE), "third/")


def test_nothing_spent_is_said_and_nothing_written(shell, people, tmp_path):
    result = shell(people, "--store", tmp_path / "store")
    assert result.exit_code == 0
    assert result.output == "Nothing has been spent on this dataset.\n"
    assert not (tmp_path / "store").exists()


def test_a_table_and_a_total_for_each_relation(shell, people, tmp_path):
    spend(people, tmp_path / "store")
    result = shell(people, "--store", tmp_path / "store")
    assert result.exit_code == 0
    for text in ("[bold]first/", "second/", "0.9", "1e-06", "not confirmed; spent all the same"):
        assert text in result.output
    assert "Spent in total: epsilon = 1, delta = 1e-06 (add/remove one record)." in result.output
    assert (
        "Spent in total: epsilon = 1, delta = 0 (replace one record, the number of records is public)." in result.output
    )


def test_json_for_machines(shell, people, tmp_path):
    spend(people, tmp_path / "store")
    told = json.loads(shell(people, "--store", tmp_path / "store", "--json").output)
    assert told["spent"][0] == {"epsilon": 1.0, "delta": 1e-06, "neighbors": "add/remove one record"}
    first = told["releases"][0]
    assert (first["release"], first["epsilon"], first["reasons"]) == ("[bold]first/", 0.9, ["look"])
    assert first["released_at"] is not None
    assert told["releases"][1]["released_at"] is None


def test_the_name_finds_a_changed_table(shell, people, tmp_path):
    spend(people, tmp_path / "store")
    people.write_text("age\n42\n")
    assert "Nothing" in shell(people, "--store", tmp_path / "store").output
    assert "first/" in shell(people, "--store", tmp_path / "store", "--name", "people").output


def test_the_user_s_data_folder_is_the_default(shell, people, tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    spend(people, tmp_path / "shoal")
    assert "second/" in shell(people).output


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
