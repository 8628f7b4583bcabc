"""Marginals as a black box: whole runs on small tables against its claim, and a broken double that must be found out.

α = 10^-6 for a false alarm. Seeds are fixed.
"""

from functools import cache

import pytest
from strategies import table_of

import shoal
from shoal.audit import estimate_epsilon
from shoal.data.schema import Role
from shoal.dp.coins.coins import SeededCoins
from shoal.methods.marginals import support
from shoal.methods.marginals.purse import PurePurse

pytestmark = pytest.mark.slow  # hundreds of runs of a whole method

QUASI = Role.QUASI_IDENTIFIER
BINARY = table_of({"a": (QUASI, ["0", "1"]), "c": (QUASI, ["0", "1"])}, [])
FEW = (("0", "0"),) * 3
PAIR = (FEW, (*FEW, ("1", "1")))
ALPHA = 1e-6


@pytest.fixture(autouse=True)
def _few_records_drawn(monkeypatch):
    monkeypatch.setattr(support, "_LEAST", 200)


@cache
def encoded(rows):
    return BINARY.encoded(rows)


class Unlimited:
    """A ledger for hundreds of runs: it lets everything pass."""

    remaining = None

    def charge(self, *_):
        pass


def publish(rows, coins):
    """How many published records have the values of the one that is or is not there, and how many there are."""
    method = shoal.Marginals(epsilon=2, target="c")
    published = method.run(encoded(rows), coins=coins, ledger=Unlimited()).published
    mine = (published.column("a") == 1) & (published.column("c") == 1)
    return min(int(published.sizes[mine].sum()), 2), min(published.kept, 4)


def test_the_claim_is_not_refuted():
    assert not estimate_epsilon(publish, [PAIR], SeededCoins(5), runs=400, alpha=ALPHA).refutes(2.0)


def test_class_tables_without_noise_are_refuted(monkeypatch):
    """The number of records has noise still, and is not enough."""
    inner = PurePurse.count

    def broken(self, table, share, coins, reason):
        return table if "class" in reason else inner(self, table, share, coins, reason)

    monkeypatch.setattr(PurePurse, "count", broken)
    assert estimate_epsilon(publish, [PAIR], SeededCoins(5), runs=400, alpha=ALPHA).refutes(2.0)
