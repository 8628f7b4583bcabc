"""From what the owner said and what the data showed to a settled attribute."""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Collection, Sequence
from dataclasses import replace
from decimal import Decimal
from typing import Any

from shoal.data.domain import LARGEST_DOMAIN, Categorical, Dates, Domain, Grid, Origin
from shoal.data.hierarchy_build import default_recipe
from shoal.data.schema import Attribute, Column
from shoal.errors import SchemaError

NUMBER = re.compile(r"[+-]?(0|[1-9]\d*)(\.\d+)?")
"""Plain decimal digits; a leading zero makes a code, such as a zip code, and not a number."""

_DATE = re.compile(r"\d{4}-\d{2}-\d{2}")


def declared(column: Column, missing_tokens: Collection[str]) -> Domain | None:
    """The domain the owner declared, by itself or through a hierarchy that names its values; None if there is none."""
    domain = column.domain
    if domain is None and column.hierarchy is not None:
        domain = column.hierarchy.leaves()
        if domain is not None and column.observed:
            domain = replace(domain, origin=Origin.OBSERVED)
    if isinstance(domain, Categorical) and domain.missing is None:
        tokens = [i for i, value in enumerate(domain.values) if value in missing_tokens]
        if tokens:
            domain = replace(domain, missing=tokens[0])
    return domain.with_missing() if domain is not None and column.missing else domain


def settle(column: Column, domain: Domain, source_type: Any = None) -> Attribute:
    """The attribute: the hierarchy built, and the domain in the order of its leaves."""
    recipe = column.hierarchy or default_recipe(domain)
    domain, hierarchy = recipe.build(domain, column.name)
    return Attribute(column.name, column.role, domain, hierarchy, source_type)


def observed_domain(column: str, labels: Sequence[str], *, has_missing: bool) -> Domain:
    """The domain that the values seen suggest: dates, numbers on the coarsest grid that holds them, or categories."""
    domain: Domain
    if labels and all(_DATE.fullmatch(label) for label in labels):
        days = [day for label in labels if (day := _day(label)) is not None]
        if len(days) == len(labels):
            domain = Dates(min(days), max(days), origin=Origin.OBSERVED)
            return domain.with_missing() if has_missing else domain
    if labels and all(NUMBER.fullmatch(label) for label in labels):
        domain = _grid(column, [Decimal(label) for label in labels])
    else:
        domain = Categorical(tuple(sorted(labels)), origin=Origin.OBSERVED)
    return domain.with_missing() if has_missing else domain


def _grid(column: str, numbers: Sequence[Decimal]) -> Grid:
    low, high = min(numbers), max(numbers)
    decimals = max(max(0, -int(number.as_tuple().exponent)) for number in numbers)
    step = Decimal(1).scaleb(-decimals)
    if (high - low) / step >= LARGEST_DOMAIN:
        raise SchemaError(
            f"column {column!r}: its numbers span {int((high - low) / step) + 1:,} steps of {step}, and at most "
            f"{LARGEST_DOMAIN:,} are supported. Round the column, and declare its domain with from, to and step."
        )
    return Grid.between(low, high, step, origin=Origin.OBSERVED)


def _day(label: str) -> dt.date | None:
    try:
        return dt.date.fromisoformat(label)
    except ValueError:
        return None
