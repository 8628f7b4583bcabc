"""PRAM: its law in whole numbers, its price, frequencies that are kept or found again, and what it refuses."""

from fractions import Fraction
from math import exp, log

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from strategies import examples

import shoal
from shoal.dp.accounting.relation import Neighbors
from shoal.dp.coins.coins import SeededCoins
from shoal.errors import BudgetError, ParameterError, SchemaError
from shoal.methods.perturbation.transitions import Matrix, Response, unbiased_frequencies
from shoal.promises.guarantee import Basis


class AllNumbers:
    """Coins that toss every number once, so that what is drawn is the whole law."""

    def randbelows(self, n, count):
        assert count in (0, n)
        return np.arange(count)


@examples(60)
@given(values=st.integers(1, 6), stays=st.integers(1, 9), other=st.integers(1, 9))
def test_randomized_response_is_drawn_with_its_chances_exactly(values, stays, other):
    response = Response(values, stays, other)
    for true in range(values):
        drawn = response.drawn(np.full(response.total, true), AllNumbers())
        assert np.bincount(drawn, minlength=values).tolist() == [stays if v == true else other for v in range(values)]


@pytest.mark.parametrize("epsilon", [Fraction(1, 10**9), Fraction(1, 3), Fraction(2), Fraction(24), Fraction(5000)])
@pytest.mark.parametrize("values", [1, 2, 60])
def test_no_value_is_told_from_another_by_more_than_epsilon(epsilon, values):
    """A value that is none of the domain's, drawn evenly, is no exception."""
    response = Response.of_epsilon(epsilon, values)
    assert 1 <= response.stays / response.other <= exp(min(epsilon, 25))
    even, stays, other = Fraction(1, values), *(Fraction(n, response.total) for n in (response.stays, response.other))
    for one, another in ((stays, even), (even, other if values > 1 else even)):
        assert one / another <= Fraction(response.stays, response.other)
        assert another <= one


CHANCES = {
    "a": {"a": 0.7, "b": 0.2, "c": 0.1},
    "b": {"a": "1/3", "b": "1/3", "c": "1/3"},
    "c": {"a": 0.1, "b": 0.3, "c": 0.6},
}


def test_a_matrix_is_drawn_with_its_chances_exactly_and_costs_its_worst_ratio():
    matrix = Matrix.of("x", CHANCES)
    for value, row in enumerate(matrix.weights):
        drawn = matrix.drawn(np.full(row.sum(), value), AllNumbers())
        assert np.bincount(drawn, minlength=3).tolist() == row.tolist()
    assert [[float(p) for p in row] for row in matrix.chances()] == [
        [0.7, 0.2, 0.1],
        pytest.approx([1 / 3] * 3),
        [0.1, 0.3, 0.6],
    ]
    assert log(7) <= matrix.epsilon <= log(7) + 1e-5
    assert Matrix.of("x", {"a": {"a": 1}, "b": {"a": 0.5, "b": 0.5}}).epsilon is None  # b gives itself away
    assert Matrix.of("x", {"a": {"a": 0.5, "b": 0.5}, "b": {"a": 0.5, "b": 0.5}}).epsilon == 0


@examples(40)
@given(codes=st.lists(st.integers(0, 3), min_size=1, max_size=12), stays=st.sampled_from(["0.5", "0.9", "1/3"]))
def test_two_draws_leave_frequencies_as_they_are_on_average(codes, stays):
    """P[published = v] is the share of v, in fractions: the second draw is by Bayes' rule."""
    occurring, codes = np.unique(codes, return_inverse=True)
    response = Response.of_chance(Fraction(stays), len(occurring))
    share = [Fraction(int(n), len(codes)) for n in np.bincount(codes)]
    chance = [
        [Fraction(response.stays if i == j else response.other, response.total) for j in range(len(share))]
        for i in range(len(share))
    ]
    became = [sum(share[i] * chance[i][j] for i in range(len(share))) for j in range(len(share))]
    back = [[share[v] * chance[v][j] / became[j] for v in range(len(share))] for j in range(len(share))]
    for v, of in enumerate(share):
        assert sum(became[j] * back[j][v] for j in range(len(share))) == of
    drawn = response.invariant(codes.astype(np.int64), SeededCoins(3))
    assert set(drawn.tolist()) <= set(range(len(share)))


def test_frequencies_are_kept_or_found_again():
    """Within six deviations of chance: a false alarm in 10^8 runs."""
    n = 40_000
    true = np.repeat(np.array(["a", "b", "c"]), [n // 2, n // 4, n // 4])
    schema = shoal.Schema(person="row").with_column("x", role="sensitive", domain=["a", "b", "c"])
    methods = (
        shoal.PRAM(perturbed=("x",), epsilon=1),
        shoal.PRAM(perturbed=("x",), matrices={"x": CHANCES}),
        shoal.PRAM(perturbed=("x",), invariant=0.5),
    )
    for method in methods:
        release = method.anonymize(pa.table({"x": true}), schema, coins=SeededCoins(5))
        published = {value: release.data["x"].to_pylist().count(value) for value in "abc"}
        found = unbiased_frequencies(method, "x", published)
        assert [found[v] for v in "abc"] == pytest.approx([n // 2, n // 4, n // 4], abs=6 * 4 * (n / 4) ** 0.5)
        assert 0.2 < release.facts.losses["changed cells (x)"] < 0.7


def test_it_is_paid_for_column_by_column_and_says_so():
    method = shoal.PRAM(perturbed=("x", "y"), epsilon=2)
    assert (method.cost.epsilon, method.cost.neighbors, method.cost.protected) == (2, Neighbors.ATTRIBUTES, {"x", "y"})
    (promise,) = method.guarantees()
    assert str(promise) == "2 attribute-level local DP by randomized response (x: 1, y: 1) (proved)"
    assert method.for_several(4).epsilon == Fraction(1, 2)
    declared = shoal.PRAM(perturbed=("x",), matrices={"x": CHANCES})
    assert declared.cost.epsilon == Fraction("1.94592")
    with pytest.raises(SchemaError, match="max_records = 1"):
        declared.for_several(2)


def test_what_gives_itself_away_or_follows_from_the_data_promises_nothing_formal():
    free = shoal.PRAM(perturbed=("x",), matrices={"x": {"a": {"a": 1}, "b": {"a": 0.5, "b": 0.5}}})
    for method in (free, shoal.PRAM(perturbed=("x",), invariant=0.8)):
        assert (method.cost, method.covers, method.tosses_coins) == (None, (), True)
        (promise,) = method.guarantees()
        assert promise.basis is Basis.MEASURED
        assert promise.statement.startswith("nothing formal about x: ")


def test_a_value_outside_of_the_domain_becomes_any_and_is_never_published_missing():
    schema = shoal.Schema(person="row").with_column("x", role="sensitive", domain=["a", "b", "c"])
    for method in (shoal.PRAM(perturbed=("x",), epsilon=3), shoal.PRAM(perturbed=("x",), matrices={"x": CHANCES})):
        table = pa.table({"x": ["a", "stranger", None, "b"] * 50})
        release = method.anonymize(table, schema)
        assert set(release.data["x"].to_pylist()) == {"a", "b", "c"}


def test_what_makes_no_sense_is_refused():
    for wrong in (
        {},
        {"epsilon": 1, "invariant": 0.5},
        {"epsilon": 0},
        {"invariant": 1},
        {"matrices": {"y": CHANCES}},
        {"matrices": {"x": {"a": {"a": 0.9, "b": 0.2}, "b": {"b": 1}}}},
        {"matrices": {"x": {"a": {"a": 0.9, "z": 0.1}}}},
        {"epsilon": 1, "anonymizer": shoal.OLA(k=1)},
    ):
        with pytest.raises(ParameterError):
            shoal.PRAM(perturbed=("x",), **wrong)
    for names in ((), ("x", "x")):
        with pytest.raises(ParameterError):
            shoal.PRAM(perturbed=names, epsilon=1)
    schema = shoal.Schema(person="row").with_column("x", role="sensitive", domain=["a", "b"])
    with pytest.raises(SchemaError, match="other values than its matrix has rows; see 'c'"):
        shoal.PRAM(perturbed=("x",), matrices={"x": CHANCES}).anonymize(
            pa.table({"x": ["a"]}), schema, coins=SeededCoins(1)
        )
    with pytest.raises(SchemaError, match="not declared"):
        shoal.PRAM(perturbed=("y",), epsilon=1).counted(schema.with_column("y", role="sensitive"))
    with pytest.raises(SchemaError, match="quasi-identifiers would be published as they are: 'z'"):
        shoal.PRAM(perturbed=("x",), epsilon=1).counted(schema.with_column("z", role="quasi-identifier"))
    with pytest.raises(SchemaError, match="nothing for the anonymizer"):
        shoal.PRAM(perturbed=("x",), epsilon=1, anonymizer=shoal.OLA(k=2)).counted(schema)


def test_a_release_is_charged_in_the_books_before_anything_is_drawn(tmp_path):
    schema = shoal.Schema(person="row").with_column("x", role="sensitive", domain=["a", "b"])
    table = pa.table({"x": ["a", "b"] * 20})
    method = shoal.PRAM(perturbed=("x",), epsilon=1)
    limit = shoal.PrivacyCost.of(1.5, neighbors=method.cost.relation)
    ledger = shoal.Ledger.open(tmp_path / "books", dataset="people", limit=limit)
    method.anonymize(table, schema, ledger=ledger)
    with pytest.raises(BudgetError):
        method.anonymize(table, schema, ledger=ledger)


def test_who_receives_it_is_told_that_chances_are_known_only_where_they_are():
    known, hidden = shoal.PRAM(perturbed=("ill",), epsilon=1), shoal.PRAM(perturbed=("ill",), invariant=0.8)
    assert "frequencies can be estimated" in known.reading
    assert "known" not in hidden.reading
    assert "estimated" not in hidden.reading
    assert "expected to stay as they were" in hidden.reading
