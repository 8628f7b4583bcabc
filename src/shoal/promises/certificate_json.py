"""The JSON of a certificate, read as somebody else may have written it: nothing is guessed, nothing said twice."""

from __future__ import annotations

import json
import re
from math import isfinite
from typing import Any, TypeVar

T = TypeVar("T")

NUMBER_SAID = re.compile(r"\d{1,20}(\.\d{1,20})?(e[+-]\d{1,3})?", re.ASCII)
"""How a promise writes ε and δ."""

_LARGEST = 2**63


def read_json(content: bytes) -> Any:
    """What JSON says.

    Refuses, as `ValueError`, what two readers may take differently: a key that stands twice, numbers that are not
    finite or larger than any count, and text that is not Unicode.
    """
    parsed = json.loads(
        content.decode("utf-8"),
        object_pairs_hook=_once,
        parse_int=_whole,
        parse_float=_finite,
        parse_constant=_finite,
    )
    json.dumps(parsed, ensure_ascii=False).encode("utf-8")  # half of a surrogate pair is not a character
    return parsed


def typed(value: Any, kind: type[T]) -> T:
    """The value, if it is exactly of this kind: true is not 1."""
    if type(value) is not kind:
        raise TypeError
    return value


def counted(value: Any) -> int:
    """How many of something there are."""
    if typed(value, int) < 0:
        raise ValueError
    return int(value)


def texts_of(value: Any) -> tuple[str, ...]:
    """A list of texts."""
    return tuple(typed(part, str) for part in typed(value, list))


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    parsed = dict(pairs)
    if len(parsed) < len(pairs):
        raise ValueError
    return parsed


def _whole(text: str) -> int:
    number = int(text)
    if abs(number) >= _LARGEST:
        raise ValueError
    return number


def _finite(text: str) -> float:
    number = float(text)
    if not isfinite(number):
        raise ValueError
    return number
