"""What every class that takes parameters must do with whatever it is given: read it as declared, or refuse it."""

import datetime as dt
import pickle
from collections.abc import Mapping, Sequence
from dataclasses import fields
from decimal import Decimal
from enum import Enum
from fractions import Fraction
from math import isfinite, isinf, nan
from pathlib import Path
from types import NoneType, UnionType
from typing import Annotated, Any, Literal, Union, get_args, get_origin, get_type_hints

import cases
import numpy as np
import parameter_cases
import pytest

import shoal
from shoal.dp.accounting.threshold import Accounting, KRule, smallest_threshold
from shoal.dp.coins.coins import SeededCoins
from shoal.dp.coins.sampling_rate import OneMinusExp
from shoal.dp.ledger.ledger import Ledger
from shoal.errors import ParameterError, PlanError, ShoalError
from shoal.parameters import FrozenTable, read_as
from shoal.plan.method import parse_method

INSTANCES = parameter_cases.instances()
PARAMETERS = [
    pytest.param(instance, field.name, id=f"{type(instance).__name__}-{number}-{field.name}")
    for number, instance in enumerate(INSTANCES)
    for field in fields(instance)
    if field.init and not field.name.startswith("_")
]
"""Every parameter of every class; names with an underscore are not for users."""


SPOKEN = {"rows": ["the hierarchy"], "units": ["dates become"], "values": ["a domain lists"], "url": ["URL"]}
"""Parameters that users know by other words: they call `shoal.tree` and `shoal.dates`."""


class Stranger:
    """Nothing that belongs anywhere."""


ANYTHING = [
    *(None, object(), Stranger, int, shoal.Loss, shoal.Mode, shoal.Mode.RIGOROUS, shoal.References.ONE, print),
    *([], [Stranger()], ["age", 5], ["age"], ("age", "age"), [1, 2], {}, {"age": Stranger()}, {5: 1.0}, {"age": True}),
    *({"age": nan}, {"age": "2"}, [True], [{"age": 1.5}], [nan], [None], {"age"}, b"age", bytearray(b"age")),
    *("no such word", "", "age", "0.5", "nan", "inf", "1e400", "1e999999999", "1/0", "True", "None", "loss"),
    *(nan, float("inf"), -float("inf"), True, False, 0, 1, 5, -1, -5, 0.5, 2.5, -0.5, 1e308, 1e-3, 1 + 2j),
    *(10**19, -(10**19), 10**400, 10**5000, Fraction(1, 2), Fraction(10**5000)),
    *(Decimal("0.5"), Decimal("NaN"), Decimal("sNaN"), Decimal("Infinity"), Decimal("1e999999")),
    *(dt.date(2024, 1, 1), dt.datetime(2024, 1, 1), dt.datetime(2024, 1, 1, 12), dt.timedelta(1), Path("age")),  # noqa: DTZ001
    *(np.int64(5), np.uint8(1), np.float64(0.5), np.float32(0.5), np.float64(nan), np.float64(np.inf), np.bool_(True)),
    *(np.bool_(False), np.str_("age"), np.bytes_(b"age"), np.array(5), np.array(["age"]), np.timedelta64(5, "ns")),
    *(np.datetime64("2024-01-01"), np.datetime64("2024-01-01", "ns"), np.datetime64("NaT", "D"), np.complex128(1)),
]
"""Wrong for nearly every parameter, right for some."""


def is_of(value: Any, declared: Any) -> bool:
    """Whether a value is exactly of a declared type: written for this test, beside the reader."""
    origin, arguments = get_origin(declared), get_args(declared)
    if origin is Annotated:
        return is_of(value, arguments[0]) and Fraction(value) >= arguments[1].least
    if origin in (Union, UnionType):
        return any(is_of(value, argument) for argument in arguments)
    if origin is Literal:
        return type(value) is str and value in arguments
    if origin is tuple and arguments[-1] is not Ellipsis:
        return type(value) is tuple and len(value) == len(arguments) and all(map(is_of, value, arguments))
    if origin in (tuple, Sequence):
        return type(value) is tuple and all(is_of(item, arguments[0]) for item in value)
    if origin is frozenset:
        return type(value) is frozenset and all(is_of(item, arguments[0]) for item in value)
    if origin is Mapping:
        return type(value) is FrozenTable and all(
            is_of(k, arguments[0]) and is_of(v, arguments[1]) for k, v in value.items()
        )
    if declared is float:  # a whole number is one, as in all of Python, as long as a float holds it
        return type(value) in (int, float) and isfinite(value)
    if declared is int:
        return type(value) is int
    if declared is Decimal:
        return type(value) is Decimal and value.is_finite()
    if declared in (str, bool, Fraction, NoneType, dt.date):
        return type(value) is declared
    return isinstance(value, declared) and not isinstance(value, type)


def hints(kind):
    return get_type_hints(kind, include_extras=True)


def remade(instance, name, value):
    """The same with one other parameter, or the error."""
    given = {field.name: getattr(instance, field.name) for field in fields(instance) if field.init}
    try:
        return type(instance)(**given | {name: value})
    except ShoalError as error:
        return error


def test_every_public_dataclass_is_fed_or_says_why_not():
    listed = [name for names in parameter_cases.WITHOUT.values() for name in names.split()]
    fed = {f"{type(instance).__module__}.{type(instance).__name__}" for instance in INSTANCES}
    found = parameter_cases.classes()
    assert len(found) > 100
    assert sorted({*listed, *fed} - set(found)) == []
    assert sorted(set(found) - {*listed, *fed}) == []
    assert not fed & set(listed)
    assert len(set(listed)) == len(listed)


@pytest.mark.parametrize("instance", INSTANCES, ids=lambda instance: type(instance).__name__)
def test_valid_instances_have_exactly_the_types_they_declare(instance):
    for name, declared in hints(type(instance)).items():
        if name in {field.name for field in fields(instance) if field.init and not field.name.startswith("_")}:
            assert is_of(getattr(instance, name), declared), name


@pytest.mark.parametrize(("instance", "name"), PARAMETERS)
def test_whatever_comes_is_read_as_declared_or_refused_by_name(instance, name):
    declared = hints(type(instance))[name]
    for value in ANYTHING:
        got = remade(instance, name, value)  # anything but an error of Shoal is raised here
        if isinstance(got, ShoalError):
            assert any(word in str(got) for word in (name, name.replace("_", " "), *SPOKEN.get(name, ()))), (value, got)
            assert len(str(got)) < 600, (value, got)
            assert "0x" not in str(got), (value, got)
        else:
            assert is_of(getattr(got, name), declared), (value, getattr(got, name))


@pytest.mark.parametrize(("instance", "name"), PARAMETERS)
def test_numbers_truth_values_and_texts_of_numpy_are_those_of_python(instance, name):
    pairs = [(np.int64(5), 5), (np.int8(2), 2), (np.float64(0.5), 0.5), (np.float32(0.5), 0.5)]
    pairs += [
        (np.bool_(True), True),
        (np.bool_(False), False),
        (np.str_("grade"), "grade"),
        (np.str_("nodes"), "nodes"),
    ]
    for theirs, ours in pairs:
        one, other = remade(instance, name, theirs), remade(instance, name, ours)
        assert type(one) is type(other), (theirs, one, other)
        if not isinstance(one, ShoalError):
            assert getattr(one, name) == getattr(other, name)
            assert type(getattr(one, name)) is type(getattr(other, name))


ENUMS = [
    pytest.param(*param.values, option, id=param.id)
    for param in PARAMETERS
    for declared in [hints(type(param.values[0]))[param.values[1]]]
    for option in (get_args(declared) or (declared,))
    if isinstance(option, type) and issubclass(option, Enum)
]


@pytest.mark.parametrize(("instance", "name", "kind"), ENUMS)
def test_a_word_that_names_a_member_is_the_member(instance, name, kind):
    for member in kind:
        meant = remade(instance, name, member)
        for word in (member.value, member.name, member.name.lower(), np.str_(member.value)):
            got = remade(instance, name, word)
            if isinstance(meant, ShoalError):
                assert str(got) == str(meant)
            else:
                assert getattr(got, name) is member
        wrong = remade(instance, name, f"{member.value}x")
        assert isinstance(wrong, ParameterError)
        assert "Did you mean" in str(wrong) or " " in member.value


def test_no_word_names_two_members():
    kinds = {param.values[2] for param in ENUMS} | {KRule}
    assert len(kinds) > 10
    for kind in kinds:
        words = [word for member in kind for word in {member.value, member.name, member.name.lower()}]
        assert len(words) == len(set(words))


def test_at_least_as_many_parameters_are_fed_as_there_are_methods_and_criteria():
    assert len(PARAMETERS) > 250
    assert len(ENUMS) > 25


def anonymized(method, **coins):
    return method.anonymize(cases.table(400), cases.schema(), **coins)


@pytest.mark.parametrize(
    ("word", "member"),
    [
        (
            shoal.KEpsilon(epsilon=1, perturbed=["age"], mode="rigorous", several="split"),
            shoal.KEpsilon(epsilon=1, perturbed=("age",), mode=shoal.Mode.RIGOROUS, several=shoal.Several.SPLIT),
        ),
        (
            shoal.KEpsilon(epsilon=1, perturbed=["age"], mode="as_published"),
            shoal.KEpsilon(epsilon=1, perturbed=("age",), mode=shoal.Mode.AS_PUBLISHED),
        ),
        (
            shoal.SafePub(epsilon=2, delta=1e-3, mode="as_published"),
            shoal.SafePub(epsilon=2, delta=1e-3, mode=shoal.Mode.AS_PUBLISHED),
        ),
        (
            shoal.DiffGen(epsilon=2, target="grade", utility="purity", choices="JOINT"),
            shoal.DiffGen(epsilon=2, target="grade", utility=shoal.Utility.PURITY, choices=shoal.Choices.JOINT),
        ),
        (
            shoal.MicroaggregationDP(epsilon=2, references="one"),
            shoal.MicroaggregationDP(epsilon=2, references=shoal.References.ONE),
        ),
    ],
    ids=lambda method: method.name,
)
def test_a_word_makes_the_same_release_and_the_same_certificate_as_its_member(word, member):
    assert word == member
    one, other = (anonymized(method, coins=SeededCoins(3)) for method in (word, member))
    assert one.data.equals(other.data)
    assert one.certificate.guarantees == other.certificate.guarantees
    assert one.certificate.parameters == other.certificate.parameters


@pytest.mark.parametrize("mode", ["rigorous", "as_published"])
def test_nsvdist_takes_its_mode_as_a_word(mode):
    word, member = shoal.NSVDist(k=4, diversity=2, mode=mode), shoal.NSVDist(k=4, diversity=2, mode=shoal.Mode(mode))
    one, other = anonymized(word), anonymized(member)
    assert one.data.equals(other.data)
    assert one.certificate == other.certificate or one.certificate.guarantees == other.certificate.guarantees
    assert word.needs_overlap_audit == member.needs_overlap_audit == (mode == "as_published")


def test_an_undeclared_column_is_refused_by_the_rigorous_k_epsilon_however_it_is_called():
    undeclared = shoal.Schema().with_column("age", role="quasi-identifier")
    for mode in ("rigorous", "RIGOROUS", shoal.Mode.RIGOROUS):
        method = shoal.KEpsilon(epsilon=1, perturbed=["age"], mode=mode)
        with pytest.raises(shoal.SchemaError, match="declare"):
            method.anonymize(cases.table(100).select(["age"]), undeclared)


@pytest.mark.parametrize(
    ("make", "sentence"),
    [
        (
            lambda: shoal.SafePub(epsilon=1, delta=1e-6, mode="whatever"),
            "SafePub: mode must be rigorous or as_published",
        ),
        (
            lambda: shoal.SafePub(epsilon=1, delta=1e-6, mode="rigourous"),
            r"got 'rigourous'\. Did you mean 'rigorous'\?",
        ),
        (
            lambda: shoal.DiffGen(epsilon=1, target="a", utility="nonsense"),
            "DiffGen: utility must be purity or max or info",
        ),
        (
            lambda: shoal.OLA(criteria=("k-anonymity",)),
            r"OLA: criteria\[0\] must be a criterion such as shoal.KAnonymity",
        ),
        (
            lambda: shoal.OLA(criteria=shoal.KAnonymity(2)),
            "OLA: criteria must be a list of .*; got an instance of KAnon",
        ),
        (lambda: shoal.OLA(suppression_limit="0.1"), "OLA: suppression_limit must be a number; got '0.1'"),
        (lambda: shoal.OLA(quality="loss"), r"OLA: quality must be a quality model such as shoal.Loss\(\); got 'loss'"),
        (lambda: shoal.SafePub(epsilon=1, delta=1e-6, quality=shoal.Loss), r"the class Loss\. Did you mean Loss\(\)\?"),
        (lambda: shoal.Closeness(0.2, "d", "orderd"), "Closeness: distance must be equal or ordered .* mean 'ordered'"),
        (lambda: shoal.KAnonymity(True), "KAnonymity: k must be a whole number; got True"),
        (lambda: shoal.OLA(k=2.5), "OLA: k must be a whole number, 1 or more; got 2.5"),
        (lambda: shoal.Loss({"age": nan}), r"Loss: weights\['age'\] must be a number; got nan, which is not finite"),
        (lambda: shoal.PrivacyCost(0.1), r"epsilon must be an exact number such as 2 or Fraction\('0.1'\); got 0.1"),
        (lambda: shoal.intervals("wide"), r"Intervals: widths\[0\] must be a number; got 'wide'"),
        (lambda: shoal.dates("month", 5), r"DateLevels: units\[1\] must be a text; got 5"),
        (
            lambda: shoal.Column("a", "quasi-identifer"),
            "Column: role must be identifier or dropped or quasi-identifier .* mean 'quasi-id",
        ),
        (lambda: shoal.OLA(k=cases.table(5)), "OLA: k must be a whole number, 1 or more; got an instance of Table"),
        (
            lambda: shoal.KEpsilon(epsilon=1, perturbed="age"),
            r'perturbed must be a list of texts such as \["age", "zip"\]',
        ),
        (lambda: shoal.SafePub(epsilon="1e999999999", delta=1e-6), "epsilon must be a number such as 0.1"),
        (lambda: shoal.evaluate.RandomForest(trees=0), "RandomForest: trees must be a whole number, 1 or more; got 0"),
    ],
)
def test_what_cannot_be_read_is_refused_in_one_sentence(make, sentence):
    with pytest.raises(ParameterError, match=sentence):
        make()


def test_values_of_records_are_never_shown():
    frame = {"age": ["secret"] * 30}
    for value in (cases.table(5), frame, np.array(["secret"]), [["secret"]], ["secret"] * 30):
        with pytest.raises(ParameterError) as refused:
            shoal.KAnonymity(value)
        assert "secret" not in str(refused.value)


def test_functions_of_enums_read_words_too():
    rate, one, tiny = OneMinusExp(Fraction(1)), Fraction(1), Fraction(1, 10**6)
    assert smallest_threshold(rate, one, tiny, "paper") == smallest_threshold(rate, one, tiny, Accounting.PAPER) == 74
    assert smallest_threshold(rate, one, tiny, k_rule="paper") == 59
    with pytest.raises(ParameterError, match=r"accounting must be exact or paper; got 'papr'\. Did you mean 'paper'"):
        smallest_threshold(rate, one, tiny, "papr")
    assert Ledger(neighbors="replace").neighbors is shoal.Neighbors.REPLACE
    assert shoal.PrivacyCost.of(1, neighbors="add_remove").under("replace").epsilon == 2
    assert read_as(int | None, "k", np.int8(3)) == 3


def test_the_release_file_reads_what_python_reads():
    said = {"name": "k-epsilon", "epsilon": 1, "perturbed": ["age"], "mode": "as_published", "class_rule": "text"}
    method = parse_method(said, cases.schema(), "here")
    del said["name"]
    assert method == shoal.KEpsilon(**said)
    for key, value in (
        ("mode", "published"),
        ("epsilon", nan),
        ("epsilon", "one"),
        ("digits", True),
        ("perturbed", [5]),
    ):
        with pytest.raises(ParameterError) as python:
            shoal.KEpsilon(**said | {key: value})
        with pytest.raises(PlanError) as file:
            parse_method(said | {"name": "k-epsilon", key: value}, cases.schema(), "here")
        assert str(python.value).removeprefix("KEpsilon: ") == str(file.value).removeprefix("here: ")


def test_a_parameter_is_not_changed_by_changing_what_was_given():
    weights, columns = {"age": 1.0}, ["age"]
    model, method = shoal.Loss(weights), shoal.KEpsilon(epsilon=1, perturbed=columns)
    weights["age"], columns[0] = 5.0, "town"
    assert model.weights == {"age": 1.0}
    assert method.perturbed == ("age",)
    assert not isinf(model.weights["age"])


@pytest.mark.parametrize("number", range(len(INSTANCES)))
def test_what_takes_parameters_hashes_compares_and_pickles(number):
    """Methods are keys of caches and go to other processes; nobody may change one after it was read."""
    given = INSTANCES[number]
    again = pickle.loads(pickle.dumps(given))
    assert type(again) is type(given)
    hash(again)
    holds_a_table = any(type(getattr(given, field.name)).__eq__ is object.__eq__ for field in fields(given))
    if type(given).__eq__ is not object.__eq__ and not holds_a_table:
        assert (again, hash(again)) == (given, hash(given))


def test_a_table_among_the_parameters_stays_as_it_was_read():
    weights = {"age": 2.0}
    method = shoal.Mondrian(k=2, weights=weights)
    weights["age"] = 3.0
    assert method.weights == {"age": 2.0}
    assert method != shoal.Mondrian(k=2, weights=weights)
    for change in (
        lambda table: table.update(age=1.0),
        lambda table: table.__setitem__("age", 1.0),
        lambda table: table.pop("age"),
        lambda table: table.clear(),
        lambda table: table.setdefault("town", 1.0),
    ):
        with pytest.raises(TypeError, match="parameters do not change once they are read"):
            change(method.weights)
    assert method.weights == {"age": 2.0}
