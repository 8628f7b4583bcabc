"""What (k, ε)-anonymity promises, exactly: every branch of its coins on every small table, in both modes.

Neighbors differ in the perturbed columns of one record and agree in everything else.
"""

import math
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from itertools import permutations, product

import numpy as np
import pytest
from strategies import attribute_of

from shoal.audit import audit_charges, charges_first, exact_epsilon
from shoal.audit.enumeration import distribution
from shoal.data.counts import Counts
from shoal.data.domain import Categorical, Grid
from shoal.data.encoded import EncodedTable
from shoal.data.hierarchies.build import Flat
from shoal.data.outcome import Outcome
from shoal.data.partition import Partition
from shoal.data.shown import TreeNodes
from shoal.dp.accounting.composition import sequential
from shoal.dp.accounting.relation import Neighbors, attributes
from shoal.dp.ledger.ledger import Ledger
from shoal.dp.mechanisms.laplace import DiscreteLaplace
from shoal.errors import BudgetError
from shoal.kernels.grouping import narrowest
from shoal.methods import OLA, ClassBounds, KEpsilon, Mode, Several
from shoal.methods.base import Publishes
from shoal.promises.statements import linking_posterior

PUBLISHED = Mode.AS_PUBLISHED
TAIL = 1e-4
"""Noise this unlikely is not followed; the audits then report a loss that is a little too small, never too large."""


@cache
def encoded(rows, steps=2, columns=1, missing=False):
    """Records (group, h0, …): a k-quasi of two values, perturbed columns on the grid 0…steps."""
    grid = Grid.between(0, steps, missing=missing)
    attributes = (
        attribute_of("g", Flat(), Categorical(("a", "b"))),
        *(attribute_of(f"h{i}", Flat(), grid) for i in range(columns)),
    )
    codes = [np.array([row[i] for row in rows], dtype=narrowest(a.domain.size)) for i, a in enumerate(attributes)]
    sizes = [attribute.domain.size for attribute in attributes]
    return EncodedTable(attributes, Counts.of([a.name for a in attributes], codes, sizes))


class Remembering(OLA):
    """Decides once about each view, so that an enumeration need not search again and again."""

    def run(self, table, **others):
        key = tuple(column.tobytes() for column in table.counts.codes), table.counts.sizes.tobytes()
        if key not in DECIDED:
            DECIDED[key] = super().run(table, **others)
        return DECIDED[key]


DECIDED = {}


def method(epsilon, columns=1, **settings):
    named = tuple(f"h{i}" for i in range(columns))
    return KEpsilon(**{"epsilon": epsilon, "perturbed": named, "anonymizer": Remembering(k=2)} | settings)


def seen(outcome):
    """All that is published, in words."""
    published, columns = outcome.published, []
    for name, codes in zip(published.names, published.codes, strict=True):
        shown = outcome.shown[name]
        columns.append((shown.nodes if isinstance(shown, TreeNodes) else shown.values)[codes])
    return list(columns), published.sizes


def mechanism(of, **table):
    return lambda rows, coins, ledger: seen(of.run(encoded(rows, **table), coins=coins, ledger=ledger))


def unpaid(of, **table):
    return lambda rows, coins: seen(of.run(encoded(rows, **table), coins=coins, ledger=Ledger(limit=of.cost)))


def neighbors(groups, values):
    """Every two tables with these groups that differ in the value of one record, each pair once."""
    for others in product(values, repeat=len(groups) - 1):
        for changed in range(len(groups)):
            for i, one in enumerate(values):
                for other in values[i + 1 :]:
                    pair = [
                        tuple(
                            (g, *v) for g, v in zip(groups, (*others[:changed], mine, *others[changed:]), strict=True)
                        )
                        for mine in (one, other)
                    ]
                    yield tuple(tuple(sorted(rows)) for rows in pair)


ALONE = [(0,), (1,), (2,)]


@pytest.fixture(autouse=True)
def _nothing_for_the_owner(monkeypatch):
    """What is measured for the owner takes time, and an enumeration runs thousands of releases."""
    monkeypatch.setattr("shoal.methods.k_epsilon.columns.PerturbedColumn.losses", lambda *_: {})


# Rigorous


def test_public_bounds_cost_what_is_charged_and_not_less():
    """KE-R1 with the domain as bounds, every class of two records."""
    bill = audit_charges(mechanism(method(6)), neighbors((0, 0), ALONE), relation=attributes("h0"), tail=1e-5)
    assert bill.epsilon == 6
    assert bill.loss <= 6 + 1e-9
    assert bill.loss > 5.9  # between the two ends of the domain: the charge is not too large, either


def test_bounds_that_differ_between_classes_cost_what_is_charged():
    """Values beyond the bounds of their class are moved first, so the noise there can be smaller."""
    bounds = (ClassBounds(column="h0", lower=1, upper=2, where={"g": "a"}),)
    of = method(4, bounds=bounds, anonymizer=Remembering(k=2, suppression_limit=0.0))
    loss = exact_epsilon(unpaid(of), neighbors((0, 0), ALONE), tail=1e-6)
    assert 3.9 < loss.epsilon <= 4 + 1e-9


def test_a_missing_value_is_hidden_like_any_other():
    """It counts as the middle of the domain: then any two values are hidden from each other, missing ones too."""
    loss = exact_epsilon(unpaid(method(4), missing=True), neighbors((0, 0), [(0,), (2,), (3,)]), tail=TAIL)
    assert loss.epsilon <= 4 + 1e-9


def test_estimated_bounds_and_noise_together_cost_what_is_charged(monkeypatch):
    """KE-R2: two choices and the noise, whose scale depends on them."""
    monkeypatch.setattr("shoal.methods.k_epsilon.bounds._WORTH", 0)
    of = method(12, bounds_share=0.25, tail=0.1)
    pairs = [pair for pair in neighbors((0, 0), ALONE) if pair[0][0] == (0, 0)]
    bill = audit_charges(mechanism(of), pairs, relation=attributes("h0"), tail=1e-3)
    assert bill.epsilon == 12
    assert 8 < bill.loss <= 12 + 1e-9


@pytest.mark.parametrize("tail", [0.0, 0.1, 0.4])
def test_the_choice_of_bounds_alone_costs_its_share(tail):
    """Three records, all values; what is published are the bounds."""
    from shoal.methods.k_epsilon.bounds import estimated_bounds
    from shoal.risk import ClassedNumbers

    def choose(values, coins):
        of = ClassedNumbers.of([values])
        whole = np.zeros(1, dtype=np.int64), np.full(1, 4)
        return estimated_bounds(
            of, *whole, epsilon=Fraction(1, 2), tail=Fraction(str(tail)), classes=np.ones(1, dtype=bool), coins=coins
        )

    pairs = [
        (tuple(sorted((*others, one))), tuple(sorted((*others, other))))
        for others in product(range(5), repeat=2)
        for one, other in product(range(5), repeat=2)
        if one < other
    ]
    loss = exact_epsilon(choose, pairs)
    assert 0.3 < loss.epsilon <= 1 + 1e-9  # two choices of one half


def test_several_columns_share_the_budget_of_a_record():
    """Split: a record that changes in both columns is hidden with ε altogether."""
    values = [(0, 0), (1, 1)]
    loss = exact_epsilon(
        unpaid(method(12, columns=2), steps=1, columns=2), [next(neighbors((0, 0), values))], tail=1e-3
    )
    assert 11.9 < loss.epsilon <= 12 + 1e-9


def test_a_charge_that_is_refused_stops_before_a_coin_is_tossed():
    assert charges_first(mechanism(method(1)), ((0, 0), (0, 1)), relation=attributes("h0"))


@dataclass(frozen=True)
class Dividing(Publishes):
    """Puts the first of equal records in one class and the rest in another, as a relaxed partition may."""

    name = "dividing"
    promises_k_anonymity = True
    k = 2

    def counted(self, _schema):
        return ("g",)

    def promises(self, _table):
        return ()

    def run(self, table, **_others):
        sizes = table.counts.sizes
        parts = Partition(np.zeros(2, dtype=np.int64), np.arange(2), np.array([1, sizes[0] - 1]))
        return Outcome.local(table, parts, {"g": (TreeNodes(np.array([0, 2], dtype=np.int32)), np.arange(2))})


def test_who_goes_to_which_class_is_left_to_chance_where_equal_records_are_divided():
    """The perturbed column must not decide it: in the order of the table, the smaller value would come first."""
    of = method(6, anonymizer=Dividing())
    loss = exact_epsilon(unpaid(of), neighbors((0, 0), ALONE), tail=1e-4)
    assert loss.epsilon <= 6 + 1e-9


# As published


def test_as_published_a_class_of_one_value_is_told_from_its_neighbor_for_certain():
    """KE-1: (170, 170, 170) is published unchanged, its neighbor (170, 170, 180) never is."""
    of = method(1, mode=PUBLISHED, digits=0)
    loss = exact_epsilon(unpaid(of), [(((0, 0), (0, 0)), ((0, 0), (0, 1)))], tail=TAIL)
    assert math.isinf(loss.epsilon)
    assert loss.there == ((0, 0), (0, 0))  # on a grid a noisy value may be the true one, so one direction is finite


def test_as_published_classes_of_different_diameter_are_told_apart_beyond_epsilon():
    """KE-1 without a class of one value: the scale of the noise gives the changed record away."""
    of = method(2, mode=PUBLISHED, digits=0)
    loss = exact_epsilon(unpaid(of), [(((0, 0), (0, 1)), ((0, 0), (0, 2)))], tail=1e-3)
    assert loss.epsilon > 2.5


def test_as_published_nothing_is_charged_and_no_differential_privacy_is_claimed():
    of = method(1, mode=PUBLISHED)
    ledger = Ledger()
    from shoal.dp.coins.coins import SeededCoins

    of.run(encoded(((0, 0), (0, 2))), coins=SeededCoins(1), ledger=ledger)
    assert of.cost is None
    assert not ledger.entries
    (guarantee,) = of.guarantees()
    assert guarantee.cost is guarantee.neighbors is None
    assert guarantee.statement.endswith("not differentially private")
    assert "linking posterior <= 0.880798 for the stated attacker" in guarantee.statement


def test_rigorous_the_statement_is_attribute_level():
    (guarantee,) = method(Fraction(1, 2)).guarantees()
    assert guarantee.statement == "0.5 attribute-level DP on the eps-quasis (h0); 2-anonymous on the k-quasis"
    assert guarantee.neighbors is Neighbors.ATTRIBUTES
    assert guarantee.cost.epsilon == Fraction(1, 2)


# The posterior of a link (KE-2)


@pytest.mark.parametrize("epsilon", [0.5, 1, 3])
@pytest.mark.parametrize("values", [(0, 1, 2), (0, 0, 4), (0, 2, 3, 4)])
def test_no_link_is_surer_than_the_stated_posterior(values, epsilon):
    """Bayes over all assignments, for all outputs on a grid beyond the class: the bound holds and is not idle."""
    m, diameter = len(values), max(values) - min(values)
    noise = DiscreteLaplace(epsilon=Fraction(str(epsilon)), sensitivity=diameter)
    far = range(-2, diameter + 3)
    density = {(y, v): float(noise.pmf(np.array([y - v]))[0]) for y in far for v in set(values)}
    worst = alone = 0.0
    for ys in product(far, repeat=m):
        weights = np.array([math.prod(density[y, values[i]] for y, i in zip(ys, order, strict=True))
                            for order in permutations(range(m))])  # fmt: skip
        first = np.array([order[0] for order in permutations(range(m))])
        worst = max(worst, max(weights[first == i].sum() for i in range(m)) / weights.sum())
        single = [density[ys[0], v] for v in values]
        alone = max(alone, max(single) / sum(single))
    assert worst <= float(linking_posterior(m, Fraction(str(epsilon)))) + 1e-12
    assert alone <= float(linking_posterior(m, Fraction(str(epsilon)) / 2)) + 1e-12
    assert worst > 1 / m


def test_the_vector_diameter_never_adds_more_noise_than_the_split_and_still_hides():
    """KE-3: D1 is the largest normalized L1 distance of two records, never rounded down."""
    from shoal.methods.k_epsilon.noise import vector_diameters
    from shoal.risk import ClassedNumbers

    rng = np.random.default_rng(4)
    for _ in range(50):
        m = int(rng.integers(2, 7))
        columns = [rng.integers(0, 5, m) for _ in range(3)]
        of = [ClassedNumbers(column, np.zeros(m, dtype=np.int64), 1) for column in columns]
        widths = [max(int(np.ptp(column)), 1) for column in columns]
        exactly = max(
            sum((Fraction(abs(int(c[i]) - int(c[j])), w) for c, w in zip(columns, widths, strict=True)), Fraction(0))
            for i in range(m)
            for j in range(m)
        )
        (found,) = vector_diameters(of)
        assert exactly <= found <= min(exactly + Fraction(1, 10**6), 3)
    assert method(1, columns=2, mode=PUBLISHED, several=Several.VECTOR).several is Several.VECTOR


# Two releases of one table (docs/proofs/composition.md, section 10)


def released(*several):
    """Releases of records (group, h0, h1), seen together."""
    return lambda rows, coins: [
        seen(of.run(encoded(rows, steps=1, columns=2), coins=coins, ledger=Ledger(limit=of.cost))) for of in several
    ]


def test_releases_that_protect_the_same_column_cost_the_sum_of_both():
    """Neighbors in h0, which both perturb; both publish h1."""
    first, second = (method(epsilon, perturbed=("h0",), anonymizer=Remembering(k=2)) for epsilon in (5, 4))
    pairs = [(((0, 0, 1), (0, 0, 1)), ((0, 0, 1), (0, 1, 1)))]
    together = exact_epsilon(released(first, second), pairs, tail=1e-3)
    assert 8.5 < together.epsilon <= 9 + 1e-9
    assert sequential([first.cost, second.cost]).epsilon == 9


def test_releases_that_protect_other_columns_are_told_apart_with_certainty():
    """Noise on h0 costs little; then noise on h1 with h0 among the k-quasis shows h0: no ε bounds both together."""
    first, second = method(8, perturbed=("h0",)), method(6, perturbed=("h1",))
    one, other = ((0, 0, 1), (0, 0, 1)), ((0, 0, 1), (0, 1, 1))  # neighbors in h0
    assert exact_epsilon(released(first), [(one, other)], tail=1e-4).epsilon <= 8 + 1e-9
    laws = [distribution(lambda coins, t=table: released(second)(t, coins), tail=1e-4) for table in (one, other)]
    assert not set(laws[0].masses) & set(laws[1].masses)
    with pytest.raises(BudgetError, match="one neighboring relation"):
        sequential([first.cost, second.cost])
