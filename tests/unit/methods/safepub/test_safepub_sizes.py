"""SafePub publishes, or finds nothing, whatever the sizes of domains and tables: no size makes it fail."""

import datetime as dt

import numpy as np
import pyarrow as pa
import pytest

import shoal
from shoal.dp.coins.coins import SeededCoins

DAYS = (dt.date(1925, 1, 1), dt.date(2024, 12, 31))
MODELS = [
    shoal.Loss(),
    shoal.GroupSize(),
    shoal.Discernibility(),
    shoal.NonUniformEntropy(),
    shoal.Classification("sex"),
]
LIMIT = 3674
"""So many distinct people the tally of birth dates holds (`refinement._LARGEST_TALLY`); one more goes another way."""


def demographics():
    """ZIP code, birth date and sex: the columns that most people are unique in."""
    schema = shoal.Schema(person="row")
    schema = schema.with_column(
        "zip", role="quasi-identifier", domain=(0, 99_999), hierarchy=shoal.intervals(100, 10_000)
    )
    schema = schema.with_column("born", role="quasi-identifier", domain=DAYS, hierarchy=shoal.dates("year"))
    return schema.with_column("sex", role="quasi-identifier", domain=["f", "m"])


def people(number):
    """So many distinct people, most of them in one year and one part of the country, so that there are classes."""
    rng = np.random.default_rng(3)
    born = [DAYS[0] + dt.timedelta(days=int(day)) for day in rng.integers(0, 365, number)]
    return pa.table({"zip": np.arange(number), "born": born, "sex": np.array(["f", "m"])[rng.integers(0, 2, number)]})


@pytest.mark.parametrize("model", MODELS, ids=lambda model: type(model).__name__)
@pytest.mark.parametrize("number", [LIMIT, LIMIT + 1])
def test_one_person_more_does_not_decide_between_a_release_and_a_crash(number, model):
    method = shoal.SafePub(epsilon=2, delta=1e-4, quality=model)
    release = method.anonymize(people(number), demographics(), coins=SeededCoins(5))
    assert 0 < release.certificate.records <= number


WIDE = {
    "age": ((0, 199), shoal.intervals(10, 50)),
    "income": ((0, 299_000, 1000), shoal.intervals(10_000, 100_000)),
    "code": ([f"c{i}" for i in range(121)], None),
}


@pytest.mark.parametrize("columns", [("age",), ("age", "income"), ("code",), ("age", "income", "code")], ids="-".join)
@pytest.mark.parametrize("model", MODELS[:-1], ids=lambda model: type(model).__name__)
@pytest.mark.parametrize("records", [0, 1, 600])
def test_columns_may_all_be_wider_than_a_cube_of_the_last_ones(columns, model, records):
    schema = shoal.Schema(person="row")
    for name in columns:
        domain, hierarchy = WIDE[name]
        schema = schema.with_column(name, role="quasi-identifier", domain=domain, hierarchy=hierarchy)
    values = {"age": [30] * records, "income": [50_000] * records, "code": ["c7"] * records}
    types = {"age": pa.int64(), "income": pa.int64(), "code": pa.string()}
    table = pa.table({name: pa.array(values[name], type=types[name]) for name in columns})
    method = shoal.SafePub(epsilon=2, delta=1e-4, quality=model)
    assert method.anonymize(table, schema, coins=SeededCoins(5)).certificate.records <= records


@pytest.mark.parametrize("model", [shoal.GroupSize(), shoal.NonUniformEntropy()], ids=["group size", "entropy"])
@pytest.mark.parametrize("columns", [("age",), ("age", "income")], ids="-".join)
def test_the_best_node_is_found_where_every_column_is_wide(columns, model):
    schema = shoal.Schema(person="row")
    for name in columns:
        schema = schema.with_column(name, role="quasi-identifier", domain=WIDE[name][0], hierarchy=WIDE[name][1])
    rng = np.random.default_rng(1)
    table = pa.table({"age": rng.integers(0, 200, 500), "income": rng.integers(0, 300, 500) * 1000}).select(columns)
    release = shoal.OptimalLattice(k=3, quality=model, suppression_limit=0.1).anonymize(table, schema)
    assert release.certificate.records >= 450
