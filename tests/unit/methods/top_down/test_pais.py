"""PAIS against specialization by hand; what it refuses."""

import by_hand
import naive
import pyarrow as pa
import pytest
from by_hand import tables
from hypothesis import given
from hypothesis import strategies as st
from strategies import examples

import shoal
from shoal.data.schema import Role
from shoal.errors import InfeasibleError, ParameterError, SchemaError
from shoal.methods.top_down.pais import PAIS
from shoal.promises.verify import verify

ROLES = (Role.SENSITIVE, Role.QUASI_IDENTIFIER)
CONFIDENCES = st.sampled_from((1.0, 0.9, 0.75, 0.6))


def admissible(small, method):
    labels = [row[-1] for row in small.rows]
    protected = {"xyz".index(value) for value in method.sensitive_values} or None

    def holds(cut):
        keys = by_hand.recoded(small, cut)
        return naive.has_lkc(keys, labels, method.length, method.k, method.confidence, protected)

    return holds


def by_information(small, method):
    return by_hand.grown(
        small,
        lambda column, leaves, children: by_hand.gain(small, column, leaves, children),
        admissible(small, method),
        lambda cut, column, value, most, _: most / len(by_hand.with_value(small, column, cut[column][value])),
        lambda column, leaves: by_hand.is_beneficial(small, column, leaves),
    )


def by_discernibility(small, method):
    return by_hand.grown(
        small,
        lambda column, _, children: by_hand.balance(small, column, children),
        admissible(small, method),
        lambda cut, column, value, *_: by_hand.squares(small, cut, column, value),
        lambda column, leaves: bool(by_hand.with_value(small, column, leaves)),
    )


@given(small=tables(ROLES, columns=(1, 4)), length=st.integers(1, 4), k=st.integers(1, 4), confidence=CONFIDENCES)
@examples(150)
def test_it_specializes_as_one_would_by_hand(small, length, k, confidence):
    confidence = confidence if small.role is Role.SENSITIVE else 1.0
    method = PAIS(length=length, k=k, confidence=confidence, target="class")
    if len({row[-1] for row in small.rows}) < 2 or not admissible(small, method)(by_hand.top(small)):
        with pytest.raises(InfeasibleError):
            method.run(small.table)
        return
    outcome = method.run(small.table)
    assert by_hand.cut_of(small, outcome) == by_information(small, method)
    assert all(verdict.holds for verdict in verify(outcome.table, outcome.published, method.promises(small.table)))
    assert outcome.published.kept == len(small.rows)


@given(small=tables(columns=(1, 3)), length=st.integers(1, 3), k=st.integers(1, 4), confidence=CONFIDENCES)
@examples(80)
def test_without_a_target_it_divides_what_is_most_alike(small, length, k, confidence):
    named = ("x",) if confidence < 1 else ()
    method = PAIS(length=length, k=k, confidence=confidence, sensitive_values=named, utility="discernibility")
    if not admissible(small, method)(by_hand.top(small)):
        with pytest.raises(InfeasibleError):
            method.run(small.table)
        return
    assert by_hand.cut_of(small, method.run(small.table)) == by_discernibility(small, method)


@given(small=tables(columns=(2, 4), records=(10, 40)), k=st.integers(2, 5))
@examples(30)
def test_whoever_may_know_everything_is_protected_by_k_anonymity(small, k):
    if len({row[-1] for row in small.rows}) < 2:
        return
    outcome = PAIS(length=9, k=k, target="class").run(small.table)
    assert by_hand.smallest(small, by_hand.cut_of(small, outcome)) >= k


PEOPLE = pa.table(
    {
        "age": [20, 21, 22, 50, 51, 52],
        "town": ["Ulm", "Ulm", "Bonn", "Bonn", "Ulm", "Bonn"],
        "buys": ["no", "no", "no", "yes", "yes", "yes"],
        "ill": ["flu", "flu", "cold", "cold", "flu", "cold"],
    }
)


def schema(**roles):
    roles = {"age": "quasi-identifier", "town": "quasi-identifier", "buys": "insensitive", "ill": "sensitive"} | roles
    made = shoal.Schema()
    for name, role in roles.items():
        made = made.with_column(name, role=role)
    return made


def test_less_is_hidden_from_somebody_who_knows_less():
    one = shoal.PAIS(length=1, k=3, target="buys").anonymize(PEOPLE, schema())
    two = shoal.PAIS(length=2, k=3, target="buys").anonymize(PEOPLE, schema())
    assert [len(set(one.data[name].to_pylist())) for name in ("age", "town")] == [2, 2]
    assert [len(set(two.data[name].to_pylist())) for name in ("age", "town")] == [2, 1]
    assert "any 1 or fewer quasi-identifiers that are known of a person fit at least 3 records" in str(one.certificate)
    assert any(
        "nothing is promised about the sensitive values of ill" in assumption
        for assumption in one.certificate.guarantees[0].assumptions
    )


def test_only_named_values_are_protected():
    every = shoal.PAIS(length=1, k=1, confidence=0.7, target="buys").anonymize(PEOPLE, schema())
    named = shoal.PAIS(length=1, k=1, confidence=0.7, sensitive_values=("cold",), target="buys").anonymize(
        PEOPLE, schema()
    )
    assert set(every.data["town"].to_pylist()) != {"Ulm", "Bonn"}
    for town, ill in zip(named.data["town"].to_pylist(), named.data["ill"].to_pylist(), strict=True):
        assert town != "Bonn" or ill != "cold"
    assert named.certificate.criteria[0]["values"] == ["cold"]
    assert named.certificate.parameters["sensitive_values"] == ["cold"]


@pytest.mark.parametrize(
    ("method", "sentence"),
    [
        ({"length": 0}, "length must be a whole number, 1 or more; got 0"),
        ({"length": 1.5}, "length must be a whole number"),
        ({"k": 0}, "k must be a whole number, 1 or more; got 0"),
        ({"confidence": 0}, "confidence is a share above 0 and at most 1; got 0"),
        ({"confidence": 1.2}, "confidence is a share above 0 and at most 1; got 1.2"),
        ({"utility": "both"}, "utility must be info-gain or discernibility; got 'both'"),
        ({"target": None}, "information gain needs a target"),
        ({"utility": "discernibility"}, "information gain needs a target"),
        ({"sensitive_values": ("flu",)}, "sensitive_values are protected by a confidence below 1"),
    ],
)
def test_parameters_that_make_no_sense_are_refused(method, sentence):
    with pytest.raises(ParameterError, match=sentence):
        shoal.PAIS(**{"target": "buys", **method})


@pytest.mark.parametrize(
    ("method", "roles", "error", "sentence"),
    [
        ({"target": "bays"}, {}, SchemaError, "there is no column 'bays'"),
        ({"target": "buys"}, {"buys": "identifier"}, SchemaError, "'buys' is an identifier"),
        ({"target": "buys", "confidence": 0.9}, {"ill": "identifier"}, SchemaError, "confidence protects sensitive"),
        ({"target": "buys", "k": 7}, {}, InfeasibleError, "k = 7 is more than the table has records"),
        ({"target": "buys", "confidence": 0.4}, {}, InfeasibleError, "even with every quasi-identifier hidden"),
        (
            {"target": "buys", "k": 4},
            {"buys": "quasi-identifier"},
            InfeasibleError,
            "'buys' is a quasi-identifier that",
        ),
        (
            {"target": "buys", "confidence": 0.9, "sensitive_values": ("flue",)},
            {},
            SchemaError,
            "'flue' of sensitive_values is not a value of a sensitive column; .*Did you mean 'flu'",
        ),
    ],
)
def test_what_cannot_be_done_is_refused_in_a_sentence(method, roles, error, sentence):
    with pytest.raises(error, match=sentence):
        shoal.PAIS(**method).anonymize(PEOPLE, schema(**roles))
