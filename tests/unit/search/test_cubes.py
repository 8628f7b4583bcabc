"""Classes that are added up from those of a finer node have the sizes they have when they are counted."""

from collections import Counter
from unittest.mock import patch

import pytest
from hypothesis import given
from hypothesis import strategies as st
from strategies import examples, nodes_of, samples

from shoal.search import cubes
from shoal.search.cubes import Cubes
from shoal.search.lattice import NodeClasses


@pytest.mark.parametrize(("most_cells", "most_cubes"), [(1, 32), (6, 1), (6, 32), (10**6, 1), (10**6, 32)])
@given(data=st.data())
@examples(40)
def test_sizes_are_those_that_are_counted(most_cells, most_cubes, data):
    sample = data.draw(samples(quasi=(1, 4), sensitive=(0, 1), records=(1, 25)))
    with patch.object(cubes, "_MOST_CELLS", most_cells), patch.object(cubes, "_MOST_CUBES", most_cubes):
        counted = Cubes(NodeClasses(sample.table))
        for _ in range(6):
            node = data.draw(nodes_of(sample))
            lo = tuple(data.draw(st.integers(0, level)) for level in node)
            sizes = counted.sizes(node, lo)
            assert Counter(sizes[sizes > 0].tolist()) == Counter(NodeClasses(sample.table).at(node).sizes.tolist())


@given(sample=samples(quasi=(1, 2), records=(10, 25)))
@examples(20)
def test_records_are_passed_over_once_for_all_nodes_above_one(sample):
    classes = NodeClasses(sample.table)
    bottom, passed = (0,) * len(sample.table.quasi_identifiers), []
    counted, at = Cubes(classes), classes.at
    counted._most_cells = 10**6  # more than there are records, which is where it pays
    with patch.object(classes, "at", lambda node: passed.append(node) or at(node)):
        for node in sample.nodes:
            counted.sizes(node, bottom)
    assert passed == [bottom]
