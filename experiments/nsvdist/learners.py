"""The paper's four learners, and what they make of drawn records: of scikit-learn, and RIPPER of our own for JRip."""

from __future__ import annotations

import numpy as np
from common import Dataset
from ripper import Ripper
from sklearn.naive_bayes import CategoricalNB
from sklearn.preprocessing import KBinsDiscretizer, StandardScaler
from sklearn.svm import SVC
from sklearn.tree import DecisionTreeClassifier

from shoal.arrays import Keys
from shoal.data.domain import Grid

SVM_RECORDS, RULE_RECORDS = 1_000, 3_000
"""The support vector machine and the rules learn from so many records at most."""


def numbers(dataset: Dataset, codes: Keys) -> Keys:
    """The columns that are numbers to a learner, as numbers."""
    columns = []
    for i, name in enumerate(dataset.quasi):
        if name in dataset.nominal:
            continue
        domain = dataset.attributes[i].domain
        if isinstance(domain, Grid):
            columns.append(codes[:, i] + domain.lower)
        else:
            columns.append(np.array([float(value) for value in domain.values])[codes[:, i]])
    return np.array(columns, dtype=float).T.reshape(len(codes), -1)


def names(dataset: Dataset, codes: Keys) -> Keys:
    """The columns that are names, as codes."""
    return codes[:, [i for i, name in enumerate(dataset.quasi) if name in dataset.nominal]]


def indicators(dataset: Dataset, codes: Keys) -> Keys:
    """One 0/1 column per name."""
    wide = [np.zeros((len(codes), 0))]
    for i, name in enumerate(dataset.quasi):
        if name in dataset.nominal:
            wide.append(np.eye(dataset.attributes[i].domain.size)[codes[:, i]])
    return np.hstack(wide)


def accuracies(dataset: Dataset, train: Keys, test: Keys, rng: np.random.Generator) -> dict[str, float]:
    """What each learner gets right of the test records."""
    labels, truth = train[:, -1], test[:, -1]
    scores = {}
    scaled = StandardScaler().fit(numbers(dataset, train))
    sides = (train, test)
    wide = [np.hstack([scaled.transform(numbers(dataset, side)), indicators(dataset, side)]) for side in sides]
    tree = DecisionTreeClassifier(criterion="entropy", min_samples_leaf=2, ccp_alpha=0.01, random_state=0)
    scores["tree"] = float((tree.fit(wide[0], labels).predict(wide[1]) == truth).mean())
    bins = KBinsDiscretizer(10, encode="ordinal", strategy="quantile", quantile_method="averaged_inverted_cdf")
    bins.fit(numbers(dataset, train))
    both = [np.hstack([bins.transform(numbers(dataset, s)).astype(int), names(dataset, s)]) for s in sides]
    widths = [10] * (len(dataset.quasi) - len(dataset.nominal))
    widths += [dataset.attributes[i].domain.size for i, name in enumerate(dataset.quasi) if name in dataset.nominal]
    bayes = CategoricalNB(min_categories=np.array(widths)).fit(both[0], labels)
    scores["naive Bayes"] = float((bayes.predict(both[1]) == truth).mean())
    some = rng.permutation(len(labels))
    few = some[:SVM_RECORDS]
    if len(np.unique(labels[few])) == 1:
        scores["SVM"] = float((truth == labels[few][0]).mean())
    else:
        machine_ = SVC(gamma="auto", cache_size=200).fit(wide[0][few], labels[few])
        scores["SVM"] = float((machine_.predict(wide[1]) == truth).mean())
    rules = [np.hstack([numbers(dataset, side), names(dataset, side)]) for side in sides]
    some = some[:RULE_RECORDS]
    ripper = Ripper(nominal=len(dataset.nominal)).fit(rules[0][some], labels[some])
    scores["JRip"] = float((ripper.predict(rules[1]) == truth).mean())
    scores["majority"] = float((truth == np.bincount(labels).argmax()).mean())
    return scores
