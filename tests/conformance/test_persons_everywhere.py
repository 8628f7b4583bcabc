"""What every method must know about persons: asked for before a budget is spent, seen where it may be, repeated."""

import cases
import pytest

from shoal.data.people.persons import ONE_RECORD_EACH
from shoal.engines.codes import encoding
from shoal.errors import DataError, ParameterError, SchemaError
from shoal.methods.parts.declared import may_look

ALL = [
    pytest.param(case, id=f"{name}-{number}")
    for name, some in cases.CASES.items()
    for number, case in enumerate(some, start=1)
]


def is_paid(method):
    return method.cost is not None


PAID = [param for param in ALL if is_paid(param.values[0].method)]
LOOKING = [param for param in ALL if may_look(param.values[0].method)]


def assumptions(release):
    return [text for guarantee in release.certificate.guarantees for text in guarantee.assumptions]


def with_names(names):
    """The usual table with an identifier."""
    table = cases.table(len(names))
    return table.append_column("name", [names]), cases.schema().with_column("name", role="identifier")


def test_every_method_looks_or_is_told():
    assert {id(p.values[0]) for p in PAID} | {id(p.values[0]) for p in LOOKING} == {id(p.values[0]) for p in ALL}
    assert all(p.values[0].method.covers == p.values[0].method.perturbed for p in PAID if p in LOOKING)


@pytest.mark.parametrize("case", ALL)
def test_whatever_is_promised_takes_one_record_each_for_granted_in_the_owners_words(case):
    """Without a seed: with one nothing is promised."""
    release = case.method.anonymize(cases.table(), cases.schema())
    told = assumptions(release)
    assert ONE_RECORD_EACH not in told
    for guarantee in release.certificate.guarantees:
        is_test_run = guarantee.statement.startswith("TEST RUN")
        assert (f"{ONE_RECORD_EACH}, as the owner affirms" in guarantee.assumptions) != is_test_run


@pytest.mark.parametrize("case", PAID)
def test_a_method_that_spends_a_budget_is_told_what_a_person_is_before_it_reads(case, monkeypatch):
    def read(*_, **__):
        raise AssertionError("it was read")

    monkeypatch.setattr(encoding, "distinct_codes", read)
    with pytest.raises(SchemaError, match='write person = "row"'):
        case.anonymize(cases.table(), cases.schema().with_person(None))


@pytest.mark.parametrize("case", [param for param in PAID if param not in LOOKING])
def test_a_method_that_may_not_look_publishes_whatever_identifiers_hold(case):
    table, said = with_names(["the same"] * 1200)
    assert case.anonymize(table, said).certificate.records >= 0
    with pytest.raises(ParameterError, match="may not look"):
        case.method.anonymize(table, said, one_record_each=True)


@pytest.mark.parametrize("case", LOOKING)
def test_a_method_that_may_look_refuses_identifiers_that_repeat_unless_it_is_overruled(case):
    table, said = with_names([f"person {max(i, 2)}" for i in range(1200)])
    with pytest.raises(DataError, match="'name' is an identifier, and 1 of its values stands in more than one record"):
        case.anonymize(table, said)
    release = case.method.anonymize(table, said, one_record_each=True)
    assert f"{ONE_RECORD_EACH}, as the owner affirms although values repeat in name" in assumptions(release)
    table, said = with_names([f"person {i}" for i in range(1200)])
    case.anonymize(table, said)


@pytest.mark.parametrize("case", LOOKING)
def test_a_method_that_may_look_refuses_insensitive_columns_that_identify(case):
    table, said = with_names([f"person {i}" for i in range(1200)])
    try:
        case.method.counted(said.with_column("name", role="insensitive"))
    except SchemaError:
        return  # it refuses all insensitive columns
    with pytest.raises(DataError, match="'name' is declared insensitive, and 1,200 of its 1,200 values are different"):
        case.anonymize(table, said.with_column("name", role="insensitive"))
    release = case.anonymize(table, said.with_column("name", role="insensitive", unlinkable=True))
    assert case.is_private or any(text.startswith("nobody outside can know") for text in assumptions(release))
