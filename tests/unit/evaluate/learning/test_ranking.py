"""The area under the ROC curve is the chance that a record of a class is ranked above one of another."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from shoal.evaluate.learning.ranking import auc


@given(st.integers(0, 2**32 - 1), st.integers(2, 4))
def test_it_is_the_share_of_pairs_in_the_right_order(seed, classes):
    rng = np.random.default_rng(seed)
    labels, weights = rng.integers(0, classes, 20), rng.integers(1, 4, 20).astype(float)
    scores = rng.integers(0, 4, (classes, 20)) / 4
    there = np.unique(labels)
    if len(there) < 2:
        assert auc(labels, scores, weights) == 0.5
        return
    each = []
    for label in there:
        pairs = [
            (
                weights[i] * weights[j],
                (scores[label, i] > scores[label, j]) + 0.5 * (scores[label, i] == scores[label, j]),
            )
            for i in np.flatnonzero(labels == label)
            for j in np.flatnonzero(labels != label)
        ]
        each.append(sum(w * right for w, right in pairs) / sum(w for w, _ in pairs))
    shares = [weights[labels == label].sum() for label in there]
    assert auc(labels, scores, weights) == pytest.approx(np.average(each, weights=shares))
