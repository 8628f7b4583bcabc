"""Ordered categoricals and enums keep their order, and name no value that is not published."""

import pandas as pd
import polars as pl
import pytest

import shoal

GRADES = ["low", "middle", "high", "nobody has this"]
VALUES = ["high", "low", "middle", "low", "high", "middle"] * 4


def said(role="sensitive"):
    return (
        shoal.Schema()
        .with_column("age", role="quasi-identifier", domain=(20, 29), hierarchy=shoal.intervals(5))
        .with_column("grade", role=role)
    )


def with_pandas(values=VALUES, categories=GRADES, ordered=True):
    grade = pd.Categorical(values, categories=categories, ordered=ordered)
    return pd.DataFrame({"age": [20 + i % 2 for i in range(len(values))], "grade": grade})


def with_polars(values=VALUES):
    grade = pl.Series(values, dtype=pl.Enum(GRADES))
    return pl.DataFrame({"age": [20 + i % 2 for i in range(len(values))], "grade": grade})


def test_an_ordered_categorical_of_pandas_stays_one():
    release = shoal.OptimalLattice(k=3).anonymize(with_pandas(), said())
    assert release.data["grade"].dtype == pd.CategoricalDtype(GRADES[:3], ordered=True)
    assert sorted(release.data["grade"]) == sorted(VALUES)
    assert release.data["grade"].min() == "low"
    assert release.groups["grade"].dtype == release.data["grade"].dtype


def test_an_enum_of_polars_stays_one():
    release = shoal.OptimalLattice(k=3).anonymize(with_polars(), said())
    assert release.data["grade"].dtype == pl.Enum(GRADES[:3])
    assert release.data["grade"].sort().to_list() == sorted(VALUES, key=GRADES.index)


@pytest.mark.parametrize("made", [with_pandas, with_polars])
def test_missing_values_stay_missing(made):
    frame = made([*VALUES[:-1], None])
    release = shoal.OptimalLattice(k=3).anonymize(frame, said("insensitive").with_column("grade", unlinkable=True))
    grades = list(release.data["grade"])
    assert sum(value is None or value != value for value in grades) == 1  # NaN
    assert {value for value in grades if isinstance(value, str)} == set(GRADES[:3])


def test_numbers_in_an_order_of_their_own_keep_it():
    values = [3, 1, 2] * 8
    frame = with_pandas(values, categories=[2, 3, 1, 9])
    release = shoal.OptimalLattice(k=3).anonymize(frame, said())
    assert list(release.data["grade"].cat.categories) == [2, 3, 1]
    assert release.data["grade"].cat.ordered


def test_an_unordered_categorical_is_not_given_an_order():
    release = shoal.OptimalLattice(k=3).anonymize(with_pandas(ordered=False), said())
    assert release.data["grade"].dtype.name == "category"
    assert not release.data["grade"].cat.ordered


@pytest.mark.parametrize("made", [with_pandas, with_polars])
def test_the_value_of_a_suppressed_record_is_not_named(made):
    frame = made([*VALUES, "nobody has this"])
    schema = said("quasi-identifier").with_column("grade", hierarchy=shoal.flat())
    release = shoal.OptimalLattice(k=2, suppression_limit=0.1, quality=shoal.Loss({"age": 0.1})).anonymize(
        frame, schema
    )
    assert release.certificate.records == len(VALUES)
    kind = release.data["grade"].dtype
    assert list(kind.categories) == GRADES[:3]


@pytest.mark.parametrize("made", [with_pandas, with_polars])
def test_generalized_values_have_no_order(made):
    schema = said("quasi-identifier").with_column(
        "grade", hierarchy=shoal.tree({"any": {"some": GRADES[:2], "more": GRADES[2:]}})
    )
    release = shoal.OptimalLattice(k=len(VALUES) // 2 + 1, quality=shoal.Loss({"age": 0.1})).anonymize(made(), schema)
    assert set(release.data["grade"]) <= {"some", "more", "any", "*"}
    assert not isinstance(release.data["grade"].dtype, pl.Enum)


@pytest.mark.parametrize("made", [with_pandas, with_polars])
def test_a_private_method_shows_no_order_that_came_with_the_table(made):
    """Its types come from declared domains alone."""
    schema = said().with_column("grade", domain=GRADES).with_person("row")
    release = shoal.DiffGen(epsilon=20, target="grade").anonymize(made(VALUES * 20), schema)
    kind = release.data["grade"].dtype
    assert not isinstance(kind, pl.Enum | pd.CategoricalDtype)
