"""Top and bottom coding and rounding: a public function of single numbers, the same wherever records are coded."""

from decimal import Decimal

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from strategies import examples

import shoal
from shoal.data.domain import Grid
from shoal.data.schema import Column, Role
from shoal.data.top_coding import coded_domain
from shoal.dp.coins.coins import SeededCoins
from shoal.errors import SchemaError

CODING = {"domain": (0, 110), "bottom": 18, "top": 90, "round": 5}
AGES = [-3, 0, 17, 18, 22, 23, 64, 88, 89, 90, 109, 400]
CODED = [20, 20, 20, 20, 20, 25, 65, 90, 90, 90, 90, 90]


def coded(role="quasi-identifier", **more):
    return shoal.Schema(person="row").with_column("age", role=role, **{**CODING, **more})


def test_numbers_are_capped_and_rounded_before_anything_else():
    release = shoal.Mondrian(k=2).anonymize(pa.table({"age": AGES * 2}), coded())
    assert sorted(release.data["age"].to_pylist()) == sorted(CODED * 2)
    assert pa.types.is_integer(release.data["age"].type)
    (column,) = release.certificate.columns
    assert (column["bottom"], column["top"], column["round"]) == ("18", "90", "5")


def test_what_is_published_beside_it_and_other_records_are_coded_alike():
    table = pa.table({"age": AGES * 2, "ill": list("ab") * 12, "note": [f"n{i % 4}" for i in range(24)]})
    schema = coded(role="sensitive").with_column("ill", role="quasi-identifier")
    schema = schema.with_column("note", role="insensitive", unlinkable=True)
    assert sorted(shoal.OLA(k=2).anonymize(table, schema).data["age"].to_pylist()) == sorted(CODED * 2)
    release = shoal.OLA(k=2, suppression_limit=0).anonymize(pa.table({"age": AGES * 2}), coded())
    assert release.recoding.apply(pa.table({"age": AGES}))["age"].to_pylist() == CODED


def test_private_methods_take_it_for_the_declared_domain_it_is():
    release = shoal.SafePub(epsilon=4, delta=0.01).anonymize(
        pa.table({"age": AGES * 40}), coded(), coins=SeededCoins(1)
    )
    assert release.certificate.records > 0
    assert coded()["age"].is_declared


def test_a_hierarchy_that_says_which_numbers_there_are_is_domain_enough():
    schema = shoal.Schema(person="row").with_column(
        "age", role="quasi-identifier", hierarchy=shoal.standard("age"), top=85
    )
    assert schema["age"].domain == Grid.between(0, 85)
    assert schema["age"].is_declared
    release = shoal.OptimalLattice(k=2).anonymize(pa.table({"age": [1, 1, 88, 101, 40, 40]}), schema)
    assert release.data["age"].to_pylist() == [1, 1, 40, 40, 85, 85]
    with pytest.raises(SchemaError, match="need a domain"):  # values seen in the data are no declaration
        Column("age", Role.QUASI_IDENTIFIER, hierarchy=shoal.standard("age"), observed=True, top=Decimal(85))


@examples(60)
@given(
    low=st.integers(-20, 20), width=st.integers(1, 60), cut=st.tuples(st.integers(0, 60), st.integers(0, 60)),
    step=st.sampled_from([None, Decimal(1), Decimal(7), Decimal("2.5")]),
)  # fmt: skip
def test_coding_twice_is_coding_once(low, width, cut, step):
    bottom, top = (Decimal(low + end % (width + 1)) for end in sorted(c % (width + 1) for c in cut))
    once = coded_domain("x", Grid.between(low, low + width), bottom, top, step)
    assert coded_domain("x", once, bottom, top, step) == once


def test_what_makes_no_sense_is_refused():
    for wrong in (
        {"top": 10, "bottom": 20},
        {"round": 0},
        {"top": 200},
        {"domain": ["a", "b"]},
        {"role": "insensitive"},
    ):
        with pytest.raises(SchemaError):
            coded(**wrong)
    with pytest.raises(SchemaError, match="give both top and bottom"):
        shoal.Schema().with_column("age", role="sensitive", top=90)
    assert shoal.Schema().with_column("age", role="sensitive", top=90, bottom=0)["age"].domain.size == 91
