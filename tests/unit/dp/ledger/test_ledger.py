"""The ledger in memory: it never exceeds its limit, and a ledger that forgets is caught."""

import threading
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shoal.dp.accounting.cost import PrivacyCost
from shoal.dp.accounting.relation import Neighbors
from shoal.dp.ledger.ledger import Entry, Ledger, Part
from shoal.errors import BudgetError, ParameterError

LIMIT = PrivacyCost.of(1, "1e-5")
costs = st.builds(
    PrivacyCost,
    st.fractions(0, Fraction(1, 2), max_denominator=20),
    st.integers(0, 100).map(lambda d: Fraction(d, 3 * 10**7)),
)
steps = st.lists(st.one_of(costs, st.dictionaries(st.sampled_from("abc"), st.lists(costs, max_size=3))), max_size=10)


def spend(ledger, cost):
    """Charge if that is allowed; what was really spent."""
    try:
        ledger.charge(cost, "look")
    except BudgetError:
        return PrivacyCost(Fraction(0))
    return cost


def plus(a, b):
    return PrivacyCost(a.epsilon + b.epsilon, a.delta + b.delta)


def run(ledger, sequence):
    """Follow a script of charges (a mapping is a parallel group); the cost of what was admitted, counted here."""
    total = PrivacyCost(Fraction(0))
    for step in sequence:
        if isinstance(step, PrivacyCost):
            total = plus(total, spend(ledger, step))
            continue
        dearest = PrivacyCost(Fraction(0))
        with ledger.parallel("group") as group:
            for name, charges in step.items():
                part = PrivacyCost(Fraction(0))
                for cost in charges:
                    part = plus(part, spend(group.part(name), cost))
                dearest = PrivacyCost(max(dearest.epsilon, part.epsilon), max(dearest.delta, part.delta))
        total = plus(total, dearest)
    return total


def keeps_its_limit(kind, sequence):
    ledger = kind(LIMIT)
    really = run(ledger, sequence)
    return really.within(LIMIT) and ledger.spent == really


@given(steps)
def test_no_sequence_of_charges_exceeds_the_limit(sequence):
    assert keeps_its_limit(Ledger, sequence)


class Forgetful(Ledger):
    """A double that admits a charge and forgets every third."""

    def charge(self, cost, reason):
        super().charge(cost, reason)
        if len(self._entries) % 3 == 0:
            self._total = PrivacyCost(self._total.epsilon - cost.epsilon, self._total.delta - cost.delta)


def test_a_ledger_that_forgets_a_charge_is_caught():
    sequence = [PrivacyCost.of("0.1")] * 20
    assert keeps_its_limit(Ledger, sequence)
    assert not keeps_its_limit(Forgetful, sequence)


def test_a_refused_charge_changes_nothing_and_says_why():
    ledger = Ledger(LIMIT)
    ledger.charge(PrivacyCost.of("0.7", "1e-6"), "first")
    with pytest.raises(BudgetError) as refusal:
        ledger.charge(PrivacyCost.of("0.4"), "choose the scheme")
    assert str(refusal.value) == (
        "ledger, 'choose the scheme': it costs epsilon = 0.4, delta = 0; with what was spent before that makes "
        "epsilon = 1.1, delta = 1e-06; the limit is epsilon = 1, delta = 1e-05. Nothing was computed. "
        "Lower the cost, or raise the limit."
    )
    assert ledger.spent == PrivacyCost.of("0.7", "1e-6")
    assert ledger.remaining == PrivacyCost.of("0.3", "9e-6")
    with pytest.raises(BudgetError, match=r"delta = 1\.1e-05"):
        ledger.charge(PrivacyCost.of(0, "1e-5"), "second")


def test_relations_do_not_mix():
    ledger = Ledger()
    with pytest.raises(BudgetError, match="this ledger is kept under 'add/remove one record'"):
        ledger.charge(PrivacyCost.of(1, neighbors=Neighbors.REPLACE), "look")
    assert ledger.spent == PrivacyCost(Fraction(0))
    assert ledger.remaining is None
    assert Ledger(neighbors=Neighbors.REPLACE).neighbors is Neighbors.REPLACE
    assert Ledger(PrivacyCost.of(1, neighbors=Neighbors.REPLACE)).neighbors is Neighbors.REPLACE
    with pytest.raises(ParameterError, match="Give one relation"):
        Ledger(LIMIT, Neighbors.REPLACE)


def test_without_a_limit_deltas_must_still_promise_something():
    ledger = Ledger()
    ledger.charge(PrivacyCost.of(100, "0.6"), "much")
    with pytest.raises(BudgetError, match="nothing is promised"):
        ledger.charge(PrivacyCost.of(1, "0.6"), "too much")
    assert ledger.limit is None


def test_every_charge_has_a_reason():
    with pytest.raises(ParameterError, match="needs a reason"):
        Ledger().charge(PrivacyCost.of(1), "  ")


def test_a_parallel_group_costs_its_dearest_part_and_remembers_all():
    ledger = Ledger(LIMIT)
    with ledger.parallel("noise on every leaf") as parts:
        parts.part("young").charge(PrivacyCost.of("0.2"), "count")
        parts.part("young").charge(PrivacyCost.of("0.2"), "mean")
        parts.part("old").charge(PrivacyCost.of("0.3"), "count")
        assert ledger.spent == PrivacyCost.of("0.4")
        assert ledger.entries[-1].cost == PrivacyCost.of("0.4")
    assert ledger.spent == PrivacyCost.of("0.4")
    young = Part("young", (Entry(PrivacyCost.of("0.2"), "count"), Entry(PrivacyCost.of("0.2"), "mean")))
    old = Part("old", (Entry(PrivacyCost.of("0.3"), "count"),))
    assert ledger.entries == (Entry(PrivacyCost.of("0.4"), "noise on every leaf", (young, old)),)


def test_a_group_that_fails_is_paid_for():
    ledger = Ledger(LIMIT)

    def fail():
        with ledger.parallel("group") as parts:
            parts.part("a").charge(PrivacyCost.of("0.5"), "look")
            raise RuntimeError

    with pytest.raises(RuntimeError):
        fail()
    assert ledger.spent == PrivacyCost.of("0.5")


def test_nothing_is_spent_beside_an_open_group_or_in_a_closed_one():
    ledger = Ledger(LIMIT)
    with ledger.parallel("group") as parts:
        part = parts.part("a")
        with pytest.raises(BudgetError, match="a parallel group is open"):
            ledger.charge(PrivacyCost.of("0.1"), "look")
        with pytest.raises(BudgetError, match="a parallel group is open"), ledger.parallel("another"):
            pass
        inner = part.parallel("inner")
        nested = inner.__enter__().part("b")
    for late in (part, parts.part("new"), nested):
        with pytest.raises(BudgetError, match="this ledger is closed"):
            late.charge(PrivacyCost.of("0.1"), "look")
    inner.__exit__(None, None, None)
    assert ledger.spent == PrivacyCost(Fraction(0))


def test_groups_nest():
    ledger = Ledger(LIMIT)
    with ledger.parallel("outer") as outer:
        outer.part("a").charge(PrivacyCost.of("0.5"), "look")
        with outer.part("a").parallel("inner") as inner:
            inner.part("b").charge(PrivacyCost.of("0.5"), "look")
            with pytest.raises(BudgetError, match=r"limit is epsilon = 0\.5"):
                inner.part("c").charge(PrivacyCost.of("0.6"), "look")
    assert ledger.spent == PrivacyCost.of(1)


def test_a_group_is_refused_where_parts_do_not_combine():
    ledger = Ledger(neighbors=Neighbors.REPLACE)
    with pytest.raises(BudgetError, match="one replacement can change two parts"), ledger.parallel("group"):
        pass
    ledger.charge(PrivacyCost.of(1, neighbors=Neighbors.REPLACE), "still open for business")


def test_threads_do_not_overspend_together():
    ledger = Ledger(LIMIT)
    barrier, admitted = threading.Barrier(8), []

    def worker():
        barrier.wait()
        admitted.extend(spend(ledger, PrivacyCost.of("0.01")) for _ in range(50))

    threads = [threading.Thread(target=worker) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sum(cost.epsilon for cost in admitted) == 1 == ledger.spent.epsilon
