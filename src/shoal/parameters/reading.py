"""Parameters of a class, all or one, and arguments of a function, read as the types that they declare."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields
from functools import cache
from typing import Any, get_type_hints

from shoal.errors import ParameterError
from shoal.parameters.by_type import Misfit, Reader, reader_of
from shoal.parameters.words import came, described, meant


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
    return _read(reader_of(declared), value, name, "")


def _read(read: Reader, given: object, name: str, owner: str) -> Any:
    try:
        return read(given)
    except Misfit as misfit:
        hint = meant(misfit.value, misfit.declared)
        raise ParameterError(
            f"{owner}{name}{misfit.path} must be {described(misfit.declared)}; got {came(misfit.value)}.{hint}"
        ) from None


@cache
def _readers(kind: Any) -> Mapping[str, Reader]:
    """How each parameter of a class is read, found out once."""
    try:
        hints = get_type_hints(kind, include_extras=True)
    except NameError as error:
        raise ParameterError(
            f"{kind.__name__}: the type of a parameter cannot be found ({error}); import it where it can be found at "
            "run time, not under TYPE_CHECKING."
        ) from None
    own = [field.name for field in fields(kind) if field.init and not field.name.startswith("_")]
    return {name: reader_of(hints[name]) for name in own}
