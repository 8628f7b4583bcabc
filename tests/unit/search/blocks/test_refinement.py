"""Blocks of class sizes: the same classes as counting node by node, in NumPy and compiled, whatever is kept."""

from collections import Counter
from itertools import product

import naive
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from strategies import examples, nodes_of, samples

from shoal.kernels import earning, grouping
from shoal.search.blocks import pricing_compiled, refinement, refining
from shoal.search.blocks.block_scores import Cells, Classes, Majorities, SchemeScores, WorthTable
from shoal.search.blocks.node_blocks import NodeBlocks
from shoal.search.blocks.refinement import Refinement
from shoal.search.blocks.refining_compiled import CompiledLoops

SHAPE = {"quasi": (1, 4), "sensitive": (0, 0), "records": (0, 30)}


def sizes_at(source, node):
    """The class sizes that a source tells for one node, one level of each of the last columns at a time."""
    prefix, rest = source.split(node)
    suffix = source.suffix(tuple((level,) for level in rest))
    found = Counter()
    for block in source.blocks(prefix, suffix):
        found.update(block.sizes.ravel().tolist())
    return found


def large(counter, least):
    return {size: n for size, n in counter.items() if size >= least}


@pytest.mark.parametrize("cells", [1, 6, 1000])
@given(data=st.data())
@examples(40)
def test_classes_that_are_large_enough_are_those_of_the_definition(cells, data):
    sample = data.draw(samples(**SHAPE))
    least = data.draw(st.integers(1, 4))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(refinement, "_CELLS", cells)
        patch.setattr(refinement, "_CHUNK", 8)
        patch.setattr(refinement, "_KEPT_BYTES", data.draw(st.sampled_from([0, 1 << 28])))
        patch.setattr(refinement, "_WIDEST", data.draw(st.sampled_from([1 << 52, 8, 40, 200, 1000])))
        source = Refinement(sample.table, least)
        for node in data.draw(st.lists(nodes_of(sample), min_size=1, max_size=8)):
            true = Counter(len(rows) for rows in naive.classes(sample, node).values())
            assert large(sizes_at(source, node), least) == large(true, least)
            assert large(sizes_at(NodeBlocks(sample.table), node), 1) == dict(true)


@given(data=st.data())
@examples(25)
def test_compiled_loops_give_what_those_of_numpy_give(data):
    sample = data.draw(samples(**SHAPE))
    table, least = sample.table, data.draw(st.integers(1, 3))
    nodes = list(product(*(range(a.hierarchy.height + 1) for a in table.quasi_identifiers)))
    scores = []
    with pytest.MonkeyPatch.context() as patch:
        if data.draw(st.booleans()):  # equal cells are found by hashing, not in a table of all
            patch.setattr(grouping, "dense_limit", lambda _: 0)
        for loops, wide in ((refining, 0), (CompiledLoops(), 0), (refining, 1), (CompiledLoops(), 2)):
            source = Refinement(table, least)
            source._kernel, source._wide = loops, min(wide, source.depth)  # as if so many columns fit into no cell
            levels = [a.hierarchy.height + 1 for a in table.quasi_identifiers]
            of = SchemeScores(source, Classes(lambda sizes: np.where(sizes < least, 0, sizes**2)), levels)
            scores.append(of.of_all(nodes).tolist())
            assert scores[-1] == [of.of(node) for node in nodes]
    assert scores[0] == scores[1] == scores[2] == scores[3]


@given(data=st.data())
@examples(40)
def test_cells_are_priced_alike_in_one_compiled_pass_and_by_the_definition(data):
    sample = data.draw(samples(**SHAPE))
    table, least = sample.table, data.draw(st.integers(1, 3))
    values = np.cumsum([0] * least + data.draw(st.lists(st.integers(0, 9), min_size=1, max_size=6)))
    worth = WorthTable(values, data.draw(st.integers(0, 5)), data.draw(st.sampled_from([None, table.total])))
    hierarchies = [a.hierarchy for a in table.quasi_identifiers]
    prices = [np.array(data.draw(st.lists(st.integers(0, 7), min_size=n, max_size=n)))
              for n in (len(h.parent) for h in hierarchies)]  # fmt: skip
    nodes = list(product(*(range(h.height + 1) for h in hierarchies)))
    scores = []
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(refinement, "_CELLS_OF_ALL", data.draw(st.sampled_from([1, 6, 1000])))
        patch.setattr(refinement, "_CHUNK", data.draw(st.sampled_from([8, 1 << 20])))
        patch.setattr(pricing_compiled, "_AT_ONCE", data.draw(st.sampled_from([1, 2, 256])))
        for enough in (0, 10**18):
            patch.setattr(refinement, "_MANY_VISITS", enough)
            source = Refinement(table, least, looks=len(nodes), one_pass=True)
            assert (source._kernel is refining) == bool(enough)
            of = SchemeScores(source, Cells(worth, prices), [h.height + 1 for h in hierarchies])
            scores.append(of.of_all(nodes).tolist())
            assert scores[-1] == [of.of(node) for node in nodes]
    assert scores[0] == scores[1] == [priced(sample, node, values, worth.slope, prices) for node in nodes]


@given(data=st.data())
@examples(80)
def test_scores_near_the_best_are_exact_and_bounds_on_others_are_no_lower_than_they_are(data):
    sample = data.draw(samples(quasi=(2, 4), sensitive=(0, 0), records=(0, 60)))
    table, least = sample.table, data.draw(st.integers(1, 3))
    hierarchies = [a.hierarchy for a in table.quasi_identifiers]
    values = np.cumsum([0] * least + data.draw(st.lists(st.integers(0, 9), min_size=1, max_size=6)))
    worth = WorthTable(values, data.draw(st.integers(0, 5)))
    prices = [np.array(data.draw(st.lists(st.integers(0, 7), min_size=n, max_size=n)))
              for n in (len(h.parent) for h in hierarchies)]  # fmt: skip
    last = data.draw(st.sampled_from([None, 0]))
    score = Cells(worth, prices) if last is None else Majorities(worth)
    is_fixed = last is not None and data.draw(st.booleans())  # the target is told by its leaves
    every = [range(1 if is_fixed and i == last else h.height + 1) for i, h in enumerate(hierarchies)]
    nodes = list(product(*every))[: -1 if data.draw(st.booleans()) else None]  # the coarsest may be no candidate
    far = data.draw(st.integers(0, 40))
    if not nodes:
        return
    with pytest.MonkeyPatch.context() as patch:
        for name in ("_CELLS_OF_ALL", "_CELLS_IN_ONE_PASS"):
            patch.setattr(refinement, name, data.draw(st.sampled_from([1, 6, 1000])))
        patch.setattr(refinement, "_CHUNK", data.draw(st.sampled_from([1, 8, 1 << 20])))
        patch.setattr(refinement, "_MANY_VISITS", 0)
        if data.draw(st.booleans()):
            patch.setattr(grouping, "dense_limit", lambda _: 0)
        source = Refinement(table, least, last=last, looks=len(nodes), one_pass=last is None)
        source._wide = min(data.draw(st.integers(0, 2)), source.depth)
        of = SchemeScores(source, score, [h.height + 1 for h in hierarchies])
        true = of.of_all(nodes)
        scores, is_exact = of.near_the_best(nodes, far)
    assert true.tolist() == [of.of(node) for node in nodes]
    assert np.array_equal(scores[is_exact], true[is_exact])
    assert np.all(scores[~is_exact] >= true[~is_exact])
    assert np.all(scores[~is_exact] < true.max() - far)
    assert is_exact[true.argmax()]


def priced(sample, node, values, slope, prices):
    """What all classes of a node are worth, each times what its cells cost."""
    found = 0
    for rows in naive.classes(sample, node).values():
        size, row = len(rows), dict(zip(sample.names, sample.rows[rows[0]], strict=True))
        worth = int(values[min(size, len(values) - 1)]) + max(size - len(values) + 1, 0) * slope
        columns = zip(sample.table.quasi_identifiers, node, prices, strict=True)
        cells = [of[a.hierarchy.up[level, a.domain.values.index(row[a.name])]] for a, level, of in columns]
        found += worth * int(sum(cells))
    return found


@given(data=st.data())
@examples(5)
def test_large_searches_are_compiled_and_small_ones_are_not(data):
    table = data.draw(samples(**SHAPE)).table
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(earning, "_made", 0)
        assert Refinement(table, 1, looks=5)._kernel is refining
        patch.setattr(earning, "_made", refinement._MANY_VISITS)  # by earlier searches of this process
        assert Refinement(table, 1, looks=5)._kernel is not refining
