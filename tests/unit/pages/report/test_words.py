"""The summary says in sentences what the numbers say, and nothing that is not promised."""

import cases
import pyarrow as pa
import pytest

import shoal
from shoal.dp.coins.coins import SeededCoins, secure_coins
from shoal.pages.report.assessment import assess
from shoal.pages.report.words import summary


def heights():
    table = pa.table({"age": [20 + i % 4 for i in range(60)], "height": [150 + i % 40 for i in range(60)]})
    schema = shoal.Schema(person="row").with_column("age", role="quasi-identifier", domain=(20, 29))
    return table, schema.with_column("height", role="quasi-identifier", domain=(140, 200))


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


def test_a_test_run_is_said_to_protect_nobody_and_nothing_else():
    text, _ = text_of(shoal.SafePub(epsilon=2.0, delta=1e-3), coins=SeededCoins(7))
    assert "test run" in text
    assert "protects nobody" in text
    assert "looks exactly like" not in text
    assert "times as likely" not in text


def test_attributes_or_a_replaced_record_are_not_said_to_hide_who_was_in_the_table():
    table, schema = heights()
    noisy = shoal.KEpsilon(epsilon=1, perturbed=("height",), anonymizer=shoal.OLA(k=3))
    release = noisy.anonymize(table, schema, coins=secure_coins())
    text = " ".join(summary(release, release.report().assessment))
    assert "apart from the numbers that carry noise (height)" in text
    assert (
        "what the values of height were for any one person: whatever it shows is at most 2.72 times as likely" in text
    )
    assert "as likely with them as with others" in text
    assert "nobody can point" not in text
    assert "in the table" not in text
    centers = shoal.MicroaggregationDP(epsilon=1).anonymize(table, schema, coins=secure_coins())
    text = " ".join(summary(centers, centers.report().assessment))
    assert "2.72 times as likely with it as with another" in text
    assert "in the table" not in text


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


def test_noisy_numbers_are_not_told_as_records_left_out():
    text, release = text_of(shoal.DiffGen(epsilon=2.0, target="grade"), coins=secure_coins())
    assert release.counts_are_noisy
    assert f"The original has 1,200 records; {release.certificate.records:,} are published, in numbers that" in text
    assert "left out" not in text


def test_a_private_release_of_an_empty_table_has_a_report():
    empty = cases.table().slice(0, 0)
    method = shoal.DiffGen(epsilon=0.2, target="grade", specializations=1)
    for _ in range(50):  # noise may leave nothing to publish
        try:
            release = method.anonymize(empty, cases.schema(), coins=secure_coins())
        except shoal.InfeasibleError:
            continue
        assert "there is nothing to compare with" in release.report().html()
        return
    raise AssertionError("fifty empty releases have a chance of less than 1e-9")
