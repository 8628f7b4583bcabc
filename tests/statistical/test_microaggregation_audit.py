"""Microaggregation-DP as a black box: many whole runs on small tables, against its claim; and doubles that fail.

Seeds are fixed; α is stated with each test.
"""

from fractions import Fraction
from functools import cache

import numpy as np
import pytest
from spaces import category, encoded, number

from shoal.audit import estimate_epsilon
from shoal.dp.accounting.relation import Neighbors
from shoal.dp.coins.coins import SeededCoins
from shoal.dp.mechanisms.laplace import DiscreteLaplace
from shoal.methods import MicroaggregationDP, Mode

pytestmark = pytest.mark.slow  # thousands of runs of a whole method

ALPHA = 1e-6
MIXED = (number("x", 3), category("y", {"any": ["a", "b", "c"]}))


class Unlimited:
    """A ledger for thousands of runs: it lets everything pass."""

    remaining = None

    def charge(self, *_):
        pass


@cache
def table(rows, attributes):
    return encoded(attributes, rows)


def centers(attributes, **settings):
    """The noisy centers of the whole method."""
    method = MicroaggregationDP(**settings)

    def run(rows, coins):
        _, found = method.clustered(table(rows, attributes), coins, Unlimited())
        return tuple(tuple(np.round(center, 1).tolist()) for center in found)

    return run


NUMBERS = (((0,),) * 3 + ((3,),) * 3, ((0,),) * 2 + ((3,),) * 4)
TOGETHER = (((0, 0),) * 3 + ((3, 2),) * 3, ((0, 0),) * 2 + ((3, 2),) * 4)


@pytest.mark.parametrize(
    ("attributes", "pair", "settings"),
    [
        (MIXED[:1], NUMBERS, {"epsilon": 1, "k": 3}),
        (MIXED, TOGETHER, {"epsilon": 1, "k": 3}),
        (MIXED, TOGETHER, {"epsilon": "0.5", "k": 3, "mode": Mode.AS_PUBLISHED, "columns": 2}),
    ],
    ids=["numbers", "numbers and categories", "as published, at twice its epsilon"],
)
def test_the_black_box_does_not_refute_the_claim(attributes, pair, settings):
    """α = 10⁻⁶, at ε = 1."""
    finding = estimate_epsilon(centers(attributes, **settings), [pair], SeededCoins(21), runs=1_000, alpha=ALPHA)
    assert not finding.refutes(1)


def test_the_black_box_refutes_as_published_at_the_papers_epsilon():
    """Theory MA-5: six columns at ε = 1/2 each are not 1/2-DP together. α = 10⁻⁶."""
    attributes = tuple(number(name, 1) for name in "abcdef")
    pair = (((0,) * 6,) * 2, ((0,) * 6, (1,) * 6))
    run = centers(attributes, epsilon="0.5", k=2, mode=Mode.AS_PUBLISHED, columns=6)
    finding = estimate_epsilon(
        run,
        [pair],
        SeededCoins(22),
        runs=1_600,
        alpha=ALPHA,
        statistic=lambda found: round(sum(c[0] for c in found), 1),
    )
    assert finding.refutes(0.5)


def row_by_row(rows, coins):
    """Noise of its own for each of three rows of a cluster, at the scale that ε = 1 needs for one of them (MA-4)."""
    noise = DiscreteLaplace(epsilon=Fraction(1), sensitivity=3, neighbors=Neighbors.REPLACE)
    return int(noise.add(np.full(12, 12 * sum(row[0] for row in rows)), coins, Unlimited(), "rows").sum())


def aligned(rows, coins):
    """Centers in the order of the records (MA-2)."""
    order = sorted(range(len(rows)), key=lambda i: (rows[i], i))
    noise = DiscreteLaplace(epsilon=Fraction(1), sensitivity=3, neighbors=Neighbors.REPLACE)
    sums = np.array([sum(rows[i][0] for i in part) for part in (order[:3], order[3:])])
    low, high = noise.add(sums, coins, Unlimited(), "rows").tolist()
    return bool(low != high) and rows.index(rows[-1]) >= 0 and order.index(0) < 3


def bounded_by_the_data(rows, coins):
    """Clamped to the largest value (MA-7)."""
    top = max(row[0] for row in rows)
    noise = DiscreteLaplace(epsilon=Fraction(1), sensitivity=max(top, 1), neighbors=Neighbors.REPLACE)
    return min(max(int(noise.add(np.array([0]), coins, Unlimited(), "x")[0]), 0), top)


@pytest.mark.parametrize(
    ("double", "pair"),
    [
        (row_by_row, NUMBERS),
        (aligned, (((0,), *((1,),) * 5), ((3,), *((1,),) * 5))),
        (bounded_by_the_data, (((0,),) * 6, ((0,),) * 5 + ((3,),))),
    ],
    ids=["noise for every row", "aligned with the input", "bounds from the data"],
)
def test_the_black_box_refutes_broken_doubles(double, pair):
    """α = 10⁻⁶, at ε = 1."""
    finding = estimate_epsilon(double, [pair], SeededCoins(23), runs=1_000, alpha=ALPHA)
    assert finding.refutes(1)
