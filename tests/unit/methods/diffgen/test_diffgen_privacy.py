"""DiffGen pays for what it reveals: every transcript on small domains, and what must be found out is."""

import math
from fractions import Fraction

import numpy as np
import pytest
from test_diffgen_oracles import encoded

import shoal
from shoal.audit.bill import audit_charges, charges_first
from shoal.audit.neighbors import add_remove_neighbors
from shoal.data.domain import Categorical, Grid
from shoal.dp.accounting.cost import PrivacyCost
from shoal.dp.coins.coins import SeededCoins
from shoal.dp.ledger.ledger import Ledger
from shoal.dp.mechanisms.selection import ExponentialMechanism
from shoal.errors import BudgetError
from shoal.methods.diffgen import method as diffgen
from shoal.methods.diffgen.growth import grow_as_published, grow_by_purity, grow_by_value
from shoal.progress import silent
from shoal.search.top_down.cut import GrowingCut
from shoal.search.top_down.scores import Candidates
from shoal.search.top_down.value_scores import ValueScores, information_gain, largest_classes

COLUMNS = [
    ("A", Grid.between(0, 2), None),
    ("J", Categorical(("a", "b")), shoal.flat()),
    ("C", Categorical(("N", "Y")), None),
]
DOMAIN = [(a, j, c) for a in range(3) for j in "ab" for c in "NY"]
EACH = Fraction(1, 2)


def start(records):
    return GrowingCut(encoded(records, COLUMNS), ["A", "J"], "C")


def told(cut):
    return tuple(tuple(axis.firsts.tolist()) for axis in cut.axes)


def by_purity(records, coins, ledger):
    cut = start(records)
    grow_by_purity(cut, 2, EACH, Fraction(1, 4), lambda cells: cells <= 12, coins, ledger, silent)
    return told(cut)


def by_max(records, coins, ledger):
    cut = start(records)
    choice = ExponentialMechanism(epsilon=EACH, score_range=Fraction(1))
    grow_by_value(cut, ValueScores(cut, largest_classes), 2, choice, coins, ledger, silent)
    return told(cut)


def by_information(records, coins, ledger):
    cut = start(records)
    choice = ExponentialMechanism(epsilon=EACH, score_range=Fraction(2), grid=Fraction(1, 1 << 20))
    grow_by_value(cut, ValueScores(cut, information_gain), 2, choice, coins, ledger, silent)
    return told(cut)


def as_published(records, coins, ledger):
    """|A_n| + 2h = 5 draws of 1/5 each."""
    cut = start(records)
    ledger.charge(PrivacyCost(2 * EACH), "structure")
    choice = ExponentialMechanism(epsilon=2 * EACH / 5, score_range=Fraction(2))
    grow_as_published(cut, ValueScores(cut, largest_classes), 2, choice, coins, silent)
    return told(cut)


@pytest.mark.parametrize("growth", [by_purity, by_max, by_information, as_published])
def test_a_grown_cut_reveals_no_more_than_was_charged(growth):
    """Every table of one record at most and some of two, every transcript."""
    pairs = [*add_remove_neighbors(DOMAIN, most=1), *list(add_remove_neighbors(DOMAIN, most=2))[12::5]]
    bill = audit_charges(growth, pairs)
    assert bill.epsilon == 2 * EACH
    assert 0.01 < bill.loss <= float(bill.epsilon)
    assert bill.holds


def test_a_choice_of_more_than_its_price_would_be_found_out():
    """The exponent of purity is not loose: one choice can reveal nearly all that it may."""

    def broken(records, coins, ledger):
        cut = start(records)
        ledger.charge(PrivacyCost(EACH), "a fourth of it")
        grow_by_purity(cut, 1, 4 * EACH, Fraction(0), lambda cells: cells > 0, coins, Ledger(), silent)
        return told(cut)

    pile = ((0, "a", "N"),) * 30 + ((0, "b", "Y"),) * 30  # J tells all, and a record against it hurts most
    bill = audit_charges(broken, [(pile, (*pile, (0, "a", "Y")))])
    assert 2 * bill.epsilon < bill.loss <= float(4 * EACH)  # most of what was granted, and more than was charged


def test_leaving_out_the_outer_split_points_is_found_out(monkeypatch):
    """Theory DG-3: a split below the smallest or above the largest number that occurs must be possible."""
    inner = ValueScores.of

    def broken(self, column, value):
        found = inner(self, column, value)
        if not self._cut.axes[column].is_ordered or not len(self._cut.labels):
            return found
        low, high = self._cut.codes[column].min(), self._cut.codes[column].max()
        starts = [
            (i, at)
            for i in range(len(found))
            for at in range(found.start[i], found.start[i] + found.width[i])
            if low < at <= high
        ]
        which = [i for i, _ in starts]
        points = np.array([at for _, at in starts], dtype=np.int64)
        return Candidates(found.column[which], found.value[which], points, np.ones_like(points), found.score[which])

    monkeypatch.setattr(ValueScores, "of", broken)
    records = ((0, "a", "N"), (1, "a", "Y"))
    bill = audit_charges(by_max, [(records, (*records, (2, "b", "Y")))])
    assert math.isinf(bill.loss)


@pytest.mark.parametrize(
    "method",
    [
        shoal.DiffGen(epsilon=1, target="C"),
        shoal.DiffGen(epsilon=1, target="C", show="groups"),
        shoal.DiffGen(epsilon=1, target="C", specializations=2, utility=shoal.Utility.MAX),
        shoal.DiffGen(epsilon=1, target="C", specializations=2, utility=shoal.Utility.INFO_GAIN),
        shoal.DiffGen(epsilon=1, target="C", specializations=2, choices=shoal.Choices.SEPARATE),
        shoal.DiffGen(epsilon=1, target="C", specializations=2, mode=shoal.Mode.AS_PUBLISHED),
        shoal.DiffGen(epsilon=1, target="C", tune=(1, 2)),
    ],
)
def test_a_release_costs_epsilon_and_nothing_is_tossed_before_it_is_sure_to_be_paid(method):
    table = encoded([(0, "a", "N"), (2, "b", "Y")] * 40, COLUMNS)
    ledger = Ledger()
    method.run(table, coins=SeededCoins(3), ledger=ledger)
    assert ledger.spent == method.cost == PrivacyCost(Fraction(1))
    assert charges_first(lambda of, coins, ledger: method.run(of, coins=coins, ledger=ledger), table)
    short = Ledger(limit=PrivacyCost(Fraction(99, 100)))
    with pytest.raises(BudgetError):
        method.run(table, coins=SeededCoins(3), ledger=short)
    assert not short.entries


@pytest.mark.parametrize("method", [shoal.Mode.RIGOROUS, shoal.Mode.AS_PUBLISHED])
def test_a_whole_release_reveals_no_more_than_epsilon(method, monkeypatch):
    """Likely branches only, so that the loss found is a lower bound; with emptiness shown it would be infinite."""
    monkeypatch.setattr(diffgen, "_RECORDS_SHARE", Fraction(1, 4))
    made = shoal.DiffGen(
        epsilon=16, target="C", specializations=1, search_share=0.25, mode=method, expected_records=9, show="groups"
    )
    columns = [COLUMNS[1], COLUMNS[2]]

    def release(records, coins, ledger):
        outcome = made.run(encoded(records, columns), coins=coins, ledger=ledger)
        codes = [column.tolist() for column in outcome.published.codes]
        return outcome.published.cardinalities, codes, outcome.published.sizes.tolist()

    bill = audit_charges(release, [((), (("a", "N"),))], tail=1e-4, cutoff=2e-4)
    assert bill.epsilon == 16
    assert 1 < bill.loss <= 16


def test_the_certificate_states_the_promise_of_the_theory_and_on_what_it_rests():
    method = shoal.DiffGen(epsilon="0.25", target="C")
    (guarantee,) = method.guarantees()
    assert guarantee.statement == "0.25-DP"
    assert guarantee.basis is shoal.Basis.PROVED
    assert guarantee.cost == PrivacyCost(Fraction(1, 4))
    assert guarantee.neighbors is shoal.Neighbors.ADD_REMOVE
