"""DiffGen as a black box: whole runs on small tables against its claim, and a broken double that must be found out.

α = 10^-6 for a false alarm. Seeds are fixed.
"""

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
