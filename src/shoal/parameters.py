"""The one reader of parameters: what a user gives becomes the type that its class declares, or is refused.

Every class that takes parameters calls `read_parameters(self)` first thing in its `__post_init__`, and the release file
reads by the same types (`read_parameter`), so that a parameter means the same wherever it is written:

- a word that names a member of an enum becomes the member: `mode="rigorous"` is `mode=Mode.RIGOROUS`;
- NumPy's numbers and texts become Python's, lists become tuples, mappings frozen copies, so that what holds them can be
  compared, hashed and trusted to stay as it is;
- a truth value is no number, a text is one only where the declared type admits it (`Number`), and no number is infinite
  or NaN;
- where a quality model, a criterion or a method belongs, its class or its name is not one.

Whatever else comes is refused in one sentence. Python compares a word with a member of an enum without complaint, so a
class that trusts what it gets would take the wrong branch and promise what it never did.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable, Mapping, Sequence
from dataclasses import fields
from decimal import Decimal, InvalidOperation
from enum import Enum
from fractions import Fraction
from functools import cache
from math import isfinite
from os import PathLike
from pathlib import Path
from types import NoneType, UnionType
from typing import Annotated, Any, Literal, TypeAlias, TypeVar, Union, get_args, get_origin, get_type_hints

import numpy as np

from shoal.errors import ParameterError
from shoal.parameter_words import AtLeast, came, described, meant, options_of, words_of

Number: TypeAlias = Fraction | int | float | str | Decimal
"""How a user may write ε, δ and whatever else has to be exact: 0.1 and "0.1" are one tenth, "1/3" is one third."""

Seed: TypeAlias = Annotated[int, AtLeast(0)]
"""Decides draws that need not be secret, such as who is tried by an attack."""

Count: TypeAlias = Annotated[int, AtLeast(1)]

_Read: TypeAlias = Callable[[Any], Any]

_NUMBERS = (int, float, Fraction, Decimal)
_LARGEST_WHOLE = 2**63
"""Whole numbers count records, columns and digits, or seed: they fit 64 bits."""
_EXACT_IN_A_FLOAT = 2**53
_LONGEST_TEXT = 400
"""Characters of a number written as text, and digits before or behind its point: more would take forever to read."""


class FrozenTable(dict[Any, Any]):
    """A mapping that stays as it was read: equal to a dict of the same items, and hashable where they are.

    >>> weights = FrozenTable({"age": 2.0})
    >>> weights == {"age": 2.0}, hash(weights) == hash(FrozenTable({"age": 2.0}))
    (True, True)
    """

    __slots__ = ()

    def __hash__(self) -> int:  # type: ignore[override]  # a dict has none because it changes
        return hash(frozenset(self.items()))

    def __reduce__(self) -> tuple[type[FrozenTable], tuple[dict[Any, Any]]]:
        return FrozenTable, (dict(self),)

    def _refuse(self, *_: object, **__: object) -> Any:
        raise TypeError("parameters do not change once they are read; make a new object with dataclasses.replace().")

    __setitem__ = __delitem__ = __ior__ = clear = pop = popitem = setdefault = update = _refuse


class _Misfit(Exception):  # noqa: N818 - it never leaves this file
    """A value is not of the declared type; `path` says where in a list or table, such as `[1]`."""

    def __init__(self, value: object, declared: object, path: str = "") -> None:
        super().__init__()
        self.value, self.declared, self.path = value, declared, path


def read_parameters(owner: object) -> None:
    """Read every parameter of a dataclass as the type it declares; the first call of `__post_init__`."""
    kind: Any = type(owner)
    for name, read in _readers(kind).items():
        given = getattr(owner, name)
        value = _read(read, given, name, f"{kind.__name__}: ")
        if value is not given:
            object.__setattr__(owner, name, value)


def read_parameter(owner: Any, name: str, value: object) -> Any:
    """One parameter of a class before there is an instance, as the release file reads it."""
    return _read(_readers(owner)[name], value, name, "")


def read_as(declared: Any, name: str, value: object) -> Any:
    """An argument of a function as the type it declares: `read_as(Accounting, "accounting", "paper")`."""
    return _read(_reader(declared), value, name, "")


def exact(value: Number, name: str = "value") -> Fraction:
    """The number as it is written: 0.1 and "0.1" are one tenth, not the nearest binary fraction.

    >>> exact(0.1), exact("1e-6"), exact("1/3")
    (Fraction(1, 10), Fraction(1, 1000000), Fraction(1, 3))
    """
    if isinstance(value, bool) or not isinstance(value, Fraction | int | float | str | Decimal):
        raise ParameterError(f"{name}: expected a number; got {came(value)}. Write it as a decimal, such as 0.1.")
    number = _fraction(value)
    if number is None:
        raise ParameterError(f"{name}: {came(value)} is not a finite number. Write it as a decimal, such as 0.1.")
    return number


def _fraction(value: Number) -> Fraction | None:
    """The number as it is written; None if it is none, or would take forever to write out."""
    try:
        if isinstance(value, str | Decimal) and not _is_short(value):
            return None
        if isinstance(value, float):  # float.__repr__, because NumPy's scalars are floats that print otherwise
            return Fraction(float.__repr__(value))
        return Fraction(value)
    except (ValueError, OverflowError, ZeroDivisionError):
        return None


def _is_short(value: str | Decimal) -> bool:
    if isinstance(value, str) and len(value) > _LONGEST_TEXT:
        return False
    try:
        number = Decimal(value)
    except InvalidOperation:  # "1/3", or no number at all
        return True
    return not number.is_finite() or abs(number.adjusted()) <= _LONGEST_TEXT


def _read(read: _Read, given: object, name: str, owner: str) -> Any:
    try:
        return read(given)
    except _Misfit as misfit:
        hint = meant(misfit.value, misfit.declared)
        raise ParameterError(
            f"{owner}{name}{misfit.path} must be {described(misfit.declared)}; got {came(misfit.value)}.{hint}"
        ) from None


@cache
def _readers(kind: Any) -> Mapping[str, _Read]:
    """How each parameter of a class is read, found out once."""
    try:
        hints = get_type_hints(kind, include_extras=True)
    except NameError as error:
        raise ParameterError(
            f"{kind.__name__}: the type of a parameter cannot be found ({error}); import it where it can be found at "
            "run time, not under TYPE_CHECKING."
        ) from None
    own = [field.name for field in fields(kind) if field.init and not field.name.startswith("_")]
    return {name: _reader(hints[name]) for name in own}


@cache
def _reader(declared: Any) -> _Read:
    """How a value is read as a type."""
    origin, arguments = get_origin(declared), get_args(declared)
    if declared is Any or declared is object or isinstance(declared, TypeVar):
        return _as_it_is
    if origin is Annotated:
        return _at_least(declared, _reader(arguments[0]), arguments[1])
    if origin in (Union, UnionType):
        return _union(declared)
    if origin is Literal:
        return _literal(declared)
    if origin is tuple and len(arguments) == 2 and arguments[1] is Ellipsis:
        return _items(declared, _reader(arguments[0]))
    if origin is tuple:
        return _fixed(declared, [_reader(argument) for argument in arguments])
    if origin is Sequence:
        return _items(declared, _reader(arguments[0]))
    if origin is frozenset:
        return _names(declared, _items(declared, _reader(arguments[0])))
    if origin is Mapping:
        return _table(declared, _reader(arguments[0]), _reader(arguments[1]))
    if origin is not None:
        return _instance(declared, origin)
    if declared in _NUMBERS:
        return _number(declared, (declared,))
    special: dict[Any, _Read] = {bool: _truth, str: _text, dt.date: _day, Path: _path, NoneType: _nothing}
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
        raise _Misfit(value, NoneType)


def _truth(value: Any) -> bool:
    if isinstance(value, bool | np.bool_):
        return bool(value)
    raise _Misfit(value, bool)


def _text(value: Any) -> str:
    if type(value) is str:
        return value
    if isinstance(value, str) and not isinstance(value, Enum):
        return str(value)  # NumPy's
    raise _Misfit(value, str)


def _path(value: Any) -> Path:
    if isinstance(value, Path):
        return value
    if isinstance(value, str | PathLike):
        try:
            return Path(value)
        except TypeError:  # a path of bytes
            pass
    raise _Misfit(value, Path)


def _day(value: Any) -> dt.date:
    plain = value.astype("datetime64[us]").item() if isinstance(value, np.datetime64) else value
    if isinstance(plain, dt.datetime) and plain.time() == dt.time():
        return plain.date()
    if isinstance(plain, dt.date) and not isinstance(plain, dt.datetime):
        return plain
    raise _Misfit(value, dt.date)


def _union(declared: Any) -> _Read:
    """One type after the other; all numbers are one of them, for each kind of number may be a way to write another."""
    options = options_of(declared)
    numbers = tuple(option for option in options if option in _NUMBERS)
    is_text_a_number = bool(numbers) and str in options
    others = [
        option for option in options if option not in (*numbers, NoneType) and not (is_text_a_number and option is str)
    ]
    reads = [_reader(option) for option in others]
    if numbers:
        reads.append(_number(declared, (*numbers, str) if is_text_a_number else numbers))
    admits_none = NoneType in options

    def read(value: Any) -> Any:
        if value is None and admits_none:
            return None
        deepest: _Misfit | None = None
        for each in reads:
            try:
                return each(value)
            except _Misfit as misfit:
                deepest = misfit if misfit.path else deepest
        raise deepest or _Misfit(value, declared)

    return read


def _number(declared: Any, kinds: tuple[type, ...]) -> _Read:
    """A finite number of one of some kinds. One that is written exactly stays as it is written."""
    is_whole = kinds == (int,)

    def read(value: Any) -> Any:
        if is_whole and type(value) is int and -_LARGEST_WHOLE < value < _LARGEST_WHOLE:
            return value  # the usual case, without ado
        plain = _plain(value)
        number = None if isinstance(plain, bool | Enum) else _as_number(plain, kinds)
        if number is None:
            raise _Misfit(value, declared)
        return number

    return read


def _as_number(value: Any, kinds: tuple[type, ...]) -> Any:
    """The value as one of the kinds of number, as it is if it may be; None if it is no such number."""
    if isinstance(value, str):
        number = _fraction(value) if str in kinds else None
        return None if number is None or _as_float(number) is None else str(value)
    own: Any = next((kind for kind in _NUMBERS if isinstance(value, kind)), None)
    if own is None or _as_float(value) is None or (own is Decimal and not _is_short(value)):
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


def _at_least(declared: Any, read_number: _Read, limit: AtLeast) -> _Read:
    def read(value: Any) -> Any:
        try:
            number = read_number(value)
        except _Misfit:
            raise _Misfit(value, declared) from None
        if number < limit.least:
            raise _Misfit(value, declared)
        return number

    return read


def _member(kind: type[Enum]) -> _Read:
    words = words_of(kind)

    def read(value: Any) -> Any:
        if isinstance(value, kind):
            return value
        if isinstance(value, str) and not isinstance(value, Enum) and value in words:
            return words[value]
        raise _Misfit(value, kind)

    return read


def _literal(declared: Any) -> _Read:
    def read(value: Any) -> Any:
        plain = _plain(value)
        for word in get_args(declared):
            if type(plain) is type(word) and plain == word:
                return word
        raise _Misfit(value, declared)

    return read


def _items(declared: Any, read_item: _Read) -> _Read:
    is_text = read_item is _text

    def read(value: Any) -> tuple[Any, ...]:
        if not isinstance(value, list | tuple):
            raise _Misfit(value, declared)
        if is_text and type(value) is tuple and set(map(type, value)) <= {str}:
            return value  # domains may have a million values
        return _each(value, [read_item] * len(value))

    return read


def _names(declared: Any, read_items: _Read) -> _Read:
    """A set, also from a list of its members."""

    def read(value: Any) -> frozenset[Any]:
        items = sorted(value, key=repr) if isinstance(value, set | frozenset) else value
        found = frozenset(read_items(items))
        if "" in found:
            raise _Misfit(value, declared)
        return value if isinstance(value, frozenset) and value == found else found

    return read


def _fixed(declared: Any, reads: Sequence[_Read]) -> _Read:
    def read(value: Any) -> tuple[Any, ...]:
        if not isinstance(value, list | tuple) or len(value) != len(reads):
            raise _Misfit(value, declared)
        return _each(value, reads)

    return read


def _each(values: Sequence[Any], reads: Sequence[_Read]) -> tuple[Any, ...]:
    read = tuple(_within(f"[{i}]", each, value) for i, (each, value) in enumerate(zip(reads, values, strict=True)))
    if type(values) is tuple and all(new is old for new, old in zip(read, values, strict=True)):
        return values
    return read


def _table(declared: Any, read_key: _Read, read_value: _Read) -> _Read:
    def read(value: Any) -> FrozenTable:
        if not isinstance(value, Mapping):
            raise _Misfit(value, declared)
        return FrozenTable(
            (_within(", a key of it,", read_key, key), _within(f"[{came(key)}]", read_value, item))
            for key, item in value.items()
        )

    return read


def _within(path: str, read: _Read, value: Any) -> Any:
    try:
        return read(value)
    except _Misfit as misfit:
        raise _Misfit(misfit.value, misfit.declared, f"{path}{misfit.path}") from None


def _instance(declared: Any, kind: Any) -> _Read:
    """An instance of a class or of a protocol; a class itself is none, even where it has all that the protocol asks."""
    takes_classes = kind is Callable

    def read(value: Any) -> Any:
        if (takes_classes or not isinstance(value, type)) and isinstance(value, kind):
            return value
        raise _Misfit(value, declared)

    return read
