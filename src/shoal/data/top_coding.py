"""Top and bottom coding, and rounding: numbers that are made coarser by what the owner declares, before all else."""

from __future__ import annotations

from dataclasses import replace
from decimal import ROUND_HALF_EVEN, Decimal

from shoal.data.domain import Domain, Grid, Origin
from shoal.errors import SchemaError

_DIGITS = 18
_LARGEST = 10**_DIGITS


def coded_domain(
    column: str, domain: Domain | None, bottom: Decimal | None, top: Decimal | None, step: Decimal | None
) -> Grid:
    """The numbers that are left: from `bottom` to `top`, in multiples of `step`; else as the domain has it.

    A number beyond counts as the nearest that is left. The result coded again is itself.

    >>> grid = coded_domain("age", Grid.between(0, 110), Decimal(18), Decimal(90), Decimal(5))
    >>> grid.labels([0, 1, grid.steps])
    ['20', '25', '90']
    """
    for name, number in (("bottom", bottom), ("top", top), ("round", step)):
        if number is not None and (not number.is_finite() or abs(number) >= _LARGEST or number.adjusted() < -_DIGITS):
            raise SchemaError(f"column {column!r}: {name} is a number of at most {_DIGITS} digits; got {number}.")
    if step is not None and step <= 0:
        raise SchemaError(f"column {column!r}: round is a number above 0; got {step}.")
    if domain is not None and not isinstance(domain, Grid):
        raise SchemaError(
            f"column {column!r}: top, bottom and round are for numbers; declare its domain as from and to."
        )
    if domain is None and (bottom is None or top is None):
        raise SchemaError(
            f"column {column!r}: top, bottom and round need a domain; declare from and to, or give both top and bottom."
        )
    if step is not None:
        bottom, top = (None if end is None else _rounded(end, step) for end in (bottom, top))
    low, high, stride, origin, missing = bottom, top, step or Decimal(1), Origin.DECLARED, False
    if domain is not None:
        first, last = (Decimal(domain.number(domain.lower + steps * domain.step)) for steps in (0, domain.steps))
        if step is not None:
            first, last = _rounded(first, step), _rounded(last, step)
        if (bottom is not None and not first <= bottom <= last) or (top is not None and not first <= top <= last):
            raise SchemaError(
                f"column {column!r}: its domain is from {first} to {last}, and bottom and top must lie in it; got "
                f"{'no bottom' if bottom is None else bottom} and {'no top' if top is None else top}."
            )
        low, high = first if bottom is None else bottom, last if top is None else top
        stride = Decimal(domain.number(domain.step)) if step is None else step
        origin, missing = domain.origin, domain.has_missing
    assert low is not None
    assert high is not None
    if low > high:
        raise SchemaError(f"column {column!r}: bottom, {low}, lies above top, {high}.")
    try:
        return replace(Grid.between(low, high, stride, missing=missing), origin=origin)
    except SchemaError as error:
        raise SchemaError(f"column {column!r}, what top, bottom and round leave of it: {error}") from None


def _rounded(number: Decimal, step: Decimal) -> Decimal:
    return (number / step).quantize(Decimal(1), rounding=ROUND_HALF_EVEN) * step
