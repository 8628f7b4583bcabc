"""The release file: TOML to a plan, with one clear sentence for whatever cannot be understood."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import MISSING, dataclass, field, fields
from pathlib import Path
from typing import Any

from shoal.criteria import Criterion
from shoal.criteria.registry import from_dict as criterion_from_dict
from shoal.data.schema import Role, Schema
from shoal.errors import PlanError, ShoalError, nearest
from shoal.methods import OLA, Method, Mode, OptimalLattice, PrivateMethod, SafePub
from shoal.plan_budget import BudgetPlan, budget_said
from shoal.plan_columns import column_said, is_number, known_keys, string_at, strings
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

METHODS: dict[str, type[Any]] = {method.name: method for method in (OptimalLattice, OLA, SafePub)}

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

FORMATS = ("csv", "parquet")


@dataclass(frozen=True, slots=True)
class DataPlan:
    """Where the table is, and how it is written."""

    path: Path
    missing: tuple[str, ...] = ("",)
    delimiter: str | None = None
    encoding: str = "utf-8"


@dataclass(frozen=True, slots=True)
class Plan:
    """Everything a release is made from."""

    data: DataPlan
    schema: Schema
    method: Method | PrivateMethod
    output: Path
    format: str = "csv"
    budget: BudgetPlan = field(default_factory=BudgetPlan)

    @staticmethod
    def load(path: Path) -> Plan:
        """Read a release file; paths in it are relative to it."""
        try:
            content = tomllib.loads(path.read_text(encoding="utf-8-sig"))
        except FileNotFoundError:
            raise PlanError(f"{path} does not exist; `shoal init DATA` writes a release file to start from.") from None
        except tomllib.TOMLDecodeError as error:
            raise PlanError(f"{path} is not valid TOML: {error}.") from None
        except (OSError, ValueError) as error:
            raise PlanError(
                f"{path} cannot be read as UTF-8 text ({type(error).__name__}); expected a release file."
            ) from None
        return _plan(content, path)

    def require_sense(self, path: Path) -> None:
        """Refuse a schema that the method cannot work with, before a row is read; `path` is for messages."""
        try:
            self.method.counted(self.schema)
        except ShoalError as error:
            raise type(error)(f"{path}: {error}") from None


def _plan(content: Mapping[str, Any], path: Path) -> Plan:
    where, folder = str(path), path.resolve().parent
    known_keys(content, ("data", "columns", "method", "budget", "output"), where)
    columns = _table(content, "columns", where)
    data = _data(_table(content, "data", where), folder, f"{where}, [data]")
    output, form = _output(_table(content, "output", where) if "output" in content else {}, f"{where}, [output]")
    schema = Schema(tuple(column_said(name, said, folder, where) for name, said in columns.items()))
    method = _method(_table(content, "method", where), schema, f"{where}, [method]")
    if "budget" in content and not isinstance(method, PrivateMethod):
        raise PlanError(
            f"{where}: [budget] limits what differentially private methods spend, and {method.name} is not one of "
            "them; remove it."
        )
    budget = budget_said(_table(content, "budget", where) if "budget" in content else {}, folder, f"{where}, [budget]")
    return Plan(data, schema, method, folder / output, form, budget)


def _data(said: Mapping[str, Any], folder: Path, here: str) -> DataPlan:
    known_keys(said, ("path", "missing", "delimiter", "encoding"), here)
    return DataPlan(
        folder / string_at(said, "path", here),
        tuple(strings(said.get("missing", [""]), f"{here} missing")),
        string_at(said, "delimiter", here) if "delimiter" in said else None,
        string_at(said, "encoding", here) if "encoding" in said else "utf-8",
    )


def _output(said: Mapping[str, Any], here: str) -> tuple[str, str]:
    known_keys(said, ("path", "format"), here)
    form = said.get("format", "csv")
    if form not in FORMATS:
        raise PlanError(f"{here}: format must be csv or parquet; got {form!r}.{nearest(str(form), FORMATS)}")
    return string_at(said, "path", here) if "path" in said else "release", form


def _method(said: Mapping[str, Any], schema: Schema, here: str) -> Method | PrivateMethod:
    parameters = dict(said)
    name = parameters.pop("name", None)
    if not isinstance(name, str) or name not in METHODS:
        raise PlanError(
            f"{here}: {name!r} is not a method; expected one of {', '.join(METHODS)}."
            f"{nearest(str(name), list(METHODS))}"
        )
    kind = METHODS[name]
    known_keys(parameters, [*(field.name for field in fields(kind)), "target", "weights"], here)
    quality, criteria = parameters.pop("quality", "loss"), parameters.pop("criteria", [])
    mode, schemes = parameters.pop("mode", None), parameters.pop("schemes", None)
    target, weights = parameters.pop("target", None), parameters.pop("weights", None)
    for key, value in parameters.items():
        if not is_number(value):
            raise PlanError(f"{here}: {key} must be a number; got {value!r}.")
    if not isinstance(criteria, list) or not all(isinstance(criterion, Mapping) for criterion in criteria):
        raise PlanError(f'{here}: criteria are a list of tables such as {{ name = "k-anonymity", k = 5 }}.')
    required = [f.name for f in fields(kind) if f.default is MISSING and f.default_factory is MISSING]
    missing = [name for name in required if name not in parameters]
    if missing:
        raise PlanError(f"{here}: {name} needs {', '.join(missing)}.")
    if mode is not None:
        parameters["mode"] = _mode(mode, here)
    if schemes is not None:
        parameters["schemes"] = _schemes(schemes, here)
    try:
        if criteria:
            parameters["criteria"] = tuple(_criterion(criterion, schema) for criterion in criteria)
        method: Method | PrivateMethod = kind(
            quality=quality_named(quality, target=target, weights=weights), **parameters
        )
    except ShoalError as error:
        raise PlanError(f"{here}: {error}") from None
    return method


def _mode(said: Any, here: str) -> Mode:
    known = [mode.value for mode in Mode]
    if said not in known:
        raise PlanError(f"{here}: mode must be {' or '.join(known)}; got {said!r}.{nearest(str(said), known)}")
    return Mode(said)


def _schemes(said: Any, here: str) -> tuple[Mapping[str, int], ...]:
    if not isinstance(said, list) or not all(
        isinstance(scheme, Mapping) and all(type(level) is int for level in scheme.values()) for scheme in said
    ):
        raise PlanError(
            f"{here}: schemes are a list of tables of levels, such as {{ age = 2, zip = 1 }}; got {said!r}."
        )
    return tuple(said)


def _criterion(said: Mapping[str, Any], schema: Schema) -> Criterion:
    for key, value in said.items():
        if not isinstance(value, str) and not is_number(value):
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


def _table(content: Mapping[str, Any], key: str, where: str) -> Mapping[str, Any]:
    if key not in content:
        raise PlanError(
            f"{where}: the table [{key}] is missing; `shoal init DATA` writes a release file to start from."
        )
    value = content[key]
    if not isinstance(value, Mapping):
        raise PlanError(f"{where}: {key} must be a table, [{key}]; got {value!r}.")
    return value
