"""Ends of a range, as descriptions write them, as a domain."""

from __future__ import annotations

import datetime as dt
from decimal import Decimal, InvalidOperation
from typing import Any

from shoal.data.domain import Dates, Grid
from shoal.errors import SchemaError

_MOST_DIGITS = 18


def between(kind: str, least: Any, most: Any) -> Grid | Dates | None:
    """The whole numbers or days from one end to the other; None if an end is missing, or they are of another kind.

    Numbers that are not whole have no step, so that their ends alone declare no domain.
    """
    if least is None or most is None:
        return None
    try:
        if kind == "date":
            return Dates(dt.date.fromisoformat(str(least)), dt.date.fromisoformat(str(most)))
        if kind in ("integer", "year"):
            low, high = Decimal(str(least)), Decimal(str(most))
            if max(low.adjusted(), high.adjusted()) > _MOST_DIGITS:  # before all of them are written down
                return None
            return Grid.between(low, high) if low == int(low) and high == int(high) else None
    except (ValueError, InvalidOperation, OverflowError, SchemaError):
        return None
    return None
