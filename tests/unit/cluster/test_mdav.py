"""MDAV: against a plain one-record-at-a-time version, with categories, duplicates and blocks."""

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from person_samples import with_persons
from spaces import SPORT, category, clusters_of, encoded, number, plain_mdav, plain_person_mdav, rows_of

from shoal.cluster.centers import centers, lost_share, squared_error, standardized
from shoal.cluster.mdav import mdav_clusters
from shoal.cluster.space import Space
from shoal.data.attribute import settle
from shoal.data.domain import Grid
from shoal.data.schema import Column, Role

MIXED = [number("age", 7), category("sport", SPORT), number("hours", 3), number("constant", 0)]
ROWS = st.lists(st.tuples(st.integers(0, 7), st.integers(0, 3), st.integers(0, 3), st.just(0)), min_size=1, max_size=25)


def clustered(table, k, **more):
    return mdav_clusters(Space.of(table.attributes), table.counts.codes, table.counts.sizes, k, **more)


@given(ROWS, st.integers(1, 6))
def test_clusters_are_those_of_the_plain_algorithm_on_all_records(rows, k):
    """Distinct records with sizes give the same as all records one by one."""
    table = encoded(MIXED, rows)
    assert clusters_of(table, clustered(table, k)) == plain_mdav(table, k)


@given(ROWS, st.integers(1, 4), st.data())
def test_clusters_of_persons_are_those_of_the_plain_algorithm(rows, k, data):
    table = encoded(MIXED, rows)
    people = data.draw(st.integers(1, 2 * k + 3))
    table = with_persons(table, data.draw(st.lists(st.integers(0, people), min_size=len(rows), max_size=len(rows))))
    assume(table.people >= k)
    found = clustered(table, k, persons=table.persons)
    expected = [sorted(row for row in cluster) for cluster in plain_person_mdav(table, k)]
    assert [sorted(set(cluster)) for cluster in clusters_of(table, found)] == expected


@pytest.mark.parametrize("attributes", [MIXED[:1], MIXED[1:2], MIXED[3:]])
def test_one_kind_of_column_alone(attributes):
    rng = np.random.default_rng(3)
    rows = [(int(rng.integers(attributes[0].domain.size)),) for _ in range(23)]
    table = encoded(attributes, rows)
    assert clusters_of(table, clustered(table, 3)) == plain_mdav(table, 3)


@given(ROWS, st.integers(1, 5), st.integers(2, 12))
def test_blocks_keep_every_record_and_every_cluster_large_enough(rows, k, block):
    table = encoded(MIXED, rows)
    found = clustered(table, k, block=block)
    assert sorted(row for cluster in clusters_of(table, found) for row in cluster) == rows_of(table)
    if len(rows) >= k:
        assert k <= found.totals.min() <= found.totals.max() < max(2 * k, len(rows) + 1)


def test_a_block_that_cannot_be_halved_stays_as_it_is():
    table = encoded(MIXED[:1], [(0,), (1,), (2,), (7,)])
    assert clustered(table, 3, block=2).totals.tolist() == [4]
    pair = encoded(MIXED[:1], [(0,)] * 9 + [(7,)])
    assert clustered(pair, 3, block=1).totals.tolist() == clustered(pair, 3).totals.tolist()


@pytest.mark.parametrize("shape", ["even", "tail"])
def test_blocks_cost_little(shape):
    """From the outside in: those in long tails keep the company that they have without blocks."""
    rng = np.random.default_rng(1)
    attributes = [number("x", 999), number("y", 999)]
    rows = rng.integers(0, 1000, (3000, 2)) if shape == "even" else rng.exponential(60, (3000, 2)).clip(0, 999)
    table = encoded(attributes, rows.astype(np.int64))
    space = standardized(Space.of(attributes), table.counts.codes, table.counts.sizes)

    def lost(**more):
        codes, sizes = table.counts.codes, table.counts.sizes
        partition = mdav_clusters(space, codes, sizes, 5, **more)
        return lost_share(space, codes, partition, centers(space, codes, partition))

    assert lost(block=1500) < 1.03 * lost()
    assert lost(block=600) < 1.15 * lost()


def test_a_missing_number_stands_at_the_mean_and_a_cluster_of_missing_ones_has_no_center():
    gap = settle(Column("x", Role.QUASI_IDENTIFIER), Grid.between(0, 9, missing=True))
    table = encoded([gap, number("y", 9)], [(10, 0), (10, 0), (1, 9), (3, 9)])
    space = Space.of(table.attributes)
    partition = clustered(table, 2)
    found = centers(space, table.counts.codes, partition)
    assert sorted(found[0].tolist(), key=str) == [2.0, pytest.approx(np.nan, nan_ok=True)]
    assert squared_error(space, table.counts.codes, partition, found).tolist() == [2.0, 0.0]


def test_a_column_that_is_missing_altogether_does_no_harm():
    gap = settle(Column("x", Role.QUASI_IDENTIFIER), Grid.between(0, 9, missing=True))
    table = encoded([gap, number("y", 9)], [(10, 0), (10, 1), (10, 8), (10, 9)])
    assert clusters_of(table, clustered(table, 2)) == [[(10, 0), (10, 1)], [(10, 8), (10, 9)]]


def test_nothing_is_lost_with_clusters_of_one_and_all_but_one_center_with_a_single_cluster():
    table = encoded(MIXED, [(0, 0, 0, 0), (7, 3, 3, 0), (2, 1, 1, 0), (5, 2, 0, 0)])
    space = Space.of(MIXED)
    for k, expected in ((1, 0.0), (4, 1.0)):
        partition = clustered(table, k)
        assert (
            lost_share(space, table.counts.codes, partition, centers(space, table.counts.codes, partition)) == expected
        )
