"""The releases to compare: methods times parameters."""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from shoal.data.schema import Schema
from shoal.errors import ParameterError, PlanError, nearest
from shoal.plan.method import METHODS, missing_parameters, parameters_of, parse_method


@dataclass(frozen=True, slots=True)
class Trial:
    """One release to be made: the [method] table of its release file, its name and parameters."""

    parameters: Mapping[str, Any]

    @property
    def method(self) -> str:
        """The name of the method."""
        return str(self.parameters["name"])

    @property
    def key(self) -> str:
        """What tells it from other trials of the same plan."""
        return ", ".join(f"{name} = {self.parameters[name]!r}" for name in sorted(self.parameters))

    def changed(self, grid: Sequence[str]) -> str:
        """The method and the parameters that vary, as a label."""
        return " ".join([self.method, *(f"{name}={self.parameters[name]}" for name in grid if name in self.parameters)])


def trials(
    parameters: Mapping[str, Any], schema: Schema, methods: Sequence[str], grid: Mapping[str, Sequence[Any]]
) -> list[Trial]:
    """Every method with every combination of the parameters it has, all others as the release file says.

    Args:
        parameters: The [method] table of a release file.
        schema: The columns.
        methods: Names of methods; that of the release file if empty.
        grid: Values to try, by the name of the parameter. A method is run once for parameters it does not have.
    """
    names = list(dict.fromkeys(methods)) or [str(parameters.get("name"))]
    unknown = [name for name in names if name not in METHODS]
    if unknown:
        raise PlanError(
            f"{unknown[0]!r} is not a method; expected one of {', '.join(METHODS)}.{nearest(unknown[0], list(METHODS))}"
        )
    accepted = {name: set(parameters_of(name, parameters.get("quality"))) for name in names}
    for parameter in grid:
        if not any(parameter in known for known in accepted.values()):
            raise ParameterError(
                f"--grid {parameter}: none of {', '.join(names)} has such a parameter."
                f"{nearest(parameter, sorted(set().union(*accepted.values())))}"
            )
    found: dict[str, Trial] = {}
    for name in names:
        kept = {key: value for key, value in parameters.items() if key in accepted[name] and key not in grid}
        varied = [parameter for parameter in grid if parameter in accepted[name]]
        for values in itertools.product(*(grid[parameter] for parameter in varied)):
            given = {**kept, **dict(zip(varied, values, strict=True)), "name": name}
            _require_all(given)
            parse_method(given, schema, f"comparing, {name}")  # a wrong value is found before anything is run
            trial = Trial(given)
            found[trial.key] = trial
    return list(found.values())


def _require_all(given: Mapping[str, Any]) -> None:
    if missing := missing_parameters(given["name"], given):
        raise ParameterError(
            f"{given['name']} needs {', '.join(missing)}, which the release file does not give; add "
            f"--grid {missing[0]}=VALUE."
        )


def parse_grid(options: Sequence[str]) -> dict[str, list[Any]]:
    """`["epsilon=0.5,1", "k=5"]` as a grid."""
    grid: dict[str, list[Any]] = {}
    for option in options:
        name, equals, values = option.partition("=")
        if not (equals and name.strip() and values.strip()):
            raise ParameterError(f"--grid takes a parameter and its values, such as epsilon=0.5,1,2; got {option!r}.")
        grid.setdefault(name.strip(), []).extend(_value(value.strip()) for value in values.split(",") if value.strip())
    return grid


def _value(text: str) -> Any:
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            continue
    return {"true": True, "false": False}.get(text.lower(), text)
