"""Tables, recodings and classes: what a method sees, against rows of labels."""

from decimal import Decimal
from unittest.mock import patch

import naive
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from strategies import attribute_of, examples, nodes_of, samples, table_of

from shoal.data.counts import Counts
from shoal.data.domain import Grid
from shoal.data.encoded import EncodedTable
from shoal.data.hierarchies.build import Intervals
from shoal.data.recoding import FullDomain
from shoal.data.schema import Role
from shoal.errors import ParameterError, SchemaError
from shoal.search import lattice
from shoal.search.lattice import NodeClasses

SMALL = table_of(
    {
        "age": (Role.QUASI_IDENTIFIER, {"1": ("1", "low", "*"), "2": ("2", "low", "*"), "9": ("9", "high", "*")}),
        "ill": (Role.SENSITIVE, ["flu", "cold"]),
    },
    [("1", "flu"), ("2", "flu"), ("9", "cold"), ("1", "cold")],
)


def classes_seen(sample, classes):
    """The classes as {recoded quasi-identifiers: (size, {column: {value: records}})}, read through the public face."""
    attributes = classes.table.quasi_identifiers
    labels = [attribute.labels(classes.nodes(i)) for i, attribute in enumerate(attributes)]
    keys = list(zip(*labels, strict=True))
    assert len(set(keys)) == len(keys)
    histograms = {name: classes.histogram(name).tolist() for name in sample.sensitive_names}
    return {
        key: (
            int(classes.sizes[g]),
            {
                name: {v: c for v, c in zip(classes.table[name].domain.values, histogram[g], strict=True) if c}
                for name, histogram in histograms.items()
            },
        )
        for g, key in enumerate(keys)
    }


def classes_recounted(sample, node):
    """The same from rows."""
    recounted = {}
    for key, members in naive.classes(sample, node).items():
        values = {}
        for name in sample.sensitive_names:
            position = sample.names.index(name)
            values[name] = {v: len(p) for v, p in naive.grouped(sample.rows[i][position] for i in members).items()}
        recounted[key] = (len(members), values)
    return recounted


@given(samples(), st.data())
@examples(50)
def test_classes_at_a_node_are_the_rows_that_look_alike(sample, data):
    node = data.draw(nodes_of(sample))
    classes = NodeClasses(sample.table).at(node)
    assert classes_seen(sample, classes) == classes_recounted(sample, node)
    assert classes.total == len(sample.rows)
    assert len(classes) == len(naive.classes(sample, node))


@given(samples(), st.data())
@examples(40)
def test_one_object_gives_the_classes_of_any_sequence_of_nodes(sample, data):
    """Keys of the last node are reused; the result must not depend on what was asked before."""
    source = NodeClasses(sample.table)
    for node in data.draw(st.lists(nodes_of(sample), min_size=2, max_size=6)):
        assert classes_seen(sample, source.at(node)) == classes_recounted(sample, node)


@given(samples(), st.data())
@examples(40)
def test_labels_and_rows_tell_which_records_a_class_has(sample, data):
    node = data.draw(nodes_of(sample))
    classes = NodeClasses(sample.table).at(node)
    which = np.array(data.draw(st.lists(st.booleans(), min_size=len(classes), max_size=len(classes))))
    labels = classes.labels
    assert np.bincount(labels, weights=sample.table.counts.sizes).tolist() == classes.sizes.tolist()
    assert classes.row_sizes.tolist() == classes.sizes[labels].tolist()
    assert classes.rows(which).tolist() == [row for row, label in enumerate(labels.tolist()) if which[label]]


@given(samples(), st.data())
@examples(50)
def test_a_coarsened_table_has_the_same_classes_at_every_coarser_node(sample, data):
    floor = data.draw(nodes_of(sample))
    names = data.draw(st.lists(st.sampled_from(range(len(floor))), unique=True))
    floor = tuple(level if i in names else 0 for i, level in enumerate(floor))
    coarse = sample.table.coarsened({sample.quasi_names[i]: floor[i] for i in names})
    assert coarse.total == sample.table.total
    rest = [i for i in range(len(sample.names)) if i not in sample.quasi]
    merged = {
        (*key, *(row[i] for i in rest)) for key, row in zip(naive.recoded(sample, floor), sample.rows, strict=True)
    }
    assert len(coarse.counts) == len(merged)
    above = [node for node in sample.nodes if all(a >= b for a, b in zip(node, floor, strict=True))]
    node = data.draw(st.sampled_from(above))
    assert classes_seen(sample, NodeClasses(coarse).at(node)) == classes_recounted(sample, node)


@given(samples(), st.data())
@examples(40)
def test_classes_from_merged_records_are_those_of_the_table(sample, data):
    floor = data.draw(nodes_of(sample))
    step = data.draw(st.sampled_from([n for n in sample.nodes if all(a >= b for a, b in zip(n, floor, strict=True))]))
    node = data.draw(st.sampled_from([n for n in sample.nodes if all(a >= b for a, b in zip(n, step, strict=True))]))
    merged = NodeClasses(sample.table).above(floor).above(step)
    assert classes_seen(sample, merged.at(node)) == classes_recounted(sample, node)


@given(samples(), st.data())
@examples(40)
def test_a_full_domain_recoding_rolls_rows_up(sample, data):
    node = data.draw(nodes_of(sample))
    recoding = FullDomain(dict(zip(sample.quasi_names, node, strict=True)))
    counts = recoding.apply(sample.table)
    columns = []
    for attribute in sample.table.attributes:
        codes = counts.column(attribute.name)
        if attribute.name in sample.quasi_names:
            level = attribute.hierarchy.levels[recoding.levels[attribute.name]]
            columns.append(attribute.labels(level.nodes[codes]))
            found = recoding.lookup(attribute)
            up = attribute.hierarchy.up[recoding.levels[attribute.name]]
            assert found.shown.nodes[found.codes].tolist() == up.tolist()
        else:
            columns.append(attribute.domain.labels(codes))
    published = dict(zip(zip(*columns, strict=True), counts.sizes.tolist(), strict=True))
    wanted = {}
    for row, shown in zip(sample.rows, naive.recoded(sample, node), strict=True):
        whole = list(row)
        for position, label in zip(sample.quasi, shown, strict=True):
            whole[position] = label
        wanted[tuple(whole)] = wanted.get(tuple(whole), 0) + 1
    assert published == wanted


@given(samples())
@examples(40)
def test_a_table_knows_its_size_its_distinct_records_and_its_marginals(sample):
    table = sample.table
    assert table.total == len(sample.rows)
    assert table.distinct == len(naive.classes(sample, (0,) * len(sample.quasi)))
    assert table.weights.tolist() == table.counts.sizes.tolist()
    assert [a.name for a in table.quasi_identifiers] == sample.quasi_names
    assert [a.name for a in table.sensitive] == sample.sensitive_names
    for position, attribute in enumerate(table.attributes):
        wanted = [sum(row[position] == value for row in sample.rows) for value in attribute.domain.values]
        assert table.marginal(attribute.name).tolist() == wanted
    half = np.arange(0, len(table.counts), 2)
    assert table.marginal(table.attributes[0].name, half).sum() == table.counts.sizes[half].sum()


def test_all_columns_of_a_table_can_be_made_quasi_identifiers():
    table = SMALL.table.all_quasi_identifiers()
    assert [attribute.name for attribute in table.quasi_identifiers] == ["age", "ill"]
    assert table.sensitive == ()
    assert table.counts is SMALL.table.counts
    assert len(NodeClasses(table).at((1, 1))) == 2


@pytest.mark.parametrize("wide", [0, 1 << 17])
@given(sample=samples(quasi=(2, 3)), data=st.data())
@examples(15)
def test_classes_with_the_key_of_all_columns_but_the_last(wide, sample, data):
    """Whether columns are kept narrow or as wide as keys."""
    node, last = data.draw(nodes_of(sample)), data.draw(st.integers(0, len(sample.quasi) - 1))
    with patch.object(lattice, "_WIDE_ROWS", wide):
        classes, features = NodeClasses(sample.table, last=last).at_with_features(node)
        assert classes_seen(sample, classes) == classes_recounted(sample, node)
    labels = [attribute.labels(classes.nodes(i)) for i, attribute in enumerate(sample.table.quasi_identifiers)]
    others = list(zip(*(column for i, column in enumerate(labels) if i != last), strict=True))
    together = naive.grouped(features.tolist())
    assert sorted(map(sorted, naive.grouped(others).values())) == sorted(together.values())
    assert all(members == list(range(members[0], members[-1] + 1)) for members in together.values())


def test_classes_of_a_column_far_wider_than_the_table_is_long():
    """Keys are renumbered then; asking again must not be disturbed by it."""
    recipe = Intervals((Decimal(10), Decimal(1000)))
    attribute = attribute_of("n", recipe, Grid.between(0, 49_999))
    codes = np.array([3, 7, 40_000, 40_999, 41_000, 7], dtype=np.uint16)
    source = NodeClasses(EncodedTable((attribute,), Counts.of(["n"], [codes], [50_000])))
    for _ in range(2):
        for level, wanted in ((0, [1, 2, 1, 1, 1]), (1, [3, 1, 1, 1]), (2, [3, 2, 1]), (3, [6])):
            classes = source.at((level,))
            assert classes.sizes.tolist() == wanted
            assert attribute.labels(classes.nodes(0)) == attribute.labels(
                np.unique(attribute.hierarchy.up[level][codes])
            )


def test_an_unknown_column_is_refused_and_the_counted_ones_named():
    assert SMALL.table["ill"].role is Role.SENSITIVE
    with pytest.raises(SchemaError, match="no column 'zip' among the counted ones: 'age', 'ill'"):
        SMALL.table["zip"]


@pytest.mark.parametrize("level", [-1, 3])
def test_a_level_that_does_not_exist_is_refused(level):
    with pytest.raises(ParameterError, match=f"'age': there is no level {level}; its hierarchy has levels 0 to 2"):
        FullDomain({"age": level}).lookup(SMALL.table["age"])


def test_a_column_that_a_recoding_does_not_mention_stays_as_it_is():
    assert FullDomain({}).lookup(SMALL.table["age"]).codes.tolist() == [0, 1, 2]
    assert FullDomain({}).apply(SMALL.table).sizes.tolist() == [1, 1, 1, 1]
    assert NodeClasses(SMALL.table).recoding((1,)) == FullDomain({"age": 1})
