"""The fast greedy choice is Algorithm 1: the same sets, record by record."""

from fractions import Fraction
from random import Random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from nsvdist_oracle import BruteForce, Oracle, mixed_table, mixed_tables
from strategies import examples

from shoal.methods.nsvdist import greedy as nsvdist_greedy
from shoal.methods.nsvdist import space as nsvdist_space
from shoal.methods.nsvdist.entropy import EntropyPrices
from shoal.methods.nsvdist.feasibility import is_feasible
from shoal.methods.nsvdist.greedy import masked
from shoal.methods.nsvdist.layout import GONE, Wanted
from shoal.methods.nsvdist.space import Prices, Space

WEIGHTS = (0.0, 0.3, 1.0, 2.5)


def run(table, prices, k, caps, *, fair=False):
    space = Space.of(table, prices)
    values = prices.values(space) if isinstance(prices, EntropyPrices) else None
    wanted = Wanted(k, np.array(caps, dtype=np.int32), fair)
    told = []
    made = masked(space, prices, wanted, told.append, values=values, members=True)
    assert sum(told) == table.total
    return made


def prices_of(table, measure, random):
    oracle = Oracle(table)
    weights = np.array([random.choice(WEIGHTS) for _ in oracle.attributes])
    weights[0] = 1.0
    if measure == "entropy":
        return EntropyPrices.of(table, oracle.is_interval, weights)
    return Prices.loss_metric(oracle.attributes, oracle.is_interval, weights)


def compare(table, prices, k, cap, *, fair=False):
    """Every set, closure and count is that of the plain algorithm."""
    oracle = Oracle(table, prices)
    expected = oracle.greedy(k, cap, fair=fair)
    made = run(table, prices, k, [cap] * len(table.sensitive), fair=fair)
    joint, combinations = table.counts.group([a.name for a in table.sensitive])
    seeds = expected if fair else dict(zip(oracle.rows, expected, strict=True)).values()
    assert made.stuck == sum(members is None for members in seeds)
    place = {}
    for position, (row, size) in enumerate(zip(made.source.tolist(), made.sizes.tolist(), strict=True)):
        place.setdefault(row, []).extend([position] * size)
    for n, row in enumerate(oracle.rows):
        if expected[n] is None:
            continue
        position = place[row].pop(0)
        members = [oracle.rows[i] for i in expected[n]]
        assert made.member[position].tolist() == members
        assert list(zip(made.low[:, position].tolist(), made.high[:, position].tolist(), strict=True)) == [
            (int(low), int(high)) for low, high in oracle.closure(expected[n])
        ]
        assert made.counts[position].tolist() == np.bincount(joint[members], minlength=combinations).tolist()


@given(table=mixed_tables(), k=st.integers(1, 6), cap=st.integers(1, 6), random=st.randoms(use_true_random=False))
@examples(60)
def test_the_loss_metric_picks_what_the_plain_algorithm_picks(table, k, cap, random):
    compare(table, prices_of(table, "loss", random), k, cap)


@given(table=mixed_tables(), k=st.integers(1, 5), cap=st.integers(1, 5), random=st.randoms(use_true_random=False))
@examples(30)
def test_ties_can_go_to_the_record_used_least(table, k, cap, random):
    compare(table, prices_of(table, "loss", random), k, cap, fair=True)


@given(table=mixed_tables(), k=st.integers(1, 5), cap=st.integers(1, 5), random=st.randoms(use_true_random=False))
@examples(30)
def test_entropy_picks_what_the_plain_algorithm_picks(table, k, cap, random):
    compare(table, prices_of(table, "entropy", random), k, cap)


@given(table=mixed_tables(sensitive=(2, 3)), k=st.integers(1, 4), cap=st.integers(1, 3))
@examples(20)
def test_several_sensitive_columns_are_capped_each(table, k, cap):
    compare(table, prices_of(table, "loss", Random(0)), k, cap)


@pytest.mark.parametrize("block", [1, 3, 16])
def test_blocks_of_any_size_change_nothing_but_the_time(block, monkeypatch):
    table = mixed_table(Random(block), 90)
    whole = run(table, prices_of(table, "loss", Random(1)), 12, [6])
    monkeypatch.setattr(nsvdist_space, "_BLOCK", block)
    monkeypatch.setattr(nsvdist_greedy, "_CHUNK", 7)
    parts = run(table, prices_of(table, "loss", Random(1)), 12, [6])
    order, other = np.argsort(whole.source), np.argsort(parts.source)
    assert np.array_equal(whole.member[order], parts.member[other])
    assert np.array_equal(whole.low[:, order], parts.low[:, other])


def test_a_medium_table_is_masked_as_looking_at_every_record_for_every_pick_does(monkeypatch):
    """3,000 records in small blocks, against a brute force of the same losses, for some of them."""
    monkeypatch.setattr(nsvdist_space, "_BLOCK", 16)
    table = mixed_table(Random(5), 3000, widest=6)
    prices = prices_of(table, "loss", Random(2))
    made = run(table, prices, 40, [15])
    brute = BruteForce(table, prices)
    where = {row: i for i, row in enumerate(made.source.tolist())}
    for row in range(0, len(table.counts), len(table.counts) // 12):
        assert made.member[where[row]].tolist() == brute.members(row, 40, 15)


@given(
    table=mixed_tables(records=(2, 9)), k=st.integers(2, 5), diversity=st.sampled_from(["1", "1.3", "1.5", "2", "3"])
)
@examples(40)
def test_no_set_loses_more_than_k_minus_1_times_the_best_set(table, k, diversity):
    """NSVDist Appendix A, in the reading of theory NS-7: against closures of diverse sets of k records."""
    cap = int(k / Fraction(diversity))
    counts = table.marginal(table.sensitive[0].name)
    if not is_feasible(counts, k, Fraction(diversity)):
        return
    prices = Prices.loss_metric(
        table.quasi_identifiers, Oracle(table).is_interval, np.ones(len(table.quasi_identifiers))
    )
    oracle = Oracle(table, prices)
    for n, members in enumerate(oracle.greedy(k, cap)):
        assert oracle.loss(members) <= (k - 1) * oracle.least(n, k, cap)


@given(table=mixed_tables(), random=st.randoms(use_true_random=False))
@examples(20)
def test_losses_stay_below_what_marks_a_record_as_gone_and_never_fall(table, random):
    prices = prices_of(table, "loss", random)
    oracle = Oracle(table, prices)
    members, last = [0], 0
    for i in range(1, len(oracle.rows)):
        members.append(i)
        now = oracle.units(members)
        assert last <= now < GONE
        last = now


def test_the_entropy_of_a_set_can_fall_as_it_grows():
    """Why the fast way is not open to it: four equally frequent values leave more open than with a frequent fifth."""
    table = mixed_table(Random(0), 1)
    prices = EntropyPrices(
        table.quasi_identifiers[:1], np.array([True]), np.ones(1), (np.array([1.0, 1.0, 1.0, 1.0, 96.0]),)
    )
    few, all_ = prices.bits(0, np.array([0, 0]), np.array([3, 4]))
    assert few == 2.0
    assert all_ < 0.4
