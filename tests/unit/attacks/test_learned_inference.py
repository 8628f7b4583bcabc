"""Guessing by a classifier trained on the release, and by solving overlaps."""

from collections import Counter

import cases
import numpy as np
import pyarrow as pa
import pytest

import shoal
from shoal.attacks import Inference, Linkage, overlap
from shoal.attacks.guessing import AskNearest, most_frequent
from shoal.attacks.nearest import Nearest
from shoal.audit.overlap import audit_overlap
from shoal.errors import ParameterError


@pytest.fixture(scope="module")
def telling():
    """The town tells the grade but for a few people."""
    towns = ("Ulm", "Bonn", "Köln")
    rows = [(20 + i // 20, towns[i % 3], cases.GRADES[i % 3 if i % 10 else (i + 1) % 3]) for i in range(600)]
    frame = pa.table(dict(zip(("age", "town", "grade"), map(list, zip(*rows, strict=True)), strict=True)))
    return frame, shoal.OptimalLattice(k=3).anonymize(frame, cases.schema())


@pytest.mark.parametrize("learner", ["naive-bayes", "c4.5"])
def test_a_classifier_learns_from_the_release_what_tells_the_sensitive_value(telling, learner):
    frame, release = telling
    found = Inference(column="grade", targets=10_000, learner=learner).on(release.outcome)
    naive = Counter()
    for town, grade in zip(release.data["town"].to_pylist(), release.data["grade"].to_pylist(), strict=True):
        naive[town, grade] += 1
    best = {town: max(cases.GRADES, key=lambda g, t=town: naive[t, g]) for town, _ in naive}
    expected = np.mean(
        [best[t] == g for t, g in zip(frame["town"].to_pylist(), frame["grade"].to_pylist(), strict=True)]
    )
    assert found.success.value == pytest.approx(expected, abs=0.02)
    assert found.certain is None
    assert found.learner == learner
    assert f"asks a {learner} classifier" in str(found)
    assert found.success.low > found.baseline.high


def test_who_always_says_the_same_says_what_is_most_frequent_in_the_release(telling):
    _, release = telling
    by_hand = Counter(release.data["grade"].to_pylist())
    assert by_hand[cases.GRADES[most_frequent(release.outcome, "grade")]] == max(by_hand.values())
    only = Inference(column="grade", targets=10_000, learner="zero-r").on(release.outcome)
    assert only.success == only.baseline


def test_what_may_be_known_can_be_said(telling):
    _, release = telling
    found = Inference(column="grade", columns=("age",), targets=50).on(release.outcome)
    assert found.known == ("age",)
    assert found.title == "Guess grade by the nearest records, 1 column known"
    assert Linkage(columns=("town",)).on(release.outcome).known == ("town",)
    with pytest.raises(ParameterError, match="could know"):
        Inference(column="age", columns=("age",)).on(release.outcome)


def test_a_learner_that_is_not_there_is_refused():
    with pytest.raises(ParameterError, match="Did you mean 'naive-bayes'"):
        Inference(column="grade", learner="naive-bayez")


def test_distributions_are_asked_by_their_shares():
    frame = cases.table(120)
    release = shoal.NSVDist(k=4, diversity=2.0, mode=shoal.Mode.AS_PUBLISHED).anonymize(frame, cases.schema())
    outcome = release.outcome
    ask = AskNearest(Nearest(outcome, ("age", "town")), "grade")
    groups = np.zeros(len(ask.nearest.groups), dtype=bool)
    groups[0] = True
    shares = outcome.shown["grade"]
    rows = np.flatnonzero(ask.nearest.group_of_row == 0)
    expected = sum(
        outcome.published.sizes[row] * shares.shares[code] / shares.whole[code]
        for row in rows
        for code in [outcome.published.column("grade")[row]]
    )
    np.testing.assert_allclose(ask.weights(groups), expected)


def test_what_overlaps_disclose_is_what_the_audit_says():
    release = shoal.NSVDist(k=2, diversity=2.0, mode=shoal.Mode.AS_PUBLISHED).anonymize(cases.table(24), cases.schema())
    (found,), (audited,) = overlap(release.outcome), audit_overlap(release.outcome)
    assert found.certain.value == pytest.approx(audited.share)
    assert found.certain.trials == audited.examined
    assert found.is_whole
    assert "solves for grade where published records overlap" in str(found)
