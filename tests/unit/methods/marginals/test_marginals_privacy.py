"""Marginals pays for what it reveals: the exact law of its trees, choices and tables on small domains."""

import math
from fractions import Fraction
from functools import cache
from itertools import combinations, pairwise

import numpy as np
import pytest

import shoal
from shoal.audit.bill import audit_charges, charges_first
from shoal.audit.enumeration import distribution
from shoal.audit.neighbors import add_remove_neighbors
from shoal.data.attribute import settle
from shoal.data.counts import Counts
from shoal.data.domain import Categorical, Grid
from shoal.data.encoded import EncodedTable
from shoal.data.schema import Column, Role
from shoal.dp.accounting.cost import PrivacyCost
from shoal.dp.coins.coins import SeededCoins
from shoal.dp.ledger.ledger import Ledger
from shoal.dp.mechanisms.laplace import DiscreteLaplace
from shoal.dp.mechanisms.selection import PermuteAndFlip
from shoal.errors import BudgetError, InfeasibleError
from shoal.kernels.grouping import narrowest
from shoal.methods.marginals.budget import Split
from shoal.methods.marginals.class_tables import ClassTables
from shoal.methods.marginals.fitting import fit
from shoal.methods.marginals.groups.choosing import Choosing
from shoal.methods.marginals.leaves import Leaves
from shoal.methods.marginals.private_tree import decay_of, private_pieces
from shoal.methods.marginals.purse import ConcentratedPurse, PurePurse

NAMED = [("a", Categorical(("0", "1", "2"))), ("b", Categorical(("0", "1"))), ("c", Categorical(("0", "1")))]
DOMAIN = [(a, b, c) for a in range(3) for b in range(2) for c in range(2)]


def encoded(records, columns=NAMED):
    """A table of records of codes."""
    attributes = tuple(settle(Column(name, Role.QUASI_IDENTIFIER), domain) for name, domain in columns)
    sizes = [attribute.domain.size for attribute in attributes]
    codes = [np.array([r[i] for r in records], dtype=narrowest(size)) for i, size in enumerate(sizes)]
    return EncodedTable(attributes, Counts.of([name for name, _ in columns], codes, sizes))


# The private tree


def trees(firsts, last, depth):
    """Every way to halve 0…: pieces with the nodes that were halved and those that were not, by hand."""
    yield [firsts], [], [(firsts, last, depth)]
    if last - firsts > 1:
        middle = (firsts + last) // 2
        for left, left_halved, left_kept in trees(firsts, middle, depth + 1):
            for right, right_halved, right_kept in trees(middle, last, depth + 1):
                halved = [(firsts, last, depth), *left_halved, *right_halved]
                yield left + right, halved, left_kept + right_kept


@cache
def chance_of_halving(count, depth, exponent, decay, least):
    """P[max(c − hδ, θ − δ) + X > θ] by the law of X; without δ, P[c + X > θ]."""
    over = least + 1 - (max(count - depth * decay, least - decay) if decay else count)
    return 1 - DiscreteLaplace(epsilon=exponent, sensitivity=1).cdf(np.array([over - 1]))[0]


def law_of_trees(counts, exponent, decay, least):
    """The probability of every tree over the numbers that `counts` counts."""
    law = {}
    for pieces, halved, kept in trees(0, len(counts), 0):
        chances = [chance_of_halving(sum(counts[a:b]), h, exponent, decay, least) for a, b, h in halved]
        rests = [1 - chance_of_halving(sum(counts[a:b]), h, exponent, decay, least) for a, b, h in kept if b - a > 1]
        law[tuple(pieces)] = math.prod(chances) * math.prod(rests)
    return law


def loss_of_trees(exponent, decay, width=8, most=14, least=0):
    """The largest log-ratio of any tree, for records piled up at 0 with others beside them."""
    worst = 0.0
    for beside in (0, 3) if decay else (0,):
        piles = [[count, beside] + [0] * (width - 2) for count in range(most)]
        laws = [law_of_trees(pile, exponent, decay, least) for pile in piles]
        for here, there in pairwise(laws):
            worst = max(worst, *(abs(math.log(here[tree] / there[tree])) for tree in here))
    return worst


@pytest.mark.parametrize(("exponent", "least"), [(Fraction(1), 0), (Fraction(1, 2), 0), (Fraction(1), 4)])
def test_every_tree_costs_three_times_the_exponent_of_its_noise_at_most(exponent, least):
    found = loss_of_trees(exponent, decay_of(exponent), least=least)
    assert float(exponent) < found <= 3 * exponent + 1e-12


def test_without_a_penalty_for_depth_trees_would_cost_more():
    """A path has four decisions here, and each would cost its whole exponent."""
    assert loss_of_trees(Fraction(1), 0, width=16, most=3, least=5) == pytest.approx(4)


def test_the_tree_that_is_grown_has_this_law():
    records = (0, 0, 1, 2, 2, 2)

    def grown(records, coins):
        codes, sizes = np.unique(np.array(records, dtype=np.int64), return_counts=True)
        purse = PurePurse(Fraction(3), Ledger())
        return tuple(private_pieces(codes, sizes, 3, 1, purse, Fraction(1), coins, "a tree").tolist())

    found = distribution(lambda coins: grown(records, coins), tail=1e-5)
    expected = law_of_trees([2, 1, 3], Fraction(1), decay_of(Fraction(1)), 1)
    assert found.masses.keys() == expected.keys()
    for tree, chance in expected.items():
        assert found.masses[tree] == pytest.approx(chance, abs=1e-4)


def test_where_records_are_pieces_are_finer_and_an_empty_table_has_few():
    coins, purse = SeededCoins(3), PurePurse(Fraction(1), Ledger())
    codes = np.arange(100, dtype=np.int64) + 5000
    firsts = private_pieces(codes, np.full(100, 400), 1 << 20, 0, purse, Fraction(1), coins, "a tree")
    assert firsts[0] == 0
    assert (np.diff(firsts) > 0).all()
    assert ((firsts >= 4096) & (firsts < 8192)).sum() > 50
    none = np.zeros(0, dtype=np.int64)
    assert len(private_pieces(none, none, 1 << 20, 0, purse, Fraction(1), coins, "a tree")) < 40


# Choices


BELIEVED = ClassTables(6.0, np.array([6.0]), tuple(np.full((len(d.values), 1), 6 / len(d.values)) for _, d in NAMED))


PAIRS, SPREADS = list(combinations(range(3), 2)), [2.0] * 3


def choosing_from(records, asked, weights=(1, 1, 1)):
    table = encoded(records)
    leaves = [Leaves.single(attribute) for attribute in table.attributes]
    leaf = [column.astype(np.int64) for column in table.counts.codes]
    return Choosing(BELIEVED, leaves, leaf, table.counts.sizes, asked, [Fraction(x) for x in weights], 100, 0.1)


def choosing(records, coins, ledger):
    """Two choices by what fits; what is counted is left out, to enumerate them."""
    found, purse = fit(BELIEVED, SPREADS, [], [], 1.0, 200), PurePurse(Fraction(2), ledger)
    return tuple(choosing_from(records, PAIRS).chosen(2, found, [], Fraction(1, 2), purse, coins))


def test_choices_reveal_no_more_than_was_charged():
    neighbors = [*add_remove_neighbors(DOMAIN, most=1), *list(add_remove_neighbors(DOMAIN, most=2))[12::31]]
    pile = ((0, 0, 0),) * 5
    apart = (((0, 0, 0),), ((0, 0, 0), (0, 0, 1)))  # one score rises, two fall
    bill = audit_charges(choosing, [*neighbors, (pile, (*pile, (2, 1, 1))), apart])
    assert bill.epsilon == 2
    assert 0.1 < bill.loss <= 2
    assert bill.holds


@pytest.mark.parametrize(("weights", "moved"), [((1, 1, 1), (1, 1)), ((1, Fraction(1, 2), 1), (Fraction(1, 2), 1))])
def test_one_record_moves_a_score_by_the_weight_of_its_columns(weights, moved):
    found = fit(BELIEVED, SPREADS, [], [], 1.0, 200)
    for fewer, more in add_remove_neighbors(DOMAIN, most=2):
        for columns in (*PAIRS, (0, 1, 2)):
            scores = [choosing_from(records, PAIRS, weights).score(columns, found) for records in (fewer, more)]
            assert abs(scores[0] - scores[1]) == (moved[0] if 1 in columns else moved[1])


def test_rounds_spend_what_groups_get_and_fit_what_was_counted_before():
    """What a first table has explained is no reason to count columns again."""
    records = [(a, int(a > 0), int(a > 0)) for a in (0, 1, 2)] * 2000
    told = Told(Fraction(8), Ledger())
    believed = ClassTables(6000.0, np.array([6000.0]), tuple(np.array(m)[:, None] for m in MASSES))
    one = choosing_from(records, PAIRS)
    one.believed = believed
    groups, tables, _ = one.counted(
        Split(Fraction(0), 2, Fraction(1, 4), Fraction(1, 2)), SPREADS, told, SeededCoins(1)
    )
    assert sum(told.shares) == 1
    assert len({group.columns for group in groups}) == 2
    after = fit(believed, SPREADS, groups, tables, 1.0, 5000)
    before = fit(believed, SPREADS, [], [], 1.0, 5000)
    for columns in PAIRS:  # two pairs tell the third
        assert one.score(columns, after) < one.score(columns, before) / 10


MASSES = ([2000.0] * 3, [2000.0, 4000.0], [2000.0, 4000.0])


# Whole transcripts


class Told:
    """A purse that writes down all that a run is told."""

    def __init__(self, epsilon, ledger):
        self.inner, self.transcript, self.shares = PurePurse(epsilon, ledger), [], []
        self.precision, self.variance = self.inner.precision, self.inner.variance

    def count(self, table, share, coins, reason):
        self.shares.append(share)
        self.transcript.append(self.inner.count(table, share, coins, reason))
        return self.transcript[-1]

    def choose(self, scores, share, coins, reason):
        self.shares.append(share)
        self.transcript.append(self.inner.choose(scores, share, coins, reason))
        return self.transcript[-1]

    def tree(self, share, reason):
        self.shares.append(share)
        return self.inner.tree(share, reason)


class Replayed(Told):
    """A purse that tells the same again, and adds up how likely that was."""

    def __init__(self, told):
        super().__init__(told.inner.epsilon, Ledger())
        self.left, self.log_chance = list(told.transcript), 0.0

    def count(self, table, share, coins, reason):
        del coins, reason
        told, exponent = self.left.pop(0), float(self.inner.epsilon * share)
        noise = np.abs(told - table)
        self.log_chance += noise.size * math.log(math.tanh(exponent / 2)) - exponent * int(noise.sum())
        return told

    def choose(self, scores, share, coins, reason):
        del coins, reason
        told = self.left.pop(0)
        law = PermuteAndFlip(epsilon=self.inner.epsilon * share, score_range=Fraction(2)).probabilities(scores)
        self.log_chance += math.log(law[told])
        return told


def run_with(purse, table, monkeypatch, **settings):
    monkeypatch.setattr(shoal.Marginals, "purse", lambda *_: purse)
    return shoal.Marginals(epsilon=2, **settings).run(table, coins=SeededCoins(1), ledger=Ledger())


@pytest.mark.parametrize("settings", [{"target": "c"}, {}, {"weights": {"a": 3.0}, "workload": (("a", "b"),)}])
def test_no_transcript_of_a_whole_run_is_more_likely_than_it_may_be(settings, monkeypatch):
    """Of runs on one table and on a neighbor, every number and choice told: the exact ratio of their chances."""
    base = [(0, 0, 0)] * 900 + [(1, 1, 1)] * 800 + [(2, 0, 1)] * 700
    worst = 0.0
    for seed, more in enumerate([(0, 0, 0), (2, 1, 0)] * 2):
        told = Told(Fraction(2), Ledger())
        table = encoded([*base, more] if seed % 2 else base)
        monkeypatch.setattr(shoal.Marginals, "purse", lambda *_, told=told: told)
        shoal.Marginals(epsilon=2, **settings).run(table, coins=SeededCoins(seed), ledger=Ledger())
        assert sum(told.shares) == 1
        assert told.inner.ledger.spent == PrivacyCost(Fraction(2))
        assert any(isinstance(part, int) for part in told.transcript)  # groups were chosen
        chances = []
        for records in (base, [*base, more]):
            again = Replayed(told)
            run_with(again, encoded(records), monkeypatch, **settings)
            assert not again.left
            chances.append(again.log_chance)
        worst = max(worst, abs(chances[0] - chances[1]))
    assert 0.5 < worst <= 2 + 1e-9


@pytest.mark.parametrize("records", [0, 1, 400, 20_000])
def test_whatever_noise_says_all_of_the_budget_is_divided_and_no_more(records, monkeypatch):
    columns = [*NAMED, ("n", Grid.between(0, 999)), ("m", Grid.between(0, 9_999, missing=True))]
    rows = [(i % 3, i % 2, i % 5 > 2, i % 700, i % 10_001) for i in range(records)]
    told = Told(Fraction(1, 2), Ledger())
    run_with(told, encoded(rows, columns), monkeypatch, target="c")
    assert sum(told.shares) == 1
    assert min(told.shares) > 0
    assert told.inner.ledger.spent == PrivacyCost(Fraction(1, 2))


def test_shares_of_zcdp_are_worth_what_they_cost():
    """ρ of Gaussian noise 1/(2σ²), of the exponential mechanism ε²/8, of a tree ε²/2: never more than the share."""
    rho, share = Fraction(1, 70), Fraction(3, 31)
    purse = ConcentratedPurse(rho)
    assert 1 / (2 * purse._square(share)) == rho * share
    assert 0.999999 * rho * share < purse.tree(share, "a tree") ** 2 / 2 <= rho * share
    assert purse.precision(share) == pytest.approx(math.sqrt(2 / purse.variance(share)))


# Paying, and refusing


def test_a_release_is_charged_before_anything_is_drawn_and_never_more_than_it_said():
    table = encoded([(0, 0, 0)] * 50 + [(1, 1, 1)] * 40)
    for method in (shoal.Marginals(epsilon=2, target="c"), shoal.Marginals(epsilon=1, delta=0.1)):
        assert charges_first(lambda table, coins, ledger, m=method: m.run(table, coins=coins, ledger=ledger), table)
        ledger = Ledger()
        method.run(table, coins=SeededCoins(1), ledger=ledger)
        assert ledger.spent == method.cost  # with its δ, where noise is Gaussian
        with pytest.raises(BudgetError):
            method.run(table, coins=SeededCoins(1), ledger=Ledger(PrivacyCost(Fraction(1, 10), Fraction(1, 10))))


def test_what_no_purse_can_pay_is_refused_before_anything_is_spent():
    ledger = Ledger()
    with pytest.raises(InfeasibleError, match="use a larger epsilon"):
        shoal.Marginals(epsilon=1e-7).run(encoded([]), coins=SeededCoins(1), ledger=ledger)
    many = [("a", Categorical(tuple(map(str, range(3000))))), ("c", Categorical(tuple(map(str, range(3000)))))]
    with pytest.raises(InfeasibleError, match="9,000,000 counts"):
        shoal.Marginals(epsilon=1, target="c").run(encoded([], many), coins=SeededCoins(1), ledger=ledger)
    assert not ledger.is_open
