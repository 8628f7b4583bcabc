"""Values that are dragged into groups: no value is lost, none stands twice, and the release file says the same."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shoal.data.hierarchies.paths import tree_paths
from shoal.errors import HierarchyError
from shoal.serve.grouping import dissolved, from_parents, gathered, moved, nodes, read, renamed, values, written

TREE = {"any": {"worked": {"private": {}, "state": {}}, "never": {}, "without pay": {}}}


def test_a_value_is_moved_and_an_empty_group_vanishes():
    once = moved(TREE, ["never"], "worked")
    assert written(once) == {"any": {"worked": ["private", "state", "never"], "without pay": []}}
    again = moved(once, ["private", "state", "never"], "any")
    assert written(again) == {"any": ["without pay", "private", "state", "never"]}


def test_a_group_is_made_renamed_put_into_another_and_dissolved():
    tree = gathered(TREE, ["never", "without pay"], "unpaid")
    assert written(tree)["any"]["unpaid"] == ["never", "without pay"]
    tree = renamed(tree, "unpaid", "no pay")
    tree = moved(tree, ["no pay"], "worked")
    assert list(tree["any"]) == ["worked"]
    assert tree["any"]["worked"]["no pay"] == {"never": {}, "without pay": {}}
    assert set(dissolved(tree, "no pay")["any"]["worked"]) == {"private", "state", "never", "without pay"}
    assert dissolved(tree, "any") == tree


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda: moved(TREE, ["any"], "worked"), "into itself"),
        (lambda: moved(TREE, ["worked"], "worked"), "into itself"),
        (lambda: moved(TREE, ["never"], "private"), "no group 'private'"),
        (lambda: gathered(TREE, ["never"], "worked"), "there already"),
        (lambda: gathered(TREE, ["never"], "  "), "needs a name"),
        (lambda: gathered(TREE, [], "new"), "choose some"),
        (lambda: gathered(TREE, ["any"], "new"), "choose some"),
        (lambda: renamed(TREE, "never", "always"), "keeps its name"),
        (lambda: renamed(TREE, "worked", "never"), "there already"),
    ],
)
def test_what_makes_no_tree_is_told(change, said):
    with pytest.raises(HierarchyError, match=said):
        change()


def test_groups_without_a_root_get_one():
    assert read({"a": ["1"], "b": ["2"]}) == {"*": {"a": {"1": {}}, "b": {"2": {}}}}
    assert read({"*": ["1"], "b": ["2"]}) == {"* 2": {"*": {"1": {}}, "b": {"2": {}}}}


def test_a_hierarchy_that_repeats_a_name_becomes_a_tree():
    labels, parents = ["a", "b", "b", "*"], [3, 2, 3, 3]
    assert from_parents(labels, parents, [3, 0, 2, 1]) == {"*": {"a": {}, "b": {}}}
    assert from_parents(["a", "a"], [1, 1], [1, 0]) == {"*": {"a": {}}}


STEPS = st.lists(
    st.tuples(
        st.sampled_from(["move", "gather", "dissolve"]), st.sets(st.integers(0, 30), max_size=4), st.integers(0, 30)
    ),
    max_size=8,
)


@given(st.integers(2, 8), STEPS)
def test_whatever_is_dragged_every_value_stays_once_and_the_release_file_can_be_read(count, steps):
    tree = {"*": {f"v{i}": {} for i in range(count)}}
    for number, (what, picked, to) in enumerate(steps):
        names = [name for name, _, _ in nodes(tree)]
        some = [names[i % len(names)] for i in sorted(picked)]
        try:
            if what == "move":
                tree = moved(tree, some, names[to % len(names)])
            elif what == "gather":
                tree = gathered(tree, some, f"g{number}")
            else:
                tree = dissolved(tree, names[to % len(names)])
        except HierarchyError:
            continue
        assert sorted(values(tree)) == [f"v{i}" for i in range(count)]
        assert len(tree) == 1
        assert read(written(tree)) == tree
        assert sorted(row[0] for row in tree_paths(written(tree)).rows) == sorted(values(tree))
