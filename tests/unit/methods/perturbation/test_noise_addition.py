"""Noise addition: in proportion to the column, correlated if asked, within the domain."""

import numpy as np
import pyarrow as pa
import pytest

import shoal
from shoal.data.hierarchies.paths import Paths
from shoal.dp.coins.coins import SeededCoins
from shoal.errors import ParameterError, SchemaError

RNG = np.random.default_rng(4)
WEIGHT = RNG.normal(5000, 500, 20_000).round().astype(int)
HEIGHT = (WEIGHT + RNG.normal(0, 300, 20_000)).round().astype(int)


def published(**parameters):
    table = pa.table({"weight": WEIGHT, "height": HEIGHT, "number": np.arange(20_000)})
    schema = shoal.Schema(person="row").with_column("weight", role="quasi-identifier", domain=(0, 10_000))
    schema = schema.with_column("height", role="sensitive", domain=(0, 10_000))
    schema = schema.with_column("number", role="insensitive", unlinkable=True)
    method = shoal.Noise(perturbed=("weight", "height"), **parameters)
    release = method.anonymize(table, schema, coins=SeededCoins(2))
    order = np.argsort(release.data["number"].to_numpy())
    return np.array([release.data[name].to_numpy()[order] for name in ("weight", "height")]), release


@pytest.mark.parametrize("correlated", [False, True])
def test_the_noise_varies_as_the_columns_do(correlated):
    """Deviations and correlations of 20,000 draws are within 4% of theirs but once in 10^8 runs."""
    noisy, release = published(amount=0.5, correlated=correlated)
    noise = noisy - np.array([WEIGHT, HEIGHT])
    assert noise.std(axis=1) == pytest.approx([0.5 * WEIGHT.std(), 0.5 * HEIGHT.std()], rel=0.04)
    expected = np.corrcoef(WEIGHT, HEIGHT)[0, 1] if correlated else 0.0
    assert np.corrcoef(noise)[0, 1] == pytest.approx(expected, abs=0.04)
    assert release.facts.losses["linking risk (weight)"] < 0.01


def test_what_is_published_is_in_the_domain():
    ages = pa.table({"age": [0, 1, None, 99, 100] * 40})
    schema = shoal.Schema(person="row").with_column("age", role="quasi-identifier", domain=(0, 100), missing=True)
    release = shoal.Noise(perturbed=("age",), amount=3.0).anonymize(ages, schema)
    after = release.data["age"].to_pylist()
    assert all(age is None or 0 <= age <= 100 for age in after)
    assert after.count(None) == 40
    assert shoal.Noise(perturbed=("age",)).anonymize(ages.slice(0, 1), schema).data["age"].to_pylist() == [0]


def test_what_is_no_number_is_refused():
    schema = shoal.Schema(person="row").with_column("town", role="quasi-identifier", domain=["Ulm", "Bonn"])
    with pytest.raises(SchemaError, match="its values are not numbers"):
        shoal.Noise(perturbed=("town",)).anonymize(pa.table({"town": ["Ulm"]}), schema, coins=SeededCoins(1))
    with pytest.raises(ParameterError):
        shoal.Noise(perturbed=("age",), amount=0)


def test_numbers_of_a_hierarchy_file_are_names_until_their_domain_is_declared():
    bands = Paths(tuple((str(i), "low" if i < 5 else "high", "*") for i in range(10)))
    table = pa.table({"x": [1, 2, 3, 4, 5, 6] * 4})
    schema = shoal.Schema(person="row").with_column("x", role="quasi-identifier", hierarchy=bands)
    with pytest.raises(SchemaError, match=r"names in an order.*declare its domain as from and to beside"):
        shoal.Noise(perturbed=("x",)).anonymize(table, schema)
    release = shoal.Noise(perturbed=("x",)).anonymize(table, schema.with_column("x", domain=(0, 9)))
    assert all(0 <= number <= 9 for number in release.data["x"].to_pylist())
