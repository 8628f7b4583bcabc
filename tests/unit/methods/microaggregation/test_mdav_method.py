"""MDAV as a method: what is published, what is refused."""

import datetime as dt

import numpy as np
import pyarrow as pa
import pytest

import shoal
from shoal.errors import DataError, InfeasibleError, ParameterError, SchemaError

QUASI = "quasi-identifier"


def release(columns, schema, k=2, **more):
    return shoal.MDAV(k=k, **more).anonymize(pa.table(columns), schema)


def test_numbers_become_means_and_categories_what_is_least_far_from_all():
    schema = shoal.Schema().with_column("age", role=QUASI, domain=(0, 100))
    schema = schema.with_column(
        "sport", role=QUASI, hierarchy=shoal.tree({"any": {"water": ["sail", "swim"], "ski": []}})
    )
    made = release({"age": [20, 21, 90, 91], "sport": ["sail", "sail", "ski", "ski"]}, schema)
    assert made.data.to_pylist() == [
        {"age": 20.5, "sport": "sail"},
        {"age": 20.5, "sport": "sail"},
        {"age": 90.5, "sport": "ski"},
        {"age": 90.5, "sport": "ski"},
    ]


def test_sensitive_and_passed_columns_stay_with_their_records():
    schema = shoal.Schema().with_column("age", role=QUASI, domain=(0, 100))
    schema = schema.with_column("illness", role="sensitive").with_column("note", role="insensitive")
    rows = {"age": [1, 2, 50, 51, 51], "illness": ["a", "b", "c", "d", "e"], "note": ["n1", "n2", "n50", "n51", "n51b"]}
    made = release(rows, schema).data.to_pylist()
    told = {row["illness"]: (row["age"], row["note"]) for row in made}
    assert told["a"] == (1.5, "n1")
    assert told["b"] == (1.5, "n2")
    assert {told[name][1] for name in "cde"} == {"n50", "n51", "n51b"}
    assert {told[name][0] for name in "cde"} == {50.666667}


def test_one_combination_with_many_records_is_divided_only_where_a_cluster_is_full():
    schema = shoal.Schema().with_column("age", role=QUASI, domain=(0, 100)).with_column("illness", role="sensitive")
    rows = {"age": [10] * 9 + [90] * 6, "illness": list("abcdefghijklmno")}
    made = release(rows, schema, k=3)
    assert sorted(made.data["age"].to_pylist()) == [10.0] * 9 + [90.0] * 6
    assert sorted(made.data["illness"].to_pylist()) == list("abcdefghijklmno")
    assert made.facts.losses["information loss"] == 0


def test_days_become_days_and_decimals_keep_their_scale():
    schema = shoal.Schema().with_column("day", role=QUASI, domain=(dt.date(2024, 1, 1), dt.date(2024, 12, 31)))
    schema = schema.with_column("height", role=QUASI, domain=(1, 2.5, 0.05))
    rows = {"day": [dt.date(2024, 3, 1), dt.date(2024, 3, 3)], "height": [1.5, 1.75]}
    made = release(rows, schema).data.to_pylist()
    assert made == [{"day": dt.date(2024, 3, 2), "height": 1.625}] * 2


def test_missing_numbers_are_left_out_of_the_mean_and_a_cluster_without_any_has_none():
    schema = shoal.Schema().with_column("age", role=QUASI, domain=(0, 100), missing=True)
    schema = schema.with_column("group", role=QUASI, domain=["a", "b"])
    made = release({"age": [None, None, 10, None], "group": ["a", "a", "b", "b"]}, schema).data.to_pylist()
    assert sorted(str(row["age"]) for row in made) == ["10.0", "10.0", "None", "None"]


def test_domains_may_be_observed_and_constant_columns_do_no_harm():
    schema = shoal.Schema().with_column("age", role=QUASI).with_column("country", role=QUASI)
    made = release({"age": [1, 1, 5, 5], "country": ["x"] * 4}, schema)
    assert made.data["age"].to_pylist() == [1.0, 1.0, 5.0, 5.0]
    assert set(made.data["country"].to_pylist()) == {"x"}


@pytest.mark.parametrize("k", [3, 4])
def test_more_than_half_of_the_records_make_one_cluster(k):
    schema = shoal.Schema().with_column("age", role=QUASI, domain=(0, 10))
    assert set(release({"age": [0, 1, 2, 9]}, schema, k=k).data["age"].to_pylist()) == {3.0}


def test_nothing_is_published_with_more_than_all_of_them():
    schema = shoal.Schema().with_column("age", role=QUASI, domain=(0, 10))
    with pytest.raises(InfeasibleError, match="more than the table has records"):
        release({"age": [0, 1]}, schema, k=3)


def test_values_outside_of_the_domain_are_refused_without_showing_them():
    schema = shoal.Schema().with_column("age", role=QUASI, domain=(0, 10))
    for bad in (4711.0, float("nan"), float("inf")):
        with pytest.raises(DataError) as raised:
            release({"age": [1.0, bad]}, schema)
        assert "4711" not in str(raised.value)


@pytest.mark.parametrize("settings", [{"k": 0}, {"k": 2.5}, {"k": 5, "block_size": 9}, {"block_size": 0.5}])
def test_impossible_parameters_are_refused(settings):
    with pytest.raises(ParameterError):
        shoal.MDAV(**settings)


def test_without_quasi_identifiers_there_is_nothing_to_do():
    with pytest.raises(SchemaError, match="quasi-identifier"):
        shoal.MDAV().counted(shoal.Schema().with_column("illness", role="sensitive"))


def test_blocks_are_told_to_the_owner():
    schema = shoal.Schema().with_column("x", role=QUASI, domain=(0, 999)).with_column("y", role=QUASI, domain=(0, 999))
    rng = np.random.default_rng(5)
    rows = {"x": rng.integers(0, 1000, 400), "y": rng.integers(0, 1000, 400)}
    exact, blocks = release(rows, schema, k=4), release(rows, schema, k=4, block_size=50)
    assert exact.facts.search["exact"]
    assert not blocks.facts.search["exact"]
    assert blocks.certificate.criteria[0]["reached"] >= 4
    assert blocks.facts.losses["information loss"] < 2 * exact.facts.losses["information loss"]
