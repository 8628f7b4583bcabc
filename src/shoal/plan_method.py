"""The [method] of a release file: each parameter is read as the type its method declares."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import MISSING, fields
from enum import Enum
from fractions import Fraction
from types import UnionType
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints

from shoal.criteria import Criterion
from shoal.criteria.registry import from_dict as criterion_from_dict
from shoal.data.schema import Role, Schema
from shoal.errors import PlanError, ShoalError, nearest
from shoal.methods import (
    MDAV,
    NHAA,
    OLA,
    PAIS,
    TDS,
    DiffGen,
    KEpsilon,
    LocalRecoding,
    Method,
    MicroaggregationDP,
    Mondrian,
    NSVDist,
    OptimalLattice,
    PrivateMethod,
    SafePub,
    Sequential,
)
from shoal.plan_columns import is_number, known_keys
from shoal.quality import (
    AverageClassSize,
    Classification,
    Discernibility,
    Granularity,
    GroupSize,
    Intensity,
    Loss,
    NonUniformEntropy,
    Precision,
    QualityModel,
)

METHODS: dict[str, type[Any]] = {
    method.name: method
    for method in (
        OptimalLattice,
        OLA,
        SafePub,
        DiffGen,
        MDAV,
        MicroaggregationDP,
        KEpsilon,
        Mondrian,
        LocalRecoding,
        NSVDist,
        Sequential,
        NHAA,
        TDS,
        PAIS,
    )
}

QUALITY_MODELS: dict[str, type[Any]] = {
    "loss": Loss,
    "granularity": Granularity,
    "intensity": Intensity,
    "precision": Precision,
    "discernibility": Discernibility,
    "entropy": NonUniformEntropy,
    "group-size": GroupSize,
    "average-class-size": AverageClassSize,
    "classification": Classification,
}

_OF_A_QUALITY_MODEL = ("target", "weights")
"""Parameters that belong to the quality model, unless the method has one of that name itself."""


def parameters_of(method: str) -> list[str]:
    """What may be said of a method, its own parameters first, then those of its quality model."""
    own = [field.name for field in fields(METHODS[method])]
    return [*own, *(key for key in _OF_A_QUALITY_MODEL if "quality" in own and key not in own)]


def missing_parameters(method: str, given: Mapping[str, Any]) -> list[str]:
    """What must be said of a method and is not."""
    required = [f.name for f in fields(METHODS[method]) if f.default is MISSING and f.default_factory is MISSING]
    return [name for name in required if name not in given]


def method_said(said: Mapping[str, Any], schema: Schema, here: str) -> Method | PrivateMethod:
    """The method a table describes; `here` is for messages."""
    given = dict(said)
    name = given.pop("name", None)
    if name is None:
        raise PlanError(f"{here}: name is missing; expected one of {', '.join(METHODS)}.")
    if not isinstance(name, str) or name not in METHODS:
        raise PlanError(
            f"{here}: {name!r} is not a method; expected one of {', '.join(METHODS)}."
            f"{nearest(str(name), list(METHODS))}"
        )
    kind = METHODS[name]
    types = get_type_hints(kind)
    own = [field.name for field in fields(kind)]
    borrowed = [key for key in parameters_of(name) if key not in own]
    known_keys(given, parameters_of(name), here)
    if missing := missing_parameters(name, given):
        raise PlanError(f"{here}: {name} needs {', '.join(missing)}.")
    try:
        parameters = {key: _read(key, given[key], types[key], schema, here) for key in given if key not in borrowed}
        if "quality" in own:
            of_quality = {key: given.get(key) for key in borrowed}
            parameters["quality"] = quality_named(given.get("quality", "loss"), **of_quality)
        method: Method | PrivateMethod = kind(**parameters)
    except PlanError as error:
        raise PlanError(str(error) if str(error).startswith(here) else f"{here}: {error}") from None
    except ShoalError as error:
        raise PlanError(f"{here}: {error}") from None
    return method


def _read(key: str, value: Any, kind: Any, schema: Schema, here: str) -> Any:
    """One parameter."""
    if key == "criteria":
        return _criteria(value, schema)
    if key == "quality":
        return None  # read together with what belongs to it
    options = _options(kind)
    for option in options:
        if _fits(value, option):
            return _converted(value, option, schema, f"{here}, {key}" if _is_method(option) else here)
    choices = [str(member.value) for option in options if _is_enum(option) for member in option]
    choices += [str(word) for option in options if get_origin(option) is Literal for word in get_args(option)]
    nearby = nearest(value, choices) if isinstance(value, str) else ""
    raise PlanError(f"{here}: {key} must be {_described(options, choices)}; got {value!r}.{nearby}")


def _options(kind: Any) -> list[Any]:
    """The members of a union; alone, the type itself."""
    if get_origin(kind) in (Union, UnionType):
        return [option for member in get_args(kind) for option in _options(member)]
    return [kind]


def _is_enum(option: Any) -> bool:
    return isinstance(option, type) and issubclass(option, Enum)


def _is_method(option: Any) -> bool:
    return option in (Method, PrivateMethod) or option in METHODS.values()


def _fits(value: Any, option: Any) -> bool:
    if option is bool:
        return isinstance(value, bool)
    if option in (int, float, Fraction):
        return is_number(value)  # a fraction where a whole number is asked for is refused by the method itself
    if _is_enum(option):
        return value in [member.value for member in option]
    if get_origin(option) is Literal:
        return value in get_args(option)
    if _is_method(option):
        return isinstance(value, Mapping)
    match _shape(option):
        case "names":
            return isinstance(value, list) and all(isinstance(item, str) for item in value)
        case "whole numbers":
            return isinstance(value, list) and all(type(item) is int for item in value)
        case "tables":
            return isinstance(value, list) and all(isinstance(item, Mapping) for item in value)
        case "numbers":
            return isinstance(value, Mapping) and all(is_number(item) for item in value.values())
        case "schemes":
            return isinstance(value, list) and all(
                isinstance(item, Mapping) and all(type(level) is int for level in item.values()) for item in value
            )
    return option is str and isinstance(value, str) and not is_number(value)


def _shape(option: Any) -> str | None:
    """Lists of names, tables of numbers, lists of tables of levels: what else a parameter may be."""
    origin, arguments = get_origin(option), get_args(option)
    if origin is tuple and arguments[:1] == (str,):
        return "names"
    if origin is tuple and arguments[:1] == (int,):
        return "whole numbers"
    if origin is tuple and arguments and hasattr(arguments[0], "read"):
        return "tables"
    if origin is Mapping:
        return "numbers"
    if origin is not None and arguments and get_origin(arguments[0]) is Mapping:
        return "schemes"
    return None


def _converted(value: Any, option: Any, schema: Schema, here: str) -> Any:
    if _is_enum(option):
        return option(value)
    if _is_method(option):
        return method_said(value, schema, here)
    if _shape(option) == "tables":
        return tuple(get_args(option)[0].read(item) for item in value)
    return tuple(value) if isinstance(value, list) else value


def _described(options: list[Any], choices: list[str]) -> str:
    """What is expected, for an error."""
    words = list(choices)
    if any(option in (int, float, Fraction) for option in options):
        words.insert(0, "a number")
    if bool in options:
        words.append("true or false")
    shapes = {_shape(option) for option in options}
    if "names" in shapes:
        words.append('a list of columns such as ["age", "zip"]')
    if "whole numbers" in shapes:
        words.append("a list of whole numbers such as [4, 8]")
    if "numbers" in shapes:
        words.append("a table such as { age = 2.0, zip = 0.5 }")
    if "tables" in shapes:
        words.append("a list of tables")
    if "schemes" in shapes:
        words.append("a list of tables of levels, such as { age = 2, zip = 1 }")
    if any(_is_method(option) for option in options):
        words.append('a method such as { name = "mondrian", k = 5 }')
    if str in options and not words:
        words.append("a text")
    return " or ".join(words)


def _criteria(said: Any, schema: Schema) -> tuple[Criterion, ...]:
    if not isinstance(said, list) or not all(isinstance(criterion, Mapping) for criterion in said):
        raise PlanError('criteria are a list of tables such as { name = "k-anonymity", k = 5 }.')
    return tuple(_criterion(criterion, schema) for criterion in said)


def _criterion(said: Mapping[str, Any], schema: Schema) -> Criterion:
    for key, value in said.items():
        is_listed = key == "values" and isinstance(value, list) and all(isinstance(part, str) for part in value)
        if not isinstance(value, str) and not is_number(value) and not is_listed:
            raise PlanError(f"{key} of a criterion must be a number or a text; got {value!r}.")
    criterion = criterion_from_dict(said)
    column = said.get("column")
    if column is not None and column not in schema.names(Role.SENSITIVE):
        names = ", ".join(repr(name) for name in schema.names(Role.SENSITIVE)) or "none"
        raise PlanError(
            f"{said['name']} needs a sensitive column, and {column!r} is not one; sensitive columns: {names}."
        )
    return criterion


def quality_named(name: Any, *, target: Any = None, weights: Any = None) -> QualityModel:
    """The quality model called so."""
    if not isinstance(name, str) or name not in QUALITY_MODELS:
        known = list(QUALITY_MODELS)
        raise PlanError(
            f"{name!r} is not a quality model; expected one of {', '.join(known)}.{nearest(str(name), known)}"
        )
    if target is not None and not isinstance(target, str):
        raise PlanError(f"target is the name of a column; got {target!r}.")
    if weights is not None and not (isinstance(weights, Mapping) and all(map(is_number, weights.values()))):
        raise PlanError(f"weights are a table such as {{ age = 2.0, zip = 0.5 }}; got {weights!r}.")
    kind = QUALITY_MODELS[name]
    accepted = [field.name for field in fields(kind)]
    given = {"target": target, "weights": weights}
    for key, value in given.items():
        if value is not None and key not in accepted:
            raise PlanError(f"{key} has no meaning for the quality model {name!r}; remove it or choose another model.")
    if "target" in accepted and target is None:
        raise PlanError(f"the quality model {name!r} needs a target: the column to be predicted.")
    model: QualityModel = kind(**{key: value for key, value in given.items() if value is not None})
    return model
