"""Recipes over named values: rows, trees, edges, prefixes, and one sentence for each way they can be wrong."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from strategies import attribute_of, examples, trees

from shoal.data.domain import Categorical, Grid, Origin
from shoal.data.hierarchies.paths import Paths, Prefixes, edge_paths, tree_paths
from shoal.errors import HierarchyError

ROWS = (("a", "A", "*"), ("b", "A", "*"), ("c", "C", "*"))


# Rows


@pytest.mark.parametrize(
    ("rows", "sentence"),
    [
        ((), "sex.csv is empty or has one level only; give each value at least a root"),
        ((("a",), ("b",)), "sex.csv is empty or has one level only"),
        ((("a", "A", "*"), ("b", "*")), "sex.csv, row 2: 2 levels where row 1 has 3; repeat a value to fill"),
        ((("a", "A", "*"), ("b", "", "*")), "sex.csv, row 2: the cell of level 1 is blank; repeat the value"),
        ((("", "A", "*"),), "sex.csv, row 1: the cell of level 0 is blank"),
        ((*ROWS, ("a", "A", "*")), "sex.csv: 'a' stands in more than one row; keep one of them"),
        ((("a", "*"), ("b", "?")), r"sex.csv: the last level has 2 values \('\*', '\?'\), so there is more than"),
        ((("a", "A", "x", "*"), ("b", "A", "y", "*")), "sex.csv: 'A' on level 1 has two parents, 'x' and 'y'; give"),
    ],
)
def test_rows_that_make_no_tree_are_refused(rows, sentence):
    with pytest.raises(HierarchyError, match=sentence):
        Paths(rows, "sex.csv")


def test_rows_declare_their_first_column_as_the_domain():
    assert Paths(ROWS).leaves() == Categorical(("a", "b", "c"))


def test_declared_values_that_rows_do_not_cover_are_named():
    with pytest.raises(HierarchyError, match=r"column 'x': f.csv covers 3 of 5 declared values; missing 'd', 'e'\."):
        Paths(ROWS, "f.csv").build(Categorical(("a", "d", "b", "c", "e")), "x")


def test_many_uncovered_values_are_named_in_part():
    with pytest.raises(HierarchyError, match="covers 3 of 8 declared values; missing 'd', 'e', 'f' and 2 more"):
        Paths(ROWS).build(Categorical(tuple("abcdefgh")), "x")


def test_observed_values_that_rows_do_not_cover_are_counted_and_not_named():
    secret = Categorical(("a", "b", "secret", "c", "private"), origin=Origin.OBSERVED)
    with pytest.raises(HierarchyError, match="covers 3 of 5 observed values") as raised:
        Paths(ROWS).build(secret, "x")
    assert "secret" not in str(raised.value)
    assert "private" not in str(raised.value)


def test_numbers_can_be_joined_by_rows_if_the_rows_keep_their_order():
    rows = (("1", "few", "*"), ("2", "few", "*"), ("3", "many", "*"))
    attribute = attribute_of("x", Paths(rows), Grid.between(1, 3))
    assert attribute.labels(attribute.hierarchy.up[1]) == ["few", "few", "many"]
    with pytest.raises(HierarchyError, match=r"'odd' on level 1 of f.csv joins values that are not neighbors"):
        Paths((("1", "odd", "*"), ("2", "even", "*"), ("3", "odd", "*")), "f.csv").build(Grid.between(1, 3), "x")


def test_an_ordered_list_keeps_its_order_under_rows_and_an_unordered_one_follows_them():
    rows = (("c", "C", "*"), ("a", "A", "*"), ("b", "A", "*"))
    ordered = attribute_of("x", Paths(rows), Categorical(("a", "b", "c"), ordered=True))
    assert ordered.domain.values == ("a", "b", "c")
    free = attribute_of("x", Paths(rows), Categorical(("a", "c", "b")))
    assert free.domain.values == ("c", "a", "b")


def test_a_missing_value_that_rows_do_not_name_stays_itself_until_the_root():
    attribute = attribute_of("x", Paths(ROWS), Categorical(("c", "b", "a")).with_missing())
    position = attribute.domain.missing
    assert [attribute.labels(nodes)[position] for nodes in attribute.hierarchy.up] == ["missing", "missing", "*"]
    named = Paths((*ROWS, ("?", "C", "*")))
    attribute = attribute_of("x", named, Categorical(("a", "b", "c", "?"), missing=3))
    assert [attribute.labels(nodes)[attribute.domain.missing] for nodes in attribute.hierarchy.up] == ["?", "C", "*"]


def test_rows_may_name_more_values_than_the_domain_has():
    attribute = attribute_of("x", Paths(ROWS), Categorical(("c",)))
    assert [attribute.labels(nodes) for nodes in attribute.hierarchy.up] == [["c"], ["C"], ["*"]]


# Trees and edges


def edges_of(paths):
    """(node, parent) pairs of a tree given as paths."""
    edges = {}
    for path in paths.values():
        steps = list(dict.fromkeys(path))
        edges |= dict(zip(steps, [*steps[1:], ""], strict=True))
    return list(edges.items())


@given(trees(max_leaves=8, max_height=4), st.randoms(use_true_random=False))
@examples(100)
def test_edges_in_any_order_make_the_tree_they_describe(tree, random):
    edges = edges_of(tree)
    random.shuffle(edges)
    rows = edge_paths(edges).rows
    assert {row[0]: list(dict.fromkeys(row)) for row in rows} == {
        leaf: list(dict.fromkeys(path)) for leaf, path in tree.items()
    }
    assert len({len(row) for row in rows}) == 1
    unsaid = [(node, parent) for node, parent in edges if parent]
    assert {row[0]: row for row in edge_paths(unsaid).rows} == {row[0]: row for row in rows}


@given(trees(max_leaves=8, max_height=4))
@examples(100)
def test_a_nested_tree_makes_the_same_rows_as_its_edges(tree):
    edges = edges_of(tree)

    def below(parent):
        return {node: below(node) for node, above in edges if above == parent}

    nested = tree_paths(below(""))
    assert {row[0]: row for row in nested.rows} == {row[0]: row for row in edge_paths(edges).rows}


def test_a_nested_tree_may_end_in_lists():
    rows = tree_paths({"Any": {"Worked": ["Private", "State"], "Never": []}}).rows
    assert rows == (("Private", "Worked", "Any"), ("State", "Worked", "Any"), ("Never", "Never", "Any"))


@pytest.mark.parametrize(
    ("edges", "sentence"),
    [
        ([("a", "x"), ("b", "y")], r"e.csv has 2 roots \('x', 'y'\); expected exactly one node without a parent"),
        ([("a", "x"), ("x", ""), ("b", "y"), ("y", "")], r"has 2 roots \('x', 'y'\)"),
        ([("a", "x"), ("a", "y"), ("x", "*"), ("y", "*")], "e.csv: 'a' has two parents, 'x' and 'y'; give the two"),
        ([("a", "b"), ("b", "a")], "has no root: its edges run in a circle"),
        ([("a", "a")], "has no root: its edges run in a circle"),
        ([("x", "*"), ("leaf", "a"), ("a", "b"), ("b", "a")], "circle"),
        ([("x", "*"), ("a", "b"), ("b", "a")], "circle"),
        ([("x", "*"), ("a", "a")], "circle"),
    ],
)
def test_edges_that_make_no_tree_are_refused(edges, sentence):
    with pytest.raises(HierarchyError, match=sentence):
        edge_paths(edges, "e.csv")


@pytest.mark.parametrize("edges", [[], [("*", "")]])
def test_edges_without_a_leaf_below_a_root_are_refused(edges):
    with pytest.raises(HierarchyError):
        edge_paths(edges)


def test_an_edge_may_be_said_twice():
    assert edge_paths([("a", "*"), ("b", "*"), ("a", "*")]).rows == (("a", "*"), ("b", "*"))


def test_a_nested_tree_with_two_roots_or_a_name_in_two_places_is_refused():
    with pytest.raises(HierarchyError, match=r"the tree has 2 roots \('x', 'y'\)"):
        tree_paths({"x": ["a"], "y": ["b"]})
    with pytest.raises(HierarchyError, match="the tree: 'a' has two parents, 'x' and 'y'"):
        tree_paths({"*": {"x": ["a"], "y": ["a"]}})


# Prefixes


@given(
    st.lists(st.text("0123", min_size=5, max_size=5), min_size=1, max_size=20, unique=True),
    st.lists(st.integers(1, 5), unique=True),
    st.booleans(),
)
@examples(100)
def test_prefixes_join_the_codes_that_begin_alike(codes, keep, missing):
    keep = sorted(keep, reverse=True)
    domain = Categorical(tuple(codes))
    attribute = attribute_of("zip", Prefixes(tuple(keep)), domain.with_missing() if missing else domain)
    assert attribute.hierarchy.height == len(keep or [4, 3, 2, 1]) + 1
    for level, characters in enumerate(keep or [4, 3, 2, 1], start=1):
        labels = attribute.labels(attribute.hierarchy.up[level])
        for value, label in zip(attribute.domain.values, labels, strict=True):
            assert label == ("missing" if value == "missing" else value[:characters] + "*" * (5 - characters))


def test_codes_of_unequal_length_keep_what_they_have():
    attribute = attribute_of("zip", Prefixes(), Categorical(("12", "123", "1", "2")))
    assert [attribute.labels(nodes) for nodes in attribute.hierarchy.up] == [
        ["1", "12", "123", "2"],
        ["1", "12", "12*", "2"],
        ["1", "1**", "1**", "2"],
        ["*", "*", "*", "*"],
    ]


@pytest.mark.parametrize("keep", [(0,), (1, 2), (3, 3), (-1,)])
def test_prefixes_keep_falling_numbers_of_characters(keep):
    with pytest.raises(HierarchyError, match="prefixes keep falling numbers of characters, such as 4, 3, 2"):
        Prefixes(keep)


def test_prefixes_need_named_values():
    with pytest.raises(HierarchyError, match="column 'zip': prefixes need named values"):
        Prefixes().build(Grid.between(0, 9), "zip")
