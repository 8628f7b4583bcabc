"""A release is paid for when its ledger is opened: not before, and from then on for good."""

from pathlib import Path

import pytest

from shoal.dp.accounting.cost import PrivacyCost
from shoal.dp.ledger.fingerprint import Dataset
from shoal.dp.ledger.ledger import Ledger
from shoal.dp.ledger.payment import Payment
from shoal.dp.ledger.store import LedgerStore
from shoal.errors import BudgetError

ONE, PEOPLE = PrivacyCost.of(1), Dataset(b"people")


def payment(store, limit=None):
    return Payment(ONE, lambda: store.reserve(PEOPLE, ONE, "release", limit=limit))


def fail_after(begin, paid, *, is_open):
    begin(paid.ledger)
    assert paid.ledger.is_open is is_open
    raise ZeroDivisionError


@pytest.fixture
def store(tmp_path: Path):
    return LedgerStore(tmp_path / "store")


def test_what_fails_before_the_ledger_is_opened_costs_nothing(store):
    with pytest.raises(ZeroDivisionError), payment(store) as paid:
        fail_after(lambda _ledger: None, paid, is_open=False)
    assert not store.folder.exists()
    with pytest.raises(BudgetError, match="closed"):
        paid.ledger.charge(ONE, "too late")
    paid.ledger.open()
    assert store.history(PEOPLE) == ()


@pytest.mark.parametrize("begin", [lambda ledger: ledger.open(), lambda ledger: ledger.charge(ONE, "noise")])
def test_what_fails_after_it_is_spent_and_not_confirmed(store, begin):
    with pytest.raises(ZeroDivisionError), payment(store) as paid:
        fail_after(begin, paid, is_open=True)
    (spending,) = store.history(PEOPLE)
    assert (spending.cost, spending.released_at) == (ONE, None)


def test_a_parallel_group_opens_it_too(store):
    with payment(store) as paid, paid.ledger.parallel("leaves") as parts:
        assert len(store.history(PEOPLE)) == 1
        parts.part("young").charge(ONE, "count")
    (spending,) = store.history(PEOPLE)
    assert spending.released_at is not None


def test_it_is_paid_once(store):
    half = PrivacyCost.of("0.5")
    with payment(store) as paid:
        paid.ledger.open()
        paid.ledger.open()
        paid.ledger.charge(half, "one")
        paid.ledger.charge(half, "other")
    (spending,) = store.history(PEOPLE)
    assert spending.released_at is not None
    assert [entry.reason for entry in paid.ledger.entries] == ["one", "other"]


def test_a_budget_that_is_spent_refuses_the_first_charge_and_every_later_one(store):
    store.reserve(PEOPLE, ONE, "first")
    with payment(store, limit=ONE) as paid:
        for _ in range(2):
            with pytest.raises(BudgetError):
                paid.ledger.charge(ONE, "noise")
            assert not paid.ledger.is_open
    assert paid.ledger.entries == ()
    assert len(store.history(PEOPLE)) == 1


def test_a_refused_charge_does_not_pay(store):
    with payment(store) as paid, pytest.raises(BudgetError, match="the limit is"):
        paid.ledger.charge(PrivacyCost.of(2), "more than was asked for")
    assert not store.folder.exists()


def test_a_ledger_of_its_own_is_opened_by_its_first_charge():
    ledger = Ledger()
    assert not ledger.is_open
    ledger.charge(ONE, "noise")
    assert ledger.is_open
