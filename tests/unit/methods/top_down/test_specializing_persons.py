"""Top-down specialization where a person may have several records, against specialization by hand."""

from dataclasses import replace
from random import Random

import by_hand
import naive
import pytest
from by_hand import tables
from hypothesis import given
from hypothesis import strategies as st
from strategies import examples, told_apart

from shoal.data.schema import Role
from shoal.errors import InfeasibleError
from shoal.methods.top_down.pais import PAIS
from shoal.methods.top_down.tds import TDS
from shoal.promises.verify import verify, with_checkable

ROLES = (Role.SENSITIVE, Role.QUASI_IDENTIFIER)


@st.composite
def of_persons(draw, roles=ROLES, columns=(1, 3)):
    """A small table, and whose its rows are."""
    small = draw(tables(roles, columns))
    random = Random(draw(st.integers(0, 2**32 - 1)))
    people = random.randint(1, len(small.rows))
    persons = [random.randrange(people) for _ in small.rows]
    return replace(small, table=told_apart(small.table, small.rows, persons)), persons


def smallest(small, persons, cut):
    groups = naive.grouped(by_hand.recoded(small, cut))
    return min(len({persons[i] for i in members}) for members in groups.values())


def can_learn(small):
    return len({row[-1] for row in small.rows}) > 1


def assert_verified(method, outcome):
    promised = with_checkable(method.promises(outcome.table))
    assert all(v.holds for v in verify(outcome.table, outcome.published, promised, outcome.published_persons()))


@given(drawn=of_persons(), k=st.integers(1, 4))
@examples(100)
def test_tds_specializes_as_one_would_by_hand(drawn, k):
    small, persons = drawn
    method = TDS(k=k, target="class")
    if not can_learn(small) or smallest(small, persons, by_hand.top(small)) < k:
        with pytest.raises(InfeasibleError):
            method.run(small.table)
        return

    def score(cut, column, value, most, children):
        lost = smallest(small, persons, cut) - smallest(small, persons, by_hand.after(cut, column, value, children))
        return most / (len(by_hand.with_value(small, column, cut[column][value])) * (lost + 1))

    wanted = by_hand.grown(
        small,
        lambda column, leaves, children: by_hand.gain(small, column, leaves, children),
        lambda cut: smallest(small, persons, cut) >= k,
        score,
        lambda column, leaves: by_hand.is_beneficial(small, column, leaves),
    )
    outcome = method.run(small.table)
    assert by_hand.cut_of(small, outcome) == wanted
    assert_verified(method, outcome)


@given(drawn=of_persons((Role.SENSITIVE,)), k=st.integers(1, 3), diversity=st.sampled_from((1.2, 1.5, 2.0)))
@examples(40)
def test_tds_keeps_further_criteria_of_persons(drawn, k, diversity):
    small, _ = drawn
    method = TDS(k=k, target="class", diversity=diversity)
    try:
        outcome = method.run(small.table)
    except InfeasibleError:
        return
    assert_verified(method, outcome)


@given(drawn=of_persons(columns=(1, 4)), length=st.integers(1, 4), k=st.integers(1, 4))
@examples(80)
def test_pais_specializes_as_one_would_by_hand(drawn, length, k):
    small, persons = drawn
    method = PAIS(length=length, k=k, target="class")
    labels = [row[-1] for row in small.rows]

    def admissible(cut):
        return naive.has_lkc_in_persons(by_hand.recoded(small, cut), labels, persons, length, k)

    if not can_learn(small) or not admissible(by_hand.top(small)):
        with pytest.raises(InfeasibleError):
            method.run(small.table)
        return
    wanted = by_hand.grown(
        small,
        lambda column, leaves, children: by_hand.gain(small, column, leaves, children),
        admissible,
        lambda cut, column, value, most, _: most / len(by_hand.with_value(small, column, cut[column][value])),
        lambda column, leaves: by_hand.is_beneficial(small, column, leaves),
    )
    outcome = method.run(small.table)
    assert by_hand.cut_of(small, outcome) == wanted
    assert_verified(method, outcome)


@given(drawn=of_persons((Role.SENSITIVE,)), length=st.integers(1, 3), confidence=st.sampled_from((0.9, 0.75, 0.6)))
@examples(40)
def test_pais_keeps_the_confidence_among_persons(drawn, length, confidence):
    small, persons = drawn
    method = PAIS(length=length, k=1, confidence=confidence, target="class")
    labels = [row[-1] for row in small.rows]
    try:
        outcome = method.run(small.table)
    except InfeasibleError:
        top = by_hand.recoded(small, by_hand.top(small))
        assert not can_learn(small) or not naive.has_lkc_in_persons(top, labels, persons, length, 1, confidence)
        return
    assert_verified(method, outcome)
    keys = by_hand.recoded(small, by_hand.cut_of(small, outcome))
    assert naive.has_lkc_in_persons(keys, labels, persons, length, 1, confidence)
