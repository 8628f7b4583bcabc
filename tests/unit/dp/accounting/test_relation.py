"""A relation names whom and which columns it protects; only what follows converts, checked on all small tables."""

from collections import Counter
from fractions import Fraction
from functools import cache
from itertools import combinations, combinations_with_replacement, pairwise, product
from math import exp, log

import numpy as np
import pytest

from shoal.data.unit import Unit
from shoal.dp.accounting.composition import amplify, for_each_record, grouped, parallel, sequential
from shoal.dp.accounting.concentrated import ConcentratedCost, compose, largest_rho, tighter
from shoal.dp.accounting.cost import PrivacyCost
from shoal.dp.accounting.relation import Neighbors, Relation, attributes, common
from shoal.dp.ledger.ledger import Ledger
from shoal.errors import BudgetError, InfeasibleError, ParameterError
from shoal.promises.guarantee import Basis, Guarantee

AGE, INCOME, BOTH = attributes("age"), attributes("income"), attributes("age", "income")
ADD_REMOVE, REPLACE = Relation(Neighbors.ADD_REMOVE), Relation(Neighbors.REPLACE)
EVERY = (ADD_REMOVE, REPLACE, AGE, INCOME, BOTH)

NAMES = ("age", "income", "zip")
RECORDS = list(product((0, 1), repeat=len(NAMES)))
TABLES = sorted({tuple(sorted(rows)) for size in range(3) for rows in product(RECORDS, repeat=size)})


def are_neighbors(one, other, relation):
    """By the definition: on multisets of records."""
    small, large = sorted((one, other), key=len)
    rest, gone = list(large), []
    for record in small:
        if record in rest:
            rest.remove(record)
        else:
            gone.append(record)
    if relation == ADD_REMOVE:
        return len(large) == len(small) + 1 and not gone
    if len(large) != len(small) or len(gone) > 1:
        return False
    changed = [name for name, a, b in zip(NAMES, *gone, *rest, strict=True) if a != b] if gone else []
    return relation == REPLACE or set(changed) <= relation.protected


def steps_by_search(have, want):
    """The largest distance, in steps of one relation, between two neighbors under another; None if it is infinite."""
    most = 1
    for one, other in product(TABLES, repeat=2):
        if one == other or not are_neighbors(one, other, want):
            continue
        if are_neighbors(one, other, have):
            continue
        if not any(are_neighbors(one, between, have) and are_neighbors(between, other, have) for between in TABLES):
            return None
        most = 2
    return most


@pytest.mark.parametrize(("have", "want"), list(product(EVERY, repeat=2)), ids=str)
def test_conversions_are_those_that_a_search_over_all_small_tables_finds(have, want):
    assert have.steps_to(want) == steps_by_search(have, want)


# Persons: rows are a person's, and neighbors differ in all rows of one

P_ADD, P_REPLACE = (Relation(kind, unit=Unit.PERSON) for kind in (Neighbors.ADD_REMOVE, Neighbors.REPLACE))
P_AGE, P_BOTH = attributes("age", unit=Unit.PERSON), attributes("age", "income", unit=Unit.PERSON)
OF_PERSONS = (P_ADD, P_REPLACE, P_AGE, P_BOTH)
ROWS = list(product("pq", [(0, 0), (0, 1), (1, 0)]))
"""Person, then age and income."""
ROW_TABLES = [rows for size in range(4) for rows in combinations_with_replacement(ROWS, size)]


def by_person(rows):
    return {person: sorted(record for who, record in rows if who == person) for person, _ in rows}


def are_person_neighbors(one, other, relation):
    """By the definition, on tables of rows that say whose they are."""
    if relation.unit is Unit.RECORD:
        gone, come = Counter(one) - Counter(other), Counter(other) - Counter(one)
        (a, b), n = (gone, come), (gone.total(), come.total())
        if relation.neighbors is Neighbors.ADD_REMOVE:
            return sorted(n) == [0, 1]
        if n != (1, 1):
            return False
        (((who, before),), ((then, after),)) = (list(a), list(b))
        changed = {name for name, x, y in zip(("age", "income"), before, after, strict=True) if x != y}
        return relation.neighbors is Neighbors.REPLACE or (who == then and changed <= relation.protected)
    mine, theirs = by_person(one), by_person(other)
    differ = [person for person in mine.keys() | theirs.keys() if mine.get(person) != theirs.get(person)]
    if relation.neighbors is Neighbors.ADD_REMOVE:
        return len(differ) == 1 and (differ[0] in mine) != (differ[0] in theirs)
    if relation.neighbors is Neighbors.REPLACE:  # by a person of the same name, or of another
        is_renamed = len(differ) == 2 and all((person in mine) != (person in theirs) for person in differ)
        is_same = len(differ) == 1 and differ[0] in mine and differ[0] in theirs
        return len(mine) == len(theirs) and (is_same or is_renamed)
    if len(differ) != 1 or differ[0] not in mine.keys() & theirs.keys():
        return False
    kept = [i for i, name in enumerate(("age", "income")) if name not in relation.protected]
    masked = [sorted(tuple(record[i] for i in kept) for record in side[differ[0]]) for side in (mine, theirs)]
    return masked[0] == masked[1]


@cache
def beside(relation):
    """Which of all small tables are neighbors."""
    pairs = [
        [one != other and are_person_neighbors(one, other, relation) for other in ROW_TABLES] for one in ROW_TABLES
    ]
    return np.array(pairs)


@pytest.mark.parametrize("want", [*OF_PERSONS, ADD_REMOVE, REPLACE, AGE, INCOME, BOTH], ids=str)
@pytest.mark.parametrize("have", OF_PERSONS, ids=str)
def test_conversions_of_persons_are_those_that_a_search_finds(have, want):
    reached, steps = np.eye(len(ROW_TABLES), dtype=bool) | beside(have), 1
    while not reached[beside(want)].all() and steps < 9:
        reached, steps = reached @ (np.eye(len(ROW_TABLES), dtype=bool) | beside(have)), steps + 1
    assert have.steps_to(want) == (steps if steps < 9 else None)


def test_a_record_says_nothing_about_a_person_nor_a_person_about_a_household():
    for have in (ADD_REMOVE, REPLACE, BOTH):
        assert all(have.steps_to(want) is None for want in OF_PERSONS)
    for kind in (Neighbors.ADD_REMOVE, Neighbors.REPLACE):
        household, person = Relation(kind, unit=Unit.HOUSEHOLD), Relation(kind, unit=Unit.PERSON)
        assert household.steps_to(person) is person.steps_to(household) is None
        assert household.steps_to(AGE) == person.steps_to(AGE)


def test_the_words_say_whom_a_relation_is_about_and_are_understood_again():
    assert str(P_ADD) == "add/remove one person with all their records"
    assert str(P_REPLACE) == "replace all records of one person, the number of persons is public"
    assert str(P_BOTH) == "replace age, income in all records of one person"
    household = Relation(Neighbors.ADD_REMOVE, unit=Unit.HOUSEHOLD)
    assert str(household) == "add/remove one household with all its records"
    for kind, unit in product(Neighbors, Unit):
        assert Neighbors.from_words(kind.of(unit)) == (kind, unit)
    with pytest.raises(ValueError, match="something else"):
        Neighbors.from_words("something else")


def test_what_a_persons_cost_is_for_a_record():
    cost = PrivacyCost.of(1, "1e-6", P_ADD)
    assert cost.under(P_REPLACE) == PrivacyCost.for_relation(
        2, PrivacyCost.of(1, "1e-6").under(REPLACE).delta, P_REPLACE
    )
    general = cost.under(ADD_REMOVE)
    assert general.epsilon == 2
    assert float(general.delta) == pytest.approx((1 + exp(1)) * 1e-6)
    one_each = PrivacyCost(cost.epsilon, cost.delta, unit=Unit.PERSON, max_records=1).under(ADD_REMOVE)
    assert float(one_each.epsilon) == pytest.approx(log((1 + exp(2)) / 2))
    assert one_each.epsilon > log((1 + exp(2)) / 2) - 1e-12
    assert float(one_each.delta) == pytest.approx((1 + exp(1)) / 2 * 1e-6)
    passed = cost.under(REPLACE)
    assert passed.epsilon == 4
    assert float(passed.delta) == pytest.approx(sum(exp(i) for i in range(4)) * 1e-6)
    with pytest.raises(ParameterError, match="says nothing"):
        PrivacyCost.of(1).under(P_ADD)
    with pytest.raises(ParameterError, match="says nothing"):
        PrivacyCost.of(1, 0, P_REPLACE).under(ADD_REMOVE)


def test_what_a_records_cost_is_for_a_person_with_a_few():
    """`people.md`, section 4."""
    cost = PrivacyCost.of(1, "1e-6")
    for records, delta in ((1, 1e-6), (2, 3.71828e-6), (3, 1.11073e-5)):
        person = grouped(cost, records, Unit.PERSON)
        assert person.epsilon == records
        assert float(person.delta) == pytest.approx(delta, rel=1e-5)
        assert (person.relation, person.max_records) == (P_ADD, records)
        back = for_each_record(person, records)
        assert back.epsilon == 1
        assert float(back.delta) == pytest.approx(1e-6, rel=1e-9)
        again = grouped(for_each_record(PrivacyCost.of(1, "1e-5"), records), records, Unit.HOUSEHOLD)
        assert again.epsilon == 1
        assert again.delta <= Fraction("1e-5")  # rounded to the safe side
    assert grouped(PrivacyCost.of(1, 0, AGE), 3, Unit.PERSON) == PrivacyCost(
        Fraction(3), neighbors=Neighbors.ATTRIBUTES, protected=frozenset({"age"}), unit=Unit.PERSON, max_records=3
    )
    assert grouped(PrivacyCost.of(1, 0, REPLACE), 1, Unit.PERSON).relation == P_REPLACE
    for unsound in (
        lambda: grouped(PrivacyCost.of(1, 0, REPLACE), 2, Unit.PERSON),
        lambda: grouped(PrivacyCost.of(1, 0, P_ADD), 2, Unit.PERSON),
        lambda: grouped(cost, 2, Unit.RECORD),
        lambda: grouped(cost, 0, Unit.PERSON),
        lambda: PrivacyCost(Fraction(1), max_records=2),
        lambda: PrivacyCost(Fraction(1), unit=Unit.PERSON, max_records=0),
    ):
        with pytest.raises(ParameterError):
            unsound()
    with pytest.raises(InfeasibleError, match="promises nothing"):
        grouped(PrivacyCost.of(5, "0.1"), 3, Unit.PERSON)


def test_the_group_bound_is_attained_by_a_binary_output():
    """P[yes] of the tables with 0, 1, 2, 3 records of the person, each as likely as its neighbor allows."""
    epsilon, delta = 0.3, 0.01
    chain = [0.0]
    for _ in range(3):
        chain.append(exp(epsilon) * chain[-1] + delta)
    for one, other in pairwise(chain):  # each pair keeps (ε, δ), in both directions and for both outputs
        assert one <= exp(epsilon) * other + delta
        assert 1 - one <= exp(epsilon) * (1 - other) + delta + 1e-15
    assert chain[3] == pytest.approx(float(grouped(PrivacyCost.of("0.3", "0.01"), 3, Unit.PERSON).delta))


def test_what_holds_for_records_alone_is_refused_for_persons():
    cost = PrivacyCost.of(1, 0, P_ADD)
    with pytest.raises(BudgetError, match="one person may have records in several parts"):
        parallel([cost, cost])
    with pytest.raises(BudgetError, match="proved here for 'add/remove one record' only"):
        amplify(cost, Fraction(1, 2))
    with pytest.raises(BudgetError, match="one neighboring relation"):
        sequential([cost, PrivacyCost.of(1)])
    assert ConcentratedCost.of_pure(cost).at(Fraction(1, 10**6)).relation == P_ADD
    drawn = PrivacyCost(Fraction(1), unit=Unit.PERSON, max_records=1)
    assert sequential([drawn, drawn]).max_records is None  # two draws: convert before adding


@pytest.mark.parametrize(
    "several",
    [c for n in (1, 2, 3) for c in combinations((*EVERY, *OF_PERSONS), n)],
    ids=lambda some: " and ".join(map(str, some)),
)
def test_what_is_common_to_persons_and_records_is_told_of_records(several):
    found = common(several)
    assert found is None or all(have.steps_to(found) is not None for have in several)
    candidates = [r for r in (*EVERY, *OF_PERSONS) if all(have.steps_to(r) is not None for have in several)]
    if found is not None:
        assert all(found.steps_to(other) is not None for other in candidates)
    else:  # only columns of which nobody spoke could be protected
        assert not candidates or not any(have.protected for have in several)


@pytest.mark.parametrize(
    "several", [c for n in (1, 2, 3) for c in combinations(EVERY, n)], ids=lambda some: " and ".join(map(str, some))
)
def test_the_common_relation_is_the_strongest_that_all_convert_to(several):
    candidates = [r for r in EVERY if all(have.steps_to(r) is not None for have in several)]
    found = common(several)
    if found is None:
        assert not candidates
    else:
        assert found in candidates
        assert all(found.steps_to(other) is not None for other in candidates)


@pytest.mark.parametrize(
    ("neighbors", "protected", "message"),
    [
        (Neighbors.ATTRIBUTES, (), "does not say which attributes are protected"),
        (Neighbors.REPLACE, ("age",), "protects whole records"),
        (Neighbors.ATTRIBUTES, "age", "protected.* must be"),
        (Neighbors.ATTRIBUTES, None, "protected.* must be"),
        (Neighbors.ATTRIBUTES, (1,), "protected.* must be"),
        (Neighbors.ATTRIBUTES, ("",), "protected.* must be"),
        ("whatever", (), "neighbors must be"),
    ],
)
def test_a_relation_that_makes_no_sense_is_refused(neighbors, protected, message):
    for make in (Relation, lambda n, p: PrivacyCost(1, 0, n, p), lambda n, p: ConcentratedCost(1, n, p)):
        with pytest.raises(ParameterError, match=message):
            make(neighbors, protected)


def test_costs_that_protect_other_columns_do_not_add_up():
    age, income, both = (PrivacyCost.of(1, 0, relation) for relation in (AGE, INCOME, BOTH))
    assert sequential([age, age]) == PrivacyCost.of(2, 0, AGE)
    assert sequential([age, both.under(AGE)]) == PrivacyCost.of(2, 0, AGE)
    for unlike in ([age, income], [age, both]):
        with pytest.raises(BudgetError, match="replace age of one record"):
            sequential(unlike)
        with pytest.raises(BudgetError, match="one neighboring relation"):
            tighter(unlike, PrivacyCost.of(0, "1e-6").delta)


def test_zcdp_keeps_the_protected_columns():
    cost = PrivacyCost.of("0.1", 0, AGE)
    assert compose([ConcentratedCost.of_pure(cost), ConcentratedCost.of_bounded_range(cost)]).relation == AGE
    assert ConcentratedCost.of_pure(cost).at(PrivacyCost.of(0, "1e-6").delta).relation == AGE
    assert largest_rho(PrivacyCost.of(1, "1e-6", AGE)).relation == AGE
    assert tighter([cost] * 300, PrivacyCost.of(0, "1e-6").delta).relation == AGE


def test_a_ledger_is_kept_for_one_set_of_columns():
    ledger = Ledger(limit=PrivacyCost.of(3, 0, AGE))
    ledger.charge(PrivacyCost.of(1, 0, AGE), "noise")
    with pytest.raises(BudgetError, match="told under 'replace income of one record', this ledger is kept under"):
        ledger.charge(PrivacyCost.of(1, 0, INCOME), "noise")
    with ledger.parallel("classes") as parts:
        parts.part("a").charge(PrivacyCost.of(1, 0, AGE), "noise")
    assert ledger.spent == PrivacyCost.of(2, 0, AGE)
    assert ledger.remaining == PrivacyCost.of(1, 0, AGE)
    assert Ledger(neighbors=BOTH).relation == BOTH
    with pytest.raises(ParameterError, match="the ledger is to be kept under 'replace income of one record'"):
        Ledger(limit=PrivacyCost.of(1, 0, AGE), neighbors=INCOME)


def test_a_guarantee_names_the_protected_columns():
    cost = PrivacyCost.of(1, 0, BOTH)
    said = Guarantee("a promise", Basis.PROVED, cost=cost).to_dict()
    assert said["protected"] == ["age", "income"]
    assert "protected" not in Guarantee("a promise", Basis.PROVED, cost=PrivacyCost.of(1)).to_dict()
