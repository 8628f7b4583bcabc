"""Published distributions back to counts."""

from __future__ import annotations

import json
from collections.abc import Sequence
from fractions import Fraction
from math import lcm

import numpy as np

from shoal.arrays import Floats
from shoal.data.attribute import Attribute
from shoal.data.shown import Distributions
from shoal.errors import DataError

_LARGEST_WHOLE = 1_000_000
"""Shares are taken for fractions of at most so many."""


def read_distributions(attribute: Attribute, texts: Sequence[str | None], whole: int | None) -> Distributions | None:
    """JSON objects from value to share; None if these are no such texts."""
    if not all((text or "").startswith("{") for text in texts):
        return None
    leaf = {label: i for i, label in enumerate(attribute.domain.labels(range(attribute.domain.size)))}
    rows = []
    for text in texts:
        try:
            parsed = json.loads(text or "")
            rows.append({leaf[value]: float(share) for value, share in parsed.items()})
        except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
            return None
    shares = np.zeros((len(rows), attribute.domain.size))
    for i, row in enumerate(rows):
        shares[i, list(row)] = list(row.values())
    return in_whole_numbers(attribute, shares, whole)


def in_whole_numbers(attribute: Attribute, shares: Floats, whole: int | None) -> Distributions:
    """Shares as counts of the least whole that makes them so, or of a given one if it does."""
    if not (np.abs(shares.sum(axis=1) - 1) < 1e-6).all() or (shares < 0).any():
        raise DataError(f"column {attribute.name!r}: the shares of a published distribution do not add up to 1.")
    counts, wholes = np.zeros(shares.shape, dtype=np.int64), np.zeros(len(shares), dtype=np.int64)
    for i, row in enumerate(shares):
        if whole is not None and (np.abs(row * whole - np.rint(row * whole)) < 1e-6).all():
            least = whole
        else:
            some = [Fraction(float(share)).limit_denominator(_LARGEST_WHOLE).denominator for share in row[row > 0]]
            least = lcm(*some)
        counts[i] = np.rint(row * least)
        wholes[i] = counts[i].sum()
    return Distributions(counts, wholes)
