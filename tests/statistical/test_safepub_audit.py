"""SafePub as a black box: thousands of whole runs on small tables, against its claim and against its exact law.

ε = 1/2 for the choice and 1/2 for the release; δ is what k = 3 needs. Seeds are fixed; α is stated with each test.
"""

from dataclasses import replace
from fractions import Fraction
from functools import cache

import pytest
from fits import fits
from strategies import table_of

from shoal.audit import distribution, estimate_epsilon
from shoal.audit.enumeration import hashable
from shoal.data.outcome import Outcome
from shoal.data.schema import Role
from shoal.dp.accounting.threshold import SampleAndThreshold
from shoal.dp.coins.coins import SeededCoins
from shoal.dp.coins.sampling_rate import OneMinusExp
from shoal.methods import SafePub
from shoal.methods.safepub.expected_scores import expected_score
from shoal.search.lattice import NodeClasses

pytestmark = pytest.mark.slow  # thousands of runs of a whole method

QUASI = Role.QUASI_IDENTIFIER
BINARY = table_of({"a": (QUASI, ["0", "1"]), "b": (QUASI, ["0", "1"])}, [])
HALF = Fraction(1, 2)
DELTA = SampleAndThreshold(rate=OneMinusExp(HALF), k=3).delta(HALF)
ALPHA = 1e-6


@cache
def encoded(rows):
    return BINARY.encoded(rows)


class Unlimited:
    """A ledger for thousands of runs: it lets everything pass."""

    remaining = None

    def charge(self, *_):
        pass


def publish(kind=SafePub, **settings):
    """The whole method from a table to what is published, None if that is nothing."""
    method = kind(**{"epsilon": 1, "delta": DELTA, "search_share": 0.5} | settings)
    assert method.k == 3

    def run(rows, coins):
        outcome = method.run(encoded(rows), coins=coins, ledger=Unlimited())
        published = outcome.published
        if not len(published) and not published.suppressed:
            return None
        return tuple(outcome.recoding.levels.values()), list(published.codes), published.sizes, published.suppressed

    return run


def rows(zero_zero, zero_one=0, one_one=0):
    return (("0", "0"),) * zero_zero + (("0", "1"),) * zero_one + (("1", "1"),) * one_one


CROWDED = (rows(3), rows(4))
"""Where the release is worst: a class of four at k = 3."""
UNDECIDED = (rows(4, 4, 3), rows(5, 4, 3))
"""Where one record makes another scheme the best."""


@pytest.mark.parametrize("pair", [CROWDED, UNDECIDED], ids=["crowded", "undecided"])
def test_the_black_box_does_not_refute_the_rigorous_variant(pair):
    """α = 10⁻⁶, at the claimed (1, δ); and it may run as often as it refutes the doubles below."""
    finding = estimate_epsilon(publish(), [pair], SeededCoins(11), runs=2_000, alpha=ALPHA, delta=float(DELTA))
    assert not finding.refutes(1)


class StarRows(SafePub):
    """Publishes how many drawn records were suppressed (theory SP-2)."""

    def _publish(self, table, sample, node):
        recoding = NodeClasses(table).recoding(node)
        published = recoding.apply(replace(table, counts=sample)).suppress_below(self.k)
        return Outcome.recoded(table, recoding, published)


class BestScore(SafePub):
    """Takes the best scheme, without noise (theory SP-3)."""

    def _choose(self, table, coins, progress):
        del progress
        return max(self._candidates(table, coins), key=expected_score(self.quality, table, float(self.rate), self.k).of)


@pytest.mark.parametrize(
    ("kind", "pair"), [(StarRows, (rows(0), rows(1))), (BestScore, UNDECIDED)], ids=["star rows", "best score"]
)
def test_the_black_box_refutes_a_broken_double(kind, pair):
    """α = 10⁻⁶; what the honest method is not accused of with twice as many runs."""
    finding = estimate_epsilon(publish(kind), [pair], SeededCoins(12), runs=1_000, alpha=ALPHA, delta=float(DELTA))
    assert finding.refutes(1)


def test_whole_runs_follow_the_law_that_the_exact_audit_computes():
    """α = 10⁻⁶; so that what is proved of enumerated branches holds for the coins of a release.

    Rejected: the law with another budget for the choice, and the law with another rate.
    """
    table, run = rows(6, 3), publish()
    drawn = [hashable(run(table, coins)) for coins in [SeededCoins(13)] for _ in range(3_000)]
    laws = {
        "right": publish(),
        "search": publish(epsilon=5, search_share=0.9),
        "rate": publish(sampling_rate=Fraction(7, 20)),
    }
    accepted = {}
    for name, mechanism in laws.items():
        law = dict(distribution(lambda coins, mechanism=mechanism: mechanism(table, coins)).masses)
        outcomes = sorted(law, key=law.get)
        accepted[name] = set(drawn) <= set(law) and fits(
            [drawn.count(outcome) for outcome in outcomes], [law[outcome] for outcome in outcomes], ALPHA
        )
    assert accepted == {"right": True, "search": False, "rate": False}
