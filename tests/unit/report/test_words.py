"""The summary says in sentences what the numbers say, and nothing that is not promised."""

import cases
import pytest

import shoal
from shoal.dp.coins import secure_coins
from shoal.report.assessment import assess
from shoal.report.words import summary


def text_of(method, schema=None, **coins):
    release = method.anonymize(cases.table(), cases.schema() if schema is None else schema, **coins)
    return " ".join(summary(release, release.report().assessment)), release


def test_k_anonymity_and_what_was_left_out_are_said_in_words():
    text, release = text_of(shoal.OptimalLattice(k=5))
    reached = int(release.certificate.criteria[0]["reached"])
    assert f"looks exactly like at least {reached - 1} others" in text
    assert f"Of 1,200 records {release.certificate.records:,} are published" in text
    assert "whether any one person was in the table" not in text


def test_a_proved_private_guarantee_is_a_factor_a_layman_can_weigh():
    text, _ = text_of(shoal.SafePub(epsilon=2.0, delta=1e-3), coins=secure_coins())
    assert "at most 7.39 times as likely with the person as without, except with a probability of at most 0.001" in text


def test_what_is_only_claimed_is_not_said():
    method = shoal.SafePub(epsilon=2.0, delta=1e-3, mode=shoal.Mode.AS_PUBLISHED)
    text, _ = text_of(method, coins=secure_coins())
    assert "as likely with the person" not in text


def test_the_accuracy_of_a_target_is_put_between_guessing_and_the_original():
    method = shoal.OptimalLattice(k=5, quality=shoal.Classification("grade"))
    text, release = text_of(method)
    found = release.report().assessment.accuracies["c4.5"]
    assert f"predicts grade right for {found.release:.1%} of the records" in text
    assert found.trivial <= found.original + 1e-9


def test_an_assessment_without_a_target_has_no_learners():
    release = shoal.OptimalLattice(k=5).anonymize(cases.table(), cases.schema())
    found = assess(release.outcome)
    assert found.target is None
    assert found.accuracies == {}
    assert {m.column for m in found.marginals} == {"age", "town", "grade"}
    assert found.dependence.before.columns == release.outcome.published.names
    assert found.queries.mean == pytest.approx(found.queries.relative.mean())
