"""Releases in Python are paid from the same books as on the command line."""

import warnings

import cases
import pandas as pd
import polars as pl
import pytest

import shoal
from shoal.dp.coins.coins import SeededCoins
from shoal.dp.ledger.fingerprint import Dataset
from shoal.dp.ledger.store import LedgerStore
from shoal.engines.reading.recognizing import dataset_at
from shoal.errors import BudgetError, ParameterError

METHOD = shoal.SafePub(epsilon=2, delta="1e-3")
COST = METHOD.cost
PAID = {
    "safepub": METHOD,
    "diffgen": shoal.DiffGen(epsilon=2, target="grade"),
    "marginals": shoal.Marginals(epsilon=2, delta="1e-6"),
    "microaggregation-dp": shoal.MicroaggregationDP(epsilon=2, k=50),
    "k-epsilon": shoal.KEpsilon(epsilon=2, perturbed=("age",), anonymizer=shoal.Mondrian(k=2)),
}


def spent(ledger, frame=None):
    return [spending.cost for spending in ledger.account(frame).spendings]


@pytest.fixture
def ledger(tmp_path):
    return shoal.Ledger.open(tmp_path / "books", dataset="people")


@pytest.mark.parametrize("name", PAID)
def test_every_method_that_costs_something_is_paid_for(name, ledger):
    method = PAID[name]
    release = method.anonymize(cases.table(), cases.schema(), ledger=ledger)
    (spending,) = ledger.account().spendings
    assert (spending.cost, spending.release) == (method.cost, f"{name}, made in Python")
    assert spending.released_at is not None
    assert release.is_paid
    assert release.data is not None


def test_a_method_without_a_cost_takes_nothing(ledger):
    shoal.OptimalLattice(k=3).anonymize(cases.table(), cases.schema(), ledger=ledger)
    assert not ledger.folder.exists()


def test_a_limit_binds_over_all_releases_of_the_same_records(tmp_path):
    frame = cases.table()
    ledger = shoal.Ledger.open(tmp_path / "books", limit=shoal.PrivacyCost.of(3, "1e-2"))
    METHOD.anonymize(frame, cases.schema(), ledger=ledger)
    again = pl.from_arrow(frame)[::-1]  # other order, other library
    without = shoal.Ledger.open(tmp_path / "books")
    with pytest.raises(BudgetError, match="limit"):
        METHOD.anonymize(again, cases.schema(), ledger=without)
    assert spent(without, again) == [COST]
    without.raise_limit(shoal.PrivacyCost.of(4, "1e-2"), again)
    METHOD.anonymize(again, cases.schema(), ledger=without)
    assert spent(without, frame) == [COST, COST]


def test_files_and_frames_have_one_account(tmp_path):
    frame = cases.table().to_pandas()
    frame.to_csv(tmp_path / "people.csv", index=False)
    ledger = shoal.Ledger.open(tmp_path / "books")
    METHOD.anonymize(frame, cases.schema(), ledger=ledger)
    store = LedgerStore(tmp_path / "books")
    assert [spending.cost for spending in store.history(dataset_at(tmp_path / "people.csv"))] == [COST]


def test_other_records_have_another_account_unless_the_name_is_the_same(ledger):
    frame = cases.table().to_pandas()
    METHOD.anonymize(frame, cases.schema(), ledger=ledger)
    nameless = shoal.Ledger.open(ledger.folder)
    assert spent(nameless, frame) == [COST]
    assert spent(nameless, frame[1:]) == []
    assert spent(ledger, frame[1:]) == [COST]
    assert LedgerStore(ledger.folder).history(Dataset(b"", "people")) != ()


def test_the_books_of_the_user_are_those_of_the_command_line():
    from shoal.files.remains import data_folder

    assert shoal.Ledger.open().folder == data_folder()


def test_a_refusal_by_what_is_public_costs_nothing(ledger):
    with pytest.raises(shoal.SchemaError):
        METHOD.anonymize(cases.table(), cases.schema().with_column("nobody"), ledger=ledger)
    with pytest.raises(shoal.ShoalError):
        shoal.SafePub(epsilon="1e-8", delta="1e-90").anonymize(cases.table(), cases.schema(), ledger=ledger)
    assert spent(ledger) == []


def test_a_paid_run_that_fails_publishes_no_records(ledger, monkeypatch):
    """As on the command line: that it failed may be what one record decides."""

    def fails(*_given, ledger, **_more):
        ledger.open()
        raise RuntimeError("SECRET")

    monkeypatch.setattr(shoal.SafePub, "run", fails)
    frame = cases.table().to_pandas()
    release = METHOD.anonymize(frame, cases.schema(), ledger=ledger)
    assert isinstance(release.data, pd.DataFrame)
    assert (len(release.data), release.certificate.records) == (0, 0)
    assert release.facts.failure.startswith("RuntimeError in ")
    assert "SECRET" not in release.facts.failure
    assert spent(ledger) == [COST]


def test_what_was_interrupted_after_the_first_draw_stays_paid(ledger, monkeypatch):
    def interrupted(*_given, ledger, **_more):
        ledger.open()
        raise KeyboardInterrupt

    monkeypatch.setattr(shoal.SafePub, "run", interrupted)
    with pytest.raises(KeyboardInterrupt):
        METHOD.anonymize(cases.table(), cases.schema(), ledger=ledger)
    (spending,) = ledger.account().spendings
    assert (spending.cost, spending.released_at) == (COST, None)


def test_the_default_is_for_the_whole_process_until_it_is_changed(tmp_path, ledger):
    other = shoal.Ledger.open(tmp_path / "others", dataset="people")
    with shoal.set_ledger(ledger):
        METHOD.anonymize(cases.table(), cases.schema())
        METHOD.anonymize(cases.table(), cases.schema(), ledger=other)
    METHOD.anonymize(cases.table(), cases.schema())
    assert (spent(ledger), spent(other)) == ([COST], [COST])


def test_a_release_that_nobody_adds_up_says_so():
    import shoal.ledger as books

    with shoal.set_ledger(None):
        books._DEFAULT.is_chosen = False
        with pytest.warns(shoal.NoLedgerWarning, match="safepub: no ledger was given") as caught:
            METHOD.anonymize(cases.table(), cases.schema())
        assert caught[0].filename == __file__
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            shoal.OptimalLattice(k=3).anonymize(cases.table(), cases.schema())  # costs nothing
            METHOD.anonymize(cases.table(), cases.schema(), coins=SeededCoins(1))  # a test


def test_seeded_coins_are_not_paid_for(ledger):
    with pytest.raises(ParameterError, match="seeded coins are for tests and protect nobody"):
        METHOD.anonymize(cases.table(), cases.schema(), ledger=ledger, coins=SeededCoins(1))
    assert spent(ledger) == []


@pytest.mark.parametrize("wrong", ["books", 5, shoal.dp.Ledger(), shoal.Ledger])
def test_what_is_no_ledger_is_refused(wrong):
    with pytest.raises(ParameterError, match="ledger must be"):
        METHOD.anonymize(cases.table(), cases.schema(), ledger=wrong)
    with pytest.raises(ParameterError, match="ledger must be"):
        shoal.set_ledger(wrong)


def test_what_cannot_be_opened_or_asked_is_refused(tmp_path):
    with pytest.raises(ParameterError, match="dataset is empty"):
        shoal.Ledger.open(tmp_path, dataset=" ")
    with pytest.raises(ParameterError, match="limit must be"):
        shoal.Ledger.open(tmp_path, limit=3)
    with pytest.raises(ParameterError, match="no name for its dataset"):
        shoal.Ledger.open(tmp_path).account()
    ours = tmp_path / "open"
    ours.mkdir()
    ours.chmod(0o777)
    with pytest.raises(BudgetError, match="open"):
        METHOD.anonymize(cases.table(), cases.schema(), ledger=shoal.Ledger.open(ours))
