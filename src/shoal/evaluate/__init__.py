"""What a release is still good for: classifiers trained on it and tested on originals, and the information it lost."""

from shoal.evaluate.classifier import Accuracy, CrossValidation, HeldOut
from shoal.evaluate.examples import Examples
from shoal.evaluate.information_loss import information_loss, published_classes
from shoal.evaluate.learners import (
    BinaryTree,
    Classifier,
    Learner,
    LogisticRegression,
    Majority,
    NaiveBayes,
    RandomForest,
    accuracy,
)
from shoal.evaluate.parts import part, random_parts
from shoal.evaluate.tree import DecisionTree, Tree

__all__ = [
    "Accuracy",
    "BinaryTree",
    "Classifier",
    "CrossValidation",
    "DecisionTree",
    "Examples",
    "HeldOut",
    "Learner",
    "LogisticRegression",
    "Majority",
    "NaiveBayes",
    "RandomForest",
    "Tree",
    "accuracy",
    "information_loss",
    "part",
    "published_classes",
    "random_parts",
]
