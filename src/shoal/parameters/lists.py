"""What parameters a class takes: type and default as declared, meaning as its docstrings tell.

Documentation tables (`tools/parameter_tables.py`) and the JSON Schema of the release file are made from these lists, so
neither can name a parameter that does not exist, or miss one that does.
"""

from __future__ import annotations

import re
from dataclasses import MISSING, fields
from inspect import cleandoc
from typing import Any, NamedTuple, get_type_hints


class Parameter(NamedTuple):
    """One parameter of a class.

    Attributes:
        name: What it is called, in Python and in the release file.
        declared: The type that it is read as.
        default: What it is if it is not given; `dataclasses.MISSING` if it must be.
        meaning: What the docstring says, in one line.
    """

    name: str
    declared: Any
    default: Any
    meaning: str

    @property
    def is_required(self) -> bool:
        """Whether it must be given."""
        return self.default is MISSING


def listed_parameters(kind: Any) -> list[Parameter]:
    """The parameters of a dataclass, in the order in which it declares them."""
    hints, texts = get_type_hints(kind, include_extras=True), meanings(kind)
    return [
        Parameter(
            field.name,
            hints[field.name],
            field.default if field.default_factory is MISSING else field.default_factory(),
            texts.get(field.name, ""),
        )
        for field in fields(kind)
        if field.init and not field.name.startswith("_")
    ]


def meanings(kind: type) -> dict[str, str]:
    """What the `Attributes:` of a class and of those it derives from say; its own word counts most."""
    found: dict[str, str] = {}
    for one in reversed(kind.__mro__):
        found |= _attributes(one.__dict__.get("__doc__") or "")
    return found


def summary(kind: type) -> str:
    """The first sentence of the docstring of a class."""
    return cleandoc(kind.__doc__ or "").split("\n\n", maxsplit=1)[0].replace("\n", " ")


def _attributes(docstring: str) -> dict[str, str]:
    _, _, section = cleandoc(docstring).partition("Attributes:\n")
    lines = re.split(r"^(?=\S)", section, maxsplit=1, flags=re.MULTILINE)[0]
    entries = re.findall(r"^ {4}(\w+): (.*(?:\n {8}.*)*)", lines, flags=re.MULTILINE)
    return {name: " ".join(text.split()) for name, text in entries}
