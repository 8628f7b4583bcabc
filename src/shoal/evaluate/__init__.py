"""What a release is still good for: classifiers trained on it and tested on originals, and the information it lost."""

from shoal.evaluate.dependence import Dependence, DependenceKept, dependence_kept
from shoal.evaluate.information_loss import Quality, information_loss, published_classes, quality
from shoal.evaluate.learning.classifier import Accuracy, CrossValidation, HeldOut, cross_validate
from shoal.evaluate.learning.examples import Examples
from shoal.evaluate.learning.learners import (
    BinaryTree,
    Classifier,
    GradientBoosting,
    Learner,
    LogisticRegression,
    Majority,
    NaiveBayes,
    RandomForest,
    accuracy,
)
from shoal.evaluate.learning.registry import LEARNERS
from shoal.evaluate.learning.tree import DecisionTree, Tree
from shoal.evaluate.marginals import Marginal, marginals
from shoal.evaluate.masking import Improvement, Masked, alone
from shoal.evaluate.materialize import materialize
from shoal.evaluate.parts import part, random_parts
from shoal.evaluate.precision import categorical_precision_loss, numerical_precision_loss
from shoal.evaluate.queries import Query, QueryErrors, Workload, query_errors
from shoal.evaluate.reading import Reading

__all__ = [
    "LEARNERS",
    "Accuracy",
    "BinaryTree",
    "Classifier",
    "CrossValidation",
    "DecisionTree",
    "Dependence",
    "DependenceKept",
    "Examples",
    "GradientBoosting",
    "HeldOut",
    "Improvement",
    "Learner",
    "LogisticRegression",
    "Majority",
    "Marginal",
    "Masked",
    "NaiveBayes",
    "Quality",
    "Query",
    "QueryErrors",
    "RandomForest",
    "Reading",
    "Tree",
    "Workload",
    "accuracy",
    "alone",
    "categorical_precision_loss",
    "cross_validate",
    "dependence_kept",
    "information_loss",
    "marginals",
    "materialize",
    "numerical_precision_loss",
    "part",
    "published_classes",
    "quality",
    "query_errors",
    "random_parts",
]
