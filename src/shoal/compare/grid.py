"""The releases to compare: methods times parameters."""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from shoal.data.domain import Grid
from shoal.data.schema import Column, Role, Schema
from shoal.errors import ParameterError, PlanError, nearest
from shoal.plan.method import METHODS, missing_parameters, parameters_of, parse_method

ALL = "all"
"""Stands for every method."""
_OF_ITS_OWN = {"microaggregation-dp": ("k",)}
"""Parameters that mean something else than in other methods: clusters that noise hides are no classes that hide."""


@dataclass(frozen=True, slots=True)
class Trial:
    """One release to be made.

    Attributes:
        parameters: The [method] table of its release file, its name and parameters.
        notes: What of the release file was left out for this method, or put in, in sentences.
        problem: Why it cannot be made, if that is known already.
    """

    parameters: Mapping[str, Any]
    notes: tuple[str, ...] = ()
    problem: str = ""

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

    What the release file says for its own method, and another one does not know or cannot take, is left out for that
    one; what another one needs and nobody gives has a usual value. Either is noted.

    Args:
        parameters: The [method] table of a release file.
        schema: The columns.
        methods: Names of methods; that of the release file if empty, every one if "all" is among them.
        grid: Values to try, by the name of the parameter. A method is run once for parameters it does not have.
    """
    names = list(dict.fromkeys(methods)) or [str(parameters.get("name"))]
    if ALL in names:
        names = list(METHODS)
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
    refused: dict[str, PlanError | None] = {}
    for name in names:
        is_own = name == parameters.get("name")
        own = () if is_own else _OF_ITS_OWN.get(name, ())
        known = {
            key: value
            for key, value in parameters.items()
            if key in accepted[name] and key not in grid and key not in own
        }
        unknown = [key for key in parameters if key not in (*accepted[name], *grid, "name")]
        notes = [f"{', '.join(unknown)} left out, which it does not have"] if unknown else []
        notes += [f"{key} left to itself, which means something else there" for key in own if key in parameters]
        varied = [parameter for parameter in grid if parameter in accepted[name]]
        for values in itertools.product(*(grid[parameter] for parameter in varied)):
            asked = {**dict(zip(varied, values, strict=True)), "name": name}
            given = known if is_own else _matched(name, known, {**parameters, **asked}, schema)
            try:
                trial = _trial(given, asked, schema, notes, is_own=is_own)
                refused |= dict.fromkeys(varied)
            except PlanError as error:
                if is_own:
                    raise
                for parameter in varied:
                    refused.setdefault(parameter, error)
                trial = Trial({**given, **asked}, tuple(notes), str(error))
            found[trial.key] = trial
    for mistake in refused.values():  # what no method takes is a mistake, and not a difference between methods
        if mistake is not None:
            raise mistake
    return list(found.values())


def _matched(name: str, given: Mapping[str, Any], parameters: Mapping[str, Any], schema: Schema) -> dict[str, Any]:
    """What the release file says, with the same k for an anonymizer within a method, as far as it has one."""
    k, is_within = parameters.get("k"), "anonymizer" in parameters_of(name)
    if not is_within or "anonymizer" in parameters or not isinstance(k, int) or k < 2:
        return dict(given)
    perturbed = parameters.get("perturbed") or _usual(schema).get("perturbed") or []
    if all(one in perturbed for one in schema.names(Role.QUASI_IDENTIFIER)):
        return dict(given)
    return {**given, "anonymizer": {"name": "mondrian", "k": k}}


def noted(some: Sequence[Trial]) -> list[str]:
    """What was left out or put in, each with the methods it was done for."""
    found: dict[str, dict[str, None]] = {}
    for trial in some:
        for note in trial.notes:
            found.setdefault(note, {})[trial.method] = None
    return [f"{', '.join(methods)}: {note}" for note, methods in found.items()]


def _trial(
    known: Mapping[str, Any], asked: Mapping[str, Any], schema: Schema, notes: Sequence[str], *, is_own: bool
) -> Trial:
    """A method with what is asked of it, and as much of the release file as it can take; a wrong value is refused now.

    Args:
        known: What the release file says, of parameters that the method has.
        asked: What the grid says, and the name of the method.
        schema: The columns.
        notes: What is noted already.
        is_own: Whether the release file was written for this method.
    """
    name, notes = asked["name"], list(notes)
    given = {**known, **asked}
    usual = {key: value for key, value in _usual(schema).items() if key in missing_parameters(name, given)}
    if usual:
        said = ", ".join(f"{key} = {value}" for key, value in usual.items())
        notes.append(f"{said}, since the release file does not say; --grid {next(iter(usual))}=VALUE does")
    given |= usual
    if missing := missing_parameters(name, given):
        return Trial(given, tuple(notes), f"{name} needs {', '.join(missing)}, which the release file does not give.")
    where = f"comparing, {name}"
    try:
        parse_method(given, schema, where)
    except PlanError as error:
        if is_own:
            raise
        for dropped in (*((key,) for key in known), tuple(known)):  # its values were written for another method
            fewer = {key: value for key, value in given.items() if key not in dropped}
            if dropped and _is_taken(fewer, schema, where):
                said = f"{', '.join(dropped)} left out, which it does not take as written for another method"
                return Trial(fewer, (*notes, said))
        for key, value in _usual(schema).items():  # what it needs in one of its ways only
            if (
                key in parameters_of(name)
                and key not in given
                and _is_taken(more := {**given, key: value}, schema, where)
            ):
                return Trial(more, (*notes, f"{key} = {value}, since the release file does not say"))
        if len(asked) > 1:
            raise
        return Trial(given, tuple(notes), str(error))
    return Trial(given, tuple(notes))


def _usual(schema: Schema) -> dict[str, Any]:
    """What stands in for a parameter that a method needs and nobody gives."""
    sensitive = schema.names(Role.SENSITIVE)
    numbers = [column.name for column in schema if column.role is Role.QUASI_IDENTIFIER and _is_numeric(column)]
    usual: dict[str, Any] = {"epsilon": 1.0, "delta": 1e-6, "diversity": 2.0}
    return usual | ({"target": sensitive[0]} if sensitive else {}) | ({"perturbed": numbers[:1]} if numbers else {})


def _is_numeric(column: Column) -> bool:
    """Whether a column is declared to have numbers."""
    domain = column.domain or (column.hierarchy.leaves() if column.hierarchy is not None else None)
    return isinstance(domain, Grid)


def _is_taken(given: Mapping[str, Any], schema: Schema, where: str) -> bool:
    try:
        parse_method(given, schema, where)
    except PlanError:
        return False
    return True


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
