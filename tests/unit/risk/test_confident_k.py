"""c-confident k-anonymity: counts within reach and both readings of the rule, against the definition."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from strategies import examples

from shoal.risk import ClassedNumbers, ClassRule, confidence_radius, confident_suppression, in_reach

CLASSES = st.lists(st.lists(st.integers(-9, 9), min_size=1, max_size=7), min_size=1, max_size=3)


@given(classes=CLASSES, columns=st.integers(1, 3), data=st.data())
@examples(100)
def test_reach_counts_originals_of_the_class_in_every_column(classes, columns, data):
    """Interval closed, original values, one column or several."""
    originals, noisy, radii = [], [], []
    for column in range(columns):
        values = [[(v * (column + 2)) % 11 for v in members] for members in classes]
        originals.append(values)
        noisy.append([[data.draw(st.integers(-15, 25)) for _ in members] for members in classes])
        radii.append([data.draw(st.floats(0, 12)) for _ in classes])
    found = in_reach(
        [ClassedNumbers.of(values) for values in originals],
        [np.array([y for some in of for y in some]) for of in noisy],
        [np.array(r) for r in radii],
    )
    expected = [
        sum(
            all(abs(originals[a][c][j] - noisy[a][c][i]) <= radii[a][c] for a in range(columns))
            for j in range(len(members))
        )
        for c, members in enumerate(classes)
        for i in range(len(members))
    ]
    assert found.tolist() == expected


@given(classes=CLASSES, k=st.integers(1, 5), rule=st.sampled_from(ClassRule), data=st.data())
@examples(100)
def test_records_and_classes_are_left_out_as_the_rule_says(classes, k, rule, data):
    reached = [[data.draw(st.integers(0, 6)) for _ in members] for members in classes]
    found = confident_suppression(
        np.array([count for some in reached for count in some]), ClassedNumbers.of(classes), k, rule
    )
    expected = []
    for counts in reached:
        out = [0 < count < k for count in counts]
        few = len(counts) - (sum(count < k for count in counts) if rule is ClassRule.FORMULA else sum(out))
        expected += [few < k or is_out for is_out in out]
    assert found.tolist() == expected


@given(classes=CLASSES, k=st.integers(1, 5), data=st.data())
@examples(50)
def test_what_is_left_is_still_k_anonymous_and_the_formula_leaves_out_no_less_than_the_text(classes, k, data):
    of = ClassedNumbers.of(classes)
    reached = np.array([data.draw(st.integers(0, 6)) for _ in range(len(of))])
    formula, text = (confident_suppression(reached, of, k, rule) for rule in (ClassRule.FORMULA, ClassRule.TEXT))
    assert (formula >= text).all()
    left = np.bincount(of.labels[~text], minlength=of.groups)
    assert all(size == 0 or size >= k for size in left)


def test_the_radius_holds_the_original_with_the_stated_probability():
    drawn = np.abs(np.random.default_rng(3).laplace(scale=4.0, size=200_000))
    assert np.mean(drawn <= confidence_radius(np.array([4.0]), 0.9)[0]) == pytest.approx(0.9, abs=0.005)
