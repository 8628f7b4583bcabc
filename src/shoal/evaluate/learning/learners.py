"""Learners: the majority, and scikit-learn's (`pip install shoal[learn]`), behind one protocol."""

from __future__ import annotations

from contextlib import AbstractContextManager
from dataclasses import dataclass
from importlib import import_module
from typing import Any, Protocol, runtime_checkable

import numpy as np

from shoal.arrays import Floats, Keys
from shoal.errors import ParameterError
from shoal.evaluate.learning.examples import Examples
from shoal.parameters import Count, Seed, read_parameters


class Classifier(Protocol):
    """What was learned."""

    def predict(self, examples: Examples) -> Keys:
        """A label for each row, from its features alone."""
        ...


@runtime_checkable
class Learner(Protocol):
    """Frozen parameters that turn examples into a classifier."""

    def fit(self, examples: Examples) -> Classifier:
        """Learn."""
        ...


def accuracy(classifier: Classifier, examples: Examples) -> float:
    """The share of records whose label is predicted."""
    if examples.total == 0:
        raise ParameterError("accuracy needs at least one record to test on.")
    right = classifier.predict(examples) == examples.labels
    return float(examples.weights[right].sum()) / examples.total


@dataclass(frozen=True, slots=True)
class Majority:
    """Always the most frequent label: ZeroR."""

    def fit(self, examples: Examples) -> _Constant:
        """Count."""
        counts = np.bincount(examples.labels, weights=examples.weights, minlength=examples.classes)
        return _Constant(int(counts.argmax()))


@dataclass(frozen=True, slots=True)
class _Constant:
    label: int

    def predict(self, examples: Examples) -> Keys:
        return np.full(len(examples), self.label, dtype=np.int64)

    def scores(self, examples: Examples) -> Floats:
        return np.zeros((examples.classes, len(examples)))


@dataclass(frozen=True, slots=True, kw_only=True)
class LogisticRegression:
    """Multinomial logistic regression on one indicator per value."""

    penalty: float = 1.0
    """Of the squared weights, per record."""
    iterations: Count = 200

    def __post_init__(self) -> None:
        read_parameters(self)
        if self.penalty <= 0:
            raise ParameterError(f"penalty must be above 0; got {self.penalty!r}.")

    def fit(self, examples: Examples) -> Classifier:
        """Learn."""
        model = _sklearn("linear_model").LogisticRegression(C=1 / self.penalty, max_iter=self.iterations)
        return _Indicators.fitted(model, examples)


@dataclass(frozen=True, slots=True, kw_only=True)
class BinaryTree:
    """scikit-learn's tree: binary splits on one indicator per value."""

    smallest: Count = 2
    """How many records a leaf must have."""

    def __post_init__(self) -> None:
        read_parameters(self)

    def fit(self, examples: Examples) -> Classifier:
        """Learn."""
        trees = _sklearn("tree")
        share = min(self.smallest / max(examples.total, 1), 0.5)
        model = trees.DecisionTreeClassifier(criterion="entropy", min_weight_fraction_leaf=share, random_state=0)
        return _Indicators.fitted(model, examples)


@dataclass(frozen=True, slots=True, kw_only=True)
class RandomForest:
    """Many binary trees on one indicator per value."""

    trees: Count = 50
    smallest: Count = 2
    """How many records a leaf must have."""
    seed: Seed = 0

    def __post_init__(self) -> None:
        read_parameters(self)

    def fit(self, examples: Examples) -> Classifier:
        """Learn."""
        model = _sklearn("ensemble").RandomForestClassifier(
            n_estimators=self.trees, min_samples_leaf=self.smallest, random_state=self.seed
        )
        return _Indicators.fitted(model, examples.one_by_one())  # its trees draw rows, and must draw records


@dataclass(frozen=True, slots=True, kw_only=True)
class GradientBoosting:
    """Boosted trees that split codes into lower and higher ones; codes follow the order of the domain or hierarchy."""

    rounds: Count = 100
    smallest: Count = 20
    """How many records a leaf must have."""
    seed: Seed = 0

    def __post_init__(self) -> None:
        read_parameters(self)

    def fit(self, examples: Examples) -> Classifier:
        """Learn."""
        if len(np.unique(examples.labels)) == 1 or not examples.features:
            return Majority().fit(examples)
        model = _sklearn("ensemble").HistGradientBoostingClassifier(
            max_iter=self.rounds, min_samples_leaf=self.smallest, early_stopping=False, random_state=self.seed
        )
        records = examples.one_by_one()  # it would count rows in its leaves
        with _one_thread():
            return _Codes(model.fit(records.matrix().T, records.labels))


@dataclass(frozen=True, slots=True, kw_only=True)
class NaiveBayes:
    """Naive Bayes on categories."""

    smoothing: float = 1.0
    """Records added to each value."""

    def __post_init__(self) -> None:
        read_parameters(self)
        if self.smoothing < 0:
            raise ParameterError(f"smoothing must be 0 or more; got {self.smoothing!r}.")

    def fit(self, examples: Examples) -> Classifier:
        """Learn."""
        model = _sklearn("naive_bayes").CategoricalNB(
            alpha=self.smoothing, min_categories=np.array(examples.cardinalities)
        )
        return _Codes(model.fit(examples.matrix().T, examples.labels, sample_weight=examples.weights))


@dataclass(frozen=True, slots=True)
class _Codes:
    """A scikit-learn model that takes codes."""

    model: Any

    def predict(self, examples: Examples) -> Keys:
        with _one_thread():
            return np.asarray(self.model.predict(examples.matrix().T), dtype=np.int64)

    def scores(self, examples: Examples) -> Floats:
        with _one_thread():
            return _chances(self.model, examples.matrix().T, examples.classes)


@dataclass(frozen=True, slots=True)
class _Indicators:
    """A scikit-learn model that takes one 0/1 column per value of each feature."""

    model: Any
    encoder: Any

    @staticmethod
    def fitted(model: Any, examples: Examples) -> Classifier:
        if len(np.unique(examples.labels)) == 1:  # some models refuse to learn what is the same everywhere
            return Majority().fit(examples)
        values = [np.arange(cardinality) for cardinality in examples.cardinalities]
        encoder = _sklearn("preprocessing").OneHotEncoder(categories=values)
        columns = encoder.fit_transform(examples.matrix().T)
        return _Indicators(model.fit(columns, examples.labels, sample_weight=examples.weights), encoder)

    def predict(self, examples: Examples) -> Keys:
        return np.asarray(self.model.predict(self.encoder.transform(examples.matrix().T)), dtype=np.int64)

    def scores(self, examples: Examples) -> Floats:
        return _chances(self.model, self.encoder.transform(examples.matrix().T), examples.classes)


def _chances(model: Any, features: Any, classes: int) -> Floats:
    """How likely each label is; one that was never taught is not."""
    found = np.zeros((classes, features.shape[0]))
    found[np.asarray(model.classes_, dtype=np.int64)] = model.predict_proba(features).T
    return found


def _one_thread() -> AbstractContextManager[object]:
    """Threads of boosted trees wait for each other by spinning: on busy cores that takes twenty times as long."""
    limits: AbstractContextManager[object] = import_module("threadpoolctl").threadpool_limits(1)  # scikit-learn has it
    return limits


def _sklearn(module: str) -> Any:
    try:
        return import_module(f"sklearn.{module}")
    except ModuleNotFoundError as error:
        raise ParameterError("this learner needs scikit-learn: pip install 'shoal[learn]'.") from error
