"""Learners behind one protocol; scikit-learn's as a check on our own tree."""

import sys

import numpy as np
import pytest
from golf import GOLF, as_examples

from shoal.errors import ParameterError, SchemaError
from shoal.evaluate import (
    BinaryTree,
    DecisionTree,
    Examples,
    LogisticRegression,
    Majority,
    NaiveBayes,
    RandomForest,
    accuracy,
)

OTHERS = [BinaryTree(), LogisticRegression(), NaiveBayes(), RandomForest(trees=10)]


def drawn(records, seed, noise=0.1):
    """The label is x0 xor (x1 > 1), flipped with probability `noise`; x2 and x3 have nothing to do with it."""
    rng = np.random.default_rng(seed)
    features = tuple(rng.integers(0, n, records) for n in (2, 4, 3, 5))
    labels = (features[0] ^ (features[1] > 1)) ^ (rng.random(records) < noise)
    return Examples(features, (2, 4, 3, 5), labels.astype(int), 2, np.ones(records, dtype=np.int64))


def test_the_majority_is_predicted_whatever_the_features_are():
    examples = as_examples(GOLF)
    assert accuracy(Majority().fit(examples), examples) == pytest.approx(9 / 14)


def test_accuracy_counts_records_not_rows():
    examples = Examples((np.array([0, 1]),), (2,), np.array([0, 1]), 2, np.array([3, 1]))
    assert accuracy(Majority().fit(examples), examples) == 0.75
    with pytest.raises(ParameterError, match="at least one record"):
        accuracy(Majority().fit(examples), examples.weighted(np.zeros(2, dtype=np.int64)))


def test_examples_name_the_columns_when_the_target_is_not_among_them():
    from shoal.data.counts import Counts

    counts = Counts.of(("a", "b"), [np.array([0, 1]), np.array([1, 0])], (2, 2))
    assert Examples.of(counts, "b").labels.tolist() == [1, 0]
    with pytest.raises(SchemaError, match="'c' is not among the columns 'a', 'b'"):
        Examples.of(counts, "c")


def test_our_tree_is_as_accurate_on_new_records_as_scikit_learns():
    """Both must find the rule behind 10% noise. 4,000 test records: sd 0.5%, so 3% is six of them."""
    pytest.importorskip("sklearn")
    train, test = drawn(4_000, seed=1), drawn(4_000, seed=2)
    ours, theirs = (accuracy(learner.fit(train), test) for learner in (DecisionTree(), BinaryTree(smallest=20)))
    assert ours == pytest.approx(0.9, abs=0.03)
    assert theirs == pytest.approx(ours, abs=0.03)


@pytest.mark.parametrize("learner", OTHERS, ids=lambda learner: type(learner).__name__)
def test_every_learner_uses_the_features_and_the_weights(learner):
    """With x0 fixed the rule is x1 > 1, which a linear model can learn too; rows of weight 0 would say the opposite."""
    pytest.importorskip("sklearn")
    examples = drawn(600, seed=3, noise=0.0)
    right = examples.weighted(np.where(examples.features[0] == 0, examples.weights, 0))
    assert accuracy(learner.fit(right), right) > 0.97


@pytest.mark.parametrize("learner", [*OTHERS, DecisionTree()], ids=lambda learner: type(learner).__name__)
def test_every_learner_copes_with_a_single_label_and_with_unseen_values(learner):
    pytest.importorskip("sklearn")
    train = Examples((np.array([0, 0]),), (3,), np.array([1, 1]), 2, np.array([2, 5]))
    test = Examples((np.array([2]),), (3,), np.array([1]), 2, np.array([1]))
    assert learner.fit(train).predict(test).tolist() == [1]


def test_without_scikit_learn_the_error_says_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "sklearn.tree", None)
    with pytest.raises(ParameterError, match=r"pip install 'shoal\[learn\]'"):
        BinaryTree().fit(drawn(10, seed=0))


def test_the_package_imports_neither_scikit_learn_nor_arrow():
    import subprocess

    code = "import sys, shoal.evaluate; print([m for m in ('sklearn', 'pyarrow', 'scipy') if m in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
