"""What every hierarchy must be, whichever recipe made it, and its lookups against the labels it writes."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from strategies import attribute_of, examples, hierarchies, trees

from shoal.data.domain import Categorical
from shoal.data.hierarchies.hierarchy import Hierarchy
from shoal.data.hierarchies.paths import Paths, Prefixes
from shoal.errors import HierarchyError


def ranges(hierarchy):
    """The leaves under each node, as sets."""
    return [
        set(range(first, first + count))
        for first, count in zip(hierarchy.first.tolist(), hierarchy.leaf_count.tolist(), strict=True)
    ]


@given(hierarchies())
@examples(80)
def test_leaves_come_first_and_the_root_last(attribute):
    hierarchy = attribute.hierarchy
    assert hierarchy.leaves == attribute.domain.size
    assert hierarchy.up[0].tolist() == list(range(hierarchy.leaves))
    assert set(hierarchy.up[-1].tolist()) == {hierarchy.root} == {len(hierarchy.parent) - 1}
    assert len(hierarchy.parent) == hierarchy.leaves + len(hierarchy.inner_labels)


@given(hierarchies())
@examples(80)
def test_every_node_covers_the_range_of_leaves_it_stands_for_at_each_of_its_levels(attribute):
    hierarchy = attribute.hierarchy
    covered = ranges(hierarchy)
    assert covered[: hierarchy.leaves] == [{leaf} for leaf in range(hierarchy.leaves)]
    assert covered[hierarchy.root] == set(range(hierarchy.leaves))
    seen = set()
    for level in hierarchy.up.tolist():
        for node in set(level):
            assert {leaf for leaf, mine in enumerate(level) if mine == node} == covered[node]
        seen |= set(level)
    assert seen == set(range(len(hierarchy.parent)))


@given(hierarchies())
@examples(80)
def test_levels_nest_and_parents_are_one_step_up_the_levels(attribute):
    hierarchy = attribute.hierarchy
    covered, up = ranges(hierarchy), hierarchy.up.tolist()
    for leaf in range(hierarchy.leaves):
        path = list(dict.fromkeys(level[leaf] for level in up))
        for node, above in zip(path, [*path[1:], path[-1]], strict=True):
            assert hierarchy.parent[node] == above
            assert covered[node] <= covered[above]
            assert above >= node
    assert [node for node, above in enumerate(hierarchy.parent.tolist()) if node == above] == [hierarchy.root]


@given(hierarchies())
@examples(60)
def test_a_level_is_a_lookup_into_its_nodes_numbered_along_the_leaves(attribute):
    hierarchy = attribute.hierarchy
    assert len(hierarchy.levels) == hierarchy.height + 1
    for nodes, level in zip(hierarchy.up, hierarchy.levels, strict=True):
        assert level.nodes[level.codes].tolist() == nodes.tolist()
        assert level.size == len(set(nodes.tolist()))
        assert level.codes.tolist() == sorted(level.codes.tolist())


@given(hierarchies())
@examples(60)
def test_the_level_of_a_node_is_the_lowest_at_which_it_stands(attribute):
    hierarchy = attribute.hierarchy
    for node, level in enumerate(hierarchy.level_of.tolist()):
        assert level == min(i for i, nodes in enumerate(hierarchy.up.tolist()) if node in nodes)


@given(hierarchies())
@examples(60)
def test_labels_of_one_level_are_all_different(attribute):
    for level in attribute.hierarchy.levels:
        labels = attribute.labels(level.nodes)
        assert len(set(labels)) == len(labels)


def ancestors(hierarchy, node):
    """The node and everything above it, by walking."""
    path = [node]
    while hierarchy.parent[path[-1]] != path[-1]:
        path.append(int(hierarchy.parent[path[-1]]))
    return path


@given(hierarchies(), st.data())
@examples(70)
def test_the_common_ancestor_is_the_first_node_both_paths_share(attribute, data):
    hierarchy = attribute.hierarchy
    node = st.integers(0, len(hierarchy.parent) - 1)
    pairs = data.draw(st.lists(st.tuples(node, node), min_size=1, max_size=20))
    left, right = (np.array(side, dtype=np.int32) for side in zip(*pairs, strict=True))
    wanted = [next(a for a in ancestors(hierarchy, x) if a in ancestors(hierarchy, y)) for x, y in pairs]
    assert hierarchy.common_ancestor(left, right).tolist() == wanted
    assert hierarchy.common_ancestor(right, left).tolist() == wanted


@given(hierarchies(), st.data())
@examples(70)
def test_a_node_covers_itself_and_what_has_it_among_its_ancestors(attribute, data):
    hierarchy = attribute.hierarchy
    node = st.integers(0, len(hierarchy.parent) - 1)
    pairs = data.draw(st.lists(st.tuples(node, node), min_size=1, max_size=20))
    left, right = (np.array(side, dtype=np.int32) for side in zip(*pairs, strict=True))
    assert hierarchy.covers(left, right).tolist() == [x in ancestors(hierarchy, y) for x, y in pairs]


@given(trees(max_leaves=9, max_height=4), st.randoms(use_true_random=False))
@examples(70)
def test_a_tree_given_as_paths_is_read_back_level_by_level(tree, random):
    rows, values = list(tree.values()), list(tree)
    random.shuffle(rows)
    random.shuffle(values)
    attribute = attribute_of("x", Paths(tuple(rows)), Categorical(tuple(values)))
    assert sorted(attribute.domain.values) == sorted(tree)
    for level, nodes in enumerate(attribute.hierarchy.up):
        assert attribute.labels(nodes) == [tree[value][level] for value in attribute.domain.values]


@given(trees(max_leaves=8, max_height=4))
@examples(60)
def test_a_repeated_label_is_one_node_and_a_new_label_a_new_one(tree):
    attribute = attribute_of("x", Paths(tuple(tree.values())), Categorical(tuple(tree)))
    assert len(attribute.hierarchy.parent) == len({label for path in tree.values() for label in path})


def test_a_ragged_leaf_stands_for_itself_until_its_parent_comes():
    rows = (("a", "ab", "*"), ("b", "ab", "*"), ("c", "c", "*"))
    hierarchy = attribute_of("x", Paths(rows), Categorical(("a", "b", "c"))).hierarchy
    assert hierarchy.up.tolist() == [[0, 1, 2], [3, 3, 2], [4, 4, 4]]
    assert hierarchy.parent.tolist() == [3, 3, 4, 4, 4]
    assert hierarchy.level_of.tolist() == [0, 0, 0, 1, 2]


def test_a_chain_of_nodes_over_the_same_leaves_keeps_its_order():
    rows = (("a", "A", "AA", "*"), ("b", "b", "b", "*"))
    hierarchy = attribute_of("x", Paths(rows), Categorical(("a", "b"))).hierarchy
    chain = np.array([0, 2, 3, 4], dtype=np.int32)
    assert hierarchy.up[:, 0].tolist() == chain.tolist()
    assert hierarchy.covers(chain[1:], chain[:-1]).all()
    assert not hierarchy.covers(chain[:-1], chain[1:]).any()
    assert hierarchy.common_ancestor(chain[:1], chain[2:3]).tolist() == [3]


def test_a_flat_hierarchy_keeps_or_hides():
    hierarchy = Hierarchy.flat(3)
    assert hierarchy.up.tolist() == [[0, 1, 2], [3, 3, 3]]
    assert list(hierarchy.inner_labels) == ["*"]


def test_levels_that_never_come_together_are_refused():
    with pytest.raises(HierarchyError, match="the last level of a hierarchy must put all values together"):
        Hierarchy.from_levels(3, [np.array([0, 0, 1])], [["x", "y"]], str)


@given(
    st.lists(st.text("01a", min_size=1, max_size=4), min_size=1, max_size=12, unique=True),
    st.lists(st.integers(1, 4), max_size=3, unique=True),
    st.booleans(),
)
def test_prefixes_are_those_of_a_row_for_each_value(values, keep, has_missing):
    """With or without a row for each value, the same nodes under the same names."""
    recipe, domain = Prefixes(tuple(sorted(keep, reverse=True))), Categorical(tuple(values))
    domain = domain.with_missing() if has_missing else domain
    settled, found = recipe.build(domain, "zip")
    longest = max(map(len, values))
    kept = recipe.keep or tuple(range(longest - 1, 0, -1))
    rows = [(v, *(v[:n] + "*" * (longest - n) if len(v) > n else v for n in kept), "*") for v in sorted(values)]
    _, naive = Paths(tuple(rows)).build(Categorical(settled.values, ordered=True, missing=settled.missing), "zip")
    assert (found.up == naive.up).all()
    assert list(found.inner_labels) == list(naive.inner_labels)


def test_numbers_in_a_hierarchy_file_keep_their_order():
    """So that a range of them is a range; unless a group joins numbers that are no neighbors."""
    rows = (("10", "old", "*"), ("9", "young", "*"), ("2", "young", "*"))
    assert Paths(rows).leaves() == Categorical(("2", "9", "10"), ordered=True)
    apart = (("10", "some", "*"), ("9", "others", "*"), ("2", "some", "*"))
    assert Paths(apart).leaves() == Categorical(("10", "9", "2"))
    assert Paths((("007", "*"), ("010", "*"))).leaves() == Categorical(("007", "010"))
