"""Costs are exact, convert only where that is proved, and are shown rounded up."""

from decimal import Decimal
from fractions import Fraction

import mpmath as mp
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from shoal.dp.accounting.cost import PrivacyCost, shown
from shoal.dp.accounting.relation import Neighbors, attributes
from shoal.errors import InfeasibleError, ParameterError
from shoal.parameters import exact
from shoal.promises.guarantee import Basis, Guarantee

mp.mp.dps = 80


@pytest.mark.parametrize("written", [0.1, "0.1", Decimal("0.1"), Fraction(1, 10), np.float64(0.1), " 0.1 ", "1/10"])
def test_a_tenth_is_a_tenth_however_it_is_written(written):
    assert exact(written) == Fraction(1, 10)


@pytest.mark.parametrize("written", [1e-6, "1e-6", "0.000001"])
def test_small_numbers_too(written):
    assert PrivacyCost.of(1, written).delta == Fraction(1, 10**6)


@pytest.mark.parametrize("written", [True, None, [1], "ten", float("nan"), float("inf"), Decimal("Infinity"), "1/0"])
def test_what_is_no_number_is_refused(written):
    with pytest.raises(ParameterError, match="epsilon"):
        PrivacyCost.of(written)


def test_a_binary_float_is_not_taken_for_an_exact_number():
    with pytest.raises(
        ParameterError, match=r"epsilon must be an exact number such as 2 or Fraction\('0.1'\); got 0.1"
    ):
        PrivacyCost(0.1)
    with pytest.raises(ParameterError, match=r"delta must be an exact number .*; got True"):
        PrivacyCost(Fraction(1), True)


@pytest.mark.parametrize(("epsilon", "delta"), [(-1, 0), (1, 1), (1, -1)])
def test_impossible_costs_are_refused(epsilon, delta):
    with pytest.raises(ParameterError, match="epsilon >= 0 and 0 <= delta < 1"):
        PrivacyCost(Fraction(epsilon), Fraction(delta))


def test_integers_become_fractions():
    assert isinstance(PrivacyCost(1).epsilon, Fraction)


def test_add_remove_becomes_replace_as_in_the_theory():
    """theory X-1: (1, 1e-6) -> (2, 3.72e-6)."""
    told = PrivacyCost.of(1, "1e-6").under(Neighbors.REPLACE)
    assert told.epsilon == 2
    assert float(told.delta) == pytest.approx(3.718281828459045e-06, rel=1e-11)
    assert told.neighbors is Neighbors.REPLACE


@given(st.fractions(0, 6, max_denominator=1000), st.fractions(0, Fraction(1, 1000), max_denominator=10**9))
def test_conversion_is_rounded_up(epsilon, delta):
    told = PrivacyCost(epsilon, delta).under(Neighbors.REPLACE)
    truth = (1 + mp.exp(mp.mpf(epsilon.numerator) / epsilon.denominator)) * delta.numerator / delta.denominator
    found = mp.mpf(told.delta.numerator) / told.delta.denominator
    assert truth * (1 - mp.mpf(10) ** -70) <= found <= truth * (1 + mp.mpf(10) ** -11)


def test_two_randomized_looks_show_the_conversion_is_needed():
    """A table of one record, answered by randomized response under add/remove (ε = 1): replacing it can lose 2."""
    law = {"none": (1, 1), "a": (mp.e, 1), "b": (1, mp.e)}  # weights of two answers
    chance = {name: [w / sum(pair) for w in pair] for name, pair in law.items()}
    loss = lambda p, q: max(abs(mp.log(x / y)) for x, y in zip(chance[p], chance[q], strict=True))  # noqa: E731
    assert loss("none", "a") <= 1
    assert loss("none", "b") <= 1
    assert 1 - 1e-9 <= loss("a", "b") <= 2


def test_replace_covers_attributes_and_nothing_leads_back():
    told = PrivacyCost.of(1, "1e-6", Neighbors.REPLACE)
    assert told.under(attributes("age")).epsilon == 1
    assert told.under(Neighbors.REPLACE) is told
    assert PrivacyCost.of(1).under(attributes("age")).epsilon == 2
    age, both, income = attributes("age"), attributes("age", "income"), attributes("income")
    assert PrivacyCost.of(1, "1e-6", both).under(age) == PrivacyCost.of(1, "1e-6", age)
    for have, want in [
        (Neighbors.REPLACE, Neighbors.ADD_REMOVE),
        (age, Neighbors.REPLACE),
        (age, Neighbors.ADD_REMOVE),
        (age, income),
        (age, both),
    ]:
        with pytest.raises(ParameterError, match="says nothing under"):
            PrivacyCost.of(1, neighbors=have).under(want)


def test_a_conversion_that_promises_nothing_is_refused():
    with pytest.raises(InfeasibleError, match="promises nothing"):
        PrivacyCost.of(10, "0.01").under(Neighbors.REPLACE)
    with pytest.raises(InfeasibleError, match="delta would be 1, which promises nothing"):
        PrivacyCost.of(0, "0.5").under(Neighbors.REPLACE)  # exactly one


@given(st.fractions(0, 100, max_denominator=10**9))
def test_numbers_are_never_shown_smaller_than_they_are(value):
    assert Fraction(shown(value)) >= value
    assert Fraction(shown(value)) <= value * (1 + Fraction(1, 10**5))


def test_numbers_are_shown_short():
    cases = {"0.9": "0.9", "1": "1", "1e-6": "1e-06", "2/3": "0.666667", "12345678": "1.23457e+07", "0": "0"}
    assert {written: shown(Fraction(written)) for written in cases} == cases


def test_within_compares_both():
    assert PrivacyCost.of(1, "1e-6").within(PrivacyCost.of(1, "1e-6"))
    assert not PrivacyCost.of(1, "1e-5").within(PrivacyCost.of(2, "1e-6"))
    assert not PrivacyCost.of(2).within(PrivacyCost.of(1, "1e-6"))


def test_a_guarantee_prints_as_a_sentence_and_serializes():
    promise = Guarantee("5-anonymous", Basis.VERIFIED, ("all columns take part",))
    assert str(promise) == "5-anonymous (verified)"
    assert promise.to_dict() == {
        "statement": "5-anonymous",
        "basis": "verified",
        "neighbors": None,
        "assumptions": ["all columns take part"],
    }


def test_a_guarantee_with_a_cost_says_it_in_numbers():
    promise = Guarantee("(1, 1e-06)-DP", Basis.PROVED, cost=PrivacyCost.of(1, "1e-6"))
    assert promise.neighbors is Neighbors.ADD_REMOVE
    told = promise.to_dict()
    assert (told["epsilon"], told["delta"], told["neighbors"]) == ("1", "1e-06", "add/remove one record")
    with pytest.raises(ParameterError, match="same neighbors"):
        Guarantee("x", Basis.PROVED, neighbors=Neighbors.REPLACE, cost=PrivacyCost.of(1))
