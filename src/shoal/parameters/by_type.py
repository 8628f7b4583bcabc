"""How a value is read as a declared type: one reader for each kind of type."""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable, Mapping, Sequence
from decimal import Decimal
from enum import Enum
from fractions import Fraction
from functools import cache
from math import isfinite
from os import PathLike
from pathlib import Path
from types import NoneType, UnionType
from typing import Annotated, Any, Literal, TypeAlias, TypeVar, Union, get_args, get_origin

import numpy as np

from shoal.parameters.frozen_table import FrozenTable
from shoal.parameters.numbers import exact, fraction, is_short
from shoal.parameters.words import AtLeast, came, options_of, words_of

Reader: TypeAlias = Callable[[Any], Any]

_NUMBERS = (int, float, Fraction, Decimal)
_LARGEST_WHOLE = 2**63
"""Whole numbers count records, columns and digits, or seed: they fit 64 bits."""
_EXACT_IN_A_FLOAT = 2**53


class Misfit(Exception):  # noqa: N818 - it never leaves this room
    """A value is not of the declared type; `path` says where in a list or table, such as `[1]`."""

    def __init__(self, value: object, declared: object, path: str = "") -> None:
        super().__init__()
        self.value, self.declared, self.path = value, declared, path


@cache
def reader_of(declared: Any) -> Reader:
    """How a value is read as a type."""
    origin, arguments = get_origin(declared), get_args(declared)
    if declared is Any or declared is object or isinstance(declared, TypeVar):
        return _as_it_is
    if origin is Annotated:
        return _at_least(declared, reader_of(arguments[0]), arguments[1])
    if origin in (Union, UnionType):
        return _union(declared)
    if origin is Literal:
        return _literal(declared)
    if origin is tuple and len(arguments) == 2 and arguments[1] is Ellipsis:
        return _items(declared, reader_of(arguments[0]))
    if origin is tuple:
        return _fixed(declared, [reader_of(argument) for argument in arguments])
    if origin is Sequence:
        return _items(declared, reader_of(arguments[0]))
    if origin is frozenset:
        return _names(declared, _items(declared, reader_of(arguments[0])))
    if origin is Mapping:
        return _table(declared, reader_of(arguments[0]), reader_of(arguments[1]))
    if origin is not None:
        return _instance(declared, origin)
    if declared in _NUMBERS:
        return _number(declared, (declared,))
    special: dict[Any, Reader] = {bool: _truth, str: _text, dt.date: _day, Path: _path, NoneType: _nothing}
    if declared in special:
        return special[declared]
    return _member(declared) if issubclass(declared, Enum) else _instance(declared, declared)


def _as_it_is(value: Any) -> Any:
    return value


def _plain(value: Any) -> Any:
    """A number, truth value or text of NumPy as Python's; a duration is none of them, though NumPy derives it so."""
    is_scalar = isinstance(value, np.number | np.bool_ | np.str_) and not isinstance(value, np.timedelta64)
    return value.item() if is_scalar else value


def _nothing(value: Any) -> None:
    if value is not None:
        raise Misfit(value, NoneType)


def _truth(value: Any) -> bool:
    if isinstance(value, bool | np.bool_):
        return bool(value)
    raise Misfit(value, bool)


def _text(value: Any) -> str:
    if type(value) is str:
        return value
    if isinstance(value, str) and not isinstance(value, Enum):
        return str(value)  # NumPy's
    raise Misfit(value, str)


def _path(value: Any) -> Path:
    if isinstance(value, Path):
        return value
    if isinstance(value, str | PathLike):
        try:
            return Path(value)
        except TypeError:  # a path of bytes
            pass
    raise Misfit(value, Path)


def _day(value: Any) -> dt.date:
    plain = value.astype("datetime64[us]").item() if isinstance(value, np.datetime64) else value
    if isinstance(plain, dt.datetime) and plain.time() == dt.time():
        return plain.date()
    if isinstance(plain, dt.date) and not isinstance(plain, dt.datetime):
        return plain
    raise Misfit(value, dt.date)


def _union(declared: Any) -> Reader:
    """One type after the other; all numbers are one of them, for each kind of number may be a way to write another."""
    options = options_of(declared)
    numbers = tuple(option for option in options if option in _NUMBERS)
    is_text_a_number = bool(numbers) and str in options
    others = [
        option for option in options if option not in (*numbers, NoneType) and not (is_text_a_number and option is str)
    ]
    reads = [reader_of(option) for option in others]
    if numbers:
        reads.append(_number(declared, (*numbers, str) if is_text_a_number else numbers))
    admits_none = NoneType in options

    def read(value: Any) -> Any:
        if value is None and admits_none:
            return None
        deepest: Misfit | None = None
        for each in reads:
            try:
                return each(value)
            except Misfit as misfit:
                deepest = misfit if misfit.path else deepest
        raise deepest or Misfit(value, declared)

    return read


def _number(declared: Any, kinds: tuple[type, ...]) -> Reader:
    """A finite number of one of some kinds. One that is written exactly stays as it is written."""
    is_whole = kinds == (int,)

    def read(value: Any) -> Any:
        if is_whole and type(value) is int and -_LARGEST_WHOLE < value < _LARGEST_WHOLE:
            return value  # the usual case, without ado
        plain = _plain(value)
        number = None if isinstance(plain, bool | Enum) else _as_number(plain, kinds)
        if number is None:
            raise Misfit(value, declared)
        return number

    return read


def _as_number(value: Any, kinds: tuple[type, ...]) -> Any:
    """The value as one of the kinds of number, as it is if it may be; None if it is no such number."""
    if isinstance(value, str):
        number = fraction(value) if str in kinds else None
        return None if number is None or _as_float(number) is None else str(value)
    own: Any = next((kind for kind in _NUMBERS if isinstance(value, kind)), None)
    if own is None or _as_float(value) is None or (own is Decimal and not is_short(value)):
        return None
    if own is int and kinds == (int,) and abs(value) >= _LARGEST_WHOLE:
        return None
    if own in kinds:
        return value if type(value) is own else own(value)
    if float in kinds:
        return value if own is int and abs(value) <= _EXACT_IN_A_FLOAT else float(value)
    if Decimal in kinds and own is not Fraction:
        return Decimal(repr(own(value)))
    return Fraction(value) if Fraction in kinds and own is not float else None


def _as_float(value: float | Fraction | Decimal) -> float | None:
    """The nearest float; None where it would be infinite."""
    try:
        rounded = float(value)
    except (OverflowError, ValueError):  # a NaN that signals
        return None
    return rounded if isfinite(rounded) else None


def _at_least(declared: Any, read_number: Reader, limit: AtLeast) -> Reader:
    def read(value: Any) -> Any:
        try:
            number = read_number(value)
        except Misfit:
            raise Misfit(value, declared) from None
        if exact(number) < limit.least:
            raise Misfit(value, declared)
        return number

    return read


def _member(kind: type[Enum]) -> Reader:
    words = words_of(kind)

    def read(value: Any) -> Any:
        if isinstance(value, kind):
            return value
        if isinstance(value, str) and not isinstance(value, Enum) and value in words:
            return words[value]
        raise Misfit(value, kind)

    return read


def _literal(declared: Any) -> Reader:
    def read(value: Any) -> Any:
        plain = _plain(value)
        for word in get_args(declared):
            if type(plain) is type(word) and plain == word:
                return word
        raise Misfit(value, declared)

    return read


def _items(declared: Any, read_item: Reader) -> Reader:
    is_text = read_item is _text

    def read(value: Any) -> tuple[Any, ...]:
        if not isinstance(value, list | tuple):
            raise Misfit(value, declared)
        if is_text and type(value) is tuple and set(map(type, value)) <= {str}:
            return value  # domains may have a million values
        return _each(value, [read_item] * len(value))

    return read


def _names(declared: Any, read_items: Reader) -> Reader:
    """A set, also from a list of its members."""

    def read(value: Any) -> frozenset[Any]:
        items = sorted(value, key=repr) if isinstance(value, set | frozenset) else value
        found = frozenset(read_items(items))
        if "" in found:
            raise Misfit(value, declared)
        return value if isinstance(value, frozenset) and value == found else found

    return read


def _fixed(declared: Any, reads: Sequence[Reader]) -> Reader:
    def read(value: Any) -> tuple[Any, ...]:
        if not isinstance(value, list | tuple) or len(value) != len(reads):
            raise Misfit(value, declared)
        return _each(value, reads)

    return read


def _each(values: Sequence[Any], reads: Sequence[Reader]) -> tuple[Any, ...]:
    read = tuple(_within(f"[{i}]", each, value) for i, (each, value) in enumerate(zip(reads, values, strict=True)))
    if type(values) is tuple and all(new is old for new, old in zip(read, values, strict=True)):
        return values
    return read


def _table(declared: Any, read_key: Reader, read_value: Reader) -> Reader:
    def read(value: Any) -> FrozenTable:
        if not isinstance(value, Mapping):
            raise Misfit(value, declared)
        return FrozenTable(
            (_within(", a key of it,", read_key, key), _within(f"[{came(key)}]", read_value, item))
            for key, item in value.items()
        )

    return read


def _within(path: str, read: Reader, value: Any) -> Any:
    try:
        return read(value)
    except Misfit as misfit:
        raise Misfit(misfit.value, misfit.declared, f"{path}{misfit.path}") from None


def _instance(declared: Any, kind: Any) -> Reader:
    """An instance of a class or of a protocol; a class itself is none, even where it has all that the protocol asks."""
    takes_classes = kind is Callable

    def read(value: Any) -> Any:
        if (takes_classes or not isinstance(value, type)) and isinstance(value, kind):
            return value
        raise Misfit(value, declared)

    return read
