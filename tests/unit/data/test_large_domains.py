"""A column of numbers costs by its records: what large domains give is what small ones give."""

import time

import numpy as np
import pyarrow as pa
import pytest

import shoal
from shoal.data.attribute import settle
from shoal.data.classes import Classes
from shoal.data.domain import Grid
from shoal.engines.codes.encoding import encode
from shoal.engines.local import LocalEngine
from shoal.engines.reading.source import TableSource

VALUES = [3, 500, 3, 70, 90_000, 500, 500, 1, 3, 70]
LABELS = np.array([0, 0, 0, 1, 1, 1, 1, 2, 2, 2])


def classes(upper):
    """Three classes, in a domain that holds the values easily, or in one of so many steps."""
    values = VALUES if upper is not None else [str(value) for value in VALUES]
    schema = shoal.Schema().with_column("q", role="quasi-identifier").with_column("x", role="sensitive")
    if upper is not None:
        schema = schema.with_column("x", domain=(0, upper))
    frame = pa.table({"q": [f"{i}" for i in range(10)], "x": values})
    table = encode(LocalEngine(TableSource(frame)), schema, ["q", "x"])
    places = [int(label) for label in table["q"].domain.labels(table.counts.column("q").tolist())]
    return Classes(table, LABELS[places], 3, lambda *_: np.zeros(0, dtype=np.int32))


def test_histograms_of_large_domains_have_a_place_for_what_occurs():
    large = classes(95_000)
    assert large.values("x").tolist() == [1, 3, 70, 500, 90_000]
    assert large.histogram("x").tolist() == [[0, 2, 0, 1, 0], [0, 0, 1, 2, 1], [1, 1, 1, 0, 0]]
    assert large.given("x").tolist() == [1, 3, 2, 3, 1]
    assert large.most("x").tolist() == [2, 2, 1]
    assert large.different("x").tolist() == [2, 3, 3]


def test_every_value_has_a_place_where_that_is_asked():
    large = classes(90_000)
    assert large.histogram("x", every=True).shape == (3, 90_001)
    assert large.given("x", every=True).sum() == 10


@pytest.mark.parametrize("criterion", ["distinct-diversity", "frequency-diversity", "entropy-diversity"])
def test_criteria_do_not_notice(criterion):
    """The same values under a small domain, by their ranks."""
    from shoal.criteria.registry import from_dict

    asked = from_dict({"name": criterion, "diversity": 2, "column": "x"})
    everything = np.ones(3, dtype=np.bool_)
    assert asked.measure(classes(95_000), everything) == pytest.approx(asked.measure(classes(None), everything))


def test_a_hierarchy_that_nobody_asks_for_is_not_built():
    column = shoal.Schema().with_column("x", role="sensitive").columns[0]
    start = time.process_time()
    attribute = settle(column, Grid.between(0, 9_999_999))
    assert attribute.labels(np.array([5], dtype=np.int32)) == ["5"]
    assert time.process_time() - start < 0.1
    assert "hierarchy" not in vars(attribute.tree)


def test_a_schema_that_is_guessed_of_measurements_can_be_released():
    rng = np.random.default_rng(5)
    frame = pa.table({"age": rng.integers(18, 90, 60), "x": rng.normal(size=60), "income": rng.lognormal(10, 1, 60)})
    release = shoal.Mondrian(k=5).anonymize(frame, shoal.Schema.infer(frame))
    assert release.data["income"].to_pylist() != []
    assert sorted(release.data["income"].to_pylist()) == sorted(frame["income"].to_pylist())
    assert all(" to " in text for text in release.data["x"].to_pylist())
