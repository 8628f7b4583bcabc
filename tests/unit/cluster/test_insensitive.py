"""Insensitive microaggregation: the sequence of corners, the clusters, and how little one record changes."""

import itertools
from collections import Counter
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from spaces import SPORT, category, clusters_of, encoded, in_turn, number

from shoal.audit import replace_neighbors
from shoal.cluster.insensitive import cluster_sizes, insensitive_clusters
from shoal.cluster.orders import CornerKeys, References, corner_sequence
from shoal.cluster.space import Space


def spelled(axes, references, most=64):
    return ["".join("bt"[side] for side in corner) for corner in corner_sequence(axes, references, most)]


def test_each_corner_is_the_farthest_from_those_before():
    """Theory 5c."""
    assert spelled(1, References.CORNERS) == ["b", "t"]
    assert spelled(2, References.CORNERS) == ["bb", "tt", "bt", "tb"]
    assert spelled(3, References.CORNERS) == ["bbb", "ttt", "bbt", "ttb", "btt", "tbb", "btb", "tbt"]


def test_other_sequences():
    assert spelled(3, References.ONE) == ["bbb"]
    assert spelled(2, References.COMPLEMENTS) == ["bb", "tt", "bt", "tb"]
    assert spelled(3, References.COMPLEMENTS)[:4] == ["bbb", "ttt", "bbt", "ttb"]
    assert spelled(0, References.CORNERS) == [""]


@pytest.mark.parametrize("axes", [5, 14, 80])
@pytest.mark.parametrize("references", list(References))
def test_however_many_axes_a_sequence_is_short_and_without_repetition(axes, references):
    corners = corner_sequence(axes, references, 20)
    assert len(set(corners)) == len(corners) <= 20
    assert all(len(corner) == axes for corner in corners)


def test_all_clusters_but_the_last_have_k_records():
    assert cluster_sizes(12, 3).tolist() == [3, 3, 3, 3]
    assert cluster_sizes(14, 3).tolist() == [3, 3, 3, 5]
    assert cluster_sizes(5, 3).tolist() == [5]
    assert cluster_sizes(3, 3).tolist() == [3]


@st.composite
def tables(draw, least=1):
    widths = draw(st.lists(st.integers(1, 4), min_size=least, max_size=3))
    attributes = [number(f"x{i}", width) for i, width in enumerate(widths)]
    rows = draw(st.lists(st.tuples(*(st.integers(0, w) for w in widths)), min_size=1, max_size=14))
    return encoded(attributes, rows), widths, rows


@given(tables(), st.integers(1, 4), st.sampled_from(References))
def test_clusters_are_those_of_the_algorithm_in_fractions(made, k, references):
    table, widths, rows = made
    space = Space.of(table.attributes)
    found = insensitive_clusters(space, table.counts.codes, table.counts.sizes, k, references)
    corners = corner_sequence(len(widths), References.ONE if len(widths) == 1 else references, 64)
    assert clusters_of(table, found) == in_turn(rows, k, corners, widths)
    assert found.totals.tolist() == cluster_sizes(len(rows), k).tolist()
    assert (np.diff(found.source) >= 0).all()


MIXED = [number("age", 6), category("sport", SPORT), number("constant", 0)]


@given(
    st.lists(st.tuples(st.integers(0, 6), st.integers(0, 3), st.just(0)), min_size=2, max_size=12),
    st.tuples(st.integers(0, 6), st.integers(0, 3), st.just(0)),
    st.integers(1, 4),
    st.sampled_from(References),
)
def test_replacing_a_record_replaces_one_record_in_each_cluster_at_most(rows, other, k, references):
    """Definition 3, Proposition 2; with categories and a column of one value too."""
    found = []
    for records in (rows, [other, *rows[1:]]):
        table = encoded(MIXED, records)
        partition = insensitive_clusters(Space.of(MIXED), table.counts.codes, table.counts.sizes, k, references)
        found.append(clusters_of(table, partition))
    for here, there in zip(*found, strict=True):
        assert (Counter(here) - Counter(there)).total() <= 1


@given(st.lists(st.tuples(st.integers(0, 6), st.integers(0, 3), st.just(0)), min_size=1, max_size=12))
def test_the_key_of_a_record_does_not_depend_on_the_others(rows):
    keys = CornerKeys(Space.of(MIXED))
    table = encoded(MIXED, rows)
    for corner in itertools.product((0, 1), repeat=2):
        together = keys.of(corner, table.counts.codes)
        alone = [keys.of(corner, [column[i : i + 1] for column in table.counts.codes])[0] for i in range(len(together))]
        assert together.tolist() == alone


def test_wide_axes_whose_squares_have_no_common_multiple_are_ordered_all_the_same():
    axes = [number("a", 99_991), number("b", 99_989), number("c", 99_971), number("d", 99_961)]
    rows = [(i * 7919 % 99_961, i * 104_729 % 99_961, i * 13 % 99_961, i * 31 % 99_961) for i in range(60)]
    table, widths = encoded(axes, rows), [99_991, 99_989, 99_971, 99_961]
    found = insensitive_clusters(Space.of(axes), table.counts.codes, table.counts.sizes, 7)
    assert clusters_of(table, found) == in_turn(rows, 7, corner_sequence(4, References.CORNERS, 16), widths)


def movement(attributes, domain, size, k, references):
    """The largest L1 change of the centroids of each column, and of all together, by the widths, over all neighbors."""
    space = Space.of(attributes)

    def means(rows):
        table = encoded(attributes, rows)
        found = insensitive_clusters(space, table.counts.codes, table.counts.sizes, k, references)
        return [
            [Fraction(sum(r[i] for r in c), len(c) * attributes[i].domain.steps) for c in clusters_of(table, found)]
            for i in range(len(attributes))
        ]

    known, worst = {}, [Fraction(0)] * len(attributes)
    for pair in replace_neighbors(domain, size=size):
        here, there = (known.setdefault(rows, means(rows)) if rows not in known else known[rows] for rows in pair)
        moved = [sum(abs(x - y) for x, y in zip(a, b, strict=True)) for a, b in zip(here, there, strict=True)]
        worst = [max(w, m) for w, m in zip(worst, moved, strict=True)]
    return worst


@pytest.mark.parametrize(("n", "k", "width"), [(4, 2, 4), (6, 2, 4), (6, 3, 4), (7, 3, 4), (8, 2, 3)])
def test_along_one_column_all_centroids_together_move_by_one_kth_of_the_width(n, k, width):
    """Theory 7.4: not by n/k² of it, as the paper has it."""
    domain = [(i,) for i in range(width + 1)]
    assert movement([number("x", width)], domain, n, k, References.CORNERS) == [Fraction(1, k)]


@pytest.mark.parametrize(
    ("n", "k", "expected"),
    [(4, 2, (Fraction(3, 4), Fraction(1))), (5, 2, (Fraction(2, 3), Fraction(5, 6)))],
)
def test_along_two_columns_they_move_by_up_to_one_kth_each(n, k, expected):
    """Theory 7.4: the bound Σ 1/s is attained."""
    grid = [number("x", 2), number("y", 2)]
    domain = list(itertools.product(range(3), repeat=2))
    assert tuple(movement(grid, domain, n, k, References.ONE)) == expected
    assert max(expected) == sum(Fraction(1, int(s)) for s in cluster_sizes(n, k))
