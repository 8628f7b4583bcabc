"""Methods are asked what they are, and nobody asks their type."""

import re
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path

import pyarrow as pa
import pytest

import shoal
from shoal.dp.accounting.cost import PrivacyCost
from shoal.errors import ParameterError
from shoal.methods import Method, Publishes

HOUSE = Path(shoal.__file__).parent


def test_nobody_asks_for_the_type_of_a_method():
    asking = re.compile(r"isinstance\([^()]*\bMethod\b|CoversColumns|PrivateMethod")
    assert [path.name for path in HOUSE.rglob("*.py") if asking.search(path.read_text(encoding="utf-8"))] == []


@dataclass(frozen=True)
class Toy(Publishes):
    """As little as a method can say."""

    name = "toy"

    def counted(self, schema):
        return schema.names()

    def run(self, table, **_others):
        return self.nothing(table)


class Paid(Toy):
    """The same with a price."""

    @property
    def cost(self):
        return PrivacyCost(Fraction(1))


def test_what_a_method_does_not_say_is_answered_on_the_safe_side():
    toy, paid = Toy(), Paid()
    assert isinstance(toy, Method)
    assert (toy.cost, toy.covers, toy.tosses_coins, toy.promises_k_anonymity) == (None, (), False, False)
    assert (paid.covers, paid.tosses_coins, paid.clamps) == ("all", True, False)


def test_a_method_that_is_paid_for_is_no_anonymizer_of_another_whatever_it_promises():
    class Both(Paid):
        promises_k_anonymity = True
        k = 5

    with pytest.raises(ParameterError, match="anonymizer must be a method that promises k-anonymity"):
        shoal.KEpsilon(epsilon=1, perturbed=("age",), anonymizer=Both())


@pytest.mark.parametrize("method", [shoal.OLA(k=2), shoal.NSVDist(k=2, diversity=1), shoal.NHAA(diversity=2)])
def test_a_bound_without_a_price_says_which_columns_are_published_as_they_are(method):
    """Also k-epsilon's as published, which draws and is yet no differential privacy."""
    table = pa.table({"age": [30, 30, 40, 40] * 5, "ill": ["a", "b", "b", "a"] * 5, "note": ["x"] * 20})
    schema = (
        shoal.Schema()
        .with_column("age", role="quasi-identifier", domain=(0, 99))
        .with_column("ill", role="sensitive")
        .with_column("note", role="insensitive")
    )
    if isinstance(method, shoal.OLA):
        schema = schema.with_column("size", role="quasi-identifier", domain=(0, 9))
        table = table.append_column("size", pa.array([1, 2, 3, 4] * 5))
        method = shoal.KEpsilon(epsilon=1, perturbed=("size",), mode="as_published", anonymizer=method)
    for guarantee in method.anonymize(table, schema).certificate.guarantees:
        assert "declared insensitive and published as they are: note" in guarantee.assumptions
