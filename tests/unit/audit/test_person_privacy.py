"""What is promised to persons, exactly: every branch of the coins, the cap's included, on every small table.

A table is a tuple of persons, a person a tuple of records; neighbors have one person more, with all their records.
"""

import itertools
import math
from collections import Counter, defaultdict
from fractions import Fraction
from functools import cache

import numpy as np
import pytest
from strategies import attribute_of, table_of

import shoal
from shoal.audit import Distribution, distribution, exact_epsilon, hockey_stick
from shoal.data.counts import Counts
from shoal.data.domain import Categorical, Grid
from shoal.data.encoded import Cap, EncodedTable
from shoal.data.hierarchies.build import Flat
from shoal.data.people.capping import capped
from shoal.data.schema import Role
from shoal.data.unit import Unit
from shoal.dp.accounting.composition import grouped
from shoal.dp.accounting.cost import PrivacyCost
from shoal.dp.accounting.persons_profile import PersonsProfile
from shoal.dp.accounting.profile import Profile
from shoal.dp.accounting.threshold import SampleAndThreshold
from shoal.dp.coins.sampling_rate import OneMinusExp
from shoal.dp.ledger.ledger import Ledger
from shoal.dp.mechanisms.selection import ExponentialMechanism
from shoal.engines.codes.persons import Beside, with_persons
from shoal.methods.diffgen.growth import grow_by_purity, grow_by_value
from shoal.methods.diffgen.shares import in_shares, units_each
from shoal.methods.parts.pricing import priced_for
from shoal.progress import silent
from shoal.search.top_down.cut import GrowingCut
from shoal.search.top_down.purity_kernel import FINENESS, purities
from shoal.search.top_down.value_scores import ValueScores, largest_classes

SCHEMA = shoal.Schema(person="who").with_column("who", role="person")
ONE_COLUMN = table_of({"a": (Role.QUASI_IDENTIFIER, ["0", "1"])}, []).attributes


def told_apart(persons, attributes=ONE_COLUMN):
    """The table as a private run reads it; a person None is one whose name is missing."""
    rows = [(who, record) for who, records in enumerate(persons, start=1) for record in records]
    codes = [np.array([record[i] for _, record in rows], dtype=np.uint8).reshape(-1) for i in range(len(attributes))]
    counts = Counts(
        tuple(a.name for a in attributes),
        tuple(codes),
        tuple(a.domain.size for a in attributes),
        np.ones(len(rows), int),
    )
    whose = np.array([who for who, _ in rows], dtype=np.int64)
    return with_persons(EncodedTable(tuple(attributes), counts), Beside(whose), SCHEMA, may_refuse=False)


def tables(types, most):
    """Every table of up to so many persons."""
    return [t for n in range(most + 1) for t in itertools.combinations_with_replacement(types, n)]


def one_more(types, most):
    """Every table, and every table with one person more."""
    return [(others, (*others, person)) for others in tables(types, most) for person in types]


# The cap


def test_of_each_person_every_subset_is_equally_likely_whatever_others_have():
    person, other = ((0,), (0,), (1,)), ((1,), (1,), (0,))

    def drawn(persons):
        def run(coins):
            table = capped(told_apart(persons), 2, coins)
            named = zip(
                table.persons.person, table.counts.column("a")[table.persons.record], table.persons.rows, strict=True
            )
            return tuple(sorted((int(who), int(a), int(n)) for who, a, n in named))

        return distribution(run).masses

    alone = drawn((person,))
    assert alone == pytest.approx({((0, 0, 2),): 1 / 3, ((0, 0, 1), (0, 1, 1)): 2 / 3})
    both = drawn((person, other))
    of_person = Counter()
    for outcome, mass in both.items():
        of_person[tuple(part for part in outcome if part[0] == 0)] += mass
    assert of_person == pytest.approx(alone)
    of_other = {((1, 0, 1), (1, 1, 1)): 2 / 3, ((1, 1, 2),): 1 / 3}
    for mine, chance in alone.items():
        for theirs, its in of_other.items():
            assert both[tuple(sorted((*mine, *theirs)))] == pytest.approx(chance * its)


def test_records_without_a_person_take_no_part():
    table = told_apart((((0,),), ((1,), (1,))))
    parts = Counts(("a",), (np.array([0, 1, 1, 0], np.uint8),), (2,), np.array([1, 1, 1, 5]))
    lost = with_persons(EncodedTable(ONE_COLUMN, parts), Beside(np.array([1, 2, 2, 0])), SCHEMA, may_refuse=False)
    assert lost.counts.sizes.tolist() == table.counts.sizes.tolist()
    assert lost.people == table.people == 2


# SafePub

EPSILON = Fraction(1)


@cache
def safepub(k, records):
    """ε = 1 for a person, no search, and the δ for which k is enough."""
    each = EPSILON / records
    delta = SampleAndThreshold(rate=OneMinusExp(each), k=k).delta(each)
    price = grouped(PrivacyCost(each, delta), records, Unit.PERSON)
    method = shoal.SafePub(epsilon=EPSILON, delta=price.delta * (1 + Fraction(1, 10**9)), schemes=[{}])
    made = priced_for(method, Unit.PERSON, records)
    assert made.inner.k == k
    assert made.inner.cost.epsilon == each
    assert made.cost.max_records == records
    return made


def published(method, table, coins):
    outcome = method.run(table, coins=coins, ledger=Ledger())
    return tuple(zip(outcome.published.column("a").tolist(), outcome.published.sizes.tolist(), strict=True))


@cache
def law_of_rows(k, records, rows):
    """What is published of so many rows of each value, when the cap has been drawn."""
    table = EncodedTable(
        ONE_COLUMN, Counts.of(["a"], [np.repeat([0, 1], rows).astype(np.uint8)], [2], np.ones(sum(rows), int))
    )
    return distribution(lambda coins: published(safepub(k, records).inner, table, coins)).masses


@cache
def rows_of(person, records):
    """How many rows of each value are drawn of one person."""

    def drawn(coins):
        table = capped(told_apart((person,)), records, coins)
        return tuple(int(table.counts.sizes[table.counts.column("a") == a].sum()) for a in (0, 1))

    return distribution(drawn).masses


def law(k, records, persons):
    """The same of persons, of whom so many records are drawn, of each by themselves: a mixture."""
    drawn = {(0, 0): 1.0}
    for person in persons:
        more = defaultdict(float)
        for (rows, chance), (mine, its) in itertools.product(drawn.items(), rows_of(person, records).items()):
            more[rows[0] + mine[0], rows[1] + mine[1]] += chance * its
        drawn = more
    found = defaultdict(float)
    for rows, chance in drawn.items():
        for outcome, mass in law_of_rows(k, records, rows).items():
            found[outcome] += chance * mass
    return Distribution(dict(found))


TYPES = [
    tuple((0,) for _ in range(a)) + tuple((1,) for _ in range(b)) for a, b in itertools.product(range(3), repeat=2)
]
ONE_OR_TWO = [person for person in TYPES if 1 <= len(person) <= 2]


@pytest.mark.parametrize(("k", "rows"), [(2, 0.342622), (3, 0.171759)])
def test_safepub_of_two_records_each_is_as_private_as_the_theory_says(k, rows):
    """`people.md`, section 4: m = 2, two classes, up to four others."""
    worst = 0.0
    laws = cache(lambda persons: law(k, 2, persons))
    for fewer, more in one_more(ONE_OR_TWO, 4):
        worst = max(worst, hockey_stick(laws(more), laws(fewer), 1.0))
        assert hockey_stick(laws(fewer), laws(more), 1.0) < 1e-12  # whoever is left out costs ε alone
    assert worst == pytest.approx(rows, abs=1e-6)
    assert worst <= safepub(k, 2).cost.delta


@pytest.mark.parametrize(("k", "one"), [(2, 0.399576), (3, 0.252580)])
def test_safepub_of_one_record_each_is_what_it_is_for_records(k, one):
    some = [person for person in TYPES if (person and len(person) <= 2) or person == ((0,), (0,), (1,))]
    worst = 0.0
    laws = cache(lambda persons: law(k, 1, persons))
    for fewer, more in one_more(some, 3):
        worst = max(worst, hockey_stick(laws(more), laws(fewer), 1.0))
        assert hockey_stick(laws(fewer), laws(more), 1.0) < 1e-12
    for fewer, more in one_more([((0,),)], 4):  # with four others in one class
        worst = max(worst, hockey_stick(laws(more), laws(fewer), 1.0))
    assert worst == pytest.approx(one, abs=1e-6)
    assert worst <= safepub(k, 1).cost.delta


def test_the_whole_way_from_persons_to_what_is_published():
    """Cap, sample and threshold in one enumeration give the mixture above."""
    persons = (((0,), (1,)), ((0,), (0,), (1,)))
    for records in (1, 2):
        made = safepub(2, records)

        def run(coins, made=made, records=records):
            return published(made.inner, capped(told_apart(persons), records, coins).of_rows(), coins)

        assert distribution(run).masses == pytest.approx(law(2, records, persons).masses)


def test_one_record_more_of_somebody_costs_what_the_conversion_says():
    """A record of somebody present, m = 1 (`docs/proofs/persons.md`, section 2)."""
    k, promise = 2, safepub(2, 1).cost
    price = promise.under(shoal.Neighbors.ADD_REMOVE)
    worst = at_epsilon = 0.0
    for others in tables([((0,),), ((1,),)], 4):
        for mine, more in (([(0,)], [(0,), (1,)]), ([(0,)], [(0,), (0,)]), ([(0,), (1,)], [(0,), (1,), (1,)])):
            p, q = law(k, 1, (*others, tuple(mine))), law(k, 1, (*others, tuple(more)))
            for here, there in ((p, q), (q, p)):
                worst = max(worst, hockey_stick(here, there, float(price.epsilon)))
                at_epsilon = max(at_epsilon, hockey_stick(here, there, float(promise.epsilon)))
    assert worst <= price.delta
    assert at_epsilon > 0.1  # so it is no promise for records by accident


@pytest.mark.parametrize(("others", "k", "delta"), [(4, 2, 0.620543), (100, 46, 0.632075)])
def test_persons_drawn_with_separate_classes_would_give_them_away(others, k, delta):
    """What is refused: everybody is in two classes, the newcomer in one; unequal counts betray them, for every k."""
    beta = -math.expm1(-1)
    with_them, without = defaultdict(float), defaultdict(float)
    for drawn in range(others + 1):
        chance = math.comb(others, drawn) * beta**drawn * (1 - beta) ** (others - drawn)
        shown = drawn if drawn >= k else None
        without[shown, shown] += chance
        with_them[shown, shown] += (1 - beta) * chance
        with_them[drawn + 1 if drawn + 1 >= k else None, shown] += beta * chance
    loss = hockey_stick(Distribution(dict(with_them)), Distribution(dict(without)), 1.0)
    assert loss == pytest.approx(delta, abs=1e-6)
    if others <= 4:  # the same table as Shoal publishes it: two records each, drawn one by one
        both, one = ((0,), (1,)), ((0,),)
        ours = hockey_stick(law(k, 2, (*(both,) * others, one)), law(k, 2, (both,) * others), 1.0)
        assert ours < 0.2


@pytest.mark.parametrize(("records", "k"), [(1, 46), (2, 39), (3, 38), (5, 38)])
def test_which_k_it_takes(records, k):
    """`people.md`, section 1b: ε = 1, δ = 1e-5, all of it for the release."""
    method = shoal.SafePub(epsilon=1, delta="1e-5", schemes=[{}])
    made = priced_for(method, Unit.PERSON, records)
    assert made.inner.k == k
    assert float(made.inner.rate) == pytest.approx(1 - math.exp(-1 / records))


def rows_delta(k, records, epsilon=1.0):
    """One class that all records of the person are in, in doubles: the largest S(k; n) − e^ε S(k; n − m)."""
    beta = -math.expm1(-epsilon / records)
    trials = range(k, 4 * k)

    def beyond(n):
        return sum(math.comb(n, j) * beta**j * (1 - beta) ** (n - j) for j in range(k, n + 1))

    tails = {n: beyond(n) for n in range(k - records, max(trials) + 1)}
    return max(tails[n] - math.exp(epsilon) * tails[n - records] for n in trials)


@pytest.mark.parametrize(("records", "k", "delta"), [(2, 38, 1.18421e-5), (2, 39, 9.77494e-6), (3, 38, 9.30721e-6)])
def test_group_privacy_loses_little_where_records_are_drawn_one_by_one(records, k, delta):
    """The exact δ of one class, and the group bound of the same k: both on the same side of 1e-5."""
    exact = rows_delta(k, records)
    assert exact == pytest.approx(delta, rel=1e-4)
    each = EPSILON / records
    bound = grouped(PrivacyCost(each, Fraction(Profile.of(OneMinusExp(each), each).at(k))), records, Unit.PERSON)
    assert exact <= bound.delta <= exact * 1.1
    assert (exact <= 1e-5) == (bound.delta <= 1e-5)


# SafePub that counts persons


def counting_persons(k, records):
    """ε = 1 for a person, no search, and the δ for which k is enough."""
    delta = Fraction(PersonsProfile(EPSILON, records).at(k)) * (1 + Fraction(1, 10**9))
    method = shoal.SafePub(epsilon=EPSILON, delta=min(delta, Fraction(99, 100)), schemes=[{}], several="persons")
    made = priced_for(method, Unit.PERSON, records)
    assert made.inner.k == k
    assert made.inner.cost == method.cost
    return made


@cache
def law_of_heads(k, records, persons):
    """What is published of persons with at most so many records: those of each class who are seen in it."""
    found = {(): 1.0}
    for a in (0, 1):
        seen = np.ones(1)
        for person in persons:
            unseen = math.exp(-sum(record == (a,) for record in person) / records)
            seen = np.convolve(seen, [unseen, 1 - unseen])
        shown = {(): seen[:k].sum()} | {((a, j),): seen[j] for j in range(k, len(seen))}
        found = {
            (*one, *other): chance * its
            for (one, chance), (other, its) in itertools.product(found.items(), shown.items())
        }
    return Distribution({outcome: float(mass) for outcome, mass in found.items() if mass > 0})


@pytest.mark.parametrize(("k", "heads"), [(2, 0.435578), (3, 0.289724)])
def test_safepub_that_counts_persons_is_as_private_as_the_theory_says(k, heads):
    """`people.md`, section 4: m = 2, two classes, up to four others."""
    worst = 0.0
    for fewer, more in one_more(ONE_OR_TWO, 4):
        p, q = law_of_heads(k, 2, more), law_of_heads(k, 2, fewer)
        worst = max(worst, hockey_stick(p, q, 1.0))
        assert hockey_stick(q, p, 1.0) < 1e-12  # whoever is left out costs ε alone
    assert worst == pytest.approx(heads, abs=1e-6)
    assert worst <= PersonsProfile(EPSILON, 2).at(k) <= 1.2 * worst


@pytest.mark.parametrize(
    "persons",
    [
        (),
        (((0,), (0,)), ((0,), (1,)), ((0,),)),
        (((0,), (1,)), ((1,), (0,)), ((1,), (1,))),
    ],
)
def test_safepub_that_counts_persons_publishes_what_the_law_says(persons):
    made = counting_persons(2, 2)

    def run(coins):
        return published(made.inner, capped(told_apart(persons), 2, coins), coins)

    assert distribution(run).masses == pytest.approx(law_of_heads(2, 2, persons).masses)


def test_the_cap_comes_before_persons_are_counted():
    persons, mixed = (((0,), (0,), (1,)), ((0,), (1,))), defaultdict(float)

    def run(coins):
        return published(counting_persons(1, 2).inner, capped(told_apart(persons), 2, coins), coins)

    for drawn, chance in ((((0,), (0,)), 1 / 3), (((0,), (1,)), 2 / 3)):
        for outcome, mass in law_of_heads(1, 2, (drawn, persons[1])).masses.items():
            mixed[outcome] += chance * mass
    assert distribution(run).masses == pytest.approx(mixed)


@pytest.mark.parametrize("records", [2, 3, 5])
def test_which_k_it_takes_to_count_persons(records):
    """`people.md`, section 1b: ε = 1, δ = 1e-5, all of it for the release."""
    made = priced_for(shoal.SafePub(epsilon=1, delta="1e-5", schemes=[{}], several="persons"), Unit.PERSON, records)
    assert made.inner.k == 46
    assert float(made.inner.rate) == pytest.approx(1 - math.exp(-1 / records))


# SafePub of whole persons


def law_of_whole(k, persons):
    """What is published of persons, drawn with all their records: those of classes of k or more who are drawn."""
    beta, found = -math.expm1(-1), {(0, 0): 1.0}
    for kind, n in Counter(tuple(sorted(person)) for person in persons).items():
        rows = [sum(record == (a,) for record in kind) for a in (0, 1)]
        more = defaultdict(float)
        for (so_far, chance), drawn in itertools.product(found.items(), range(n + 1)):
            times = drawn if drawn >= k else 0
            mass = math.comb(n, drawn) * beta**drawn * (1 - beta) ** (n - drawn)
            more[so_far[0] + times * rows[0], so_far[1] + times * rows[1]] += chance * mass
        found = more
    named = defaultdict(float)
    for rows, mass in found.items():
        named[tuple((a, n) for a, n in enumerate(rows) if n)] += mass
    return Distribution(dict(named))


def whole(k, records):
    """ε = 1 for a person, no search, and the δ for which k is enough: that of a record."""
    delta = SampleAndThreshold(rate=OneMinusExp(EPSILON), k=k).delta(EPSILON) * (1 + Fraction(1, 10**9))
    method = shoal.SafePub(epsilon=EPSILON, delta=delta, schemes=[{}], several="whole")
    made = priced_for(method, Unit.PERSON, records)
    assert made.inner.k == k
    return made


@pytest.mark.parametrize(("k", "one"), [(2, 0.399576), (3, 0.252580)])
def test_safepub_of_whole_persons_costs_what_a_record_costs(k, one):
    """However many records they have: the price of one record, attained where everybody has equal ones."""
    some = [person for person in TYPES if person and len(person) <= 3]
    worst = 0.0
    for fewer, more in [*one_more(some, 3), *one_more(some[:2], 4)]:
        p, q = law_of_whole(k, more), law_of_whole(k, fewer)
        worst = max(worst, hockey_stick(p, q, 1.0))
        assert hockey_stick(q, p, 1.0) < 1e-12
    assert worst == pytest.approx(one, abs=1e-6)
    assert worst <= whole(k, 3).cost.delta


@pytest.mark.parametrize(
    "persons",
    [(), (((0,), (1,)), ((1,), (0,)), ((0,),)), (((0,), (0,)), ((0,), (0,)), ((1,),), ((1,),), ((1,),))],
)
def test_safepub_of_whole_persons_publishes_what_the_law_says(persons):
    made = whole(2, 2)

    def run(coins):
        return published(made.inner, capped(told_apart(persons), 2, coins), coins)

    assert distribution(run).masses == pytest.approx(law_of_whole(2, persons).masses)


def test_one_person_more_moves_the_scores_of_whole_persons_within_their_range():
    attributes = table_of(
        {"a": (Role.QUASI_IDENTIFIER, ["0", "1"]), "b": (Role.QUASI_IDENTIFIER, ["0", "1"])}, []
    ).attributes
    method = priced_for(shoal.SafePub(epsilon=1, delta="0.3", several="whole"), Unit.PERSON, 2).inner
    records = list(itertools.product((0, 1), repeat=2))
    kinds = [*((record,) for record in records), *itertools.combinations_with_replacement(records, 2)]
    rng, largest = np.random.default_rng(3), 0
    for _ in range(40):
        others = tuple(kinds[i] for i in rng.integers(0, rng.choice([1, 3, len(kinds)]), rng.integers(0, 30)))
        fewer, more = (told_apart(persons, attributes) for persons in (others, (*others, kinds[rng.integers(0, 3)])))
        (score, reach), (scored, same) = method.scoring(fewer), method.scoring(more)
        assert reach == same
        for node in itertools.product((0, 1), repeat=2):
            moved = scored(node) - score(node)
            assert 0 <= moved <= reach
            largest = max(largest, moved / reach)
    assert largest > 0.3


# DiffGen

SHARED = (
    attribute_of("x", Flat(), Categorical(("0", "1"))),
    attribute_of("y", Flat(), Categorical(("N", "Y"))),
)
RECORDS = list(itertools.product((0, 1), repeat=2))


def persons_of_up_to(records):
    return [p for n in range(1, records + 1) for p in itertools.combinations_with_replacement(RECORDS, n)]


def in_units(persons, records):
    """Everybody's records as shares; nobody has more than the cap allows, so that nothing is drawn."""
    table = told_apart(persons, SHARED)
    table = EncodedTable(table.attributes, table.counts, persons=table.persons, unit=table.unit, capped=Cap(records))
    units = units_each(table)
    return in_shares(table, units), units


@pytest.mark.parametrize("records", [2, 3])
def test_a_person_is_one_person_in_counts_whatever_records_they_have(records):
    def cells(persons):
        table, units = in_units(persons, records)
        found = Counter(
            dict(
                zip(
                    zip(*(c.tolist() for c in table.counts.codes), strict=True),
                    table.counts.sizes.tolist(),
                    strict=True,
                )
            )
        )
        return found, units

    for others in tables(persons_of_up_to(2)[::3], 2):
        before, units = cells(others) if others else (Counter(), math.lcm(*range(1, records + 1)))
        for person in persons_of_up_to(records):
            after, _ = cells((*others, person))
            change = {cell: after[cell] - before[cell] for cell in after | before}
            assert min(change.values()) >= 0
            assert sum(change.values()) == units


@pytest.mark.parametrize("records", [2, 3])
def test_a_person_moves_the_purity_of_all_groups_by_one_at_most(records):
    """Every way to share a person over two groups and two classes, on every small table and some large ones."""
    units = math.lcm(*range(1, records + 1))
    bases = [
        *itertools.product(range(4), repeat=4),
        *[(n, 0, 0, n + 1) for n in (100, 1001, 12345)],
        (3001, 1, 3001, 1),
    ]
    added = [
        np.bincount(chosen, minlength=4) * (units // r)
        for r in range(1, records + 1)
        for chosen in itertools.combinations_with_replacement(range(4), r)
    ]
    before = purities(np.array(bases).reshape(-1, 2)).reshape(-1, 2).sum(axis=1)
    lowest = 0
    for more in added:
        after = purities((np.array(bases) + more).reshape(-1, 2)).reshape(-1, 2).sum(axis=1)
        assert (after <= before).all()
        lowest = min(lowest, int((after - before).min()))
    assert -lowest <= units << FINENESS
    assert -lowest > 0.99 * (units << FINENESS)  # nothing less would do


@pytest.mark.parametrize("utility", ["purity", "max"])
def test_a_cut_grown_on_shares_tells_no_more_of_a_person_than_it_costs(utility):
    each = Fraction(1, 2)

    @cache
    def table(persons):
        return in_units(persons, 2)

    def grown(persons, coins):
        records, units = table(persons)
        cut = GrowingCut(records, ["x"], "y")
        if utility == "purity":
            grow_by_purity(cut, 1, each, Fraction(1, 9), bool, coins, Ledger(), silent, units=units)
        else:
            choice = ExponentialMechanism(epsilon=each, score_range=Fraction(units))
            scores = ValueScores(cut, largest_classes)
            grow_by_value(cut, scores, 1, choice, coins, Ledger(), silent)
        return tuple(tuple(axis.firsts.tolist()) for axis in cut.axes)

    types = persons_of_up_to(2)
    pairs = [pair for pair in one_more(types, 2) if pair[0]][::4]
    loss = exact_epsilon(grown, pairs)
    assert loss.epsilon <= float(each)
    assert loss.epsilon > (0.01 if utility == "purity" else -1)


# k-epsilon


def test_noise_on_several_records_of_a_person_shares_the_budget():
    """All values of one person's two records change; the exact loss is within ε, and near it."""
    attributes = (attribute_of("g", Flat(), Categorical(("a", "b"))), attribute_of("h", Flat(), Grid.between(0, 1)))
    method = shoal.KEpsilon(epsilon=6, perturbed=("h",), anonymizer=shoal.OLA(k=2))
    made = priced_for(method, Unit.PERSON, 2)
    assert made.inner.epsilon == 3
    assert str(made.cost) == "epsilon = 6, delta = 0 (replace h in all records of one person)"

    @cache
    def table(persons):
        found = told_apart(persons, attributes)
        return EncodedTable(found.attributes, found.counts, persons=found.persons, unit=found.unit, capped=Cap(2))

    def run(persons, coins):
        outcome = made.inner.run(table(persons), coins=coins, ledger=Ledger(limit=made.inner.cost))
        shown = outcome.shown["h"].values[outcome.published.column("h")]
        return tuple(sorted(zip(shown.tolist(), outcome.published.sizes.tolist(), strict=True)))

    other = ((0, 0),)
    pairs = [
        ((((0, 0), (0, 0)), other), (((0, 1), (0, 1)), other)),
        ((((0, 0), (0, 1)), other), (((0, 1), (0, 1)), other)),
    ]
    loss = exact_epsilon(run, pairs, tail=2e-2)
    assert 2 < loss.epsilon <= 6
