"""Private methods where a person may have several records: a price for persons, and refusals of what is not proved."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

import shoal
from shoal.data.unit import Unit
from shoal.dp.accounting.composition import grouped
from shoal.errors import SchemaError
from shoal.methods.parts.pricing import price, priced
from shoal.promises.checking import check_release

SCHEMA = (
    shoal.Schema(person="who")
    .with_column("age", role="quasi-identifier", domain=(0, 99), hierarchy=shoal.intervals(10, 50))
    .with_column("ill", role="quasi-identifier", domain=["cold", "flu"])
)
VISITS = pd.DataFrame(
    {
        "who": [None if i % 50 == 7 else f"p{i % 300}" for i in range(900)],
        "age": [20 + (i * 7) % 60 for i in range(900)],
        "ill": [("cold", "flu")[(i // 3) % 2] for i in range(900)],
    }
)
PRIVATE = {
    "safepub": shoal.SafePub(epsilon=4, delta="1e-2"),
    "diffgen": shoal.DiffGen(epsilon=4, target="ill"),
    "marginals": shoal.Marginals(epsilon=4, target="ill"),
    "k-epsilon": shoal.KEpsilon(epsilon=4, perturbed=("age",)),
    "microaggregation-dp": shoal.MicroaggregationDP(epsilon=4),
}
RELATIONS = {
    "safepub": "add/remove one person with all their records",
    "diffgen": "add/remove one person with all their records",
    "marginals": "add/remove one person with all their records",
    "k-epsilon": "replace age in all records of one person",
    "microaggregation-dp": "replace all records of one person, the number of persons is public",
}


def of_up_to(records, unit=Unit.PERSON):
    if unit is Unit.PERSON:
        return replace(SCHEMA, max_records=records)
    columns = [column for column in SCHEMA.columns if column.name != "who"]
    return shoal.Schema(tuple(columns), household="who", protect="household", max_records=records)


def known(method):
    """Records that have a person; k-epsilon may look, and refuses others."""
    return VISITS.dropna() if method.name == "k-epsilon" else VISITS


@pytest.mark.parametrize("name", PRIVATE)
@pytest.mark.parametrize("records", [None, 1])
def test_one_record_of_each_person_is_what_a_private_method_takes(name, records, tmp_path):
    method, schema = PRIVATE[name], of_up_to(records)
    ledger = shoal.Ledger.open(tmp_path, dataset="visits")
    release = method.anonymize(known(method), schema, ledger=ledger)
    (guarantee,) = [promise for promise in release.certificate.guarantees if promise.cost is not None]
    assert str(guarantee.cost.relation) == RELATIONS[name]
    assert (guarantee.cost.epsilon, guarantee.cost.max_records) == (4, 1)
    assert (release.certificate.unit, release.certificate.max_records) == (Unit.PERSON, 1)
    assert any("of whom one record took part, drawn at random" in text for text in guarantee.assumptions)
    if name == "microaggregation-dp":
        assert "the number of persons is public" in guarantee.assumptions
    if name in ("k-epsilon", "microaggregation-dp"):
        assert release.certificate.records == known(method).who.nunique()
    (spending,) = ledger.account().spendings
    assert spending.cost == guarantee.cost == price(schema, method)
    assert str(guarantee.neighbors.of(Unit.PERSON)) in str(guarantee)


@pytest.mark.parametrize("name", PRIVATE)
def test_a_household_is_protected_by_the_same_mechanism(name):
    method = PRIVATE[name]
    release = method.anonymize(known(method), of_up_to(None, Unit.HOUSEHOLD))
    assert "household" in str(release.certificate.guarantees[0])
    assert release.certificate.unit is Unit.HOUSEHOLD


@pytest.mark.parametrize("records", [2, 3])
@pytest.mark.parametrize("name", ["safepub", "k-epsilon"])
def test_several_records_share_the_budget_by_group_privacy(name, records, tmp_path):
    method, schema = PRIVATE[name], of_up_to(records)
    made = priced(schema, method)
    bound = grouped(made.inner.cost, records, Unit.PERSON)
    assert made.cost.epsilon == bound.epsilon == method.cost.epsilon
    assert bound.delta <= made.cost.delta == method.cost.delta
    ledger = shoal.Ledger.open(tmp_path, dataset="visits")
    release = method.anonymize(known(method), schema, ledger=ledger)
    (spending,) = ledger.account().spendings
    assert spending.cost == made.cost
    assert spending.cost.max_records == records
    assert not any(key.startswith(("also holds", "linking")) for key in release.certificate.parameters)
    assert release.certificate.parameters["epsilon"] == 4


@pytest.mark.parametrize(
    "anonymizer", [shoal.OLA, shoal.Mondrian, shoal.LocalRecoding, shoal.MDAV], ids=lambda kind: kind.name
)
def test_classes_of_k_epsilon_have_k_persons(anonymizer):
    method = shoal.KEpsilon(epsilon=4, perturbed=("age",), anonymizer=anonymizer(k=20))
    promised = method.anonymize(VISITS.dropna(), of_up_to(3)).certificate.promised
    assert any(text.startswith("20-anonymous in persons") for text in promised)


def test_safepub_that_counts_persons_shows_each_once(tmp_path):
    method, schema = shoal.SafePub(epsilon=2, delta="1e-2", several="persons", schemes=[{"age": 2}]), of_up_to(3)
    made = priced(schema, method)
    ledger = shoal.Ledger.open(tmp_path, dataset="visits")
    release = method.anonymize(VISITS, schema, ledger=ledger)
    (spending,) = ledger.account().spendings
    assert spending.cost == made.cost
    assert (made.cost.epsilon, made.cost.delta, made.cost.max_records) == (2, method.cost.delta, 3)
    promised = release.certificate.promised
    assert any(text.startswith(f"{made.inner.k}-anonymous in persons") and "(proved)" in text for text in promised)
    assert release.certificate.records > 0
    largest = release.data.groupby(list(release.data.columns)).size().max()
    assert made.inner.k <= largest <= VISITS.who.nunique()
    release.write(tmp_path / "release")
    assert check_release(tmp_path / "release").holds


@pytest.mark.parametrize(
    ("more", "records", "reason"),
    [
        ({"sampling_rate": 0.1}, 2, "at the rate 1 − e"),
        ({"expected_records": 10**6}, 2, "leave out mode, sampling_rate and expected_records"),
        ({"mode": "as_published"}, 2, "leave out mode"),
        ({}, 7, "at most 6 records each; got max_records = 7"),
    ],
)
def test_what_has_no_proof_where_persons_are_counted_is_refused(more, records, reason):
    with pytest.raises(SchemaError, match=reason):
        priced(of_up_to(records), shoal.SafePub(epsilon=4, delta="1e-2", several="persons", **more))


def test_safepub_of_whole_persons_publishes_all_their_records(tmp_path):
    frame = pd.DataFrame({"who": np.repeat(np.arange(400), 2), "age": [20, 21] * 400, "ill": ["cold", "flu"] * 400})
    of_records = shoal.SafePub(epsilon=2, delta="1e-4", schemes=[{"age": 1, "ill": 0}])  # a search may hide the illness
    method, schema = replace(of_records, several="whole"), of_up_to(3)
    made = priced(schema, method)
    assert made.inner.k == of_records.k
    release = method.anonymize(frame, schema)
    kept = release.data
    assert (kept.ill == "cold").sum() == (kept.ill == "flu").sum() == len(kept) / 2
    assert 200 < len(kept) / 2 < 400  # 86% of 400
    assert any(text.startswith(f"{made.inner.k}-anonymous in persons") for text in release.certificate.promised)
    release.write(tmp_path / "release")
    assert check_release(tmp_path / "release").holds


@pytest.mark.parametrize(
    ("more", "reason"),
    [
        ({"mode": "as_published"}, "leave out mode and expected_records"),
        ({"expected_records": 10**6}, "leave out mode and expected_records"),
        ({"quality": shoal.GroupSize()}, "GroupSize looks at classes"),
    ],
)
def test_what_has_no_proof_for_whole_persons_is_refused(more, reason):
    with pytest.raises(SchemaError, match=reason):
        priced(of_up_to(2), shoal.SafePub(epsilon=4, delta="1e-2", several="whole", **more))


def test_classes_of_safepub_say_how_many_persons_they_have_at_least():
    made = priced(of_up_to(2), PRIVATE["safepub"])
    promised = PRIVATE["safepub"].anonymize(VISITS, of_up_to(2)).certificate.promised
    persons = -(-made.inner.k // 2)
    assert any(text.startswith(f"{persons}-anonymous in persons") and text.endswith("(proved)") for text in promised)
    assert any(text.startswith(f"{made.inner.k}-anonymous: ") for text in promised)


def test_diffgen_counts_persons_however_many_records_they_have():
    everybody = VISITS.dropna()
    for records in (1, 2, 3, 6):
        release = shoal.DiffGen(epsilon=400, target="ill", search_share=0.5).anonymize(everybody, of_up_to(records))
        assert abs(len(release.data) - everybody.who.nunique()) <= 3
    tuned = shoal.DiffGen(epsilon=400, target="ill", tune=(1, 2)).anonymize(everybody, of_up_to(3))
    assert abs(len(tuned.data) - everybody.who.nunique()) <= 3


REFUSED = {
    "purity or max only": shoal.DiffGen(epsilon=1, target="ill", utility="info-gain"),
    "joint choices": shoal.DiffGen(epsilon=1, target="ill", mode="as_published", specializations=2),
    "counts records": shoal.KEpsilon(epsilon=1, perturbed=("age",), anonymizer=shoal.Sequential(k=2)),
    "takes one record of each person": shoal.MicroaggregationDP(epsilon=1),
}


@pytest.mark.parametrize("why", REFUSED)
def test_what_is_not_proved_for_several_records_is_refused_with_a_way_out(why):
    with pytest.raises(SchemaError, match=f"{why}.*max_records = 1"):
        REFUSED[why].anonymize(VISITS.dropna(), of_up_to(2))
    REFUSED[why].anonymize(VISITS.dropna(), of_up_to(1))


def test_more_shares_than_can_be_counted_are_refused():
    with pytest.raises(SchemaError, match="at most 6 records each; got max_records = 7"):
        PRIVATE["diffgen"].anonymize(VISITS, of_up_to(7))


def test_k_epsilon_as_published_knows_one_record_each():
    method = shoal.KEpsilon(epsilon=1, perturbed=("age",), mode="as_published")
    for records in (None, 2):
        with pytest.raises(SchemaError, match=r"how surely one record can be linked.*max_records = 1"):
            method.anonymize(VISITS.dropna(), of_up_to(records))
    method.anonymize(VISITS.dropna(), of_up_to(1))


def test_a_method_that_counts_records_is_not_given_several_of_each():
    with pytest.raises(SchemaError, match="counts records"):
        shoal.NSVDist(k=2, diversity=1).anonymize(
            VISITS.dropna(), replace(of_up_to(2), columns=SCHEMA.with_column("ill", role="sensitive").columns)
        )
