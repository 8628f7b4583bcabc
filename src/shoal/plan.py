"""The release file: TOML to a plan, with one clear sentence for whatever cannot be understood."""

from __future__ import annotations

import datetime as dt
import tomllib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, fields
from decimal import Decimal
from pathlib import Path
from typing import Any

from shoal.criteria.registry import from_dict as criterion_from_dict
from shoal.data.domain import Categorical, Dates, Domain, Grid, Origin
from shoal.data.hierarchy_build import Balanced, DateLevels, Flat, Intervals, Recipe
from shoal.data.hierarchy_files import from_csv, from_edges
from shoal.data.hierarchy_paths import Prefixes, tree_paths
from shoal.data.schema import Column, Role, Schema, role_named
from shoal.errors import PlanError, ShoalError, nearest
from shoal.methods import OLA, Method, OptimalLattice
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

METHODS: dict[str, type[Any]] = {method.name: method for method in (OptimalLattice, OLA)}

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
    method: Method
    output: Path
    format: str = "csv"

    @staticmethod
    def load(path: Path) -> Plan:
        """Read a release file; paths in it are relative to it."""
        try:
            content = tomllib.loads(path.read_text(encoding="utf-8-sig"))
        except FileNotFoundError:
            raise PlanError(f"{path} does not exist; `shoal init DATA` writes a release file to start from.") from None
        except (OSError, UnicodeDecodeError) as error:
            raise PlanError(f"{path} cannot be read as UTF-8 text ({type(error).__name__}).") from None
        except tomllib.TOMLDecodeError as error:
            raise PlanError(f"{path} is not valid TOML: {error}.") from None
        return _plan(content, path)


def _plan(content: Mapping[str, Any], path: Path) -> Plan:
    where, folder = str(path), path.resolve().parent
    _known(content, ("data", "columns", "method", "budget", "output"), where)
    data, columns = _table(content, "data", where), _table(content, "columns", where)
    output = _table(content, "output", where) if "output" in content else {}
    _known(data, ("path", "missing", "delimiter", "encoding"), f"{where}, [data]")
    _known(output, ("path", "format"), f"{where}, [output]")
    if "budget" in content:
        raise PlanError(
            f"{where}: [budget] limits what differentially private methods spend, and the method asked for is not one "
            "of them; remove it."
        )
    missing = _strings(data.get("missing", [""]), f"{where}, [data] missing")
    schema = Schema(tuple(_column(name, said, folder, where) for name, said in columns.items()))
    form = output.get("format", "csv")
    if form not in FORMATS:
        raise PlanError(f"{where}, [output]: format must be csv or parquet; got {form!r}.{nearest(str(form), FORMATS)}")
    return Plan(
        data=DataPlan(
            folder / _string(data, "path", f"{where}, [data]"),
            tuple(missing),
            _string(data, "delimiter", f"{where}, [data]") if "delimiter" in data else None,
            _string(data, "encoding", f"{where}, [data]") if "encoding" in data else "utf-8",
        ),
        schema=schema,
        method=_method(_table(content, "method", where), f"{where}, [method]"),
        output=folder / (_string(output, "path", f"{where}, [output]") if "path" in output else "release"),
        format=form,
    )


def _column(name: str, said: Any, folder: Path, where: str) -> Column:
    here = f"{where}, [columns.{name}]"
    if not isinstance(said, Mapping):
        raise PlanError(f'{here}: expected a table such as [columns.{name}] with role = "quasi-identifier".')
    _known(said, ("role", "domain", "hierarchy", "missing"), here)
    if "role" not in said:
        raise PlanError(f"{here}: the role is missing; expected one of {', '.join(role.value for role in Role)}.")
    try:
        domain, observed = _domain(said.get("domain"), here)
        return Column(
            name,
            role_named(said["role"]),
            domain,
            _recipe(said["hierarchy"], folder, here) if "hierarchy" in said else None,
            missing=_flag(said, "missing", here),
            observed=observed,
        )
    except PlanError:
        raise
    except ShoalError as error:
        raise type(error)(f"{here}: {error}") from None


def _domain(said: Any, here: str) -> tuple[Domain | None, bool]:
    """The domain, and whether it was observed."""
    if said is None:
        return None, False
    if isinstance(said, list):
        return Categorical(tuple(_strings(said, f"{here} domain"))), False
    if not isinstance(said, Mapping):
        raise PlanError(
            f"{here}: a domain is a list of values or a table such as {{ from = 17, to = 90 }}; got {said!r}."
        )
    _known(said, ("from", "to", "step", "values", "ordered", "digits", "observed"), f"{here} domain")
    observed = _flag(said, "observed", f"{here} domain")
    origin = Origin.OBSERVED if observed else Origin.DECLARED
    if "values" in said:
        values = tuple(_strings(said["values"], f"{here} domain values"))
        return Categorical(values, ordered=_flag(said, "ordered", f"{here} domain"), origin=origin), observed
    if "digits" in said:
        if not isinstance(said["digits"], int) or not 1 <= said["digits"] <= 6:
            raise PlanError(f"{here} domain: digits is a whole number from 1 to 6; got {said['digits']!r}.")
        return digits(said["digits"]), observed
    if "from" in said or "to" in said:
        if not ("from" in said and "to" in said):
            raise PlanError(f"{here} domain: from and to go together; one of them is missing.")
        low, high = _day(said["from"]), _day(said["to"])
        if low is not None and high is not None:
            return Dates(low, high, origin=origin), observed
        return Grid.between(said["from"], said["to"], said.get("step", 1), origin=origin), observed
    return None, observed


def digits(count: int) -> Categorical:
    """All codes of so many digits, such as zip codes: 00000 to 99999."""
    return Categorical(tuple(f"{i:0{count}d}" for i in range(10**count)))


def _recipe(said: Any, folder: Path, here: str) -> Recipe:
    if isinstance(said, str):
        return from_csv(folder / said)
    makers: dict[str, Callable[[Any], Recipe]] = {
        "intervals": lambda widths: Intervals(_decimals(widths, here), Decimal(str(said.get("origin", 0)))),
        "prefixes": lambda keep: Prefixes(() if keep is True else tuple(keep)),
        "dates": lambda units: DateLevels(tuple(_strings(units, here))),
        "ordering": lambda values: Balanced(tuple(_strings(values, here)), said.get("fanout", 2)),
        "balanced": lambda fanout: Balanced(fanout=fanout),
        "tree": lambda tree: tree_paths(tree, f"{here} tree"),
        "edges": lambda file: from_edges(folder / file),
        "flat": lambda _: Flat(),
    }
    kinds = [key for key in said if key in makers] if isinstance(said, Mapping) else []
    if len(kinds) != 1:
        raise PlanError(
            f"{here}: a hierarchy is the path of a CSV file or a table with one of {', '.join(makers)}."
            + (nearest(next(iter(said)), list(makers)) if isinstance(said, Mapping) and said else "")
        )
    _known(said, (kinds[0], "origin", "fanout"), f"{here} hierarchy")
    try:
        return makers[kinds[0]](said[kinds[0]])
    except (TypeError, ValueError, AttributeError) as error:
        if isinstance(error, ShoalError):
            raise
        raise PlanError(
            f"{here}: {kinds[0]} of a hierarchy is not written as expected; see the documentation."
        ) from None


def _method(said: Mapping[str, Any], here: str) -> Method:
    parameters = dict(said)
    name = parameters.pop("name", None)
    if name not in METHODS:
        raise PlanError(
            f"{here}: {name!r} is not a method; expected one of {', '.join(METHODS)}."
            f"{nearest(str(name), list(METHODS))}"
        )
    kind = METHODS[name]
    known = [field.name for field in fields(kind)] + ["target", "weights"]
    _known(parameters, known, here)
    quality = parameters.pop("quality", "loss")
    target, weights = parameters.pop("target", None), parameters.pop("weights", None)
    criteria = parameters.pop("criteria", [])
    try:
        method: Method = kind(
            quality=quality_named(quality, target=target, weights=weights),
            criteria=tuple(criterion_from_dict(described) for described in criteria),
            **parameters,
        )
    except TypeError as error:
        raise PlanError(f"{here}: a parameter has the wrong type ({error}).") from None
    except ShoalError as error:
        raise PlanError(f"{here}: {error}") from None
    return method


def quality_named(name: str, *, target: str | None = None, weights: Mapping[str, float] | None = None) -> QualityModel:
    """The quality model called so."""
    if name not in QUALITY_MODELS:
        known = list(QUALITY_MODELS)
        raise PlanError(
            f"{name!r} is not a quality model; expected one of {', '.join(known)}.{nearest(str(name), known)}"
        )
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


def _known(said: Mapping[str, Any], known: Sequence[str], here: str) -> None:
    for key in said:
        if key not in known:
            raise PlanError(f"{here}: {key!r} is not known here; expected {', '.join(known)}.{nearest(key, known)}")


def _table(content: Mapping[str, Any], key: str, where: str) -> Mapping[str, Any]:
    value = content.get(key)
    if not isinstance(value, Mapping):
        raise PlanError(
            f"{where}: the table [{key}] is missing; `shoal init DATA` writes a release file to start from."
        )
    return value


def _string(said: Mapping[str, Any], key: str, here: str) -> str:
    if not isinstance(said.get(key), str) or not said[key]:
        raise PlanError(f"{here}: {key} must be a text; got {said.get(key)!r}.")
    return str(said[key])


def _strings(said: Any, here: str) -> list[str]:
    if not isinstance(said, list) or not all(isinstance(value, str | int | float) for value in said):
        raise PlanError(f"{here}: expected a list of values; got {said!r}.")
    return [str(value) for value in said]


def _flag(said: Mapping[str, Any], key: str, here: str) -> bool:
    value = said.get(key, False)
    if not isinstance(value, bool):
        raise PlanError(f"{here}: {key} is true or false; got {value!r}.")
    return value


def _decimals(said: Any, here: str) -> tuple[Decimal, ...]:
    if not isinstance(said, list) or not all(isinstance(v, int | float) and not isinstance(v, bool) for v in said):
        raise PlanError(f"{here}: intervals are a list of widths, such as [5, 10, 20]; got {said!r}.")
    return tuple(Decimal(str(width)) for width in said)


def _day(value: Any) -> dt.date | None:
    if isinstance(value, dt.datetime):
        return value.date()
    if isinstance(value, dt.date):
        return value
    if isinstance(value, str):
        try:
            return dt.date.fromisoformat(value)
        except ValueError:
            return None
    return None
