"""A relation names the columns it protects; only what follows from it converts, checked on all small tables."""

from itertools import combinations, product

import pytest

from shoal.dp.accounting.composition import sequential
from shoal.dp.accounting.concentrated import ConcentratedCost, compose, largest_rho, tighter
from shoal.dp.accounting.cost import PrivacyCost
from shoal.dp.accounting.relation import Neighbors, Relation, attributes, common
from shoal.dp.ledger.ledger import Ledger
from shoal.errors import BudgetError, ParameterError
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
