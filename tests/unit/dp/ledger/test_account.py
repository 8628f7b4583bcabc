"""The account of a dataset: limits bind all later releases, unlike things are never added up, and refusals say why."""

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shoal.data.unit import Unit
from shoal.dp.accounting.cost import PrivacyCost
from shoal.dp.accounting.relation import Neighbors, Relation, attributes
from shoal.dp.ledger.account import Account, Unbounded
from shoal.dp.ledger.fingerprint import Dataset
from shoal.dp.ledger.rows import DatasetId, Row, Spending, events
from shoal.dp.ledger.store import LedgerStore
from shoal.errors import BudgetError

PEOPLE = Dataset(b"bytes of people.csv", "people", (b"values of people.csv",))
ONE = PrivacyCost.of(1)
AGE, INCOME, BOTH, THREE = (
    attributes("age"),
    attributes("income"),
    attributes("age", "income"),
    attributes("age", "income", "zip"),
)


@pytest.fixture
def store(tmp_path):
    return LedgerStore(tmp_path / "store")


def spend(store, cost=ONE, limit=None, dataset=PEOPLE, name="release/"):
    store.reserve(dataset, cost, name, limit=limit)


# Limits


def test_a_release_without_a_limit_is_bound_by_an_earlier_one(store):
    spend(store, limit=PrivacyCost.of(2), name="first/")
    spend(store)
    with pytest.raises(BudgetError, match=r"the limit is epsilon = 2, .*, set by release 'first/' on \d{4}-\d\d-\d\d"):
        spend(store)
    assert len(store.history(PEOPLE)) == 2


def test_a_larger_limit_in_a_later_release_file_changes_nothing(store):
    spend(store, limit=PrivacyCost.of(2))
    with pytest.raises(BudgetError, match="the limit is epsilon = 2"):
        spend(store, PrivacyCost.of(2), limit=PrivacyCost.of(9))
    spend(store, limit=PrivacyCost.of(9))
    assert store.account(PEOPLE).binding == (PrivacyCost.of(2),)


def test_the_smallest_epsilon_and_the_smallest_delta_bind(store):
    spend(store, PrivacyCost.of("0.1"), limit=PrivacyCost.of(1, "1e-5"))
    spend(store, PrivacyCost.of("0.1"), limit=PrivacyCost.of(2, "1e-6"))
    assert store.account(PEOPLE).binding == (PrivacyCost.of(1, "1e-6"),)
    with pytest.raises(BudgetError):
        spend(store, PrivacyCost.of("0.1", "1e-5"))
    with pytest.raises(BudgetError):
        spend(store, PrivacyCost.of(1))


def test_a_refused_release_sets_no_limit(store):
    with pytest.raises(BudgetError):
        spend(store, PrivacyCost.of(2), limit=ONE)
    assert store.account(PEOPLE).limits == ()


def test_only_a_raise_lifts_a_limit_and_a_smaller_one_binds_again(store):
    spend(store, limit=ONE)
    account = store.raise_limit(PEOPLE, PrivacyCost.of(3))
    assert account == store.account(PEOPLE)
    assert account.binding == (PrivacyCost.of(3),)
    spend(store, PrivacyCost.of("0.5"), limit=PrivacyCost.of(2))
    assert store.account(PEOPLE).binding == (PrivacyCost.of(2),)
    store.raise_limit(PEOPLE, PrivacyCost.of(5))
    assert store.account(PEOPLE).binding == (PrivacyCost.of(5),)
    assert [each.limit.epsilon for each in store.account(PEOPLE).raises] == [3, 5]
    assert all(each.at for each in store.account(PEOPLE).raises)


def test_a_raise_before_anything_was_spent_sets_the_first_limit(store):
    store.raise_limit(PEOPLE, ONE)
    spend(store)
    with pytest.raises(BudgetError, match="set by its owner"):
        spend(store)


def test_a_raise_lifts_nothing_of_a_dataset_that_was_another_one_then(store):
    """Two datasets turn out to be one when a release has the bytes of one and the name of the other."""
    spend(store, dataset=Dataset(b"a", "a"), limit=ONE)
    spend(store, dataset=Dataset(b"b", "b"), limit=ONE)
    store.raise_limit(Dataset(b"b"), PrivacyCost.of(9))
    assert store.account(Dataset(b"b")).binding == (PrivacyCost.of(9),)
    with pytest.raises(BudgetError, match="2 earlier releases of this dataset took epsilon = 2"):
        spend(store, PrivacyCost.of("0.1"), dataset=Dataset(b"a", "b"))


def test_the_raise_is_sealed_as_other_rows_are(store):
    import sqlite3

    spend(store, limit=ONE)
    store.raise_limit(PEOPLE, PrivacyCost.of(3))
    with sqlite3.connect(store.ledger_path) as connection:
        connection.execute("UPDATE rows SET text = replace(text, '\"3\"', '\"9\"') WHERE number = 2")
    connection.close()
    with pytest.raises(BudgetError, match="row 2 of 2 was changed"):
        store.account(PEOPLE)


def test_values_or_bytes_or_name_are_enough_and_none_of_them_is_stored(store):
    spend(store, limit=ONE)
    for other in (
        Dataset(b"other bytes", None, (b"x", b"values of people.csv")),
        Dataset(b"bytes of people.csv"),
        Dataset(b"other bytes", "People ", (b"y",)),
    ):
        with pytest.raises(BudgetError):
            spend(store, dataset=other)
    spend(store, dataset=Dataset(b"values of people.csv"))  # what is a digest of values for one is of bytes for another
    text = store.ledger_path.read_bytes()
    assert b"values of" not in text
    assert b"values of".hex().encode() not in text


# Relations


def test_attribute_level_costs_of_other_columns_are_refused_not_added_up(store):
    """Issue: k-epsilon on age, then on income with age published, was recorded as 2 in total."""
    spend(store, PrivacyCost.of(1, 0, AGE), name="first/")
    with pytest.raises(BudgetError) as refusal:
        spend(store, PrivacyCost.of(1, 0, INCOME), name="second/")
    assert str(refusal.value) == (
        "release 'second/': it protects income and no other column, and 1 earlier release of this dataset protected "
        "others (age): no column is protected by all of them, so nothing would bound what they give away together. "
        "Nothing was computed. Protect the same columns again (perturb them in this release as well), or use a method "
        "that protects whole records."
    )
    spend(store, PrivacyCost.of(1, 0, BOTH), name="third/")
    assert store.account(PEOPLE).totals() == [
        PrivacyCost.of(2, 0, AGE),
        Unbounded(BOTH, "'first/' promised nothing there"),
    ]


def test_the_columns_that_all_releases_protect_have_a_total(store):
    spend(store, PrivacyCost.of(1, 0, BOTH), name="first/")
    spend(store, PrivacyCost.of(1, 0, attributes("age", "zip")), name="second/")
    spend(store, PrivacyCost.of("0.5"), name="third/")
    bounded = [told for told in store.account(PEOPLE).totals() if not isinstance(told, Unbounded)]
    assert bounded == [PrivacyCost.of(3, 0, AGE)]  # add/remove counts double
    with pytest.raises(BudgetError, match="no column is protected by all of them"):
        spend(store, PrivacyCost.of(1, 0, attributes("zip", "income")))


def test_a_limit_for_columns_counts_what_protects_all_of_them(store):
    spend(store, PrivacyCost.of(1, 0, THREE), limit=PrivacyCost.of(3, 0, BOTH))
    with pytest.raises(BudgetError) as refusal:
        spend(store, PrivacyCost.of(1, 0, AGE))
    assert "a cost under 'replace age of one record' says nothing there" in str(refusal.value)
    assert str(refusal.value).endswith(
        "To go on, tell the limit under 'replace age of one record' instead, where add/remove counts double: shoal "
        f"ledger DATA --store {store.folder} --raise epsilon=...,delta=... --neighbors attributes --protected age"
    )
    spend(store, PrivacyCost.of("0.5"))
    with pytest.raises(
        BudgetError, match=r"it costs epsilon = 1\.5, delta = 0; 2 earlier releases .* took epsilon = 2"
    ):
        spend(store, PrivacyCost.of("1.5", 0, BOTH))
    spend(store, PrivacyCost.of(1, 0, BOTH))


def test_a_limit_under_add_remove_has_a_way_forward_for_a_method_under_replace(store):
    micro = PrivacyCost.of("0.5", 0, Neighbors.REPLACE)
    spend(store, limit=PrivacyCost.of(2))
    with pytest.raises(BudgetError, match=r"shoal ledger DATA --store .* --raise .* --neighbors replace$"):
        spend(store, micro)
    store.raise_limit(PEOPLE, PrivacyCost.of(3, 0, Neighbors.REPLACE))
    spend(store, micro)
    with pytest.raises(BudgetError, match=r"2 earlier releases of this dataset took epsilon = 2\.5"):
        spend(store, PrivacyCost.of("0.3"))
    spend(store, PrivacyCost.of("0.25"))
    assert store.account(PEOPLE).left(PrivacyCost.of(3, 0, Neighbors.REPLACE)).epsilon == 0


def test_a_limit_under_another_relation_that_converts_to_too_much_is_refused(store):
    with pytest.raises(BudgetError, match=r"promises nothing\. Lower epsilon or delta\. Nothing was computed"):
        spend(store, PrivacyCost.of(50, "0.1"), limit=PrivacyCost.of(200, "0.9", Neighbors.REPLACE))


def test_a_raise_that_cannot_hold_is_refused(store):
    spend(store, PrivacyCost.of(1, 0, AGE), limit=PrivacyCost.of(1, 0, AGE))
    for limit, message in (
        (PrivacyCost.of("0.5", 0, AGE), "would be broken already"),
        (PrivacyCost.of(9, 0, INCOME), "cannot hold: nothing bounds the loss under 'replace income"),
        (PrivacyCost.of(9), "cannot hold: nothing bounds the loss under 'add/remove"),
    ):
        with pytest.raises(BudgetError, match=message):
            store.raise_limit(PEOPLE, limit)
    assert store.account(PEOPLE).binding == (PrivacyCost.of(1, 0, AGE),)


def test_datasets_that_turn_out_to_be_one_may_have_no_total(store):
    spend(store, PrivacyCost.of(1, 0, AGE), dataset=Dataset(b"a", "a"), name="a/", limit=PrivacyCost.of(1, 0, AGE))
    spend(store, PrivacyCost.of(1, 0, INCOME), dataset=Dataset(b"b", "b"), name="b/")
    account = store.account(Dataset(b"a", "b"))
    assert all(isinstance(told, Unbounded) for told in account.totals())
    assert str(account.left(PrivacyCost.of(1, 0, AGE))) == (
        "nothing bounds the loss under 'replace age of one record': 'b/' promised nothing there"
    )
    with pytest.raises(BudgetError, match="No relation covers this release and the earlier ones"):
        spend(store, PrivacyCost.of(1, 0, AGE), dataset=Dataset(b"a", "b"))


def test_a_delta_that_reaches_one_has_no_total():
    mine = DatasetId("x")
    half = PrivacyCost.of(1, "0.5")
    account = Account((Spending(1, mine, half, "a/", "now"), Spending(2, mine, half, "b/", "now")))
    (told,) = account.totals()
    assert isinstance(told, Unbounded)
    assert "nothing is promised" in told.to_dict()["because"]


def test_a_row_from_before_columns_were_named_adds_up_with_no_other():
    text = (
        b'{"kind":"reserved","content":"x","name":null,"release":"old/","limit":null,"at":"then",'
        b'"cost":{"epsilon":"1","delta":"0","neighbors":"ATTRIBUTES"}}'
    )
    old = events([Row(1, text, b""), Row(2, text, b"")])
    assert all(isinstance(told, Unbounded) for told in Account(tuple(old)).totals())


EVERY = (Relation(Neighbors.ADD_REMOVE), Relation(Neighbors.REPLACE), AGE, INCOME, BOTH)
COSTS = st.builds(
    lambda tenths, relation: PrivacyCost.of(Fraction(tenths, 10), 0, relation),
    st.integers(0, 10),
    st.sampled_from(EVERY),
)


@given(st.lists(st.tuples(COSTS, st.none() | COSTS), max_size=6))
def test_whatever_is_admitted_keeps_every_limit_that_binds_and_is_bounded_somewhere(asked):
    """By the definition: under each limit's relation, the converted costs of all releases add up to no more."""
    done, limits = [], []
    mine = DatasetId("x")
    for number, (cost, limit) in enumerate(asked, start=1):
        account = Account(tuple(done))
        try:
            account.require_room(cost, limit, "release/")
        except BudgetError:
            continue
        done.append(Spending(number, mine, cost, "release/", "now", limit))
        limits += [] if limit is None else [limit]
        for each in limits:
            steps = [spending.cost.relation.steps_to(each.relation) for spending in done]
            assert None not in steps
            assert sum(s.cost.epsilon * n for s, n in zip(done, steps, strict=True)) <= each.epsilon
        assert any(all(s.cost.relation.steps_to(relation) for s in done) for relation in EVERY)


# Persons

PERSON = Relation(Neighbors.ADD_REMOVE, unit=Unit.PERSON)
ONE_EACH = PrivacyCost(Fraction(1), Fraction("1e-6"), unit=Unit.PERSON, max_records=1)


def test_charges_for_persons_are_kept_apart_and_converted_one_by_one(store):
    spend(store, ONE_EACH, name="persons/")
    spend(store, PrivacyCost.of("0.5"), name="rows/")
    persons, rows = store.account(PEOPLE).totals()
    assert isinstance(persons, Unbounded)
    assert str(persons) == (
        "nothing bounds the loss under 'add/remove one person with all their records': 'rows/' promised nothing there"
    )
    assert rows.epsilon == Fraction("0.5") + ONE_EACH.under(Relation(Neighbors.ADD_REMOVE)).epsilon
    assert 1.933 < rows.epsilon < 1.934  # 0.5 + ln((1 + e²)/2)


def test_limits_for_persons_bind_persons_alone(store):
    spend(store, ONE_EACH, limit=PrivacyCost.of(2, "1e-5", PERSON), name="persons/")
    with pytest.raises(BudgetError, match="says nothing there, so nothing would keep the limit"):
        spend(store, PrivacyCost.of("0.1"), name="rows/")
    spend(store, ONE_EACH, name="again/")
    with pytest.raises(BudgetError, match="2 earlier releases of this dataset took epsilon = 2"):
        spend(store, ONE_EACH)
    raised = store.raise_limit(PEOPLE, PrivacyCost.of(9, "1e-3"))
    assert raised.left(PrivacyCost.of(9, "1e-3")).epsilon == 9 - 2 * ONE_EACH.under(Neighbors.ADD_REMOVE).epsilon
    spend(store, PrivacyCost.of("0.1"), name="rows/")


def test_persons_and_households_share_what_they_say_about_records(store):
    spend(store, PrivacyCost.of(1, 0, PERSON), name="persons/")
    spend(store, PrivacyCost.of(1, 0, Relation(Neighbors.ADD_REMOVE, unit=Unit.HOUSEHOLD)), name="households/")
    *apart, together = store.account(PEOPLE).totals()
    assert all(isinstance(each, Unbounded) for each in apart)
    assert together == PrivacyCost.of(4)


def test_unlike_promises_about_persons_and_records_are_refused(store):
    spend(store, PrivacyCost.of(1, 0, Relation(Neighbors.REPLACE, unit=Unit.PERSON)), name="centers/")
    with pytest.raises(BudgetError, match="Say in \\[data\\] what a person is as the earlier releases did"):
        spend(store, PrivacyCost.of(1))
    spend(store, PrivacyCost.of(1, 0, attributes("age")))  # a record with another age is a person replaced
    assert store.account(PEOPLE).totals()[-1] == PrivacyCost.of(2, 0, attributes("age"))


def test_rows_say_whom_a_charge_is_about_and_older_ones_are_about_records(store):
    spend(store, ONE_EACH, limit=PrivacyCost.of(2, "1e-5", PERSON))
    (spending,) = store.history(PEOPLE)
    assert (spending.cost, spending.limit) == (ONE_EACH, PrivacyCost.of(2, "1e-5", PERSON))
    assert spending.to_dict()["neighbors"] == "add/remove one person with all their records"
    assert spending.to_dict()["max_records"] == 1
    old = b'{"kind":"reserved","content":"c","name":null,"cost":{"epsilon":"1","delta":"0","neighbors":"ADD_REMOVE"},'
    (read,) = events([Row(1, old + b'"release":"r","limit":null,"at":"then"}', b"")])
    assert read.cost == ONE
