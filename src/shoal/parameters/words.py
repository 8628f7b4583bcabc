"""Words for parameters: what is expected, what came, and what may have been meant."""

from __future__ import annotations

import datetime as dt
from collections.abc import Mapping, Sequence
from decimal import Decimal
from enum import Enum
from fractions import Fraction
from math import isfinite
from pathlib import Path
from types import NoneType, UnionType
from typing import Annotated, Any, Literal, NamedTuple, Union, get_args, get_origin

import numpy as np

from shoal.errors import nearest

_PLAIN: dict[Any, str] = {
    bool: "true or false",
    str: "a text",
    int: "a whole number",
    float: "a number",
    Decimal: "a number",
    Fraction: "an exact number such as 2 or Fraction('0.1')",
    dt.date: "a day such as datetime.date(2024, 12, 31)",
    Path: "a path",
    NoneType: "None",
}
_EXAMPLES = {
    "QualityModel": "a quality model such as shoal.Loss()",
    "Criterion": "a criterion such as shoal.KAnonymity(5)",
    "Method": "a method such as shoal.OLA(k=5)",
    "Recipe": "a hierarchy such as shoal.intervals(5, 10) or shoal.flat()",
    "Column": "a column such as shoal.Column('age')",
    "ClassBounds": "bounds such as shoal.ClassBounds(column='height', lower=140, upper=190)",
    "PrivacyCost": "a cost such as shoal.PrivacyCost.of(1, '1e-6')",
    "Learner": "a learner such as shoal.evaluate.NaiveBayes()",
}
"""What an instance of a class looks like, by the name of the class."""
_LONGEST = 60


class AtLeast(NamedTuple):
    """What a number must be no less than, beside its type: `Annotated[int, AtLeast(1)]`."""

    least: int


def words_of(kind: type[Enum]) -> dict[str, Enum]:
    """The words that name the members of an enum: values, and names as they are or in small letters."""
    names = {word: member for name, member in kind.__members__.items() for word in (name, name.lower())}
    return names | {member.value: member for member in kind if isinstance(member.value, str)}


def options_of(declared: Any) -> tuple[Any, ...]:
    """The members of a union; alone, the type itself."""
    return get_args(declared) if get_origin(declared) in (Union, UnionType) else (declared,)


def choices_of(declared: Any) -> list[str]:
    """The words that a type admits: one for each member of its enums, and its literals."""
    words: list[str] = []
    for option in options_of(declared):
        if isinstance(option, type) and issubclass(option, Enum):
            words += [member.value if " " not in str(member.value) else member.name.lower() for member in option]
        elif get_origin(option) is Literal:
            words += [str(word) for word in get_args(option)]
    return words


def described(declared: Any) -> str:
    """What is expected: `a number or auto`. That it may be left out goes without saying."""
    origin, arguments = get_origin(declared), get_args(declared)
    if origin in (Union, UnionType):
        is_text_a_number = str in arguments and any(kind in arguments for kind in (int, float, Fraction, Decimal))
        words = [described(option) for option in arguments if option is not NoneType]
        if is_text_a_number:
            words = ['a number such as 0.1 or "0.1"']
        elif Fraction in arguments and int in arguments:
            words = [word for word in words if word != _PLAIN[int]]
        return " or ".join(dict.fromkeys(words))
    if origin is Annotated:
        number = 'a number such as 2.5 or "5/2"' if str in options_of(arguments[0]) else described(arguments[0])
        return f"{number}, {arguments[1].least} or more"
    if declared in _PLAIN:
        return _PLAIN[declared]
    if choices := choices_of(declared):
        return " or ".join(choices)
    if origin is Mapping:
        return _table_of(arguments[1])
    if origin is tuple and arguments[-1] is not Ellipsis:
        return f"a list of {len(arguments)}: {', '.join(described(each) for each in arguments)}"
    if origin in (tuple, Sequence, frozenset):
        return f"a list of {_many(arguments[0])}"
    name = getattr(origin or declared, "__name__", str(declared))
    return _EXAMPLES.get(name, f"an instance of {name}")


def _table_of(item: Any) -> str:
    """Something for each of some names."""
    if get_origin(item) is Annotated:
        return f"{_table_of(get_args(item)[0])}, each {get_args(item)[1].least} or more"
    if get_origin(item) is Mapping:
        return "a table of tables"
    examples = {float: " such as { age = 2.0, zip = 0.5 }", int: " such as { age = 2, zip = 1 }"}
    return "a table" + examples.get(item, f" of {_many(item)}")


def _many(item: Any) -> str:
    """Several of a type."""
    several = {
        str: 'texts such as ["age", "zip"]',
        int: "whole numbers such as [4, 8]",
        float: "numbers",
        Decimal: "numbers such as [5, 10, 20]",
    }
    if get_origin(item) is Mapping:
        return "tables of levels, such as { age = 2, zip = 1 }"
    if get_origin(item) is tuple:
        return "lists"
    if get_origin(item) is Annotated:
        return f"{_many(get_args(item)[0])}, each {get_args(item)[1].least} or more"
    return several.get(item, f"which each is {described(item)}")


def came(value: object) -> str:
    """What came. A parameter is public and shown if it is short; of anything that may hold records, only the type."""
    if isinstance(value, np.generic):
        return f"{_short(value.item())} ({type(value).__name__} of NumPy)"
    if isinstance(value, type):
        return f"the class {value.__name__}"
    if isinstance(value, list | tuple | Mapping):
        parts = [*value, *value.values()] if isinstance(value, Mapping) else list(value)
        shown = _short(value) if len(parts) <= 20 and all(_is_plain(part) for part in parts) else "…"
        return shown if "…" not in shown else f"a {type(value).__name__} of {len(value):,}"
    return _short(value) if _is_plain(value) else f"an instance of {type(value).__name__}"


def _is_plain(value: object) -> bool:
    return value is None or isinstance(value, str | bytes | int | float | Fraction | Decimal | dt.date | Enum | Path)


def _short(value: object) -> str:
    if isinstance(value, float) and not isfinite(value):
        return f"{value!r}, which is not finite"
    try:
        text = repr(value)
    except ValueError:  # Python writes out no number of thousands of digits
        return "a number of thousands of digits"
    return text if len(text) <= _LONGEST else f"{text[: _LONGEST - 1]}…"


def meant(value: object, declared: Any) -> str:
    """` Did you mean 'rigorous'?`, or nothing."""
    if isinstance(value, type):
        fits = isinstance(declared, type) and not issubclass(declared, Enum) and declared not in _PLAIN
        return f" Did you mean {value.__name__}()?" if fits else ""
    return nearest(value, choices_of(declared)) if isinstance(value, str) else ""
