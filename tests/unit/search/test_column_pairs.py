"""What pairs of columns rule out is exactly what they lose by themselves, and no admissible node is among it."""

from itertools import combinations
from unittest.mock import patch

import pytest
from hypothesis import given
from hypothesis import strategies as st
from strategies import examples, nodes_of, samples

from shoal.search import column_pairs
from shoal.search.column_pairs import ColumnPairs
from shoal.search.lattice import NodeClasses


def sizes(table, columns, node):
    """How many records there are of each combination of some columns at their levels, by definition."""
    found = {}
    for row, size in enumerate(table.counts.sizes.tolist()):
        quasi = table.quasi_identifiers
        key = tuple(int(quasi[i].hierarchy.up[node[i]][table.counts.column(quasi[i].name)[row]]) for i in columns)
        found[key] = found.get(key, 0) + size
    return found


def lost(table, columns, node, k):
    return sum(size for size in sizes(table, columns, node).values() if size < k)


@pytest.mark.parametrize("long", [0, 10**6])
@pytest.mark.parametrize("most_cells", [4, 9, 10**6])  # counted where it is asked for, or rolled up
@given(data=st.data())
@examples(60)
def test_a_box_is_raised_to_where_every_column_goes_with_every_other(most_cells, long, data):
    sample = data.draw(samples(quasi=(2, 4), sensitive=(0, 1), records=(1, 25)))
    k, allowed = data.draw(st.integers(1, 6)), data.draw(st.integers(0, 6))
    hi = data.draw(nodes_of(sample))
    lo = tuple(data.draw(st.integers(0, level)) for level in hi)
    with (
        patch.object(column_pairs, "_TELLS_LITTLE", 0),
        patch.object(column_pairs, "_LONG", long),
        patch.object(column_pairs.grouping, "dense_limit", lambda _: most_cells),
    ):
        raised = ColumnPairs(NodeClasses(sample.table), k, allowed).raised(lo, hi)
    wanted = tuple(
        max(low, *(_least(sample.table, i, j, hi, k, allowed, most_cells) for j in range(len(hi)) if j != i))
        for i, low in enumerate(lo)
    )
    is_empty = any(level > high for level, high in zip(wanted, hi, strict=True))
    assert raised == (None if is_empty else wanted)


def _least(table, i, j, hi, k, allowed, most_cells):
    """One above the coarsest level of column i that does not go with column j at its level of hi, or a coarser one.

    A column by itself is always counted, two only where they have no more than so many combinations of values.
    """
    least = 0
    (first, second) = (table.quasi_identifiers[column].hierarchy for column in (i, j))
    for level in range(first.height + 1):
        for other in range(hi[j], second.height + 1):
            widths = first.levels[level].size, second.levels[other].size
            if 1 not in widths[1:] and widths[0] * widths[1] > most_cells:
                continue
            if lost(table, (i, j), {i: level, j: other}, k) > allowed:
                least = level + 1
    return least


@given(data=st.data())
@examples(60)
def test_no_admissible_node_is_ruled_out(data):
    sample = data.draw(samples(quasi=(2, 4), records=(1, 25)))
    k, allowed = data.draw(st.integers(1, 6)), data.draw(st.integers(0, 6))
    pairs = ColumnPairs(NodeClasses(sample.table), k, allowed)
    for node in sample.nodes:
        everything = range(len(node))
        if lost(sample.table, everything, node, k) <= allowed:
            assert pairs.raised(node, node) == node
        worst = max(lost(sample.table, two, node, k) for two in combinations(everything, 2))
        assert worst <= lost(sample.table, everything, node, k)
