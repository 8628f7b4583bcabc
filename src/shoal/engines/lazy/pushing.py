"""What a declared domain cannot tell apart is made one value where the table is, before it is grouped.

Nothing is coded there: a value is replaced by another one that the coder here treats alike, and by which one is found
out from the coder. Wherever the arithmetic of a database might decide otherwise (close to a step, or halfway between
two), a value stays as it is. So counts are those of the local engine, whichever way a library rounds.
"""

from __future__ import annotations

import datetime as dt
import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from shoal.data.domain import Categorical, Dates, Domain, Grid
from shoal.engines.bridge import from_numpy
from shoal.engines.codes.coding import Coder, is_text

if TYPE_CHECKING:
    import pyarrow as pa

LONGEST_LIST = 1000
"""Values that a question may list."""
_LONGEST_TABLE = 1 << 20
"""Values that are worth being brought there."""
_UNSURE = 2.0**-48
"""How far off a library may be, for each unit of the largest number divided by the step: a dozen roundings."""
_TOO_UNSURE = 1e-4
_WHOLE = 2**53
"""Up to here every whole number is a floating-point number."""
_FIRST_DAY, _LAST_DAY = dt.date(1583, 1, 1), dt.date.max
"""Between these days every library has the same calendar."""


def pushed(value: Any, kind: pa.DataType, coder: Coder) -> tuple[Any, pa.DataType]:
    """A column, in narwhals' hands and of some type, as it may be grouped for a coder, and its type then.

    It stays itself if nothing is gained. Only where a coder absorbs: elsewhere a value that the domain does not hold is
    refused, and so must come here.
    """
    import narwhals as nw
    import pyarrow as pa

    if not coder.absorbs:
        return value, kind
    match coder.domain:
        case Categorical() as domain if is_text(kind) and domain.size <= LONGEST_LIST:
            return nw.when(value.is_in(list(domain.values))).then(value), kind
        case Grid() as domain if pa.types.is_integer(kind) or pa.types.is_float64(kind):
            return _on_grid(value, kind, coder, domain)
        case Dates() as domain if pa.types.is_date(kind):
            return _in_days(value, coder, domain), kind
        case _:
            return value, kind


def counted_as(coder: Coder, kind: pa.DataType) -> pa.Table | None:
    """Values of a type, and the one that each of them is counted as; None if nothing is gained, or they are too many.

    Values that are counted as themselves are left out, and so is what no value of the type is.
    """
    import pyarrow as pa
    import pyarrow.compute as pc

    if coder.floor is None or coder.domain is None or coder.domain.size > _LONGEST_TABLE:
        return None
    values = _values(coder.domain, kind)
    if values is None:
        return None
    values = values.filter(pc.is_valid(values))
    alone = Coder(coder.name, coder.domain, coder.missing_tokens)
    where, codes = alone.local(values)
    found = codes[where]
    place = np.full(coder.domain.size, -1)
    place[found[found >= 0]] = np.flatnonzero(found >= 0)
    target = np.where(found < 0, -1, place[coder.floor[found]])
    moves = np.flatnonzero((target >= 0) & (target != np.arange(len(target))))
    return pa.table({"value": values.take(from_numpy(moves)), "as": values.take(from_numpy(target[moves]))})


def _values(domain: Domain, kind: pa.DataType) -> pa.Array | None:
    """The values of a domain in the type of a column, null for what the type does not hold; None if it holds others."""
    import pyarrow as pa

    labels = domain.labels(code for code in range(domain.size) if code != domain.missing)
    match domain:
        case Categorical() if is_text(kind):
            return pa.array(labels, kind)
        case Grid() if pa.types.is_integer(kind):
            limits = np.iinfo(kind.to_pandas_dtype())
            whole = [int(label) if "." not in label else None for label in labels]
            return pa.array([n if n is not None and limits.min <= n <= limits.max else None for n in whole], kind)
        case Grid() if pa.types.is_float64(kind):
            return pa.array([float(label) for label in labels], kind)
        case Dates() if pa.types.is_date(kind) and domain.first >= _FIRST_DAY:
            return pa.array([dt.date.fromisoformat(label) for label in labels], kind)
        case _:
            return None


def _on_grid(value: Any, kind: pa.DataType, coder: Coder, domain: Grid) -> tuple[Any, pa.DataType]:
    """Numbers far from every step: missing, or one for all that have the same nearest step.

    That is a quarter of a step beside it, so that the coder finds that they were moved, and where to.
    """
    import narwhals as nw
    import pyarrow as pa

    scale, last = 10**domain.decimals, domain.lower + domain.steps * domain.step
    unsure = _UNSURE * (max(abs(domain.lower), abs(last), domain.step) / domain.step)
    apart = [float(token) for token in coder.missing_tokens if _is_number(token)]
    if unsure > _TOO_UNSURE or any(_WHOLE <= abs(number) < math.inf for number in apart):
        return value, kind
    is_float = pa.types.is_floating(kind)
    number = value if is_float else value.cast(nw.Float64)
    low, high, step = domain.lower / scale, last / scale, domain.step / scale
    steps = (nw.when(number < low).then(low).when(number > high).then(high).otherwise(number) - low) / step
    whole = steps.floor()
    rest = steps - whole
    is_gone = value.is_null() | number.is_nan() if is_float else value.is_null()
    is_below, is_above = number < low - unsure * step, number > high + unsure * step
    is_near = (rest <= unsure) | (rest >= 1 - unsure)
    nothing = nw.lit(None, nw.Float64)
    if not coder.clamps:
        return nw.when(is_gone | is_below | is_above | ~is_near).then(nothing).otherwise(number), pa.float64()
    ends = (
        _outside(coder, [low - (i + 1) * step for i in range(len(apart) + 1)], 0),
        _outside(coder, [high + (i + 1) * step for i in range(len(apart) + 1)], domain.steps),
    )
    if None in ends:
        return value, kind
    is_half = (rest >= 0.5 - unsure) & (rest <= 0.5 + unsure)
    is_apart = number.is_in(apart) if apart else nw.lit(value=False)
    beside = nw.when(rest < 0.5).then(nw.lit(0.25)).otherwise(nw.lit(0.75))
    moved = (
        nw.when(is_gone)
        .then(nothing)
        .when(is_apart)
        .then(number)
        .when(is_below)
        .then(nw.lit(ends[0]))
        .when(is_above)
        .then(nw.lit(ends[1]))
        .when(is_near | is_half)
        .then(number)
        .otherwise((whole + beside) * step + low)
    )
    return moved, pa.float64()


def _in_days(value: Any, coder: Coder, domain: Dates) -> Any:
    """Days outside of the domain: missing, or one for all that are before it and one for all that are behind it."""
    import narwhals as nw

    if domain.first < _FIRST_DAY:
        return value
    is_before, is_behind = value < nw.lit(domain.first), value > nw.lit(domain.last)
    nothing = nw.lit(None, nw.Date)
    if not coder.clamps:
        return nw.when(is_before | is_behind).then(nothing).otherwise(value)
    apart = [day for token in coder.missing_tokens if (day := _day(token)) is not None and day >= _FIRST_DAY]
    room = range(1, len(apart) + 2)
    before = [domain.first - dt.timedelta(days=i) for i in room if (domain.first - _FIRST_DAY).days >= i]
    behind = [domain.last + dt.timedelta(days=i) for i in room if (_LAST_DAY - domain.last).days >= i]
    ends = _outside(coder, before, 0), _outside(coder, behind, domain.days - 1)
    if None in ends:
        return value
    is_apart = value.is_in(apart) if apart else nw.lit(value=False)
    is_apart |= value < nw.lit(_FIRST_DAY)
    return (
        nw.when(value > nw.lit(_LAST_DAY))  # a day that no calendar here has
        .then(nothing)
        .when(is_apart)
        .then(value)
        .when(is_before)
        .then(nw.lit(ends[0]))
        .when(is_behind)
        .then(nw.lit(ends[1]))
        .otherwise(value)
    )


def _outside(coder: Coder, candidates: Sequence[float | dt.date], end: int) -> float | dt.date | None:
    """One of some values that the coder finds outside of its domain, and moves to this end of it."""
    import pyarrow as pa

    for candidate in candidates:
        asked = Coder(coder.name, coder.domain, coder.missing_tokens, absorbs=True, clamps=True)
        where, codes = asked.local(pa.array([candidate]))
        if codes[where[0]] == end and asked.clamped:
            return candidate
    return None


def _is_number(token: str) -> bool:
    """Whether some number is written like a word that means a missing value."""
    try:
        return not math.isnan(float(token))
    except ValueError:
        return False


def _day(token: str) -> dt.date | None:
    try:
        return dt.date.fromisoformat(token)
    except ValueError:
        return None
