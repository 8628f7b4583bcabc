"""JSON Schema of a declared type: what a TOML file may say where the reader of parameters expects that type.

It admits what the reader (`shoal.parameters`) reads and no more, but for what JSON Schema cannot tell: to it 5.0 is a
whole number, and a number written as text has no size. Draft 7, which editors for TOML understand.
"""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Mapping, Sequence
from decimal import Decimal
from enum import Enum
from fractions import Fraction
from pathlib import Path
from types import NoneType, UnionType
from typing import Annotated, Any, Literal, TypeAlias, Union, get_args, get_origin

from shoal.parameters.words import choices_of, options_of, words_of

JsonSchema: TypeAlias = dict[str, Any]

NUMBER_AS_TEXT = r"^\s*[-+]?[0-9._]+(/[0-9_]+|[eE][-+]?[0-9_]+)?\s*$"
"""What may be an exact number: "0.1", "1/3", "1e-6"."""

_NUMBERS = (int, float, Fraction, Decimal)
_PLAIN: dict[Any, JsonSchema] = {
    bool: {"type": "boolean"},
    str: {"type": "string"},
    Path: {"type": "string"},
    int: {"type": "integer"},
    Fraction: {"type": "integer"},  # a float is not exact, and a text is read only where the type admits one
    float: {"type": "number"},
    Decimal: {"type": "number"},
    dt.date: {"type": "string", "format": "date"},
}


def schema_of(declared: Any, tables: Mapping[Any, JsonSchema]) -> JsonSchema:
    """The schema of a type.

    Args:
        declared: The type, as a class declares it for a parameter.
        tables: What stands in the file for instances of classes, such as criteria, by the class.
    """
    if declared in tables:
        return tables[declared]
    if declared in _PLAIN:
        return dict(_PLAIN[declared])
    origin, arguments = get_origin(declared), get_args(declared)
    if origin in (Union, UnionType):
        return _union(options_of(declared), tables)
    if origin is Annotated:
        return schema_of(arguments[0], tables) | {"minimum": arguments[1].least}
    if origin is Literal:
        return {"enum": list(arguments)}
    if origin is tuple and arguments[-1] is not Ellipsis:
        items = [schema_of(argument, tables) for argument in arguments]
        return {"type": "array", "items": items, "minItems": len(items), "maxItems": len(items)}
    if origin in (tuple, Sequence):
        return {"type": "array", "items": schema_of(arguments[0], tables)}
    if origin is frozenset:
        return {"type": "array", "items": schema_of(arguments[0], tables) | {"minLength": 1}}
    if origin is Mapping:
        return {"type": "object", "additionalProperties": schema_of(arguments[1], tables)}
    if isinstance(declared, type) and issubclass(declared, Enum):
        return _words(declared)
    return {} if declared in (Any, object) else {"not": {}}  # no file can hold an instance of another class


def _words(kind: type[Enum]) -> JsonSchema:
    """One word for each member is proposed; the others that the reader knows are admitted."""
    proposed = choices_of(kind)
    others = sorted(set(words_of(kind)) - set(proposed))
    if not others:
        return {"enum": proposed}
    pattern = "|".join(re.escape(word).replace(r"\-", "-") for word in others)
    return {"anyOf": [{"enum": proposed}, {"type": "string", "pattern": f"^({pattern})$"}]}


def _union(options: Sequence[Any], tables: Mapping[Any, JsonSchema]) -> JsonSchema:
    """Any of several types. TOML has no word for None: such a parameter is left out."""
    numbers = [option for option in options if option in _NUMBERS]
    is_text_a_number = bool(numbers) and str in options
    others = [option for option in options if option not in (*_NUMBERS, NoneType)]
    found = [schema_of(option, tables) for option in others if not (is_text_a_number and option is str)]
    if numbers:
        is_whole = not any(kind in numbers for kind in (float, Decimal))
        found.append({"type": "integer" if is_whole else "number"})
    if is_text_a_number:
        found.append({"type": "string", "pattern": NUMBER_AS_TEXT})
    return found[0] if len(found) == 1 else {"anyOf": found}
