"""Squared error, record linkage, moments: by definition, on small tables."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from spaces import SPORT, category, encoded, number

from shoal.cluster.centers import centers
from shoal.cluster.insensitive import insensitive_clusters
from shoal.cluster.space import CategoryAxis, Space
from shoal.data.attribute import settle
from shoal.data.domain import Grid
from shoal.data.schema import Column, Role
from shoal.evaluate.masking import Improvement, Masked, alone

ATTRIBUTES = [number("age", 7), category("sport", SPORT), number("constant", 0)]
ROWS = st.lists(st.tuples(st.integers(0, 7), st.integers(0, 3), st.just(0)), min_size=1, max_size=15)


def masked(rows, k):
    table = encoded(ATTRIBUTES, rows)
    space = Space.of(ATTRIBUTES)
    partition = insensitive_clusters(space, table.counts.codes, table.counts.sizes, k)
    return Masked(table, partition, centers(space, table.counts.codes, partition))


def pairs(made):
    """Every record and what stands for it."""
    rows = list(zip(*(column.tolist() for column in made.table.counts.codes), strict=True))
    for source, label, size in zip(
        *(getattr(made.partition, a).tolist() for a in ("source", "label", "sizes")), strict=True
    ):
        for _ in range(size):
            yield rows[source], tuple(float(center[label]) for center in made.centers)


def squares(made, row, center, *, scaled):
    total = 0.0
    for axis, x, c in zip(made.space.axes, row, center, strict=True):
        if isinstance(axis, CategoryAxis):
            apart = axis.taxonomy.distance[int(c), x]
            total += (
                (apart / axis.taxonomy.distance[axis.taxonomy.bottom, axis.taxonomy.top]) ** 2 if scaled else apart**2
            )
        elif axis.width:
            total += ((x - c) / (axis.width if scaled else 1)) ** 2
    return total


@given(ROWS, st.integers(1, 5))
def test_squared_error_and_record_linkage_are_those_of_the_definitions(rows, k):
    """§5.2."""
    made = masked(rows, k)
    together = list(pairs(made))
    for scaled in (False, True):
        expected = sum(squares(made, row, center, scaled=scaled) for row, center in together)
        assert made.squared_error(scaled=scaled) == pytest.approx(expected, abs=1e-6)
    linked = 0.0
    for row, center in together:
        away = [squares(made, other, center, scaled=True) for other, _ in together]
        nearest = [other for (other, _), d in zip(together, away, strict=True) if d <= min(away) * (1 + 1e-9)]
        linked += (row in nearest) / len(nearest)
    assert made.record_linkage() == pytest.approx(linked / len(together))


def test_without_masking_every_distinct_record_is_linked():
    table = encoded(ATTRIBUTES, [(0, 0, 0), (1, 1, 0), (1, 1, 0), (7, 3, 0)])
    partition = alone(table)
    made = Masked(table, partition, [column[partition.source] for column in table.counts.codes])
    assert made.squared_error() == 0
    assert made.record_linkage() == pytest.approx(3 / 4)  # of two equal records one is right by chance


def test_means_are_kept_and_variances_shrink_when_numbers_become_means():
    made = masked([(x, x % 4, 0) for x in range(8)], 3)
    assert made.variation_of_means()["age"] == pytest.approx(0)
    before = np.var(np.arange(8))
    after = np.var([center[0] for _, center in pairs(made)])
    assert made.variation_of_variances()["age"] == pytest.approx((before - after) / before)
    assert set(made.variation_of_means()) == {"age", "constant"}  # categories have none
    assert math.isnan(made.variation_of_variances()["constant"])


def test_units_are_those_of_the_column_and_missing_numbers_stay_aside():
    money = settle(Column("money", Role.QUASI_IDENTIFIER), Grid.between(100, 200, "0.5", missing=True))
    table = encoded([money], [(0,), (4,), (201,)])
    partition = insensitive_clusters(Space.of([money]), table.counts.codes, table.counts.sizes, 3)
    made = Masked(table, partition, [np.array([2.0])])
    assert made.squared_error() == 2.0  # 100 and 102 against 101
    assert made.variation_of_means()["money"] == 0
    assert made.record_linkage() == pytest.approx(2 / 3 / 2)


def test_the_score_weighs_loss_against_risk():
    better = Improvement.over((4.0, 0.2), (1.0, 0.1))
    assert (better.error, better.linkage, better.score) == (2.0, 2.0, 4.0)
    assert Improvement.over((1.0, 0.2), (1.0, 0.0)).score == math.inf
