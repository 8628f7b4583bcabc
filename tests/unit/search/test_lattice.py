"""The lattice of levels, and walking it."""

from itertools import product

import naive
import pytest
from hypothesis import given
from hypothesis import strategies as st
from strategies import class_keys, examples, fixed_at, samples

from shoal.search.exhaustive import walk
from shoal.search.lattice import Lattice, NodeClasses

HEIGHTS = st.lists(st.integers(0, 3), min_size=1, max_size=4).map(tuple)


@given(HEIGHTS)
@examples(50)
def test_a_lattice_has_every_combination_of_levels_once_in_order(heights):
    lattice = Lattice(heights)
    nodes = list(lattice)
    assert nodes == sorted(product(*(range(height + 1) for height in heights)))
    assert len(nodes) == lattice.size
    assert (nodes[0], nodes[-1]) == (lattice.bottom, lattice.top)


@given(HEIGHTS)
@examples(50)
def test_predecessors_are_one_level_away_in_one_column(heights):
    lattice = Lattice(heights)
    nodes = list(lattice)
    for node in nodes:
        below = {
            n for n in nodes if sorted(a - b for a, b in zip(node, n, strict=True)) == [0] * (len(heights) - 1) + [1]
        }
        assert set(lattice.predecessors(node)) == below
        assert len(lattice.predecessors(node)) == len(below)


@given(samples(quasi=(1, 4), records=(1, 8), max_height=2), st.data())
@examples(25)
def test_a_walk_visits_every_node_once_with_records_that_give_its_classes(sample, data):
    fixed = data.draw(fixed_at(sample.heights))
    wanted = [n for n in sample.nodes if naive.within(n, fixed)]
    seen = []
    for node, source in walk(NodeClasses(sample.table), fixed):
        seen.append(node)
        classes = source.at(node)
        found = dict(zip(class_keys(classes), classes.sizes.tolist(), strict=True))
        assert found == {key: len(members) for key, members in naive.classes(sample, node).items()}
    assert sorted(seen) == wanted


@given(samples(records=(1, 3)))
@examples(10)
def test_the_lattice_of_a_table_has_the_heights_of_its_quasi_identifiers(sample):
    assert Lattice.of(sample.table) == Lattice(sample.heights)


@pytest.mark.parametrize("heights", [(2, 1), (0,), (1, 1, 1)])
def test_the_bottom_has_no_predecessors(heights):
    lattice = Lattice(heights)
    assert lattice.predecessors(lattice.bottom) == []
