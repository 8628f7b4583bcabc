"""The [method] of a release file: tables become methods, criteria and models; parameters are read as in Python."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import MISSING, fields
from importlib import import_module
from typing import Any, get_type_hints

from shoal.criteria import Criterion
from shoal.criteria.registry import from_dict as criterion_from_dict
from shoal.data.schema import Role, Schema
from shoal.errors import PlanError, ShoalError, nearest
from shoal.methods.base import Method
from shoal.parameters import read_parameter
from shoal.parameters.words import came, options_of
from shoal.plan.columns import known_keys
from shoal.plugins import Registry
from shoal.quality import QualityModel
from shoal.quality.registry import QUALITY_MODELS

_METHODS = {
    "optimal-lattice": "OptimalLattice",
    "ola": "OLA",
    "safepub": "SafePub",
    "diffgen": "DiffGen",
    "marginals": "Marginals",
    "mdav": "MDAV",
    "microaggregation-dp": "MicroaggregationDP",
    "k-epsilon": "KEpsilon",
    "mondrian": "Mondrian",
    "local-recoding": "LocalRecoding",
    "cell-suppression": "CellSuppression",
    "nsvdist": "NSVDist",
    "sequential": "Sequential",
    "nhaa": "NHAA",
    "tds": "TDS",
    "pais": "PAIS",
    "pram": "PRAM",
    "rank-swapping": "RankSwapping",
    "noise": "Noise",
}


class _Own(Mapping[str, type[Any]]):
    """Shoal's methods by name, each loaded when it is asked for: a run needs one of them."""

    def __getitem__(self, name: str) -> type[Any]:
        kind: type[Any] = getattr(import_module("shoal.methods"), _METHODS[name])
        return kind

    def __iter__(self) -> Iterator[str]:
        return iter(_METHODS)

    def __len__(self) -> int:
        return len(_METHODS)


METHODS = Registry("shoal.methods", "method", _Own(), Method)

_OF_A_QUALITY_MODEL = ("target", "weights")
"""Parameters of Shoal's quality models, which stand beside those of the method."""


def parameters_of(method: str, quality: object = None) -> list[str]:
    """What may be given to a method, its own parameters first, then those of its quality model."""
    own = [field.name for field in fields(METHODS[method])]
    if "quality" not in own:
        return own
    is_brought = isinstance(quality, str) and quality in QUALITY_MODELS and quality not in QUALITY_MODELS.own
    brought = [field.name for field in fields(QUALITY_MODELS[str(quality)])] if is_brought else []
    return list(dict.fromkeys([*own, *_OF_A_QUALITY_MODEL, *brought]))


def missing_parameters(method: str, given: Mapping[str, Any]) -> list[str]:
    """What a method needs and is not given."""
    required = [f.name for f in fields(METHODS[method]) if f.default is MISSING and f.default_factory is MISSING]
    return [name for name in required if name not in given]


def parse_method(table: Mapping[str, Any], schema: Schema, here: str) -> Method:
    """The method a table describes; `here` is for messages."""
    given = dict(table)
    name = given.pop("name", None)
    if name is None:
        raise PlanError(f"{here}: name is missing; expected one of {', '.join(METHODS)}.")
    if not isinstance(name, str) or name not in METHODS:
        raise PlanError(
            f"{here}: {name!r} is not a method; expected one of {', '.join(METHODS)}."
            f"{nearest(str(name), list(METHODS))}"
        )
    try:
        kind, known = METHODS[name], parameters_of(name, given.get("quality"))
    except ShoalError as error:
        raise PlanError(f"{here}: {error}") from None
    own = [field.name for field in fields(kind)]
    borrowed = [key for key in known if key not in own]
    _point_at_anonymizer(name, given, known, here)
    known_keys(given, known, here)
    if missing := missing_parameters(name, given):
        raise PlanError(f"{here}: {name} needs {', '.join(missing)}.")
    try:
        own_given = [key for key in given if key not in (*borrowed, "quality")]
        parameters = {key: _read(kind, key, given[key], schema, here) for key in own_given}
        if "quality" in own:
            of_quality = {key: given.get(key) for key in borrowed}
            parameters["quality"] = parse_quality(given.get("quality", "loss"), **of_quality)
        method: Method = kind(**parameters)
    except PlanError as error:
        raise PlanError(str(error) if str(error).startswith(here) else f"{here}: {error}") from None
    except ShoalError as error:
        raise PlanError(f"{here}: {error}") from None
    return method


def _point_at_anonymizer(method: str, given: Mapping[str, Any], known: Sequence[str], here: str) -> None:
    """Refuse what is asked of classes where a method leaves classes to another one, and say where it goes."""
    asked = [key for key in ("k", "diversity", "closeness") if key in given and key not in known]
    if asked and "anonymizer" in known:
        k = given["k"] if isinstance(given.get("k"), int) else 5
        raise PlanError(
            f"{here}: {method} has no {asked[0]} of its own: it changes single columns. Its anonymizer makes classes "
            f'of the quasi-identifiers that are not in perturbed: anonymizer = {{ name = "mondrian", k = {k} }}.'
        )


def _read(kind: Any, key: str, value: Any, schema: Schema, here: str) -> Any:
    """One parameter: what TOML says in tables of its own is made first, then all is read as in Python."""
    options = options_of(get_type_hints(kind)[key])
    if key == "criteria":
        value = _criteria(value, schema)
    elif Method in options:
        if not isinstance(value, Mapping):
            raise PlanError(f'{key} must be a method such as {{ name = "mondrian", k = 5 }}; got {came(value)}.')
        value = parse_method(value, schema, f"{here}, {key}")
    elif key == "bounds" and kind is METHODS["k-epsilon"]:
        from shoal.methods.k_epsilon.bounds import ClassBounds

        if not isinstance(value, list) or not all(isinstance(part, Mapping) for part in value):
            raise PlanError(f"{key} must be a list of tables; got {came(value)}.")
        value = [ClassBounds.read(part) for part in value]
    return read_parameter(kind, key, value)


def _criteria(tables: Any, schema: Schema) -> tuple[Criterion, ...]:
    if not isinstance(tables, list) or not all(isinstance(criterion, Mapping) for criterion in tables):
        raise PlanError('criteria are a list of tables such as { name = "k-anonymity", k = 5 }.')
    return tuple(_criterion(criterion, schema) for criterion in tables)


def _criterion(table: Mapping[str, Any], schema: Schema) -> Criterion:
    criterion = criterion_from_dict(table)
    column = table.get("column")
    if column is not None and column not in schema.names(Role.SENSITIVE):
        names = ", ".join(repr(name) for name in schema.names(Role.SENSITIVE)) or "none"
        raise PlanError(
            f"{table['name']} needs a sensitive column, and {column!r} is not one; sensitive columns: {names}."
        )
    return criterion


def parse_quality(name: Any, **parameters: Any) -> QualityModel:
    """The quality model called so; a parameter that is None is not given."""
    if not isinstance(name, str) or name not in QUALITY_MODELS:
        known = list(QUALITY_MODELS)
        raise PlanError(
            f"{name!r} is not a quality model; expected one of {', '.join(known)}.{nearest(str(name), known)}"
        )
    kind = QUALITY_MODELS[name]
    accepted = [field.name for field in fields(kind)]
    given = {key: value for key, value in parameters.items() if value is not None}
    for key in given:
        if key not in accepted:
            raise PlanError(f"{key} has no meaning for the quality model {name!r}; remove it or choose another model.")
    if "target" in accepted and "target" not in given:
        raise PlanError(f"the quality model {name!r} needs a target: the column to be predicted.")
    required = [f.name for f in fields(kind) if f.default is MISSING and f.default_factory is MISSING]
    if missing := [key for key in required if key not in given]:
        raise PlanError(f"the quality model {name!r} needs {', '.join(missing)}.")
    model: QualityModel = kind(**{key: read_parameter(kind, key, value) for key, value in given.items()})
    return model
