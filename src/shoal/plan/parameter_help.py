"""What the parameters of methods, quality models and criteria are, in the words of release files: for people who ask.

`shoal help`, the tables of `docs/parameters.md` and the man page read the same declarations, those by which parameters
are read.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from enum import Enum
from inspect import cleandoc
from textwrap import wrap
from typing import Any

from shoal.criteria import Criterion
from shoal.criteria.registry import CRITERIA
from shoal.errors import ParameterError, nearest
from shoal.methods import ClassBounds, Method
from shoal.parameters.lists import Parameter, listed_parameters, summary
from shoal.parameters.words import choices_of, described, options_of
from shoal.plan.method import METHODS
from shoal.plugins import Registry
from shoal.quality import QualityModel
from shoal.quality.registry import QUALITY_MODELS

KINDS: Mapping[str, Registry] = {"method": METHODS, "quality model": QUALITY_MODELS, "criterion": CRITERIA}

IN_FILES: Mapping[Any, str] = {
    QualityModel: "a quality model, by its name",
    tuple[Criterion, ...]: "a list of criteria",
    tuple[ClassBounds, ...]: "a list of tables",
    Method: "a table: a method with its parameters",
}
"""What a release file writes where Python has an instance of a class."""

_WIDTH = 100


def expected(declared: Any) -> str:
    """What a release file may write for a parameter."""
    for option in options_of(declared):
        if option in IN_FILES:
            return IN_FILES[option]
    words, text = choices_of(declared), described(declared)
    return text.removesuffix(" or ".join(words)) + " or ".join(f'"{word}"' for word in words) if words else text


def default(parameter: Parameter) -> str | None:
    """The default as a release file would write it; None if there is none."""
    value: Any = parameter.default
    if parameter.is_required or value is None or value in ((), {}):
        return None
    if isinstance(value, Enum):
        value = choices_of(type(value))[list(type(value)).index(value)]
    if hasattr(value, "anonymize"):
        return f'{{ name = "{value.name}" }}'
    if isinstance(value, QualityModel):
        value = next(name for name, kind in QUALITY_MODELS.own.items() if type(value) is kind)
    return json.dumps(value)


def named(name: str) -> tuple[str, type[Any]]:
    """What kind of thing is called so, and its class."""
    for what, registry in KINDS.items():
        if name in registry:
            return what, registry[name]
    known = [one for registry in KINDS.values() for one in registry]
    raise ParameterError(
        f"there is no method, quality model or criterion {name!r}.{nearest(name, known)} `shoal help` lists them."
    )


def overview() -> list[str]:
    """All names, each with its sentence."""
    lines: list[str] = []
    for what, registry in KINDS.items():
        lines += [f"{'criteria' if what == 'criterion' else f'{what}s'}:"]
        for name in registry:
            lines += wrap(
                f"{name:<26}{summary(registry[name])}", _WIDTH, initial_indent="  ", subsequent_indent=" " * 28
            )
        lines += [""]
    return lines[:-1]


def helped(name: str) -> list[str]:
    """All about one of them: what it does, its parameters, what it promises, where it is from."""
    what, kind = named(name)
    text, _, rest = cleandoc(kind.__doc__ or "").partition("Attributes:\n")
    paragraphs = [" ".join(part.split()) for part in text.split("\n\n") if part.strip()]
    lines = wrap(f"{name} ({what}, in Python {kind.__name__}): {paragraphs[0]}", _WIDTH)
    for paragraph in paragraphs[1:]:
        lines += ["", *wrap(paragraph, _WIDTH)]
    parameters = listed_parameters(kind)
    if parameters:
        lines += ["", "Parameters:"]
    for parameter in parameters:
        given = default(parameter)
        must = "required" if parameter.is_required else f"default {given}" if given is not None else "optional"
        lines += wrap(
            f"{parameter.name}: {expected(parameter.declared)}; {must}",
            _WIDTH,
            initial_indent="  ",
            subsequent_indent="      ",
        )
        lines += wrap(parameter.meaning, _WIDTH, initial_indent=" " * 6, subsequent_indent=" " * 6)
    lines += [line for part in _closing(rest) for line in ("", *wrap(part, _WIDTH))]
    if what == "method":
        required = [f"{one.name} = …" for one in parameters if one.is_required]
        lines += ["", "In a release file:", "  [method]", *(f"  {line}" for line in (f'name = "{name}"', *required))]
    return lines


def as_json(name: str) -> dict[str, Any]:
    """The same for machines."""
    what, kind = named(name)
    return {
        "name": name,
        "kind": what,
        "python": kind.__name__,
        "summary": summary(kind),
        "parameters": [
            {
                "name": one.name,
                "expected": expected(one.declared),
                "required": one.is_required,
                "default": default(one),
                "meaning": one.meaning,
            }
            for one in listed_parameters(kind)
        ],
    }


def _closing(rest: str) -> list[str]:
    """`Guarantee:` and `Paper:`, each in one line."""
    found: list[str] = []
    for line in rest.splitlines():
        if line.startswith(("Guarantee:", "Paper:")):
            found.append(line)
        elif found and line.startswith(" "):
            found[-1] += f" {line.strip()}"
        elif line and not line.startswith(" "):
            found.append("")
    return [part for part in found if part.startswith(("Guarantee:", "Paper:"))]
