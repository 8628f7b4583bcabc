"""Rank swapping: values stay and move no further than said."""

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from strategies import examples

import shoal
from shoal.dp.coins.coins import SeededCoins
from shoal.errors import ParameterError, SchemaError
from shoal.methods.perturbation.swapping_kernel import partners


@examples(80)
@given(draws=st.lists(st.integers(0, 4), max_size=20), window=st.integers(1, 5))
def test_everybody_has_one_partner_near_by_and_nobody_is_left_beside_another(draws, window):
    partner = partners(window, np.array([draw % window for draw in draws], dtype=np.int64))
    ranks = np.arange(len(draws))
    assert np.array_equal(partner[partner], ranks)
    assert (np.abs(partner - ranks) <= window).all()
    alone = ranks[partner == ranks]
    assert (np.diff(alone) > window).all()


def test_a_column_keeps_its_values_and_missing_ones_their_places():
    rng = np.random.default_rng(1)
    ages = [None if age < 3 else int(age) for age in rng.integers(0, 100, 2000)]
    table = pa.table({"age": ages, "number": list(range(2000))})
    schema = shoal.Schema(person="row").with_column("age", role="quasi-identifier", domain=(0, 99), missing=True)
    schema = schema.with_column("number", role="insensitive", unlinkable=True)
    release = shoal.RankSwapping(perturbed=("age",), distance=0.1).anonymize(table, schema)
    after = dict(zip(*(release.data[name].to_pylist() for name in ("number", "age")), strict=True))
    assert sorted(age for age in after.values() if age is not None) == sorted(age for age in ages if age is not None)
    moved = [abs(after[i] - age) for i, age in enumerate(ages) if age is not None]
    assert all((after[i] is None) == (age is None) for i, age in enumerate(ages))
    assert max(moved) <= 15  # a tenth of the ranks of an even column of 97 values, and a little
    assert release.facts.losses["changed cells (age)"] > 0.7
    assert str(release.certificate.guarantees[0]).endswith("for the owner to measure (measured)")


def test_what_has_no_ranks_is_refused():
    schema = shoal.Schema(person="row").with_column("town", role="quasi-identifier", domain=["Ulm", "Bonn"])
    with pytest.raises(SchemaError, match="its values have no order"):
        shoal.RankSwapping(perturbed=("town",)).anonymize(pa.table({"town": ["Ulm"]}), schema, coins=SeededCoins(1))
    for distance in (0, 1.5, "far"):
        with pytest.raises(ParameterError):
            shoal.RankSwapping(perturbed=("town",), distance=distance)
