"""The C4.5-like tree, on cases worked by hand and against a plain recursive one."""

from collections import Counter
from math import log2

import numpy as np
import pytest
from golf import GOLF, NAMES, as_examples
from hypothesis import given
from hypothesis import strategies as st

from shoal.errors import ParameterError
from shoal.evaluate import DecisionTree, Examples, accuracy
from shoal.evaluate.learning.tree import expected_errors


def test_quinlans_golf_tree_splits_by_outlook_then_humidity_and_windy():
    """Quinlan 1986: outlook has the best gain ratio; sunny splits by humidity, rain by windy, overcast is pure."""
    examples = as_examples(GOLF)
    tree = DecisionTree(confidence=1.0, smallest=1).fit(examples)
    assert NAMES[tree.root] == "outlook"
    assert tree.leaves == 5
    assert accuracy(tree, examples) == 1.0


def test_the_gain_ratios_of_golf_are_those_of_the_book():
    """Gains 0.247, 0.029, 0.152, 0.048 bits; only outlook and humidity gain the average 0.119 or more.

    Ratios: outlook 0.247 / 1.577 = 0.156, humidity 0.152 / 1 = 0.152.
    """
    rows = [(r[:4], r[4]) for r in GOLF]
    gains = [_gain(rows, i) for i in range(4)]
    assert gains == pytest.approx([0.2467, 0.0292, 0.1518, 0.0481], abs=1e-4)
    assert _width(rows, 0) == pytest.approx(1.5774, abs=1e-4)


def test_expected_errors_are_those_of_the_book():
    """Quinlan 1993, §4.2: U25%(0, 6) = 0.206, U25%(0, 9) = 0.143, U25%(0, 1) = 0.750; Weka has 1.5 more for E = 1."""
    records = np.array([6.0, 9.0, 1.0])
    assert expected_errors(records, np.zeros(3), 0.25) / records == pytest.approx([0.206, 0.143, 0.750], abs=1e-3)
    z, n, f = 0.6744897501960817, 16.0, 1.5 / 16
    wilson = (f + z**2 / (2 * n) + z * (f / n - f**2 / n + z**2 / (4 * n**2)) ** 0.5) / (1 + z**2 / n)
    assert expected_errors(np.array([16.0]), np.array([1.0]), 0.25)[0] == pytest.approx(16 * wilson)


def test_expected_errors_are_all_records_when_all_are_wrong():
    assert expected_errors(np.array([4.0]), np.array([4.0]), 0.25)[0] == 4.0


def test_expected_errors_rise_with_errors_and_fall_with_confidence():
    errors = np.arange(0, 20, 0.5)
    few, many = (expected_errors(np.full(len(errors), 20.0), errors, c) for c in (0.5, 0.1))
    assert (np.diff(few) >= 0).all()
    assert (few <= many).all()
    assert (errors <= few).all()


def test_a_split_that_helps_by_chance_is_pruned():
    """16 records, one of the other label, in a branch of two: the branches are expected to err more than a leaf."""
    rows = [("a", 0)] * 13 + [("b", 0), ("b", 1), ("c", 0)]
    examples = _examples([((value,), label) for value, label in rows])
    assert DecisionTree().fit(examples).root is None


def test_a_split_needs_two_branches_of_the_smallest_size():
    examples = _examples([(("a",), 0)] * 9 + [(("b",), 1)])
    assert DecisionTree(confidence=1.0, smallest=2).fit(examples).root is None
    assert DecisionTree(confidence=1.0, smallest=1).fit(examples).root == 0


def test_a_value_that_was_not_seen_gets_the_majority_of_the_node_it_reaches():
    train = _examples([(("a",), 0)] * 5 + [(("b",), 1)] * 3, values=3)
    test = _examples([(("c",), 0)], values=3)
    assert DecisionTree(smallest=1).fit(train).predict(test).tolist() == [0]


def test_without_features_or_gain_the_tree_is_one_leaf():
    counts = np.array([3, 4])
    bare = Examples((), (), np.array([0, 1]), 2, counts)
    tree = DecisionTree().fit(bare)
    assert (tree.root, tree.leaves, tree.predict(bare).tolist()) == (None, 1, [1, 1])


@pytest.mark.parametrize("settings", [{"confidence": 0.0}, {"confidence": 1.5}, {"smallest": 0}])
def test_settings_out_of_range_are_refused(settings):
    with pytest.raises(ParameterError):
        DecisionTree(**settings)


def test_a_tree_needs_examples():
    with pytest.raises(ParameterError, match="without examples"):
        DecisionTree().fit(Examples((), (), np.zeros(0, int), 2, np.zeros(0, int)))


RECORDS = st.lists(
    st.tuples(st.tuples(st.integers(0, 2), st.integers(0, 1), st.integers(0, 3)), st.integers(0, 2)),
    min_size=1,
    max_size=40,
)


@given(rows=RECORDS, confidence=st.sampled_from([0.1, 0.25, 1.0]), smallest=st.integers(1, 3))
def test_it_predicts_as_a_plain_recursive_tree_does(rows, confidence, smallest):
    tree = DecisionTree(confidence=confidence, smallest=smallest).fit(_coded(rows))
    plain, _ = _plain(rows, confidence, smallest)
    every = [((a, b, c), 0) for a in range(3) for b in range(2) for c in range(4)]
    assert tree.predict(_coded(every)).tolist() == [_answer(plain, features) for features, _ in every]


@given(rows=RECORDS)
def test_weights_stand_for_repeated_records(rows):
    counted = Counter(rows)
    weighted = _coded(list(counted))
    weighted = Examples(
        weighted.features, weighted.cardinalities, weighted.labels, weighted.classes, np.array(list(counted.values()))
    )
    every = _coded([((a, b, c), 0) for a in range(3) for b in range(2) for c in range(4)])
    trees = [DecisionTree().fit(examples) for examples in (_coded(rows), weighted)]
    assert trees[0].predict(every).tolist() == trees[1].predict(every).tolist()


# A tree as the book describes it, record by record.


def _entropy(labels):
    n = len(labels)
    return -sum(c / n * log2(c / n) for c in Counter(labels).values())


def _gain(rows, feature):
    n = len(rows)
    parts = _parts(rows, feature)
    within = sum(len(part) / n * _entropy([y for _, y in part]) for part in parts.values())
    return _entropy([y for _, y in rows]) - within


def _width(rows, feature):
    return _entropy([x[feature] for x, _ in rows])


def _parts(rows, feature):
    parts = {}
    for x, y in rows:
        parts.setdefault(x[feature], []).append((x, y))
    return parts


def _plain(rows, confidence, smallest):
    """(majority, None) or (majority, (feature, children)), and the errors it expects."""
    counts = Counter(y for _, y in rows)
    majority = min(counts, key=lambda y: (-counts[y], y))
    leaf = (majority, None)
    n = len(rows)
    as_leaf = float(expected_errors(np.array([n]), np.array([n - counts[majority]]), confidence)[0])
    allowed = []
    for feature in range(len(rows[0][0])):
        large = sum(len(part) >= smallest for part in _parts(rows, feature).values())
        if large >= 2 and _gain(rows, feature) > 1e-9:
            allowed.append(feature)
    if not allowed:
        return leaf, as_leaf
    average = sum(_gain(rows, f) for f in allowed) / len(allowed)
    competing = [f for f in allowed if _gain(rows, f) >= average - 1e-3]
    ratios = {f: _gain(rows, f) / _width(rows, f) for f in competing}
    best = next(f for f in competing if ratios[f] >= max(ratios.values()) - 1e-12)
    children = {value: _plain(part, confidence, smallest) for value, part in _parts(rows, best).items()}
    as_tree = sum(errors for _, errors in children.values())
    if as_leaf <= as_tree + 0.1 + 1e-12:
        return leaf, as_leaf
    return (majority, (best, {value: child for value, (child, _) in children.items()})), as_tree


def _answer(tree, features):
    majority, split = tree
    if split is None or features[split[0]] not in split[1]:
        return majority
    return _answer(split[1][features[split[0]]], features)


def _coded(rows):
    columns = tuple(np.array([x[i] for x, _ in rows]) for i in range(3))
    return Examples(columns, (3, 2, 4), np.array([y for _, y in rows]), 3, np.ones(len(rows), int))


def _examples(rows, values=None):
    known = sorted({x[0] for x, _ in rows} | set("abc"[: values or 0]))
    column = np.array([known.index(x[0]) for x, _ in rows])
    return Examples((column,), (len(known),), np.array([y for _, y in rows]), 2, np.ones(len(rows), int))
