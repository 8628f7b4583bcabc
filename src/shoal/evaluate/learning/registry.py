"""The learners by name."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from shoal.evaluate.learning.learners import (
    BinaryTree,
    GradientBoosting,
    Learner,
    LogisticRegression,
    Majority,
    NaiveBayes,
    RandomForest,
)
from shoal.evaluate.learning.tree import DecisionTree

LEARNERS: Mapping[str, Learner] = MappingProxyType(
    {
        "zero-r": Majority(),
        "c4.5": DecisionTree(),
        "tree": BinaryTree(),
        "logistic-regression": LogisticRegression(),
        "naive-bayes": NaiveBayes(),
        "random-forest": RandomForest(),
        "gradient-boosting": GradientBoosting(),
    }
)
"""All but the first two need scikit-learn."""
