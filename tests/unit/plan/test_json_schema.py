"""The schema of release files says what the plan says: it refuses nothing that a plan understands, and wrong shapes."""

import datetime as dt
import importlib.util
import json
import tomllib
from dataclasses import dataclass
from decimal import Decimal
from enum import Enum
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
import test_plan
from jsonschema import Draft7Validator
from release_schema import complaints

from shoal.criteria import Criterion
from shoal.criteria.registry import CRITERIA
from shoal.errors import ParameterError
from shoal.examples import write_example
from shoal.methods import ClassBounds, Method
from shoal.parameters import read_parameter
from shoal.parameters.json_schema import schema_of
from shoal.parameters.lists import listed_parameters
from shoal.plan.json_schema import release_schema
from shoal.plan.method import METHODS, parameters_of
from shoal.quality import QualityModel
from shoal.quality.registry import QUALITY_MODELS

ROOT = Path(__file__).resolve().parents[3]
spec = importlib.util.spec_from_file_location("parameter_tables", ROOT / "tools" / "parameter_tables.py")
parameter_tables = importlib.util.module_from_spec(spec)
spec.loader.exec_module(parameter_tables)

NAMED = {**METHODS, **QUALITY_MODELS, **CRITERIA}
BEYOND_SHAPE = {
    "[method]\nsuppression_limit = 5",
    "[method]\nsuppression_limit = nan",
    "[method]\ntime_limit = inf",
    "[method]\ntime_limit = 0",
    "[method]\ncriteria = [{ name = 'closeness', closeness = 2, column = 'illness' }]",
    "[method]\ncriteria = [{ name = 'disclosure', delta = inf, column = 'illness' }]",
    "[method]\ncriteria = [{ name = 'closeness', closeness = 0.2, column = 'age' }]",
    "[budget]\nlimit = { epsilon = 1.0 }",
    "[columns.age]\ndomain = { from = 2020-01-01, to = 2021-01-01, step = 2 }",
    "[columns.age]\nhierarchy = { intervals = [inf] }",
    "search_share = 2",
    "[budget]\nlimit = { epsilon = -1 }",
    '[budget]\nlimit = { epsilon = 1, neighbors = "attributes" }',
    '[budget]\nlimit = { epsilon = 1, neighbors = "replace", protected = ["age"] }',
    'name = "k-epsilon"\nepsilon = 1\nperturbed = ["age"]\nanonymizer = { name = "nsvdist", k = 5, diversity = 2 }',
}
"""Wrong in a range, or beside something else: a schema of shapes cannot tell."""
WRONG_FILES = {
    **{text: test_plan.merged(text) for text in (*test_plan.UNKNOWN, *test_plan.WRONG)},
    **{lines: test_plan.DECLARED + lines for lines in test_plan.PRIVATELY_WRONG},
    **{lines: f"{test_plan.DECLARED.partition('[method]')[0]}[method]\n{lines}" for lines in test_plan.NESTED_WRONG},
}
WRITTEN = [
    *(True, False, 0, 1, 2, -1, 7, 0.5, 5.0, -2.5, "", "x", "0.1", "1/3", " 1e-6 ", "1/x", "auto", "nodes", "strict"),
    *("rigorous", "RIGOROUS", "as_published", "Rigorous", "corners", "equal", "published", "first", "split", "formula"),
    *([], ["age"], [1], [0], ["age", 1], [True], [[1]], [{}], [{"age": 1}], [{"age": 1.5}], {}, {"age": 2}),
    *({"age": 0.5}, {"age": "x"}, {"age": True}, [None], dt.date(2024, 1, 1)),
]
"""Whatever TOML may hold where a parameter is expected, and more."""
MADE_OF_TABLES = (QualityModel, Method, tuple[Criterion, ...], tuple[ClassBounds, ...])


def test_what_is_committed_is_what_the_code_yields():
    assert parameter_tables.SCHEMA.read_text(encoding="utf-8") == parameter_tables.schema(), "run `make tables`"
    certificates = parameter_tables.CERTIFICATE.read_text(encoding="utf-8")
    assert certificates == parameter_tables.certificate(), "run `make tables`"
    text = parameter_tables.PAGE.read_text(encoding="utf-8")
    assert text == parameter_tables.page(text), "run `make tables`"


def test_it_is_a_schema():
    Draft7Validator.check_schema(release_schema())


def test_the_example_is_valid_and_names_the_schema_beside_it(tmp_path):
    path = write_example(tmp_path, 20)
    assert not complaints(tomllib.loads(path.read_text(encoding="utf-8")))
    first = path.read_text(encoding="utf-8").splitlines()[0]
    named = first.removeprefix("#:schema ")
    assert json.loads((tmp_path / named).read_text(encoding="utf-8")) == release_schema()


@pytest.mark.parametrize("lines", WRONG_FILES)
def test_what_a_plan_refuses_for_its_shape_the_schema_refuses(lines):
    found = complaints(tomllib.loads(WRONG_FILES[lines]))
    assert bool(found) != (lines in BEYOND_SHAPE)


@pytest.mark.parametrize("table", ["data", "columns", "method"])
def test_a_missing_table_is_refused(table):
    assert complaints(tomllib.loads(test_plan.merged("", without=table)))


def test_every_parameter_of_every_method_has_a_place_in_its_table_and_no_other_has():
    tables = {one["title"]: one for one in release_schema()["definitions"]["method"]["oneOf"]}
    assert list(tables) == list(METHODS)
    for name, table in tables.items():
        assert sorted(table["properties"]) == sorted(["name", *parameters_of(name)])
        assert table["additionalProperties"] is False


@pytest.mark.parametrize("name", NAMED)
def test_every_parameter_says_what_it_means(name):
    for parameter in listed_parameters(NAMED[name]):
        assert parameter.meaning.endswith("."), parameter.name


@pytest.mark.parametrize("name", NAMED)
def test_the_schema_of_a_parameter_admits_what_its_reader_reads(name):
    kind = NAMED[name]
    for parameter in listed_parameters(kind):
        if parameter.declared in MADE_OF_TABLES:
            continue
        schema = schema_of(parameter.declared, {})
        validator = Draft7Validator(schema)
        for value in WRITTEN:
            is_valid = validator.is_valid(value)
            cannot_tell = value == 5.0 or (isinstance(value, str) and "minimum" in schema)
            assert is_valid == is_read(kind, parameter.name, value) or (is_valid and cannot_tell), (parameter, value)


def is_read(kind, name, value):
    try:
        read_parameter(kind, name, value)
    except ParameterError:
        return False
    return True


class Shape(Enum):
    ROUND = "is round"
    FLAT = "flat"


@dataclass(frozen=True)
class Everything:
    """One parameter of every type that some class may declare."""

    whole: int
    exact: Fraction
    tenth: Decimal
    path: Path
    pair: tuple[int, str]
    names: frozenset[str]
    shape: Shape
    either: Shape | bool | None
    anything: Any
    instance: Shape | Draft7Validator
    other: Path | int
    measure: Decimal | int


@pytest.mark.parametrize("parameter", listed_parameters(Everything), ids=lambda parameter: parameter.name)
def test_types_that_no_method_of_ours_declares_have_a_schema_too(parameter):
    validator = Draft7Validator(schema_of(parameter.declared, {}))
    for value in [*WRITTEN, "is round", "round", "ROUND", "flat", "oval", ["a", "b"], [""], [1, "a"], [1, "a", 2]]:
        is_valid = validator.is_valid(value)
        assert is_valid == is_read(Everything, parameter.name, value) or (is_valid and value == 5.0), value


def test_a_day_is_a_text_to_a_validator():
    validator = Draft7Validator(schema_of(dt.date, {}))
    assert validator.is_valid("2024-01-01")
    assert not validator.is_valid(2024)
