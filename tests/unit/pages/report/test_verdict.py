"""The verdict says in three sentences what matters, and nothing that is not promised."""

import cases
import pyarrow as pa
import pytest

import shoal
from shoal.dp.coins.coins import SeededCoins, secure_coins
from shoal.pages.report.assessment import assess
from shoal.pages.report.verdict import Level, verdict


def heights():
    table = pa.table({"age": [20 + i % 4 for i in range(60)], "height": [150 + i % 40 for i in range(60)]})
    schema = shoal.Schema(person="row").with_column("age", role="quasi-identifier", domain=(20, 29))
    return table, schema.with_column("height", role="quasi-identifier", domain=(140, 200))


def text_of(method, schema=None, **coins):
    release = method.anonymize(cases.table(), cases.schema() if schema is None else schema, **coins)
    return said(release), release


def said(release):
    """All that the verdict says."""
    found = verdict(release, release.report().assessment)
    return " ".join([found.level.value, *found.sentences, *found.points])


def test_k_anonymity_and_what_was_left_out_are_said_in_words():
    text, release = text_of(shoal.OptimalLattice(k=5))
    assert "looks exactly like at least 4 others in age and town: whoever knows only these cannot tell" in text
    assert f"Of 1,200 records {release.certificate.records:,} are published" in text
    assert len(verdict(release, release.report().assessment).sentences) == 3
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
    text = said(release)
    assert "in age (but for height, whose values chance has changed)" in text
    assert (
        "what the values of height were for any one person: whatever it shows is at most 2.72 times as likely" in text
    )
    assert "as likely with them as with others" in text
    assert "was in the table" not in text
    centers = shoal.MicroaggregationDP(epsilon=1).anonymize(table, schema, coins=secure_coins())
    text = said(centers)
    assert "2.72 times as likely with it as with another" in text
    assert "was in the table" not in text


def test_what_is_only_claimed_is_not_said():
    method = shoal.SafePub(epsilon=2.0, delta=1e-3, mode=shoal.Mode.AS_PUBLISHED)
    text, _ = text_of(method, coins=secure_coins())
    assert "as likely with the person" not in text
    assert text.startswith(Level.WEIGH.value)
    assert "But it was made as the paper describes, whose claims are not all proved" in text


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
    assert "were left out" not in text  # by chance a group may have no record like its own, which is another sentence


def test_the_owner_of_a_private_release_is_told_what_could_not_be_read():
    """A private run goes through whatever a record holds, also where the encoding is wrong for all of them."""
    table = pa.table({"age": ["30", "40", None, "x"] * 50, "town": ["K\ufffdln", "Ulm", None, "M\ufffdnster"] * 50})
    schema = shoal.Schema(person="row").with_column("age", role="quasi-identifier", domain=(0, 99))
    schema = schema.with_column("town", role="quasi-identifier", domain=["Köln", "Münster", "Ulm"])
    release = shoal.SafePub(epsilon=2.0, delta=1e-3).anonymize(table, schema, coins=secure_coins())
    page = " ".join(release.report().html().split())
    assert "Records whose cell counts as missing: age 100 (50.0%), town 150 (75.0%)." in page
    assert "100 records hold nothing in any column" in page
    assert "More than half of the records hold nothing in town that the declared domain holds" in said(release)
    assert "hold nothing" not in str(release.certificate)
    kept = shoal.OptimalLattice(k=5).anonymize(cases.table(), cases.schema())
    assert "counts as missing" not in kept.report().html()


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


def illnesses(of_group, **asked):
    """Records in two groups of ten by age, with these illnesses in each."""
    table = pa.table({"age": [20] * 10 + [70] * 10, "illness": [*of_group[0], *of_group[1]]})
    schema = shoal.Schema(person="row").with_column("age", role="quasi-identifier", domain=(0, 99))
    schema = schema.with_column("illness", role="sensitive", domain=["flu", "HIV", "cold", "gout"])
    return shoal.OptimalLattice(k=5, suppression_limit=0.0, **asked).anonymize(table, schema)


def test_groups_of_one_sensitive_value_are_the_second_sentence_and_nothing_is_called_fine():
    release = illnesses((["HIV"] * 10, ["flu", "cold"] * 5))
    found = verdict(release, release.report().assessment)
    assert found.level is Level.WEIGH
    assert "50.0% of the records (10) stand in groups in which everybody has the same illness" in found.sentences[1]
    assert "learns it without finding the record" in found.sentences[1]


def test_a_value_that_most_of_a_group_have_is_said_and_one_that_half_have_is_not():
    most = illnesses((["HIV"] * 8 + ["flu"] * 2, ["flu", "cold"] * 5))
    found = verdict(most, most.report().assessment)
    assert found.level is Level.WEIGH
    assert "50.0% of the records stand in groups in which more than half have the same illness" in found.sentences[1]
    half = illnesses((["HIV", "flu"] * 5, ["flu", "cold"] * 5), diversity=2)
    found = verdict(half, half.report().assessment)
    assert found.level is Level.FINE
    assert "even in the worst one a guess of illness is right for 50%" in found.sentences[1]


def test_what_chance_has_changed_without_a_promise_is_the_first_risk():
    table, schema = heights()
    release = shoal.RankSwapping(perturbed=("height",), anonymizer=shoal.OLA(k=3)).anonymize(table, schema)
    found = verdict(release, release.report().assessment)
    assert found.level is Level.WEIGH
    assert found.sentences[1].startswith("But about height nothing is promised: chance has changed the values; whoever")


def test_weak_numbers_of_a_private_release_are_called_weak():
    text, _ = text_of(shoal.DiffGen(epsilon=8.0, target="grade"), coins=secure_coins())
    assert "An epsilon of 8 is a weak promise: what is shown may be 2,981 times as likely" in text
    text, _ = text_of(shoal.SafePub(epsilon=2.0, delta=1e-3), coins=secure_coins())
    assert "Delta is 0.001, and there are 1,200 records" in text


def test_small_groups_and_columns_declared_harmless_are_to_be_weighed():
    table = pa.table({"age": [20, 20, 70, 70], "floor": [1, 2, 1, 2]})
    schema = shoal.Schema(person="row").with_column("age", role="quasi-identifier", domain=(0, 99))
    release = shoal.OptimalLattice(k=2).anonymize(table, schema.with_column("floor", role="insensitive"))
    found = verdict(release, release.report().assessment)
    assert found.level is Level.WEIGH
    assert "at least 1 other in age" in found.sentences[0]
    assert "But 100.0% of the records stand in groups so small" in found.sentences[1]
    assert "because the owner declared them harmless: floor." in found.points[0]


def test_a_test_run_is_not_to_be_published():
    release = shoal.DiffGen(epsilon=2.0, target="grade").anonymize(cases.table(), cases.schema(), coins=SeededCoins(7))
    assert verdict(release, release.report().assessment).level is Level.STOP
