"""DiffGen as a black box: whole runs on small tables against its claim, and a broken double that must be found out.

α = 10^-6 for a false alarm. Seeds are fixed.
"""

from fractions import Fraction
from functools import cache

import numpy as np
import pytest
from strategies import table_of

import shoal
from shoal.audit import estimate_epsilon
from shoal.data.schema import Role
from shoal.dp.coins.coins import SeededCoins
from shoal.dp.mechanisms.laplace import DiscreteLaplace
from shoal.methods.diffgen import method as diffgen
from shoal.methods.diffgen import values
from shoal.methods.diffgen.division import Division
from shoal.methods.marginals import support
from shoal.methods.marginals.purse import PurePurse
from shoal.progress import silent

pytestmark = pytest.mark.slow  # thousands of runs of a whole method

QUASI = Role.QUASI_IDENTIFIER
BINARY = table_of({"a": (QUASI, ["0", "1"]), "c": (QUASI, ["0", "1"])}, [])
FEW = (("0", "0"),) * 3
PAIR = (FEW, (*FEW, ("1", "1")))
ALPHA = 1e-6


@cache
def encoded(rows):
    return BINARY.encoded(rows)


class Unlimited:
    """A ledger for thousands of runs: it lets everything pass."""

    remaining = None

    def charge(self, *_):
        pass


def publish(**settings):
    """The whole method; of its output the two classes of the last group, where a record is or is not."""
    method = shoal.DiffGen(**{"epsilon": 2, "target": "c", "specializations": 1, "show": "groups"} | settings)

    def run(rows, coins):
        published = method.run(encoded(rows), coins=coins, ledger=Unlimited()).published
        if not len(published):
            return None
        codes = tuple(zip(*(column.tolist() for column in published.codes), strict=True))
        there = dict(zip(codes, published.sizes.tolist(), strict=True))
        values = published.cardinalities[0]
        return values, *(min(there.get((values - 1, label), 0), 2) for label in (0, 1))

    return run


@pytest.mark.parametrize("settings", [{}, {"utility": shoal.Utility.MAX}, {"mode": shoal.Mode.AS_PUBLISHED}])
def test_the_claim_is_not_refuted(settings):
    finding = estimate_epsilon(publish(**settings), [PAIR], SeededCoins(5), runs=600, alpha=ALPHA)
    assert not finding.refutes(2.0)


def test_publishing_only_groups_that_hold_records_is_refuted(monkeypatch):
    """Theory DG-2. The group shows in more than half of the runs with the record and in none without it."""

    def broken(keys, sizes, cells, noise, coins, ledger, reason, *, least=1):
        del cells, ledger, reason
        counts = sizes + DiscreteLaplace(epsilon=noise.epsilon, sensitivity=1).draw(len(keys), coins)
        stays = counts >= least
        return keys[stays], counts[stays]

    monkeypatch.setattr(diffgen, "noisy_cells", broken)
    monkeypatch.setattr(diffgen, "balanced", lambda counts, _: np.asarray(counts))
    finding = estimate_epsilon(publish(), [PAIR], SeededCoins(5), runs=1500, alpha=ALPHA)
    assert finding.refutes(2.0)


TABLES_ALONE = Division(Fraction(0), 1, 0)
WITH_GROUPS = Division(Fraction(1, 2), 2, 1)
"""Of so few records no groups would be counted: half of ε for two pieces of the score and one choice."""


@pytest.fixture
def show_values(monkeypatch):
    """The default: of its records those of the class and value that one person has, and how many there are."""
    monkeypatch.setattr(support, "_LEAST", 200)
    method = shoal.DiffGen(epsilon=2, target="c", show="values")

    def run(rows, coins):
        published = method.run(encoded(rows), coins=coins, ledger=Unlimited()).published
        mine = (published.column("a") == 1) & (published.column("c") == 1)
        return min(int(published.sizes[mine].sum()), 2), min(published.kept, 4)

    def divided(division):
        monkeypatch.setattr(values, "division_for", lambda *_: division)
        return run

    return divided


def without_noise(monkeypatch, on):
    """Publish some of the counts as they are."""
    inner = PurePurse.count

    def broken(self, table, share, coins, reason):
        return table if on in reason else inner(self, table, share, coins, reason)

    monkeypatch.setattr(PurePurse, "count", broken)


@pytest.mark.parametrize("division", [TABLES_ALONE, WITH_GROUPS], ids=["tables alone", "with groups"])
def test_the_claim_of_values_is_not_refuted(show_values, division):
    finding = estimate_epsilon(show_values(division), [PAIR], SeededCoins(5), runs=400, alpha=ALPHA)
    assert not finding.refutes(2.0)


def test_values_from_class_tables_without_noise_are_refuted(monkeypatch, show_values):
    without_noise(monkeypatch, "by class")
    finding = estimate_epsilon(show_values(TABLES_ALONE), [PAIR], SeededCoins(5), runs=400, alpha=ALPHA)
    assert finding.refutes(2.0)


def told_of_groups(rows, coins):
    """What a run is told about groups; records are made of it and of class tables, which blur it."""
    purse = PurePurse(Fraction(2), Unlimited())
    seen = values.measured(encoded(rows), ["a"], "c", purse, Fraction(1, 2), None, coins, silent)
    return len(seen.noisy), int(np.clip(seen.noisy.sum(), 1, 6))


def test_groups_by_score_are_not_refuted_and_are_without_noise(monkeypatch, show_values):
    show_values(WITH_GROUPS)
    assert not estimate_epsilon(told_of_groups, [PAIR], SeededCoins(5), runs=400, alpha=ALPHA).refutes(2.0)
    without_noise(monkeypatch, "the groups")
    assert estimate_epsilon(told_of_groups, [PAIR], SeededCoins(5), runs=400, alpha=ALPHA).refutes(2.0)
